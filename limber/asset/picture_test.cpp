// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "limber/asset/picture_codecs.h"
#include "limber/asset/read.h"
#include "limber/base/rng.h"
#include "limber/testing/shared_data.h"

namespace limber::asset {
namespace {

/// Smooth colours with some noise, and every alpha.
Bitmap test_picture(int width, int height, int channels, std::uint64_t seed = 1) {
  Bitmap picture(width, height, channels);
  Rng rng(seed);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const double wave = 120 + 90 * std::sin(0.11 * x + 0.07 * y * (c + 1)) + 8 * rng.uniform();
        picture.at(x, y)[c] = static_cast<std::uint8_t>(wave);
      }
    }
  }
  return picture;
}

[[maybe_unused]] double psnr(const Bitmap& a, const Bitmap& b) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.pixels.size(), b.pixels.size()); ++i)
    sum += std::pow(static_cast<double>(a.pixels[i]) - b.pixels[i], 2);
  return 10 * std::log10(255.0 * 255.0 * static_cast<double>(a.pixels.size()) / std::max(sum, 1e-9));
}

TEST(Picture, PngIsAlwaysWritten) {
  for (int channels = 1; channels <= 4; ++channels) {
    const Result<Bytes> png = encode_png(test_picture(17, 9, channels));
    ASSERT_TRUE(png.ok());
    EXPECT_EQ(as_text(*png).substr(1, 3), "PNG");
  }
}

TEST(Picture, UnknownAndEmptyFilesAreNamed) {
  const Result<Bitmap> empty = decode_picture({}, "nothing.png");
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().message(), "nothing.png: the file is empty");
  const Result<Bitmap> text = decode_picture(as_bytes("GIF89a..."), "x.png");
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().message(), "x.png: not a PNG, JPEG or WebP picture");
  EXPECT_FALSE(write_picture(test_picture(2, 2, 3), "x.bmp").ok());
}

TEST(Picture, BrokenContractsAreTold) {
  Bitmap picture(2, 2, 3);
  picture.pixels.pop_back();
  EXPECT_THROW(static_cast<void>(encode_png(picture)), ContractError);
  EXPECT_THROW(static_cast<void>(encode_png(Bitmap())), ContractError);
  EXPECT_THROW(static_cast<void>(decode_picture({}, "x", 5)), ContractError);
}

TEST(Picture, ChannelsAreConvertedBothWays) {
  Bitmap colour(1, 1, 4);
  colour.pixels = {255, 0, 0, 7};
  EXPECT_EQ(with_channels(colour, 3).pixels, (std::vector<std::uint8_t>{255, 0, 0}));
  EXPECT_EQ(with_channels(colour, 2).pixels, (std::vector<std::uint8_t>{76, 7}));
  EXPECT_EQ(with_channels(colour, 1).pixels, (std::vector<std::uint8_t>{76}));
  Bitmap grey(1, 1, 1);
  grey.pixels = {9};
  EXPECT_EQ(with_channels(grey, 4).pixels, (std::vector<std::uint8_t>{9, 9, 9, 255}));
  Bitmap white(1, 1, 3);
  white.pixels = {255, 255, 255};
  EXPECT_EQ(with_channels(white, 1).pixels[0], 255);
}

TEST(Picture, ScalingFillsTheSizeFromTheMiddle) {
  const Bitmap picture = test_picture(60, 40, 3);
  EXPECT_EQ(scaled_to_fill(picture, 60, 40), picture);
  // Same scale, other shape: the middle.
  const Bitmap middle = scaled_to_fill(picture, 40, 40);
  for (int c = 0; c < 3; ++c) EXPECT_EQ(middle.at(0, 7)[c], picture.at(10, 7)[c]);

  // A fine checkerboard becomes grey, not another pattern; a flat colour stays what it is.
  Bitmap board(64, 64, 1), flat(31, 17, 2);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) *board.at(x, y) = static_cast<std::uint8_t>((x + y) % 2 * 255);
  }
  for (const std::uint8_t pixel : scaled_to_fill(board, 13, 13).pixels) EXPECT_NEAR(pixel, 128, 12);
  std::fill(flat.pixels.begin(), flat.pixels.end(), std::uint8_t{201});
  for (const auto& [width, height] : {std::pair{100, 3}, std::pair{5, 90}, std::pair{1, 1}}) {
    const Bitmap scaled = scaled_to_fill(flat, width, height);
    EXPECT_EQ(scaled.width, width);
    for (const std::uint8_t pixel : scaled.pixels) EXPECT_EQ(pixel, 201);
  }
}

