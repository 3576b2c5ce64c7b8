// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/fit_scans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/kinematics/motion_adam.h"
#include "limber/pose_space/pose_motion.h"
#include "limber/pose_space/pose_prior.h"

namespace limber::pose_space {
namespace {

constexpr int kMatchedEvery = 6;       // iterations between looking for what is nearest
constexpr std::size_t kGlance = 5;     // one place of so many tells which starts are worth following
constexpr double kReach = 4;           // scales: what is farther away is not matched
constexpr double kPriorTime = 0.15;    // see PoseSpace::settle
constexpr double kBadShare = 0.95;     // of a scan: less that is explained is a doubt
constexpr double kBadDistance = 0.03;  // heights, both ways together

kinematics::Motion motion_of(const kinematics::Pose& pose, double fps) {
  kinematics::Motion motion;
  motion.fps = fps, motion.joint_count = static_cast<int>(pose.angles.size());
  motion.root_translations = {pose.root_translation}, motion.angles = pose.angles;
  return motion;
}

void put_pose(const kinematics::Motion& from, kinematics::Motion& to, int frame) {
  std::copy(from.angles.begin(), from.angles.end(), to.frame_angles(frame).begin());
  to.root_translations[at(frame)] = from.root_translations.front();
}

/// What all frames and starts share.
class Fitter {
 public:
  Fitter(const rig::Subject& subject, const PoseSpace& space, std::span<const Scan> scans,
         const ScanFitSettings& settings)
      : subject_(subject), space_(space), scans_(scans), settings_(settings), edges_(subject), limits_(subject.rig) {
    std::vector<Vec3d> rest;
    for (const Vec3& p : posed_points(subject, kinematics::rest_motion(subject.rig, 1, settings.fps)))
      rest.push_back(p.cast<double>());
    places_ = draw_points(rest, subject.triangles, settings.body_points, settings.seed);
    states_.emplace_back(space.skeleton().joints.size() * kStateSize, 0);
    for (int i = 0; i < settings.drawn; ++i) states_.push_back(space.sample(settings.seed + at(i)));
    root_alone_.assign(at(subject.rig.joint_count()), false);
    root_alone_[0] = true;
  }

  ScanDistance distance(const kinematics::Motion& motion, std::size_t scan, std::size_t every = 1) const {
    return scan_distance(subject_, posed_points(subject_, motion), scans_[scan], places_, every);
  }

  /// A frame alone.
  kinematics::Motion fit_alone(std::size_t scan) const {
    kinematics::Motion best;
    double least = 1e300;
    for (kinematics::Motion motion : starts(scan)) {
      descend(motion, scans_.subspan(scan, 1), settings_.stages, 0);
      const double cost = cost_of(motion, scan);
      if (cost < least) least = cost, best = std::move(motion);
    }
    return best;
  }

  /// From another frame's pose: kept where it comes nearer.
  void try_from(const kinematics::Motion& all, int from, int frame, kinematics::Motion& own, double& cost) const {
    kinematics::Motion motion = motion_of(pose_at(all, from), settings_.fps);
    const std::span<const ScanFitStage> fine =
        std::span(settings_.stages).last(std::min<std::size_t>(settings_.stages.size(), 2));
    descend(motion, scans_.subspan(at(frame), 1), fine, 0);
    const double found = cost_of(motion, at(frame));
    if (found < cost) cost = found, own = std::move(motion);
  }

  double cost_of(const kinematics::Motion& motion, std::size_t scan, std::size_t every = 1) const {
    const ScanDistance found = distance(motion, scan, every);
    return found.scan_to_body + settings_.body_weight * found.body_to_scan;
  }

