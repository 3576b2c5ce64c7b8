// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/trajectory.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/physics/dynamics.h"

namespace limber::physics {
std::vector<Vec3d> contact_points(const Model& model, std::span<const double> positions) {
  const std::size_t stride = model.position_count(), frames = positions.size() / stride;
  std::vector<Vec3d> points;
  points.reserve(frames * model.points.size());
  Workspace work(model);
  std::vector<Affined> poses(model.bodies.size());
  for (std::size_t f = 0; f < frames; ++f) {
    body_poses<double>(model, work, positions.subspan(f * stride, stride), poses);
    std::vector<Vec3d> frame(model.points.size());
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      const BodyT<double>& body = model.bodies[b];
      for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
        frame[at(p)] = poses[b] * model.points[at(p)];
      }
    }
    points.insert(points.end(), frame.begin(), frame.end());
  }
  return points;
}

std::vector<double> evened(const std::vector<double>& rows, std::size_t width, double sigma, bool loops) {
  const int count = static_cast<int>(rows.size() / width), reach = static_cast<int>(std::ceil(3 * sigma));
  std::vector<double> result(rows.size(), 0);
  for (int f = 0; f < count; ++f) {
    const std::span<double> even = row(result, f, width);
    double total = 0;
    for (int k = -reach; k <= reach; ++k) {
      const int source = loops ? ((f + k) % count + count) % count : f + k;
      if (source < 0 || source >= count) continue;
      const double weight = std::exp(-0.5 * k * k / (sigma * sigma));
      const std::span<const double> values = row(rows, source, width);
      for (std::size_t i = 0; i < width; ++i) even[i] += weight * values[i];
      total += weight;
    }
    for (double& value : even) value /= total;
  }
  return result;
}

Derivatives differentiate(const Model& model, std::span<const double> positions, double fps) {
  const std::size_t nq = model.position_count(), nv = model.velocity_count();
  const int frames = static_cast<int>(positions.size() / nq);
  Derivatives d;
  d.velocities.resize(at(frames) * nv), d.accelerations.resize(at(frames) * nv);
  std::vector<double> steps(at(std::max(frames - 1, 0)) * nv);
  for (int f = 0; f + 1 < frames; ++f) {
    position_difference<double>(model, row(positions, f, nq), row(positions, f + 1, nq), row(steps, f, nv));
  }
  for (int f = 0; f < frames && frames > 1; ++f) {
    const std::size_t last = at(std::max(f - 1, 0)), next = at(std::min(f, frames - 2));
    for (std::size_t k = 0; k < nv; ++k) {
      const double a = steps[last * nv + k] * fps, b = steps[next * nv + k] * fps;
      d.velocities[at(f) * nv + k] = (a + b) / 2;
      d.accelerations[at(f) * nv + k] = (b - a) * fps;
    }
  }
  return d;
}

std::vector<double> subdivide(const Model& model, std::span<const double> positions, std::span<const double> velocities,
                              double fps, int steps) {
  const std::size_t nq = model.position_count(), nv = model.velocity_count();
  const int frames = static_cast<int>(positions.size() / nq);
  if (frames < 2) return {positions.begin(), positions.end()};
  std::vector<double> result((at((frames - 1) * steps) + 1) * nq), delta(nv);
  for (int i = 0; i <= (frames - 1) * steps; ++i) {
    const double time = static_cast<double>(i) / steps;
    const int f = std::min(static_cast<int>(time), frames - 2);
    const double t = std::clamp(time - f, 0.0, 1.0), s = t * t;
    position_difference<double>(model, row(positions, f, nq), row(positions, f + 1, nq), delta);
    const double h10 = t * s - 2 * s + t, h01 = 3 * s - 2 * t * s, h11 = t * s - s, seconds = 1 / fps;
    const std::span<const double> from = row(velocities, f, nv), to = row(velocities, f + 1, nv);
    for (std::size_t k = 0; k < nv; ++k) {
      delta[k] = h10 * from[k] * seconds + h01 * delta[k] + h11 * to[k] * seconds;
    }
    integrate_position<double>(model, row(positions, f, nq), delta, row(result, i, nq));
  }
  return result;
}

}  // namespace limber::physics
