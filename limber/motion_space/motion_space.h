// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "limber/base/progress.h"
#include "limber/motion_space/motion_denoiser.h"
#include "limber/rig/subject.h"

/// \file
/// How one body moves: two seconds at a time, drawn from noise.
///
/// A clip at diffusion time t, 0 to 1, is cos(t pi/2) clip + sin(t pi/2) noise, and the network tells the clip. A step
/// of DDIM (Song et al. 2021) goes to the next smaller time with the noise that is left.

namespace limber::motion_space {

/// The network that ships was taught by one with a guidance of 4 to draw so at once (MotionTeacher): more comes on top
/// of that.
inline constexpr double kUsualGuidance = 1;
/// As many as it was taught to take.
inline constexpr int kUsualSteps = 5;

struct DrawSettings {
  MotionFacts facts;
  std::uint64_t seed = 0;
  int steps = kUsualSteps;           ///< of a pass each, of two with guidance
  double guidance = kUsualGuidance;  ///< how much more than any motion it is what was asked for; 1: no guidance
  KnownFrames known;                 ///< kept to the last bit; may be empty
  Progress progress;                 ///< may be empty; false stops
};

/// Const, so safe to use from several threads.
class MotionSpace {
 public:
  MotionSpace(MotionDenoiser denoiser, MotionBody body);
  /// Of a subject that stands upright; the model of a folder (`find_motion_model`).
  static Result<MotionSpace> open(const rig::Subject& subject, const std::filesystem::path& folder,
                                  const rig::Facing& facing = {});

  const pose_space::PoseSkeleton& skeleton() const { return body_.skeleton; }
  const MotionModel& model() const { return denoiser_.model(); }
  const std::vector<bool>& feet() const { return body_.conditions.feet; }  ///< per joint of the skeleton

  /// Fails only if it was stopped.
  Result<MotionState> draw(const DrawSettings& settings) const;

  /// The likeliest motion near this one, if it is as far off as noise of `time` makes one: a single pass.
  MotionState settle(const MotionState& state, const MotionFacts& facts, double time, std::uint64_t seed = 0) const;

 private:
  /// What the network sees in noise, guided.
  Tokens guess(const DrawSettings& settings, std::span<const float> known, const Tokens& noisy, double time) const;

  MotionDenoiser denoiser_;
  MotionBody body_;
  MotionDenoiser::Body code_;
};

}  // namespace limber::motion_space
