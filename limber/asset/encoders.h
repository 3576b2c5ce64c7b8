// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/asset/asset.h"
#include "limber/base/result.h"

/// Formats that `write_asset` offers beside glTF. Private to the module.
namespace limber::asset {

/// The skeleton and clip `clip` (the rest pose alone for -1, and where there are no clips) as a BVH file, sampled `fps`
/// > 0 times a second.
///
/// The skeleton is the first skin's joints or, without skins, the nodes of the default scene. BVH knows neither scale
/// nor rest rotations: offsets are those of the rest pose in world space, so that all angles zero show the rest pose,
/// and what nodes between or above the joints do is part of the joints' motion. Joints whose distance from their parent
/// changes get position channels. Several roots are put below a common one.
Result<std::string> bvh_text(const Asset& asset, int clip, double fps);

/// The default scene as it stands, in world space, as an OBJ file: a group per node and primitive; points and lines are
/// left out.
Result<std::string> obj_text(const Asset& asset);

/// The default scene as a binary FBX 7.4 file: nodes, meshes with normals, texture coordinates, colours and morph
/// targets, skins with their bind pose, materials with pictures inside, and all clips. In centimetres, +Y up. Nodes
/// keep their names, made unique; points, lines, cameras and lights are left out. The same asset gives the same bytes.
Result<Bytes> fbx_file(const Asset& asset);

}  // namespace limber::asset
