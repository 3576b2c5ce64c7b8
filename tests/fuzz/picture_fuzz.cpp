// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever the bytes are, decoding them ends in a picture of the size that its header told, or in an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "limber/asset/picture.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto info = asset::picture_info(bytes, "fuzz");
  // A few bytes can rightly hold a large picture of one colour: correct, but slow.
  if (info.ok() && std::size_t{1} * info->width * info->height > std::size_t{1} << 20) return 0;
  const auto picture = asset::decode_picture(bytes, "fuzz");
  if (!picture.ok()) {
    if (picture.error().what.empty()) std::abort();
    return 0;
  }
  if (!info.ok() || picture->width != info->width || picture->height != info->height ||
      picture->channels != info->channels)
    std::abort();
  const auto again = asset::decode_picture(bytes, "fuzz", 1 + static_cast<int>(size % 4));
  if (!again.ok()) std::abort();
  return 0;
}
