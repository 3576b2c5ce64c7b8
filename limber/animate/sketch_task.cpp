// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/sketch_task.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "limber/actions/catalogue.h"
#include "limber/animate/plan.h"
#include "limber/animate/progress_share.h"
#include "limber/base/gpu_timeline.h"
#include "limber/lift/leading_joints.h"
#include "limber/physics/habitat.h"
#include "limber/rig/bone_boxes.h"
#include "limber/scene/scene_cuda.h"

namespace limber::animate {
namespace {

/// Against a loss that is a mean over all pixels: a tenth of a radian off costs as much as a visible mistake.
constexpr double kHoldWeight = 1;
/// Heights of a body: zoo birds fly at 0.6; samples that show more were not seen.
constexpr double kHighest = 1.5;

scene::SketchViewSettings view_settings(const prior::PriorInfo& info, Device device) {
  scene::SketchViewSettings settings;
  settings.views = info.views, settings.size = info.native.width, settings.framing = info.framing;
  settings.device = device;
  return settings;
}

distill::DistillSettings refine_settings(const SketchTask& task) {
  const RefinePlan& plan = task.refine;
  distill::DistillSettings s;
  s.mode = distill::DistillMode::kDenoise;
  s.iterations = plan.iterations;
  s.fits_per_denoise = plan.fits_per_denoise, s.denoise_steps = plan.denoise_steps;
  s.angle_rate = 0.01, s.root_rate = 0.003, s.rate_end = 0.3;
  s.free = task.free;
  s.smooth_weight = plan.smooth_weight, s.ground_weight = plan.ground_weight;
  s.boxes = rig::bone_boxes(task.subject);
  s.score.seed = task.sample.seed;
  s.score.guidance = task.sample.guidance > 0 ? task.sample.guidance : task.prior.info().sample_guidance;
  // From a lifted motion only the details are still open.
  s.score.t_max = 0.6, s.score.t_max_end = 0.35, s.score.anneal_iterations = s.iterations;
  follow_keeping(task.keep, task.listeners, share_of(task.listeners.progress, "distilling", 0.5, 0.9), s);
  return s;
}

/// Left on the GPU where both draw and look there.
Result<Pictures> draw_pictures(SketchTask& task, const kinematics::Motion& motion,
                               const std::vector<scene::Camera>& cameras) {
  scene::Scene& scene = task.view.scene();
  Pictures pictures;
  if (scene.device() == Device::kCuda && task.prior.on_device() != nullptr) {
    LIMBER_CHECK_OK(scene.forward_on_device(motion, cameras));
    const int frames = motion.frame_count(), views = static_cast<int>(cameras.size()) / frames;
    pictures.there = prior::DeviceFrames{
        views, frames, cameras[0].height, cameras[0].width, scene.cuda()->frames(), scene.cuda()->queue().get()};
    return pictures;
  }
  scene.forward(motion, cameras, pictures.here);
  LIMBER_CHECK_OK(scene.status());
  return pictures;
}

}  // namespace

void follow_keeping(const KeepPlan& keep, const Listeners& listeners, Progress progress,
                    distill::DistillSettings& settings) {
  if (!keep.file.empty()) settings.checkpoint = keep.file, settings.checkpoint_seconds = keep.seconds;
  settings.progress = std::move(progress);
  if (keep.preview_every > 0) settings.preview_every = keep.preview_every;
  settings.on_preview = listeners.on_preview, settings.on_step = listeners.on_step;
}

prior::SampleSettings sample_settings(const SamplePlan& plan, std::uint64_t seed) {
  prior::SampleSettings settings;
  settings.seed = seed;
  if (plan.guidance > 0) settings.guidance = plan.guidance;
  if (plan.steps > 0) settings.steps = plan.steps;
  settings.few_steps = plan.few_steps;
  return settings;
}

Result<SketchTask> make_sketch_task(const Context& context, prior::VideoPrior& prior, const BySample& plan) {
  const rig::Subject& subject = context.subject;
  SketchTask task{
      subject,
      prior,
      plan.sample,
      plan.refine,
      plan.keep,
      context.study,
      context.listeners,
      scene::SketchView(subject.rig, scene::part_gaussians(subject), view_settings(prior.info(), context.drawn_on)),
      lift::leading_joints(subject),
      metrics::limb_ends(subject),
      {},
      {},
      {},
      highest_of(subject.rig, plan.sample.prompt),
      false,
      {}};
  const Frames rest = task.view.rest();
  LIMBER_CHECK_OK(task.view.scene().status());
  LIMBER_TRY(task.condition, prior.condition({plan.sample.prompt, plan.sample.negative}, &rest));
  LIMBER_TRY(task.joints, JointPrior::open(plan.joints, subject));
  task.distilling = refine_settings(task);
  task.keeps = task.distilling.iterations > 0;
  return task;
}

double highest_of(const rig::Rig& rig, const std::string& prompt) {
  const physics::HabitatChoice choice = physics::choose_habitat(rig, actions::built_in().habitat_hint(prompt), {});
  return choice.habitat == physics::Habitat::kFree ? kHighest : 0;
}

Result<Refined> refine(SketchTask& task, const kinematics::Motion& start) {
  Refined refined;
  refined.motion = start;
  if (task.distilling.iterations == 0) return refined;
  // The course is the lift's: jitter would move the ground that the sample was drawn with.
  const auto cameras = [&task](const kinematics::Motion& motion, Rng&) { return task.view.cameras(motion); };
  scene::Scene& scene = task.view.scene();
  distill::DistillSettings settings = task.distilling;
  if (task.joints) settings.extra = {task.joints->energy(1, true)};
  if (task.known) {
    settings.extra.push_back({"known poses", kHoldWeight, std::make_shared<HoldEnergy>(start, task.known->holds)});
  }
  GpuTimeline::get().stage("distil");
  LIMBER_TRY(distill::DistillReport report,
             distill::distill(scene, cameras, task.prior, task.condition, settings, refined.motion));
  if (report.stop == distill::DistillStop::kCancelled) return cancelled("distillation");
  if (report.stop == distill::DistillStop::kNotFinite) {
    refined.warnings.push_back({"distillation_broke_off"});
  }
  refined.distilled = Distilled{std::move(report), task.distilling.smooth_weight, task.distilling.ground_weight};
  return refined;
}

Result<Assessed> assess(SketchTask& task, const kinematics::Motion& motion, bool as_told) {
  GpuTimeline::get().stage("assess");
  // The cameras of a chunk follow its own course, wherever the whole motion goes.
  const std::vector<scene::Camera> cameras = task.view.cameras(motion);
  LIMBER_TRY(const Pictures pictures, draw_pictures(task, motion, cameras));
  LIMBER_TRY(Explained explained, explain(task, pictures, as_told));
  Assessed assessed;
  assessed.prior_score = explained.error, assessed.told = std::move(explained.told);
  assessed.observed = lift::observe(task.view.scene(), cameras, motion, task.free);
  LIMBER_CHECK_OK(task.view.scene().status());
  return assessed;
}

}  // namespace limber::animate
