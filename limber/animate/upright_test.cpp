// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/upright.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "limber/animate/animate_testing.h"
#include "limber/animate/facing.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"
#include "limber/rig/changed_rig.h"

namespace limber::animate {
namespace {

const rig::Subject& creature() { return stage().creature.subject; }

/// The skin in every frame of a motion.
std::vector<Vec3> posed(const rig::Subject& subject, const kinematics::Motion& motion) {
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, motion);
  std::vector<Vec3> points(subject.points.size() * static_cast<std::size_t>(motion.frame_count()));
  kinematics::SkinInput input;
  input.weights = &subject.weights, input.points = subject.points, input.bones = bones;
  input.frame_count = motion.frame_count();
  input.bone_count = static_cast<int>(bones.size()) / motion.frame_count();
  kinematics::skin_forward(input, {points, {}, {}});
  return points;
}

float farthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  float result = a.size() == b.size() ? 0 : 1e9f;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) result = std::max(result, norm(a[i] - b[i]));
  return result;
}

Mat3 rows(Vec3 x, Vec3 y, Vec3 z) { return transposed(Mat3::from_columns(x, y, z)); }

/// The creature in the world of a file where +Z is up and it looks along -Y, larger, and standing elsewhere.
rig::Subject lying_creature() {
  rig::Subject subject = creature();
  const Mat3 file_from_world = 2.0f * rows({1, 0, 0}, {0, 0, -1}, {0, 1, 0});
  subject.rig = rig::changed_rig(subject.rig, Affine{file_from_world, {0.3f, 1, -0.2f}}).value();
  return subject;
}

TEST(Upright, LeavesABodyThatStandsAsItIs) {
  const Upright upright = stand_upright(creature(), {}).value();
  EXPECT_EQ(posed(upright.subject, stage().walk), posed(creature(), stage().walk));
  EXPECT_EQ(upright.world_from_upright, Mat3::identity());
}

TEST(Upright, TurnsABodyToFaceForward) {
  rig::Subject turned = creature();
  turned.rig = rig::changed_rig(turned.rig, rows({0, 0, 1}, {0, 1, 0}, {-1, 0, 0})).value();
  const Upright upright = stand_upright(turned, rig::make_facing({0, 1, 0}, {1, 0, 0}).value()).value();
  EXPECT_LT(farthest(posed(upright.subject, stage().walk), posed(creature(), stage().walk)), 1e-5f);
}

struct Extent {
  Vec3 low, high;
};

Extent extent(const std::vector<Vec3>& points) {
  Extent result{points.at(0), points.at(0)};
  for (const Vec3& p : points) result.low = min(result.low, p), result.high = max(result.high, p);
  return result;
}

std::vector<Vec3> at_rest(const rig::Subject& subject) {
  return posed(subject, kinematics::rest_motion(subject.rig, 1, 1));
}

TEST(Upright, SetsUpABodyThatLiesOnItsSide) {
  const rig::Facing facing = rig::make_facing({0, 0, 1}, {0, -1, 0}).value();
  const Upright upright = stand_upright(lying_creature(), facing).value();
  const std::vector<Vec3> points = at_rest(upright.subject);
  const Extent size = extent(points);
  EXPECT_NEAR(size.low.y, 0, 1e-4f);
  EXPECT_NEAR(size.high.y, 1, 1e-4f);
  EXPECT_NEAR(size.low.x + size.high.x, 0, 1e-4f);
  EXPECT_NEAR(size.low.z + size.high.z, 0, 1e-4f);
  // The creature, as large.
  std::vector<Vec3> expected = at_rest(creature());
  const Extent own = extent(expected);
  const float scale = 1 / (own.high.y - own.low.y);
  for (Vec3& p : expected) {
    p = scale * (p - Vec3{0.5f * (own.low.x + own.high.x), own.low.y, 0.5f * (own.low.z + own.high.z)});
  }
  EXPECT_LT(farthest(points, expected), 1e-4f);
  EXPECT_EQ(upright.subject.facing.up, (Vec3{0, 1, 0}));
  EXPECT_EQ(upright.subject.facing.forward, (Vec3{0, 0, 1}));
}

/// The creature upright and one high, as riggers measure bodies.
const rig::Subject& measured() {
  static const rig::Subject subject =
      stand_upright(lying_creature(), rig::make_facing({0, 0, 1}, {0, -1, 0}).value()).value().subject;
  return subject;
}

