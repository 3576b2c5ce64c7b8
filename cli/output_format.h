// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "limber/asset/formats.h"
#include "limber/base/files.h"
#include "limber/base/result.h"

namespace limber::cli {

/// Before minutes are spent on what cannot be written: whether `output` can be a file with a motion, or with `several`.
inline Status check_motion_output(const std::string& output, bool several = false) {
  const std::filesystem::path path(output), folder = path.parent_path();
  std::error_code failed;
  if (!folder.empty() && !std::filesystem::is_directory(folder, failed)) {
    return Error{"the folder is missing", output, ErrorKind::kMissing};
  }
  const auto holds = [&](const asset::Format& format) {
    return format.writes() && format.clips && !(several && format.one_clip);
  };
  const asset::Format* format = asset::find_format(path);
  if (format != nullptr && holds(*format)) return Done{};
  return Error{fmt::format("{} can be written as {}, not as \"{}\"", several ? "several motions" : "a motion",
                           asset::list_formats(holds, " or "), lower_extension(output)),
               output};
}

}  // namespace limber::cli
