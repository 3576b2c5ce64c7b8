// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/find_start.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/base/expect.h"
#include "limber/lift/appearance.h"
#include "limber/lift/bend_habit.h"
#include "limber/lift/follow_surface.h"
#include "limber/lift/surface_view.h"

namespace limber::lift {
namespace {

// Measured on renders of zoo creatures (docs/lift.md).
constexpr double kMinSegmentTrust = 0.3;  // below: no subject to be seen

/// Draws the body: its surface, and its colours where it has any of its own.
struct Painter {
  SurfaceViewer& viewer;
  scene::Scene scene;
  kinematics::Motion rest;  ///< one frame
  bool has_colors = false;

  AlignColors colors() { return has_colors ? AlignColors{&scene, &rest} : AlignColors{}; }
};

/// A camera, a frame and a mask that may be the ones to start from.
struct Sight {
  std::size_t segmentation = 0;
  int frame = 0;
  CameraAlignment alignment;
  double score = 0;
};

bool better(const Sight& a, const Sight& b) { return a.score > b.score; }

/// Frames that the camera may be found in: the first, and two others in case it starts in an odd pose.
std::vector<int> candidate_frames(int frames) {
  if (frames < 3) return {0};
  return {0, frames / 3, 2 * frames / 3};
}

/// The camera that was given, judged by how the body at rest overlaps with the mask.
CameraAlignment given_alignment(const scene::Camera& camera, std::span<const float> mask, SurfaceViewer& viewer) {
  CameraAlignment alignment;
  alignment.camera = camera;
  SurfaceView view;
  viewer.draw(camera, view);
  alignment.overlap = silhouette_overlap(view.coverage, mask);
  return alignment;
}

/// The cameras that one frame and one mask allow.
std::vector<Sight> look(const VideoTask& task, const asset::Segmentation& found, std::size_t segmentation, int frame,
                        Painter& painter) {
  const std::span<const float> mask = mask_of(task.video, found.masks, frame);
  painter.viewer.set_pose(kinematics::rest_pose(task.subject.rig));
  Sight sight{segmentation, frame, {}, 0};
  // The first frame, and the mask that is trusted most, unless others are clearly better.
  const double bonus = (frame == 0 ? 0.02 : 0) - (segmentation > 0 ? 0.02 : 0);
  if (task.camera) {
    sight.alignment = given_alignment(*task.camera, mask, painter.viewer);
    sight.score = sight.alignment.overlap + bonus;
    return {sight};
  }
  const AlignSettings& settings = task.settings.align;
  sight.alignment = align_camera(painter.viewer, mask, task.video, frame, painter.colors(), settings);
  const Vec3 middle = painter.viewer.box().center();
  const std::vector<CameraCandidate> candidates = std::move(sight.alignment.candidates);
  sight.alignment.candidates.clear();
  std::vector<Sight> sights;
  for (const CameraCandidate& candidate : candidates) {
    sight.alignment.place = candidate.place;
    sight.alignment.overlap = candidate.overlap, sight.alignment.color_match = candidate.color_match;
    sight.alignment.score = candidate.score;
    sight.alignment.camera =
        orbit_camera(candidate.place, middle, settings.vertical_fov, task.video.width, task.video.height);
    sight.score = candidate.score + bonus;
    sights.push_back(sight);
  }
  return sights;
}

/// All cameras that the masks worth a look allow.
std::vector<Sight> look_around(const VideoTask& task, const std::vector<asset::Segmentation>& found, Painter& painter) {
  std::vector<Sight> sights;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k].trust < kMinSegmentTrust || found[k].trust < 0.5 * found.front().trust) continue;
    // Much the same mask need not be looked at twice.
    if (k > 0 && silhouette_overlap(found[k].masks, found.front().masks) > 0.95) continue;
    for (const int frame : candidate_frames(task.video.frames)) {
      for (Sight& sight : look(task, found[k], k, frame, painter)) sights.push_back(std::move(sight));
    }
  }
  return sights;
}

/// The best few that are not much the same.
std::vector<Sight> likely_sights(const VideoTask& task, std::vector<Sight> sights) {
  std::stable_sort(sights.begin(), sights.end(), better);
  std::vector<Sight> likely;
  for (const Sight& sight : sights) {
    const auto same = [&](const Sight& other) {
      return task.camera ? other.frame == sight.frame && other.segmentation == sight.segmentation
                         : angle_apart(other.alignment.place, sight.alignment.place) < 0.3;
    };
    if (likely.size() < 4 && std::none_of(likely.begin(), likely.end(), same)) likely.push_back(sight);
  }
  return likely;
}

/// The same sight, judged when the body has been posed for it.
Sight posed_sight(const VideoTask& task, Sight sight, std::span<const float> masks, const BendEnergy& ease,
                  Painter& painter) {
  const std::span<const float> mask = mask_of(task.video, masks, sight.frame);
  const scene::Camera& camera = sight.alignment.camera;
  const kinematics::Pose rest = kinematics::rest_pose(task.subject.rig);
  const kinematics::Pose pose = fit_outline(task.subject, camera, mask, rest, rest, task.free, task.follow, 4);
  const double color =
      painter.has_colors ? color_correlation(painter.scene, painter.viewer, camera, pose, task.video, sight.frame, mask)
                         : 0;
  SurfaceView view;
  painter.viewer.set_pose(pose);
  painter.viewer.draw(camera, view);
  kinematics::Motion posed = painter.rest;
  posed.angles = pose.angles;
  kinematics::MotionGradient unused;
  const double effort = ease.add(posed, 0, unused);
  sight.score = silhouette_overlap(view.coverage, mask) + task.settings.align.color_weight * color -
                oddness(sight.alignment.place) - 0.1 * effort + (sight.frame == 0 ? 0.01 : 0);
  sight.alignment.color_match = color;
  return sight;
}

