// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/video_lift.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "limber/base/expect.h"
#include "limber/lift/appearance.h"
#include "limber/lift/bend_habit.h"
#include "limber/lift/planar_lift.h"
#include "limber/scene/body_splats.h"
#include "limber/scene/parts.h"

namespace limber::lift {
namespace {

// Bounds of trust, measured on renders of zoo creatures (docs/lift.md).
constexpr double kMinSegmentTrust = 0.3;  // below: no subject to be seen
constexpr double kMinFirstOverlap = 0.4;  // below: the picture shows something else
constexpr double kMinLikeness = 0.68;     // agreement, less effort, and colours: below, probably another body
constexpr double kMinOverlap = 0.65;      // mean over frames
constexpr double kLostOverlap = 0.5;      // of a frame
constexpr double kMaxLostShare = 0.3;     // of the frames

// Of the habit beside the pictures' mean error, in fits by rendering.
constexpr double kEaseWeight = 2e-3;

/// Every `step`-th frame, no side longer than `max_side`.
Frames sample_down(const Frames& video, int step, int max_side) {
  const std::size_t picture = 3 * static_cast<std::size_t>(video.width) * static_cast<std::size_t>(video.height);
  const double scale = std::min(1.0, static_cast<double>(max_side) / std::max(video.width, video.height));
  const int width = std::max(1, static_cast<int>(std::lround(scale * video.width)));
  const int height = std::max(1, static_cast<int>(std::lround(scale * video.height)));
  const int count = (video.frames + step - 1) / step;
  Frames result(1, count, height, width);
  const std::size_t small = 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  Frames one(1, 1, video.height, video.width);
  for (int t = 0; t < count; ++t) {
    const auto from = video.values.begin() + static_cast<std::ptrdiff_t>(picture * static_cast<std::size_t>(t * step));
    std::transform(from, from + static_cast<std::ptrdiff_t>(picture), one.values.begin(),
                   [](float v) { return std::isfinite(v) ? std::clamp(v, 0.0f, 1.0f) : 0.0f; });
    const Frames shrunk = shrink_frames(one, width, height);
    std::copy(shrunk.values.begin(), shrunk.values.end(),
              result.values.begin() + static_cast<std::ptrdiff_t>(small * static_cast<std::size_t>(t)));
  }
  return result;
}

std::vector<bool> leading_joints(const rig::Subject& subject) {
  std::vector<bool> leads(static_cast<std::size_t>(subject.rig.joint_count()));
  for (const int joint : scene::find_parts(subject).joints) leads[static_cast<std::size_t>(joint)] = true;
  leads[0] = true;
  return leads;
}

std::string percent(double share) { return std::to_string(static_cast<int>(std::lround(100 * share))) + " %"; }

/// The steps of a lift, and what they hand on.
class VideoLifter {
 public:
  VideoLifter(const rig::Subject& subject, const asset::Asset* asset, const Frames& video, double fps,
              const VideoLiftSettings& settings)
      : subject_(subject), settings_(settings), follow_(settings.follow), viewer_(subject) {
    VideoLiftReport& report = result_.report;
    report.frame_step = (video.frames + settings.max_frames - 1) / settings.max_frames;
    fps_ = fps / report.frame_step;
    video_ = sample_down(video, report.frame_step, settings.max_side);
    report.width = video_.width, report.height = video_.height, report.frames = video_.frames;
    if (report.frame_step > 1) {
      report.warnings.push_back("the video is long: one frame in " + std::to_string(report.frame_step) + " is used");
    }
    // Errors of outlines and followed points grow with the pictures.
    const double scale = std::max(video_.width, video_.height) / 256.0;
    follow_.fit.sigma *= scale;
    follow_.outline.reach *= static_cast<float>(scale);
    plane_ = static_cast<std::size_t>(video_.width) * static_cast<std::size_t>(video_.height);
    result_.motion = kinematics::rest_motion(subject.rig, video_.frames, fps_);
    free_ = settings.free.empty() ? leading_joints(subject) : settings.free;

    scene::SceneSettings scene_settings;
    scene_settings.ground.visible = false;
    scene_settings.hide_depth = -1;
    splat::SampleSettings sampling;
    sampling.count = static_cast<std::size_t>(std::max(100, settings.gaussians));
    scene_settings_ = scene_settings;
    gaussians_ = scene::subject_gaussians(subject, asset, sampling);
    has_colors_ = asset != nullptr;
    if (has_colors_) light_from_above(gaussians_, subject);
    plain_scene_ = std::make_unique<scene::Scene>(subject.rig, gaussians_, scene_settings_);
    rest_ = kinematics::rest_motion(subject.rig, 1, fps_);
  }

