// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/math.h"

/// A body as an implicit surface: round cones around the bones, negative inside. Cones of one limb melt into each
/// other; limbs melt into the trunk only near the place where they grow from it, so that two legs never fuse.
namespace limber::zoo {

/// Two spheres and the cone that touches both. `squash` stretches it along the world's axes: {0.5, 1, 1} is half as
/// wide as it is high.
struct RoundCone {
  int joint = 0;  ///< the bone whose flesh it is
  int limb = 0;   ///< index of its limb, 0 is the trunk
  Vec3d a, b;
  double radius_a = 0.1, radius_b = 0.1;
  Vec3d squash{1, 1, 1};
  Quatd turn{};  ///< of the axes that `squash` stretches along: flat plates at any angle
};

/// Cones that grow from the limbs before it at `attach`.
struct Limb {
  Vec3d attach;
  double blend = 0.05;  ///< how wide the seam to the trunk is at `attach`; fades out over `reach`
  double reach = 0.2;
  double melt = 0.03;    ///< blend between the limb's own cones
  double crease = 1e-6;  ///< seam that is left everywhere: rounds creases that the cells could not show
};

struct FieldSample {
  double value = 0;  ///< about the distance to the surface, negative inside
  Vec3d gradient;    ///< about a unit vector
};

class ImplicitSurface {
 public:
  /// Cones are sorted by limb. With `flat_ground` nothing reaches below y = 0: soles are flat.
  ImplicitSurface(std::vector<RoundCone> cones, std::vector<Limb> limbs, bool flat_ground);

  std::span<const RoundCone> cones() const { return cones_; }
  Vec3d lower() const { return lower_; }  ///< corners of a box around the surface
  Vec3d upper() const { return upper_; }

  /// Whether the surface may come within `radius` of a point with that value, made of the cones of `subset`: squashed
  /// cones are true only to first order, so that far from the surface a value may exceed the distance.
  bool may_cross(double value, double radius, std::span<const int> subset) const;

  FieldSample evaluate(Vec3d point) const;
  /// The same with only the cones of `subset`, which must be all that matter there (see `nearby`).
  FieldSample evaluate(Vec3d point, std::span<const int> subset) const;
  /// The value alone, which costs half.
  double value(Vec3d point, std::span<const int> subset) const;
  /// Those of `candidates` (ascending) that can matter within `radius` of `point`.
  void nearby(Vec3d point, double radius, std::span<const int> candidates, std::vector<int>& subset) const;
  /// Distance to one cone alone.
  FieldSample evaluate_cone(int cone, Vec3d point) const;

 private:
  double widest_seam(Vec3d point, double radius, std::span<const int> candidates) const;
  template <class Sample>
  Sample sample_cone(int cone, Vec3d point) const;
  template <class Sample>
  Sample sample(Vec3d point, std::span<const int> subset) const;

  struct PreparedCone {
    Vec3d a, axis, inverse_squash;
    double length, radius_a, radius_b, sine, cosine, tangent;
    bool squashed;
    Mat3d axes;  // columns: what `squash` stretches along
    bool turned;
    double thinnest;  // of `squash`, at most one
  };
  std::vector<RoundCone> cones_;
  std::vector<PreparedCone> prepared_;
  std::vector<Limb> limbs_;
  double sole_rounding_ = 0;
  bool flat_ground_ = false;
  Vec3d lower_, upper_;
};

}  // namespace limber::zoo
