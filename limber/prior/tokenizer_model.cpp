// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/tokenizer_model.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "limber/base/files.h"
#include "limber/base/quote.h"
#include "limber/nn/json.h"

namespace limber::prior {
namespace {

using Json = nlohmann::json;
using PieceType = TokenizerModel::PieceType;

constexpr std::size_t kMaxPieces = std::size_t{1} << 22;
constexpr int kMaxSpecialId = 1 << 24;

// --- protobuf wire format --------------------------------------------------------------------------------------------

/// One field of a message. `value` holds integers, `bytes` the length-delimited ones.
struct Field {
  std::uint32_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;

  bool flag() const { return value != 0; }
  float number32() const {
    const auto low = static_cast<std::uint32_t>(value);
    float result = 0;
    std::memcpy(&result, &low, sizeof result);
    return result;
  }
};

/// Walks the fields of a message; `ok()` is false once the bytes make no sense.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}

  bool next(Field& field) {
    if (rest_.empty() || !ok_) return false;
    const std::uint64_t tag = varint();
    field = {};
    field.number = static_cast<std::uint32_t>(tag >> 3);
    switch (tag & 7) {
      case 0:
        field.value = varint();
        break;
      case 1:
        field.value = fixed(8);
        break;
      case 2:
        field.bytes = take(varint());
        break;
      case 5:
        field.value = fixed(4);
        break;
      default:
        ok_ = false;
    }
    ok_ = ok_ && field.number != 0;
    return ok_;
  }
  bool ok() const { return ok_; }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  std::uint64_t fixed(std::size_t size) {
    const std::string_view bytes = take(size);
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

  std::string_view rest_;
  bool ok_ = true;
};

bool read_piece(std::string_view message, TokenizerModel::Piece& piece) {
  MessageReader reader(message);
  for (Field field; reader.next(field);) {
    if (field.number == 1) piece.text = field.bytes;
    if (field.number == 2) piece.score = field.number32();
    if (field.number == 3) {
      if (field.value < 1 || field.value > 6) return false;
      piece.type = static_cast<PieceType>(field.value);
    }
  }
  return reader.ok();
}

struct TrainerSpec {
  std::uint64_t model_type = 1;
  std::string end_piece = "</s>", pad_piece = "<pad>";
};

bool read_trainer_spec(std::string_view message, TrainerSpec& spec, TokenizerModel& model) {
  MessageReader reader(message);
  for (Field field; reader.next(field);) {
    if (field.number == 3) spec.model_type = field.value;
    if (field.number == 24) model.whitespace_as_suffix = field.flag();
    if (field.number == 35) model.byte_fallback = field.flag();
    if (field.number == 47) spec.end_piece = field.bytes;
    if (field.number == 48) spec.pad_piece = field.bytes;
  }
  return reader.ok();
}

bool read_normalizer_spec(std::string_view message, TokenizerModel& model) {
  MessageReader reader(message);
  for (Field field; reader.next(field);) {
    if (field.number == 2) model.charsmap = field.bytes;
    if (field.number == 3) model.add_dummy_prefix = field.flag();
    if (field.number == 4) model.remove_extra_whitespaces = field.flag();
    if (field.number == 5) model.escape_whitespaces = field.flag();
  }
  return reader.ok();
}

// --- what both formats must satisfy ----------------------------------------------------------------------------------

/// Finds the special ids and checks that the pieces make a tokenizer.
Status complete(TokenizerModel& model, const std::string& end_piece, const std::string& pad_piece,
                const std::string& where) {
  std::unordered_map<std::string_view, int> id_of;
  int bytes = 0;
  bool any_normal = false;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const TokenizerModel::Piece& piece = model.pieces[i];
    const std::string at = fmt::format("{}#/pieces/{}", where, i);
    if (piece.text.empty()) return Error{"an empty piece", at};
    if (!std::isfinite(piece.score)) return Error{"a score that is not finite", at};
    if (!id_of.emplace(piece.text, static_cast<int>(i)).second) return Error{"the piece occurs twice", at};
    any_normal = any_normal || piece.type == PieceType::kNormal;
    if (piece.type == PieceType::kByte) ++bytes;
    if (piece.type == PieceType::kUnknown) {
      if (model.unknown_id >= 0) return Error{"a second unknown piece", at};
      model.unknown_id = static_cast<int>(i);
    }
  }
  if (!model.charsmap.empty() && !valid_charsmap(model.charsmap)) return Error{"damaged charsmap", where};
  if (model.unknown_id < 0) return Error{"no unknown piece", where};
  if (!any_normal) return Error{"no normal pieces", where};
  if (model.byte_fallback && bytes != 256) return Error{fmt::format("{} byte pieces, not 256", bytes), where};
  const auto end = id_of.find(end_piece);
  if (end == id_of.end()) return Error{fmt::format("no end piece {}", end_piece), where};
  model.end_id = end->second;
  const auto pad = id_of.find(pad_piece);
  model.pad_id = pad == id_of.end() ? 0 : pad->second;
  return Done{};
}

// --- tokenizer.json --------------------------------------------------------------------------------------------------

std::optional<std::string> decode_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  for (const char c : text) {
    static constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xff));
  }
  return bytes;
}