  Result<VideoLift> run(const Frames& video) {
    const auto start = std::chrono::steady_clock::now();
    LIMBER_CHECK_OK(advance("finding the subject", 0));
    if (find_subject(video)) {
      LIMBER_CHECK_OK(pose_first());
      LIMBER_CHECK_OK(follow());
      if (settings_.rung == VideoRung::kPolished) LIMBER_CHECK_OK(polish());
      judge();
    }
    finish();
    result_.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

 private:
  Status advance(const char* stage, double fraction) const {
    if (settings_.progress && !settings_.progress(stage, fraction)) return cancelled(stage);
    return Done{};
  }
  /// Reports a part of the work as a part of the whole.
  Progress part(double first, double last) const {
    if (!settings_.progress) return {};
    const Progress& whole = settings_.progress;
    return [whole, first, last](std::string_view stage, double fraction) {
      return whole(stage, first + (last - first) * fraction);
    };
  }
  std::span<const float> mask(int frame) const {
    return std::span(masks_).subspan(static_cast<std::size_t>(frame) * plane_, plane_);
  }
  void doubt(std::string reason) { result_.report.reasons.push_back(std::move(reason)); }

  /// Segments and aligns; false where there is nothing to follow.
  bool find_subject(const Frames& video) {
    VideoLiftReport& report = result_.report;
    std::vector<Segmentation> found = segment(video_, settings_.segment);
    if (found.empty() || found.front().trust < kMinSegmentTrust) {
      report.segment_trust = found.empty() ? 0 : found.front().trust;
      doubt("no subject stands out from the background: it should be plain or still, and the subject in full view");
      return false;
    }
    std::vector<Sight> sights;
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (found[k].trust < kMinSegmentTrust || found[k].trust < 0.5 * found.front().trust) continue;
      // Much the same mask need not be looked at twice.
      if (k > 0 && silhouette_overlap(found[k].masks, found.front().masks) > 0.95) continue;
      masks_ = found[k].masks;
      for (const int frame : candidate_frames()) look(video, frame, k, sights);
    }
    const Sight best = choose(found, sights);
    masks_ = std::move(found[best.segmentation].masks);
    report.method = found[best.segmentation].method, report.segment_trust = found[best.segmentation].trust;
    report.first = best.frame;
    report.alignment = best.alignment;
    camera_ = best.alignment.camera;
    start_at_ease();
    const auto cut = std::count(found[best.segmentation].cut.begin(), found[best.segmentation].cut.end(), true);
    if (cut > 0) report.warnings.push_back("the subject leaves the picture in " + std::to_string(cut) + " frames");
    if (report.alignment.ambiguous) {
      report.warnings.push_back("another camera explains the picture about as well: sides may be mixed up");
    }
    return true;
  }

  /// Frames that the camera may be found in: the first, and two others in case it starts in an odd pose.
  std::vector<int> candidate_frames() const {
    if (video_.frames < 3) return {0};
    return {0, video_.frames / 3, 2 * video_.frames / 3};
  }

  /// A camera, a frame and a mask that may be the ones to start from.
  struct Sight {
    std::size_t segmentation = 0;
    int frame = 0;
    CameraAlignment alignment;
    double score = 0;
  };

