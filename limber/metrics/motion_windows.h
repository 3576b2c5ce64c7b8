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
  double fps = 20;    ///< that motions are looked at with
  int window = 15;    ///< frames that are compared
  int shortest = 30;  ///< frames that a loop is looked at for, at least
};

/// At the settings' rate. Of a loop as many frames more as a window begins with at its end, so that every frame of it
/// begins one, and at least `shortest`.
Turns turns_of(const kinematics::Motion& motion, const WindowSettings& settings = {});

/// The mean angle between the joints of every frame of `a` and every frame of `b`: frames of a x frames of b. Both have
/// the same joints.
std::vector<float> frame_distances(const Turns& a, const Turns& b);

/// The mean distance of each window of `a` to the nearest one in any of `others`; empty where it has none, or they
/// have.
std::vector<double> nearest_windows(const Turns& a, std::span<const Turns> others, const WindowSettings& settings = {});

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
