// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/appearance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "limber/base/threads.h"
#include "limber/lift/pose_model.h"

namespace limber::lift {
namespace {

kinematics::Motion as_motion(const rig::Rig& rig, const kinematics::Pose& pose) {
  kinematics::Motion motion = kinematics::rest_motion(rig, 1, 24);
  motion.root_translations[0] = pose.root_translation;
  motion.angles = pose.angles;
  return motion;
}

/// A straight line through pairs of numbers.
struct Line {
  double gain = 1, bias = 0, correlation = 0;
};

struct PairSums {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  void add(double a, double b) { n += 1, x += a, y += b, xx += a * a, xy += a * b, yy += b * b; }
  double spread_x() const { return xx - x * x / std::max(n, 1.0); }
  double spread_y() const { return yy - y * y / std::max(n, 1.0); }
  double shared() const { return xy - x * y / std::max(n, 1.0); }
  Line line() const {
    Line result;
    if (n < 1) return result;
    // Nearly plain colours give no gain: only the mean moves.
    constexpr double kPlain = 1e-4;
    result.gain = spread_x() > kPlain * n ? std::clamp(shared() / spread_x(), 0.3, 2.0) : 1;
    result.bias = (y - result.gain * x) / n;
    return result;
  }
};

/// Colours of the Gaussians that the camera sees, from the picture, and the mean of those for the others.
void take_colors(splat::Gaussians& gaussians, const rig::Rig& rig, const SurfaceView& view, const scene::Camera& camera,
                 const kinematics::Pose& pose, const float* picture, std::span<const float> mask) {
  PoseModel model(rig, {});
  model.set(model.unknowns(pose), pose);
  const std::size_t plane = mask.size();
  std::vector<Vec3> colors(gaussians.size());
  std::vector<char> seen(gaussians.size());
  Vec3d sum;
  double count = 0;
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    const Projection at = project_point(camera, model.place(skin_point(gaussians, i)));
    const int x = static_cast<int>(std::floor(at.x)), y = static_cast<int>(std::floor(at.y));
    if (!(at.depth > 0) || !view.contains(x, y)) continue;
    const std::size_t pixel = view.index(x, y);
    if (mask[pixel] < 0.5f || view.triangle[pixel] < 0) continue;
    if (at.depth > static_cast<double>(view.depth[pixel]) + 0.03) continue;
    colors[i] = {picture[pixel], picture[pixel + plane], picture[pixel + 2 * plane]};
    seen[i] = 1;
    sum += colors[i].cast<double>(), count += 1;
  }
  const Vec3 mean = count > 0 ? (sum / count).cast<float>() : Vec3{0.5f, 0.5f, 0.5f};
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    gaussians.harmonics[i] = splat::harmonic_from_color(seen[i] ? colors[i] : mean);
  }
}

/// What a scene draws beside what a picture shows, where both show the body.
struct Comparison {
  SurfaceView view;
  std::array<PairSums, 3> sums;  ///< per channel: drawn, seen
};

Comparison compare_colors(scene::Scene& scene, SurfaceViewer& viewer, const scene::Camera& camera,
                          const kinematics::Pose& pose, const Frames& picture, int frame, std::span<const float> mask) {
  Comparison result;
  const std::size_t plane = mask.size();
  const float* seen = picture.values.data() + 3 * plane * static_cast<std::size_t>(frame);
  viewer.set_pose(pose);
  viewer.draw(camera, result.view);
  Frames drawn;
  scene.forward(as_motion(scene.rig(), pose), std::span(&camera, 1), drawn);
  for (std::size_t i = 0; i < plane; ++i) {
    if (mask[i] < 0.9f || result.view.coverage[i] < 0.9f) continue;
    for (std::size_t c = 0; c < 3; ++c) {
      result.sums[c].add(static_cast<double>(drawn.values[c * plane + i]), static_cast<double>(seen[c * plane + i]));
    }
  }
  return result;
}

double correlation(const std::array<PairSums, 3>& sums) {
  double shared = 0, spread_x = 0, spread_y = 0;
  for (const PairSums& s : sums) shared += s.shared(), spread_x += s.spread_x(), spread_y += s.spread_y();
  constexpr double kPlain = 6e-3;  // of a variance: a body of about one colour says nothing, shading alone misleads
  if (spread_x < kPlain * sums[0].n || spread_y < kPlain * sums[0].n || sums[0].n < 16) return 0;
  return shared / std::sqrt(spread_x * spread_y);
}