  /// Adds the cameras that one frame allows.
  void look(const Frames& video, int frame, std::size_t segmentation, std::vector<Sight>& sights) {
    viewer_.set_pose(kinematics::rest_pose(subject_.rig));
    Sight sight{segmentation, frame, {}, 0};
    // The first frame, and the mask that is trusted most, unless others are clearly better.
    const double bonus = (frame == 0 ? 0.02 : 0) - (segmentation > 0 ? 0.02 : 0);
    if (settings_.camera) {
      scene::Camera camera = *settings_.camera;
      camera.width = video.width, camera.height = video.height;
      sight.alignment.camera = resized(camera, video_.width, video_.height);
      SurfaceView view;
      viewer_.draw(sight.alignment.camera, view);
      sight.alignment.overlap = silhouette_overlap(view.coverage, mask(frame));
      sight.score = sight.alignment.overlap + bonus;
      sights.push_back(sight);
      return;
    }
    const AlignColors colors = has_colors_ ? AlignColors{plain_scene_.get(), &rest_} : AlignColors{};
    sight.alignment = align_camera(viewer_, mask(frame), video_, frame, colors, settings_.align);
    const Vec3 middle = viewer_.box().center();
    const std::vector<CameraCandidate> candidates = std::move(sight.alignment.candidates);
    sight.alignment.candidates.clear();
    for (const CameraCandidate& candidate : candidates) {
      sight.alignment.place = candidate.place;
      sight.alignment.overlap = candidate.overlap, sight.alignment.color_match = candidate.color_match;
      sight.alignment.score = candidate.score;
      sight.alignment.camera =
          orbit_camera(candidate.place, middle, settings_.align.vertical_fov, video_.width, video_.height);
      sight.score = candidate.score + bonus;
      sights.push_back(sight);
    }
  }

  /// The best of the sights, judged when the body has been posed for each of the most likely ones.
  Sight choose(const std::vector<Segmentation>& found, std::vector<Sight>& sights) {
    LIMBER_EXPECT(!sights.empty(), "a camera");
    std::stable_sort(sights.begin(), sights.end(), [](const Sight& a, const Sight& b) { return a.score > b.score; });
    std::vector<Sight> likely;
    for (const Sight& sight : sights) {
      const auto same = [&](const Sight& other) {
        return settings_.camera ? other.frame == sight.frame && other.segmentation == sight.segmentation
                                : angle_apart(other.alignment.place, sight.alignment.place) < 0.3;
      };
      if (likely.size() < 4 && std::none_of(likely.begin(), likely.end(), same)) likely.push_back(sight);
    }
    const BendEnergy ease(bend_precisions(subject_, follow_.habit), rest_.angles);
    for (Sight& sight : likely) {
      masks_ = found[sight.segmentation].masks;
      const kinematics::Pose rest = kinematics::rest_pose(subject_.rig);
      const kinematics::Pose pose =
          fit_outline(subject_, sight.alignment.camera, mask(sight.frame), rest, rest, free_, follow_, 4);
      const double color = has_colors_ ? color_correlation(*plain_scene_, viewer_, sight.alignment.camera, pose, video_,
                                                           sight.frame, mask(sight.frame))
                                       : 0;
      SurfaceView view;
      viewer_.set_pose(pose);
      viewer_.draw(sight.alignment.camera, view);
      kinematics::Motion posed = rest_;
      posed.angles = pose.angles;
      kinematics::MotionGradient unused;
      const double effort = ease.add(posed, 0, unused);
      sight.score = silhouette_overlap(view.coverage, mask(sight.frame)) + settings_.align.color_weight * color -
                    oddness(sight.alignment.place) - 0.1 * effort + (sight.frame == 0 ? 0.01 : 0);
      sight.alignment.color_match = color;
    }
    std::stable_sort(likely.begin(), likely.end(), [](const Sight& a, const Sight& b) { return a.score > b.score; });
    Sight best = likely.front();
    for (const Sight& sight : likely) {
      const bool apart = angle_apart(sight.alignment.place, best.alignment.place) > kPi / 6;
      if (settings_.camera || !apart || sight.score < best.score - 0.04) continue;
      best.alignment.ambiguous = true, best.alignment.other = sight.alignment.place;
      break;
    }
    return best;
  }

