// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "limber/animate/animation.h"
#include "limber/animate/request.h"
#include "limber/asset/asset.h"
#include "limber/rig/subject.h"

/// What stages work with beside their part of the plan. Private to `animate`.
namespace limber::animate {

/// Who is told of what goes on.
struct Listeners {
  Progress progress;
  std::function<void(const distill::DistillStep&)> on_step;
  std::function<void(const distill::DistillPreview&)> on_preview;
  /// Every sample that was lifted, counted from 1: the only candidate of an animation that has nothing but that and the
  /// limbs' ends. For `finish_candidate`.
  std::function<void(const Animation& sample, int number)> on_lifted;
};

/// Those of a request, but for samples.
inline Listeners listeners_of(const Request& request) {
  return {request.progress, request.distilling.on_step, request.distilling.on_preview, {}};
}

/// No stage changes any of it.
struct Context {
  const rig::Subject& subject;          ///< upright, facing +Z
  const asset::Asset* asset = nullptr;  ///< where it comes from; may be null
  Listeners listeners = {};
  Study study = {};
  Device drawn_on = Device::kCpu;  ///< what was found to draw as it should, of what the plan asks for
};

/// The same for a part of the work, which tells its progress so.
inline Context with_progress(const Context& context, Progress progress) {
  Context part = context;
  part.listeners.progress = std::move(progress);
  return part;
}

}  // namespace limber::animate
