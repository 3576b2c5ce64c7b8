// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/fit_cut_out.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "limber/lift/appearance.h"
#include "limber/lift/bend_habit.h"
#include "limber/lift/follow_surface.h"

namespace limber::lift {
namespace {

// Of the habit beside the pictures' mean error.
constexpr double kEaseWeight = 2e-3;

ViewFitSettings fit_settings(const VideoTask& task, const CutOut& cut_out) {
  ViewFitSettings fit;
  fit.free = task.free;
  fit.body_share = cut_out.body_share;
  fit.rest_weight = 0;
  return fit;
}

/// One frame as a video of its own.
Frames frame_of(const Frames& video, int frame) {
  Frames one(1, 1, video.height, video.width);
  const auto size = static_cast<std::ptrdiff_t>(one.values.size());
  std::copy_n(video.values.begin() + frame * size, size, one.values.begin());
  return one;
}

/// Joints bend as they do by habit, about these angles.
kinematics::WeightedEnergy ease_about(const VideoTask& task, const std::vector<Vec3>& angles) {
  return {"ease", kEaseWeight, std::make_shared<BendEnergy>(bend_precisions(task.subject, task.follow.habit), angles)};
}

}  // namespace

CutOut cut_out_subject(const VideoTask& task, const VideoStart& start, SurfaceViewer& viewer) {
  const Frames& video = task.video;
  const double scale =
      std::min(1.0, static_cast<double>(task.settings.polish_side) / std::max(video.width, video.height));
  const int width = std::max(16, static_cast<int>(std::lround(scale * video.width)));
  const int height = std::max(16, static_cast<int>(std::lround(scale * video.height)));
  CutOut result;
  result.background = contrasting_color(video, start.masks);
  result.pictures = cut_out(video, start.masks, result.background);
  result.small = shrink_frames(result.pictures, width, height);
  result.small_camera = resized(start.alignment.camera, result.small.width, result.small.height);
  result.gaussians = task.gaussians;
  inset_gaussians(result.gaussians, viewer, result.small_camera);
  double body = 0;
  for (const float m : start.masks) body += static_cast<double>(m);
  result.body_share = std::max(0.005, body / static_cast<double>(std::max<std::size_t>(start.masks.size(), 1)));
  return result;
}

Result<FirstPose> pose_first_frame(const VideoTask& task, const VideoStart& start, const CutOut& cut_out,
                                   SurfaceViewer& viewer) {
  const rig::Rig& rig = task.subject.rig;
  const kinematics::Pose rest = kinematics::rest_pose(rig);
  const std::span<const float> mask = mask_of(task.video, start.masks, start.frame);
  const Frames picture = frame_of(cut_out.small, start.frame);
  const std::vector<float> small_mask =
      shrink(mask, task.video.width, task.video.height, picture.width, picture.height);
  ViewFitSettings fit = fit_settings(task, cut_out);
  fit.energies = {ease_about(task, rest.angles)};
  fit.stages = {{4, 40, 0.03, 0.01}, {2, 40, 0.02, 0.006}, {1, 40, 0.01, 0.003}};

  scene::SceneSettings scene_settings = bare_scene(task.settings.device);
  scene_settings.ground.sky = cut_out.background;
  FirstPose first{rest, 0, scene::Scene(rig, cut_out.gaussians, scene_settings)};
  for (int round = 0; round < 2; ++round) {
    // With a better pose, more colours fall on the right Gaussians.
    first.scene.set_body(rig, cut_out.gaussians);
    const scene::Camera& camera = cut_out.small_camera;
    first.color_match = match_colors(first.scene, viewer, camera, first.pose, picture, 0, small_mask).correlation;
    kinematics::Motion motion = kinematics::rest_motion(rig, 1, task.fps);
    motion.root_translations[0] = first.pose.root_translation;
    motion.angles = first.pose.angles;
    LIMBER_CHECK_OK(fit_views(first.scene, std::span(&camera, 1), picture, fit, motion));
    first.pose = fit_outline(task.subject, start.alignment.camera, mask, {motion.root_translations[0], motion.angles},
                             rest, task.free, task.follow);
    LIMBER_CHECK_OK(advance(task.settings.progress, "posing the first frame", 0.1 + 0.05 * round));
  }
  return first;
}

Result<Polished> polish(const VideoTask& task, const CutOut& cut_out, FirstPose& first,
                        const kinematics::Motion& motion) {
  const std::vector<scene::Camera> cameras(static_cast<std::size_t>(task.video.frames), cut_out.small_camera);
  ViewFitSettings fit = fit_settings(task, cut_out);
  fit.energies = task.settings.energies;
  fit.energies.push_back(ease_about(task, first.pose.angles));
  fit.stages = {{2, 30, 0.02, 0.006}, {1, 40, 0.015, 0.004}, {0.5f, 30, 0.008, 0.002}};
  fit.progress = part_of(task.settings.progress, 0.5, 0.95);
  Polished polished{motion, 0};
  LIMBER_TRY(const ViewFitReport report, fit_views(first.scene, cameras, cut_out.small, fit, polished.motion));
  polished.not_finite = report.not_finite;
  return polished;
}

}  // namespace limber::lift
