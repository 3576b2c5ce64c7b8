// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "bench/poses.h"
#include "limber/base/threads.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"
#include "limber/metrics/self_intersections.h"

/// Poses that are drawn, found again, gone between and judged.
namespace limber::bench {
namespace {

using pose_space::PoseShape;
using pose_space::PoseSkeleton;
using pose_space::PoseState;

/// The distance to the nearest of some poses, % of the radius.
double nearest_gap(const PoseSkeleton& skeleton, const PoseState& pose, const std::vector<PoseState>& others) {
  double least = 1e300;
  for (const PoseState& other : others) least = std::min(least, pose_gap(skeleton, pose, other).place);
  return least;
}

// --- samples ---------------------------------------------------------------------------------------------------------

/// Pairs of triangles that pass through each other, as the body takes a pose.
double crossings(const PoseBody& body, const PoseState& pose) {
  const rig::Subject& subject = body.subject;
  const std::vector<Affine> bones =
      kinematics::bone_matrices(subject.rig, decode_pose(body.space.skeleton(), pose, {}));
  std::vector<Vec3> posed(subject.points.size());
  kinematics::SkinInput input;
  input.weights = &subject.weights, input.points = subject.points, input.bones = bones;
  input.frame_count = 1, input.bone_count = subject.rig.bone_count();
  kinematics::skin_forward(input, {posed, {}, {}});
  return static_cast<double>(metrics::self_intersections(posed, subject.triangles));
}

/// Some poses of a body.
struct Drawn {
  double diversity = 0;  ///< mean distance between two of them
  double coverage = 0;   ///< mean distance from a real pose to the nearest of them
  double crossings = 0;  ///< per hundred triangles, those at rest not counted
  double plausible = 0;
  double count = 0;

  void add(const Drawn& other) {
    diversity += other.diversity, coverage += other.coverage, crossings += other.crossings;
    plausible += other.plausible, count += other.count;
  }
};

Drawn look_at(const PoseBody& body, const std::vector<PoseState>& drawn) {
  const PoseSkeleton& skeleton = body.space.skeleton();
  Drawn seen;
  if (drawn.empty()) return seen;
  double pairs = 0;
  const double at_rest = crossings(body, rest_of(skeleton));
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) seen.diversity += pose_gap(skeleton, drawn[i], drawn[k]).place, pairs += 1;
    const double own = std::max(0.0, crossings(body, drawn[i]) - at_rest);
    seen.crossings += 100 * own / static_cast<double>(std::max<std::size_t>(body.subject.triangles.size(), 1));
    seen.plausible += body.space.score(state_of(skeleton, shape_of(skeleton, drawn[i]).turns)).whole;
  }
  const double count = static_cast<double>(drawn.size());
  seen.diversity /= std::max(pairs, 1.0), seen.crossings /= count, seen.plausible /= count;
  for (const PoseState& pose : body.poses)
    seen.coverage += nearest_gap(skeleton, pose, drawn) / static_cast<double>(body.poses.size());
  seen.count = 1;
  return seen;
}

constexpr std::array kDrawers{"pose space", "known poses by role", "normal per role",
                              "real poses", "rest pose",           "autoencoder"};
using Draws = std::array<Drawn, kDrawers.size()>;

Draws draw_all(const PoseBody& body, const RolePoses& known, const PoseBenchSettings& settings, std::uint64_t stream) {
  const PoseSkeleton& skeleton = body.space.skeleton();
  Rng rng(settings.seed, stream);
  std::vector<bool> hidden(skeleton.joints.size(), true);
  hidden[0] = false;
  const PoseState rest = rest_of(skeleton);
  std::vector<PoseState> own, roles, normal, real, decoded;
  for (int i = 0; i < settings.samples; ++i) {
    own.push_back(body.space.sample(settings.seed + at(i)));
    roles.push_back(known.pick(skeleton, rng));
    normal.push_back(known.draw(skeleton, rest, hidden, rng));
    if (body.vae) decoded.push_back(body.vae->vae->draw(body.vae->body, settings.seed + at(i)));
    // As many as were drawn, of which none is another's neighbour: what diversity and crossings should be.
    real.push_back(body.poses[at(i) * body.poses.size() / at(settings.samples)]);
  }
  Draws draws{look_at(body, own),  look_at(body, roles),  look_at(body, normal),
              look_at(body, real), look_at(body, {rest}), look_at(body, decoded)};
  return draws;
}

