// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/align_camera.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/lift/surface_view.h"

namespace limber::lift {
namespace {

struct Moments {
  double area = 0, x = 0, y = 0;
};

Moments moments(std::span<const float> image, int width) {
  Moments m;
  for (std::size_t i = 0; i < image.size(); ++i) {
    const auto v = static_cast<double>(image[i]);
    m.area += v;
    m.x += v * (static_cast<double>(i % static_cast<std::size_t>(width)) + 0.5);
    m.y += v * (static_cast<double>(i / static_cast<std::size_t>(width)) + 0.5);
  }
  if (m.area > 0) m.x /= m.area, m.y /= m.area;
  return m;
}

using Candidate = CameraCandidate;

/// The picture at the size that is compared.
struct Target {
  int width = 0, height = 0;
  double focal = 1;  ///< pixels
  std::vector<float> mask;
  std::array<std::vector<float>, 3> channels;
  Moments moments;  ///< of the mask
};

/// A body and the picture that it should look like.
struct Problem {
  SurfaceViewer& viewer;
  const AlignColors& colors;
  const AlignSettings& settings;
  scene::Box box;  ///< of the body
  Target target;

  scene::Camera camera(const OrbitPlace& place) const {
    return orbit_camera(place, box.center(), settings.vertical_fov, target.width, target.height);
  }
};

Target target_of(std::span<const float> mask, const Frames& picture, int frame, const AlignSettings& settings) {
  const double scale = std::min(1.0, static_cast<double>(settings.size) / std::max(picture.width, picture.height));
  Target target;
  target.width = std::max(8, static_cast<int>(std::lround(scale * picture.width)));
  target.height = std::max(8, static_cast<int>(std::lround(scale * picture.height)));
  target.focal = 0.5 * target.height / std::tan(0.5 * static_cast<double>(settings.vertical_fov));
  target.mask = shrink(mask, picture.width, picture.height, target.width, target.height);
  target.moments = moments(target.mask, target.width);
  const std::size_t plane = static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
  for (std::size_t c = 0; c < 3; ++c) {
    const std::span<const float> channel =
        std::span(picture.values).subspan((3 * static_cast<std::size_t>(frame) + c) * plane, plane);
    target.channels[c] = shrink(channel, picture.width, picture.height, target.width, target.height);
  }
  return target;
}

/// Draws the body into `view`: how far its silhouette agrees with the mask.
double draw(const Problem& problem, const OrbitPlace& place, SurfaceView& view) {
  problem.viewer.draw(problem.camera(place), view);
  return silhouette_overlap(view.coverage, problem.target.mask);
}

/// A direction at the distance and place that give the silhouette the mask's size and middle.
Candidate placed(const Problem& problem, double azimuth, double elevation, SurfaceView& view) {
  const Target& target = problem.target;
  const double radius = 0.5 * static_cast<double>(norm(problem.box.size()));
  Candidate candidate;
  OrbitPlace& place = candidate.place;
  place.azimuth = azimuth, place.elevation = elevation;
  place.distance = 2.2 * radius * target.focal / std::min(target.width, target.height) + radius;
  for (int round = 0; round < 2; ++round) {
    draw(problem, place, view);
    const Moments now = moments(view.coverage, target.width);
    if (!(now.area > 0)) break;
    const double grow = std::sqrt(target.moments.area / now.area);
    const double before = place.distance;
    place.distance = std::clamp(before / grow, 1.2 * radius, 200 * radius);
    // What the middle of the silhouette is off by, when it has grown about the body's middle.
    const double cx = 0.5 * target.width, cy = 0.5 * target.height, share = before / place.distance;
    const double at_x = cx + target.focal * place.right / before;
    const double at_y = cy + target.focal * place.down / before;
    const double off_x = target.moments.x - (now.x - at_x) * share, off_y = target.moments.y - (now.y - at_y) * share;
    place.right = (off_x - cx) * place.distance / target.focal;
    place.down = (off_y - cy) * place.distance / target.focal;
  }
  candidate.overlap = draw(problem, place, view);
  return candidate;
}

/// Every direction of a grid.
std::vector<Candidate> search(const Problem& problem) {
  std::vector<Candidate> all;
  SurfaceView view;
  for (const float elevation : problem.settings.elevations) {
    for (int k = 0; k < problem.settings.azimuths; ++k) {
      all.push_back(placed(problem, 2 * kPi * k / problem.settings.azimuths, static_cast<double>(elevation), view));
    }
  }
  return all;
}

/// The best ones, no two within 20 degrees.
std::vector<Candidate> distinct(std::vector<Candidate> all, int count) {
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.overlap - oddness(a.place) > b.overlap - oddness(b.place);
  });
  std::vector<Candidate> kept;
  for (const Candidate& candidate : all) {
    const auto near = [&](const Candidate& other) { return angle_apart(candidate.place, other.place) < kPi / 9; };
    if (static_cast<int>(kept.size()) >= count) break;
    if (std::none_of(kept.begin(), kept.end(), near)) kept.push_back(candidate);
  }
  return kept;
}

