// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/base/expect.h"
#include "limber/base/stopwatch.h"
#include "limber/prior/sketch_device.h"
#include "limber/prior/sketch_prior.h"

/// SketchPrior's loops as plans for a network that follows them on a GPU.
namespace limber::prior {

Result<std::vector<Frames>> SketchPrior::sample_there(const Condition& condition,
                                                      std::span<const SampleSettings> settings) const {
  if (settings.empty()) return std::vector<Frames>();
  LIMBER_TRY(const Passes passes, passes_of(condition, settings.front()));
  const std::size_t size = Frames(model_.views, model_.frames, model_.size, model_.size).size();
  std::vector<Sampling> all;
  SamplePlan plan;
  plan.videos.resize(settings.size());
  for (const SampleSettings& one : settings) {
    LIMBER_TRY(Sampling sampling, begin_sample(one));
    all.push_back(std::move(sampling));
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    SamplePlan::Video& video = plan.videos[k];
    video.address = {settings[k].seed, 0, 0};
    if (const auto& given = settings[k].noise) {
      LIMBER_EXPECT(given->size() >= size, "not enough noise was given");
      video.noise = std::span(*given).first(size);
    }
    if (all[k].known) video.known = all[k].known->video, video.is_known = all[k].known->bits;
  }
  for (int i = 0; i < passes.steps; ++i) {
    SamplePlan::Step& step = plan.steps.emplace_back();
    step.left = passes.left(i);
    for (Sampling& sampling : all) {
      share_out(passes, i, sampling);
      step.shares.insert(step.shares.end(), sampling.shares.begin(), sampling.shares.end());
      step.targets.insert(step.targets.end(), sampling.targets.begin(), sampling.targets.end());
    }
  }
  const Video rest = rest_of(condition);
  plan.rest = rest, plan.shows_known = model_.version >= 2;
  plan.texts.push_back(condition.text), plan.guidance = static_cast<float>(passes.guidance);
  if (passes.pairs()) plan.texts.push_back(condition.negative);
  if (const Progress& progress = settings.front().progress) {
    plan.go_on = [&progress](double done) { return progress("denoising", done); };
  }
  LIMBER_TRY(std::vector<Video> videos, network_->device()->sample(plan));
  std::vector<Frames> frames;
  for (std::size_t k = 0; k < videos.size(); ++k) frames.push_back(end_sample(settings[k], std::move(videos[k])));
  return frames;
}

// --- scores ---------------------------------------------------------------------------------------------------------

/// A plan, and what it refers to or leaves out.
struct SketchPrior::Walking {
  WalkPlan plan;
  Video rest;
  double guidance = 1;
  std::vector<int> timesteps;  ///< of all draws

