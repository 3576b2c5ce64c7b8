// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "limber/autorig/auto_rig.h"
#include "limber/base/result.h"

/// The options of `limber rig` that say which skeleton a body gets.
namespace limber::cli {

struct SkeletonOptions {
  std::string kind;      ///< a built-in template's name, "curve", or empty to choose
  std::string skeleton;  ///< a file to use as template
  std::string parts;     ///< a file of face labels, or "extras"
  std::string names, root, forward;
  std::string reader = "auto";    ///< see open_body_reader
  std::vector<std::string> pins;  ///< "hip.L=0.1,0.9,0"
  int joints = 0;
};

void add_skeleton_options(CLI::App& command, SkeletonOptions& options);

/// What the options mean. Reads the files that they name.
Result<autorig::AutoRigSettings> skeleton_settings(const SkeletonOptions& options, const asset::Asset& asset);

nlohmann::ordered_json skeleton_json(const autorig::AutoRigReport& report, const skeleton::SkeletonPlan& plan);

/// Logs what a person should know.
void log_report(const autorig::AutoRigReport& report, const skeleton::SkeletonPlan& plan);

}  // namespace limber::cli
