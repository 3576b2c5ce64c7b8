// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/travel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "limber/anatomy/find_roles.h"
#include "limber/base/expect.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"

namespace limber::metrics {
namespace {

/// Enough to tell where a body is; more only take time.
constexpr std::size_t kPoints = 4000;
/// Of the size: what is shorter was not measured rightly.
constexpr double kShortestLegs = 0.02;

/// Some of a subject's points, spread over all of them.
struct Probe {
  std::vector<Vec3> points;  ///< bind space
  rig::SkinWeights weights;
  std::vector<bool> leg;  ///< per point: of a leg
  std::vector<int> hips;  ///< joints with which legs leave the body
  bool legged = false;
};

/// Per joint: whether it is a leg's.
std::vector<bool> leg_joints(const rig::Rig& told) {
  std::vector<bool> legs;
  for (const rig::Joint& joint : told.joints()) {
    const int limb = joint.role.limb;
    legs.push_back(limb >= 0 && told.limbs()[static_cast<std::size_t>(limb)].kind == rig::LimbKind::kLeg);
  }
  return legs;
}

Probe make_probe(const rig::Subject& subject) {
  Probe probe;
  const rig::SkinWeights& weights = subject.weights;
  const auto stride = static_cast<std::size_t>(weights.stride);
  probe.weights.stride = weights.stride;
  const rig::Rig told = anatomy::with_roles(subject.rig);
  const std::vector<bool> legs = leg_joints(told);
  for (int j = 1; j < told.joint_count(); ++j) {
    const int parent = told.joints()[static_cast<std::size_t>(j)].parent;
    if (legs[static_cast<std::size_t>(j)] && !legs[static_cast<std::size_t>(parent)]) probe.hips.push_back(j);
  }
  const std::size_t every = std::max<std::size_t>(1, subject.points.size() / kPoints);
  for (std::size_t p = 0; p < subject.points.size(); p += every) {
    const auto first = static_cast<std::ptrdiff_t>(p * stride), next = first + weights.stride;
    probe.points.push_back(subject.points[p]);
    probe.weights.bones.insert(probe.weights.bones.end(), weights.bones.begin() + first, weights.bones.begin() + next);
    probe.weights.weights.insert(probe.weights.weights.end(), weights.weights.begin() + first,
                                 weights.weights.begin() + next);
    const rig::Bone& leader = subject.rig.bones()[weights.bones[p * stride]];
    probe.leg.push_back(legs[static_cast<std::size_t>(leader.joint)]);
    probe.legged = probe.legged || probe.leg.back();
  }
  probe.legged = probe.legged && !probe.hips.empty();
  return probe;
}

/// Frames x points.
std::vector<Vec3> posed(const rig::Rig& rig, const Probe& probe, const kinematics::Motion& motion) {
  const std::vector<Affine> bones = kinematics::bone_matrices(rig, motion);
  std::vector<Vec3> points(static_cast<std::size_t>(motion.frame_count()) * probe.points.size());
  kinematics::SkinInput input;
  input.weights = &probe.weights, input.points = probe.points, input.bones = bones;
  input.bone_count = rig.bone_count(), input.frame_count = motion.frame_count();
  kinematics::SkinOutput output;
  output.points = points;
  kinematics::skin_forward(input, output);
  return points;
}

/// Of the body at rest: its longest side, and how high its legs leave it, without legs the same again.
struct Units {
  double size = 1, legs = 1;
};
Units units_of(const rig::Rig& rig, const Probe& probe) {
  const std::vector<Vec3> rest = posed(rig, probe, kinematics::rest_motion(rig, 1, 1));
  Vec3 low = rest.front(), high = rest.front();
  float sole = std::numeric_limits<float>::infinity();
  for (std::size_t p = 0; p < rest.size(); ++p) {
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], rest[p][k]), high[k] = std::max(high[k], rest[p][k]);
    if (probe.leg[p]) sole = std::min(sole, rest[p].y);
  }
  const Vec3 sides = high - low;
  const double size = std::max({double(sides.x), double(sides.y), double(sides.z), 1e-6});
  if (!probe.legged) return {size, size};
  double sum = 0;
  for (const int hip : probe.hips) {
    sum += double(rig.world_from_rest()[static_cast<std::size_t>(hip)].translation.y - sole);
  }
  return {size, std::max(sum / static_cast<double>(probe.hips.size()), kShortestLegs * size)};
}

/// Mean distance over the ground between places a second apart, per second.
double speed_along(const std::vector<Vec3d>& path, double fps) {
  const auto frames = path.size();
  if (frames < 2) return 0;
  const auto window = std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(fps)), 1, frames - 1);
  double sum = 0;
  for (std::size_t f = 0; f + window < frames; ++f) {
    sum += std::hypot(path[f + window].x - path[f].x, path[f + window].z - path[f].z);
  }
  return sum / static_cast<double>(frames - window) * fps / static_cast<double>(window);
}

}  // namespace

Travel measure_travel(const rig::Subject& subject, const kinematics::Motion& motion) {
  LIMBER_EXPECT(motion.joint_count == subject.rig.joint_count(), std::to_string(motion.joint_count) + " joints");
  if (motion.frame_count() == 0 || subject.points.empty()) return {};
  const Probe probe = make_probe(subject);
  const std::vector<Vec3> points = posed(subject.rig, probe, motion);
  const Units units = units_of(subject.rig, probe);
  std::vector<Vec3d> path;
  std::vector<double> lowest;
  for (std::size_t f = 0; f < static_cast<std::size_t>(motion.frame_count()); ++f) {
    Vec3d sum;
    double low = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < probe.points.size(); ++p) {
      const Vec3d at = points[f * probe.points.size() + p].cast<double>();
      sum += at;
      if (probe.leg[p]) low = std::min(low, at.y);
    }
    path.push_back(sum / static_cast<double>(probe.points.size())), lowest.push_back(low);
  }
  Travel travel;
  travel.legged = probe.legged;
  const double speed = speed_along(path, motion.fps);
  travel.speed = speed / units.size, travel.pace = speed / units.legs;
  const auto middle = lowest.begin() + static_cast<std::ptrdiff_t>(lowest.size() / 2);
  std::nth_element(lowest.begin(), middle, lowest.end());
  if (probe.legged) travel.clearance = *middle / units.legs;
  return travel;
}

}  // namespace limber::metrics