/// The best of the sights, judged when the body has been posed for each of the most likely ones.
Sight choose_sight(const VideoTask& task, const std::vector<asset::Segmentation>& found, std::vector<Sight> sights,
                   Painter& painter) {
  LIMBER_EXPECT(!sights.empty(), "a camera");
  const BendEnergy ease(bend_precisions(task.subject, task.follow.habit), painter.rest.angles);
  std::vector<Sight> likely = likely_sights(task, std::move(sights));
  for (Sight& sight : likely) {
    sight = posed_sight(task, sight, found[sight.segmentation].masks, ease, painter);
  }
  std::stable_sort(likely.begin(), likely.end(), better);
  Sight best = likely.front();
  for (const Sight& sight : likely) {
    const bool apart = angle_apart(sight.alignment.place, best.alignment.place) > kPi / 6;
    if (task.camera || !apart || sight.score < best.score - 0.04) continue;
    best.alignment.ambiguous = true, best.alignment.other = sight.alignment.place;
    break;
  }
  return best;
}

/// Overlap of a silhouette and a mask when their middles lie upon each other.
double shifted_overlap(const SurfaceView& view, std::span<const float> mask) {
  const auto middle = [&view](std::span<const float> image) {
    double x = 0, y = 0, sum = 1e-9;
    for (std::size_t i = 0; i < image.size(); ++i) {
      const auto v = static_cast<double>(image[i]);
      x += v * static_cast<double>(i % static_cast<std::size_t>(view.width));
      y += v * static_cast<double>(i / static_cast<std::size_t>(view.width)), sum += v;
    }
    return std::pair{x / sum, y / sum};
  };
  const auto [ax, ay] = middle(view.coverage);
  const auto [bx, by] = middle(mask);
  const int dx = static_cast<int>(std::lround(bx - ax)), dy = static_cast<int>(std::lround(by - ay));
  double both = 0, either = 0;
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x < view.width; ++x) {
      const float b = mask[view.index(x, y)];
      const float a = view.contains(x - dx, y - dy) ? view.coverage[view.index(x - dx, y - dy)] : 0.0f;
      both += static_cast<double>(std::min(a, b)), either += static_cast<double>(std::max(a, b));
    }
  }
  return either > 0 ? both / either : 0;
}

/// The frame in which the body looks most as it does at rest: there the least is to be guessed. The start's unless
/// another is clearly better.
int frame_at_ease(const VideoTask& task, const VideoStart& start, SurfaceViewer& viewer) {
  viewer.set_pose(kinematics::rest_pose(task.subject.rig));
  SurfaceView view;
  viewer.draw(start.alignment.camera, view);
  std::vector<double> overlaps;
  for (int t = 0; t < task.video.frames; ++t) {
    overlaps.push_back(shifted_overlap(view, mask_of(task.video, start.masks, t)));
  }
  const auto best = static_cast<int>(std::max_element(overlaps.begin(), overlaps.end()) - overlaps.begin());
  const double gain = overlaps[static_cast<std::size_t>(best)] - overlaps[static_cast<std::size_t>(start.frame)];
  return gain < 0.01 ? start.frame : best;
}

/// Moves the start to another frame, with the camera as that shows it.
VideoStart moved_start(const VideoTask& task, VideoStart start, int frame, Painter& painter) {
  if (frame == start.frame) return start;
  start.frame = frame;
  if (task.camera) return start;
  painter.viewer.set_pose(kinematics::rest_pose(task.subject.rig));
  CameraAlignment refined = refine_camera(painter.viewer, mask_of(task.video, start.masks, frame), task.video, frame,
                                          painter.colors(), start.alignment.place, task.settings.align);
  refined.ambiguous = start.alignment.ambiguous, refined.other = start.alignment.other;
  start.alignment = std::move(refined);
  return start;
}

}  // namespace

StartSearch find_start(const VideoTask& task, SurfaceViewer& viewer) {
  std::vector<asset::Segmentation> found = asset::segment(task.video, task.settings.segment);
  if (found.empty()) return {};
  if (found.front().trust < kMinSegmentTrust) return {found.front().trust, {}};

  const rig::Rig& rig = task.subject.rig;
  Painter painter{viewer, scene::Scene(rig, task.gaussians, bare_scene()), kinematics::rest_motion(rig, 1, task.fps),
                  task.has_colors};
  const Sight best = choose_sight(task, found, look_around(task, found, painter), painter);
  asset::Segmentation& chosen = found[best.segmentation];
  VideoStart start;
  start.masks = std::move(chosen.masks);
  start.method = chosen.method;
  start.cut_frames = static_cast<int>(std::count(chosen.cut.begin(), chosen.cut.end(), true));
  start.frame = best.frame;
  start.alignment = best.alignment;
  const int frame = frame_at_ease(task, start, viewer);
  return {chosen.trust, moved_start(task, std::move(start), frame, painter)};
}

}  // namespace limber::lift
