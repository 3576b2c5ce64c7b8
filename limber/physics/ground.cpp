// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/ground.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "limber/anatomy/find_roles.h"
#include "limber/base/at.h"
#include "limber/physics/clear_ground.h"
#include "limber/physics/foot_lock.h"
#include "limber/physics/foothold.h"
#include "limber/physics/give_way.h"
#include "limber/physics/trajectory.h"

namespace limber::physics {
namespace {

constexpr double kLow = 0.04;       ///< of the height: a point this low may be planted
constexpr double kFarTurn = 0.6;    ///< radians: a joint, or the root, that is as far off does something else; ...
constexpr double kFar = 0.25;       ///< ... heights: so does the root, or a planted foot
constexpr double kEven = 0.12;      ///< seconds over which what the simulation changes is evened out
constexpr int kLocks = 3;           ///< rounds in which feet are put where they stand
constexpr double kMostLost = 0.8;   ///< share of a motion: beyond that all of it is lost
constexpr float kMostRaise = 0.2f;  ///< of the height, so that nothing is below the ground
constexpr float kMostLift = 0.5f;   ///< the same of a motion that was made for another body

constexpr std::array kGrounds{Ground::kAuto, Ground::kNone, Ground::kLock, Ground::kSimulate};

/// Whether each contact point bears weight, per frame of the motion's own.
using Planted = std::vector<std::vector<bool>>;

/// Points that the reference plants.
Planted own_planted(const Reference& reference) {
  Planted planted;
  for (const std::vector<bool>& point : reference.planted) {
    planted.emplace_back(point.begin() + reference.first, point.begin() + reference.first + reference.count);
  }
  return planted;
}

/// Of those the ones that are low in a motion that comes near it, too: a foot that comes late or leaves early is in the
/// air, where nothing slides.
Planted find_planted(const Puppet& puppet, const Reference& reference, std::span<const double> positions) {
  const std::vector<Vec3d> points = contact_points(puppet.model, positions);
  Planted planted = own_planted(reference);
  for (std::size_t p = 0; p < planted.size(); ++p) {
    for (std::size_t f = 0; f < planted[p].size(); ++f) {
      planted[p][f] = planted[p][f] && points[f * planted.size() + p].y < kLow * puppet.metres;
    }
  }
  return planted;
}

/// Contact points that are planted at some time, as points of the rig's joints.
std::vector<kinematics::GroundContact> list_planted(const Puppet& puppet, const Planted& all) {
  std::vector<kinematics::GroundContact> result;
  for (std::size_t p = 0; p < all.size(); ++p) {
    std::vector<bool> planted = all[p];
    if (std::find(planted.begin(), planted.end(), true) == planted.end()) continue;
    result.push_back({puppet.point_joints[p], puppet.joint_points[p], std::move(planted)});
  }
  return result;
}

/// The motion with locked feet: planted ones are put exactly where they stand.
void lock(const Puppet& puppet, const Reference& reference, const Planted& own, std::vector<double>& positions) {
  const std::size_t stride = puppet.model.position_count();
  const int rounds = reference.repeats() ? 3 : 1;
  std::vector<double> all, like;
  Planted planted(own.size());
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
      for (std::size_t p = 0; p < planted.size(); ++p) planted[p].push_back(own[p][at(f)]);
    }
  }
  // First as flat as they should be, then exactly in place: what slides far takes more than one round.
  lock_feet(puppet.model, puppet.metres, planted, all, like);
  for (int k = 0; k < kLocks; ++k) lock_feet(puppet.model, puppet.metres, planted, all);
  const std::size_t middle = at(rounds / 2) * positions.size();
  for (std::size_t k = 0; k < positions.size(); ++k) {
    if (k % stride >= 7) positions[k] = all[middle + k];
  }
}

/// What the polish does to a motion, at most.
struct Polish {
  double turn = 0;   ///< of a joint, radians
  double carry = 0;  ///< of the root, metres
};

