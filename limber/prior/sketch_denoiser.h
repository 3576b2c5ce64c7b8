// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "limber/prior/sketch_model.h"
#include "limber/prior/sketch_network.h"

namespace limber::prior {

class PromptReader;

/// The built-in prior's network on the CPU, without LibTorch; what SketchTransformer is for training. Const, so safe to
/// use from several threads, and the same bits for any number of them.
class SketchDenoiser : public SketchNetwork {
 public:
  /// The weights of a model folder, whole or in shards, and those of its few steps where it has them. Files are not
  /// trusted.
  static Result<std::unique_ptr<SketchDenoiser>> open(const SketchModel& model, const std::filesystem::path& folder);
  ~SketchDenoiser() override;

  Result<std::vector<float>> read(const std::string& prompt) const override;
  Result<std::vector<std::vector<float>>> denoise(const SketchInput& input,
                                                  std::span<const std::span<const float>> texts) const override;
  bool jumps() const override { return jumping_ != nullptr; }

 private:
  struct Network;
  explicit SketchDenoiser(const SketchModel& model);

  SketchModel model_;
  std::unique_ptr<const PromptReader> reader_;
  std::unique_ptr<const Network> network_, jumping_;  ///< for small steps; for jumps, or null
};

}  // namespace limber::prior
