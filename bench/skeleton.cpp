// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>

#include "bench/rig.h"
#include "bench/split.h"
#include "bench/timing.h"
#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/autorig/auto_rig.h"
#include "limber/exporter/exporter.h"
#include "limber/metrics/rigged_surface.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

metrics::SkeletonGraph graph_of(const autorig::AutoRig& rigged) {
  metrics::SkeletonGraph graph;
  const Affined asset_from_subject = rig::asset_from_subject(rigged.subject);
  for (const skeleton::PlannedJoint& joint : rigged.plan.joints) {
    graph.names.push_back(joint.name);
    graph.joints.push_back(asset_from_subject * joint.at);
    graph.parents.push_back(joint.parent);
  }
  return graph;
}

void compare(const asset::Asset& asset, const rig::Subject& truth_of, const autorig::AutoRig& rigged,
             SkeletonCase& result) {
  const metrics::RiggedSurface truth = metrics::without_idle_joints(metrics::rigged_surface(asset, truth_of));
  const metrics::UnitCube cube = metrics::unit_cube(truth.points);
  const metrics::SkeletonGraph predicted = graph_of(rigged);
  result.distance =
      metrics::skeleton_distance(metrics::in_unit_cube(predicted, cube), metrics::in_unit_cube(truth.skeleton, cube));
  result.facing = metrics::check_facing(predicted, truth.skeleton);
  // The files stand upright; that an animal lies on its side is as wrong as that it looks aside.
  const Vec3d up{0, 1, 0};
  if (const auto forward = metrics::named_forward(truth.skeleton, up)) {
    const rig::Facing& facing = rigged.subject.facing;
    const double worst = std::min(dot(*forward, facing.forward.cast<double>()), dot(up, facing.up.cast<double>()));
    result.turned = std::acos(std::clamp(worst, -1.0, 1.0)) * 180 / kPi;
  }
  result.diagonal = cube.diagonal, result.true_joints = truth.skeleton.joints.size();
}

/// None where the file shows no mesh. One bad file must not take the others' figures with it.
std::optional<SkeletonCase> skeleton_case(const fs::path& file, const anatomy::ReadBody& reader) {
  SkeletonCase failed;
  try {
    const Result<asset::Asset> asset = asset::read_asset(file);
    if (asset.ok()) return rig_anew(*asset, reader);
    failed.error = asset.error().message();
  } catch (const std::exception& error) {
    failed.error = error.what();
  }
  return failed;
}

std::string verdict(const std::optional<bool>& right) { return !right ? "-" : (*right ? "right" : "WRONG"); }

/// Within 45 degrees of the front counts as right: rest poses are often turned a little.
bool is_right(double turned) { return turned < 45; }

std::string front(const SkeletonCase& c) {
  return c.turned ? fmt::format(" ({:.0f} degrees off{})", *c.turned, is_right(*c.turned) ? "" : ": WRONG") : "";
}

Row row_of(const SkeletonCase& c) {
  Row row{"skeleton J2J/" + c.name, c.distance ? 100 * c.distance->joint_to_joint : 0, "x1e-2", "", ""};
  if (!c.rigged) row.name = "skeleton/" + c.name, row.value = c.valid ? 1 : 0, row.unit = "valid";
  row.note = !c.valid ? "FAILED: " + c.error
                      : fmt::format(
                            "{}, faces {:+.1f} {:+.1f} {:+.1f}{}, head {}, sides {}, {} joints, {} triangles, {:.2f} s",
                            c.kind, c.forward.x, c.forward.y, c.forward.z, front(c), verdict(c.facing.head),
                            verdict(c.facing.sides), c.joints, c.triangles, c.seconds);
  if (c.valid && c.distance) {
    row.note += fmt::format(", {} true joints, J2B {:.2f} B2B {:.2f}", c.true_joints, 100 * c.distance->joint_to_bone,
                            100 * c.distance->bone_to_bone);
  }
  return row;
}

