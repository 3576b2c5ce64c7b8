// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/asset_skeleton.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "limber/base/at.h"
#include "limber/base/expect.h"

namespace limber::rig {
namespace {

constexpr double kVanishingScale = 1e-6;

/// Parents before children, otherwise in the order of the file: a skeleton that was written parents first keeps its
/// order.
std::vector<int> parents_first(const asset::Asset& asset, const std::vector<int>& parent) {
  std::vector<int> order;
  order.reserve(asset.nodes.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    if (parent[i] < 0) ready.push(static_cast<int>(i));
  }
  while (!ready.empty()) {
    const int node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const int child : asset.nodes[at(node)].children) ready.push(child);
    LIMBER_EXPECT(order.size() <= asset.nodes.size(), "the node graph has a cycle or a node with two parents");
  }
  return order;
}

bool moves_nodes(const asset::Channel& channel, const asset::Asset& asset) {
  return channel.path != asset::Path::kWeights && channel.node >= 0 && at(channel.node) < asset.nodes.size() &&
         !channel.times.empty();
}

/// Whether a skinned mesh has vertices that no joint holds: they move with its node.
bool has_loose_vertices(const asset::Mesh& mesh) {
  for (const asset::Primitive& primitive : mesh.primitives) {
    std::vector<bool> held(primitive.positions.size(), false);
    for (const asset::InfluenceSet& set : primitive.influences) {
      for (std::size_t v = 0; v < set.weights.size(); ++v) {
        const Vec4 w = set.weights[v];
        held[v] = held[v] || std::max({w.x, w.y, w.z, w.w}) > 0;
      }
    }
    if (std::find(held.begin(), held.end(), false) != held.end()) return true;
  }
  return false;
}

double distance_from_identity(const Affined& a) {
  double largest = std::max({std::abs(a.translation.x), std::abs(a.translation.y), std::abs(a.translation.z)});
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) largest = std::max(largest, std::abs(a.linear(i, j) - (i == j ? 1.0 : 0.0)));
  }
  return largest;
}

/// Whether a clip's scale `value` keeps shapes similar to those at `rest`.
bool keeps_shape(Vec3d value, Vec3d rest) {
  const Vec3d ratio{value.x / rest.x, value.y / rest.y, value.z / rest.z};
  const double low = std::min({ratio.x, ratio.y, ratio.z}), high = std::max({ratio.x, ratio.y, ratio.z});
  const double size = std::max(std::abs(low), std::abs(high));
  return size > 1e-4 && high - low <= 1e-3 * size;
}

}  // namespace

NodeRest node_rest(const asset::Node& node) {
  NodeRest rest;
  rest.transform = node.matrix ? decompose(node.matrix->cast<double>()) : node.local.cast<double>();
  rest.transform.rotation = normalized(rest.transform.rotation);
  for (int k = 0; k < 3; ++k) {
    double& scale = rest.transform.scale[k];
    if (std::abs(scale) >= kVanishingScale) continue;
    scale = std::copysign(kVanishingScale, scale);
    rest.hidden = true;
  }
  if (node.matrix && !rest.hidden) {
    const Affined remainder = inverse(to_affine(rest.transform)) * node.matrix->cast<double>();
    // A flattened matrix has no inverse; its nearest transform has to do.
    const bool invertible = std::abs(determinant(remainder.linear)) > 1e-6;
    if (invertible && distance_from_identity(remainder) > 1e-6) rest.remainder = remainder;
  }
  return rest;
}

Affined AssetSkeleton::bind_world_from_node(int node) const {
  const int joint = joint_above[at(node)];
  if (joint < 0) return joint_from_node[at(node)];
  return joints[at(joint)].bind_world * joints[at(joint)].rest.remainder * joint_from_node[at(node)];
}

std::vector<bool> used_skins(const asset::Asset& asset, const std::vector<bool>& shown) {
  std::vector<bool> used(asset.skins.size(), false);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const asset::Node& node = asset.nodes[n];
    if (shown[n] && node.mesh >= 0 && node.skin >= 0) used[at(node.skin)] = true;
  }
  if (std::find(used.begin(), used.end(), true) == used.end()) used.assign(used.size(), true);
  return used;
}

