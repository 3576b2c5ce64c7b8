// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/pose.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "limber/base/at.h"
#include "limber/base/expect.h"

namespace limber::asset {
namespace {

/// Where a time falls between the keys of a channel: at key `before`, or a fraction of the way to the next.
struct KeyPosition {
  std::size_t before = 0;
  double fraction = 0;  ///< 0 to 1 towards key before + 1; 0 on a key and outside the keys
  double interval = 0;  ///< seconds between the two keys
};

KeyPosition find_key(const std::vector<float>& times, double time) {
  const auto after = std::upper_bound(times.begin(), times.end(), time, [](double t, float key) { return t < key; });
  if (after == times.begin()) return {};
  const auto before = static_cast<std::size_t>(after - times.begin()) - 1;
  if (after == times.end()) return {before, 0, 0};
  const double start = times[before], interval = *after - start;
  return {before, interval > 0 ? (time - start) / interval : 0, interval};
}

/// Numbers per key, without the tangents.
std::size_t channel_width(const Channel& channel) {
  const std::size_t per_key = channel.interpolation == Interpolation::kCubicSpline ? 3 : 1;
  const std::size_t width = channel.values.size() / (channel.times.size() * per_key);
  LIMBER_EXPECT(width * channel.times.size() * per_key == channel.values.size(),
                std::to_string(channel.values.size()) + " values at " + std::to_string(channel.times.size()) + " keys");
  const std::size_t wanted = channel.path == Path::kRotation ? 4 : (channel.path == Path::kWeights ? width : 3);
  LIMBER_EXPECT(width == wanted, std::to_string(width) + " numbers per key");
  return width;
}

Quatd as_quat(const std::vector<double>& v) { return {v[0], v[1], v[2], v[3]}; }

// glTF 2.0, appendix C.4: Hermite interpolation with tangents per second.
void sample_cubic(const Channel& channel, const KeyPosition& key, std::size_t width, std::vector<double>& result) {
  const float* first = channel.values.data() + 3 * width * key.before;
  const float* second = first + 3 * width;
  const double t = key.fraction, t2 = t * t, t3 = t2 * t;
  for (std::size_t i = 0; i < width; ++i) {
    result[i] = first[width + i];
    if (t == 0) continue;
    result[i] = (2 * t3 - 3 * t2 + 1) * first[width + i] + key.interval * (t3 - 2 * t2 + t) * first[2 * width + i] +
                (-2 * t3 + 3 * t2) * second[width + i] + key.interval * (t3 - t2) * second[i];
  }
}

void sample_linear(const Channel& channel, const KeyPosition& key, std::size_t width, std::vector<double>& result) {
  const float* first = channel.values.data() + width * key.before;
  for (std::size_t i = 0; i < width; ++i) result[i] = first[i];
  if (key.fraction == 0) return;
  const float* second = first + width;
  if (channel.path == Path::kRotation) {
    const Quatd a = normalized(as_quat(result)),
                b = normalized(Quat{second[0], second[1], second[2], second[3]}.cast<double>());
    const Quatd q = slerp(a, b, key.fraction);
    for (int i = 0; i < 4; ++i) result[at(i)] = q[i];
    return;
  }
  for (std::size_t i = 0; i < width; ++i) result[i] += key.fraction * (static_cast<double>(second[i]) - first[i]);
}

/// Nodes so that parents come before their children. No recursion: real files have chains thousands deep.
std::vector<int> parents_first(const Asset& asset, const std::vector<int>& parent) {
  std::vector<int> order;
  order.reserve(asset.nodes.size());
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    if (parent[i] < 0) order.push_back(static_cast<int>(i));
  }
  for (std::size_t done = 0; done < order.size(); ++done) {
    for (const int child : asset.nodes[at(order[done])].children) {
      if (parent[at(child)] == order[done]) order.push_back(child);
    }
  }
  LIMBER_EXPECT(order.size() == asset.nodes.size(), "the node graph has a cycle");
  return order;
}

/// Turns parent_from_node, in place, into world_from_node.
void chain_transforms(const Asset& asset, std::vector<Affined>& transforms) {
  const std::vector<int> parent = parents(asset);
  for (const int node : parents_first(asset, parent)) {
    const int above = parent[at(node)];
    if (above >= 0) transforms[at(node)] = transforms[at(above)] * transforms[at(node)];
  }
}

Affined rest_matrix(const Node& node) {
  if (node.matrix) return node.matrix->cast<double>();
  Transformd local = node.local.cast<double>();
  local.rotation = normalized(local.rotation);
  return to_affine(local);
}

std::vector<std::vector<float>> rest_morph_weights(const Asset& asset) {
  std::vector<std::vector<float>> weights(asset.nodes.size());
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    const Node& node = asset.nodes[i];
    if (node.mesh >= 0) weights[i] = node.weights.empty() ? asset.meshes[at(node.mesh)].weights : node.weights;
  }
  return weights;
}

