// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/planar_parts.h"

#include <algorithm>
#include <utility>

#include "limber/base/at.h"
#include "limber/lift/part_tracks.h"
#include "limber/lift/planar_lift.h"
#include "limber/scene/parts.h"

namespace limber::lift {
namespace {

using kinematics::Motion;

constexpr float kPixelNoise = 1;  ///< of the middle of a few pixels with soft borders

/// What all views say: frame 0 is the body at rest.
PlanarLift lift_views(const rig::Subject& subject, const scene::Parts& parts, scene::SketchView& view,
                      const Frames& video, const PlanarPartsSettings& settings) {
  const Frames rest = view.rest();
  const std::vector<scene::Camera> cameras = view.cameras(kinematics::rest_motion(subject.rig, 1, settings.fps));
  PlanarLiftSettings planar;
  planar.foreshortening = settings.foreshortening;
  planar.pixel_noise = kPixelNoise;
  planar.min_points = 1;  // each is the mean of many pixels
  planar.clean = true;
  std::vector<SurfaceTracks> tracks;
  for (int v = 0; v < video.views; ++v) tracks.push_back(track_parts({subject, parts, rest, video, v, cameras[at(v)]}));
  std::vector<PlanarView> views;
  for (int v = 0; v < video.views; ++v) views.push_back({tracks[at(v)], cameras[at(v)]});
  return planar_lift(subject.rig, views, 0, kinematics::rest_pose(subject.rig), settings.fps, planar);
}

}  // namespace

PlanarParts lift_planar(const rig::Subject& subject, scene::SketchView& view, const Frames& video,
                        const PlanarPartsSettings& settings) {
  const int frames = video.frames, joints = subject.rig.joint_count();
  const scene::Parts parts = scene::find_parts(subject);
  const PlanarLift lift = lift_views(subject, parts, view, video, settings);

  PlanarParts result;
  // The cameras go along with the body: how fast, the ground tells.
  const Vec3 middle = view.rest_box().center();
  const auto cameras = [&](const scene::Course& course) { return view.cameras(course, frames); };
  result.ground = find_ground_speed(video, cameras, scene::SketchView::ground(),
                                    {middle, settings.forward, -0.1 * settings.fastest / settings.fps,
                                     settings.fastest / settings.fps, settings.highest});
  result.motion = kinematics::rest_motion(subject.rig, frames, settings.fps);
  result.weights.assign(lift.weights.begin() + joints, lift.weights.end());
  const scene::Course& course = result.ground.course;
  for (int f = 0; f < frames; ++f) {
    const auto angles = lift.motion.frame_angles(f + 1);
    std::copy(angles.begin(), angles.end(), result.motion.frame_angles(f).begin());
    const auto t = static_cast<float>(f - 0.5 * (frames - 1));
    result.motion.root_translations[at(f)] =
        lift.motion.root_translations[at(f + 1)] + course.middle - middle + t * course.velocity;
  }
  for (const int joint : parts.joints) {
    for (int f = 0; f < frames; ++f) result.seen += double(result.weights[at(f) * at(joints) + at(joint)]);
  }
  result.seen /= static_cast<double>(std::max<std::size_t>(parts.joints.size(), 1) * at(std::max(frames, 1)));
  return result;
}

}  // namespace limber::lift
