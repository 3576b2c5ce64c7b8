// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/testing/toy_rigs.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber::testing {
namespace {

int parent_of(ToyShape shape, int joint, Rng& rng) {
  if (joint == 0) return -1;
  switch (shape) {
    case ToyShape::kChain:
      return joint - 1;
    case ToyShape::kStar:
      return 0;
    case ToyShape::kTree:
      break;
  }
  return static_cast<int>(rng.below(static_cast<std::uint32_t>(joint)));
}

/// Near the identity, so that the product of a long chain stays in range.
Affine random_frame(Rng& rng, double size) {
  Affine frame{to_matrix(random_rotation(rng)), random_vector(rng, size)};
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column)
      frame.linear(row, column) += static_cast<float>(rng.uniform(-0.02, 0.02));
  }
  return frame;
}

Vec3 random_scale(Rng& rng) {
  const auto draw = [&] { return static_cast<float>(std::exp(rng.uniform(-0.05, 0.05))); };
  Vec3 scale;
  for (int k = 0; k < 3; ++k) scale[k] = draw();
  if (rng.chance(0.1)) scale.x = -scale.x;
  return scale;
}

}  // namespace

Vec3 random_vector(Rng& rng, double size) {
  Vec3 v;
  for (int k = 0; k < 3; ++k) v[k] = static_cast<float>(size * rng.normal());
  return v;
}

Quat random_rotation(Rng& rng) {
  Quatd q;
  for (int k = 0; k < 4; ++k) q[k] = rng.normal();
  return normalized(q).cast<float>();
}

rig::Rig toy_rig(const ToyRigSettings& settings) {
  Rng rng(settings.seed);
  const double bone_length = 1 / std::sqrt(double(settings.joints));
  rig::RigDraft draft;
  for (int j = 0; j < settings.joints; ++j) {
    rig::Joint joint;
    joint.name = "joint " + std::to_string(j);
    joint.parent = parent_of(settings.shape, j, rng);
    joint.rest = {random_vector(rng, bone_length), random_rotation(rng), {1, 1, 1}};
    if (settings.scales) joint.rest.scale = random_scale(rng);
    if (settings.axes) joint.axes = random_rotation(rng);
    if (settings.frames) joint.parent_from_frame = random_frame(rng, bone_length);
    draft.joints.push_back(std::move(joint));
  }
  if (settings.extra_bones > 0) {
    const rig::Rig plain = rig::build_rig(draft).value();
    draft.bones.assign(plain.bones().begin(), plain.bones().end());
  }
  for (int i = 0; i < settings.extra_bones; ++i) {
    const auto joint = static_cast<int>(rng.below(static_cast<std::uint32_t>(settings.joints)));
    draft.bones.push_back({joint, random_frame(rng, bone_length)});
  }
  return rig::build_rig(std::move(draft)).value();
}

rig::SkinWeights toy_weights(std::size_t points, int bones, int stride, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::vector<rig::Influence>> rows(points);
  for (std::vector<rig::Influence>& row : rows) {
    const int count = rng.chance(0.2) ? 1 : stride;
    for (int k = 0; k < count; ++k) {
      row.push_back({static_cast<std::uint16_t>(rng.below(static_cast<std::uint32_t>(bones))),
                     static_cast<float>(rng.uniform(0.05, 1))});
    }
  }
  return rig::make_skin_weights(rows, stride);
}

}  // namespace limber::testing
