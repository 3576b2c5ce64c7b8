// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "builtin_models.h"

#include <spdlog/spdlog.h>

#include "limber/anatomy/shipped_reader.h"

namespace limber::cli {

Result<anatomy::ReadBody> open_body_reader(const std::string& option) {
  if (option == "none") return anatomy::ReadBody();
  if (option != "auto") return anatomy::open_body_reader(option);
  const Result<std::filesystem::path> folder = anatomy::find_body_reader();
  if (folder.ok()) return anatomy::open_body_reader(*folder);
  spdlog::warn("{}; bodies are judged by their shape alone", folder.error().message());
  return anatomy::ReadBody();
}

}  // namespace limber::cli
