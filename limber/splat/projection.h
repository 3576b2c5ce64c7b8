// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "limber/base/math.h"
#include "limber/splat/heights.h"
#include "limber/splat/raster_kernels.h"

/// Skinning and projection of one Gaussian in double, forward and backward: what project_kernels.inl does four at a
/// time, for the GPU's threads. With M = R A (camera rotation after skinning), N = J M: the 2D covariance is
/// N S N^T + eps.
namespace limber::splat {

/// What is drawn, as kernels see it.
struct ProjectInput {
  std::uint32_t gaussians = 0, images = 0, frames = 0, bone_count = 0;
  const float* means = nullptr;
  const float* covariances = nullptr;
  const float* opacities = nullptr;
  const float* colors = nullptr;
  std::uint32_t opacity_frames = 1, color_images = 1;  ///< how many sets there are: one, or one each
  int influences = 0;
  const std::uint16_t* bone_indices = nullptr;
  const float* bone_weights = nullptr;
  const Affine* bones = nullptr;          ///< frames x bones
  const KernelCamera* cameras = nullptr;  ///< images
  double near = 0, far = 0, eps2d = 0, alpha_min = 0, log2_alpha_min = 0;
  HeightRules heights;
};

LIMBER_HOST_DEVICE inline std::size_t opacity_place(const ProjectInput& in, std::uint32_t image, std::uint32_t g) {
  return static_cast<std::size_t>(in.opacity_frames > 1 ? image % in.frames : 0) * in.gaussians + g;
}
LIMBER_HOST_DEVICE inline std::size_t color_place(const ProjectInput& in, std::uint32_t image, std::uint32_t g) {
  return static_cast<std::size_t>(in.color_images > 1 ? image : 0) * in.gaussians + g;
}

/// A Gaussian at rest, and where its bones take it: x' = rows x + shift.
struct Posed {
  Vec3d mean;
  double xx, xy, xz, yy, yz, zz;
  Vec3d row[3], shift;
  float height;  ///< of the posed mean
};
LIMBER_HOST_DEVICE inline Posed pose(const ProjectInput& in, std::uint32_t frame, std::uint32_t g) {
  Posed p;
  const float *m = in.means + 3 * std::size_t{g}, *c = in.covariances + 6 * std::size_t{g};
  p.mean = {double(m[0]), double(m[1]), double(m[2])};
  p.xx = double(c[0]), p.xy = double(c[1]), p.xz = double(c[2]);
  p.yy = double(c[3]), p.yz = double(c[4]), p.zz = double(c[5]);
  for (Vec3d& row : p.row) row = {0, 0, 0};
  p.shift = {0, 0, 0};
  if (in.influences == 0) p.row[0].x = p.row[1].y = p.row[2].z = 1;
  const std::size_t first = static_cast<std::size_t>(in.influences) * g;
  for (int k = 0; k < in.influences; ++k) {
    const auto weight = double(in.bone_weights[first + static_cast<std::size_t>(k)]);
    if (weight == 0) continue;
    const Affine& bone =
        in.bones[std::size_t{frame} * in.bone_count + in.bone_indices[first + static_cast<std::size_t>(k)]];
    for (int i = 0; i < 3; ++i) p.row[i] += weight * bone.linear.row(i).cast<double>();
    p.shift += weight * bone.translation.cast<double>();
  }
  p.height = static_cast<float>(dot(p.row[1], p.mean) + p.shift.y);
  return p;
}

/// In the camera and on the image.
struct Projected {
  Vec3d row[3];  ///< of M
  Vec3d camera;  ///< mean
  double inverse_z;
  double slope_x, slope_y;  ///< x/z and y/z, held inside the guarded field
  bool x_free, y_free;      ///< not held
  double j00, j02, j11, j12;
  Vec3d n0, n1, sn0, sn1;  ///< rows of N, and S times them
  double s00, s01, s11, det;
};
LIMBER_HOST_DEVICE inline Vec3d times_covariance(const Posed& p, Vec3d v) {
  return {p.xx * v.x + p.xy * v.y + p.xz * v.z, p.xy * v.x + p.yy * v.y + p.yz * v.z,
          p.xz * v.x + p.yz * v.y + p.zz * v.z};
}
LIMBER_HOST_DEVICE inline Projected project(const Posed& g, const KernelCamera& c, double eps2d) {
  const auto held = [](double v, double low, double high) { return v < low ? low : (v > high ? high : v); };
  Projected p;
  double camera[3];
  for (int i = 0; i < 3; ++i) {
    const double r0 = c.linear[3 * i], r1 = c.linear[3 * i + 1], r2 = c.linear[3 * i + 2];
    p.row[i] = r0 * g.row[0] + r1 * g.row[1] + r2 * g.row[2];
    camera[i] = dot(p.row[i], g.mean) + (r0 * g.shift.x + r1 * g.shift.y + r2 * g.shift.z + c.translation[i]);
  }
  p.camera = {camera[0], camera[1], camera[2]};
  p.inverse_z = 1 / p.camera.z;
  const double x = p.camera.x * p.inverse_z, y = p.camera.y * p.inverse_z;
  p.slope_x = held(x, c.low_x, c.high_x), p.slope_y = held(y, c.low_y, c.high_y);
  p.x_free = p.slope_x == x, p.y_free = p.slope_y == y;
  p.j00 = c.fx * p.inverse_z, p.j11 = c.fy * p.inverse_z;
  p.j02 = -(p.j00 * p.slope_x), p.j12 = -(p.j11 * p.slope_y);
  p.n0 = p.j00 * p.row[0] + p.j02 * p.row[2];
  p.n1 = p.j11 * p.row[1] + p.j12 * p.row[2];
  p.sn0 = times_covariance(g, p.n0), p.sn1 = times_covariance(g, p.n1);
  p.s00 = dot(p.n0, p.sn0) + eps2d, p.s01 = dot(p.n0, p.sn1), p.s11 = dot(p.n1, p.sn1) + eps2d;
  p.det = p.s00 * p.s11 - p.s01 * p.s01;
  return p;
}

/// First and last-plus-one pixel with its centre in centre +- half, inside 0 .. size.
LIMBER_HOST_DEVICE inline void pixel_range(double centre, double half, double size, std::uint16_t& begin,
                                           std::uint16_t& end) {
  const auto inside = [&](double v) { return v > size ? size : (v > 0 ? v : 0.0); };
  begin = static_cast<std::uint16_t>(std::rint(inside(centre - half - 1e-3)));
  end = static_cast<std::uint16_t>(std::rint(inside(centre + half + 1e-3)));
}

/// False where the Gaussian is not drawn.
LIMBER_HOST_DEVICE inline bool make_record(const ProjectInput& in, std::uint32_t image, std::uint32_t index,
                                           Record& record, Box& box, double& depth) {
  constexpr double kLog2E = 1.4426950408889634, kLn2 = 0.6931471805599453;
  const KernelCamera& camera = in.cameras[image];
  const Posed g = pose(in, image % in.frames, index);
  const Projected p = project(g, camera, in.eps2d);
  const auto finite = [](double v) { return v - v == 0; };
  const double opacity =
      double(shown_at(g.height, in.heights.hide_depth).share * in.opacities[opacity_place(in, image, index)]);
  const double u = camera.fx * p.camera.x * p.inverse_z + camera.cx;
  const double v = camera.fy * p.camera.y * p.inverse_z + camera.cy;
  if (!(p.camera.z >= in.near && p.camera.z <= in.far && p.det > 0 && p.s00 > 0 && finite(p.det) &&
        opacity >= in.alpha_min && finite(opacity) && finite(u) && finite(v)))
    return false;

  // In powers of two; t: how far below its peak the Gaussian stays visible.
  const double log2_opacity = std::log2(opacity), t = log2_opacity - in.log2_alpha_min;
  const double scale = 0.5 * kLog2E / p.det, a = p.s11 * scale;
  const double doubled = 2 * kLn2 * (t > 0 ? t : 0.0);
  pixel_range(u, std::sqrt(doubled * p.s00), camera.width, box.x0, box.x1);
  pixel_range(v, std::sqrt(doubled * p.s11), camera.height, box.y0, box.y1);
  if (box.x0 >= box.x1 || box.y0 >= box.y1) return false;

  const double pixel_x = std::rint(u - 0.5), pixel_y = std::rint(v - 0.5);
  record.pixel_x = static_cast<float>(pixel_x), record.pixel_y = static_cast<float>(pixel_y);
  record.offset_x = static_cast<float>(u - 0.5 - pixel_x), record.offset_y = static_cast<float>(v - 0.5 - pixel_y);
  record.a = static_cast<float>(a), record.b = static_cast<float>(-2 * p.s01 * scale);
  record.c = static_cast<float>(p.s00 * scale), record.log2_opacity = static_cast<float>(log2_opacity);
  record.slope = static_cast<float>(p.s01 / p.s11), record.reach = static_cast<float>(t / a);
  record.fall = static_cast<float>(p.det / (p.s11 * p.s11));
  const float* color = in.colors + 3 * color_place(in, image, index);
  for (int k = 0; k < 3; ++k) record.color[k] = color[k];
  if (in.heights.shade_decay > 0) {
    record.color[0] = std::exp(-in.heights.shade_decay * soft_height(g.height).value);
    record.color[1] = record.color[2] = 0;
  }
  record.y0 = box.y0, record.y1 = box.y1;
  depth = p.camera.z;
  const float sum = 0.0f * (record.pixel_x + record.pixel_y) + 0.0f * (record.a + record.b) + 0.0f * record.c +
                    0.0f * (record.slope + record.reach) + 0.0f * record.fall +
                    0.0f * (record.color[0] + record.color[1]) + 0.0f * record.color[2];
  return sum == 0;  // nothing is infinite or not a number
}

/// What a record's pixels say: see kPoseSums; the last four only where colours are wanted.
struct ScreenSums {
  double sum[kAllSums];
};

/// dL/d of what moves a Gaussian, and of what it is at rest.
struct GaussianGradient {
  Vec3d row[3], shift;  ///< of the blended bones
  Vec3d mean;
  double covariance[6];  ///< off-diagonal numbers count both halves
  double opacity;
  double color[3];
};

namespace detail {

/// Gradients on the image: place and 2D covariance.
struct ScreenGradient {
  double u, v, v00, v01, v11;
};
LIMBER_HOST_DEVICE inline ScreenGradient screen_gradient(const Projected& p, const ScreenSums& sums) {
  const double ca = p.s11 / p.det, cb = -p.s01 / p.det, cc = p.s00 / p.det;
  const double sx = sums.sum[0], sy = sums.sum[1];
  // Gradient on the conic P: [[ga, gb], [gb, gc]]; on the covariance: -P [..] P.
  const double ga = -0.5 * sums.sum[2], gb = -0.5 * sums.sum[3], gc = -0.5 * sums.sum[4];
  const double m00 = ca * ga + cb * gb, m01 = ca * gb + cb * gc, m10 = cb * ga + cc * gb, m11 = cb * gb + cc * gc;
  return {-(ca * sx + cb * sy), -(cb * sx + cc * sy), -(m00 * ca + m01 * cb), -(m00 * cb + m01 * cc),
          -(m10 * cb + m11 * cc)};
}

/// dL/dcamera mean.
LIMBER_HOST_DEVICE inline Vec3d camera_gradient(const Projected& p, const KernelCamera& c, const ScreenGradient& s,
                                                Vec3d q0, Vec3d q1) {
  const double j00 = dot(q0, p.row[0]), j02 = dot(q0, p.row[2]), j11 = dot(q1, p.row[1]), j12 = dot(q1, p.row[2]);
  const double fx_zz = c.fx * p.inverse_z * p.inverse_z, fy_zz = c.fy * p.inverse_z * p.inverse_z;
  Vec3d camera;
  camera.x = p.j00 * s.u - (p.x_free ? fx_zz * j02 : 0.0);
  camera.y = p.j11 * s.v - (p.y_free ? fy_zz * j12 : 0.0);
  camera.z = -(fx_zz * p.camera.x * s.u + fy_zz * p.camera.y * s.v) - (fx_zz * j00 + fy_zz * j11) +
             (p.x_free ? 2 : 1) * fx_zz * p.slope_x * j02 + (p.y_free ? 2 : 1) * fy_zz * p.slope_y * j12;
  return camera;
}

LIMBER_HOST_DEVICE inline void covariance_gradient(const Projected& p, const ScreenGradient& s, double (&to)[6]) {
  // N^T V N = h0 n0^T + h1 n1^T with h = V N.
  const Vec3d h0 = s.v00 * p.n0 + s.v01 * p.n1, h1 = s.v01 * p.n0 + s.v11 * p.n1;
  const auto entry = [&](int i, int j) { return h0[i] * p.n0[j] + h1[i] * p.n1[j]; };
  to[0] = entry(0, 0), to[1] = entry(0, 1) + entry(1, 0), to[2] = entry(0, 2) + entry(2, 0);
  to[3] = entry(1, 1), to[4] = entry(1, 2) + entry(2, 1), to[5] = entry(2, 2);
}

}  // namespace detail

/// Vector-Jacobian product of `make_record` and what was drawn with it.
LIMBER_HOST_DEVICE inline GaussianGradient project_backward(const ProjectInput& in, std::uint32_t image,
                                                            std::uint32_t index, const ScreenSums& sums) {
  const KernelCamera& c = in.cameras[image];
  const Posed g = pose(in, image % in.frames, index);
  const Projected p = project(g, c, in.eps2d);
  const detail::ScreenGradient s = detail::screen_gradient(p, sums);

  // S2 = N S N^T: dL/dN = 2 V N S; then N = J M.
  const Vec3d q0 = 2.0 * (s.v00 * p.sn0 + s.v01 * p.sn1), q1 = 2.0 * (s.v01 * p.sn0 + s.v11 * p.sn1);
  const Vec3d camera = detail::camera_gradient(p, c, s, q0, q1);
  const Vec3d m0 = camera.x * g.mean + p.j00 * q0, m1 = camera.y * g.mean + p.j11 * q1;
  const Vec3d m2 = camera.z * g.mean + p.j02 * q0 + p.j12 * q1;
  GaussianGradient grad;
  double shift[3];
  for (int i = 0; i < 3; ++i) {
    const double r0 = c.linear[i], r1 = c.linear[3 + i], r2 = c.linear[6 + i];
    grad.row[i] = r0 * m0 + r1 * m1 + r2 * m2;
    shift[i] = r0 * camera.x + r1 * camera.y + r2 * camera.z;
  }
  grad.shift = {shift[0], shift[1], shift[2]};
  grad.mean = camera.x * p.row[0] + camera.y * p.row[1] + camera.z * p.row[2];
  detail::covariance_gradient(p, s, grad.covariance);

  const float own = in.opacities[opacity_place(in, image, index)];
  const Shown shown = shown_at(g.height, in.heights.hide_depth);
  grad.opacity = sums.sum[5] / double(own);
  for (int k = 0; k < 3; ++k) grad.color[k] = sums.sum[8 + k];
  // By its height a Gaussian sinks into the ground and changes colour.
  double height = shown.slope != 0 ? sums.sum[5] / double(shown.share) * double(shown.slope) : 0.0;
  if (in.heights.shade_decay > 0) {
    const SoftHeight soft = soft_height(g.height);
    const float red = std::exp(-in.heights.shade_decay * soft.value);
    height -= sums.sum[8] * double(in.heights.shade_decay * red * soft.slope);
    for (double& color : grad.color) color = 0;
  }
  if (height != 0) {
    grad.row[1] += height * g.mean;
    grad.shift.y += height;
    grad.mean += height * g.row[1];
  }
  return grad;
}

}  // namespace limber::splat
