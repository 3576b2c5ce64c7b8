// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

/// What all trainers are told, and what they tell.
namespace limber::nn {

/// How a network is trained. Examples have numbers; each is always the same.
struct TrainingPlan {
  std::string device = "auto";  ///< cpu, cuda or cuda:N; auto: the GPU if there is one
  std::filesystem::path from;   ///< a model folder whose weights to start with; empty: random ones
  bool resume = false;          ///< continue from `training_state.safetensors` in the output folder, if it is there
  double seconds = 480;         ///< of training, after the first examples are there
  std::int64_t max_steps = 0;   ///< 0: as many as fit into the time
  int batch = 128;              ///< examples of a step

  std::int64_t pool = 20000;           ///< examples in memory; once full, the oldest give way to new ones
  std::int64_t max_examples = 0;       ///< drawn at most; 0: as long as the training lasts
  double fresh_examples = 1;           ///< once full, drawn at most for each that a step looks at
  std::int64_t first_examples = 2000;  ///< drawn before training begins
  int validation_examples = 64;

  double learning_rate = 6e-4;  ///< at its height, after `warmup_steps`
  double final_rate = 0.05;     ///< at the end, of learning_rate
  std::int64_t warmup_steps = 300;
  double weight_decay = 0.01, max_gradient_norm = 1;
  double average_decay = 0.999;  ///< of the running average of the weights, which is what is kept

  std::uint64_t seed = 0;  ///< of weights, examples and everything else that is left to chance
  std::int64_t report_steps = 50, validation_steps = 500;
};

/// How far a training has come.
struct TrainingStep {
  std::int64_t step = 0, examples = 0;  ///< examples: drawn so far
  double seconds = 0;                   ///< of training
  double loss = 0;                      ///< mean since the last report
  double learning_rate = 0, gradient_norm = 0;
  bool validated = false;  ///< the averaged weights were measured and written
};

struct TrainingReport {
  std::int64_t steps = 0, examples = 0, parameters = 0;
  double seconds = 0, first_seconds = 0;  ///< of training; until the first examples were there
  double loss = 0;
  std::string device;
};

}  // namespace limber::nn
