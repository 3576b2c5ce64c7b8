// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/follow_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "limber/base/expect.h"
#include "limber/base/threads.h"

namespace limber::lift {
namespace {

constexpr int kBodyPoints = 500;

/// What a joint does by habit, around the angles that `center` has.
std::vector<PriorBlock> habit_blocks(const PoseModel& model, const std::vector<Mat3d>& habits,
                                     const std::vector<double>& center) {
  std::vector<PriorBlock> blocks;
  for (const int joint : model.free_joints()) {
    if (joint == 0) continue;
    const int first = model.first_unknown(joint);
    const double* at = center.data() + first;
    blocks.push_back({first, {at[0], at[1], at[2]}, habits[static_cast<std::size_t>(joint)]});
  }
  return blocks;
}

void add_outline(const rig::Subject& subject, const std::vector<OutlinePoint>& outline, double weight,
                 std::vector<SkinPoint>& points, std::vector<PointSighting>& sightings) {
  for (const OutlinePoint& point : outline) {
    PointSighting sighting;
    sighting.point = static_cast<int>(points.size());
    sighting.pixel = point.pixel, sighting.direction = point.direction;
    sighting.weight = static_cast<float>(weight);
    points.push_back(skin_point(subject, point.triangle, point.barycentric));
    sightings.push_back(sighting);
  }
}

/// Points spread over the surface by area, always the same.
std::vector<SkinPoint> spread_points(const SurfaceViewer& viewer, int count) {
  const rig::Subject& subject = viewer.subject();
  const auto area = [&](std::size_t t) {
    const std::array<std::uint32_t, 3>& c = subject.triangles[t];
    const std::span<const Vec3> p = viewer.points();
    const auto twice = static_cast<double>(norm(cross(p[c[1]] - p[c[0]], p[c[2]] - p[c[0]])));
    return std::isfinite(twice) ? twice : 0.0;
  };
  double all = 0;
  for (std::size_t t = 0; t < subject.triangles.size(); ++t) all += area(t);
  std::vector<SkinPoint> points;
  double sum = 0;
  for (std::size_t t = 0; t < subject.triangles.size() && all > 0; ++t) {
    sum += area(t);
    // One point for every so much area.
    if (sum * count < all * (static_cast<double>(points.size()) + 0.5)) continue;
    points.push_back(skin_point(subject, static_cast<std::uint32_t>(t), {1 / 3.0f, 1 / 3.0f, 1 / 3.0f}));
  }
  return points;
}

/// Adds what the body leaves out of the mask; `model` and `view` have the same pose.
void add_missing(const PoseModel& model, const std::vector<SkinPoint>& body, const scene::Camera& camera,
                 const SurfaceView& view, std::span<const float> mask, const FollowSettings& settings,
                 std::vector<SkinPoint>& points, std::vector<PointSighting>& sightings) {
  std::vector<BodyPoint> places;
  for (const SkinPoint& point : body) {
    const Projection at = project_point(camera, model.place(point));
    BodyPoint place;
    place.pixel = {static_cast<float>(at.x), static_cast<float>(at.y)};
    const int x = static_cast<int>(std::floor(at.x)), y = static_cast<int>(std::floor(at.y));
    if (at.depth > 0 && view.contains(x, y)) {
      const float front = view.depth[view.index(x, y)];
      place.seen = front > 0 && at.depth < static_cast<double>(front + settings.tracks.depth_slack);
    }
    places.push_back(place);
  }
  for (const MissingPoint& missing : match_missing(view, mask, places, settings.outline)) {
    PointSighting sighting;
    sighting.point = static_cast<int>(points.size());
    sighting.pixel = missing.pixel;
    sighting.weight = static_cast<float>(settings.missing_weight);
    points.push_back(body[static_cast<std::size_t>(missing.point)]);
    sightings.push_back(sighting);
  }
}

class Follower {
 public:
  Follower(const rig::Subject& subject, const scene::Camera& camera, const Frames& pictures,
           std::span<const float> masks, double fps, const std::vector<bool>& free, const FollowSettings& settings)
      : subject_(subject),
        camera_(camera),
        masks_(masks),
        fps_(fps),
        settings_(settings),
        viewer_(subject),
        habits_(bend_precisions(subject, settings.habit)),
        now_(subject.rig, free),
        next_(subject.rig, free),
        pyramids_(static_cast<std::size_t>(pictures.frames)),
        body_(spread_points(viewer_, kBodyPoints)),
        plane_(static_cast<std::size_t>(pictures.width) * static_cast<std::size_t>(pictures.height)) {
    parallel_for(pyramids_.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t t = first; t < last; ++t) {
        pyramids_[t] = make_pyramid(brightness(pictures, 0, static_cast<int>(t)), settings.tracks.patch.levels);
      }
    });
    poses_.resize(pyramids_.size());
    reports_.resize(pyramids_.size());
    stir_.assign(pyramids_.size(), 1.0);
  }

