// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/video_lift.h"

#include <algorithm>
#include <string>
#include <utility>

#include "limber/base/expect.h"
#include "limber/base/stopwatch.h"
#include "limber/lift/check_lift.h"
#include "limber/lift/find_start.h"
#include "limber/lift/fit_cut_out.h"
#include "limber/lift/follow_surface.h"
#include "limber/lift/planar_lift.h"
#include "limber/lift/video_task.h"

namespace limber::lift {
namespace {

/// What is known before anything was looked at: the body at rest.
VideoLift blank_lift(const VideoTask& task) {
  VideoLift lift;
  lift.motion = kinematics::rest_motion(task.subject.rig, task.video.frames, task.fps);
  VideoLiftReport& report = lift.report;
  report.frame_step = task.frame_step;
  report.width = task.video.width, report.height = task.video.height, report.frames = task.video.frames;
  if (task.frame_step > 1) {
    report.warnings.push_back({"video_thinned", {{"step", task.frame_step}}});
  }
  return lift;
}

/// A lift of a video in which no subject is to be seen.
VideoLift unseen(const VideoTask& task, VideoLift lift) {
  VideoLiftReport& report = lift.report;
  report.reasons.emplace_back(
      "no subject stands out from the background: it should be plain or still, and the subject in full view");
  VideoFrameReport lost;
  lost.lost = true;
  report.frame_reports.assign(static_cast<std::size_t>(task.video.frames), lost);
  report.lost_frames = task.video.frames;
  lift.observability = nothing_observed(task);
  return lift;
}

void report_start(const VideoStart& start, VideoLiftReport& report) {
  report.method = start.method;
  report.first = start.frame;
  report.alignment = start.alignment;
  if (start.cut_frames > 0) {
    report.warnings.push_back({"subject_leaves", {{"frames", start.cut_frames}}});
  }
  if (start.alignment.ambiguous) {
    report.warnings.push_back({"camera_ambiguous"});
  }
}

void report_agreement(Agreement measured, VideoLiftReport& report) {
  report.reasons = find_doubts(measured, report.alignment, report.color_match);
  report.trusted = report.reasons.empty();
  report.frame_reports = std::move(measured.frames);
  report.overlap = measured.overlap, report.agreement = measured.agreement, report.effort = measured.effort;
  report.lost_frames = measured.lost_frames;
}

/// From a start on, rung by rung.
Result<VideoLift> lift_from(const VideoTask& task, const VideoStart& start, VideoLift lift, SurfaceViewer& viewer) {
  const VideoLiftSettings& settings = task.settings;
  const scene::Camera& camera = start.alignment.camera;
  VideoLiftReport& report = lift.report;
  report_start(start, report);
  const CutOut cut_out = cut_out_subject(task, start, viewer);
  LIMBER_TRY(FirstPose first, pose_first_frame(task, start, cut_out, viewer));
  report.color_match = first.color_match;

  LIMBER_TRY(const Followed followed,
             follow_surface(task.subject, camera, cut_out.pictures, start.masks, start.frame, first.pose, task.fps,
                            task.free, task.follow, part_of(settings.progress, 0.2, 0.5)));
  lift.rungs.planar = planar_lift(task.subject.rig, followed.tracks, camera, start.frame, first.pose, task.fps).motion;
  lift.rungs.tracks = followed.motion;
  lift.motion = settings.rung == VideoRung::kPlanar ? lift.rungs.planar : lift.rungs.tracks;
  report.kept = std::min(settings.rung, VideoRung::kTracks);

  if (settings.rung == VideoRung::kPolished) {
    LIMBER_TRY(Polished polished, polish(task, cut_out, first, lift.motion));
    if (polished.not_finite > 0) {
      report.warnings.push_back({"fit_not_finite", {{"steps", polished.not_finite}}});
    }
    if (mean_overlap(task, start, polished.motion, viewer) >= mean_overlap(task, start, lift.motion, viewer)) {
      lift.motion = std::move(polished.motion);
      report.kept = VideoRung::kPolished;
    }
  }
  report_agreement(measure_agreement(task, start, followed.frames, lift.motion, viewer), report);
  lift.cameras.assign(static_cast<std::size_t>(task.video.frames), camera);
  lift.observability = observe_lift(task, cut_out, first.scene, lift.motion, report.frame_reports);
  LIMBER_CHECK_OK(first.scene.status());
  return lift;
}

Result<VideoLift> lift_task(const VideoTask& task) {
  LIMBER_CHECK_OK(advance(task.settings.progress, "finding the subject", 0));
  SurfaceViewer viewer(task.subject);
  VideoLift lift = blank_lift(task);
  LIMBER_TRY(const StartSearch search, find_start(task, viewer));
  lift.report.segment_trust = search.segment_trust;
  if (!search.start) return unseen(task, std::move(lift));
  return lift_from(task, *search.start, std::move(lift), viewer);
}

}  // namespace

FollowSettings video_follow_settings() {
  FollowSettings settings;
  settings.fit.sigma = 3;
  settings.fit.robust_scales = {16, 6, 2};
  return settings;
}

Result<VideoLift> lift_video(const rig::Subject& subject, const asset::Asset* asset, const Frames& video, double fps,
                             const VideoLiftSettings& settings) {
  LIMBER_EXPECT(video.views == 1 && video.values.size() == video.size(), std::to_string(video.views) + " views");
  LIMBER_EXPECT(fps > 0 && settings.max_frames > 0 && settings.max_side >= 16,
                std::to_string(fps) + " frames a second");
  if (video.frames == 0 || video.width < 16 || video.height < 16) {
    return Error{"a video of " + std::to_string(video.frames) + " frames of " + std::to_string(video.width) + " x " +
                     std::to_string(video.height) + " pixels cannot be lifted",
                 "video"};
  }
  if (subject.points.empty() || subject.triangles.empty()) return Error{"the subject has no surface", "subject"};
  const Stopwatch watch;
  Result<VideoLift> lift = lift_task(make_task(subject, asset, video, fps, settings));
  if (lift.ok()) lift->report.seconds = watch.seconds();
  return lift;
}

}  // namespace limber::lift
