// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/distill_motion.h"

#include <algorithm>
#include <utility>

#include "limber/animate/animate_subject.h"
#include "limber/animate/finish.h"
#include "limber/animate/joint_prior.h"
#include "limber/animate/part_task.h"
#include "limber/animate/plan.h"
#include "limber/animate/progress_share.h"
#include "limber/animate/sample_motion.h"
#include "limber/asset/pose.h"
#include "limber/base/gpu_timeline.h"
#include "limber/base/stopwatch.h"
#include "limber/kinematics/resample.h"
#include "limber/rig/bone_boxes.h"
#include "limber/scene/body.h"
#include "limber/scene/body_splats.h"
#include "limber/scene/part_view.h"

namespace limber::animate {
namespace {

constexpr int kGaussians = 20000;
constexpr float kAzimuth = 1.1f;  // of the camera: from the side, a little from ahead
// From a sample: what most noise is there for, the coarse motion, is done already.
constexpr double kMostNoise = 0.7;

/// Gaussians of an upright body in its own colours. Refined where the mesh that they stand for is drawn in the same
/// world; a body that had to be turned keeps those that were sampled.
Result<splat::Gaussians> look_of(const rig::Subject& subject, const asset::Asset* asset, const Request& request) {
  splat::SampleSettings sampling;
  sampling.count = kGaussians, sampling.seed = request.seed;
  splat::Gaussians sampled = scene::subject_gaussians(subject, asset, sampling);
  if (asset == nullptr) return sampled;
  const Result<scene::Body> body = scene::Body::from_asset(*asset);
  if (!body.ok() || !body->subject() || body->subject()->points != subject.points) return sampled;
  scene::BodyPose pose;
  body->pose(asset::rest_state(*asset), pose);
  const scene::Box box = scene::pose_box(body->mesh(), pose);
  if (box.empty()) return sampled;
  scene::RefineSettings refining;
  refining.seed = request.seed;
  splat::Gaussians refined = scene::body_gaussians(*body, pose, scene::fine_sampling(kGaussians, request.seed),
                                                   scene::silhouette_inset(box, refining.size));
  LIMBER_TRY(const scene::RefineReport report,
             scene::refine(refined, box, scene::body_renderer(*body, pose), refining,
                           share_of(request.progress, "refining what it looks like", 0, 0.05)));
  (void)report;
  scene::move_to_bind_space(refined, subject.rig);
  return refined;
}

/// For priors of real videos.
Result<Animation> distill_seen(const rig::Subject& subject, const asset::Asset* asset, prior::VideoPrior& prior,
                               const Request& request, const Study& study, const distill::DistillSettings& settings,
                               Animation animation) {
  const prior::PriorInfo& info = prior.info();
  scene::SceneSettings look;
  look.ground.visible = study.draw_ground, look.raster.device = request.device;
  LIMBER_TRY(splat::Gaussians gaussians, look_of(subject, asset, request));
  scene::Scene scene(subject.rig, std::move(gaussians), look);
  LIMBER_TRY(const prior::Condition condition, prior.condition({request.prompt, request.negative}));
  scene::OrbitSettings orbit;
  orbit.azimuth = kAzimuth, orbit.width = info.native.width, orbit.height = info.native.height;
  LIMBER_TRY(distill::DistillReport report, distill::distill(scene, distill::following_cameras(scene, orbit), prior,
                                                             condition, settings, animation.lifted));
  animation.distilled = Distilled{std::move(report), settings.smooth_weight, settings.ground_weight};
  return animation;
}

/// For the built-in prior: its own views, which follow the mean course of the body.
Result<Animation> distill_parts(const rig::Subject& subject, prior::VideoPrior& prior, const Request& request,
                                const Study& study, const distill::DistillSettings& settings, Animation animation) {
  const prior::PriorInfo& info = prior.info();
  scene::PartViewSettings look;
  look.views = info.views, look.size = info.native.width, look.draw_ground = study.draw_ground;
  look.framing = info.framing, look.device = request.device;
  scene::PartView view(subject.rig, scene::part_gaussians(subject), look);
  const Frames rest = view.rest();
  LIMBER_CHECK_OK(view.scene().status());
  LIMBER_TRY(const prior::Condition condition, prior.condition({request.prompt, request.negative}, &rest));
  const auto cameras = [&view](const kinematics::Motion& motion, Rng&) { return view.cameras(motion); };
  LIMBER_TRY(distill::DistillReport report,
             distill::distill(view.scene(), cameras, prior, condition, settings, animation.lifted));
  animation.distilled = Distilled{std::move(report), settings.smooth_weight, settings.ground_weight};
  animation.observed = lift::observe(view.scene(), view.cameras(animation.lifted), animation.lifted, {});
  LIMBER_CHECK_OK(view.scene().status());
  return animation;
}

/// As many frames: the last one is held, or what is too much is cut off.
void set_frames(kinematics::Motion& motion, int frames) {
  const auto joints = static_cast<std::size_t>(motion.joint_count), count = static_cast<std::size_t>(frames);
  const std::vector<Vec3> last(motion.angles.end() - motion.joint_count, motion.angles.end());
  motion.root_translations.resize(count, motion.root_translations.back());
  motion.angles.resize(std::min(motion.angles.size(), count * joints));
  while (motion.angles.size() < count * joints) motion.angles.insert(motion.angles.end(), last.begin(), last.end());
  motion.overrides.clear();
  motion.loops = false;
}

/// At rest, sliding forward.
kinematics::Motion resting_start(const rig::Subject& subject, const prior::PriorInfo& info, double speed, double sink) {
  kinematics::Motion start = distill::forward_start(subject.rig, info.native.frames, info.fps, speed, {0, 0, 1});
  for (int f = 1; f < start.frame_count(); ++f) {
    start.root_translations[static_cast<std::size_t>(f)].y -= static_cast<float>(sink * f / (start.frame_count() - 1));
  }
  return start;
}

/// What `starter` draws for the same prompt, lifted, at the rate and with the frames of the prior that is distilled.
Result<kinematics::Motion> sampled_start(const rig::Subject& subject, prior::VideoPrior* starter,
                                         const prior::PriorInfo& info, const Request& request) {
  if (starter == nullptr || !draws_parts(starter->info())) {
    return Error{"to start from a sample a prior is needed that draws the body itself, and there is none", "request",
                 ErrorKind::kMissing};
  }
  Request draft;
  draft.prompt = request.prompt, draft.negative = request.negative, draft.seed = request.seed;
  draft.method = Method::kSample, draft.quality = Quality::kDraft;
  draft.finishing.ground = Ground::kNone, draft.device = request.device;
  draft.seconds = std::clamp(info.native.frames / info.fps, kShortest, kLongest);
  draft.progress = share_of(request.progress, "drawing a start", 0, 0.05);
  LIMBER_TRY(const Animation drawn, sample_motion(subject, *starter, draft, {}));
  kinematics::Motion start = kinematics::resampled(drawn.lifted, info.fps);
  set_frames(start, info.native.frames);
  return start;
}

}  // namespace

distill::DistillSettings akd_settings(const rig::Subject& subject, const Request& request) {
  const RefinePlan plan = refine_plan(request, Method::kAkd);
  distill::DistillSettings s;
  s.iterations = plan.iterations;
  s.smooth_weight = plan.smooth_weight, s.ground_weight = plan.ground_weight;
  s.boxes = rig::bone_boxes(subject);
  // Eq. 8 has no rounded corner, and AKD no joint limits.
  s.smooth_corner = 0, s.limit_weight = 0;
  // Guidance 100, t from 0.98 down to 0.5 over the first half: AKD's.
  s.score.seed = request.seed, s.score.anneal_iterations = std::max(1, s.iterations / 2);
  s.score.guidance = request.sampling.guidance.value_or(s.score.guidance);
  if (plan.from == Start::kSample) s.score.t_max = kMostNoise;
  follow_request(request, share_of(request.progress, "distilling", 0.05, 0.95), s);
  return s;
}

Result<Animation> distill_motion(const rig::Subject& subject, const asset::Asset* asset, prior::VideoPrior& prior,
                                 prior::VideoPrior* starter, const Request& request, const Study& study) {
  Stopwatch watch;
  const prior::PriorInfo& info = prior.info();
  Animation start;
  start.method = Method::kAkd;
  start.ends = metrics::limb_ends(subject);
  start.segments.push_back({split_prompt(request.prompt, info.actions).front(), 0, 0, 0, {}, {}});
  start.segments.front().asked.prompt = request.prompt;
  if (request.distilling.from == Start::kSample) {
    LIMBER_TRY(start.lifted, sampled_start(subject, starter, info, request));
  } else {
    start.lifted = resting_start(subject, info, request.distilling.speed, study.sink);
  }
  GpuTimeline::get().stage("distil");
  distill::DistillSettings settings = akd_settings(subject, request);
  LIMBER_TRY(const std::optional<JointPrior> joints, JointPrior::open(request, subject));
  if (joints) settings.extra = {joints->energy(1, true)};
  note_joint_prior(joints, start);
  LIMBER_TRY(Animation animation,
             draws_parts(info) ? distill_parts(subject, prior, request, study, settings, std::move(start))
                               : distill_seen(subject, asset, prior, request, study, settings, std::move(start)));
  const distill::DistillStop stop = animation.distilled->report.stop;
  if (stop == distill::DistillStop::kCancelled) return cancelled("distillation");
  if (stop == distill::DistillStop::kNotFinite) {
    animation.warnings.push_back({"distillation_broke_off"});
  }
  animation.seconds.distill = watch.lap();
  LIMBER_CHECK_OK(finish_whole(subject, request, 0.95, animation));
  return animation;
}

}  // namespace limber::animate
