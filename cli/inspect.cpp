// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "command.h"
#include "inspect_contacts.h"
#include "limber/report/reports.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InspectOptions {
  std::string input;
  bool hierarchy = false, contacts = false;
  std::string clip;
};

std::set<int> joint_nodes(const asset::Asset& asset) {
  std::set<int> joints;
  for (const asset::Skin& skin : asset.skins) joints.insert(skin.joints.begin(), skin.joints.end());
  return joints;
}

std::string clip_name(const asset::Asset& asset, std::size_t i) {
  return asset.clips[i].name.empty() ? "#" + std::to_string(i) : printable(asset.clips[i].name);
}

std::string axis_name(const anatomy::Direction& guess) {
  const Vec3d a = guess.axis;
  for (int k = 0; k < 3; ++k) {
    if (std::abs(a[k]) > 0.999) return std::string(a[k] > 0 ? "+" : "-") + "XYZ"[k];
  }
  return fmt::format("({:.2f}, {:.2f}, {:.2f})", a.x, a.y, a.z);
}

// --- for a person ----------------------------------------------------------------------------------------------------

void print_size(const asset::Asset& asset, const report::Inspection& inspection) {
  const auto& [mesh, rig, axes] = inspection;
  const Vec3d size = mesh.bounds_max - mesh.bounds_min;
  fmt::print("{}\n", printable(asset.name));
  fmt::print("  size       {:.4g} x {:.4g} x {:.4g} (x, y, z, file units)\n", size.x, size.y, size.z);
  fmt::print("  contents   {} vertices, {} triangles, {} meshes, {} nodes, {} materials, {} images", mesh.vertices,
             mesh.triangles, asset.meshes.size(), asset.nodes.size(), asset.materials.size(), asset.images.size());
  if (asset.scenes.size() > 1) fmt::print(", {} scenes", asset.scenes.size());
  if (!asset.cameras.empty()) fmt::print(", {} cameras", asset.cameras.size());
  if (!asset.lights.empty()) fmt::print(", {} lights", asset.lights.size());
  fmt::print("\n");
  fmt::print("  up         {} ({})\n", axis_name(axes.up), axes.up.reason);
  fmt::print("  forward    {} ({})\n", axis_name(axes.forward), axes.forward.reason);
}

void print_topology(const metrics::MeshHealth& mesh) {
  if (mesh.triangles == 0) {
    fmt::print("  topology   no triangles\n");
    return;
  }
  std::string defects;
  const auto add = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) defects += fmt::format("{}{} {}", defects.empty() ? "" : ", ", count, count == 1 ? one : many);
  };
  add(mesh.boundary_edges, "edge on a hole", "edges on holes");
  add(mesh.nonmanifold_edges, "non-manifold edge", "non-manifold edges");
  add(mesh.flipped_edges, "edge between flipped faces", "edges between flipped faces");
  add(mesh.degenerate_triangles, "degenerate triangle", "degenerate triangles");
  add(mesh.duplicate_triangles, "duplicate triangle", "duplicate triangles");
  add(mesh.unreferenced_vertices, "unused vertex", "unused vertices");
  if (mesh.inside_out && mesh.closed_manifold()) defects += defects.empty() ? "inside out" : ", inside out";
  fmt::print("  topology   {} component{}, {}\n", mesh.components, mesh.components == 1 ? "" : "s",
             defects.empty() ? "closed manifold" : defects);
}

