// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/cameras.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "limber/base/expect.h"
#include "limber/base/memory_budget.h"
#include "limber/base/quote.h"

namespace limber::scene {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMaxSide = 32768;               ///< of an image that a file asks for
constexpr std::uint64_t kBytesOfLetter = 16;  ///< that JSON takes in memory for each in the file
constexpr int kMaxDepth = 8;                  ///< of a file's brackets: views, frames, camera, rows, numbers

// --- orbit -----------------------------------------------------------------------------------------------------------

bool is_usable(const Box& box) { return !box.empty() && is_finite(box.low) && is_finite(box.high); }

/// Boxes without gaps: a frame without a body takes the nearest earlier box, or else the first there is.
std::vector<Box> closed_gaps(std::span<const Box> boxes) {
  const auto first = std::find_if(boxes.begin(), boxes.end(), is_usable);
  Box last{{-0.5f, 0, -0.5f}, {0.5f, 1, 0.5f}};
  if (first != boxes.end()) last = *first;
  std::vector<Box> result;
  result.reserve(boxes.size());
  for (const Box& box : boxes) {
    if (is_usable(box)) last = box;
    result.push_back(last);
  }
  return result;
}

/// The way of the centres, smoothed by a Gaussian of `sigma` frames. Beyond its ends the way goes on as its mirror
/// image through the end point, so that a body that walks steadily is followed without lag.
std::vector<Vec3d> smoothed(const std::vector<Vec3d>& way, double sigma) {
  const auto count = static_cast<std::ptrdiff_t>(way.size());
  if (!(sigma > 0) || count < 2) return way;
  const auto reach = static_cast<std::ptrdiff_t>(std::min(3 * sigma, double(count - 1)) + 0.5);
  const auto at = [&](std::ptrdiff_t i) {
    const Vec3d &first = way.front(), &last = way.back();
    if (i < 0) return first + (first - way[static_cast<std::size_t>(-i)]);
    if (i >= count) return last + (last - way[static_cast<std::size_t>(2 * (count - 1) - i)]);
    return way[static_cast<std::size_t>(i)];
  };
  std::vector<Vec3d> result(way.size());
  for (std::ptrdiff_t f = 0; f < count; ++f) {
    Vec3d sum;
    double total = 0;
    for (std::ptrdiff_t k = -reach; k <= reach; ++k) {
      const double x = static_cast<double>(k) / sigma, weight = std::exp(-0.5 * x * x);
      sum += weight * at(f + k);
      total += weight;
    }
    result[static_cast<std::size_t>(f)] = sum / total;
  }
  return result;
}

/// What the cameras of each frame look at.
std::vector<Vec3d> targets(const std::vector<Box>& boxes, double fps, const OrbitSettings& settings) {
  std::vector<Vec3d> centers;
  centers.reserve(boxes.size());
  for (const Box& box : boxes) centers.push_back(box.center().cast<double>());
  if (settings.follow) return smoothed(centers, settings.follow_seconds * fps);
  Box all;
  for (const Box& box : boxes) all.add(box);
  return std::vector<Vec3d>(boxes.size(), all.center().cast<double>());
}

/// Axes of a camera at an azimuth, seen from its target.
struct Bearing {
  Vec3d right, up, back;
};

Bearing bearing(double azimuth, double elevation) {
  const double sa = std::sin(azimuth), ca = std::cos(azimuth), se = std::sin(elevation), ce = std::cos(elevation);
  return {{ca, 0, -sa}, {-se * sa, ce, -se * ca}, {ce * sa, se, ce * ca}};
}

/// The nearest that a camera may come to its target with all points inside its image.
double needed_distance(std::span<const Vec3> points, Vec3d target, const Bearing& axes, double tan_x, double tan_y) {
  double distance = 0;
  for (const Vec3& point : points) {
    const Vec3d r = point.cast<double>() - target;
    const double aside = std::max(std::abs(dot(r, axes.right)) / tan_x, std::abs(dot(r, axes.up)) / tan_y);
    distance = std::max(distance, dot(r, axes.back) + aside);
  }
  return distance;
}

std::vector<Vec3> corners(const Box& box) {
  std::vector<Vec3> points;
  for (int corner = 0; corner < 8; ++corner) {
    points.push_back({corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
                      corner & 4 ? box.high.z : box.low.z});
  }
  return points;
}

double view_azimuth(const OrbitSettings& settings, int view, std::size_t frame, std::size_t frames) {
  const double start = settings.view_azimuth.empty() ? settings.azimuth + 2 * kPi * view / settings.views
                                                     : double(settings.view_azimuth[static_cast<std::size_t>(view)]);
  return start + settings.turn * static_cast<double>(frame) / static_cast<double>(std::max<std::size_t>(frames, 1));
}

// --- JSON ------------------------------------------------------------------------------------------------------------

Json to_json(const Camera& camera) {
  Json rows = Json::array();
  for (int r = 0; r < 3; ++r) {
    const Vec3 row = camera.camera_from_world.linear.row(r);
    rows.push_back({row.x, row.y, row.z, camera.camera_from_world.translation[r]});
  }
  return {{"width", camera.width}, {"height", camera.height}, {"fx", camera.fx},          {"fy", camera.fy},
          {"cx", camera.cx},       {"cy", camera.cy},         {"camera_from_world", rows}};
}

Result<double> number(const Json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return Error{"a number is missing", where + "/" + key};
  const double value = found->get<double>();
  if (!(std::abs(value) < 1e12)) return Error{"the number is out of range", where + "/" + key};
  return value;
}

Result<int> side(const Json& object, const char* key, const std::string& where) {
  LIMBER_TRY(const double value, number(object, key, where));
  if (value != std::floor(value) || value < 1 || value > kMaxSide) {
    return Error{"a size must be a whole number from 1 to " + std::to_string(kMaxSide), where + "/" + key};
  }
  return static_cast<int>(value);
}

Result<Affine> pose(const Json& camera, const std::string& where) {
  const std::string here = where + "/camera_from_world";
  const auto rows = camera.find("camera_from_world");
  if (rows == camera.end() || !rows->is_array() || rows->size() != 3) return Error{"expected three rows", here};
  Affined result;
  for (int r = 0; r < 3; ++r) {
    const Json& row = (*rows)[static_cast<std::size_t>(r)];
    if (!row.is_array() || row.size() != 4) return Error{"a row needs four numbers", here};
    for (int c = 0; c < 4; ++c) {
      const Json& entry = row[static_cast<std::size_t>(c)];
      if (!entry.is_number() || !(std::abs(entry.get<double>()) < 1e12)) return Error{"not a number", here};
      (c < 3 ? result.linear(r, c) : result.translation[r]) = entry.get<double>();
    }
  }
  // A rotation: unit axes at right angles, not mirrored.
  const Mat3d product = result.linear * transposed(result.linear);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      if (std::abs(product(r, c) - (r == c)) > 1e-3) return Error{"the left part is not a rotation", here};
    }
  }
  if (determinant(result.linear) < 0) return Error{"the left part is not a rotation but a mirror", here};
  return result.cast<float>();
}

