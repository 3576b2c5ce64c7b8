// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/close_loop.h"

#include <algorithm>
#include <cmath>

#include "limber/kinematics/playing.h"

namespace limber::kinematics {
namespace {

/// How far apart two frames are, radians: mean over the joints.
double turned_between(const Motion& motion, int a, int b) {
  double sum = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(motion.joint_count); ++j) {
    const Mat3d p = euler_matrix(motion.frame_angles(a)[j].cast<double>());
    const Mat3d q = euler_matrix(motion.frame_angles(b)[j].cast<double>());
    sum += angle_between(to_quat(p), to_quat(q));
  }
  return sum / motion.joint_count;
}

}  // namespace

void close_loop(Motion& motion) {
  const int last = motion.frame_count() - 1;
  if (motion.loops || last < 4) return;
  double largest = 0, mean = 0;
  for (int f = 0; f < last; ++f) {
    const double step = turned_between(motion, f, f + 1);
    largest = std::max(largest, step), mean += step / last;
  }
  const double gap = turned_between(motion, last, 0);
  const Vec3 way = motion.root_translations.back() - motion.root_translations.front();
  if (gap > 1.5 * largest || std::abs(way.y) > 0.15f) return;
  if (gap < 0.5 * mean) cut_motion(motion, last);
  motion.loops = true;
}

}  // namespace limber::kinematics
