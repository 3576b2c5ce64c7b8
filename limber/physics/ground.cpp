// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/ground.h"

#include <algorithm>

namespace limber::physics {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Contact points that are planted at some time, as points of the rig's joints.
std::vector<PlantedPoint> list_planted(const Puppet& puppet, const Reference& reference) {
  std::vector<PlantedPoint> result;
  for (std::size_t p = 0; p < reference.planted.size(); ++p) {
    const auto first = reference.planted[p].begin() + reference.first;
    std::vector<bool> planted(first, first + reference.count);
    if (std::find(planted.begin(), planted.end(), true) == planted.end()) continue;
    result.push_back({puppet.point_joints[p], puppet.joint_points[p], std::move(planted)});
  }
  return result;
}

}  // namespace

Result<Grounded> ground_motion(const rig::Subject& subject, const kinematics::Motion& motion,
                               const GroundSettings& settings) {
  if (motion.frame_count() == 0) return Error{"the motion has no frames", "motion"};
  Grounded result;
  Repaired repaired = repair_motion(motion);
  result.repair = std::move(repaired.report);
  LIMBER_TRY(result.puppet, make_puppet(subject, repaired.motion, settings.puppet));
  const Puppet& puppet = result.puppet;
  result.reference = make_reference(puppet, subject, repaired.motion,
                                    positions_from_motion(puppet, subject, repaired.motion), settings.reference);
  const Reference& reference = result.reference;
  LIMBER_TRY(Tracked tracked, track(puppet, reference, settings.track));
  result.track = std::move(tracked.report);
  result.positions = std::move(tracked.positions);
  const std::size_t stride = puppet.model.position_count();
  result.target = motion_from_positions(
      puppet, subject, repaired.motion,
      std::span(reference.positions).subspan(at(reference.first) * stride, at(reference.count) * stride));
  result.motion = motion_from_positions(puppet, subject, repaired.motion, result.positions);
  result.planted = list_planted(puppet, reference);
  return result;
}

}  // namespace limber::physics
