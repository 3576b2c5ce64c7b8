// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/read_cues.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/skeleton/embed.h"
#include "limber/skeleton/part_contacts.h"
#include "limber/skeleton/place_joints.h"
#include "limber/testing/surfaces.h"

namespace limber::skeleton {
namespace {

using testing::capsule;
using testing::TestSurface;

/// A man of capsules without feet, so that his front is anyone's guess, and what a perfect reader says of him.
struct ReadMan {
  TestSurface surface;
  anatomy::BodyReading reading;

  void add(Vec3d from, Vec3d to, double thick, double thin, anatomy::Region region) {
    const TestSurface piece = capsule(from, to, thick, thin);
    surface.add(piece);
    for (std::size_t i = 0; i < piece.points.size(); i += 3) {
      reading.points.push_back(piece.points[i].cast<double>());
      anatomy::BodyReading::Shares shares{};
      shares[static_cast<std::size_t>(region)] = 1;
      reading.regions.push_back(shares), reading.starts.push_back(from);
    }
  }
};

constexpr double kHandX = 0.185, kHandY = 1.05;  // it just touches

ReadMan man(bool hands_on_hips, Vec3d forward) {
  ReadMan body;
  body.reading.kinds.fill(0), body.reading.kinds[0] = 1;
  body.reading.up = {0, 1, 0}, body.reading.forward = forward;
  body.reading.kind_right = body.reading.front_right = 1;
  body.add({0, 1.0, 0}, {0, 1.4, 0}, 0.15, 0.16, anatomy::Region::kTrunk);
  body.add({0, 1.5, 0}, {0, 1.6, 0}, 0.06, 0.06, anatomy::Region::kNeck);
  body.add({0, 1.65, 0}, {0, 1.75, 0}, 0.1, 0.1, anatomy::Region::kHead);
  for (const double side : {-1.0, 1.0}) {
    // The one that is on the left, seen by the man.
    const bool left = side * forward.z > 0;
    const auto of = [&](anatomy::Region part) { return left ? part : mirrored(part); };
    const Vec3d shoulder{side * 0.2, 1.42, 0}, elbow{side * 0.48, hands_on_hips ? 1.25 : 1.42, 0};
    const Vec3d wrist = hands_on_hips ? Vec3d{side * 0.3, 1.1, 0} : Vec3d{side * 0.75, 1.42, 0};
    const Vec3d hand = hands_on_hips ? Vec3d{side * kHandX, kHandY, 0} : Vec3d{side * 0.85, 1.42, 0};
    body.add(shoulder, elbow, 0.06, 0.05, of(anatomy::Region::kFrontUpperLeft));
    body.add(elbow, wrist, 0.05, 0.04, of(anatomy::Region::kFrontLowerLeft));
    body.add(wrist, hand, 0.04, 0.04, of(anatomy::Region::kFrontEndLeft));
    body.add({side * 0.1, 0.9, 0}, {side * 0.12, 0.5, 0}, 0.09, 0.07, of(anatomy::Region::kHindUpperLeft));
    body.add({side * 0.12, 0.5, 0}, {side * 0.13, 0.1, 0}, 0.07, 0.05, of(anatomy::Region::kHindLowerLeft));
    body.add({side * 0.13, 0.1, 0}, {side * 0.13, 0.04, 0}, 0.05, 0.05, of(anatomy::Region::kHindEndLeft));
  }
  return body;
}

body::BodyShape shape_of(const ReadMan& body) {
  return body::study_body(body.surface.points, body.surface.triangles, {128, 2000000, 3});
}

bool has_limb_to(const body::BodyShape& body, Vec3d place) {
  return std::any_of(body.tips.begin(), body.tips.end(), [&](const body::Tip& tip) {
    return tip.length > body::kLimbRatio * body.sphere(tip.fork).radius &&
           norm(body.sphere(tip.sphere).centre - place) < 0.1;
  });
}

TEST(PartContacts, TellsWhatIsJoinedFromWhatTouches) {
  EXPECT_TRUE(are_joined(anatomy::Region::kTrunk, anatomy::Region::kHindUpperRight));
  EXPECT_TRUE(are_joined(anatomy::Region::kFrontLowerLeft, anatomy::Region::kFrontEndLeft));
  EXPECT_TRUE(are_joined(anatomy::Region::kHead, anatomy::Region::kTrunk));
  EXPECT_TRUE(are_joined(anatomy::Region::kHindUpperLeft, anatomy::Region::kHindUpperRight));
  EXPECT_FALSE(are_joined(anatomy::Region::kTrunk, anatomy::Region::kFrontEndLeft));
  EXPECT_FALSE(are_joined(anatomy::Region::kFrontEndLeft, anatomy::Region::kFrontEndRight));
  EXPECT_FALSE(are_joined(anatomy::Region::kFrontUpperLeft, anatomy::Region::kFrontEndLeft));
  EXPECT_FALSE(are_joined(anatomy::Region::kFrontEndRight, anatomy::Region::kHead));
  EXPECT_FALSE(are_joined(anatomy::Region::kHindLowerLeft, anatomy::Region::kHindLowerRight));
  for (int a = 0; a < anatomy::kRegionCount; ++a) {
    for (int b = 0; b < anatomy::kRegionCount; ++b)
      EXPECT_EQ(are_joined(static_cast<anatomy::Region>(a), static_cast<anatomy::Region>(b)),
                are_joined(static_cast<anatomy::Region>(b), static_cast<anatomy::Region>(a)));
  }
}

TEST(PartContacts, ArmsOnHipsEndAtTheirHands) {
  const ReadMan posed = man(true, {0, 0, 1});
  body::BodyShape body = shape_of(posed);
  EXPECT_FALSE(has_limb_to(body, {0.2, 1.06, 0}));
  EXPECT_GT(cut_contacts(posed.reading, body), 0);
  EXPECT_TRUE(has_limb_to(body, {0.2, 1.06, 0}));
  EXPECT_TRUE(has_limb_to(body, {-0.2, 1.06, 0}));
  // Everything still hangs together.
  EXPECT_TRUE(std::all_of(body.paths.distance.begin(), body.paths.distance.end(), [](double d) { return d < 10; }));
}

TEST(ReadCues, AreSilentWhereTheReadingIsNotBelieved) {
  ReadMan posed = man(true, {0, 0, 1});
  posed.reading.front_right = 0;
  body::BodyShape body = shape_of(posed);
  const ReadCues cues(body, posed.reading);
  EXPECT_EQ(cues.trust(), 0);
  EXPECT_EQ(cues.kind_cost("quadruped"), 0);
  EXPECT_EQ(cues.turn_cost(Mat3d::identity()), 0);
  EXPECT_EQ(cues.region_cost(0, anatomy::Region::kTail), 0);
  EXPECT_FALSE(cues.attitude());
  EXPECT_EQ(cut_contacts(posed.reading, body), 0);
}

TEST(ReadCues, SayWhatIsUnlikely) {
  const ReadMan posed = man(false, {0, 0, 1});
  const body::BodyShape body = shape_of(posed);
  const ReadCues cues(body, posed.reading);
  EXPECT_EQ(cues.trust(), 1);
  EXPECT_EQ(cues.kind_cost("humanoid"), 0);
  EXPECT_GT(cues.kind_cost("fish"), 3);
  EXPECT_GT(cues.kind_cost("my_alien"), 0);
  EXPECT_LT(cues.kind_cost("my_alien"), cues.kind_cost("fish"));
  EXPECT_NEAR(cues.turn_cost(Mat3d::identity()), 0, 1e-12);
  EXPECT_GT(cues.turn_cost(Mat3d::from_columns({-1, 0, 0}, {0, 1, 0}, {0, 0, -1})), 4);
  ASSERT_TRUE(cues.start(anatomy::Region::kFrontLowerLeft));
  EXPECT_LT(norm(*cues.start(anatomy::Region::kFrontLowerLeft) - Vec3d{0.48, 1.42, 0}), 1e-6);
  EXPECT_FALSE(cues.start(anatomy::Region::kTail));
}

Embedding best_match(const ReadMan& posed, body::BodyShape body, EmbedSettings settings) {
  settings.reading = &posed.reading;
  cut_contacts(posed.reading, body);
  std::vector<Embedding> found = embed_skeletons(body, builtin_templates(), settings);
  EXPECT_FALSE(found.empty());
  if (found.empty()) return {};
  place_joints(body, settings, found.front());
  return found.front();
}

TEST(ReadCues, DecideAFrontThatTheShapeDoesNotTell) {
  for (const double ahead : {-1.0, 1.0}) {
    const ReadMan posed = man(false, {0, 0, ahead});
    const Embedding match = best_match(posed, shape_of(posed), {});
    EXPECT_EQ(match.skeleton.name, "humanoid");
    EXPECT_GT(ahead * match.forward().z, 0.9);
  }
}

TEST(ReadCues, GiveWayToAPerson) {
  const ReadMan posed = man(false, {0, 0, 1});
  EmbedSettings settings;
  settings.forward = Vec3d{0, 0, -1};
  EXPECT_LT(best_match(posed, shape_of(posed), settings).forward().z, -0.9);
}

TEST(ReadCues, DoNotKnowTheFrontOfOtherPeoplesSkeletons) {
  const ReadMan posed = man(false, {0, 0, 1});
  const body::BodyShape body = shape_of(posed);
  SkeletonTemplate theirs = builtin_templates().front();
  for (const SkeletonTemplate& own : builtin_templates()) {
    if (own.name == "humanoid") theirs = own;
  }
  EXPECT_EQ(template_regions(theirs).size(), theirs.joints.size());
  theirs.name = "knight";
  EXPECT_TRUE(template_regions(theirs).empty());
  EmbedSettings settings;
  settings.reading = &posed.reading;
  const std::vector<Embedding> found = embed_skeletons(body, std::vector{theirs}, settings);
  // It may look along -Z in its own file.
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const Embedding& e) { return e.forward().z < -0.9; }));
}

TEST(ReadCues, DrawJointsToWhereTheyAreRead) {
  ReadMan posed = man(true, {0, 0, 1});
  const Embedding match = best_match(posed, shape_of(posed), {});
  const int elbow = match.skeleton.find("elbow.L"), wrist = match.skeleton.find("wrist.L");
  ASSERT_GE(elbow, 0);
  ASSERT_GE(wrist, 0);
  EXPECT_LT(norm(match.at[static_cast<std::size_t>(elbow)] - Vec3d{0.48, 1.25, 0}), 0.06);
  EXPECT_LT(norm(match.at[static_cast<std::size_t>(wrist)] - Vec3d{0.3, 1.1, 0}), 0.08);
}

}  // namespace
}  // namespace limber::skeleton
