// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/asset/fbx_record.h"
#include "limber/asset/pose.h"

/// An asset as FBX's objects and what connects them, step by step. Private to the module.
namespace limber::asset {

/// FBX counts in centimetres unless a file says otherwise, and not every engine listens; glTF counts in metres.
inline constexpr double kFbxUnits = 100;

using FbxId = std::int64_t;
inline constexpr FbxId kFbxRoot = 0;  ///< the scene, above all models

/// Objects and connections of a file in the making.
class FbxObjects {
 public:
  /// A new object's record: `type` is what FBX calls its list ("Model"), `class_name` what its name ends in.
  FbxRecord make(std::string_view type, std::string_view name, std::string_view class_name, std::string_view kind);
  FbxId last_id() const { return next_ - 1; }  ///< of the object made last
  FbxId keep(FbxRecord object, FbxId id);      ///< the same id

  void connect(FbxId child, FbxId parent);
  void connect(FbxId child, FbxId parent, std::string_view property);

  /// The Definitions (how many there are of each type), Objects and Connections of the file.
  std::vector<FbxRecord> sections() &&;

 private:
  FbxId next_ = 1000;
  std::vector<FbxRecord> objects_, connections_;
};

/// Names that nobody else has: "leg", "leg_2". FBX itself knows objects by number, but programs by name.
class FbxNames {
 public:
  std::string unique(std::string name, std::string_view fallback);

 private:
  std::unordered_set<std::string> taken_;
};

enum class FbxKind : std::uint8_t { kLeftOut, kNull, kLimb, kMesh };

/// What becomes of a node.
struct FbxNode {
  FbxKind kind = FbxKind::kLeftOut;
  std::string name;
  Quatd before;     ///< rotation that comes before what is animated: a joint's rest, so that its angles start at zero
  int parent = -1;  ///< node
  std::size_t order = 0;      ///< lower than those of the nodes below it
  FbxId model = -1;           ///< -1 until it is made
  std::vector<FbxId> shapes;  ///< per morph target of its mesh
};

/// The asset on its way into a file.
struct FbxScene {
  explicit FbxScene(const Asset& source);

  const Asset& asset;
  NodeState rest;
  FbxNames names;
  std::vector<FbxNode> nodes;
  std::vector<FbxId> materials;  ///< per material of the asset, and one for primitives without
  FbxObjects objects;
};

/// Whether the mesh of the node is moved by joints.
bool is_skinned(const Asset& asset, const Node& node);

// The steps, in their order.
void add_fbx_materials(FbxScene& scene);
void add_fbx_models(FbxScene& scene);
void add_fbx_meshes(FbxScene& scene);
void add_fbx_clips(FbxScene& scene);

/// A model's record with its place, in metres, and what it is.
FbxId add_fbx_model(FbxScene& scene, const std::string& name, FbxKind kind, const Transformd& local, Quatd before,
                    FbxId parent);

/// Where the vertices of a mesh go. A skinned mesh is written as it was bound, beside its skeleton and in the same
/// space, since not every reader heeds what else a file says of that.
struct FbxPlacement {
  FbxId parent = kFbxRoot;                 ///< the model that the mesh goes below
  Affined world_from_mesh;                 ///< at rest
  Affined mesh_from_bind, mesh_from_node;  ///< of vertices that joints move, and of those that they do not

  Affined of(const Primitive& primitive, std::size_t vertex) const;
};

/// How the skinned mesh of the node was bound: such that its joints stand as they do at rest, or at least the first of
/// them does.
FbxPlacement find_bind_placement(const FbxScene& scene, std::size_t node);

/// Meshes and joints (by node) as they stood when the ones were bound to the others: what the file keeps as its bind
/// pose.
struct FbxBindPose {
  std::vector<std::pair<FbxId, Affined>> meshes;
  std::map<int, Affined> joints;
};
void add_fbx_skin(FbxScene& scene, const Node& node, const FbxPlacement& placement, FbxId geometry, FbxBindPose& pose);
void add_fbx_bind_pose(FbxScene& scene, const FbxBindPose& pose);

/// The morph targets of the node's mesh, as shapes of its geometry.
void add_fbx_shapes(FbxScene& scene, std::size_t node, const FbxPlacement& placement, FbxId geometry);

/// What a set of texture coordinates is called.
std::string fbx_uv_set(std::size_t set);

/// Sixteen numbers, columns after each other, lengths in FBX's units.
std::vector<double> fbx_matrix(const Affined& matrix);

}  // namespace limber::asset
