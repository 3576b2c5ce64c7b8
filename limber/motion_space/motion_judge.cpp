// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/motion_space/motion_judge.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/kinematics/playing.h"
#include "limber/motion_space/motion_contacts.h"
#include "limber/nn/shipped_models.h"

namespace limber::motion_space {
namespace {

constexpr double kStep = 1;     // seconds from one look to the next
constexpr int kMostLooks = 30;  // of long motions, evenly spread
constexpr double kShown = kFrames / kFps;

/// When to look: what goes on and on is looked at once round, and so is what is short.
std::vector<double> look_times(const kinematics::Motion& motion) {
  const double spare = (motion.frame_count() - 1) / motion.fps - kShown;
  if (spare <= 0) return {0};
  const int count = std::clamp(static_cast<int>(std::ceil(spare / kStep)) + 1, 1, kMostLooks);
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(count > 1 ? spare * i / (count - 1) : 0);
  return times;
}

/// A clip as the judges were taught it: with feet that stand, and no way where nobody knows it.
Tokens seen_clip(const MotionBody& body, const kinematics::Motion& motion, double start, bool way_known) {
  kinematics::Playing playing;
  playing.fps = kFps, playing.frames = kFrames, playing.start = start, playing.repeat = motion.loops;
  MotionState state = encode_motion(body.skeleton, kinematics::play(motion, playing));
  put_standing(body.skeleton, body.conditions.feet, state, way_known);
  if (!way_known) {
    for (int f = 0; f < kFrames; ++f) state.body[at(f * kBodyNumbers + 1)] = state.body[at(f * kBodyNumbers + 2)] = 0;
  }
  return split_state(state);
}

}  // namespace

Result<std::filesystem::path> find_motion_judge(JudgeSeat seat) {
  return nn::find_shipped_model(seat == JudgeSeat::kChoosing ? "judge_choosing" : "judge_reporting", is_motion_model);
}

Result<MotionJudge> MotionJudge::open(const std::filesystem::path& folder) {
  LIMBER_TRY(MotionDenoiser network, MotionDenoiser::open(folder));
  if (network.model().judges == 0)
    return Error{"this network draws motions, and does not judge them", (folder / kMotionModelFile).string()};
  return MotionJudge(std::move(network));
}

std::vector<float> MotionJudge::look(const MotionBody& body, const kinematics::Motion& motion, bool way_known) const {
  LIMBER_EXPECT(motion.frame_count() >= 2, std::to_string(motion.frame_count()));
  const MotionDenoiser::Body code = network_.encode(body.conditions);
  const std::vector<double> times = look_times(motion);
  std::vector<float> likely(actions().size(), 0);
  for (const double time : times) {
    const std::vector<float> seen = network_.judge(code, seen_clip(body, motion, time, way_known));
    for (std::size_t i = 0; i < likely.size(); ++i) likely[i] += seen[i] / static_cast<float>(times.size());
  }
  return likely;
}

}  // namespace limber::motion_space
