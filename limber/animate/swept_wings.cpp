// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/swept_wings.h"

#include <algorithm>
#include <cmath>

#include "limber/anatomy/find_roles.h"
#include "limber/kinematics/motion.h"

namespace limber::animate {
namespace {

constexpr float kSideways = 0.5f;  ///< of a wing's direction, from here on it sticks out
constexpr float kFirst = 0.7f;     ///< share of the sweep that is the shoulder's

/// The joints of each wing on the way from the shoulder to the joint that is farthest from it.
std::vector<std::vector<int>> wings_of(const rig::Rig& rig) {
  std::vector<std::vector<int>> wings(rig.limbs().size());
  for (int j = 0; j < rig.joint_count(); ++j) {
    const int limb = rig.joints()[static_cast<std::size_t>(j)].role.limb;
    if (limb >= 0 && rig.limbs()[static_cast<std::size_t>(limb)].kind == rig::LimbKind::kWing) {
      wings[static_cast<std::size_t>(limb)].push_back(j);
    }
  }
  for (std::vector<int>& wing : wings) {
    if (wing.empty()) continue;
    const auto from_shoulder = [&](int j) {
      return squared_norm(rig.world_from_rest()[static_cast<std::size_t>(j)].translation -
                          rig.world_from_rest()[static_cast<std::size_t>(wing.front())].translation);
    };
    std::vector<int> way;
    int at =
        *std::max_element(wing.begin(), wing.end(), [&](int a, int b) { return from_shoulder(a) < from_shoulder(b); });
    for (; at > wing.front(); at = rig.joints()[static_cast<std::size_t>(at)].parent) way.push_back(at);
    if (at == wing.front()) way.push_back(at);
    std::reverse(way.begin(), way.end());
    wing = std::move(way);
  }
  // Of one joint nothing tells where it points.
  std::erase_if(wings, [](const std::vector<int>& wing) { return wing.size() < 2; });
  return wings;
}

/// The angles that turn a joint by a rotation given along the world's axes.
Vec3 turned(const rig::Rig& rig, int joint, Quat turn) {
  // A joint turns before it is scaled.
  const Vec3 scale = rig.joints()[static_cast<std::size_t>(joint)].rest.scale;
  const Mat3 scaled_world = rig.world_from_rest()[static_cast<std::size_t>(joint)].linear;
  const Mat3 world = Mat3::from_columns((1 / scale.x) * scaled_world.column(0), (1 / scale.y) * scaled_world.column(1),
                                        (1 / scale.z) * scaled_world.column(2));
  const Quat local = decompose(Affine{inverse(world) * to_matrix(turn) * world, {}}).rotation;
  const Quat axes = rig.joints()[static_cast<std::size_t>(joint)].axes;
  return kinematics::euler_angles(to_matrix((conjugate(axes) * local * axes).cast<double>())).cast<float>();
}

}  // namespace

std::vector<Vec3> swept_wings(const rig::Rig& given, Vec3 forward) {
  const rig::Rig rig = given.limbs().empty() ? anatomy::with_roles(given) : given;
  const Vec3 side = normalized(cross(Vec3{0, 1, 0}, forward));
  std::vector<Vec3> angles;
  for (const std::vector<int>& wing : wings_of(rig)) {
    const auto place = [&](int j) { return rig.world_from_rest()[static_cast<std::size_t>(j)].translation; };
    const Vec3 points = normalized(place(wing.back()) - place(wing.front()));
    if (std::abs(dot(points, side)) < kSideways) continue;
    // Back, a little down, and not into the body.
    const Vec3 outward = dot(points, side) > 0 ? side : -side;
    const Quat sweep = rotation_between(points, normalized(-forward + Vec3{0, -0.3f, 0} + 0.15f * outward));
    angles.resize(static_cast<std::size_t>(rig.joint_count()));
    // All turns are about one axis, so that they add up along the wing.
    const float others = (1 - kFirst) / static_cast<float>(wing.size() - 1);
    for (const int j : wing) {
      angles[static_cast<std::size_t>(j)] = turned(rig, j, slerp(Quat{}, sweep, j == wing.front() ? kFirst : others));
    }
  }
  return angles;
}

}  // namespace limber::animate
