// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/rig/subject.h"
#include "limber/scene/cameras.h"
#include "limber/scene/scene.h"

/// Points of a skin and how they move with a pose: values and exact derivatives, in double.
namespace limber::lift {

/// What one bone adds to a point: posed = sum over terms of (linear_of_bone position + weight translation_of_bone).
struct SkinTerm {
  int bone = 0;
  Vec3d position;     ///< bind space, times the weight
  double weight = 0;  ///< of the terms of a point: sum to one
};
using SkinPoint = std::vector<SkinTerm>;

/// A point inside a triangle, exactly as linear blend skinning moves it.
SkinPoint skin_point(const rig::Subject& subject, std::uint32_t triangle, Vec3 barycentric);

/// The middle of a Gaussian, likewise.
SkinPoint skin_point(const splat::Gaussians& gaussians, std::size_t index);

/// The joint that moves a point most, and its share.
struct MainJoint {
  int joint = 0;
  double weight = 0;
};
MainJoint main_joint(const rig::Rig& rig, const SkinPoint& point);

/// How a point moves with one unknown.
struct PointDerivative {
  int unknown = 0;
  Vec3d motion;
};

/// A pose of a rig and its derivatives. Unknowns: the root's translation (3), then three angles for each free joint in
/// the rig's order.
class PoseModel {
 public:
  /// `free` per joint; empty: all.
  PoseModel(rig::Rig rig, const std::vector<bool>& free);

  const rig::Rig& rig() const { return rig_; }
  int unknown_count() const { return 3 + 3 * static_cast<int>(free_joints_.size()); }
  std::span<const int> free_joints() const { return free_joints_; }
  /// -1 where the joint is not free.
  int first_unknown(int joint) const { return first_unknown_[static_cast<std::size_t>(joint)]; }

  std::vector<double> unknowns(const kinematics::Pose& pose) const;
  /// `base` with the unknowns put in.
  kinematics::Pose pose(std::span<const double> unknowns, const kinematics::Pose& base) const;

  /// Where `place` and `derivatives` are from now on. Angles of joints that are not free come from `base`.
  void set(std::span<const double> unknowns, const kinematics::Pose& base);

  /// How the world turns with a free joint.
  struct Turn {
    Vec3d center;
    Mat3d generator[3];  ///< d(world) / d(angle k) = generator[k] (world - center)
  };
  std::span<const Turn> turns() const { return turns_; }  ///< per free joint
  std::span<const Affined> posed_from_bind() const { return posed_from_bind_; }

  Vec3d place(const SkinPoint& point) const;
  /// Replaces `result`; each unknown at most once.
  void derivatives(const SkinPoint& point, std::vector<PointDerivative>& result) const;

 private:
  rig::Rig rig_;
  std::vector<int> free_joints_, first_unknown_;
  std::vector<Affined> world_from_joint_, posed_from_bind_;
  std::vector<Turn> turns_;
};

/// Where a bone takes its share of a point.
LIMBER_HOST_DEVICE inline Vec3d posed_term(const Affined& posed_from_bind, const SkinTerm& term) {
  return posed_from_bind.linear * term.position + term.weight * posed_from_bind.translation;
}

/// Image position of a point and its derivatives by the point: rows du/dp, dv/dp.
struct Projection {
  double x = 0, y = 0, depth = 0;
  Vec3d dx, dy;
};
LIMBER_HOST_DEVICE inline Projection project_point(const scene::Camera& camera, Vec3d point) {
  const Affined view = camera.camera_from_world.cast<double>();
  const Vec3d p = view * point;
  Projection result;
  result.depth = p.z;
  if (!(p.z > 1e-6)) return result;
  const auto fx = static_cast<double>(camera.fx), fy = static_cast<double>(camera.fy);
  result.x = fx * p.x / p.z + static_cast<double>(camera.cx);
  result.y = fy * p.y / p.z + static_cast<double>(camera.cy);
  result.dx = (fx / p.z) * (view.linear.row(0) - (p.x / p.z) * view.linear.row(2));
  result.dy = (fy / p.z) * (view.linear.row(1) - (p.y / p.z) * view.linear.row(2));
  return result;
}

}  // namespace limber::lift
