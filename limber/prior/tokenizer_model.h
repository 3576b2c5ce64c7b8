// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/result.h"

namespace limber::prior {

/// The content of a Unigram tokenizer file: what SentencePiece's `spiece.model` and the `tokenizer.json` of the model
/// hub have in common. Plain data; `Tokenizer` uses it.
struct TokenizerModel {
  enum class PieceType { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };
  struct Piece {
    std::string text;
    float score = 0;
    PieceType type = PieceType::kNormal;
  };
  std::vector<Piece> pieces;  ///< the index is the token's id
  std::string charsmap;       ///< SentencePiece's compiled normaliser, empty for none
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
  bool whitespace_as_suffix = false;
  bool byte_fallback = false;
  int unknown_id = -1;
  int end_id = -1;                     ///< </s>
  int pad_id = -1;                     ///< <pad>; the id 0 where a file names none
  std::map<std::string, int> special;  ///< texts that become one token wherever they occur: <extra_id_0>
};

/// Whether the normaliser's tables have the sizes they claim.
bool valid_charsmap(std::string_view charsmap);

/// Reads `spiece.model`: a protobuf message, of which only the fields above are looked at.
Result<TokenizerModel> read_spiece_model(std::span<const std::byte> bytes, const std::string& where);

/// Reads `tokenizer.json` with a Unigram model and the parts that T5-like tokenizers are made of; others are refused.
Result<TokenizerModel> read_tokenizer_json(std::string_view text, const std::string& where);

/// Adds the special tokens of `added_tokens.json`, a map from text to id.
Status read_added_tokens(std::string_view text, const std::string& where, TokenizerModel& model);

}  // namespace limber::prior
