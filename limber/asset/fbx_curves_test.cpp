// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/fbx_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/asset/pose.h"
#include "limber/base/rng.h"

namespace limber::asset {
namespace {

Quatd random_turn(Rng& rng) { return normalized(Quatd{rng.normal(), rng.normal(), rng.normal(), rng.normal()}); }

Channel turning(std::size_t keys, double fps, double angle, std::uint64_t seed) {
  Rng rng(seed);
  Channel channel;
  Quatd q = random_turn(rng);
  for (std::size_t k = 0; k < keys; ++k) {
    channel.times.push_back(static_cast<float>(static_cast<double>(k) / fps));
    for (int i = 0; i < 4; ++i) channel.values.push_back(static_cast<float>(q[i]));
    const Quatd aside = random_turn(rng);
    q = normalized(q * axis_angle(normalized(Vec3d{aside.x, aside.y, aside.z}), angle));
  }
  return channel;
}

/// The curves at a time as a reader has them.
std::vector<double> read(const CurveKeys& keys, double time) {
  const auto after = std::upper_bound(keys.times.begin(), keys.times.end(), time) - keys.times.begin();
  const auto b = static_cast<std::size_t>(after);
  std::vector<double> result;
  for (const std::vector<double>& curve : keys.values) {
    if (b == 0 || b == curve.size()) {
      result.push_back(b == 0 ? curve.front() : curve.back());
      continue;
    }
    const double f = (time - keys.times[b - 1]) / (keys.times[b] - keys.times[b - 1]);
    result.push_back(curve[b - 1] + f * (curve[b] - curve[b - 1]));
  }
  return result;
}

double worst_turn(const Channel& channel, const CurveKeys& keys, Quatd before) {
  double worst = 0;
  for (double time = 0; time <= channel.times.back(); time += 0.0021) {
    const std::vector<double> q = sample(channel, time), angles = read(keys, time);
    worst = std::max(worst, angle_between(Quatd{q[0], q[1], q[2], q[3]},
                                          normalized(before * from_xyz({angles[0], angles[1], angles[2]}))));
  }
  return worst;
}

TEST(FbxCurves, AnglesAreTheRotationAlsoWhereTwoAxesMeet) {
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    const Quatd q = random_turn(rng);
    EXPECT_LT(angle_between(q, from_xyz(to_xyz(to_matrix(q)))), 1e-12);
  }
  for (const double y : {90.0, -90.0}) {
    const Quatd locked = from_xyz({20, y, 30});
    EXPECT_LT(angle_between(locked, from_xyz(to_xyz(to_matrix(locked), {0, 80, 12}))), 1e-7);
    EXPECT_LT(angle_between(locked, from_xyz(to_xyz(to_matrix(locked)))), 1e-7);
  }
}

TEST(FbxCurves, TurnAboutXFirst) {
  // FBX's order "XYZ": the x axis does not see the other two, and a point on it is turned by y and z alone.
  const Vec3d p = rotate(from_xyz({77, 90, 0}), Vec3d{1, 0, 0});
  EXPECT_LT(norm(p - Vec3d{0, 0, -1}), 1e-12);
}

TEST(FbxCurves, FollowSlerpBetweenKeysToATenThousandth) {
  for (const double angle : {0.02, 0.2, 0.8}) {
    const Channel channel = turning(25, 24, angle, 5);
    const CurveKeys keys = rotation_curves(channel, {});
    EXPECT_LT(worst_turn(channel, keys, {}), 2e-4) << angle;
    for (const float time : channel.times) {
      EXPECT_NE(std::find(keys.times.begin(), keys.times.end(), static_cast<double>(time)), keys.times.end());
    }
  }
}

TEST(FbxCurves, KeysAreNearEnoughForQuaternionsThatAreInterpolatedPlainly) {
  Channel channel;
  channel.times = {0, 1};
  channel.values = {0, 0, 0, 1, 1, 0, 0, 0};  // half a turn about x, which angles follow with two keys
  const CurveKeys keys = rotation_curves(channel, {});
  for (std::size_t k = 1; k < keys.times.size(); ++k) {
    const Quatd a = from_xyz({keys.values[0][k - 1], 0, 0}), b = from_xyz({keys.values[0][k], 0, 0});
    const double t = 0.21;  // where the two differ most
    const Quatd plain = normalized(Quatd{(1 - t) * a.x + t * b.x, 0, 0, (1 - t) * a.w + t * b.w});
    EXPECT_LT(angle_between(plain, slerp(a, b, t)), 1e-4);
  }
}

TEST(FbxCurves, SlowTurnsNeedNoMoreKeysThanTheyHave) {
  Channel channel = turning(25, 24, 0.0, 5);
  for (std::size_t k = 0; k < 25; ++k) {
    const Quatd q = from_xyz({static_cast<double>(k), 0, 0});
    for (int i = 0; i < 4; ++i) channel.values[4 * k + static_cast<std::size_t>(i)] = static_cast<float>(q[i]);
  }
  EXPECT_EQ(rotation_curves(channel, {}).times.size(), 25u);
}

TEST(FbxCurves, AnglesStartAtZeroBelowTheRestRotation) {
  Rng rng(8);
  const Quatd before = random_turn(rng);
  Channel channel;
  channel.times = {0, 1};
  for (const Quatd q : {before, normalized(before * from_xyz({10, 0, 0}))}) {
    for (int i = 0; i < 4; ++i) channel.values.push_back(static_cast<float>(q[i]));
  }
  const CurveKeys keys = rotation_curves(channel, before);
  for (const std::vector<double>& curve : keys.values) EXPECT_NEAR(curve.front(), 0, 1e-4);
  EXPECT_NEAR(keys.values[0].back(), 10, 1e-4);
  EXPECT_LT(worst_turn(channel, keys, before), 1e-4);
}

TEST(FbxCurves, JumpsStayJumps) {
  Channel channel;
  channel.path = Path::kTranslation;
  channel.interpolation = Interpolation::kStep;
  channel.times = {0, 1, 2};
  channel.values = {0, 0, 0, 1, 2, 3, 5, 5, 5};
  const CurveKeys keys = number_curves(channel, 100);
  EXPECT_DOUBLE_EQ(read(keys, 0.99)[1], 0);
  EXPECT_DOUBLE_EQ(read(keys, 1)[1], 200);
  EXPECT_DOUBLE_EQ(read(keys, 1.99)[2], 300);
}

TEST(FbxCurves, SplinesAreFollowed) {
  Channel channel;
  channel.path = Path::kScale;
  channel.interpolation = Interpolation::kCubicSpline;
  channel.times = {0, 1};
  channel.values = {0, 0, 0, 1, 1, 1, 4, -4, 0, /**/ 4, 0, 0, 2, 2, 1, 0, 0, 0};
  const CurveKeys keys = number_curves(channel, 1);
  for (double time = 0; time <= 1; time += 0.013) {
    const std::vector<double> exact = sample(channel, time), near = read(keys, time);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(near[c], exact[c], 1e-3);
  }
}

TEST(FbxCurves, FrameRatesAreThoseOfTheKeys) {
  Clip clip;
  clip.channels.push_back(turning(50, 24, 0.1, 1));
  EXPECT_EQ(find_frame_rate(std::vector{clip}).fps, 24);
  clip.channels[0] = turning(50, 60, 0.1, 1);
  EXPECT_EQ(find_frame_rate(std::vector{clip}).fps, 60);
  clip.channels[0].times[3] += 0.004f;
  EXPECT_EQ(find_frame_rate(std::vector{clip}).fps, 30);
  EXPECT_EQ(find_frame_rate({}).fps, 30);
}

}  // namespace
}  // namespace limber::asset
