// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/motion_windows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/kinematics/playing.h"
#include "limber/metrics/jerk.h"

namespace limber::metrics {
namespace {

/// By the chord between two unit quaternions, which small angles are not lost in.
double angle_between(Quat a, Quat b) {
  const float sign = dot(a, b) < 0 ? -1.0f : 1.0f;
  const Quat apart{a.x - sign * b.x, a.y - sign * b.y, a.z - sign * b.z, a.w - sign * b.w};
  return 4 * std::asin(std::min(1.0, 0.5 * std::sqrt(double(dot(apart, apart)))));
}

/// Mean angle between the joints of two frames.
double frame_distance(const Turns& a, int frame_a, const Turns& b, int frame_b) {
  double sum = 0;
  for (int j = 0; j < a.joints; ++j) {
    sum += angle_between(a.rotations[at(frame_a * a.joints + j)], b.rotations[at(frame_b * b.joints + j)]);
  }
  return sum / a.joints;
}

int window_count(const Turns& turns, int length) { return std::max(0, turns.frames() - length + 1); }

/// Mean distance of all windows of `length` frames: windows of a x windows of b, from distances of frames.
std::vector<double> window_distances(const Turns& a, const Turns& b, int length) {
  const int rows = window_count(a, length), columns = window_count(b, length), width = b.frames();
  std::vector<double> distances(at(rows) * at(columns));
  if (distances.empty()) return distances;
  const std::vector<float> frames = frame_distances(a, b);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      double sum = 0;
      for (int k = 0; k < length; ++k) sum += frames[at(i + k) * at(width) + at(j + k)];
      distances[at(i) * at(columns) + at(j)] = sum / length;
    }
  }
  return distances;
}

std::optional<double> mean_of(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Turns turns_of(const kinematics::Motion& motion, const WindowSettings& settings) {
  Turns turns;
  turns.joints = std::max(motion.joint_count - 1, 0);
  if (motion.frame_count() == 0 || turns.joints == 0) return turns;
  // A motion lasts from its first frame to its last; a loop one frame longer.
  const double seconds = (motion.frame_count() - (motion.loops ? 0 : 1)) / motion.fps;
  kinematics::Playing playing;
  playing.fps = settings.fps, playing.repeat = motion.loops;
  playing.frames = std::max(1, static_cast<int>(std::lround(seconds * settings.fps)) + (motion.loops ? 0 : 1));
  if (motion.loops) playing.frames = std::max(playing.frames + settings.window - 1, settings.shortest);
  const kinematics::Motion played = kinematics::play(motion, playing);
  for (int f = 0; f < played.frame_count(); ++f) {
    for (const Vec3& angles : played.frame_angles(f).subspan(1)) {
      turns.rotations.push_back(to_quat(kinematics::euler_matrix(angles.cast<double>())).cast<float>());
    }
  }
  return turns;
}

std::vector<float> frame_distances(const Turns& a, const Turns& b) {
  LIMBER_EXPECT(a.joints == b.joints, std::to_string(a.joints) + " and " + std::to_string(b.joints) + " joints");
  const int rows = a.frames(), columns = b.frames();
  std::vector<float> distances(at(rows) * at(columns));
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      distances[at(i) * at(columns) + at(j)] = static_cast<float>(frame_distance(a, i, b, j));
    }
  }
  return distances;
}

std::vector<double> nearest_windows(const Turns& a, std::span<const Turns> others, const WindowSettings& settings) {
  const int rows = window_count(a, settings.window);
  std::vector<double> nearest(at(rows), std::numeric_limits<double>::infinity());
  bool found = false;
  for (const Turns& other : others) {
    const int columns = window_count(other, settings.window);
    const std::vector<double> distances = window_distances(a, other, settings.window);
    for (std::size_t k = 0; k < distances.size(); ++k) {
      double& least = nearest[k / at(columns)];
      least = std::min(least, distances[k]), found = true;
    }
  }
  if (!found) nearest.clear();
  return nearest;
}

