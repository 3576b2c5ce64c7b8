// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_solve.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/pose_space/pose_angles.h"

namespace limber::pose_space {
namespace {

constexpr double kFirstDamping = 1e-4, kMostDamping = 1e6;
constexpr double kHandleWeight = 4;  // against other energies of the guidance

Mat3d turn_by(Vec3d rotation) {
  const double angle = norm(rotation);
  return angle > 0 ? to_matrix(axis_angle((1 / angle) * rotation, angle)) : Mat3d::identity();
}

/// Handles and the joints that can bring something about.
class Problem {
 public:
  Problem(const PoseSkeleton& skeleton, std::span<const PoseHandle> handles) : skeleton_(skeleton), handles_(handles) {
    std::vector<int> below(skeleton.joints.size(), 1);
    for (std::size_t j = skeleton.joints.size(); j-- > 1;) below[at(skeleton.joints[j].parent)] += below[j];
    std::vector<bool> above(skeleton.joints.size(), false);
    for (const PoseHandle& handle : handles) {
      for (int j = skeleton.joints[at(handle.joint)].parent; j >= 0; j = skeleton.joints[at(j)].parent)
        above[at(j)] = true;
    }
    for (int j = 0; j < skeleton.size(); ++j) {
      if (!above[at(j)]) continue;
      movers_.push_back(j);
      // Who carries most of the body should move least.
      ease_.push_back(1 / (1 + 0.25 * below[at(j)]));
    }
  }
  bool empty() const { return movers_.empty(); }

  std::vector<double> errors(const PoseShape& shape) const {
    std::vector<double> errors;
    for (const PoseHandle& handle : handles_) errors.push_back(norm(handle.target - shape.places[at(handle.joint)]));
    return errors;
  }

  /// Turns of the movers that bring handles nearer, with this damping.
  std::vector<Vec3d> step(const PoseShape& shape, double damping, double longest) const {
    const auto rows = static_cast<Eigen::Index>(3 * handles_.size());
    const auto columns = static_cast<Eigen::Index>(3 * movers_.size());
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(rows, columns);
    Eigen::VectorXd wanted(rows), ease(columns);
    for (std::size_t m = 0; m < movers_.size(); ++m)
      for (int k = 0; k < 3; ++k) ease[static_cast<Eigen::Index>(3 * m) + k] = ease_[m];
    for (std::size_t h = 0; h < handles_.size(); ++h) {
      const Vec3d place = shape.places[at(handles_[h].joint)], way = handles_[h].target - place;
      const auto row = static_cast<Eigen::Index>(3 * h);
      for (int k = 0; k < 3; ++k) wanted[row + k] = way[k];
      for (std::size_t m = 0; m < movers_.size(); ++m) {
        if (!carries(movers_[m], handles_[h].joint)) continue;
        // A turn w about the mover shifts the handle by w x arm.
        const Vec3d arm = place - shape.places[at(movers_[m])];
        const auto column = static_cast<Eigen::Index>(3 * m);
        jacobian(row, column + 1) = arm.z, jacobian(row, column + 2) = -arm.y;
        jacobian(row + 1, column) = -arm.z, jacobian(row + 1, column + 2) = arm.x;
        jacobian(row + 2, column) = arm.y, jacobian(row + 2, column + 1) = -arm.x;
      }
    }
    const Eigen::MatrixXd eased = jacobian * ease.asDiagonal();
    const Eigen::MatrixXd normal = eased * jacobian.transpose() + damping * Eigen::MatrixXd::Identity(rows, rows);
    const Eigen::VectorXd turn = eased.transpose() * normal.ldlt().solve(wanted);
    std::vector<Vec3d> turns;
    double most = 0;
    for (Eigen::Index c = 0; c < columns; c += 3) {
      turns.push_back({turn[c], turn[c + 1], turn[c + 2]});
      most = std::max(most, norm(turns.back()));
    }
    for (Vec3d& t : turns) t *= most > longest ? longest / most : 1;
    return turns;
  }

