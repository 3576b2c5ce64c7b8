// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "limber/anatomy/body_reading.h"
#include "limber/base/result.h"
#include "limber/motion_space/motion_denoiser.h"
#include "limber/motion_space/motion_judge.h"
#include "limber/prior/video_prior.h"

/// The networks that animating takes; nn/shipped_models.h says where those that ship are looked for.
namespace limber::animate {

/// Opened when they are first needed: a rigged body needs no reader, a video no prior.
struct Models {
  /// Tells parts, kind and front of bodies without a skeleton. An empty function, or one that returns an empty one:
  /// bodies are judged by their shape alone, and the result says so.
  std::function<Result<anatomy::ReadBody>()> open_body_reader;
  /// Draws what prompts say. An empty function: only videos can be followed.
  std::function<Result<std::shared_ptr<prior::VideoPrior>>()> open_prior;
  /// Draws what a distillation starts from (Start::kSample): one that draws the body itself. An empty function: none is
  /// there.
  std::function<Result<std::shared_ptr<prior::VideoPrior>>()> open_starter;
  /// Draws motions as joints (Method::kNative), without pictures. An empty function: none is there.
  std::function<Result<motion_space::MotionDenoiser>()> open_motions;
  /// Whether somebody chose the prior: then it draws, and nothing takes its place.
  bool prior_was_named = false;
  /// Whether the prior draws the body itself, known before it is opened; unset: nobody knows, and what depends on that
  /// is refused only then.
  std::optional<bool> draws_sketches;
  /// Tells what motions show, to choose among them. An empty function: candidates are chosen by numbers alone.
  std::function<Result<motion_space::MotionJudge>()> open_motion_judge;
};

struct ModelSettings {
  std::optional<std::filesystem::path> prior;  ///< a checkpoint's folder; unset: the built-in one
  prior::LoadSettings loading;                 ///< of the prior
};

/// Each model is opened at most once, and lives as long as the result or a copy of it. Not thread-safe, as priors are
/// not. Large priors need LibTorch: prior/torch_priors.h.
Models find_models(const ModelSettings& settings = {});

/// The folder of the prior that ships; `kMissing` where it is not found.
Result<std::filesystem::path> find_builtin_prior();

}  // namespace limber::animate
