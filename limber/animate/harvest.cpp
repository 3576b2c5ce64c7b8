// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/harvest.h"

#include "limber/animate/animate_subject.h"
#include "limber/animate/ask_motion.h"
#include "limber/metrics/skin_stretch.h"

namespace limber::animate {

Result<Harvested> harvest_motion(const rig::Subject& subject, prior::VideoPrior& prior, const std::string& prompt,
                                 const HarvestSettings& settings) {
  Request request;
  request.prompt = prompt, request.seed = settings.seed, request.quality = Quality::kDraft;
  request.method = Method::kSample;
  request.facing.emplace().confidence = 1;
  // Every sample counts by itself: those that cannot be followed are left out, and nothing is chosen among others.
  request.sampling.candidates = 1, request.study.redraws = 0;
  request.sampling.steps = settings.steps, request.study.fit_stages = settings.fit_stages;
  request.finishing.fps = prior.info().fps;
  request.progress = settings.progress;
  LIMBER_TRY(Animation animation, follow_prompt(subject, nullptr, prior, request));
  animation.skin = metrics::skin_stretch(subject, animation.motion);
  return Harvested{std::move(animation.motion), ask_motion(animation, request.study.most_residual)};
}

}  // namespace limber::animate
