// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_complete.h"

#include <algorithm>

#include "limber/base/expect.h"

namespace limber::pose_space {

PoseState complete_pose(const PoseSpace& space, std::span<const double> pose, const std::vector<bool>& hidden,
                        std::uint64_t seed, int steps) {
  const PoseSkeleton& skeleton = space.skeleton();
  LIMBER_EXPECT(hidden.size() == skeleton.joints.size(), std::to_string(hidden.size()));
  for (std::size_t j = 1; j < hidden.size(); ++j)
    LIMBER_EXPECT(hidden[j] || !hidden[static_cast<std::size_t>(skeleton.joints[j].parent)], std::to_string(j));
  // Its places follow from its turns.
  const auto sound = [&](const PoseState& state) { return state_of(skeleton, shape_of(skeleton, state).turns); };
  if (space.fills()) return sound(space.fill(pose, hidden, seed, steps));
  const auto put_known = [&](PoseState& state) {
    for (std::size_t j = 0; j < hidden.size(); ++j) {
      if (!hidden[j])
        std::copy_n(pose.begin() + static_cast<std::ptrdiff_t>(j * kStateSize), kStateSize,
                    state.begin() + static_cast<std::ptrdiff_t>(j * kStateSize));
    }
  };
  DenoiseSettings settings;
  settings.steps = steps;
  settings.guide = [&](PoseState& guess, double) { put_known(guess); };
  return sound(space.sample(seed, settings));
}

}  // namespace limber::pose_space
