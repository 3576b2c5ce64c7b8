// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/sample_lift.h"

namespace limber::animate {

Result<LiftedSample> lift_sample(scene::PartView& view, const Frames& video, const SampleLiftSettings& settings) {
  LiftedSample result;
  const Vec3 middle = view.rest_box().center();
  const auto cameras = [&](const scene::Course& course) { return view.cameras(course, video.frames); };
  result.ground =
      lift::find_ground_speed(video, cameras, scene::PartView::ground(), middle, settings.forward,
                              -0.1 * settings.fastest / settings.fps, settings.fastest / settings.fps, &view.scene());
  const scene::Course& course = result.ground.course;

  kinematics::Motion& motion = result.motion;
  motion = kinematics::rest_motion(view.scene().rig(), video.frames, settings.fps);
  for (int i = 0; i < video.frames; ++i) {
    const auto t = static_cast<float>(i - 0.5 * (video.frames - 1));
    motion.root_translations[static_cast<std::size_t>(i)] = course.middle - middle + t * course.velocity;
  }
  LIMBER_TRY(result.fit, lift::fit_views(view.scene(), cameras(course), video, settings.fit, motion));
  return result;
}

Result<LiftedSample> lift_from_guess(scene::PartView& view, const Frames& video, const kinematics::Motion& guess,
                                     const SampleLiftSettings& settings) {
  LiftedSample result;
  result.ground.course = view.course(guess);
  result.motion = guess;
  LIMBER_TRY(result.fit, lift::fit_views(view.scene(), view.cameras(guess), video, settings.fit, result.motion));
  return result;
}

}  // namespace limber::animate
