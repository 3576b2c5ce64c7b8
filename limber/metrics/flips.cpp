// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/flips.h"

#include "limber/kinematics/motion.h"

namespace limber::metrics {
namespace {

std::size_t numbers_per_key(const asset::Channel& channel) {
  return channel.interpolation == asset::Interpolation::kCubicSpline ? 12 : 4;
}

/// Of a rotation between whose keys something is interpolated; else none.
std::size_t key_count(const asset::Channel& channel) {
  if (channel.path != asset::Path::kRotation || channel.interpolation == asset::Interpolation::kStep) return 0;
  return channel.values.size() / numbers_per_key(channel);
}

}  // namespace

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
    for (std::size_t k = 1; k < key_count(channel); ++k) changes.back() += changes_sign(channel, k) ? 1 : 0;
  }
  return changes;
}

bool changes_sign(const asset::Channel& channel, std::size_t key) {
  // The value of a key of a cubic spline is between its tangents.
  const std::size_t stride = numbers_per_key(channel), first = stride == 12 ? 4 : 0;
  double sum = 0;
  for (std::size_t i = first; i < first + 4; ++i) {
    sum += double(channel.values[key * stride + i]) * double(channel.values[(key - 1) * stride + i]);
  }
  return sum < 0;
}

void align_signs(asset::Clip& clip) {
  for (asset::Channel& channel : clip.channels) {
    for (std::size_t k = 1; k < key_count(channel); ++k) {
      const std::size_t stride = numbers_per_key(channel), from = k * stride;
      if (!changes_sign(channel, k)) continue;
      for (std::size_t i = from; i < from + stride; ++i) channel.values[i] *= -1;
    }
  }
}

}  // namespace limber::metrics