TEST(Upright, MakesTheSameSubjectOfEveryAttitudeToTheLastBit) {
  std::optional<rig::Subject> first;
  for (int k = 0; k < 36; ++k) {
    Vec3 up, forward;
    up[k / 12] = (k & 1) != 0 ? -1.0f : 1.0f, forward[k / 4 % 3] = (k & 2) != 0 ? -1.0f : 1.0f;
    if (dot(up, forward) != 0 || (up.y == 1 && forward.z == 1)) continue;
    const Mat3 file_from_upright = Mat3::from_columns(cross(up, forward), up, forward);
    const rig::Subject lying = rig::moved_subject(measured(), {file_from_upright, 1, {}}).value();
    const Upright upright = stand_upright(lying, rig::make_facing(up, forward).value()).value();
    EXPECT_EQ(upright.world_from_upright, file_from_upright) << k;
    if (!first) first = upright.subject;
    EXPECT_EQ(upright.subject.points, first->points) << k;
    EXPECT_EQ(upright.subject.normals, first->normals) << k;
    EXPECT_EQ(posed(upright.subject, stage().walk), posed(*first, stage().walk)) << k;
  }
  EXPECT_LT(farthest(posed(*first, stage().walk), posed(measured(), stage().walk)), 1e-5f);
}

TEST(Upright, ScalesTranslationsOfJointsWithTheBody) {
  // Twice as large as a subject should be, and lying: what slides a joint out slides it as far, of the height.
  const rig::Subject lying =
      rig::moved_subject(measured(), {rows({1, 0, 0}, {0, 0, -1}, {0, 1, 0}), 2, {0.3f, 1, -0.2f}}).value();
  kinematics::Motion motion = kinematics::rest_motion(lying.rig, 1, 1);
  motion.overrides.push_back({1, {lying.rig.joints()[1].rest.translation + Vec3{0.4f, 0, 0}}, {}});
  const Upright upright = stand_upright(lying, rig::make_facing({0, 0, 1}, {0, -1, 0}).value()).value();
  EXPECT_NEAR(upright.world_unit, 2, 1e-3f);
  kinematics::Motion turned = motion;
  turn_upright(upright, turned);
  const float far = farthest(posed(upright.subject, turned), at_rest(upright.subject));
  EXPECT_NEAR(far * upright.world_unit, farthest(posed(lying, motion), at_rest(lying)), 1e-4f);
  turn_back(upright, turned);
  EXPECT_LT(norm(turned.overrides[0].translations[0] - motion.overrides[0].translations[0]), 1e-6f);
}

TEST(Upright, TurnsMotionsBackIntoTheirOwnWorld) {
  const rig::Subject lying = lying_creature();
  const Upright upright = stand_upright(lying, rig::make_facing({0, 0, 1}, {0, -1, 0}).value()).value();
  kinematics::Motion motion = stage().walk;
  turn_back(upright, motion);
  // As the file has it: the walk of the body that stands, mapped like that body at rest.
  std::vector<Vec3> expected = posed(upright.subject, stage().walk);
  const Extent file = extent(at_rest(lying)), own = extent(at_rest(upright.subject));
  const float scale = (file.high.x - file.low.x) / (own.high.x - own.low.x);
  for (Vec3& p : expected) {
    p = scale * Vec3{p.x, -p.z, p.y} +
        Vec3{file.low.x - scale * own.low.x, file.high.y + scale * own.low.z, file.low.z};
  }
  EXPECT_LT(farthest(posed(lying, motion), expected), 1e-3f);
  const Vec3 way = motion.root_translations.back() - motion.root_translations.front();
  EXPECT_LT(way.y, -0.5f * norm(way)) << "along -Y, where it looks";
}

// --- which way that is -----------------------------------------------------------------------------------------------

asset::Asset rigged_asset(rig::Subject& subject) {
  asset::Asset asset = zoo::static_asset(stage().creature);
  EXPECT_TRUE(exporter::add_rig(asset, subject).ok());
  return asset;
}

TEST(FacingOf, IsAsAskedThenAsKnownThenAsFound) {
  rig::Subject subject = creature();
  const asset::Asset asset = rigged_asset(subject);
  std::vector<Warning> warnings;
  Request request;
  request.facing = rig::make_facing({0, 0, 1}, {1, 0, 0}).value();
  subject.facing = rig::make_facing({0, 1, 0}, {0, 0, -1}).value();
  EXPECT_EQ(facing_of(asset, subject, request, warnings).up, (Vec3{0, 0, 1}));
  request.facing.reset();
  EXPECT_EQ(facing_of(asset, subject, request, warnings).forward, (Vec3{0, 0, -1}));
  subject.facing = {};
  EXPECT_GT(facing_of(asset, subject, request, warnings).forward.z, 0.9f);
  EXPECT_TRUE(warnings.empty()) << in_words(warnings.front());
}

TEST(FacingOf, WarnsWhereWhatItFindsIsUnusual) {
  rig::Subject subject = creature();
  asset::Asset asset = rigged_asset(subject);
  // The whole scene turned about, and nobody says how it stands.
  for (asset::Skin& skin : asset.skins) skin.extras.clear();
  asset::Node pivot;
  pivot.local.rotation = {0, 1, 0, 0};
  pivot.children = asset.scenes.at(0).roots;
  asset.nodes.push_back(pivot);
  asset.scenes[0].roots = {static_cast<int>(asset.nodes.size()) - 1};
  subject.facing = {};
  std::vector<Warning> warnings;
  EXPECT_LT(facing_of(asset, subject, {}, warnings).forward.z, -0.9f);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, "facing_unusual");
}

}  // namespace
}  // namespace limber::animate