  ScoreReport report(const Walked& walked, const ScoreSettings& settings) const {
    ScoreReport report;
    report.guidance = guidance;
    std::size_t draw = 0;
    for (const Walked::Step& step : walked.steps) {
      for (const Walked::Draw& drawn : step.draws) {
        const int timestep = timesteps[draw++];
        const double share = share_at(timestep);
        report.draws.push_back({timestep, 1 - share, share, weight_at(timestep, settings), std::sqrt(drawn.guiding),
                                std::sqrt(drawn.residual)});
      }
      report.not_finite += static_cast<std::int64_t>(step.not_finite);
    }
    const Walked::Step& last = walked.steps.back();
    report.latent_norm = std::sqrt(last.z), report.latent_gradient_norm = std::sqrt(last.latent);
    report.gradient_norm = std::sqrt(last.gradient);
    return report;
  }
};

SketchPrior::Walking SketchPrior::walking_of(const Condition& condition, const ScoreSettings& settings,
                                             std::span<const int> timesteps) const {
  Walking walking;
  WalkPlan& plan = walking.plan;
  const bool walks = !timesteps.empty();
  walking.timesteps = walks ? std::vector(timesteps.begin(), timesteps.end()) : draw_timesteps(settings, kSketchSteps);
  for (std::size_t k = 0; k < walking.timesteps.size(); ++k) {
    const int timestep = walking.timesteps[k];
    const double share = share_at(timestep);
    if (walks || k == 0) plan.steps.emplace_back();
    plan.steps.back().draws.push_back(
        {static_cast<float>(share), weight_at(timestep, settings), !walks && settings.antithetic && k % 2 == 1});
    if (walks && k + 1 < timesteps.size()) plan.steps.back().back = (1 - share) / std::max(share, 1e-6);
  }
  plan.address = {settings.seed, static_cast<std::uint64_t>(settings.iteration), 0};
  if (settings.noise) plan.noise = *settings.noise;
  walking.guidance = guidance_of(settings);
  plan.guidance = static_cast<float>(walking.guidance), plan.guiding_alone = settings.residual == Residual::kCsd;
  plan.texts.push_back(condition.text);
  if (walking.guidance != 1 || plan.guiding_alone) plan.texts.push_back(condition.negative);
  walking.rest = rest_of(condition);
  plan.rest = walking.rest;
  return walking;
}

Result<ScoreReport> SketchPrior::score_from_here(const Frames& frames, const Condition& condition,
                                                 const ScoreSettings& settings, Frames& grad_frames) const {
  const Stopwatch watch;
  Walking walking = walking_of(condition, settings, {});
  walking.plan.frames = frames.values;
  Video latent;
  WalkResults results;
  results.gradient_here = &grad_frames.values;
  if (settings.return_latent_gradient) results.latent_here = &latent;
  LIMBER_TRY(const Walked walked, network_->device()->walk(walking.plan, results));
  grad_frames.views = frames.views, grad_frames.frames = frames.frames;
  grad_frames.height = frames.height, grad_frames.width = frames.width;
  ScoreReport report = walking.report(walked, settings);
  report.latent_gradient = std::move(latent);
  report.denoise_seconds = watch.seconds();
  return report;
}

Status SketchPrior::check_there(const DeviceFrames& frames, const Condition& condition) const {
  LIMBER_EXPECT(frames.values != nullptr && frames.queue != nullptr, "no frames");
  LIMBER_CHECK_OK(check_frames(frames.views, {frames.frames, frames.height, frames.width}));
  return check_condition(condition);
}

Result<ScoreReport> SketchPrior::score_there(const DeviceFrames& frames, const Condition& condition,
                                             const ScoreSettings& settings, float* gradient) {
  LIMBER_CHECK_OK(check_there(frames, condition));
  const Stopwatch watch;
  Walking walking = walking_of(condition, settings, {});
  walking.plan.there = &frames;
  WalkResults results;
  results.gradient = gradient;
  LIMBER_TRY(const Walked walked, network_->device()->walk(walking.plan, results));
  ScoreReport report = walking.report(walked, settings);
  report.denoise_seconds = watch.seconds();
  return report;
}

Result<Denoised> SketchPrior::denoise_there(const DeviceFrames& frames, const Condition& condition,
                                            const ScoreSettings& settings, std::span<const int> timesteps,
                                            float* target) {
  LIMBER_CHECK_OK(check_there(frames, condition));
  Walking walking = walking_of(condition, settings, timesteps);
  walking.plan.there = &frames;
  WalkResults results;
  results.target = target;
  LIMBER_TRY(const Walked walked, network_->device()->walk(walking.plan, results));
  const double curvature = walked.steps.back().curvature;
  return Denoised{walking.timesteps.front(), curvature, curvature * walked.gap,
                  walking.report(walked, settings).not_finite};
}

Result<std::vector<double>> SketchPrior::squares_there(const DeviceFrames& frames,
                                                       std::span<const Condition> conditions,
                                                       const ScoreSettings& settings) {
  if (conditions.empty()) return std::vector<double>();
  ScoreSettings plain = settings;
  plain.guidance = 1, plain.rule = GuidanceRule::kFromUnconditional, plain.residual = Residual::kSds;
  plain.draws = 1;
  for (const Condition& condition : conditions) LIMBER_CHECK_OK(check_there(frames, condition));
  Walking walking = walking_of(conditions.front(), plain, {});
  walking.plan.there = &frames;
  for (const Condition& condition : conditions.subspan(1)) walking.plan.texts.push_back(condition.text);
  return network_->device()->look(walking.plan);
}

}  // namespace limber::prior