// --- inversion -------------------------------------------------------------------------------------------------------

struct Returned {
  double sum = 0, worst = 0, count = 0;
};

// --- interpolation ---------------------------------------------------------------------------------------------------

/// Turns of joints between those of two poses, each along its own arc.
PoseState joint_lerp(const PoseSkeleton& skeleton, const PoseState& a, const PoseState& b, double u) {
  const PoseShape p = shape_of(skeleton, a), q = shape_of(skeleton, b);
  std::vector<Mat3d> world;
  for (std::size_t j = 0; j < p.turns.size(); ++j) {
    const int parent = skeleton.joints[j].parent;
    const auto local = [&](const PoseShape& shape) {
      return to_quat(parent < 0 ? shape.turns[j] : transposed(shape.turns[at(parent)]) * shape.turns[j]);
    };
    const Mat3d own = to_matrix(slerp(local(p), local(q), u));
    world.push_back(parent < 0 ? own : world[at(parent)] * own);
  }
  return state_of(skeleton, world);
}

struct Between {
  double space = 0, lerp = 0, space_plausible = 0, lerp_plausible = 0, count = 0;
};

Between go_between(const PoseBody& body, Rng& rng) {
  const PoseSkeleton& skeleton = body.space.skeleton();
  const auto count = static_cast<std::uint32_t>(body.poses.size());
  const PoseState from = body.poses[rng.below(count)], to = body.poses[rng.below(count)];
  constexpr int kFrames = 5;
  const std::vector<PoseState> along = body.space.between(from, to, kFrames);
  Between between;
  for (int f = 1; f + 1 < kFrames; ++f) {
    const PoseState straight = joint_lerp(skeleton, from, to, static_cast<double>(f) / (kFrames - 1));
    const PoseState sound = state_of(skeleton, shape_of(skeleton, along[at(f)]).turns);
    between.space += nearest_gap(skeleton, sound, body.poses);
    between.lerp += nearest_gap(skeleton, straight, body.poses);
    between.space_plausible += body.space.score(sound).whole;
    between.lerp_plausible += body.space.score(straight).whole;
    between.count += 1;
  }
  return between;
}

// --- score -----------------------------------------------------------------------------------------------------------

Mat3d turn_about(Vec3d axis, double angle) { return to_matrix(axis_angle(normalized(axis), angle)); }

/// Turns a joint and all that hangs on it.
void turn_joint(const PoseSkeleton& skeleton, std::size_t joint, const Mat3d& change, std::vector<Mat3d>& turns) {
  std::vector<bool> moves(turns.size(), false);
  moves[joint] = true;
  for (std::size_t j = joint; j < turns.size(); ++j) {
    if (j > joint && moves[at(skeleton.joints[j].parent)]) moves[j] = true;
    if (moves[j]) turns[j] = change * turns[j];
  }
}

std::size_t any_joint(const PoseSkeleton& skeleton, Rng& rng) {
  return 1 + rng.below(static_cast<std::uint32_t>(skeleton.size() - 1));
}

/// One to three joints turned by 45 to 135 degrees about any axis.
PoseState turned_anyhow(const PoseSkeleton& skeleton, const PoseState& pose, Rng& rng) {
  std::vector<Mat3d> turns = shape_of(skeleton, pose).turns;
  for (std::uint32_t i = 0, count = 1 + rng.below(3); i < count; ++i) {
    const std::size_t joint = any_joint(skeleton, rng);
    const Vec3d axis{rng.normal(), rng.normal(), rng.normal()};
    turn_joint(skeleton, joint, turn_about(axis, rng.uniform(kPi / 4, 3 * kPi / 4)), turns);
  }
  return state_of(skeleton, turns);
}

