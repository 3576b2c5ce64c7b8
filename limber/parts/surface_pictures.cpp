// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/surface_pictures.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/parts/picture_raster.h"

namespace limber::parts {
namespace {

constexpr int kSamples = 2;            // of a pixel, along each side
constexpr float kLeastSide = 0.3f;     // of a box, against its longest: flat bodies have a front and a back too
constexpr float kDarkestPart = 0.25f;  // of a colour's range
constexpr float kPlaceReach = 0.5f;    // of the box, beyond either side
constexpr Vec3 kGrey{0.6f, 0.6f, 0.6f};

struct Bounds {
  Vec3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
  void add(Vec3 p) {
    if (is_finite(p)) low = min(low, p), high = max(high, p);
  }
  bool empty() const { return low.x > high.x; }
  Vec3 middle() const { return empty() ? Vec3{} : 0.5f * (low + high); }
};

/// Normals of points, by the triangles around them; where there is none, up.
void point_normals(std::span<const Vec3> points, std::span<const Triangle> triangles, std::vector<Vec3>& normals) {
  normals.assign(points.size(), {});
  for (const Triangle& t : triangles) {
    const Vec3 normal = cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]);
    if (!is_finite(normal)) continue;
    for (const std::uint32_t corner : t) normals[corner] += normal;
  }
  for (Vec3& normal : normals) normal = normalized(normal);
}

float elevation_of(const PictureSettings& settings, std::size_t frame) {
  return settings.orbit.empty() ? settings.elevation : settings.orbit[frame];
}

/// How cameras stand: what each frame is moved by, where they look, and from how far.
struct Stage {
  std::vector<Vec3> shifts;  ///< per frame: taken from its points
  Vec3 middle;
  float distance = 1, focal = 1;  ///< focal length in samples

  Stage(const PicturedBody& body, const PictureSettings& settings) {
    Bounds all;
    for (const std::span<const Vec3> points : body.frames) {
      Bounds bounds;
      for (const Vec3& p : points) bounds.add(p);
      const Vec3 here = bounds.middle();
      if (shifts.empty()) middle = here;
      shifts.push_back({here.x - middle.x, 0, here.z - middle.z});
      if (!bounds.empty()) all.add(bounds.low), all.add(bounds.high);
    }
    middle.y = all.middle().y;
    float half = 1e-6f;
    for (std::size_t f = 0; f < body.frames.size(); ++f) {
      const float elevation = elevation_of(settings, f), rise = std::sin(elevation), level = std::cos(elevation);
      for (const Vec3& p : body.frames[f]) {
        const Vec3 q = p - shifts[f] - middle;
        const float aside = std::sqrt(q.x * q.x + q.z * q.z);
        const float reach = std::max(aside, std::abs(q.y) * level + aside * std::abs(rise));
        if (std::isfinite(reach)) half = std::max(half, reach);
      }
    }
    const float tangent = std::tan(0.5f * settings.field_of_view);
    distance = half / (settings.fill * tangent);  // what is nearer reaches less far aside
    focal = 0.5f * static_cast<float>(kSamples * settings.size) / tangent;
  }
};

/// One camera: axes to its right, up and towards it.
struct Eye {
  Vec3 right, up, towards;
  Eye(float azimuth, float elevation)
      : right{std::cos(azimuth), 0, -std::sin(azimuth)},
        up{-std::sin(azimuth) * std::sin(elevation), std::cos(elevation), -std::cos(azimuth) * std::sin(elevation)},
        towards{std::sin(azimuth) * std::cos(elevation), std::sin(elevation), std::cos(azimuth) * std::cos(elevation)} {
  }
};

/// What one sample shows.
struct Sample {
  int label = -1;  ///< -1: nothing
  std::int32_t triangle = -1;
  Vec3 color, place, normal;  ///< place and normal in the frame of the codes
  float facing = 0;
};

/// Draws one picture after the other into `pictures`.
class Painter {
 public:
  Painter(const PicturedBody& body, const PictureSettings& settings, SurfacePictures& pictures)
      : body_(body),
        settings_(settings),
        pictures_(pictures),
        stage_(body, settings),
        raster_(kSamples * settings.size),
        light_(normalized(settings.light)) {}

  void draw(int view, int frame) {
    const std::span<const Vec3> points = body_.frames[at(frame)];
    const Vec3 origin = stage_.middle + stage_.shifts[at(frame)];
    // In turn between the cameras of the first frame, where it orbits.
    const float between =
        settings_.orbit.empty() ? 0 : static_cast<float>(frame) / static_cast<float>(pictures_.frames);
    const float turn = (static_cast<float>(view) + between) / static_cast<float>(settings_.views);
    const Eye eye(settings_.azimuth + 2 * static_cast<float>(kPi) * turn, elevation_of(settings_, at(frame)));
    corners_.resize(points.size());
    const float centre = 0.5f * static_cast<float>(raster_.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3 p = points[i] - origin;
      const float near = 1 / (stage_.distance - dot(p, eye.towards));
      corners_[i] = {centre + stage_.focal * dot(p, eye.right) * near, centre - stage_.focal * dot(p, eye.up) * near,
                     near};
    }
    raster_.draw(corners_, body_.triangles);
    const int number = view * pictures_.frames + frame;
    for (int y = 0; y < settings_.size; ++y) {
      for (int x = 0; x < settings_.size; ++x) paint(number, x, y, frame, eye);
    }
  }

