// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/lift/dense_solve.h"
#include "limber/lift/follow_settings.h"
#include "limber/lift/pose_model.h"

/// The pose whose skin comes nearest to where points of it were seen: robust reprojection error by Levenberg-Marquardt
/// with exact derivatives. Points beside a bone's axis make its twist visible, which joints alone never do.
namespace limber::lift {

/// A point of the skin was seen there.
struct PointSighting {
  int point = 0;  ///< index into the points
  Vec2 pixel;
  float weight = 1;
  Vec2 direction{0, 0};  ///< unit: only the error along it counts (edges); zero: both
};

/// A belief about three unknowns in a row: half of (x - mean)^T precision (x - mean).
struct PriorBlock {
  int first = 0;
  Vec3d mean;
  Mat3d precision;
};

/// What is believed beside the picture: per unknown a mean, and one over a variance (0: nothing); and about some in
/// threes.
struct PosePrior {
  std::vector<double> mean, precision;
  std::vector<PriorBlock> blocks;
  /// Adds another belief about an unknown.
  void add(std::size_t unknown, double value, double sigma);
};

struct TrackFitReport {
  double energy = 0;
  double residual = 0;      ///< root mean square of the sightings that count (within three sigma), pixels
  double inlier_share = 0;  ///< of the weight of all sightings, 0 where there are none
  int steps = 0;            ///< that were taken
};

/// Everything that the energy of one frame is made of. Nothing is owned.
struct FrameProblem {
  const scene::Camera* camera = nullptr;
  std::span<const SkinPoint> points;
  std::span<const PointSighting> sightings;
  const PosePrior* prior = nullptr;
  const kinematics::Pose* base = nullptr;  ///< joints that are not free stay there
};

/// The energy at `unknowns`: sum of w rho(|error|^2 / sigma^2) / 2 with rho(s) = c^2 s / (c^2 + s), plus half the
/// squared distances to the prior and beyond the limits, in sigmas. `gradient` and the Gauss-Newton `normal` matrix are
/// replaced where wanted. Points behind the camera do not count.
double track_energy(PoseModel& model, const FrameProblem& problem, const TrackFitSettings& settings,
                    double robust_scale, std::span<const double> unknowns, std::vector<double>* gradient,
                    DenseSymmetric* normal);

/// Improves `unknowns`. Never makes the energy at the last scale worse than at the start of that scale.
TrackFitReport fit_pose(PoseModel& model, const FrameProblem& problem, const TrackFitSettings& settings,
                        std::vector<double>& unknowns);

}  // namespace limber::lift
