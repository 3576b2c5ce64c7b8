// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "render_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "command.h"
#include "limber/anatomy/find_facing.h"
#include "limber/asset/surface.h"
#include "limber/asset/video.h"
#include "limber/base/files.h"
#include "limber/rig/facing.h"

namespace limber::cli {
namespace {

Result<std::pair<int, int>> parse_pair(const std::string& text, const std::string& option, int largest) {
  int a = 0, b = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &a, &b, &rest) != 2 || a < 1 || b < 1 || a > largest || b > largest) {
    return Error{fmt::format("expected two numbers up to {} such as 4x3, not '{}'", largest, text), option};
  }
  return std::pair{a, b};
}

Result<Vec3> parse_color(const std::string& text) {
  unsigned value = 0;
  char rest = 0;
  const char* digits = text.c_str() + (!text.empty() && text[0] == '#' ? 1 : 0);
  if (std::string_view(digits).size() != 6 || std::sscanf(digits, "%6x%c", &value, &rest) != 1) {
    return Error{"expected a colour such as e6edf7, not '" + text + "'", "--sky"};
  }
  const auto channel = [&](int shift) { return static_cast<float>(value >> shift & 255u) / 255; };
  return Vec3{channel(16), channel(8), channel(0)};
}

Result<std::vector<scene::Layer>> parse_layers(const std::vector<std::string>& names) {
  std::vector<scene::Layer> layers;
  for (const std::string& name : names) {
    const auto layer = scene::layer_from_name(name);
    if (!layer) {
      std::string known;
      for (int i = 0; i < scene::kLayerCount; ++i) {
        known.append(i == 0 ? "" : ", ").append(scene::name(static_cast<scene::Layer>(i)));
      }
      return Error{"no layer '" + name + "'; there are: " + known, "--layers"};
    }
    if (std::find(layers.begin(), layers.end(), *layer) != layers.end()) {
      return Error{"the layer '" + name + "' is named twice", "--layers"};
    }
    layers.push_back(*layer);
  }
  return layers;
}

/// The newest clip that limber made, and where it made none, the first.
int usual_clip(const asset::Asset& asset) {
  for (std::size_t i = asset.clips.size(); i-- > 0;) {
    const std::string& extras = asset.clips[i].extras;
    if (!extras.empty() && nlohmann::json::parse(extras, nullptr, false).contains("limber")) return static_cast<int>(i);
  }
  return 0;
}

Result<std::vector<int>> choose_clips(const asset::Asset& asset, const RenderOptions& options) {
  std::vector<int> clips;
  if (options.all_clips) {
    const int count = static_cast<int>(asset.clips.size());
    for (int clip = options.first_clip; clip < count; ++clip) clips.push_back(clip);
    if (clips.empty()) return Error{"there are no clips", asset.name};
  } else if (!options.clip) {
    clips.push_back(asset.clips.empty() || options.turntable ? -1 : usual_clip(asset));
  } else {
    const Result<int> found = find_clip(asset, *options.clip);
    if (!found.ok() && *options.clip != "rest") return found.error();
    clips.push_back(found.ok() ? *found : -1);
  }
  return clips;
}

bool moves(const RenderOptions& options, const std::vector<int>& clips) {
  if (options.time || options.frames == 1) return false;
  return options.turntable || clips.size() > 1 || clips[0] >= 0 || options.frames > 1;
}

/// How large a sheet is, which takes all frames of the clips in it.
Status plan_sheet(const RenderOptions& options, std::size_t clips, OutputPlan& plan) {
  const int frames = options.time ? 1 : options.frames;
  plan.kind = OutputKind::kSheet;
  plan.columns = 4;
  if (!options.sheet) {
    const double rows = std::ceil(double(clips) * (frames > 0 ? frames : 2 * plan.columns) / plan.columns);
    if (rows > kMaxFrames)
      return Error{fmt::format("a sheet of {:.0f} rows is too large", rows), plan.path, ErrorKind::kOutOfMemory};
    plan.rows = static_cast<int>(rows);
    return Done{};
  }
  LIMBER_TRY(const auto grid, parse_pair(*options.sheet, "--sheet", 64));
  plan.columns = grid.first, plan.rows = grid.second;
  const double needed = double(clips) * std::max(frames, 1);
  if (needed <= double(plan.columns) * plan.rows) return Done{};
  return Error{fmt::format("{:.0f} frames do not fit into a sheet of {}", needed, *options.sheet), "--sheet",
               ErrorKind::kConflict};
}

