// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever the bytes are, decoding them ends in a picture of the size that its header told, or in an error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "limber/asset/picture.h"

namespace {

using namespace limber;
using Content = std::vector<std::byte>;

std::uint32_t crc(std::span<const std::byte> bytes) {
  std::uint32_t sum = 0xffffffffu;
  for (const std::byte byte : bytes) {
    sum ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1u) != 0 ? 0xedb88320u : 0u);
  }
  return ~sum;
}

/// A number as PNG has it, the highest byte first.
std::uint32_t number(std::span<const std::byte> four) {
  std::uint32_t value = 0;
  for (const std::byte byte : four) value = (value << 8) | std::to_integer<std::uint32_t>(byte);
  return value;
}

/// A PNG whose checksums are right, which turn nearly all others away.
Content with_checksums(std::span<const std::byte> bytes) {
  Content content(bytes.begin(), bytes.end());
  const std::string_view magic("\x89PNG\r\n\x1a\n", 8);
  if (content.size() < magic.size() || std::memcmp(content.data(), magic.data(), magic.size()) != 0) return content;
  for (std::size_t at = magic.size(); content.size() - at >= 12;) {
    const std::span<std::byte> chunk = std::span(content).subspan(at);
    const std::uint32_t length = number(chunk.first(4));
    if (length > chunk.size() - 12) break;
    const std::uint32_t sum = crc(chunk.subspan(4, length + 4));
    for (std::size_t i = 0; i < 4; ++i) chunk[8 + length + i] = static_cast<std::byte>(sum >> (24 - 8 * i));
    at += 12 + length;
  }
  return content;
}

void decode(std::span<const std::byte> bytes) {
  const auto info = asset::picture_info(bytes, "fuzz");
  // A few bytes can rightly hold a large picture of one colour: correct, but slow.
  if (info.ok() && std::size_t{1} * info->width * info->height > std::size_t{1} << 20) return;
  const auto picture = asset::decode_picture(bytes, "fuzz");
  if (!picture.ok()) {
    if (picture.error().what.empty()) std::abort();
    return;
  }
  if (!info.ok() || picture->width != info->width || picture->height != info->height ||
      picture->channels != info->channels)
    std::abort();
  const auto again = asset::decode_picture(bytes, "fuzz", 1 + static_cast<int>(bytes.size() % 4));
  if (!again.ok()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const Content mended = with_checksums(bytes);
  decode(bytes);
  if (!std::equal(bytes.begin(), bytes.end(), mended.begin())) decode(mended);
  return 0;
}
