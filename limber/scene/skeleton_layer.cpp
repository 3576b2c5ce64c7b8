// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/scene/layers.h"

namespace limber::scene {
namespace {

/// A joint in the image.
struct Disc {
  float x = 0, y = 0, radius = 0, depth = 0;
  bool visible = false;
};

/// Draws where `distance` (in pixels, negative inside) says, smooth over one pixel.
template <class Distance>
void paint(Bitmap& picture, float left, float top, float right, float bottom, Vec3 color, const Distance& distance) {
  const auto clamp = [](float value, int size) {
    return static_cast<int>(std::clamp(value, 0.0f, static_cast<float>(size - 1)));
  };
  if (!(right >= 0 && bottom >= 0 && left <= static_cast<float>(picture.width) &&
        top <= static_cast<float>(picture.height)))
    return;
  for (int y = clamp(top - 1, picture.height); y <= clamp(bottom + 1, picture.height); ++y) {
    for (int x = clamp(left - 1, picture.width); x <= clamp(right + 1, picture.width); ++x) {
      const float cover =
          std::clamp(0.5f - distance(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f), 0.0f, 1.0f);
      std::uint8_t* pixel = picture.at(x, y);
      for (int k = 0; k < 3; ++k) {
        const float value = (1 - cover) * pixel[k] + cover * 255 * color[k];
        pixel[k] = static_cast<std::uint8_t>(value + 0.5f);
      }
    }
  }
}

void paint_disc(const Disc& disc, float radius, Vec3 color, Bitmap& picture) {
  paint(picture, disc.x - radius, disc.y - radius, disc.x + radius, disc.y + radius, color,
        [&](float x, float y) { return std::hypot(x - disc.x, y - disc.y) - radius; });
}

/// From the parent, wide, to the child, narrow.
void paint_bone(const Disc& parent, const Disc& child, Vec3 color, Bitmap& picture) {
  const float wide = 0.75f * parent.radius, narrow = 0.3f * child.radius;
  const float dx = child.x - parent.x, dy = child.y - parent.y, length2 = dx * dx + dy * dy;
  paint(picture, std::min(parent.x, child.x) - wide, std::min(parent.y, child.y) - wide,
        std::max(parent.x, child.x) + wide, std::max(parent.y, child.y) + wide, color, [&](float x, float y) {
          const float along =
              length2 > 0 ? std::clamp(((x - parent.x) * dx + (y - parent.y) * dy) / length2, 0.0f, 1.0f) : 0;
          const float width = wide + along * (narrow - wide);
          return std::hypot(x - parent.x - along * dx, y - parent.y - along * dy) - width;
        });
}

}  // namespace

void draw_skeleton(std::span<const Vec3> joints, std::span<const int> parents, const Camera& camera, float radius,
                   float min_radius, Bitmap& picture) {
  LIMBER_EXPECT(joints.size() == parents.size() && picture.channels == 3, std::to_string(joints.size()) + " joints");
  std::vector<Disc> discs;
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Vec3 c = camera.camera_from_world * joints[j];
    Disc disc;
    if (is_finite(c) && c.z > 1e-3f) {
      disc.x = camera.fx * c.x / c.z + camera.cx, disc.y = camera.fy * c.y / c.z + camera.cy, disc.depth = c.z;
      disc.radius = std::max(min_radius, std::min(camera.fy * radius / c.z, static_cast<float>(picture.height)));
      disc.visible = std::abs(disc.x) < 1e6f && std::abs(disc.y) < 1e6f;
    }
    discs.push_back(disc);
    if (disc.visible) order.push_back(j);
  }
  // From back to front; at one depth in the order of the list.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return discs[a].depth > discs[b].depth; });
  for (const std::size_t j : order) {
    const int parent = parents[j];
    if (parent < 0 || !discs[static_cast<std::size_t>(parent)].visible) continue;
    paint_bone(discs[static_cast<std::size_t>(parent)], discs[j], 0.8f * joint_color(parent) + Vec3{0.1f, 0.1f, 0.1f},
               picture);
  }
  for (const std::size_t j : order) {
    paint_disc(discs[j], discs[j].radius * 1.25f, {0.05f, 0.05f, 0.05f}, picture);
    paint_disc(discs[j], discs[j].radius, joint_color(static_cast<int>(j)), picture);
  }
}

}  // namespace limber::scene
