// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "limber/prior/tokenizer_model.h"

namespace limber::prior {

/// A prompt as a text encoder takes it: always the same length, padded at the end.
struct TokenizedPrompt {
  std::vector<std::int64_t> ids;
  std::int64_t length = 0;    ///< ids before the padding, the end token included
  std::int64_t left_out = 0;  ///< ids of the text that did not fit
};

/// A Unigram tokenizer (Kudo 2018), token for token what SentencePiece computes; needs no LibTorch. Const, so it can be
/// shared between threads.
class Tokenizer {
 public:
  explicit Tokenizer(TokenizerModel model);

  /// `path`: a checkpoint's `tokenizer` folder with `spiece.model` or else `tokenizer.json`, or one of those files.
  static Result<Tokenizer> open(const std::filesystem::path& path);

  /// The ids of a text in UTF-8, without an end token; malformed bytes count as U+FFFD.
  std::vector<int> encode(std::string_view text) const;

  /// Exactly `length` >= 1 ids: those of the text cut to length - 1, the end token, padding.
  TokenizedPrompt encode_padded(std::string_view text, std::int64_t length) const;

  const TokenizerModel& model() const { return model_; }

  /// The text as pieces see it: characters mapped, spaces squeezed and escaped.
  std::string normalize(std::string_view text) const;

 private:
  struct Mapped {
    std::string_view text;
    std::size_t consumed = 0;
  };
  Mapped map_prefix(std::string_view text) const;
  std::size_t longest_user_defined(std::string_view text) const;
  void append_segment(std::string_view text, std::vector<int>& ids) const;

  TokenizerModel model_;
  std::vector<int> sorted_;        ///< matchable pieces by text
  std::vector<int> user_defined_;  ///< pieces that normalisation leaves alone
  std::vector<std::uint32_t> trie_;
  float unknown_score_ = 0, max_score_ = 0;
  std::vector<int> byte_ids_;  ///< of byte 0 .. 255 where the model falls back to bytes
};

}  // namespace limber::prior
