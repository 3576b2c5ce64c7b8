// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "limber/asset/gltf_accessor.h"

namespace limber::asset {

/// An attribute to take out of a Draco mesh, in the form that its accessor promises.
struct DracoAttribute {
  std::string name;
  std::uint32_t id = 0;
  AccessorLayout layout;  ///< count is set by decoding
  Bytes bytes;            ///< set by decoding: tightly packed
};

/// One primitive under KHR_draco_mesh_compression.
struct DracoPrimitive {
  std::string where;
  std::span<const std::byte> data;
  std::vector<DracoAttribute> attributes;
  std::vector<std::uint32_t> indices;  ///< set by decoding: a list of triangles
};

/// Whether limber was built with the decoder.
bool draco_available();

/// Decodes all primitives, in a child process: the library does not stand every damaged file.
Status decode_draco(std::span<DracoPrimitive> primitives, Budget& budget);

}  // namespace limber::asset
