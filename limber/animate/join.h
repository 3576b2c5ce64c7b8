// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/kinematics/motion_energy.h"

/// Motions put together out of pieces that agree nearly, but not exactly. Private to `animate`.
namespace limber::animate {

/// Appends `next`, whose first `overlap` frames are those that `motion` ends with, as far as its frame `end`. Over the
/// overlap one fades into the other, with no jump in place, speed or acceleration. Both are of one rig and rate.
void append_motion(kinematics::Motion& motion, const kinematics::Motion& next, int overlap, int end);

/// Makes a motion a loop of `period` frames: those after that show the beginning again, a lap farther on, and fade into
/// it, so that the last frame leads exactly to the first. There is at least one of them.
void join_ends(kinematics::Motion& motion, int period);

/// How far the first frame is from where the last one leads, going on as it does: the largest angle of a joint,
/// radians. Of a motion of two frames or more.
double round_gap(const kinematics::Motion& motion);

/// Makes a motion that leads back to its beginning a loop of all its frames: what is missing (`round_gap`) is spread
/// over the first `reach` of them.
void close_round(kinematics::Motion& motion, int reach);

/// A pose at a time.
struct Key {
  double seconds = 0;
  kinematics::Pose pose;
};

/// Makes a motion pass through poses exactly, each in the frame nearest to its time: what is missing is spread over the
/// frames up to the neighbouring keys, softly; before the first and after the last key over `reach` seconds. Keys are
/// in the order of their times; of several that share a frame the last counts, those beyond the motion do not.
void meet_keys(kinematics::Motion& motion, std::span<const Key> keys, double reach = 0.5);

/// The largest angle of a joint by which a motion misses its keys, in radians.
double key_error(const kinematics::Motion& motion, std::span<const Key> keys);

/// Draws frames that are known towards what they are: mean squared difference, of angles in radians, and `kRootPull`
/// times that of the root in heights, each frame as firmly as it is held.
class HoldEnergy final : public kinematics::MotionEnergy {
 public:
  /// `holds`: one per frame of `poses`, 0 to 1.
  HoldEnergy(kinematics::Motion poses, std::vector<float> holds);
  std::optional<kinematics::EnergyForm> form() const override;
  double add(const kinematics::Motion& motion, double scale, kinematics::MotionGradient& gradient) const override;
  static constexpr double kRootPull = 10;

 private:
  kinematics::Motion poses_;
  std::vector<float> holds_;
  double share_ = 0;  ///< of the sum: one over what is held
};

}  // namespace limber::animate
