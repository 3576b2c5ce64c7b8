// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "facing_options.h"
#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/pose_space/pose_diffusion.h"
#include "limber/rig/subject.h"
#include "terminal.h"

/// What the subcommands of `limber pose` share.
namespace limber::cli {

struct PoseOptions {
  std::string input, other, output, model;
  std::string clip_output;  ///< of sample, beside a sheet
  std::vector<std::string> scans;
  std::optional<std::string> clip;
  FacingOptions facing;
  double fps = 24, strength = 0.3, seconds = 0, other_seconds = 0;
  double smooth = 0.02, prior = 0.05;  ///< of fit
  double variety = 0;                  ///< of solve
  int count = 16, frames = 24;
  std::uint64_t seed = 0;
  std::vector<std::string> handles, looks;
};

/// A file, what it holds, and its poses.
struct Opened {
  asset::Asset asset;
  rig::Subject subject;
  pose_space::PoseSpace space;
};

Result<Opened> open_file(const Terminal& terminal, const PoseOptions& options);

/// Writes the asset with the motion as a new clip.
Status write_motion(const Terminal& terminal, Opened& opened, const kinematics::Motion& motion, const std::string& name,
                    const std::string& output);

/// `limber pose fit`.
Status run_fit(const Terminal& terminal, const PoseOptions& options);

}  // namespace limber::cli
