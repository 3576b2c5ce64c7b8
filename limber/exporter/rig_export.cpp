// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "limber/asset/pose.h"
#include "limber/base/at.h"
#include "limber/exporter/exporter.h"
#include "limber/rig/changed_rig.h"
#include "limber/rig/rig_extras.h"

namespace limber::exporter {
namespace {

/// The ranges of one mesh node.
struct RiggedNode {
  int node = -1;
  std::vector<const rig::PointRange*> ranges;
  std::vector<int> bone_of_joint;  ///< the bone that binds the node's vertices to each joint, -1 where none does
};

Error at_node(const asset::Asset& asset, int node, std::string what) {
  return {std::move(what), fmt::format("{}#/nodes/{}", asset.name, node)};
}

/// Whether the subject's points are the vertices of the range, posed as the asset stands.
Status check_range(const asset::Asset& asset, const rig::Subject& subject, const rig::PointRange& range,
                   const Affined& subject_from_mesh) {
  const auto known = [](int index, std::size_t count) { return index >= 0 && at(index) < count; };
  if (!known(range.node, asset.nodes.size()) || asset.nodes[at(range.node)].mesh != range.mesh ||
      !known(range.mesh, asset.meshes.size()) ||
      !known(range.primitive, asset.meshes[at(range.mesh)].primitives.size())) {
    return Error{fmt::format("has no primitive {} of mesh {} at node {}", range.primitive, range.mesh, range.node),
                 asset.name};
  }
  const asset::Node& node = asset.nodes[at(range.node)];
  if (node.skin >= 0) return at_node(asset, range.node, "has a skin already");
  if (!node.instances.empty()) return at_node(asset, range.node, "is instanced; a skin cannot move its copies");
  const std::vector<Vec3>& positions = asset.meshes[at(range.mesh)].primitives[at(range.primitive)].positions;
  if (positions.size() != range.count) {
    return at_node(asset, range.node, fmt::format("{} vertices, {} points", positions.size(), range.count));
  }
  for (std::size_t v = 0; v < range.count; ++v) {
    const Vec3d expected = subject_from_mesh * positions[v].cast<double>();
    const Vec3d point = subject.points[range.first + v].cast<double>();
    if (!(norm(point - expected) <= 1e-3 * std::max(1.0, norm(expected)))) {
      return at_node(asset, range.node, fmt::format("vertex {} is not where the subject's point is", v));
    }
  }
  return Done{};
}

Result<std::vector<RiggedNode>> find_nodes(const asset::Asset& asset, const rig::Subject& subject,
                                           const std::vector<Affined>& world_from_node) {
  const Affined subject_from_asset = inverse(rig::asset_from_subject(subject));
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  std::map<int, RiggedNode> nodes;
  for (const rig::PointRange& range : subject.ranges) {
    const bool known = range.node >= 0 && at(range.node) < world_from_node.size();
    const Affined subject_from_mesh = known ? subject_from_asset * world_from_node[at(range.node)] : Affined{};
    LIMBER_CHECK_OK(check_range(asset, subject, range, subject_from_mesh));
    RiggedNode& node = nodes[range.node];
    node.node = range.node;
    node.ranges.push_back(&range);
    node.bone_of_joint.resize(subject.rig.joints().size(), -1);
    for (std::size_t i = range.first * stride; i < (range.first + range.count) * stride; ++i) {
      if (!(subject.weights.weights[i] > 0)) continue;
      const int bone = subject.weights.bones[i];
      int& bound = node.bone_of_joint[at(subject.rig.bones()[at(bone)].joint)];
      if (bound >= 0 && bound != bone) {
        return at_node(asset, range.node, "two bones bind it to the same joint; a glTF skin has one per joint");
      }
      bound = bone;
    }
  }
  std::vector<RiggedNode> result;
  result.reserve(nodes.size());
  for (auto& [index, node] : nodes) result.push_back(std::move(node));
  return result;
}

/// world_from_node of every new joint, in the asset's units: where the joint is at rest, turned as it is, without
/// scale.
std::vector<Affined> joint_node_worlds(const rig::Subject& subject) {
  const Affined asset_from_subject = rig::asset_from_subject(subject);
  std::vector<Affined> worlds;
  for (const Affine& rest : subject.rig.world_from_rest()) {
    Transformd transform = decompose(rest.cast<double>());
    transform.scale = {1, 1, 1};
    transform.translation = asset_from_subject * transform.translation;
    worlds.push_back(to_affine(transform));
  }
  return worlds;
}

/// Appends the nodes and returns the index of the first joint's; the others follow in the rig's order. `worlds` become
/// what the nodes, rounded to float, really say.
int add_joint_nodes(asset::Asset& asset, const rig::Rig& rig, const std::string& name, std::vector<Affined>& worlds) {
  const auto skeleton = static_cast<int>(asset.nodes.size());
  asset::Node top;
  top.name = name;
  top.children = {skeleton + 1};
  asset.nodes.push_back(std::move(top));
  for (std::size_t j = 0; j < worlds.size(); ++j) {
    const rig::Joint& joint = rig.joints()[j];
    asset::Node node;
    node.name = joint.name;
    const Affined local = joint.parent < 0 ? worlds[j] : inverse(worlds[at(joint.parent)]) * worlds[j];
    node.local = decompose(local).cast<float>();
    node.local.scale = {1, 1, 1};
    Transformd rounded = node.local.cast<double>();
    rounded.rotation = normalized(rounded.rotation);
    worlds[j] = joint.parent < 0 ? to_affine(rounded) : worlds[at(joint.parent)] * to_affine(rounded);
    asset.nodes.push_back(std::move(node));
    if (joint.parent >= 0) {
      asset.nodes[at(skeleton + 1 + joint.parent)].children.push_back(skeleton + 1 + static_cast<int>(j));
    }
  }
  if (!asset.scenes.empty()) asset.scenes[at(std::max(asset.scene, 0))].roots.push_back(skeleton);
  return skeleton + 1;
}

/// JOINTS and WEIGHTS of one primitive; the index of a joint in the skin is its index in the rig.
std::vector<asset::InfluenceSet> influence_sets(const rig::Subject& subject, const rig::PointRange& range,
                                                int influences) {
  const rig::SkinWeights& weights = subject.weights;
  const auto stride = static_cast<std::size_t>(weights.stride), kept = std::min(stride, at(influences));
  std::vector<asset::InfluenceSet> sets(1);
  for (std::size_t v = 0; v < range.count; ++v) {
    const std::size_t row = (range.first + v) * stride;
    double sum = 0;
    for (std::size_t k = 0; k < kept; ++k) sum += weights.weights[row + k];
    for (std::size_t k = 0; k < kept; ++k) {
      const float weight = weights.weights[row + k];
      if (!(weight > 0)) continue;
      if (k / 4 >= sets.size()) sets.emplace_back();
      asset::InfluenceSet& set = sets[k / 4];
      set.joints.resize(range.count);
      set.weights.resize(range.count);
      const int joint = subject.rig.bones()[weights.bones[row + k]].joint;
      set.joints[v][k % 4] = static_cast<std::uint16_t>(joint);
      set.weights[v][static_cast<int>(k % 4)] = static_cast<float>(weight / sum);
    }
  }
  return sets;
}

/// Gives the mesh of a node its weights; a copy of the mesh if another node has given it others.
void add_weights(asset::Asset& asset, const rig::Subject& subject, const RiggedNode& node, int influences,
                 std::map<int, bool>& weighted) {
  const int mesh = asset.nodes[at(node.node)].mesh;
  std::vector<asset::Primitive> primitives = asset.meshes[at(mesh)].primitives;
  for (const rig::PointRange* range : node.ranges) {
    primitives[at(range->primitive)].influences = influence_sets(subject, *range, influences);
  }
  if (!weighted[mesh]) {
    asset.meshes[at(mesh)].primitives = std::move(primitives);
    weighted[mesh] = true;
  } else if (asset.meshes[at(mesh)].primitives != primitives) {
    asset::Mesh copy = asset.meshes[at(mesh)];
    copy.primitives = std::move(primitives);
    asset.nodes[at(node.node)].mesh = static_cast<int>(asset.meshes.size());
    asset.meshes.push_back(std::move(copy));
  }
}

/// The skin of one mesh node: posed = world_from_joint_node * inverse_bind * vertex.
asset::Skin make_skin(const rig::Subject& subject, const RiggedNode& node, const std::vector<Affined>& joint_worlds,
                      const Affined& world_from_mesh, int first_joint, const RigSettings& settings) {
  const Affined asset_from_subject = rig::asset_from_subject(subject);
  const Affined bind_from_mesh = inverse(asset_from_subject) * world_from_mesh;
  asset::Skin skin;
  skin.name = settings.name;
  skin.skeleton = first_joint;
  rig::RigExtras extras{subject.facing,
                        decompose(joint_worlds[0]).rotation.cast<float>(),
                        {},
                        {subject.rig.limbs().begin(), subject.rig.limbs().end()}};
  for (std::size_t j = 0; j < joint_worlds.size(); ++j) {
    const rig::Joint& joint = subject.rig.joints()[j];
    skin.joints.push_back(first_joint + static_cast<int>(j));
    extras.joints.push_back({joint.axes, joint.limits, joint.role});
    // Where the bone has the mesh at rest: where it stands, if it is bound as it stands.
    const int bone = node.bone_of_joint[j];
    Affined rest_from_mesh = world_from_mesh;
    if (bone >= 0) {
      const Affined rest = subject.rig.world_from_rest()[j].cast<double>();
      const Affined rest_from_bind = rest * subject.rig.bones()[at(bone)].joint_from_bind.cast<double>();
      rest_from_mesh = asset_from_subject * rest_from_bind * bind_from_mesh;
    }
    skin.inverse_bind.push_back((inverse(joint_worlds[j]) * rest_from_mesh).cast<float>());
  }
  skin.extras = rig::write_extras(extras);
  return skin;
}

/// The nodes that nothing hangs on, not even one of them that comes before.
std::vector<int> movable_nodes(const asset::Asset& asset, const std::vector<RiggedNode>& nodes) {
  std::vector<int> parent(asset.nodes.size(), -1);
  std::vector<std::size_t> hanging(asset.nodes.size(), 0);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    hanging[n] = asset.nodes[n].children.size();
    for (const int child : asset.nodes[n].children) parent[at(child)] = static_cast<int>(n);
  }
  std::vector<int> movable;
  for (const RiggedNode& node : nodes) {
    if (hanging[at(node.node)] > 0) continue;
    movable.push_back(node.node);
    if (parent[at(node.node)] >= 0) --hanging[at(parent[at(node.node)])];
  }
  return movable;
}

/// Nothing above a skinned mesh moves it, so it stands at the top of its scenes and says no transform of its own: with
/// one, or below others, readers differ. A node that others hang on stays where it is.
void put_on_top(asset::Asset& asset, const std::vector<RiggedNode>& nodes) {
  const std::vector<int> movable = movable_nodes(asset, nodes);
  for (std::size_t s = 0; s < asset.scenes.size(); ++s) {
    const std::vector<bool> shown = asset::shown_nodes(asset, static_cast<int>(s));
    std::vector<bool> is_root(asset.nodes.size(), false);
    std::vector<int>& roots = asset.scenes[s].roots;
    for (const int root : roots) is_root[at(root)] = true;
    for (const int node : movable) {
      if (shown[at(node)] && !is_root[at(node)]) roots.push_back(node);
    }
  }
  std::vector<bool> moves(asset.nodes.size(), false);
  for (const int node : movable) {
    moves[at(node)] = true;
    asset.nodes[at(node)].local = {};
    asset.nodes[at(node)].matrix.reset();
  }
  for (asset::Node& node : asset.nodes) std::erase_if(node.children, [&](int child) { return moves[at(child)]; });
}

}  // namespace

