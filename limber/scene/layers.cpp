// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/layers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/scene/ground_shadow.h"
#include "limber/scene/mesh_raster.h"
#include "limber/scene/shading.h"

namespace limber::scene {
namespace {

constexpr std::array<std::string_view, kLayerCount> kNames{"rgb",   "mask",     "depth",  "normals",
                                                           "parts", "skeleton", "weights"};

/// What is not a number becomes 0.
std::uint8_t byte(float value) {
  const float scaled = 255 * value + 0.5f;
  return static_cast<std::uint8_t>(scaled > 0 ? std::min(scaled, 255.0f) : 0.0f);
}

void write(std::uint8_t* pixel, Vec3 color) {
  pixel[0] = byte(color.x), pixel[1] = byte(color.y), pixel[2] = byte(color.z);
}

static_assert(sizeof(Vec3) == 3 * sizeof(float));

/// A row of colours without branches, so that it becomes vectors.
void write_row(const Vec3* colors, int count, std::uint8_t* pixels) {
  const float* from = &colors->x;
  for (int i = 0; i < 3 * count; ++i) {
    const float value = 255 * from[i] + 0.5f;
    pixels[i] = static_cast<std::uint8_t>(static_cast<int>(value > 0 ? (value < 255 ? value : 255.0f) : 0.0f));
  }
}

/// What one thread needs for a tile.
struct LayerWork {
  std::vector<float> weights;  ///< per fragment: its share of the pixel
  std::vector<float> covered;  ///< per pixel
  std::vector<Vec3> colors;    ///< per fragment
  std::vector<Vec3> background;
};

/// What the layers of one image need.
struct View {
  const Shader& shader;
  Mat3 axes;                     ///< camera_from_world
  float nearest = 0, range = 1;  ///< of depth
};

}  // namespace

std::string_view name(Layer layer) { return kNames[static_cast<std::size_t>(layer)]; }

std::optional<Layer> layer_from_name(std::string_view text) {
  const auto found = std::find(kNames.begin(), kNames.end(), text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Layer>(found - kNames.begin());
}

struct LayerRenderer::State {
  const Body* body = nullptr;
  LayerSettings settings;
  BodyPose pose;
  Box box;
  GroundShadow shadow;
  MeshRaster raster;
  std::vector<LayerWork> thread_work;
  std::vector<int> parents;

  void weigh(const Shader& shader, const Tile& tile, bool colors, LayerWork& work) const;
  void draw_background(const Camera& camera, const Tile& tile, LayerWork& work) const;
  void write_rgb(const Tile& tile, const LayerWork& work, Bitmap& picture) const;
  template <class Value>
  void write_values(const Tile& tile, const LayerWork& work, Bitmap& picture, const Value& value) const;
  void write_numbers(const Tile& tile, const LayerWork& work, int width, LayerNumbers& numbers) const;
  View make_view(const Shader& shader, const Camera& camera) const;
  void write_layer(Layer layer, const View& view, const Tile& tile, const LayerWork& work, Bitmap& picture) const;
};

/// Shares of the fragments in their pixels, and their colours where wanted.
void LayerRenderer::State::weigh(const Shader& shader, const Tile& tile, bool colors, LayerWork& work) const {
  work.weights.resize(tile.size());
  if (colors) work.colors.resize(tile.size());
  const std::size_t pixels = tile.first.size() - 1;
  work.covered.assign(pixels, 0);
  for (std::size_t p = 0; tile.size() > 0 && p < pixels; ++p) {
    PixelBlend blend;
    for (std::size_t i = tile.first[p]; i < tile.first[p + 1]; ++i) {
      const bool thin = (tile.flags[i] & kSeeThrough) != 0;
      float alpha = 1;
      if (colors) {
        const Vec4 color = shader.color(tile, i);
        work.colors[i] = {color.x, color.y, color.z};
        alpha = color.w;
      } else if (thin) {
        alpha = shader.alpha(tile, i);
      }
      work.weights[i] = blend.add(tile.coverage[i], thin, alpha);
    }
    work.covered[p] = blend.covered();
  }
}

/// Ground, shadow and sky behind a tile: a window of the image is a camera of its own.
void LayerRenderer::State::draw_background(const Camera& camera, const Tile& tile, LayerWork& work) const {
  work.background.resize(work.covered.size());
  if (std::all_of(work.covered.begin(), work.covered.end(), [](float c) { return c >= 1; })) return;
  Camera window = camera;
  window.cx -= static_cast<float>(tile.x), window.cy -= static_cast<float>(tile.y);
  window.width = tile.width, window.height = tile.height;
  draw_ground(window, settings.ground, work.background);
  if (shadow.empty()) return;
  shadow_forward(window, shadow.grid(), shadow.values(), settings.ground.shadow, work.background);
}

void LayerRenderer::State::write_rgb(const Tile& tile, const LayerWork& work, Bitmap& picture) const {
  for (int y = 0; y < tile.height; ++y) {
    std::uint8_t* row = picture.at(tile.x, tile.y + y);
    const std::size_t begin = static_cast<std::size_t>(y) * static_cast<std::size_t>(tile.width);
    write_row(work.background.data() + begin, tile.width, row);
    for (int x = 0; x < tile.width; ++x) {
      const std::size_t p = begin + static_cast<std::size_t>(x);
      if (tile.first[p] == tile.first[p + 1]) continue;
      Vec3 color = (1 - work.covered[p]) * work.background[p];
      for (std::size_t i = tile.first[p]; i < tile.first[p + 1]; ++i) color += work.weights[i] * work.colors[i];
      write(row + 3 * x, color);
    }
  }
}

/// A layer that is black outside the body: the weighted mean of what `value` says of each fragment.
template <class Value>
void LayerRenderer::State::write_values(const Tile& tile, const LayerWork& work, Bitmap& picture,
                                        const Value& value) const {
  for (int y = 0; y < tile.height; ++y) {
    std::uint8_t* row = picture.at(tile.x, tile.y + y);
    const std::size_t begin = static_cast<std::size_t>(y) * static_cast<std::size_t>(tile.width);
    std::fill_n(row, 3 * tile.width, std::uint8_t{0});
    for (int x = 0; x < tile.width; ++x) {
      const std::size_t p = begin + static_cast<std::size_t>(x);
      if (tile.first[p] == tile.first[p + 1]) continue;
      Vec3 color;
      for (std::size_t i = tile.first[p]; i < tile.first[p + 1]; ++i) color += work.weights[i] * value(i);
      write(row + 3 * x, color);
    }
  }
}

void LayerRenderer::State::write_numbers(const Tile& tile, const LayerWork& work, int width,
                                         LayerNumbers& numbers) const {
  for (std::size_t p = 0; p < work.covered.size(); ++p) {
    const int x = tile.x + static_cast<int>(p) % tile.width, y = tile.y + static_cast<int>(p) / tile.width;
    const std::size_t pixel =
        static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
    float depth = 0;
    for (std::size_t i = tile.first[p]; i < tile.first[p + 1]; ++i) depth += work.weights[i] * tile.depth[i];
    numbers.coverage[pixel] = work.covered[p];
    numbers.depth[pixel] = work.covered[p] > 0 ? depth / work.covered[p] : 0;
  }
}

View LayerRenderer::State::make_view(const Shader& shader, const Camera& camera) const {
  const float diagonal = box.empty() ? 1.0f : norm(box.size()) + 1e-6f;
  View view{shader, camera.camera_from_world.linear, 0, settings.depth_range > 0 ? settings.depth_range : diagonal};
  const Vec3 middle = box.empty() ? Vec3{} : box.center();
  view.nearest = (camera.camera_from_world * middle).z - 0.5f * view.range;
  return view;
}

void LayerRenderer::State::write_layer(Layer layer, const View& view, const Tile& tile, const LayerWork& work,
                                       Bitmap& picture) const {
  switch (layer) {
    case Layer::kRgb:
    case Layer::kSkeleton:
      return write_rgb(tile, work, picture);
    case Layer::kMask:
      return write_values(tile, work, picture, [](std::size_t) { return Vec3{1, 1, 1}; });
    case Layer::kDepth:
      return write_values(tile, work, picture, [&](std::size_t i) {
        const float grey = std::clamp(1 - 0.9f * (tile.depth[i] - view.nearest) / view.range, 0.1f, 1.0f);
        return Vec3{grey, grey, grey};
      });
    case Layer::kNormals:
      return write_values(tile, work, picture, [&](std::size_t i) {
        const Vec3 n = view.axes * view.shader.normal(tile, i);
        return Vec3{0.5f + 0.5f * n.x, 0.5f - 0.5f * n.y, 0.5f - 0.5f * n.z};
      });
    case Layer::kParts:
      if (!settings.part_colors.empty()) {
        return write_values(tile, work, picture, [&](std::size_t i) { return settings.part_colors[tile.triangle[i]]; });
      }
      return write_values(tile, work, picture, [&](std::size_t i) {
        const int part = view.shader.part(tile, i);
        return part >= 0 ? body->parts().colors[static_cast<std::size_t>(part)] : Vec3{0.5f, 0.5f, 0.5f};
      });
    case Layer::kWeights:
      return write_values(tile, work, picture, [&](std::size_t i) { return view.shader.weight_color(tile, i); });
  }
}

LayerRenderer::LayerRenderer(const Body& body, const LayerSettings& settings) : state_(std::make_unique<State>()) {
  state_->body = &body;
  state_->settings = settings;
  LIMBER_EXPECT(settings.part_colors.empty() || settings.part_colors.size() == body.mesh().triangles.size(),
                "colours of another body's parts");
  if (!body.subject()) return;
  for (const rig::Joint& joint : body.subject()->rig.joints()) state_->parents.push_back(joint.parent);
}
LayerRenderer::~LayerRenderer() = default;
LayerRenderer::LayerRenderer(LayerRenderer&&) noexcept = default;
LayerRenderer& LayerRenderer::operator=(LayerRenderer&&) noexcept = default;

void LayerRenderer::set_pose(const BodyPose& pose) {
  const BodyMesh& mesh = state_->body->mesh();
  LIMBER_EXPECT(pose.points.size() == mesh.colors.size(), "the pose of another body");
  state_->pose = pose;
  state_->box = pose_box(mesh, pose);
  state_->shadow.cast(pose.points, mesh.triangles, state_->box, state_->settings.ground);
}

void LayerRenderer::draw(const Camera& camera, std::span<const Layer> layers, std::vector<Bitmap>& pictures,
                         LayerNumbers* numbers) {
  State& s = *state_;
  const BodyMesh& mesh = s.body->mesh();
  LIMBER_EXPECT(s.pose.points.size() == mesh.colors.size(), "set a pose first");
  const auto has = [&](Layer layer) { return std::find(layers.begin(), layers.end(), layer) != layers.end(); };
  const bool skeleton_on_rgb = has(Layer::kSkeleton) && s.settings.dim > 0;
  const bool colors = has(Layer::kRgb) || skeleton_on_rgb;
  pictures.resize(layers.size());
  for (Bitmap& picture : pictures) {
    if (picture.width != camera.width || picture.height != camera.height || picture.channels != 3) {
      picture = Bitmap(camera.width, camera.height, 3);
    }
  }
  const std::size_t pixel_count = static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
  if (numbers != nullptr) numbers->coverage.resize(pixel_count), numbers->depth.resize(pixel_count);
  s.thread_work.resize(std::max(s.thread_work.size(), static_cast<std::size_t>(thread_count())));

  const Shader shader(mesh, s.pose, camera);
  const View view = s.make_view(shader, camera);

  RasterInput input;
  input.points = s.pose.points;
  input.triangles = mesh.triangles;
  input.kinds = mesh.kinds;
  input.inside = [&](std::uint32_t triangle, Vec3 b) { return shader.inside(triangle, b); };
  s.raster.draw(input, camera, [&](const Tile& tile) {
    LayerWork& work = s.thread_work[static_cast<std::size_t>(thread_index())];
    s.weigh(shader, tile, colors, work);
    if (colors) s.draw_background(camera, tile, work);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      if (layers[l] != Layer::kSkeleton || skeleton_on_rgb) s.write_layer(layers[l], view, tile, work, pictures[l]);
    }
    if (numbers != nullptr) s.write_numbers(tile, work, camera.width, *numbers);
  });

  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (layers[l] != Layer::kSkeleton) continue;
    for (std::uint8_t& value : pictures[l].pixels) value = byte(s.settings.dim * static_cast<float>(value) / 255);
    if (s.pose.joints.size() == s.parents.size()) {
      draw_skeleton(s.pose.joints, s.parents, camera, s.settings.joint_radius, s.settings.min_joint_radius,
                    pictures[l]);
    }
  }
}

}  // namespace limber::scene
