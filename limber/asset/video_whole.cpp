// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/video_whole.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdint>

#include "limber/base/files.h"

namespace limber::asset {
namespace {

using View = std::span<const std::byte>;

std::uint64_t byte_at(View file, std::size_t at) { return std::to_integer<std::uint64_t>(file[at]); }

std::uint64_t big_endian(View file, std::size_t at, int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value = value << 8 | byte_at(file, at + static_cast<std::size_t>(i));
  return value;
}

std::uint64_t little_endian(View file, std::size_t at, int bytes) {
  std::uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; --i) value = value << 8 | byte_at(file, at + static_cast<std::size_t>(i));
  return value;
}

std::string_view word_at(View file, std::size_t at) { return as_text(file.subspan(at, 4)); }

/// ISO 14496-12: boxes of a size and a name.
bool is_whole_mp4(View file) {
  bool type = false, index = false, frames = false;
  while (file.size() >= 8) {
    const std::string_view name = word_at(file, 4);
    type |= name == "ftyp", index |= name == "moov", frames |= name == "mdat";
    std::uint64_t size = big_endian(file, 0, 4);
    if (size == 1 && file.size() >= 16) size = big_endian(file, 8, 8);
    if (size < 8 || size > file.size()) return false;
    file = file.subspan(static_cast<std::size_t>(size));
  }
  return file.empty() && type && index && frames;
}

/// RIFF: chunks of a name and a size, padded to even; a frame of an animation is ANMF.
bool is_whole_webp(View file) {
  if (file.size() < 12 || word_at(file, 0) != "RIFF" || word_at(file, 8) != "WEBP") return false;
  if (little_endian(file, 4, 4) + 8 != file.size()) return false;
  bool frames = false;
  file = file.subspan(12);
  while (file.size() >= 8) {
    const std::string_view name = word_at(file, 0);
    frames |= name == "ANMF" || name == "VP8 " || name == "VP8L";
    const std::uint64_t size = little_endian(file, 4, 4), padded = 8 + size + (size & 1);
    if (padded > file.size()) return false;
    file = file.subspan(static_cast<std::size_t>(padded));
  }
  return file.empty() && frames;
}

/// The table of colours that a GIF's byte of flags tells of.
std::size_t color_bytes(std::uint64_t flags) { return (flags & 0x80) != 0 ? std::size_t{3} << ((flags & 7) + 1) : 0; }

/// Pieces of up to 255 bytes, each after its length, up to one of none. False where the file ends before.
bool skip_pieces(View& file) {
  while (!file.empty()) {
    const std::size_t size = 1 + byte_at(file, 0);
    if (size > file.size()) return false;
    file = file.subspan(size);
    if (size == 1) return true;
  }
  return false;
}

/// GIF89a: extensions (0x21) and pictures (0x2c) up to a last byte (0x3b).
bool is_whole_gif(View file) {
  constexpr std::size_t kHead = 13, kPicture = 10;
  if (file.size() < kHead || as_text(file.first(3)) != "GIF") return false;
  const std::size_t head = kHead + color_bytes(byte_at(file, 10));
  if (head > file.size()) return false;
  file = file.subspan(head);
  bool frames = false;
  while (file.size() > 1) {
    const std::uint64_t kind = byte_at(file, 0);
    std::size_t skipped = 2;  // kind and label
    if (kind == 0x2c) {
      if (file.size() < kPicture) return false;
      skipped = kPicture + color_bytes(byte_at(file, 9)) + 1;  // and how wide the codes are
      frames = true;
    } else if (kind != 0x21) {
      return false;
    }
    if (skipped > file.size()) return false;
    file = file.subspan(skipped);
    if (!skip_pieces(file)) return false;
  }
  return file.size() == 1 && byte_at(file, 0) == 0x3b && frames;
}

}  // namespace

bool is_whole_video(std::string_view extension, View file) {
  if (extension == ".mp4") return is_whole_mp4(file);
  return extension == ".gif" ? is_whole_gif(file) : is_whole_webp(file);
}

bool is_whole_video(std::string_view extension, int file) {
  struct stat info {};
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return false;
  const auto size = static_cast<std::size_t>(info.st_size);
  void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes == MAP_FAILED) return false;
  const bool whole = is_whole_video(extension, View(static_cast<const std::byte*>(bytes), size));
  ::munmap(bytes, size);
  return whole;
}

}  // namespace limber::asset