#if defined(LIMBER_WITH_PICTURES)

TEST(Picture, PngComesBackBitByBitWithAnyChannelsAndSize) {
  for (int channels = 1; channels <= 4; ++channels) {
    for (const auto& [width, height] : {std::pair{1, 1}, std::pair{3, 200}, std::pair{257, 5}, std::pair{640, 120}}) {
      const Bitmap picture = test_picture(width, height, channels);
      const Result<Bytes> png = encode_png(picture);
      ASSERT_TRUE(png.ok());
      const Result<Bitmap> back = decode_picture(*png, "x");
      ASSERT_TRUE(back.ok()) << back.error().message();
      EXPECT_EQ(*back, picture);
      const Result<PictureInfo> info = picture_info(*png, "x");
      ASSERT_TRUE(info.ok());
      EXPECT_EQ(info->width, width);
      EXPECT_EQ(info->height, height);
      EXPECT_EQ(info->channels, channels);
    }
  }
}

TEST(Picture, APngWithoutCompressionIsAPng) {
  for (int channels = 1; channels <= 4; ++channels) {
    // The second needs several stored blocks.
    for (const auto& [width, height] : {std::pair{5, 3}, std::pair{300, 250}}) {
      const Bitmap picture = test_picture(width, height, channels);
      const Result<Bitmap> back = decode_picture(encode_stored_png(picture), "x");
      ASSERT_TRUE(back.ok()) << back.error().message();
      EXPECT_EQ(*back, picture);
    }
  }
}

TEST(Picture, JpegAndWebpAreCloseAndLosslessWebpIsExact) {
  const Bitmap picture = test_picture(203, 101, 3);
  const Result<Bytes> jpeg = encode_jpeg(picture), webp = encode_webp(picture), exact = encode_webp(picture, 100);
  ASSERT_TRUE(jpeg.ok() && webp.ok() && exact.ok());
  for (const Result<Bytes>* bytes : {&jpeg, &webp}) {
    const Result<Bitmap> back = decode_picture(**bytes, "x");
    ASSERT_TRUE(back.ok()) << back.error().message();
    EXPECT_GT(psnr(*back, picture), 35.0);
    EXPECT_LT((*bytes)->size(), exact->size());
  }
  EXPECT_EQ(*decode_picture(*exact, "x"), picture);
  const Bitmap with_alpha = test_picture(64, 64, 4);
  EXPECT_EQ(*decode_picture(*encode_webp(with_alpha, 100), "x"), with_alpha);
}

TEST(Picture, GreyJpegStaysGreyAndAlphaIsDropped) {
  const Bitmap grey = test_picture(64, 48, 2);
  const Result<Bytes> jpeg = encode_jpeg(grey, 95);
  ASSERT_TRUE(jpeg.ok());
  EXPECT_EQ(picture_info(*jpeg, "x")->channels, 1);
  EXPECT_GT(psnr(*decode_picture(*jpeg, "x"), with_channels(grey, 1)), 38.0);
  const Bitmap colour = test_picture(64, 48, 4);
  const Result<Bitmap> back = decode_picture(*encode_jpeg(colour), "x", 4);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->at(3, 3)[3], 255);
}

TEST(Picture, FilesRoundTripByTheirExtension) {
  const testing::TemporaryFolder folder;
  const Bitmap picture = test_picture(40, 30, 3);
  for (const char* name : {"a.png", "b.JPG", "c.jpeg", "d.webp"}) {
    ASSERT_TRUE(write_picture(picture, folder.path() / name).ok());
    const Result<Bitmap> back = read_picture(folder.path() / name, 3);
    ASSERT_TRUE(back.ok()) << back.error().message();
    EXPECT_GT(psnr(*back, picture), 32.0) << name;
  }
  EXPECT_FALSE(read_picture(folder.path() / "none.png").ok());
}

TEST(Picture, EveryTruncationIsAnError) {
  const Bitmap picture = test_picture(24, 16, 3);
  for (const Result<Bytes>& bytes :
       {encode_png(picture), encode_jpeg(picture), encode_webp(picture), encode_webp(picture, 100)}) {
    ASSERT_TRUE(bytes.ok());
    // The last two bytes of a JPEG are its end marker, and a RIFF file may end in padding.
    for (std::size_t size = 0; size + 3 < bytes->size(); ++size) {
      const Result<Bitmap> back = decode_picture(std::span(*bytes).first(size), "cut");
      EXPECT_FALSE(back.ok()) << size << " of " << bytes->size();
    }
  }
}