/// Coordinate search with shrinking steps, for the silhouette alone.
Candidate refined(const Problem& problem, Candidate candidate) {
  SurfaceView view;
  std::array<double, 5> steps{0.13, 0.13, 0.06 * candidate.place.distance, 0.05, 0.05};
  for (int round = 0; round < 4; ++round) {
    bool improved = true;
    for (int repeat = 0; improved && repeat < 3; ++repeat) {
      improved = false;
      for (std::size_t k = 0; k < steps.size(); ++k) {
        for (const double sign : {1.0, -1.0}) {
          OrbitPlace trial = candidate.place;
          const std::array<double*, 5> values{&trial.azimuth, &trial.elevation, &trial.distance, &trial.right,
                                              &trial.down};
          *values[k] += sign * steps[k];
          trial.elevation = std::clamp(trial.elevation, -1.5, 1.5);
          if (trial.distance < 0.3) continue;
          const double overlap = draw(problem, trial, view);
          if (overlap <= candidate.overlap + 1e-6) continue;
          candidate.place = trial, candidate.overlap = overlap;
          improved = true;
          break;
        }
      }
    }
    for (double& step : steps) step *= 0.5;
  }
  return candidate;
}

/// Correlation of what is drawn and what is seen where both have the body, all channels together, each less its
/// mean: light may differ in strength and colour.
double color_match(const Problem& problem, const OrbitPlace& place) {
  if (!problem.colors.scene) return 0;
  const Target& target = problem.target;
  SurfaceView view;
  draw(problem, place, view);
  Frames picture;
  const scene::Camera camera = problem.camera(place);
  problem.colors.scene->forward(*problem.colors.pose, std::span(&camera, 1), picture);
  const std::size_t plane = target.mask.size();
  double both = 0, seen = 0, drawn = 0, weight = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const float* a = picture.values.data() + c * plane;
    const float* b = target.channels[c].data();
    double sum_a = 0, sum_b = 0;
    weight = 0;
    const auto shared = [&](std::size_t i) { return view.coverage[i] > 0.9f && target.mask[i] > 0.9f; };
    for (std::size_t i = 0; i < plane; ++i) {
      if (shared(i)) sum_a += static_cast<double>(a[i]), sum_b += static_cast<double>(b[i]), weight += 1;
    }
    if (weight < 16) return 0;
    for (std::size_t i = 0; i < plane; ++i) {
      if (!shared(i)) continue;
      const double x = static_cast<double>(a[i]) - sum_a / weight, y = static_cast<double>(b[i]) - sum_b / weight;
      both += x * y, drawn += x * x, seen += y * y;
    }
  }
  // A body of about one colour says nothing: shading alone misleads.
  constexpr double kPlain = 2e-3;
  if (drawn / (3 * weight) < kPlain || seen / (3 * weight) < kPlain) return 0;
  return both / std::sqrt(drawn * seen);
}

/// A candidate at its best, with all that speaks for and against it.
Candidate scored(const Problem& problem, const Candidate& rough) {
  Candidate candidate = refined(problem, rough);
  candidate.color_match = color_match(problem, candidate.place);
  candidate.score =
      candidate.overlap + problem.settings.color_weight * candidate.color_match - oddness(candidate.place);
  return candidate;
}

CameraAlignment alignment_of(const Problem& problem, const Frames& picture, const Candidate& best) {
  CameraAlignment result;
  result.place = best.place;
  result.overlap = best.overlap, result.color_match = best.color_match, result.score = best.score;
  result.camera =
      orbit_camera(best.place, problem.box.center(), problem.settings.vertical_fov, picture.width, picture.height);
  return result;
}

/// Nothing to go by: a camera in front of the body.
CameraAlignment default_alignment(const Frames& picture, const AlignSettings& settings) {
  CameraAlignment result;
  result.place.distance = 4;
  result.camera = orbit_camera(result.place, {0, 0.5f, 0}, settings.vertical_fov, picture.width, picture.height);
  return result;
}

}  // namespace

scene::Camera orbit_camera(const OrbitPlace& place, Vec3 middle, float vertical_fov, int width, int height) {
  const double ce = std::cos(place.elevation), se = std::sin(place.elevation);
  const double ca = std::cos(place.azimuth), sa = std::sin(place.azimuth);
  // Rows: right, down, forward. The eye is at azimuth and elevation, looking back.
  const Vec3d forward{-ce * sa, -se, -ce * ca}, right{ca, 0, -sa};
  const Vec3d down = cross(forward, right);
  const Mat3d turn = transposed(Mat3d::from_columns(right, down, forward));
  scene::Camera camera;
  camera.camera_from_world.linear = turn.cast<float>();
  camera.camera_from_world.translation =
      (Vec3d{place.right, place.down, place.distance} - turn * middle.cast<double>()).cast<float>();
  const auto focal = static_cast<float>(0.5 * height / std::tan(0.5 * static_cast<double>(vertical_fov)));
  camera.fx = camera.fy = focal;
  camera.cx = 0.5f * static_cast<float>(width), camera.cy = 0.5f * static_cast<float>(height);
  camera.width = width, camera.height = height;
  return camera;
}

