// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <spdlog/spdlog.h>

#include <chrono>
#include <memory>
#include <numeric>
#include <optional>

#include "command.h"
#include "facing_options.h"
#include "field_options.h"
#include "limber/asset/write.h"
#include "limber/report/reports.h"
#include "limber/retarget/retarget_asset.h"
#include "output_format.h"

namespace limber::cli {
namespace {

struct RetargetOptions {
  std::string source, target, output;
  std::optional<std::string> clip, report;
  std::vector<std::string> corrections;
  bool all_clips = false, show_map = false;
  FacingOptions facing, source_facing;
  retarget::RetargetSettings settings;
};

/// The clips that were asked for; of several the first where nobody said, which is told.
Result<std::vector<int>> chosen_clips(const asset::Asset& source, const RetargetOptions& options) {
  if (source.clips.empty()) return Error{"there are no clips to carry over", options.source};
  if (options.all_clips) {
    std::vector<int> all(source.clips.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  if (options.clip) {
    LIMBER_TRY(const int clip, find_clip(source, *options.clip));
    return std::vector<int>{clip};
  }
  if (source.clips.size() > 1) {
    spdlog::warn("{} has {} clips; this is the first, '{}' (--clip, --all-clips)", printable(options.source),
                 source.clips.size(), printable(source.clips[0].name));
  }
  return std::vector<int>{0};
}

Result<retarget::Retargeted> retarget_files(const Terminal& terminal, const RetargetOptions& options) {
  LIMBER_TRY(const asset::Asset source, read_asset_file(terminal, options.source));
  LIMBER_TRY(const std::vector<int> clips, chosen_clips(source, options));
  LIMBER_TRY(asset::Asset target, read_asset_file(terminal, options.target));
  retarget::RetargetSettings settings = options.settings;
  settings.up = options.facing.up, settings.forward = options.facing.forward;
  settings.source_up = options.source_facing.up, settings.source_forward = options.source_facing.forward;
  for (const std::string& text : options.corrections) {
    LIMBER_TRY(retarget::Correction correction, retarget::parse_correction(text));
    settings.corrections.push_back(std::move(correction));
  }
  Activity activity(terminal, "carrying over");
  settings.progress = [&activity](std::string_view, double fraction) {
    activity.update(fraction);
    return true;
  };
  return retarget::retarget_clips(source, clips, std::move(target), settings);
}

void print_summary(const retarget::Retargeted& done, bool show_map) {
  for (const retarget::RetargetedClip& clip : done.clips) {
    fmt::print("'{}': {:.2f} s at {:.0f} fps{}; {}\n", printable(clip.name), clip.seconds, clip.fps,
               clip.loops ? ", loops" : "", printable(retarget::summary(clip.map)));
    if (show_map) fmt::print("{}", printable(retarget::table(clip.map)));
    fmt::print("  feet stand in {:.0f} % of the frames and slide there by {:.2f} % of the height a second\n",
               100 * clip.standing, 100 * clip.skate);
    fmt::print("  at most {:.2f} % of the height is below the ground; limbs point {:.0f} degrees from the source's\n",
               100 * clip.penetration, clip.direction_error * 180 / kPi);
  }
}

/// A text of `retarget`, which names `map`, as the command line calls it.
std::string in_options(std::string_view text) {
  return with_words(text, [](const std::string& field, const std::string& value) {
    return field == "map" ? option_words(field, value) : "";
  });
}

Status run_retarget(const Terminal& terminal, const RetargetOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  LIMBER_CHECK_OK(check_motion_output(options.output, options.all_clips));
  Result<retarget::Retargeted> made = retarget_files(terminal, options);
  if (!made.ok()) {
    Error error = std::move(made).error();
    error.what = in_options(error.what);
    if (error.where == "map") error.where = option_words(error.where, "");
    return error;
  }
  const retarget::Retargeted done = std::move(made).value();
  for (const std::string& note : done.notes) spdlog::warn("{}", printable(in_options(note)));
  LIMBER_CHECK_OK(asset::write_asset(done.asset, options.output, {done.clips.back().clip, done.clips.back().fps}));
  nlohmann::ordered_json report{{"limber", LIMBER_VERSION},
                                {"command", "retarget"},
                                {"source", options.source},
                                {"target", options.target},
                                {"output", options.output}};
  report.update(report::to_json(done));
  report["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.report) LIMBER_CHECK_OK(write_json(report, *options.report));
  if (terminal.json) {
    print_json(report);
  } else {
    print_summary(done, options.show_map);
  }
  announce_file(terminal, options.output);
  return Done{};
}

}  // namespace

void add_retarget(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<RetargetOptions>();
  CLI::App* command =
      add_command(app, terminal, "retarget", "Carry a clip of one body over to any other",
                  "  limber retarget walk.bvh model.glb -o walking.glb\n"
                  "  limber retarget fox.glb dragon.glb --clip Run -o running.glb --show-map\n"
                  "  limber retarget wolf.fbx ant.glb --all-clips --map leg.1.L=leg.2.L -o ant-clips.glb",
                  [&terminal, options] { return run_retarget(terminal, *options); });
  retarget::RetargetSettings& settings = options->settings;
  command->add_option("source", options->source, "Who moves: a rigged model with clips, or a recording (.bvh)")
      ->required()
      ->type_name("SOURCE");
  command->add_option("target", options->target, "Who is to move: a rigged model")->required()->type_name("TARGET");
  command->add_option("-o,--output", options->output, "The target with the clip added")->required()->type_name("FILE");
  command->add_option("--clip", options->clip, "Which clip of the source: its name or #N; the first by default")
      ->type_name("CLIP");
  command->add_flag("--all-clips", options->all_clips, "Every clip that fits")->excludes("--clip");
  command->add_option("--name", settings.name, "Name of the new clip; by default that of the source's")
      ->excludes("--all-clips");
  command
      ->add_option("--map", options->corrections,
                   "What leads what, where the map is wrong: limbs or joints, SOURCE=TARGET; none=TARGET leaves a limb "
                   "alone; may be given again")
      ->type_name("SOURCE=TARGET")
      ->take_all();
  command->add_flag("--show-map", options->show_map, "Print which limb is led by which");
  command->add_option("--fps", settings.fps, "Frames a second; by default those of the clip's keys")
      ->check(CLI::Range(1.0, 240.0))
      ->type_name("N");
  command->add_flag("--loop", settings.loop, "Cut a loop out of a clip that is none; one that loops stays one");
  command->add_flag("--in-place", settings.in_place, "Take its steady travel away");
  add_facing_options(*command, options->facing);
  add_facing_options(*command, options->source_facing, "source");
  command->add_option("--report", options->report, "Also write what was done, and how well, as JSON")
      ->type_name("FILE");
}

}  // namespace limber::cli
