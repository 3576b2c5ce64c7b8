// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "limber/nn/torch_api.h"

/// \file
/// The optimiser of every trainer: AdamW with warm-up and cosine decay, clipping, an average of the weights, 16-bit
/// weights with float masters, and checkpoints that continue bit by bit.
///
///     nn::Optimizer optimizer(weights.tensors(), settings);     // the tensors become trainable leaves
///     for (; optimizer.step_count() < settings.steps;) {
///       loss_of(batch).backward();
///       const nn::StepReport report = optimizer.step();          // reads and clears the gradients
///     }
///     LIMBER_CHECK_OK(nn::save_tensors("model.safetensors", optimizer.averaged(), {}, at::kHalf));

namespace limber::nn {

struct OptimizerSettings {
  double learning_rate = 1e-3;    ///< at the end of the warm-up
  double final_rate = 0.0;        ///< of learning_rate, reached at `steps`
  std::int64_t warmup_steps = 0;  ///< linear from 0
  std::int64_t steps = 0;         ///< cosine decay ends here; 0: constant after the warm-up
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0.0;       ///< decoupled (AdamW); applies to tensors of two or more axes only
  double max_gradient_norm = 0.0;  ///< of all gradients together; 0: no clipping
  double average_decay = 0.0;      ///< of the running average of the weights (EMA); 0: none
};

/// The rate at step `step` (0 is the first).
double learning_rate_at(const OptimizerSettings& settings, std::int64_t step);

/// What one step did.
struct StepReport {
  double gradient_norm = 0;  ///< before clipping
  double learning_rate = 0;
  bool skipped = false;  ///< the gradients were not finite: weights and moments are as before
};

/// A scale for the loss of a network in fp16: grows while gradients are finite, halves when they are not.
///     (loss * scale.value).backward();
///     scale.update(optimizer.step(scale.value));
struct LossScale {
  double value = 65536;
  int finite_steps = 0;  ///< since the last change; after 2000 the scale doubles
  void update(const StepReport& report);
};

/// AdamW (Loshchilov and Hutter 2019). Weights stored in 16 bits keep a float master copy, so small updates are not
/// lost. Owns nothing but its state: the weights stay the caller's tensors and are updated in place. Deterministic: the
/// same gradients give the same bits on the same machine. Not thread-safe.
class Optimizer {
 public:
  /// Marks the parameters as requiring gradients; names are unique.
  Optimizer(TensorList parameters, const OptimizerSettings& settings);

  /// Updates the weights from their gradients and clears those. A parameter without gradient stays as it is.
  /// `loss_scale` is what the loss was multiplied by, to keep gradients in fp16 from vanishing.
  StepReport step(double loss_scale = 1);

  /// Moves the end of the decay, for runs that are limited by time.
  void set_last_step(std::int64_t steps) { settings_.steps = steps; }

  std::int64_t step_count() const { return step_count_; }  ///< steps taken, skipped ones included
  const TensorList& parameters() const { return parameters_; }
  /// The averaged weights in float, under the names of the parameters; the weights themselves without an average.
  TensorList averaged() const;

  /// Writes weights, masters, moments, averages and the step to one safetensors file, atomically; `metadata` may carry
  /// the trainer's own state (a random generator, an epoch).
  Status save(const std::filesystem::path& file, const Metadata& metadata = {}) const;
  /// Continues from `save`: what follows is bit by bit what would have followed there. Names, shapes and types must be
  /// the same. Nothing is changed on failure. Returns the trainer's metadata.
  Result<Metadata> resume(const std::filesystem::path& file);

 private:
  struct State {
    Tensor master;  ///< float; the parameter itself where that is float
    Tensor first, second, average;
  };
  /// Everything that a checkpoint holds, under its names there.
  TensorList state_tensors() const;
  /// Gradients by parameter, undefined ones left out; each counts times `factor`.
  void update(std::vector<Tensor> gradients, double factor, double rate);

  TensorList parameters_;
  OptimizerSettings settings_;
  std::vector<State> states_;
  std::int64_t step_count_ = 0;
  std::int64_t update_count_ = 0;  ///< steps that were not skipped: Adam's t
};

}  // namespace limber::nn