Polish difference(std::span<const double> a, std::span<const double> b, std::size_t stride) {
  Polish most;
  for (std::size_t k = 0; k < a.size(); k += stride) {
    most.carry = std::max(most.carry, norm(Vec3d{b[k] - a[k], b[k + 1] - a[k + 1], b[k + 2] - a[k + 2]}));
    for (std::size_t h = 7; h < stride; ++h) most.turn = std::max(most.turn, std::abs(b[k + h] - a[k + h]));
  }
  return most;
}

/// Lets what a simulation slid stand where it stands with locked feet.
Polish stand(const Puppet& puppet, const Reference& reference, std::span<const double> locked,
             std::vector<double>& positions) {
  const std::vector<double> before = positions;
  reach_footholds(puppet.model, {own_planted(reference), locked, puppet.metres, reference.fps, reference.repeats()},
                  positions);
  return difference(before, positions, puppet.model.position_count());
}

/// From 0 to 1, evenly: frames that the simulation is so far from that it does something else.
std::vector<float> lost_frames(const Puppet& puppet, const Reference& reference, std::span<const double> like,
                               std::span<const double> positions, std::span<const double> changes) {
  const std::size_t nv = puppet.model.velocity_count(), count = puppet.model.points.size();
  const std::vector<Vec3d> points = contact_points(puppet.model, positions),
                           wanted = contact_points(puppet.model, like);
  std::vector<float> lost(at(reference.count), 0);
  for (int f = 0; f < reference.count; ++f) {
    const std::span<const double> change = row(changes, f, nv);
    bool far = norm(Vec3d{change[3], change[4], change[5]}) > kFar * puppet.metres;
    for (std::size_t i = 0; i < nv; ++i) far = far || (!(i >= 3 && i < 6) && std::abs(change[i]) > kFarTurn);
    for (std::size_t p = 0; p < count; ++p) {
      const Vec3d way = points[at(f) * count + p] - wanted[at(f) * count + p];
      far = far || (reference.planted[p][at(reference.first + f)] && norm(way) > kFar * puppet.metres);
    }
    lost[at(f)] = far ? 1.0f : 0.0f;
  }
  return even_cover(lost, static_cast<int>(std::ceil(kEven * reference.fps)), reference.repeats());
}

/// What the simulation changes, evened out: impacts and drives shake joints by fractions of a degree from frame to
/// frame, which no eye takes for weight. It changes the motion with locked feet, `onto`; where it has lost the motion,
/// that stays. Around the corner for loops. Returns the share of the motion that was lost.
double even_out(const Puppet& puppet, const Reference& reference, std::span<const double> like,
                std::span<const double> onto, std::vector<double>& positions) {
  const Model& model = puppet.model;
  const std::size_t nq = model.position_count(), nv = model.velocity_count();
  const int count = reference.count;
  std::vector<double> changes(at(count) * nv);
  for (int f = 0; f < count; ++f) {
    position_difference<double>(model, row(like, f, nq), row(std::as_const(positions), f, nq), row(changes, f, nv));
  }
  const std::vector<float> lost = lost_frames(puppet, reference, like, positions, changes);
  double share = 0;
  for (int f = 0; f < count; ++f) {
    for (double& change : row(changes, f, nv)) change *= 1 - double(lost[at(f)]);
    share += double(lost[at(f)]) / count;
  }
  // What is left between is too short to stand in.
  if (share > kMostLost) std::fill(changes.begin(), changes.end(), 0), share = 1;
  changes = evened(changes, nv, kEven * reference.fps, reference.repeats());
  for (int f = 0; f < count; ++f) {
    integrate_position<double>(model, row(onto, f, nq), row(std::as_const(changes), f, nv), row(positions, f, nq));
  }
  return share;
}

/// Raises the body's positions as its motion was.
void raise(const std::vector<float>& lifts, Grounded& grounded) {
  const std::size_t stride = grounded.puppet.model.position_count();
  for (std::size_t f = 0; f < lifts.size(); ++f) {
    grounded.positions[f * stride + 1] += grounded.puppet.metres * double(lifts[f]);
    grounded.raised = std::max(grounded.raised, double(lifts[f]));
  }
}

