// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/follow_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "limber/base/at.h"
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

/// Points spread over the surface at rest by area, always the same.
std::vector<SkinPoint> spread_points(const rig::Subject& subject, int count) {
  const SurfaceViewer at_rest(subject);
  const auto area = [&](std::size_t t) {
    const std::array<std::uint32_t, 3>& c = subject.triangles[t];
    const std::span<const Vec3> p = at_rest.points();
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

/// A body in a video: what is the same for every frame.
struct Shot {
  const rig::Subject& subject;
  const scene::Camera& camera;
  std::span<const float> masks;  ///< frames x pixels
  std::size_t pixels;            ///< of a frame
  double fps;
  const FollowSettings& settings;
  const kinematics::Pose& base;  ///< it all began with; joints that are not free stay so
  std::vector<double> start;     ///< its unknowns
  std::vector<Mat3d> habits;     ///< per joint
  std::vector<SkinPoint> body;   ///< spread over it

  std::span<const float> mask(int t) const { return masks.subspan(static_cast<std::size_t>(t) * pixels, pixels); }
};

/// Poses and draws the body. Buffers only: every step sets what it reads.
struct Tools {
  SurfaceViewer viewer;
  SurfaceView view;
  PoseModel now, next;
};

/// What is known of the frames so far.
struct Course {
  std::vector<std::vector<double>> poses;  ///< per frame, unknowns
  std::vector<double> stir;                ///< per frame, since the one before
  std::vector<FollowedFrame> reports;
};

struct Fit {
  std::vector<double> pose;
  TrackFitReport report;
};

/// What a frame is fitted to.
enum class Evidence { kPoints, kPointsAndOutline };

std::vector<Pyramid> make_pyramids(const Frames& pictures, int levels) {
  std::vector<Pyramid> pyramids(at(pictures.frames));
  parallel_for(pyramids.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t t = first; t < last; ++t) {
      pyramids[t] = make_pyramid(brightness(pictures, 0, static_cast<int>(t)), levels);
    }
  });
  return pyramids;
}

/// The body in a pose, as the camera sees it: `tools.view`, and the viewer stands so, too.
const SurfaceView& look(const Shot& shot, Tools& tools, const std::vector<double>& pose) {
  tools.viewer.set_pose(tools.now.pose(pose, shot.base));
  tools.viewer.draw(shot.camera, tools.view);
  return tools.view;
}

/// Around `mean`, as far as a frame's step may surprise, and around the pose that it all began with: joints that are
/// not seen do not wander off.
PosePrior prior(const Shot& shot, const PoseModel& model, const std::vector<double>& mean, double steps) {
  PosePrior result;
  steps = std::max(steps, 1e-3);
  result.mean = mean;
  result.precision.assign(mean.size(), 0.0);
  const double turn = steps * shot.settings.turn_rate / shot.fps, shift = steps * shot.settings.root_rate / shot.fps;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    result.add(i, mean[i], i < 3 ? shift : turn);
  }
  result.blocks = habit_blocks(model, shot.habits, shot.start);
  return result;
}

/// Fits frame `t` to what was followed and to its outline, as it lies with `pose`.
Fit fit_frame(const Shot& shot, Tools& tools, const SurfaceTracks& tracks, int t, std::vector<double> pose,
              const PosePrior& prior, Evidence evidence, const TrackFitSettings& settings) {
  std::vector<PointSighting> sightings = tracks.sightings(t);
  std::vector<SkinPoint> points = tracks.points;
  if (evidence == Evidence::kPointsAndOutline) {
    const SurfaceView& view = look(shot, tools, pose);
    add_outline(shot.subject, match_outline(view, shot.mask(t), shot.settings.outline), shot.settings.outline_weight,
                points, sightings);
    tools.now.set(pose, shot.base);
    add_missing(tools.now, shot.body, shot.camera, view, shot.mask(t), shot.settings, points, sightings);
  }
  FrameProblem problem;
  problem.camera = &shot.camera;
  problem.points = points, problem.sightings = sightings;
  problem.prior = &prior, problem.base = &shot.base;
  Fit fit{std::move(pose), {}};
  fit.report = fit_pose(tools.next, problem, settings, fit.pose);
  return fit;
}