/// What kind of file is meant. A picture of something that moves is a sheet of it.
Result<OutputPlan> plan_output(const RenderOptions& options, const std::vector<int>& clips) {
  OutputPlan plan;
  plan.fps = options.fps;
  plan.crf = options.crf;
  plan.path = options.output;
  const bool moving = moves(options, clips);
  if (plan.path.empty()) {
    plan.path = std::filesystem::path(options.input).stem().string() + (moving && !options.sheet ? ".mp4" : ".png");
  }
  if (plan.path.back() == '/' || std::filesystem::is_directory(plan.path)) {
    plan.path = (std::filesystem::path(plan.path) / "frame_%04d.png").string();
  }
  const std::string extension = lower_extension(plan.path);
  const bool picture = extension == ".png" || extension == ".jpg" || extension == ".jpeg" || extension == ".webp";
  if (!picture && !asset::is_video_path(plan.path)) {
    return Error{"cannot tell what to write: use .mp4, .gif, .webp, .png, .jpg or a folder ending in /", plan.path,
                 ErrorKind::kUnsupported};
  }
  const std::size_t together = clips_together(plan, clips);
  if (options.sheet && picture) {
    LIMBER_CHECK_OK(plan_sheet(options, together, plan));
  } else if (options.sheet) {
    return Error{"--sheet makes a picture: .png, .jpg or .webp", plan.path, ErrorKind::kConflict};
  } else if (picture && has_frame_number(plan.path)) {
    plan.kind = OutputKind::kSequence;
  } else if (picture && !moving && together == 1) {
    plan.kind = OutputKind::kPicture;
  } else if (!asset::is_video_path(plan.path)) {
    LIMBER_CHECK_OK(plan_sheet(options, together, plan));
  }
  return plan;
}

/// What the options leave open is as the body itself tells.
FacingOptions completed(const asset::Asset& asset, const FacingOptions& asked) {
  if (asked.forward) return asked;
  const rig::Facing found = anatomy::believed_facing(asset, asked.up);
  return found.known() ? FacingOptions{found.up, found.forward} : asked;
}

/// The turn that brings up to +Y and forward, if anybody says it, to +Z.
Result<Quat> upright_turn(const FacingOptions& facing) {
  const Vec3 y{0, 1, 0};
  const Quat upright = rotation_between(facing.up.value_or(y), y);
  if (!facing.forward) return upright;
  LIMBER_TRY(const rig::Facing found, rig::make_facing(facing.up.value_or(y), *facing.forward));
  const Vec3 ahead = rotate(upright, found.forward);
  return axis_angle(y, -std::atan2(ahead.x, ahead.z)) * upright;
}

void add_camera_options(CLI::App& command, RenderOptions& options) {
  command.add_flag("--turntable", options.turntable, "Turn once round the model (without --clip: at rest)");
  command.add_option("--azimuth", options.azimuth, "Degrees round the model: 0 from its front, 90 from its left")
      ->check(CLI::Range(-3600.0, 3600.0))
      ->capture_default_str()
      ->type_name("DEG");
  command.add_option("--elevation", options.elevation, "Degrees above the horizon")
      ->check(CLI::Range(-90.0, 90.0))
      ->capture_default_str()
      ->type_name("DEG");
  command.add_option("--views", options.views, "Cameras, spread evenly round the model")
      ->check(CLI::Range(1, 64))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--fill", options.fill, "Part of the picture that the model takes")
      ->check(CLI::Range(0.05, 1.0))
      ->capture_default_str()
      ->type_name("X");
  command.add_flag("--follow,!--no-follow", options.follow, "Move along with the model (default), or stand still");
  command.add_option("--cameras", options.cameras, "Cameras from a file that --write-cameras wrote")->type_name("FILE");
  command.add_option("--write-cameras", options.write_cameras, "Write the cameras as JSON")->type_name("FILE");
}

}  // namespace

/// How many clips come into one file.
std::size_t clips_together(const OutputPlan& plan, const std::vector<int>& clips) {
  return plan.path.find("{clip}") == std::string::npos ? clips.size() : 1;
}

