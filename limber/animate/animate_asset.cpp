// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/animate_asset.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "limber/animate/animate_subject.h"
#include "limber/animate/cast.h"
#include "limber/animate/draw_ladder.h"
#include "limber/animate/facing.h"
#include "limber/animate/judge_motion.h"
#include "limber/animate/plan.h"
#include "limber/animate/progress_share.h"
#include "limber/animate/report.h"
#include "limber/asset/find_clip.h"
#include "limber/base/gpu_timeline.h"
#include "limber/base/stopwatch.h"
#include "limber/exporter/exporter.h"
#include "limber/exporter/stand_up.h"
#include "limber/mend/score.h"

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

/// The result as the first new clip; the other samples, where they were asked for, after it.
Status add_clips(Cast& cast, const Animation& animation, const Request& request) {
  const std::string name = clip_name(request);
  const std::uint64_t seed = animation.candidates.empty() ? request.seed : animation.candidates.front().seed;
  LIMBER_CHECK_OK(add_clip(cast, animation, request, animation.motion, name, seed));
  if (!sample_plan(request).keeps_all) return Done{};
  // Of a motion in several chunks, candidates are chunks; where frames are given or time is, they are no whole motions.
  if (!animation.seams.empty() || request.seconds || !request.continued_clip.empty() || request.keyframes) {
    return Done{};
  }
  for (std::size_t i = 1; i < animation.candidates.size(); ++i) {
    LIMBER_TRY(const kinematics::Motion motion, finish_candidate(cast.subject, request, animation, i));
    LIMBER_CHECK_OK(
        add_clip(cast, animation, request, motion, fmt::format("{} {}", name, i + 1), animation.candidates[i].seed));
  }
  return Done{};
}

/// Lets the request's `on_sample` see samples as they are lifted. `cast` must outlive the request.
void show_samples(const Cast& cast, Request& request) {
  if (!request.on_sample) return;
  Request plain = request;
  plain.progress = {}, plain.sampling.on_lifted = {};
  request.sampling.on_lifted = [&cast, plain](const Animation& sample, int number) {
    const Result<kinematics::Motion> motion = finish_candidate(cast.subject, plain, sample, 0);
    Cast shown = cast;
    // One that cannot be shown is no reason to stop.
    if (!motion.ok()) return;
    if (!add_clip(shown, sample, plain, *motion, clip_name(plain), sample.candidates.front().seed).ok()) return;
    if (plain.stand_up) exporter::stand_up(shown.asset, plain.facing->up);
    plain.on_sample(shown.asset, number);
  };
}

/// Whether it went well, as far as numbers tell. Before the asset gets its new clips.
void judge(const Cast& cast, const Request& request, Animation& animation) {
  animation.skin = metrics::skin_stretch(cast.subject, animation.motion);
  animation.own_stretch = metrics::own_stretch(cast.asset, cast.subject);
  animation.judgements = judge_motion(animation, request.sampling.most_residual);
  for (const Judgement& judgement : animation.judgements) {
    if (judgement.warning) animation.warnings.push_back(*judgement.warning);
  }
}

/// What anyone else's clip would be told. Loops that jump and joints that flip are warned of here; what is below the
/// floor, stands on air or tears has its judgement.
void check_finished(const Request& request, AnimatedAsset& result) {
  mend::ScoreSettings settings;
  settings.clip = result.first_clip, settings.loops = request.finishing.loop;
  settings.own_stretch = result.animation.own_stretch;
  settings.up = result.facing.up, settings.forward = result.facing.forward;
  const Result<mend::AssetScore> score = mend::score_asset(result.asset, settings);
  if (!score.ok()) return;
  result.finished = score->clips.front().checks;
  for (const mend::Checked& checked : result.finished) {
    const bool told = checked.check == mend::Check::kLoop || checked.check == mend::Check::kFlips;
    if (!told || !mend::failed(checked)) continue;
    result.warnings.push_back({"clip_unfinished",
                               {{"value", checked.value}, {"allowed", checked.allowed}},
                               {{"words", checked.words}, {"option", std::string(checked.option)}},
                               {{std::string(checked.option), "true", "mend"}}});
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

Result<AnimatedAsset> animate_asset(asset::Asset asset, const Models& models, const Request& asked) {
  const Stopwatch watch;
  LIMBER_CHECK_OK(check_request(asked));
  LIMBER_CHECK_OK(check_names(asset, asked));
  const double rigging = has_rig(asset) ? 0 : kRiggingShare;
  LIMBER_TRY(Cast cast,
             cast_subject(std::move(asset), models, asked.facing, share_of(asked.progress, "rigging", 0, rigging)));
  Request request = asked;
  request.progress = share_of(asked.progress, rigging, 1);
  std::vector<Warning> warnings = std::move(cast.warnings);
  request.facing = facing_of(cast.asset, cast.subject, asked, warnings);

  show_samples(cast, request);
  LIMBER_TRY(Animation animation, draw_motion(cast, models, request));
  GpuTimeline::get().stage("write");
  judge(cast, request, animation);
  const int first_clip = static_cast<int>(cast.asset.clips.size());
  LIMBER_CHECK_OK(add_clips(cast, animation, request));
  warnings.insert(warnings.end(), animation.warnings.begin(), animation.warnings.end());
  AnimatedAsset result{std::move(cast.asset),
                       std::move(cast.subject),
                       std::move(cast.rigged),
                       *request.facing,
                       first_clip,
                       std::move(animation),
                       {},
                       std::move(warnings)};
  check_finished(request, result);
  result.report = report_text(result, request, watch.seconds());
  if (request.stand_up && exporter::stand_up(result.asset, result.facing.up)) {
    LIMBER_TRY(result.subject, rig::subject_from_asset(result.asset));
  }
  return result;
}

}  // namespace limber::animate
