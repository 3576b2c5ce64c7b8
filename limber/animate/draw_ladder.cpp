// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/draw_ladder.h"

#include <utility>

#include "limber/animate/motion_doubt.h"
#include "limber/animate/progress_share.h"
#include "limber/lift/video_sample.h"

namespace limber::animate {
namespace {

constexpr double kBeside = 0.85;   // of the progress, where another way is gone beside
constexpr double kClearly = 0.05;  // less doubt, where the prior of pictures gives way

Result<std::shared_ptr<prior::VideoPrior>> open_prior(const Models& models) {
  if (!models.open_prior) return Error{"a prompt needs a prior, and there is none", "models", ErrorKind::kMissing};
  return models.open_prior();
}

/// By a prior that may draw the body itself, or none.
Result<Animation> ask_prior(const Plan& plan, const Actor& actor, const Models& models) {
  LIMBER_TRY(const std::shared_ptr<prior::VideoPrior> prior, open_prior(models));
  if (!draws_sketches(prior->info())) return Error{"its samples cannot be lifted", "models", ErrorKind::kUnsupported};
  return follow_prior(plan, actor, *prior, nullptr);
}

/// The next way that can be gone, where the network's own did not pass.
Result<Animation> fall_back(const ByNative& way, const Actor& actor, const Models& models, NativeAnimation native) {
  for (const Plan& other : way.instead) {
    const Method method = other.method();
    Result<Animation> drawn = method == Method::kRule ? follow_rules(other, actor) : ask_prior(other, actor, models);
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

Result<Animation> draw_by_joints(const Plan& plan, const Actor& actor, const Models& models,
                                 const motion_space::MotionDenoiser& motions) {
  const ByNative& way = std::get<ByNative>(plan.way);
  const std::optional<motion_space::MotionJudge> judge = open_judge(models);
  LIMBER_TRY(NativeAnimation native, follow_joints(plan, actor, motions, judge ? &*judge : nullptr));
  std::vector<Warning>& warnings = native.animation.warnings;
  const std::vector<std::string>& rejected = native.animation.rejected;
  if (!native.failed) {
    if (!rejected.empty()) {
      warnings.push_back(
          {"drawn_again", {{"times", static_cast<double>(rejected.size() + 1)}}, {{"why", rejected.front()}}});
    }
    return std::move(native.animation);
  }
  if (way.falls_back) return fall_back(way, actor, models, std::move(native));
  warnings.push_back({"unfit_kept", {}, {{"why", *native.failed}}, {{"no_fallback", "false"}, {"seed"}}});
  return std::move(native.animation);
}

/// How much the judge holds a result for something else than was asked. Nothing where it cannot tell.
std::optional<double> doubt_of(const Actor& actor, const motion_space::MotionJudge& judge, const Animation& animation) {
  kinematics::Motion motion = animation.motion;
  turn_upright(actor.upright, motion);
  return MotionDoubt(judge, actor.upright.subject).of(motion, animation.segments);
}

Actor with_share(Actor actor, double from, double to) {
  actor.listeners.progress = share_of(actor.listeners.progress, from, to);
  return actor;
}

/// What the prior of pictures makes, or what the network on joints makes beside it: whichever the judge rather takes
/// for what was asked. Without a judge, or where it cannot tell, the first.
Result<Animation> choose_way(const Plan& plan, const BySample& way, const Actor& actor, const Models& models,
                             const Opened& opened) {
  LIMBER_TRY(Animation pictured, follow_prior(plan, with_share(actor, 0, kBeside), *opened.prior, nullptr));
  const std::optional<motion_space::MotionJudge> judge = open_judge(models);
  if (!judge || !opened.motions) return pictured;
  pictured.doubt = doubt_of(actor, *judge, pictured);
  if (!pictured.doubt) return pictured;
  Result<NativeAnimation> native =
      follow_joints(way.beside.front(), with_share(actor, kBeside, 1), *opened.motions, &*judge);
  if (!native.ok() && native.error().kind == ErrorKind::kCancelled) return native.error();
  if (!native.ok() || native->failed) return pictured;
  Animation drawn = std::move(native->animation);
  drawn.doubt = doubt_of(actor, *judge, drawn);
  const bool better = drawn.doubt && *drawn.doubt + kClearly < *pictured.doubt;
  Animation &chosen = better ? drawn : pictured, &other = better ? pictured : drawn;
  chosen.beside.push_back({other.method, other.doubt.value_or(1)});
  return std::move(chosen);
}

}  // namespace

Result<Opened> open_models(const Models& models, const Request& request, anatomy::LimbPlan kind) {
  Opened opened;
  const Method method = method_of(request, {});
  if (method == Method::kVideo || method == Method::kRule || method == Method::kLibrary) return opened;
  if (request.method == Method::kNative || (!models.prior_was_named && draws_natively(request, kind))) {
    Result<motion_space::MotionDenoiser> motions =
        models.open_motions
            ? models.open_motions()
            : Error{"the method native needs a network on joints, and there is none", "models", ErrorKind::kMissing};
    if (motions.ok()) {
      opened.motions = std::move(*motions), opened.kind = kind;
      return opened;
    }
    // Who did not ask for it does without.
    if (request.method == Method::kNative) return motions.error();
  }
  LIMBER_TRY(opened.prior, open_prior(models));
  opened.info = models_info(opened.prior->info());
  if (request.distilling.from == Start::kSample && models.open_starter) {
    LIMBER_TRY(opened.starter, models.open_starter());
  }
  if (models.open_motions && draws_beside(request, kind)) {
    Result<motion_space::MotionDenoiser> motions = models.open_motions();
    if (motions.ok()) opened.motions = std::move(*motions), opened.kind = kind;
  }
  return opened;
}

Result<Animation> draw_motion(const Plan& plan, const Actor& actor, const Models& models, const Opened& opened) {
  if (const auto* way = std::get_if<ByVideo>(&plan.way)) {
    LIMBER_TRY(const lift::SampledVideo video, lift::sample_video(way->file));
    return follow_frames(plan, actor, video);
  }
  if (std::holds_alternative<ByRule>(plan.way)) return follow_rules(plan, actor);
  if (std::holds_alternative<ByLibrary>(plan.way)) return follow_clips(plan, actor);
  if (std::holds_alternative<ByNative>(plan.way)) return draw_by_joints(plan, actor, models, *opened.motions);
  const auto* sampled = std::get_if<BySample>(&plan.way);
  if (sampled != nullptr && !sampled->beside.empty()) return choose_way(plan, *sampled, actor, models, opened);
  return follow_prior(plan, actor, *opened.prior, opened.starter.get());
}

}  // namespace limber::animate
