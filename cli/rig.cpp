// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "limber/asset/pose.h"
#include "limber/autorig/auto_rig.h"
#include "limber/base/files.h"
#include "limber/exporter/exporter.h"
#include "limber/rig/subject.h"
#include "limber/skin/reskin.h"
#include "rig_skeleton.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RigOptions {
  std::string input, output, weights = "auto";
  std::string report;
  SkeletonOptions skeleton;
  bool keep_skeleton = false, replace = false;
  int influences = 4;
  double stiffness = 3;
};

// --- what was done with the weights ----------------------------------------------------------------------------------

Json joint_names(const rig::Rig& rig, const std::vector<int>& joints) {
  Json names = Json::array();
  for (const int joint : joints) names.push_back(rig.joints()[static_cast<std::size_t>(joint)].name);
  return names;
}

Json to_json(const rig::Rig& rig, const skin::SkinReport& report) {
  Json pieces = Json::array();
  for (const skin::PieceReport& piece : report.pieces) {
    pieces.push_back({{"points", piece.points},
                      {"method", piece.loose ? "attached" : skin::name_of(piece.method)},
                      {"reason", piece.reason},
                      {"stretch", piece.scores.stretch},
                      {"volume", piece.scores.volume},
                      {"bleed", piece.scores.bleed}});
  }
  return {{"pieces", pieces},
          {"guessed_bone_ends", joint_names(rig, report.guessed_tails)},
          {"fed_joints", joint_names(rig, report.fed_joints)},
          {"starving_joints", joint_names(rig, report.starving_joints)},
          {"unreached_points", report.unreached},
          {"trimmed_points", report.trimmed}};
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

Status reskin_file(const Terminal& terminal, const RigOptions& options, const skin::SkinSettings& settings) {
  LIMBER_TRY(asset::Asset asset, read_asset_file(terminal, options.input));
  LIMBER_TRY(const rig::Subject subject, rig::subject_from_asset(asset));
  Result<skin::Reskinned> skin = [&] {
    const Activity activity(terminal, "weighting");
    return skin::reskin(asset, subject, settings);
  }();
  if (!skin.ok()) return skin.error();
  LIMBER_CHECK_OK(exporter::replace_weights(asset, subject, *skin));
  LIMBER_CHECK_OK(write_asset_file(terminal, asset, options.output));
  if (terminal.json) {
    print_json({{"input", options.input},
                {"output", options.output},
                {"joints", subject.rig.joint_count()},
                {"skin", to_json(subject.rig, skin->report)}});
  } else {
    log_skin(subject.rig, skin->report);
    spdlog::info("wrote {}", options.output);
  }
  return Done{};
}

Status write_report(const RigOptions& options, const Json& report) {
  if (options.report.empty()) return Done{};
  return write_file(options.report, report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

bool has_skin(const asset::Asset& asset) {
  return std::any_of(asset.nodes.begin(), asset.nodes.end(),
                     [](const asset::Node& n) { return n.mesh >= 0 && n.skin >= 0; });
}

/// A skeleton and weights for a mesh that has none.
Status rig_file(const Terminal& terminal, const RigOptions& options, const skin::SkinSettings& skin) {
  LIMBER_TRY(asset::Asset asset, read_asset_file(terminal, options.input));
  if (has_skin(asset)) {
    if (!options.replace) {
      return Error{"has a skeleton already; give --keep-skeleton for new weights on it, or --replace for a new one",
                   asset.name};
    }
    asset = asset::bake(asset, asset::rest_state(asset));
  }
  LIMBER_TRY(autorig::AutoRigSettings settings, skeleton_settings(options.skeleton, asset));
  settings.skin = skin;
  Result<autorig::AutoRig> rigged = [&] {
    Activity activity(terminal, "rigging");
    return autorig::auto_rig(asset, settings, [&](std::string_view, double fraction) {
      activity.update(fraction);
      return true;
    });
  }();
  if (!rigged.ok()) return rigged.error();
  LIMBER_CHECK_OK(exporter::add_rig(asset, rigged->subject, {options.influences, "skeleton"}));
  LIMBER_CHECK_OK(write_asset_file(terminal, asset, options.output));
  Json report{{"input", options.input}, {"output", options.output}};
  report["skeleton"] = skeleton_json(rigged->report, rigged->plan);
  report["skin"] = to_json(rigged->subject.rig, rigged->report.skin);
  LIMBER_CHECK_OK(write_report(options, report));
  if (terminal.json) {
    print_json(report);
  } else {
    log_report(rigged->report, rigged->plan);
    log_skin(rigged->subject.rig, rigged->report.skin);
    spdlog::info("wrote {}", options.output);
  }
  return Done{};
}

Status run_rig(const Terminal& terminal, const RigOptions& options) {
  skin::SkinSettings settings;
  LIMBER_TRY(settings.method, skin::skin_method(options.weights));
  settings.influences = options.influences;
  settings.stiffness = options.stiffness;
  return options.keep_skeleton ? reskin_file(terminal, options, settings) : rig_file(terminal, options, settings);
}

}  // namespace

void add_rig(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<RigOptions>();
  CLI::App* command =
      add_command(app, terminal, "rig", "Give a mesh a skeleton and skin weights",
                  "  limber rig fox.glb -o fox_rigged.glb\n"
                  "  limber rig man.glb --names unity --report man.json -o man_rigged.glb\n"
                  "  limber rig wolf.glb --template quadruped --forward -x --pin head=-0.6,0.8,0 -o w.glb\n"
                  "  limber rig cow.glb --skeleton my_cow_rig.glb -o cow_rigged.glb\n"
                  "  limber rig fox.glb --keep-skeleton -o fox_reskinned.glb\n"
                  "  limber rig robot.glb --keep-skeleton --weights voxel --influences 8 -o robot8.glb",
                  [&terminal, options] { return run_rig(terminal, *options); });
  command->add_option("input", options->input, "The asset to read")->required()->type_name("FILE");
  command->add_option("-o,--output", options->output, "Where to write")->required()->type_name("FILE");
  command->add_flag("--keep-skeleton", options->keep_skeleton,
                    "Keep the skeleton that is there and only weight the skin anew");
  command->add_flag("--replace", options->replace, "Take out the skeleton that is there and find a new one")
      ->excludes("--keep-skeleton");
  command->add_option("--report", options->report, "Write what was decided, and why, as JSON")->type_name("FILE");
  add_skeleton_options(*command, options->skeleton);
  command->add_option("--weights", options->weights, "How: auto, heat, voxel or parts")
      ->check(CLI::IsMember({"auto", "heat", "voxel", "parts"}))
      ->capture_default_str()
      ->type_name("METHOD");
  command->add_option("--influences", options->influences, "Joints per vertex, 4 or 8")
      ->check(CLI::IsMember({4, 8}))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--stiffness", options->stiffness, "Heat: larger values give shorter blends between bones")
      ->check(CLI::Range(0.01, 1000.0))
      ->capture_default_str()
      ->type_name("C");
}

}  // namespace limber::cli
