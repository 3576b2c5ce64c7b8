// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "limber/base/files.h"

namespace limber::prior {
namespace {

using PieceType = TokenizerModel::PieceType;

constexpr std::string_view kSpaceSymbol = "\xe2\x96\x81";  // U+2581
constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD
constexpr float kUnknownPenalty = 10;
constexpr std::uint64_t kMaxFileBytes = std::uint64_t{256} << 20;

unsigned byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

/// Bytes of the character that a byte begins, judged by it alone.
std::size_t character_bytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/// Length of the valid UTF-8 character at the front, 0 if there is none. `text` is not empty.
std::size_t valid_character(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  if (first < 0x80) return 1;
  const std::size_t size = (first & 0xe0) == 0xc0 ? 2 : (first & 0xf0) == 0xe0 ? 3 : (first & 0xf8) == 0xf0 ? 4 : 0;
  if (size == 0 || size > text.size()) return 0;
  unsigned code = first & (0xffu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(text, i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte_at(text, i) & 0x3f);
  }
  static constexpr unsigned kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < kSmallest[size] || surrogate || code > 0x10ffff ? 0 : size;
}

bool matchable(const TokenizerModel::Piece& piece) {
  return piece.type == PieceType::kNormal || piece.type == PieceType::kUserDefined || piece.type == PieceType::kUnused;
}

// A unit of the double-array trie (Darts-clone, as SentencePiece stores it).
bool has_leaf(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
std::uint32_t leaf_value(std::uint32_t unit) { return unit & 0x7fffffffu; }
std::uint32_t label(std::uint32_t unit) { return unit & 0x800000ffu; }
std::uint32_t offset(std::uint32_t unit) { return (unit >> 10) << ((unit & 0x200u) >> 6); }

}  // namespace

Tokenizer::Tokenizer(TokenizerModel model) : model_(std::move(model)) {
  float min_score = std::numeric_limits<float>::max();
  max_score_ = std::numeric_limits<float>::lowest();
  std::unordered_map<std::string, int> byte_ids;
  for (std::size_t i = 0; i < model_.pieces.size(); ++i) {
    const TokenizerModel::Piece& piece = model_.pieces[i];
    if (matchable(piece)) sorted_.push_back(static_cast<int>(i));
    if (piece.type == PieceType::kUserDefined) user_defined_.push_back(static_cast<int>(i));
    if (piece.type == PieceType::kByte) byte_ids.emplace(piece.text, static_cast<int>(i));
    if (piece.type != PieceType::kNormal) continue;
    min_score = std::min(min_score, piece.score);
    max_score_ = std::max(max_score_, piece.score);
  }
  unknown_score_ = min_score - kUnknownPenalty;
  std::sort(sorted_.begin(), sorted_.end(), [this](int a, int b) {
    return model_.pieces[static_cast<std::size_t>(a)].text < model_.pieces[static_cast<std::size_t>(b)].text;
  });
  for (int i = 0; model_.byte_fallback && i < 256; ++i) {
    const auto found = byte_ids.find(fmt::format("<0x{:02X}>", i));
    byte_ids_.push_back(found == byte_ids.end() ? model_.unknown_id : found->second);
  }
  // The charsmap: size of the trie, the trie, then replacements that end with NUL.
  if (model_.charsmap.empty()) return;
  std::uint32_t trie_bytes = 0;
  LIMBER_EXPECT(valid_charsmap(model_.charsmap), "damaged charsmap");
  std::memcpy(&trie_bytes, model_.charsmap.data(), sizeof trie_bytes);
  trie_.resize(trie_bytes / sizeof trie_[0]);
  std::memcpy(trie_.data(), model_.charsmap.data() + sizeof trie_bytes, trie_bytes);
}

Result<Tokenizer> Tokenizer::open(const std::filesystem::path& path) {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error);
  std::filesystem::path file = path;
  if (folder) {
    file = path / "spiece.model";
    if (!std::filesystem::exists(file, error)) file = path / "tokenizer.json";
    if (!std::filesystem::exists(file, error))
      return Error{"neither spiece.model nor tokenizer.json here", path.string()};
  }
  LIMBER_TRY(const Bytes bytes, read_file(file, kMaxFileBytes));
  LIMBER_TRY(TokenizerModel model, file.extension() == ".json" ? read_tokenizer_json(as_text(bytes), file.string())
                                                               : read_spiece_model(bytes, file.string()));
  if (folder && file.extension() == ".model") {
    // The public tokenizers of a folder take the names of control pieces for those pieces.
    for (std::size_t i = 0; i < model.pieces.size(); ++i) {
      const TokenizerModel::Piece& piece = model.pieces[i];
      const bool control = piece.type == PieceType::kControl || piece.type == PieceType::kUnknown;
      if (control) model.special[piece.text] = static_cast<int>(i);
    }
    if (const auto added = path / "added_tokens.json"; std::filesystem::exists(added, error)) {
      LIMBER_TRY(const Bytes text, read_file(added, kMaxFileBytes));
      LIMBER_CHECK_OK(read_added_tokens(as_text(text), added.string(), model));
    }
  }
  return Tokenizer(std::move(model));
}

// --- normalisation ---------------------------------------------------------------------------------------------------

std::size_t Tokenizer::longest_user_defined(std::string_view text) const {
  std::size_t longest = 0;
  for (const int id : user_defined_) {
    const std::string& piece = model_.pieces[static_cast<std::size_t>(id)].text;
    if (text.starts_with(piece)) longest = std::max(longest, piece.size());
  }
  return longest;
}

/// What the front of the text becomes: the longest rule of the charsmap, else one character as it is.
Tokenizer::Mapped Tokenizer::map_prefix(std::string_view text) const {
  if (const std::size_t kept = longest_user_defined(text); kept > 0) return {text.substr(0, kept), kept};
  std::size_t longest = 0;
  std::uint32_t value = 0;
  if (!trie_.empty()) {
    std::uint32_t position = offset(trie_[0]);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::uint32_t byte = byte_at(text, i);
      position ^= byte;
      if (position >= trie_.size() || label(trie_[position]) != byte) break;
      const std::uint32_t unit = trie_[position];
      position ^= offset(unit);
      if (!has_leaf(unit)) continue;
      if (position >= trie_.size()) break;
      longest = i + 1;
      value = leaf_value(trie_[position]);
    }
  }
  if (longest > 0) {
    const std::string_view replacements = std::string_view(model_.charsmap).substr(4 + 4 * trie_.size());
    if (value >= replacements.size()) return {{}, longest};
    const std::string_view from = replacements.substr(value);
    return {from.substr(0, from.find('\0')), longest};
  }
  const std::size_t size = valid_character(text);
  return size == 0 ? Mapped{kReplacement, 1} : Mapped{text.substr(0, size), size};
}

