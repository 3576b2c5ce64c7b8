// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "limber/base/result.h"
#include "limber/nn/training_plan.h"
#include "limber/prior/sketch_model.h"

/// Teaches the built-in prior from clips that someone else draws.
namespace limber::prior {

/// A sketch, the body at rest as the same cameras see it, and ways to say what it does.
struct SketchClip {
  std::vector<std::uint8_t> video;    ///< [views, frames, 3, size, size]
  std::vector<std::uint8_t> rest;     ///< [views, 3, size, size]
  std::vector<std::string> captions;  ///< kClipCaptions
};
inline constexpr int kClipCaptions = 4;

/// Clip number `index`, always the same. Called from several threads.
using ClipSource = std::function<Result<SketchClip>(std::uint64_t index)>;

/// Clips from here on are for validation alone.
inline constexpr std::uint64_t kValidationClips = std::uint64_t{1} << 40;

struct TrainStep : nn::TrainingStep {
  double validation_loss = 0;  ///< of the averaged weights, where `validated`
  double continued_loss = 0;   ///< the same where the first third of each clip is known (second version)
};

/// Shares of the clips in which frames are known and not learned (second version).
struct KnownShares {
  double continued = 0.45;  ///< the first one to three tubes
  double between = 0.1;     ///< the last one beside them
  double keyframes = 0.1;   ///< single frames of clips that begin freely
};

struct TrainSettings {
  SketchModel model;
  std::string dtype = "auto";                      ///< as LoadSettings
  nn::TrainingPlan plan;                           ///< an example is a clip, of 0.6 MB
  double drop_text = 0.1, drop_rest = 0.1;         ///< how often a condition is withheld
  double noise_mean = 0.6, noise_deviation = 1.2;  ///< share of noise = sigmoid of a normal number
  double noise_floor = 0.1;                        ///< errors count divided by the share of noise, at least this
  double body_weight = 3;                          ///< of pixels with a colour, against those of the grey ground
  KnownShares known;
  std::function<bool(const TrainStep&)> on_report;  ///< false: stop here, keeping what was learned
};

struct TrainReport : nn::TrainingReport {
  double validation_loss = 0, continued_loss = 0;
};

/// Trains and writes the averaged weights to `folder` (see SketchPrior), and weights, moments and averages as they are
/// to `training_state.safetensors` there, at every validation and at the end. Drawing goes on beside the training, on
/// all cores.
Result<TrainReport> train_sketch_prior(const ClipSource& source, const std::filesystem::path& folder,
                                       const TrainSettings& settings);

}  // namespace limber::prior
