// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "limber/nn/torch_api.h"

namespace limber::prior {

/// What an embedding depends on.
struct TextKey {
  std::string prompt;       ///< as given to the tokenizer
  std::string fingerprint;  ///< of tokenizer and encoder
  std::int64_t length = 0;
  std::string dtype;  ///< "BF16"
};

/// An embedding: [length, width] on the CPU, `tokens` of the rows belong to the prompt.
struct TextEmbedding {
  nn::Tensor rows;
  std::int64_t tokens = 0;
};

/// Text embeddings on disk, one safetensors file per prompt, so that the encoder runs once for a prompt. Several
/// processes may share a folder.
class TextCache {
 public:
  /// `folder` is made when something is stored.
  explicit TextCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// $XDG_CACHE_HOME/limber/text or ~/.cache/limber/text; empty if there is no home.
  static std::filesystem::path default_folder();

  /// None if it is not there, or what is there is damaged or belongs to another key.
  std::optional<TextEmbedding> find(const TextKey& key) const;
  Status store(const TextKey& key, const TextEmbedding& embedding) const;

  std::filesystem::path file(const TextKey& key) const;

 private:
  std::filesystem::path folder_;
};

/// Changes when the tokenizer, the configuration or the weights do. Looks at all names and shapes and at a few bytes of
/// every tensor, so it is quick for ten gigabytes.
Result<std::string> text_fingerprint(const std::filesystem::path& tokenizer_folder, const nn::TensorArchive& encoder);

}  // namespace limber::prior
