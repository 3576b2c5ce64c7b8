// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "limber/animate/follow_plan.h"
#include "limber/animate/made.h"
#include "limber/animate/motion_plan.h"
#include "limber/animate/native_motion.h"
#include "limber/animate/sample_motion.h"
#include "limber/animate/sketch_task.h"

/// Stages as a request has them, on bodies that stand upright already, for this module's tests.
namespace limber::animate {

template <class Way>
Way way_of(const Request& request, Method method) {
  return std::get<Way>(plan_for(request, method).way);
}

inline Context context_of(const rig::Subject& subject, const Request& request) {
  return {subject, nullptr, listeners_of(request), request.study, request.device};
}

inline SpanPlan span_of(const Request& request) { return span_plan(request, sample_plan(request)); }

inline MotionPlan plan_motion(const Request& request, const ChunkMaker& maker, const Anchors& anchors) {
  return plan_motion(request.prompt, span_of(request), maker, anchors);
}

inline Result<SketchTask> make_sketch_task(const rig::Subject& subject, prior::VideoPrior& prior,
                                           const Request& request) {
  return make_sketch_task(context_of(subject, request), prior, way_of<BySample>(request, Method::kSample));
}

/// `on_lifted`: see Listeners.
inline Result<Animation> sample_motion(const rig::Subject& subject, prior::VideoPrior& prior, const Request& request,
                                       const Anchors& anchors,
                                       std::function<void(const Animation&, int)> on_lifted = {}) {
  Context context = context_of(subject, request);
  context.listeners.on_lifted = std::move(on_lifted);
  LIMBER_TRY(Made made, sample_motion(way_of<BySample>(request, Method::kSample), context, prior, anchors));
  return complete(finish_plan(request), context, kSampled, std::move(made));
}

inline Result<Animation> native_motion(const rig::Subject& subject, const motion_space::MotionSpace& space,
                                       const Request& request, const Anchors& anchors) {
  const Context context = context_of(subject, request);
  LIMBER_TRY(Made made, native_motion(way_of<ByNative>(request, Method::kNative), context, space, anchors));
  return complete(finish_plan(request), context, kDrawnByJoints, std::move(made));
}

}  // namespace limber::animate
