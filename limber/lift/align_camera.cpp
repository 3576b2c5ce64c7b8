// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/align_camera.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

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

class Aligner {
 public:
  Aligner(SurfaceViewer& viewer, std::span<const float> mask, const Frames& picture, int frame,
          const AlignColors& colors, const AlignSettings& settings)
      : viewer_(viewer), colors_(colors), settings_(settings), box_(viewer.box()) {
    const double scale = std::min(1.0, static_cast<double>(settings.size) / std::max(picture.width, picture.height));
    width_ = std::max(8, static_cast<int>(std::lround(scale * picture.width)));
    height_ = std::max(8, static_cast<int>(std::lround(scale * picture.height)));
    mask_ = shrink(mask, picture.width, picture.height, width_, height_);
    target_ = moments(mask_, width_);
    focal_ = 0.5 * height_ / std::tan(0.5 * static_cast<double>(settings.vertical_fov));
    const std::size_t plane = static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
    for (std::size_t c = 0; c < 3; ++c) {
      const std::span<const float> channel =
          std::span(picture.values).subspan((3 * static_cast<std::size_t>(frame) + c) * plane, plane);
      channels_[c] = shrink(channel, picture.width, picture.height, width_, height_);
    }
  }

  CameraAlignment run(int picture_width, int picture_height) {
    CameraAlignment result;
    if (!(target_.area > 0) || box_.empty()) {
      result.place.distance = 4;
      result.camera = orbit_camera(result.place, {0, 0.5f, 0}, settings_.vertical_fov, picture_width, picture_height);
      return result;
    }
    std::vector<Candidate> all = search();
    std::vector<Candidate> best = distinct(all);
    for (Candidate& candidate : best) {
      refine(candidate);
      candidate.color_match = color_match(candidate.place);
      candidate.score = candidate.overlap + settings_.color_weight * candidate.color_match - oddness(candidate.place);
    }
    std::stable_sort(best.begin(), best.end(),
                     [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
    const Candidate& first = best.front();
    result.place = first.place;
    result.overlap = first.overlap, result.color_match = first.color_match, result.score = first.score;
    for (const Candidate& candidate : best) {
      if (angle_apart(candidate.place, first.place) < kPi / 6 || candidate.score < first.score - 0.03) continue;
      result.ambiguous = true;
      result.other = candidate.place;
      break;
    }
    result.candidates = best;
    result.camera = orbit_camera(first.place, box_.center(), settings_.vertical_fov, picture_width, picture_height);
    return result;
  }

  CameraAlignment improve(const OrbitPlace& place, int picture_width, int picture_height) {
    CameraAlignment result;
    Candidate candidate;
    candidate.place = place;
    candidate.overlap = draw(place);
    refine(candidate);
    result.place = candidate.place, result.overlap = candidate.overlap;
    result.color_match = color_match(candidate.place);
    result.score = result.overlap + settings_.color_weight * result.color_match - oddness(result.place);
    result.camera = orbit_camera(result.place, box_.center(), settings_.vertical_fov, picture_width, picture_height);
    return result;
  }

 private:
  double draw(const OrbitPlace& place) {
    const scene::Camera camera = orbit_camera(place, box_.center(), settings_.vertical_fov, width_, height_);
    viewer_.draw(camera, view_);
    return silhouette_overlap(view_.coverage, mask_);
  }

  /// Every direction of a grid, at the distance and place that give the silhouette the mask's size and middle.
  std::vector<Candidate> search() {
    std::vector<Candidate> all;
    const double radius = 0.5 * static_cast<double>(norm(box_.size()));
    for (const float elevation : settings_.elevations) {
      for (int k = 0; k < settings_.azimuths; ++k) {
        Candidate candidate;
        candidate.place.azimuth = 2 * kPi * k / settings_.azimuths;
        candidate.place.elevation = static_cast<double>(elevation);
        candidate.place.distance = 2.2 * radius * focal_ / std::min(width_, height_) + radius;
        for (int round = 0; round < 2; ++round) {
          draw(candidate.place);
          const Moments now = moments(view_.coverage, width_);
          if (!(now.area > 0)) break;
          const double grow = std::sqrt(target_.area / now.area);
          const double before = candidate.place.distance;
          candidate.place.distance = std::clamp(before / grow, 1.2 * radius, 200 * radius);
          // What the middle of the silhouette is off by, when it has grown about the body's middle.
          const double cx = 0.5 * width_, cy = 0.5 * height_, share = before / candidate.place.distance;
          const double at_x = cx + focal_ * candidate.place.right / before;
          const double at_y = cy + focal_ * candidate.place.down / before;
          const double off_x = target_.x - (now.x - at_x) * share, off_y = target_.y - (now.y - at_y) * share;
          candidate.place.right = (off_x - cx) * candidate.place.distance / focal_;
          candidate.place.down = (off_y - cy) * candidate.place.distance / focal_;
        }
        candidate.overlap = draw(candidate.place);
        all.push_back(candidate);
      }
    }
    return all;
  }

  /// The best ones, no two within 20 degrees.
  std::vector<Candidate> distinct(std::vector<Candidate>& all) const {
    std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
      return a.overlap - oddness(a.place) > b.overlap - oddness(b.place);
    });
    std::vector<Candidate> kept;
    for (const Candidate& candidate : all) {
      const auto near = [&](const Candidate& other) { return angle_apart(candidate.place, other.place) < kPi / 9; };
      if (static_cast<int>(kept.size()) >= settings_.refined) break;
      if (std::none_of(kept.begin(), kept.end(), near)) kept.push_back(candidate);
    }
    return kept;
  }

