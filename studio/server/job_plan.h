// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "studio/server/shelf.h"

/// What a page may ask for, as command lines of limber. Options are known by name and type: nothing that a client wrote
/// becomes the name of an option or a path.
namespace limber::studio {

/// A job as a page orders it.
struct JobRequest {
  std::string task;            ///< "animate"
  std::optional<Asset> asset;  ///< what it is done to
  Json options = Json::object();
};

/// A job as a command line.
struct JobPlan {
  std::vector<std::string> arguments;
  std::string stem = "result";  ///< names of results begin with it
  std::string label;            ///< of results that bring none
  AssetKind result_kind = AssetKind::kModel;
  std::string report_file;  ///< in the job's folder: the report, where it is not what the program prints
  std::string result_file;  ///< in the job's folder: the only result that counts; empty: all
};

/// The body of a request. Errors tell where it is no JSON, or has numbers that no machine holds.
Result<Json> parse_body(std::string_view text);

/// Finds the video of an `animate` job: `options["video"]` is the id of an asset.
using FindAsset = std::function<std::optional<Asset>(const std::string& id)>;

/// The poses of an `animate` job's `keyframes`, written before it starts into its folder.
inline constexpr const char* kKeyframesFile = "keyframes.glb";

/// `folder` is the job's own. Errors name the option.
Result<JobPlan> plan_job(const JobRequest& request, const std::filesystem::path& folder, const FindAsset& find);

/// The command line that turns an uploaded model into a GLB.
JobPlan plan_import(const Asset& asset, const std::filesystem::path& folder);

/// Creatures that the first screen offers: a name for a person, and what the task `zoo` takes as `body`.
struct Example {
  const char *name, *body, *action;
};
const std::vector<Example>& examples();

}  // namespace limber::studio
