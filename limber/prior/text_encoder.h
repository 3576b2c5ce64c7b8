// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "limber/prior/t5_encoder.h"
#include "limber/prior/text_cache.h"
#include "limber/prior/tokenizer.h"

namespace limber::prior {

struct TextEncoderSettings {
  std::int64_t length = 226;    ///< tokens of a prompt, padding included: 226 for CogVideoX, 512 for Wan
  nn::Placement placement;      ///< bf16 or fp32
  std::filesystem::path cache;  ///< folder of a TextCache; empty: no cache
};

/// Prompts -> what a checkpoint's transformer attends to. Which conventions apply follows from the encoder:
/// T5 (CogVideoX) attends to the padding, and all rows are used; UMT5 (Wan) cleans the prompt, masks the padding and
/// zeroes its rows.
///
///     LIMBER_TRY(auto text, TextEncoder::open(checkpoint, {.length = 226, .placement = p, .cache = folder}));
///     LIMBER_TRY(auto embeddings, text.encode({prompt, negative_prompt}));
///
/// Holds maps of the files, no weights. Not thread-safe.
class TextEncoder {
 public:
  /// `checkpoint` holds the folders `tokenizer` and `text_encoder`.
  static Result<TextEncoder> open(const std::filesystem::path& checkpoint, const TextEncoderSettings& settings);

  /// One embedding per prompt, from the cache where it is there; the rest run as one batch.
  Result<std::vector<TextEmbedding>> encode(const std::vector<std::string>& prompts);

  /// The tokens that `encode` would use.
  TokenizedPrompt tokenize(const std::string& prompt) const;

  /// Prompts that had to be computed so far.
  int computed() const { return computed_; }
  /// Why an embedding could not be stored, if that happened: a full disk is no reason to fail.
  const std::optional<Error>& cache_error() const { return cache_error_; }
  const T5Encoder& encoder() const { return encoder_; }

 private:
  TextEncoder(TextEncoderSettings settings, Tokenizer tokenizer, T5Encoder encoder)
      : settings_(std::move(settings)), tokenizer_(std::move(tokenizer)), encoder_(std::move(encoder)) {}

  bool masks_padding() const { return encoder_.config().bias_per_layer; }
  std::string prepared(const std::string& prompt) const;
  TextKey key(const std::string& prompt) const;
  Status compute(const std::vector<std::string>& prompts, std::vector<TextEmbedding>& embeddings);

  TextEncoderSettings settings_;
  Tokenizer tokenizer_;
  T5Encoder encoder_;
  std::string fingerprint_;
  int computed_ = 0;
  std::optional<Error> cache_error_;
};

}  // namespace limber::prior