  /// Coordinate search with shrinking steps.
  void refine(Candidate& candidate) {
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
            const double overlap = draw(trial);
            if (overlap <= candidate.overlap + 1e-6) continue;
            candidate.place = trial, candidate.overlap = overlap;
            improved = true;
            break;
          }
        }
      }
      for (double& step : steps) step *= 0.5;
    }
  }

  /// Correlation of what is drawn and what is seen where both have the body, all channels together, each less its
  /// mean: light may differ in strength and colour.
  double color_match(const OrbitPlace& place) {
    if (!colors_.scene) return 0;
    const scene::Camera camera = orbit_camera(place, box_.center(), settings_.vertical_fov, width_, height_);
    draw(place);
    colors_.scene->forward(*colors_.pose, std::span(&camera, 1), drawn_);
    const std::size_t plane = mask_.size();
    double both = 0, seen = 0, drawn = 0, weight = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const float* a = drawn_.values.data() + c * plane;
      const float* b = channels_[c].data();
      double sum_a = 0, sum_b = 0;
      weight = 0;
      const auto shared = [&](std::size_t i) { return view_.coverage[i] > 0.9f && mask_[i] > 0.9f; };
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

  SurfaceViewer& viewer_;
  AlignColors colors_;
  const AlignSettings& settings_;
  scene::Box box_;
  int width_ = 0, height_ = 0;
  double focal_ = 1;
  std::vector<float> mask_;
  std::array<std::vector<float>, 3> channels_;
  Moments target_;
  SurfaceView view_;
  Frames drawn_;
};

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
  return Aligner(viewer, mask, picture, frame, colors, settings).run(picture.width, picture.height);
}

CameraAlignment refine_camera(SurfaceViewer& viewer, std::span<const float> mask, const Frames& picture, int frame,
                              const AlignColors& colors, const OrbitPlace& place, const AlignSettings& settings) {
  LIMBER_EXPECT(picture.views == 1 && frame >= 0 && frame < picture.frames, std::to_string(frame));
  return Aligner(viewer, mask, picture, frame, colors, settings).improve(place, picture.width, picture.height);
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
