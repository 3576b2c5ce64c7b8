// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/nn/weights.h"
#include "limber/prior/checkpoint.h"

/// Reference outputs of the public implementations, for tests.
namespace limber::prior {

/// The checkpoints in the folder `video_models` of testing::parity_dir() that limber runs, sorted.
std::vector<std::filesystem::path> parity_folders();
/// Those of models that are shown pictures: limber does not run them yet, and refuses them by name.
std::vector<std::filesystem::path> refused_folders();

/// One tiny checkpoint and what the reference computes with it.
struct ParityCase {
  explicit ParityCase(const std::filesystem::path& folder);

  bool has(const std::string& name) const { return expected.contains(name); }
  nn::Tensor tensor(const std::string& name) const;
  nn::Weights weights(const std::string& component, nn::Placement placement = {}) const;

  Checkpoint checkpoint;
  nn::TensorArchive expected;
};

/// |a - b| / |b|
double relative_error(const nn::Tensor& a, const nn::Tensor& b);

}  // namespace limber::prior
