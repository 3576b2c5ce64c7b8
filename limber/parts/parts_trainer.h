// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "limber/base/result.h"
#include "limber/nn/training_plan.h"
#include "limber/parts/parts_model.h"
#include "limber/parts/surface_pictures.h"

/// Teaches the network of parts.
namespace limber::parts {

/// A body in pictures, and the colours of its parts (`part_color`).
struct PartsExample {
  SurfacePictures pictures;
  std::vector<Vec3> colors;  ///< per part, kMostParts at most
  bool orbits = false;  ///< frames are further views (`PictureSettings::orbit`): all is known of them, as of a mesh
};

/// Example number `index`, always the same. Called from several threads.
using PartsSource = std::function<Result<PartsExample>(std::uint64_t index)>;

/// Examples from here on are for validation alone.
inline constexpr std::uint64_t kValidationPictures = std::uint64_t{1} << 40;

enum class PartsStage {
  kRgb,  ///< the RGB branch alone
  kBoth  ///< both branches; from weights of the first stage, the part branch starts as a copy of the other
};

/// How well parts of bodies are drawn that were not taught, in four steps. Shares of the body's pixels whose colour is
/// nearest to that of their true part.
struct PartsScore {
  double loss = 0;     ///< of the task
  double mesh = 0;     ///< where everything is known, as of a mesh
  double plain = 0;    ///< where all colours are known, but no places and normals
  double seen = 0;     ///< one picture is known: in that
  double made_up = 0;  ///< ... in the others
};

struct PartsStep : nn::TrainingStep {
  PartsScore validation;  ///< of the averaged weights, where `validated`; losses alone in the first stage
};

struct PartsTraining {
  PartsModel model;
  PartsStage stage = PartsStage::kBoth;
  double rgb_seconds = 0;  ///< > 0: the first stage for so long before the second, which then has the rest of the time
  double contrast = 0.05;  ///< weight of the contrastive loss; 0: none
  bool colors = true;  ///< false: none are known or drawn, a branch alone by places and normals; to see what they do
  bool fusion = true;  ///< false: branches that know nothing of each other, to see what fusion is good for
  nn::TrainingPlan plan = default_plan();
  std::function<bool(const PartsStep&)> on_report;  ///< false: stop here, keeping what was learned

  /// An example takes 0.66 MB.
  static nn::TrainingPlan default_plan() {
    nn::TrainingPlan plan;
    plan.batch = 64, plan.pool = 20000, plan.first_examples = 2000, plan.validation_examples = 64;
    plan.learning_rate = 7e-4, plan.final_rate = 0.03, plan.weight_decay = 0.01, plan.warmup_steps = 200;
    plan.report_steps = 50, plan.validation_steps = 1000, plan.average_decay = 0.999;
    return plan;
  }
};

struct PartsReport : nn::TrainingReport {
  PartsScore validation;
};

/// Trains and writes the averaged weights to `folder`, those of its layers in 8 bits and the rest in 16, in 16
/// (`averaged.safetensors`, to start from) and what is needed to resume beside them, at every validation and at the
/// end. What the first stage of two leaves is in the folder `rgb` in it.
Result<PartsReport> train_parts(const PartsSource& source, const std::filesystem::path& folder,
                                const PartsTraining& settings);

}  // namespace limber::parts
