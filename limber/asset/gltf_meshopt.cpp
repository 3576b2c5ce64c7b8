// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// KHR_meshopt_compression,
// https://github.com/KhronosGroup/glTF/tree/main/extensions/2.0/Khronos/KHR_meshopt_compression The library decodes
// what EXT_meshopt_compression has. Version 1 of the attribute codec and the colour filter, which the KHR extension
// added, are decoded here after the specification: the library only has them since 0.23.
#include "limber/asset/gltf_meshopt.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#ifdef LIMBER_WITH_MESHOPT
#include <meshoptimizer.h>
#endif

namespace limber::asset {
namespace {

bool is_index_mode(const MeshoptView& view) { return view.mode == "TRIANGLES" || view.mode == "INDICES"; }

// --- the attribute codec, version 1 ---------------------------------------------------------------------------------

/// Reads from the front of a span; past the end it gives zeros and remembers.
class Input {
 public:
  explicit Input(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint8_t next() {
    if (position_ >= bytes_.size()) return overrun_ = true, std::uint8_t{0};
    return static_cast<std::uint8_t>(bytes_[position_++]);
  }
  bool overrun() const { return overrun_; }
  bool at_end() const { return position_ == bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  bool overrun_ = false;
};

constexpr std::size_t kGroupSize = 16;
using Group = std::array<std::uint8_t, kGroupSize>;

/// One group of deltas in `bits` each (0, 1, 2, 4 or 8); all bits set means that a full byte follows after the group.
void decode_group(Input& input, int bits, Group& deltas) {
  deltas.fill(0);
  if (bits == 0) return;
  if (bits == 8) {
    for (std::uint8_t& delta : deltas) delta = input.next();
    return;
  }
  const int per_byte = 8 / bits;
  const auto sentinel = static_cast<std::uint8_t>((1 << bits) - 1);
  for (std::size_t i = 0; i < kGroupSize; i += static_cast<std::size_t>(per_byte)) {
    const int packed = input.next();
    for (int k = 0; k < per_byte; ++k) {
      // Single bits run upwards in the byte, longer codes downwards.
      const int shift = bits == 1 ? k : 8 - bits * (k + 1);
      deltas[i + static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(packed >> shift & sentinel);
    }
  }
  for (std::uint8_t& delta : deltas) {
    if (delta == sentinel) delta = input.next();
  }
}

/// The deltas of one byte position for a block of elements; `groups` has room for them, rounded up to whole groups.
void decode_byte_deltas(Input& input, int control, std::size_t elements, std::span<Group> groups) {
  constexpr std::array<std::array<int, 4>, 2> kBits = {{{0, 1, 2, 4}, {1, 2, 4, 8}}};
  if (control >= 2) {
    // All zero, or literal bytes, of which there is one per element even if the last group is not full.
    for (Group& group : groups) group.fill(0);
    for (std::size_t i = 0; control == 3 && i < elements; ++i) groups[i / kGroupSize][i % kGroupSize] = input.next();
    return;
  }
  std::array<std::uint8_t, 4> header{};
  for (std::size_t i = 0; i < (groups.size() + 3) / 4; ++i) header[i] = input.next();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const int code = header[g / 4] >> (2 * (g % 4)) & 3;
    decode_group(input, kBits[static_cast<std::size_t>(control)][static_cast<std::size_t>(code)], groups[g]);
  }
}

template <class T>
T unzigzag(T v) {
  return static_cast<T>((v & 1) != 0 ? ~(v >> 1) : v >> 1);
}

/// Applies a delta to the four bytes of a channel.
void apply_delta(std::uint8_t channel, std::uint32_t delta, std::byte* value) {
  const int mode = channel & 15;
  if (mode == 0) {
    for (int i = 0; i < 4; ++i) {
      const auto byte = unzigzag(static_cast<std::uint8_t>(delta >> (8 * i)));
      value[i] = static_cast<std::byte>(static_cast<std::uint8_t>(value[i]) + byte);
    }
  } else if (mode == 1) {
    std::array<std::uint16_t, 2> words{};
    std::memcpy(words.data(), value, 4);
    words[0] = static_cast<std::uint16_t>(words[0] + unzigzag(static_cast<std::uint16_t>(delta)));
    words[1] = static_cast<std::uint16_t>(words[1] + unzigzag(static_cast<std::uint16_t>(delta >> 16)));
    std::memcpy(value, words.data(), 4);
  } else {
    std::uint32_t word = 0;
    std::memcpy(&word, value, 4);
    word ^= std::rotl(delta, channel >> 4);
    std::memcpy(value, &word, 4);
  }
}

/// Specification, appendix A, mode 0.
bool decode_attributes_v1(const MeshoptView& view, Bytes& out) {
  const std::size_t stride = view.stride, channels = stride / 4;
  const std::size_t tail = std::max<std::size_t>(stride + channels, 24);
  if (view.data.size() < 1 + tail) return false;
  const auto baseline = view.data.last(stride + channels).first(stride);
  const auto modes = view.data.last(channels);
  for (const std::byte mode : modes) {
    const auto value = static_cast<std::uint8_t>(mode);
    if ((value & 15) > 2 || ((value & 15) < 2 && value >> 4 != 0)) return false;
  }

  Input input(view.data.subspan(1, view.data.size() - 1 - tail));
  const std::size_t max_block = std::min<std::size_t>((8192 / stride) & ~std::size_t{15}, 256);
  std::array<std::byte, 256> previous{};
  std::copy(baseline.begin(), baseline.end(), previous.begin());
  std::array<std::uint8_t, 64> control{};
  std::array<std::array<Group, 16>, 4> deltas{};  // of the four bytes of a channel
  for (std::size_t begin = 0; begin < view.count; begin += max_block) {
    const std::size_t elements = std::min<std::size_t>(view.count - begin, max_block);
    const std::size_t groups = (elements + kGroupSize - 1) / kGroupSize;
    for (std::size_t c = 0; c < channels; ++c) control[c] = input.next();
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t b = 0; b < 4; ++b) {
        decode_byte_deltas(input, control[c] >> (2 * b) & 3, elements, std::span<Group>(deltas[b]).first(groups));
      }
      std::byte* value = previous.data() + 4 * c;
      for (std::size_t i = 0; i < elements; ++i) {
        std::uint32_t delta = 0;
        for (std::size_t b = 0; b < 4; ++b) {
          delta |= std::uint32_t{deltas[b][i / kGroupSize][i % kGroupSize]} << (8 * b);
        }
        apply_delta(static_cast<std::uint8_t>(modes[c]), delta, value);
        std::memcpy(out.data() + (begin + i) * stride + 4 * c, value, 4);
      }
    }
    if (input.overrun()) return false;
  }
  return input.at_end();
}

/// Specification, appendix B, filter 4: YCoCg with as many bits as the alpha component tells.
template <class Signed, class Unsigned>
void decode_color_filter(Bytes& bytes) {
  constexpr float kMax = std::numeric_limits<Unsigned>::max();
  for (std::size_t at = 0; at + 4 * sizeof(Signed) <= bytes.size(); at += 4 * sizeof(Signed)) {
    std::array<Signed, 4> in{};
    std::memcpy(in.data(), bytes.data() + at, sizeof(in));
    const auto y = static_cast<Unsigned>(in[0]), alpha = static_cast<Unsigned>(in[3]);
    const int scale = (1 << std::bit_width(alpha)) - 1;
    const int a = alpha & (scale >> 1);
    const std::array<int, 4> rgba = {y + in[1] - in[2], y + in[2], y - in[1] - in[2], a << 1 | (a & 1)};
    std::array<Unsigned, 4> out{};
    for (std::size_t i = 0; i < 4; ++i) {
      const float value =
          scale == 0 ? 0.0f : std::round(static_cast<float>(rgba[i]) * (kMax / static_cast<float>(scale)));
      out[i] = static_cast<Unsigned>(std::clamp(value, 0.0f, kMax));
    }
    std::memcpy(bytes.data() + at, out.data(), sizeof(out));
  }
}

// --- what the library decodes ---------------------------------------------------------------------------------------

#ifdef LIMBER_WITH_MESHOPT
bool decode_with_library(const MeshoptView& view, Bytes& out) {
  const auto* data = reinterpret_cast<const unsigned char*>(view.data.data());
  if (view.mode == "TRIANGLES") {
    return meshopt_decodeIndexBuffer(out.data(), view.count, view.stride, data, view.data.size()) == 0;
  }
  if (view.mode == "INDICES") {
    return meshopt_decodeIndexSequence(out.data(), view.count, view.stride, data, view.data.size()) == 0;
  }
  return meshopt_decodeVertexBuffer(out.data(), view.count, view.stride, data, view.data.size()) == 0;
}

void apply_library_filter(const MeshoptView& view, Bytes& out) {
  if (view.filter == "OCTAHEDRAL") meshopt_decodeFilterOct(out.data(), view.count, view.stride);
  if (view.filter == "QUATERNION") meshopt_decodeFilterQuat(out.data(), view.count, view.stride);
  if (view.filter == "EXPONENTIAL") meshopt_decodeFilterExp(out.data(), view.count, view.stride);
}
#else
bool decode_with_library(const MeshoptView&, Bytes&) { return false; }
void apply_library_filter(const MeshoptView&, Bytes&) {}
#endif

}  // namespace

bool meshopt_available() {
#ifdef LIMBER_WITH_MESHOPT
  return true;
#else
  return false;
#endif
}

Status check_meshopt_view(const MeshoptView& view, const std::string& where) {
  if (is_index_mode(view)) {
    if (view.stride != 2 && view.stride != 4) return Error{"byteStride must be 2 or 4 for indices", where};
    if (view.mode == "TRIANGLES" && view.count % 3 != 0) return Error{"count must be a multiple of 3", where};
    if (view.filter != "NONE") return Error{"indices cannot have a filter", where};
  } else if (view.mode == "ATTRIBUTES") {
    if (view.stride == 0 || view.stride > 256 || view.stride % 4 != 0) {
      return Error{"byteStride must be a multiple of 4 up to 256", where};
    }
  } else {
    return Error{"unknown mode \"" + view.mode.substr(0, 40) + "\"", where};
  }
  if (view.filter == "OCTAHEDRAL" || view.filter == "COLOR") {
    if (view.stride != 4 && view.stride != 8) return Error{"byteStride must be 4 or 8 for this filter", where};
  } else if (view.filter == "QUATERNION") {
    if (view.stride != 8) return Error{"byteStride must be 8 for this filter", where};
  } else if (view.filter != "NONE" && view.filter != "EXPONENTIAL") {
    return Error{"unknown filter \"" + view.filter.substr(0, 40) + "\"", where};
  }
  return Done{};
}

Result<Bytes> decode_meshopt_view(const MeshoptView& view, const std::string& where) {
  LIMBER_CHECK_OK(check_meshopt_view(view, where));
  if (!meshopt_available()) {
    return Error{"needs EXT_meshopt_compression, and limber was built without meshoptimizer", where,
                 ErrorKind::kUnsupported};
  }
  Bytes out(view.count * view.stride);
  if (out.empty()) return out;
  constexpr std::byte kAttributesV1{0xa1};
  const bool own_codec = view.mode == "ATTRIBUTES" && !view.data.empty() && view.data[0] == kAttributesV1;
  if (!(own_codec ? decode_attributes_v1(view, out) : decode_with_library(view, out))) {
    return Error{"the compressed data is damaged", where};
  }
  if (view.filter == "COLOR") {
    view.stride == 4 ? decode_color_filter<std::int8_t, std::uint8_t>(out)
                     : decode_color_filter<std::int16_t, std::uint16_t>(out);
  } else {
    apply_library_filter(view, out);
  }
  return out;
}

}  // namespace limber::asset
