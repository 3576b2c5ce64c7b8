// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/files.h"
#include "limber/base/result.h"

namespace limber::asset {

/// The vertices of a PLY file as a table of numbers: what point clouds and splats need. Meshes are read by
/// `read_asset`.
struct PlyVertices {
  std::vector<std::string> names;           ///< of the scalar properties, in file order
  std::vector<std::vector<float>> columns;  ///< one per name, all equally long

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
  /// The column of that name, null if there is none.
  const std::vector<float>* find(std::string_view name) const;
};

/// Reads the element `vertex` of an ASCII or binary PLY file of either byte order; other elements are skipped, as are
/// list properties. `name` is the file's, for errors: `cloud.ply#/vertex/12: ...`.
Result<PlyVertices> read_ply_vertices(std::span<const std::byte> bytes, const std::string& name);

/// A binary little-endian PLY file with one element `vertex` of float properties.
Bytes write_ply_vertices(const PlyVertices& vertices);

}  // namespace limber::asset
