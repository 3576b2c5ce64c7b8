// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

/// The file formats of models: the one place that lists them.
namespace limber::asset {

/// What reads a format, and what writes it: `read_asset` and `write_asset` go by it, never by an extension.
enum class Reader { kNone, kGltf, kAssimp, kBvh };
enum class Writer { kNone, kGlb, kGltf, kFbx, kObj, kBvh };

struct Format {
  std::string_view extension;  ///< ".glb"
  Reader reader = Reader::kNone;
  Writer writer = Writer::kNone;
  bool skins = false;          ///< holds skeletons that move a surface
  bool clips = false;          ///< holds motion
  bool one_clip = false;       ///< and no more of it than one
  bool one_file = false;       ///< what is written is in it, not beside it
  std::string_view lost = {};  ///< for a person: what of an asset is not written

  constexpr bool reads() const { return reader != Reader::kNone; }
  constexpr bool writes() const { return writer != Writer::kNone; }
};

/// All of them, the usual one first.
std::span<const Format> formats();

/// By an extension in any case (".GLB"), or that of a file; nullptr: none that limber knows.
const Format* find_format(const std::filesystem::path& extension_or_file);

/// Extensions of those for which `takes` is true, for a person: ".glb, .gltf and .fbx". `last` joins the last two.
template <class Takes>
std::string list_formats(const Takes& takes, std::string_view last = " and ", std::string_view between = ", ") {
  std::string list, pending;
  for (const Format& format : formats()) {
    if (!takes(format)) continue;
    if (!pending.empty()) list += (list.empty() ? "" : std::string(between)) + pending;
    pending = format.extension;
  }
  return list.empty() ? pending : list + std::string(last) + pending;
}

}  // namespace limber::asset
