// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/footfalls.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"

namespace limber::metrics {
namespace {

constexpr double kLow = 0.03;       // leg lengths over the lowest place of a foot: down for sure
constexpr double kLowShare = 0.15;  // the same of how high it is lifted
constexpr double kOnTheSpot = 0.2;  // of the speed that its feet say: a body that goes slower stays where it is
constexpr double kShortest = 0.02;  // heights: shorter legs were not found rightly
constexpr double kNear = 0.05, kFarStep = 0.025;  // UniMate's, in heights of the hips

Vec3d level(Vec3d v) { return {v.x, 0, v.z}; }

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Frames in which a foot is about as low as it comes.
std::vector<bool> frames_down(const std::vector<Vec3d>& path, double leg) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vec3d& place : path) low = std::min(low, place.y), high = std::max(high, place.y);
  const double limit = low + std::max(kLow * leg, kLowShare * (high - low));
  std::vector<bool> down;
  for (const Vec3d& place : path) down.push_back(place.y <= limit);
  return down;
}

/// How fast feet go over the plane y = 0 while they are down, a step each.
std::vector<Vec3d> steps_down(const std::vector<std::vector<Vec3d>>& paths, const std::vector<std::vector<bool>>& down,
                              double fps) {
  std::vector<Vec3d> steps;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    for (std::size_t f = 1; f < paths[k].size(); ++f) {
      if (down[k][f] && down[k][f - 1]) steps.push_back(fps * level(paths[k][f] - paths[k][f - 1]));
    }
  }
  return steps;
}

Vec3d middle_of(const std::vector<Vec3d>& steps) {
  std::vector<double> x, z;
  for (const Vec3d& step : steps) x.push_back(step.x), z.push_back(step.z);
  return {median(x), 0, median(z)};
}

}  // namespace

std::optional<Footfalls> find_footfalls(const rig::Rig& rig, std::span<const Foot> feet,
                                        const kinematics::Motion& motion) {
  const int frames = motion.frame_count();
  if (feet.empty() || frames < 2) return std::nullopt;
  const std::vector<Affine> joints = kinematics::joint_matrices(rig, motion);
  const std::size_t count = at(rig.joint_count());
  Footfalls falls;
  std::vector<std::vector<Vec3d>> paths(feet.size());
  double down = 0;
  for (std::size_t k = 0; k < feet.size(); ++k) {
    for (int f = 0; f < frames; ++f) {
      paths[k].push_back((joints[at(f) * count + at(feet[k].joint)] * feet[k].sole).cast<double>());
    }
    falls.down.push_back(frames_down(paths[k], feet[k].length));
    down += static_cast<double>(std::count(falls.down[k].begin(), falls.down[k].end(), true));
    falls.leg_length += feet[k].length / static_cast<double>(feet.size());
  }
  falls.duty = down / (static_cast<double>(feet.size()) * frames);
  const std::vector<Vec3d> steps = steps_down(paths, falls.down, motion.fps);
  const Vec3d body = level((joints[at(frames - 1) * count].translation - joints[0].translation).cast<double>()) *
                     (motion.fps / (frames - 1));
  const Vec3d stood_on = middle_of(steps);
  falls.speed = norm(body - stood_on) / falls.leg_length;
  if (norm(body) < kOnTheSpot * norm(body - stood_on)) falls.ground = stood_on;
  double slid = 0;
  for (const Vec3d& step : steps) slid += norm(step - falls.ground) / falls.leg_length;
  falls.skate = steps.empty() ? 0 : slid / static_cast<double>(steps.size());
  return falls;
}

double stride_length(const Footfalls& falls, double frequency) { return frequency > 0 ? falls.speed / frequency : 0; }

std::optional<NearGroundSteps> near_ground_steps(const rig::Rig& rig, const kinematics::Motion& motion, Vec3d ground) {
  const std::vector<int> leg_of = leg_of_joints(rig);
  const std::span<const Affine> rest = rig.world_from_rest();
  double floor = std::numeric_limits<double>::infinity(), hips = 0;
  for (std::size_t j = 0; j < rest.size(); ++j) {
    if (leg_of[j] < 0) continue;
    floor = std::min(floor, double(rest[j].translation.y)), hips = std::max(hips, double(rest[j].translation.y));
  }
  const double height = hips - floor;
  if (!(height > kShortest)) return std::nullopt;
  const std::vector<Affine> joints = kinematics::joint_matrices(rig, motion);
  const std::size_t count = at(rig.joint_count());
  NearGroundSteps result;
  int near = 0;
  for (std::size_t j = 0; j < count; ++j) {
    if (leg_of[j] < 0) continue;
    for (int f = 1; f < motion.frame_count(); ++f) {
      const Vec3d now = joints[at(f) * count + j].translation.cast<double>();
      const Vec3d before = joints[at(f - 1) * count + j].translation.cast<double>();
      const double over = (now.y - floor) / height;
      if (over > kNear) continue;
      const double step = norm(level(now - before) - ground / motion.fps) / height;
      ++near;
      if (step > kFarStep) result.skate += 1;
      result.slide += step * (2 - std::exp2(std::max(over, 0.0) / kNear));
    }
  }
  if (near == 0) return std::nullopt;
  result.skate /= near, result.slide /= near;
  return result;
}

}  // namespace limber::metrics
