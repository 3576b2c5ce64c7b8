// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/motion_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/base/expect.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"

namespace limber::metrics {
namespace {

/// Height of the lowest skinned point of every frame.
std::vector<float> lowest_points(const rig::Subject& subject, const kinematics::Motion& motion) {
  const auto frames = static_cast<std::size_t>(motion.frame_count());
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, motion);
  std::vector<Vec3> posed(frames * subject.points.size());
  kinematics::SkinInput input;
  input.weights = &subject.weights, input.points = subject.points, input.bones = bones;
  input.bone_count = subject.rig.bone_count(), input.frame_count = motion.frame_count();
  kinematics::SkinOutput output;
  output.points = posed;
  kinematics::skin_forward(input, output);
  std::vector<float> lowest(frames, std::numeric_limits<float>::infinity());
  for (std::size_t f = 0; f < frames; ++f) {
    for (std::size_t p = 0; p < subject.points.size(); ++p) {
      lowest[f] = std::min(lowest[f], posed[f * subject.points.size() + p].y);
    }
  }
  return lowest;
}

float largest_slip(const GroundContact& contact, std::span<const Affine> joints, int joint_count,
                   float slide_per_frame) {
  const auto count = static_cast<std::size_t>(joint_count);
  float slip = 0;
  Vec3 planted_at;
  for (std::size_t f = 0; f < contact.planted.size(); ++f) {
    if (!contact.planted[f]) continue;
    Vec3 now = joints[f * count + static_cast<std::size_t>(contact.joint)] * contact.point;
    now.z += slide_per_frame * static_cast<float>(f);
    if (f == 0 || !contact.planted[f - 1]) planted_at = now;
    slip = std::max(slip, std::hypot(now.x - planted_at.x, now.z - planted_at.z));
  }
  return slip;
}

/// Way over the ground of a contact that stays planted from frame to frame, and the number of such steps.
void add_skate(const GroundContact& contact, std::span<const Affine> joints, int joint_count, float slide_per_frame,
               double& way, int& steps) {
  const auto at = [&](std::size_t f) {
    return joints[f * static_cast<std::size_t>(joint_count) + static_cast<std::size_t>(contact.joint)] * contact.point;
  };
  for (std::size_t f = 1; f < contact.planted.size(); ++f) {
    if (!contact.planted[f] || !contact.planted[f - 1]) continue;
    const Vec3 move = at(f) - at(f - 1);
    way += std::hypot(move.x, move.z + slide_per_frame);
    ++steps;
  }
}

float excess(const rig::JointLimits& limits, Vec3 angles) {
  float worst = 0;
  for (int k = 0; k < 3; ++k) worst = std::max({worst, limits.lower[k] - angles[k], angles[k] - limits.upper[k]});
  return worst;
}

/// Limits, speed, jerk and loop closure: everything that only looks at the angles.
void measure_angles(const rig::Rig& rig, const kinematics::Motion& motion, MotionMetrics& metrics) {
  const int frames = motion.frame_count();
  double jerk = 0;
  float largest_step = 0, closing_step = 0;
  for (int j = 1; j < rig.joint_count(); ++j) {
    const auto at = [&](int f) { return motion.frame_angles(f)[static_cast<std::size_t>(j)]; };
    for (int f = 0; f < frames; ++f) {
      metrics.limit_excess =
          std::max(metrics.limit_excess, excess(rig.joints()[static_cast<std::size_t>(j)].limits, at(f)));
      if (f >= 1) {
        const Mat3d before = kinematics::euler_matrix(at(f - 1).cast<double>());
        const Mat3d after = kinematics::euler_matrix(at(f).cast<double>());
        const double turn = angle_between(to_quat(before), to_quat(after));
        metrics.peak_speed = std::max(metrics.peak_speed, static_cast<float>(turn * motion.fps));
        largest_step = std::max(largest_step, norm(at(f) - at(f - 1)));
      }
      if (f >= 3) {
        const Vec3 third = at(f) - 3.0f * at(f - 1) + 3.0f * at(f - 2) - at(f - 3);
        for (int k = 0; k < 3; ++k) jerk += std::abs(third[k]);
      }
    }
    closing_step = std::max(closing_step, norm(at(0) - at(frames - 1)));
  }
  const double terms = 3.0 * std::max(0, frames - 3) * std::max(0, rig.joint_count() - 1);
  if (terms > 0) metrics.mean_jerk = static_cast<float>(jerk / terms * std::pow(motion.fps, 3));
  if (motion.loops) metrics.loop_gap = std::max(0.0f, closing_step - largest_step);
}

}  // namespace

MotionMetrics motion_metrics(const rig::Subject& subject, const kinematics::Motion& motion,
                             std::span<const GroundContact> contacts, float slide_per_frame) {
  LIMBER_EXPECT(motion.joint_count == subject.rig.joint_count(),
                std::to_string(motion.joint_count) + " joints in the motion, " +
                    std::to_string(subject.rig.joint_count()) + " in the rig");
  MotionMetrics metrics;
  if (motion.frame_count() == 0) return metrics;
  for (const Vec3& v : motion.angles) metrics.not_finite += is_finite(v) ? 0 : 1;
  for (const Vec3& v : motion.root_translations) metrics.not_finite += is_finite(v) ? 0 : 1;
  if (metrics.not_finite > 0) return metrics;

  const std::vector<Affine> joints = kinematics::joint_matrices(subject.rig, motion);
  const std::vector<float> lowest = lowest_points(subject, motion);
  double way = 0;
  int steps = 0, standing = 0;
  for (const GroundContact& contact : contacts) {
    LIMBER_EXPECT(contact.planted.size() == lowest.size(), std::to_string(contact.planted.size()) + " contact frames");
    metrics.slip = std::max(metrics.slip, largest_slip(contact, joints, motion.joint_count, slide_per_frame));
    add_skate(contact, joints, motion.joint_count, slide_per_frame, way, steps);
  }
  if (steps > 0) metrics.skate = static_cast<float>(way / steps * motion.fps);
  for (std::size_t f = 0; f < lowest.size(); ++f) {
    metrics.penetration = std::max(metrics.penetration, -lowest[f]);
    metrics.mean_penetration += std::max(-lowest[f], 0.0f) / static_cast<float>(lowest.size());
    const bool stands = std::any_of(contacts.begin(), contacts.end(), [f](const auto& c) { return c.planted[f]; });
    if (!stands) continue;
    metrics.hover = std::max(metrics.hover, lowest[f]);
    metrics.floating += std::max(lowest[f], 0.0f);
    ++standing;
  }
  if (standing > 0) metrics.floating /= static_cast<float>(standing);
  measure_angles(subject.rig, motion, metrics);
  return metrics;
}

}  // namespace limber::metrics
