// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/reference.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/base/expect.h"

namespace limber::splat {
namespace {

/// The linearised projection J, two rows of three: dimage/dcamera.
struct Linearisation {
  double j00 = 0, j02 = 0, j11 = 0, j12 = 0;
  double tx = 0, ty = 0;  ///< camera x and y, held inside the guarded field of view
  bool x_free = true, y_free = true;
};

/// A Gaussian on the image.
struct Projected {
  std::size_t index = 0;
  Vec3d mean;                  ///< camera space
  Mat3d covariance;            ///< camera space
  double u = 0, v = 0;         ///< pixels
  double a = 0, b = 0, c = 0;  ///< conic: inverse of the dilated 2D covariance
  Linearisation j;
  int x0 = 0, x1 = 0, y0 = 0, y1 = 0;  ///< pixels that it may reach, ends excluded
};

Linearisation linearise(Vec3d mean, const ReferenceCamera& camera, const RasterSettings& settings) {
  const auto guarded = [&](double t, double focal, double centre, int size, bool& is_free) {
    const double margin = settings.fov_guard * 0.5 * size / focal;
    const double low = -(centre / focal + margin), high = (size - centre) / focal + margin;
    is_free = t >= low && t <= high;
    return std::clamp(t, low, high);
  };
  Linearisation j;
  j.tx = mean.z * guarded(mean.x / mean.z, camera.fx, camera.cx, camera.width, j.x_free);
  j.ty = mean.z * guarded(mean.y / mean.z, camera.fy, camera.cy, camera.height, j.y_free);
  j.j00 = camera.fx / mean.z;
  j.j11 = camera.fy / mean.z;
  j.j02 = -camera.fx * j.tx / (mean.z * mean.z);
  j.j12 = -camera.fy * j.ty / (mean.z * mean.z);
  return j;
}

/// J m J^T for symmetric m: xx, xy, yy.
Vec3d sandwich(const Linearisation& j, const Mat3d& m) {
  const Vec3d x{j.j00, 0, j.j02}, y{0, j.j11, j.j12};
  return {dot(x, m * x), dot(x, m * y), dot(y, m * y)};
}

/// First and last-plus-one pixel whose centre lies within `reach` of `centre`, inside the image.
void reach_range(double centre, double reach, int size, int& begin, int& end) {
  begin = static_cast<int>(std::clamp(std::floor(centre - reach - 1), 0.0, double(size)));
  end = static_cast<int>(std::clamp(std::ceil(centre + reach + 1), 0.0, double(size)));
}

/// False where the Gaussian is not drawn.
bool project(const ReferenceGaussians& gaussians, std::size_t index, const ReferenceCamera& camera,
             const RasterSettings& settings, Projected& p) {
  p.index = index;
  p.mean = camera.camera_from_world * gaussians.means[index];
  if (!(p.mean.z >= settings.near && p.mean.z <= settings.far)) return false;
  const Mat3d& r = camera.camera_from_world.linear;
  p.covariance = r * to_matrix(gaussians.covariances[index]) * transposed(r);
  p.j = linearise(p.mean, camera, settings);
  p.u = camera.fx * p.mean.x / p.mean.z + camera.cx;
  p.v = camera.fy * p.mean.y / p.mean.z + camera.cy;

  Vec3d s = sandwich(p.j, p.covariance);
  s.x += settings.eps2d;
  s.z += settings.eps2d;
  const double det = s.x * s.z - s.y * s.y;
  if (!(det > 0 && s.x > 0 && std::isfinite(det))) return false;
  p.a = s.z / det;
  p.b = -s.y / det;
  p.c = s.x / det;

  const double opacity = gaussians.opacities[index];
  if (!(opacity >= settings.alpha_min && std::isfinite(opacity))) return false;
  if (!is_finite(gaussians.colors[index]) || !std::isfinite(p.u) || !std::isfinite(p.v)) return false;
  // Beyond this many pixels the contribution is below alpha_min.
  const double reach = 2 * std::log(opacity / settings.alpha_min);
  reach_range(p.u, std::sqrt(reach * s.x), camera.width, p.x0, p.x1);
  reach_range(p.v, std::sqrt(reach * s.z), camera.height, p.y0, p.y1);
  return true;
}

std::vector<Projected> project_and_sort(const ReferenceGaussians& gaussians, const ReferenceCamera& camera,
                                        const RasterSettings& settings) {
  const std::size_t count = gaussians.means.size();
  LIMBER_EXPECT(
      gaussians.covariances.size() == count && gaussians.opacities.size() == count && gaussians.colors.size() == count,
      std::to_string(count) + " means");
  std::vector<Projected> drawn;
  for (std::size_t i = 0; i < count; ++i) {
    Projected p;
    if (project(gaussians, i, camera, settings, p)) drawn.push_back(p);
  }
  std::stable_sort(drawn.begin(), drawn.end(),
                   [](const Projected& a, const Projected& b) { return a.mean.z < b.mean.z; });
  return drawn;
}

/// One Gaussian at one pixel.
struct Sample {
  double dx = 0, dy = 0;  ///< mean - pixel centre
  double raw = 0;         ///< opacity e^-sigma
  double alpha = 0;       ///< clamped
  bool drawn = false;
};

Sample sample(const Projected& p, double opacity, int x, int y, const RasterSettings& settings) {
  Sample s;
  s.dx = p.u - (x + 0.5);
  s.dy = p.v - (y + 0.5);
  const double sigma = 0.5 * (p.a * s.dx * s.dx + p.c * s.dy * s.dy) + p.b * s.dx * s.dy;
  s.raw = opacity * std::exp(-sigma);
  s.alpha = std::min(settings.alpha_max, s.raw);
  s.drawn = sigma >= 0 && s.alpha >= settings.alpha_min;
  return s;
}

/// Gradient on a Gaussian's place and shape on the image.
struct ScreenGradient {
  double u = 0, v = 0, a = 0, b = 0, c = 0;
};

/// From the image back to the world: splat.md section 3.
void project_backward(const Projected& p, const ReferenceCamera& camera, const ScreenGradient& g,
                      ReferenceGradient& grad) {
  // Conic P = S^-1: dL/dS = -P V P, with V the symmetric gradient on P.
  const double vb = 0.5 * g.b;
  const double m00 = p.a * g.a + p.b * vb, m01 = p.a * vb + p.b * g.c;
  const double m10 = p.b * g.a + p.c * vb, m11 = p.b * vb + p.c * g.c;
  const double v00 = -(m00 * p.a + m01 * p.b), v01 = -(m00 * p.b + m01 * p.c), v11 = -(m10 * p.b + m11 * p.c);

  // S = J C J^T: dL/dC = J^T V J, dL/dJ = 2 V J C.
  const Vec3d x{p.j.j00, 0, p.j.j02}, y{0, p.j.j11, p.j.j12};
  const Mat3d grad_covariance = v00 * outer(x, x) + v01 * (outer(x, y) + outer(y, x)) + v11 * outer(y, y);
  const Vec3d grad_x = 2.0 * (p.covariance * (v00 * x + v01 * y));
  const Vec3d grad_y = 2.0 * (p.covariance * (v01 * x + v11 * y));

  const double z = p.mean.z, zz = z * z;
  Vec3d grad_mean{camera.fx / z * g.u, camera.fy / z * g.v,
                  -(camera.fx * p.mean.x * g.u + camera.fy * p.mean.y * g.v) / zz};
  grad_mean.z -= (camera.fx * grad_x.x + camera.fy * grad_y.y) / zz;
  // J02 = -fx tx / z^2: where tx is x it moves with x; where it is held, tx = z times a constant.
  if (p.j.x_free) grad_mean.x -= camera.fx / zz * grad_x.z;
  if (p.j.y_free) grad_mean.y -= camera.fy / zz * grad_y.z;
  grad_mean.z += (p.j.x_free ? 2 : 1) * camera.fx * p.j.tx / (zz * z) * grad_x.z;
  grad_mean.z += (p.j.y_free ? 2 : 1) * camera.fy * p.j.ty / (zz * z) * grad_y.z;

  const Mat3d& r = camera.camera_from_world.linear;
  grad.means[p.index] += transposed(r) * grad_mean;
  grad.covariances[p.index] += fold_gradient(transposed(r) * grad_covariance * r);
}

/// The blended map of one Gaussian.
Affined blend(const ReferenceSkin& skin, std::span<const Affined> bones, std::size_t index) {
  Affined map{Mat3d{}, Vec3d{}};
  for (int k = 0; k < skin.influences; ++k) {
    const std::size_t slot = index * static_cast<std::size_t>(skin.influences) + static_cast<std::size_t>(k);
    const double weight = skin.weights[slot];
    if (weight == 0) continue;
    LIMBER_EXPECT(skin.bones[slot] < bones.size(), std::to_string(skin.bones[slot]));
    map.linear += weight * bones[skin.bones[slot]].linear;
    map.translation += weight * bones[skin.bones[slot]].translation;
  }
  return map;
}

}  // namespace

ReferenceCamera::ReferenceCamera(const Camera& camera)
    : camera_from_world(camera.camera_from_world.cast<double>()),
      fx(double(camera.fx)),
      fy(double(camera.fy)),
      cx(double(camera.cx)),
      cy(double(camera.cy)),
      width(camera.width),
      height(camera.height) {}

ReferenceImage reference_forward(const ReferenceGaussians& gaussians, const ReferenceCamera& camera,
                                 const RasterSettings& settings) {
  const std::vector<Projected> drawn = project_and_sort(gaussians, camera, settings);
  const auto width = static_cast<std::size_t>(camera.width), pixels = width * static_cast<std::size_t>(camera.height);
  ReferenceImage image{std::vector<Vec3d>(pixels), std::vector<double>(pixels, 1.0),
                       std::vector<int>(pixels, static_cast<int>(drawn.size()))};
  for (int order = 0; order < static_cast<int>(drawn.size()); ++order) {
    const Projected& p = drawn[static_cast<std::size_t>(order)];
    for (int y = p.y0; y < p.y1; ++y) {
      for (int x = p.x0; x < p.x1; ++x) {
        const std::size_t pixel = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
        if (image.stop[pixel] <= order) continue;
        const Sample s = sample(p, gaussians.opacities[p.index], x, y, settings);
        if (!s.drawn) continue;
        const double next = image.transmittance[pixel] * (1 - s.alpha);
        if (next <= settings.min_transmittance) {
          image.stop[pixel] = order;
          continue;
        }
        image.color[pixel] += s.alpha * image.transmittance[pixel] * gaussians.colors[p.index];
        image.transmittance[pixel] = next;
      }
    }
  }
  for (std::size_t i = 0; i < pixels; ++i) image.color[i] += image.transmittance[i] * gaussians.background;
  return image;
}

ReferenceGradient reference_backward(const ReferenceGaussians& gaussians, const ReferenceCamera& camera,
                                     const ReferenceImage& image, std::span<const Vec3d> grad_color,
                                     std::span<const double> grad_alpha, const RasterSettings& settings) {
  const std::vector<Projected> drawn = project_and_sort(gaussians, camera, settings);
  const std::size_t count = gaussians.means.size(), width = static_cast<std::size_t>(camera.width);
  const std::size_t pixels = image.transmittance.size();
  LIMBER_EXPECT(grad_color.empty() || grad_color.size() == pixels, std::to_string(grad_color.size()));
  LIMBER_EXPECT(grad_alpha.empty() || grad_alpha.size() == pixels, std::to_string(grad_alpha.size()));
  ReferenceGradient grad{std::vector<Vec3d>(count),
                         std::vector<Symmetricd>(count),
                         std::vector<double>(count),
                         std::vector<Vec3d>(count),
                         {}};
  const auto color_at = [&](std::size_t pixel) { return grad_color.empty() ? Vec3d{} : grad_color[pixel]; };
  const auto alpha_at = [&](std::size_t pixel) { return grad_alpha.empty() ? 0.0 : grad_alpha[pixel]; };
  for (std::size_t i = 0; i < pixels; ++i) grad.background += image.transmittance[i] * color_at(i);

  // Back to front: what lies behind the current Gaussian, and the transmittance after it.
  std::vector<Vec3d> behind(pixels);
  std::vector<double> transmittance = image.transmittance;
  for (int order = static_cast<int>(drawn.size()) - 1; order >= 0; --order) {
    const Projected& p = drawn[static_cast<std::size_t>(order)];
    const double opacity = gaussians.opacities[p.index];
    const Vec3d color = gaussians.colors[p.index];
    ScreenGradient screen;
    for (int y = p.y0; y < p.y1; ++y) {
      for (int x = p.x0; x < p.x1; ++x) {
        const std::size_t pixel = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
        if (image.stop[pixel] <= order) continue;
        const Sample s = sample(p, opacity, x, y, settings);
        if (!s.drawn) continue;
        const Vec3d g = color_at(pixel);
        const double rest = std::max(1e-6, 1 - s.alpha);
        const double before = transmittance[pixel] / rest;
        grad.colors[p.index] += s.alpha * before * g;
        const double grad_sample = before * dot(color, g) - dot(behind[pixel], g) / rest +
                                   image.transmittance[pixel] / rest * (alpha_at(pixel) - dot(gaussians.background, g));
        behind[pixel] += s.alpha * before * color;
        transmittance[pixel] = before;
        if (s.raw > settings.alpha_max) continue;
        grad.opacities[p.index] += s.raw / opacity * grad_sample;
        const double grad_sigma = -s.raw * grad_sample;
        screen.u += grad_sigma * (p.a * s.dx + p.b * s.dy);
        screen.v += grad_sigma * (p.b * s.dx + p.c * s.dy);
        screen.a += grad_sigma * 0.5 * s.dx * s.dx;
        screen.b += grad_sigma * s.dx * s.dy;
        screen.c += grad_sigma * 0.5 * s.dy * s.dy;
      }
    }
    project_backward(p, camera, screen, grad);
  }
  return grad;
}

ReferenceGaussians reference_pose_forward(const ReferenceGaussians& rest, const ReferenceSkin& skin,
                                          std::span<const Affined> bones) {
  ReferenceGaussians posed = rest;
  for (std::size_t i = 0; i < rest.means.size(); ++i) {
    const Affined map = blend(skin, bones, i);
    posed.means[i] = map * rest.means[i];
    posed.covariances[i] = to_symmetric(map.linear * to_matrix(rest.covariances[i]) * transposed(map.linear));
  }
  return posed;
}

ReferencePoseGradient reference_pose_backward(const ReferenceGaussians& rest, const ReferenceSkin& skin,
                                              std::span<const Affined> bones, const ReferenceGradient& grad_posed) {
  ReferencePoseGradient grad{std::vector<Affined>(bones.size(), Affined{Mat3d{}, Vec3d{}}),
                             std::vector<Vec3d>(rest.means.size()), std::vector<Symmetricd>(rest.means.size())};
  for (std::size_t i = 0; i < rest.means.size(); ++i) {
    const Affined map = blend(skin, bones, i);
    const Mat3d v = unfold_gradient(grad_posed.covariances[i]);
    const Vec3d f = grad_posed.means[i];
    grad.means[i] = transposed(map.linear) * f;
    grad.covariances[i] = fold_gradient(transposed(map.linear) * v * map.linear);
    const Mat3d grad_linear = 2.0 * (v * map.linear * to_matrix(rest.covariances[i])) + outer(f, rest.means[i]);
    for (int k = 0; k < skin.influences; ++k) {
      const std::size_t slot = i * static_cast<std::size_t>(skin.influences) + static_cast<std::size_t>(k);
      if (skin.weights[slot] == 0) continue;
      Affined& bone = grad.bones[skin.bones[slot]];
      bone.linear += skin.weights[slot] * grad_linear;
      bone.translation += skin.weights[slot] * f;
    }
  }
  return grad;
}

}  // namespace limber::splat
