// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/autorig/auto_rig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "limber/asset/read.h"
#include "limber/autorig/autorig_testing.h"
#include "limber/base/rng.h"
#include "limber/rig/stance.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/surfaces.h"

namespace limber::autorig {
namespace {

using testing::ball;
using testing::capsule;
using testing::dog;
using testing::TestSurface;

void add_box(TestSurface& surface, Vec3d low, Vec3d high) {
  const auto first = static_cast<std::uint32_t>(surface.points.size());
  for (int k = 0; k < 8; ++k) {
    surface.points.push_back(
        Vec3d{(k & 1) != 0 ? high.x : low.x, (k & 2) != 0 ? high.y : low.y, (k & 4) != 0 ? high.z : low.z}
            .cast<float>());
  }
  // Without tops and bottoms: open boxes, eight triangles each.
  for (const auto& [a, b, c, d] : {std::array{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 2, 6, 4}, {1, 5, 7, 3}}) {
    const auto at = [first](int k) { return first + static_cast<std::uint32_t>(k); };
    surface.triangles.push_back({at(a), at(c), at(b)});
    surface.triangles.push_back({at(a), at(d), at(c)});
  }
}

/// A dog of open boxes.
TestSurface coarse_dog() {
  TestSurface body;
  add_box(body, {-0.12, 0.4, -0.4}, {0.12, 0.65, 0.35});
  add_box(body, {-0.09, 0.6, 0.3}, {0.09, 0.85, 0.65});
  for (const double side : {-1.0, 1.0}) {
    for (const double z : {-0.32, 0.25}) {
      add_box(body, {side * 0.09 - 0.04, 0, z - 0.05}, {side * 0.09 + 0.04, 0.45, z + 0.05});
    }
  }
  return body;
}

Vec3d joint(const AutoRig& rigged, const std::string& name) {
  const int j = rigged.plan.find(name);
  EXPECT_GE(j, 0) << name;
  return j < 0 ? Vec3d{} : rig::asset_from_subject(rigged.subject) * rigged.plan.joints[static_cast<std::size_t>(j)].at;
}

/// The dog's rig, found once for all tests that only look at it.
const Result<AutoRig>& rigged_dog() {
  static const Result<AutoRig> rigged = auto_rig(asset_of(dog()));
  return rigged;
}

TEST(AutoRig, KnowsADogWhenItSeesOne) {
  const auto& rigged = rigged_dog();
  ASSERT_TRUE(rigged.ok()) << rigged.error().message();
  EXPECT_EQ(rigged->report.kind, "quadruped");
  EXPECT_GT(rigged->report.confidence, 0.5);
  EXPECT_TRUE(rigged->report.symmetric);
  EXPECT_GT(rigged->subject.facing.forward.z, 0.9);
  EXPECT_GT(joint(*rigged, "head").z, 0.3);
  EXPECT_LT(joint(*rigged, "tail.1").z, -0.3);
  EXPECT_GT(joint(*rigged, "knee.L").x, 0.03);
  EXPECT_LT(joint(*rigged, "elbow.R").x, -0.03);
  EXPECT_LT(joint(*rigged, "paw.L").y, 0.2);
}

TEST(AutoRig, KeepsEveryJointInsideTheMesh) {
  const auto& rigged = rigged_dog();
  ASSERT_TRUE(rigged.ok());
  EXPECT_EQ(rigged->report.joints_outside, 0);
}

TEST(AutoRig, FindsTheTurnAmong24) {
  // Up along -X, ahead along +Y.
  const Vec3d up{-1, 0, 0}, ahead{0, 1, 0};
  const Mat3d turn = Mat3d::from_columns(cross(up, ahead), up, ahead);
  const auto rigged = auto_rig(asset_of(turned(dog(), turn)));
  ASSERT_TRUE(rigged.ok());
  EXPECT_EQ(rigged->report.kind, "quadruped");
  EXPECT_GT(dot(rigged->subject.facing.forward.cast<double>(), ahead), 0.9);
  EXPECT_GT(dot(rigged->subject.facing.up.cast<double>(), up), 0.9);
  EXPECT_GT(dot(joint(*rigged, "knee.L"), turn * Vec3d{1, 0, 0}), 0.03);
}

TEST(AutoRig, FindsATurnAlongNoAxis) {
  const Mat3d turn = to_matrix(axis_angle(normalized(Vec3d{1, 2, -1}), 0.7));
  const auto rigged = auto_rig(asset_of(turned(dog(), turn)));
  ASSERT_TRUE(rigged.ok());
  EXPECT_EQ(rigged->report.kind, "quadruped");
  EXPECT_GT(dot(rigged->subject.facing.forward.cast<double>(), turn * Vec3d{0, 0, 1}), 0.85);
  EXPECT_GT(dot(rigged->subject.facing.up.cast<double>(), turn * Vec3d{0, 1, 0}), 0.85);
}

TEST(AutoRig, IsNotPutOffBySpecks) {
  TestSurface dusty = dog();
  Rng rng(11);
  const auto dust = [&](Vec3d at) {
    const auto first = static_cast<std::uint32_t>(dusty.points.size());
    for (int k = 0; k < 3; ++k) {
      const Vec3d off{rng.uniform() - 0.5, rng.uniform() - 0.5, rng.uniform() - 0.5};
      dusty.points.push_back((at + 0.004 * off).cast<float>());
    }
    dusty.triangles.push_back({first, first + 1, first + 2});
  };
  const std::size_t clean = dusty.points.size();
  for (int n = 0; n < 600; ++n) {
    const Vec3d skin = dusty.points[rng.below(static_cast<std::uint32_t>(clean))].cast<double>();
    dust(skin + 0.1 * Vec3d{rng.uniform() - 0.5, rng.uniform() - 0.5, rng.uniform() - 0.5});
  }
  for (int n = 0; n < 40; ++n) dust({6 * rng.uniform() - 3, 6 * rng.uniform() - 3, 6 * rng.uniform() - 3});
  const auto rigged = auto_rig(asset_of(dusty));
  ASSERT_TRUE(rigged.ok()) << rigged.error().message();
  EXPECT_EQ(rigged->report.kind, "quadruped");
  EXPECT_GT(rigged->subject.facing.forward.z, 0.9);
  for (const char* name : {"head", "hips", "paw.L", "toe.R"}) {
    EXPECT_LT(norm(joint(*rigged, name) - joint(*rigged_dog(), name)), 0.08) << name;
  }
  // They are weighted like all else.
  EXPECT_EQ(rigged->subject.weights.points(), dusty.points.size());
}

TEST(AutoRig, LeavesOutTheGround) {
  TestSurface standing = dog();
  const auto first = static_cast<std::uint32_t>(standing.points.size());
  for (const float x : {-1.5f, 1.5f}) {
    for (const float z : {-1.5f, 1.5f}) standing.points.push_back({x, -0.005f, z});
  }
  standing.triangles.push_back({first, first + 1, first + 3});
  standing.triangles.push_back({first, first + 3, first + 2});
  const auto rigged = auto_rig(asset_of(standing));
  ASSERT_TRUE(rigged.ok()) << rigged.error().message();
  EXPECT_EQ(rigged->report.kind, "quadruped");
  EXPECT_GT(rigged->subject.facing.forward.z, 0.9);
  for (const char* name : {"head", "hips", "paw.L", "toe.R"}) {
    EXPECT_LT(norm(joint(*rigged, name) - joint(*rigged_dog(), name)), 0.08) << name;
  }
  EXPECT_EQ(rigged->subject.weights.points(), standing.points.size());
}

TEST(AutoRig, IgnoresTheOrderOfVerticesAndTriangles) {
  const TestSurface surface = dog();
  TestSurface mixed;
  std::vector<std::uint32_t> place(surface.points.size());
  std::iota(place.begin(), place.end(), 0u);
  Rng rng(4);
  for (std::size_t k = place.size(); k > 1; --k)
    std::swap(place[k - 1], place[rng.below(static_cast<std::uint32_t>(k))]);
  mixed.points.resize(place.size());
  for (std::size_t k = 0; k < place.size(); ++k) mixed.points[place[k]] = surface.points[k];
  for (const body::Triangle& t : surface.triangles) mixed.triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
  std::reverse(mixed.triangles.begin(), mixed.triangles.end());
  const auto& a = rigged_dog();
  const auto b = auto_rig(asset_of(mixed));
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_EQ(a->plan.joints.size(), b->plan.joints.size());
  for (std::size_t j = 0; j < a->plan.joints.size(); ++j) {
    EXPECT_EQ(a->plan.joints[j].name, b->plan.joints[j].name);
    EXPECT_LT(norm(a->plan.joints[j].at - b->plan.joints[j].at), 0.03) << a->plan.joints[j].name;
  }
}

TEST(AutoRig, TakesHints) {
  AutoRigSettings settings;
  settings.pins = {{"head", {0, 0.8, 0.5}}};
  settings.max_joints = 15;
  settings.root = "chest";
  settings.forward = Vec3{0, 0, 1};
  const auto rigged = auto_rig(asset_of(dog()), settings);
  ASSERT_TRUE(rigged.ok()) << rigged.error().message();
  EXPECT_LE(rigged->plan.joints.size(), 15u);
  EXPECT_EQ(rigged->plan.joints.front().name, "chest");
  EXPECT_LT(norm(joint(*rigged, "head") - Vec3d{0, 0.8, 0.5}), 1e-4);
  settings.root = "nose";
  EXPECT_FALSE(auto_rig(asset_of(dog()), settings).ok());
  settings.root.reset(), settings.pins = {{"antenna", {0, 0, 0}}};
  EXPECT_FALSE(auto_rig(asset_of(dog()), settings).ok());
}

TEST(AutoRig, TurnsABodyWhoseUpIsGivenAndTurnsItsRigBack) {
  // As files of some programs have it: +Z up, -Y ahead.
  const Mat3d turn = transposed(rig::upright_from({0, 0, 1}));
  AutoRigSettings settings;
  settings.up = Vec3{0, 0, 1}, settings.skeleton_only = true;
  const auto rigged = auto_rig(asset_of(turned(dog(), turn)), settings);
  ASSERT_TRUE(rigged.ok()) << rigged.error().message();
  EXPECT_EQ(rigged->report.kind, "quadruped");
  EXPECT_EQ(rigged->report.joints_outside, 0);
  EXPECT_LT(norm(rigged->subject.facing.up - Vec3{0, 0, 1}), 1e-3f);
  EXPECT_GT(dot(rigged->subject.facing.forward, Vec3{0, -1, 0}), 0.99f);
  ASSERT_EQ(rigged->plan.joints.size(), rigged_dog()->plan.joints.size());
  for (const skeleton::PlannedJoint& j : rigged->plan.joints) {
    EXPECT_LT(norm(joint(*rigged, j.name) - turn * joint(*rigged_dog(), j.name)), 0.03) << j.name;
  }
}

TEST(AutoRig, StandsAsAsked) {
  AutoRigSettings settings;
  settings.skeleton_only = true;
  for (const Vec3 up : {Vec3{0, -1, 0}, Vec3{0, 0.9f, 0.1f}}) {
    settings.up = up;
    const auto rigged = auto_rig(asset_of(dog()), settings);
    ASSERT_TRUE(rigged.ok()) << rigged.error().message();
    EXPECT_GT(dot(rigged->subject.facing.up, normalized(up)), 0.7f);
  }
}

TEST(AutoRig, FacesASkeletonOfTheShapeAsAsked) {
  AutoRigSettings settings;
  settings.source = SkeletonSource::kCurve, settings.skeleton_only = true;
  auto rigged = auto_rig(asset_of(dog()), settings);
  ASSERT_TRUE(rigged.ok());
  EXPECT_LT(rigged->subject.facing.confidence, 0.1f);
  settings.forward = Vec3{0, -1, 0};
  rigged = auto_rig(asset_of(dog()), settings);
  ASSERT_TRUE(rigged.ok());
  EXPECT_EQ(rigged->subject.facing.forward, (Vec3{0, -1, 0}));
  EXPECT_EQ(rigged->subject.facing.up, (Vec3{0, 0, 1}));
  EXPECT_EQ(rigged->subject.facing.confidence, 1);
}

TEST(AutoRig, SaysWhichSettingsContradict) {
  const asset::Asset asset = asset_of(dog());
  const auto refuses = [&](const AutoRigSettings& settings) {
    const auto rigged = auto_rig(asset, settings);
    return !rigged.ok() && rigged.error().kind == ErrorKind::kConflict;
  };
  AutoRigSettings settings;
  settings.up = Vec3{0, 0, 1}, settings.forward = Vec3{0, 0, -2};
  EXPECT_TRUE(refuses(settings));
  settings = {};
  settings.parts.emplace();
  EXPECT_TRUE(refuses(settings));
  for (const SkeletonSource source : {SkeletonSource::kCurve, SkeletonSource::kParts}) {
    settings = {};
    settings.source = source, settings.pins = {{"head", {0, 1, 0}}};
    EXPECT_TRUE(refuses(settings));
    settings.pins.clear(), settings.templates = {skeleton::builtin_templates().front()};
    EXPECT_TRUE(refuses(settings));
  }
  settings = {};
  settings.source = SkeletonSource::kParts, settings.max_joints = 5;
  EXPECT_TRUE(refuses(settings));
}

TEST(TemplateNamed, FindsBuiltInOnesAndListsThemOtherwise) {
  ASSERT_TRUE(template_named("fish").ok());
  EXPECT_EQ(template_named("fish")->name, "fish");
  const auto none = template_named("unicorn");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind, ErrorKind::kMissing);
  EXPECT_NE(none.error().what.find("quadruped"), std::string::npos);
}

TEST(AutoRig, GivesABodyThatNoTemplateFitsASkeletonOfItsOwn) {
  // A star of seven arms.
  TestSurface star = ball({0, 0, 0}, 0.2);
  for (int k = 0; k < 7; ++k) {
    const double a = 2 * kPi * k / 7;
    star.add(capsule({0, 0, 0}, {std::cos(a), 0.05 * k, std::sin(a)}, 0.06, 0.04));
  }
  AutoRigSettings settings;
  settings.source = SkeletonSource::kCurve;
  const auto rigged = auto_rig(asset_of(star), settings);
  ASSERT_TRUE(rigged.ok());
  EXPECT_EQ(rigged->report.kind, "curve");
  int arms = 0;
  for (const skeleton::PlannedJoint& j : rigged->plan.joints) arms += j.tail ? 1 : 0;
  EXPECT_GE(arms, 7);
  EXPECT_EQ(rigged->report.joints_outside, 0);
  // Nobody stated its limbs, so they are found.
  EXPECT_GT(rigged->subject.rig.limbs().size(), 1u);
}

TEST(AutoRig, GivesADogWithWingsJointsInItsWings) {
  TestSurface dragon = dog();
  for (const double side : {-1.0, 1.0}) {
    dragon.add(capsule({side * 0.08, 0.62, 0.1}, {side * 0.6, 0.9, -0.05}, 0.04, 0.03));
    dragon.add(capsule({side * 0.6, 0.9, -0.05}, {side, 0.7, -0.3}, 0.03, 0.02));
  }
  AutoRigSettings settings;
  settings.skeleton_only = true;
  const auto rigged = auto_rig(asset_of(dragon), settings);
  ASSERT_TRUE(rigged.ok()) << rigged.error().message();
  EXPECT_EQ(rigged->report.kind, "quadruped");
  EXPECT_GT(rigged->subject.facing.forward.z, 0.9);
  EXPECT_GT(joint(*rigged, "limb.1.2.L").x, 0.3);
  EXPECT_LT(joint(*rigged, "limb.1.2.R").x, -0.3);
  EXPECT_EQ(rigged->report.joints_outside, 0);
}

TEST(AutoRig, SurvivesAnyScaleAndInsideOutSurfaces) {
  AutoRigSettings settings;
  settings.skeleton_only = true;
  for (const double scale : {0.001, 1000.0}) {
    TestSurface scaled = dog();
    for (Vec3& p : scaled.points) p = (scale * p.cast<double>()).cast<float>();
    for (body::Triangle& t : scaled.triangles) std::swap(t[0], t[1]);
    const auto rigged = auto_rig(asset_of(scaled), settings);
    ASSERT_TRUE(rigged.ok()) << rigged.error().message();
    EXPECT_EQ(rigged->report.kind, "quadruped") << scale;
    EXPECT_GT(rigged->subject.facing.forward.z, 0.9) << scale;
    EXPECT_GT(joint(*rigged, "head").z, 0.3 * scale);
  }
}

TEST(AutoRig, SurvivesFiftyTrianglesAndHundredsOfPieces) {
  // A dog of boxes has about fifty triangles.
  const TestSurface coarse = coarse_dog();
  EXPECT_LE(coarse.triangles.size(), 60u);
  const auto small = auto_rig(asset_of(coarse));
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(small->report.kind, "quadruped");
  // One that is torn into its triangles has as many pieces.
  const TestSurface whole = dog();
  TestSurface torn;
  for (std::size_t t = 0; t < whole.triangles.size(); ++t) {
    const body::Triangle& corners = whole.triangles[t];
    const Vec3d middle =
        (1.0 / 3) * (whole.points[corners[0]].cast<double>() + whole.points[corners[1]].cast<double>() +
                     whole.points[corners[2]].cast<double>());
    const auto first = static_cast<std::uint32_t>(torn.points.size());
    for (const std::uint32_t c : corners)
      torn.points.push_back(lerp(whole.points[c].cast<double>(), middle, 0.02).cast<float>());
    torn.triangles.push_back({first, first + 1, first + 2});
  }
  AutoRigSettings settings;
  settings.skeleton_only = true;
  const auto rigged = auto_rig(asset_of(torn), settings);
  ASSERT_TRUE(rigged.ok());
  EXPECT_GT(rigged->report.components, 300);
  EXPECT_GT(rigged->plan.joints.size(), 5u);
}

TEST(AutoRig, SurvivesDirt) {
  TestSurface dirty = dog();
  Rng rng(8);
  for (body::Triangle& t : dirty.triangles) {
    if (rng.chance(0.3)) std::swap(t[0], t[1]);
  }
  for (int k = 0; k < 13; ++k) {
    const Vec3d at{rng.uniform(-0.5, 0.5), rng.uniform(0, 1), rng.uniform(-0.7, 0.7)};
    dirty.add(ball(at, 0.004, 8));
  }
  dirty.triangles.push_back({0, 0, 1});
  dirty.triangles.push_back(dirty.triangles[2]);
  const auto rigged = auto_rig(asset_of(dirty));
  ASSERT_TRUE(rigged.ok()) << rigged.error().message();
  EXPECT_EQ(rigged->report.kind, "quadruped");
  const rig::SkinWeights& weights = rigged->subject.weights;
  ASSERT_EQ(weights.points(), dirty.points.size());
  for (std::size_t p = 0; p < weights.points(); ++p) {
    float sum = 0;
    for (int k = 0; k < weights.stride; ++k)
      sum += weights.weights[p * static_cast<std::size_t>(weights.stride) + static_cast<std::size_t>(k)];
    EXPECT_NEAR(sum, 1, 1e-4);
  }
}

TEST(AutoRig, RigsSheetsSpecksAndSingleTriangles) {
  TestSurface sheet;
  sheet.points = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  EXPECT_TRUE(auto_rig(asset_of(sheet)).ok());
  sheet.triangles = {{0, 1, 2}};
  EXPECT_TRUE(auto_rig(asset_of(sheet)).ok());
  sheet.points = {{5, 5, 5}, {5, 5, 5}, {5, 5, 5}}, sheet.triangles = {{0, 1, 2}};
  EXPECT_TRUE(auto_rig(asset_of(sheet)).ok());
  EXPECT_TRUE(auto_rig(asset_of(ball({0, 0, 0}, 500))).ok());
  asset::Asset nothing;
  nothing.name = "nothing.glb";
  EXPECT_FALSE(auto_rig(nothing).ok());
}

TEST(AutoRig, RefusesMeshesThatHaveASkin) {
  asset::Asset asset = asset_of(dog());
  asset.skins.push_back({});
  asset.skins[0].joints = {0};
  asset.nodes[0].skin = 0;
  const auto rigged = auto_rig(asset);
  ASSERT_FALSE(rigged.ok());
  EXPECT_EQ(rigged.error().where, "test.glb#/nodes/0");
}

TEST(AutoRig, StopsWhenAsked) {
  const auto rigged = auto_rig(asset_of(dog()), {}, [](std::string_view, double fraction) { return fraction < 0.2; });
  ASSERT_FALSE(rigged.ok());
  EXPECT_EQ(rigged.error().kind, ErrorKind::kCancelled);
}

TEST(AutoRig, NamesHumanoidsForOtherProgramsAndRefusesOthers) {
  const auto shared = limber::testing::shared_dir();
  if (shared.empty()) GTEST_SKIP() << "no shared data";
  const auto man = asset::read_asset(shared / "assets/static/model_human_m2m.glb");
  ASSERT_TRUE(man.ok());
  AutoRigSettings settings;
  settings.names = "unity";
  const auto rigged = auto_rig(*man, settings);
  ASSERT_TRUE(rigged.ok()) << rigged.error().message();
  EXPECT_GE(rigged->plan.find("LeftUpperLeg"), 0);
  EXPECT_GT(joint(*rigged, "LeftHand").x, 0.3);
  EXPECT_GT(rigged->subject.facing.forward.z, 0.9);
  const auto refused = auto_rig(asset_of(dog()), settings);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().what.find("humanoid"), std::string::npos);
}

