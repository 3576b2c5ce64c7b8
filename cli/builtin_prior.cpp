// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "builtin_prior.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "limber/prior/part_model.h"

namespace limber::cli {

Result<std::string> find_builtin_prior() {
  namespace fs = std::filesystem;
  std::vector<fs::path> places;
  if (const char* models = std::getenv("LIMBER_MODELS")) places.emplace_back(models);
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path();
  if (!failed) {
    places.push_back(program / ".." / "share" / "limber" / "models");
    places.push_back(program / ".." / ".." / "models");
  }
  places.emplace_back("models");
  for (const fs::path& place : places) {
    if (prior::is_part_model(place / "part_prior")) return (place / "part_prior").lexically_normal().string();
  }
  return Error{"the built-in prior was not found; set LIMBER_MODELS to the folder that holds it, or give --prior",
               "models/part_prior"};
}

}  // namespace limber::cli
