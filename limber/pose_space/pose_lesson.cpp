// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_lesson.h"

#include <algorithm>
#include <cmath>

#include "limber/pose_space/body_variety.h"

namespace limber::pose_space {
namespace {

constexpr double kWithoutSurface = 0.15;  // share of bodies whose surface is not shown
constexpr double kRestTurn = 0.4;         // see vary_bodies
constexpr double kMirrored = 0.25;        // share of spoiled poses of which one half is mirrored,
constexpr double kLeastMirrored = 0.75;   // where that turns some joint by so much, in radians
constexpr double kLeastSpoiled = 0.4;     // radians: a smaller turn may well be plausible
constexpr double kMostOfBody = 0.6;       // a joint that carries more is not spoiled: bodies lie down and roll over
constexpr int kMostCulprits = 3;

Tensor angle_of(const Tensor& rotations) {
  const Tensor trace = rotations.diagonal(0, -2, -1).sum(-1);
  return ((trace - 1) / 2).clamp(-1, 1).acos();
}

/// Row `index[i]` of each [n, J, ...].
Tensor pick(const Tensor& of, const Tensor& index) {
  return of.index({at::arange(index.size(0), index.options()), index});
}

/// Turns relative to parents of [n, J, 3, 3] in the world; the root's stays.
Tensor local_turns(const Tensor& turns, const Tensor& parents) {
  const Tensor up = parents.view({parents.size(0), -1, 1, 1}).expand_as(turns);
  const Tensor local = turns.gather(1, up).transpose(-1, -2).matmul(turns);
  return at::cat({turns.narrow(1, 0, 1), local.narrow(1, 1, local.size(1) - 1)}, 1);
}

/// Turns one joint of each last pose, and all that hangs on it, as no body does: any way, about its bone, or the other
/// way round than it was bent.
void spoil_once(PoseLesson& lesson, const Tensor& chosen) {
  const std::int64_t count = chosen.size(0);
  const auto options = lesson.offsets.options();
  const Tensor& below = lesson.below;
  const Tensor joints = lesson.bodies.present.sum(1, /*keepdim=*/true);
  Tensor weights = (below.sum(1) <= kMostOfBody * joints).logical_and(lesson.bodies.present).to(at::kFloat) + 1e-6;
  weights = weights.index_fill(1, at::zeros({1}, options.dtype(at::kLong)), 1e-9);
  weights = weights * (lesson.bodies.present.to(at::kFloat) + 1e-9);
  const Tensor joint = weights.multinomial(1).squeeze(1);

  Tensor turns = lesson.turns.select(1, lesson.turns.size(1) - 1);
  const Tensor own = pick(turns, joint), parent = pick(turns, pick(lesson.parents, joint));
  const Tensor bone = parent.matmul(pick(lesson.offsets, joint).unsqueeze(-1)).squeeze(-1);
  const Tensor angle = kLeastSpoiled + 0.2 + 2 * at::rand({count}, options);
  const Tensor any = about(unit(at::randn({count, 3}, options)), angle), twist = about(unit(bone), angle);
  const Tensor back = own.transpose(1, 2);
  const Tensor reversed = parent.matmul(back).matmul(parent).matmul(back);
  const Tensor fate = at::rand({count, 1, 1}, options);
  const Tensor tried = at::where(fate < 0.3, reversed, at::where(fate < 0.6, twist, any));
  const Tensor change = at::where((angle_of(tried) < kLeastSpoiled).view({-1, 1, 1}), any, tried);

  const Tensor moved = (pick(below.transpose(1, 2), joint) > 0.5).logical_and(chosen.unsqueeze(-1));
  turns.copy_(at::where(moved.view({count, -1, 1, 1}), change.unsqueeze(1).matmul(turns), turns));
  lesson.culprits.logical_or_(at::one_hot(joint, below.size(1)).to(at::kBool).logical_and(chosen.unsqueeze(-1)));
}

/// Turns the joints of one side of each last pose as in a mirror that swaps front and back: knees bend the other way.
/// Only where that changes much; tells where.
Tensor mirror_half(PoseLesson& lesson, const Tensor& chosen) {
  const std::int64_t count = chosen.size(0);
  const auto options = lesson.offsets.options();
  const Tensor turns = lesson.turns.select(1, lesson.turns.size(1) - 1);
  const Tensor local = local_turns(turns, lesson.parents);
  const Tensor mirror = at::diag(at::tensor({1.0, 1.0, -1.0}, options));
  const Tensor left = at::rand({count, 1}, options) < 0.5;
  const Tensor sides = lesson.bodies.features.narrow(-1, kSideFeature + 1, 2) > 0.5;
  const Tensor there = at::where(left, sides.select(-1, 0), sides.select(-1, 1)).logical_and(lesson.bodies.present);
  const Tensor tried = mirror.matmul(local).matmul(mirror);
  const Tensor change = angle_of(local.transpose(-1, -2).matmul(tried));
  const Tensor changes = (change > kLeastSpoiled).logical_and(there);
  const Tensor does = (change * changes).amax(1).gt(kLeastMirrored).logical_and(chosen);
  const Tensor mirrored = chained(at::where(changes.view({count, -1, 1, 1}), tried, local), lesson.parents);
  turns.copy_(at::where(does.view({count, 1, 1, 1}), mirrored, turns));
  lesson.culprits.logical_or_(changes.logical_and(does.unsqueeze(-1)));
  return does;
}

void put_half(const Tensor& row, std::span<const float> values) {
  at::Half* to = row.data_ptr<at::Half>();
  for (const float v : values) *to++ = v;
}

}  // namespace

PoseExamples PoseExamples::empty(std::int64_t n) {
  return {at::zeros({n, kMostJoints, kJointFeatures}, at::kHalf),
          at::zeros({n, kMostJoints, kMostJoints}, at::kByte),
          at::full({n, kMostJoints}, -1, at::kChar),
          at::zeros({n}, at::kByte),
          at::zeros({n, kSurfacePoints, 6}, at::kHalf),
          at::zeros({n, kSurfacePoints, 2}, at::kByte),
          at::zeros({n, kSurfacePoints}, at::kHalf),
          at::zeros({n}, at::kByte),
          at::zeros({n, kPosesEach, kMostJoints, 6}, at::kHalf)};
}

Status PoseExamples::put(std::int64_t at, const PoseExample& example) {
  if (!example.body) return Error{"an example without a body", ""};
  const PoseConditions& body = *example.body;
  const auto joints = static_cast<std::size_t>(body.joints);
  const bool surface_fits = body.surface.empty() || body.surface.size() == kSurfacePoints;
  if (body.joints < 1 || body.joints > kMostJoints || body.features.size() != joints * kJointFeatures ||
      body.relations.size() != joints * joints || body.parents.size() != joints || !surface_fits ||
      example.turns.size() != kPosesEach * joints * 6)
    return Error{"an example whose sizes do not fit together", std::to_string(body.joints) + " joints"};
  counts[at].fill_(body.joints), seen[at].fill_(body.surface.empty() ? 0 : 1);
  put_half(features[at], body.features);
  std::copy(body.parents.begin(), body.parents.end(), parents[at].data_ptr<std::int8_t>());
  std::uint8_t* related = relations[at].data_ptr<std::uint8_t>();
  for (std::size_t j = 0; j < joints; ++j)
    std::copy_n(body.relations.begin() + static_cast<std::ptrdiff_t>(j * joints), joints, related + j * kMostJoints);
  const std::span<const float> all = example.turns;
  for (std::int64_t k = 0; k < kPosesEach; ++k)
    put_half(turns[at][k], all.subspan(static_cast<std::size_t>(k) * joints * 6, joints * 6));
  at::Half* point = points[at].data_ptr<at::Half>();
  at::Half* share = shares[at].data_ptr<at::Half>();
  std::uint8_t* mover = movers[at].data_ptr<std::uint8_t>();
  for (const SurfacePoint& p : body.surface) {
    for (int k = 0; k < 3; ++k) point[k] = p.place[k], point[3 + k] = p.normal[k];
    point += 6, *share++ = p.share, *mover++ = p.joints[0], *mover++ = p.joints[1];
  }
  return Done{};
}

Tensor rotations_in(const Tensor& states) {
  const auto options = states.options();
  const Tensor identity = at::eye(3, options);
  const Tensor from_x = states.narrow(-1, 3, 3) * kRotationUnit + identity[0];
  const Tensor from_y = states.narrow(-1, 6, 3) * kRotationUnit + identity[1];
  const Tensor x = from_x / (from_x.square().sum(-1, true) + 1e-8).sqrt();
  const Tensor level = from_y - (x * from_y).sum(-1, true) * x;
  const Tensor y = level / (level.square().sum(-1, true) + 1e-8).sqrt();
  return at::stack({x, y, x.cross(y, -1)}, -1);
}

Tensor PoseLesson::places_of(const Tensor& rotations) const {
  const std::int64_t count = rotations.size(0), each = rotations.size(1), joints = rotations.size(2);
  const Tensor index = parents.view({count, 1, joints, 1, 1}).expand({count, each, joints, 3, 3});
  const Tensor bones = rotations.gather(2, index).matmul(offsets.view({count, 1, joints, 3, 1})).squeeze(-1);
  return below.unsqueeze(1).matmul(bones);
}

Tensor PoseLesson::states_of(const Tensor& rotations) const {
  const Tensor moved = (places_of(rotations) - places.unsqueeze(1)) / kPositionUnit;
  const Tensor identity = at::eye(3, rotations.options());
  const Tensor changes = ((rotations - identity) / kRotationUnit).narrow(-1, 0, 2).transpose(-1, -2).flatten(-2);
  return at::cat({moved, changes}, -1) * bodies.present.view({bodies.present.size(0), 1, -1, 1});
}

PoseLesson make_pose_lesson(const PoseExamples& examples, Variety variety) {
  const at::NoGradGuard no_gradients;
  Tensor features = examples.features.to(at::kFloat), points = examples.points.to(at::kFloat);
  const auto options = features.options();
  const std::int64_t count = features.size(0);
  PoseLesson lesson;
  BodyBatch& bodies = lesson.bodies;
  bodies.present = at::arange(kMostJoints, options).unsqueeze(0) < examples.counts.to(at::kFloat).unsqueeze(1);
  lesson.turns = rotations_in(
      at::cat({at::zeros({count, kPosesEach, kMostJoints, 3}, options),
               (examples.turns.to(at::kFloat) - at::eye(3, options).narrow(0, 0, 2).flatten()) / kRotationUnit},
              -1));
  lesson.turns = at::where(bodies.present.view({count, 1, -1, 1, 1}), lesson.turns, at::eye(3, options));
  const Tensor share = examples.shares.to(at::kFloat).unsqueeze(-1);
  bodies.shares = at::zeros({count, kSurfacePoints, kMostJoints}, options)
                      .scatter_add(2, examples.movers.to(at::kLong), at::cat({share, 1 - share}, -1));
  const Tensor parents = examples.parents.to(at::kLong);
  lesson.parents = parents.clamp_min(0);
  lesson.below = find_below(parents, bodies.present);
  bodies.relations = examples.relations.to(at::kLong);
  if (variety == Variety::kAll) {
    const Tensor across = (bodies.relations == kAcross).to(at::kFloat).tril(-1);
    vary_bodies({features, points, lesson.turns, bodies.shares, lesson.parents, lesson.below, across, {}}, kRestTurn);
  }
  lesson.turns = lesson.turns.contiguous();
  bodies.features = features, bodies.points = points;
  bodies.seen = examples.seen > 0;
  if (variety == Variety::kAll) bodies.seen.logical_and_(at::rand({count}, options) >= kWithoutSurface);
  lesson.offsets = features.narrow(-1, kOffsetFeature, 3), lesson.places = features.narrow(-1, kPlaceFeature, 3);

  lesson.spoiled = at::rand({count}, options) < 0.5;
  lesson.culprits = at::zeros({count, kMostJoints}, options.dtype(at::kBool));
  const Tensor mirrored =
      mirror_half(lesson, lesson.spoiled.logical_and(at::rand({count}, options) < kMirrored)).logical_not();
  for (int i = 0; i < kMostCulprits; ++i) {
    const Tensor more = at::rand({count}, options) < (i == 0 ? 1.0 : 0.4);
    spoil_once(lesson, lesson.spoiled.logical_and(more).logical_and(mirrored));
  }
  return lesson;
}

Tensor draw_hidden(const PoseLesson& lesson, std::int64_t poses) {
  const std::int64_t count = lesson.offsets.size(0), joints = lesson.offsets.size(1);
  const auto options = lesson.offsets.options();
  const Tensor carried = lesson.below.transpose(1, 2);  // by the first joint
  const auto draw = [&] {
    const Tensor joint = lesson.bodies.present.to(at::kFloat).multinomial(poses, /*replacement=*/true);
    return carried.gather(1, joint.unsqueeze(-1).expand({count, poses, joints})) > 0.5;
  };
  const Tensor first = draw(), more = at::rand({count, poses, 1}, options) < 0.4;
  return first.logical_or(draw().logical_and(more));
}

Result<nn::TensorRun> draw_pose_run(const PoseSource& source, std::uint64_t first, std::int64_t count) {
  PoseExamples run = PoseExamples::empty(count);
  LIMBER_CHECK_OK(nn::draw_examples(count, [&](std::int64_t i) -> Status {
    const at::NoGradGuard no_gradients;
    LIMBER_TRY(const PoseExample example, source(first + static_cast<std::uint64_t>(i)));
    return run.put(i, example);
  }));
  return run.run();
}

}  // namespace limber::pose_space