/// For a frame that nearly fits: what is far off is not believed any more.
TrackFitSettings narrowed(TrackFitSettings settings) {
  settings.robust_scales = {settings.robust_scales.back()};
  return settings;
}

/// The first frame comes to rest where all others would, so that a picture that does not change gives a pose that
/// does not.
std::vector<double> settle(const Shot& shot, Tools& tools, const SurfaceTracks& tracks, int first) {
  constexpr int kRounds = 25;
  std::vector<double> pose = shot.start;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<double> before = pose;
    pose = fit_frame(shot, tools, tracks, first, before, prior(shot, tools.now, before, 1), Evidence::kPointsAndOutline,
                     shot.settings.fit)
               .pose;
    double most = 0;
    for (std::size_t k = 0; k < before.size(); ++k) most = std::max(most, std::abs(pose[k] - before[k]));
    if (most < 2e-3) break;
  }
  return pose;
}

/// How much happens between two frames, 0.03 to 1: about how many pixels points and outlines move. Where nothing
/// moves in the picture, nothing may move in the pose.
double stir(const Shot& shot, const SurfaceTracks& tracks, int from, int to) {
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
  const std::span<const float> a = shot.mask(from), b = shot.mask(to);
  double changed = 0, rim = 0;
  for (std::size_t i = 1; i < shot.pixels; ++i) {
    changed += static_cast<double>(std::abs(a[i] - b[i]));
    rim += static_cast<double>(std::abs(a[i] - a[i - 1]));
  }
  return std::clamp(std::max(most, changed / std::max(rim, 1.0)), 0.03, 1.0);
}

/// Where frame `to` would be if the body went on as it did, a little slower.
std::vector<double> predict(const Course& course, int first, int from, int to) {
  std::vector<double> predicted = course.poses[at(from)];
  if (from == first) return predicted;
  const std::vector<double>& before = course.poses[at(2 * from - to)];
  for (std::size_t i = 0; i < predicted.size(); ++i) predicted[i] += 0.7 * (predicted[i] - before[i]);
  return predicted;
}

/// Follows points from one frame to the next, and finds the pose there.
void advance(const Shot& shot, Tools& tools, SurfaceTracker& tracker, int first, int from, int to, Course& course) {
  const std::vector<double> predicted = predict(course, first, from, to);
  tools.now.set(course.poses[at(from)], shot.base);
  tools.next.set(predicted, shot.base);
  tracker.advance(from, to, tools.now, tools.next);
  const SurfaceTracks& tracks = tracker.tracks();
  const double happens = stir(shot, tracks, from, to);
  const PosePrior belief = prior(shot, tools.now, predicted, happens);
  const auto fitted = [&](std::vector<double> pose, Evidence evidence, const TrackFitSettings& settings) {
    return fit_frame(shot, tools, tracks, to, std::move(pose), belief, evidence, settings);
  };
  Fit fit = fitted(predicted, Evidence::kPoints, shot.settings.fit);
  for (int round = 0; round < 2; ++round) {
    fit = fitted(std::move(fit.pose), Evidence::kPointsAndOutline, shot.settings.fit);
  }
  tracker.verify(to, look(shot, tools, fit.pose));
  fit = fitted(std::move(fit.pose), Evidence::kPointsAndOutline, narrowed(shot.settings.fit));
  course.stir[at(std::max(from, to))] = happens;
  course.poses[at(to)] = std::move(fit.pose);
  course.reports[at(to)] = {fit.report.residual, fit.report.inlier_share, tracks.live(to),
                            fit.report.inlier_share < 0.25};
}

/// From the first frame to both ends.
Result<Course> follow(const Shot& shot, Tools& tools, SurfaceTracker& tracker, int first, int frames,
                      const Progress& progress) {
  Course course;
  course.poses.resize(at(frames)), course.reports.resize(at(frames)), course.stir.assign(at(frames), 1.0);
  course.poses[at(first)] = settle(shot, tools, tracker.tracks(), first);
  tracker.seed(first, look(shot, tools, course.poses[at(first)]));
  course.reports[at(first)].live = tracker.tracks().live(first);
  course.reports[at(first)].inlier_share = 1;
  int done = 0;
  for (const int step : {1, -1}) {
    for (int t = first + step; t >= 0 && t < frames; t += step) {
      if (progress && !progress("following", static_cast<double>(done++) / frames)) return cancelled("following");
      advance(shot, tools, tracker, first, t - step, t, course);
      if (std::abs(t - first) % shot.settings.tracks.refresh_every == 0) {
        tracker.seed(t, look(shot, tools, course.poses[at(t)]));
      }
    }
  }
  return course;
}

