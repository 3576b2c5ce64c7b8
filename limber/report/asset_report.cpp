// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "limber/animate/warning_json.h"
#include "limber/report/reports.h"

namespace limber::report {
namespace {

Json to_json(Vec3d v) { return Json::array({v.x, v.y, v.z}); }

Json to_json(const anatomy::Direction& guess) {
  return {{"axis", to_json(guess.axis)}, {"confidence", guess.confidence}, {"reason", guess.reason}};
}

Json clips_json(const asset::Asset& asset) {
  Json clips = Json::array();
  for (std::size_t i = 0; i < asset.clips.size(); ++i) {
    const asset::Clip& clip = asset.clips[i];
    clips.push_back({{"name", clip.name.empty() ? "#" + std::to_string(i) : clip.name},
                     {"seconds", clip.duration()},
                     {"channels", clip.channels.size()}});
  }
  return clips;
}

Json nodes_json(const asset::Asset& asset) {
  std::set<int> joints;
  for (const asset::Skin& skin : asset.skins) joints.insert(skin.joints.begin(), skin.joints.end());
  Json nodes = Json::array();
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    const asset::Node& node = asset.nodes[i];
    Json entry{{"name", node.name}, {"children", node.children}};
    if (node.mesh >= 0) entry["mesh"] = node.mesh;
    if (node.skin >= 0) entry["skin"] = node.skin;
    if (joints.count(static_cast<int>(i)) > 0) entry["joint"] = true;
    nodes.push_back(entry);
  }
  return nodes;
}

}  // namespace

std::string text(const Json& document) { return document.dump(-1, ' ', false, Json::error_handler_t::replace); }

Inspection inspect(const asset::Asset& asset) {
  return {metrics::mesh_health(asset), metrics::rig_health(asset), anatomy::find_directions(asset)};
}

Json to_json(const asset::Asset& asset, const Inspection& inspection) {
  const auto& [mesh, rig, axes] = inspection;
  return {{"name", asset.name},
          {"scenes", asset.scenes.size()},
          {"nodes", asset.nodes.size()},
          {"meshes", asset.meshes.size()},
          {"materials", asset.materials.size()},
          {"textures", asset.textures.size()},
          {"images", asset.images.size()},
          {"cameras", asset.cameras.size()},
          {"lights", asset.lights.size()},
          {"clips", clips_json(asset)},
          {"mesh",
           {{"vertices", mesh.vertices},
            {"triangles", mesh.triangles},
            {"welded_vertices", mesh.welded_vertices},
            {"unreferenced_vertices", mesh.unreferenced_vertices},
            {"components", mesh.components},
            {"boundary_edges", mesh.boundary_edges},
            {"nonmanifold_edges", mesh.nonmanifold_edges},
            {"flipped_edges", mesh.flipped_edges},
            {"degenerate_triangles", mesh.degenerate_triangles},
            {"duplicate_triangles", mesh.duplicate_triangles},
            {"inside_out", mesh.inside_out},
            {"closed_manifold", mesh.closed_manifold()},
            {"bounds_min", to_json(mesh.bounds_min)},
            {"bounds_max", to_json(mesh.bounds_max)}}},
          {"rig",
           {{"skins", rig.skins},
            {"joints", rig.joints},
            {"roots", rig.roots},
            {"loose_siblings", rig.loose_siblings},
            {"joints_without_weight", rig.joints_without_weight},
            {"skinned_vertices", rig.skinned_vertices},
            {"unweighted_vertices", rig.unweighted_vertices},
            {"bad_weight_sums", rig.bad_weight_sums},
            {"worst_weight_sum_error", rig.worst_weight_sum_error},
            {"max_influences", rig.max_influences}}},
          {"up", to_json(axes.up)},
          {"forward", to_json(axes.forward)},
          {"warnings", asset.warnings},
          {"hierarchy", nodes_json(asset)}};
}

Json to_json(const std::vector<doctor::Finding>& findings, const FieldWords& words) {
  Json list = Json::array();
  for (const doctor::Finding& finding : findings) {
    Json entry{{"severity", doctor::name(finding.severity)},
               {"topic", finding.topic},
               {"what", what_of(finding.warning, words)},
               {"where", finding.where},
               {"help", help_of(finding.warning, words)}};
    entry.update(animate::warning_json(finding.warning));
    list.push_back(std::move(entry));
  }
  return list;
}

Json to_json(const std::vector<Warning>& warnings, const FieldWords& words) {
  Json list = Json::array();
  for (const Warning& warning : warnings) {
    Json entry{{"text", in_words(warning, words)}};
    entry.update(animate::warning_json(warning));
    list.push_back(std::move(entry));
  }
  return list;
}

Json to_json(const animate::AnimatedAsset& animated, const FieldWords& words) {
  Json report = Json::parse(animated.report, nullptr, false);
  report["warnings"] = to_json(animated.warnings, words);
  for (std::size_t i = 0; i < animated.pack.size(); ++i) {
    report["clips"][i]["warnings"] = to_json(animated.pack[i].warnings, words);
  }
  return report;
}

}  // namespace limber::report
