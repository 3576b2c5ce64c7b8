// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <filesystem>

#include "bench/rig.h"
#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/autorig/auto_rig.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

/// How many of some bodies were recognised.
struct Tally {
  int bodies = 0, kinds = 0, kinds_right = 0, fronts_right = 0;
};

void count(const KnownBody& body, const Recognition& found, Tally& tally, Report& report) {
  ++tally.bodies;
  if (!body.kind.empty()) ++tally.kinds, tally.kinds_right += found.kind_right ? 1 : 0;
  tally.fronts_right += found.front_right ? 1 : 0;
  const char* front = found.front_right ? "right" : "WRONG";
  spdlog::info("{}: {}, front {}", body.name, found.kind, front);
  if (found.kind_right && found.front_right) return;
  report.rows.push_back(
      {"bodies/" + body.name, 0, "right", "",
       found.error.empty() ? fmt::format("taken for {}, front {}", found.kind, front) : "FAILED: " + found.error});
}

void add_tally(const std::string& name, const Tally& tally, Report& report) {
  auto share = [](int part, int whole) { return whole > 0 ? 100.0 * part / whole : 100.0; };
  report.rows.push_back({name + "/kind of body right", share(tally.kinds_right, tally.kinds), "%", "100",
                         fmt::format("{} of {}", tally.kinds_right, tally.kinds)});
  report.rows.push_back({name + "/front within 45 degrees", share(tally.fronts_right, tally.bodies), "%", "100",
                         fmt::format("{} of {}", tally.fronts_right, tally.bodies)});
}

void add_creatures(const RigSettings& settings, const anatomy::ReadBody& reader, Report& report) {
  Tally tally;
  Rng rng(settings.seed);
  for (int k = 0; k < settings.creatures; ++k) {
    zoo::CreatureSettings creature;
    creature.plan = static_cast<zoo::Plan>(k % zoo::kPlanCount);
    creature.seed = 1000 * settings.seed + static_cast<std::uint64_t>(k);
    const Result<zoo::Creature> made = zoo::make_creature(creature);
    if (!made.ok()) continue;
    KnownBody body = known_body(*made);
    turn_at_random(body, rng);
    count(body, recognise(body, reader), tally, report);
  }
  if (tally.bodies > 0) add_tally("creatures, turned", tally, report);
}

/// The joints of an asset's skins where a clip has them.
metrics::SkeletonGraph posed_skeleton(const asset::Asset& asset, const asset::NodeState& state) {
  std::vector<int> place(asset.nodes.size(), -1);
  metrics::SkeletonGraph graph;
  for (const asset::Skin& skin : asset.skins) {
    for (const int node : skin.joints) {
      int& index = place[static_cast<std::size_t>(node)];
      if (index >= 0) continue;
      index = static_cast<int>(graph.joints.size());
      graph.names.push_back(asset.nodes[static_cast<std::size_t>(node)].name);
      graph.joints.push_back(state.world_from_node[static_cast<std::size_t>(node)].translation);
    }
  }
  graph.parents.assign(graph.joints.size(), -1);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    for (const int child : asset.nodes[n].children) {
      if (place[static_cast<std::size_t>(child)] >= 0 && place[n] >= 0)
        graph.parents[static_cast<std::size_t>(place[static_cast<std::size_t>(child)])] = place[n];
    }
  }
  return graph;
}

double length_of(const asset::Clip& clip) {
  double length = 0;
  for (const asset::Channel& channel : clip.channels) {
    if (!channel.times.empty()) length = std::max(length, static_cast<double>(channel.times.back()));
  }
  return length;
}

