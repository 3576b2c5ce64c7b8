// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/animate_subject.h"

#include <fmt/format.h>

#include <utility>

#include "limber/actions/catalogue.h"
#include "limber/animate/distill_motion.h"
#include "limber/animate/finish.h"
#include "limber/animate/joint_prior.h"
#include "limber/animate/known_poses.h"
#include "limber/animate/library_motion.h"
#include "limber/animate/motion_doubt.h"
#include "limber/animate/native_motion.h"
#include "limber/animate/native_rating.h"
#include "limber/animate/plan.h"
#include "limber/animate/planar_motion.h"
#include "limber/animate/progress_share.h"
#include "limber/animate/rule_motion.h"
#include "limber/animate/sample_motion.h"
#include "limber/animate/upright.h"
#include "limber/base/expect.h"
#include "limber/base/gpu_timeline.h"
#include "limber/base/stopwatch.h"
#include "limber/lift/proven_device.h"
#include "limber/lift/video_lift.h"
#include "limber/scene/part_view.h"

namespace limber::animate {
namespace {

using kinematics::Motion;

constexpr int kRedraws = 3;  // of what the network on joints drew and that fails its own check

Result<Upright> upright_subject(const rig::Subject& subject, const Request& request) {
  return stand_upright(subject, request.facing.value_or(subject.facing));
}

void add(std::vector<Warning>& to, std::vector<Warning> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// The request with the device that scenes are drawn on: the one place that decides it.
struct Placed {
  Request request;
  std::optional<Warning> warning;
};
Placed place_drawing(const rig::Subject& subject, const Request& asked) {
  if (asked.device == Device::kCpu) return {asked, std::nullopt};
  lift::ProvenDevice proven = lift::proven_device(asked.device, subject.rig, scene::part_gaussians(subject));
  Placed placed{asked, std::move(proven.warning)};
  placed.request.device = proven.device;
  return placed;
}

void note_drawing(const Placed& placed, Animation& animation) {
  animation.drawn_on = placed.request.device;
  if (placed.warning) animation.warnings.push_back(*placed.warning);
}

/// What the video shows, in the words of the report where that is not enough.
Result<Animation> lift_animation(const rig::Subject& subject, const asset::Asset* asset,
                                 const lift::SampledVideo& video, const Request& request) {
  Stopwatch watch;
  lift::VideoLiftSettings lifting;
  GpuTimeline::get().stage("lift");
  lifting.progress = share_of(request.progress, 0, 0.9), lifting.device = request.device;
  LIMBER_TRY(const std::optional<JointPrior> joints, JointPrior::open(request, subject));
  if (joints) lifting.energies = {joints->energy(8)};
  LIMBER_TRY(lift::VideoLift lifted, lift::lift_video(subject, asset, video.frames, video.fps, lifting));
  Animation animation;
  animation.method = Method::kVideo;
  if (!video.whole) {
    animation.warnings.push_back({"video_begun", {{"frames", video.read}}});
  }
  add(animation.warnings, std::move(lifted.report.warnings));
  if (!lifted.report.trusted) {
    std::string reasons;
    for (const std::string& reason : lifted.report.reasons) reasons += (reasons.empty() ? "" : "; ") + reason;
    if (!request.anyway) {
      return Error{"the video does not tell how this body moves: " + reasons, request.video.value_or("video").string(),
                   ErrorKind::kConflict};
    }
    animation.warnings.push_back({"video_not_trusted", {}, {{"why", reasons}}});
  }
  if (joints) lifted.motion = joints->lean(lifted.motion, lifted.observability);
  note_joint_prior(joints, animation);
  animation.lifted = std::move(lifted.motion);
  animation.observed = std::move(lifted.observability);
  animation.ends = metrics::limb_ends(subject);
  animation.seconds.lift = watch.lap();
  return animation;
}

/// One body, as its file has it and upright.
struct Body {
  const rig::Subject& subject;
  const Upright& upright;
  const asset::Asset* asset;
};

Result<Animation> follow_upright(const Body& body, prior::VideoPrior& prior, prior::VideoPrior* starter,
                                 const Request& request, Method method, const Study& study) {
  if (method == Method::kAkd) return distill_motion(body.upright.subject, body.asset, prior, starter, request, study);
  if (method == Method::kPlanar) return planar_motion(body.upright.subject, prior, request);
  LIMBER_TRY(const Anchors anchors, find_anchors(body.subject, body.upright, body.asset, request, prior.info().fps,
                                                 prior.info().native.frames / 3));
  return sample_motion(body.upright.subject, prior, request, anchors);
}

Error several_things(Method method, const std::vector<PromptPart>& things) {
  return Error{fmt::format("the method {} does one thing at a time, and the prompt asks for {}: {}, then {}",
                           name(method), things.size(), short_name(things[0]), short_name(things[1])),
               "request", ErrorKind::kUnsupported};
}

/// The plan with this very prior, or why there cannot be one.
Result<Plan> plan_with(const prior::PriorInfo& info, const Request& request) {
  const ModelsInfo models = models_info(info);
  LIMBER_TRY(Plan plan, make_plan(wishes_of(request), models));
  const std::vector<PromptPart> things = split_prompt(request.prompt, info.actions);
  if (plan.method != Method::kSample && models.draws_parts && things.size() > 1) {
    return several_things(plan.method, things);
  }
  return plan;
}

}  // namespace

bool draws_parts(const prior::PriorInfo& info) { return info.uses_rest && info.views >= 2; }

Result<Animation> follow_prompt(const rig::Subject& subject, const asset::Asset* asset, prior::VideoPrior& prior,
                                const Request& request, prior::VideoPrior* starter, const Study& study) {
  LIMBER_TRY(const Plan plan, plan_with(prior.info(), request));
  LIMBER_TRY(const Upright upright, upright_subject(subject, request));
  const Placed placed = place_drawing(upright.subject, request);
  LIMBER_TRY(Animation animation,
             follow_upright({subject, upright, asset}, prior, starter, placed.request, plan.method, study));
  note_drawing(placed, animation);
  turn_back(upright, animation.motion), turn_back(upright, animation.lifted);
  return animation;
}

Result<Animation> follow_rule(const rig::Subject& subject, const Request& request) {
  const std::vector<PromptPart> things = split_prompt(request.prompt, actions::built_in().taught());
  if (things.size() > 1) return several_things(Method::kRule, things);
  LIMBER_TRY(const Upright upright, upright_subject(subject, request));
  RuleSettings settings;
  settings.words = actions::words_of(request.prompt);
  settings.action = things[0].actions.empty() ? request.prompt : things[0].actions.front();
  settings.fps = request.finishing.fps, settings.seed = request.seed;
  settings.seconds = request.seconds;
  Stopwatch watch;
  Animation animation;
  animation.method = Method::kRule;
  LIMBER_TRY(animation.lifted, rule_motion(upright.subject, settings));
  animation.seconds.sample = watch.lap();
  animation.segments.push_back({things[0], 0, 0, 0, std::nullopt, {}});
  animation.ends = metrics::limb_ends(upright.subject);
  Request finishing = request;
  finishing.finishing.in_place = request.finishing.in_place || things[0].in_place;
  LIMBER_CHECK_OK(finish_whole(upright.subject, finishing, 0.3, animation));
  turn_back(upright, animation.motion), turn_back(upright, animation.lifted);
  return animation;
}

Result<Animation> follow_library(const rig::Subject& subject, const Request& request) {
  LIMBER_EXPECT(request.library.has_value(), "the request has no library");
  const std::vector<PromptPart> things = split_prompt(request.prompt, actions::built_in().taught());
  if (things.size() > 1) return several_things(Method::kLibrary, things);
  LIMBER_TRY(const Upright upright, upright_subject(subject, request));
  Stopwatch watch;
  Animation animation;
  animation.method = Method::kLibrary;
  LIMBER_TRY(LibraryMotion found, library_motion(upright.subject, *request.library, things[0].prompt,
                                                 request.finishing.loop, share_of(request.progress, 0, 0.5)));
  animation.lifted = std::move(found.motion), animation.taken = std::move(found.taken);
  add(animation.warnings, std::move(found.warnings));
  animation.seconds.sample = watch.lap();
  animation.segments.push_back({things[0], 0, 0, 0, std::nullopt, {}});
  animation.ends = metrics::limb_ends(upright.subject);
  Request finishing = request;
  finishing.finishing.in_place = request.finishing.in_place || things[0].in_place;
  LIMBER_CHECK_OK(finish_whole(upright.subject, finishing, 0.5, animation));
  animation.own_way = false;  // that is the clip's
  turn_back(upright, animation.motion), turn_back(upright, animation.lifted);
  return animation;
}

Result<NativeAnimation> follow_native(const rig::Subject& subject, const asset::Asset* asset,
                                      const motion_space::MotionDenoiser& motions, const Request& request,
                                      const motion_space::MotionJudge* judge) {
  LIMBER_TRY(const Upright upright, upright_subject(subject, request));
  const motion_space::MotionSpace space(motions, motion_space::make_motion_body(upright.subject));
  const ChunkMaker maker = chunk_maker(std::span<const prior::ActionWords>{});
  LIMBER_TRY(const Anchors anchors, find_anchors(subject, upright, asset, request, maker.fps, maker.rule.kept));
  std::optional<MotionDoubt> doubt;
  if (judge != nullptr) doubt.emplace(*judge, upright.subject);
  std::optional<NativeAnimation> first;
  std::vector<std::string> rejected;
  for (int draw = 0; draw <= (request.no_fallback ? 0 : kRedraws); ++draw) {
    Request again = request;
    again.seed += static_cast<std::uint64_t>(draw) * std::uint64_t{0x632be59bd9b4e019};
    LIMBER_TRY(Animation animation, native_motion(upright.subject, space, again, anchors, doubt ? &*doubt : nullptr));
    turn_back(upright, animation.motion), turn_back(upright, animation.lifted);
    std::optional<std::string> failed = find_native_failure(animation);
    if (!failed) {
      animation.rejected = std::move(rejected);
      return NativeAnimation{std::move(animation), std::nullopt};
    }
    rejected.push_back(*failed);
    if (!first) first = NativeAnimation{std::move(animation), std::move(failed)};
  }
  first->animation.rejected.assign(rejected.begin() + 1, rejected.end());
  return std::move(*first);
}

Result<Animation> follow_video(const rig::Subject& subject, const asset::Asset* asset, const Request& request) {
  LIMBER_EXPECT(request.video.has_value(), "the request has no video");
  LIMBER_TRY(const lift::SampledVideo video, lift::sample_video(*request.video));
  return follow_pictures(subject, asset, video, request);
}

Result<Animation> follow_pictures(const rig::Subject& subject, const asset::Asset* asset,
                                  const lift::SampledVideo& video, const Request& request) {
  LIMBER_TRY(const Upright upright, upright_subject(subject, request));
  const Placed placed = place_drawing(upright.subject, request);
  LIMBER_TRY(Animation animation, lift_animation(upright.subject, asset, video, placed.request));
  note_drawing(placed, animation);
  Stopwatch watch;
  LIMBER_TRY(Finished finished, finish(upright.subject, animation.lifted, animation.ends, request,
                                       share_of(request.progress, "putting it on the ground", 0.9, 1)));
  take_finished(std::move(finished), animation);
  animation.seconds.ground = watch.lap();
  turn_back(upright, animation.motion), turn_back(upright, animation.lifted);
  return animation;
}

Result<Motion> finish_candidate(const rig::Subject& subject, const Request& request, const Animation& animation,
                                std::size_t candidate) {
  LIMBER_EXPECT(candidate < animation.candidates.size(), std::to_string(candidate));
  LIMBER_TRY(const Upright upright, upright_subject(subject, request));
  Request plain = request;
  if (plain.finishing.ground != Ground::kNone) plain.finishing.ground = Ground::kLock;
  LIMBER_TRY(Finished other,
             finish(upright.subject, animation.candidates[candidate].lifted.motion, animation.ends, plain));
  turn_back(upright, other.motion);
  return std::move(other.motion);
}

}  // namespace limber::animate