  void set_frame(int frame) { point_normals(body_.frames[at(frame)], body_.triangles, normals_); }

 private:
  Sample sample(int x, int y, int frame, const Eye& eye) const {
    const PictureRaster::Hit hit = raster_.hit(x, y);
    if (hit.triangle < 0) return {};
    const Triangle& t = body_.triangles[static_cast<std::size_t>(hit.triangle)];
    const Vec3 b = hit.barycentric;
    const auto blended = [&](const auto& of) { return b.x * of[t[0]] + b.y * of[t[1]] + b.z * of[t[2]]; };
    Vec3 normal = normalized(blended(normals_));
    if (dot(normal, eye.towards) < 0) normal = -normal;  // nobody vouches for how a mesh is wound
    Sample seen;
    seen.label = body_.labels.empty() ? 0 : body_.labels[static_cast<std::size_t>(hit.triangle)];
    seen.triangle = hit.triangle, seen.facing = dot(normal, eye.towards);
    seen.normal = pictures_.frame.turned(normal);
    seen.place = pictures_.frame.code(blended(body_.frames[at(frame)]) - stage_.shifts[at(frame)]);
    const float lit = settings_.ambient + (1 - settings_.ambient) * std::max(0.0f, dot(seen.normal, light_));
    seen.color = lit * (body_.colors.empty() ? kGrey : blended(body_.colors));
    return seen;
  }

  void paint(int number, int x, int y, int frame, const Eye& eye) {
    std::array<Sample, kSamples * kSamples> samples;
    int covered = 0;
    Vec3 color;
    for (int k = 0; k < kSamples * kSamples; ++k) {
      samples[at(k)] = sample(kSamples * x + k % kSamples, kSamples * y + k / kSamples, frame, eye);
      if (samples[at(k)].label < 0) continue;
      ++covered, color += samples[at(k)].color;
    }
    if (2 * covered < kSamples * kSamples) return;
    const auto count = [&](const Sample& like) {
      return std::count_if(samples.begin(), samples.end(), [&](const Sample& s) { return s.label == like.label; });
    };
    const Sample* most = nullptr;
    for (const Sample& s : samples) {
      if (s.label >= 0 && (most == nullptr || count(s) > count(*most))) most = &s;
    }
    Vec3 place, normal;
    for (const Sample& s : samples) {
      if (s.label == most->label) place += s.place, normal += s.normal;
    }
    const std::size_t pixel = (at(number) * at(settings_.size) + at(y)) * at(settings_.size) + at(x);
    put(pictures_.colors, pixel, color / static_cast<float>(covered));
    put(pictures_.places, pixel, place_color(place / static_cast<float>(count(*most))));
    put(pictures_.normals, pixel, 0.5f * (normalized(normal) + Vec3{1, 1, 1}));
    pictures_.labels[pixel] = static_cast<std::uint8_t>(most->label + 1);
    pictures_.triangles[pixel] = most->triangle;
    pictures_.facings[pixel] = most->facing;
  }

  static void put(std::vector<std::uint8_t>& picture, std::size_t pixel, Vec3 color) {
    const std::array<std::uint8_t, 3> bytes = color_bytes(color);
    std::copy(bytes.begin(), bytes.end(), picture.begin() + static_cast<std::ptrdiff_t>(3 * pixel));
  }

  const PicturedBody& body_;
  const PictureSettings& settings_;
  SurfacePictures& pictures_;
  Stage stage_;
  PictureRaster raster_;
  Vec3 light_;
  std::vector<Vec3> normals_;
  std::vector<PictureRaster::Corner> corners_;
};

/// A body that keeps still looks as it did a frame before.
template <class Values>
void repeat_picture(Values& values, int number, std::size_t length) {
  const auto from = values.begin() + static_cast<std::ptrdiff_t>((at(number) - 1) * length);
  std::copy_n(from, length, from + static_cast<std::ptrdiff_t>(length));
}

}  // namespace

Vec3 CodeFrame::code(Vec3 world) const {
  const Vec3 p = turned(world) - low;
  return {p.x / size.x, p.y / size.y, p.z / size.z};
}

Vec3 CodeFrame::world(Vec3 code) const {
  const Vec3 p = low + scaled(code, size);
  return p.x * right + Vec3{0, p.y, 0} + p.z * towards;
}