Result<Camera> read_camera(const Json& object, const std::string& where) {
  if (!object.is_object()) return Error{"a camera must be an object", where};
  Camera camera;
  LIMBER_TRY(camera.width, side(object, "width", where));
  LIMBER_TRY(camera.height, side(object, "height", where));
  LIMBER_TRY(const double fx, number(object, "fx", where));
  LIMBER_TRY(const double fy, number(object, "fy", where));
  LIMBER_TRY(const double cx, number(object, "cx", where));
  LIMBER_TRY(const double cy, number(object, "cy", where));
  if (!(fx > 1e-6) || !(fy > 1e-6)) return Error{"focal lengths must be positive", where};
  camera.fx = static_cast<float>(fx), camera.fy = static_cast<float>(fy);
  camera.cx = static_cast<float>(cx), camera.cy = static_cast<float>(cy);
  LIMBER_TRY(camera.camera_from_world, pose(object, where));
  return camera;
}

Result<Json> parse(const std::string& text, const std::string& name) {
  MemoryShare memory;
  LIMBER_CHECK_OK(memory.take(kBytesOfLetter * text.size(), name));
  bool too_deep = false;
  const auto watch = [&](int depth, Json::parse_event_t, Json&) {
    too_deep |= depth > kMaxDepth;
    return depth <= kMaxDepth;
  };
  try {
    Json json = Json::parse(text, watch);
    if (too_deep) return Error{"the JSON is nested too deeply", name};
    return json;
  } catch (const Json::exception& e) {
    return Error{"bad JSON: " + shortened(e.what()), name};
  }
}

}  // namespace

