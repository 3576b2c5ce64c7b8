// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "limber/base/result.h"

/// The page as files: a fixed list of names, each as it is or gzipped.
namespace limber::studio {

struct PageFile {
  std::string bytes;
  std::string type;  ///< "text/html; charset=utf-8"
  bool gzipped = false;
};

/// The folder of the page that is built with limber: beside the program, as built or installed. `kMissing` where it is
/// not there: says how to get it.
Result<std::filesystem::path> find_page();

bool is_page(const std::filesystem::path& folder);

/// The file that a path ("/", "/app.js") names, read anew at every call. Nothing where there is none.
std::optional<PageFile> read_page_file(const std::filesystem::path& folder, std::string_view path);

}  // namespace limber::studio