/// Takes the last of it out of the ground: what gives way is bent, then all is raised.
void clear(const rig::Subject& subject, Grounded& grounded) {
  if (grounded.reference.habitat == Habitat::kGround) {
    const std::vector<bool>& slack = grounded.reference.slack;
    give_way(grounded.puppet, subject, slack, grounded.target);
    if (give_way(grounded.puppet, subject, slack, grounded.motion)) {
      grounded.positions = positions_from_motion(grounded.puppet, subject, grounded.motion);
    }
  }
  clear_ground(subject, kMostRaise, grounded.target);
  raise(clear_ground(subject, kMostRaise, grounded.motion), grounded);
}

/// What is to be done with this motion; never `kAuto`.
Ground resolve(Ground asked, Habitat habitat) {
  if (asked != Ground::kAuto) return asked;
  return habitat == Habitat::kFree ? Ground::kNone : Ground::kSimulate;
}

/// The points of the body itself, without those of swords and capes: for what asks for points alone.
rig::Subject without_props(const rig::Subject& subject) {
  rig::Subject body = subject;
  const rig::Rig told = anatomy::with_roles(subject.rig, subject.facing);
  const auto stride = at(subject.weights.stride);
  body.points.clear(), body.normals.clear(), body.triangles.clear(), body.ranges.clear();
  body.weights.bones.clear(), body.weights.weights.clear();
  for (std::size_t p = 0; p < subject.points.size(); ++p) {
    const rig::Bone& bone = subject.rig.bones()[subject.weights.bones[p * stride]];
    const int limb = told.joints()[at(bone.joint)].role.limb;
    if (limb >= 0 && told.limbs()[at(limb)].kind == rig::LimbKind::kProp) continue;
    body.points.push_back(subject.points[p]);
    for (std::size_t k = p * stride; k < (p + 1) * stride; ++k) {
      body.weights.bones.push_back(subject.weights.bones[k]);
      body.weights.weights.push_back(subject.weights.weights[k]);
    }
  }
  return body.points.empty() ? subject : body;
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
  const bool stands = reference.habitat == Habitat::kGround && ground != Ground::kNone;
  std::vector<double> locked(own.begin(), own.end());
  if (stands) lock(puppet, reference, find_planted(puppet, reference, own), locked);
  Polish polish = difference(own, locked, stride);
  if (ground == Ground::kSimulate) {
    LIMBER_TRY(Tracked tracked, track(puppet, reference, settings.track));
    result.track = std::move(tracked.report);
    result.positions = std::move(tracked.positions);
    result.lost = even_out(puppet, reference, own, locked, result.positions);
    if (stands) polish = stand(puppet, reference, locked, result.positions);
  } else {
    result.positions = ground == Ground::kLock ? std::move(locked) : std::move(given);
  }
  result.polish = polish.turn, result.carried = polish.carry / puppet.metres;
  result.target = motion_from_positions(puppet, subject, repaired.motion, own);
  result.motion = motion_from_positions(puppet, subject, repaired.motion, result.positions);
  result.target_planted = list_planted(puppet, find_planted(puppet, reference, own));
  // What was left as it is may hover above the ground that it was meant for.
  result.planted = ground == Ground::kNone ? result.target_planted
                                           : list_planted(puppet, find_planted(puppet, reference, result.positions));
  if (reference.habitat != Habitat::kFree && ground != Ground::kNone) clear(subject, result);
  return result;
}

double keep_above_ground(const rig::Subject& subject, kinematics::Motion& motion) {
  const Result<Puppet> puppet = make_puppet(subject, motion);
  if (puppet.ok()) give_way(*puppet, subject, find_slack(*puppet, subject), motion);
  double raised = 0;
  for (const float lift : clear_ground(without_props(subject), kMostLift, motion)) {
    raised = std::max(raised, double(lift));
  }
  return raised;
}

}  // namespace limber::physics
