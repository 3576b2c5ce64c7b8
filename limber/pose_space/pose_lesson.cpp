// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_lesson.h"

#include <algorithm>
#include <cmath>

namespace limber::pose_space {
namespace {

constexpr double kWithoutSurface = 0.15;  // share of bodies whose surface is not shown
constexpr double kStretch = 0.1, kYaw = 0.12;
constexpr double kOtherRest = 0.6;  // share of bodies that rest in another pose than the artist's
constexpr double kRestTurn = 0.4;   // radians that joints are turned by there at most, root mean square
constexpr double kBoneStretch = 0.12;
constexpr double kMirrored = 0.25;       // share of spoiled poses of which one half is mirrored,
constexpr double kLeastMirrored = 0.75;  // where that turns some joint by so much, in radians
constexpr double kLeastSpoiled = 0.4;    // radians: a smaller turn may well be plausible
constexpr double kMostOfBody = 0.6;      // a joint that carries more is not spoiled: bodies lie down and roll over
constexpr int kMostCulprits = 3;

/// Rotations, [n, 3, 3], about unit axes [n, 3] by angles [n] (Rodrigues).
Tensor about(const Tensor& axes, const Tensor& angles) {
  const std::vector<Tensor> a = at::unbind(axes, -1);
  const Tensor zero = at::zeros_like(a[0]);
  const Tensor cross = at::stack({zero, -a[2], a[1], a[2], zero, -a[0], -a[1], a[0], zero}, -1).view({-1, 3, 3});
  const Tensor sine = angles.sin().view({-1, 1, 1}), cosine = angles.cos().view({-1, 1, 1});
  const Tensor outer = axes.unsqueeze(-1) * axes.unsqueeze(-2);
  return cosine * at::eye(3, axes.options()) + sine * cross + (1 - cosine) * outer;
}

Tensor unit(const Tensor& v) { return v / v.norm(2, -1, /*keepdim=*/true).clamp_min(1e-6); }

Tensor angle_of(const Tensor& rotations) {
  const Tensor trace = rotations.diagonal(0, -2, -1).sum(-1);
  return ((trace - 1) / 2).clamp(-1, 1).acos();
}

/// Row `index[i]` of each [n, J, ...].
Tensor pick(const Tensor& of, const Tensor& index) {
  return of.index({at::arange(index.size(0), index.options()), index});
}

/// What is above whom: (I + P)^J, P leading from a joint to its parent.
Tensor find_below(const Tensor& parents, const Tensor& present) {
  const std::int64_t count = parents.size(1);
  Tensor above = at::one_hot(parents.clamp_min(0), count).to(at::kFloat) * (parents >= 0).unsqueeze(-1);
  above = above + at::eye(count, above.options()) * present.unsqueeze(-1);
  for (std::int64_t reach = 1; reach < count; reach *= 2) above = above.bmm(above).clamp_max(1);
  return above;
}

/// Along the tree: turns relative to parents, [n, J, 3, 3], to turns in the world. A joint's product reaches twice as
/// far up in every round.
Tensor chained(Tensor turns, const Tensor& parents) {
  const auto above = [&](const Tensor& up) { return up.view({up.size(0), -1, 1, 1}).expand_as(turns); };
  // The root, which is its own parent here, must not count twice.
  const Tensor root = turns.narrow(1, 0, 1).clone();
  turns = at::cat({at::eye(3, turns.options()).expand_as(root), turns.narrow(1, 1, turns.size(1) - 1)}, 1);
  Tensor up = parents;
  for (std::int64_t reach = 1; reach < turns.size(1); reach *= 2) {
    turns = turns.gather(1, above(up)).matmul(turns);
    up = up.gather(1, up);
  }
  return root.matmul(turns);
}

/// Turns relative to parents of [n, J, 3, 3] in the world; the root's stays.
Tensor local_turns(const Tensor& turns, const Tensor& parents) {
  const Tensor up = parents.view({parents.size(0), -1, 1, 1}).expand_as(turns);
  const Tensor local = turns.gather(1, up).transpose(-1, -2).matmul(turns);
  return at::cat({turns.narrow(1, 0, 1), local.narrow(1, 1, local.size(1) - 1)}, 1);
}

/// A body's numbers, as `vary` changes them.
struct Varied {
  Tensor &features, &points, &turns;
  const Tensor &shares, &parents, &below;
  const Tensor& across;  ///< float [n, J, J]: 1 where the second joint is the first one's partner and comes before it
};

/// Bodies whose artist had them rest in another pose, and with other bones: both sides alike. What they do stays, told
/// from the new rest.
void rest_otherwise(const Varied& body) {
  const std::int64_t count = body.features.size(0), joints = body.features.size(1);
  const auto options = body.features.options();
  const Tensor partner = body.across.sum(-1, /*keepdim=*/true);  // 1: follows its partner
  const Tensor alone = 1 - (partner + body.across.sum(1).unsqueeze(-1)).clamp_max(1);
  const Tensor chosen = (at::rand({count, 1, 1}, options) < kOtherRest).to(at::kFloat);
  const auto both_sides = [&](const Tensor& of, const Tensor& mirrored) {
    return of * (1 - partner) + body.across.bmm(of) * mirrored;
  };
  Tensor vector = at::randn({count, joints, 3}, options) * at::rand({count, 1, 1}, options) * kRestTurn * chosen;
  // Seen in a mirror, a turn about the axis through it stays and the others are reversed. What has no other side mostly
  // bends up and down.
  vector = vector * (1 - alone * at::tensor({0.0, 0.7, 0.7}, options));
  vector = both_sides(vector, at::tensor({1.0, -1.0, -1.0}, options));
  vector = vector.index_fill(1, at::zeros({1}, options.dtype(at::kLong)), 0);
  const Tensor flat = vector.reshape({-1, 3});
  const Tensor rest = chained(about(unit(flat), flat.norm(2, -1)).view({count, joints, 3, 3}), body.parents);
  const Tensor longer = at::randn({count, joints, 1}, options) * chosen;
  const Tensor stretch = (kBoneStretch * both_sides(longer, at::ones({1}, options))).exp();

  const Tensor offsets = body.features.narrow(-1, kOffsetFeature, 3),
               places = body.features.narrow(-1, kPlaceFeature, 3);
  const Tensor above = rest.gather(1, body.parents.view({count, -1, 1, 1}).expand_as(rest));
  const Tensor moved_offsets = above.matmul(offsets.unsqueeze(-1)).squeeze(-1) * stretch;
  const Tensor moved = body.below.bmm(moved_offsets);
  // The skin goes with the joints that move it.
  const Tensor skin = body.shares.bmm(rest.flatten(-2)).unflatten(-1, {3, 3});
  const Tensor shift = body.shares.bmm(moved - rest.matmul(places.unsqueeze(-1)).squeeze(-1));
  const Tensor points = body.points.narrow(-1, 0, 3), normals = body.points.narrow(-1, 3, 3);
  points.copy_(skin.matmul(points.unsqueeze(-1)).squeeze(-1) + shift);
  normals.copy_(unit(skin.matmul(normals.unsqueeze(-1)).squeeze(-1)));
  offsets.copy_(moved_offsets), places.copy_(moved);
  body.turns = body.turns.matmul(rest.transpose(-1, -2).unsqueeze(1));
}

/// Left and right change places.
void mirror(const Tensor& flip, Tensor& features, Tensor& points, Tensor& turns) {
  const Tensor sign = 1 - 2 * flip.to(at::kFloat), one = at::ones_like(sign);
  const Tensor axes = at::stack({sign, one, one}, -1);  // [n, 3]
  const Tensor both = at::cat({axes, axes}, -1).unsqueeze(1);
  features.narrow(-1, kPlaceFeature, 6).mul_(both);
  points.mul_(both);
  const Tensor sides = features.narrow(-1, kSideFeature + 1, 2);
  sides.copy_(at::where(flip.view({-1, 1, 1}), sides.flip({-1}), sides.clone()));
  turns = turns * axes.view({-1, 1, 1, 3, 1}) * axes.view({-1, 1, 1, 1, 3});
}

/// Bodies of other proportions that look a little to the side. Turns stay, and places follow from them.
void vary(const Varied& body) {
  Tensor &features = body.features, &points = body.points, &turns = body.turns;
  rest_otherwise(body);
  const std::int64_t count = features.size(0);
  const auto options = features.options();
  mirror(at::rand({count}, options) < 0.5, features, points, turns);
  const Tensor stretch = (kStretch * at::randn({count, 1, 3}, options)).exp();
  const Tensor angle = kYaw * at::randn({count}, options);
  const Tensor up = at::zeros({count, 3}, options).index_fill(1, at::ones({1}, options.dtype(at::kLong)), 1);
  const Tensor yaw = about(up, angle), back = yaw.transpose(1, 2);
  const auto turned = [&](const Tensor& vectors, const Tensor& scale) { vectors.copy_((vectors * scale).bmm(back)); };
  turned(features.narrow(-1, kPlaceFeature, 3), stretch), turned(features.narrow(-1, kOffsetFeature, 3), stretch);
  turned(points.narrow(-1, 0, 3), stretch);
  points.narrow(-1, 3, 3).copy_(unit((points.narrow(-1, 3, 3) / stretch).bmm(back)));
  turns = yaw.view({count, 1, 1, 3, 3}).matmul(turns).matmul(back.view({count, 1, 1, 3, 3}));
  // Lengths are in radii again.
  const Tensor radius = features.narrow(-1, kPlaceFeature, 3).norm(2, -1).amax(1).clamp_min(1e-3).view({count, 1, 1});
  features.narrow(-1, kPlaceFeature, 6).div_(radius), points.narrow(-1, 0, 3).div_(radius);
  features.narrow(-1, kGirthFeature, 1).div_(radius);
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
    vary({features, points, lesson.turns, bodies.shares, lesson.parents, lesson.below, across});
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
