// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"

/// Whether motions that were made for a character do what its artist made it do: AnyTop's measures (Gat et al. 2025,
/// after GANimator, Li et al. 2022, and SinMDM, Raab et al. 2024), on rotations. Angles are in radians.
namespace limber::metrics {

/// How all joints but the root are turned, frame by frame: where a body is and which way it faces does not count.
struct Turns {
  int joints = 0;
  std::vector<Quat> rotations;  ///< frames x joints
  int frames() const { return joints > 0 ? static_cast<int>(rotations.size()) / joints : 0; }
};

/// AnyTop's constants.
struct WindowSettings {
  double fps = 20;          ///< that motions are looked at with
  int window = 15;          ///< frames that are compared
  int patch = 30;           ///< least frames of a piece of a clip in `global_diversity`
  double covered = 0.3491;  ///< 20 degrees: a window nearer than this is covered
};

/// At the settings' rate. Of a loop as many frames more as a window begins with at its end, so that every frame of it
/// begins one, and at least a patch.
Turns turns_of(const kinematics::Motion& motion, const WindowSettings& settings = {});

/// The mean angle between the joints of every frame of `a` and every frame of `b`: frames of a x frames of b. Both have
/// the same joints.
std::vector<float> frame_distances(const Turns& a, const Turns& b);

/// The mean distance of each window of `a` to the nearest one in any of `others`; empty where it has none, or they
/// have.
std::vector<double> nearest_windows(const Turns& a, std::span<const Turns> others, const WindowSettings& settings = {});

/// Least mean distance of a motion to a clip that is cut into patches and put together anew; none where it or the clip
/// is shorter than a patch.
std::optional<double> patched_distance(const Turns& motion, const Turns& clip, const WindowSettings& settings = {});

/// Samples of a character against its clips. What cannot be said is none: clips or samples without a window.
struct WindowMeasures {
  std::optional<double> coverage;          ///< share of the clips' windows that have a sample's window near them
  std::optional<double> local_diversity;   ///< mean distance of the samples' windows to the nearest one of the clips
  std::optional<double> global_diversity;  ///< mean over samples of the least `patched_distance` to a clip
  std::optional<double> inter_diversity;   ///< mean distance of two samples, frame by frame
  std::optional<double> intra_difference;  ///< of the mean distance of two windows: within samples from within clips
};
WindowMeasures measure_windows(std::span<const Turns> samples, std::span<const Turns> clips,
                               const WindowSettings& settings = {});

/// The clip whose windows are nearest to those of a sample; none where nothing can be compared.
std::optional<std::size_t> nearest_clip(const Turns& sample, std::span<const Turns> clips,
                                        const WindowSettings& settings = {});

/// The joints that turn by more than `least` radians from where they are in the first frame. A pose that is kept, and
/// what no artist moved, should count for nothing.
std::vector<int> moving_joints(const Turns& turns, double least = 0.0524);

/// The same motion of some of the joints alone.
Turns only(const Turns& turns, std::span<const int> joints);

/// The same motion with every joint turned back by its mean rotation: what a body does, apart from how it holds itself,
/// which no two artists share.
Turns about_mean(const Turns& turns);

/// How far two motions are apart: the mean distance of a window of the one to the nearest of the other, both ways
/// round; none where one of them has no window.
std::optional<double> window_gap(const Turns& a, const Turns& b, const WindowSettings& settings = {});

/// Which of the rig's clips a motion does the same as, however both are held: the one at the least `window_gap` about
/// the mean, of the joints that move in any of the clips. None where nothing can be compared. Rest poses and clips of
/// the same action twice are for the caller to leave out.
std::optional<std::size_t> most_alike(const Turns& motion, std::span<const Turns> clips,
                                      const WindowSettings& settings = {});

/// How lively, rough and fast a motion is.
struct MotionPace {
  double activity = 0;    ///< mean angle that a joint turns by, the root left out, per second
  double peak_speed = 0;  ///< radians a second: of every joint where it turns fastest, the root left out, the mean
  double jitter = 0;      ///< `mean_jerk`, heights / s^3
  double root_speed = 0;  ///< mean over the ground, heights per second
};
MotionPace motion_pace(const rig::Rig& rig, const kinematics::Motion& motion);

}  // namespace limber::metrics