/// world_from_bind per joint of a skin.
std::vector<Affined> joint_matrices(const Skin& skin, const NodeState& state) {
  LIMBER_EXPECT(skin.inverse_bind.size() == skin.joints.size(), "one inverse bind matrix per joint");
  std::vector<Affined> matrices(skin.joints.size());
  for (std::size_t j = 0; j < matrices.size(); ++j) {
    matrices[j] = state.world_from_node[at(skin.joints[j])] * skin.inverse_bind[j].cast<double>();
  }
  return matrices;
}

void add_scaled(std::vector<Vec3d>& values, const std::vector<Vec3>& displacements, double weight) {
  const std::size_t count = std::min(values.size(), displacements.size());
  for (std::size_t i = 0; i < count; ++i) values[i] += weight * displacements[i].cast<double>();
}

/// The vertices in the mesh's own space, morphed.
void morph(const Primitive& primitive, const std::vector<float>& weights, PosedPrimitive& posed) {
  posed.positions.resize(primitive.positions.size());
  posed.normals.resize(primitive.normals.size());
  for (std::size_t i = 0; i < posed.positions.size(); ++i) posed.positions[i] = primitive.positions[i].cast<double>();
  for (std::size_t i = 0; i < posed.normals.size(); ++i) posed.normals[i] = primitive.normals[i].cast<double>();
  for (std::size_t t = 0; t < std::min(weights.size(), primitive.targets.size()); ++t) {
    if (weights[t] == 0) continue;
    add_scaled(posed.positions, primitive.targets[t].positions, weights[t]);
    add_scaled(posed.normals, primitive.targets[t].normals, weights[t]);
  }
}

/// Takes normals along with `linear`: the cofactor matrix, whose sign follows the determinant and is taken out again,
/// so that a mirror image keeps its normals outside.
Mat3d normal_matrix(const Mat3d& linear) {
  const Mat3d c = cofactor(linear);
  return determinant(linear) < 0 ? -1.0 * c : c;
}

void place_rigidly(const Affined& world_from_mesh, PosedPrimitive& posed) {
  for (Vec3d& p : posed.positions) p = world_from_mesh * p;
  const Mat3d normals = normal_matrix(world_from_mesh.linear);
  for (Vec3d& n : posed.normals) n = normalized(normals * n, n);
  posed.mirrored = determinant(world_from_mesh.linear) < 0;
}

/// Sum of the joint matrices by the vertex's weights as fractions of their sum; the node's where it has none.
Affined blended_matrix(const Primitive& primitive, std::size_t vertex, const std::vector<Affined>& joints,
                       const Affined& world_from_node) {
  Affined blend{{}, {}};
  double sum = 0;
  for (const InfluenceSet& set : primitive.influences) {
    for (int k = 0; k < 4; ++k) {
      const double weight = set.weights[vertex][k];
      if (!(weight > 0)) continue;
      const std::size_t joint = set.joints[vertex][at(k)];
      LIMBER_EXPECT(joint < joints.size(), "joint " + std::to_string(joint) + " of " + std::to_string(joints.size()));
      blend.linear += weight * joints[joint].linear;
      blend.translation += weight * joints[joint].translation;
      sum += weight;
    }
  }
  if (sum == 0) return world_from_node;
  return {(1 / sum) * blend.linear, blend.translation / sum};
}