  Result<Followed> run(int first, const kinematics::Pose& start, const std::vector<bool>& free,
                       const Progress& progress) {
    SurfaceTracker tracker(viewer_, camera_, pyramids_, free, settings_.tracks);
    const auto at = [](int t) { return static_cast<std::size_t>(t); };
    base_ = start;
    poses_[at(first)] = start_ = now_.unknowns(start);
    settle(tracker.tracks(), first);
    look(first);
    tracker.seed(first, view_);
    reports_[at(first)].live = tracker.tracks().live(first);
    reports_[at(first)].inlier_share = 1;
    int done = 0;
    const int frames = static_cast<int>(pyramids_.size());
    for (const int step : {1, -1}) {
      for (int t = first; t + step >= 0 && t + step < frames; t += step) {
        if (progress && !progress("following", static_cast<double>(done++) / frames)) {
          return cancelled("following");
        }
        advance(tracker, t, t + step, t != first);
        if (std::abs(t + step - first) % settings_.tracks.refresh_every == 0) tracker.seed(t + step, view_);
      }
    }
    Followed result;
    result.tracks = std::move(tracker).take();
    for (int sweep = 0; sweep < settings_.sweeps; ++sweep) smooth(result.tracks, sweep % 2 == 0);
    result.motion = kinematics::rest_motion(subject_.rig, frames, fps_);
    for (int t = 0; t < frames; ++t) {
      const kinematics::Pose pose = now_.pose(poses_[at(t)], base_);
      result.motion.root_translations[at(t)] = pose.root_translation;
      std::copy(pose.angles.begin(), pose.angles.end(), result.motion.frame_angles(t).begin());
    }
    result.frames = reports_;
    return result;
  }

 private:
  std::span<const float> mask(int t) const { return masks_.subspan(static_cast<std::size_t>(t) * plane_, plane_); }

  void look(int t) {
    viewer_.set_pose(now_.pose(poses_[static_cast<std::size_t>(t)], base_));
    viewer_.draw(camera_, view_);
  }

