// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "limber/asset/fbx_scene.h"
#include "limber/base/at.h"

namespace limber::asset {
namespace {

/// What a morph target adds to the vertices that it moves.
struct Shape {
  std::vector<std::int32_t> vertices;
  std::vector<double> positions, normals;
};

Shape make_shape(const Mesh& mesh, std::size_t target, const FbxPlacement& placement) {
  Shape shape;
  std::int32_t start = 0;
  for (const Primitive& primitive : mesh.primitives) {
    const bool given = target < primitive.targets.size();
    for (std::size_t v = 0; given && v < primitive.targets[target].positions.size(); ++v) {
      const MorphTarget& source = primitive.targets[target];
      const Vec3 normal = v < source.normals.size() ? source.normals[v] : Vec3{};
      if (source.positions[v] == Vec3{} && normal == Vec3{}) continue;
      const Mat3d linear = placement.of(primitive, v).linear;
      const Vec3d p = kFbxUnits * (linear * source.positions[v].cast<double>()), n = linear * normal.cast<double>();
      shape.vertices.push_back(start + static_cast<std::int32_t>(v));
      shape.positions.insert(shape.positions.end(), {p.x, p.y, p.z});
      shape.normals.insert(shape.normals.end(), {n.x, n.y, n.z});
    }
    start += static_cast<std::int32_t>(primitive.positions.size());
  }
  // Readers take a shape without vertices for a broken one.
  if (shape.vertices.empty()) shape = {{0}, {0, 0, 0}, {0, 0, 0}};
  return shape;
}

}  // namespace

void add_fbx_shapes(FbxScene& scene, std::size_t node, const FbxPlacement& placement, FbxId geometry) {
  const Mesh& mesh = scene.asset.meshes[at(scene.asset.nodes[node].mesh)];
  std::size_t count = 0;
  for (const Primitive& primitive : mesh.primitives) count = std::max(count, primitive.targets.size());
  if (count == 0) return;
  FbxRecord deformer = scene.objects.make("Deformer", scene.nodes[node].name, "Deformer", "BlendShape");
  const FbxId id = scene.objects.last_id();
  deformer.child("Version", std::int32_t{100});
  scene.objects.keep(std::move(deformer), id);
  scene.objects.connect(id, geometry);

  const std::vector<float>& weights = scene.rest.morph_weights[node];
  for (std::size_t t = 0; t < count; ++t) {
    const std::string name = scene.nodes[node].name + "_shape_" + std::to_string(t);
    FbxRecord channel = scene.objects.make("Deformer", name, "SubDeformer", "BlendShapeChannel");
    const FbxId channel_id = scene.objects.last_id();
    channel.child("Version", std::int32_t{100});
    channel.child("DeformPercent", 100.0 * (t < weights.size() ? weights[t] : 0.0f));
    channel.child("FullWeights", std::vector<double>{100});
    scene.objects.keep(std::move(channel), channel_id);
    scene.objects.connect(channel_id, id);

    const Shape shape = make_shape(mesh, t, placement);
    FbxRecord record = scene.objects.make("Geometry", name, "Geometry", "Shape");
    record.child("Version", std::int32_t{100});
    record.child("Indexes", shape.vertices);
    record.child("Vertices", shape.positions);
    record.child("Normals", shape.normals);
    scene.objects.connect(scene.objects.keep(std::move(record), scene.objects.last_id()), channel_id);
    scene.nodes[node].shapes.push_back(channel_id);
  }
}

}  // namespace limber::asset
