// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "limber/base/result.h"

namespace limber::prior {

/// A noisy video, and what is known of the clean one. Videos are [views, frames, 3, size, size] in [-1, 1].
struct SketchInput {
  std::span<const float> noisy;
  std::span<const float> shares;    ///< [tubes]: of noise, in [0, 1]
  std::span<const float> targets;   ///< [tubes]: shares that are jumped to; empty for a small step
  std::span<const float> rest;      ///< [views, 3, size, size]: the body at rest; empty: it is left to chance
  std::span<const float> known;     ///< a video, 0 where nothing is known; empty: no frame is
  std::span<const float> is_known;  ///< [frames], 1 or 0; empty where `known` is
};

/// A video and the texts under which it is looked at.
struct SketchQuery {
  SketchInput input;
  std::vector<std::span<const float>> texts;
};

class SketchDevice;

/// The built-in prior's network, wherever it computes: SketchDenoiser on the CPU, CudaSketchNetwork on a GPU,
/// TorchSketchNetwork in LibTorch.
class SketchNetwork {
 public:
  virtual ~SketchNetwork() = default;

  /// What a prompt means to it: [width].
  virtual Result<std::vector<float>> read(const std::string& prompt) const = 0;

  /// The clean videos that it sees in a noisy one under each of some texts, which `read` made: one batch.
  virtual Result<std::vector<std::vector<float>>> denoise(const SketchInput& input,
                                                          std::span<const std::span<const float>> texts) const = 0;

  /// The same for several videos, where that is quicker in one batch. LibTorch's takes those without targets and known
  /// frames alone.
  virtual Result<std::vector<std::vector<std::vector<float>>>> denoise_all(std::span<const SketchQuery> queries) const {
    std::vector<std::vector<std::vector<float>>> all;
    for (const SketchQuery& query : queries) {
      LIMBER_TRY(std::vector<std::vector<float>> seen, denoise(query.input, query.texts));
      all.push_back(std::move(seen));
    }
    return all;
  }

  /// What draws and judges without a wait, on a GPU (sketch_device.h); null: it only denoises.
  virtual const SketchDevice* device() const { return nullptr; }

  /// Whether it was also taught to jump: then inputs may have targets.
  virtual bool jumps() const = 0;
};

}  // namespace limber::prior
