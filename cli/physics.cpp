// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <spdlog/spdlog.h>

#include <chrono>
#include <memory>
#include <optional>

#include "command.h"
#include "facing_options.h"
#include "field_options.h"
#include "limber/animate/ground_clip.h"
#include "limber/asset/write.h"
#include "limber/base/files.h"
#include "limber/metrics/skin_stretch.h"
#include "limber/physics/ground.h"
#include "limber/physics/mjcf.h"
#include "limber/report/reports.h"
#include "limber/rig/stance.h"

namespace limber::cli {
namespace {

struct PhysicsOptions {
  std::string input, output, habitat = "auto", loss = "smooth", help = "full";
  std::optional<std::string> report, mjcf, clip, name;
  std::optional<double> fps;  ///< unset: those of the clip's keys
  bool keep_slide = false;
  FacingOptions facing;
  physics::GroundSettings settings;
};

nlohmann::ordered_json settings_json(const PhysicsOptions& options) {
  return {{"loss", options.loss},
          {"root_help", options.help},
          {"iterations", options.settings.track.iterations},
          {"friction", options.settings.puppet.friction},
          {"gain", options.settings.puppet.gain},
          {"assist", options.settings.track.assist},
          {"least_assist", options.settings.track.least_assist}};
}

nlohmann::ordered_json report_json(const PhysicsOptions& options, const animate::GroundedClip& done, double seconds) {
  nlohmann::ordered_json report{{"limber", LIMBER_VERSION},
                                {"command", "physics"},
                                {"input", options.input},
                                {"output", options.output},
                                {"settings", settings_json(options)}};
  report.update(report::to_json(done));
  report["seconds"] = seconds;
  return report;
}

void print_summary(const animate::GroundedClip& done) {
  const physics::Grounded& g = done.grounded;
  const auto& [before, before_skin] = done.before;
  const auto& [after, after_skin] = done.after;
  const auto row = [](const char* name, double was, double is, const char* unit) {
    fmt::print("  {:<12} {:>9.3f} -> {:>8.3f} {}\n", name, was, is, unit);
  };
  fmt::print("habitat: {} ({})\n", physics::name(g.reference.habitat), g.reference.habitat_reason);
  row("skate", 100 * before.skate, 100 * after.skate, "% of height / s");
  row("slip", 100 * before.slip, 100 * after.slip, "% of height");
  row("penetration", 100 * before.penetration, 100 * after.penetration, "% of height");
  row("float", 100 * before.floating, 100 * after.floating, "% of height");
  row("stretch", before_skin.stretch, after_skin.stretch, "times, of the skin");
  row("movement", before_skin.movement, after_skin.movement, "heights / s");
  if (const auto warning = metrics::stretch_warning(after_skin, before_skin.stretch))
    spdlog::warn("{}", in_words(*warning, option_words));
  fmt::print("  tracked to {:.2f} degrees a joint, {:.2f} % of height at the root ({})\n", g.track.joint_error,
             100 * g.track.root_error, physics::name(g.track.stop));
  fmt::print("  help: a force of {:.1f} % of the weight, a torque of {:.1f} % of weight times height\n",
             100 * g.track.assist_force, 100 * g.track.assist_torque);
}

/// The clip that was asked for; the first where nobody said.
Result<int> chosen_clip(const asset::Asset& asset, const PhysicsOptions& options) {
  if (asset.clips.empty()) return Error{"there is no clip to put on the ground", options.input};
  if (!options.clip) return 0;
  return find_clip(asset, *options.clip);
}

physics::GroundSettings ground_settings(const PhysicsOptions& options) {
  physics::GroundSettings settings = options.settings;
  settings.reference.remove_slide = !options.keep_slide;
  settings.reference.habitat = habitat_named(options.habitat);  // "auto" is none
  if (options.loss == "akd") settings.track.loss = physics::TrackLoss::kAkd;
  if (options.help == "upright") settings.track.help = physics::RootHelp::kUpright;
  return settings;
}

/// What the clip became, told on the way.
Result<animate::GroundedClip> ground_file(const Terminal& terminal, const PhysicsOptions& options) {
  LIMBER_TRY(asset::Asset asset, read_asset_file(terminal, options.input));
  animate::GroundClipRequest request;
  LIMBER_TRY(request.clip, chosen_clip(asset, options));
  request.name = options.name.value_or(""), request.fps = options.fps;
  request.up = options.facing.up, request.forward = options.facing.forward;
  request.ground = ground_settings(options);
  Activity activity(
      terminal, "putting '" + printable(asset.clips[static_cast<std::size_t>(request.clip)].name) + "' on the ground");
  request.ground.track.progress = [&activity](std::string_view, double fraction) {
    activity.update(fraction);
    return true;
  };
  return animate::ground_clip(std::move(asset), request);
}

Status run_physics(const Terminal& terminal, const PhysicsOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  LIMBER_TRY(const animate::GroundedClip done, ground_file(terminal, options));
  const rig::Facing& facing = done.facing;
  const bool asked = options.facing.up || options.facing.forward;
  if (!asked && rig::is_doubtful(facing) && facing.up != Vec3{0, 1, 0})
    spdlog::warn("{}", printable(in_words(rig::warn_of_assumption(facing), option_words)));
  LIMBER_CHECK_OK(
      asset::write_asset(done.asset, options.output, {static_cast<int>(done.asset.clips.size()) - 1, done.fps}));
  if (options.mjcf) {
    const physics::Grounded& grounded = done.grounded;
    const std::string xml = physics::write_mjcf(grounded.puppet.model, grounded.puppet.boxes,
                                                physics::mjcf_names(grounded.puppet, done.upright), grounded.positions,
                                                done.fps, {.name = done.clip});
    LIMBER_CHECK_OK(write_file(*options.mjcf, xml));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  nlohmann::ordered_json report = report_json(options, done, seconds);
  report["facing"] = {{"up", {facing.up.x, facing.up.y, facing.up.z}},
                      {"forward", {facing.forward.x, facing.forward.y, facing.forward.z}},
                      {"confidence", facing.confidence},
                      {"reason", facing.reason}};
  if (options.report) LIMBER_CHECK_OK(write_json(report, *options.report));
  if (terminal.json) {
    print_json(report);
  } else {
    print_summary(done);
  }
  announce_file(terminal, options.output);
  if (options.mjcf) announce_file(terminal, *options.mjcf);
  return Done{};
}

}  // namespace

void add_physics(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<PhysicsOptions>();
  CLI::App* command = add_command(app, terminal, "physics", "Put a clip on the ground: gravity, contact, torques",
                                  "  limber physics walk.glb -o grounded.glb\n"
                                  "  limber physics fox.glb --clip Run -o fox-run.glb --report report.json\n"
                                  "  limber physics walk.glb -o grounded.glb --mjcf walk.xml",
                                  [&terminal, options] { return run_physics(terminal, *options); });
  physics::GroundSettings& settings = options->settings;
  command->add_option("input", options->input, "A rigged asset with a clip")->required()->type_name("FILE");
  command->add_option("-o,--output", options->output, "The asset with the grounded clip added")
      ->required()
      ->type_name("FILE");
  command->add_option("--clip", options->clip, "Which clip: its name or #N; the first by default")->type_name("CLIP");
  command->add_option("--name", options->name, "Name of the new clip; by default that of the old one and 'grounded'");
  command->add_option("--fps", options->fps, "Frames a second; by default those of the clip's keys")
      ->check(CLI::Range(1.0, 240.0))
      ->type_name("N");
  add_facing_options(*command, options->facing);
  command->add_option("--height", settings.puppet.height, "Height of the subject in metres; by default the asset's")
      ->check(CLI::Range(0.001, 1000.0))
      ->type_name("M");
  command
      ->add_option("--habitat", options->habitat,
                   "Where it takes place; crawl: on the belly; free: no gravity (swimming, flying)")
      ->check(CLI::IsMember({"auto", "ground", "crawl", "free"}))
      ->capture_default_str();
  command->add_option("--loss", options->loss, "What to track: squared distances, or AKD's equation 13")
      ->check(CLI::IsMember({"smooth", "akd"}))
      ->capture_default_str();
  command->add_option("--iterations", settings.track.iterations, "Rollouts of the optimisation, 1 to 200")
      ->check(CLI::Range(1, 200))
      ->capture_default_str()
      ->type_name("N");
  command
      ->add_option("--root-help", options->help,
                   "What helps the root: springs along its path, or AKD's force that only keeps it upright")
      ->check(CLI::IsMember({"full", "upright"}))
      ->capture_default_str();
  command->add_option("--assist", settings.track.assist, "How firmly the root is helped at first; 0: never")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str()
      ->type_name("X");
  command->add_option("--least-assist", settings.track.least_assist, "How firmly in the end")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str()
      ->type_name("X");
  command->add_option("--gain", settings.puppet.gain, "Strength of the joints' drives")
      ->check(CLI::Range(0.01, 100.0))
      ->capture_default_str()
      ->type_name("X");
  command->add_option("--friction", settings.puppet.friction, "Of the ground")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str()
      ->type_name("MU");
  command->add_flag("--keep-slide", options->keep_slide, "Do not let the root travel so that planted feet stand still");
  command->add_option("--mjcf", options->mjcf, "Also write the body and its motion for MuJoCo")->type_name("FILE");
  command->add_option("--report", options->report, "Also write what was done, and how well, as JSON")
      ->type_name("FILE");
  for (const char* of_simulation : {"--loss", "--iterations", "--root-help", "--assist", "--least-assist", "--gain"}) {
    command->get_option(of_simulation)->group("For experts");
  }
}

}  // namespace limber::cli
