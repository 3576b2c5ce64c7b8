// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/base/stopwatch.h"
#include "limber/prior/part_prior.h"

namespace limber::prior {
namespace {

using Video = std::vector<float>;

/// Euclidean.
double length_of(const Video& values) {
  double sum = 0;
  for (const float v : values) sum += double{v} * double{v};
  return std::sqrt(sum);
}

/// Of noise.
double share_at(int timestep) { return std::max(1, timestep) / static_cast<double>(kPartSteps); }

/// A video while it is judged.
struct Judged {
  std::vector<int> timesteps;
  Video z, rest, noise, noisy;
  std::vector<float> shares;  ///< [tubes], all the same
  std::vector<double> sum;    ///< of residuals
};

Judged begin(const VideoToScore& video, ScoreReport& report) {
  Judged judged;
  judged.timesteps = draw_timesteps(video.settings, kPartSteps);
  judged.z = from_unit(video.frames.values), judged.rest = rest_of(video.condition);
  judged.noisy.resize(judged.z.size()), judged.sum.resize(judged.z.size());
  report.guidance = guidance_of(video.settings), report.latent_norm = length_of(judged.z);
  return judged;
}

/// Mixes in the noise of draw `k`.
void disturb(const ScoreSettings& settings, int k, int tubes, Judged& judged) {
  if (settings.antithetic && k % 2 == 1) {
    for (float& value : judged.noise) value = -value;
  } else {
    const auto iteration = static_cast<std::uint64_t>(settings.iteration);
    judged.noise = noise_of_draw(settings.noise, judged.z.size(), settings.seed, iteration, k);
  }
  const auto s = static_cast<float>(share_at(judged.timesteps[static_cast<std::size_t>(k)]));
  judged.shares.assign(static_cast<std::size_t>(tubes), s);
  for (std::size_t i = 0; i < judged.z.size(); ++i) judged.noisy[i] = (1 - s) * judged.z[i] + s * judged.noise[i];
}

/// Adds what draw `k` has shown with and without the prompt.
void add_residual(const std::vector<Video>& seen, const ScoreSettings& settings, int k, Judged& judged,
                  ScoreReport& report) {
  const int timestep = judged.timesteps[static_cast<std::size_t>(k)];
  const double share = share_at(timestep), weight = settings.weight == NoiseWeight::kAkd ? 1 : (1 - share) / share;
  const auto guidance = static_cast<float>(report.guidance);
  Video guiding(judged.z.size()), residual(judged.z.size());
  for (std::size_t i = 0; i < judged.z.size(); ++i) {
    guiding[i] = seen[0][i] - seen[1][i];
    // z - z_hat directly: the network predicts z.
    residual[i] = (settings.residual == Residual::kCsd ? 0 : judged.z[i] - seen[1][i]) - guidance * guiding[i];
    judged.sum[i] += weight * double{residual[i]};
  }
  report.draws.push_back({timestep, 1 - share, share, weight, length_of(guiding), length_of(residual)});
}

/// The gradient on the pixels from sums of residuals.
void finish(const Judged& judged, const VideoToScore& video, ScoredVideo& scored) {
  ScoreReport& report = scored.report;
  Video gradient(judged.sum.size());
  std::transform(judged.sum.begin(), judged.sum.end(), gradient.begin(),
                 [&](double sum) { return static_cast<float>(sum / video.settings.draws); });
  report.latent_gradient_norm = length_of(gradient);
  if (video.settings.return_latent_gradient) report.latent_gradient = gradient;
  for (float& value : gradient) {
    if (!std::isfinite(value)) value = 0, ++report.not_finite;
    value *= 2;  // frames are in [0, 1], z in [-1, 1]
  }
  report.gradient_norm = length_of(gradient);
  const Frames& frames = video.frames;
  scored.grad_frames = Frames(frames.views, frames.frames, frames.height, frames.width);
  scored.grad_frames.values = std::move(gradient);
}

}  // namespace

Status PartPrior::check_scored(const VideoToScore& video) const {
  const Frames& frames = video.frames;
  LIMBER_EXPECT(video.settings.draws >= 1, std::to_string(video.settings.draws));
  LIMBER_EXPECT(frames.values.size() == frames.size(), fmt::format("{} numbers", frames.values.size()));
  if (frames.views != model_.views || !(video_size(frames) == info_.native)) {
    return Error{fmt::format("{} views of {} x {} x {}; it wants {} of {} x {} x {}", frames.views, frames.frames,
                             frames.height, frames.width, model_.views, model_.frames, model_.size, model_.size),
                 info_.name};
  }
  return check_condition(video.condition);
}

Result<std::vector<ScoredVideo>> PartPrior::score_all(std::span<const VideoToScore> videos) {
  for (const VideoToScore& video : videos) LIMBER_CHECK_OK(check_scored(video));
  std::vector<ScoredVideo> scored(videos.size());
  if (videos.empty()) return scored;
  Stopwatch watch;
  std::vector<Judged> judged;
  for (std::size_t i = 0; i < videos.size(); ++i) judged.push_back(begin(videos[i], scored[i].report));
  const double encode_seconds = watch.lap();
  for (int k = 0; k < videos.front().settings.draws; ++k) {
    std::vector<PartQuery> queries;
    for (std::size_t i = 0; i < videos.size(); ++i) {
      disturb(videos[i].settings, k, model_.tubes(), judged[i]);
      const Condition& condition = videos[i].condition;
      queries.push_back(
          {{judged[i].noisy, judged[i].shares, {}, judged[i].rest, {}, {}}, {condition.text, condition.negative}});
    }
    LIMBER_TRY(const std::vector<std::vector<Video>> seen, network_->denoise_all(queries));
    for (std::size_t i = 0; i < videos.size(); ++i) {
      add_residual(seen[i], videos[i].settings, k, judged[i], scored[i].report);
    }
  }
  const double denoise_seconds = watch.lap();
  for (std::size_t i = 0; i < videos.size(); ++i) {
    finish(judged[i], videos[i], scored[i]);
    scored[i].report.encode_seconds = encode_seconds, scored[i].report.denoise_seconds = denoise_seconds;
    scored[i].report.backward_seconds = watch.seconds();
  }
  return scored;
}

Result<ScoreReport> PartPrior::score(const Frames& frames, const Condition& condition, const ScoreSettings& settings,
                                     Frames& grad_frames) {
  const VideoToScore video{frames, condition, settings};
  LIMBER_TRY(std::vector<ScoredVideo> scored, score_all(std::span(&video, 1)));
  grad_frames = std::move(scored.front().grad_frames);
  return std::move(scored.front().report);
}

Result<std::vector<ScoredVideo>> score_videos(VideoPrior& prior, std::span<const VideoToScore> videos) {
  auto* parts = dynamic_cast<PartPrior*>(&prior);
  const bool alike = std::all_of(videos.begin(), videos.end(), [&](const VideoToScore& video) {
    return video.settings.draws == videos.front().settings.draws;
  });
  if (parts != nullptr && alike) return parts->score_all(videos);
  std::vector<ScoredVideo> scored;
  for (const VideoToScore& video : videos) {
    ScoredVideo& one = scored.emplace_back();
    LIMBER_TRY(one.report, prior.score(video.frames, video.condition, video.settings, one.grad_frames));
  }
  return scored;
}

}  // namespace limber::prior