CodeFrame make_code_frame(std::span<const Vec3> points, float azimuth) {
  CodeFrame frame;
  const Eye eye(azimuth, 0);
  frame.right = eye.right, frame.towards = eye.towards;
  Bounds bounds;
  for (const Vec3& p : points) bounds.add(frame.turned(p));
  if (bounds.empty()) return frame;
  const Vec3 sides = bounds.high - bounds.low;
  const float least = std::max(kLeastSide * std::max({sides.x, sides.y, sides.z}), 1e-6f);
  frame.size = max(sides, Vec3{least, least, least});
  frame.low = bounds.middle() - 0.5f * frame.size;
  return frame;
}

Vec3 part_color(Vec3 code) {
  Vec3 color;
  for (int k = 0; k < 3; ++k) color[k] = kDarkestPart + (1 - kDarkestPart) * std::clamp(code[k], 0.0f, 1.0f);
  return color;
}

Vec3 code_of_part_color(Vec3 color) {
  return (color - Vec3{kDarkestPart, kDarkestPart, kDarkestPart}) / (1 - kDarkestPart);
}

Vec3 place_color(Vec3 code) {
  Vec3 color;
  for (int k = 0; k < 3; ++k) {
    const float share = (code[k] + kPlaceReach) / (1 + 2 * kPlaceReach);
    color[k] = std::clamp(share, 1 / 255.0f, 1.0f);  // black is kept for what is no body
  }
  return color;
}

std::array<std::uint8_t, 3> color_bytes(Vec3 color) {
  const auto byte = [](float v) { return static_cast<std::uint8_t>(255 * std::clamp(v, 0.0f, 1.0f) + 0.5f); };
  return {byte(color.x), byte(color.y), byte(color.z)};
}

std::vector<float> mesh_orbit(int frames, float elevation) {
  static constexpr std::array<float, 4> kHeights{0.25f, -0.2f, 0.6f, 0.1f};
  std::vector<float> orbit{elevation};
  for (int f = 1; f < frames; ++f) orbit.push_back(kHeights[at(f) % kHeights.size()]);
  return orbit;
}

SurfacePictures draw_pictures(const PicturedBody& body, const PictureSettings& settings) {
  LIMBER_EXPECT(!body.frames.empty() && settings.views > 0 && settings.size > 0, std::to_string(body.frames.size()));
  SurfacePictures pictures;
  pictures.views = settings.views, pictures.frames = static_cast<int>(body.frames.size()),
  pictures.size = settings.size;
  LIMBER_EXPECT(settings.orbit.empty() || settings.orbit.size() == body.frames.size(),
                std::to_string(settings.orbit.size()));
  for (std::size_t f = 0; f < body.frames.size(); ++f) pictures.elevations.push_back(elevation_of(settings, f));
  pictures.frame = make_code_frame(body.frames.front(), settings.azimuth);
  const std::size_t pixels = pictures.pixels();
  for (std::vector<std::uint8_t>* layer : {&pictures.colors, &pictures.places, &pictures.normals})
    layer->assign(3 * pixels, 0);
  pictures.labels.assign(pixels, 0), pictures.triangles.assign(pixels, -1), pictures.facings.assign(pixels, 0);

  Painter painter(body, settings, pictures);
  const std::size_t length = at(settings.size) * at(settings.size);
  for (int frame = 0; frame < pictures.frames; ++frame) {
    const bool still = frame > 0 && body.frames[at(frame)].data() == body.frames[at(frame) - 1].data();
    const bool repeats = still && settings.orbit.empty();
    if (!still) painter.set_frame(frame);
    for (int view = 0; view < pictures.views; ++view) {
      if (!repeats) {
        painter.draw(view, frame);
        continue;
      }
      const int number = view * pictures.frames + frame;
      for (std::vector<std::uint8_t>* layer : {&pictures.colors, &pictures.places, &pictures.normals})
        repeat_picture(*layer, number, 3 * length);
      repeat_picture(pictures.labels, number, length), repeat_picture(pictures.triangles, number, length);
      repeat_picture(pictures.facings, number, length);
    }
  }
  return pictures;
}

std::vector<Vec3> part_codes(const PicturedBody& body, const CodeFrame& frame, int parts) {
  std::vector<Vec3d> moments(at(parts));
  std::vector<double> areas(at(parts));
  const std::span<const Vec3> points = body.frames.front();
  for (std::size_t i = 0; i < body.triangles.size(); ++i) {
    const std::size_t part = body.labels.empty() ? 0 : body.labels[i];
    if (part >= at(parts)) continue;
    const Triangle& t = body.triangles[i];
    const Vec3d a = points[t[0]].cast<double>(), b = points[t[1]].cast<double>(), c = points[t[2]].cast<double>();
    const double area = norm(cross(b - a, c - a));
    if (!(area > 0) || !std::isfinite(area)) continue;
    areas[part] += area, moments[part] += area / 3 * (a + b + c);
  }
  std::vector<Vec3> codes;
  for (std::size_t p = 0; p < moments.size(); ++p) {
    codes.push_back(areas[p] > 0 ? frame.code((moments[p] / areas[p]).cast<float>()) : Vec3{0.5f, 0.5f, 0.5f});
  }
  return codes;
}

}  // namespace limber::parts
