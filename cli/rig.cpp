// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "command.h"
#include "field_options.h"
#include "limber/autorig/wishes.h"
#include "limber/report/reports.h"
#include "limber/rig/static_subject.h"

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
  for (const Warning& warning : report.warnings) spdlog::warn("{}", printable(in_words(warning, option_words)));
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

struct RigOptions {
  std::string input, output;
  autorig::Wishes wishes;  ///< all else
};

Result<autorig::RiggedAsset> rig_shown(const Terminal& terminal, asset::Asset asset, const autorig::Wishes& wishes) {
  Activity activity(terminal, wishes.keep_skeleton ? "weighting" : "rigging");
  return autorig::rig_as_asked(std::move(asset), wishes, [&](std::string_view, double fraction) {
    activity.update(fraction);
    return true;
  });
}

Status run_rig(const Terminal& terminal, const RigOptions& options) {
  const autorig::Wishes& wishes = options.wishes;
  LIMBER_TRY(asset::Asset asset, read_asset_file(terminal, options.input));
  if (!wishes.keep_skeleton && !wishes.replace && rig::has_skin(asset)) {
    return Error{"has a skeleton already; give --keep-skeleton for new weights on it, or --replace for a new one",
                 asset.name, ErrorKind::kConflict};
  }
  LIMBER_TRY(const autorig::RiggedAsset rigged, rig_shown(terminal, std::move(asset), wishes));
  LIMBER_CHECK_OK(write_asset_file(terminal, rigged.asset, options.output));
  Json report{{"input", options.input}, {"output", options.output}};
  report.update(report::to_json(rigged, option_words));
  if (!wishes.report.empty()) LIMBER_CHECK_OK(write_json(report, wishes.report));
  announce_file(terminal, options.output);
  if (terminal.json) {
    print_json(report);
    return Done{};
  }
  if (!wishes.keep_skeleton) log_skeleton(rigged.report, rigged.plan.joints.size());
  log_skin(rigged.subject.rig, rigged.report.skin);
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
  command->add_option("input", options->input, "The asset to read")->required()->type_name("FILE");
  command->add_option("-o,--output", options->output, "Where to write")->required()->type_name("FILE");
  for (const autorig::Field& field : autorig::fields()) {
    const std::string usual = field.type == FieldType::kFlag ? "" : autorig::text_of(field, options->wishes);
    add_field_option(*command, field, usual,
                     [options, &field](const std::string& text) { return autorig::set(field, text, options->wishes); });
  }
  command->parse_complete_callback([options] {
    const auto refusal = autorig::find_refusal(options->wishes);
    if (refusal) throw CLI::ValidationError(in_words(*refusal, option_words));
  });
}

}  // namespace limber::cli