std::vector<bool> find_joint_nodes(const asset::Asset& asset, const std::vector<bool>& shown,
                                   const std::vector<bool>& skins) {
  std::vector<bool> is_joint(asset.nodes.size(), false);
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    if (!skins[s]) continue;
    for (const int node : asset.skins[s].joints) is_joint[at(node)] = true;
  }

  // Children come later in the order, so backwards everything below a node is known before the node.
  const std::vector<int> parent = parents(asset), order = parents_first(asset, parent);
  const bool no_meshes = asset.meshes.empty();
  std::vector<bool> carries = is_joint;
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    const asset::Node& here = asset.nodes[at(*node)];
    if (no_meshes || (here.mesh >= 0 && (here.skin < 0 || has_loose_vertices(asset.meshes[at(here.mesh)])))) {
      carries[at(*node)] = true;
    }
    if (carries[at(*node)] && parent[at(*node)] >= 0) carries[at(parent[at(*node)])] = true;
  }
  for (const asset::Clip& clip : asset.clips) {
    for (const asset::Channel& channel : clip.channels) {
      if (moves_nodes(channel, asset) && carries[at(channel.node)] && shown[at(channel.node)]) {
        is_joint[at(channel.node)] = true;
      }
    }
  }
  return is_joint;
}

AssetSkeleton asset_skeleton(const asset::Asset& asset, const std::vector<bool>& is_joint) {
  AssetSkeleton skeleton;
  skeleton.joint_above.assign(asset.nodes.size(), -1);
  skeleton.joint_from_node.resize(asset.nodes.size());
  const std::vector<int> parent = parents(asset);
  for (const int node : parents_first(asset, parent)) {
    const int up = parent[at(node)];
    const int joint_above = up >= 0 ? skeleton.joint_above[at(up)] : -1;
    const Affined above = up >= 0 ? skeleton.joint_from_node[at(up)] : Affined{};
    const NodeRest rest = node_rest(asset.nodes[at(node)]);
    if (!is_joint[at(node)]) {
      skeleton.joint_above[at(node)] = joint_above;
      skeleton.joint_from_node[at(node)] = above * (to_affine(rest.transform) * rest.remainder);
      continue;
    }
    SkeletonJoint joint;
    joint.node = node, joint.parent = joint_above, joint.above = above, joint.rest = rest, joint.hidden = rest.hidden;
    Transformd shown = rest.transform;
    if (rest.hidden) {
      for (int k = 0; k < 3; ++k) shown.scale[k] = std::abs(shown.scale[k]) <= kVanishingScale ? 1.0 : shown.scale[k];
    }
    joint.world = above * to_affine(rest.transform);
    joint.bind_world = above * to_affine(shown);
    if (joint_above >= 0) {
      const SkeletonJoint& p = skeleton.joints[at(joint_above)];
      joint.world = p.world * p.rest.remainder * joint.world;
      joint.bind_world = p.bind_world * p.rest.remainder * joint.bind_world;
      joint.hidden = joint.hidden || p.hidden;
    }
    skeleton.joint_above[at(node)] = static_cast<int>(skeleton.joints.size());
    skeleton.joint_from_node[at(node)] = {};
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

std::vector<bool> distorted_joints(const asset::Asset& asset, const AssetSkeleton& skeleton) {
  std::vector<bool> distorted(skeleton.joints.size());
  for (std::size_t j = 0; j < distorted.size(); ++j) distorted[j] = skeleton.joints[j].rest.hidden;
  for (const asset::Clip& clip : asset.clips) {
    for (const asset::Channel& channel : clip.channels) {
      if (channel.path != asset::Path::kScale || !moves_nodes(channel, asset)) continue;
      const int joint = skeleton.joint_above[at(channel.node)];
      if (joint < 0 || skeleton.joints[at(joint)].node != channel.node) continue;
      const bool cubic = channel.interpolation == asset::Interpolation::kCubicSpline;
      const std::size_t step = cubic ? 9 : 3, first = cubic ? 3 : 0;
      for (std::size_t i = first; i + 2 < channel.values.size(); i += step) {
        const Vec3d value{channel.values[i], channel.values[i + 1], channel.values[i + 2]};
        if (!keeps_shape(value, skeleton.joints[at(joint)].rest.transform.scale)) distorted[at(joint)] = true;
      }
    }
  }
  return distorted;
}

std::vector<bool> steady_joints(const asset::Asset& asset, const AssetSkeleton& skeleton) {
  std::vector<bool> steady = distorted_joints(asset, skeleton);
  steady.flip();
  for (std::size_t j = 0; j < steady.size(); ++j) {
    const int parent = skeleton.joints[j].parent;
    if (parent >= 0 && !steady[at(parent)]) steady[j] = false;
  }
  return steady;
}

}  // namespace limber::rig