void Box::add(Vec3 point) { low = min(low, point), high = max(high, point); }

void Box::add(const Box& other) { low = min(low, other.low), high = max(high, other.high); }

std::vector<Camera> orbit_cameras(std::span<const Box> frame_boxes, double fps, const OrbitSettings& settings) {
  std::vector<std::vector<Vec3>> points;
  points.reserve(frame_boxes.size());
  for (const Box& box : frame_boxes) points.push_back(is_usable(box) ? corners(box) : std::vector<Vec3>{});
  return orbit_cameras(points, fps, settings);
}

std::vector<Camera> orbit_cameras(std::span<const std::vector<Vec3>> frame_points, double fps,
                                  const OrbitSettings& settings) {
  LIMBER_EXPECT(settings.width > 0 && settings.height > 0, std::to_string(settings.width));
  LIMBER_EXPECT(settings.views >= 1, std::to_string(settings.views));
  LIMBER_EXPECT(settings.view_azimuth.empty() || settings.view_azimuth.size() == std::size_t(settings.views),
                std::to_string(settings.view_azimuth.size()) + " azimuths");
  LIMBER_EXPECT(settings.fill > 0 && settings.fill <= 1, std::to_string(settings.fill));
  LIMBER_EXPECT(fps > 0, std::to_string(fps));
  const std::size_t frames = frame_points.size();
  std::vector<Box> boxes(frames);
  for (std::size_t f = 0; f < frames; ++f) {
    for (const Vec3& point : frame_points[f]) boxes[f].add(point);
  }
  boxes = closed_gaps(boxes);
  const std::vector<Vec3d> middle = targets(boxes, fps, settings);

  const double tan_y = settings.fill * std::tan(0.5 * double(settings.vertical_fov));
  const double tan_x = tan_y * settings.width / settings.height;
  double distance = 0;
  for (int v = 0; v < settings.views; ++v) {
    for (std::size_t f = 0; f < frames; ++f) {
      const Bearing axes = bearing(view_azimuth(settings, v, f, frames), settings.elevation);
      const bool known = !frame_points[f].empty();
      distance = std::max(distance,
                          needed_distance(known ? frame_points[f] : corners(boxes[f]), middle[f], axes, tan_x, tan_y));
    }
  }
  if (!(distance > 0)) distance = 1;

  std::vector<Camera> cameras;
  cameras.reserve(frames * static_cast<std::size_t>(settings.views));
  for (int v = 0; v < settings.views; ++v) {
    for (std::size_t f = 0; f < frames; ++f) {
      const Bearing axes = bearing(view_azimuth(settings, v, f, frames), settings.elevation);
      const Vec3d eye = middle[f] + distance * axes.back;
      // From straight above or below, `up` of the bearing still knows which way is up in the image.
      cameras.push_back(splat::look_at(eye.cast<float>(), middle[f].cast<float>(), axes.up.cast<float>(),
                                       settings.vertical_fov, settings.width, settings.height));
    }
  }
  return cameras;
}

