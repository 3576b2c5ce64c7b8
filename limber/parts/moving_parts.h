// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"

/// The true parts of a body whose rig and motions are known.
namespace limber::parts {

/// Parts that the network tells apart at most.
inline constexpr int kMostParts = 64;

struct MovingPartSettings {
  double least_turn = 0.05;   ///< radians: a joint that never turns more against its parent moves with it
  double least_shift = 0.02;  ///< heights, likewise
  double least_area = 0.005;  ///< of the surface: what leads less goes with its parent
  int most_parts = kMostParts;
};

struct MovingParts {
  std::vector<int> part_of_joint;
  std::vector<std::uint8_t> part_of_triangle;  ///< that which moves it most
  int count = 0;
};

/// Joints grouped into parts: those that move together in all motions are one, and so are those that lead too little of
/// the surface by themselves. Without motions every joint moves. A surface that no joint leads is one part.
MovingParts find_moving_parts(const rig::Rig& rig, std::span<const Vec3> points,
                              std::span<const std::array<std::uint32_t, 3>> triangles, const rig::SkinWeights& weights,
                              std::span<const kinematics::Motion* const> motions,
                              const MovingPartSettings& settings = {});

}  // namespace limber::parts
