// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "command.h"
#include "limber/autorig/rig_asset.h"
#include "limber/parts/asset_parts.h"
#include "limber/report/reports.h"
#include "limber/rig/static_subject.h"
#include "parts_options.h"
#include "rig_options.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;

// --- what was done, for a person
// ----------------------------------------------------------------------------------------

void log_skeleton(const autorig::AutoRigReport& report, std::size_t joints) {
  if (report.kind == "parts") {
    spdlog::info("{} joints from the part labels{}", joints, report.reason.empty() ? "" : ": " + report.reason);
  } else if (!report.reason.empty()) {
    spdlog::info("{} joints along the shape: {}", joints, report.reason);
  } else {
    spdlog::info("rigged as {} with {} joints, confidence {:.2f}{}", report.kind, joints, report.confidence,
                 report.runner_up.empty() ? "" : fmt::format(" (next: {})", report.runner_up));
  }
  for (const std::string& warning : report.warnings) spdlog::warn("{}", printable(warning));
  for (const std::string& note : report.notes) spdlog::info("{}", printable(note));
}

void log_skin(const rig::Rig& rig, const skin::SkinReport& report) {
  std::size_t loose = 0;
  for (const skin::PieceReport& piece : report.pieces) {
    loose += piece.loose ? 1 : 0;
    if (!piece.loose && piece.method != skin::SkinMethod::kHeat) {
      spdlog::info("a piece of {} points has {} weights: {}", piece.points, skin::name_of(piece.method), piece.reason);
    }
  }
  if (loose > 0)
    spdlog::info("{} of {} pieces have no bone inside and follow what they touch", loose, report.pieces.size());
  for (const int joint : report.starving_joints) {
    spdlog::info("'{}' holds less than 0.1 % of the surface",
                 printable(rig.joints()[static_cast<std::size_t>(joint)].name));
  }
}

// --- the command -----------------------------------------------------------------------------------------------------

constexpr std::size_t kFewestParts = 3;  // to believe in

/// What the network of parts finds.
Result<parts::MeshParts> find_parts(const Terminal& terminal, const asset::Asset& asset, const RigOptions& options) {
  LIMBER_TRY(const parts::PartsDenoiser denoiser, open_parts_network({}));
  LIMBER_TRY(const std::optional<rig::Facing> facing, asked_facing(options.facing));
  LIMBER_TRY(const parts::UprightMesh mesh, parts::upright_mesh(asset, facing));
  Activity activity(terminal, "finding parts");
  parts::MeshPartsSettings settings = mesh_settings({});
  settings.progress = [&](std::string_view, double fraction) {
    activity.update(fraction);
    return true;
  };
  return parts::find_mesh_parts(denoiser, mesh.view(), settings);
}

Result<autorig::RiggedAsset> rig_shown(const Terminal& terminal, asset::Asset asset, const autorig::RigRequest& request,
                                       const RigOptions& options) {
  Activity activity(terminal, options.keep_skeleton ? "weighting" : "rigging");
  return autorig::rig_asset(std::move(asset), request, [&](std::string_view, double fraction) {
    activity.update(fraction);
    return true;
  });
}

Result<autorig::RiggedAsset> rig_from_parts(const Terminal& terminal, asset::Asset asset, autorig::RigRequest request,
                                            parts::MeshParts found, const RigOptions& options) {
  request.settings.source = autorig::SkeletonSource::kParts, request.settings.reader = {};
  request.settings.parts = skeleton::PartLabels{std::move(found.triangles), {}};
  return rig_shown(terminal, std::move(asset), request, options);
}