/// The members of the Sequence `key` of a tokenizer, or that part itself; none where it is null.
std::vector<const Json*> parts_of(const Json& tokenizer, const char* key, const char* list) {
  std::vector<const Json*> parts;
  const auto part = tokenizer.find(key);
  if (part == tokenizer.end() || part->is_null()) return parts;
  if (!part->is_object() || part->value("type", "") != "Sequence") return {&*part};
  if (const auto members = part->find(list); members != part->end() && members->is_array()) {
    for (const Json& member : *members) parts.push_back(&member);
  }
  return parts;
}

/// A normaliser step. Those that only trim or squeeze spaces are what remove_extra_whitespaces does.
Status read_normalizer_part(const Json& part, const std::string& where, TokenizerModel& model) {
  const std::string type = part.is_object() ? part.value("type", "") : "";
  if (type == "Precompiled") {
    auto charsmap = decode_base64(part.value("precompiled_charsmap", ""));
    if (!charsmap) return Error{"the charsmap is not base64", where};
    model.charsmap = std::move(*charsmap);
    return Done{};
  }
  const bool spaces = type == "Replace" && part.contains("pattern") && part["pattern"].is_object() &&
                      (part["pattern"].value("Regex", "") == " {2,}" || part["pattern"].value("String", "") == " ");
  if (type == "Strip" || spaces) {
    model.remove_extra_whitespaces = true;
    return Done{};
  }
  return Error{fmt::format("a normaliser of type '{}' is not supported", type), where};
}

Status read_pre_tokenizer_part(const Json& part, const std::string& where, TokenizerModel& model) {
  const std::string type = part.is_object() ? part.value("type", "") : "";
  if (type == "WhitespaceSplit") {
    model.remove_extra_whitespaces = true;
    return Done{};
  }
  if (type == "Metaspace") {
    model.escape_whitespaces = true;
    model.add_dummy_prefix = part.value("prepend_scheme", "always") != "never" && part.value("add_prefix_space", true);
    return Done{};
  }
  return Error{fmt::format("a pre-tokenizer of type '{}' is not supported", type), where};
}

Status read_vocabulary(const Json& json, const std::string& where, TokenizerModel& model) {
  const auto vocabulary = json.find("vocab");
  if (vocabulary == json.end() || !vocabulary->is_array() || vocabulary->size() > kMaxPieces) {
    return Error{"the model has no list `vocab`", where};
  }
  for (const Json& entry : *vocabulary) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number()) {
      return Error{"an entry is not a pair of text and score",
                   fmt::format("{}#/pieces/{}", where, model.pieces.size())};
    }
    model.pieces.push_back({entry[0].get<std::string>(), entry[1].get<float>(), PieceType::kNormal});
  }
  const auto unknown = json.find("unk_id");
  const bool known = unknown != json.end() && unknown->is_number_unsigned();
  if (!known || unknown->get<std::uint64_t>() >= model.pieces.size()) return Error{"bad unk_id", where};
  model.pieces[unknown->get<std::size_t>()].type = PieceType::kUnknown;
  if (const auto fallback = json.find("byte_fallback"); fallback != json.end() && fallback->is_boolean()) {
    model.byte_fallback = fallback->get<bool>();
  }
  if (!model.byte_fallback) return Done{};
  std::unordered_map<std::string, int> byte_names;
  for (int i = 0; i < 256; ++i) byte_names.emplace(fmt::format("<0x{:02X}>", i), i);
  for (TokenizerModel::Piece& piece : model.pieces) {
    if (byte_names.count(piece.text) > 0) piece.type = PieceType::kByte;
  }
  return Done{};
}