TEST(RigFromParts, PutsJointsWhereThePartsMeet) {
  // A worm of three pieces along X.
  TestSurface worm = capsule({0, 0, 0}, {3, 0, 0}, 0.3, 0.3, 24);
  skeleton::PartLabels labels;
  for (const body::Triangle& t : worm.triangles) {
    const float x = (worm.points[t[0]].x + worm.points[t[1]].x + worm.points[t[2]].x) / 3;
    labels.faces.push_back(x < 0.75f ? 0 : (x < 2.2f ? 1 : 2));
  }
  labels.names = {"left", "middle", "right"};
  AutoRigSettings settings;
  settings.source = SkeletonSource::kParts, settings.parts = labels;
  const auto rigged = auto_rig(asset_of(worm), settings);
  ASSERT_TRUE(rigged.ok()) << rigged.error().message();
  ASSERT_EQ(rigged->plan.joints.size(), 3u);
  EXPECT_EQ(rigged->plan.joints[0].name, "middle");
  EXPECT_FALSE(rigged->subject.rig.limbs().empty());
  EXPECT_NEAR(joint(*rigged, "left").x, 0.75, 0.2);
  EXPECT_NEAR(joint(*rigged, "right").x, 2.25, 0.2);
  EXPECT_LT(std::abs(joint(*rigged, "right").y), 0.05);
  labels.faces.pop_back();
  settings.parts = labels;
  EXPECT_FALSE(auto_rig(asset_of(worm), settings).ok());
}

