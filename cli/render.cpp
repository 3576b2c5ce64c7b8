// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "command.h"
#include "limber/asset/pose.h"
#include "limber/base/stopwatch.h"
#include "limber/scene/film.h"
#include "limber/scene/layers.h"
#include "limber/skeleton/from_parts.h"
#include "render_canvas.h"
#include "render_plan.h"
#include "render_takes.h"

namespace limber::cli {
namespace {

Status draw_take(const asset::Asset& asset, const scene::Body& body, const RenderPlan& plan, const Take& take,
                 scene::LayerRenderer& renderer, Canvas& canvas, const std::function<void()>& drawn) {
  const std::size_t frames = take.times.size();
  const auto views = static_cast<std::size_t>(take.views);
  scene::BodyPose pose;
  std::vector<Bitmap> pictures, panels(views * plan.layers.size());
  for (std::size_t f = 0; f < frames; ++f) {
    if (f == 0 || take.clip >= 0) {
      body.pose(state_at(asset, take.clip, take.times[f]), pose);
      renderer.set_pose(pose);
    }
    for (std::size_t v = 0; v < views; ++v) {
      // Swapped in and out, so that buffers are used again.
      const auto first = panels.begin() + static_cast<std::ptrdiff_t>(v * plan.layers.size());
      pictures.resize(plan.layers.size());
      std::swap_ranges(pictures.begin(), pictures.end(), first);
      renderer.draw(take.cameras[v * frames + f], plan.layers, pictures);
      std::swap_ranges(pictures.begin(), pictures.end(), first);
    }
    LIMBER_CHECK_OK(canvas.add(take.name, panels));
    drawn();
  }
  return canvas.end_clip();
}

/// What cannot be drawn of this asset, before anything is.
Status check(const asset::Asset& asset, const scene::Body& body, const RenderPlan& plan) {
  if (body.mesh().triangles.empty() && !body.subject()) return Error{"there is nothing to draw", asset.name};
  for (const scene::Layer layer : plan.layers) {
    const bool labelled = layer == scene::Layer::kParts && !plan.look.part_colors.empty();
    const bool needs_rig =
        layer == scene::Layer::kParts || layer == scene::Layer::kSkeleton || layer == scene::Layer::kWeights;
    if (needs_rig && !labelled && !body.subject()) {
      return Error{fmt::format("the layer '{}' needs a skeleton, and there is none", scene::name(layer)), asset.name};
    }
  }
  return Done{};
}

/// The colours of labelled parts: of a file, or of a body without a skeleton whose own file holds labels. Empty where
/// there are none.
Result<std::vector<Vec3>> labelled_colors(const asset::Asset& asset, const scene::Body& body,
                                          const RenderOptions& options) {
  skeleton::PartLabels labels;
  if (options.parts) {
    LIMBER_TRY(labels, skeleton::read_labels(*options.parts));
  } else {
    if (body.subject()) return std::vector<Vec3>();
    Result<skeleton::PartLabels> own = skeleton::labels_of_asset(asset);
    if (!own.ok()) return std::vector<Vec3>();
    labels = *std::move(own);
  }
  const std::size_t triangles = body.mesh().triangles.size();
  if (labels.faces.size() != triangles) {
    return Error{fmt::format("{} labels, and {} triangles are shown", labels.faces.size(), triangles),
                 options.parts.value_or(asset.name)};
  }
  scene::BodyPose pose;
  body.pose(asset::rest_state(asset), pose);
  return scene::label_colors(pose.points, body.mesh().triangles, labels.faces);
}

Status render_asset(const Terminal& terminal, asset::Asset asset, const RenderOptions& options) {
  LIMBER_CHECK_OK(turn_upright(asset, options.facing));
  LIMBER_TRY(RenderPlan plan, make_plan(asset, options));
  LIMBER_TRY(const scene::Body body, scene::Body::from_asset(asset));
  for (const std::string& warning : body.warnings()) spdlog::warn("{}", printable(warning));
  // Of motion capture there is a skeleton to see.
  if (body.mesh().triangles.empty() && plan.layers == std::vector{scene::Layer::kRgb}) {
    plan.layers = {scene::Layer::kSkeleton};
  }
  LIMBER_TRY(plan.look.part_colors, labelled_colors(asset, body, options));
  LIMBER_CHECK_OK(check(asset, body, plan));
  LIMBER_TRY(const std::vector<Take> takes, make_takes(asset, body, options, plan));
  scene::BodyPose rest;
  body.pose(asset::rest_state(asset), rest);
  scene::fit_ground(body.mesh(), rest, plan.look.ground);

  std::size_t total = 0, done = 0;
  for (const Take& take : takes) total += take.times.size();
  const Stopwatch watch;
  std::vector<std::string> paths;
  {
    Activity activity(terminal, "rendering " + options.input);
    scene::LayerRenderer renderer(body, plan.look);
    Canvas canvas(plan.output, plan.layers, takes[0].views);
    const auto drawn = [&] { activity.update(static_cast<double>(++done) / static_cast<double>(total)); };
    for (const Take& take : takes) LIMBER_CHECK_OK(draw_take(asset, body, plan, take, renderer, canvas, drawn));
    LIMBER_CHECK_OK(canvas.finish());
    paths = canvas.paths();
  }
  const double seconds = watch.seconds();
  for (const std::string& path : paths) announce_file(terminal, path);
  if (terminal.json) {
    print_json({{"input", options.input},
                {"outputs", paths},
                {"frames", total},
                {"fps", options.fps},
                {"views", takes[0].views},
                {"layers", options.layers},
                {"seconds", seconds},
                {"warnings", body.warnings()}});
  } else {
    spdlog::debug("{} frames in {:.2f} s, {:.1f} frames/s", total, seconds, static_cast<double>(total) / seconds);
  }
  return Done{};
}

Status render(const Terminal& terminal, const RenderOptions& options) {
  LIMBER_TRY(asset::Asset asset, read_asset_file(terminal, options.input));
  return render_asset(terminal, std::move(asset), options);
}

}  // namespace

Status render_preview(const Terminal& terminal, const std::string& input, const std::string& clip,
                      const std::string& output, double fps, const FacingOptions& facing) {
  RenderOptions options;
  options.facing = facing;
  options.input = input, options.output = output;
  if (!clip.empty()) options.clip = clip;
  options.fps = fps, options.size = "512x384";
  return render({.quiet = terminal.quiet, .json = false, .events = terminal.events}, options);
}

Status render_previews(const Terminal& terminal, const std::string& input, int first_clip, const std::string& output,
                       double fps, const FacingOptions& facing) {
  RenderOptions options;
  options.facing = facing;
  options.input = input, options.output = output;
  options.all_clips = true, options.first_clip = first_clip;
  options.fps = fps, options.size = "512x384";
  return render({.quiet = terminal.quiet, .json = false, .events = terminal.events}, options);
}

Status render_sheet(const Terminal& terminal, asset::Asset asset, const std::string& clip, int frames,
                    const std::string& output, const FacingOptions& facing) {
  RenderOptions options;
  options.facing = facing;
  options.input = asset.name, options.output = output;
  options.clip = clip, options.frames = frames;
  return render_asset({.quiet = terminal.quiet, .json = false, .events = terminal.events}, std::move(asset), options);
}

void add_render(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<RenderOptions>();
  CLI::App* command =
      add_command(app, terminal, "render", "Draw a model: video, pictures or contact sheet, in several layers",
                  "  limber render fox.glb --clip Walk -o walk.mp4\n"
                  "  limber render fox.glb --clip Run --layers rgb,parts,skeleton -o run.mp4\n"
                  "  limber render fox.glb --clip Run --layers rgb,mask -o '{layer}.mp4'\n"
                  "  limber render fox.glb --turntable --size 1920x1080 -o turn.gif\n"
                  "  limber render fox.glb --clip Walk --sheet 6x2 -o sheet.png\n"
                  "  limber render fox.glb --clip Walk --time 0.4 -o pose.png\n"
                  "  limber render fox.glb --all-clips -o 'clips/{clip}_%04d.png'\n"
                  "Writes .mp4, .gif and .webp (through ffmpeg), .png, .jpg, and numbered pictures: a folder ending in "
                  "/, or %04d in\n"
                  "the name. {layer}, {view} and {clip} in the name make a file of each; otherwise layers and views "
                  "stand side by side\n"
                  "and clips follow each other.",
                  [&terminal, options] { return render(terminal, *options); });
  add_render_options(*command, *options);
}

}  // namespace limber::cli
