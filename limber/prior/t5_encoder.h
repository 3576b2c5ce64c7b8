// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "limber/nn/blocks.h"

namespace limber::prior {

/// Sizes of a T5 v1.1 or UMT5 encoder, from its config.json. The defaults are T5 v1.1 XXL.
struct T5Config {
  std::int64_t vocabulary = 32128, width = 4096, layers = 24, heads = 64, head_dim = 64, ff_width = 10240;
  std::int64_t buckets = 32, max_distance = 128;  ///< of relative positions
  double eps = 1e-6;
  bool bias_per_layer = false;  ///< UMT5: every layer has its own relative bias; T5: the first layer's serves all
};
Result<T5Config> read_t5_config(const std::filesystem::path& config_json);

/// The bucket of each relative position key - query, [n, n].
nn::Tensor t5_position_buckets(std::int64_t n, const T5Config& config);

/// The text encoder of CogVideoX (T5 v1.1; Raffel et al. 2020) and of Wan (UMT5; Chung et al. 2023). Prompts are
/// encoded once and then cached, so its weights never stay: `encode` takes one layer at a time from the mapped file,
/// which bounds the memory by the embedding table and one layer whatever the model's size.
class T5Encoder {
 public:
  /// `folder`: a checkpoint's `text_encoder`. Checks every tensor's name and shape, reads no weights. Computing in fp16
  /// overflows (d_ff is wide): use bf16 or fp32.
  static Result<T5Encoder> open(const std::filesystem::path& folder, nn::Placement placement);

  /// ids: [batch, n] integers. mask: undefined, or [batch, n] with 0 at keys to hide. Returns [batch, n, width] on the
  /// placement. No gradient.
  Result<nn::Tensor> encode(const nn::Tensor& ids, const nn::Tensor& mask = {}) const;

  const T5Config& config() const { return config_; }
  const nn::TensorArchive& archive() const { return archive_; }
  const nn::Placement& placement() const { return placement_; }
  std::int64_t parameter_count() const { return parameter_count_; }

 private:
  T5Config config_;
  nn::TensorArchive archive_;
  nn::Placement placement_;
  std::int64_t parameter_count_ = 0;
};

/// Asks for every tensor of the encoder: to count them or check a file.
void describe_t5(nn::Weights& weights, const T5Config& config);

}  // namespace limber::prior
