// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/math.h"

#include <gtest/gtest.h>

#include "limber/base/rng.h"

namespace limber {
namespace {

Quatd random_rotation(Rng& rng) { return normalized(Quatd{rng.normal(), rng.normal(), rng.normal(), rng.normal()}); }
Vec3d random_vector(Rng& rng) { return {rng.normal(), rng.normal(), rng.normal()}; }

TEST(Math, MatrixAndQuaternionRotateAlike) {
  Rng rng(1);
  for (int i = 0; i < 100; ++i) {
    const Quatd q = random_rotation(rng);
    const Vec3d v = random_vector(rng);
    EXPECT_LT(norm(rotate(q, v) - to_matrix(q) * v), 1e-12);
    EXPECT_LT(angle_between(q, to_quat(to_matrix(q))), 1e-7);
    const Quatd p = random_rotation(rng);
    EXPECT_LT(norm(rotate(p * q, v) - rotate(p, rotate(q, v))), 1e-12);
  }
}

TEST(Math, QuaternionsOfHalfTurnsSurviveTheMatrix) {
  for (int axis = 0; axis < 3; ++axis) {
    Quatd half{0, 0, 0, 0};
    half[axis] = 1;
    EXPECT_LT(angle_between(half, to_quat(to_matrix(half))), 1e-7);
  }
}

TEST(Math, AxisAngleTurnsRightHanded) {
  const Vec3d turned = rotate(axis_angle(Vec3d{0, 1, 0}, kPi / 2), Vec3d{0, 0, 1});
  EXPECT_LT(norm(turned - Vec3d{1, 0, 0}), 1e-12);
}

TEST(Math, RotationBetweenTakesOneDirectionToTheOther) {
  Rng rng(2);
  for (int i = 0; i < 100; ++i) {
    const Vec3d a = normalized(random_vector(rng)), b = normalized(random_vector(rng));
    EXPECT_LT(norm(rotate(rotation_between(a, b), a) - b), 1e-9);
    EXPECT_LT(norm(rotate(rotation_between(a, -a), a) + a), 1e-9);
  }
}

TEST(Math, SlerpKeepsConstantSpeedAlongTheShorterArc) {
  const Quatd a, b = axis_angle(Vec3d{1, 0, 0}, 1.0);
  const Quatd minus_b{-b.x, -b.y, -b.z, -b.w};
  for (const double t : {0.0, 0.25, 0.5, 1.0}) {
    EXPECT_NEAR(angle_between(a, slerp(a, b, t)), t, 1e-9);
    EXPECT_NEAR(angle_between(a, slerp(a, minus_b, t)), t, 1e-9);
  }
}

TEST(Math, InverseAndCofactorAgree) {
  Rng rng(3);
  for (int i = 0; i < 100; ++i) {
    const Affined a{Mat3d::from_columns(random_vector(rng), random_vector(rng), random_vector(rng)),
                    random_vector(rng)};
    const Vec3d p = random_vector(rng);
    EXPECT_LT(norm(inverse(a) * (a * p) - p), 1e-8);
    const Mat3d identity = (1 / determinant(a.linear)) * (transposed(cofactor(a.linear)) * a.linear);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(identity(r, c), r == c, 1e-8);
  }
}

TEST(Math, DecomposeUndoesComposeAlsoWhenMirrored) {
  Rng rng(4);
  for (int i = 0; i < 100; ++i) {
    const Transformd t{random_vector(rng),
                       random_rotation(rng),
                       {rng.uniform(0.1, 3) * (i % 2 ? -1 : 1), rng.uniform(0.1, 3), rng.uniform(0.1, 3)}};
    const Affined a = to_affine(t), b = to_affine(decompose(a));
    for (int c = 0; c < 3; ++c) EXPECT_LT(norm(a.linear.column(c) - b.linear.column(c)), 1e-9);
    EXPECT_EQ(a.translation, b.translation);
  }
}

TEST(Math, DecomposeOfAFlatMatrixIsStillARotation) {
  const Transformd t = decompose(Affined{Mat3d::diagonal({1, 0, 0}), {}});
  EXPECT_NEAR(dot(t.rotation, t.rotation), 1, 1e-12);
  EXPECT_EQ(t.scale, (Vec3d{1, 0, 0}));
}

}  // namespace
}  // namespace limber
