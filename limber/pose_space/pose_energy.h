// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "limber/pose_space/pose_diffusion.h"
#include "limber/pose_space/pose_state.h"

/// What a pose should cost apart from being plausible. Lengths are in radii, in the skeleton's space: from the root,
/// without the heading.
namespace limber::pose_space {

class PoseEnergy {
 public:
  virtual ~PoseEnergy() = default;
  /// The energy of a pose; `scale` times its gradient is added to `gradient`, whose sizes are the shape's.
  virtual double add(const PoseShape& shape, double scale, PoseShape& gradient) const = 0;
};

/// A joint and where it should be.
struct PoseHandle {
  int joint = 0;  ///< a pose joint
  Vec3d target;
};

/// Sum of squared distances to the targets.
class HandleEnergy final : public PoseEnergy {
 public:
  explicit HandleEnergy(std::vector<PoseHandle> handles) : handles_(std::move(handles)) {}
  double add(const PoseShape& shape, double scale, PoseShape& gradient) const override;

 private:
  std::vector<PoseHandle> handles_;
};

/// One minus the cosine of the angle between where a joint's `axis` points (unit, at rest in the skeleton's space) and
/// the way to the target.
class LookEnergy final : public PoseEnergy {
 public:
  LookEnergy(int joint, Vec3d axis, Vec3d target) : joint_(joint), axis_(axis), target_(target) {}
  double add(const PoseShape& shape, double scale, PoseShape& gradient) const override;

 private:
  int joint_;
  Vec3d axis_, target_;
};

/// Sum of squared angles beyond the limits of the joints; the root is not limited.
class AngleLimitEnergy final : public PoseEnergy {
 public:
  explicit AngleLimitEnergy(const PoseSkeleton& skeleton) : skeleton_(skeleton) {}
  double add(const PoseShape& shape, double scale, PoseShape& gradient) const override;

 private:
  PoseSkeleton skeleton_;
};

/// Flesh must not go through flesh: sum of squared depths by which bones' capsules are nearer to each other than their
/// radii, or than they are at rest. Bones of joints that are next to each other in the tree do not count.
class CapsuleEnergy final : public PoseEnergy {
 public:
  /// `girths` per pose joint, see `girths_of`.
  CapsuleEnergy(const PoseSkeleton& skeleton, const std::vector<double>& girths);
  double add(const PoseShape& shape, double scale, PoseShape& gradient) const override;

 private:
  struct Bone {
    int from = 0, to = 0;
    double radius = 0;
  };
  struct Pair {
    Bone a, b;
    double apart = 0;  ///< the least distance that is allowed
  };
  std::vector<Pair> pairs_;
};

/// Sum of squared depths of joints below a floor.
class FloorEnergy final : public PoseEnergy {
 public:
  explicit FloorEnergy(double height) : height_(height) {}
  double add(const PoseShape& shape, double scale, PoseShape& gradient) const override;

 private:
  double height_;
};

struct WeightedPoseEnergy {
  double weight = 1;
  std::shared_ptr<const PoseEnergy> energy;
};

/// What every pose of a body should obey: limits of joints, and flesh that does not go through flesh. `skin` is what
/// `sample_surface` gives.
std::vector<WeightedPoseEnergy> usual_energies(const PoseSkeleton& skeleton, std::span<const SurfacePoint> skin);

/// The weighted sum on a state; its gradient is added to `gradient`.
double add_energies(const PoseSkeleton& skeleton, const std::vector<WeightedPoseEnergy>& energies,
                    std::span<const double> state, std::span<double> gradient);

/// Brings guesses down the energies, `repeats` times per step. The length of a step is the one that would end at zero
/// on a cone (Polyak 1969), so that no rate has to be chosen.
PoseGuide guide_by(const PoseSkeleton& skeleton, std::vector<WeightedPoseEnergy> energies, int repeats = 3);

}  // namespace limber::pose_space
