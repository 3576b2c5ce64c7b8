// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "builtin_models.h"

#include <spdlog/spdlog.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "limber/anatomy/body_reader.h"
#include "limber/prior/part_model.h"

namespace limber::cli {
namespace {

namespace fs = std::filesystem;

template <class Recognise>
std::optional<fs::path> find_model(const char* name, Recognise recognise) {
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
    if (recognise(place / name)) return (place / name).lexically_normal();
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> find_builtin_prior() {
  if (const auto found = find_model("part_prior", prior::is_part_model)) return found->string();
  return Error{"the built-in prior was not found; set LIMBER_MODELS to the folder that holds it, or give --prior",
               "models/part_prior"};
}

Result<anatomy::ReadBody> open_body_reader(const std::string& option) {
  if (option == "none") return anatomy::ReadBody();
  std::optional<fs::path> folder = option;
  if (option == "auto") folder = find_model("body_reader", anatomy::is_reader_model);
  if (!folder) {
    spdlog::warn(
        "models/body_reader was not found; bodies are judged by their shape alone (LIMBER_MODELS tells where)");
    return anatomy::ReadBody();
  }
  LIMBER_TRY(anatomy::BodyReader opened, anatomy::BodyReader::open(*folder));
  const auto shared = std::make_shared<const anatomy::BodyReader>(std::move(opened));
  return anatomy::ReadBody([shared](const body::BodyShape& body) { return shared->read(body); });
}

}  // namespace limber::cli