void add_poses(const RigSettings& settings, const anatomy::ReadBody& reader, Report& report) {
  const std::vector<fs::path> files = chosen_files(settings, {".glb"});
  Tally tally;
  Rng rng(settings.seed);
  for (int tries = 0; !files.empty() && tally.bodies < settings.poses && tries < 8 * settings.poses; ++tries) {
    const fs::path& file = files[rng.below(static_cast<std::uint32_t>(files.size()))];
    const Result<asset::Asset> asset = asset::read_asset(file);
    if (!asset.ok() || asset->clips.empty() || asset->skins.empty()) continue;
    const asset::Clip& clip = asset->clips[rng.below(static_cast<std::uint32_t>(asset->clips.size()))];
    const double time = rng.uniform(0, 1) * length_of(clip);
    const asset::NodeState state = asset::clip_state(*asset, clip, time);
    // The front is told as if the body stood: who lies or leans far over has none, and is left out.
    const auto forward = metrics::named_forward(posed_skeleton(*asset, state), {0, 1, 0});
    KnownBody body{fmt::format("{} '{}' {:.2f} s", file.stem().string(), clip.name, time),
                   "",
                   asset::bake(*asset, state),
                   forward.value_or(Vec3d{}),
                   {0, 1, 0},
                   true};
    if (!forward || body.asset.meshes.empty()) continue;
    const std::string folder = file.parent_path().filename().string();
    if (folder == "humanoid" || folder == "quadruped") body.kind = folder;
    count(body, recognise(body, reader), tally, report);
  }
  if (tally.bodies > 0) add_tally("instants of clips", tally, report);
}

}  // namespace

KnownBody known_body(const zoo::Creature& creature) {
  KnownBody body;
  body.name = creature.name, body.kind = creature.plan ? std::string(zoo::name(*creature.plan)) : "";
  if (body.kind == "biped") body.kind = "humanoid";
  body.asset = zoo::static_asset(creature);
  body.forward = creature.forward.cast<double>();
  body.has_up = creature.plan != zoo::Plan::kSnake;
  return body;
}

void turn_body(KnownBody& body, const Mat3d& turn) {
  for (asset::Mesh& mesh : body.asset.meshes) {
    for (asset::Primitive& primitive : mesh.primitives) {
      for (auto* list : {&primitive.positions, &primitive.normals}) {
        for (Vec3& v : *list) v = (turn * v.cast<double>()).cast<float>();
      }
      if (determinant(turn) > 0) continue;
      // In a mirror, triangles turn their backs.
      std::vector<std::uint32_t> corners;
      for (const auto& [a, b, c] : asset::triangles(primitive)) corners.insert(corners.end(), {a, c, b});
      primitive.indices = std::move(corners), primitive.mode = asset::PrimitiveMode::kTriangles;
    }
  }
  body.forward = turn * body.forward, body.up = turn * body.up;
}

void turn_at_random(KnownBody& body, Rng& rng) {
  Mat3d turn = to_matrix(axis_angle(Vec3d{0, 1, 0}, rng.uniform(0, 2 * kPi)));
  const std::uint32_t up = rng.below(3);
  if (up > 0) {
    const Vec3d axis = up == 1 ? Vec3d{1, 0, 0} : Vec3d{0, 0, -1};
    turn = to_matrix(axis_angle(axis, 0.5 * kPi)) * turn;
  }
  turn_body(body, turn);
}

Recognition recognise(const KnownBody& body, const anatomy::ReadBody& reader) {
  autorig::AutoRigSettings settings;
  settings.reader = reader;
  settings.skeleton_only = true;
  Recognition result;
  Vec3d forward, up;
  // One bad body must not take the others' figures with it.
  try {
    const Result<autorig::AutoRig> found = autorig::auto_rig(body.asset, settings);
    if (found.ok()) {
      result.kind = found->report.kind;
      forward = found->subject.facing.forward.cast<double>(), up = found->subject.facing.up.cast<double>();
    } else {
      result.error = found.error().message();
    }
  } catch (const std::exception& failure) {
    result.error = failure.what();
  }
  const double limit = 0.7;  // cosine of 45 degrees
  result.front_right = dot(forward, body.forward) > limit && (!body.has_up || dot(up, body.up) > limit);
  result.kind_right = body.kind.empty() || result.kind == body.kind;
  return result;
}

void add_body_rows(const RigSettings& settings, const anatomy::ReadBody& reader, Report& report) {
  add_creatures(settings, reader, report);
  add_poses(settings, reader, report);
}

}  // namespace limber::bench