void add_means(const std::vector<SkeletonCase>& cases, Report& report) {
  metrics::DistanceSummary summary, unseen;
  int valid = 0, told = 0, right = 0, fronts = 0, fronts_right = 0;
  double slowest = 0;
  for (const SkeletonCase& c : cases) {
    valid += c.valid ? 1 : 0;
    slowest = std::max(slowest, c.seconds);
    if (c.rigged) summary.add(c.valid ? c.distance : std::nullopt, c.diagonal);
    if (c.rigged && !c.trained) unseen.add(c.valid ? c.distance : std::nullopt, c.diagonal);
    fronts += c.turned ? 1 : 0, fronts_right += c.turned && is_right(*c.turned) ? 1 : 0;
    for (const auto& check : {c.facing.head, c.facing.sides}) told += check ? 1 : 0, right += check && *check ? 1 : 0;
  }
  report.rows.push_back({"skeleton/valid rigs", 100.0 * valid / static_cast<double>(cases.size()), "%", "100",
                         fmt::format("{} of {} meshes", valid, cases.size())});
  report.rows.push_back({"skeleton mean/CD-J2J, failures counted", 100 * summary.mean_with_failures.joint_to_joint,
                         "x1e-2", "<= 4.0",
                         fmt::format("{} of {} rigged models valid; Pinocchio 5.64", summary.valid, summary.total)});
  if (unseen.total < summary.total) {
    report.rows.push_back({"skeleton mean/CD-J2J of unseen models", 100 * unseen.mean_with_failures.joint_to_joint,
                           "x1e-2", "<= 4.0", fmt::format("{} that the reader was not trained on", unseen.total)});
  }
  report.rows.push_back(
      {"skeleton mean/CD-J2B, failures counted", 100 * summary.mean_with_failures.joint_to_bone, "x1e-2", "", ""});
  report.rows.push_back(
      {"skeleton mean/CD-B2B, failures counted", 100 * summary.mean_with_failures.bone_to_bone, "x1e-2", "", ""});
  report.rows.push_back({"skeleton/front within 45 degrees", fronts > 0 ? 100.0 * fronts_right / fronts : 100, "%",
                         "100", fmt::format("{} of {} models whose joints name their sides", fronts_right, fronts)});
  report.rows.push_back({"skeleton/head and sides right", told > 0 ? 100.0 * right / told : 100, "%", "100",
                         fmt::format("{} of {} checks that the names allow", right, told)});
  report.rows.push_back({"skeleton/slowest model", slowest, "s", "<= 6", ""});
}

}  // namespace

std::vector<fs::path> mesh_files(const RigSettings& settings) {
  std::vector<fs::path> files = chosen_files(settings, {".glb", ".gltf", ".fbx", ".obj", ".ply", ".stl"});
  std::erase_if(files, [&](const fs::path& file) {
    const fs::path below = fs::relative(file, settings.assets);
    return std::find(below.begin(), below.end(), "conformance") != below.end();
  });
  return files;
}

std::optional<SkeletonCase> rig_anew(const asset::Asset& asset, const anatomy::ReadBody& reader) {
  asset::Asset fixed = asset::bake(asset, asset::rest_state(asset));
  if (fixed.meshes.empty()) return std::nullopt;
  SkeletonCase result;
  const Result<rig::Subject> truth = rig::subject_from_asset(asset);
  result.rigged = truth.ok() && !truth->points.empty();
  autorig::AutoRigSettings settings;
  settings.reader = reader;
  const Stopwatch watch;
  Result<autorig::AutoRig> rigged = autorig::auto_rig(fixed, settings);
  result.seconds = watch.seconds();
  if (!rigged.ok()) {
    result.error = rigged.error().message();
    return result;
  }
  result.kind = rigged->report.kind, result.confidence = rigged->report.confidence;
  result.forward = rigged->subject.facing.forward.cast<double>(), result.triangles = rigged->report.triangles;
  result.joints = rigged->plan.joints.size();
  if (result.rigged) compare(asset, *truth, *rigged, result);
  const Status added = exporter::add_rig(fixed, rigged->subject);
  if (added.ok()) {
    const Result<rig::Subject> again = rig::subject_from_asset(fixed);
    result.valid = again.ok() && again->rig.joint_count() >= 1 && again->points.size() == rigged->subject.points.size();
    if (!again.ok()) result.error = again.error().message();
  } else {
    result.error = added.error().message();
  }
  return result;
}

void add_skeleton_rows(const RigSettings& settings, const anatomy::ReadBody& reader, Report& report) {
  const std::vector<std::string> trained = split_list(settings.split, "train");
  std::vector<SkeletonCase> cases;
  for (const fs::path& file : mesh_files(settings)) {
    std::optional<SkeletonCase> result = skeleton_case(file, reader);
    if (!result) continue;
    result->name = fs::relative(file, settings.assets).replace_extension().string();
    result->trained = std::any_of(trained.begin(), trained.end(), [&](const std::string& entry) {
      return entry.find("/" + result->name + ".") != std::string::npos;
    });
    // Told at once: a run that is cut short leaves what it has found.
    const Row row = row_of(*result);
    spdlog::info("{}: {:.3f} {}", row.name, row.value, row.note);
    cases.push_back(std::move(*result));
  }
  if (cases.empty()) return;
  // Static ones first, then the worst last, where they are seen.
  std::stable_sort(cases.begin(), cases.end(), [](const SkeletonCase& a, const SkeletonCase& b) {
    const double x = a.distance ? a.distance->joint_to_joint : -1, y = b.distance ? b.distance->joint_to_joint : -1;
    return x < y;
  });
  for (const SkeletonCase& c : cases) report.rows.push_back(row_of(c));
  add_means(cases, report);
}

}  // namespace limber::bench
