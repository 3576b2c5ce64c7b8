// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include "limber/asset/formats.h"
#include "limber/base/files.h"
#include "limber/base/writable.h"

namespace limber::cli {
namespace {

namespace fs = std::filesystem;

/// Options that name what is written. `tests/pipeline/outputs_test.py` finds those that are missing here.
constexpr std::string_view kWritten[] = {
    "--output", "--report", "--preview", "--losses",        "--timeline", "--mjcf", "--samples", "--glb",
    "--csv",    "--skin",   "--sheet",   "--write-cameras", "--outcomes", "--keep", "--sheets",  "--checkpoint"};
/// Endings of single files, beside those of models (asset/formats.h). Other outputs are folders, or many files by a
/// pattern (%04d): their commands make folders.
constexpr std::string_view kFileEndings[] = {".mp4",  ".gif", ".webp", ".png", ".jpg",         ".jpeg",
                                             ".json", ".csv", ".svg",  ".xml", ".safetensors", ".bin"};
constexpr std::string_view kFileTypes[] = {"FILE", "FILES", "FILE[:TIMES]", "DIR", "FOLDER", "PATH"};

/// A file or folder that the command line names, or that follows from what it names.
struct Place {
  std::string what;
  fs::path path;
};
struct Places {
  std::vector<Place> read, written;
};

std::map<const CLI::App*, std::function<std::vector<UnnamedOutput>()>>& unnamed_outputs() {
  static std::map<const CLI::App*, std::function<std::vector<UnnamedOutput>()>> outputs;
  return outputs;
}

/// Words without an option are files in all commands.
bool names_files(const CLI::Option& option) {
  const std::string type = option.get_type_name() + ":";  // what is checked follows
  return option.get_positional() ||
         std::any_of(std::begin(kFileTypes), std::end(kFileTypes),
                     [&](std::string_view word) { return type.rfind(std::string(word) + ":", 0) == 0; });
}

bool is_written(const CLI::Option& option) {
  return std::any_of(std::begin(kWritten), std::end(kWritten),
                     [&](std::string_view name) { return option.check_name(std::string(name)); });
}

/// `poses.glb` of `poses.glb:0,1.5`: what follows the name of a file tells what of it counts.
fs::path file_of(const std::string& text) {
  std::error_code failed;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || fs::exists(text, failed)) return text;
  return fs::exists(text.substr(0, colon), failed) ? text.substr(0, colon) : text;
}

void gather(const CLI::App& app, Places& places) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || !names_files(*option)) continue;
    std::vector<Place>& side = is_written(*option) ? places.written : places.read;
    for (const std::string& value : option->results()) side.push_back({option->get_name(), file_of(value)});
  }
  if (const auto more = unnamed_outputs().find(&app); more != unnamed_outputs().end()) {
    for (UnnamedOutput& output : more->second()) places.written.push_back({std::move(output.what), output.path});
  }
  for (const CLI::App* command : app.get_subcommands()) gather(*command, places);
}

/// By device and number where both are there, else by the name that is left when all links are followed. Nothing of a
/// device or a pipe (/dev/null, /dev/stdout) is replaced: those may have several names and uses.
bool same_place(const fs::path& a, const fs::path& b) {
  std::error_code failed;
  if (a.empty() || b.empty()) return false;
  const fs::file_status kind = fs::status(a, failed);
  if (fs::is_character_file(kind) || fs::is_fifo(kind)) return false;
  if (fs::equivalent(a, b, failed) && !failed) return true;
  const fs::path whole_a = fs::weakly_canonical(fs::absolute(a, failed), failed);
  const fs::path whole_b = fs::weakly_canonical(fs::absolute(b, failed), failed);
  return !whole_a.empty() && whole_a == whole_b;
}

bool is_single_file(const fs::path& path) {
  const std::string ending = lower_extension(path);
  return path.string().find('%') == std::string::npos &&
         (asset::find_format(path) != nullptr || std::any_of(std::begin(kFileEndings), std::end(kFileEndings),
                                                             [&](std::string_view e) { return ending == e; }));
}

/// Whether its folder is an output itself, which is made when it is needed.
bool has_folder_to_come(const Place& output, const Places& places) {
  std::error_code failed;
  const fs::path folder = output.path.parent_path();
  return !fs::exists(folder, failed) && std::any_of(places.written.begin(), places.written.end(),
                                                    [&](const Place& other) { return same_place(folder, other.path); });
}

[[noreturn]] void refuse(const Place& one, const Place& other, const char* why) {
  throw CLI::ValidationError(
      fmt::format("{} ({}) and {} ({})", one.what, one.path.string(), other.what, other.path.string()),
      fmt::format("are the same: {}", why));
}

}  // namespace

void also_writes(const CLI::App& command, std::function<std::vector<UnnamedOutput>()> files) {
  unnamed_outputs()[&command] = std::move(files);
}

void check_outputs(const CLI::App& app) {
  Places places;
  gather(app, places);
  for (std::size_t i = 0; i < places.written.size(); ++i) {
    const Place& output = places.written[i];
    for (const Place& input : places.read) {
      if (same_place(output.path, input.path)) refuse(output, input, "it would be written over while it is needed");
    }
    for (std::size_t k = i + 1; k < places.written.size(); ++k) {
      if (same_place(output.path, places.written[k].path)) refuse(output, places.written[k], "one would be lost");
    }
  }
}

Status check_writable_outputs(const CLI::App& app) {
  Places places;
  gather(app, places);
  for (const Place& output : places.written) {
    if (!is_single_file(output.path) || has_folder_to_come(output, places)) continue;
    LIMBER_CHECK_OK(check_writable(output.path));
  }
  return Done{};
}

}  // namespace limber::cli
