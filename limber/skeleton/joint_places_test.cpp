// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>

#include "limber/body/body_shape.h"
#include "limber/body/slice_widths.h"
#include "limber/skeleton/curve.h"
#include "limber/skeleton/embed.h"
#include "limber/skeleton/extra_limbs.h"
#include "limber/skeleton/name_profiles.h"
#include "limber/skeleton/place_joints.h"
#include "limber/testing/surfaces.h"

namespace limber::skeleton {
namespace {

using testing::capsule;
using testing::dog;
using testing::TestSurface;

/// A man with arms spread and as many fingers: faces +Z, +Y up.
TestSurface man(int fingers) {
  TestSurface body = capsule({0, 0.5, 0}, {0, 0.76, 0}, 0.08, 0.09);
  body.add(capsule({0, 0.78, 0}, {0, 0.86, 0}, 0.04, 0.04));
  body.add(capsule({0, 0.9, 0.01}, {0, 0.94, 0.01}, 0.07, 0.06));
  for (const double side : {-1.0, 1.0}) {
    body.add(capsule({side * 0.05, 0.48, 0}, {side * 0.07, 0.06, -0.01}, 0.06, 0.035));
    body.add(capsule({side * 0.07, 0.03, -0.02}, {side * 0.07, 0.025, 0.1}, 0.03, 0.025));
    body.add(capsule({side * 0.05, 0.77, 0}, {side * 0.4, 0.77, 0}, 0.045, 0.022));
    body.add(capsule({side * 0.4, 0.77, 0}, {side * 0.43, 0.77, 0}, 0.028, 0.028));
    if (fingers == 5) body.add(capsule({side * 0.41, 0.77, 0.02}, {side * 0.44, 0.76, 0.07}, 0.009, 0.008));
    for (int k = 0; k < 4 && fingers == 5; ++k) {
      const double z = 0.03 - 0.02 * k;
      body.add(capsule({side * 0.44, 0.77, 0.8 * z}, {side * (0.53 - 0.01 * std::abs(k - 1.5)), 0.77, 1.2 * z}, 0.008,
                       0.007));
    }
    if (fingers == 0) body.add(capsule({side * 0.43, 0.77, 0}, {side * 0.5, 0.77, 0}, 0.028, 0.02));
  }
  return body;
}

/// A flat rectangle of two triangles per cell, in the plane z = 0.
TestSurface strip(double width, double height, int columns, int rows) {
  TestSurface surface;
  for (int j = 0; j <= rows; ++j) {
    for (int i = 0; i <= columns; ++i) {
      surface.points.push_back(
          Vec3d{width * (static_cast<double>(i) / columns - 0.5), height * j / rows, 0}.cast<float>());
    }
  }
  const auto row = static_cast<std::uint32_t>(columns + 1);
  for (std::uint32_t j = 0; j < static_cast<std::uint32_t>(rows); ++j) {
    for (std::uint32_t i = 0; i + 1 < row; ++i) {
      const std::uint32_t a = j * row + i;
      surface.triangles.push_back({a, a + 1, a + row});
      surface.triangles.push_back({a + 1, a + row + 1, a + row});
    }
  }
  return surface;
}

/// A plate of some thickness.
TestSurface plate(Vec3d low, Vec3d high) {
  TestSurface surface;
  for (int k = 0; k < 8; ++k) {
    surface.points.push_back(
        Vec3d{(k & 1) != 0 ? high.x : low.x, (k & 2) != 0 ? high.y : low.y, (k & 4) != 0 ? high.z : low.z}
            .cast<float>());
  }
  surface.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                       {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return surface;
}

body::BodyShape shape_of(const TestSurface& surface) { return body::study_body(surface.points, surface.triangles); }

const SkeletonTemplate& template_of(const std::string& kind) {
  const auto& all = builtin_templates();
  return *std::find_if(all.begin(), all.end(), [&](const SkeletonTemplate& t) { return t.name == kind; });
}

/// The skeleton that one template gets, with its extra limbs.
SkeletonPlan plan_of(const TestSurface& surface, const SkeletonTemplate& skeleton, const EmbedSettings& settings = {}) {
  const body::BodyShape body = shape_of(surface);
  std::vector<Embedding> found = embed_skeletons(body, std::span(&skeleton, 1), settings);
  if (found.empty()) return {};
  place_joints(body, settings, found.front());
  SkeletonPlan plan = plan_from_embedding(found.front());
  add_extra_limbs(body, settings, found.front(), plan);
  return plan;
}

SkeletonPlan plan_of(const TestSurface& surface, const std::string& kind) {
  return plan_of(surface, template_of(kind));
}

Vec3d place(const SkeletonPlan& plan, const std::string& name) {
  const int j = plan.find(name);
  EXPECT_GE(j, 0) << name;
  return j < 0 ? Vec3d{} : plan.joints[static_cast<std::size_t>(j)].at;
}

/// The limb that a joint belongs to.
rig::Limb limb_named(const SkeletonPlan& plan, const std::string& joint) {
  const int j = plan.find(joint);
  EXPECT_GE(j, 0) << joint;
  const int limb = j < 0 ? -1 : plan.joints[static_cast<std::size_t>(j)].role.limb;
  EXPECT_GE(limb, 0) << joint;
  return limb < 0 ? rig::Limb{} : plan.limbs[static_cast<std::size_t>(limb)];
}

std::ptrdiff_t count_limbs(const SkeletonPlan& plan) {
  return std::count_if(plan.joints.begin(), plan.joints.end(),
                       [](const PlannedJoint& joint) { return joint.name.starts_with("limb."); });
}

TEST(SliceWidths, TellHowBroadAThinSheetIs) {
  const body::SliceWidths widths(shape_of(strip(0.4, 2, 4, 20)));
  const body::SliceWidths::Slice slice = widths.at({0.1, 0.4, 0});
  EXPECT_NEAR(slice.breadth, 0.4, 0.06);
  EXPECT_NEAR(slice.middle.x, 0, 0.03);
  EXPECT_EQ(widths.at({5, 0, 0}).breadth, 0);
}

TEST(MedialSpheres, ReachAllOverASheet) {
  const body::BodyShape body = shape_of(strip(1, 2, 1, 4));
  double lowest = 2, highest = 0;
  for (const body::MedialSphere& s : body.graph.spheres) {
    lowest = std::min(lowest, s.centre.y), highest = std::max(highest, s.centre.y);
  }
  EXPECT_LT(lowest, 0.1);
  EXPECT_GT(highest, 1.9);
  EXPECT_LE(body.graph.count(), 1200);
}

TEST(CurveSkeleton, MakesAStripOneChainAndNoCorners) {
  const SkeletonPlan plan = curve_skeleton(shape_of(strip(1, 2, 1, 4)));
  ASSERT_EQ(plan.joints.size(), 2u);
  EXPECT_NEAR(plan.joints[0].at.x, 0, 0.1);
  EXPECT_LT(plan.joints[0].at.y, 0.2);
  EXPECT_NEAR(plan.joints[1].at.y, 1, 0.15);
}

TEST(CurveSkeleton, KeepsEveryArmOfAStar) {
  TestSurface star;
  for (int k = 0; k < 5; ++k) {
    const double angle = 2 * kPi * k / 5;
    star.add(capsule({0, 0, 0}, {std::cos(angle), std::sin(angle), 0}, 0.12, 0.06));
  }
  const SkeletonPlan plan = curve_skeleton(shape_of(star));
  std::vector<int> ends(plan.joints.size(), 0);
  for (const PlannedJoint& joint : plan.joints) {
    if (joint.parent >= 0) ends[static_cast<std::size_t>(joint.parent)] = 1;
  }
  EXPECT_EQ(std::count(ends.begin(), ends.end(), 0), 5);
}

TEST(CurveSkeleton, KeepsTheShortLegsAndEarsOfAThickBody) {
  TestSurface body = capsule({0, 0.4, -0.2}, {0, 0.4, 0.2}, 0.2, 0.2);
  for (const double side : {-1.0, 1.0}) {
    for (const double z : {-0.25, 0.25}) body.add(capsule({side * 0.15, 0.3, z}, {side * 0.17, 0.0, z}, 0.08, 0.07));
    body.add(capsule({side * 0.1, 0.5, 0.3}, {side * 0.3, 0.75, 0.3}, 0.04, 0.03));
  }
  const SkeletonPlan plan = curve_skeleton(shape_of(body));
  int feet = 0, ears = 0;
  for (const PlannedJoint& joint : plan.joints) {
    if (!joint.tail) continue;
    feet += joint.tail->y < 0.05 ? 1 : 0;
    ears += joint.tail->y > 0.6 && std::abs(joint.tail->x) > 0.2 ? 1 : 0;
  }
  EXPECT_EQ(feet, 4);
  EXPECT_EQ(ears, 2);
}

TEST(PlaceJoints, PutsHipsAboveTheLegs) {
  const SkeletonPlan plan = plan_of(dog(), "quadruped");
  for (const char* side : {".L", ".R"}) {
    const Vec3d hip = place(plan, std::string("hip") + side), knee = place(plan, std::string("knee") + side);
    EXPECT_NEAR(std::abs(hip.x), 0.1, 0.03);
    EXPECT_GT(hip.y, 0.47);
    EXPECT_GT(hip.y, knee.y + 0.08);
  }
  // Shoulders of animals hang low.
  EXPECT_LT(place(plan, "shoulder.L").y, place(plan, "chest").y - 0.02);
}

TEST(PlaceJoints, PutsThePelvisOfAManBetweenHisHips) {
  const SkeletonPlan plan = plan_of(man(0), "humanoid");
  const double hips = 0.5 * (place(plan, "hip.L").y + place(plan, "hip.R").y);
  EXPECT_NEAR(place(plan, "hips").y, hips, 0.03);
  EXPECT_GT(place(plan, "spine.1").y, place(plan, "hips").y + 0.02);
  // The neck is where the body is thin between chest and head.
  EXPECT_NEAR(place(plan, "neck").y, 0.82, 0.05);
}

TEST(PlaceJoints, GivesAShortTubeFewJointsAndASnakeMany) {
  const SkeletonPlan tube = plan_of(capsule({0, 0, -0.5}, {0, 0, 0.5}, 0.1, 0.1), "snake");
  EXPECT_GE(tube.joints.size(), 2u);
  EXPECT_LE(tube.joints.size(), 5u);
  const SkeletonPlan snake = plan_of(capsule({0, 0, -0.5}, {0, 0, 0.5}, 0.03, 0.03), "snake");
  EXPECT_EQ(snake.joints.size(), 13u);
  // Sections count the joints that are left.
  for (const SkeletonPlan& plan : {tube, snake}) {
    for (const PlannedJoint& joint : plan.joints) {
      if (joint.parent < 0) continue;
      const rig::Role above = plan.joints[static_cast<std::size_t>(joint.parent)].role;
      EXPECT_EQ(joint.role.section, above.limb == joint.role.limb ? above.section + 1 : 0) << joint.name;
    }
  }
}

TEST(ExtraLimbs, GivesEarsJointsInPairs) {
  TestSurface body = dog();
  for (const double side : {-1.0, 1.0})
    body.add(capsule({side * 0.05, 0.82, 0.42}, {side * 0.1, 1.0, 0.4}, 0.03, 0.015));
  const SkeletonPlan plan = plan_of(body, "quadruped");
  EXPECT_EQ(count_limbs(plan), 4);
  EXPECT_GT(place(plan, "limb.1.2.L").x, 0.03);
  EXPECT_LT(place(plan, "limb.1.2.R").x, -0.03);
  const int ear = plan.find("limb.1.1.L");
  ASSERT_GE(ear, 0);
  EXPECT_EQ(plan.joints[static_cast<std::size_t>(plan.joints[static_cast<std::size_t>(ear)].parent)].name, "head");
  for (const char* name : {"limb.1.1.R", "limb.1.2.R"}) {
    const rig::Limb limb = limb_named(plan, name);
    EXPECT_EQ(limb.kind, rig::LimbKind::kEar);
    EXPECT_EQ(limb.side, rig::Side::kRight);
    EXPECT_EQ(plan.limbs[static_cast<std::size_t>(limb.parent)].kind, rig::LimbKind::kHead);
  }
  EXPECT_EQ(plan.joints[static_cast<std::size_t>(plan.find("limb.1.2.R"))].role.section, 1);
}

TEST(ExtraLimbs, NamesTheSideOfALimbWithoutPartner) {
  TestSurface body = dog();
  body.add(capsule({0.1, 0.6, 0.1}, {0.55, 0.85, 0.05}, 0.03, 0.02));
  const SkeletonPlan plan = plan_of(body, "quadruped");
  EXPECT_GT(place(plan, "limb.1.1.L").x, 0.05);
  EXPECT_EQ(plan.find("limb.1.1.R"), -1);
  EXPECT_EQ(limb_named(plan, "limb.1.1.L").side, rig::Side::kLeft);
  EXPECT_EQ(limb_named(plan, "limb.1.1.L").parent, 0);
}

TEST(ExtraLimbs, LeavesOutWhatHandsHoldButNotWings) {
  TestSurface armed = man(0);
  armed.add(capsule({0.47, 0.77, 0}, {0.47, 0.77, 0.5}, 0.015, 0.012));
  EXPECT_EQ(count_limbs(plan_of(armed, "humanoid")), 0);
  TestSurface winged = man(0);
  for (const double side : {-1.0, 1.0})
    winged.add(capsule({side * 0.03, 0.7, -0.06}, {side * 0.3, 1.0, -0.45}, 0.025, 0.015));
  const SkeletonPlan plan = plan_of(winged, "humanoid");
  EXPECT_GT(count_limbs(plan), 0);
  EXPECT_EQ(limb_named(plan, "limb.1.1.L").kind, rig::LimbKind::kArm);
}

TEST(ExtraLimbs, KeepsStumpsThatWereReadToBeArms) {
  TestSurface body = dog();
  anatomy::BodyReading reading;
  reading.kind_right = 1;  // which way it looks nobody knows
  reading.limbs.resize(1);
  for (const double side : {-1.0, 1.0}) {
    const TestSurface stump = capsule({side * 0.1, 0.6, 0.15}, {side * 0.26, 0.62, 0.15}, 0.03, 0.02);
    body.add(stump);
    anatomy::ReadLimb arm;
    arm.kind = rig::LimbKind::kArm;
    for (const Vec3& p : stump.points) {
      arm.points.push_back(static_cast<int>(reading.points.size()));
      reading.points.push_back(p.cast<double>()), reading.limb_kinds.push_back(rig::LimbKind::kArm);
    }
    reading.limbs.push_back(std::move(arm));
  }
  for (const Vec3& p : dog().points) {
    reading.points.push_back(p.cast<double>()), reading.limb_kinds.push_back(rig::LimbKind::kTrunk);
  }
  reading.regions.resize(reading.points.size()), reading.starts.resize(reading.points.size());
  EXPECT_EQ(count_limbs(plan_of(body, "quadruped")), 0) << "bumps, where nobody knows better";
  EmbedSettings settings;
  settings.reading = &reading;
  const SkeletonPlan plan = plan_of(body, template_of("quadruped"), settings);
  EXPECT_EQ(limb_named(plan, "limb.1.1.L").kind, rig::LimbKind::kArm);
  EXPECT_EQ(limb_named(plan, "limb.1.1.R").kind, rig::LimbKind::kArm);
}

TEST(ExtraLimbs, NamesTheSideThatALimbLeavesNotTheOneItReachesFor) {
  TestSurface body = dog();
  body.add(capsule({-0.1, 0.6, 0.05}, {-0.45, 0.8, 0.05}, 0.03, 0.025));
  body.add(capsule({-0.45, 0.8, 0.05}, {0.02, 1.05, 0.0}, 0.025, 0.02));
  EXPECT_LT(place(plan_of(body, "quadruped"), "limb.1.1.R").x, -0.05);
}

TEST(ExtraLimbs, LeavesOutAntlersAndPlates) {
  TestSurface antlers = dog();
  for (const double side : {-1.0, 1.0}) {
    antlers.add(capsule({side * 0.04, 0.82, 0.44}, {side * 0.2, 1.15, 0.4}, 0.02, 0.015));
    antlers.add(capsule({side * 0.11, 0.97, 0.42}, {side * 0.08, 1.15, 0.55}, 0.015, 0.012));
    antlers.add(capsule({side * 0.15, 1.05, 0.41}, {side * 0.28, 1.05, 0.3}, 0.015, 0.012));
  }
  EXPECT_EQ(count_limbs(plan_of(antlers, "quadruped")), 0);
  // Thick ones, with tines that leave beside their middle.
  TestSurface thick = dog();
  for (const double side : {-1.0, 1.0}) {
    thick.add(capsule({side * 0.04, 0.82, 0.44}, {side * 0.25, 1.25, 0.38}, 0.04, 0.03));
    thick.add(capsule({side * 0.135, 1.01, 0.437}, {side * 0.155, 1.13, 0.613}, 0.014, 0.012));
  }
  EXPECT_EQ(count_limbs(plan_of(thick, "quadruped")), 0);
  TestSurface plated = dog();
  plated.add(plate({-0.02, 0.6, -0.25}, {0.02, 0.85, 0.2}));
  EXPECT_EQ(count_limbs(plan_of(plated, "quadruped")), 0);
}

TEST(ExtraLimbs, TreatsBothOfAPairAlike) {
  // One stub ends a little too low to be an ear.
  auto stubs = [](double left, double right) {
    TestSurface body = dog();
    body.add(capsule({0.06, 0.8, 0.44}, {0.19, left, 0.44}, 0.045, 0.03));
    body.add(capsule({-0.06, 0.8, 0.44}, {-0.19, right, 0.44}, 0.045, 0.03));
    return count_limbs(plan_of(body, "quadruped"));
  };
  EXPECT_EQ(stubs(0.86, 0.86), 4);
  EXPECT_EQ(stubs(0.86, 0.81), 0);
}

/// One piece: each part is sewn to the others where it is nearest to them.
TestSurface sewn(const std::vector<TestSurface>& parts) {
  TestSurface body = parts.front();
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const auto before = static_cast<std::uint32_t>(body.points.size());
    body.add(parts[k]);
    std::uint32_t a = 0, b = before;
    for (std::uint32_t i = 0; i < before; ++i) {
      for (std::uint32_t j = before; j < body.points.size(); ++j) {
        if (norm(body.points[i] - body.points[j]) < norm(body.points[a] - body.points[b])) a = i, b = j;
      }
    }
    body.triangles.push_back({a, b, b + 1});
  }
  return body;
}

TEST(ExtraLimbs, LeavesOutHornsWhereverTheHeadsJointIs) {
  std::vector<TestSurface> parts = {capsule({0, 0.55, -0.3}, {0, 0.55, 0.25}, 0.12, 0.13),
                                    capsule({0, 0.57, 0.25}, {0, 0.75, 0.42}, 0.07, 0.06),
                                    capsule({0, 0.76, 0.42}, {0, 0.72, 0.62}, 0.09, 0.05)};
  for (const double side : {-1.0, 1.0}) {
    for (const double z : {-0.32, 0.22})
      parts.push_back(capsule({side * 0.1, 0.5, z}, {side * 0.11, 0.03, z}, 0.06, 0.035));
  }
  TestSurface horned = sewn(parts);
  const std::size_t first = horned.points.size();
  for (const double side : {-1.0, 1.0})
    horned.add(capsule({side * 0.03, 0.8, 0.46}, {side * 0.1, 1.1, 0.4}, 0.02, 0.015));
  const body::BodyShape body = shape_of(horned);
  ASSERT_EQ(body.surface.component_count, 3);
  std::vector<Embedding> found = embed_skeletons(body, std::span(&template_of("quadruped"), 1));
  ASSERT_FALSE(found.empty());
  place_joints(body, {}, found.front());
  SkeletonPlan plan = plan_from_embedding(found.front());
  // At the root of a horn.
  plan.joints[static_cast<std::size_t>(plan.find("head"))].at = horned.points[first].cast<double>();
  EXPECT_EQ(add_extra_limbs(body, {}, found.front(), plan), 0);
}

TEST(Fingers, GetNamesWhereFiveAreSeen) {
  const SkeletonPlan plan = plan_of(man(5), "humanoid");
  for (const char* name : {"thumb", "index", "middle", "ring", "pinky"}) {
    const Vec3d left = place(plan, std::string(name) + ".2.L"), right = place(plan, std::string(name) + ".2.R");
    EXPECT_GT(left.x, 0.4) << name;
    EXPECT_LT(right.x, -0.4) << name;
  }
  // From the thumb in front to the little finger behind.
  EXPECT_GT(place(plan, "thumb.2.L").z, place(plan, "index.2.L").z);
  EXPECT_GT(place(plan, "index.2.L").z, place(plan, "middle.2.L").z);
  EXPECT_GT(place(plan, "ring.2.R").z, place(plan, "pinky.2.R").z);
  EXPECT_EQ(plan.find("fingers.L"), -1);
  for (const char* name : {"thumb", "index", "middle", "ring", "pinky"}) {
    for (const char* side : {".L", ".R"}) {
      const rig::Limb finger = limb_named(plan, std::string(name) + ".2" + side);
      EXPECT_EQ(finger.kind, rig::LimbKind::kFinger) << name;
      EXPECT_EQ(finger.side, std::string(side) == ".L" ? rig::Side::kLeft : rig::Side::kRight) << name;
      EXPECT_EQ(plan.limbs[static_cast<std::size_t>(finger.parent)].kind, rig::LimbKind::kArm) << name;
    }
  }
  EXPECT_EQ(std::count_if(plan.limbs.begin(), plan.limbs.end(),
                          [](const rig::Limb& limb) { return limb.kind == rig::LimbKind::kFinger; }),
            10);
  SkeletonPlan renamed = plan;
  ASSERT_TRUE(apply_names(renamed, "humanoid", "unity").ok());
  EXPECT_GE(renamed.find("LeftIndexProximal"), 0);
  EXPECT_GE(renamed.find("RightLittleIntermediate"), 0);
}

TEST(Fingers, LeaveHandsAloneThatArePinned) {
  // The end of a hand is no joint of the plan.
  for (const std::string name : {"fingers.L", "hand.tip.L"}) {
    EmbedSettings settings;
    settings.pins = {{name, {0.47, 0.77, 0}}};
    const SkeletonPlan plan = plan_of(man(5), template_of("humanoid"), settings);
    const int fingers = plan.find("fingers.L");
    ASSERT_GE(fingers, 0) << name;
    const PlannedJoint& joint = plan.joints[static_cast<std::size_t>(fingers)];
    EXPECT_LT(norm((name == "fingers.L" ? joint.at : joint.tail.value_or(Vec3d{})) - Vec3d{0.47, 0.77, 0}), 1e-9);
    EXPECT_EQ(plan.find("fingers.R"), -1) << "the other hand has its fingers";
  }
}

TEST(Fingers, LeaveHandsAloneThatATemplateHasThumbsFor) {
  SkeletonTemplate skeleton = template_of("humanoid");
  for (const bool left : {true, false}) {
    const std::string side = left ? ".L" : ".R";
    const int wrist = skeleton.find("wrist" + side), first = static_cast<int>(skeleton.joints.size());
    for (const bool tip : {false, true}) {
      TemplateJoint thumb = skeleton.joints[static_cast<std::size_t>(skeleton.find("fingers" + side))];
      thumb.name = (tip ? "thumb.tip" : "thumb.1") + side, thumb.tip = tip;
      thumb.parent = tip ? first : wrist, thumb.partner = left ? first + 2 + tip : first - 2 + tip;
      thumb.at =
          skeleton.joints[static_cast<std::size_t>(wrist)].at + Vec3d{left ? 0.01 : -0.01, -0.02, tip ? 0.08 : 0.03};
      skeleton.joints.push_back(thumb);
    }
  }
  const SkeletonPlan plan = plan_of(man(5), skeleton);
  EXPECT_GE(plan.find("thumb.1.L"), 0);
  std::set<std::string> names;
  for (const PlannedJoint& joint : plan.joints) EXPECT_TRUE(names.insert(joint.name).second) << joint.name;
}

TEST(Fingers, AreNotSeenInAMitten) {
  const SkeletonPlan plan = plan_of(man(0), "humanoid");
  EXPECT_GE(plan.find("fingers.L"), 0);
  EXPECT_EQ(plan.joints.size(), 24u);
}

}  // namespace
}  // namespace limber::skeleton
