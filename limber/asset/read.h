// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "limber/asset/asset.h"
#include "limber/base/result.h"

namespace limber::asset {

/// Bounds on what a file may make the reader do.
struct ReadLimits {
  std::uint64_t max_file_bytes = std::uint64_t{4} << 30;  ///< of each file read
  /// Decoded data may be this much larger than the files it came from, plus `decoded_slack`: zero-filled, sparse and
  /// compressed accessors can claim gigabytes in a few bytes.
  std::uint64_t max_expansion = 256;
  std::uint64_t decoded_slack = std::uint64_t{64} << 20;
};

/// Reads .glb and .gltf (recognised by content), .fbx, .obj, .ply, .stl, .dae (where built with assimp) and .bvh (by
/// extension). Errors tell the file and the place in it: `fox.glb#/accessors/12: ...`. Their kind is kMissing where a
/// file is not there, kUnsupported where limber cannot read the format or an extension that the file needs, and
/// kOutOfMemory where the file is larger, or claims more data, than `limits` allow.
///
/// Numbers that are NaN or infinite, in accessors and in what assimp imports, are mended with one warning per array
/// that names the first of them and their count: an animation key takes the node's rest value (a tangent zero), a key
/// time and a position that of the finite element before it, so that clips and bounding boxes stay what the rest of the
/// file makes them; a bind matrix what leaves the rest pose unmoved, a normal +Y, a tangent +X, a colour one; weights,
/// texture coordinates and morph displacements zero. Writing the asset back keeps the file's bytes of every array that
/// was not changed since. A BVH file is text, in which "nan" is no number: it is refused with the line. Where all
/// materials are wholly transparent, so that nothing could be seen, they are opaque, with a warning.
Result<Asset> read_asset(const std::filesystem::path& path, const ReadLimits& limits = {});

/// glTF from memory: a .glb or the text of a .gltf. Buffers and images outside are looked for below `folder`, and never
/// above it; an empty folder means there are none.
Result<Asset> read_gltf(std::span<const std::byte> bytes, const std::string& name,
                        const std::filesystem::path& folder = {}, const ReadLimits& limits = {});

/// A motion-capture file: one node per joint, a clip named "motion", end sites as leaf nodes named "<parent>_end", no
/// skin. Position channels are a joint's place in its parent, instead of its OFFSET. Frames that are missing at the end
/// of the file are told as a warning. Errors tell the line: `walk.bvh:12`.
Result<Asset> read_bvh(std::span<const std::byte> bytes, const std::string& name);

/// FBX, OBJ, PLY, STL or DAE through assimp, by the extension. An error if built without assimp.
///
/// Assimp works in a child process, so that a hostile file cannot harm this one; it sees the file's folder and what is
/// below, nothing else. FBX and DAE come out in metres with +Y up (at the root node), the others as they are. Polygons
/// become triangles; corners that agree in everything become one vertex (PLY keeps its own), in the order in which the
/// faces use them. Cameras and lights are left out, with a warning. The asset has no `source`.
Result<Asset> import_with_assimp(const std::filesystem::path& path, const ReadLimits& limits = {});

}  // namespace limber::asset