Result<RenderPlan> make_plan(const asset::Asset& asset, const RenderOptions& options) {
  RenderPlan plan;
  LIMBER_TRY(plan.layers, parse_layers(options.layers));
  LIMBER_TRY(plan.clips, choose_clips(asset, options));
  LIMBER_TRY(plan.output, plan_output(options, plan.clips));
  const bool sheet = plan.output.kind == OutputKind::kSheet;
  LIMBER_TRY(const auto size, parse_pair(options.size.value_or(sheet ? "320x240" : "1280x720"), "--size", 16384));
  scene::OrbitSettings& orbit = plan.orbit;
  orbit.width = size.first, orbit.height = size.second;
  orbit.azimuth = static_cast<float>(options.azimuth * kPi / 180);
  orbit.elevation = static_cast<float>(options.elevation * kPi / 180);
  // What only turns goes round once; in a file without motion a video is a turntable.
  const bool turn =
      options.turntable || (plan.clips == std::vector<int>{-1} && plan.output.kind != OutputKind::kPicture);
  orbit.turn = turn ? static_cast<float>(2 * kPi) : 0;
  orbit.fill = static_cast<float>(options.fill);
  orbit.views = options.views;
  orbit.follow = options.follow;
  plan.look.ground.visible = !options.no_ground;
  if (options.sky) {
    LIMBER_TRY(plan.look.ground.sky, parse_color(*options.sky));
  }
  return plan;
}

Status turn_upright(asset::Asset& asset, const FacingOptions& asked) {
  const FacingOptions facing = completed(asset, asked);
  if (!facing.up && !facing.forward) return Done{};
  LIMBER_TRY(const Quat turn, upright_turn(facing));
  if (turn == Quat{}) return Done{};
  asset::turn_scene(asset, turn);
  return Done{};
}

void add_render_options(CLI::App& command, RenderOptions& options) {
  command.add_option("input", options.input, "The asset to draw")->required()->type_name("FILE");
  command
      .add_option("-o,--output", options.output,
                  "Where to write; by default NAME.mp4, or .png at rest, in the current folder")
      ->type_name("FILE");
  command
      .add_option(
          "--clip", options.clip,
          "Which clip: its name, #0 for the first, or 'rest'; by default the newest that limber made, else the first")
      ->type_name("NAME");
  command.add_flag("--all-clips", options.all_clips, "All clips");
  command.add_option("--layers", options.layers, "rgb, mask, depth, normals, parts, skeleton, weights")
      ->delimiter(',')
      ->capture_default_str()
      ->type_name("LIST");
  command
      .add_option(
          "--parts", options.parts,
          "Labels per triangle for the layer 'parts', as `limber parts` writes them; by default the skeleton's parts, "
          "of a body without one those that its file holds")
      ->type_name("FILE");
  command.add_option("--sheet", options.sheet, "A contact sheet of so many frames, evenly through the clip")
      ->type_name("COLSxROWS");
  command.add_option("--size", options.size, "Of every layer and view; 1280x720, in sheets 320x240")->type_name("WxH");
  command.add_option("--fps", options.fps, "Frames a second")
      ->check(CLI::Range(0.1, 1000.0))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--frames", options.frames, "How many frames; 0: the whole clip once")
      ->check(CLI::Range(0, kMaxFrames))
      ->type_name("N");
  command.add_option("--time", options.time, "Only this moment of the clip")->type_name("SECONDS");
  command.add_option("--crf", options.crf, "Of an .mp4: 0 lossless, 18 hardly visible, 28 small")
      ->check(CLI::Range(0, 51))
      ->capture_default_str()
      ->type_name("N");
  add_camera_options(command, options);
  add_facing_options(command, options.facing);
  command.add_flag("--no-ground", options.no_ground, "No ground, only the sky");
  command.add_option("--sky", options.sky, "Colour behind everything")->type_name("RRGGBB");
  exclude(command, "--clip", {"--all-clips"});
  exclude(command, "--time", {"--frames", "--turntable"});
  exclude(command, "--cameras", {"--turntable", "--azimuth", "--elevation", "--views", "--fill", "--follow"});
}

}  // namespace limber::cli
