// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "limber/prior/part_model.h"
#include "limber/prior/part_network.h"

namespace limber::prior {

class PromptReader;

/// The built-in prior's network on the CPU, without LibTorch; what PartTransformer is for training. Const, so safe to
/// use from several threads, and the same bits for any number of them.
class PartDenoiser : public PartNetwork {
 public:
  /// The weights of a model folder, whole or in shards, and those of its few steps where it has them. Files are not
  /// trusted.
  static Result<std::unique_ptr<PartDenoiser>> open(const PartModel& model, const std::filesystem::path& folder);
  ~PartDenoiser() override;

  Result<std::vector<float>> read(const std::string& prompt) const override;
  Result<std::vector<std::vector<float>>> denoise(const PartInput& input,
                                                  std::span<const std::span<const float>> texts) const override;
  bool jumps() const override { return jumping_ != nullptr; }

 private:
  struct Network;
  explicit PartDenoiser(const PartModel& model);

  PartModel model_;
  std::unique_ptr<const PromptReader> reader_;
  std::unique_ptr<const Network> network_, jumping_;  ///< for small steps; for jumps, or null
};

}  // namespace limber::prior
