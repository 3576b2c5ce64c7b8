// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "rig_skeleton.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "builtin_models.h"
#include "command.h"
#include "limber/base/files.h"
#include "limber/skeleton/name_profiles.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;

/// "1,0,-0.5".
std::optional<Vec3d> parse_vector(const std::string& text) {
  Vec3d v;
  const char* at = text.c_str();
  for (int a = 0; a < 3; ++a) {
    char* end = nullptr;
    v[a] = std::strtod(at, &end);
    if (end == at || *end != (a < 2 ? ',' : '\0')) return std::nullopt;
    at = end + 1;
  }
  if (!is_finite(v)) return std::nullopt;
  return v;
}

/// "+z", "-x" or three numbers.
std::optional<Vec3d> parse_direction(const std::string& text) {
  if ((text.size() == 1 || (text.size() == 2 && (text[0] == '+' || text[0] == '-'))) && text.back() >= 'x' &&
      text.back() <= 'z') {
    Vec3d v;
    v[text.back() - 'x'] = text[0] == '-' ? -1 : 1;
    return v;
  }
  const auto v = parse_vector(text);
  return v && norm(*v) > 0 ? v : std::nullopt;
}

Status add_pins(const std::vector<std::string>& texts, autorig::AutoRigSettings& settings) {
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    const auto place = equals == std::string::npos ? std::nullopt : parse_vector(text.substr(equals + 1));
    if (!place) return Error{"should be NAME=X,Y,Z", "--pin " + text};
    settings.pins.emplace_back(text.substr(0, equals), *place);
  }
  return Done{};
}

Json vector(Vec3d v) { return Json::array({v.x, v.y, v.z}); }

std::vector<std::string> template_names() {
  std::vector<std::string> names{"auto", "curve"};
  for (const skeleton::SkeletonTemplate& t : skeleton::builtin_templates()) names.push_back(t.name);
  return names;
}

}  // namespace

void add_skeleton_options(CLI::App& command, SkeletonOptions& options) {
  command.add_option("--template", options.kind, "The kind of body; auto tries all, curve follows the shape alone")
      ->check(CLI::IsMember(template_names()))
      ->default_str("auto")
      ->type_name("NAME");
  command.add_option("--skeleton", options.skeleton, "Fit this skeleton: a template (.json) or a rigged asset")
      ->type_name("FILE");
  command
      .add_option("--parts", options.parts,
                  "Rig by part labels, one per triangle: JSON or text; `extras` takes those in the asset")
      ->type_name("FILE");
  command
      .add_option("--pin", options.pins, "Put a joint there, in the asset's units: hip.L=0.1,0.9,0; may be repeated")
      ->type_name("NAME=X,Y,Z");
  command.add_option("--joints", options.joints, "At most this many joints")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  command.add_option("--root", options.root, "The joint to be the root")->type_name("NAME");
  command.add_option("--forward", options.forward, "The way the body faces: +z, -x or three numbers")->type_name("DIR");
  command
      .add_option("--reader", options.reader,
                  "The network that tells parts, kind and front; auto: the one that ships, none: judge by shape alone")
      ->default_str("auto")
      ->type_name("DIR");
  command.add_option("--names", options.names, "Name a humanoid's joints for another program")
      ->check(CLI::IsMember(skeleton::name_profiles()))
      ->type_name("PROFILE");
}

Result<autorig::AutoRigSettings> skeleton_settings(const SkeletonOptions& options, const asset::Asset& asset) {
  autorig::AutoRigSettings settings;
  settings.max_joints = options.joints, settings.root = options.root, settings.names = options.names;
  settings.curve_only = options.kind == "curve";
  for (const skeleton::SkeletonTemplate& t : skeleton::builtin_templates()) {
    if (t.name == options.kind) settings.templates = {t};
  }
  if (!options.skeleton.empty()) {
    LIMBER_TRY(skeleton::SkeletonTemplate own, skeleton::read_template(options.skeleton));
    settings.templates = {std::move(own)};
  }
  if (!options.parts.empty() && options.parts != "extras") {
    LIMBER_TRY(const Bytes bytes, read_file(options.parts, std::uint64_t{1} << 28));
    LIMBER_TRY(settings.parts,
               skeleton::parse_labels(as_text(bytes), std::filesystem::path(options.parts).filename().string()));
  } else if (options.parts == "extras") {
    LIMBER_TRY(settings.parts, skeleton::labels_of_asset(asset));
  }
  if (!options.forward.empty()) {
    settings.forward = parse_direction(options.forward);
    if (!settings.forward) return Error{"should be +x, -z ... or X,Y,Z", "--forward " + options.forward};
  }
  LIMBER_CHECK_OK(add_pins(options.pins, settings));
  LIMBER_TRY(settings.reader, open_body_reader(options.reader));
  return settings;
}

Json skeleton_json(const autorig::AutoRigReport& report, const skeleton::SkeletonPlan& plan) {
  Json terms = Json::object();
  for (const auto& [name, cost] : report.terms) terms[name] = cost;
  Json names = Json::array();
  for (const skeleton::PlannedJoint& joint : plan.joints) names.push_back(joint.name);
  return {{"template", report.kind},
          {"reason", report.reason},
          {"cost", report.cost},
          {"terms", terms},
          {"runner_up", report.runner_up},
          {"runner_up_cost", report.runner_up_cost},
          {"confidence", report.confidence},
          {"up", vector(report.up)},
          {"forward", vector(report.forward)},
          {"read_as", report.read_kind},
          {"read_trust", report.read_trust},
          {"symmetric", report.symmetric},
          {"components", report.components},
          {"vertices", report.points},
          {"triangles", report.triangles},
          {"joints", names},
          {"joints_outside", report.joints_outside},
          {"seconds",
           {{"shape", report.shape_seconds}, {"skeleton", report.skeleton_seconds}, {"skin", report.skin_seconds}}},
          {"notes", report.notes}};
}

void log_report(const autorig::AutoRigReport& report, const skeleton::SkeletonPlan& plan) {
  if (report.kind == "parts") {
    spdlog::info("{} joints from the part labels", plan.joints.size());
  } else if (!report.reason.empty()) {
    spdlog::info("{} joints along the shape: {}", plan.joints.size(), report.reason);
  } else {
    spdlog::info("rigged as {} with {} joints, confidence {:.2f}{}", report.kind, plan.joints.size(), report.confidence,
                 report.runner_up.empty() ? "" : fmt::format(" (next: {})", report.runner_up));
  }
  if (report.kind != "parts" && report.reason.empty() && report.confidence < 0.3) {
    spdlog::warn("not sure of that: check it, or say --template or --forward");
  }
  for (const std::string& note : report.notes) spdlog::info("{}", printable(note));
}

}  // namespace limber::cli
