// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/planar_parts.h"

#include <algorithm>
#include <utility>

#include "limber/lift/part_tracks.h"
#include "limber/lift/planar_lift.h"
#include "limber/scene/parts.h"

namespace limber::lift {
namespace {

using kinematics::Motion;

/// Of a bone that is a few pixels long, whose part shows now more and now less.
constexpr float kLengthNoise = 0.35f;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// What one view says: frame 0 is the body at rest.
std::vector<PlanarLift> lift_views(const rig::Subject& subject, const scene::Parts& parts, scene::PartView& view,
                                   const Frames& video, const PlanarPartsSettings& settings) {
  const Frames rest = view.rest();
  const std::vector<scene::Camera> cameras = view.cameras(kinematics::rest_motion(subject.rig, 1, settings.fps));
  PlanarLiftSettings planar;
  planar.foreshortening = settings.foreshortening;
  planar.length_noise = kLengthNoise;
  planar.min_points = 1;  // each is the mean of many pixels
  std::vector<PlanarLift> lifts;
  for (int v = 0; v < video.views; ++v) {
    const PartSight sight{subject, parts, rest, video, v, cameras[at(v)]};
    lifts.push_back(planar_lift(subject.rig, track_parts(sight), sight.camera, 0, kinematics::rest_pose(subject.rig),
                                settings.fps, planar));
  }
  return lifts;
}

/// Per joint the view in which its bone is longer and oftener seen.
std::vector<std::size_t> better_views(const std::vector<PlanarLift>& lifts, int frames, int joints) {
  std::vector<std::size_t> better(at(joints));
  for (std::size_t j = 0; j < better.size(); ++j) {
    double most = -1;
    for (std::size_t v = 0; v < lifts.size(); ++v) {
      double shown = 0;
      for (int f = 1; f <= frames; ++f) shown += double(lifts[v].weights[at(f) * better.size() + j]);
      if (shown > most) most = shown, better[j] = v;
    }
  }
  return better;
}

/// Frames without a reading lie between their neighbours; before the first and after the last, those hold.
void fill_gaps(std::vector<Vec3>& track, const std::vector<bool>& read) {
  const int count = static_cast<int>(track.size());
  int last = -1;
  for (int f = 0; f < count; ++f) {
    if (!read[at(f)]) continue;
    for (int g = last + 1; g < f; ++g) {
      const float share = last < 0 ? 1 : static_cast<float>(g - last) / static_cast<float>(f - last);
      track[at(g)] = lerp(last < 0 ? track[at(f)] : track[at(last)], track[at(f)], share);
    }
    last = f;
  }
  for (int g = last + 1; last >= 0 && g < count; ++g) track[at(g)] = track[at(last)];
}

/// A pixel's noise is a degree or two: one, two, one.
void smooth(std::vector<Vec3>& track) {
  const std::vector<Vec3> before = track;
  for (std::size_t f = 1; f + 1 < track.size(); ++f) {
    track[f] = 0.25f * before[f - 1] + 0.5f * before[f] + 0.25f * before[f + 1];
  }
}

}  // namespace

PlanarParts lift_planar(const rig::Subject& subject, scene::PartView& view, const Frames& video,
                        const PlanarPartsSettings& settings) {
  const int frames = video.frames, joints = subject.rig.joint_count();
  const scene::Parts parts = scene::find_parts(subject);
  const std::vector<PlanarLift> lifts = lift_views(subject, parts, view, video, settings);
  const std::vector<std::size_t> better = better_views(lifts, frames, joints);

  PlanarParts result;
  // The cameras go along with the body: how fast, the ground tells.
  const Vec3 middle = view.rest_box().center();
  const auto cameras = [&](const scene::Course& course) { return view.cameras(course, frames); };
  result.ground = find_ground_speed(video, cameras, scene::PartView::ground(), middle, settings.forward,
                                    -0.1 * settings.fastest / settings.fps, settings.fastest / settings.fps);
  result.motion = kinematics::rest_motion(subject.rig, frames, settings.fps);
  result.weights.assign(result.motion.angles.size(), 0.0f);
  for (int j = 0; j < joints; ++j) {
    const PlanarLift& lift = lifts[better[at(j)]];
    std::vector<Vec3> track, roots;
    std::vector<bool> read;
    for (int f = 0; f < frames; ++f) {
      const float weight = lift.weights[at(f + 1) * at(joints) + at(j)];
      result.weights[at(f) * at(joints) + at(j)] = weight;
      track.push_back(lift.motion.frame_angles(f + 1)[at(j)]), read.push_back(weight > 0);
      roots.push_back(lift.motion.root_translations[at(f + 1)]);
    }
    fill_gaps(track, read), smooth(track);
    for (int f = 0; f < frames; ++f) result.motion.frame_angles(f)[at(j)] = track[at(f)];
    if (j > 0) continue;
    fill_gaps(roots, read), smooth(roots);
    result.motion.root_translations = std::move(roots);
  }
  const scene::Course& course = result.ground.course;
  for (int f = 0; f < frames; ++f) {
    const auto t = static_cast<float>(f - 0.5 * (frames - 1));
    result.motion.root_translations[at(f)] += course.middle - middle + t * course.velocity;
  }
  for (const int joint : parts.joints) {
    for (int f = 0; f < frames; ++f) result.seen += double(result.weights[at(f) * at(joints) + at(joint)]);
  }
  result.seen /= static_cast<double>(std::max<std::size_t>(parts.joints.size(), 1) * at(std::max(frames, 1)));
  return result;
}

}  // namespace limber::lift
