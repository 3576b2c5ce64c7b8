// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "skeleton.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "builtin_models.h"
#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/autorig/auto_rig.h"
#include "limber/exporter/exporter.h"
#include "limber/metrics/rigged_surface.h"

namespace limber::cli {
namespace {

namespace fs = std::filesystem;

/// One model, rigged anew.
struct SkeletonCase {
  bool trained = false;  ///< the reader has seen it
  std::string name, kind, error;
  bool rigged = false;                                ///< it had a skeleton to compare with
  bool valid = false;                                 ///< it has one now, with weights, and the asset takes it
  std::optional<metrics::SkeletonDistance> distance;  ///< of the unit cube
  metrics::FacingCheck facing;
  std::optional<double> turned;  ///< degrees between the front found and the true one
  double diagonal = 0, seconds = 0, confidence = 0;
  Vec3d forward;
  std::size_t triangles = 0, joints = 0, true_joints = 0;
};

/// Files below a folder that may hold meshes, sorted; motion capture, bare skeletons and format tests left out.
std::vector<fs::path> mesh_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    const std::string extension = it->path().extension().string();
    if (it->is_directory() && it->path().filename() == "conformance") it.disable_recursion_pending();
    if (it->is_regular_file() && (extension == ".glb" || extension == ".gltf" || extension == ".fbx" ||
                                  extension == ".obj" || extension == ".ply" || extension == ".stl")) {
      files.push_back(it->path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

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

/// None where the file shows no mesh.
std::optional<SkeletonCase> skeleton_case(const fs::path& file, const fs::path& folder,
                                          const anatomy::ReadBody& reader) {
  const Result<asset::Asset> asset = asset::read_asset(file);
  SkeletonCase result;
  result.name = fs::relative(file, folder).replace_extension().string();
  if (!asset.ok()) {
    result.error = asset.error().message();
    return result;
  }
  asset::Asset fixed = asset::bake(*asset, asset::rest_state(*asset));
  if (fixed.meshes.empty()) return std::nullopt;
  const Result<rig::Subject> truth = rig::subject_from_asset(*asset);
  result.rigged = truth.ok() && !truth->points.empty();
  autorig::AutoRigSettings settings;
  settings.reader = reader;
  const auto start = std::chrono::steady_clock::now();
  Result<autorig::AutoRig> rigged = autorig::auto_rig(fixed, settings);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!rigged.ok()) {
    result.error = rigged.error().message();
    return result;
  }
  result.kind = rigged->report.kind, result.confidence = rigged->report.confidence;
  result.forward = rigged->subject.facing.forward.cast<double>(), result.triangles = rigged->report.triangles;
  result.joints = rigged->plan.joints.size();
  if (result.rigged) compare(*asset, *truth, *rigged, result);
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

/// What the list `train` of split.json names: the reader that ships has seen these. Empty where there is no such file.
std::vector<std::string> training_files(const BenchSettings& settings) {
  std::vector<std::string> files;
  std::ifstream file(settings.animate.split);
  const auto json = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("train")) return files;
  for (const auto& entry : json["train"]) {
    if (entry.is_string()) files.push_back(entry.get<std::string>());
  }
  return files;
}

std::string verdict(const std::optional<bool>& right) { return !right ? "-" : (*right ? "right" : "WRONG"); }

/// Within 45 degrees of the front counts as right: rest poses are often turned a little.
bool is_right(double turned) { return turned < 45; }

std::string front(const SkeletonCase& c) {
  return c.turned ? fmt::format(" ({:.0f} degrees off{})", *c.turned, is_right(*c.turned) ? "" : ": WRONG") : "";
}

BenchRow row_of(const SkeletonCase& c) {
  BenchRow row{"skeleton J2J/" + c.name, c.distance ? 100 * c.distance->joint_to_joint : 0, "x1e-2", "", ""};
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

}  // namespace

bool is_chosen(const BenchSettings& settings, const fs::path& file) {
  return settings.only.empty() || file.generic_string().find(settings.only) != std::string::npos;
}

bool measures(const BenchSettings& settings, std::string_view stage) {
  return settings.stages.find(stage) != std::string::npos;
}

anatomy::ReadBody bench_reader(const BenchSettings& settings) {
  Result<anatomy::ReadBody> opened = open_body_reader(settings.reader);
  if (opened.ok()) return *std::move(opened);
  spdlog::error("{}", opened.error().message());
  return {};
}

void add_skeleton_rows(const BenchSettings& settings, BenchReport& report) {
  const anatomy::ReadBody reader = bench_reader(settings);
  const std::vector<std::string> trained = training_files(settings);
  std::vector<SkeletonCase> cases;
  for (const fs::path& file : mesh_files(settings.assets)) {
    if (!is_chosen(settings, file)) continue;
    std::optional<SkeletonCase> result;
    try {
      result = skeleton_case(file, settings.assets, reader);
    } catch (const std::exception& error) {
      result = SkeletonCase{};
      result->name = fs::relative(file, settings.assets).replace_extension().string(), result->error = error.what();
    }
    if (!result) continue;
    result->trained = std::any_of(trained.begin(), trained.end(), [&](const std::string& entry) {
      return entry.find("/" + result->name + ".") != std::string::npos;
    });
    // Told at once: a run that is cut short leaves what it has found.
    const BenchRow row = row_of(*result);
    spdlog::info("{}: {:.3f} {}", row.name, row.value, row.note);
    cases.push_back(std::move(*result));
  }
  if (cases.empty()) return;
  // Static ones first, then the worst last, where they are seen.
  std::stable_sort(cases.begin(), cases.end(), [](const SkeletonCase& a, const SkeletonCase& b) {
    const double x = a.distance ? a.distance->joint_to_joint : -1, y = b.distance ? b.distance->joint_to_joint : -1;
    return x < y;
  });
  metrics::DistanceSummary summary, unseen;
  int valid = 0, told = 0, right = 0, fronts = 0, fronts_right = 0;
  double slowest = 0;
  for (const SkeletonCase& c : cases) {
    report.rows.push_back(row_of(c));
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
  if (!trained.empty()) {
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

}  // namespace limber::cli
