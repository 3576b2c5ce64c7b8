// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "limber/base/rng.h"
#include "limber/pose_space/pose_denoiser.h"
#include "limber/pose_space/pose_skeleton.h"
#include "limber/pose_space/pose_state.h"

/// \file
/// The plausible poses of one body: draw them, find their noise again, go from one to another among them.
///
/// A pose at diffusion time t, 0 to 1, is cos(t pi/2) pose + sin(t pi/2) noise, and the network tells its velocity v. A
/// step of DDIM (Song et al. 2021) over an angle d is then a rotation, x -> cos(d) x - sin(d) v, which can be undone.

namespace limber::pose_space {

/// Changes what a pose is thought to be, in the middle of denoising.
using PoseGuide = std::function<void(PoseState& guess, double time)>;

struct DenoiseSettings {
  int steps = 20;   ///< from noise to pose; proportionally fewer from less noise, at least one
  PoseGuide guide;  ///< may be empty
};

/// How plausible a pose is, 0 to 1.
struct Plausibility {
  double whole = 0;
  std::vector<double> joints;  ///< per pose joint
};

/// Const, so safe to use from several threads.
class PoseSpace {
 public:
  PoseSpace(PoseDenoiser denoiser, PoseSkeleton skeleton, const PoseConditions& conditions);

  const PoseSkeleton& skeleton() const { return skeleton_; }

  /// Standard normal numbers, as many as a state has.
  PoseState noise(std::uint64_t seed) const;
  /// A state at `time` with this noise.
  PoseState noisy(std::span<const double> state, std::span<const double> noise, double time) const;

  /// From a state at `time` to a pose.
  PoseState denoise(PoseState state, double time = 1, const DenoiseSettings& settings = {}) const;
  /// The state at `time` that `denoise` makes this pose of, with as many steps. Each step up is undone by fixed-point
  /// iteration, as step and network ask for each other.
  PoseState invert(PoseState pose, double time = 1, int steps = 20) const;

  PoseState sample(std::uint64_t seed, const DenoiseSettings& settings = {}) const {
    return denoise(noise(seed), 1, settings);
  }

  /// Whether the network can be told what is known of a pose.
  bool fills() const { return denoiser_.model().fills != 0; }
  /// A pose of which the joints that are not `hidden` stay as they are. Only where it `fills`.
  PoseState fill(std::span<const double> pose, const std::vector<bool>& hidden, std::uint64_t seed,
                 int steps = 20) const;

  /// The nearest plausible pose: so much noise that what is wrong drowns in it, then denoised. The same noise for the
  /// same seed, so that motions stay smooth. `strength`, above 0 to 1, is the time.
  PoseState project(std::span<const double> pose, double strength = 0.3, std::uint64_t seed = 0,
                    const DenoiseSettings& settings = {}) const;

  /// The pose that this one is taken for if it is as far off as noise of `time` makes one: a single step, nothing
  /// drawn.
  PoseState settle(std::span<const double> pose, double time) const;

  /// `frames` poses from the one to the other, ends included: along the arc between their noises, which keeps the
  /// variance that the network expects (White 2016). What inversion lost at the ends is added back, fading.
  std::vector<PoseState> between(const PoseState& from, const PoseState& to, int frames, int steps = 20) const;

  Plausibility score(std::span<const double> pose) const;
  /// Per pose joint: those that nobody sees, which are judged as if they rested. Artists' controls (a handle that a
  /// hand follows) are joints, too, and one of them far off would make every pose of the body impossible.
  void leave_unjudged(std::vector<bool> unseen);

 private:
  PoseDenoiser denoiser_;
  PoseSkeleton skeleton_;
  PoseDenoiser::Body body_;
  std::vector<bool> unseen_;  // empty: all are seen
  PoseState rest_;
};

/// The time at which noise, against a pose, is as large as `size` (in units of states): what `settle` wants to know.
double time_of_noise(double size);

/// Between two vectors along the arc, u from 0 to 1; straight where they have nearly one direction.
PoseState slerp(std::span<const double> a, std::span<const double> b, double u);

}  // namespace limber::pose_space
