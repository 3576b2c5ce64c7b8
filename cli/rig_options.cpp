// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "rig_options.h"

#include <cstdlib>
#include <filesystem>

#include "builtin_models.h"
#include "command.h"
#include "limber/base/files.h"
#include "limber/skeleton/name_profiles.h"

namespace limber::cli {
namespace {

/// "hip.L=1,0,-0.5".
std::optional<std::pair<std::string, Vec3d>> parse_pin(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return std::nullopt;
  Vec3d place;
  const char* at = text.c_str() + equals + 1;
  for (int a = 0; a < 3; ++a) {
    char* end = nullptr;
    place[a] = std::strtod(at, &end);
    if (end == at || *end != (a < 2 ? ',' : '\0')) return std::nullopt;
    at = end + 1;
  }
  if (!is_finite(place)) return std::nullopt;
  return std::pair{text.substr(0, equals), place};
}

void read_pins(const std::vector<std::string>& texts, RigOptions& options) {
  for (const std::string& text : texts) {
    const auto pin = parse_pin(text);
    if (!pin) throw CLI::ValidationError("--pin", "should be NAME=X,Y,Z, not '" + text + "'");
    options.pins.push_back(*pin);
  }
}

std::vector<std::string> template_names() {
  std::vector<std::string> names{"auto", "curve"};
  for (const skeleton::SkeletonTemplate& t : skeleton::builtin_templates()) names.push_back(t.name);
  return names;
}

/// Wrong usage where --template, which is handled before, says that the skeleton follows the shape alone. For
/// options that are about bodies of a known kind.
void refuse_with_curve(const RigOptions& options, const std::string& option) {
  if (options.kind != "curve") return;
  throw CLI::ValidationError("--template curve and " + option, "a skeleton of the shape knows no kinds and no names");
}

/// What the skeleton is made from.
void add_source_options(CLI::App& command, RigOptions& options) {
  command.add_option("--template", options.kind, "The kind of body; auto tries all, curve follows the shape alone")
      ->check(CLI::IsMember(template_names()))
      ->capture_default_str()
      ->type_name("NAME");
  command.add_option("--skeleton", options.skeleton, "Fit this skeleton: a template (.json) or a rigged asset")
      ->type_name("FILE");
  command
      .add_option("--parts", options.parts,
                  "Rig by part labels, one per triangle: JSON or text; `extras` takes those in the asset")
      ->type_name("FILE");
  command
      .add_option("--from", options.from,
                  "parts: a joint for every part that `limber parts` finds; auto: so where no template is believed")
      ->check(CLI::IsMember({"parts", "auto"}))
      ->type_name("SOURCE");
  command
      .add_option("--least-agreement", options.least_agreement,
                  "With --from auto: believe parts where views agree about them by so much")
      ->needs("--from")
      ->check(CLI::Range(-1.0, 1.0))
      ->each([&options](const std::string&) {
        if (options.from == "auto") return;
        throw CLI::ValidationError("--least-agreement", "only --from auto asks how far parts are to be believed");
      })
      ->capture_default_str();
  command
      .add_option("--reader", options.reader,
                  "The network that tells parts, kind and front; auto: the one that ships, none: judge by shape alone")
      ->each([&options](const std::string&) { refuse_with_curve(options, "--reader"); })
      ->capture_default_str()
      ->type_name("DIR");
}

/// How it is to be.
void add_wish_options(CLI::App& command, RigOptions& options) {
  command
      .add_option_function<std::vector<std::string>>(
          "--pin",
          [&options](const std::vector<std::string>& texts) {
            refuse_with_curve(options, "--pin");
            read_pins(texts, options);
          },
          "Put a joint there, in the asset's units: hip.L=0.1,0.9,0; may be repeated")
      ->type_name("NAME=X,Y,Z");
  command.add_option("--joints", options.joints, "At most this many joints")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  command.add_option("--root", options.root, "The joint to be the root")->type_name("NAME");
  command.add_option("--names", options.names, "Name a humanoid's joints for another program")
      ->check(CLI::IsMember(skeleton::name_profiles()))
      ->each([&options](const std::string&) { refuse_with_curve(options, "--names"); })
      ->type_name("PROFILE");
  add_facing_options(command, options.facing);
  command.add_flag("--stand-up", options.stand_up, "Add one node that turns the asset so that it stands along +Y");
}

void add_weight_options(CLI::App& command, RigOptions& options) {
  command.add_option("--weights", options.weights, "How: auto, heat, voxel or parts")
      ->check(CLI::IsMember({"auto", "heat", "voxel", "parts"}))
      ->capture_default_str()
      ->type_name("METHOD");
  command.add_option("--influences", options.influences, "Joints per vertex, 4 or 8")
      ->check(CLI::IsMember({4, 8}))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--stiffness", options.stiffness, "Heat: larger values give shorter blends between bones")
      ->check(CLI::Range(0.01, 1000.0))
      ->capture_default_str()
      ->type_name("C");
}

/// The skeleton's source and the files that it is read from.
Status choose_source(const RigOptions& options, autorig::AutoRigSettings& settings) {
  if (options.from == "parts") {
    settings.source = autorig::SkeletonSource::kParts;  // of labels that are still to be found
  } else if (options.parts) {
    settings.source = autorig::SkeletonSource::kParts;
    if (*options.parts == "extras") return Done{};
    LIMBER_TRY(settings.parts, skeleton::read_labels(*options.parts));
  } else if (options.kind == "curve") {
    settings.source = autorig::SkeletonSource::kCurve;
  } else if (options.skeleton) {
    LIMBER_TRY(skeleton::SkeletonTemplate own, skeleton::read_template(*options.skeleton));
    settings.templates.push_back(std::move(own));
  } else if (options.kind != "auto") {
    LIMBER_TRY(skeleton::SkeletonTemplate chosen, autorig::template_named(options.kind));
    settings.templates.push_back(std::move(chosen));
  }
  return Done{};
}

}  // namespace

void add_rig_options(CLI::App& command, RigOptions& options) {
  command.add_option("input", options.input, "The asset to read")->required()->type_name("FILE");
  command.add_option("-o,--output", options.output, "Where to write")->required()->type_name("FILE");
  command.add_flag("--keep-skeleton", options.keep_skeleton,
                   "Keep the skeleton that is there and only weight the skin anew");
  command.add_flag("--replace", options.replace, "Take out the skeleton that is there and find a new one");
  command.add_option("--report", options.report, "Write what was decided, and why, as JSON")->type_name("FILE");
  add_source_options(command, options);
  add_wish_options(command, options);
  add_weight_options(command, options);
  exclude(command, "--keep-skeleton",
          {"--replace", "--template", "--skeleton", "--parts", "--reader", "--pin", "--joints", "--root", "--names",
           "--up", "--forward", "--stand-up"});
  exclude(command, "--parts", {"--from", "--template", "--skeleton", "--reader", "--pin", "--joints", "--names"});
  exclude(command, "--from",
          {"--keep-skeleton", "--template", "--skeleton", "--reader", "--pin", "--joints", "--names"});
  exclude(command, "--skeleton", {"--template"});
}

Result<autorig::RigRequest> rig_request(const RigOptions& options) {
  autorig::RigRequest request;
  if (options.keep_skeleton) request.existing = autorig::ExistingSkeleton::kKeep;
  if (options.replace) request.existing = autorig::ExistingSkeleton::kReplace;
  autorig::AutoRigSettings& settings = request.settings;
  LIMBER_TRY(settings.skin.method, skin::skin_method(options.weights));
  settings.skin.influences = options.influences, settings.skin.stiffness = options.stiffness;
  if (options.keep_skeleton) return request;
  settings.max_joints = options.joints, settings.root = options.root, settings.names = options.names;
  request.stand_up = options.stand_up;
  settings.up = options.facing.up, settings.forward = options.facing.forward;
  settings.pins = options.pins;
  LIMBER_CHECK_OK(choose_source(options, settings));
  if (settings.source == autorig::SkeletonSource::kTemplates) {
    LIMBER_TRY(settings.reader, open_body_reader(options.reader));
  }
  return request;
}

}  // namespace limber::cli