  /// Around `mean`, as far as a frame's step may surprise, and around the pose that it all began with: joints that are
  /// not seen do not wander off.
  PosePrior prior(const std::vector<double>& mean, double steps) const {
    PosePrior result;
    steps = std::max(steps, 1e-3);
    result.mean = mean;
    result.precision.assign(mean.size(), 0.0);
    const double turn = steps * settings_.turn_rate / fps_, shift = steps * settings_.root_rate / fps_;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      result.add(i, mean[i], i < 3 ? shift : turn);
    }
    result.blocks = habit_blocks(now_, habits_, start_);
    return result;
  }

  /// Fits frame `t` to what was followed and to its outline, as it lies with the pose so far.
  TrackFitReport fit(const SurfaceTracks& tracks, int t, const PosePrior& prior, bool with_outline,
                     const TrackFitSettings& settings) {
    std::vector<double>& pose = poses_[static_cast<std::size_t>(t)];
    std::vector<PointSighting> sightings = tracks.sightings(t);
    std::vector<SkinPoint> points = tracks.points;
    if (with_outline) {
      look(t);
      add_outline(subject_, match_outline(view_, mask(t), settings_.outline), settings_.outline_weight, points,
                  sightings);
      now_.set(pose, base_);
      add_missing(now_, body_, camera_, view_, mask(t), settings_, points, sightings);
    }
    FrameProblem problem;
    problem.camera = &camera_;
    problem.points = points, problem.sightings = sightings;
    problem.prior = &prior, problem.base = &base_;
    return fit_pose(next_, problem, settings, pose);
  }

  /// The first frame comes to rest where all others would, so that a picture that does not change gives a pose that
  /// does not.
  void settle(const SurfaceTracks& tracks, int first) {
    constexpr int kRounds = 25;
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<double> before = poses_[static_cast<std::size_t>(first)];
      fit(tracks, first, prior(before, 1), /*with_outline=*/true, settings_.fit);
      double most = 0;
      for (std::size_t k = 0; k < before.size(); ++k) {
        most = std::max(most, std::abs(poses_[static_cast<std::size_t>(first)][k] - before[k]));
      }
      if (most < 2e-3) break;
    }
  }

  /// How much happens between two frames, 0.03 to 1: about how many pixels points and outlines move. Where nothing
  /// moves in the picture, nothing may move in the pose.
  double stir(const SurfaceTracks& tracks, int from, int to) const {
    std::vector<double> steps;
    for (std::size_t k = 0; k < tracks.tracks.size(); ++k) {
      const TrackedPoint &a = tracks.at(k, from), &b = tracks.at(k, to);
      if (a.confidence > 0 && b.confidence > 0) {
        steps.push_back(static_cast<double>(std::hypot(a.pixel.x - b.pixel.x, a.pixel.y - b.pixel.y)));
      }
    }
    double most = 0;
    if (steps.size() > 8) {
      const auto high = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() * 9 / 10);
      std::nth_element(steps.begin(), high, steps.end());
      most = *high;
    }
    const std::span<const float> a = mask(from), b = mask(to);
    double changed = 0, rim = 0;
    for (std::size_t i = 1; i < plane_; ++i) {
      changed += static_cast<double>(std::abs(a[i] - b[i]));
      rim += static_cast<double>(std::abs(a[i] - a[i - 1]));
    }
    return std::clamp(std::max(most, changed / std::max(rim, 1.0)), 0.03, 1.0);
  }

  void advance(SurfaceTracker& tracker, int from, int to, bool has_speed) {
    const auto at = [](int t) { return static_cast<std::size_t>(t); };
    // Where it would be if it went on as it did, a little slower.
    std::vector<double> predicted = poses_[at(from)];
    if (has_speed) {
      const std::vector<double>& before = poses_[at(2 * from - to)];
      for (std::size_t i = 0; i < predicted.size(); ++i) predicted[i] += 0.7 * (predicted[i] - before[i]);
    }
    now_.set(poses_[at(from)], base_);
    next_.set(predicted, base_);
    tracker.advance(from, to, now_, next_);
    poses_[at(to)] = predicted;
    stir_[at(std::max(from, to))] = stir(tracker.tracks(), from, to);
    const PosePrior belief = prior(predicted, stir_[at(std::max(from, to))]);
    fit(tracker.tracks(), to, belief, /*with_outline=*/false, settings_.fit);
    for (int round = 0; round < 2; ++round) fit(tracker.tracks(), to, belief, /*with_outline=*/true, settings_.fit);
    look(to);
    tracker.verify(to, view_);
    TrackFitSettings narrow = settings_.fit;
    narrow.robust_scales = {settings_.fit.robust_scales.back()};
    const TrackFitReport report = fit(tracker.tracks(), to, belief, /*with_outline=*/true, narrow);
    look(to);
    FollowedFrame& frame = reports_[at(to)];
    frame.live = tracker.tracks().live(to);
    frame.residual = report.residual, frame.inlier_share = report.inlier_share;
    frame.lost = report.inlier_share < 0.25;
  }

  /// Every frame once more, now with what comes after it, too.
  void smooth(const SurfaceTracks& tracks, bool forwards) {
    const int frames = static_cast<int>(poses_.size());
    TrackFitSettings narrow = settings_.fit;
    narrow.robust_scales = {settings_.fit.robust_scales.back()};
    for (int i = 0; i < frames; ++i) {
      const int t = forwards ? i : frames - 1 - i;
      const std::vector<double>& before = poses_[static_cast<std::size_t>(std::max(t - 1, 0))];
      const std::vector<double>& after = poses_[static_cast<std::size_t>(std::min(t + 1, frames - 1))];
      std::vector<double> mean(before.size());
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] = 0.5 * (before[k] + after[k]);
      const double happens = std::max(t > 0 ? stir_[static_cast<std::size_t>(t)] : 0,
                                      t + 1 < frames ? stir_[static_cast<std::size_t>(t + 1)] : 0);
      const TrackFitReport report = fit(tracks, t, prior(mean, 0.5 * happens), /*with_outline=*/true, narrow);
      FollowedFrame& frame = reports_[static_cast<std::size_t>(t)];
      frame.residual = report.residual, frame.inlier_share = report.inlier_share;
    }
  }

  const rig::Subject& subject_;
  scene::Camera camera_;
  std::span<const float> masks_;
  double fps_;
  FollowSettings settings_;
  SurfaceViewer viewer_;
  std::vector<Mat3d> habits_;  ///< per joint
  PoseModel now_, next_;
  std::vector<Pyramid> pyramids_;
  kinematics::Pose base_;
  std::vector<double> start_;
  std::vector<SkinPoint> body_;  ///< spread over it
  std::size_t plane_;
  SurfaceView view_;
  std::vector<std::vector<double>> poses_;  ///< per frame, unknowns
  std::vector<double> stir_;                ///< per frame, since the one before
  std::vector<FollowedFrame> reports_;
};

}  // namespace

