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

/// "#2".
std::string number(std::size_t clip) {
  std::string text = "#";
  text += std::to_string(clip);
  return text;
}

}  // namespace

Result<int> find_clip(const Asset& asset, const std::string& text) {
  std::string names;
  std::optional<int> alike;
  bool ambiguous = false;
  for (std::size_t i = 0; i < asset.clips.size(); ++i) {
    const std::string& name = asset.clips[i].name;
    if (name == text || number(i) == text) return static_cast<int>(i);
    if (lower(name) == lower(text)) ambiguous = alike.has_value(), alike = static_cast<int>(i);
    names += i == 0 ? "" : ", ";
    names += name.empty() ? number(i) : name;
  }
  if (alike && !ambiguous) return *alike;
  if (asset.clips.empty()) return Error{"there are no clips", asset.name};
  return Error{"no clip '" + text + "'; there are: " + names, asset.name};
}

std::string unused_clip_name(const Asset& asset, const std::string& wish) {
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(asset.clips.begin(), asset.clips.end(), [&](const Clip& clip) { return clip.name == name; });
  };
  std::string name = wish;
  for (int i = 2; is_taken(name); ++i) name = wish + " " + std::to_string(i);
  return name;
}

}  // namespace limber::asset
