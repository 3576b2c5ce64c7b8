// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/pose_space/pose_diffusion.h"

namespace limber::pose_space {

/// What a pose may be of which only some joints are known: those with `hidden` true are drawn, the others turn exactly
/// as they do in `pose`. By a network that was taught to fill in; one that was not denoises all, and what is known is
/// put back at every step (Song et al. 2021, appendix I). A hidden joint's descendants must be hidden too: they hang on
/// it.
PoseState complete_pose(const PoseSpace& space, std::span<const double> pose, const std::vector<bool>& hidden,
                        std::uint64_t seed, int steps = 20);

}  // namespace limber::pose_space
