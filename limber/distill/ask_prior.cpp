// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/distill/ask_prior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "limber/base/expect.h"
#include "limber/base/stopwatch.h"
#include "limber/base/threads.h"

namespace limber::distill {
namespace {

constexpr std::uint64_t kGroupSeed = 0x9e3779b97f4a7c15ull;  ///< between the seeds of groups of views

/// What the prior says about one group of views.
struct GroupAnswer {
  Frames frames;
  double curvature = 1;         ///< of a target
  double squared = 0;           ///< of a score, or on the GPU of a target
  std::optional<int> timestep;  ///< of the first draw, where there was one
  std::int64_t not_finite = 0;
};

/// Second derivative of |z(x) - z_hat|^2 / 2 along its gradient J^T g: |J^T g|^2 / |g|^2, as J J^T sees g. Exact where
/// z is linear in x and J a multiple of the identity, as for priors on pixels.
double curvature_of(const prior::ScoreReport& report) {
  const double ratio = report.gradient_norm / report.latent_gradient_norm;
  return std::isfinite(ratio) && ratio > 0 ? ratio * ratio : 1;
}

/// Some views of a video. Views follow each other in memory.
Frames views_of(const Frames& frames, int first, int count) {
  Frames part;
  part.views = count, part.frames = frames.frames, part.height = frames.height, part.width = frames.width;
  const auto begin = frames.values.begin() + static_cast<std::ptrdiff_t>(part.size() / static_cast<std::size_t>(count) *
                                                                         static_cast<std::size_t>(first));
  part.values.assign(begin, begin + static_cast<std::ptrdiff_t>(part.size()));
  return part;
}

/// One call of the prior: replaces `gradient`, and adds to what `answer` knows of its draws.
Result<prior::ScoreReport> score_frames(const Question& question, const Frames& frames,
                                        const prior::ScoreSettings& score, Frames& gradient, GroupAnswer& answer) {
  LIMBER_TRY(prior::ScoreReport report, question.prior.score(frames, question.condition, score, gradient));
  LIMBER_EXPECT(gradient.values.size() == frames.values.size(), "a gradient of another shape than the frames");
  answer.not_finite += report.not_finite;
  if (!report.draws.empty() && !answer.timestep) answer.timestep = report.draws[0].timestep;
  return report;
}

Result<GroupAnswer> score_group(const Question& question, const Frames& frames, prior::ScoreSettings score) {
  GroupAnswer answer;
  LIMBER_TRY(const prior::ScoreReport report, score_frames(question, frames, score, answer.frames, answer));
  answer.squared = report.latent_gradient_norm * report.latent_gradient_norm;
  return answer;
}

/// Down which x_hat is walked to; empty: it is not.
std::vector<int> timesteps_down(const Question& question, const prior::ScoreSettings& score) {
  const int steps = question.settings.denoise_steps;
  const prior::TimestepRange range = prior::timestep_range(score, question.prior.info().train_steps);
  std::vector<int> down;
  for (int k = 0; k < steps && steps > 1; ++k) {
    down.push_back(range.low + static_cast<int>(std::lround(double(range.high - range.low) * (steps - k) / steps)));
  }
  return down;
}

/// x_hat, in one step or walking down in t. Each step is a Newton step on the prior's loss with the curvature along
/// its gradient, which for priors on pixels is x_hat itself; then the noise that leads from there to the same z_t is
/// the next step's (deterministic DDIM, or Euler for flows): noise + signal / sigma (z - z_hat).
Result<GroupAnswer> denoise_group(const Question& question, const Frames& frames, prior::ScoreSettings score) {
  GroupAnswer answer;
  answer.frames = frames;
  Frames& target = answer.frames;
  Frames gradient;
  const int steps = question.settings.denoise_steps;
  const std::vector<int> down = timesteps_down(question, score);
  for (int k = 0; k < steps; ++k) {
    if (steps > 1) {
      score.draws = 1;
      score.timestep = down[static_cast<std::size_t>(k)];
      score.return_latent_gradient = k + 1 < steps;
    }
    LIMBER_TRY(const prior::ScoreReport report, score_frames(question, target, score, gradient, answer));
    answer.curvature = curvature_of(report);
    parallel_for(target.values.size(), 1 << 15, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        target.values[i] -= static_cast<float>(double(gradient.values[i]) / answer.curvature);
      }
    });
    if (!score.return_latent_gradient || report.draws.empty() || k + 1 == steps) continue;
    const std::size_t count = report.latent_gradient.size();
    if (!score.noise) {
      score.noise = prior::normal_noise(count, score.seed, static_cast<std::uint64_t>(question.iteration), 0);
    }
    LIMBER_EXPECT(score.noise->size() >= count, fmt::format("{} numbers of noise", score.noise->size()));
    const double share = report.draws[0].signal / std::max(report.draws[0].sigma, 1e-6);
    parallel_for(count, 1 << 15, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        (*score.noise)[i] += static_cast<float>(share * double(report.latent_gradient[i]));
      }
    });
  }
  // Strong guidance asks for colours that no scene can draw.
  for (float& value : target.values) value = std::clamp(value, 0.0f, 1.0f);
  return answer;
}

