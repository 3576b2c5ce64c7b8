// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "limber/asset/picture_codecs.h"

// A PNG needs a zlib stream, but not compression: deflate has blocks that hold their bytes as they are (RFC 1950,
// 1951).
namespace limber::asset {
namespace {

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}();

void put(Bytes& out, std::uint32_t value, int bytes = 4) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out.push_back(static_cast<std::byte>(value >> shift));
}

void put_chunk(Bytes& out, const char (&type)[5], std::span<const std::byte> data) {
  put(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t start = out.size();
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::byte>(type[i]));
  out.insert(out.end(), data.begin(), data.end());
  std::uint32_t crc = 0xffffffffu;
  for (std::size_t i = start; i < out.size(); ++i) {
    crc = kCrcTable[(crc ^ std::to_integer<std::uint32_t>(out[i])) & 0xff] ^ (crc >> 8);
  }
  put(out, crc ^ 0xffffffffu);
}

/// Rows as they are, each after the number of its filter (none), in stored blocks of at most 65,535 bytes.
Bytes zlib_stream(const Bitmap& picture) {
  const std::size_t row = static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.channels);
  Bytes raw;
  raw.reserve((row + 1) * static_cast<std::size_t>(picture.height));
  for (int y = 0; y < picture.height; ++y) {
    raw.push_back(std::byte{0});
    const auto* pixels = reinterpret_cast<const std::byte*>(picture.at(0, y));
    raw.insert(raw.end(), pixels, pixels + row);
  }
  Bytes stream;
  stream.reserve(raw.size() + raw.size() / 8192 + 64);
  put(stream, 0x7801, 2);
  std::uint32_t a = 1, b = 0;
  for (std::size_t i = 0; i < raw.size();) {
    const std::size_t length = std::min<std::size_t>(raw.size() - i, 65535);
    stream.push_back(static_cast<std::byte>(i + length == raw.size()));  // the last block says so
    for (const std::size_t word : {length, ~length}) {
      stream.push_back(static_cast<std::byte>(word));
      stream.push_back(static_cast<std::byte>(word >> 8));
    }
    for (const std::size_t end = i + length; i < end; ++i) {
      stream.push_back(raw[i]);
      a = (a + std::to_integer<std::uint32_t>(raw[i])) % 65521;
      b = (b + a) % 65521;
    }
  }
  put(stream, b << 16 | a);
  return stream;
}

}  // namespace

Bytes encode_stored_png(const Bitmap& picture) {
  constexpr std::array<std::uint32_t, 5> kColourType{0, 0, 4, 2, 6};
  Bytes header;
  put(header, static_cast<std::uint32_t>(picture.width));
  put(header, static_cast<std::uint32_t>(picture.height));
  put(header, 8, 1);  // bits
  put(header, kColourType[static_cast<std::size_t>(picture.channels)], 1);
  put(header, 0, 3);  // deflate, adaptive filters, not interlaced

  Bytes out;
  put(out, 0x89504e47u);
  put(out, 0x0d0a1a0au);
  put_chunk(out, "IHDR", header);
  put_chunk(out, "IDAT", zlib_stream(picture));
  put_chunk(out, "IEND", {});
  return out;
}

}  // namespace limber::asset
