// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/shading.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace limber::scene {
namespace {

using Corners = std::array<std::uint32_t, 3>;

Vec3 barycentric(const Tile& tile, std::size_t i) { return {1 - tile.b1[i] - tile.b2[i], tile.b1[i], tile.b2[i]}; }

Vec3 blend(const std::vector<Vec3>& values, const Corners& t, Vec3 b) {
  return b.x * values[t[0]] + b.y * values[t[1]] + b.z * values[t[2]];
}

Vec4 blend(const std::vector<Vec4>& values, const Corners& t, Vec3 b) {
  const Vec4 &u = values[t[0]], &v = values[t[1]], &w = values[t[2]];
  return {b.x * u.x + b.y * v.x + b.z * w.x, b.x * u.y + b.y * v.y + b.z * w.y, b.x * u.z + b.y * v.z + b.z * w.z,
          b.x * u.w + b.y * v.w + b.z * w.w};
}

Vec2 blend(const std::vector<Vec2>& values, const Corners& t, Vec3 b) {
  const Vec2 &u = values[t[0]], &v = values[t[1]], &w = values[t[2]];
  return {b.x * u.x + b.y * v.x + b.z * w.x, b.x * u.y + b.y * v.y + b.z * w.y};
}

/// The texture under a fragment, filtered over its footprint.
Vec4 texel(const MipTexture& texture, const std::vector<Vec2>& uv, const Corners& t, const Tile& tile, std::size_t i) {
  const Vec2 &a = uv[t[0]], &b = uv[t[1]], &c = uv[t[2]];
  const Vec2 ab{b.x - a.x, b.y - a.y}, ac{c.x - a.x, c.y - a.y};
  const auto step = [&](float s, float r) { return Vec2{s * ab.x + r * ac.x, s * ab.y + r * ac.y}; };
  const Vec2 place = step(tile.b1[i], tile.b2[i]);
  return texture.sample({a.x + place.x, a.y + place.y}, step(tile.b1_dx[i], tile.b2_dx[i]),
                        step(tile.b1_dy[i], tile.b2_dy[i]));
}

constexpr int kDisplaySteps = 8192;

const std::array<float, kDisplaySteps + 1>& display_table() {
  static const std::array<float, kDisplaySteps + 1> table = [] {
    std::array<float, kDisplaySteps + 1> values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = splat::srgb_from_linear(static_cast<float>(i) / kDisplaySteps);
    }
    return values;
  }();
  return table;
}

}  // namespace

float display_from_linear(float linear) {
  const float place = linear * kDisplaySteps + 0.5f;
  if (!(place > 0)) return 0;
  return display_table()[static_cast<std::size_t>(std::min(place, static_cast<float>(kDisplaySteps)))];
}

Shader::Shader(const BodyMesh& mesh, const BodyPose& pose, const splat::Camera& camera, const Lighting& lighting)
    : mesh_(mesh), pose_(pose), lighting_(lighting), eye_(splat::camera_center(camera)) {
  // Over the left shoulder: left and up as the camera sees them.
  const Mat3& axes = camera.camera_from_world.linear;
  key_direction_ = normalized(-0.55f * axes.row(0) - 0.65f * axes.row(1) - 0.6f * axes.row(2));
}

Vec3 Shader::face_normal(const Corners& corners) const {
  const Vec3 a = pose_.points[corners[0]];
  const Vec3 n = normalized(cross(pose_.points[corners[1]] - a, pose_.points[corners[2]] - a));
  return dot(n, eye_ - a) < 0 ? -n : n;
}

Vec3 Shader::normal(const Tile& tile, std::size_t fragment) const {
  const std::uint32_t triangle = tile.triangle[fragment];
  const Corners& corners = mesh_.triangles[triangle];
  if (mesh_.surfaces[mesh_.surface_of_triangle[triangle]].faceted) return face_normal(corners);
  const Vec3 sum = blend(pose_.normals, corners, barycentric(tile, fragment));
  const float length = squared_norm(sum);
  if (!(length > 1e-12f)) return face_normal(corners);
  const Vec3 n = sum / std::sqrt(length);
  if ((mesh_.kinds[triangle] & kOneSided) != 0) return n;
  // Seen from either side, and some files have faces and normals at odds: the side that is seen counts.
  return dot(n, face_normal(corners)) < 0 ? -n : n;
}