/// `ask_group` is told the first view of a group and how to score it.
template <class AskGroup>
Result<Answer> ask_groups(const Question& question, int views, const AskGroup& ask_group) {
  const prior::PriorInfo& info = question.prior.info();
  const int each = std::max(info.views, 1);
  if (views % each != 0) {
    return Error{fmt::format("{} views are drawn, {} at a time can be judged", views, each), info.name};
  }
  const Stopwatch watch;
  Answer answer;
  std::optional<int> timestep;
  for (int first = 0; first < views; first += each) {
    prior::ScoreSettings score = question.settings.score;
    score.iteration = question.iteration;
    score.seed += kGroupSeed * static_cast<std::uint64_t>(first / each);
    LIMBER_TRY(GroupAnswer group, ask_group(first, std::move(score)));
    answer.curvature.push_back(group.curvature);
    answer.squared += group.squared;
    answer.not_finite += group.not_finite;
    if (!timestep) timestep = group.timestep;
    if (first == 0) {
      answer.frames = std::move(group.frames);
    } else {
      answer.frames.values.insert(answer.frames.values.end(), group.frames.values.begin(), group.frames.values.end());
    }
  }
  answer.frames.views = views;
  answer.timestep = timestep.value_or(0);
  answer.seconds = watch.seconds();
  return answer;
}

using AskFrames = Result<GroupAnswer> (*)(const Question&, const Frames&, prior::ScoreSettings);
Result<Answer> ask_here(const Question& question, const Frames& frames, AskFrames ask_frames) {
  const int each = std::max(question.prior.info().views, 1);
  return ask_groups(question, frames.views, [&](int first, prior::ScoreSettings score) {
    const bool all = each == frames.views;
    const Frames part = all ? Frames() : views_of(frames, first, each);
    return ask_frames(question, all ? frames : part, std::move(score));
  });
}

/// The group of views that begins with `first`, and how far in memory from the first of all.
struct DeviceGroup {
  prior::DeviceFrames frames;
  std::size_t offset = 0;

  DeviceGroup(const Question& question, const prior::DeviceFrames& all, int first) : frames(all) {
    frames.views = std::max(question.prior.info().views, 1);
    offset = static_cast<std::size_t>(first) * static_cast<std::size_t>(all.frames) * 3 *
             static_cast<std::size_t>(all.height) * static_cast<std::size_t>(all.width);
    frames.values += offset;
  }
};

}  // namespace

Result<Answer> ask_score(const Question& question, const Frames& frames) {
  return ask_here(question, frames, score_group);
}

Result<Answer> ask_target(const Question& question, const Frames& frames) {
  LIMBER_TRY(Answer answer, ask_here(question, frames, denoise_group));
  const std::size_t per_group = frames.values.size() / std::max<std::size_t>(answer.curvature.size(), 1);
  for (std::size_t i = 0; i < frames.values.size(); ++i) {
    const double gap = double(frames.values[i]) - double(answer.frames.values[i]);
    answer.squared += answer.curvature[i / per_group] * gap * gap;
  }
  return answer;
}

Result<Answer> ask_score_there(const Question& question, const prior::DeviceFrames& frames, float* gradient) {
  const auto ask = [&](int first, const prior::ScoreSettings& score) -> Result<GroupAnswer> {
    const DeviceGroup group(question, frames, first);
    LIMBER_TRY(const prior::ScoreReport report, question.prior.on_device()->score_there(
                                                    group.frames, question.condition, score, gradient + group.offset));
    GroupAnswer answer;
    answer.squared = report.latent_gradient_norm * report.latent_gradient_norm;
    answer.not_finite = report.not_finite;
    if (!report.draws.empty()) answer.timestep = report.draws[0].timestep;
    return answer;
  };
  return ask_groups(question, frames.views, ask);
}

Result<Answer> ask_target_there(const Question& question, const prior::DeviceFrames& frames, float* target) {
  const auto ask = [&](int first, const prior::ScoreSettings& score) -> Result<GroupAnswer> {
    const DeviceGroup group(question, frames, first);
    LIMBER_TRY(const prior::Denoised found,
               question.prior.on_device()->denoise_there(group.frames, question.condition, score,
                                                         timesteps_down(question, score), target + group.offset));
    return GroupAnswer{{}, found.curvature, found.squared, found.timestep, found.not_finite};
  };
  return ask_groups(question, frames.views, ask);
}

}  // namespace limber::distill
