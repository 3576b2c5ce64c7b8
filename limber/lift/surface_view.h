// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/rig/subject.h"
#include "limber/scene/cameras.h"
#include "limber/scene/mesh_raster.h"

/// A posed body as a camera sees it: which point of the surface is in which pixel.
namespace limber::lift {

/// One image: per pixel, rows from the top, what covers most of it.
struct SurfaceView {
  int width = 0, height = 0;
  std::vector<std::int32_t> triangle;  ///< -1: nothing
  std::vector<Vec3> barycentric;
  std::vector<float> depth;     ///< camera z; 0: nothing
  std::vector<float> coverage;  ///< 0 to 1: the silhouette

  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  }
  bool contains(int x, int y) const { return x >= 0 && y >= 0 && x < width && y < height; }
};

/// Poses a subject and looks at it. Keeps its buffers; not thread-safe.
class SurfaceViewer {
 public:
  /// `subject` must outlive the viewer. Starts at rest.
  explicit SurfaceViewer(const rig::Subject& subject);

  void set_pose(const kinematics::Pose& pose);
  void set_frame(const kinematics::Motion& motion, int frame);

  const rig::Subject& subject() const { return *subject_; }
  /// Posed points, world.
  std::span<const Vec3> points() const { return points_; }
  /// Box of the posed points that belong to a triangle and are finite.
  scene::Box box() const;
  Vec3 place(std::uint32_t triangle, Vec3 barycentric) const;

  void draw(const scene::Camera& camera, SurfaceView& view);

 private:
  void set_bones(std::span<const Affine> bones);

  const rig::Subject* subject_;
  std::vector<Vec3> points_;
  scene::MeshRaster raster_;
};

/// Where a point of the world is in an image, and how far away; depth <= 0 is behind the camera.
struct ImagePoint {
  float x = 0, y = 0, depth = 0;
};
ImagePoint project(const scene::Camera& camera, Vec3 point);

/// The same camera for pictures of another size.
scene::Camera resized(const scene::Camera& camera, int width, int height);

/// Shared area of two silhouettes (0 to 1 per pixel) over the area of either; 0 where both are empty.
double silhouette_overlap(std::span<const float> a, std::span<const float> b);

/// The same where differences within a pixel of the other silhouette are forgiven: thin limbs are all outline.
double tolerant_overlap(std::span<const float> a, std::span<const float> b, int width);

}  // namespace limber::lift