Result<Followed> follow_surface(const rig::Subject& subject, const scene::Camera& camera, const Frames& pictures,
                                std::span<const float> masks, int first, const kinematics::Pose& start, double fps,
                                const std::vector<bool>& free, const FollowSettings& settings,
                                const Progress& progress) {
  LIMBER_EXPECT(first >= 0 && first < pictures.frames && fps > 0, std::to_string(first));
  LIMBER_EXPECT(camera.width == pictures.width && camera.height == pictures.height, "the camera's size");
  LIMBER_EXPECT(masks.size() * 3 * static_cast<std::size_t>(pictures.views) == pictures.values.size(),
                std::to_string(masks.size()) + " mask pixels");
  return Follower(subject, camera, pictures, masks, fps, free, settings).run(first, start, free, progress);
}

kinematics::Pose fit_outline(const rig::Subject& subject, const scene::Camera& camera, std::span<const float> mask,
                             const kinematics::Pose& start, const kinematics::Pose& ease, const std::vector<bool>& free,
                             const FollowSettings& settings, int rounds) {
  SurfaceViewer viewer(subject);
  const std::vector<SkinPoint> body = spread_points(viewer, kBodyPoints);
  SurfaceView view;
  PoseModel model(subject.rig, free);
  std::vector<double> unknowns = model.unknowns(start);
  PosePrior prior;
  prior.mean = unknowns;
  prior.precision.assign(unknowns.size(), 0.0);
  // The camera was found with the body at the origin: the root stays about there.
  for (std::size_t k = 0; k < 3; ++k) prior.precision[k] = 1 / (0.05 * 0.05);
  for (std::size_t k = 3; k < 6 && model.first_unknown(0) == 3; ++k) prior.precision[k] = 1 / (0.15 * 0.15);
  prior.blocks = habit_blocks(model, bend_precisions(subject, settings.habit), model.unknowns(ease));
  TrackFitSettings fit = settings.fit;
  fit.robust_scales = {settings.fit.robust_scales.back() * 2, settings.fit.robust_scales.back()};
  for (int round = 0; round < rounds; ++round) {
    viewer.set_pose(model.pose(unknowns, start));
    viewer.draw(camera, view);
    std::vector<SkinPoint> points;
    std::vector<PointSighting> sightings;
    add_outline(subject, match_outline(view, mask, settings.outline), settings.outline_weight, points, sightings);
    model.set(unknowns, start);
    add_missing(model, body, camera, view, mask, settings, points, sightings);
    FrameProblem problem;
    problem.camera = &camera;
    problem.points = points, problem.sightings = sightings;
    problem.prior = &prior, problem.base = &start;
    fit_pose(model, problem, fit, unknowns);
  }
  return model.pose(unknowns, start);
}

}  // namespace limber::lift
