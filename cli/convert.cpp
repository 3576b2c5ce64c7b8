// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>

#include "command.h"
#include "limber/animate/edit_clip.h"
#include "limber/asset/formats.h"
#include "limber/asset/pose.h"
#include "limber/base/files.h"
#include "limber/exporter/exporter.h"

namespace limber::cli {
namespace {

struct ConvertOptions {
  std::string input, output;
  std::optional<std::string> clip;
  std::optional<double> time;
  double fps = 30;
  std::optional<int> influences;
  std::optional<std::string> name;
  animate::ClipEdits edits;
};

/// "0.5:2": two times in seconds; either may be missing.
std::pair<double, double> read_times(const std::string& text) {
  std::pair<double, double> times{0, 1e9};
  const std::size_t colon = text.find(':');
  const auto read = [&](std::size_t begin, std::size_t end, double& value) {
    if (begin == end) return true;
    const auto [stop, failed] = std::from_chars(text.data() + begin, text.data() + end, value);
    return failed == std::errc() && stop == text.data() + end && value >= 0;
  };
  if (colon == std::string::npos || !read(0, colon, times.first) || !read(colon + 1, text.size(), times.second)) {
    throw CLI::ValidationError("--trim", "should be two times in seconds, FROM:TO, not '" + text + "'");
  }
  return times;
}

/// The clip, edited, in its own place.
Status edit(asset::Asset& asset, int clip, const ConvertOptions& options) {
  if (clip < 0) return Error{"there is no clip to edit", asset.name};
  Result<asset::Clip> edited = animate::edited_clip(asset, clip, options.edits);
  if (!edited.ok()) return Error{edited.error().what, asset.name, edited.error().kind};
  asset.clips[static_cast<std::size_t>(clip)] = std::move(edited).value();
  return Done{};
}

/// Only such files have a frame rate.
bool writes_one_clip(const std::string& output) {
  const asset::Format* format = asset::find_format(std::filesystem::path(output));
  return format != nullptr && format->one_clip;
}

/// What is read and written, and what is then lost.
std::string known_formats() {
  const std::string read = asset::list_formats([](const asset::Format& format) { return format.reads(); }, " ", " ");
  const std::string written =
      asset::list_formats([](const asset::Format& format) { return format.writes(); }, " ", " ");
  std::string text = fmt::format("Reads {}, writes {}.", read, written);
  for (const asset::Format& format : asset::formats()) {
    if (!format.lost.empty()) text += fmt::format("\n{} leaves out {}.", format.extension, format.lost);
  }
  return text;
}

Status convert(const Terminal& terminal, const ConvertOptions& options) {
  LIMBER_TRY(asset::Asset asset, read_asset_file(terminal, options.input));
  const bool to_one_clip = writes_one_clip(options.output);
  int clip = asset.clips.empty() ? -1 : 0;
  if (options.clip) {
    LIMBER_TRY(clip, find_clip(asset, *options.clip));
  }

  if (options.edits.any()) LIMBER_CHECK_OK(edit(asset, clip, options));
  if (options.name && clip >= 0) asset.clips[static_cast<std::size_t>(clip)].name = *options.name;
  const bool keeps_clips = to_one_clip || options.edits.any() || options.name;
  if (options.time || (options.clip && !keeps_clips)) {
    if (clip < 0) return Error{"--time needs a clip, and there is none", asset.name};
    const asset::Clip& chosen = asset.clips[static_cast<std::size_t>(clip)];
    asset = asset::bake(asset, asset::clip_state(asset, chosen, options.time.value_or(0)));
  }
  if (options.influences) exporter::limit_influences(asset, *options.influences);
  LIMBER_CHECK_OK(write_asset_file(terminal, asset, options.output, clip, options.fps));
  if (terminal.json) {
    print_json({{"input", options.input}, {"output", options.output}, {"warnings", asset.warnings}});
  }
  announce_file(terminal, options.output);
  return Done{};
}

void add_edit_options(CLI::App& command, ConvertOptions& options) {
  animate::ClipEdits& edits = options.edits;
  command
      .add_option_function<std::string>(
          "--trim", [&edits](const std::string& text) { edits.trim = read_times(text); },
          "Of the clip, keep what is between two times; what is edited takes its place among the clips")
      ->type_name("FROM:TO");
  command.add_flag("--mirror", edits.mirror, "Of the clip: left does what right did");
  command.add_flag("--loop", edits.loop, "Cut the clip to whole cycles where it closes best, and close it");
  command.add_flag("--in-place", edits.in_place, "Take the travel over the ground out of the clip");
  command.add_option("--name", options.name, "Another name for the clip");
  for (const char* option : {"--trim", "--mirror", "--loop", "--in-place"}) exclude(command, option, {"--time"});
}

}  // namespace

void add_convert(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command =
      add_command(app, terminal, "convert", "Convert between file formats, or bake a pose",
                  std::string("  limber convert robot.fbx -o robot.glb\n"
                              "  limber convert fox.glb -o fox.fbx\n"
                              "  limber convert fox.glb --clip Walk --time 0.4 -o posed.obj\n"
                              "  limber convert walk.bvh -o walk.glb\n"
                              "  limber convert fox.glb --clip Run --fps 60 -o run.bvh\n"
                              "  limber convert fox.glb --clip Run --trim 0.2:1 --loop --in-place -o loop.glb\n") +
                      known_formats(),
                  [&terminal, options] { return convert(terminal, *options); });
  command->add_option("input", options->input, "The asset to read")->required()->type_name("FILE");
  command->add_option("-o,--output", options->output, "Where to write; the extension tells the format")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--clip", options->clip,
                   "Bake this clip's pose (by name, or #0 for the first) at its beginning, or at --time; for .bvh: "
                   "write this clip")
      ->type_name("NAME");
  command->add_option("--time", options->time, "Bake the pose at this time of the clip")->type_name("SECONDS");
  command->add_option("--fps", options->fps, "Frames a second in a .bvh")
      ->check(CLI::Range(1.0, 1000.0))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--influences", options->influences, "Keep 4 or 8 influences per vertex")
      ->check(CLI::IsMember({4, 8}))
      ->type_name("N");
  add_edit_options(*command, *options);
  command->parse_complete_callback([command, options] {
    if (command->count("--fps") == 0 || writes_one_clip(options->output)) return;
    throw CLI::ValidationError("--fps and --output " + options->output,
                               "contradict each other: only a .bvh has a frame rate");
  });
}

}  // namespace limber::cli
