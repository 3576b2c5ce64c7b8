// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "facing_options.h"
#include "limber/autorig/rig_asset.h"
#include "limber/base/math.h"
#include "limber/base/result.h"

/// The options of `limber rig`.
namespace limber::cli {

struct RigOptions {
  std::string input, output;
  std::optional<std::string> report;
  bool keep_skeleton = false, replace = false, stand_up = false;
  std::string kind = "auto";            ///< a built-in template's name, "auto" or "curve"
  std::optional<std::string> skeleton;  ///< a file to use as template
  std::optional<std::string> parts;     ///< a file of face labels, or "extras"
  std::optional<std::string> from;      ///< "parts": as the network finds them; "auto": where no template is believed
  double least_agreement = 0.4;  ///< for "auto": views that agree less are not believed (docs/parts.md, Which rig)
  std::optional<std::string> names, root;
  std::optional<int> joints;
  std::vector<std::pair<std::string, Vec3d>> pins;
  FacingOptions facing;
  std::string reader = "auto";  ///< see open_body_reader
  std::string weights = "auto";
  int influences = 4;
  double stiffness = 3;
};

/// Options that contradict each other are wrong usage.
void add_rig_options(CLI::App& command, RigOptions& options);

/// What the options mean. Reads the files that they name, but for the asset.
Result<autorig::RigRequest> rig_request(const RigOptions& options);

}  // namespace limber::cli