/// Per Gaussian, the normal of the nearest point of the skin, bind space. Cells of a grid keep the search short.
std::vector<Vec3> nearest_normals(const splat::Gaussians& gaussians, const rig::Subject& subject) {
  scene::Box box;
  for (const Vec3& p : subject.points) {
    if (is_finite(p)) box.add(p);
  }
  constexpr int kCells = 32;
  const Vec3 size = max(box.size(), Vec3{1e-6f, 1e-6f, 1e-6f});
  const auto cell_of = [&](Vec3 p, int k) {
    const float place = (p[k] - box.low[k]) / size[k] * kCells;
    return std::clamp(static_cast<int>(place), 0, kCells - 1);
  };
  std::vector<std::vector<std::uint32_t>> cells(static_cast<std::size_t>(kCells) * kCells * kCells);
  const auto cell_at = [&](int x, int y, int z) { return static_cast<std::size_t>((z * kCells + y) * kCells + x); };
  for (std::uint32_t i = 0; i < subject.points.size(); ++i) {
    const Vec3 p = subject.points[i];
    if (is_finite(p)) cells[cell_at(cell_of(p, 0), cell_of(p, 1), cell_of(p, 2))].push_back(i);
  }
  std::vector<Vec3> normals(gaussians.size());
  parallel_for(gaussians.size(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Vec3 at = gaussians.means[i];
      float nearest = std::numeric_limits<float>::max();
      // Rings of cells, until one had something; and one more.
      for (int ring = 0, left = 2; ring < kCells && left > 0; ++ring) {
        for (int z = std::max(0, cell_of(at, 2) - ring); z <= std::min(kCells - 1, cell_of(at, 2) + ring); ++z) {
          for (int y = std::max(0, cell_of(at, 1) - ring); y <= std::min(kCells - 1, cell_of(at, 1) + ring); ++y) {
            for (int x = std::max(0, cell_of(at, 0) - ring); x <= std::min(kCells - 1, cell_of(at, 0) + ring); ++x) {
              for (const std::uint32_t k : cells[cell_at(x, y, z)]) {
                const float distance = squared_norm(subject.points[k] - at);
                if (distance < nearest) nearest = distance, normals[i] = subject.normals[k];
              }
            }
          }
        }
        if (nearest < std::numeric_limits<float>::max()) --left;
      }
    }
  });
  return normals;
}

}  // namespace

float inset_gaussians(splat::Gaussians& gaussians, SurfaceViewer& viewer, const scene::Camera& camera) {
  const rig::Subject& subject = viewer.subject();
  const std::vector<Vec3> normals = nearest_normals(gaussians, subject);
  SurfaceView view;
  viewer.set_pose(kinematics::rest_pose(subject.rig));
  viewer.draw(camera, view);
  // White on black: what is drawn is how much is covered.
  splat::Gaussians white = gaussians;
  for (Vec3& h : white.harmonics) h = splat::harmonic_from_color({1, 1, 1});
  scene::SceneSettings settings;
  settings.ground.visible = false, settings.ground.sky = {0, 0, 0};
  settings.hide_depth = -1;
  scene::Scene scene(subject.rig, white, settings);
  const kinematics::Motion rest = kinematics::rest_motion(subject.rig, 1, 24);
  const float pixel =
      norm(camera.camera_from_world * viewer.box().center()) / camera.fy;  // about, in heights, where the body is
  float best = 0;
  double most = -1;
  Frames drawn;
  for (int step = 0; step <= 8; ++step) {
    const float inset = 0.25f * static_cast<float>(step) * pixel;
    splat::Gaussians moved = white;
    for (std::size_t i = 0; i < moved.size(); ++i) moved.means[i] -= inset * normals[i];
    scene.set_body(subject.rig, std::move(moved));
    scene.forward(rest, std::span(&camera, 1), drawn);
    const double overlap = silhouette_overlap(std::span(drawn.values).first(view.coverage.size()), view.coverage);
    if (overlap > most) most = overlap, best = inset;
  }
  for (std::size_t i = 0; i < gaussians.size(); ++i) gaussians.means[i] -= best * normals[i];
  return best;
}