Status add_rig(asset::Asset& asset, rig::Subject& subject, const RigSettings& settings) {
  LIMBER_EXPECT(settings.influences == 4 || settings.influences == 8,
                fmt::format("{} influences", settings.influences));
  LIMBER_EXPECT(subject.weights.points() == subject.points.size(),
                fmt::format("{} rows of weights, {} points", subject.weights.points(), subject.points.size()));
  const std::vector<Affined> world_from_node = asset::rest_state(asset).world_from_node;
  LIMBER_TRY(const std::vector<RiggedNode> nodes, find_nodes(asset, subject, world_from_node));
  if (nodes.empty()) return Error{"has no mesh that belongs to the subject", asset.name};

  std::vector<Affined> joint_worlds = joint_node_worlds(subject);
  const int first_joint = add_joint_nodes(asset, subject.rig, settings.name, joint_worlds);
  std::map<int, bool> weighted;
  for (const RiggedNode& node : nodes) {
    add_weights(asset, subject, node, settings.influences, weighted);
    asset.skins.push_back(
        make_skin(subject, node, joint_worlds, world_from_node[at(node.node)], first_joint, settings));
    asset.nodes[at(node.node)].skin = static_cast<int>(asset.skins.size()) - 1;
  }
  put_on_top(asset, nodes);

  // The same rig, with its nodes.
  rig::RigDraft draft = rig::draft_of(subject.rig);
  for (std::size_t j = 0; j < draft.joints.size(); ++j) draft.joints[j].node = first_joint + static_cast<int>(j);
  subject.rig = rig::build_rig(std::move(draft)).value();
  for (rig::PointRange& range : subject.ranges) range.mesh = asset.nodes[at(range.node)].mesh;
  return Done{};
}

