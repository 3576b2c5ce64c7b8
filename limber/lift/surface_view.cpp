// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/surface_view.h"

#include <algorithm>

#include "limber/base/expect.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"

namespace limber::lift {

SurfaceViewer::SurfaceViewer(const rig::Subject& subject) : subject_(&subject), points_(subject.points.size()) {
  set_pose(kinematics::rest_pose(subject.rig));
}

void SurfaceViewer::set_pose(const kinematics::Pose& pose) {
  set_bones(kinematics::bone_matrices(subject_->rig, pose));
}

void SurfaceViewer::set_frame(const kinematics::Motion& motion, int frame) {
  const std::span<const Vec3> angles = motion.frame_angles(frame);
  set_pose({motion.root_translations[static_cast<std::size_t>(frame)], {angles.begin(), angles.end()}});
}

void SurfaceViewer::set_bones(std::span<const Affine> bones) {
  kinematics::SkinInput input;
  input.weights = &subject_->weights;
  input.points = subject_->points;
  input.bone_count = subject_->rig.bone_count();
  input.frame_count = 1;
  input.bones = bones;
  kinematics::SkinOutput output;
  output.points = points_;
  kinematics::skin_forward(input, output);
}

scene::Box SurfaceViewer::box() const {
  scene::Box box;
  for (const std::array<std::uint32_t, 3>& triangle : subject_->triangles) {
    for (const std::uint32_t corner : triangle) {
      if (is_finite(points_[corner])) box.add(points_[corner]);
    }
  }
  return box;
}

Vec3 SurfaceViewer::place(std::uint32_t triangle, Vec3 barycentric) const {
  const std::array<std::uint32_t, 3>& corners = subject_->triangles[triangle];
  return barycentric.x * points_[corners[0]] + barycentric.y * points_[corners[1]] +
         barycentric.z * points_[corners[2]];
}

void SurfaceViewer::draw(const scene::Camera& camera, SurfaceView& view) {
  view.width = camera.width, view.height = camera.height;
  const std::size_t pixels = static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
  view.triangle.assign(pixels, -1);
  view.barycentric.assign(pixels, {});
  view.depth.assign(pixels, 0);
  view.coverage.assign(pixels, 0);
  scene::RasterInput input;
  input.points = points_;
  input.triangles = subject_->triangles;
  raster_.draw(input, camera, [&view](const scene::Tile& tile) {
    for (int row = 0; row < tile.height; ++row) {
      for (int column = 0; column < tile.width; ++column) {
        const auto pixel = static_cast<std::size_t>(row * tile.width + column);
        const std::size_t at = view.index(tile.x + column, tile.y + row);
        float most = 0;
        for (std::uint32_t f = tile.first[pixel]; f < tile.first[pixel + 1]; ++f) {
          view.coverage[at] = std::min(1.0f, view.coverage[at] + tile.coverage[f]);
          if (tile.coverage[f] <= most) continue;
          most = tile.coverage[f];
          view.triangle[at] = static_cast<std::int32_t>(tile.triangle[f]);
          view.barycentric[at] = {1 - tile.b1[f] - tile.b2[f], tile.b1[f], tile.b2[f]};
          view.depth[at] = tile.depth[f];
        }
      }
    }
  });
}

ImagePoint project(const scene::Camera& camera, Vec3 point) {
  const Vec3 p = camera.camera_from_world * point;
  if (!(p.z > 1e-6f)) return {0, 0, p.z};
  return {camera.fx * p.x / p.z + camera.cx, camera.fy * p.y / p.z + camera.cy, p.z};
}

scene::Camera resized(const scene::Camera& camera, int width, int height) {
  const float x = static_cast<float>(width) / static_cast<float>(camera.width);
  const float y = static_cast<float>(height) / static_cast<float>(camera.height);
  scene::Camera result = camera;
  result.fx *= x, result.cx *= x, result.fy *= y, result.cy *= y;
  result.width = width, result.height = height;
  return result;
}

double silhouette_overlap(std::span<const float> a, std::span<const float> b) {
  LIMBER_EXPECT(a.size() == b.size(), std::to_string(a.size()) + " and " + std::to_string(b.size()) + " pixels");
  double both = 0, either = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += static_cast<double>(std::min(a[i], b[i]));
    either += static_cast<double>(std::max(a[i], b[i]));
  }
  return either > 0 ? both / either : 0;
}

double tolerant_overlap(std::span<const float> a, std::span<const float> b, int width) {
  LIMBER_EXPECT(a.size() == b.size() && width > 0, std::to_string(a.size()) + " and " + std::to_string(b.size()));
  const int height = static_cast<int>(a.size()) / width;
  // Whether there is any of a silhouette in the pixel or beside it.
  const auto near = [&](std::span<const float> image, int x, int y) {
    for (int v = std::max(0, y - 1); v <= std::min(height - 1, y + 1); ++v) {
      for (int u = std::max(0, x - 1); u <= std::min(width - 1, x + 1); ++u) {
        if (image[static_cast<std::size_t>(v * width + u)] > 0.5f) return true;
      }
    }
    return false;
  };
  double both = 0, either = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto i = static_cast<std::size_t>(y * width + x);
      const bool in_a = a[i] > 0.5f, in_b = b[i] > 0.5f;
      if (!in_a && !in_b) continue;
      either += 1;
      both += (in_a && in_b) || near(in_a ? b : a, x, y);
    }
  }
  return either > 0 ? both / either : 0;
}

}  // namespace limber::lift
