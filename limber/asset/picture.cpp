// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/picture.h"

#include <fmt/format.h>

#include "limber/asset/picture_codecs.h"
#include "limber/base/files.h"
#include "limber/base/memory_budget.h"

namespace limber::asset {
namespace {

enum class Format { kPng, kJpeg, kWebp, kUnknown };

Format recognise(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes);
  if (text.substr(0, 8) == "\x89PNG\r\n\x1a\n") return Format::kPng;
  if (text.substr(0, 3) == "\xff\xd8\xff") return Format::kJpeg;
  if (text.substr(0, 4) == "RIFF" && text.size() >= 12 && text.substr(8, 4) == "WEBP") return Format::kWebp;
  return Format::kUnknown;
}

Error unknown(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.empty()) return {"the file is empty", name};
  return {"not a PNG, JPEG or WebP picture", name, ErrorKind::kUnsupported};
}

std::uint8_t luma(const std::uint8_t* rgb) {
  return static_cast<std::uint8_t>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 32768) >> 16);
}

}  // namespace

Status check_picture_size(std::uint64_t width, std::uint64_t height, const std::string& name) {
  if (width == 0 || height == 0) return Error{"a picture without pixels", name};
  if (width > kMaxPictureSide || height > kMaxPictureSide || width * height > kMaxPicturePixels) {
    return Error{fmt::format("a picture of {} x {} is larger than limber reads ({} pixels, {} a side)", width, height,
                             kMaxPicturePixels, kMaxPictureSide),
                 name, ErrorKind::kOutOfMemory};
  }
  return Done{};
}

void expect_picture(const Bitmap& picture) {
  LIMBER_EXPECT(picture.width > 0 && picture.height > 0 && picture.channels >= 1 && picture.channels <= 4,
                fmt::format("{} x {} x {}", picture.width, picture.height, picture.channels));
  LIMBER_EXPECT(picture.pixels.size() == static_cast<std::size_t>(picture.width) *
                                             static_cast<std::size_t>(picture.height) *
                                             static_cast<std::size_t>(picture.channels),
                std::to_string(picture.pixels.size()));
}

Bitmap with_channels(const Bitmap& picture, int channels) {
  Bitmap result(picture.width, picture.height, channels);
  const bool colour = picture.channels >= 3, alpha = picture.channels % 2 == 0;
  const std::uint8_t* from = picture.pixels.data();
  for (std::uint8_t* to = result.pixels.data(); to != result.pixels.data() + result.pixels.size();
       to += channels, from += picture.channels) {
    if (channels >= 3) {
      for (int c = 0; c < 3; ++c) to[c] = from[colour ? c : 0];
    } else {
      to[0] = colour ? luma(from) : from[0];
    }
    if (channels % 2 == 0) to[channels - 1] = alpha ? from[picture.channels - 1] : 255;
  }
  return result;
}

Result<PictureInfo> picture_info(std::span<const std::byte> bytes, const std::string& name) {
  switch (recognise(bytes)) {
    case Format::kPng:
      return png_info(bytes, name);
    case Format::kJpeg:
      return jpeg_info(bytes, name);
    case Format::kWebp:
      return webp_info(bytes, name);
    case Format::kUnknown:
      break;
  }
  return unknown(bytes, name);
}

Result<Bitmap> decode_picture(std::span<const std::byte> bytes, const std::string& name, int channels) {
  LIMBER_EXPECT(channels >= 0 && channels <= 4, std::to_string(channels));
  LIMBER_TRY(const PictureInfo info, picture_info(bytes, name));
  MemoryShare memory;  // as it is decoded, and with the channels that are wanted
  LIMBER_CHECK_OK(memory.take(
      std::uint64_t(info.width) * std::uint64_t(info.height) * static_cast<std::uint64_t>(info.channels + channels),
      name));
  LIMBER_TRY(Bitmap picture, [&]() -> Result<Bitmap> {
    switch (recognise(bytes)) {
      case Format::kPng:
        return decode_png(bytes, name);
      case Format::kJpeg:
        return decode_jpeg(bytes, name);
      case Format::kWebp:
        return decode_webp(bytes, name);
      case Format::kUnknown:
        break;
    }
    return unknown(bytes, name);
  }());
  if (channels != 0 && channels != picture.channels) return with_channels(picture, channels);
  return picture;
}

Result<Bitmap> read_picture(const std::filesystem::path& path, int channels) {
  MemoryShare memory;
  LIMBER_TRY(const Bytes bytes, read_file(path, std::uint64_t{1} << 30, memory));
  return decode_picture(bytes, path.string(), channels);
}

Status write_picture(const Bitmap& picture, const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  const auto encode = [&]() -> Result<Bytes> {
    if (extension == ".png") return encode_png(picture);
    if (extension == ".jpg" || extension == ".jpeg") return encode_jpeg(picture);
    if (extension == ".webp") return encode_webp(picture);
    return Error{"pictures are written as .png, .jpg or .webp, not '" + extension + "'", "", ErrorKind::kUnsupported};
  };
  Result<Bytes> bytes = encode();
  if (!bytes.ok()) return Error{bytes.error().what, path.string(), bytes.error().kind};
  return write_file(path, *bytes);
}

}  // namespace limber::asset
