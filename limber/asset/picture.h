// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "limber/base/bitmap.h"
#include "limber/base/files.h"
#include "limber/base/result.h"

/// Picture files: PNG, JPEG and WebP, recognised by their first bytes. Formats whose library was not there when limber
/// was built are refused with a message that says so; PNG is always written.
namespace limber::asset {

/// Larger pictures are refused before anything is allocated.
inline constexpr int kMaxPictureSide = 32768;
inline constexpr std::size_t kMaxPicturePixels = std::size_t{1} << 28;

/// What a picture's header says; nothing is decoded.
struct PictureInfo {
  int width = 0, height = 0;
  int channels = 0;  ///< of Bitmap, as decoded
};
Result<PictureInfo> picture_info(std::span<const std::byte> bytes, const std::string& name);

/// Decodes to `channels` channels, or to those of the file where it is 0 (palettes and 16 bits are converted).
/// Truncated pictures are errors. Colour profiles and EXIF orientation are ignored, as glTF wants it.
Result<Bitmap> decode_picture(std::span<const std::byte> bytes, const std::string& name, int channels = 0);
Result<Bitmap> read_picture(const std::filesystem::path& path, int channels = 0);

Result<Bytes> encode_png(const Bitmap& picture);
Result<Bytes> encode_jpeg(const Bitmap& picture, int quality = 92);  ///< alpha is dropped
Result<Bytes> encode_webp(const Bitmap& picture, int quality = 92);  ///< quality 100: lossless

/// By the extension: .png, .jpg, .jpeg, .webp. Written atomically.
Status write_picture(const Bitmap& picture, const std::filesystem::path& path);

/// The middle of a picture, scaled so that it just fills the size: what is beyond is cropped evenly. Averages where it
/// shrinks, so that nothing aliases; the same size gives the same pixels.
Bitmap scaled_to_fill(const Bitmap& picture, int width, int height);

}  // namespace limber::asset