Status add_special(const Json& text, const Json& id, const std::string& where, TokenizerModel& model) {
  if (!text.is_string() || !id.is_number_integer()) return Error{"a special token needs a text and an id", where};
  const std::string key = text.get<std::string>();
  const auto value = id.get<std::int64_t>();
  if (key.empty() || value < 0 || value > kMaxSpecialId) return Error{"bad special token", where};
  model.special[key] = static_cast<int>(value);
  return Done{};
}

Result<TokenizerModel> read_json(const Json& json, const std::string& where) {
  const auto inner = json.find("model");
  if (inner == json.end() || !inner->is_object()) return Error{"no model", where};
  // Older files do not name the type; only Unigram has a list of pairs.
  if (inner->value("type", "Unigram") != "Unigram") {
    return Error{fmt::format("the model is {}, not Unigram", inner->value("type", "")), where};
  }
  TokenizerModel model;
  model.remove_extra_whitespaces = model.add_dummy_prefix = model.escape_whitespaces = false;
  LIMBER_CHECK_OK(read_vocabulary(*inner, where, model));
  for (const Json* part : parts_of(json, "normalizer", "normalizers")) {
    LIMBER_CHECK_OK(read_normalizer_part(*part, where + "#/normalizer", model));
  }
  for (const Json* part : parts_of(json, "pre_tokenizer", "pretokenizers")) {
    LIMBER_CHECK_OK(read_pre_tokenizer_part(*part, where + "#/pre_tokenizer", model));
  }
  for (const Json& added : json.value("added_tokens", Json::array())) {
    if (!added.is_object()) return Error{"a special token needs a text and an id", where};
    LIMBER_CHECK_OK(add_special(added.value("content", Json()), added.value("id", Json()), where, model));
  }
  for (const auto& [text, id] : model.special) {
    if (static_cast<std::size_t>(id) >= model.pieces.size()) continue;
    TokenizerModel::Piece& piece = model.pieces[static_cast<std::size_t>(id)];
    if (piece.type == PieceType::kNormal) piece.type = PieceType::kControl;
  }
  LIMBER_CHECK_OK(complete(model, "</s>", "<pad>", where));
  return model;
}

}  // namespace

bool valid_charsmap(std::string_view charsmap) {
  std::uint32_t trie_bytes = 0;
  if (charsmap.size() < sizeof trie_bytes) return false;
  std::memcpy(&trie_bytes, charsmap.data(), sizeof trie_bytes);
  return trie_bytes > 0 && trie_bytes % 4 == 0 && trie_bytes <= charsmap.size() - sizeof trie_bytes;
}

Result<TokenizerModel> read_spiece_model(std::span<const std::byte> bytes, const std::string& where) {
  TokenizerModel model;
  TrainerSpec spec;
  MessageReader reader(as_text(bytes));
  bool ok = true;
  for (Field field; ok && reader.next(field);) {
    if (field.number == 1) {
      if (model.pieces.size() == kMaxPieces) return Error{"too many pieces", where};
      model.pieces.emplace_back();
      ok = read_piece(field.bytes, model.pieces.back());
    }
    if (field.number == 2) ok = read_trainer_spec(field.bytes, spec, model);
    if (field.number == 3) ok = read_normalizer_spec(field.bytes, model);
  }
  if (!ok || !reader.ok()) {
    return Error{fmt::format("damaged protobuf after {} pieces", model.pieces.size()), where};
  }
  if (spec.model_type != 1) return Error{"the model is not Unigram", where};
  LIMBER_CHECK_OK(complete(model, spec.end_piece, spec.pad_piece, where));
  return model;
}

Result<TokenizerModel> read_tokenizer_json(std::string_view text, const std::string& where) {
  LIMBER_TRY(const Json json, nn::parse_json(text, where));
  try {
    return read_json(json, where);
  } catch (const Json::exception& e) {  // a member of an unexpected type
    return Error{shortened(e.what()), where};
  }
}

Status read_added_tokens(std::string_view text, const std::string& where, TokenizerModel& model) {
  LIMBER_TRY(const Json json, nn::parse_json(text, where));
  for (const auto& [key, id] : json.items()) LIMBER_CHECK_OK(add_special(key, id, where + "#" + key, model));
  return Done{};
}

}  // namespace limber::prior
