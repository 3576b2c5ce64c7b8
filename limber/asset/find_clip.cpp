// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/find_clip.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace limber::asset {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

Result<int> find_clip(const Asset& asset, const std::string& text) {
  std::string names;
  std::optional<int> alike;
  bool ambiguous = false;
  for (std::size_t i = 0; i < asset.clips.size(); ++i) {
    const std::string& name = asset.clips[i].name;
    if (name == text || "#" + std::to_string(i) == text) return static_cast<int>(i);
    if (lower(name) == lower(text)) ambiguous = alike.has_value(), alike = static_cast<int>(i);
    names += (i == 0 ? "" : ", ") + (name.empty() ? "#" + std::to_string(i) : name);
  }
  if (alike && !ambiguous) return *alike;
  return Error{asset.clips.empty() ? "there are no clips" : "no clip '" + text + "'; there are: " + names, asset.name};
}

}  // namespace limber::asset