float Shader::alpha(const Tile& tile, std::size_t fragment) const {
  const std::uint32_t triangle = tile.triangle[fragment];
  const BodySurface& surface = mesh_.surfaces[mesh_.surface_of_triangle[triangle]];
  if (surface.alpha_mode != asset::AlphaMode::kBlend) return 1;
  const Corners& corners = mesh_.triangles[triangle];
  const float own = blend(mesh_.colors, corners, barycentric(tile, fragment)).w;
  return std::clamp(surface.texture ? own * texel(*surface.texture, mesh_.uv, corners, tile, fragment).w : own, 0.0f,
                    1.0f);
}

bool Shader::inside(std::uint32_t triangle, Vec3 b) const {
  const BodySurface& surface = mesh_.surfaces[mesh_.surface_of_triangle[triangle]];
  const Corners& corners = mesh_.triangles[triangle];
  float value = blend(mesh_.colors, corners, b).w;
  if (surface.texture) value *= surface.texture->sample(blend(mesh_.uv, corners, b), 0.0f).w;
  return value >= surface.alpha_cutoff;
}

Vec4 Shader::color(const Tile& tile, std::size_t fragment) const {
  const std::uint32_t triangle = tile.triangle[fragment];
  const BodySurface& surface = mesh_.surfaces[mesh_.surface_of_triangle[triangle]];
  const Corners& corners = mesh_.triangles[triangle];
  const Vec3 b = barycentric(tile, fragment);
  const Vec4 own = blend(mesh_.colors, corners, b);
  Vec3 color{own.x, own.y, own.z};
  float alpha = own.w;
  if (surface.texture) {
    const Vec4 t = texel(*surface.texture, mesh_.uv, corners, tile, fragment);
    color = scaled(color, Vec3{t.x, t.y, t.z});
    alpha *= t.w;
  }
  if (!surface.unlit) {
    const Vec3 n = normal(tile, fragment);
    const Vec3 to_eye = normalized(eye_ - blend(pose_.points, corners, b));
    const Vec3 ambient = lerp(lighting_.ground, lighting_.sky, 0.5f + 0.5f * n.y);
    const float key = std::max(0.0f, dot(n, key_direction_));
    const Vec3 half = normalized(key_direction_ + to_eye);
    float gloss = std::max(0.0f, dot(n, half));
    gloss *= gloss, gloss *= gloss, gloss *= gloss, gloss *= gloss;  // to the 16th
    color = scaled(color, ambient + key * lighting_.key) + (lighting_.sheen * gloss) * lighting_.key;
  }
  Vec3 glow = surface.glow;
  if (surface.glow_texture && glow != Vec3{}) {
    const Vec4 t = texel(*surface.glow_texture, mesh_.glow_uv, corners, tile, fragment);
    glow = scaled(glow, Vec3{t.x, t.y, t.z});
  }
  color += glow;
  return {display_from_linear(color.x), display_from_linear(color.y), display_from_linear(color.z),
          surface.alpha_mode == asset::AlphaMode::kBlend ? std::clamp(alpha, 0.0f, 1.0f) : 1.0f};
}

int Shader::part(const Tile& tile, std::size_t fragment) const {
  const Corners& corners = mesh_.triangles[tile.triangle[fragment]];
  const Vec3 b = barycentric(tile, fragment);
  const int p0 = mesh_.parts[corners[0]], p1 = mesh_.parts[corners[1]], p2 = mesh_.parts[corners[2]];
  // Corners of one part count together.
  const float w0 = b.x + (p1 == p0 ? b.y : 0) + (p2 == p0 ? b.z : 0);
  const float w1 = b.y + (p2 == p1 ? b.z : 0);
  if (w0 >= w1 && w0 >= b.z) return p0;
  return w1 >= b.z ? p1 : p2;
}

Vec3 Shader::weight_color(const Tile& tile, std::size_t fragment) const {
  return blend(mesh_.weight_colors, mesh_.triangles[tile.triangle[fragment]], barycentric(tile, fragment));
}

}  // namespace limber::scene
