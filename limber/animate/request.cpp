// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/request.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <system_error>
#include <utility>

#include "limber/prior/prompt_words.h"

namespace limber::animate {
namespace {

constexpr std::array kMethods{Method::kAuto, Method::kSample, Method::kAkd, Method::kPlanar, Method::kVideo};
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
  }
  return "";
}

std::optional<Method> method_named(std::string_view text) {
  for (const Method method : kMethods) {
    if (name(method) == text) return method;
  }
  return std::nullopt;
}

Preset preset(Quality quality) {
  switch (quality) {
    case Quality::kDraft:
      return {2, 0, 40, 8, 200, Ground::kLock, true};
    case Quality::kStandard:
      return {3, 3, 40, 8, 1000, Ground::kSimulate, true};
    case Quality::kBest:
      return {6, 12, 60, 12, 10000, Ground::kSimulate};
  }
  return {};
}

Device drawing_device(std::string_view prior_device) {
  const std::string_view first = prior_device.substr(0, prior_device.find(','));
  return first == "cuda" || first == "cuda:0" ? Device::kCuda : Device::kCpu;
}

bool draws_in_few_steps(const Request& request) {
  const Sampling& asked = request.sampling;
  const bool steered = asked.steps || asked.guidance || !request.negative.empty();
  return asked.few_steps.value_or(preset(request.quality).few_steps && !steered);
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

namespace {

Error contradiction(std::string what) { return Error{std::move(what), "request", ErrorKind::kConflict}; }

/// What only a prior that draws the body itself can do.
Status check_length(const Request& request) {
  const bool video = request.video.has_value();
  const bool one_clip = request.method == Method::kAkd || request.method == Method::kPlanar;
  const struct {
    bool asked;
    const char* what;
  } wishes[] = {{request.seconds.has_value(), "a length in seconds"},
                {request.continued_clip.has_value(), "a clip to be continued"},
                {request.keyframes.has_value(), "keyframes"}};
  for (const auto& wish : wishes) {
    if (wish.asked && video) {
      return contradiction(
          fmt::format("{} and a video ({}) contradict each other: it is as long as the video, and "
                      "does what that shows",
                      wish.what, request.video->string()));
    }
    if (wish.asked && one_clip) {
      return contradiction(
          fmt::format("{} and the method {} contradict each other: it makes one clip at a time, from "
                      "nothing",
                      wish.what, name(request.method)));
    }
  }
  if (request.finishing.loop && (request.continued_clip || request.keyframes)) {
    return contradiction(fmt::format("{} and a loop contradict each other: a loop begins and ends as it likes",
                                     request.continued_clip ? "a clip to be continued" : "keyframes"));
  }
  if (request.seconds && (!(*request.seconds >= kShortest) || !(*request.seconds <= kLongest))) {
    return out_of_range("seconds", *request.seconds);
  }
  return Done{};
}

Status check_method(const Request& request) {
  const bool video = request.video.has_value();
  if (request.method == Method::kVideo && !video) return Error{"the method video needs a video", "request"};
  if (video && request.method != Method::kAuto && request.method != Method::kVideo) {
    return contradiction(fmt::format("the method {} and a video ({}) contradict each other", name(request.method),
                                     request.video->string()));
  }
  return Done{};
}

}  // namespace

Status check_request(const Request& request) {
  const bool has_prompt = !request.prompt.empty(), has_video = request.video.has_value();
  if (has_prompt && has_video) {
    return Error{fmt::format("a prompt (\"{}\") and a video ({}) contradict each other: the motion comes from one of "
                             "them",
                             request.prompt, request.video->string()),
                 "request", ErrorKind::kConflict};
  }
  if (!has_prompt && !has_video) return Error{"neither a prompt nor a video says what to do", "request"};
  if (has_prompt && prior::words_of(request.prompt).empty()) {
    return Error{fmt::format("the prompt (\"{}\") has no words, so it does not say what to do", request.prompt),
                 "request"};
  }
  LIMBER_CHECK_OK(check_method(request));
  LIMBER_CHECK_OK(check_length(request));
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
