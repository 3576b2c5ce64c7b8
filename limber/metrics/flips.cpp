// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/flips.h"

#include "limber/kinematics/motion.h"

namespace limber::metrics {

std::vector<JointFlip> joint_flips(const ClipBody& body, const kinematics::Motion& motion) {
  std::vector<JointFlip> flips;
  const std::span<const rig::Joint> joints = body.subject.rig.joints();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (!body.shown[j]) continue;
    Quatd before;
    for (int f = 0; f < motion.frame_count(); ++f) {
      const Quatd now = to_quat(kinematics::euler_matrix(motion.frame_angles(f)[j].cast<double>()));
      const double angle = f > 0 ? angle_between(before, now) : 0;
      if (angle > kMostStep) flips.push_back({static_cast<int>(j), f, angle});
      before = now;
    }
  }
  return flips;
}

std::vector<std::size_t> sign_changes(const asset::Clip& clip) {
  std::vector<std::size_t> changes;
  for (const asset::Channel& channel : clip.channels) {
    changes.push_back(0);
    if (channel.path != asset::Path::kRotation || channel.interpolation == asset::Interpolation::kStep) continue;
    // The value of a key of a cubic spline is between its tangents.
    const bool cubic = channel.interpolation == asset::Interpolation::kCubicSpline;
    const std::size_t stride = cubic ? 12 : 4, first = cubic ? 4 : 0;
    for (std::size_t k = stride; k + stride <= channel.values.size(); k += stride) {
      double sum = 0;
      for (std::size_t i = first; i < first + 4; ++i) {
        sum += double(channel.values[k + i]) * double(channel.values[k - stride + i]);
      }
      if (sum < 0) ++changes.back();
    }
  }
  return changes;
}

}  // namespace limber::metrics
