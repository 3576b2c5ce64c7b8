// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "facing_options.h"
#include "frame_output.h"
#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/scene/layers.h"

/// What `limber render` is asked for.
namespace limber::cli {

inline constexpr int kMaxFrames = 100000;

struct RenderOptions {
  std::string input, output;  ///< output: empty to be named after the input
  std::optional<std::string> clip;
  bool all_clips = false;
  int first_clip = 0;  ///< of all clips: those before are left out
  std::vector<std::string> layers{"rgb"};
  std::optional<std::string> parts;  ///< a file of labels, for the layer of parts
  std::optional<std::string> size, sheet;
  double fps = 24;
  std::optional<double> time;
  int frames = 0;  ///< 0: the whole clip once
  int crf = 18;
  bool turntable = false, follow = true, no_ground = false;
  double azimuth = 40, elevation = 15, fill = 0.9;
  int views = 1;
  std::optional<std::string> cameras, write_cameras, sky;
  FacingOptions facing;
};

void add_render_options(CLI::App& command, RenderOptions& options);

/// The options made sense of.
struct RenderPlan {
  std::vector<scene::Layer> layers;
  std::vector<int> clips;  ///< -1: as the file stands
  OutputPlan output;
  scene::OrbitSettings orbit;
  scene::LayerSettings look;
};

Result<RenderPlan> make_plan(const asset::Asset& asset, const RenderOptions& options);

/// How many clips come into one file.
std::size_t clips_together(const OutputPlan& plan, const std::vector<int>& clips);

/// Turns the whole asset so that it stands along +Y and looks along +Z: as the options say, else as its skins or the
/// names of its joints tell (anatomy/find_facing.h). What nothing tells of stays as it is.
Status turn_upright(asset::Asset& asset, const FacingOptions& asked);

}  // namespace limber::cli
