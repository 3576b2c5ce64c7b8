// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "limber/base/at.h"
#include "limber/base/rng.h"
#include "limber/pose_space/pose_skeleton.h"
#include "limber/pose_space/pose_state.h"

/// What one can know of poses without a network: how joints of a role (kind of limb, side, pair, section) turn.
namespace limber::bench {

inline pose_space::PoseState rest_of(const pose_space::PoseSkeleton& skeleton) {
  return pose_space::PoseState(skeleton.joints.size() * pose_space::kStateSize, 0);
}

/// Turns of pose joints relative to their parents, as rotation vectors in the skeleton's space.
std::vector<Vec3d> local_turns(const pose_space::PoseSkeleton& skeleton, const pose_space::PoseState& pose);
/// The pose of such turns.
pose_space::PoseState pose_of_turns(const pose_space::PoseSkeleton& skeleton, const std::vector<Vec3d>& turns);

class RolePoses {
 public:
  void add(const pose_space::PoseSkeleton& skeleton, const pose_space::PoseState& pose);
  /// After the last.
  void finish();
  std::size_t size() const { return poses_.size(); }

  /// Poses like those known ones that agree best with the joints of `pose` that are not hidden, best first. With
  /// nothing hidden every joint but the root turns as the known one's.
  std::vector<pose_space::PoseState> nearest(const pose_space::PoseSkeleton& skeleton,
                                             const pose_space::PoseState& pose, const std::vector<bool>& hidden,
                                             int count) const;
  /// Hidden joints drawn from the normal distribution of their role; the rest pose's where that is not known.
  pose_space::PoseState draw(const pose_space::PoseSkeleton& skeleton, const pose_space::PoseState& pose,
                             const std::vector<bool>& hidden, Rng& rng) const;
  /// The likeliest pose if every joint was turned by `sigma` radians about each axis.
  pose_space::PoseState denoise(const pose_space::PoseSkeleton& skeleton, const pose_space::PoseState& pose,
                                double sigma) const;
  /// Any of them, on this body.
  pose_space::PoseState pick(const pose_space::PoseSkeleton& skeleton, Rng& rng) const;

 private:
  struct Normal {
    Vec3d mean;
    Mat3d spread;  ///< covariance
    Mat3d factor;  ///< lower, times its transpose the covariance
    double count = 0;
  };
  using RolePose = std::vector<std::pair<int, Vec3d>>;  ///< by role, in order
  std::vector<RolePose> poses_;
  std::map<int, Normal> normals_;
};

}  // namespace limber::bench