/// A joint that carries another, twisted about its bone by 60 to 150 degrees.
PoseState twisted(const PoseSkeleton& skeleton, const PoseState& pose, Rng& rng) {
  std::vector<Mat3d> turns = shape_of(skeleton, pose).turns;
  std::size_t child = any_joint(skeleton, rng);
  for (int tries = 0; tries < 20 && skeleton.joints[child].parent == 0; ++tries) child = any_joint(skeleton, rng);
  const std::size_t joint = at(skeleton.joints[child].parent);
  const double angle = rng.uniform(kPi / 3, 5 * kPi / 6) * (rng.chance(0.5) ? 1 : -1);
  turn_joint(skeleton, joint, turn_about(turns[joint] * skeleton.joints[child].offset, angle), turns);
  return state_of(skeleton, turns);
}

/// The joints of the left side turned as in a mirror that swaps front and back: knees bend the other way. None where
/// that changes little.
std::optional<PoseState> mirrored_half(const PoseSkeleton& skeleton, const PoseState& pose) {
  const std::vector<Mat3d> turns = shape_of(skeleton, pose).turns;
  const Mat3d mirror = Mat3d::diagonal({1, 1, -1});
  std::vector<Mat3d> world;
  double most = 0;
  for (std::size_t j = 0; j < turns.size(); ++j) {
    const pose_space::PoseJoint& joint = skeleton.joints[j];
    const Mat3d own = joint.parent < 0 ? turns[j] : transposed(turns[at(joint.parent)]) * turns[j];
    const rig::Role role = skeleton.rig.joints()[at(joint.joint)].role;
    const bool left = role.limb >= 0 && skeleton.rig.limbs()[at(role.limb)].side == rig::Side::kLeft;
    const Mat3d changed = left ? mirror * own * mirror : own;
    most = std::max(most, angle_between(to_quat(own), to_quat(changed)));
    world.push_back(joint.parent < 0 ? changed : world[at(joint.parent)] * changed);
  }
  if (most < kPi / 4) return std::nullopt;
  return state_of(skeleton, world);
}

/// The share of pairs in which the real pose scores higher.
double area_under_curve(const std::vector<double>& real, const std::vector<double>& spoiled) {
  double higher = 0;
  for (const double r : real) {
    for (const double s : spoiled) higher += r > s ? 1 : (r == s ? 0.5 : 0);
  }
  return higher / static_cast<double>(std::max<std::size_t>(real.size() * spoiled.size(), 1));
}

constexpr std::array kSpoiled{"turned anyhow", "twisted", "mirrored halves"};
struct Told {
  std::array<double, kSpoiled.size()> auc{}, count{};
};

Told told_apart(const PoseBody& body, std::uint64_t seed, std::uint64_t stream) {
  const PoseSkeleton& skeleton = body.space.skeleton();
  Rng rng(seed, stream);
  std::vector<double> real;
  std::array<std::vector<double>, kSpoiled.size()> spoiled;
  if (skeleton.size() < 2) return {};
  for (const PoseState& pose : body.poses) {
    real.push_back(body.space.score(pose).whole);
    spoiled[0].push_back(body.space.score(turned_anyhow(skeleton, pose, rng)).whole);
    spoiled[1].push_back(body.space.score(twisted(skeleton, pose, rng)).whole);
    if (const auto mirrored = mirrored_half(skeleton, pose)) spoiled[2].push_back(body.space.score(*mirrored).whole);
  }
  Told judged;
  for (std::size_t k = 0; k < kSpoiled.size(); ++k) {
    judged.count[k] = static_cast<double>(spoiled[k].size());
    judged.auc[k] = judged.count[k] * area_under_curve(real, spoiled[k]);
  }
  return judged;
}

}  // namespace

