// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/picture_codecs.h"

#if defined(LIMBER_WITH_PNG)
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#endif

namespace limber::asset {

#if defined(LIMBER_WITH_PNG)
namespace {

/// What libpng's callbacks share. Errors jump back to `on_error`: between there and libpng, no frame may own anything,
/// so everything that needs a destructor lives in the caller of the functions below.
struct PngState {
  std::span<const std::byte> input;
  std::size_t position = 0;
  Bytes output;
  char message[128] = "";
  bool out_of_memory = false;
};

void on_png_error(png_structp png, png_const_charp message) {
  auto* state = static_cast<PngState*>(png_get_error_ptr(png));
  std::strncpy(state->message, message, sizeof state->message - 1);
  png_longjmp(png, 1);
}

void on_png_warning(png_structp, png_const_charp) {}

void read_png_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto* state = static_cast<PngState*>(png_get_io_ptr(png));
  if (count > state->input.size() - state->position) png_error(png, "the file ends early");
  std::memcpy(to, state->input.data() + state->position, count);
  state->position += count;
}

void write_png_bytes(png_structp png, png_bytep from, std::size_t count) {
  auto* state = static_cast<PngState*>(png_get_io_ptr(png));
  try {
    const auto* bytes = reinterpret_cast<const std::byte*>(from);
    state->output.insert(state->output.end(), bytes, bytes + count);
  } catch (const std::bad_alloc&) {
    state->out_of_memory = true;
  }
  if (state->out_of_memory) png_error(png, "out of memory");
}

void flush_png(png_structp) {}

struct PngReader {
  PngState state;
  png_structp png = nullptr;
  png_infop info = nullptr;

  explicit PngReader(std::span<const std::byte> bytes) {
    state.input = bytes;
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &state, on_png_error, on_png_warning);
    if (png) info = png_create_info_struct(png);
  }
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  Error error(const std::string& name) const { return {std::string("broken PNG: ") + state.message, name}; }
};

/// The chunks before the pixels.
bool read_png_header(PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_set_read_fn(reader.png, &reader.state, read_png_bytes);
  // The caller judges the size; text and colour profiles are skipped unread.
  png_set_user_limits(reader.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_keep_unknown_chunks(reader.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_read_info(reader.png, reader.info);
  return true;
}

int decoded_channels(const PngReader& reader) {
  const int type = png_get_color_type(reader.png, reader.info);
  const bool alpha = (type & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(reader.png, reader.info, PNG_INFO_tRNS) != 0;
  return ((type & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1) + (alpha ? 1 : 0);
}

Result<PictureInfo> read_checked_header(PngReader& reader, const std::string& name) {
  if (!reader.info) return Error{"libpng could not start", name};
  if (!read_png_header(reader)) return reader.error(name);
  const std::uint64_t width = png_get_image_width(reader.png, reader.info);
  const std::uint64_t height = png_get_image_height(reader.png, reader.info);
  LIMBER_CHECK_OK(check_picture_size(width, height, name));
  // Deflate makes at most 1032 bytes of one: whoever claims more has cut the file, or wants our memory.
  const std::uint64_t bits = static_cast<std::uint64_t>(png_get_bit_depth(reader.png, reader.info)) *
                             png_get_channels(reader.png, reader.info);
  if (width * height * bits / 8 > (reader.state.input.size() + 16) * 1032)
    return Error{"broken PNG: the file ends early", name};
  return PictureInfo{static_cast<int>(width), static_cast<int>(height), decoded_channels(reader)};
}

/// The pixels, as 8 bits with palettes and transparent colours expanded.
bool read_png_pixels(PngReader& reader, png_bytep* rows, std::size_t row_bytes) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_set_expand(reader.png);
  png_set_scale_16(reader.png);
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  if (png_get_rowbytes(reader.png, reader.info) != row_bytes) png_error(reader.png, "unexpected layout");
  png_read_image(reader.png, rows);
  png_read_end(reader.png, nullptr);
  return true;
}

struct PngWriter {
  PngState state;
  png_structp png = nullptr;
  png_infop info = nullptr;

  PngWriter() {
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &state, on_png_error, on_png_warning);
    if (png) info = png_create_info_struct(png);
  }
  ~PngWriter() { png_destroy_write_struct(&png, &info); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;
};

bool write_png(PngWriter& writer, const Bitmap& picture, int color_type, png_bytep* rows) {
  if (setjmp(png_jmpbuf(writer.png)) != 0) return false;
  png_set_write_fn(writer.png, &writer.state, write_png_bytes, flush_png);
  png_set_user_limits(writer.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(picture.width),
               static_cast<png_uint_32>(picture.height), 8, color_type, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writer.png, writer.info);
  png_write_image(writer.png, rows);
  png_write_end(writer.png, nullptr);
  return true;
}

std::vector<png_bytep> row_pointers(Bitmap& picture) {
  std::vector<png_bytep> rows(static_cast<std::size_t>(picture.height));
  for (int y = 0; y < picture.height; ++y) rows[static_cast<std::size_t>(y)] = picture.at(0, y);
  return rows;
}

}  // namespace

Result<PictureInfo> png_info(std::span<const std::byte> bytes, const std::string& name) {
  PngReader reader(bytes);
  return read_checked_header(reader, name);
}

Result<Bitmap> decode_png(std::span<const std::byte> bytes, const std::string& name) {
  PngReader reader(bytes);
  LIMBER_TRY(const PictureInfo info, read_checked_header(reader, name));
  Bitmap picture(info.width, info.height, info.channels);
  std::vector<png_bytep> rows = row_pointers(picture);
  const std::size_t row_bytes = static_cast<std::size_t>(info.width) * static_cast<std::size_t>(info.channels);
  if (!read_png_pixels(reader, rows.data(), row_bytes)) return reader.error(name);
  return picture;
}

Result<Bytes> encode_png(const Bitmap& picture) {
  expect_picture(picture);
  constexpr int kTypes[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                            PNG_COLOR_TYPE_RGB_ALPHA};
  PngWriter writer;
  if (!writer.info) return Error{"libpng could not start", ""};
  // libpng wants pointers to rows it may change, but does not change them.
  std::vector<png_bytep> rows = row_pointers(const_cast<Bitmap&>(picture));
  if (!write_png(writer, picture, kTypes[picture.channels], rows.data()))
    return Error{std::string("cannot make a PNG: ") + writer.state.message, ""};
  return std::move(writer.state.output);
}

#else

Result<PictureInfo> png_info(std::span<const std::byte>, const std::string& name) {
  return codec_missing("PNG reading", "libpng", name);
}

Result<Bitmap> decode_png(std::span<const std::byte>, const std::string& name) {
  return codec_missing("PNG reading", "libpng", name);
}

Result<Bytes> encode_png(const Bitmap& picture) {
  expect_picture(picture);
  return encode_stored_png(picture);
}

#endif

}  // namespace limber::asset
