// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <utility>

#include "limber/actions/catalogue.h"
#include "limber/animate/sketch_task.h"

/// The prior as a witness: noise is added to the pictures of a motion, and the prompt with which it takes the noise off
/// best is what the pictures show (Li et al. 2023, "Your diffusion model is secretly a zero-shot classifier").
namespace limber::animate {
namespace {

/// So many that were taught count.
constexpr std::size_t kMostRivals = 3;
/// Of a thousand: enough noise to hide what moves, not what it is.
constexpr int kNoise = 500;

std::vector<prior::ActionWords> rivals_of(const std::vector<prior::ActionWords>& taught,
                                          const std::vector<std::string>& asked) {
  std::vector<prior::ActionWords> rivals;
  for (const actions::Action* rival : actions::built_in().rivals_of(asked)) {
    if (rivals.size() == kMostRivals) break;
    const auto found =
        std::find_if(taught.begin(), taught.end(), [&](const auto& action) { return action.name == rival->name; });
    if (found != taught.end() && !found->words.empty()) rivals.push_back(*found);
  }
  return rivals;
}

/// Errors under the same noise, one for each condition.
Result<std::vector<double>> errors_under(SketchTask& task, const Pictures& pictures,
                                         std::span<const prior::Condition> conditions) {
  prior::ScoreSettings settings;
  settings.seed = task.sample.seed, settings.timestep = kNoise, settings.guidance = 1;
  std::vector<double> errors;
  Frames only_shape;
  if (pictures.there) {
    const prior::DeviceFrames& there = *pictures.there;
    only_shape.views = there.views, only_shape.frames = there.frames;
    only_shape.height = there.height, only_shape.width = there.width;
    LIMBER_TRY(errors, task.prior.on_device()->squares_there(there, conditions, settings));
  } else {
    for (const prior::Condition& condition : conditions) {
      Frames ignored;
      LIMBER_TRY(const prior::ScoreReport report, task.prior.score(pictures.here, condition, settings, ignored));
      errors.push_back(report.latent_gradient_norm * report.latent_gradient_norm);
    }
  }
  const Frames& shape = pictures.there ? only_shape : pictures.here;
  const auto entries = static_cast<double>(distill::latent_entries(task.prior.info(), shape));
  for (double& error : errors) error /= entries;
  return errors;
}

}  // namespace

Result<Explained> explain(SketchTask& task, const Pictures& pictures, bool as_told) {
  const std::vector<prior::ActionWords>& taught = task.prior.info().actions;
  const std::vector<std::string> asked = prior::guess_action(taught, task.sample.prompt).named;
  std::vector<prior::ActionWords> rivals;
  if (as_told && !asked.empty()) rivals = rivals_of(taught, asked);
  std::vector<prior::Condition> conditions{task.condition};
  for (const prior::ActionWords& rival : rivals) {
    const std::string prompt = with_action(task.sample.prompt, taught, rival);
    LIMBER_TRY(prior::Condition condition, task.prior.condition({prompt, task.sample.negative},
                                                                task.condition.rest ? &*task.condition.rest : nullptr));
    conditions.push_back(std::move(condition));
  }
  LIMBER_TRY(const std::vector<double> errors, errors_under(task, pictures, conditions));
  Explained explained{errors[0], {}};
  if (rivals.empty()) return explained;
  Told& told = explained.told.emplace();
  told.asked = errors[0];
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    if (told.looks_like.empty() || errors[i + 1] < told.other) {
      told.other = errors[i + 1], told.looks_like = rivals[i].name;
    }
  }
  return explained;
}

}  // namespace limber::animate