std::vector<Vec3> outline(std::span<const Vec3> points) {
  // Directions by the golden angle: evenly over the sphere.
  constexpr int kDirections = 96;
  std::array<Vec3, kDirections> directions;
  std::array<float, kDirections> farthest;
  std::array<std::uint32_t, kDirections> found;
  LIMBER_EXPECT(points.size() < std::numeric_limits<std::uint32_t>::max(), std::to_string(points.size()));
  const auto count = static_cast<std::uint32_t>(points.size());
  farthest.fill(-std::numeric_limits<float>::infinity()), found.fill(count);
  for (int i = 0; i < kDirections; ++i) {
    const double y = 1 - (2 * i + 1.0) / kDirections, around = 2.39996322972865 * i, r = std::sqrt(1 - y * y);
    directions[static_cast<std::size_t>(i)] = Vec3d{r * std::cos(around), y, r * std::sin(around)}.cast<float>();
  }
  for (std::uint32_t p = 0; p < count; ++p) {
    if (!is_finite(points[p]) || !(squared_norm(points[p]) < 1e30f)) continue;
    for (std::size_t i = 0; i < kDirections; ++i) {
      const float reach = dot(points[p], directions[i]);
      found[i] = reach > farthest[i] ? p : found[i];  // without branches, so that it becomes vectors
      farthest[i] = std::max(farthest[i], reach);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<Vec3> result;
  for (std::size_t i = 0; i < kDirections; ++i) {
    if (found[i] < count && (i == 0 || found[i] != found[i - 1])) result.push_back(points[found[i]]);
  }
  return result;
}

std::string cameras_to_json(std::span<const Camera> cameras, int views) {
  LIMBER_EXPECT(views >= 1 && cameras.size() % static_cast<std::size_t>(views) == 0, std::to_string(views) + " views");
  const std::size_t frames = cameras.size() / static_cast<std::size_t>(views);
  // One line per camera: easy to read and to compare.
  std::string text = "[";
  for (std::size_t v = 0; v < static_cast<std::size_t>(views); ++v) {
    text += v == 0 ? "\n [" : ",\n [";
    for (std::size_t f = 0; f < frames; ++f) {
      text.append(f == 0 ? "\n  " : ",\n  ").append(to_json(cameras[v * frames + f]).dump());
    }
    text += "\n ]";
  }
  return text + "\n]\n";
}

Result<CameraList> cameras_from_json(const std::string& text, const std::string& name, int frames) {
  LIMBER_EXPECT(frames >= 0, std::to_string(frames));
  LIMBER_TRY(const Json json, parse(text, name));
  if (!json.is_array() || json.empty()) return Error{"expected a list of views", name};
  if (json.size() > kMaxViews) {
    return Error{std::to_string(json.size()) + " views are more than " + std::to_string(kMaxViews), name};
  }
  CameraList list;
  list.views = static_cast<int>(json.size());
  list.frames = frames;
  for (std::size_t v = 0; v < json.size(); ++v) {
    const std::string view_where = name + "#/" + std::to_string(v);
    const Json& view = json[v];
    if (!view.is_array() || view.empty()) return Error{"a view must be a list of cameras", view_where};
    if (view.size() != 1 && view.size() != static_cast<std::size_t>(frames)) {
      return Error{std::to_string(view.size()) + " cameras for " + std::to_string(frames) + " frames", view_where};
    }
    for (std::size_t f = 0; f < view.size(); ++f) {
      LIMBER_TRY(const Camera camera, read_camera(view[f], view_where + "/" + std::to_string(f)));
      if (!list.cameras.empty() && (camera.width != list.cameras[0].width || camera.height != list.cameras[0].height)) {
        return Error{"all cameras must have images of one size", view_where + "/" + std::to_string(f)};
      }
      const int copies = view.size() == 1 ? frames : 1;
      list.cameras.insert(list.cameras.end(), static_cast<std::size_t>(copies), camera);
    }
  }
  return list;
}

}  // namespace limber::scene
