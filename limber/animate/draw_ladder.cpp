// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/draw_ladder.h"

#include <fmt/format.h>

#include <utility>

#include "limber/animate/animate_subject.h"
#include "limber/animate/plan.h"

namespace limber::animate {
namespace {

Result<Animation> ask_prior(const Cast& cast, const Models& models, const Request& request) {
  if (!models.open_prior) return Error{"a prompt needs a prior, and there is none", "models", ErrorKind::kMissing};
  LIMBER_TRY(const std::shared_ptr<prior::VideoPrior> prior, models.open_prior());
  std::shared_ptr<prior::VideoPrior> starter;
  if (request.distilling.from == Start::kSample && models.open_starter) {
    LIMBER_TRY(starter, models.open_starter());
  }
  return follow_prompt(cast.subject, &cast.asset, *prior, request, starter.get());
}

/// What is asked, by another method: numbers that are about the network on joints are left out.
Request by(Method method, const Request& request) {
  Request other = request;
  other.method = method;
  other.sampling.guidance.reset(), other.sampling.steps.reset();
  if (method == Method::kRule) other.sampling.candidates.reset();
  return other;
}

/// The next way that can be gone, where the network's own did not pass.
Result<Animation> fall_back(const Cast& cast, const Models& models, const Request& request, NativeAnimation native) {
  for (const Method method : {Method::kSample, Method::kRule}) {
    const Request other = by(method, request);
    if (find_refusal(wishes_of(other), std::nullopt)) continue;
    Result<Animation> drawn =
        method == Method::kRule ? follow_rule(cast.subject, other) : ask_prior(cast, models, other);
    if (!drawn.ok() && drawn.error().kind == ErrorKind::kCancelled) return drawn;
    if (!drawn.ok()) continue;
    drawn->rejected = std::move(native.animation.rejected);
    drawn->rejected.insert(drawn->rejected.begin(), *native.failed);
    drawn->warnings.push_back(
        fmt::format("the network on joints drew nothing that is fit ({}), so this was made by `method {}`; "
                    "`no_fallback` keeps what it drew",
                    *native.failed, name(method)));
    return drawn;
  }
  native.animation.warnings.push_back(fmt::format(
      "the motion is not fit ({}), and no other method can do what is asked; another `seed` may help", *native.failed));
  return std::move(native.animation);
}

/// Who may choose. Without it candidates are compared by numbers alone.
std::optional<motion_space::MotionJudge> open_judge(const Models& models) {
  if (!models.open_motion_judge) return std::nullopt;
  Result<motion_space::MotionJudge> judge = models.open_motion_judge();
  if (!judge.ok()) return std::nullopt;
  return std::move(*judge);
}

Result<Animation> draw_by_joints(const Cast& cast, const Models& models, const motion_space::MotionDenoiser& motions,
                                 const Request& request) {
  const std::optional<motion_space::MotionJudge> judge = open_judge(models);
  LIMBER_TRY(NativeAnimation native,
             follow_native(cast.subject, &cast.asset, motions, request, judge ? &*judge : nullptr));
  if (!native.failed) {
    if (!native.animation.rejected.empty()) {
      native.animation.warnings.push_back(fmt::format("it was drawn {} times until it was fit: {}",
                                                      native.animation.rejected.size() + 1,
                                                      native.animation.rejected.front()));
    }
    return std::move(native.animation);
  }
  if (!request.no_fallback) return fall_back(cast, models, request, std::move(native));
  native.animation.warnings.push_back(fmt::format(
      "the motion is not fit ({}), and kept as `no_fallback` asks; another `seed` may help", *native.failed));
  return std::move(native.animation);
}

}  // namespace

Result<Animation> draw_motion(const Cast& cast, const Models& models, const Request& request) {
  if (request.video) return follow_video(cast.subject, &cast.asset, request);
  if (request.method == Method::kRule) return follow_rule(cast.subject, request);
  if (method_of(request, {}) == Method::kLibrary) return follow_library(cast.subject, request);
  if (draws_natively(request, anatomy::limb_plan(cast.subject.rig))) {
    Result<motion_space::MotionDenoiser> motions =
        models.open_motions
            ? models.open_motions()
            : Error{"the method native needs a network on joints, and there is none", "models", ErrorKind::kMissing};
    if (motions.ok()) return draw_by_joints(cast, models, *motions, request);
    // Who did not ask for it does without.
    if (request.method == Method::kNative) return motions.error();
  }
  return ask_prior(cast, models, request);
}

}  // namespace limber::animate
