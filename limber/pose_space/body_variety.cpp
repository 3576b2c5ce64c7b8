// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/body_variety.h"

#include "limber/pose_space/pose_conditions.h"

namespace limber::pose_space {
namespace {

constexpr double kStretch = 0.1, kYaw = 0.12;
constexpr double kOtherRest = 0.6;  // share of bodies that rest in another pose than the artist's
constexpr double kBoneStretch = 0.12;
constexpr double kSeenFlesh = 0.02;  // radii: nearer to its joint, flesh shows no direction

/// Bodies whose artist had them rest in another pose, and with other bones: both sides alike. What they do stays, told
/// from the new rest.
void rest_otherwise(const VariedBodies& body, double rest_turn) {
  const std::int64_t count = body.features.size(0), joints = body.features.size(1);
  const auto options = body.features.options();
  const Tensor partner = body.across.sum(-1, /*keepdim=*/true);  // 1: follows its partner
  const Tensor alone = 1 - (partner + body.across.sum(1).unsqueeze(-1)).clamp_max(1);
  const Tensor chosen = (at::rand({count, 1, 1}, options) < kOtherRest).to(at::kFloat);
  const auto both_sides = [&](const Tensor& of, const Tensor& mirrored) {
    return of * (1 - partner) + body.across.bmm(of) * mirrored;
  };
  Tensor vector = at::randn({count, joints, 3}, options) * at::rand({count, 1, 1}, options) * rest_turn * chosen;
  // Seen in a mirror, a turn about the axis through it stays and the others are reversed. What has no other side mostly
  // bends up and down.
  vector = vector * (1 - alone * at::tensor({0.0, 0.7, 0.7}, options));
  if (body.flesh.defined()) {
    // A twist about one's own flesh cannot be seen, nor the turn of what has none: nobody can learn to guess it.
    const Tensor along = unit(body.flesh);
    vector = (vector - (vector * along).sum(-1, true) * along) * (body.flesh.norm(2, -1, true) > kSeenFlesh);
  }
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
  if (body.flesh.defined()) body.flesh.copy_(rest.matmul(body.flesh.unsqueeze(-1)).squeeze(-1));
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

}  // namespace

Tensor about(const Tensor& axes, const Tensor& angles) {
  const std::vector<Tensor> a = at::unbind(axes, -1);
  const Tensor zero = at::zeros_like(a[0]);
  const Tensor cross = at::stack({zero, -a[2], a[1], a[2], zero, -a[0], -a[1], a[0], zero}, -1).view({-1, 3, 3});
  const Tensor sine = angles.sin().view({-1, 1, 1}), cosine = angles.cos().view({-1, 1, 1});
  const Tensor outer = axes.unsqueeze(-1) * axes.unsqueeze(-2);
  return cosine * at::eye(3, axes.options()) + sine * cross + (1 - cosine) * outer;
}

Tensor unit(const Tensor& v) { return v / v.norm(2, -1, /*keepdim=*/true).clamp_min(1e-6); }

/// (I + P)^J, P leading from a joint to its parent.
Tensor find_below(const Tensor& parents, const Tensor& present) {
  const std::int64_t count = parents.size(1);
  Tensor above = at::one_hot(parents.clamp_min(0), count).to(at::kFloat) * (parents >= 0).unsqueeze(-1);
  above = above + at::eye(count, above.options()) * present.unsqueeze(-1);
  for (std::int64_t reach = 1; reach < count; reach *= 2) above = above.bmm(above).clamp_max(1);
  return above;
}

// A joint's product reaches twice as
// far up in every round.
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

VariedBodies::Change vary_bodies(const VariedBodies& body, double rest_turn) {
  Tensor &features = body.features, &points = body.points, &turns = body.turns;
  rest_otherwise(body, rest_turn);
  const std::int64_t count = features.size(0);
  const auto options = features.options();
  const Tensor flip = at::rand({count}, options) < 0.5;
  mirror(flip, features, points, turns);
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
  const Tensor sides =
      at::stack({1 - 2 * flip.to(at::kFloat), at::ones({count}, options), at::ones({count}, options)}, -1);
  const VariedBodies::Change change{flip, (stretch * sides.unsqueeze(1)).transpose(1, 2) * back / radius};
  if (body.flesh.defined()) body.flesh.copy_(body.flesh.bmm(change.vectors));
  return change;
}

}  // namespace limber::pose_space
