// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/draw_ladder.h"

#include <utility>

#include "limber/animate/animate_subject.h"
#include "limber/animate/motion_doubt.h"
#include "limber/animate/plan.h"
#include "limber/animate/progress_share.h"
#include "limber/animate/upright.h"

namespace limber::animate {
namespace {

constexpr double kBeside = 0.85;   // of the progress, where another way is gone beside
constexpr double kClearly = 0.05;  // less doubt, where the prior of pictures gives way

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
    drawn->warnings.push_back({"drawn_otherwise",
                               {},
                               {{"why", *native.failed}, {"method", std::string(name(method))}},
                               {{"no_fallback", "true"}, {"method", std::string(name(method))}}});
    return drawn;
  }
  native.animation.warnings.push_back({"unfit_alone", {}, {{"why", *native.failed}}, {{"seed"}}});
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
      native.animation.warnings.push_back({"drawn_again",
                                           {{"times", static_cast<double>(native.animation.rejected.size() + 1)}},
                                           {{"why", native.animation.rejected.front()}}});
    }
    return std::move(native.animation);
  }
  if (!request.no_fallback) return fall_back(cast, models, request, std::move(native));
  native.animation.warnings.push_back(
      {"unfit_kept", {}, {{"why", *native.failed}}, {{"no_fallback", "false"}, {"seed"}}});
  return std::move(native.animation);
}

/// How much the judge holds a result for something else than was asked. Nothing where it cannot tell.
std::optional<double> doubt_of(const Cast& cast, const Request& request, const motion_space::MotionJudge& judge,
                               const Animation& animation) {
  const Result<Upright> upright = stand_upright(cast.subject, request.facing.value_or(cast.subject.facing));
  if (!upright.ok()) return std::nullopt;
  kinematics::Motion motion = animation.motion;
  turn_upright(*upright, motion);
  return MotionDoubt(judge, upright->subject).of(motion, animation.segments);
}

/// What the prior of pictures makes, or what the network on joints makes beside it: whichever the judge rather takes
/// for what was asked. Without a judge, or where it cannot tell, the first.
Result<Animation> choose_way(const Cast& cast, const Models& models, const Request& request) {
  Request first = request, second = request;
  first.progress = share_of(request.progress, 0, kBeside), second.progress = share_of(request.progress, kBeside, 1);
  LIMBER_TRY(Animation pictured, ask_prior(cast, models, first));
  if (pictured.method != Method::kSample) return pictured;  // a large prior was chosen by somebody
  const std::optional<motion_space::MotionJudge> judge = open_judge(models);
  const Result<motion_space::MotionDenoiser> motions = models.open_motions();
  if (!judge || !motions.ok()) return pictured;
  pictured.doubt = doubt_of(cast, request, *judge, pictured);
  if (!pictured.doubt) return pictured;
  second = by(Method::kNative, second);
  second.no_fallback = true;  // another draw would be chosen by itself
  Result<NativeAnimation> native = follow_native(cast.subject, &cast.asset, *motions, second, &*judge);
  if (!native.ok() && native.error().kind == ErrorKind::kCancelled) return native.error();
  if (!native.ok() || native->failed) return pictured;
  Animation drawn = std::move(native->animation);
  drawn.doubt = doubt_of(cast, request, *judge, drawn);
  const bool better = drawn.doubt && *drawn.doubt + kClearly < *pictured.doubt;
  Animation &chosen = better ? drawn : pictured, &other = better ? pictured : drawn;
  chosen.beside.push_back({other.method, other.doubt.value_or(1)});
  return std::move(chosen);
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
  if (models.open_motions && draws_beside(request, anatomy::limb_plan(cast.subject.rig)))
    return choose_way(cast, models, request);
  return ask_prior(cast, models, request);
}

}  // namespace limber::animate
