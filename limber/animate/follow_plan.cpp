// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/follow_plan.h"

#include <optional>
#include <utility>

#include "limber/actions/catalogue.h"
#include "limber/animate/distill_motion.h"
#include "limber/animate/joint_prior.h"
#include "limber/animate/library_motion.h"
#include "limber/animate/made.h"
#include "limber/animate/native_motion.h"
#include "limber/animate/native_rating.h"
#include "limber/animate/planar_motion.h"
#include "limber/animate/progress_share.h"
#include "limber/animate/rule_motion.h"
#include "limber/animate/sample_motion.h"
#include "limber/base/expect.h"
#include "limber/base/gpu_timeline.h"
#include "limber/base/stopwatch.h"
#include "limber/lift/proven_device.h"
#include "limber/lift/video_lift.h"
#include "limber/scene/sketch_view.h"

namespace limber::animate {
namespace {

using kinematics::Motion;

constexpr int kRedraws = 3;          // of what the network on joints drew and that fails its own check
constexpr double kDistilled = 0.95;  // of the progress: from there on it is put on the ground
constexpr double kByRule = 0.3, kTaken = 0.5, kLifted = 0.9;  // likewise

/// The place where it is decided what scenes are drawn on: a GPU only where it does what the CPU does.
lift::ProvenDevice prove(Device asked, const rig::Subject& subject) {
  if (asked == Device::kCpu) return {};
  return lift::proven_device(asked, subject.rig, scene::part_gaussians(subject));
}

Context drawing_on(const Actor& actor, const lift::ProvenDevice& proven) {
  Context context = actor.context();
  context.drawn_on = proven.device;
  return context;
}

/// As the body has it that is not upright, and with what is to be said of the device.
Animation brought_back(const Actor& actor, const lift::ProvenDevice& proven, Animation animation) {
  if (proven.warning) animation.warnings.push_back(*proven.warning);
  turn_back(actor.upright, animation.motion), turn_back(actor.upright, animation.lifted);
  return animation;
}

Device asked_device(const Plan& plan) {
  if (const auto* way = std::get_if<BySample>(&plan.way)) return way->prior.drawn_on;
  if (const auto* way = std::get_if<ByAkd>(&plan.way)) return way->prior.drawn_on;
  return std::get<ByPlanar>(plan.way).prior.drawn_on;
}

/// Whatever makes it, and from which share of the progress on it is finished.
struct Unfinished {
  Made made;
  double share = 0;
};
Result<Unfinished> draw(const Plan& plan, const Actor& actor, const Context& context, prior::VideoPrior& prior,
                        prior::VideoPrior* starter) {
  if (const auto* way = std::get_if<ByAkd>(&plan.way)) {
    LIMBER_TRY(Made made, distill_motion(*way, context, prior, starter));
    return Unfinished{std::move(made), kDistilled};
  }
  if (const auto* way = std::get_if<ByPlanar>(&plan.way)) {
    LIMBER_TRY(Made made, planar_motion(*way, context, prior));
    return Unfinished{std::move(made), kLifted};
  }
  const BySample& way = std::get<BySample>(plan.way);
  LIMBER_TRY(const Anchors anchors, find_anchors(actor.subject, actor.upright, actor.asset, way.span, prior.info().fps,
                                                 prior.info().native.frames / 3));
  LIMBER_TRY(Made made, sample_motion(way, context, prior, anchors));
  return Unfinished{std::move(made), kSampled};
}

/// What the video shows, in the words of the report where that is not enough.
Result<Made> lift_frames(const ByVideo& plan, const Context& context, const lift::SampledVideo& video) {
  Stopwatch watch;
  lift::VideoLiftSettings lifting;
  GpuTimeline::get().stage("lift");
  lifting.progress = share_of(context.listeners.progress, 0, kLifted), lifting.device = context.drawn_on;
  LIMBER_TRY(const std::optional<JointPrior> joints, JointPrior::open(plan.joints, context.subject));
  if (joints) lifting.energies = {joints->energy(8)};
  LIMBER_TRY(lift::VideoLift lifted,
             lift::lift_video(context.subject, context.asset, video.frames, video.fps, lifting));
  Made made;
  made.method = Method::kVideo;
  if (!video.whole) made.warnings.push_back({"video_begun", {{"frames", video.read}}});
  for (Warning& warning : lifted.report.warnings) made.warnings.push_back(std::move(warning));
  if (!lifted.report.trusted) {
    std::string reasons;
    for (const std::string& reason : lifted.report.reasons) reasons += (reasons.empty() ? "" : "; ") + reason;
    if (!plan.anyway) {
      return Error{"the video does not tell how this body moves: " + reasons,
                   plan.file.empty() ? "video" : plan.file.string(), ErrorKind::kConflict};
    }
    made.warnings.push_back({"video_not_trusted", {}, {{"why", reasons}}});
  }
  if (joints) lifted.motion = joints->lean(lifted.motion, lifted.observability);
  note_joint_prior(joints, made);
  made.motion = std::move(lifted.motion), made.observed = std::move(lifted.observability);
  made.ends = metrics::limb_ends(context.subject);
  made.seconds.lift = watch.lap();
  return made;
}

/// What the zoo's rules make of a prompt.
Result<Made> make_by_rule(const ByRule& plan, double fps, const Context& context) {
  const PromptSegment thing = split_prompt(plan.prompt, actions::built_in().taught()).front();
  RuleSettings settings;
  settings.words = actions::words_of(plan.prompt);
  settings.action = thing.actions.empty() ? plan.prompt : thing.actions.front();
  settings.fps = fps, settings.seed = plan.seed;
  if (plan.seconds > 0) settings.seconds = plan.seconds;
  Stopwatch watch;
  Made made;
  made.method = Method::kRule;
  LIMBER_TRY(made.motion, rule_motion(context.subject, settings));
  made.seconds.sample = watch.lap();
  made.segments.push_back({thing, 0, 0, 0, std::nullopt, {}});
  made.ends = metrics::limb_ends(context.subject);
  made.told.in_place = thing.in_place, made.own_way = !thing.in_place;
  return made;
}

/// The clip of the folder that does it.
Result<Made> take_clip(const ByLibrary& plan, bool loop, const Context& context) {
  const PromptSegment thing = split_prompt(plan.prompt, actions::built_in().taught()).front();
  Stopwatch watch;
  Made made;
  made.method = Method::kLibrary;
  LIMBER_TRY(LibraryMotion found, library_motion(context.subject, plan.folder, thing.prompt, loop,
                                                 share_of(context.listeners.progress, 0, kTaken)));
  made.motion = std::move(found.motion), made.taken = std::move(found.taken);
  made.warnings = std::move(found.warnings);
  made.seconds.sample = watch.lap();
  made.segments.push_back({thing, 0, 0, 0, std::nullopt, {}});
  made.ends = metrics::limb_ends(context.subject);
  made.told.in_place = thing.in_place, made.own_way = false;  // that is the clip's
  return made;
}

}  // namespace

Result<Actor> make_actor(const rig::Subject& subject, const asset::Asset* asset, const rig::Facing& facing,
                         const Request& request) {
  LIMBER_TRY(Upright upright, stand_upright(subject, facing));
  return Actor{subject, asset, std::move(upright), listeners_of(request), request.study};
}

Result<Animation> follow_prior(const Plan& plan, const Actor& actor, prior::VideoPrior& prior,
                               prior::VideoPrior* starter) {
  const lift::ProvenDevice proven = prove(asked_device(plan), actor.upright.subject);
  const Context context = drawing_on(actor, proven);
  LIMBER_TRY(Unfinished drawn, draw(plan, actor, context, prior, starter));
  LIMBER_TRY(Animation animation, complete(plan.finish, context, drawn.share, std::move(drawn.made)));
  return brought_back(actor, proven, std::move(animation));
}

Result<Animation> follow_rules(const Plan& plan, const Actor& actor) {
  const Context context = actor.context();
  LIMBER_TRY(Made made, make_by_rule(std::get<ByRule>(plan.way), plan.finish.fps, context));
  LIMBER_TRY(Animation animation, complete(plan.finish, context, kByRule, std::move(made)));
  return brought_back(actor, {}, std::move(animation));
}

Result<Animation> follow_clips(const Plan& plan, const Actor& actor) {
  const Context context = actor.context();
  LIMBER_TRY(Made made, take_clip(std::get<ByLibrary>(plan.way), plan.finish.loop, context));
  LIMBER_TRY(Animation animation, complete(plan.finish, context, kTaken, std::move(made)));
  return brought_back(actor, {}, std::move(animation));
}

Result<NativeAnimation> follow_joints(const Plan& plan, const Actor& actor, const motion_space::MotionDenoiser& motions,
                                      const motion_space::MotionJudge* judge) {
  const ByNative& way = std::get<ByNative>(plan.way);
  const Context context = actor.context();
  const motion_space::MotionSpace space(motions, motion_space::make_motion_body(actor.upright.subject));
  const ChunkMaker maker = chunk_maker(std::span<const prior::ActionWords>{});
  LIMBER_TRY(const Anchors anchors,
             find_anchors(actor.subject, actor.upright, actor.asset, way.span, maker.fps, maker.rule.kept));
  std::optional<MotionDoubt> doubt;
  if (judge != nullptr) doubt.emplace(*judge, actor.upright.subject);
  std::optional<NativeAnimation> first;
  std::vector<std::string> rejected;
  for (int draw = 0; draw <= (way.falls_back ? kRedraws : 0); ++draw) {
    // The plan of this draw alone.
    ByNative again = way;
    again.sample.seed += static_cast<std::uint64_t>(draw) * std::uint64_t{0x632be59bd9b4e019};
    LIMBER_TRY(Made made, native_motion(again, context, space, anchors, doubt ? &*doubt : nullptr));
    LIMBER_TRY(Animation animation, complete(plan.finish, context, kDrawnByJoints, std::move(made)));
    animation = brought_back(actor, {}, std::move(animation));
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

Result<Animation> follow_frames(const Plan& plan, const Actor& actor, const lift::SampledVideo& video) {
  const ByVideo& way = std::get<ByVideo>(plan.way);
  const lift::ProvenDevice proven = prove(way.drawn_on, actor.upright.subject);
  const Context context = drawing_on(actor, proven);
  LIMBER_TRY(Made made, lift_frames(way, context, video));
  LIMBER_TRY(Animation animation, complete(plan.finish, context, kLifted, std::move(made)));
  return brought_back(actor, proven, std::move(animation));
}

Result<Motion> finish_other(const FinishPlan& plan, const Actor& actor, const Animation& animation,
                            std::size_t candidate) {
  LIMBER_EXPECT(candidate < animation.candidates.size(), std::to_string(candidate));
  // What is shown beside the chosen one is neither simulated nor left to its habitat.
  FinishPlan plain = plan;
  if (plain.ground != Ground::kNone) plain.ground = Ground::kLock;
  plain.by_habitat = false;
  LIMBER_TRY(Finished other,
             finish(plain, actor.upright.subject, animation.candidates[candidate].lifted.motion, animation.ends));
  turn_back(actor.upright, other.motion);
  return std::move(other.motion);
}

}  // namespace limber::animate
