// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/models.h"

#include <system_error>
#include <utility>

#include "limber/anatomy/shipped_reader.h"
#include "limber/motion_space/motion_model.h"
#include "limber/nn/shipped_models.h"
#include "limber/prior/sketch_model.h"

namespace limber::animate {
namespace {

namespace fs = std::filesystem;

Result<std::shared_ptr<prior::VideoPrior>> load(const ModelSettings& settings) {
  fs::path folder;
  if (settings.prior) {
    folder = *settings.prior;
  } else {
    LIMBER_TRY(folder, find_builtin_prior());
  }
  LIMBER_TRY(std::unique_ptr<prior::VideoPrior> loaded, prior::load_prior(folder, settings.loading));
  return std::shared_ptr<prior::VideoPrior>(std::move(loaded));
}

/// `open`, but what was opened is kept.
template <class T, class Open>
std::function<Result<T>()> once(Open open) {
  return [open = std::move(open), opened = std::make_shared<std::optional<T>>()]() -> Result<T> {
    if (!*opened) {
      LIMBER_TRY(*opened, open());
    }
    return **opened;
  };
}

}  // namespace

Models find_models(const ModelSettings& settings) {
  Models models;
  std::error_code failed;
  models.prior_was_named = settings.prior.has_value();
  models.draws_sketches =
      !settings.prior || !fs::exists(*settings.prior, failed) || prior::is_sketch_model(*settings.prior);
  models.open_body_reader = once<anatomy::ReadBody>([]() -> Result<anatomy::ReadBody> {
    const Result<fs::path> folder = anatomy::find_body_reader();
    if (!folder.ok()) return anatomy::ReadBody();
    return anatomy::open_body_reader(*folder);
  });
  models.open_prior = once<std::shared_ptr<prior::VideoPrior>>([settings] { return load(settings); });
  // The built-in one, where that is not what draws anyway.
  models.open_starter =
      settings.prior ? once<std::shared_ptr<prior::VideoPrior>>([] { return load({}); }) : models.open_prior;
  models.open_motions = once<motion_space::MotionDenoiser>([]() -> Result<motion_space::MotionDenoiser> {
    const Result<fs::path> folder = motion_space::find_motion_model();
    if (!folder.ok()) {
      return Error{"the network on joints (`method native`) is missing: " + folder.error().what, folder.error().where,
                   folder.error().kind};
    }
    LIMBER_TRY(motion_space::MotionDenoiser motions, motion_space::MotionDenoiser::open(*folder));
    if (motions.model().judges != 0) return Error{"this network judges motions, and draws none", folder->string()};
    return motions;
  });
  models.open_motion_judge = once<motion_space::MotionJudge>([]() -> Result<motion_space::MotionJudge> {
    LIMBER_TRY(const fs::path folder, motion_space::find_motion_judge(motion_space::JudgeSeat::kChoosing));
    return motion_space::MotionJudge::open(folder);
  });
  return models;
}

Result<fs::path> find_builtin_prior() { return nn::find_shipped_model("sketch_prior", prior::is_sketch_model); }

}  // namespace limber::animate
