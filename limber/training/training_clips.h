// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "limber/prior/sketch_trainer.h"

/// What the built-in prior is taught with: creatures of the zoo, doing everything that they can do.
namespace limber::training {

struct ClipSettings {
  int creatures = 4000;   ///< different bodies; those for validation are others
  double any_body = 0.5;  ///< of them, the share of random bodies of the grammar; the others are of the eight plans
  std::uint64_t seed = 0;
};

/// Draws clips for a model; bodies are made when they are first needed and kept. Give it to `train_sketch_prior`.
prior::ClipSource zoo_clips(const prior::SketchModel& model, const ClipSettings& settings = {});

}  // namespace limber::training
