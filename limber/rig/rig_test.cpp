// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/rig.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "limber/testing/toy_rigs.h"

namespace limber::rig {
namespace {

Joint joint(std::string name, int parent) {
  Joint result;
  result.name = std::move(name);
  result.parent = parent;
  result.rest.translation = {0, 1, 0};
  return result;
}

std::vector<std::string> names(const Rig& rig) {
  std::vector<std::string> result;
  for (const Joint& j : rig.joints()) result.push_back(j.name);
  return result;
}

TEST(BuildRig, PutsParentsFirst) {
  RigDraft draft;
  draft.joints = {joint("hand", 2), joint("head", 3), joint("arm", 3), joint("root", -1)};
  draft.bones = {{0, {}}, {3, {}}};
  const Rig rig = build_rig(draft).value();
  EXPECT_EQ(names(rig), (std::vector<std::string>{"root", "head", "arm", "hand"}));
  EXPECT_EQ(rig.joints()[3].parent, rig.find("arm"));
  // Bones keep their order and follow their joints.
  EXPECT_EQ(rig.bones()[0].joint, rig.find("hand"));
  EXPECT_EQ(rig.bones()[1].joint, rig.find("root"));
}

TEST(BuildRig, KeepsAnOrderThatIsValidAlready) {
  // Level by level rather than limb by limb: weights that name these joints must stay right.
  RigDraft draft;
  draft.joints = {joint("root", -1), joint("arm.L", 0), joint("arm.R", 0), joint("hand.L", 1), joint("hand.R", 2)};
  const Rig rig = build_rig(draft).value();
  EXPECT_EQ(names(rig), (std::vector<std::string>{"root", "arm.L", "arm.R", "hand.L", "hand.R"}));
}

TEST(BuildRig, BindsOneBonePerJointAtRestWhereNoneAreGiven) {
  testing::ToyRigSettings settings;
  settings.joints = 20;
  settings.scales = settings.frames = true;
  const Rig rig = testing::toy_rig(settings);
  ASSERT_EQ(rig.bone_count(), rig.joint_count());
  for (int j = 0; j < rig.joint_count(); ++j) {
    const auto i = static_cast<std::size_t>(j);
    EXPECT_EQ(rig.bones()[i].joint, j);
    const Vec3 point{0.3f, 0.4f, 0.5f};
    EXPECT_LT(norm(rig.world_from_rest()[i] * (rig.bones()[i].joint_from_bind * point) - point), 1e-5f);
  }
}

TEST(BuildRig, MakesNamesUniqueAndKeepsThoseThatAre) {
  RigDraft draft;
  draft.joints = {joint("leg", -1), joint("leg", 0), joint("leg.2", 0), joint("", 0), joint("", 0), joint("leg", 0)};
  const Rig rig = build_rig(draft).value();
  EXPECT_EQ(names(rig), (std::vector<std::string>{"leg", "leg.3", "leg.2", "joint", "joint.2", "leg.4"}));
  EXPECT_EQ(rig.find("leg.2"), 2);
  EXPECT_EQ(rig.find("wing"), -1);
}

TEST(BuildRig, TakesTensOfThousandsOfEqualNamesInAChain) {
  RigDraft draft;
  for (int j = 0; j < 60000; ++j) draft.joints.push_back(joint("bone", j - 1));
  const Rig rig = build_rig(std::move(draft)).value();
  EXPECT_EQ(rig.joints().back().name, "bone.60000");
}

TEST(BuildRig, NormalisesQuaternionsOfAnyLength) {
  for (const float length : {1e-25f, 1e-3f, 7.0f, 1e30f}) {
    RigDraft draft;
    draft.joints = {joint("root", -1)};
    draft.joints[0].rest.rotation = {length, 0, 0, length};
    draft.joints[0].axes = {0, length, 0, 0};
    const Rig rig = build_rig(draft).value();
    EXPECT_NEAR(rig.joints()[0].rest.rotation.x, std::sqrt(0.5f), 1e-6f) << length;
    EXPECT_EQ(rig.joints()[0].axes, (Quat{0, 1, 0, 0})) << length;
  }
}

TEST(BuildRig, TakesNegativeAndTinyScalesAndAnyUnit) {
  RigDraft draft;
  draft.joints = {joint("root", -1), joint("mirror", 0)};
  draft.joints[0].rest.scale = {0.01f, 0.01f, 0.01f};
  draft.joints[1].rest.scale = {-1, 1, 100};
  draft.joints[1].parent_from_frame.linear = Mat3::diagonal({1e20f, 1e20f, 1e20f});
  EXPECT_TRUE(build_rig(draft).ok());
}

/// The message of the error that the draft must give.
std::string error_of(RigDraft draft) {
  const Result<Rig> result = build_rig(std::move(draft));
  return result.ok() ? "accepted" : result.error().message();
}
void expect_refused(const RigDraft& draft, const std::string& text) {
  const std::string message = error_of(draft);
  EXPECT_NE(message.find(text), std::string::npos) << message;
}

TEST(BuildRig, RefusesWhatIsNotOneTree) {
  expect_refused({}, "at least one joint");
  RigDraft draft;
  draft.joints = {joint("a", 1), joint("b", 0)};
  expect_refused(draft, "cycle");
  draft.joints = {joint("root", -1), joint("a", 2), joint("b", 1)};
  expect_refused(draft, "joint 1 'a': hangs on a cycle");
  draft.joints = {joint("root", -1), joint("self", 1)};
  expect_refused(draft, "joint 1 'self': hangs on a cycle");
  draft.joints = {joint("root", -1), joint("other", -1)};
  expect_refused(draft, "joint 1 'other': a second root; 'root' is the first");
  for (const int parent : {-2, 5, std::numeric_limits<int>::max()}) {
    draft.joints = {joint("root", -1), joint("lost", parent)};
    expect_refused(draft, "does not exist");
  }
}

TEST(BuildRig, RefusesNumbersThatMeanNothing) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  RigDraft good;
  good.joints = {joint("root", -1)};
  const auto with = [&](auto change) {
    RigDraft draft = good;
    change(draft);
    return draft;
  };
  expect_refused(with([&](RigDraft& d) { d.joints[0].rest.translation.y = nan; }), "not finite");
  expect_refused(with([&](RigDraft& d) { d.joints[0].rest.rotation.w = infinity; }), "not finite");
  expect_refused(with([&](RigDraft& d) { d.joints[0].axes.x = nan; }), "not finite");
  expect_refused(with([&](RigDraft& d) { d.joints[0].parent_from_frame.linear(1, 1) = nan; }), "not finite");
  expect_refused(with([&](RigDraft& d) { d.joints[0].rest.scale.z = 0; }), "singular");
  expect_refused(with([&](RigDraft& d) { d.joints[0].parent_from_frame.linear = Mat3{}; }), "singular");
  expect_refused(with([&](RigDraft& d) { d.joints[0].limits.lower.x = 4; }), "limits");
  expect_refused(with([&](RigDraft& d) { d.joints[0].limits.upper.x = nan; }), "limits");
  expect_refused(with([&](RigDraft& d) { d.bones = {{0, {}}, {1, {}}}; }), "bone 1: joint 1 does not exist");
  expect_refused(with([&](RigDraft& d) {
                   d.bones = {{0, {}}};
                   d.bones[0].joint_from_bind.translation.x = nan;
                 }),
                 "bone 0: bind matrix is not finite");
  expect_refused(with([&](RigDraft& d) {
                   d.joints.push_back(joint("far", 0));
                   for (Joint& j : d.joints) j.parent_from_frame.linear = Mat3::diagonal({1e30f, 1e30f, 1e30f});
                 }),
                 "overflows");
}

double row_sum(const SkinWeights& weights, std::size_t point) {
  double sum = 0;
  for (int k = 0; k < weights.stride; ++k) {
    sum += weights.weights[point * static_cast<std::size_t>(weights.stride) + static_cast<std::size_t>(k)];
  }
  return sum;
}

TEST(SkinWeights, KeepTheHeaviestAndSumToOne) {
  const std::vector<std::vector<Influence>> rows{{{1, 0.1f}, {2, 0.5f}, {3, 0.3f}, {4, 0.05f}, {5, 0.2f}, {6, 0.61f}}};
  const SkinWeights four = make_skin_weights(rows, 4);
  EXPECT_EQ(four.points(), 1u);
  EXPECT_EQ(four.bones, (std::vector<std::uint16_t>{6, 2, 3, 5}));
  EXPECT_NEAR(row_sum(four, 0), 1, 1e-6);
  EXPECT_NEAR(four.weights[0], 0.61 / 1.61, 1e-6);
  const SkinWeights eight = make_skin_weights(rows, 8);
  EXPECT_EQ(eight.bones, (std::vector<std::uint16_t>{6, 2, 3, 5, 1, 4, 0, 0}));
  EXPECT_EQ(eight.weights[6], 0.0f);
  EXPECT_NEAR(row_sum(eight, 0), 1, 1e-6);
}

TEST(SkinWeights, MergeABoneThatIsListedTwice) {
  const std::vector<std::vector<Influence>> rows{{{7, 0.2f}, {9, 0.3f}, {7, 0.2f}}};
  const SkinWeights weights = make_skin_weights(rows, 4);
  EXPECT_EQ(weights.bones[0], 7);
  EXPECT_NEAR(weights.weights[0], 4.0 / 7, 1e-6);
  EXPECT_EQ(weights.weights[2], 0.0f);
}

TEST(SkinWeights, GiveUnweightedPointsToTheFallbackBone) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::vector<Influence>> rows{{},         {{3, 0.0f}},     {{3, -1.0f}},
                                                 {{3, nan}}, {{3, infinity}}, {{3, nan}, {4, 1e-30f}}};
  const SkinWeights weights = make_skin_weights(rows, 4, 11);
  for (std::size_t p = 0; p < rows.size(); ++p) {
    EXPECT_EQ(weights.bones[p * 4], p < 5 ? 11 : 4);
    EXPECT_EQ(weights.weights[p * 4], 1.0f);
  }
}

TEST(SkinWeights, SurviveWeightsThatOverflowASum) {
  const float huge = std::numeric_limits<float>::max();
  const std::vector<std::vector<Influence>> rows{{{1, huge}, {1, huge}, {2, huge}}};
  const SkinWeights weights = make_skin_weights(rows, 4);
  EXPECT_NEAR(weights.weights[0], 2.0 / 3, 1e-6);
  EXPECT_NEAR(weights.weights[1], 1.0 / 3, 1e-6);
}

TEST(SkinWeights, RefuseOtherStrides) { EXPECT_THROW(make_skin_weights({}, 5), ContractError); }

}  // namespace
}  // namespace limber::rig
