// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/picture_codecs.h"

#if defined(LIMBER_WITH_WEBP)
#include <webp/decode.h>
#include <webp/encode.h>
#endif

namespace limber::asset {

#if defined(LIMBER_WITH_WEBP)
namespace {

const std::uint8_t* raw(std::span<const std::byte> bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

struct Encoding {
  WebPPicture picture;
  WebPMemoryWriter writer;

  Encoding() {
    WebPPictureInit(&picture);
    WebPMemoryWriterInit(&writer);
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
  }
  ~Encoding() {
    WebPPictureFree(&picture);
    WebPMemoryWriterClear(&writer);
  }
  Encoding(const Encoding&) = delete;
  Encoding& operator=(const Encoding&) = delete;
};

}  // namespace

Result<PictureInfo> webp_info(std::span<const std::byte> bytes, const std::string& name) {
  WebPBitstreamFeatures features;
  const VP8StatusCode code = WebPGetFeatures(raw(bytes), bytes.size(), &features);
  if (code == VP8_STATUS_NOT_ENOUGH_DATA) return Error{"broken WebP: the file ends early", name};
  if (code != VP8_STATUS_OK) return Error{"broken WebP", name};
  if (features.has_animation != 0) return Error{"an animated WebP, not a picture", name, ErrorKind::kUnsupported};
  LIMBER_CHECK_OK(check_picture_size(static_cast<std::uint64_t>(features.width),
                                     static_cast<std::uint64_t>(features.height), name));
  // Lossy, a block of 256 pixels takes three bits or more for its way of prediction. Lossless, a picture of one colour
  // takes none, whatever its size.
  constexpr int kLossy = 1;
  if (features.format == kLossy &&
      static_cast<std::uint64_t>(features.width) * static_cast<std::uint64_t>(features.height) > bytes.size() * 1024)
    return Error{"broken WebP: the file ends early", name};
  return PictureInfo{features.width, features.height, features.has_alpha != 0 ? 4 : 3};
}

Result<Bitmap> decode_webp(std::span<const std::byte> bytes, const std::string& name) {
  LIMBER_TRY(const PictureInfo info, webp_info(bytes, name));
  Bitmap picture(info.width, info.height, info.channels);
  const auto decode = info.channels == 4 ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
  if (!decode(raw(bytes), bytes.size(), picture.pixels.data(), picture.pixels.size(), info.width * info.channels))
    return Error{"broken WebP: the pixels cannot be decoded, or the file ends early", name};
  return picture;
}

Result<Bytes> encode_webp(const Bitmap& picture, int quality) {
  expect_picture(picture);
  LIMBER_EXPECT(quality >= 0 && quality <= 100, std::to_string(quality));
  if (picture.channels < 3) return encode_webp(with_channels(picture, picture.channels + 2), quality);
  if (picture.width > WEBP_MAX_DIMENSION || picture.height > WEBP_MAX_DIMENSION)
    return Error{"a WebP has at most " + std::to_string(WEBP_MAX_DIMENSION) + " pixels a side", "",
                 ErrorKind::kUnsupported};

  WebPConfig config;
  WebPConfigInit(&config);
  config.quality = static_cast<float>(quality);
  if (quality == 100) WebPConfigLosslessPreset(&config, 4);
  config.exact = 1;  // colours under transparent pixels are textures' business
  Encoding encoding;
  encoding.picture.use_argb = quality == 100;
  encoding.picture.width = picture.width;
  encoding.picture.height = picture.height;
  const auto import = picture.channels == 4 ? WebPPictureImportRGBA : WebPPictureImportRGB;
  if (!import(&encoding.picture, picture.pixels.data(), picture.width * picture.channels) ||
      !WebPEncode(&config, &encoding.picture))
    return Error{"cannot make a WebP: libwebp error " + std::to_string(encoding.picture.error_code), ""};
  const auto* data = reinterpret_cast<const std::byte*>(encoding.writer.mem);
  return Bytes(data, data + encoding.writer.size);
}

#else

Result<PictureInfo> webp_info(std::span<const std::byte>, const std::string& name) {
  return codec_missing("WebP", "libwebp", name);
}

Result<Bitmap> decode_webp(std::span<const std::byte>, const std::string& name) {
  return codec_missing("WebP", "libwebp", name);
}

Result<Bytes> encode_webp(const Bitmap& picture, int) {
  expect_picture(picture);
  return codec_missing("WebP", "libwebp", "");
}

#endif

}  // namespace limber::asset
