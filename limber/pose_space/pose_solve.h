// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/pose_space/pose_diffusion.h"
#include "limber/pose_space/pose_energy.h"

/// Poses that put some joints where somebody wants them, the others where they plausibly are.
namespace limber::pose_space {

/// What was met of a set of handles.
struct MetHandles {
  PoseState state;
  std::vector<double> errors;  ///< per handle: what is left of the way, in radii
  int iterations = 0;

  double worst() const;
};

struct MeetSettings {
  int iterations = 60;
  double tolerance = 2e-5;    ///< radii
  double longest_turn = 0.3;  ///< of a joint in one iteration, radians
};

/// From a pose to the nearest one that meets the handles: Levenberg-Marquardt on the turns of the joints above them,
/// least change first, each step only where it helps. Limits of joints hold. Handles out of reach are come near to.
MetHandles meet_handles(const PoseSkeleton& skeleton, const PoseState& start, std::span<const PoseHandle> handles,
                        const MeetSettings& settings = {});

struct SolveSettings {
  std::uint64_t seed = 0;
  double variety = 0;               ///< of the noise: 0: the most usual pose, 1: any plausible one, by the seed
  int steps = 20;                   ///< of denoising, from nothing
  const PoseState* from = nullptr;  ///< a pose to stay near to, as when a handle is dragged: few steps are taken
  double from_time = 0.3;           ///< how much noise it gets
  int from_steps = 4;
  std::vector<WeightedPoseEnergy> energies;  ///< what else should hold
  MeetSettings meet;
};

struct SolvedPose {
  PoseState state;
  std::vector<double> guided;  ///< per handle: error before the exact finish, in radii
  std::vector<double> errors;  ///< ... and after it
};

/// Denoises towards the handles, then meets them.
SolvedPose solve_pose(const PoseSpace& space, std::span<const PoseHandle> handles, const SolveSettings& settings = {});

}  // namespace limber::pose_space