  /// Down all energies, from where the motion stands.
  void descend(kinematics::Motion& motion, std::span<const Scan> scans, std::span<const ScanFitStage> stages,
               double smooth_weight) const {
    const kinematics::SmoothnessEnergy smoothness(1e-3);
    PosePriorSettings asked;
    asked.time = kPriorTime, asked.period = 2 * kMatchedEvery;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const ScanFitStage& stage = stages[s];
      const double progress = stages.size() > 1 ? static_cast<double>(s) / static_cast<double>(stages.size() - 1) : 1;
      const double prior_weight = settings_.prior_weight * std::pow(0.1, progress);
      const PosePriorEnergy prior(space_, asked);
      ScanEnergy matches(subject_, stage.scale);
      kinematics::MotionAdam adam;
      kinematics::MotionGradient gradient;
      for (int i = 0; i < stage.iterations; ++i) {
        if (i % kMatchedEvery == 0) matches.set_matches(match(motion, scans, stage.scale));
        gradient.root_translations.assign(motion.root_translations.size(), {});
        gradient.angles.assign(motion.angles.size(), {});
        matches.add(motion, 1, gradient);
        if (!stage.whole) {
          edges_.add(motion, settings_.edge_weight, gradient);
          limits_.add(motion, settings_.limit_weight, gradient);
          if (prior_weight > 0) prior.add(motion, prior_weight, gradient);
          if (smooth_weight > 0) smoothness.add(motion, smooth_weight, gradient);
        }
        const double fall = 1 - 0.8 * i / stage.iterations;
        adam.step(motion, gradient, fall * stage.angle_rate, fall * stage.root_rate,
                  stage.whole ? root_alone_ : std::vector<bool>{});
      }
    }
  }

 private:
  std::vector<std::vector<ScanMatch>> match(const kinematics::Motion& motion, std::span<const Scan> scans,
                                            double scale) const {
    MatchSettings settings;
    settings.farthest = kReach * scale, settings.body_weight = settings_.body_weight;
    const std::vector<Vec3> posed = posed_points(subject_, motion);
    std::vector<std::vector<ScanMatch>> matches(scans.size());
    parallel_for(scans.size(), 1, [&](std::size_t f, std::size_t) {
      matches[f] = match_scan(subject_, std::span(posed).subspan(f * subject_.points.size(), subject_.points.size()),
                              scans[f], places_, settings);
    });
    return matches;
  }

  /// The poses from which a scan looks nearest, the body's middle being where the scan's is.
  std::vector<kinematics::Motion> starts(std::size_t scan) const {
    struct Start {
      double cost = 0;
      kinematics::Motion motion;
    };
    std::vector<Start> all;
    for (const PoseState& state : states_) {
      for (int h = 0; h < settings_.headings; ++h) {
        PosePlace place;
        place.heading = 2 * kPi * h / settings_.headings;
        kinematics::Motion motion = motion_of(decode_pose(space_.skeleton(), state, place), settings_.fps);
        motion.root_translations[0] = (scans_[scan].centre() - middle(motion)).cast<float>();
        const double cost = cost_of(motion, scan, kGlance);
        all.push_back({cost, std::move(motion)});
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Start& a, const Start& b) { return a.cost < b.cost; });
    all.resize(std::min(all.size(), at(settings_.starts)));
    std::vector<kinematics::Motion> best;
    for (Start& start : all) best.push_back(std::move(start.motion));
    return best;
  }

  Vec3d middle(const kinematics::Motion& motion) const {
    const std::vector<Vec3> posed = posed_points(subject_, motion);
    Vec3d sum;
    for (const BodyPoint& point : places_) {
      for (int k = 0; k < 3; ++k) sum += point.shares[k] * posed[point.corners[at(k)]].cast<double>();
    }
    return (1.0 / static_cast<double>(std::max<std::size_t>(places_.size(), 1))) * sum;
  }

