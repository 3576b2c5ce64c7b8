// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/skeleton/refine_embedding.h"
#include "limber/testing/gradient_check.h"
#include "limber/testing/surfaces.h"

namespace limber::skeleton {
namespace {

/// A bent tube with a chain of three joints that cuts its corner.
struct Bend {
  body::BodyShape body;
  Embedding embedding;
};

Bend bend() {
  testing::TestSurface tube = testing::capsule({0, 0, 0}, {0, 1, 0}, 0.1, 0.1);
  tube.add(testing::capsule({0, 1, 0}, {1, 1, 0}, 0.1, 0.1));
  Bend result{body::study_body(tube.points, tube.triangles, {96, 2000000, 3}), {}};
  Embedding& e = result.embedding;
  e.skeleton.name = "chain";
  e.at = {{0.013, 0.107, 0.02}, {0.213, 0.752, 0.031}, {0.911, 1.023, -0.017}};
  for (int j = 0; j < 3; ++j) {
    TemplateJoint joint;
    joint.name = std::string(1, static_cast<char>('a' + j)), joint.parent = j - 1;
    e.skeleton.joints.push_back(joint);
  }
  e.present.assign(3, true);
  return result;
}

TEST(RefineEmbeddingGrad, MatchesFiniteDifferences) {
  const Bend b = bend();
  std::vector<double> x;
  for (const Vec3d& p : b.embedding.at) x.insert(x.end(), {p.x + 0.0071, p.y - 0.0052, p.z + 0.0033});
  auto places = [](std::span<const double> v) {
    std::vector<Vec3d> at;
    for (std::size_t k = 0; k + 2 < v.size(); k += 3) at.push_back({v[k], v[k + 1], v[k + 2]});
    return at;
  };
  const RefineSettings settings;
  std::vector<Vec3d> grad(3);
  EXPECT_GT(refinement_energy(b.body, b.embedding, places(x), settings, grad), 0);
  std::vector<double> flat;
  for (const Vec3d& g : grad) flat.insert(flat.end(), {g.x, g.y, g.z});
  limber::testing::GradientCheckSettings check;
  check.step = 1e-7;  // the field is trilinear: stay within a cell
  const auto result = limber::testing::check_gradient(
      [&](std::span<const double> v) { return refinement_energy(b.body, b.embedding, places(v), settings, {}); }, x,
      flat, check);
  EXPECT_LT(result.error, 1e-4) << result.summary();
}

TEST(RefineEmbedding, BringsAJointBackIntoTheBodyAndLeavesPinsAlone) {
  Bend b = bend();
  const double before = b.body.field.depth(b.embedding.at[1]);
  EXPECT_LT(before, 0);
  Bend pinned = bend();
  EmbedSettings embed;
  refine_embedding(b.body, embed, b.embedding);
  EXPECT_GT(b.body.field.depth(b.embedding.at[1]), before + 0.02);
  embed.pins = {{"b", pinned.embedding.at[1]}};
  const Vec3d place = pinned.embedding.at[1];
  refine_embedding(pinned.body, embed, pinned.embedding);
  EXPECT_EQ(pinned.embedding.at[1], place);
}

}  // namespace
}  // namespace limber::skeleton