void limit_influences(asset::Asset& asset, int influences) {
  LIMBER_EXPECT(influences == 4 || influences == 8, fmt::format("{} influences", influences));
  struct Entry {
    std::uint16_t joint = 0;
    float weight = 0;
  };
  for (asset::Mesh& mesh : asset.meshes) {
    for (asset::Primitive& primitive : mesh.primitives) {
      const std::size_t sets = at(influences) / 4;
      if (primitive.influences.size() <= sets) continue;
      std::vector<Entry> row;
      for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
        row.clear();
        double before = 0, after = 0;
        for (const asset::InfluenceSet& set : primitive.influences) {
          for (int k = 0; k < 4; ++k) row.push_back({set.joints[v][at(k)], set.weights[v][k]});
        }
        std::stable_sort(row.begin(), row.end(), [](const Entry& a, const Entry& b) { return a.weight > b.weight; });
        for (const Entry& entry : row) before += entry.weight;
        for (std::size_t k = 0; k < 4 * sets; ++k) after += row[k].weight;
        for (std::size_t k = 0; k < 4 * sets; ++k) {
          asset::InfluenceSet& set = primitive.influences[k / 4];
          set.joints[v][k % 4] = row[k].joint;
          set.weights[v][static_cast<int>(k % 4)] =
              after > 0 ? static_cast<float>(row[k].weight * (before / after)) : 0.0f;
        }
      }
      primitive.influences.resize(sets);
    }
  }
}

}  // namespace limber::exporter