TEST(Picture, ALossyWebpIsNoLargerThanItsFileCouldHold) {
  Bytes webp = encode_webp(Bitmap(512, 512, 3)).value();
  EXPECT_TRUE(picture_info(webp, "x").ok()) << "even if it is all black, in " << webp.size() << " bytes";
  // Of RIFF, a chunk's header, a frame's tag and its start code: 26 bytes.
  ASSERT_EQ(std::to_integer<int>(webp.at(23)), 0x9d);
  for (const std::size_t at : {26u, 28u}) webp.at(at) = std::byte{0xff}, webp.at(at + 1) = std::byte{0x1f};
  const Result<PictureInfo> info = picture_info(webp, "x");
  ASSERT_FALSE(info.ok()) << info->width;
  EXPECT_EQ(info.error().message(), "x: broken WebP: the file ends early");
}

TEST(Picture, AlteredBytesNeverCrash) {
  const Bitmap picture = test_picture(24, 16, 4);
  Rng rng(5);
  for (const Result<Bytes>& bytes : {encode_png(picture), encode_jpeg(picture), encode_webp(picture)}) {
    for (int trial = 0; trial < 400; ++trial) {
      Bytes altered = *bytes;
      for (int k = 0; k < 3; ++k) {
        const auto at = static_cast<std::size_t>(rng.uniform() * static_cast<double>(altered.size()));
        altered[at] = static_cast<std::byte>(rng.uniform() * 256);
      }
      const Result<PictureInfo> info = picture_info(altered, "x");
      if (!info.ok() || info->width * info->height > 1 << 20) continue;
      const Result<Bitmap> back = decode_picture(altered, "x");
      EXPECT_TRUE(back.ok() || !back.error().what.empty());
    }
  }
}

/// A PNG header that promises this much, followed by nothing.
Bytes huge_png(std::uint32_t width, std::uint32_t height) {
  Bytes png = encode_stored_png(Bitmap(1, 1, 4));
  // IHDR's checksum must be right for libpng to look at it: let the writer make one of the right size by hand.
  const auto put = [&](std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i) png[at + i] = static_cast<std::byte>(value >> (24 - 8 * i));
  };
  put(16, width), put(20, height);
  std::uint32_t crc = 0xffffffffu;
  for (std::size_t i = 12; i < 29; ++i) {
    crc ^= std::to_integer<std::uint32_t>(png[i]);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? 0xedb88320u ^ (crc >> 1) : crc >> 1;
  }
  put(29, crc ^ 0xffffffffu);
  return png;
}

TEST(Picture, HugeSizesAreRefusedBeforeTheyAreAllocated) {
  const Result<Bitmap> wide = decode_picture(huge_png(2000000000, 2000000000), "bomb.png");
  ASSERT_FALSE(wide.ok());
  EXPECT_NE(wide.error().message().find("larger than limber reads"), std::string::npos) << wide.error().message();
  EXPECT_FALSE(decode_picture(huge_png(32769, 1), "bomb.png").ok());
  EXPECT_FALSE(decode_picture(huge_png(32768, 32768), "bomb.png").ok());
  // Allowed in size, but no file of some bytes can hold it.
  const Result<Bitmap> cut = decode_picture(huge_png(16384, 16384), "cut.png");
  ASSERT_FALSE(cut.ok());
  EXPECT_NE(cut.error().message().find("ends early"), std::string::npos) << cut.error().message();
}

TEST(Picture, AllTexturesOfTheSharedModelsAreDecoded) {
  const auto files = testing::shared_files("assets", {".glb", ".gltf"});
  if (files.empty()) GTEST_SKIP() << "no shared test data";
  int decoded = 0;
  for (const auto& path : files) {
    const Result<Asset> asset = read_asset(path);
    if (!asset.ok()) continue;  // some are broken on purpose
    for (const Image& image : asset->images) {
      if (image.bytes.empty() || image.mime_type == "image/ktx2") continue;
      const Result<PictureInfo> info = picture_info(image.bytes, path.string() + ": " + image.name);
      ASSERT_TRUE(info.ok()) << info.error().message();
      // Large ones take long and are no different.
      if (info->width * info->height > 1 << 20) continue;
      const Result<Bitmap> picture = decode_picture(image.bytes, path.string() + ": " + image.name);
      ASSERT_TRUE(picture.ok()) << picture.error().message();
      EXPECT_EQ(picture->channels, info->channels);
      ++decoded;
    }
  }
  EXPECT_GT(decoded, 20);
}

#endif

}  // namespace
}  // namespace limber::asset
