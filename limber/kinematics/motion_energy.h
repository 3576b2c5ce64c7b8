// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "limber/kinematics/forward.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/bone_boxes.h"

/// What a motion should cost apart from how it looks. Lifting and distillation add such energies to what they minimise;
/// stages downstream may hand in their own.
namespace limber::kinematics {

/// An energy in plain numbers, for whoever computes it elsewhere than here: on a GPU (motion_cuda.h).
struct EnergyForm {
  enum class Kind {
    kSmooth,  ///< SmoothnessEnergy
    kLimits,  ///< LimitEnergy
    kGround,  ///< GroundEnergy
    kPull     ///< sum of weights times squared distances to given angles and places
  };
  Kind kind = Kind::kSmooth;
  double corner = 0;                                ///< kSmooth
  std::vector<rig::JointLimits> limits;             ///< kLimits: per joint
  std::vector<int> joints;                          ///< kGround: per point, its joint
  std::vector<Vec3d> points;                        ///< kGround: in the joints' rest frames
  std::vector<Vec3> roots, angles;                  ///< kPull: where to, laid out as a motion's
  std::vector<double> root_weights, angle_weights;  ///< kPull: one for each of those
};

/// A value and its gradient. Values are means per element, so that weights do not depend on a clip's length or number
/// of joints.
class MotionEnergy {
 public:
  virtual ~MotionEnergy() = default;

  /// What it is in plain numbers; none where it is more than that.
  virtual std::optional<EnergyForm> form() const { return std::nullopt; }

  /// The energy of a motion; `scale` times its gradient is added to `gradient`, which may be empty and is then sized.
  virtual double add(const Motion& motion, double scale, MotionGradient& gradient) const = 0;

  /// Forgets what it holds between calls, if anything: who keeps runs and resumes them says so wherever one may begin.
  virtual void renew() const {}
};

/// An energy that a caller adds to what a stage minimises.
struct WeightedEnergy {
  std::string name;  ///< for reports and errors
  double weight = 1;
  std::shared_ptr<const MotionEnergy> energy;
};

/// Sizes a gradient for a motion with zeros where it is empty; one of another size breaks the contract.
void size_gradient(const Motion& motion, MotionGradient& gradient);

/// AKD eq. 8: mean absolute second difference of the angles and of the root from frame to frame, in radians and
/// heights; at k times the frame rate about k^2 times smaller. Rounded off below `corner` so that the gradient is
/// smooth: sqrt(x^2 + corner^2) - corner; 0 is the paper's. Without the first and the last frame, except that loops
/// wrap around: the root's path over the ground continues at its mean pace, and whole turns between last and first
/// frame do not count.
class SmoothnessEnergy final : public MotionEnergy {
 public:
  explicit SmoothnessEnergy(double corner = 0) : corner_(corner) {}
  std::optional<EnergyForm> form() const override;
  double add(const Motion& motion, double scale, MotionGradient& gradient) const override;

 private:
  double corner_;
};

/// Mean squared angle beyond the joints' limits; the root is not limited.
class LimitEnergy final : public MotionEnergy {
 public:
  explicit LimitEnergy(rig::Rig rig) : rig_(std::move(rig)) {}
  std::optional<EnergyForm> form() const override;
  double add(const Motion& motion, double scale, MotionGradient& gradient) const override;

 private:
  rig::Rig rig_;
};

/// AKD eqs. 9, 10: mean depth of the boxes' corners below the ground y = 0, over all corners and frames.
class GroundEnergy final : public MotionEnergy {
 public:
  GroundEnergy(rig::Rig rig, const std::vector<rig::BoneBox>& boxes);
  std::optional<EnergyForm> form() const override;
  double add(const Motion& motion, double scale, MotionGradient& gradient) const override;

 private:
  /// `scale` times the gradient of the sum of one frame's depths; returns that sum.
  double add_frame(const Motion& motion, int frame, double scale, MotionGradient& gradient) const;

  rig::Rig rig_;
  std::vector<int> joints_;                 ///< per box
  std::vector<std::vector<Vec3d>> points_;  ///< per box, in the joint's rest frame
};

}  // namespace limber::kinematics