void place_skinned(const Primitive& primitive, const std::vector<Affined>& joints, const Affined& world_from_node,
                   PosedPrimitive& posed) {
  std::size_t mirrored = 0;
  for (std::size_t v = 0; v < posed.positions.size(); ++v) {
    const Affined world_from_bind = blended_matrix(primitive, v, joints, world_from_node);
    posed.positions[v] = world_from_bind * posed.positions[v];
    if (!posed.normals.empty()) {
      posed.normals[v] = normalized(normal_matrix(world_from_bind.linear) * posed.normals[v], posed.normals[v]);
    }
    if (determinant(world_from_bind.linear) < 0) ++mirrored;
  }
  posed.mirrored = 2 * mirrored > posed.positions.size();
}

}  // namespace

std::vector<double> sample(const Channel& channel, double time) {
  if (channel.times.empty()) return {};
  const std::size_t width = channel_width(channel);
  std::vector<double> result(width);
  KeyPosition key = find_key(channel.times, time);
  if (channel.interpolation == Interpolation::kCubicSpline) {
    sample_cubic(channel, key, width, result);
  } else {
    if (channel.interpolation == Interpolation::kStep) key.fraction = 0;
    sample_linear(channel, key, width, result);
  }
  if (channel.path == Path::kRotation) {
    const Quatd unit = normalized(as_quat(result));
    for (int i = 0; i < 4; ++i) result[at(i)] = unit[i];
  }
  return result;
}

NodeState rest_state(const Asset& asset) {
  NodeState state;
  state.world_from_node.reserve(asset.nodes.size());
  for (const Node& node : asset.nodes) state.world_from_node.push_back(rest_matrix(node));
  chain_transforms(asset, state.world_from_node);
  state.morph_weights = rest_morph_weights(asset);
  return state;
}

NodeState clip_state(const Asset& asset, const Clip& clip, double time) {
  NodeState state;
  state.morph_weights = rest_morph_weights(asset);
  // Only nodes that the clip moves leave the matrix of the file behind.
  std::vector<std::optional<Transformd>> moved(asset.nodes.size());
  for (const Channel& channel : clip.channels) {
    if (channel.node < 0 || channel.times.empty()) continue;
    LIMBER_EXPECT(at(channel.node) < asset.nodes.size(), "channel of node " + std::to_string(channel.node));
    const std::vector<double> value = sample(channel, time);
    if (channel.path == Path::kWeights) {
      if (asset.nodes[at(channel.node)].mesh >= 0) {
        state.morph_weights[at(channel.node)].assign(value.begin(), value.end());
      }
      continue;
    }
    std::optional<Transformd>& local = moved[at(channel.node)];
    if (!local) {
      local = asset.nodes[at(channel.node)].local.cast<double>();
      local->rotation = normalized(local->rotation);
    }
    if (channel.path == Path::kRotation) {
      local->rotation = as_quat(value);
    } else {
      (channel.path == Path::kScale ? local->scale : local->translation) = Vec3d{value[0], value[1], value[2]};
    }
  }
  state.world_from_node.resize(asset.nodes.size());
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    state.world_from_node[i] = moved[i] ? to_affine(*moved[i]) : rest_matrix(asset.nodes[i]);
  }
  chain_transforms(asset, state.world_from_node);
  return state;
}

std::vector<bool> shown_nodes(const Asset& asset, int scene) {
  LIMBER_EXPECT(scene >= -1 && scene < static_cast<int>(asset.scenes.size()), "scene " + std::to_string(scene));
  if (asset.scenes.empty()) return std::vector<bool>(asset.nodes.size(), true);
  std::vector<bool> shown(asset.nodes.size(), false);
  std::vector<int> open = asset.scenes[at(scene >= 0 ? scene : std::max(asset.scene, 0))].roots;
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    if (shown[at(node)]) continue;
    shown[at(node)] = true;
    const std::vector<int>& children = asset.nodes[at(node)].children;
    open.insert(open.end(), children.begin(), children.end());
  }
  return shown;
}

