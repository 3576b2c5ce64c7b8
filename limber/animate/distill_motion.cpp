// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/distill_motion.h"

#include <algorithm>
#include <utility>

#include "limber/animate/animate_subject.h"
#include "limber/animate/joint_prior.h"
#include "limber/animate/progress_share.h"
#include "limber/animate/sample_motion.h"
#include "limber/animate/sketch_task.h"
#include "limber/asset/pose.h"
#include "limber/base/gpu_timeline.h"
#include "limber/base/stopwatch.h"
#include "limber/kinematics/resample.h"
#include "limber/rig/bone_boxes.h"
#include "limber/scene/body.h"
#include "limber/scene/body_splats.h"
#include "limber/scene/sketch_view.h"

namespace limber::animate {
namespace {

constexpr int kGaussians = 20000;
constexpr float kAzimuth = 1.1f;  // of the camera: from the side, a little from ahead
// From a sample: what most noise is there for, the coarse motion, is done already.
constexpr double kMostNoise = 0.7;

/// Gaussians of an upright body in its own colours. Refined where the mesh that they stand for is drawn in the same
/// world; a body that had to be turned keeps those that were sampled.
Result<splat::Gaussians> look_of(const Context& context, std::uint64_t seed) {
  const rig::Subject& subject = context.subject;
  const asset::Asset* asset = context.asset;
  splat::SampleSettings sampling;
  sampling.count = kGaussians, sampling.seed = seed;
  splat::Gaussians sampled = scene::subject_gaussians(subject, asset, sampling);
  if (asset == nullptr) return sampled;
  const Result<scene::Body> body = scene::Body::from_asset(*asset);
  if (!body.ok() || !body->subject() || body->subject()->points != subject.points) return sampled;
  scene::BodyPose pose;
  body->pose(asset::rest_state(*asset), pose);
  const scene::Box box = scene::pose_box(body->mesh(), pose);
  if (box.empty()) return sampled;
  scene::RefineSettings refining;
  refining.seed = seed;
  splat::Gaussians refined = scene::body_gaussians(*body, pose, scene::fine_sampling(kGaussians, seed),
                                                   scene::silhouette_inset(box, refining.size));
  LIMBER_TRY(const scene::RefineReport report,
             scene::refine(refined, box, scene::body_renderer(*body, pose), refining,
                           share_of(context.listeners.progress, "refining what it looks like", 0, 0.05)));
  (void)report;
  scene::move_to_bind_space(refined, subject.rig);
  return refined;
}

/// For priors of real videos.
Result<Made> distill_seen(const ByAkd& plan, const Context& context, prior::VideoPrior& prior,
                          const distill::DistillSettings& settings, Made made) {
  const prior::PriorInfo& info = prior.info();
  scene::SceneSettings look;
  look.ground.visible = context.study.draw_ground, look.raster.device = context.drawn_on;
  LIMBER_TRY(splat::Gaussians gaussians, look_of(context, plan.seed));
  scene::Scene scene(context.subject.rig, std::move(gaussians), look);
  LIMBER_TRY(const prior::Condition condition, prior.condition({plan.prompt, plan.negative}));
  scene::OrbitSettings orbit;
  orbit.azimuth = kAzimuth, orbit.width = info.native.width, orbit.height = info.native.height;
  LIMBER_TRY(distill::DistillReport report, distill::distill(scene, distill::following_cameras(scene, orbit), prior,
                                                             condition, settings, made.motion));
  made.distilled = Distilled{std::move(report), settings.smooth_weight, settings.ground_weight};
  return made;
}

/// For the built-in prior: its own views, which follow the mean course of the body.
Result<Made> distill_sketch(const ByAkd& plan, const Context& context, prior::VideoPrior& prior,
                            const distill::DistillSettings& settings, Made made) {
  const prior::PriorInfo& info = prior.info();
  const rig::Subject& subject = context.subject;
  scene::SketchViewSettings look;
  look.views = info.views, look.size = info.native.width, look.draw_ground = context.study.draw_ground;
  look.framing = info.framing, look.device = context.drawn_on;
  scene::SketchView view(subject.rig, scene::part_gaussians(subject), look);
  const Frames rest = view.rest();
  LIMBER_CHECK_OK(view.scene().status());
  LIMBER_TRY(const prior::Condition condition, prior.condition({plan.prompt, plan.negative}, &rest));
  const auto cameras = [&view](const kinematics::Motion& motion, Rng&) { return view.cameras(motion); };
  LIMBER_TRY(distill::DistillReport report,
             distill::distill(view.scene(), cameras, prior, condition, settings, made.motion));
  made.distilled = Distilled{std::move(report), settings.smooth_weight, settings.ground_weight};
  made.observed = lift::observe(view.scene(), view.cameras(made.motion), made.motion, {});
  LIMBER_CHECK_OK(view.scene().status());
  return made;
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
Result<kinematics::Motion> sampled_start(const ByAkd& plan, const Context& context, prior::VideoPrior* starter,
                                         const prior::PriorInfo& info) {
  if (starter == nullptr || !draws_sketches(starter->info())) {
    return Error{"to start from a sample a prior is needed that draws the body itself, and there is none", "request",
                 ErrorKind::kMissing};
  }
  BySample draft;
  draft.sample = plan.start;
  draft.span.seconds = std::clamp(info.native.frames / info.fps, kShortest, kLongest);
  draft.span.candidates_going_on = std::max(1, plan.start.candidates / 2);
  const Context drawing{context.subject,
                        nullptr,
                        {share_of(context.listeners.progress, "drawing a start", 0, 0.05), {}, {}, {}},
                        {},
                        context.drawn_on};
  LIMBER_TRY(const Made drawn, sample_motion(draft, drawing, *starter, {}));
  kinematics::Motion start = kinematics::resampled(drawn.motion, info.fps);
  set_frames(start, info.native.frames);
  return start;
}

}  // namespace

distill::DistillSettings akd_settings(const ByAkd& plan, const Context& context) {
  distill::DistillSettings s;
  s.iterations = plan.refine.iterations;
  s.smooth_weight = plan.refine.smooth_weight, s.ground_weight = plan.refine.ground_weight;
  s.boxes = rig::bone_boxes(context.subject);
  // Eq. 8 has no rounded corner, and AKD no joint limits.
  s.smooth_corner = 0, s.limit_weight = 0;
  // Guidance 100, t from 0.98 down to 0.5 over the first half: AKD's.
  s.score.seed = plan.seed, s.score.anneal_iterations = std::max(1, s.iterations / 2);
  if (plan.guidance > 0) s.score.guidance = plan.guidance;
  if (plan.from == Start::kSample) s.score.t_max = kMostNoise;
  follow_keeping(plan.keep, context.listeners, share_of(context.listeners.progress, "distilling", 0.05, 0.95), s);
  return s;
}

Result<Made> distill_motion(const ByAkd& plan, const Context& context, prior::VideoPrior& prior,
                            prior::VideoPrior* starter) {
  Stopwatch watch;
  const prior::PriorInfo& info = prior.info();
  const rig::Subject& subject = context.subject;
  Made start;
  start.method = Method::kAkd;
  start.ends = metrics::limb_ends(subject);
  start.segments.push_back({split_prompt(plan.prompt, info.actions).front(), 0, 0, 0, {}, {}});
  start.segments.front().asked.prompt = plan.prompt;
  if (plan.from == Start::kSample) {
    LIMBER_TRY(start.motion, sampled_start(plan, context, starter, info));
  } else {
    start.motion = resting_start(subject, info, context.study.speed, context.study.sink);
  }
  GpuTimeline::get().stage("distil");
  distill::DistillSettings settings = akd_settings(plan, context);
  LIMBER_TRY(const std::optional<JointPrior> joints, JointPrior::open(plan.joints, subject));
  if (joints) settings.extra = {joints->energy(1, true)};
  note_joint_prior(joints, start);
  LIMBER_TRY(Made made, draws_sketches(info) ? distill_sketch(plan, context, prior, settings, std::move(start))
                                             : distill_seen(plan, context, prior, settings, std::move(start)));
  const distill::DistillStop stop = made.distilled->report.stop;
  if (stop == distill::DistillStop::kCancelled) return cancelled("distillation");
  if (stop == distill::DistillStop::kNotFinite) made.warnings.push_back({"distillation_broke_off"});
  made.seconds.distill = watch.lap();
  return made;
}

}  // namespace limber::animate
