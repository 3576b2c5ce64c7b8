// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/motion_space/motion_contacts.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/base/at.h"
#include "limber/base/expect.h"

namespace limber::motion_space {
namespace {

/// Of what stands: height of the leg's length, and speed in radii a second or of the body's own.
constexpr double kStandingHeight = 0.07, kStandingSpeed = 0.25, kStandingShare = 0.35;

}  // namespace

std::vector<bool> find_standing(const pose_space::PoseSkeleton& skeleton, const std::vector<bool>& feet,
                                std::span<const Vec3d> places, bool way_known) {
  const std::size_t joints = skeleton.joints.size();
  LIMBER_EXPECT(places.size() == at(kFrames) * joints, std::to_string(places.size()));
  std::vector<bool> standing(places.size(), false);
  const Vec3d way = places[at(kFrames - 1) * joints] - places[0];
  const double seconds = (kFrames - 1) / kFps, pace = std::hypot(way.x, way.z) / seconds;
  for (std::size_t j = 0; j < joints; ++j) {
    if (!feet[j]) continue;
    double lowest = 1e9;
    for (int f = 0; f < kFrames; ++f) lowest = std::min(lowest, places[at(f) * joints + j].y);
    const double leg = std::max(-skeleton.joints[j].place.y, 0.1);
    for (int f = 0; f < kFrames; ++f) {
      const int a = std::max(f - 1, 0), b = std::min(f + 1, kFrames - 1);
      const Vec3d moved = places[at(b) * joints + j] - places[at(a) * joints + j];
      const double speed = std::hypot(moved.x, moved.z) * kFps / (b - a);
      const bool low = places[at(f) * joints + j].y < lowest + kStandingHeight * leg;
      const bool still = !way_known || speed < std::max(kStandingSpeed, kStandingShare * pace);
      standing[at(f) * joints + j] = low && still;
    }
  }
  return standing;
}

std::vector<Vec3d> ground_places(const pose_space::PoseSkeleton& skeleton, const MotionState& state) {
  const std::size_t joints = skeleton.joints.size();
  std::vector<Vec3d> places;
  pose_space::PoseState pose(joints * pose_space::kStateSize);
  for (int f = 0; f < kFrames; ++f) {
    const std::span<const double> row = state.frame(f);
    for (std::size_t j = 0; j < joints; ++j)
      std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(j * kJointNumbers), pose_space::kStateSize,
                  pose.begin() + static_cast<std::ptrdiff_t>(j * pose_space::kStateSize));
    const double* body = state.body.data() + f * kBodyNumbers;
    const double c = std::cos(body[0]), s = std::sin(body[0]);
    for (const Vec3d& p : pose_space::shape_of(skeleton, pose).places)
      places.push_back({c * p.x + s * p.z + body[1], p.y + body[3], c * p.z - s * p.x + body[2]});
  }
  return places;
}

void put_standing(const pose_space::PoseSkeleton& skeleton, const std::vector<bool>& feet, MotionState& state,
                  bool way_known, std::optional<double> most_above_rest) {
  const std::vector<Vec3d> places = ground_places(skeleton, state);
  const std::vector<bool> standing = find_standing(skeleton, feet, places, way_known);
  const std::size_t joints = skeleton.joints.size();
  for (std::size_t i = 0; i < standing.size(); ++i) {
    const double rest = skeleton.joints[i % joints].place.y;
    const bool low = !most_above_rest || places[i].y < rest + *most_above_rest * std::abs(rest);
    const double stands = standing[i] && low ? 1 : -1;
    state.poses[i * kJointNumbers + pose_space::kStateSize] = feet[i % joints] ? stands : 0;
  }
}

}  // namespace limber::motion_space
