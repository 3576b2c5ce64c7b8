// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/feet.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"
#include "limber/metrics/clip_body.h"

namespace limber::metrics {
namespace {

constexpr float kSole = 0.03f;      // heights: what is so near the lowest point of a leg at rest is its sole
constexpr float kInTheAir = 0.1f;   // heights over the lowest foot at rest: what is higher is no foot
constexpr double kShortest = 0.02;  // of the height: shorter legs were not measured rightly

/// How high a leg leaves the body at rest: the highest of its joints, as some hang on their feet; none without joints.
std::optional<float> hip_height(const rig::Rig& rig, int limb) {
  std::optional<float> height;
  for (int j = 0; j < rig.joint_count(); ++j) {
    if (rig.joints()[at(j)].role.limb != limb) continue;
    height = std::max(height.value_or(-1e9f), rig.world_from_rest()[at(j)].translation.y);
  }
  return height;
}

/// The joint that leads most of some points.
int leader_of_most(const std::vector<int>& leader, const std::vector<std::size_t>& points, int joint_count) {
  std::vector<int> count(at(joint_count), 0);
  for (const std::size_t p : points) ++count[at(leader[p])];
  return static_cast<int>(std::max_element(count.begin(), count.end()) - count.begin());
}

}  // namespace

std::vector<int> leg_of_joints(const rig::Rig& rig) {
  const std::span<const rig::Limb> limbs = rig.limbs();
  std::vector<int> leg(limbs.size(), -1);
  for (std::size_t l = 0; l < limbs.size(); ++l) {
    if (limbs[l].parent >= 0) leg[l] = leg[at(limbs[l].parent)];
    if (limbs[l].kind == rig::LimbKind::kLeg && leg[l] < 0) leg[l] = static_cast<int>(l);
  }
  std::vector<int> result;
  for (const rig::Joint& joint : rig.joints()) result.push_back(joint.role.limb < 0 ? -1 : leg[at(joint.role.limb)]);
  return result;
}

std::vector<Foot> find_feet(const rig::Subject& subject) {
  const rig::Rig& rig = subject.rig;
  const std::vector<int> leader = leaders(subject), leg_of = leg_of_joints(rig);
  std::vector<Vec3> rest;
  pose_points(subject, kinematics::bone_matrices(rig, kinematics::rest_pose(rig)), rest);
  std::vector<Foot> feet;
  std::vector<float> lows;
  float lowest = std::numeric_limits<float>::infinity();
  for (std::size_t l = 0; l < rig.limbs().size(); ++l) {
    const int limb = static_cast<int>(l);
    const std::optional<float> hip = hip_height(rig, limb);
    if (!hip) continue;
    float low = std::numeric_limits<float>::infinity();
    for (std::size_t p = 0; p < rest.size(); ++p) {
      if (leg_of[at(leader[p])] == limb) low = std::min(low, rest[p].y);
    }
    std::vector<std::size_t> sole;
    Vec3d middle;
    for (std::size_t p = 0; p < rest.size(); ++p) {
      if (leg_of[at(leader[p])] != limb || rest[p].y > low + kSole) continue;
      sole.push_back(p), middle += rest[p].cast<double>();
    }
    if (sole.empty()) continue;
    middle = middle / static_cast<double>(sole.size());
    Foot foot{limb, leader_of_most(leader, sole, rig.joint_count()), {}, 0};
    foot.sole = inverse(rig.world_from_rest()[at(foot.joint)]) * middle.cast<float>();
    foot.length = std::max(double(*hip) - double(low), kShortest);
    feet.push_back(foot), lows.push_back(low), lowest = std::min(lowest, low);
  }
  std::vector<Foot> standing;
  for (std::size_t k = 0; k < feet.size(); ++k) {
    if (lows[k] <= lowest + kInTheAir) standing.push_back(feet[k]);
  }
  return standing;
}

}  // namespace limber::metrics
