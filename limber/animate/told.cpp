// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "limber/animate/part_task.h"

/// The prior as a judge: noise is added to the pictures of a motion, and the prompt with which it takes the noise off
/// best is what the pictures show (Li et al. 2023, "Your diffusion model is secretly a zero-shot classifier").
namespace limber::animate {
namespace {

/// Actions that look like nothing else, to be compared with; the first few that are not asked for count.
constexpr std::array<std::string_view, 8> kRivals{"idle", "walk", "sit", "jump", "run", "attack", "fly", "swim"};
constexpr std::size_t kMostRivals = 3;
/// Of a thousand: enough noise to hide what moves, not what it is.
constexpr int kNoise = 500;

/// Gaits differ in their order of feet alone: which of them it is cannot be told from errors as small as these.
constexpr std::array<std::string_view, 11> kGaits{"walk", "trot",  "pace", "gallop", "bound", "hop",
                                                  "run",  "sneak", "limp", "crawl",  "turn"};

template <class List>
bool holds(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

std::vector<prior::ActionWords> rivals_of(const std::vector<prior::ActionWords>& taught,
                                          const std::vector<std::string>& asked) {
  const bool gait = std::any_of(asked.begin(), asked.end(), [](const auto& action) { return holds(kGaits, action); });
  std::vector<prior::ActionWords> rivals;
  for (const std::string_view name : kRivals) {
    if (rivals.size() == kMostRivals) break;
    if (holds(asked, name) || (gait && holds(kGaits, name))) continue;
    const auto found =
        std::find_if(taught.begin(), taught.end(), [&](const auto& action) { return action.name == name; });
    if (found != taught.end() && !found->words.empty()) rivals.push_back(*found);
  }
  return rivals;
}

/// Mean squared error of what the prior sees under noise, the same noise for every prompt.
Result<double> error_under(PartTask& task, const Frames& drawn, const std::string& prompt) {
  LIMBER_TRY(
      const prior::Condition condition,
      task.prior.condition({prompt, task.request.negative}, task.condition.rest ? &*task.condition.rest : nullptr));
  return explained_error(task, drawn, condition);
}

}  // namespace

Result<double> explained_error(PartTask& task, const Frames& drawn, const prior::Condition& condition) {
  prior::ScoreSettings settings;
  settings.seed = task.request.seed, settings.timestep = kNoise, settings.guidance = 1;
  Frames ignored;
  LIMBER_TRY(const prior::ScoreReport report, task.prior.score(drawn, condition, settings, ignored));
  const auto entries = static_cast<double>(distill::latent_entries(task.prior.info(), drawn));
  return report.latent_gradient_norm * report.latent_gradient_norm / entries;
}

Result<std::optional<Told>> find_told(PartTask& task, const Frames& drawn, double asked_error) {
  const std::vector<prior::ActionWords>& taught = task.prior.info().actions;
  const std::vector<std::string> asked = prior::guess_action(taught, task.request.prompt).named;
  const std::vector<prior::ActionWords> rivals = rivals_of(taught, asked);
  if (asked.empty() || rivals.empty()) return std::optional<Told>();
  Told told;
  told.asked = asked_error;
  for (const prior::ActionWords& rival : rivals) {
    LIMBER_TRY(const double error, error_under(task, drawn, with_action(task.request.prompt, taught, rival)));
    if (told.looks_like.empty() || error < told.other) told.other = error, told.looks_like = rival.name;
  }
  return std::optional<Told>(std::move(told));
}

}  // namespace limber::animate
