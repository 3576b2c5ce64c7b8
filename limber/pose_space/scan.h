// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/body/triangle_bvh.h"
#include "limber/rig/subject.h"

/// Surfaces that somebody reconstructed: no joints, no order of vertices, perhaps holes, noise and things that do not
/// belong there.
namespace limber::pose_space {

/// A place on a surface and where it faces.
struct FacingPoint {
  Vec3d place, normal;
};

/// A place on a triangle.
struct BodyPoint {
  std::array<std::uint32_t, 3> corners{};  ///< points of the surface
  Vec3d shares;                            ///< of the corners
};

/// Read-only, so safe to share between threads.
class Scan {
 public:
  /// `points` are in the world of the subject that is to be fitted. Triangles are turned outward, what is degenerate is
  /// dropped, and `samples` places are drawn by area. Fails without any area.
  static Result<Scan> make(std::span<const Vec3> points, std::span<const body::Triangle> triangles, int samples = 1500,
                           std::uint64_t seed = 0);

  std::span<const FacingPoint> samples() const { return samples_; }
  Vec3d centre() const { return centre_; }  ///< of the samples
  /// The nearest place, none where it is farther than that.
  std::optional<FacingPoint> nearest(Vec3d place, double farthest) const;

 private:
  Scan() = default;
  std::vector<FacingPoint> samples_;
  Vec3d centre_;
  std::vector<Vec3d> normals_;  ///< per triangle
  std::shared_ptr<const body::TriangleBvh> triangles_;
};

/// Places drawn by area from a surface; the same for the same seed.
std::vector<BodyPoint> draw_points(std::span<const Vec3d> points, std::span<const body::Triangle> triangles, int count,
                                   std::uint64_t seed);

}  // namespace limber::pose_space