  /// Moves the start to the frame in which the body looks most as it does at rest: there the least is to be guessed.
  void start_at_ease() {
    VideoLiftReport& report = result_.report;
    viewer_.set_pose(kinematics::rest_pose(subject_.rig));
    SurfaceView view;
    viewer_.draw(camera_, view);
    std::vector<double> overlaps;
    for (int t = 0; t < video_.frames; ++t) overlaps.push_back(shifted_overlap(view, mask(t)));
    const auto best = static_cast<int>(std::max_element(overlaps.begin(), overlaps.end()) - overlaps.begin());
    const double gain = overlaps[static_cast<std::size_t>(best)] - overlaps[static_cast<std::size_t>(report.first)];
    if (best == report.first || gain < 0.01) return;
    report.first = best;
    if (settings_.camera) return;
    const AlignColors colors = has_colors_ ? AlignColors{plain_scene_.get(), &rest_} : AlignColors{};
    CameraAlignment refined =
        refine_camera(viewer_, mask(best), video_, best, colors, report.alignment.place, settings_.align);
    refined.ambiguous = report.alignment.ambiguous, refined.other = report.alignment.other;
    report.alignment = refined;
    camera_ = refined.camera;
  }

  /// Overlap of a silhouette and a mask when their middles lie upon each other.
  static double shifted_overlap(const SurfaceView& view, std::span<const float> mask) {
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

  /// Sizes for rendering and comparing.
  void make_small() {
    const double scale =
        std::min(1.0, static_cast<double>(settings_.polish_side) / std::max(video_.width, video_.height));
    const int width = std::max(16, static_cast<int>(std::lround(scale * video_.width)));
    const int height = std::max(16, static_cast<int>(std::lround(scale * video_.height)));
    const Vec3 background = contrasting_color(video_, masks_);
    pictures_ = cut_out(video_, masks_, background);
    small_ = shrink_frames(pictures_, width, height);
    small_camera_ = resized(camera_, small_.width, small_.height);
    scene_settings_.ground.sky = background;
    inset_gaussians(gaussians_, viewer_, small_camera_);
    scene_ = std::make_unique<scene::Scene>(subject_.rig, gaussians_, scene_settings_);
    double body = 0;
    for (const float m : masks_) body += static_cast<double>(m);
    body_share_ = std::max(0.005, body / static_cast<double>(std::max<std::size_t>(masks_.size(), 1)));
  }

  ViewFitSettings fit_settings() const {
    ViewFitSettings fit;
    fit.free = free_;
    fit.body_share = body_share_;
    fit.energies = settings_.energies;
    fit.rest_weight = 0;
    return fit;
  }

  /// The pose in the frame that the camera was found in.
  Status pose_first() {
    make_small();
    const int first = result_.report.first;
    Frames one(1, 1, small_.height, small_.width);
    const auto size = static_cast<std::ptrdiff_t>(one.values.size());
    std::copy_n(small_.values.begin() + first * size, size, one.values.begin());
    const std::vector<float> small_mask = shrink(mask(first), video_.width, video_.height, one.width, one.height);
    first_pose_ = kinematics::rest_pose(subject_.rig);
    for (int round = 0; round < 2; ++round) {
      scene_->set_body(subject_.rig, gaussians_);
      const ColorMatch colors = match_colors(*scene_, viewer_, small_camera_, first_pose_, one, 0, small_mask);
      result_.report.color_match = colors.correlation;
      kinematics::Motion motion = kinematics::rest_motion(subject_.rig, 1, fps_);
      motion.root_translations[0] = first_pose_.root_translation;
      motion.angles = first_pose_.angles;
      ViewFitSettings fit = fit_settings();
      const BendEnergy ease(bend_precisions(subject_, follow_.habit), kinematics::rest_pose(subject_.rig).angles);
      fit.energies = {{&ease, kEaseWeight}};
      fit.stages = {{4, 40, 0.03, 0.01}, {2, 40, 0.02, 0.006}, {1, 40, 0.01, 0.003}};
      LIMBER_TRY(const ViewFitReport report, fit_views(*scene_, std::span(&small_camera_, 1), one, fit, motion));
      static_cast<void>(report);
      first_pose_ = fit_outline(subject_, camera_, mask(first), {motion.root_translations[0], motion.angles},
                                kinematics::rest_pose(subject_.rig), free_, follow_);
      LIMBER_CHECK_OK(advance("posing the first frame", 0.1 + 0.05 * round));
    }
    return Done{};
  }

  Status follow() {
    LIMBER_TRY(followed_, follow_surface(subject_, camera_, pictures_, masks_, result_.report.first, first_pose_, fps_,
                                         free_, follow_, part(0.2, 0.5)));
    result_.rungs.planar =
        planar_lift(subject_.rig, followed_.tracks, camera_, result_.report.first, first_pose_, fps_).motion;
    result_.rungs.tracks = followed_.motion;
    result_.motion = settings_.rung == VideoRung::kPlanar ? result_.rungs.planar : result_.rungs.tracks;
    result_.report.kept = std::min(settings_.rung, VideoRung::kTracks);
    return Done{};
  }

  Status polish() {
    const std::vector<scene::Camera> cameras(static_cast<std::size_t>(video_.frames), small_camera_);
    ViewFitSettings fit = fit_settings();
    fit.stages = {{2, 30, 0.02, 0.006}, {1, 40, 0.015, 0.004}, {0.5f, 30, 0.008, 0.002}};
    const BendEnergy ease(bend_precisions(subject_, follow_.habit), first_pose_.angles);
    fit.energies.push_back({&ease, kEaseWeight});
    fit.progress = part(0.5, 0.95);
    kinematics::Motion polished = result_.motion;
    LIMBER_TRY(const ViewFitReport report, fit_views(*scene_, cameras, small_, fit, polished));
    if (report.not_finite > 0) {
      result_.report.warnings.push_back(std::to_string(report.not_finite) + " steps of the fit were not finite");
    }
    if (mean_overlap(polished) >= mean_overlap(result_.motion)) {
      result_.motion = std::move(polished);
      result_.report.kept = VideoRung::kPolished;
    }
    return Done{};
  }

  double mean_overlap(const kinematics::Motion& motion) {
    SurfaceView view;
    double sum = 0;
    for (int t = 0; t < video_.frames; ++t) {
      viewer_.set_frame(motion, t);
      viewer_.draw(camera_, view);
      sum += silhouette_overlap(view.coverage, mask(t));
    }
    return sum / video_.frames;
  }

  void judge() {
    VideoLiftReport& report = result_.report;
    report.frame_reports.resize(static_cast<std::size_t>(video_.frames));
    SurfaceView view;
    for (int t = 0; t < video_.frames; ++t) {
      VideoFrameReport& frame = report.frame_reports[static_cast<std::size_t>(t)];
      const FollowedFrame& followed = followed_.frames[static_cast<std::size_t>(t)];
      viewer_.set_frame(result_.motion, t);
      viewer_.draw(camera_, view);
      frame.overlap = silhouette_overlap(view.coverage, mask(t));
      frame.residual = followed.residual, frame.inlier_share = followed.inlier_share, frame.live = followed.live;
      frame.lost = frame.overlap < kLostOverlap;
      report.overlap += frame.overlap / video_.frames;
      report.agreement += tolerant_overlap(view.coverage, mask(t), video_.width) / video_.frames;
      report.lost_frames += frame.lost;
    }
    const BendEnergy ease(bend_precisions(subject_, follow_.habit), rest_.angles);
    kinematics::MotionGradient unused;
    const auto leading = static_cast<double>(std::count(free_.begin(), free_.end(), true));
    // Twice the energy is the mean squared number of standard deviations, over three axes of the joints that may turn.
    report.effort = std::sqrt(2 * ease.add(result_.motion, 0, unused) * subject_.rig.joint_count() / (3 * leading));
    if (report.alignment.overlap < kMinFirstOverlap) {
      doubt("from no side does the body look like the picture: silhouettes agree by " +
            percent(report.alignment.overlap));
    }
    if (report.overlap < kMinOverlap) {
      doubt("the body does not follow the video: silhouettes agree by " + percent(report.overlap));
    }
    const double likeness = report.agreement - 0.25 * report.effort + 0.1 * std::max(0.0, report.color_match);
    if (report.reasons.empty() && likeness < kMinLikeness) {
      doubt("the video seems to show another body: silhouettes agree by " + percent(report.overlap) +
            " when it bends as far from rest as " + percent(report.effort) + " of what is usual");
    }
    if (report.lost_frames > kMaxLostShare * video_.frames) {
      doubt("the body was lost in " + std::to_string(report.lost_frames) + " of " + std::to_string(video_.frames) +
            " frames");
    }
    report.trusted = report.reasons.empty();
  }

  void finish() {
    const auto frames = static_cast<std::size_t>(video_.frames);
    if (!scene_) {
      // Nothing was seen: everything is a guess.
      Observability& o = result_.observability;
      o.frames = video_.frames, o.joints = subject_.rig.joint_count();
      o.confidence.assign(frames * static_cast<std::size_t>(o.joints), 0.0f);
      o.sigma.assign(o.confidence.size(), static_cast<float>(settings_.observability.prior_sigma));
      o.sources.assign(o.confidence.size(), MotionSource::kPrior);
      result_.report.frame_reports.assign(frames, {});
      for (VideoFrameReport& frame : result_.report.frame_reports) frame.lost = true;
      result_.report.lost_frames = video_.frames;
      return;
    }
    result_.cameras.assign(frames, camera_);
    const std::vector<scene::Camera> cameras(frames, small_camera_);
    result_.observability = observe(*scene_, cameras, result_.motion, free_, settings_.observability);
    for (int t = 0; t < video_.frames; ++t) {
      // Where the silhouettes disagree, pictures that the body would give say nothing about the video.
      const double overlap = result_.report.frame_reports[static_cast<std::size_t>(t)].overlap;
      const auto belief = static_cast<float>(std::clamp((overlap - 0.3) / 0.5, 0.0, 1.0));
      for (int j = 0; j < result_.observability.joints; ++j) {
        result_.observability.confidence[result_.observability.index(t, j)] *= belief;
      }
    }
    name_sources(result_.observability, fps_, settings_.observability);
  }

  const rig::Subject& subject_;
  const VideoLiftSettings& settings_;
  FollowSettings follow_;
  SurfaceViewer viewer_;
  double fps_ = 24;
  Frames video_, pictures_, small_;
  std::size_t plane_ = 0;
  std::vector<float> masks_;
  std::vector<bool> free_;
  scene::SceneSettings scene_settings_;
  splat::Gaussians gaussians_;
  bool has_colors_ = false;
  scene::Camera camera_, small_camera_;
  double body_share_ = 0.1;
  std::unique_ptr<scene::Scene> scene_, plain_scene_;
  kinematics::Motion rest_;  ///< one frame
  kinematics::Pose first_pose_;
  Followed followed_;
  VideoLift result_;
};

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
  return VideoLifter(subject, asset, video, fps, settings).run(video);
}

}  // namespace limber::lift
