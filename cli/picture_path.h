// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "limber/base/files.h"

namespace limber::cli {

/// Whether a path's ending is that of a picture that can be read and written, in either case.
inline bool is_picture_path(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg" || extension == ".webp";
}

}  // namespace limber::cli