/// The template where one is believed, else the parts where they are, else what there is.
Result<autorig::RiggedAsset> rig_by_belief(const Terminal& terminal, asset::Asset asset,
                                           const autorig::RigRequest& request, const RigOptions& options) {
  LIMBER_TRY(autorig::RiggedAsset usual, rig_shown(terminal, asset, request, options));
  if (!wants_parts(usual.report)) return usual;
  LIMBER_TRY(parts::MeshParts found, find_parts(terminal, asset, options));
  const std::size_t count = found.colors.size();
  const double agreement = found.agreement;
  if (agreement < options.least_agreement || count < kFewestParts) {
    usual.report.notes.push_back(
        count < kFewestParts
            ? fmt::format("its parts are not believed either: only {} of them", count)
            : fmt::format("its parts are not believed either: views agree about them by {:.2f}, below {:.2f}",
                          agreement, options.least_agreement));
    return usual;
  }
  const std::string before = !usual.report.reason.empty() ? usual.report.reason
                                                          : fmt::format("'{}' is not believed, confidence {:.2f}",
                                                                        usual.report.kind, usual.report.confidence);
  LIMBER_TRY(autorig::RiggedAsset rigged,
             rig_from_parts(terminal, std::move(asset), request, std::move(found), options));
  rigged.report.reason = fmt::format("{}; of its {} parts views agree by {:.2f}", before, count, agreement);
  rigged.report.warnings.push_back(
      "rigged from its parts, as no template is believed; --template curve follows the "
      "shape instead, --template NAME says what it is");
  return rigged;
}

Status run_rig(const Terminal& terminal, const RigOptions& options) {
  LIMBER_TRY(asset::Asset asset, read_asset_file(terminal, options.input));
  LIMBER_TRY(autorig::RigRequest request, rig_request(options));
  if (request.existing == autorig::ExistingSkeleton::kRefuse && rig::has_skin(asset)) {
    return Error{"has a skeleton already; give --keep-skeleton for new weights on it, or --replace for a new one",
                 asset.name, ErrorKind::kConflict};
  }
  Result<autorig::RiggedAsset> rigged = [&]() -> Result<autorig::RiggedAsset> {
    if (options.from == "auto") return rig_by_belief(terminal, std::move(asset), request, options);
    if (!options.from) return rig_shown(terminal, std::move(asset), request, options);
    LIMBER_TRY(parts::MeshParts found, find_parts(terminal, asset, options));
    return rig_from_parts(terminal, std::move(asset), request, std::move(found), options);
  }();
  if (!rigged.ok()) return rigged.error();
  LIMBER_CHECK_OK(write_asset_file(terminal, rigged->asset, options.output));
  Json report{{"input", options.input}, {"output", options.output}};
  report.update(report::to_json(*rigged));
  if (options.report) LIMBER_CHECK_OK(write_json(report, *options.report));
  announce_file(terminal, options.output);
  if (terminal.json) {
    print_json(report);
    return Done{};
  }
  if (!options.keep_skeleton) log_skeleton(rigged->report, rigged->plan.joints.size());
  log_skin(rigged->subject.rig, rigged->report.skin);
  return Done{};
}

}  // namespace

void add_rig(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<RigOptions>();
  CLI::App* command =
      add_command(app, terminal, "rig", "Give a mesh a skeleton and skin weights",
                  "  limber rig fox.glb -o fox_rigged.glb\n"
                  "  limber rig man.glb --names unity --report man.json -o man_rigged.glb\n"
                  "  limber rig wolf.glb --template quadruped --forward -x --pin head=-0.6,0.8,0 -o w.glb\n"
                  "  limber rig scan.obj --up +z -o scan_rigged.glb\n"
                  "  limber rig cow.glb --skeleton my_cow_rig.glb -o cow_rigged.glb\n"
                  "  limber rig beast.glb --from auto -o beast_rigged.glb\n"
                  "  limber rig fox.glb --keep-skeleton -o fox_reskinned.glb\n"
                  "  limber rig robot.glb --keep-skeleton --weights voxel --influences 8 -o robot8.glb",
                  [&terminal, options] { return run_rig(terminal, *options); });
  add_rig_options(*command, *options);
}

}  // namespace limber::cli
