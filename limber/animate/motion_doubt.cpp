// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/motion_doubt.h"

#include <algorithm>
#include <cmath>

#include "limber/kinematics/playing.h"

namespace limber::animate {
namespace {

constexpr double kShortestSegment = 0.5;  // seconds that show anything

/// Seconds `from` to `to` of a motion; nothing where that is too short.
std::optional<kinematics::Motion> piece(const kinematics::Motion& motion, double from, double to) {
  if (to - from < kShortestSegment) return std::nullopt;
  kinematics::Playing playing;
  playing.fps = motion.fps, playing.start = from;
  playing.frames = std::max(2, static_cast<int>(std::lround((to - from) * motion.fps)));
  return kinematics::play(motion, playing);
}

}  // namespace

MotionDoubt::MotionDoubt(const motion_space::MotionJudge& judge, const rig::Subject& subject)
    : judge_(judge), body_(motion_space::make_motion_body(subject)) {}

std::optional<double> MotionDoubt::of(const kinematics::Motion& motion, std::span<const std::string> actions) const {
  const std::vector<std::string>& known = judge_.actions();
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (std::find(actions.begin(), actions.end(), known[i]) != actions.end()) asked.push_back(i);
  }
  if (asked.empty() || motion.frame_count() < 2) return std::nullopt;
  const std::vector<float> likely = judge_.look(body_, motion);
  double believed = 0;
  for (const std::size_t i : asked) believed += double{likely[i]};
  return std::clamp(1 - believed, 0.0, 1.0);
}

std::optional<double> MotionDoubt::of(const kinematics::Motion& motion, std::span<const Segment> segments) const {
  double sum = 0;
  int told = 0;
  for (const Segment& segment : segments) {
    const bool whole = segments.size() == 1;
    const std::optional<kinematics::Motion> part =
        whole ? std::optional(motion) : piece(motion, segment.from, segment.to);
    const std::optional<double> doubt = part ? of(*part, segment.asked.actions) : std::nullopt;
    if (doubt) sum += *doubt, ++told;
  }
  if (told == 0) return std::nullopt;
  return sum / told;
}

}  // namespace limber::animate
