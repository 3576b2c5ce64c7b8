// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/jerk.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "limber/kinematics/forward.h"

namespace limber::metrics {

namespace {

/// Calls `visit(frame, jerk)` for every joint of every frame that has one.
template <class Visit>
void visit_jerks(const rig::Rig& rig, const kinematics::Motion& motion, const Visit& visit) {
  const std::vector<Affine> joints = kinematics::joint_matrices(rig, motion);
  const auto count = static_cast<std::size_t>(rig.joint_count());
  const auto frames = static_cast<std::size_t>(motion.frame_count());
  // The root where it is, all others against it: a limb is not charged with the path of the body.
  const auto place = [&](std::size_t f, std::size_t j) {
    const Vec3d root = joints[f * count].translation.cast<double>();
    return j == 0 ? root : joints[f * count + j].translation.cast<double>() - root;
  };
  for (std::size_t f = 2; f + 1 < frames; ++f) {
    for (std::size_t j = 0; j < count; ++j) {
      const Vec3d third = place(f + 1, j) - 3.0 * place(f, j) + 3.0 * place(f - 1, j) - place(f - 2, j);
      visit(f, norm(third) * std::pow(motion.fps, 3));
    }
  }
}

}  // namespace

std::vector<double> frame_jerk(const rig::Rig& rig, const kinematics::Motion& motion) {
  std::vector<double> largest(static_cast<std::size_t>(motion.frame_count()));
  visit_jerks(rig, motion, [&](std::size_t f, double jerk) { largest[f] = std::max(largest[f], jerk); });
  return largest;
}

double mean_jerk(const rig::Rig& rig, const kinematics::Motion& motion) {
  double sum = 0;
  int count = 0;
  visit_jerks(rig, motion, [&](std::size_t, double jerk) { sum += jerk, ++count; });
  return count > 0 ? sum / count : 0;
}

SeamJerk seam_jerk(std::span<const double> jerk, std::span<const int> seams, int reach) {
  SeamJerk result;
  for (std::size_t f = 0; f < jerk.size(); ++f) {
    const bool near = std::any_of(seams.begin(), seams.end(),
                                  [&](int seam) { return std::abs(static_cast<int>(f) - seam) <= reach; });
    double& most = near ? result.seams : result.within;
    most = std::max(most, jerk[f]);
  }
  return result;
}

}  // namespace limber::metrics