void add_sample_rows(const PoseBodies& set, const RolePoses& known, const PoseBenchSettings& settings, Report& report) {
  std::vector<Draws> all(set.bodies.size());
  parallel_for(all.size(), 1,
               [&](std::size_t i, std::size_t) { all[i] = draw_all(set.bodies[i], known, settings, 3000 + i); });
  Draws sums;
  for (const Draws& draws : all) {
    for (std::size_t m = 0; m < sums.size(); ++m) sums[m].add(draws[m]);
  }
  for (std::size_t m = 0; m < sums.size(); ++m) {
    const Drawn& d = sums[m];
    if (d.count == 0) continue;
    report.rows.push_back(
        {fmt::format("{}/{} drawn/{}", set.name, settings.samples, kDrawers[m]), d.coverage / d.count, "% radius", "",
         fmt::format(
             "from real poses to the nearest; diversity {:.1f} %; {:.2f} crossings per 100 triangles; {:.2f} plausible",
             d.diversity / d.count, d.crossings / d.count, d.plausible / d.count)});
  }
}

void add_inversion_rows(const PoseBodies& set, const PoseBenchSettings& settings, Report& report) {
  const auto each = at(settings.cases);
  std::vector<double> gaps(set.bodies.size() * each);
  parallel_for(gaps.size(), 1, [&](std::size_t i, std::size_t) {
    const PoseBody& body = set.bodies[i / each];
    const PoseState& pose = body.poses[i % each * body.poses.size() / each];
    gaps[i] = pose_gap(body.space.skeleton(), body.space.denoise(body.space.invert(pose)), pose).place;
  });
  Returned returned;
  for (const double gap : gaps)
    returned.sum += gap, returned.worst = std::max(returned.worst, gap), returned.count += 1;
  report.rows.push_back({set.name + "/inverted and back", returned.sum / std::max(returned.count, 1.0), "% radius",
                         "<= 1", fmt::format("worst of {:.0f}: {:.2f} %", returned.count, returned.worst)});
}

void add_interpolation_rows(const PoseBodies& set, const PoseBenchSettings& settings, Report& report) {
  const auto each = at(settings.cases);
  std::vector<Between> all(set.bodies.size() * each);
  parallel_for(all.size(), 1, [&](std::size_t i, std::size_t) {
    Rng rng(settings.seed, 2000 + i);
    all[i] = go_between(set.bodies[i / each], rng);
  });
  Between sum;
  for (const Between& b : all) {
    sum.space += b.space, sum.lerp += b.lerp, sum.count += b.count;
    sum.space_plausible += b.space_plausible, sum.lerp_plausible += b.lerp_plausible;
  }
  const std::string name = set.name + "/between two poses/";
  report.rows.push_back({name + "pose space", sum.space / sum.count, "% radius", "",
                         fmt::format("from the nearest real pose; {:.2f} plausible", sum.space_plausible / sum.count)});
  report.rows.push_back({name + "joint by joint", sum.lerp / sum.count, "% radius", "",
                         fmt::format("{:.2f} plausible", sum.lerp_plausible / sum.count)});
}

void add_score_rows(const PoseBodies& set, const PoseBenchSettings& settings, Report& report) {
  std::vector<Told> all(set.bodies.size());
  parallel_for(all.size(), 1,
               [&](std::size_t i, std::size_t) { all[i] = told_apart(set.bodies[i], settings.seed, 4000 + i); });
  for (std::size_t k = 0; k < kSpoiled.size(); ++k) {
    double auc = 0, count = 0, worst = 1;
    std::string name;
    for (std::size_t i = 0; i < all.size(); ++i) {
      auc += all[i].auc[k], count += all[i].count[k];
      const double own = all[i].count[k] > 0 ? all[i].auc[k] / all[i].count[k] : 1;
      if (own < worst) worst = own, name = set.bodies[i].name;
    }
    report.rows.push_back(
        {fmt::format("{}/score against poses {}", set.name, kSpoiled[k]), auc / std::max(count, 1.0), "AUC", ">= 0.97",
         fmt::format("{:.0f} poses; least {:.3f}{}", count, worst, name.empty() ? "" : " of " + name)});
  }
}

}  // namespace limber::bench