std::vector<int> moving_joints(const Turns& turns, double least) {
  std::vector<int> moving;
  for (int j = 0; j < turns.joints; ++j) {
    double most = 0;
    for (int f = 1; f < turns.frames(); ++f) {
      most = std::max(most, angle_between(turns.rotations[at(j)], turns.rotations[at(f * turns.joints + j)]));
    }
    if (most > least) moving.push_back(j);
  }
  return moving;
}

Turns only(const Turns& turns, std::span<const int> joints) {
  Turns some;
  some.joints = static_cast<int>(joints.size());
  for (int f = 0; f < turns.frames(); ++f) {
    for (const int j : joints) some.rotations.push_back(turns.rotations[at(f * turns.joints + j)]);
  }
  return some;
}

Turns about_mean(const Turns& turns) {
  Turns about = turns;
  for (int j = 0; j < turns.joints; ++j) {
    const Quat first = turns.frames() > 0 ? turns.rotations[at(j)] : Quat{};
    Quatd sum{0, 0, 0, 0};
    for (int f = 0; f < turns.frames(); ++f) {
      const Quat q = turns.rotations[at(f * turns.joints + j)];
      const double sign = dot(q, first) < 0 ? -1 : 1;
      sum = {sum.x + sign * q.x, sum.y + sign * q.y, sum.z + sign * q.z, sum.w + sign * q.w};
    }
    const Quat back = conjugate(normalized(sum)).cast<float>();
    for (int f = 0; f < turns.frames(); ++f) {
      Quat& q = about.rotations[at(f * turns.joints + j)];
      q = back * q;
    }
  }
  return about;
}

std::optional<double> window_gap(const Turns& a, const Turns& b, const WindowSettings& settings) {
  const std::optional<double> there = mean_of(nearest_windows(a, {&b, 1}, settings));
  const std::optional<double> back = mean_of(nearest_windows(b, {&a, 1}, settings));
  if (!there || !back) return std::nullopt;
  return 0.5 * (*there + *back);
}

std::optional<std::size_t> most_alike(const Turns& motion, std::span<const Turns> clips,
                                      const WindowSettings& settings) {
  std::vector<int> moving;
  for (const Turns& clip : clips) {
    const std::vector<int> own = moving_joints(clip);
    std::vector<int> all;
    std::set_union(moving.begin(), moving.end(), own.begin(), own.end(), std::back_inserter(all));
    moving = std::move(all);
  }
  if (moving.empty()) return std::nullopt;
  const Turns ours = about_mean(only(motion, moving));
  std::optional<std::size_t> nearest;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const std::optional<double> gap = window_gap(ours, about_mean(only(clips[i], moving)), settings);
    if (gap && *gap < least) least = *gap, nearest = i;
  }
  return nearest;
}

MotionPace motion_pace(const rig::Rig& rig, const kinematics::Motion& motion) {
  MotionPace pace;
  const int steps = motion.frame_count() - 1;
  if (steps < 1) return pace;
  // As it is: no rate but its own.
  WindowSettings own;
  own.fps = motion.fps;
  kinematics::Motion open = motion;
  open.loops = false;
  const Turns turns = turns_of(open, own);
  double path = 0;
  for (int f = 0; f < steps; ++f) {
    if (turns.joints > 0) pace.activity += frame_distance(turns, f, turns, f + 1);
    const Vec3d step = (motion.root_translations[at(f) + 1] - motion.root_translations[at(f)]).cast<double>();
    path += std::hypot(step.x, step.z);
  }
  pace.activity *= motion.fps / steps;
  for (int j = 0; j < turns.joints; ++j) {
    double most = 0;
    for (int f = 0; f < steps; ++f) {
      most = std::max(most, angle_between(turns.rotations[at(f * turns.joints + j)],
                                          turns.rotations[at((f + 1) * turns.joints + j)]));
    }
    pace.peak_speed += most * motion.fps / turns.joints;
  }
  pace.root_speed = path * motion.fps / steps;
  pace.jitter = mean_jerk(rig, motion);
  return pace;
}

}  // namespace limber::metrics