TEST(RigFromParts, KeepsThePartsOfJointsWhenTheRootChanges) {
  TestSurface worm = capsule({0, 0, 0}, {3, 0, 0}, 0.3, 0.3, 24);
  AutoRigSettings settings;
  settings.source = SkeletonSource::kParts, settings.root = "left";
  skeleton::PartLabels& labels = settings.parts.emplace();
  for (const body::Triangle& t : worm.triangles) labels.faces.push_back(worm.points[t[0]].x < 1.5f ? 0 : 1);
  labels.names = {"left", "right"};
  const auto rigged = auto_rig(asset_of(worm), settings);
  ASSERT_TRUE(rigged.ok()) << rigged.error().message();
  EXPECT_EQ(rigged->plan.joints.front().name, "left");
  const rig::SkinWeights& weights = rigged->subject.weights;
  for (std::size_t p = 0; p < worm.points.size(); ++p) {
    const float x = worm.points[p].x;
    if (x > 0.3f && x < 2.7f) continue;
    // The heaviest influence comes first.
    const int bone = weights.bones[p * static_cast<std::size_t>(weights.stride)];
    EXPECT_EQ(rigged->plan.joints[static_cast<std::size_t>(bone)].name, x < 1 ? "left" : "right") << x;
  }
}

TEST(RigFromParts, ReadsLabelsFromJsonAndText) {
  EXPECT_EQ(skeleton::parse_labels("[0, 1, 1]", "l").value().faces, (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(skeleton::parse_labels("0\n1\n-1 2", "l").value().faces, (std::vector<int>{0, 1, -1, 2}));
  const auto named = skeleton::parse_labels(R"({"face_labels": [1], "part_names": ["a", "b"]})", "l");
  EXPECT_EQ(named.value().names[1], "b");
  EXPECT_EQ(skeleton::parse_labels("0\n1\nx", "l.txt").error().where, "l.txt:3");
  EXPECT_FALSE(skeleton::parse_labels("[0, 99999]", "l").ok());
  EXPECT_FALSE(skeleton::parse_labels(R"({"labels": [0]})", "l").ok());
}

TEST(SkeletonPlan, FacesSquareToItsPairs) {
  skeleton::SkeletonPlan plan;
  plan.joints = {{"hips", -1, {0, 1, 0}, {}}, {"hip.L", 0, {0.08, 1, -0.06}, {}}, {"hip.R", 0, {-0.08, 1, 0.06}, {}}};
  const Vec3d square = normalized(Vec3d{0.06, 0, 0.08});
  skeleton::face_by_pairs(plan);
  EXPECT_LT(norm(plan.forward - square), 1e-9);
  // Whoever has left and right swapped is not believed, nor are pairs one above the other.
  plan.forward = {0, 0, -1};
  skeleton::face_by_pairs(plan);
  EXPECT_EQ(plan.forward, (Vec3d{0, 0, -1}));
  plan.joints[1].at = {0, 2, 0.01}, plan.joints[2].at = {0, 0, 0};
  skeleton::face_by_pairs(plan);
  EXPECT_EQ(plan.forward, (Vec3d{0, 0, -1}));
}

TEST(AutoRig, TellsTheFrontOfAManWithoutSymmetry) {
  // One arm ahead, the other one up, one foot before the other; turned by half of what lies between the turns tried.
  TestSurface man = capsule({0, 0.5, 0}, {0, 0.76, 0}, 0.08, 0.09);
  man.add(capsule({0, 0.78, 0}, {0, 0.86, 0}, 0.04, 0.04));
  man.add(capsule({0, 0.9, 0.01}, {0, 0.94, 0.02}, 0.07, 0.06));
  man.add(capsule({0.06, 0.48, 0}, {0.07, 0.06, 0.1}, 0.06, 0.035));
  man.add(capsule({0.07, 0.03, 0.09}, {0.07, 0.025, 0.21}, 0.03, 0.025));
  man.add(capsule({-0.06, 0.48, 0}, {-0.07, 0.06, -0.12}, 0.06, 0.035));
  man.add(capsule({-0.07, 0.03, -0.13}, {-0.07, 0.025, -0.01}, 0.03, 0.025));
  man.add(capsule({0.07, 0.77, 0}, {0.18, 0.74, 0.33}, 0.045, 0.022));
  man.add(capsule({-0.07, 0.77, 0}, {-0.3, 1.05, 0}, 0.045, 0.022));
  for (const double yaw : {0.4, 0.8}) {
    const Mat3d turn = to_matrix(axis_angle(Vec3d{0, 1, 0}, yaw));
    const auto rigged = auto_rig(asset_of(turned(man, turn)));
    ASSERT_TRUE(rigged.ok());
    EXPECT_EQ(rigged->report.kind, "humanoid") << yaw;
    EXPECT_GT(dot(rigged->subject.facing.forward.cast<double>(), turn * Vec3d{0, 0, 1}), 0.9) << yaw;
  }
}

TEST(SkeletonPlan, GivesMirroredBonesMirroredAxes) {
  const auto& rigged = rigged_dog();
  ASSERT_TRUE(rigged.ok());
  const rig::Rig& rig = rigged->subject.rig;
  const Affine left = rig.world_from_rest()[static_cast<std::size_t>(rig.find("knee.L"))];
  const Affine right = rig.world_from_rest()[static_cast<std::size_t>(rig.find("knee.R"))];
  // As far as the voxels of the solid are mirror images.
  EXPECT_NEAR(left.linear(1, 1), right.linear(1, 1), 2e-3);
  EXPECT_NEAR(left.linear(0, 1), -right.linear(0, 1), 2e-3);
  EXPECT_NEAR(left.linear(2, 2), right.linear(2, 2), 2e-3);
  // +Y along the bone, +Z ahead.
  const Vec3 shin = rig.world_from_rest()[static_cast<std::size_t>(rig.find("ankle.L"))].translation - left.translation;
  EXPECT_GT(dot(normalized(shin), left.linear.column(1)), 0.999f);
  EXPECT_GT(left.linear.column(2).z, 0.5f);
}

}  // namespace
}  // namespace limber::autorig
