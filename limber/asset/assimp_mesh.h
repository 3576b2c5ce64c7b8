// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/result.h"

struct aiMesh;

namespace limber::asset {

struct MeshSettings {
  std::string name;     ///< of the file, for messages
  bool normals = true;  ///< keep them
  bool join = true;     ///< make one vertex of corners that are the same in everything
  std::vector<std::string>* warnings = nullptr;
};

/// A mesh as assimp read it, as a primitive: its polygons as triangles or, if it has none, its lines, or else its
/// points. `joints` gives per bone the joint's place in the skin, -1 to leave the bone out. Vertices keep the order in
/// which the faces first use them.
Result<Primitive> convert_mesh(const aiMesh& mesh, const std::vector<int>& joints, const MeshSettings& settings);

}  // namespace limber::asset
