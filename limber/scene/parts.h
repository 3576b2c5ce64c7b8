// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/rig/subject.h"

/// Kinematic parts of a rigged body, and SP4D's way to paint them: the colour of a part is where it is at rest.
namespace limber::scene {

struct PartSettings {
  float min_area = 0.005f;  ///< of the surface; smaller bones merge into their parents
};

/// Joints grouped into parts; every joint with skin belongs to one, small ones to their nearest ancestor that is large
/// enough (or, where there is none, to the largest child).
struct Parts {
  std::vector<int> part_of_joint;  ///< per joint; -1 only where nothing of the body has a surface
  std::vector<int> joints;         ///< per part, the joint that leads it
  std::vector<Vec3> centers;       ///< per part, mean of its surface at rest, subject's world
  std::vector<Vec3> colors;        ///< per part, `centers` normalised to the body's box: x, y, z -> r, g, b in 0.1 .. 1
  int part_of_bone(const rig::Rig& rig, int bone) const {
    return part_of_joint[static_cast<std::size_t>(rig.bones()[static_cast<std::size_t>(bone)].joint)];
  }
};
Parts find_parts(const rig::Subject& subject, const PartSettings& settings = {});

/// The same colours for parts that labels tell of, one per triangle (negative: none, grey): per triangle, of the
/// surface that `points` make.
std::vector<Vec3> label_colors(std::span<const Vec3> points, std::span<const std::array<std::uint32_t, 3>> triangles,
                               std::span<const int> labels);

/// Per point of the subject, the part that moves it most.
std::vector<int> point_parts(const rig::Subject& subject, const Parts& parts);

}  // namespace limber::scene
