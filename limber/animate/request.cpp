// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/request.h"

#include <fmt/format.h>

#include <array>
#include <system_error>

namespace limber::animate {
namespace {

constexpr std::array kMethods{Method::kAuto,  Method::kSample, Method::kAkd,    Method::kPlanar,
                              Method::kVideo, Method::kRule,   Method::kNative, Method::kLibrary};
constexpr std::array kQualities{Quality::kDraft, Quality::kStandard, Quality::kBest};

}  // namespace

std::string_view name(Quality quality) {
  switch (quality) {
    case Quality::kDraft:
      return "draft";
    case Quality::kStandard:
      return "standard";
    case Quality::kBest:
      return "best";
  }
  return "";
}

std::optional<Quality> quality_named(std::string_view text) {
  for (const Quality quality : kQualities) {
    if (name(quality) == text) return quality;
  }
  return std::nullopt;
}

std::string_view name(Method method) {
  switch (method) {
    case Method::kAuto:
      return "auto";
    case Method::kSample:
      return "sample";
    case Method::kAkd:
      return "akd";
    case Method::kPlanar:
      return "planar";
    case Method::kVideo:
      return "video";
    case Method::kRule:
      return "rule";
    case Method::kNative:
      return "native";
    case Method::kLibrary:
      return "library";
  }
  return "";
}

std::optional<Method> method_named(std::string_view text) {
  for (const Method method : kMethods) {
    if (name(method) == text) return method;
  }
  return std::nullopt;
}

std::string_view name(Start start) { return start == Start::kSample ? "sample" : "rest"; }

std::optional<Start> start_named(std::string_view text) {
  for (const Start start : {Start::kRest, Start::kSample}) {
    if (name(start) == text) return start;
  }
  return std::nullopt;
}

Device drawing_device(std::string_view prior_device) {
  const std::string_view first = prior_device.substr(0, prior_device.find(','));
  return first == "cuda" || first == "cuda:0" ? Device::kCuda : Device::kCpu;
}

std::filesystem::path samples_file(const std::filesystem::path& checkpoint) {
  std::filesystem::path file = checkpoint;
  file += "-samples.safetensors";
  return file;
}

std::filesystem::path chunk_checkpoint(const std::filesystem::path& checkpoint, int chunk) {
  std::filesystem::path file = checkpoint;
  if (chunk > 0) file += fmt::format("-{}", chunk + 1);
  return file;
}

void remove_checkpoint(const std::filesystem::path& checkpoint) {
  std::error_code ignored;
  bool found = true;
  for (int chunk = 0; found; ++chunk) {
    const std::filesystem::path file = chunk_checkpoint(checkpoint, chunk);
    const bool kept = std::filesystem::remove(file, ignored);
    found = std::filesystem::remove(samples_file(file), ignored) || kept || chunk == 0;
  }
}

}  // namespace limber::animate