void print_rig(const metrics::RigHealth& rig) {
  if (rig.skins == 0) {
    fmt::print("  rig        none\n");
    return;
  }
  fmt::print("  rig        {} joint{} in {} skin{}, {} root{}, at most {} influences\n", rig.joints,
             rig.joints == 1 ? "" : "s", rig.skins, rig.skins == 1 ? "" : "s", rig.roots, rig.roots == 1 ? "" : "s",
             rig.max_influences);
  if (rig.loose_siblings > 1) fmt::print("             {} joints are siblings without hierarchy\n", rig.loose_siblings);
  if (rig.joints_without_weight > 0) fmt::print("             {} joints move no vertex\n", rig.joints_without_weight);
  if (rig.unweighted_vertices > 0) fmt::print("             {} vertices have no weight\n", rig.unweighted_vertices);
  if (rig.bad_weight_sums > 0) {
    fmt::print("             {} vertices have weights that do not sum to one (worst error {:.3g})\n",
               rig.bad_weight_sums, rig.worst_weight_sum_error);
  }
}

void print_clips(const asset::Asset& asset) {
  if (asset.clips.empty()) fmt::print("  clips      none\n");
  for (std::size_t i = 0; i < asset.clips.size(); ++i) {
    const asset::Clip& clip = asset.clips[i];
    fmt::print("  {:<10} {} {:.2f} s, {} channels\n", i == 0 ? "clips" : "", clip_name(asset, i), clip.duration(),
               clip.channels.size());
  }
}

/// The node tree, depth first, without recursion: files may be thousands deep. Deep levels are not indented further.
void print_hierarchy(const asset::Asset& asset) {
  const std::set<int> joints = joint_nodes(asset);
  const std::vector<int> parent = asset::parents(asset);
  std::vector<std::pair<int, int>> open;
  for (int i = static_cast<int>(asset.nodes.size()) - 1; i >= 0; --i) {
    if (parent[static_cast<std::size_t>(i)] < 0) open.emplace_back(i, 0);
  }
  fmt::print("  hierarchy\n");
  while (!open.empty()) {
    const auto [index, depth] = open.back();
    open.pop_back();
    const asset::Node& node = asset.nodes[static_cast<std::size_t>(index)];
    fmt::print("    {:{}}{}{}{}{}\n", "", 2 * std::min(depth, 40),
               node.name.empty() ? "#" + std::to_string(index) : printable(node.name),
               joints.count(index) > 0 ? "  joint" : "", node.mesh >= 0 ? "  mesh" : "",
               node.skin >= 0 ? " skinned" : "");
    for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
      open.emplace_back(*child, depth + 1);
  }
}

Status inspect(const Terminal& terminal, const InspectOptions& options) {
  LIMBER_TRY(const asset::Asset asset, read_asset_file(terminal, options.input));
  report::Inspection inspection;
  {
    const Activity activity(terminal, "measuring " + options.input);
    inspection = report::inspect(asset);
  }
  Json contacts;
  if (options.contacts) {
    const Activity activity(terminal, "looking for contacts");
    LIMBER_TRY(contacts, find_contacts(asset, options.clip));
  }
  if (terminal.json) {
    Json document = report::to_json(asset, inspection);
    if (options.contacts) document["contacts"] = contacts;
    print_json(document);
    return Done{};
  }
  print_size(asset, inspection);
  print_topology(inspection.mesh);
  print_rig(inspection.rig);
  print_clips(asset);
  if (options.hierarchy) print_hierarchy(asset);
  if (options.contacts) print_contacts(contacts);
  return Done{};
}

}  // namespace

void add_inspect(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = add_command(app, terminal, "inspect", "Tell what is in an asset and how healthy it is",
                                  "  limber inspect fox.glb\n"
                                  "  limber inspect fox.glb --hierarchy\n"
                                  "  limber inspect robot.fbx --json",
                                  [&terminal, options] { return inspect(terminal, *options); });
  command->add_option("input", options->input, "The asset to read")->required()->type_name("FILE");
  command->add_flag("--contacts", options->contacts, "Tell when which joints of a clip stand on the ground");
  command->add_option("--clip", options->clip, "Which clip for --contacts: its name or #N; the first by default")
      ->needs("--contacts")
      ->type_name("CLIP");
  command->add_flag("--hierarchy", options->hierarchy, "Print the tree of nodes too (always in --json)");
}

}  // namespace limber::cli
