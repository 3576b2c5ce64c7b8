// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/ground.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "limber/physics/clear_ground.h"
#include "limber/physics/foot_lock.h"
#include "limber/physics/trajectory.h"

namespace limber::physics {
namespace {

constexpr double kLow = 0.04;   ///< of the height: a point this low may be planted
constexpr double kFar = 1;      ///< radians, or metres of the root: a change that is not small
const double kEven = std::getenv("HACK_EVEN") ? std::atof(std::getenv("HACK_EVEN")) : 0.07;  ///< seconds over which what the simulation changes is evened out

constexpr float kMostRaise = 0.05f;  ///< of the height, so that nothing is below the ground

constexpr std::array kGrounds{Ground::kAuto, Ground::kNone, Ground::kLock, Ground::kSimulate};

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Whether each contact point bears weight, per frame of the motion's own.
using Planted = std::vector<std::vector<bool>>;

/// Points that the reference plants. Of a motion that comes near it, those that are low, too: a foot that comes late
/// or leaves early is in the air, where nothing slides.
Planted find_planted(const Puppet& puppet, const Reference& reference, std::span<const double> positions) {
  const std::vector<Vec3d> points = contact_points(puppet.model, positions);
  Planted planted(reference.planted.size());
  for (std::size_t p = 0; p < planted.size(); ++p) {
    for (int f = 0; f < reference.count; ++f) {
      const bool low = points[at(f) * planted.size() + p].y < kLow * puppet.metres;
      planted[p].push_back(low && reference.planted[p][at(reference.first + f)]);
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

/// What the simulation left of sliding: planted feet are put exactly where they stand. Returns the farthest that a
/// joint turned for it, in radians.
double polish(const Puppet& puppet, const Reference& reference, const Planted& own, std::vector<double>& positions) {
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

/// What the simulation changes, evened out: impacts and drives shake joints by fractions of a degree from frame to
/// frame, which no eye takes for weight. Around the corner for loops.
void even_out(const Model& model, const Reference& reference, std::span<const double> like,
              std::vector<double>& positions) {
  const std::size_t nq = model.position_count(), nv = model.velocity_count();
  const int count = reference.count;
  const double sigma = kEven * reference.fps;
  const int reach = static_cast<int>(std::ceil(3 * sigma));
  std::vector<double> changes(at(count) * nv), even(nv);
  for (int f = 0; f < count; ++f) {
    position_difference<double>(model, row(like, f, nq), row(std::as_const(positions), f, nq), row(changes, f, nv));
  }
  // Where it strays far, differences are no small turns that could be added up.
  if (std::any_of(changes.begin(), changes.end(), [](double change) { return std::abs(change) > kFar; })) return;
  for (int f = 0; f < count; ++f) {
    std::fill(even.begin(), even.end(), 0);
    double total = 0;
    for (int k = -reach; k <= reach; ++k) {
      const int source = reference.repeats() ? ((f + k) % count + count) % count : f + k;
      if (source < 0 || source >= count) continue;
      const double weight = std::exp(-0.5 * k * k / (sigma * sigma));
      const std::span<const double> change = row(std::as_const(changes), source, nv);
      for (std::size_t i = 0; i < nv; ++i) even[i] += weight * change[i];
      total += weight;
    }
    for (double& value : even) value /= total;
    integrate_position<double>(model, row(like, f, nq), even, row(positions, f, nq));
  }
}

/// Raises the body's positions as its motion was.
void raise(const std::vector<float>& lifts, Grounded& grounded) {
  const std::size_t stride = grounded.puppet.model.position_count();
  for (std::size_t f = 0; f < lifts.size(); ++f) {
    grounded.positions[f * stride + 1] += grounded.puppet.metres * double(lifts[f]);
    grounded.raised = std::max(grounded.raised, double(lifts[f]));
  }
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
    Tracked tracked;
    const char* hack = std::getenv("HACK_CACHE");
    std::string hackfile;
    if (hack) hackfile = std::string(hack) + "/" + settings.reference.clip + "-" + std::to_string(own.size()) + "-" + std::to_string(subject.points.size());
    for (char& c : hackfile) if (c == ' ' || c == '|') c = '_';
    if (FILE* f = hack ? std::fopen(hackfile.c_str(), "rb") : nullptr) {
      tracked.positions.resize(own.size());
      if (std::fread(tracked.positions.data(), 8, own.size(), f) != own.size()) std::abort();
      if (std::fread(&tracked.report.joint_error, 8, 1, f) != 1) std::abort();
      if (std::fread(&tracked.report.root_error, 8, 1, f) != 1) std::abort();
      if (std::fread(&tracked.report.assist_force, 8, 1, f) != 1) std::abort();
      tracked.report.iterations = 1;
      std::fclose(f);
    } else {
      LIMBER_TRY(tracked, track(puppet, reference, settings.track));
      if (FILE* g = hack ? std::fopen(hackfile.c_str(), "wb") : nullptr) {
        std::fwrite(tracked.positions.data(), 8, own.size(), g);
        std::fwrite(&tracked.report.joint_error, 8, 1, g), std::fwrite(&tracked.report.root_error, 8, 1, g), std::fwrite(&tracked.report.assist_force, 8, 1, g);
        std::fclose(g);
      }
    }
    result.track = std::move(tracked.report);
    result.positions = std::move(tracked.positions);
    even_out(puppet.model, reference, own, result.positions);
  } else if (ground == Ground::kLock) {
    result.positions.assign(own.begin(), own.end());
  } else {
    result.positions = std::move(given);
  }
  if (reference.habitat == Habitat::kGround && ground != Ground::kNone && !std::getenv("HACK_NOPOLISH")) {
    result.polish = polish(puppet, reference, find_planted(puppet, reference, result.positions), result.positions);
  }
  result.target = motion_from_positions(puppet, subject, repaired.motion, own);
  result.motion = motion_from_positions(puppet, subject, repaired.motion, result.positions);
  if (reference.habitat != Habitat::kFree && ground != Ground::kNone && !std::getenv("HACK_NOCLEAR")) {
    if (!std::getenv("HACK_CLEAR1")) clear_ground(subject, kMostRaise, result.target);
    raise(clear_ground(subject, kMostRaise, result.motion), result);
  }
  result.target_planted = list_planted(puppet, find_planted(puppet, reference, own));
  // What was left as it is may hover above the ground that it was meant for.
  result.planted = ground == Ground::kNone ? result.target_planted
                                           : list_planted(puppet, find_planted(puppet, reference, result.positions));
  return result;
}

}  // namespace limber::physics
