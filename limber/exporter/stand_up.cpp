// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/exporter/stand_up.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "limber/rig/rig_extras.h"
#include "limber/rig/stance.h"

namespace limber::exporter {
namespace {

constexpr float kStands = 0.9998f;  // cosine of a degree

/// The facing that the extras of a skin tell and the rotation it was told at, turned with the body; everything else in
/// them stays.
void turn_extras(asset::Skin& skin, const Mat3& turn) {
  const auto extras = rig::read_extras(skin.extras, skin.joints.size());
  if (!extras || !extras->facing.known()) return;
  auto json = nlohmann::ordered_json::parse(skin.extras, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return;
  const auto set = [&](const char* key, Vec3 v) { json["limber"][key] = {v.x, v.y, v.z}; };
  set("up", turn * extras->facing.up), set("forward", turn * extras->facing.forward);
  if (extras->root_rotation) {
    const Quat q = to_quat(turn) * *extras->root_rotation;
    json["limber"]["root_rotation"] = {q.x, q.y, q.z, q.w};
  }
  skin.extras = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// What the asset shows is made of: the roots of its scene, or all nodes that hang on no other.
std::vector<int> scene_roots(const asset::Asset& asset) {
  if (!asset.scenes.empty()) return asset.scenes[static_cast<std::size_t>(std::max(asset.scene, 0))].roots;
  std::vector<bool> hangs(asset.nodes.size(), false);
  for (const asset::Node& node : asset.nodes) {
    for (const int child : node.children) hangs[static_cast<std::size_t>(child)] = true;
  }
  std::vector<int> roots;
  for (std::size_t n = 0; n < hangs.size(); ++n) {
    if (!hangs[n]) roots.push_back(static_cast<int>(n));
  }
  return roots;
}

/// Those that a node above turns: a skinned mesh goes with its joints, and stays on top where every reader expects it.
std::vector<int> turned_roots(const asset::Asset& asset) {
  std::vector<int> roots = scene_roots(asset);
  std::erase_if(roots, [&](int root) {
    const asset::Node& node = asset.nodes[static_cast<std::size_t>(root)];
    return node.skin >= 0 && node.children.empty();
  });
  return roots;
}

/// The roots by the scenes that show them: a scene must not show more than it did, only otherwise.
std::map<std::vector<bool>, std::vector<int>> by_scenes(const asset::Asset& asset, const std::vector<int>& roots) {
  std::map<std::vector<bool>, std::vector<int>> groups;
  for (const int root : roots) {
    std::vector<bool> shown;
    for (const asset::Scene& scene : asset.scenes) {
      shown.push_back(std::find(scene.roots.begin(), scene.roots.end(), root) != scene.roots.end());
    }
    groups[shown].push_back(root);
  }
  return groups;
}

}  // namespace

bool stand_up(asset::Asset& asset, Vec3 up) {
  if (normalized(up).y > kStands) return false;
  const std::vector<int> roots = turned_roots(asset);
  if (roots.empty()) return false;
  const Mat3 turn = rig::upright_from(up).cast<float>();
  for (const auto& [shown, below] : by_scenes(asset, roots)) {
    asset::Node node;
    node.name = "stand up", node.children = below, node.local.rotation = to_quat(turn);
    for (std::size_t s = 0; s < shown.size(); ++s) {
      if (!shown[s]) continue;
      std::vector<int>& tops = asset.scenes[s].roots;
      std::erase_if(tops,
                    [&below = below](int top) { return std::find(below.begin(), below.end(), top) != below.end(); });
      tops.push_back(static_cast<int>(asset.nodes.size()));
    }
    asset.nodes.push_back(std::move(node));
  }
  for (asset::Skin& skin : asset.skins) turn_extras(skin, turn);
  return true;
}

}  // namespace limber::exporter
