// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever the bytes are, parsing them ends in tensors whose bytes lie within them, or in an error. What begins as the
// header does, without its length, is given the right one: it would hardly ever be right.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "limber/nn/safetensors.h"

namespace {

using namespace limber;

std::vector<std::byte> with_length(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::uint64_t length = text.rfind('}') + 1;
  std::vector<std::byte> content(sizeof length);
  std::memcpy(content.data(), &length, sizeof length);
  content.insert(content.end(), bytes.begin(), bytes.end());
  return content;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const std::vector<std::byte> content =
      size > 0 && data[0] == '{' ? with_length(bytes) : std::vector<std::byte>(bytes.begin(), bytes.end());
  const auto table = nn::parse_safetensors(content, "fuzz");
  if (!table.ok()) {
    if (table.error().what.empty()) std::abort();
    return 0;
  }
  unsigned sum = 0;
  for (const auto& [name, view] : table->tensors) {
    std::size_t expected = nn::size_of(view.dtype);
    for (const std::int64_t extent : view.shape) expected *= static_cast<std::size_t>(extent);
    if (expected != view.bytes.size()) std::abort();
    for (const std::byte byte : view.bytes) sum += std::to_integer<unsigned>(byte);
  }
  return sum == 0xffffffffu ? 1 : 0;
}