  /// The pose after the movers have turned, within the limits of their joints.
  std::vector<Mat3d> turned(const PoseShape& shape, const std::vector<Vec3d>& steps) const {
    std::vector<Mat3d> result = shape.turns;
    std::size_t m = 0;
    for (std::size_t j = 0; j < result.size(); ++j) {
      const PoseJoint& joint = skeleton_.joints[j];
      const bool moves = m < movers_.size() && movers_[m] == static_cast<int>(j);
      const Mat3d parent = joint.parent < 0 ? Mat3d::identity() : shape.turns[at(joint.parent)];
      const Mat3d now = joint.parent < 0 ? Mat3d::identity() : result[at(joint.parent)];
      const Mat3d before = transposed(parent) * shape.turns[j];
      result[j] =
          now * (moves ? limited(joint, before, transposed(parent) * turn_by(steps[m++]) * shape.turns[j]) : before);
    }
    return result;
  }

 private:
  /// The turn `after` of a joint relative to its parent, not beyond its limits, or not farther than it was before.
  Mat3d limited(const PoseJoint& joint, const Mat3d& before, const Mat3d& after) const {
    rig::JointLimits limits = skeleton_.rig.joints()[at(joint.joint)].limits;
    if (joint.parent < 0 || !is_limited(limits)) return after;
    const Vec3 was = angles_within(joint, before, limits).cast<float>();
    const Vec3d angles = angles_within(joint, after, limits);
    limits.lower = min(limits.lower, was), limits.upper = max(limits.upper, was);
    return turn_of(joint, clamped(angles, limits));
  }

  /// Whether turning `mover` moves `joint`.
  bool carries(int mover, int joint) const {
    do joint = skeleton_.joints[at(joint)].parent;
    while (joint > mover);
    return joint == mover;
  }

  const PoseSkeleton& skeleton_;
  std::span<const PoseHandle> handles_;
  std::vector<int> movers_;
  std::vector<double> ease_;
};

double squared_sum(const std::vector<double>& errors) {
  double sum = 0;
  for (const double e : errors) sum += e * e;
  return sum;
}

}  // namespace

double MetHandles::worst() const { return errors.empty() ? 0 : *std::max_element(errors.begin(), errors.end()); }

MetHandles meet_handles(const PoseSkeleton& skeleton, const PoseState& start, std::span<const PoseHandle> handles,
                        const MeetSettings& settings) {
  for (const PoseHandle& handle : handles)
    LIMBER_EXPECT(handle.joint >= 0 && handle.joint < skeleton.size(), std::to_string(handle.joint));
  const Problem problem(skeleton, handles);
  PoseShape shape = shape_of(skeleton, start);
  MetHandles met{state_of(skeleton, shape.turns), problem.errors(shape), 0};
  double damping = kFirstDamping;
  while (!problem.empty() && met.iterations < settings.iterations && met.worst() > settings.tolerance &&
         damping < kMostDamping) {
    ++met.iterations;
    const std::vector<Mat3d> tried = problem.turned(shape, problem.step(shape, damping, settings.longest_turn));
    PoseState state = state_of(skeleton, tried);
    PoseShape there = shape_of(skeleton, state);
    std::vector<double> errors = problem.errors(there);
    if (!(squared_sum(errors) < squared_sum(met.errors))) {
      damping *= 8;
      continue;
    }
    damping = std::max(damping / 4, 1e-9);
    met.state = std::move(state), met.errors = std::move(errors), shape = std::move(there);
  }
  return met;
}

SolvedPose solve_pose(const PoseSpace& space, std::span<const PoseHandle> handles, const SolveSettings& settings) {
  std::vector<WeightedPoseEnergy> energies = settings.energies;
  energies.push_back(
      {kHandleWeight, std::make_shared<HandleEnergy>(std::vector<PoseHandle>(handles.begin(), handles.end()))});
  DenoiseSettings denoising;
  denoising.guide = guide_by(space.skeleton(), std::move(energies));
  PoseState noise = space.noise(settings.seed);
  for (double& v : noise) v *= settings.variety;
  PoseState guided;
  if (settings.from != nullptr) {
    denoising.steps = std::max(1, static_cast<int>(std::lround(settings.from_steps / settings.from_time)));
    guided = space.denoise(space.noisy(*settings.from, noise, settings.from_time), settings.from_time, denoising);
  } else {
    denoising.steps = settings.steps;
    guided = space.denoise(noise, 1, denoising);
  }
  const PoseShape shape = shape_of(space.skeleton(), guided);
  SolvedPose solved;
  for (const PoseHandle& handle : handles)
    solved.guided.push_back(norm(handle.target - shape.places[at(handle.joint)]));
  MetHandles met = meet_handles(space.skeleton(), guided, handles, settings.meet);
  solved.state = std::move(met.state), solved.errors = std::move(met.errors);
  return solved;
}

}  // namespace limber::pose_space