std::string Tokenizer::normalize(std::string_view text) const {
  const bool squeeze = model_.remove_extra_whitespaces;
  while (squeeze && !text.empty()) {
    const Mapped front = map_prefix(text);
    if (front.text != " ") break;
    text.remove_prefix(front.consumed);
  }
  if (text.empty()) return {};

  const std::string_view space = model_.escape_whitespaces ? kSpaceSymbol : std::string_view(" ");
  std::string normal;
  if (model_.add_dummy_prefix && !model_.whitespace_as_suffix) normal += space;
  bool after_space = squeeze;
  while (!text.empty()) {
    const Mapped front = map_prefix(text);
    std::string_view part = front.text;
    while (after_space && part.starts_with(' ')) part.remove_prefix(1);
    for (const char c : part) {
      if (c == ' ') {
        normal += space;
      } else {
        normal += c;
      }
    }
    if (!part.empty()) after_space = squeeze && part.ends_with(' ');
    text.remove_prefix(front.consumed);
  }
  while (squeeze && normal.ends_with(space)) normal.erase(normal.size() - space.size());
  if (model_.add_dummy_prefix && model_.whitespace_as_suffix) normal += space;
  return normal;
}

// --- segmentation ----------------------------------------------------------------------------------------------------

/// The best path through all pieces (Viterbi), with SentencePiece's own float arithmetic, so that ties fall alike.
void Tokenizer::append_segment(std::string_view raw, std::vector<int>& ids) const {
  const std::string text = normalize(raw);
  struct Node {
    int id = -1;
    float score = 0;
    std::size_t begin = std::string::npos;
  };
  std::vector<Node> best(text.size() + 1);
  const auto offer = [&best](std::size_t begin, std::size_t end, double score, int id) {
    Node& node = best[end];
    if (node.begin == std::string::npos || score > static_cast<double>(node.score)) {
      node = {id, static_cast<float>(score), begin};
    }
  };
  const auto text_of = [this](int id) -> const std::string& {
    return model_.pieces[static_cast<std::size_t>(id)].text;
  };

  for (std::size_t begin = 0; begin < text.size();) {
    const float so_far = best[begin].score;
    const std::size_t one = std::min(character_bytes(text[begin]), text.size() - begin);
    bool single = false;
    // Pieces that begin like the text, narrowed byte by byte; the shortest of a range comes first.
    auto low = sorted_.begin(), high = sorted_.end();
    for (std::size_t depth = 0; begin + depth < text.size() && low != high; ++depth) {
      const auto byte = static_cast<unsigned char>(text[begin + depth]);
      const auto at_depth = [&](int id) { return static_cast<unsigned char>(text_of(id)[depth]); };
      low = std::partition_point(low, high, [&](int id) { return text_of(id).size() <= depth || at_depth(id) < byte; });
      high = std::partition_point(low, high, [&](int id) { return at_depth(id) == byte; });
      if (low == high || text_of(*low).size() != depth + 1) continue;
      const TokenizerModel::Piece& piece = model_.pieces[static_cast<std::size_t>(*low)];
      if (piece.type == PieceType::kUnused) continue;
      const auto length = static_cast<float>(depth + 1);
      const double score = piece.type == PieceType::kUserDefined ? static_cast<double>(length * max_score_) - 0.1
                                                                 : static_cast<double>(piece.score);
      offer(begin, begin + depth + 1, score + static_cast<double>(so_far), *low);
      single = single || depth + 1 == one;
    }
    if (!single) offer(begin, begin + one, static_cast<double>(unknown_score_ + so_far), model_.unknown_id);
    begin += one;
  }

  std::vector<std::pair<int, std::string_view>> path;
  for (std::size_t end = text.size(); end > 0; end = best[end].begin) {
    path.emplace_back(best[end].id, std::string_view(text).substr(best[end].begin, end - best[end].begin));
  }
  bool after_unknown = false;
  for (auto step = path.rbegin(); step != path.rend(); ++step) {
    const bool unknown = step->first == model_.unknown_id;
    if (unknown && model_.byte_fallback) {
      for (const char c : step->second) ids.push_back(byte_ids_[static_cast<unsigned char>(c)]);
    } else if (!(unknown && after_unknown)) {
      ids.push_back(step->first);
    }
    after_unknown = unknown;
  }
}

