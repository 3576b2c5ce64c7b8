// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/pose_examples.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/training/character_testing.h"

namespace limber::training {
namespace {

PoseExampleSettings few() {
  PoseExampleSettings settings;
  settings.creatures = 6;
  return settings;
}

/// Six numbers of every joint and pose are two columns of a rotation.
void expect_rotations(const pose_space::PoseExample& example) {
  ASSERT_EQ(example.turns.size(), static_cast<std::size_t>(6 * pose_space::kPosesEach * example.body->joints));
  for (std::size_t i = 0; i < example.turns.size(); i += 6) {
    const Vec3 x{example.turns[i], example.turns[i + 1], example.turns[i + 2]};
    const Vec3 y{example.turns[i + 3], example.turns[i + 4], example.turns[i + 5]};
    ASSERT_NEAR(norm(x), 1, 1e-5);
    ASSERT_NEAR(norm(y), 1, 1e-5);
    ASSERT_NEAR(dot(x, y), 0, 1e-5);
  }
}

TEST(PoseExamples, AreBodiesInSeveralPoses) {
  const pose_space::PoseSource source = pose_examples({}, few());
  for (std::uint64_t i = 0; i < 12; ++i) {
    const auto example = source(i);
    ASSERT_TRUE(example.ok()) << example.error().message();
    EXPECT_EQ(example->body->surface.size(), static_cast<std::size_t>(pose_space::kSurfacePoints));
    expect_rotations(*example);
  }
}

TEST(PoseExamples, AreAlwaysTheSameAndOthersForValidation) {
  const pose_space::PoseSource first = pose_examples({}, few()), second = pose_examples({}, few());
  EXPECT_TRUE(second(9).ok());  // in another order
  EXPECT_EQ(first(3)->turns, second(3)->turns);
  EXPECT_EQ(first(3)->body->features, second(3)->body->features);
  const auto unseen = first(pose_space::kValidationPoses + 3);
  ASSERT_TRUE(unseen.ok());
  for (std::uint64_t i = 0; i < 40; ++i) EXPECT_NE(first(i)->body->features, unseen->body->features);
}

TEST(PoseExamples, TakeTurnsByFamilyAndLeaveOutWhatIsAskedFor) {
  auto characters = std::make_shared<std::vector<Character>>();
  // Nine on one skeleton, one on another.
  for (int i = 0; i < 9; ++i)
    characters->push_back(toy_character("corpus/animals/hopper" + std::to_string(i) + ".glb"));
  Character other = toy_character("corpus/animals/odd.glb");
  rig::RigDraft draft;
  draft.joints.assign(other.rig.joints().begin(), other.rig.joints().end());
  draft.joints[1].name = "wheel", draft.joints[1].rest.translation = {0, -0.25f, 0.1f};
  other.rig = rig::build_rig(draft).value();
  characters->push_back(other);
  PoseExampleSettings settings = few();
  settings.artists = 1;
  const pose_space::PoseSource all = pose_examples({characters, nullptr, nullptr}, settings);
  const auto is_odd = [](const pose_space::PoseExample& e) {
    return e.body->features[static_cast<std::size_t>(pose_space::kJointFeatures + pose_space::kPlaceFeature + 2)] >
           0.1f;
  };
  int odd = 0;
  for (std::uint64_t i = 0; i < 200; ++i) odd += is_odd(all(i).value()) ? 1 : 0;
  EXPECT_GT(odd, 70);
  EXPECT_LT(odd, 130);
  settings.leave_out.names = {"odd"};
  const pose_space::PoseSource without = pose_examples({characters, nullptr, nullptr}, settings);
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_FALSE(is_odd(without(i).value()));
    EXPECT_TRUE(is_odd(without(pose_space::kValidationPoses + i).value()));
  }
}

TEST(PoseExamples, ComeFromHarvestsAsOftenAsAskedButNotOfSkeletonsThatAreLeftOut) {
  const auto one = std::make_shared<std::vector<Character>>();
  one->push_back(toy_character("corpus/animals/hopper.glb"));
  PoseExampleSettings settings = few();
  settings.harvested = 0.5;
  const auto toy = [&](const pose_space::PoseExample& e) { return e.body->joints == one->front().rig.joint_count(); };
  const pose_space::PoseSource source = pose_examples({nullptr, one, nullptr}, settings);
  int toys = 0;
  for (std::uint64_t i = 0; i < 200; ++i) toys += toy(source(i).value()) ? 1 : 0;
  EXPECT_GT(toys, 70);
  EXPECT_LT(toys, 130);
  // Its skeleton is that of a character who is left out, whatever the harvest calls it.
  const auto again = std::make_shared<std::vector<Character>>(*one);
  again->front().name = "harvested";
  settings.leave_out.names = {"hopper"};
  const pose_space::PoseSource without = pose_examples({one, again, nullptr}, settings);
  for (std::uint64_t i = 0; i < 50; ++i) EXPECT_FALSE(toy(without(i).value()));
  EXPECT_TRUE(toy(without(pose_space::kValidationPoses).value()));
}

TEST(PoseSources, AreReadFromWords) {
  const auto some = PoseSources::parse("zoo,video");
  ASSERT_TRUE(some.has_value());
  EXPECT_TRUE(some->zoo && some->video && !some->artists && !some->people);
  EXPECT_FALSE(PoseSources::parse("zoo,birds").has_value());
  EXPECT_FALSE(PoseSources::parse("").has_value());
}

}  // namespace
}  // namespace limber::training