std::vector<PosedPrimitive> posed_geometry(const Asset& asset, const NodeState& state, int scene) {
  LIMBER_EXPECT(state.world_from_node.size() == asset.nodes.size(), "the state of another asset");
  const std::vector<bool> shown = shown_nodes(asset, scene);
  std::vector<std::vector<Affined>> joints(asset.skins.size());  // per skin, made when first needed
  std::vector<PosedPrimitive> result;
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const Node& node = asset.nodes[n];
    if (!shown[n] || node.mesh < 0) continue;
    if (node.skin >= 0 && joints[at(node.skin)].empty()) {
      joints[at(node.skin)] = joint_matrices(asset.skins[at(node.skin)], state);
    }
    const std::vector<Primitive>& primitives = asset.meshes[at(node.mesh)].primitives;
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      PosedPrimitive posed;
      posed.node = static_cast<int>(n), posed.mesh = node.mesh, posed.primitive = static_cast<int>(p);
      morph(primitives[p], state.morph_weights[n], posed);
      if (node.skin >= 0 && !primitives[p].influences.empty()) {
        // Skinned vertices are where their joints are: the node, and so its instances, do not move them.
        place_skinned(primitives[p], joints[at(node.skin)], state.world_from_node[n], posed);
        result.push_back(std::move(posed));
      } else if (node.instances.empty()) {
        place_rigidly(state.world_from_node[n], posed);
        result.push_back(std::move(posed));
      } else {
        for (std::size_t i = 0; i < node.instances.size(); ++i) {
          PosedPrimitive copy = posed;
          copy.instance = static_cast<int>(i);
          place_rigidly(state.world_from_node[n] * to_affine(node.instances[i].cast<double>()), copy);
          result.push_back(std::move(copy));
        }
      }
    }
  }
  return result;
}

namespace {

/// The primitive with the posed vertices instead of its own, and nothing that could move them again.
Primitive baked_primitive(const Primitive& original, const PosedPrimitive& posed) {
  Primitive baked;
  baked.mode = original.mode;
  baked.material = original.material;
  baked.indices = original.indices;
  baked.texcoords = original.texcoords;
  baked.colors = original.colors;
  baked.positions.reserve(posed.positions.size());
  for (const Vec3d& p : posed.positions) baked.positions.push_back(p.cast<float>());
  baked.normals.reserve(posed.normals.size());
  for (const Vec3d& n : posed.normals) baked.normals.push_back(n.cast<float>());
  if (posed.mirrored && original.mode >= PrimitiveMode::kTriangles) {
    baked.mode = PrimitiveMode::kTriangles;
    baked.indices.clear();
    for (const auto& [a, b, c] : triangles(original)) baked.indices.insert(baked.indices.end(), {a, c, b});
  }
  return baked;
}

}  // namespace

Asset bake(const Asset& asset, const NodeState& state) {
  Asset baked;
  baked.name = asset.name;
  baked.materials = asset.materials;
  baked.textures = asset.textures;
  baked.images = asset.images;
  baked.scenes.emplace_back();
  baked.scene = 0;
  int node = -1, instance = -1;
  for (const PosedPrimitive& posed : posed_geometry(asset, state)) {
    // Instances come one after the other within each primitive; every one gets a node and a mesh of its own.
    if (posed.node != node || posed.instance != instance || posed.instance >= 0) {
      node = posed.node, instance = posed.instance;
      baked.scenes[0].roots.push_back(static_cast<int>(baked.nodes.size()));
      Node copy;
      copy.name = asset.nodes[at(posed.node)].name;
      copy.mesh = static_cast<int>(baked.meshes.size());
      baked.nodes.push_back(std::move(copy));
      baked.meshes.emplace_back();
      baked.meshes.back().name = asset.meshes[at(posed.mesh)].name;
    }
    const Primitive& original = asset.meshes[at(posed.mesh)].primitives[at(posed.primitive)];
    baked.meshes.back().primitives.push_back(baked_primitive(original, posed));
  }
  return baked;
}

}  // namespace limber::asset
