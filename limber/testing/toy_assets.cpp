// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/testing/toy_assets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "limber/asset/pose.h"
#include "limber/base/at.h"
#include "limber/base/rng.h"

namespace limber::testing {
int add_node(asset::Asset& asset, int parent, const std::string& name, const Transform& local) {
  const auto index = static_cast<int>(asset.nodes.size());
  asset::Node node;
  node.name = name;
  node.local = local;
  asset.nodes.push_back(std::move(node));
  if (asset.scenes.empty()) asset.scenes.emplace_back(), asset.scene = 0;
  (parent < 0 ? asset.scenes[0].roots : asset.nodes[at(parent)].children).push_back(index);
  return index;
}

int add_tube(asset::Asset& asset, float height, int rings) {
  asset::Primitive tube;
  for (int ring = 0; ring <= rings; ++ring) {
    const float y = height * static_cast<float>(ring) / static_cast<float>(rings);
    for (const auto& [x, z] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
      tube.positions.push_back({0.2f * static_cast<float>(x), y, 0.3f * static_cast<float>(z)});
    }
  }
  for (int ring = 0; ring < rings; ++ring) {
    for (int side = 0; side < 4; ++side) {
      const auto a = static_cast<std::uint32_t>(4 * ring + side),
                 b = static_cast<std::uint32_t>(4 * ring + (side + 1) % 4);
      for (const std::uint32_t index : {a, a + 4, b, b, a + 4, b + 4}) tube.indices.push_back(index);
    }
  }
  asset::Mesh mesh;
  mesh.primitives.push_back(std::move(tube));
  asset.meshes.push_back(std::move(mesh));
  return static_cast<int>(asset.meshes.size()) - 1;
}

int add_skin(asset::Asset& asset, const std::vector<int>& joints, int mesh_node) {
  const std::vector<Affined> world = asset::rest_state(asset).world_from_node;
  asset::Skin skin;
  skin.joints = joints;
  for (const int joint : joints) {
    skin.inverse_bind.push_back((inverse(world[at(joint)]) * world[at(mesh_node)]).cast<float>());
  }
  for (asset::Primitive& primitive : asset.meshes[at(asset.nodes[at(mesh_node)].mesh)].primitives) {
    float top = 0;
    for (const Vec3& p : primitive.positions) top = std::max(top, p.y);
    asset::InfluenceSet set;
    for (const Vec3& p : primitive.positions) {
      const float level = p.y / top * static_cast<float>(joints.size() - 1);
      const int low = std::min(static_cast<int>(level), static_cast<int>(joints.size()) - 1);
      const int high = std::min(low + 1, static_cast<int>(joints.size()) - 1);
      const float share = level - static_cast<float>(low);
      set.joints.push_back({static_cast<std::uint16_t>(low), static_cast<std::uint16_t>(high), 0, 0});
      set.weights.push_back({1 - share, share, 0, 0});
    }
    primitive.influences = {std::move(set)};
  }
  asset.skins.push_back(std::move(skin));
  asset.nodes[at(mesh_node)].skin = static_cast<int>(asset.skins.size()) - 1;
  return asset.nodes[at(mesh_node)].skin;
}

void add_swing_clip(asset::Asset& asset, const std::vector<int>& nodes, const std::string& name) {
  asset::Clip clip;
  clip.name = name;
  for (const int node : nodes) {
    asset::Channel channel;
    channel.node = node;
    const Vec3d axis = normalized(Vec3d{1.0 + node % 3, 0.3, 0.5 + node % 2});
    for (int key = 0; key <= 24; ++key) {
      const double time = key / 24.0, angle = 0.6 * std::sin(2 * kPi * time + node);
      channel.times.push_back(static_cast<float>(time));
      const Quatd rest = asset.nodes[at(node)].local.rotation.cast<double>();
      const Quatd q = normalized(rest) * axis_angle(axis, angle);
      for (int k = 0; k < 4; ++k) channel.values.push_back(static_cast<float>(q[k]));
    }
    clip.channels.push_back(std::move(channel));
  }
  asset.clips.push_back(std::move(clip));
}

void add_random_channel(asset::Asset& asset, int node, asset::Path path, float amplitude, std::uint64_t seed) {
  Rng rng(seed);
  asset::Channel channel;
  channel.node = node;
  channel.path = path;
  const Transform& rest = asset.nodes[at(node)].local;
  const Vec3 base = path == asset::Path::kScale ? rest.scale : rest.translation;
  for (int key = 0; key <= 12; ++key) {
    channel.times.push_back(static_cast<float>(key) / 12);
    for (int k = 0; k < 3; ++k) {
      channel.values.push_back(base[k] + amplitude * static_cast<float>(rng.uniform(-1, 1)));
    }
  }
  asset.clips.at(0).channels.push_back(std::move(channel));
}

asset::Asset tube_asset(int joints, bool siblings) {
  asset::Asset asset;
  asset.name = "tube";
  const int armature = add_node(asset, -1, "armature");
  std::vector<int> nodes;
  for (int j = 0; j < joints; ++j) {
    Transform local;
    local.translation = {0, siblings ? static_cast<float>(j) : (j == 0 ? 0.0f : 1.0f), 0};
    nodes.push_back(add_node(asset, siblings || j == 0 ? armature : nodes.back(), "joint" + std::to_string(j), local));
  }
  const int body = add_node(asset, -1, "body");
  const int mesh = add_tube(asset, static_cast<float>(joints), 2 * joints);
  asset.nodes[at(body)].mesh = mesh;
  add_skin(asset, nodes, body);
  add_swing_clip(asset, nodes);
  return asset;
}

double posed_error(const asset::Asset& asset, const std::vector<Affined>& world_from_node, const rig::Subject& subject,
                   std::span<const Affine> bones) {
  asset::NodeState state = asset::rest_state(asset);
  state.world_from_node = world_from_node;
  const std::vector<asset::PosedPrimitive> posed = asset::posed_geometry(asset, state);
  Vec3d low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (const asset::PosedPrimitive& primitive : posed) {
    for (const Vec3d& p : primitive.positions) low = min(low, p), high = max(high, p);
  }
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  double worst = 0;
  for (const rig::PointRange& range : subject.ranges) {
    const auto own = std::find_if(posed.begin(), posed.end(), [&](const asset::PosedPrimitive& p) {
      return p.node == range.node && p.primitive == range.primitive && p.instance == range.instance;
    });
    if (own == posed.end() || own->positions.size() != range.count) return std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < range.count; ++v) {
      Vec3d p;
      for (std::size_t k = (range.first + v) * stride; k < (range.first + v + 1) * stride; ++k) {
        const Affined bone = bones[subject.weights.bones[k]].cast<double>();
        p += double(subject.weights.weights[k]) * (bone * subject.points[range.first + v].cast<double>());
      }
      const double distance = norm(rig::asset_from_subject(subject) * p - own->positions[v]);
      // Written so that NaN is the worst of all.
      if (!(distance <= worst)) worst = std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
    }
  }
  return worst / norm(high - low);
}

}  // namespace limber::testing
