// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "limber/lift/view_fit.h"
#include "limber/metrics/gait.h"
#include "limber/prior/video_prior.h"
#include "limber/scene/sketch_view.h"
#include "limber/zoo/action.h"

/// A creature whose motion is known, and a prior that draws what it is told to, for this module's tests.
namespace limber::animate {

inline constexpr int kStageFrames = 16, kStageSize = 32;
inline constexpr double kStageFps = 12;

/// A creature, how it truly walks, and how that looks.
struct Stage {
  zoo::Creature creature;
  kinematics::Motion walk;
  metrics::Gait gait;  ///< of `walk`
  Frames video;        ///< of `walk`
};

inline scene::SketchViewSettings stage_view() {
  scene::SketchViewSettings settings;
  settings.size = kStageSize;
  return settings;
}

inline Stage make_stage() {
  Stage stage{zoo::make_creature({zoo::Plan::kQuadruped, 5, 36}).value(), {}, {}, {}};
  zoo::ActionSettings action;
  action.fps = kStageFps, action.frames = kStageFrames;
  stage.walk = zoo::perform(stage.creature, action).value().motion;
  stage.walk.loops = false;
  const rig::Subject& subject = stage.creature.subject;
  stage.gait = metrics::find_gait(subject.rig, stage.walk, metrics::limb_ends(subject));
  stage.video = scene::SketchView(subject.rig, scene::part_gaussians(subject), stage_view()).draw(stage.walk);
  return stage;
}

/// Made once: tests only look at it.
inline const Stage& stage() {
  static const Stage made = make_stage();
  return made;
}

/// Enough for a video without noise, in a fraction of the time.
inline std::vector<lift::FitStage> short_fit() { return {{2, 30, 0.05, 0.02}, {0.7f, 25, 0.03, 0.01}}; }
/// Where it does not matter how well it fits.
inline std::vector<lift::FitStage> hasty_fit() { return {{0.7f, 4, 0.05, 0.02}}; }

/// Mixes a video with noise: 0 is the video, 1 nothing but noise.
inline Frames disturbed(Frames video, float share, std::uint64_t seed) {
  const std::vector<float> noise = prior::normal_noise(video.values.size(), seed, 0, 0);
  for (std::size_t i = 0; i < video.values.size(); ++i) {
    video.values[i] = (1 - share) * video.values[i] + share * (0.5f + 0.3f * noise[i]);
  }
  return video;
}

/// A prior on pixels, z = 2 x - 1, that knows one video.
class StagePrior : public prior::VideoPrior {
 public:
  StagePrior() {
    info_.name = "stage";
    info_.views = 2, info_.uses_rest = true;
    info_.native = {kStageFrames, kStageSize, kStageSize};
    info_.fps = kStageFps;
    info_.frame_step = 1, info_.latent_channels = 3, info_.latent_reduction = 1;
    info_.prediction = prior::Prediction::kSample;
    info_.actions = {{"walk", {"walk", "walks", "walking"}}, {"sit", {"sit", "sits", "sitting"}}};
  }

  prior::PriorInfo& change_info() { return info_; }
  const prior::PriorInfo& info() const override { return info_; }

  Result<prior::ScoreReport> score(const Frames& frames, const prior::Condition&, const prior::ScoreSettings& settings,
                                   Frames& grad_frames) override {
    prior::ScoreReport report;
    grad_frames = frames;
    double squared = 0;
    for (std::size_t i = 0; i < frames.values.size(); ++i) {
      // Of pictures unlike its own it likes dark ones.
      const float wanted = frames.values.size() == video.values.size() ? video.values[i] : 0;
      const float difference = 2 * (frames.values[i] - wanted);
      squared += static_cast<double>(difference) * static_cast<double>(difference);
      grad_frames.values[i] = 2 * difference;
      if (settings.return_latent_gradient) report.latent_gradient.push_back(difference);
    }
    report.latent_gradient_norm = std::sqrt(squared), report.gradient_norm = 2 * report.latent_gradient_norm;
    const int t = prior::draw_timesteps(settings, info_.train_steps)[0];
    const double s = std::max(t, 1) / static_cast<double>(info_.train_steps);
    report.draws.push_back({t, 1 - s, s, 1, 0, report.latent_gradient_norm});
    return report;
  }

  Result<Frames> sample(const prior::Condition& condition, const prior::SampleSettings& settings) override {
    seeds.push_back(settings.seed);
    last = condition, last_known = settings.known, last_few_steps = settings.few_steps;
    prompts.push_back(condition.prompt.text);
    if (settings.progress && !settings.progress("sampling", 0.5)) return cancelled(info_.name);
    const int draw = static_cast<int>(seeds.size()) - 1;
    Frames drawn = scripted ? scripted(draw, settings) : video;
    if (disturb) drawn = disturbed(std::move(drawn), disturb(draw), settings.seed);
    return settings.known ? through(*settings.known, std::move(drawn)) : drawn;
  }

  /// What a prior does that honours known frames: the sample passes through them exactly.
  static Frames through(const prior::KnownFrames& known, Frames drawn) {
    const std::size_t image = 3 * static_cast<std::size_t>(drawn.height) * static_cast<std::size_t>(drawn.width);
    for (std::size_t i = 0; i < drawn.values.size(); ++i) {
      const std::size_t frame = i / image % static_cast<std::size_t>(drawn.frames);
      if (known.known[frame] != 0) drawn.values[i] = known.frames.values[i];
    }
    return drawn;
  }

  Frames video = stage().video;
  std::function<float(int draw)> disturb;                                  ///< share of noise in each sample
  std::function<Frames(int draw, const prior::SampleSettings&)> scripted;  ///< instead of `video`
  std::vector<std::uint64_t> seeds;                                        ///< of the samples so far
  std::vector<std::string> prompts;                                        ///< likewise
  prior::Condition last;
  std::optional<prior::KnownFrames> last_known;
  bool last_few_steps = false;

 private:
  prior::PriorInfo info_;
};

}  // namespace limber::animate