/// Every frame once more, now with what comes after it, too.
Course smooth(const Shot& shot, Tools& tools, const SurfaceTracks& tracks, bool forwards, Course course) {
  const int frames = static_cast<int>(course.poses.size());
  const TrackFitSettings narrow = narrowed(shot.settings.fit);
  for (int i = 0; i < frames; ++i) {
    const int t = forwards ? i : frames - 1 - i;
    const std::vector<double>& before = course.poses[at(std::max(t - 1, 0))];
    const std::vector<double>& after = course.poses[at(std::min(t + 1, frames - 1))];
    std::vector<double> mean(before.size());
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] = 0.5 * (before[k] + after[k]);
    const double happens = std::max(t > 0 ? course.stir[at(t)] : 0, t + 1 < frames ? course.stir[at(t + 1)] : 0);
    Fit fit = fit_frame(shot, tools, tracks, t, std::move(course.poses[at(t)]),
                        prior(shot, tools.now, mean, 0.5 * happens), Evidence::kPointsAndOutline, narrow);
    course.poses[at(t)] = std::move(fit.pose);
    course.reports[at(t)].residual = fit.report.residual;
    course.reports[at(t)].inlier_share = fit.report.inlier_share;
  }
  return course;
}

kinematics::Motion motion_of(const Shot& shot, const PoseModel& model, const Course& course) {
  const int frames = static_cast<int>(course.poses.size());
  kinematics::Motion motion = kinematics::rest_motion(shot.subject.rig, frames, shot.fps);
  for (int t = 0; t < frames; ++t) {
    const kinematics::Pose pose = model.pose(course.poses[at(t)], shot.base);
    motion.root_translations[at(t)] = pose.root_translation;
    std::copy(pose.angles.begin(), pose.angles.end(), motion.frame_angles(t).begin());
  }
  return motion;
}

}  // namespace

Result<Followed> follow_surface(const rig::Subject& subject, const scene::Camera& camera, const Frames& pictures,
                                std::span<const float> masks, int first, const kinematics::Pose& start, double fps,
                                const std::vector<bool>& free, const FollowSettings& settings,
                                const Progress& progress) {
  LIMBER_EXPECT(first >= 0 && first < pictures.frames && fps > 0, std::to_string(first));
  LIMBER_EXPECT(camera.width == pictures.width && camera.height == pictures.height, "the camera's size");
  LIMBER_EXPECT(masks.size() * 3 * static_cast<std::size_t>(pictures.views) == pictures.values.size(),
                std::to_string(masks.size()) + " mask pixels");
  Tools tools{SurfaceViewer(subject), {}, PoseModel(subject.rig, free), PoseModel(subject.rig, free)};
  const Shot shot{subject,
                  camera,
                  masks,
                  at(pictures.width) * at(pictures.height),
                  fps,
                  settings,
                  start,
                  tools.now.unknowns(start),
                  bend_precisions(subject, settings.habit),
                  spread_points(subject, kBodyPoints)};
  const std::vector<Pyramid> pyramids = make_pyramids(pictures, settings.tracks.patch.levels);
  SurfaceTracker tracker(tools.viewer, camera, pyramids, free, settings.tracks);
  LIMBER_TRY(Course course, follow(shot, tools, tracker, first, pictures.frames, progress));
  Followed result;
  result.tracks = std::move(tracker).take();
  for (int sweep = 0; sweep < settings.sweeps; ++sweep) {
    course = smooth(shot, tools, result.tracks, /*forwards=*/sweep % 2 == 0, std::move(course));
  }
  result.motion = motion_of(shot, tools.now, course);
  result.frames = std::move(course.reports);
  return result;
}

kinematics::Pose fit_outline(const rig::Subject& subject, const scene::Camera& camera, std::span<const float> mask,
                             const kinematics::Pose& start, const kinematics::Pose& ease, const std::vector<bool>& free,
                             const FollowSettings& settings, int rounds) {
  SurfaceViewer viewer(subject);
  const std::vector<SkinPoint> body = spread_points(subject, kBodyPoints);
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
