// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/mjcf.h"

#include <gtest/gtest.h>

#include "limber/physics/physics_testing.h"

namespace limber::physics {
namespace {

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(PhysicsMjcf, HasEveryBodyHingeAndFrame) {
  const Model model = testing::random_model(6, 3);
  const std::vector<double> q = zero_position(model);
  std::vector<double> positions(q);
  positions.insert(positions.end(), q.begin(), q.end());
  const std::string xml = write_mjcf(model, {}, {}, positions, 24);
  EXPECT_EQ(count(xml, "<body "), 6);
  EXPECT_EQ(count(xml, "</body>"), 6);
  EXPECT_EQ(count(xml, "type=\"hinge\""), model.hinge_count());
  EXPECT_EQ(count(xml, "<position "), model.hinge_count());
  EXPECT_EQ(count(xml, "<key "), 2);
  EXPECT_EQ(count(xml, "<freejoint"), 1);
}

TEST(PhysicsMjcf, NamesAreSafeAndDifferent) {
  const Model model = testing::random_model(3, 3);
  MjcfNames names;
  names.bodies = {"a<b>&\"c", "leg", "leg"};
  const std::string xml = write_mjcf(model, {}, names, {}, 24);
  EXPECT_EQ(xml.find("a<b>"), std::string::npos);
  EXPECT_NE(xml.find("\"leg\""), std::string::npos);
  EXPECT_NE(xml.find("\"leg_2\""), std::string::npos);
}

TEST(PhysicsMjcf, PassiveBodiesHaveNoServosAndNoFloor) {
  const Model model = testing::random_model(3, 3);
  const std::string xml = write_mjcf(model, {}, {}, {}, 24, {.drives = false, .ground = false});
  EXPECT_EQ(count(xml, "<position "), 0);
  EXPECT_EQ(count(xml, "plane"), 0);
}

TEST(PhysicsMjcf, StandsUprightInMujocosWorld) {
  const Model model = testing::random_model(2, 3);
  std::vector<double> q = zero_position(model);
  q[0] = 1, q[1] = 2, q[2] = 3;
  const std::vector<double> mapped = mujoco_position(model, q);
  EXPECT_NEAR(mapped[0], 1, 1e-12);
  EXPECT_NEAR(mapped[1], -3, 1e-12);
  EXPECT_NEAR(mapped[2], 2, 1e-12);
}

}  // namespace
}  // namespace limber::physics
