// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "limber/base/files.h"
#include "limber/base/result.h"

namespace limber::asset {

/// A buffer view under EXT_meshopt_compression or KHR_meshopt_compression.
struct MeshoptView {
  std::string mode, filter;
  std::uint64_t count = 0, stride = 0;
  std::span<const std::byte> data;
};

/// Whether limber was built with the decoder.
bool meshopt_available();

/// Checks what the extension demands of count and stride; to be called before memory is set aside for the result.
Status check_meshopt_view(const MeshoptView& view, const std::string& where);

/// The decoded view: `count * stride` bytes.
Result<Bytes> decode_meshopt_view(const MeshoptView& view, const std::string& where);

}  // namespace limber::asset
