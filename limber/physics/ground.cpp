// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/ground.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/physics/foot_lock.h"
#include "limber/physics/trajectory.h"

namespace limber::physics {
namespace {

constexpr double kLow = 0.04;  ///< of the height: a point this low may be planted

constexpr std::array kGrounds{Ground::kAuto, Ground::kNone, Ground::kLock, Ground::kSimulate};

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Contact points that are planted at some time, as points of the rig's joints.
std::vector<kinematics::GroundContact> list_planted(const Puppet& puppet, const Reference& reference) {
  std::vector<kinematics::GroundContact> result;
  for (std::size_t p = 0; p < reference.planted.size(); ++p) {
    const auto first = reference.planted[p].begin() + reference.first;
    std::vector<bool> planted(first, first + reference.count);
    if (std::find(planted.begin(), planted.end(), true) == planted.end()) continue;
    result.push_back({puppet.point_joints[p], puppet.joint_points[p], std::move(planted)});
  }
  return result;
}

/// What the simulation left of sliding: planted feet are put exactly where they stand. Returns the farthest that a
/// joint turned for it, in radians.
double polish(const Puppet& puppet, const Reference& reference, std::vector<double>& positions) {
  const std::size_t stride = puppet.model.position_count();
  const int rounds = reference.repeats() ? 3 : 1;
  const std::vector<Vec3d> points = contact_points(puppet.model, positions);
  std::vector<double> all, like;
  std::vector<std::vector<bool>> planted(reference.planted.size());
  Vec3d round;
  if (reference.repeats()) {
    const double* from = &reference.positions[at(reference.first) * stride];
    const double* to = &reference.positions[at(reference.first + reference.count) * stride];
    round = {to[0] - from[0], 0, to[2] - from[2]};
  }
  for (int r = 0; r < rounds; ++r) {
    for (int f = 0; f < reference.count; ++f) {
      const auto start = positions.begin() + static_cast<std::ptrdiff_t>(at(f) * stride);
      all.insert(all.end(), start, start + static_cast<std::ptrdiff_t>(stride));
      double* q = all.data() + all.size() - stride;
      q[0] += r * round.x, q[2] += r * round.z;
      const auto target = reference.positions.begin() + static_cast<std::ptrdiff_t>(at(reference.first + f) * stride);
      like.insert(like.end(), target, target + static_cast<std::ptrdiff_t>(stride));
      // A foot that came late or left early stays as it is.
      for (std::size_t p = 0; p < planted.size(); ++p) {
        const bool low = points[at(f) * planted.size() + p].y < kLow * puppet.metres;
        planted[p].push_back(low && reference.planted[p][at(reference.first + f)]);
      }
    }
  }
  // First as flat as they should be, then exactly in place.
  lock_feet(puppet.model, puppet.metres, planted, all, like);
  lock_feet(puppet.model, puppet.metres, planted, all);
  double largest = 0;
  const std::size_t middle = at(rounds / 2) * positions.size();
  for (std::size_t k = 0; k < positions.size(); ++k) {
    if (k % stride < 7) continue;
    largest = std::max(largest, std::abs(positions[k] - all[middle + k]));
    positions[k] = all[middle + k];
  }
  return largest;
}

/// What is to be done with this motion; never `kAuto`.
Ground resolve(Ground asked, Habitat habitat) {
  if (asked != Ground::kAuto) return asked;
  return habitat == Habitat::kFree ? Ground::kNone : Ground::kSimulate;
}

}  // namespace

std::string_view name(Ground ground) {
  switch (ground) {
    case Ground::kAuto:
      return "auto";
    case Ground::kNone:
      return "none";
    case Ground::kLock:
      return "lock";
    case Ground::kSimulate:
      return "simulate";
  }
  return "";
}

std::optional<Ground> ground_named(std::string_view text) {
  for (const Ground ground : kGrounds) {
    if (name(ground) == text) return ground;
  }
  return std::nullopt;
}

Result<Grounded> ground_motion(const rig::Subject& subject, const kinematics::Motion& motion,
                               const GroundSettings& settings) {
  if (motion.frame_count() == 0) return Error{"the motion has no frames", "motion"};
  Grounded result;
  Repaired repaired = repair_motion(motion);
  result.repair = std::move(repaired.report);
  LIMBER_TRY(result.puppet, make_puppet(subject, repaired.motion, settings.puppet));
  const Puppet& puppet = result.puppet;
  std::vector<double> given = positions_from_motion(puppet, subject, repaired.motion);
  result.reference = make_reference(puppet, subject, repaired.motion, given, settings.reference);
  const Reference& reference = result.reference;
  const std::size_t stride = puppet.model.position_count();
  const std::span own =
      std::span(reference.positions).subspan(at(reference.first) * stride, at(reference.count) * stride);
  const Ground ground = resolve(settings.ground, reference.habitat);
  if (ground == Ground::kSimulate) {
    LIMBER_TRY(Tracked tracked, track(puppet, reference, settings.track));
    result.track = std::move(tracked.report);
    result.positions = std::move(tracked.positions);
  } else if (ground == Ground::kLock) {
    result.positions.assign(own.begin(), own.end());
  } else {
    result.positions = std::move(given);
  }
  if (reference.habitat == Habitat::kGround && ground != Ground::kNone) {
    result.polish = polish(puppet, reference, result.positions);
  }
  result.target = motion_from_positions(puppet, subject, repaired.motion, own);
  result.motion = motion_from_positions(puppet, subject, repaired.motion, result.positions);
  result.planted = list_planted(puppet, reference);
  return result;
}

}  // namespace limber::physics
