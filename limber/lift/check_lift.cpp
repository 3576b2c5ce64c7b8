// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/check_lift.h"

#include <algorithm>
#include <cmath>

#include "limber/lift/bend_habit.h"
#include "limber/lift/surface_view.h"

namespace limber::lift {
namespace {

// Bounds of trust, measured on renders of zoo creatures (docs/lift.md).
constexpr double kMinFirstOverlap = 0.4;  // below: the picture shows something else
constexpr double kMinLikeness = 0.68;     // agreement, less effort, and colours: below, probably another body
constexpr double kMinOverlap = 0.65;      // mean over frames
constexpr double kLostOverlap = 0.5;      // of a frame
constexpr double kMaxLostShare = 0.3;     // of the frames

std::string percent(double share) { return std::to_string(static_cast<int>(std::lround(100 * share))) + " %"; }

/// How far the body bends from rest, of what is usual.
double effort_of(const VideoTask& task, const kinematics::Motion& motion) {
  const rig::Rig& rig = task.subject.rig;
  const BendEnergy ease(bend_precisions(task.subject, task.follow.habit), kinematics::rest_pose(rig).angles);
  kinematics::MotionGradient unused;
  const auto leading = static_cast<double>(std::count(task.free.begin(), task.free.end(), true));
  // Twice the energy is the mean squared number of standard deviations, over three axes of the joints that may turn.
  return std::sqrt(2 * ease.add(motion, 0, unused) * rig.joint_count() / (3 * leading));
}

}  // namespace

double mean_overlap(const VideoTask& task, const VideoStart& start, const kinematics::Motion& motion,
                    SurfaceViewer& viewer) {
  SurfaceView view;
  double sum = 0;
  for (int t = 0; t < task.video.frames; ++t) {
    viewer.set_frame(motion, t);
    viewer.draw(start.alignment.camera, view);
    sum += silhouette_overlap(view.coverage, mask_of(task.video, start.masks, t));
  }
  return sum / task.video.frames;
}

Agreement measure_agreement(const VideoTask& task, const VideoStart& start, std::span<const FollowedFrame> followed,
                            const kinematics::Motion& motion, SurfaceViewer& viewer) {
  const int frames = task.video.frames;
  Agreement result;
  SurfaceView view;
  for (int t = 0; t < frames; ++t) {
    const FollowedFrame& points = followed[static_cast<std::size_t>(t)];
    const std::span<const float> mask = mask_of(task.video, start.masks, t);
    viewer.set_frame(motion, t);
    viewer.draw(start.alignment.camera, view);
    VideoFrameReport frame;
    frame.overlap = silhouette_overlap(view.coverage, mask);
    frame.residual = points.residual, frame.inlier_share = points.inlier_share, frame.live = points.live;
    frame.lost = frame.overlap < kLostOverlap;
    result.overlap += frame.overlap / frames;
    result.agreement += tolerant_overlap(view.coverage, mask, task.video.width) / frames;
    result.lost_frames += frame.lost;
    result.frames.push_back(frame);
  }
  result.effort = effort_of(task, motion);
  return result;
}

std::vector<std::string> find_doubts(const Agreement& measured, const CameraAlignment& alignment, double color_match) {
  std::vector<std::string> reasons;
  if (alignment.overlap < kMinFirstOverlap) {
    reasons.push_back("from no side does the body look like the picture: silhouettes agree by " +
                      percent(alignment.overlap));
  }
  if (measured.overlap < kMinOverlap) {
    reasons.push_back("the body does not follow the video: silhouettes agree by " + percent(measured.overlap));
  }
  const double likeness = measured.agreement - 0.25 * measured.effort + 0.1 * std::max(0.0, color_match);
  if (reasons.empty() && likeness < kMinLikeness) {
    reasons.push_back("the video seems to show another body: silhouettes agree by " + percent(measured.overlap) +
                      " when it bends as far from rest as " + percent(measured.effort) + " of what is usual");
  }
  const std::size_t frames = measured.frames.size();
  if (measured.lost_frames > kMaxLostShare * static_cast<double>(frames)) {
    reasons.push_back("the body was lost in " + std::to_string(measured.lost_frames) + " of " + std::to_string(frames) +
                      " frames");
  }
  return reasons;
}

Observability observe_lift(const VideoTask& task, const CutOut& cut_out, scene::Scene& scene,
                           const kinematics::Motion& motion, std::span<const VideoFrameReport> frames) {
  const ObservabilitySettings& settings = task.settings.observability;
  const std::vector<scene::Camera> cameras(frames.size(), cut_out.small_camera);
  Observability result = observe(scene, cameras, motion, task.free, settings);
  for (int t = 0; t < result.frames; ++t) {
    // Where the silhouettes disagree, pictures that the body would give say nothing about the video.
    const double overlap = frames[static_cast<std::size_t>(t)].overlap;
    const auto belief = static_cast<float>(std::clamp((overlap - 0.3) / 0.5, 0.0, 1.0));
    for (int j = 0; j < result.joints; ++j) result.confidence[result.index(t, j)] *= belief;
  }
  name_sources(result, task.fps, settings);
  return result;
}

Observability nothing_observed(const VideoTask& task) {
  Observability result;
  result.frames = task.video.frames, result.joints = task.subject.rig.joint_count();
  const std::size_t count = static_cast<std::size_t>(result.frames) * static_cast<std::size_t>(result.joints);
  result.confidence.assign(count, 0.0f);
  result.sigma.assign(count, static_cast<float>(task.settings.observability.prior_sigma));
  result.sources.assign(count, MotionSource::kPrior);
  return result;
}

}  // namespace limber::lift
