// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/batch/content_checksum.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "limber/asset/gltf_uri.h"
#include "limber/base/checksum.h"
#include "limber/base/files.h"

namespace limber::batch {
namespace {

namespace fs = std::filesystem;

/// Piece by piece: videos and weights may be larger than the memory.
Status add_file(const fs::path& path, Checksum& sum) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return Error{"is no file", path.string(), ErrorKind::kMissing};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return Error{std::string("cannot open: ") + std::strerror(errno), path.string()};
  std::vector<std::byte> piece(1 << 16);
  while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), file.get())) {
    sum.add(std::span<const std::byte>(piece).first(n));
  }
  if (std::ferror(file.get()) != 0) return Error{"cannot read", path.string()};
  return Done{};
}

/// What a .gltf names: buffers and pictures that are not in the file itself.
std::vector<std::string> gltf_names(std::string_view text) {
  std::vector<std::string> names;
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  for (const char* list : {"buffers", "images"}) {
    if (!document.is_object() || !document.contains(list) || !document[list].is_array()) continue;
    for (const nlohmann::json& entry : document[list]) {
      if (!entry.is_object() || !entry.contains("uri") || !entry["uri"].is_string()) continue;
      const std::string uri = entry["uri"];
      if (uri.rfind("data:", 0) != 0) names.push_back(uri);
    }
  }
  return names;
}

/// What an .obj names: libraries of materials.
std::vector<std::string> obj_names(std::string_view text) {
  std::vector<std::string> names;
  constexpr std::string_view kKey = "mtllib ";
  for (std::size_t at = text.find(kKey); at != std::string_view::npos; at = text.find(kKey, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    const std::size_t end = text.find_first_of("\r\n", at);
    names.emplace_back(text.substr(at + kKey.size(), end == std::string_view::npos ? end : end - at - kKey.size()));
  }
  return names;
}

/// The file that a model means by a name, if it lies below the model's folder: readers look nowhere else, and elsewhere
/// there may be files without an end.
fs::path named_file(const fs::path& model, bool encoded, const std::string& name) {
  const fs::path folder = model.has_parent_path() ? model.parent_path() : ".";
  const Result<std::string> plain = encoded ? asset::relative_path(name, "") : Result<std::string>(name);
  if (!plain.ok()) return {};
  const Result<fs::path> file = asset::path_inside(folder, *plain, "");
  return file.ok() ? *file : fs::path();
}

/// A name that leads nowhere is the reader's business; it must not make an id impossible.
Status add_named_files(const fs::path& path, Checksum& sum) {
  const std::string ending = lower_extension(path);
  if (ending != ".gltf" && ending != ".obj") return Done{};
  LIMBER_TRY(const Bytes bytes, read_file(path));
  for (const std::string& name : ending == ".gltf" ? gltf_names(as_text(bytes)) : obj_names(as_text(bytes))) {
    const fs::path named = named_file(path, ending == ".gltf", name);
    std::error_code failed;
    sum.add(name);
    if (fs::is_regular_file(named, failed)) LIMBER_CHECK_OK(add_file(named, sum));
  }
  return Done{};
}

Status add_folder(const fs::path& folder, Checksum& sum) {
  std::error_code failed;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->is_regular_file(failed)) files.push_back(entry->path());
  }
  if (failed) return Error{failed.message(), folder.string()};
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    sum.add(file.lexically_relative(folder).generic_string());
    LIMBER_CHECK_OK(add_file(file, sum));
  }
  return Done{};
}

}  // namespace

Result<std::uint64_t> content_checksum(const fs::path& path) {
  std::error_code failed;
  Checksum sum;
  if (fs::is_directory(path, failed)) {
    LIMBER_CHECK_OK(add_folder(path, sum));
  } else {
    // A reader goes by the ending.
    sum.add(lower_extension(path));
    LIMBER_CHECK_OK(add_file(path, sum));
    LIMBER_CHECK_OK(add_named_files(path, sum));
  }
  return sum.value();
}

}  // namespace limber::batch
