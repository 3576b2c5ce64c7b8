// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "limber/base/bitmap.h"
#include "limber/scene/body.h"
#include "limber/scene/cameras.h"
#include "limber/scene/ground.h"

/// Pictures of a posed body in several layers, registered to the pixel: all come from the same fragments, with the same
/// coverage.
namespace limber::scene {

enum class Layer : std::uint8_t {
  kRgb,       ///< lit and textured, on the ground
  kMask,      ///< white where the body is
  kDepth,     ///< near is bright; black where there is no body
  kNormals,   ///< seen from the camera: x right, y up, z towards the viewer, each 0 .. 1 for -1 .. 1; black outside
  kParts,     ///< part colours (see parts.h), black outside
  kSkeleton,  ///< a disc at every joint in its colour, tapered bones between them, over a dimmed kRgb
  kWeights,   ///< joint colours mixed by the skin weights, black outside
};
inline constexpr int kLayerCount = 7;
std::string_view name(Layer layer);  ///< "rgb"
std::optional<Layer> layer_from_name(std::string_view name);

struct LayerSettings {
  GroundSettings ground;
  float dim = 0.4f;               ///< brightness of what lies under the skeleton; 0: black
  float joint_radius = 0.012f;    ///< of the skeleton's discs, in heights of the body
  float min_joint_radius = 2.0f;  ///< the same in pixels
  std::vector<Vec3>
      part_colors;        ///< of kParts, per triangle of the body (`label_colors`); empty: those of `Body::parts`
  float depth_range = 0;  ///< of kDepth, around the body's middle, world; 0: the diagonal of its box
};

/// What pictures cannot hold.
struct LayerNumbers {
  std::vector<float> coverage;  ///< per pixel, 0 to 1
  std::vector<float> depth;     ///< per pixel, camera z; 0 where there is no body
};

/// Draws one body. Keeps its buffers; not thread-safe. The same bits for any number of threads.
class LayerRenderer {
 public:
  /// `body` must outlive the renderer.
  explicit LayerRenderer(const Body& body, const LayerSettings& settings = {});
  ~LayerRenderer();
  LayerRenderer(LayerRenderer&&) noexcept;
  LayerRenderer& operator=(LayerRenderer&&) noexcept;

  /// What `draw` shows from now on. Copied.
  void set_pose(const BodyPose& pose);

  /// One picture of 3 channels per layer asked for, and numbers where wanted.
  void draw(const Camera& camera, std::span<const Layer> layers, std::vector<Bitmap>& pictures,
            LayerNumbers* numbers = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Draws the skeleton over a picture of 3 channels: `joints` in the world, per joint its parent or -1.
void draw_skeleton(std::span<const Vec3> joints, std::span<const int> parents, const Camera& camera, float radius,
                   float min_radius, Bitmap& picture);

}  // namespace limber::scene