  const rig::Subject& subject_;
  const PoseSpace& space_;
  std::span<const Scan> scans_;
  const ScanFitSettings& settings_;
  EdgeEnergy edges_;
  kinematics::LimitEnergy limits_;
  std::vector<BodyPoint> places_;
  std::vector<PoseState> states_;  ///< to start from
  std::vector<bool> root_alone_;
};

std::string doubt_about(const ScanDistance& distance) {
  if (distance.explained < kBadShare)
    return fmt::format("{:.0f} % of the scan are farther than {:.0f} % of the height from the body",
                       100 * (1 - distance.explained), 100 * kExplained);
  if (distance.scan_to_body + distance.body_to_scan > 2 * kBadDistance)
    return fmt::format("the body is {:.1f} % of the height from the scan on average",
                       50 * (distance.scan_to_body + distance.body_to_scan));
  return "";
}

/// Angles near those of the frame before: turns mean the same, and smoothness sees no jumps.
void make_continuous(kinematics::Motion& motion) {
  for (int f = 1; f < motion.frame_count(); ++f) {
    for (std::size_t j = 0; j < at(motion.joint_count); ++j) {
      Vec3& angles = motion.frame_angles(f)[j];
      angles = kinematics::euler_angles(kinematics::euler_matrix(angles.cast<double>()),
                                        motion.frame_angles(f - 1)[j].cast<double>())
                   .cast<float>();
    }
  }
}

/// Each frame once more from the pose of the one before (`step` 1) or after it (-1).
void pass_along(const Fitter& fitter, int step, kinematics::Motion& motion) {
  const int frames = motion.frame_count();
  for (int i = 1; i < frames; ++i) {
    const int frame = step > 0 ? i : frames - 1 - i;
    kinematics::Motion own = motion_of(pose_at(motion, frame), motion.fps);
    double cost = fitter.cost_of(own, at(frame));
    fitter.try_from(motion, frame - step, frame, own, cost);
    put_pose(own, motion, frame);
  }
}

}  // namespace

Result<FittedScans> fit_scans(const rig::Subject& subject, const PoseSpace& space, std::span<const Scan> scans,
                              const ScanFitSettings& settings) {
  LIMBER_EXPECT(!scans.empty() && !settings.stages.empty() && settings.headings > 0 && settings.starts > 0,
                std::to_string(scans.size()) + " scans");
  LIMBER_EXPECT(space.skeleton().rig.joint_count() == subject.rig.joint_count(),
                std::to_string(space.skeleton().rig.joint_count()));
  if (subject.points.empty() || subject.triangles.empty()) return Error{"the body has no surface", "subject"};
  const auto goes_on = [&](double done) { return !settings.progress || settings.progress("fitting scans", done); };
  if (!goes_on(0)) return cancelled("fit");
  const Fitter fitter(subject, space, scans, settings);
  FittedScans fitted;
  fitted.motion = kinematics::rest_motion(subject.rig, static_cast<int>(scans.size()), settings.fps);
  // A few frames at a time, so that whoever waits hears of it.
  const std::size_t at_once = at(std::max(thread_count(), 1));
  for (std::size_t first = 0; first < scans.size(); first += at_once) {
    std::vector<kinematics::Motion> alone(std::min(at_once, scans.size() - first));
    parallel_for(alone.size(), 1, [&](std::size_t i, std::size_t) { alone[i] = fitter.fit_alone(first + i); });
    for (std::size_t i = 0; i < alone.size(); ++i) put_pose(alone[i], fitted.motion, static_cast<int>(first + i));
    if (!goes_on(0.7 * static_cast<double>(first + alone.size()) / static_cast<double>(scans.size())))
      return cancelled("fit");
  }
  pass_along(fitter, 1, fitted.motion), pass_along(fitter, -1, fitted.motion);
  make_continuous(fitted.motion);
  if (!goes_on(0.9)) return cancelled("fit");
  if (settings.smooth_weight > 0 && scans.size() > 2)
    fitter.descend(fitted.motion, scans, std::span(settings.stages).last(1), settings.smooth_weight);
  for (std::size_t f = 0; f < scans.size(); ++f) {
    const kinematics::Pose pose = pose_at(fitted.motion, static_cast<int>(f));
    FrameFit frame;
    frame.distance = fitter.distance(motion_of(pose, settings.fps), f);
    frame.plausible = space.score(encode_pose(space.skeleton(), pose).state).whole;
    frame.doubt = doubt_about(frame.distance);
    fitted.frames.push_back(std::move(frame));
  }
  return fitted;
}

}  // namespace limber::pose_space