Vec3 contrasting_color(const Frames& video, std::span<const float> masks) {
  const std::size_t plane = static_cast<std::size_t>(video.width) * static_cast<std::size_t>(video.height);
  std::array<double, 8> distances{};
  const int step = std::max(1, video.frames / 8);
  for (int t = 0; t < video.frames; t += step) {
    const float* at = video.values.data() + 3 * plane * static_cast<std::size_t>(t);
    const float* mask = masks.data() + plane * static_cast<std::size_t>(t);
    for (std::size_t i = 0; i < plane; i += 3) {
      if (mask[i] < 0.5f) continue;
      for (std::size_t corner = 0; corner < 8; ++corner) {
        double square = 0;
        for (std::size_t c = 0; c < 3; ++c) {
          const double d = static_cast<double>(at[c * plane + i]) - ((corner >> c & 1) != 0 ? 1 : 0);
          square += d * d;
        }
        // Colours that come near count most against a corner.
        distances[corner] -= std::exp(-4 * std::sqrt(square));
      }
    }
  }
  const auto best = static_cast<std::size_t>(std::max_element(distances.begin(), distances.end()) - distances.begin());
  return {(best & 1) != 0 ? 1.0f : 0.0f, (best & 2) != 0 ? 1.0f : 0.0f, (best & 4) != 0 ? 1.0f : 0.0f};
}

Frames cut_out(const Frames& video, std::span<const float> masks, Vec3 background) {
  Frames result = video;
  const std::size_t plane = static_cast<std::size_t>(video.width) * static_cast<std::size_t>(video.height);
  parallel_for(static_cast<std::size_t>(video.frames), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t t = first; t < last; ++t) {
      for (std::size_t c = 0; c < 3; ++c) {
        float* at = result.values.data() + (3 * t + c) * plane;
        const float* mask = masks.data() + t * plane;
        for (std::size_t i = 0; i < plane; ++i) {
          at[i] = mask[i] * at[i] + (1 - mask[i]) * background[static_cast<int>(c)];
        }
      }
    }
  });
  return result;
}

void light_from_above(splat::Gaussians& gaussians, const rig::Subject& subject) {
  const std::vector<Vec3> normals = nearest_normals(gaussians, subject);
  const std::vector<Vec3> colors = splat::base_colors(gaussians);
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    gaussians.harmonics[i] = splat::harmonic_from_color((0.8f + 0.2f * normals[i].y) * colors[i]);
  }
}

double color_correlation(scene::Scene& scene, SurfaceViewer& viewer, const scene::Camera& camera,
                         const kinematics::Pose& pose, const Frames& picture, int frame, std::span<const float> mask) {
  return correlation(compare_colors(scene, viewer, camera, pose, picture, frame, mask).sums);
}

ColorMatch match_colors(scene::Scene& scene, SurfaceViewer& viewer, const scene::Camera& camera,
                        const kinematics::Pose& pose, const Frames& picture, int frame, std::span<const float> mask) {
  ColorMatch result;
  const Comparison comparison = compare_colors(scene, viewer, camera, pose, picture, frame, mask);
  const std::array<PairSums, 3>& sums = comparison.sums;
  result.correlation = correlation(sums);
  double spread = 0;
  for (const PairSums& s : sums) spread += s.spread_y();
  splat::Gaussians gaussians = scene.gaussians();
  // Plain on both sides agrees, too.
  const bool plain = spread < 1e-3 * std::max(sums[0].n, 1.0);
  if (result.correlation > 0.4 || plain) {
    const std::vector<Vec3> colors = splat::base_colors(gaussians);
    for (std::size_t i = 0; i < gaussians.size(); ++i) {
      Vec3 color;
      for (int c = 0; c < 3; ++c) {
        const Line line = sums[static_cast<std::size_t>(c)].line();
        color[c] = static_cast<float>(std::clamp(line.gain * static_cast<double>(colors[i][c]) + line.bias, 0.0, 1.0));
      }
      gaussians.harmonics[i] = splat::harmonic_from_color(color);
    }
  } else {
    result.from_video = true;
    const float* seen = picture.values.data() + 3 * mask.size() * static_cast<std::size_t>(frame);
    take_colors(gaussians, scene.rig(), comparison.view, camera, pose, seen, mask);
  }
  scene.set_body(scene.rig(), std::move(gaussians));
  return result;
}

}  // namespace limber::lift
