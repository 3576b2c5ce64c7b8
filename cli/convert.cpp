// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "command.h"
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
};

Status convert(const Terminal& terminal, const ConvertOptions& options) {
  LIMBER_TRY(asset::Asset asset, read_asset_file(terminal, options.input));
  const bool to_bvh = lower_extension(options.output) == ".bvh";
  int clip = asset.clips.empty() ? -1 : 0;
  if (options.clip) {
    LIMBER_TRY(clip, find_clip(asset, *options.clip));
  }

  if (options.time || (options.clip && !to_bvh)) {
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

}  // namespace

void add_convert(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = add_command(app, terminal, "convert", "Convert between file formats, or bake a pose",
                                  "  limber convert robot.fbx -o robot.glb\n"
                                  "  limber convert fox.glb -o fox.fbx\n"
                                  "  limber convert fox.glb --clip Walk --time 0.4 -o posed.obj\n"
                                  "  limber convert walk.bvh -o walk.glb\n"
                                  "  limber convert fox.glb --clip Run --fps 60 -o run.bvh\n"
                                  "Reads .glb .gltf .fbx .obj .ply .stl .dae .bvh, writes .glb .gltf .fbx .obj .bvh.",
                                  [&terminal, options] { return convert(terminal, *options); });
  command->add_option("input", options->input, "The asset to read")->required()->type_name("FILE");
  command->add_option("-o,--output", options->output, "Where to write; the extension tells the format")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--clip", options->clip,
                   "Bake this clip's pose (by name, or #0 for the first); for .bvh: write this clip")
      ->type_name("NAME");
  command->add_option("--time", options->time, "Bake the pose at this time of the clip")->type_name("SECONDS");
  command->add_option("--fps", options->fps, "Frames a second in a .bvh")
      ->check(CLI::Range(1.0, 1000.0))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--influences", options->influences, "Keep 4 or 8 influences per vertex")
      ->check(CLI::IsMember({4, 8}))
      ->type_name("N");
  command->parse_complete_callback([command, options] {
    if (command->count("--fps") == 0 || lower_extension(options->output) == ".bvh") return;
    throw CLI::ValidationError("--fps and --output " + options->output,
                               "contradict each other: only a .bvh has a frame rate");
  });
}

}  // namespace limber::cli
