// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/motion_space/motion_state.h"

#include <Eigen/Dense>
#include <cmath>
#include <string>
#include <utility>

#include "limber/base/at.h"
#include "limber/base/expect.h"

namespace limber::motion_space {
namespace {

using pose_space::kStateSize;

constexpr double kSmooth = 0.4;  // of the squares of third differences, against those of what is changed

/// Where number `k` of slot `n` (0: the body) in frame `f` stands among the tokens.
std::size_t token_place(int joints, int f, int n, int k, int numbers) {
  const int row = (1 + f / kFramesPerToken) * (1 + joints) + n;
  return at(row * kTokenNumbers + f % kFramesPerToken * numbers + k);
}
std::size_t mean_place(int n, int k) { return at(n * kTokenNumbers + k); }

/// The share of a steady way that is behind in a frame.
double share_of(int f) { return f / static_cast<double>(kFrames - 1); }

/// The same angle within half a turn of `near`.
double unwrapped(double angle, double near) { return angle + 2 * kPi * std::round((near - angle) / (2 * kPi)); }

/// How far heading and way come in all: by their last frames and as if they went on for one more half step at each end
/// nothing would change, so a line through first and last frame.
double steady(const MotionState& state, int k) {
  return state.body[at((kFrames - 1) * kBodyNumbers + k)] - state.body[at(k)];
}

double mean_height(const MotionState& state) {
  double sum = 0;
  for (int f = 0; f < kFrames; ++f) sum += state.body[at(f * kBodyNumbers + 3)];
  return sum / kFrames;
}

/// (I + weight D^T D)^-1 of third differences D: frames as they are to frames without what shakes.
const Eigen::MatrixXd& frame_smoother() {
  static const Eigen::MatrixXd smoother = [] {
    Eigen::MatrixXd differences = Eigen::MatrixXd::Zero(kFrames - 3, kFrames);
    for (int r = 0; r < kFrames - 3; ++r) {
      differences(r, r) = -1, differences(r, r + 1) = 3, differences(r, r + 2) = -3, differences(r, r + 3) = 1;
    }
    const Eigen::MatrixXd system =
        Eigen::MatrixXd::Identity(kFrames, kFrames) + kSmooth * differences.transpose() * differences;
    return Eigen::MatrixXd(system.llt().solve(Eigen::MatrixXd::Identity(kFrames, kFrames)));
  }();
  return smoother;
}

}  // namespace

MotionState::MotionState(int joint_count)
    : joints(joint_count), poses(at(kFrames * joint_count * kJointNumbers), 0), body(at(kFrames * kBodyNumbers), 0) {}

std::span<double> MotionState::frame(int f) {
  return std::span(poses).subspan(at(f * joints * kJointNumbers), at(joints * kJointNumbers));
}
std::span<const double> MotionState::frame(int f) const {
  return std::span(poses).subspan(at(f * joints * kJointNumbers), at(joints * kJointNumbers));
}

MotionState encode_motion(const pose_space::PoseSkeleton& skeleton, const kinematics::Motion& motion, int from,
                          Start* start) {
  LIMBER_EXPECT(motion.frame_count() > 0 && from >= 0 && from < motion.frame_count(), std::to_string(from));
  MotionState state(skeleton.size());
  Start first;
  double before = 0;
  for (int f = 0; f < kFrames; ++f) {
    const int frame = std::min(from + f, motion.frame_count() - 1);
    double heading = 0;
    const pose_space::PoseState pose =
        pose_space::state_of(skeleton, pose_space::turns_of(skeleton, motion.frame_angles(frame), &heading));
    const std::span<double> row = state.frame(f);
    for (int j = 0; j < state.joints; ++j) {
      for (int k = 0; k < kStateSize; ++k) row[at(j * kJointNumbers + k)] = pose[at(j * kStateSize + k)];
      row[at(j * kJointNumbers + kStateSize)] = -1;
    }
    const Vec3 place = motion.root_translations[at(frame)];
    if (f == 0) first = {place, heading}, before = heading;
    before = unwrapped(heading, before);
    const Vec3d moved = (1 / skeleton.radius) * (skeleton.from_world * place.cast<double>());
    const Vec3d way = moved - (1 / skeleton.radius) * (skeleton.from_world * first.translation.cast<double>());
    const double c = std::cos(first.heading), s = std::sin(first.heading);
    double* body = state.body.data() + f * kBodyNumbers;
    body[0] = before - first.heading, body[1] = c * way.x - s * way.z, body[2] = s * way.x + c * way.z;
    body[3] = moved.y;
  }
  if (start != nullptr) *start = first;
  return state;
}

kinematics::Motion decode_motion(const pose_space::PoseSkeleton& skeleton, const MotionState& state, const Start& start,
                                 std::span<const Vec3> previous) {
  LIMBER_EXPECT(state.joints == skeleton.size(), std::to_string(state.joints));
  kinematics::Motion motion = kinematics::rest_motion(skeleton.rig, kFrames, kFps);
  const Mat3d to_world = transposed(skeleton.from_world);
  const Vec3d origin = skeleton.from_world * start.translation.cast<double>();
  const double c = std::cos(start.heading), s = std::sin(start.heading);
  pose_space::PoseState pose(at(state.joints * kStateSize));
  for (int f = 0; f < kFrames; ++f) {
    const std::span<const double> row = state.frame(f);
    for (int j = 0; j < state.joints; ++j) {
      for (int k = 0; k < kStateSize; ++k) pose[at(j * kStateSize + k)] = row[at(j * kJointNumbers + k)];
    }
    const double* body = state.body.data() + f * kBodyNumbers;
    const double r = skeleton.radius;
    const Vec3d place{origin.x + r * (c * body[1] + s * body[2]), r * body[3],
                      origin.z + r * (c * body[2] - s * body[1])};
    const pose_space::PosePlace where{(to_world * place).cast<float>(), start.heading + body[0]};
    const std::span<const Vec3> near = f > 0 ? std::as_const(motion).frame_angles(f - 1) : previous;
    const kinematics::Pose decoded = pose_space::decode_pose(skeleton, pose, where, near);
    motion.root_translations[at(f)] = decoded.root_translation;
    std::copy(decoded.angles.begin(), decoded.angles.end(), motion.frame_angles(f).begin());
  }
  return motion;
}

void smooth_state(MotionState& state) {
  const Eigen::MatrixXd& smoother = frame_smoother();
  const auto smooth = [&](double* first, int numbers, int stride) {
    Eigen::MatrixXd rows(kFrames, numbers);
    for (int f = 0; f < kFrames; ++f) {
      for (int k = 0; k < numbers; ++k) rows(f, k) = first[f * stride + k];
    }
    const Eigen::MatrixXd smoothed = smoother * rows;
    for (int f = 0; f < kFrames; ++f) {
      for (int k = 0; k < numbers; ++k) first[f * stride + k] = smoothed(f, k);
    }
  };
  for (int j = 0; j < state.joints; ++j)
    smooth(state.poses.data() + j * kJointNumbers, kStateSize, state.joints * kJointNumbers);
  smooth(state.body.data(), kBodyNumbers, kBodyNumbers);
}

Tokens split_state(const MotionState& state) {
  Tokens tokens(at(kTokens * (1 + state.joints) * kTokenNumbers), 0);
  for (int j = 0; j < state.joints; ++j) {
    for (int k = 0; k < kStateSize; ++k) {
      double mean = 0;
      for (int f = 0; f < kFrames; ++f) mean += state.frame(f)[at(j * kJointNumbers + k)] / kFrames;
      tokens[mean_place(1 + j, k)] = static_cast<float>(mean / kMeanUnit);
      for (int f = 0; f < kFrames; ++f) {
        tokens[token_place(state.joints, f, 1 + j, k, kJointNumbers)] =
            static_cast<float>((state.frame(f)[at(j * kJointNumbers + k)] - mean) / kMovingUnit);
      }
    }
    for (int f = 0; f < kFrames; ++f) {
      tokens[token_place(state.joints, f, 1 + j, kStateSize, kJointNumbers)] =
          static_cast<float>(state.frame(f)[at(j * kJointNumbers + kStateSize)]);
    }
  }
  for (int k = 0; k < kBodyNumbers; ++k) {
    const bool height = k == 3;
    const double whole = height ? mean_height(state) : steady(state, k), first = height ? 0 : state.body[at(k)];
    tokens[mean_place(0, k)] = static_cast<float>(whole / kSteadyUnits[k]);
    for (int f = 0; f < kFrames; ++f) {
      const double way = first + whole * (height ? 1 : share_of(f));
      tokens[token_place(state.joints, f, 0, k, kBodyNumbers)] =
          static_cast<float>((state.body[at(f * kBodyNumbers + k)] - way) / kSwayUnits[k]);
    }
  }
  return tokens;
}

MotionState join_tokens(std::span<const float> tokens, int joints) {
  LIMBER_EXPECT(tokens.size() == at(kTokens * (1 + joints) * kTokenNumbers), std::to_string(tokens.size()));
  MotionState state(joints);
  const auto token = [&](int f, int n, int k, int numbers) -> double {
    return tokens[token_place(joints, f, n, k, numbers)];
  };
  for (int f = 0; f < kFrames; ++f) {
    const std::span<double> row = state.frame(f);
    for (int j = 0; j < joints; ++j) {
      for (int k = 0; k < kStateSize; ++k) {
        row[at(j * kJointNumbers + k)] =
            kMeanUnit * tokens[mean_place(1 + j, k)] + kMovingUnit * token(f, 1 + j, k, kJointNumbers);
      }
      row[at(j * kJointNumbers + kStateSize)] = token(f, 1 + j, kStateSize, kJointNumbers);
    }
    for (int k = 0; k < kBodyNumbers; ++k) {
      const double share = k == 3 ? 1 : share_of(f);
      state.body[at(f * kBodyNumbers + k)] =
          kSteadyUnits[k] * tokens[mean_place(0, k)] * share + kSwayUnits[k] * token(f, 0, k, kBodyNumbers);
    }
  }
  return state;
}

}  // namespace limber::motion_space
