// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/text_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "limber/base/files.h"

namespace limber::prior {
namespace {

constexpr const char* kTensor = "embedding";

/// Two FNV-1a sums of the same bytes: 128 bits against accidents, not against attacks.
class Hash {
 public:
  Hash& add(std::string_view bytes) {
    for (const char c : bytes) mix(static_cast<unsigned char>(c));
    mix(bytes.size() & 0xff);  // so that "a", "bc" differs from "ab", "c"
    return *this;
  }
  std::string hex() const { return fmt::format("{:016x}{:016x}", first_, second_); }

 private:
  void mix(std::uint64_t byte) {
    first_ = (first_ ^ byte) * 0x100000001b3ull;
    second_ = (second_ ^ (byte + 0x9e)) * 0x100000001b3ull;
    second_ ^= second_ >> 31;
  }
  std::uint64_t first_ = 0xcbf29ce484222325ull, second_ = 0x84222325cbf29ce4ull;
};

/// At most 16 stretches of 64 bytes, spread evenly.
void add_sample(Hash& hash, std::span<const std::byte> bytes) {
  constexpr std::size_t kStretch = 64, kStretches = 16;
  if (bytes.size() <= kStretch * kStretches) {
    hash.add(as_text(bytes));
    return;
  }
  const std::size_t last = bytes.size() - kStretch;
  for (std::size_t i = 0; i < kStretches; ++i) hash.add(as_text(bytes.subspan(last / (kStretches - 1) * i, kStretch)));
}

nn::Metadata metadata_of(const TextKey& key) {
  // Written as hex, because JSON cannot hold text that is not UTF-8.
  std::string prompt;
  for (const char c : key.prompt) prompt += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return {{"prompt_hex", prompt},
          {"fingerprint", key.fingerprint},
          {"dtype", key.dtype},
          {"length", std::to_string(key.length)}};
}

}  // namespace

std::filesystem::path TextCache::default_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache) return std::filesystem::path(cache) / "limber" / "text";
  const char* home = std::getenv("HOME");
  return home && *home ? std::filesystem::path(home) / ".cache" / "limber" / "text" : std::filesystem::path();
}

std::filesystem::path TextCache::file(const TextKey& key) const {
  Hash hash;
  for (const auto& [name, value] : metadata_of(key)) hash.add(name).add(value);
  return folder_ / (hash.hex() + ".safetensors");
}

std::optional<TextEmbedding> TextCache::find(const TextKey& key) const {
  const auto archive = nn::TensorArchive::open(file(key));
  if (!archive.ok()) return std::nullopt;
  nn::Metadata metadata = archive->metadata();
  const auto tokens = metadata.extract("tokens");
  if (tokens.empty() || metadata != metadata_of(key)) return std::nullopt;
  TextEmbedding embedding;
  const std::string& count = tokens.mapped();
  std::from_chars(count.data(), count.data() + count.size(), embedding.tokens);
  auto rows = nn::read_tensor(*archive, kTensor);
  const bool fits = rows.ok() && rows->dim() == 2 && rows->size(0) == key.length && rows->is_floating_point();
  if (!fits || embedding.tokens < 1 || embedding.tokens > key.length) return std::nullopt;
  embedding.rows = std::move(*rows);
  return embedding;
}

Status TextCache::store(const TextKey& key, const TextEmbedding& embedding) const {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return Error{"cannot make the folder: " + error.message(), folder_.string()};
  nn::SafetensorsSettings settings;
  settings.metadata = metadata_of(key);
  settings.metadata["tokens"] = std::to_string(embedding.tokens);
  return nn::save_tensors(file(key), {{kTensor, embedding.rows}}, settings);
}

Result<std::string> text_fingerprint(const std::filesystem::path& tokenizer_folder, const nn::TensorArchive& encoder) {
  Hash hash;
  std::error_code error;
  for (const char* file : {"spiece.model", "tokenizer.json", "added_tokens.json"}) {
    const std::filesystem::path path = tokenizer_folder / file;
    if (!std::filesystem::exists(path, error)) continue;
    LIMBER_TRY(const Bytes bytes, read_file(path));
    hash.add(file).add(as_text(bytes));
  }
  for (const auto& [name, view] : encoder.tensors()) {
    hash.add(name).add(nn::name(view.dtype)).add(nn::to_string(view.shape));
    add_sample(hash, view.bytes);
  }
  return hash.hex();
}

}  // namespace limber::prior
