// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/anatomy/shipped_reader.h"
#include "limber/autorig/wishes.h"
#include "limber/parts/asset_parts.h"
#include "limber/parts/parts_denoiser.h"
#include "limber/parts/parts_model.h"

namespace limber::autorig {
namespace {

constexpr std::size_t kFewestParts = 3;  // to believe in
constexpr double kFindingShare = 0.5;    // of the progress, where parts are looked for

/// What the network of parts finds.
Result<parts::MeshParts> find_parts(const asset::Asset& asset, const Wishes& wishes, const Progress& progress) {
  LIMBER_TRY(const std::filesystem::path folder, parts::find_parts_model());
  LIMBER_TRY(const parts::PartsDenoiser denoiser, parts::PartsDenoiser::open(folder));
  LIMBER_TRY(const std::optional<rig::Facing> facing, asked_facing(wishes.up, wishes.forward));
  LIMBER_TRY(const parts::UprightMesh mesh, parts::upright_mesh(asset, facing));
  parts::MeshPartsSettings settings;
  settings.progress = [&](std::string_view, double fraction) {
    return !progress || progress("finding parts", kFindingShare * fraction);
  };
  return parts::find_mesh_parts(denoiser, mesh.view(), settings);
}

Result<RiggedAsset> rig_from_parts(asset::Asset asset, RigRequest request, parts::MeshParts found,
                                   const Progress& progress) {
  request.settings.source = SkeletonSource::kParts, request.settings.reader = {};
  request.settings.parts = skeleton::PartLabels{std::move(found.triangles), {}};
  return rig_asset(std::move(asset), request, progress);
}

/// The template where one is believed, else the parts where they are, else what there is.
Result<RiggedAsset> rig_by_belief(asset::Asset asset, const RigRequest& request, const Wishes& wishes,
                                  const Progress& progress) {
  LIMBER_TRY(RiggedAsset usual, rig_asset(asset, request, progress));
  if (!wants_parts(usual.report)) return usual;
  LIMBER_TRY(parts::MeshParts found, find_parts(asset, wishes, progress));
  const std::size_t count = found.colors.size();
  const double agreement = found.agreement;
  if (agreement < wishes.least_agreement || count < kFewestParts) {
    usual.report.notes.push_back(
        count < kFewestParts
            ? fmt::format("its parts are not believed either: only {} of them", count)
            : fmt::format("its parts are not believed either: views agree about them by {:.2f}, below {:.2f}",
                          agreement, wishes.least_agreement));
    return usual;
  }
  const std::string before = !usual.report.reason.empty() ? usual.report.reason
                                                          : fmt::format("'{}' is not believed, confidence {:.2f}",
                                                                        usual.report.kind, usual.report.confidence);
  LIMBER_TRY(RiggedAsset rigged, rig_from_parts(std::move(asset), request, std::move(found), progress));
  rigged.report.reason = fmt::format("{}; of its {} parts views agree by {:.2f}", before, count, agreement);
  rigged.report.warnings.push_back({"rigged_from_parts", {}, {}, {{"template", "curve", "rig"}}});
  return rigged;
}

/// The reader that is asked for; where the one that ships is not there, none, and why.
Result<anatomy::ReadBody> open_reader(const std::string& asked, std::string& missing) {
  if (asked == "none") return anatomy::ReadBody();
  if (asked != "auto") return anatomy::open_body_reader(asked);
  const Result<std::filesystem::path> folder = anatomy::find_body_reader();
  if (folder.ok()) return anatomy::open_body_reader(*folder);
  missing = folder.error().message();
  return anatomy::ReadBody();
}

}  // namespace

Result<std::optional<rig::Facing>> asked_facing(const std::optional<Vec3>& up, const std::optional<Vec3>& forward) {
  if (!up && !forward) return std::optional<rig::Facing>();
  const Vec3 stands = up.value_or(Vec3{0, 1, 0});
  const Vec3 ahead = std::abs(stands.z) > 0.7f * norm(stands) ? Vec3{0, -1, 0} : Vec3{0, 0, 1};
  LIMBER_TRY(const rig::Facing facing, rig::make_facing(stands, forward.value_or(ahead)));
  return std::optional(facing);
}

bool wants_parts(const AutoRigReport& report) {
  return std::any_of(report.doubts.begin(), report.doubts.end(),
                     [](Doubt doubt) { return doubt == Doubt::kKind || doubt == Doubt::kUnknownKind; });
}

Result<RiggedAsset> rig_as_asked(asset::Asset asset, const Wishes& wishes, const Progress& progress) {
  LIMBER_TRY(RigRequest request, request_of(wishes));
  if (wishes.from == "parts") {
    LIMBER_TRY(parts::MeshParts found, find_parts(asset, wishes, progress));
    return rig_from_parts(std::move(asset), std::move(request), std::move(found), progress);
  }
  std::string missing;
  if (request.existing != ExistingSkeleton::kKeep && request.settings.source == SkeletonSource::kTemplates) {
    LIMBER_TRY(request.settings.reader, open_reader(wishes.reader, missing));
  }
  Result<RiggedAsset> rigged = wishes.from == "auto" ? rig_by_belief(std::move(asset), request, wishes, progress)
                                                     : rig_asset(std::move(asset), request, progress);
  if (rigged.ok() && !missing.empty()) {
    rigged->report.warnings.insert(rigged->report.warnings.begin(), {"reader_missing", {}, {{"why", missing}}});
  }
  return rigged;
}

}  // namespace limber::autorig
