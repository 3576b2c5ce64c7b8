// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/lift/find_start.h"
#include "limber/lift/surface_view.h"
#include "limber/lift/video_task.h"

/// Poses found by drawing the body and comparing it with the subject, cut out of the video. Private to `lift`.
namespace limber::lift {

struct CutOut {
  Frames pictures;             ///< before one colour, of the video's size
  Frames small;                ///< the same, of the size that is drawn and compared
  scene::Camera small_camera;  ///< for `small`
  Vec3 background;
  splat::Gaussians gaussians;  ///< the task's, drawn no wider than the mesh
  double body_share = 0.1;     ///< of the pixels
};
CutOut cut_out_subject(const VideoTask& task, const VideoStart& start, SurfaceViewer& viewer);

struct FirstPose {
  kinematics::Pose pose;
  double color_match = 0;  ///< correlation of the body's colours and the video's
  scene::Scene scene;      ///< draws the body in the video's colours before the cut-out's background
};
/// The pose in the frame of the start. Fails only if it was cancelled, or the device does.
Result<FirstPose> pose_first_frame(const VideoTask& task, const VideoStart& start, const CutOut& cut_out,
                                   SurfaceViewer& viewer);

struct Polished {
  kinematics::Motion motion;
  int not_finite = 0;  ///< steps of the fit
};
/// A motion improved in all frames at once. Fails only if it was cancelled, or the device does.
Result<Polished> polish(const VideoTask& task, const CutOut& cut_out, FirstPose& first,
                        const kinematics::Motion& motion);

}  // namespace limber::lift
