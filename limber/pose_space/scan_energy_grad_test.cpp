// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "limber/base/expect.h"
#include "limber/pose_space/pose_testing.h"
#include "limber/pose_space/scan_energy.h"
#include "limber/pose_space/scan_testing.h"

namespace limber::pose_space {
namespace {

std::vector<Vec3d> in_double(std::span<const Vec3> points) {
  std::vector<Vec3d> result;
  for (const Vec3& p : points) result.push_back(p.cast<double>());
  return result;
}

Scan scan_of(const rig::Subject& subject, const kinematics::Motion& motion, int samples = 200) {
  return Scan::make(posed_points(subject, motion), subject.triangles, samples).value();
}

std::vector<BodyPoint> places_of(const rig::Subject& subject, int count) {
  const std::vector<Vec3> rest = posed_points(subject, kinematics::rest_motion(subject.rig, 1, 24));
  return draw_points(in_double(rest), subject.triangles, count, 3);
}

TEST(ScanEnergyGrad, AgreesWithDifferences) {
  const rig::Subject subject = test_creature().subject;
  const kinematics::Motion motion = exact_motion(subject.rig, 2, 0.2, 1);
  const Scan scan = scan_of(subject, exact_motion(subject.rig, 1, 0.2, 2));
  const std::vector<Vec3> posed = posed_points(subject, motion);
  std::vector<std::vector<ScanMatch>> matches;
  for (std::size_t f = 0; f < 2; ++f)
    matches.push_back(match_scan(subject, std::span(posed).subspan(f * subject.points.size(), subject.points.size()),
                                 scan, places_of(subject, 100)));
  EXPECT_GT(matches[0].size(), 100u);
  ScanEnergy energy(subject, 0.1);
  energy.set_matches(std::move(matches));
  expect_exact_gradient(energy, motion, 2e-3);
}

TEST(EdgeEnergyGrad, AgreesWithDifferences) {
  const rig::Subject subject = test_creature().subject;
  expect_exact_gradient(EdgeEnergy(subject), exact_motion(subject.rig, 2, 0.4, 3), 5e-3);
}

TEST(EdgeEnergy, IsNothingAtRestAndWhereverTheBodyGoes) {
  const rig::Subject subject = test_creature().subject;
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, 1, 24);
  motion.root_translations[0] = {0.5f, -0.25f, 1}, motion.angles[0] = {0.3f, 1, 0.2f};
  kinematics::MotionGradient unused;
  EXPECT_LT(EdgeEnergy(subject).add(motion, 0, unused), 1e-8);
}

TEST(ScanEnergy, PullsNoMoreThanItsScaleAllows) {
  const rig::Subject subject = test_creature().subject;
  const kinematics::Motion rest = kinematics::rest_motion(subject.rig, 1, 24);
  kinematics::Motion away = rest;
  away.root_translations[0] = {100, 0, 0};
  const Scan scan = scan_of(subject, rest);
  const std::vector<Vec3> posed = posed_points(subject, rest);
  ScanEnergy energy(subject, 0.1);
  energy.set_matches({match_scan(subject, posed, scan, {})});
  kinematics::MotionGradient near, far;
  EXPECT_LT(energy.add(rest, 1, near), 1e-6);
  EXPECT_NEAR(energy.add(away, 1, far), 1, 0.02);  // every match counts one, however far it is
  EXPECT_LT(norm(far.root_translations[0]), 1e-3f);
}

/// What faces away is another side of the body; what lies beside a scan is over one of its holes.
TEST(MatchScan, MatchesWhatFacesTheSameWayAndIsNotBeside) {
  const rig::Subject subject = test_creature().subject;
  const kinematics::Motion rest = kinematics::rest_motion(subject.rig, 1, 24);
  const std::vector<Vec3> posed = posed_points(subject, rest);
  const std::vector<BodyPoint> places = places_of(subject, 400);
  const auto from_body = [&](const Scan& scan) {
    double sum = 0;
    for (const ScanMatch& match : match_scan(subject, posed, scan, places, {1, 1})) sum += match.weight;
    return sum;
  };
  const Scan whole = scan_of(subject, rest);
  EXPECT_NEAR(from_body(whole), 2, 0.02);
  // A scan of the front half alone: the hind half looks for nothing, as what is nearest to it lies beside it.
  std::vector<body::Triangle> front;
  for (const auto& t : subject.triangles)
    if (posed[t[0]].z > 0) front.push_back(t);
  const Scan half = Scan::make(posed, front, 200).value();
  const auto is_behind = [&](const BodyPoint& point) { return posed[point.corners[0]].z < -0.1f; };
  int behind = 0, matched = 0;
  for (const ScanMatch& match : match_scan(subject, posed, half, places, {1, 1}))
    behind += is_behind(match.body) ? 1 : 0, ++matched;
  EXPECT_GT(matched, 300);
  EXPECT_LT(3 * behind, std::count_if(places.begin(), places.end(), is_behind));
}

TEST(Scan, IsRefusedWithoutSurface) {
  EXPECT_FALSE(Scan::make({}, {}).ok());
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  const std::vector<body::Triangle> flat{{0, 1, 2}};
  EXPECT_FALSE(Scan::make(points, flat).ok());
  const std::vector<Vec3> triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const auto scan = Scan::make(triangle, flat, 50);
  ASSERT_TRUE(scan.ok());
  EXPECT_EQ(scan->samples().size(), 50u);
  EXPECT_LT(norm(scan->centre() - Vec3d{1.0 / 3, 1.0 / 3, 0}), 0.1);
  EXPECT_NEAR(norm(scan->nearest({0.2, 0.2, 0.5}, 1)->place - Vec3d{0.2, 0.2, 0}), 0, 1e-9);
  EXPECT_FALSE(scan->nearest({0.2, 0.2, 0.5}, 0.4).has_value());
}

TEST(ScanDistance, MeasuresBothWays) {
  const rig::Subject subject = test_creature().subject;
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, 1, 24);
  const Scan scan = scan_of(subject, motion);
  const std::vector<BodyPoint> places = places_of(subject, 300);
  const ScanDistance same = scan_distance(subject, posed_points(subject, motion), scan, places);
  EXPECT_LT(same.scan_to_body, 1e-5);
  EXPECT_LT(same.body_to_scan, 1e-5);
  EXPECT_EQ(same.explained, 1);
  motion.root_translations[0] = {3, 0, 0};
  const ScanDistance far = scan_distance(subject, posed_points(subject, motion), scan, places);
  EXPECT_GT(far.scan_to_body, 1.5);
  EXPECT_GT(far.body_to_scan, 1.5);
  EXPECT_EQ(far.explained, 0);
}

}  // namespace
}  // namespace limber::pose_space
