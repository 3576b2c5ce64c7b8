// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/rig_text.h"

#include <gtest/gtest.h>

#include <random>

namespace limber::rig {
namespace {

constexpr const char* kArm =
    "joints hand 2 0 0.5\n"
    "joints shoulder 0 0 0\n"
    "joints elbow 1.0 0.0 1e-1 \n"
    "root shoulder\n"
    "skin 1 elbow 0.2000 hand 0.6000 \r\n"
    "skin 0 shoulder 1.0\n"
    "\n"
    "hier elbow hand\n"
    "hier shoulder elbow\n";

TEST(RigText, ReadsLinesInAnyOrder) {
  const TextRig rig = read_rig_text(kArm, "arm.txt").value();
  ASSERT_EQ(rig.joints.size(), 3u);
  EXPECT_EQ(rig.joints[0].name, "shoulder");
  EXPECT_EQ(rig.joints[0].parent, -1);
  EXPECT_EQ(rig.joints[1].name, "elbow");
  EXPECT_EQ(rig.joints[1].parent, 0);
  EXPECT_EQ(rig.joints[2].name, "hand");
  EXPECT_EQ(rig.joints[2].parent, 1);
  EXPECT_EQ(rig.joints[2].position, (Vec3d{2, 0, 0.5}));
  ASSERT_EQ(rig.skin.size(), 2u);
  EXPECT_EQ(rig.skin[0].vertex, 0u);
  ASSERT_EQ(rig.skin[1].influences.size(), 2u);
  EXPECT_EQ(rig.skin[1].influences[0].joint, 1);
  EXPECT_NEAR(rig.skin[1].influences[0].weight, 0.25, 1e-12);
  EXPECT_NEAR(rig.skin[1].influences[1].weight, 0.75, 1e-12);
}

TEST(RigText, ReadsWhatItWrote) {
  const TextRig rig = read_rig_text(kArm, "arm.txt").value();
  const TextRig again = read_rig_text(write_rig_text(rig), "again.txt").value();
  ASSERT_EQ(again.joints.size(), rig.joints.size());
  for (std::size_t j = 0; j < rig.joints.size(); ++j) {
    EXPECT_EQ(again.joints[j].name, rig.joints[j].name);
    EXPECT_EQ(again.joints[j].parent, rig.joints[j].parent);
    EXPECT_NEAR(norm(again.joints[j].position - rig.joints[j].position), 0, 1e-8);
  }
  EXPECT_EQ(again.skin.size(), rig.skin.size());
}

TEST(RigText, FoldsTheCopiesOfABranchingJoint) {
  const TextRig rig = read_rig_text(
                          "joints hip 0 1 0\njoints hip_dup_0 0 1 0\njoints hip_dup_1 0 1 0\n"
                          "joints left 1 0 0\njoints right -1 0 0\nroot hip\n"
                          "hier hip hip_dup_0\nhier hip hip_dup_1\nhier hip_dup_0 left\nhier hip_dup_1 right\n"
                          "skin 0 hip_dup_0 0.25 hip_dup_1 0.25 left 0.5\n",
                          "dup.txt")
                          .value();
  ASSERT_EQ(rig.joints.size(), 3u);
  EXPECT_EQ(rig.joints[1].parent, 0);
  EXPECT_EQ(rig.joints[2].parent, 0);
  ASSERT_EQ(rig.skin[0].influences.size(), 2u);
  EXPECT_NEAR(rig.skin[0].influences[0].weight, 0.5, 1e-12);
}

TEST(RigText, KeepsANameThatOnlyLooksLikeACopy) {
  const TextRig rig = read_rig_text("joints a_dup_x 0 0 0\njoints b_dup_1 0 1 0\nhier a_dup_x b_dup_1\n", "n").value();
  ASSERT_EQ(rig.joints.size(), 2u);
  EXPECT_EQ(rig.joints[1].name, "b_dup_1");
}

TEST(RigText, TakesARigWithoutSkinOrRootLine) {
  const TextRig rig = read_rig_text("joints a 0 0 0\njoints b 0 1 0\nhier a b", "n").value();
  EXPECT_EQ(rig.joints.size(), 2u);
  EXPECT_TRUE(rig.skin.empty());
}

TEST(RigText, NamesTheBadLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"joints a 0 0 0\njoints a 1 0 0\n", "rig.txt:2"},
      {"joints a 0 0\n", "rig.txt:1"},
      {"joints a 0 0 x\n", "rig.txt:1"},
      {"joints a 0 0 nan\n", "rig.txt:1"},
      {"joints a 0 0 1e999\n", "rig.txt:1"},
      {"joints a 0 0 0\nroot b\n", "rig.txt:2"},
      {"joints a 0 0 0\nroot a\nroot a\n", "rig.txt:3"},
      {"joints a 0 0 0\nhier a b\n", "rig.txt:2"},
      {"joints a 0 0 0\nhier a a\n", "rig.txt:2"},
      {"joints a 0 0 0\njoints b 0 0 0\njoints c 0 0 0\nhier a c\nhier b c\n", "rig.txt:5"},
      {"joints a 0 0 0\njoints b 0 0 0\njoints c 0 0 0\nroot a\nhier b c\nhier c b\n", "rig.txt:6"},
      {"joints a 0 0 0\njoints b 0 0 0\n", "rig.txt:2"},
      {"joints a 0 0 0\njoints b 0 0 0\nroot b\nhier a b\n", "rig.txt:4"},
      {"joints a 0 0 0\nskin 0 a\n", "rig.txt:2"},
      {"joints a 0 0 0\nskin 0 b 1\n", "rig.txt:2"},
      {"joints a 0 0 0\nskin -1 a 1\n", "rig.txt:2"},
      {"joints a 0 0 0\nskin 99999999999 a 1\n", "rig.txt:2"},
      {"joints a 0 0 0\nskin 0 a -1\n", "rig.txt:2"},
      {"joints a 0 0 0\nskin 0 a 1\nskin 0 a 1\n", "rig.txt:3"},
      {"joints a 0 0 0\nskin 0 a 1e308 a 1e308\n", "rig.txt:2"},
      {"bones a 0 0 0\n", "rig.txt:1"},
  };
  for (const auto& [text, where] : cases) {
    const Result<TextRig> rig = read_rig_text(text, "rig.txt");
    ASSERT_FALSE(rig.ok()) << text;
    if (std::string(where) == "rig.txt:6") {  // either line of the cycle will do
      EXPECT_TRUE(rig.error().where == "rig.txt:6" || rig.error().where == "rig.txt:5") << rig.error().message();
    } else {
      EXPECT_EQ(rig.error().where, where) << text << rig.error().message();
    }
  }
  EXPECT_FALSE(read_rig_text("", "empty.txt").ok());
}

