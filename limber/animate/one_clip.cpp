// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/one_clip.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "limber/animate/ask_motion.h"
#include "limber/animate/draw_ladder.h"
#include "limber/animate/facing.h"
#include "limber/animate/progress_share.h"
#include "limber/animate/report.h"
#include "limber/asset/find_clip.h"
#include "limber/base/gpu_timeline.h"
#include "limber/exporter/exporter.h"
#include "limber/exporter/stand_up.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/playing.h"

namespace limber::animate {
namespace {

constexpr double kRiggingShare = 0.1;  // of the progress, where a body needs a skeleton first

/// A motion as the asset's next clip.
Status add_clip(Cast& cast, const Animation& animation, const Request& request, const NewClip& clip) {
  const std::string unused = asset::unused_clip_name(cast.asset, clip.name);
  LIMBER_CHECK_OK(exporter::add_clip(cast.asset, cast.subject, clip.motion, {.name = unused}));
  cast.asset.clips.back().extras = clip_extras(cast.subject, animation, request, clip.seed);
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
Result<std::vector<NewClip>> new_clips(const Plan& plan, const Actor& actor, const Animation& animation,
                                       const Request& request) {
  std::vector<NewClip> clips;
  const std::uint64_t seed = animation.candidates.empty() ? request.seed : animation.candidates.front().seed;
  clips.push_back({animation.motion, plan.clip_name, seed});
  if (!plan.keeps_all || !are_whole(plan, animation)) return clips;
  for (std::size_t i = 1; i < animation.candidates.size(); ++i) {
    LIMBER_TRY(kinematics::Motion motion, finish_other(plan.finish, actor, animation, i));
    clips.push_back({std::move(motion), fmt::format("{} {}", plan.clip_name, i + 1), animation.candidates[i].seed});
  }
  return clips;
}

/// Lets the request's `on_sample` see samples as they are lifted. All must outlive the actor.
void show_samples(const Ready& ready, const Plan& plan, const Request& request, Actor& actor) {
  if (!request.on_sample) return;
  const Actor shown_by{actor.subject, actor.asset, actor.upright, {}, actor.study};
  actor.listeners.on_lifted = [&ready, &plan, &request, shown_by](const Animation& sample, int number) {
    const Result<kinematics::Motion> motion = finish_other(plan.finish, shown_by, sample, 0);
    // One that cannot be shown is no reason to stop.
    if (!motion.ok()) return;
    Cast shown = ready.cast;
    if (!add_clip(shown, sample, request, {*motion, plan.clip_name, sample.candidates.front().seed}).ok()) return;
    if (plan.stand_up) exporter::stand_up(shown.asset, ready.facing.up);
    request.on_sample(shown.asset, number);
  };
}

/// The motion as its clip now plays it, and what of its numbers that changes.
Status take_back(const Cast& cast, const Upright& upright, const asset::Clip& clip, Animation& animation) {
  kinematics::Motion& motion = animation.motion;
  LIMBER_TRY(kinematics::Motion played, kinematics::motion_from_clip(cast.asset, clip, cast.subject, motion.fps));
  if (motion.loops && !played.loops) {
    // One that travels ends where it got to, which is no frame of its own.
    kinematics::cut_motion(played, motion.frame_count());
    played.loops = true;
  }
  motion = played;
  turn_upright(upright, played);
  // How feet slide was measured where they stand, which a player does not know.
  const metrics::MotionMetrics now = metrics::motion_metrics(upright.subject, played, {});
  metrics::MotionMetrics& known = animation.metrics;
  known.penetration = now.penetration, known.mean_penetration = now.mean_penetration;
  known.limit_excess = now.limit_excess, known.peak_speed = now.peak_speed, known.mean_jerk = now.mean_jerk;
  known.loop_gap = now.loop_gap;
  return Done{};
}

/// The last look at all clips that were made, the result first.
Result<FinishedClip> finish_clips(Ready& ready, DrawnClip& drawn, int first) {
  FinishedClip result;
  std::vector<asset::Clip>& clips = ready.cast.asset.clips;
  for (int clip = first; clip < static_cast<int>(clips.size()); ++clip) {
    std::optional<FinishedClip> finished =
        finish_clip(drawn.plan, ready.facing, drawn.animation.own_stretch, clip, ready.cast.asset);
    if (clip != first || !finished) continue;
    result = std::move(*finished);
    if (!result.mended) continue;
    LIMBER_TRY(const Upright upright, stand_upright(ready.cast.subject, ready.facing));
    LIMBER_CHECK_OK(take_back(ready.cast, upright, clips[static_cast<std::size_t>(clip)], drawn.animation));
  }
  return result;
}

/// Whether it went well, as far as numbers tell.
void measure(const Cast& cast, const Study& study, Animation& animation) {
  animation.skin = metrics::skin_stretch(cast.subject, animation.motion);
  animation.answers = ask_motion(animation, study.most_residual);
  for (const Answer& answer : animation.answers) {
    if (answer.warning) animation.warnings.push_back(*answer.warning);
  }
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

Result<Ready> make_ready(asset::Asset asset, const Models& models, const Request& request) {
  std::optional<ModelsInfo> info;
  if (models.draws_sketches) info = ModelsInfo{*models.draws_sketches};
  LIMBER_CHECK_OK(check_request(request, info));
  LIMBER_CHECK_OK(check_names(asset, request));
  const double rigging = has_rig(asset) ? 0 : kRiggingShare;
  LIMBER_TRY(Cast cast, cast_subject(std::move(asset), models, request.facing,
                                     share_of(request.progress, "rigging", 0, rigging), request.names));
  rig::Facing facing = facing_of(cast.asset, cast.subject, request.facing, cast.warnings);
  return Ready{std::move(cast), std::move(facing), rigging};
}

Result<DrawnClip> draw_clip(const Ready& ready, const Models& models, const Request& request) {
  const Cast& cast = ready.cast;
  LIMBER_TRY(const Opened opened, open_models(models, request, anatomy::limb_plan(cast.subject.rig)));
  LIMBER_TRY(Plan plan, make_plan(wishes_of(request), opened.info, opened.kind));
  LIMBER_TRY(Actor actor, make_actor(cast.subject, &cast.asset, ready.facing, request));
  show_samples(ready, plan, request, actor);

  LIMBER_TRY(Animation animation, draw_motion(plan, actor, models, opened));
  GpuTimeline::get().stage("write");
  LIMBER_TRY(std::vector<NewClip> clips, new_clips(plan, actor, animation, request));
  return DrawnClip{std::move(plan), std::move(animation), std::move(clips)};
}

Result<AddedClip> add_clips(Ready& ready, DrawnClip& drawn, const Request& request) {
  Cast& cast = ready.cast;
  Animation& animation = drawn.animation;
  animation.own_stretch = metrics::own_stretch(cast.asset, cast.subject);  // before it gets new clips
  AddedClip added{static_cast<int>(cast.asset.clips.size()), {}};
  for (const NewClip& clip : drawn.clips) LIMBER_CHECK_OK(add_clip(cast, animation, request, clip));
  LIMBER_TRY(added.finished, finish_clips(ready, drawn, added.first));
  measure(cast, request.study, animation);
  for (Warning& warning : unfinished_warnings(drawn.plan, added.finished)) {
    animation.warnings.push_back(std::move(warning));
  }
  return added;
}

}  // namespace limber::animate
