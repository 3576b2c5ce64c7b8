// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/physics/puppet.h"
#include "limber/physics/reference.h"

/// Tracking (AKD section 4.5): the controls whose simulation comes nearest to a reference.
namespace limber::physics {

enum class TrackLoss {
  kSmooth,  ///< squared distances and angles of the bones, in heights and radians
  kAkd      ///< AKD eq. 13 and nothing else: their absolute values, and those of the controls' second differences
};

/// What holds the root of a body that would fall, beside its legs.
enum class RootHelp {
  kFull,    ///< springs towards the reference's path and lean
  kUpright  ///< AKD's virtual force: a torque that keeps it upright, and nothing else
};

/// Weights and course of the optimisation. Lengths count in heights, so nothing depends on the subject's size.
struct TrackSettings {
  TrackLoss loss = TrackLoss::kSmooth;
  int iterations = 60;           ///< rollouts in all, 1 to 200
  double max_step = 1.0 / 480;   ///< seconds; a frame has a whole number of steps
  double rotation_weight = 0.1;  ///< w_R: of a squared radian against a squared height
  double plant_weight = 2;       ///< of squared distances of planted points from where they stand; not in kAkd
  double smoothness = 0.2;       ///< lambda_3: of the second differences of the controls
  double learning_rate = 0.02;   ///< radians
  RootHelp help = RootHelp::kFull;
  double assist = 1;              ///< how firmly the root is helped at first; 0: not at all
  double least_assist = 0.1;      ///< and in the end, as far as the motion can do with it
  bool optimise_velocity = true;  ///< the initial velocity is an unknown, too
  double clip_growth = 20;        ///< see ClipSettings
  Progress progress;              ///< may be empty
};

enum class TrackStop { kConverged, kMaxIterations, kNotFinite };
std::string_view name(TrackStop stop);  ///< "converged"

/// What tracking did and what it took. Forces are in body weights, torques in body weights times height.
struct TrackReport {
  TrackStop stop = TrackStop::kMaxIterations;
  int iterations = 0;
  int steps = 0;  ///< of one rollout
  double dt = 0;
  double loss_before = 0, loss_after = 0;  ///< of the warm start and of the result
  double joint_error = 0;                  ///< mean angle between simulated and reference joints, degrees
  double slip = 0;                         ///< mean distance of planted points from where they should stand, heights
  double root_error = 0;                   ///< mean distance of the root from the reference, heights
  double place_error = 0;                  ///< mean distance of all joints from the reference's (MPJPE), heights
  double torque = 0, peak_torque = 0;      ///< of a hinge: root mean square and largest
  double assist = 0;                       ///< what was left of the help, as a share of its first firmness
  double assist_force = 0, peak_assist_force = 0, assist_torque = 0;  ///< what it gave: root mean square, largest
  double missing_force = 0, missing_torque = 0;  ///< root wrench that the reference would need beyond the ground's
  int worst_frame = 0;                           ///< where the root's need is largest
  double clip_ratio = 0;           ///< share of chunks whose gradient was scaled back, over all iterations
  std::vector<std::string> notes;  ///< where it gave up, and why
};

struct Tracked {
  std::vector<double> positions;  ///< the reference's own frames (first, count) x position_count
  TrackReport report;
};

/// Fails only if it was cancelled.
Result<Tracked> track(const Puppet& puppet, const Reference& reference, const TrackSettings& settings = {});

}  // namespace limber::physics