std::vector<int> Tokenizer::encode(std::string_view text) const {
  std::vector<int> ids;
  std::size_t begin = 0;
  for (std::size_t i = 0; !model_.special.empty() && i < text.size();) {
    // The longest special token that starts here.
    const std::pair<const std::string, int>* found = nullptr;
    for (const auto& entry : model_.special) {
      const bool longer = !found || entry.first.size() > found->first.size();
      if (longer && text.substr(i).starts_with(entry.first)) found = &entry;
    }
    if (!found) {
      ++i;
      continue;
    }
    append_segment(text.substr(begin, i - begin), ids);
    ids.push_back(found->second);
    begin = i += found->first.size();
  }
  append_segment(text.substr(begin), ids);
  return ids;
}

TokenizedPrompt Tokenizer::encode_padded(std::string_view text, std::int64_t length) const {
  LIMBER_EXPECT(length >= 1, std::to_string(length));
  const std::vector<int> ids = encode(text);
  TokenizedPrompt prompt;
  const auto kept = std::min(ids.size(), static_cast<std::size_t>(length - 1));
  prompt.ids.assign(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(kept));
  prompt.left_out = static_cast<std::int64_t>(ids.size() - kept);
  prompt.ids.push_back(model_.end_id);
  prompt.length = static_cast<std::int64_t>(prompt.ids.size());
  prompt.ids.resize(static_cast<std::size_t>(length), model_.pad_id);
  return prompt;
}

}  // namespace limber::prior
