// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <filesystem>
#include <optional>

#include "bench/parts.h"
#include "bench/split.h"
#include "cli/builtin_models.h"
#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/autorig/auto_rig.h"
#include "limber/exporter/exporter.h"
#include "limber/metrics/rigged_surface.h"
#include "limber/parts/asset_parts.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

/// Where skeletons come from.
enum Source { kFromTemplates, kFromCurve, kFromParts };
constexpr std::array<const char*, 3> kSources{"templates", "curve", "parts"};

struct RigScores {
  metrics::DistanceSummary distance;
  double precision = 0, recall = 0, joints = 0;
};

Result<autorig::AutoRig> rig_by(Source source, const asset::Asset& still, const anatomy::ReadBody& reader,
                                const std::vector<int>& labels) {
  autorig::AutoRigSettings settings;
  settings.skeleton_only = true;
  if (source == kFromTemplates) settings.reader = reader;
  if (source == kFromCurve) settings.source = autorig::SkeletonSource::kCurve;
  if (source == kFromParts) {
    settings.source = autorig::SkeletonSource::kParts;
    settings.parts = skeleton::PartLabels{labels, {}};
  }
  return autorig::auto_rig(still, settings);
}

metrics::SkeletonGraph graph_of(const autorig::AutoRig& rigged) {
  metrics::SkeletonGraph graph;
  const Affined asset_from_subject = rig::asset_from_subject(rigged.subject);
  for (const skeleton::PlannedJoint& joint : rigged.plan.joints)
    graph.joints.push_back(asset_from_subject * joint.at), graph.parents.push_back(joint.parent);
  return graph;
}

void compare(const metrics::RiggedSurface& truth, const Result<autorig::AutoRig>& rigged, RigScores& scores) {
  const metrics::UnitCube cube = metrics::unit_cube(truth.points);
  if (!rigged.ok()) {
    scores.distance.add(std::nullopt, cube.diagonal);
    return;
  }
  const metrics::SkeletonGraph found = graph_of(*rigged);
  scores.distance.add(
      metrics::skeleton_distance(metrics::in_unit_cube(found, cube), metrics::in_unit_cube(truth.skeleton, cube)),
      cube.diagonal);
  const std::vector<double> tolerances = metrics::joint_tolerances(truth.skeleton, truth.points, truth.triangles);
  const metrics::JointScores joints = metrics::joint_scores(found, truth.skeleton, tolerances);
  scores.precision += joints.precision, scores.recall += joints.recall;
  scores.joints += static_cast<double>(found.joints.size());
}

/// Rigs a rigged asset anew, made static, from all sources.
Status measure_rigs(const asset::Asset& asset, const std::string& name, const parts::PartsDenoiser& denoiser,
                    const anatomy::ReadBody& reader, const PartsSettings& settings, std::array<RigScores, 3>& scores) {
  LIMBER_TRY(const rig::Subject subject, rig::subject_from_asset(asset));
  const metrics::RiggedSurface truth = metrics::without_idle_joints(metrics::rigged_surface(asset, subject));
  const asset::Asset still = asset::bake(asset, asset::rest_state(asset));
  LIMBER_TRY(const parts::UprightMesh mesh, parts::upright_mesh(still));
  LIMBER_TRY(const parts::MeshParts found,
             parts::find_mesh_parts(denoiser, mesh.view(), cli::mesh_settings(settings.network)));
  std::string said;
  for (const Source source : {kFromTemplates, kFromCurve, kFromParts}) {
    compare(truth, rig_by(source, still, reader, found.triangles), scores[static_cast<std::size_t>(source)]);
    said += fmt::format(" {} {:.2f}", kSources[static_cast<std::size_t>(source)],
                        100 * scores[static_cast<std::size_t>(source)].distance.mean.joint_to_joint);
  }
  spdlog::info("{}: mean CD-J2J x 1e-2 so far:{}", name, said);
  return Done{};
}

void add_rows(const std::string& name, const std::array<RigScores, 3>& all, Report& report) {
  for (const Source source : {kFromTemplates, kFromCurve, kFromParts}) {
    const RigScores& scores = all[static_cast<std::size_t>(source)];
    const double bodies = scores.distance.total;
    if (scores.distance.total == 0) return;
    const std::string from = fmt::format("{}, rigs from {}", name, kSources[static_cast<std::size_t>(source)]);
    report.rows.push_back({from + "/CD-J2J", 100 * scores.distance.mean_with_failures.joint_to_joint, "x1e-2", "",
                           fmt::format("{} of {} valid, {:.1f} joints each", scores.distance.valid,
                                       scores.distance.total, scores.joints / bodies)});
    report.rows.push_back({from + "/joint precision", scores.precision / bodies, "", "", ""});
    report.rows.push_back({from + "/joint recall", scores.recall / bodies, "", "", ""});
  }
}

}  // namespace

Status add_part_rig_rows(const parts::PartsDenoiser& denoiser, const PartsSettings& settings, Report& report) {
  LIMBER_TRY(const anatomy::ReadBody reader, cli::open_body_reader());
  std::array<RigScores, 3> zoo, artists;
  for (int i = 0; i < settings.creatures; ++i) {
    auto creature = training::creature_to_measure(1000 * settings.seed + static_cast<std::uint64_t>(i));
    if (!creature.ok()) continue;
    asset::Asset asset = zoo::static_asset(*creature);
    LIMBER_CHECK_OK(exporter::add_rig(asset, creature->subject));
    LIMBER_CHECK_OK(measure_rigs(asset, creature->name, denoiser, reader, settings, zoo));
  }
  add_rows("zoo", zoo, report);
  const fs::path root = fs::path(settings.split).parent_path();
  for (const std::string& name : split_list(settings.split, "test")) {
    if (name.find(settings.only) == std::string::npos) continue;
    const Result<asset::Asset> asset = asset::read_asset(root / name);
    if (asset.ok()) LIMBER_CHECK_OK(measure_rigs(*asset, name, denoiser, reader, settings, artists));
  }
  add_rows("artists' test rigs", artists, report);
  return Done{};
}

}  // namespace limber::bench
