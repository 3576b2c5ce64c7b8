// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "limber/base/expect.h"
#include "limber/base/stopwatch.h"
#include "limber/nn/training_loop.h"
#include "limber/prior/latent_prior.h"
#include "limber/prior/part_prior.h"

namespace limber::prior {
namespace {

Tensor joined(const std::vector<PartCondition>& all, Tensor PartCondition::*member) {
  std::vector<Tensor> each;
  for (const PartCondition& one : all) each.push_back(one.*member);
  return at::cat(each);
}

/// Of noise.
double share_at(int timestep) { return std::max(1, timestep) / static_cast<double>(kPartSteps); }

/// One more draw of a video: what was seen with and without the prompt, [2, views, frames, 3, size, size].
Tensor residual_of(const Tensor& z, const Tensor& seen, const ScoreSettings& settings, int timestep, double share,
                   ScoreReport& report) {
  const Tensor guiding = seen[0] - seen[1];
  // z - z_hat directly (priors.md section 9): the network predicts z.
  const Tensor residual =
      settings.residual == Residual::kCsd ? -report.guidance * guiding : z - (seen[1] + report.guidance * guiding);
  const double weight = settings.weight == NoiseWeight::kAkd ? 1 : (1 - share) / share;
  report.draws.push_back({timestep, 1 - share, share, weight, length_of(guiding), length_of(residual)});
  return weight * residual;
}

/// Frames are in [0, 1], z in [-1, 1].
void note_gradient(Tensor gradient, const VideoToScore& video, ScoredVideo& scored) {
  ScoreReport& report = scored.report;
  report.latent_gradient_norm = length_of(gradient);
  if (video.settings.return_latent_gradient) report.latent_gradient = to_floats(gradient);
  const Tensor finite = at::isfinite(gradient);
  report.not_finite = gradient.numel() - finite.sum().item<std::int64_t>();
  if (report.not_finite > 0) gradient = at::where(finite, gradient, at::zeros_like(gradient));
  const Frames& frames = video.frames;
  scored.grad_frames = Frames(frames.views, frames.frames, frames.height, frames.width);
  scored.grad_frames.values = to_floats(2 * gradient);
  report.gradient_norm = 2 * length_of(gradient);
}

}  // namespace

Status PartPrior::check_scored(const VideoToScore& video) const {
  const Frames& frames = video.frames;
  LIMBER_EXPECT(video.settings.draws >= 1, std::to_string(video.settings.draws));
  LIMBER_EXPECT(frames.values.size() == frames.size(), fmt::format("{} numbers", frames.values.size()));
  if (frames.views == model_.views && video_size(frames) == info_.native) return Done{};
  return Error{fmt::format("{} views of {} x {} x {}; it wants {} of {} x {} x {}", frames.views, frames.frames,
                           frames.height, frames.width, model_.views, model_.frames, model_.size, model_.size),
               info_.name};
}

Result<std::vector<ScoredVideo>> PartPrior::score_all(std::span<const VideoToScore> videos) {
  for (const VideoToScore& video : videos) LIMBER_CHECK_OK(check_scored(video));
  if (videos.empty()) return std::vector<ScoredVideo>();
  return nn::guarded(info_.name, [&]() -> Result<std::vector<ScoredVideo>> {
    const at::NoGradGuard no_gradients;
    const std::size_t count = videos.size();
    Stopwatch watch;
    std::vector<ScoredVideo> scored(count);
    std::vector<PartCondition> each;
    std::vector<Tensor> z(count), sums(count), drawn(count);
    for (std::size_t i = 0; i < count; ++i) {
      LIMBER_TRY(const Conditions conditions, conditions_of(videos[i].condition));
      each.push_back(conditions.both);
      z[i] = from_frames(videos[i].frames, network_.placement().device), sums[i] = at::zeros_like(z[i]);
      scored[i].report.guidance = guidance_of(videos[i].settings), scored[i].report.latent_norm = length_of(z[i]);
    }
    const PartCondition all{joined(each, &PartCondition::text),
                            joined(each, &PartCondition::rest),
                            joined(each, &PartCondition::has_rest),
                            {},
                            {}};
    const double encode_seconds = watch.lap();
    for (int k = 0; k < videos.front().settings.draws; ++k) {
      // Every video twice in a row: with its prompt and without.
      std::vector<Tensor> noisy;
      std::vector<float> shares;
      for (std::size_t i = 0; i < count; ++i) {
        const ScoreSettings& s = videos[i].settings;
        const double share = share_at(draw_timesteps(s, kPartSteps)[static_cast<std::size_t>(k)]);
        const bool mirrored = s.antithetic && k % 2 == 1;
        drawn[i] = mirrored ? -drawn[i] : noise(s.noise, s.seed, static_cast<std::uint64_t>(s.iteration), k);
        noisy.insert(noisy.end(), 2, (1 - share) * z[i] + share * drawn[i]);
        shares.insert(shares.end(), 2, static_cast<float>(share));
      }
      const Tensor batch = at::stack(noisy);
      const Tensor seen = network_.denoised(batch, at::tensor(shares).to(batch.options()), all).to(at::kFloat);
      for (std::size_t i = 0; i < count; ++i) {
        const int t = draw_timesteps(videos[i].settings, kPartSteps)[static_cast<std::size_t>(k)];
        const Tensor own = seen.narrow(0, static_cast<std::int64_t>(2 * i), 2);
        sums[i].add_(residual_of(z[i], own, videos[i].settings, t, share_at(t), scored[i].report));
      }
    }
    const double denoise_seconds = watch.lap();
    for (std::size_t i = 0; i < count; ++i) {
      note_gradient(sums[i] / videos[i].settings.draws, videos[i], scored[i]);
      scored[i].report.encode_seconds = encode_seconds, scored[i].report.denoise_seconds = denoise_seconds;
      scored[i].report.backward_seconds = watch.seconds();
    }
    return scored;
  });
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
