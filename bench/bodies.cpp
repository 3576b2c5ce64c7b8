// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>

#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/autorig/auto_rig.h"
#include "limber/base/rng.h"
#include "limber/metrics/rig_metrics.h"
#include "limber/zoo/creature.h"
#include "skeleton.h"

namespace limber::cli {
namespace {

namespace fs = std::filesystem;

/// How many of some bodies were recognised.
struct Tally {
  int bodies = 0, kinds = 0, kinds_right = 0, fronts_right = 0;
};

struct Body {
  std::string name, kind;  ///< kind: empty where it is not known
  asset::Asset asset;
  Vec3d forward, up{0, 1, 0};
  bool has_up = true;  ///< snakes are round
};

void recognise(const Body& body, const anatomy::ReadBody& reader, Tally& tally, BenchReport& report) {
  autorig::AutoRigSettings settings;
  settings.reader = reader;
  settings.skeleton_only = true;
  std::string kind = "none", error;
  Vec3d forward, up;
  try {
    const Result<autorig::AutoRig> found = autorig::auto_rig(body.asset, settings);
    if (found.ok()) {
      kind = found->report.kind;
      forward = found->subject.facing.forward.cast<double>(), up = found->subject.facing.up.cast<double>();
    } else {
      error = found.error().message();
    }
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  const double limit = 0.7;  // cosine of 45 degrees
  const bool faces = dot(forward, body.forward) > limit && (!body.has_up || dot(up, body.up) > limit);
  const bool known = body.kind.empty() || kind == body.kind;
  ++tally.bodies;
  tally.kinds += body.kind.empty() ? 0 : 1, tally.kinds_right += !body.kind.empty() && known ? 1 : 0;
  tally.fronts_right += faces ? 1 : 0;
  spdlog::info("{}: {}, front {}", body.name, kind, faces ? "right" : "WRONG");
  if (known && faces) return;
  report.rows.push_back(
      {"bodies/" + body.name, 0, "right", "",
       error.empty() ? fmt::format("taken for {}, front {}", kind, faces ? "right" : "WRONG") : "FAILED: " + error});
}

void add_tally(const std::string& name, const Tally& tally, BenchReport& report) {
  auto share = [](int part, int whole) { return whole > 0 ? 100.0 * part / whole : 100.0; };
  report.rows.push_back({name + "/kind of body right", share(tally.kinds_right, tally.kinds), "%", "100",
                         fmt::format("{} of {}", tally.kinds_right, tally.kinds)});
  report.rows.push_back({name + "/front within 45 degrees", share(tally.fronts_right, tally.bodies), "%", "100",
                         fmt::format("{} of {}", tally.fronts_right, tally.bodies)});
}

/// Any way round and up along any axis.
Mat3d random_turn(Rng& rng) {
  const Mat3d round = to_matrix(axis_angle(Vec3d{0, 1, 0}, rng.uniform(0, 2 * kPi)));
  const std::uint32_t up = rng.below(3);
  if (up == 0) return round;
  const Vec3d axis = up == 1 ? Vec3d{1, 0, 0} : Vec3d{0, 0, -1};
  return to_matrix(axis_angle(axis, 0.5 * kPi)) * round;
}

void turn(Body& body, const Mat3d& turn) {
  for (asset::Mesh& mesh : body.asset.meshes) {
    for (asset::Primitive& primitive : mesh.primitives) {
      for (auto* list : {&primitive.positions, &primitive.normals}) {
        for (Vec3& v : *list) v = (turn * v.cast<double>()).cast<float>();
      }
    }
  }
  body.forward = turn * body.forward, body.up = turn * body.up;
}

void add_creatures(const BenchSettings& settings, BenchReport& report) {
  const anatomy::ReadBody reader = bench_reader(settings);
  Tally tally;
  Rng rng(settings.seed);
  for (int k = 0; k < settings.creatures; ++k) {
    zoo::CreatureSettings creature;
    creature.plan = static_cast<zoo::Plan>(k % zoo::kPlanCount);
    creature.seed = 1000 * settings.seed + static_cast<std::uint64_t>(k);
    const Result<zoo::Creature> made = zoo::make_creature(creature);
    if (!made.ok()) continue;
    Body body{made->name, std::string(zoo::name(creature.plan)), zoo::static_asset(*made), made->forward.cast<double>(),
              {0, 1, 0},  creature.plan != zoo::Plan::kSnake};
    if (body.kind == "biped") body.kind = "humanoid";
    turn(body, random_turn(rng));
    recognise(body, reader, tally, report);
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

void add_poses(const BenchSettings& settings, BenchReport& report) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::recursive_directory_iterator it(settings.assets, code), end; !code && it != end; it.increment(code)) {
    if (it->path().extension() == ".glb" && is_chosen(settings, it->path())) files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  const anatomy::ReadBody reader = bench_reader(settings);
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
    Body body{fmt::format("{} '{}' {:.2f} s", file.stem().string(), clip.name, time),
              "",
              asset::bake(*asset, state),
              forward.value_or(Vec3d{}),
              {0, 1, 0},
              true};
    if (!forward || body.asset.meshes.empty()) continue;
    const std::string folder = file.parent_path().filename().string();
    if (folder == "humanoid" || folder == "quadruped") body.kind = folder;
    recognise(body, reader, tally, report);
  }
  if (tally.bodies > 0) add_tally("instants of clips", tally, report);
}

}  // namespace

void add_body_rows(const BenchSettings& settings, BenchReport& report) {
  add_creatures(settings, report);
  add_poses(settings, report);
}

}  // namespace limber::cli
