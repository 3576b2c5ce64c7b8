// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/animate_asset.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "limber/animate/cast.h"
#include "limber/animate/draw_ladder.h"
#include "limber/animate/facing.h"
#include "limber/animate/finished_clip.h"
#include "limber/animate/judge_motion.h"
#include "limber/animate/plan.h"
#include "limber/animate/progress_share.h"
#include "limber/animate/report.h"
#include "limber/asset/find_clip.h"
#include "limber/base/gpu_timeline.h"
#include "limber/base/stopwatch.h"
#include "limber/exporter/exporter.h"
#include "limber/exporter/stand_up.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/playing.h"

namespace limber::animate {
namespace {

constexpr double kRiggingShare = 0.1;  // of the progress, where a body needs a skeleton first

/// A motion as the asset's next clip. `seed` is that of its sample.
Status add_clip(Cast& cast, const Animation& animation, const Request& request, const kinematics::Motion& motion,
                const std::string& name, std::uint64_t seed) {
  const std::string unused = asset::unused_clip_name(cast.asset, name);
  LIMBER_CHECK_OK(exporter::add_clip(cast.asset, cast.subject, motion, {.name = unused}));
  cast.asset.clips.back().extras = clip_extras(cast.subject, animation, request, seed);
  return Done{};
}

/// Whether the candidates are motions of their own. Of a motion in several chunks they are chunks, and where frames are
/// given or time is, they are no whole motions.
bool are_whole(const Plan& plan, const Animation& animation) {
  const auto* sampled = std::get_if<BySample>(&plan.way);
  const auto* native = std::get_if<ByNative>(&plan.way);
  const SpanPlan span = sampled != nullptr ? sampled->span : native != nullptr ? native->span : SpanPlan();
  return animation.seams.empty() && span.seconds == 0 && span.is_free();
}

/// The result as the first new clip; the other samples, where they were asked for, after it.
Status add_clips(Cast& cast, const Plan& plan, const Actor& actor, const Animation& animation, const Request& request) {
  const std::uint64_t seed = animation.candidates.empty() ? request.seed : animation.candidates.front().seed;
  LIMBER_CHECK_OK(add_clip(cast, animation, request, animation.motion, plan.clip_name, seed));
  if (!plan.keeps_all || !are_whole(plan, animation)) return Done{};
  for (std::size_t i = 1; i < animation.candidates.size(); ++i) {
    LIMBER_TRY(const kinematics::Motion motion, finish_other(plan.finish, actor, animation, i));
    LIMBER_CHECK_OK(add_clip(cast, animation, request, motion, fmt::format("{} {}", plan.clip_name, i + 1),
                             animation.candidates[i].seed));
  }
  return Done{};
}

/// Lets the request's `on_sample` see samples as they are lifted. All must outlive the actor.
void show_samples(const Cast& cast, const Plan& plan, const rig::Facing& facing, const Request& request, Actor& actor) {
  if (!request.on_sample) return;
  const Actor shown_by{actor.subject, actor.asset, actor.upright, {}, actor.study};
  actor.listeners.on_lifted = [&cast, &plan, &request, facing, shown_by](const Animation& sample, int number) {
    const Result<kinematics::Motion> motion = finish_other(plan.finish, shown_by, sample, 0);
    Cast shown = cast;
    // One that cannot be shown is no reason to stop.
    if (!motion.ok()) return;
    if (!add_clip(shown, sample, request, *motion, plan.clip_name, sample.candidates.front().seed).ok()) return;
    if (plan.stand_up) exporter::stand_up(shown.asset, facing.up);
    request.on_sample(shown.asset, number);
  };
}

/// Whether it went well, as far as numbers tell.
void measure(const Cast& cast, const Study& study, Animation& animation) {
  animation.skin = metrics::skin_stretch(cast.subject, animation.motion);
  animation.judgements = judge_motion(animation, study.most_residual);
  for (const Judgement& judgement : animation.judgements) {
    if (judgement.warning) animation.warnings.push_back(*judgement.warning);
  }
}

/// The motion as its clip now plays it.
Status take_back(const Cast& cast, const asset::Clip& clip, kinematics::Motion& motion) {
  LIMBER_TRY(kinematics::Motion played, kinematics::motion_from_clip(cast.asset, clip, cast.subject, motion.fps));
  if (motion.loops && !played.loops) {
    // One that travels ends where it got to, which is no frame of its own.
    kinematics::cut_motion(played, motion.frame_count());
    played.loops = true;
  }
  motion = std::move(played);
  return Done{};
}

/// The last look at all clips that were made, the result first.
Result<FinishedClip> finish_clips(Cast& cast, const Plan& plan, const rig::Facing& facing, int first_clip,
                                  Animation& animation) {
  FinishedClip result;
  for (int clip = first_clip; clip < static_cast<int>(cast.asset.clips.size()); ++clip) {
    std::optional<FinishedClip> finished = finish_clip(plan, facing, animation.own_stretch, clip, cast.asset);
    if (clip != first_clip || !finished) continue;
    result = std::move(*finished);
    if (!result.mended) continue;
    LIMBER_CHECK_OK(take_back(cast, cast.asset.clips[static_cast<std::size_t>(clip)], animation.motion));
  }
  return result;
}

/// Whether what the request names is there, before minutes are spent on the rest.
Status check_names(const asset::Asset& asset, const Request& request) {
  if (!request.continued_clip.empty()) LIMBER_CHECK_OK(asset::find_clip(asset, request.continued_clip));
  std::error_code failed;
  if (request.keyframes && !std::filesystem::exists(request.keyframes->file, failed)) {
    return Error{"the keyframes are missing", request.keyframes->file.string(), ErrorKind::kMissing};
  }
  if (request.library && !std::filesystem::is_directory(*request.library, failed)) {
    return Error{"is no folder", request.library->string(), ErrorKind::kMissing};
  }
  return Done{};
}

}  // namespace

Result<AnimatedAsset> animate_asset(asset::Asset asset, const Models& models, const Request& request) {
  const Stopwatch watch;
  std::optional<ModelsInfo> info;
  if (models.draws_parts) info = ModelsInfo{*models.draws_parts};
  LIMBER_CHECK_OK(check_request(request, info));
  LIMBER_CHECK_OK(check_names(asset, request));
  const double rigging = has_rig(asset) ? 0 : kRiggingShare;
  LIMBER_TRY(Cast cast,
             cast_subject(std::move(asset), models, request.facing, share_of(request.progress, "rigging", 0, rigging)));
  std::vector<Warning> warnings = std::move(cast.warnings);
  const rig::Facing facing = facing_of(cast.asset, cast.subject, request.facing, warnings);
  LIMBER_TRY(const Opened opened, open_models(models, request, anatomy::limb_plan(cast.subject.rig)));
  LIMBER_TRY(const Plan plan, make_plan(wishes_of(request), opened.info, opened.kind));
  LIMBER_TRY(Actor actor, make_actor(cast.subject, &cast.asset, facing, request));
  actor.listeners.progress = share_of(request.progress, rigging, 1);
  show_samples(cast, plan, facing, request, actor);

  LIMBER_TRY(Animation animation, draw_motion(plan, actor, models, opened));
  GpuTimeline::get().stage("write");
  animation.own_stretch = metrics::own_stretch(cast.asset, cast.subject);  // before it gets new clips
  const int first_clip = static_cast<int>(cast.asset.clips.size());
  LIMBER_CHECK_OK(add_clips(cast, plan, actor, animation, request));
  LIMBER_TRY(FinishedClip finished, finish_clips(cast, plan, facing, first_clip, animation));
  measure(cast, request.study, animation);
  for (Warning& warning : unfinished_warnings(plan, finished)) animation.warnings.push_back(std::move(warning));
  warnings.insert(warnings.end(), animation.warnings.begin(), animation.warnings.end());
  AnimatedAsset result{std::move(cast.asset),
                       std::move(cast.subject),
                       std::move(cast.rigged),
                       facing,
                       first_clip,
                       std::move(animation),
                       {},
                       std::move(warnings),
                       std::move(finished.checks),
                       std::move(finished.mended)};
  result.report = report_text(result, request, watch.seconds());
  if (plan.stand_up && exporter::stand_up(result.asset, result.facing.up)) {
    LIMBER_TRY(result.subject, rig::subject_from_asset(result.asset));
  }
  return result;
}

}  // namespace limber::animate
