// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/request.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <system_error>

namespace limber::animate {
namespace {

constexpr std::array kQualities{Quality::kDraft, Quality::kStandard, Quality::kBest};

Error out_of_range(const char* what, double value) {
  return Error{fmt::format("{} cannot be {}", what, value), "request"};
}

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

Preset preset(Quality quality) {
  switch (quality) {
    case Quality::kDraft:
      return {2, 0, 40, 8, 200, Ground::kLock};
    case Quality::kStandard:
      return {3, 3, 40, 8, 1000, Ground::kSimulate};
    case Quality::kBest:
      return {6, 12, 60, 12, 10000, Ground::kSimulate};
  }
  return {};
}

std::filesystem::path samples_file(const std::filesystem::path& checkpoint) {
  std::filesystem::path file = checkpoint;
  file += "-samples.safetensors";
  return file;
}

void remove_checkpoint(const std::filesystem::path& checkpoint) {
  std::error_code ignored;
  std::filesystem::remove(checkpoint, ignored);
  std::filesystem::remove(samples_file(checkpoint), ignored);
}

Status check_request(const Request& request) {
  const bool has_prompt = !request.prompt.empty(), has_video = request.video.has_value();
  if (has_prompt && has_video) {
    return Error{fmt::format("a prompt (\"{}\") and a video ({}) contradict each other: the motion comes from one of "
                             "them",
                             request.prompt, request.video->string()),
                 "request", ErrorKind::kConflict};
  }
  if (!has_prompt && !has_video) return Error{"neither a prompt nor a video says what to do", "request"};
  const Sampling& sampling = request.sampling;
  if (sampling.candidates && *sampling.candidates < 1) return out_of_range("candidates", *sampling.candidates);
  if (sampling.steps && *sampling.steps < 1) return out_of_range("steps", *sampling.steps);
  if (sampling.guidance && !(*sampling.guidance > 0)) return out_of_range("guidance", *sampling.guidance);
  const std::optional<int> iterations = request.distilling.iterations;
  if (iterations && *iterations < 0) return out_of_range("iterations", *iterations);
  const double fps = request.finishing.fps;
  if (!(fps > 0) || !std::isfinite(fps)) return out_of_range("frames a second", fps);
  return Done{};
}

}  // namespace limber::animate
