// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "limber/asset/picture.h"

/// One pair of functions per picture format. `info` checks the limits of picture.h before anything is allocated;
/// `decode` gives the channels of the file. Where the library is missing they answer with `codec_missing`.
namespace limber::asset {

Result<PictureInfo> png_info(std::span<const std::byte> bytes, const std::string& name);
Result<Bitmap> decode_png(std::span<const std::byte> bytes, const std::string& name);
Result<PictureInfo> jpeg_info(std::span<const std::byte> bytes, const std::string& name);
Result<Bitmap> decode_jpeg(std::span<const std::byte> bytes, const std::string& name);
Result<PictureInfo> webp_info(std::span<const std::byte> bytes, const std::string& name);
Result<Bitmap> decode_webp(std::span<const std::byte> bytes, const std::string& name);

/// A PNG without compression, for builds without libpng.
Bytes encode_stored_png(const Bitmap& picture);

/// The same picture with another number of channels: grey by Rec. 601 luma, new alpha opaque, old alpha dropped.
Bitmap with_channels(const Bitmap& picture, int channels);

/// An error unless a picture of this size is allowed.
Status check_picture_size(std::uint64_t width, std::uint64_t height, const std::string& name);

inline Error codec_missing(const char* format, const char* library, const std::string& name) {
  return {std::string("this limber was built without ") + format + ": install " + library + " and build it again",
          name};
}

/// Throws ContractError unless size, channels and pixels agree.
void expect_picture(const Bitmap& picture);

}  // namespace limber::asset
