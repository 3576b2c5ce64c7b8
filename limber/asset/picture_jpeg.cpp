// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/picture_codecs.h"

#if defined(LIMBER_WITH_JPEG)
#include <turbojpeg.h>

#include <algorithm>
#include <memory>
#include <string_view>
#endif

namespace limber::asset {

#if defined(LIMBER_WITH_JPEG)
namespace {

struct CloseCodec {
  void operator()(void* codec) const { tjDestroy(codec); }
};
using Codec = std::unique_ptr<void, CloseCodec>;

struct Header {
  PictureInfo info;
  bool cmyk = false;
};

const unsigned char* raw(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

Error broken(tjhandle codec, const std::string& name) {
  return {std::string("broken JPEG: ") + tjGetErrorStr2(codec), name};
}

Result<Header> read_header(tjhandle codec, std::span<const std::byte> bytes, const std::string& name) {
  if (!codec) return Error{"turbojpeg could not start", name};
  int width = 0, height = 0, subsampling = 0, colours = 0;
  if (tjDecompressHeader3(codec, raw(bytes), bytes.size(), &width, &height, &subsampling, &colours) != 0)
    return broken(codec, name);
  LIMBER_CHECK_OK(check_picture_size(static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height), name));
  // A block of 64 pixels takes a bit or more (a little less in arithmetic coding).
  if (static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) > bytes.size() * 8192)
    return Error{"broken JPEG: the file ends early", name};
  return Header{{width, height, colours == TJCS_GRAY ? 1 : 3}, colours == TJCS_CMYK || colours == TJCS_YCCK};
}

/// Warnings that leave the picture whole.
bool harmless(std::string_view warning) { return warning.find("extraneous bytes") != std::string_view::npos; }

}  // namespace

Result<PictureInfo> jpeg_info(std::span<const std::byte> bytes, const std::string& name) {
  const Codec codec(tjInitDecompress());
  LIMBER_TRY(const Header header, read_header(codec.get(), bytes, name));
  return header.info;
}

Result<Bitmap> decode_jpeg(std::span<const std::byte> bytes, const std::string& name) {
  const Codec codec(tjInitDecompress());
  LIMBER_TRY(const Header header, read_header(codec.get(), bytes, name));
  const auto [width, height, channels] = header.info;
  Bitmap picture(width, height, header.cmyk ? 4 : channels);
  const int format = header.cmyk ? TJPF_CMYK : channels == 1 ? TJPF_GRAY : TJPF_RGB;
  if (tjDecompress2(codec.get(), raw(bytes), bytes.size(), picture.pixels.data(), width, 0, height, format,
                    TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS) != 0) {
    const bool warning = tjGetErrorCode(codec.get()) == TJERR_WARNING;
    if (!warning || !harmless(tjGetErrorStr2(codec.get()))) return broken(codec.get(), name);
  }
  if (!header.cmyk) return picture;
  // Inks are stored inverted, as Adobe began it: 255 is bare paper.
  Bitmap rgb(width, height, 3);
  const std::uint8_t* ink = picture.pixels.data();
  for (std::size_t i = 0; i < rgb.pixels.size(); i += 3, ink += 4) {
    for (std::size_t c = 0; c < 3; ++c) rgb.pixels[i + c] = static_cast<std::uint8_t>((ink[c] * ink[3] + 127) / 255);
  }
  return rgb;
}

Result<Bytes> encode_jpeg(const Bitmap& picture, int quality) {
  expect_picture(picture);
  LIMBER_EXPECT(quality >= 1 && quality <= 100, std::to_string(quality));
  if (picture.channels == 2) return encode_jpeg(with_channels(picture, 1), quality);
  const Codec codec(tjInitCompress());
  if (!codec) return Error{"turbojpeg could not start", ""};
  constexpr int kFormats[] = {0, TJPF_GRAY, 0, TJPF_RGB, TJPF_RGBA};
  const int subsampling = picture.channels == 1 ? TJSAMP_GRAY : quality >= 90 ? TJSAMP_444 : TJSAMP_420;
  unsigned char* data = nullptr;
  unsigned long size = 0;
  const int failed = tjCompress2(codec.get(), picture.pixels.data(), picture.width, 0, picture.height,
                                 kFormats[picture.channels], &data, &size, subsampling, quality, TJFLAG_ACCURATEDCT);
  const std::unique_ptr<unsigned char, decltype(&tjFree)> owner(data, tjFree);
  if (failed != 0) return Error{std::string("cannot make a JPEG: ") + tjGetErrorStr2(codec.get()), ""};
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  return Bytes(bytes, bytes + size);
}

#else

Result<PictureInfo> jpeg_info(std::span<const std::byte>, const std::string& name) {
  return codec_missing("JPEG", "libturbojpeg", name);
}

Result<Bitmap> decode_jpeg(std::span<const std::byte>, const std::string& name) {
  return codec_missing("JPEG", "libturbojpeg", name);
}

Result<Bytes> encode_jpeg(const Bitmap& picture, int) {
  expect_picture(picture);
  return codec_missing("JPEG", "libturbojpeg", "");
}

#endif

}  // namespace limber::asset
