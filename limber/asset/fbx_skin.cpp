// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/asset/fbx_scene.h"
#include "limber/base/at.h"

namespace limber::asset {
namespace {

/// What follows one joint.
struct Cluster {
  std::vector<std::int32_t> vertices;
  std::vector<double> weights;

  void add(std::int32_t vertex, double weight) {
    if (vertices.empty() || vertices.back() != vertex) {
      vertices.push_back(vertex), weights.push_back(weight);
    } else {
      weights.back() += weight;  // a joint that the vertex names twice
    }
  }
};

/// Per joint of the skin. Weights are fractions of their sum, as everywhere.
std::vector<Cluster> make_clusters(const Mesh& mesh, std::size_t joints) {
  std::vector<Cluster> clusters(joints);
  std::int32_t vertex = 0;
  for (const Primitive& primitive : mesh.primitives) {
    for (std::size_t v = 0; v < primitive.positions.size(); ++v, ++vertex) {
      double sum = 0;
      const auto for_each_weight = [&](const auto& visit) {
        for (const InfluenceSet& set : primitive.influences) {
          for (int k = 0; k < 4; ++k) {
            if (set.weights[v][k] > 0) visit(set.joints[v][at(k)], static_cast<double>(set.weights[v][k]));
          }
        }
      };
      for_each_weight([&](std::size_t, double weight) { sum += weight; });
      for_each_weight([&](std::size_t joint, double weight) { clusters.at(joint).add(vertex, weight / sum); });
    }
  }
  return clusters;
}

bool is_regular(const Affined& matrix) {
  const double volume = determinant(matrix.linear);
  const double size = norm(matrix.linear.column(0)) * norm(matrix.linear.column(1)) * norm(matrix.linear.column(2));
  return std::isfinite(volume) && is_finite(matrix.translation) && std::abs(volume) > 1e-9 * size;
}

}  // namespace

FbxPlacement find_bind_placement(const FbxScene& scene, std::size_t node) {
  const Skin& skin = scene.asset.skins[at(scene.asset.nodes[node].skin)];
  const auto place = [&](int joint) { return scene.nodes[at(joint)].order; };
  const auto top =
      std::min_element(skin.joints.begin(), skin.joints.end(), [&](int a, int b) { return place(a) < place(b); });
  const auto first = static_cast<std::size_t>(top - skin.joints.begin());
  FbxPlacement placement;
  const Affined bound = scene.rest.world_from_node[at(*top)] * skin.inverse_bind[first].cast<double>();
  if (is_regular(bound)) placement.mesh_from_bind = bound;
  placement.mesh_from_node = scene.rest.world_from_node[node];
  // Beside the first joint, in the space of what carries both.
  const int above = scene.nodes[at(*top)].parent;
  if (above < 0 || !is_regular(scene.rest.world_from_node[at(above)])) return placement;
  placement.parent = scene.nodes[at(above)].model;
  placement.world_from_mesh = scene.rest.world_from_node[at(above)];
  const Affined mesh_from_world = inverse(placement.world_from_mesh);
  placement.mesh_from_bind = mesh_from_world * placement.mesh_from_bind;
  placement.mesh_from_node = mesh_from_world * placement.mesh_from_node;
  return placement;
}

void add_fbx_skin(FbxScene& scene, const Node& node, const FbxPlacement& placement, FbxId geometry, FbxBindPose& pose) {
  const Skin& source = scene.asset.skins[at(node.skin)];
  FbxRecord skin = scene.objects.make("Deformer", source.name, "Deformer", "Skin");
  const FbxId id = scene.objects.last_id();
  skin.child("Version", std::int32_t{101});
  skin.child("Link_DeformAcuracy", 50.0);
  scene.objects.keep(std::move(skin), id);
  scene.objects.connect(id, geometry);

  const std::vector<Cluster> clusters = make_clusters(scene.asset.meshes[at(node.mesh)], source.joints.size());
  for (std::size_t j = 0; j < clusters.size(); ++j) {
    const FbxNode& joint = scene.nodes[at(source.joints[j])];
    const Affined joint_from_mesh = source.inverse_bind[j].cast<double>() * inverse(placement.mesh_from_bind);
    const Affined world_from_joint = placement.world_from_mesh * inverse(joint_from_mesh);
    FbxRecord cluster = scene.objects.make("Deformer", joint.name, "SubDeformer", "Cluster");
    const FbxId cluster_id = scene.objects.last_id();
    cluster.child("Version", std::int32_t{100});
    cluster.child("UserData", "", "");
    if (!clusters[j].vertices.empty()) {
      cluster.child("Indexes", clusters[j].vertices);
      cluster.child("Weights", clusters[j].weights);
    }
    cluster.child("Transform", fbx_matrix(joint_from_mesh));
    cluster.child("TransformLink", fbx_matrix(world_from_joint));
    // What carries the skeleton: Blender looks for it where that hangs below something else.
    cluster.child("TransformAssociateModel", fbx_matrix(placement.world_from_mesh));
    scene.objects.keep(std::move(cluster), cluster_id);
    scene.objects.connect(cluster_id, id);
    scene.objects.connect(joint.model, cluster_id);
    pose.joints.emplace(source.joints[j], world_from_joint);
  }
}

void add_fbx_bind_pose(FbxScene& scene, const FbxBindPose& pose) {
  FbxRecord record = scene.objects.make("Pose", "bind pose", "Pose", "BindPose");
  const FbxId id = scene.objects.last_id();
  std::vector<FbxRecord> places;
  const auto add = [&](FbxId model, const Affined& world_from_model) {
    FbxRecord& place = places.emplace_back("PoseNode");
    place.child("Node", model);
    place.child("Matrix", fbx_matrix(world_from_model));
  };
  for (const auto& [mesh, world_from_mesh] : pose.meshes) add(mesh, world_from_mesh);
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    if (scene.nodes[n].model < 0 || scene.nodes[n].kind == FbxKind::kMesh) continue;
    const auto joint = pose.joints.find(static_cast<int>(n));
    add(scene.nodes[n].model, joint == pose.joints.end() ? scene.rest.world_from_node[n] : joint->second);
  }
  record.child("Type", "BindPose");
  record.child("Version", std::int32_t{100});
  record.child("NbPoseNodes", static_cast<std::int32_t>(places.size()));
  for (FbxRecord& place : places) record.child(std::move(place));
  scene.objects.keep(std::move(record), id);
}

}  // namespace limber::asset
