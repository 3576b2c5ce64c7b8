// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/animate_subject.h"

#include <algorithm>
#include <utility>

#include "limber/animate/finish.h"
#include "limber/animate/part_task.h"
#include "limber/animate/pose_prior.h"
#include "limber/animate/progress_share.h"
#include "limber/animate/upright.h"
#include "limber/base/expect.h"
#include "limber/base/stopwatch.h"
#include "limber/lift/leading_joints.h"
#include "limber/lift/video_lift.h"
#include "limber/lift/video_sample.h"
#include "limber/rig/bone_boxes.h"
#include "limber/scene/body_splats.h"

namespace limber::animate {
namespace {

using kinematics::Motion;

Result<Upright> upright_subject(const rig::Subject& subject, const Request& request) {
  return stand_upright(subject, request.facing.value_or(subject.facing));
}

std::optional<pose_space::PoseSpace> pose_space_for(const rig::Subject& subject, const Request& request) {
  return request.pose_prior ? shipped_pose_space(subject) : std::nullopt;
}

void add(std::vector<std::string>& to, std::vector<std::string> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// The built-in prior: samples of the body itself.
Result<Animation> sample_and_refine(const rig::Subject& subject, prior::VideoPrior& prior, const Request& request) {
  Animation animation;
  LIMBER_TRY(PartTask task, make_part_task(subject, prior, request));
  if (std::optional<std::string> warning = prior::warn_of_prompt(prior.info().actions, request.prompt)) {
    animation.warnings.push_back(std::move(*warning));
  }
  LIMBER_TRY(Drawn drawn, draw_candidates(task));
  drawn = best_first(std::move(drawn), request.sampling);
  animation.seconds.sample = drawn.sample_seconds, animation.seconds.lift = drawn.lift_seconds;
  animation.resumed_candidates = drawn.resumed;
  add(animation.warnings, std::move(drawn.warnings));
  animation.candidates = std::move(drawn.candidates);

  Stopwatch watch;
  LIMBER_TRY(Refined refined, refine(task, animation.candidates.front().lifted.motion));
  animation.seconds.distill = watch.lap();
  animation.lifted = std::move(refined.motion), animation.distilled = std::move(refined.distilled);
  add(animation.warnings, std::move(refined.warnings));
  LIMBER_TRY(Judged judged, judge(task, animation.lifted));
  animation.prior_score = judged.prior_score, animation.observed = std::move(judged.observed);

  animation.ends = std::move(task.ends);
  LIMBER_TRY(Finished finished, finish(subject, animation.lifted, animation.ends, request,
                                       share_of(request.progress, "putting it on the ground", 0.9, 1)));
  take_finished(std::move(finished), animation);
  animation.seconds.ground = watch.lap();
  return animation;
}

distill::DistillSettings distill_settings(const rig::Subject& subject, const Request& request) {
  const Distilling& asked = request.distilling;
  distill::DistillSettings s;
  s.iterations = asked.iterations.value_or(preset(request.quality).iterations_from_rest);
  s.free = lift::leading_joints(subject);
  s.smooth_weight = asked.smooth_weight.value_or(s.smooth_weight);
  s.ground_weight = asked.ground_weight.value_or(s.ground_weight);
  s.boxes = rig::bone_boxes(subject);
  if (const auto poses = pose_space_for(subject, request)) s.extra = {pose_energy(*poses, {}, 1)};
  s.score.seed = request.seed, s.score.anneal_iterations = std::max(1, s.iterations / 2);
  s.score.guidance = request.sampling.guidance.value_or(s.score.guidance);
  follow_request(request, share_of(request.progress, "distilling", 0, 0.95), s);
  return s;
}

/// Priors of real videos: no sample of theirs shows this very body, so the motion is distilled from a body that slides
/// forward at rest (AKD).
Result<Animation> distill_from_rest(const rig::Subject& subject, const asset::Asset* asset, prior::VideoPrior& prior,
                                    const Request& request) {
  Stopwatch watch;
  const prior::PriorInfo& info = prior.info();
  Animation animation;
  animation.ends = metrics::limb_ends(subject);
  splat::SampleSettings sampling;
  sampling.count = 20000, sampling.seed = request.seed;
  scene::SceneSettings look;
  look.ground.visible = request.distilling.draw_ground;
  scene::Scene scene(subject.rig, scene::subject_gaussians(subject, asset, sampling), look);
  LIMBER_TRY(const prior::Condition condition, prior.condition({request.prompt, request.negative}));
  animation.lifted =
      distill::forward_start(subject.rig, info.native.frames, info.fps, request.distilling.speed, {0, 0, 1});

  const distill::DistillSettings settings = distill_settings(subject, request);
  scene::OrbitSettings orbit;
  orbit.azimuth = 1.1f, orbit.width = info.native.width, orbit.height = info.native.height;
  LIMBER_TRY(distill::DistillReport report, distill::distill(scene, distill::following_cameras(scene, orbit), prior,
                                                             condition, settings, animation.lifted));
  if (report.stop == distill::DistillStop::kCancelled) return cancelled("distillation");
  animation.distilled = Distilled{std::move(report), settings.smooth_weight, settings.ground_weight};
  animation.seconds.distill = watch.lap();
  LIMBER_TRY(Finished finished, finish(subject, animation.lifted, animation.ends, request,
                                       share_of(request.progress, "putting it on the ground", 0.95, 1)));
  take_finished(std::move(finished), animation);
  animation.seconds.ground = watch.lap();
  return animation;
}

/// What the video shows, in the words of the report where that is not enough.
Result<Animation> lift_animation(const rig::Subject& subject, const asset::Asset* asset, const Request& request) {
  LIMBER_TRY(const lift::SampledVideo video, lift::sample_video(*request.video));
  Stopwatch watch;
  lift::VideoLiftSettings lifting;
  lifting.progress = share_of(request.progress, 0, 0.9);
  const std::optional<pose_space::PoseSpace> poses = pose_space_for(subject, request);
  if (poses) lifting.energies = {pose_energy(*poses, {}, 8)};
  LIMBER_TRY(lift::VideoLift lifted, lift::lift_video(subject, asset, video.frames, video.fps, lifting));
  Animation animation;
  if (!video.whole) {
    animation.warnings.push_back("only the first " + std::to_string(video.read) + " frames were looked at");
  }
  add(animation.warnings, std::move(lifted.report.warnings));
  if (!lifted.report.trusted) {
    std::string reasons;
    for (const std::string& reason : lifted.report.reasons) reasons += (reasons.empty() ? "" : "; ") + reason;
    if (!request.anyway) {
      return Error{"the video does not tell how this body moves: " + reasons, request.video->string(),
                   ErrorKind::kConflict};
    }
    animation.warnings.push_back("the motion is not to be trusted: " + reasons);
  }
  if (poses) lifted.motion = lean_on_poses(*poses, {}, lifted.motion, lifted.observability);
  animation.lifted = std::move(lifted.motion);
  animation.observed = std::move(lifted.observability);
  animation.ends = metrics::limb_ends(subject);
  animation.seconds.lift = watch.lap();
  return animation;
}

}  // namespace

bool draws_parts(const prior::PriorInfo& info) { return info.uses_rest && info.views >= 2; }

Result<Animation> follow_prompt(const rig::Subject& subject, const asset::Asset* asset, prior::VideoPrior& prior,
                                const Request& request) {
  LIMBER_TRY(const Upright upright, upright_subject(subject, request));
  LIMBER_TRY(Animation animation, draws_parts(prior.info())
                                      ? sample_and_refine(upright.subject, prior, request)
                                      : distill_from_rest(upright.subject, asset, prior, request));
  turn_back(upright, animation.motion), turn_back(upright, animation.lifted);
  return animation;
}

Result<Animation> follow_video(const rig::Subject& subject, const asset::Asset* asset, const Request& request) {
  LIMBER_EXPECT(request.video.has_value(), "the request has no video");
  LIMBER_TRY(const Upright upright, upright_subject(subject, request));
  LIMBER_TRY(Animation animation, lift_animation(upright.subject, asset, request));
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
