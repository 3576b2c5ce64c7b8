// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever the bytes are, parsing them ends in tensors whose bytes lie within them, or in an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "limber/nn/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto table = nn::parse_safetensors(bytes, "fuzz");
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
