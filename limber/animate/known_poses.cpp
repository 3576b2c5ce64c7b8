// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/known_poses.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"

namespace limber::animate {
namespace {

using kinematics::Motion;
using kinematics::Pose;

constexpr double kStroll = 0.5;       // heights a second: a body that sets out
constexpr double kHardlyMoves = 0.1;  // heights a second

/// A frame of the sample that is known. One whose place follows from the guess has only its height from the pose.
struct Given {
  int frame = 0;
  Pose pose;
  bool placed = true;
};

Pose pose_at(const Motion& motion, int frame) {
  const auto angles = motion.frame_angles(frame);
  return {motion.root_translations[at(frame)], std::vector<Vec3>(angles.begin(), angles.end())};
}

/// Mean velocity over the ground per frame of the frames that are given and placed; none of a single one.
std::optional<Vec3> velocity_of(std::span<const Given> given) {
  double count = 0, frames = 0, spread = 0;
  Vec3d middle, slope;
  for (const Given& g : given) {
    if (g.placed) count += 1, frames += g.frame, middle += g.pose.root_translation.cast<double>();
  }
  if (count < 2) return std::nullopt;
  for (const Given& g : given) {
    if (!g.placed) continue;
    const double t = g.frame - frames / count;
    slope += t * (g.pose.root_translation.cast<double>() - middle / count), spread += t * t;
  }
  slope.y = 0;
  return (slope / spread).cast<float>();
}

/// Frames between two that are given lie between; before the first and after the last, angles hold and the body goes
/// on. What is not placed is where the body would be by then.
Motion guess_motion(std::span<const Given> given, int frames, double fps, Vec3 velocity) {
  const auto joints = given.front().pose.angles.size();
  Motion guess;
  guess.fps = fps, guess.joint_count = static_cast<int>(joints);
  guess.root_translations.resize(at(frames)), guess.angles.resize(at(frames) * joints);
  std::vector<Given> placed(given.begin(), given.end());
  const Given* last = nullptr;
  for (Given& g : placed) {
    if (!g.placed && last != nullptr) {
      const Vec3 way = static_cast<float>(g.frame - last->frame) * velocity;
      g.pose.root_translation.x = last->pose.root_translation.x + way.x;
      g.pose.root_translation.z = last->pose.root_translation.z + way.z;
    }
    last = &g;
  }
  for (int f = 0; f < frames; ++f) {
    const auto next = std::find_if(placed.begin(), placed.end(), [&](const Given& g) { return g.frame >= f; });
    const Given& b = next == placed.end() ? placed.back() : *next;
    const Given& a = next == placed.begin() || next == placed.end() ? b : *(next - 1);
    const int span = b.frame - a.frame;
    const float share = span > 0 ? static_cast<float>(f - a.frame) / static_cast<float>(span) : 0;
    const Vec3 beyond = span > 0 ? Vec3{} : static_cast<float>(f - b.frame) * velocity;
    guess.root_translations[at(f)] = lerp(a.pose.root_translation, b.pose.root_translation, share) + beyond;
    for (std::size_t j = 0; j < joints; ++j) {
      guess.frame_angles(f)[j] = lerp(a.pose.angles[j], b.pose.angles[j], share);
    }
  }
  return guess;
}

/// Paces to be tried, per frame, the likeliest first.
std::vector<Vec3> paces(std::optional<Vec3> known, double fps, Pace pace) {
  if (known && pace == Pace::kSame) return {*known};
  const Vec3 stroll{0, 0, static_cast<float>(kStroll / fps)};
  if (!known) return {Vec3{}, stroll};
  const bool moves = double(norm(*known)) * fps > kHardlyMoves;
  if (!moves) return {Vec3{}, stroll};
  return {*known, Vec3{}, 0.5f * *known};
}

std::vector<Given> given_frames(const Motion& motion, const Chunk& chunk, int frames, std::span<const Key> keys,
                                std::optional<int> loop) {
  std::vector<Given> given;
  for (int f = 0; f < chunk.kept; ++f) given.push_back({f, pose_at(motion, chunk.first + f), true});
  for (const Key& key : keys) {
    const int frame = static_cast<int>(std::lround(key.seconds * motion.fps)) - chunk.first;
    if (frame < chunk.kept || frame >= frames) continue;
    if (!given.empty() && given.back().frame == frame) given.pop_back();
    given.push_back({frame, key.pose, true});
  }
  if (loop) {
    const int first = *loop - chunk.first;
    for (int f = 0; first + f < frames && f < motion.frame_count(); ++f) {
      const auto same = std::find_if(given.begin(), given.end(), [&](const Given& g) { return g.frame >= first + f; });
      if (same != given.end()) given.erase(same, given.end());
      given.push_back({first + f, pose_at(motion, f), false});
    }
  }
  return given;
}

/// See `KnownPoses::holds`. A frame that is known all by itself is a keyframe, and held.
std::vector<float> holds_of(const std::vector<std::uint8_t>& known) {
  std::vector<float> holds(known.size(), 0);
  const auto frames = static_cast<int>(known.size());
  for (int begin = 0, end = 0; begin < frames; begin = std::max(end, begin + 1)) {
    for (end = begin; end < frames && known[at(end)] != 0;) ++end;
    const auto length = static_cast<float>(end - begin);
    for (int f = begin; f < end; ++f) {
      const float before = begin > 0 ? static_cast<float>(f - begin + 1) / length : 1;
      const float after = end < frames ? static_cast<float>(end - f) / length : 1;
      holds[at(f)] = std::min(before, after);
    }
  }
  return holds;
}

}  // namespace

std::optional<KnownPoses> known_poses(const Motion& motion, const Chunk& chunk, int frames, std::span<const Key> keys,
                                      Pace pace, std::optional<int> loop) {
  const std::vector<Given> given = given_frames(motion, chunk, frames, keys, loop);
  if (given.empty()) return std::nullopt;
  KnownPoses result;
  result.known.assign(at(frames), 0);
  for (const Given& g : given) result.known[at(g.frame)] = 1;
  result.holds = holds_of(result.known);
  // Keys say how fast it goes; without any, what comes next may be faster or slower than what was.
  const bool has_keys =
      std::any_of(given.begin(), given.end(), [&](const Given& g) { return g.placed && g.frame >= chunk.kept; });
  const std::optional<Vec3> velocity = velocity_of(given);
  for (const Vec3& next : paces(velocity, motion.fps, has_keys && velocity ? Pace::kSame : pace)) {
    result.guesses.push_back(guess_motion(given, frames, motion.fps, next));
  }
  return result;
}

}  // namespace limber::animate