double oddness(const OrbitPlace& place) {
  return 0.3 * std::max(0.0, -0.05 - place.elevation) + 0.1 * std::max(0.0, place.elevation - 0.6);
}

double angle_apart(const OrbitPlace& a, const OrbitPlace& b) {
  const auto direction = [](const OrbitPlace& p) {
    return Vec3d{std::cos(p.elevation) * std::sin(p.azimuth), std::sin(p.elevation),
                 std::cos(p.elevation) * std::cos(p.azimuth)};
  };
  return std::acos(std::clamp(dot(direction(a), direction(b)), -1.0, 1.0));
}

CameraAlignment align_camera(SurfaceViewer& viewer, std::span<const float> mask, const Frames& picture, int frame,
                             const AlignColors& colors, const AlignSettings& settings) {
  LIMBER_EXPECT(mask.size() == static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height),
                std::to_string(mask.size()) + " pixels");
  LIMBER_EXPECT(picture.views == 1 && frame >= 0 && frame < picture.frames, std::to_string(frame));
  const Problem problem{viewer, colors, settings, viewer.box(), target_of(mask, picture, frame, settings)};
  if (!(problem.target.moments.area > 0) || problem.box.empty()) return default_alignment(picture, settings);
  std::vector<Candidate> best = distinct(search(problem), settings.refined);
  for (Candidate& candidate : best) candidate = scored(problem, candidate);
  std::stable_sort(best.begin(), best.end(), [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  const Candidate& first = best.front();
  CameraAlignment result = alignment_of(problem, picture, first);
  for (const Candidate& candidate : best) {
    if (angle_apart(candidate.place, first.place) < kPi / 6 || candidate.score < first.score - 0.03) continue;
    result.ambiguous = true;
    result.other = candidate.place;
    break;
  }
  result.candidates = std::move(best);
  return result;
}

CameraAlignment refine_camera(SurfaceViewer& viewer, std::span<const float> mask, const Frames& picture, int frame,
                              const AlignColors& colors, const OrbitPlace& place, const AlignSettings& settings) {
  LIMBER_EXPECT(picture.views == 1 && frame >= 0 && frame < picture.frames, std::to_string(frame));
  const Problem problem{viewer, colors, settings, viewer.box(), target_of(mask, picture, frame, settings)};
  SurfaceView view;
  Candidate candidate;
  candidate.place = place;
  candidate.overlap = draw(problem, place, view);
  return alignment_of(problem, picture, scored(problem, candidate));
}

std::vector<float> shrink(std::span<const float> image, int width, int height, int to_width, int to_height) {
  // Each new pixel is the mean of its area of the old ones, columns first.
  const auto resample = [](std::span<const float> from, std::span<float> to, int lines, int count, int to_count,
                           int stride, int to_stride, int line_step, int to_line_step) {
    const double scale = static_cast<double>(count) / to_count;
    for (int line = 0; line < lines; ++line) {
      for (int i = 0; i < to_count; ++i) {
        const double low = i * scale, high = (i + 1) * scale;
        double sum = 0;
        for (int k = static_cast<int>(low); k < count && k < high; ++k) {
          const double part = std::min(high, k + 1.0) - std::max(low, static_cast<double>(k));
          sum += part * static_cast<double>(from[static_cast<std::size_t>(line * line_step + k * stride)]);
        }
        to[static_cast<std::size_t>(line * to_line_step + i * to_stride)] = static_cast<float>(sum / scale);
      }
    }
  };
  if (to_width == width && to_height == height) return {image.begin(), image.end()};
  std::vector<float> rows(static_cast<std::size_t>(to_width) * static_cast<std::size_t>(height));
  resample(image, rows, height, width, to_width, 1, 1, width, to_width);
  std::vector<float> result(static_cast<std::size_t>(to_width) * static_cast<std::size_t>(to_height));
  resample(rows, result, to_width, height, to_height, to_width, to_width, 1, 1);
  return result;
}

Frames shrink_frames(const Frames& video, int to_width, int to_height) {
  const int width = std::min(to_width, video.width), height = std::min(to_height, video.height);
  Frames result(video.views, video.frames, height, width);
  const std::size_t plane = static_cast<std::size_t>(video.width) * static_cast<std::size_t>(video.height);
  const std::size_t small = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  if (small == 0 || video.values.empty()) return result;
  parallel_for(video.values.size() / plane, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::vector<float> channel =
          shrink(std::span(video.values).subspan(i * plane, plane), video.width, video.height, width, height);
      std::copy(channel.begin(), channel.end(), result.values.begin() + static_cast<std::ptrdiff_t>(i * small));
    }
  });
  return result;
}

}  // namespace limber::lift
