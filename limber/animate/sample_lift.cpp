// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/sample_lift.h"

#include "limber/base/expect.h"

namespace limber::animate {
namespace {

/// How near the first stage brings a motion.
Result<double> first_residual(scene::SketchView& view, std::span<const scene::Camera> cameras, const Frames& video,
                              const lift::ViewFitSettings& fit, kinematics::Motion motion) {
  lift::ViewFitSettings first = fit;
  if (first.stages.size() > 1) first.stages.resize(1);
  // The whole fit is still to come.
  first.progress = [&](std::string_view stage, double) { return !fit.progress || fit.progress(stage, 0); };
  LIMBER_TRY(const lift::ViewFitReport report, lift::fit_views(view.scene(), cameras, video, first, motion));
  return report.residual;
}

/// The start that comes nearer.
Result<kinematics::Motion> better_start(scene::SketchView& view, std::span<const scene::Camera> cameras,
                                        const Frames& video, const SampleLiftSettings& settings,
                                        kinematics::Motion motion) {
  if (settings.other_start.empty()) return motion;
  LIMBER_EXPECT(settings.other_start.size() == static_cast<std::size_t>(motion.joint_count), "angles of all joints");
  kinematics::Motion other = motion;
  for (int i = 0; i < other.frame_count(); ++i) {
    for (std::size_t j = 1; j < settings.other_start.size(); ++j) {
      // What no fit can turn back stays at rest.
      if (settings.fit.free.empty() || settings.fit.free[j]) other.frame_angles(i)[j] = settings.other_start[j];
    }
  }
  LIMBER_TRY(const double at_rest, first_residual(view, cameras, video, settings.fit, motion));
  LIMBER_TRY(const double from_other, first_residual(view, cameras, video, settings.fit, other));
  return from_other < at_rest ? std::move(other) : std::move(motion);
}

}  // namespace

Result<LiftedSample> lift_sample(scene::SketchView& view, const Frames& video, const SampleLiftSettings& settings) {
  LiftedSample result;
  const Vec3 middle = view.rest_box().center();
  const auto cameras = [&](const scene::Course& course) { return view.cameras(course, video.frames); };
  result.ground = lift::find_ground_speed(video, cameras, scene::SketchView::ground(),
                                          {middle, settings.forward, -0.1 * settings.fastest / settings.fps,
                                           settings.fastest / settings.fps, settings.highest},
                                          &view.scene());
  const scene::Course& course = result.ground.course;

  kinematics::Motion& motion = result.motion;
  motion = kinematics::rest_motion(view.scene().rig(), video.frames, settings.fps);
  for (int i = 0; i < video.frames; ++i) {
    const auto t = static_cast<float>(i - 0.5 * (video.frames - 1));
    motion.root_translations[static_cast<std::size_t>(i)] = course.middle - middle + t * course.velocity;
  }
  const std::vector<scene::Camera> seen = cameras(course);
  LIMBER_TRY(motion, better_start(view, seen, video, settings, std::move(motion)));
  LIMBER_TRY(result.fit, lift::fit_views(view.scene(), seen, video, settings.fit, motion));
  return result;
}

Result<LiftedSample> lift_from_guess(scene::SketchView& view, const Frames& video, const kinematics::Motion& guess,
                                     const SampleLiftSettings& settings) {
  LiftedSample result;
  result.ground.course = view.course(guess);
  result.motion = guess;
  LIMBER_TRY(result.fit, lift::fit_views(view.scene(), view.cameras(guess), video, settings.fit, result.motion));
  return result;
}

}  // namespace limber::animate
