// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/motion.h"

#include <cmath>
#include <string>

#include "limber/base/expect.h"

namespace limber::kinematics {

Pose rest_pose(const rig::Rig& rig) { return {{}, std::vector<Vec3>(static_cast<std::size_t>(rig.joint_count()))}; }

Motion rest_motion(const rig::Rig& rig, int frames, double fps) {
  LIMBER_EXPECT(frames >= 0 && fps > 0, std::to_string(frames) + " frames at " + std::to_string(fps) + " per second");
  Motion motion;
  motion.fps = fps;
  motion.joint_count = rig.joint_count();
  motion.root_translations.resize(static_cast<std::size_t>(frames));
  motion.angles.resize(static_cast<std::size_t>(frames) * static_cast<std::size_t>(rig.joint_count()));
  return motion;
}

template <class T>
Mat3T<T> euler_matrix(Vec3T<T> angles) {
  const T ca = std::cos(angles.x), sa = std::sin(angles.x);
  const T cb = std::cos(angles.y), sb = std::sin(angles.y);
  const T cc = std::cos(angles.z), sc = std::sin(angles.z);
  Mat3T<T> r;
  r.m[0] = {cb * cc, -cb * sc, sb};
  r.m[1] = {ca * sc + sa * sb * cc, ca * cc - sa * sb * sc, -sa * cb};
  r.m[2] = {sa * sc - ca * sb * cc, sa * cc + ca * sb * sc, ca * cb};
  return r;
}
template Mat3T<float> euler_matrix(Vec3T<float>);
template Mat3T<double> euler_matrix(Vec3T<double>);

namespace {

/// The angle equal to `angle` up to whole turns that is nearest to `previous`.
double unwind(double angle, double previous) { return angle + 2 * kPi * std::round((previous - angle) / (2 * kPi)); }

}  // namespace

Vec3d euler_angles(const Mat3d& r, Vec3d previous) {
  const double cos_b = std::hypot(r(0, 0), r(0, 1));
  // Below this the first angle is noise: in float, which motions are kept in, the two outer axes are one.
  constexpr double kGimbal = 1e-7;
  double a;
  if (cos_b < kGimbal) {
    // b is a right angle and only c + a (or c - a) is determined, by row 1 = (sin, cos, 0). Share the change fairly.
    const double sign = r(0, 2) > 0 ? 1 : -1;
    const double sum = unwind(std::atan2(r(1, 0), r(1, 1)), previous.z + sign * previous.x);
    a = previous.x + sign * (sum - previous.z - sign * previous.x) / 2;
  } else {
    a = std::atan2(-r(1, 2), r(2, 2));
  }
  // With a undone, Ry(b) Rz(c) is left: whatever a's error, c makes up for it.
  const double ca = std::cos(a), sa = std::sin(a);
  const double b = std::atan2(r(0, 2), ca * r(2, 2) - sa * r(1, 2));
  const double c = std::atan2(ca * r(1, 0) + sa * r(2, 0), ca * r(1, 1) + sa * r(2, 1));
  // Two families of solutions: (a, b, c) and (a + pi, pi - b, c + pi).
  const Vec3d first{unwind(a, previous.x), unwind(b, previous.y), unwind(c, previous.z)};
  const Vec3d second{unwind(a + kPi, previous.x), unwind(kPi - b, previous.y), unwind(c + kPi, previous.z)};
  return squared_norm(second - previous) < squared_norm(first - previous) ? second : first;
}

}  // namespace limber::kinematics
