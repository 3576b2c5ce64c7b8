// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "limber/base/expect.h"
#include "limber/base/stopwatch.h"
#include "limber/base/threads.h"
#include "limber/prior/sketch_prior.h"

namespace limber::prior {
namespace {

using Video = std::vector<float>;

/// Euclidean.
double length_of(const Video& values) {
  double sum = 0;
  for (const float v : values) sum += double{v} * double{v};
  return std::sqrt(sum);
}

/// Of several videos at the same time, each added up in order.
std::vector<double> lengths_of(std::initializer_list<const Video*> videos) {
  std::vector<double> lengths(videos.size());
  parallel_for(videos.size(), 1, [&](std::size_t i, std::size_t) { lengths[i] = length_of(**(videos.begin() + i)); });
  return lengths;
}

/// Calls body(i) for all numbers of a video, on all threads.
template <class Body>
void for_each_number(const Video& video, const Body& body) {
  parallel_for(video.size(), 1 << 15, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

/// A video while it is scored.
struct Scored {
  std::vector<int> timesteps;
  Video z, rest, noise, noisy;
  std::vector<float> shares;  ///< [tubes], all the same
  std::vector<double> sum;    ///< of residuals
};

/// Mixes in the noise of draw `k`.
void disturb(const ScoreSettings& settings, int k, int tubes, Scored& scored) {
  if (settings.antithetic && k % 2 == 1) {
    for (float& value : scored.noise) value = -value;
  } else {
    const auto iteration = static_cast<std::uint64_t>(settings.iteration);
    scored.noise = noise_of_draw(settings.noise, scored.z.size(), settings.seed, iteration, k);
  }
  const auto s = static_cast<float>(share_at(scored.timesteps[static_cast<std::size_t>(k)]));
  scored.shares.assign(static_cast<std::size_t>(tubes), s);
  for_each_number(scored.z, [&](std::size_t i) { scored.noisy[i] = (1 - s) * scored.z[i] + s * scored.noise[i]; });
}

/// Adds what draw `k` has shown with and, unless that makes no difference, without the prompt.
void add_residual(const std::vector<Video>& seen, const ScoreSettings& settings, int k, Scored& scored,
                  ScoreReport& report) {
  const int timestep = scored.timesteps[static_cast<std::size_t>(k)];
  const double share = share_at(timestep), weight = weight_at(timestep, settings);
  const auto guidance = static_cast<float>(report.guidance);
  const Video &with = seen.front(), &without = seen.back();
  Video guiding(scored.z.size()), residual(scored.z.size());
  for_each_number(scored.z, [&](std::size_t i) {
    guiding[i] = with[i] - without[i];
    // z - z_hat directly: the network predicts z.
    residual[i] = (settings.residual == Residual::kCsd ? 0 : scored.z[i] - without[i]) - guidance * guiding[i];
    scored.sum[i] += weight * double{residual[i]};
  });
  const std::vector<double> lengths = lengths_of({&guiding, &residual});
  report.draws.push_back({timestep, 1 - share, share, weight, lengths[0], lengths[1]});
}

/// The gradient on the pixels from sums of residuals.
Video finish(const Scored& scored, const ScoreSettings& settings, ScoreReport& report) {
  Video latent(scored.sum.size()), gradient(scored.sum.size());
  std::atomic<std::int64_t> not_finite = 0;
  for_each_number(latent, [&](std::size_t i) {
    latent[i] = static_cast<float>(scored.sum[i] / settings.draws);
    if (!std::isfinite(latent[i])) ++not_finite;
    gradient[i] = std::isfinite(latent[i]) ? 2 * latent[i] : 0;  // frames are in [0, 1], z in [-1, 1]
  });
  report.not_finite += not_finite;
  const std::vector<double> lengths = lengths_of({&scored.z, &latent, &gradient});
  report.latent_norm = lengths[0], report.latent_gradient_norm = lengths[1], report.gradient_norm = lengths[2];
  if (settings.return_latent_gradient) report.latent_gradient = std::move(latent);
  return gradient;
}

}  // namespace

double share_at(int timestep) { return std::max(1, timestep) / static_cast<double>(kSketchSteps); }

double weight_at(int timestep, const ScoreSettings& settings) {
  const double share = share_at(timestep);
  return settings.weight == NoiseWeight::kAkd ? 1 : (1 - share) / share;
}

Result<ScoreReport> SketchPrior::score(const Frames& frames, const Condition& condition, const ScoreSettings& settings,
                                       Frames& grad_frames) {
  LIMBER_EXPECT(settings.draws >= 1, std::to_string(settings.draws));
  LIMBER_EXPECT(frames.values.size() == frames.size(), fmt::format("{} numbers", frames.values.size()));
  LIMBER_CHECK_OK(check_frames(frames.views, video_size(frames)));
  LIMBER_CHECK_OK(check_condition(condition));
  if (network_->device() != nullptr) return score_from_here(frames, condition, settings, grad_frames);
  Stopwatch watch;
  ScoreReport report;
  Scored scored;
  scored.timesteps = draw_timesteps(settings, kSketchSteps);
  scored.z = from_unit(frames.values), scored.rest = rest_of(condition);
  scored.noisy.resize(scored.z.size()), scored.sum.resize(scored.z.size());
  report.guidance = guidance_of(settings);
  const bool both = report.guidance != 1 || settings.residual == Residual::kCsd;
  report.encode_seconds = watch.lap();
  for (int k = 0; k < settings.draws; ++k) {
    disturb(settings, k, model_.tubes(), scored);
    LIMBER_TRY(const std::vector<Video> seen,
               see({scored.noisy, scored.shares, {}, scored.rest, {}, {}}, condition, both));
    add_residual(seen, settings, k, scored, report);
  }
  report.denoise_seconds = watch.lap();
  grad_frames = Frames(frames.views, frames.frames, frames.height, frames.width);
  grad_frames.values = finish(scored, settings, report);
  report.backward_seconds = watch.lap();
  return report;
}

}  // namespace limber::prior