TEST(RigText, SurvivesNoise) {
  std::mt19937 random(5);
  const std::string text = kArm;
  for (int k = 0; k < 2000; ++k) {
    std::string broken = text;
    for (int m = 0; m < 3; ++m) broken[random() % broken.size()] = static_cast<char>(random());
    const Result<TextRig> rig = read_rig_text(broken, "noise");
    if (!rig.ok()) continue;
    for (std::size_t j = 0; j < rig->joints.size(); ++j) EXPECT_LT(rig->joints[j].parent, static_cast<int>(j));
  }
}

TEST(RigText, ReadsTheSurfaceInTheOrderOfItsVertices) {
  const TextSurface surface =
      read_obj_surface(
          "# box\nv 9 9 9\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 2//1 3//1 4//1 5//1\nf -3 -2 -1\n",
          "box.obj")
          .value();
  EXPECT_EQ(surface.points.size(), 5u);
  EXPECT_EQ(surface.points[0], (Vec3d{9, 9, 9}));
  ASSERT_EQ(surface.triangles.size(), 3u);
  EXPECT_EQ(surface.triangles[1], (std::array<std::uint32_t, 3>{1, 3, 4}));
  EXPECT_EQ(surface.triangles[2], (std::array<std::uint32_t, 3>{2, 3, 4}));
  EXPECT_EQ(read_obj_surface("v 0 0 0\nf 1 2 3\n", "bad.obj").error().where, "bad.obj:2");
  EXPECT_FALSE(read_obj_surface("f 1 2 3\n", "bad.obj").ok());
}

}  // namespace
}  // namespace limber::rig
