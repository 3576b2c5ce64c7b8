// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "limber/nn/weights.h"
#include "limber/prior/sketch_network.h"
#include "limber/prior/sketch_transformer.h"
#include "limber/prior/video_prior.h"

/// The built-in prior in LibTorch: for training, on a GPU, and as what SketchDenoiser is compared with.
namespace limber::prior {

class TorchSketchNetwork : public SketchNetwork {
 public:
  TorchSketchNetwork(const SketchModel& model, nn::Weights weights);

  Result<std::vector<float>> read(const std::string& prompt) const override;
  Result<std::vector<std::vector<float>>> denoise(const SketchInput& input,
                                                  std::span<const std::span<const float>> texts) const override;
  Result<std::vector<std::vector<std::vector<float>>>> denoise_all(std::span<const SketchQuery> queries) const override;
  bool jumps() const override { return jumping_.has_value(); }

  /// From here on it jumps too (few_steps.h); everything else stays as it is.
  void add_adapter(const nn::TensorList& adapter);

 private:
  SketchModel model_;
  nn::Weights weights_;
  SketchTransformer network_;
  std::optional<SketchTransformer> jumping_;  ///< with the adapter merged
};

Result<std::unique_ptr<VideoPrior>> open_torch_sketch_prior(const std::filesystem::path& folder,
                                                            const LoadSettings& settings);

/// The weights of a model folder, whole or in shards, matrices in bytes where they were written so.
Result<nn::Weights> open_sketch_weights(const std::filesystem::path& folder, const nn::Placement& placement);

/// The weights to train on with: in 16 bits where a training left them, else those that ship. Tensors that versions
/// after the folder's own have, up to `version`, start at zero.
Result<nn::Weights> open_first_weights(const std::filesystem::path& folder, int version,
                                       const nn::Placement& placement);

/// Writes description and weights into a folder: matrices in bytes with a scale per row, for use, and all in 16 bits
/// (`averaged.safetensors`), for training on.
Status save_sketch_prior(const SketchModel& model, const nn::TensorList& weights, const std::filesystem::path& folder);

}  // namespace limber::prior
