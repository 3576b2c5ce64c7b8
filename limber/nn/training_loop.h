// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "limber/nn/example_pool.h"
#include "limber/nn/training_plan.h"
#include "limber/nn/weights.h"

/// \file
/// The one training loop: examples drawn ahead and kept on the device, AdamW with an average of the weights, a schedule
/// that ends when the time is up, validation, checkpoints.
///
///     LIMBER_TRY(nn::Weights weights, nn::first_weights(plan, placement, open, describe));
///     const Network network(model, weights.root());
///     nn::TrainingTask task;
///     task.draw = ...; task.loss = ...; task.validate = ...; task.save = ...;
///     LIMBER_TRY(const nn::TrainingReport report, nn::train(weights, plan, folder, task));

namespace limber::nn {

/// Tensors whose first axis counts examples.
using TensorRun = std::vector<Tensor>;

/// Examples on a device, drawn by a thread of its own.
class TensorPool {
 public:
  /// `count` examples on the CPU, from number `first` on; every run has the same tensors but for their first axis.
  using Draw = std::function<Result<TensorRun>(std::uint64_t first, std::int64_t count)>;

  TensorPool(const PoolSettings& settings, at::Device device, Draw draw);
  TensorPool(const TensorPool&) = delete;
  TensorPool& operator=(const TensorPool&) = delete;

  Status wait_for(std::int64_t count) const { return pool_->wait_for(count); }
  Status status() const { return pool_->status(); }
  std::int64_t drawn() const { return pool_->drawn(); }

  /// `count` of the examples that are there, by the default generator of the device; some may come twice.
  TensorRun batch(std::int64_t count) const;

 private:
  at::Device device_;
  TensorRun held_;  ///< [capacity, ...], there once the first run is
  std::unique_ptr<ExamplePool<TensorRun>> pool_;
};

/// What is particular to a training.
struct TrainingTask {
  TensorPool::Draw draw;     ///< called from the pool's thread
  std::int64_t run = 256;    ///< examples that are drawn together
  std::uint64_t stream = 0;  ///< see first_example
  /// Of a batch, with what differentiates it.
  std::function<Tensor(const TensorRun& batch)> loss;
  /// Measures the averaged weights.
  std::function<void(const TensorList& averaged)> validate;
  /// Writes them as a model.
  std::function<Status(const TensorList& averaged)> save;
  /// Called every `report_steps`, at validations after `validate` and `save`; false: stop here, keeping what was
  /// learned. May be empty.
  std::function<bool(const TrainingStep&)> report;
};

/// Where a training begins: random weights, or those that `open` finds where `plan.from` is given. `describe` asks for
/// all that the network is made of.
Result<Weights> first_weights(const TrainingPlan& plan, const Placement& placement,
                              const std::function<Result<Weights>()>& open,
                              const std::function<void(const WeightScope&)>& describe);

/// Trains `weights`, which a network has been made of, in place. Writes the model with `task.save`, and beside it, in
/// `folder`, weights, moments and averages as they are (`training_state.safetensors`), at every validation and at the
/// end. The same bits for the same seed on one machine where all examples are there before the first step.
Result<TrainingReport> train(const Weights& weights, const TrainingPlan& plan, const std::filesystem::path& folder,
                             const TrainingTask& task);

/// The matrices whose names start with `prefix` in bytes with a scale per row, for models that ship
/// (`infer::WeightFile`); all else as it is.
TensorList in_bytes(const TensorList& weights, const std::string& prefix);

}  // namespace limber::nn
