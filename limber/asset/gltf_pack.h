// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "limber/asset/gltf_draft.h"

namespace limber::asset {

/// A file to be written beside the main one.
struct Sidecar {
  std::string path;  ///< relative, with forward slashes
  std::shared_ptr<const Bytes> data;
};

/// A finished draft in the form of files.
struct Package {
  Bytes main;
  std::vector<Sidecar> sidecars;
};

/// A .glb. A draft from a .glb keeps its structure; other drafts have their buffers and images merged into the binary
/// chunk. Files beside a source .glb stay there if `keep_files`, else they are embedded as well.
Result<Package> pack_glb(Draft draft, bool keep_files);

/// A .gltf with its buffers and images where the source had them. New data and a binary chunk become "<stem>.bin", or
/// the like where that is taken.
Result<Package> pack_gltf(Draft draft, const std::string& stem);

}  // namespace limber::asset
