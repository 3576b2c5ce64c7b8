// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/fbx_record.h"

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#if defined(LIMBER_WITH_ZLIB)
#include <zlib.h>
#endif

// The container as described by Blender's developers:
// https://code.blender.org/2013/08/fbx-binary-file-format-specification
namespace limber::asset {
namespace {

static_assert(std::endian::native == std::endian::little, "FBX is little-endian, and so is what is written here");

constexpr std::string_view kMagic{"Kaydara FBX Binary  \0\x1a\0", 23};
constexpr std::string_view kFileId{"\x28\xb3\x2a\xeb\xb6\x24\xcc\xc2\xbf\xc8\xb0\x2a\xa9\x2b\xfc\xf1", 16};
constexpr std::string_view kFooterId{"\xfa\xbc\xab\x09\xd0\xc8\xd4\x66\xb1\x76\xfb\x83\x1c\xf7\x26\x7e", 16};
constexpr std::string_view kFooterEnd{"\xf8\x5a\x8c\x6a\xde\xf5\xd9\x7e\xec\xe9\x0c\xe3\x75\x8f\x29\x0b", 16};
constexpr std::size_t kEmptyRecord = 13;    // bytes of a record without a name: the end of a list
constexpr std::size_t kWorthZipping = 128;  // bytes

void append(Bytes& bytes, const void* data, std::size_t size) {
  if (size == 0) return;
  bytes.resize(bytes.size() + size);
  std::memcpy(bytes.data() + bytes.size() - size, data, size);
}
void append(Bytes& bytes, std::span<const std::byte> more) { append(bytes, more.data(), more.size()); }
void append(Bytes& bytes, std::string_view text) { append(bytes, text.data(), text.size()); }
void append_zeros(Bytes& bytes, std::size_t count) { bytes.resize(bytes.size() + count); }

template <class Number>
requires std::is_arithmetic_v<Number>
void append(Bytes& bytes, Number value) { append(bytes, &value, sizeof value); }

void append_type(Bytes& bytes, char type) { bytes.push_back(static_cast<std::byte>(type)); }

std::uint32_t size32(std::size_t size) { return static_cast<std::uint32_t>(size); }

/// Empty where that saves nothing, or nobody can.
Bytes zipped([[maybe_unused]] std::span<const std::byte> bytes) {
  Bytes result;
#if defined(LIMBER_WITH_ZLIB)
  if (bytes.size() < kWorthZipping) return result;
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  result.resize(size);
  const int status = compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), 6);
  result.resize(status == Z_OK && size < bytes.size() ? size : 0);
#endif
  return result;
}

}  // namespace

FbxRecord& FbxRecord::add(bool value) {
  ++count_;
  append_type(properties_, 'C');
  append(properties_, static_cast<std::uint8_t>(value ? 1 : 0));
  return *this;
}

FbxRecord& FbxRecord::add(std::int32_t value) {
  ++count_;
  append_type(properties_, 'I');
  append(properties_, value);
  return *this;
}

FbxRecord& FbxRecord::add(std::int64_t value) {
  ++count_;
  append_type(properties_, 'L');
  append(properties_, value);
  return *this;
}

FbxRecord& FbxRecord::add(double value) {
  ++count_;
  append_type(properties_, 'D');
  append(properties_, value);
  return *this;
}

FbxRecord& FbxRecord::add(std::string_view text) {
  ++count_;
  append_type(properties_, 'S');
  append(properties_, size32(text.size()));
  append(properties_, text);
  return *this;
}

FbxRecord& FbxRecord::add(const Bytes& raw) {
  ++count_;
  append_type(properties_, 'R');
  append(properties_, size32(raw.size()));
  append(properties_, std::span<const std::byte>(raw));
  return *this;
}

FbxRecord& FbxRecord::add(const std::vector<std::int32_t>& values) {
  return add_array('i', std::as_bytes(std::span(values)), values.size());
}
FbxRecord& FbxRecord::add(const std::vector<std::int64_t>& values) {
  return add_array('l', std::as_bytes(std::span(values)), values.size());
}
FbxRecord& FbxRecord::add(const std::vector<float>& values) {
  return add_array('f', std::as_bytes(std::span(values)), values.size());
}
FbxRecord& FbxRecord::add(const std::vector<double>& values) {
  return add_array('d', std::as_bytes(std::span(values)), values.size());
}

FbxRecord& FbxRecord::add_array(char type, std::span<const std::byte> bytes, std::size_t count) {
  const Bytes small = zipped(bytes);
  const std::span<const std::byte> stored = small.empty() ? bytes : std::span<const std::byte>(small);
  ++count_;
  append_type(properties_, type);
  append(properties_, size32(count));
  append(properties_, std::uint32_t{small.empty() ? 0u : 1u});
  append(properties_, size32(stored.size()));
  append(properties_, stored);
  return *this;
}

FbxRecord& FbxRecord::child(FbxRecord record) { return children_.emplace_back(std::move(record)); }

void FbxRecord::append_to(Bytes& file) const {
  const std::size_t start = file.size();
  append(file, std::uint32_t{0});  // where the record ends, filled in below
  append(file, count_);
  append(file, size32(properties_.size()));
  append(file, static_cast<std::uint8_t>(name_.size()));
  append(file, std::string_view(name_));
  append(file, std::span<const std::byte>(properties_));
  for (const FbxRecord& record : children_) record.append_to(file);
  // Readers expect an end of the list where there could be one: also in records that hold nothing at all.
  if (!children_.empty() || count_ == 0) append_zeros(file, kEmptyRecord);
  const std::uint32_t end = size32(file.size());
  std::memcpy(file.data() + start, &end, sizeof end);
}

FbxRecord fbx_file_id() {
  const auto bytes = as_bytes(kFileId);
  return FbxRecord("FileId", Bytes(bytes.begin(), bytes.end()));
}

Result<Bytes> fbx_bytes(std::span<const FbxRecord> records) {
  Bytes file;
  append(file, kMagic);
  append(file, kFbxVersion);
  for (const FbxRecord& record : records) record.append_to(file);
  append_zeros(file, kEmptyRecord);
  append(file, kFooterId);
  append_zeros(file, 16 - file.size() % 16);
  append_zeros(file, 4);
  append(file, kFbxVersion);
  append_zeros(file, 120);
  append(file, kFooterEnd);
  if (file.size() > std::numeric_limits<std::uint32_t>::max()) {
    return Error{"an FBX file cannot be larger than 4 GB", {}, ErrorKind::kUnsupported};
  }
  return file;
}

}  // namespace limber::asset
