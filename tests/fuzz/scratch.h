// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace limber {

/// A folder of this process, for readers that want a file.
inline std::filesystem::path scratch_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "limber-fuzz-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) std::abort();
  return pattern;
}

/// Without waiting for the disk, as `write_file` does: thousands a second.
inline void put_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.flush()) std::abort();
}

}  // namespace limber
