// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "limber/scene/ground.h"
#include "limber/scene/scene_cuda.h"

/// What `find_ground_speed` compares, and its comparison on a GPU. Private to `lift`.
namespace limber::lift {

/// Grey values of a few frames, and which of their pixels show the ground: no colour on or beside them.
struct GroundPixels {
  std::vector<int> frames;
  std::vector<float> grey;  ///< views x frames x pixels
  std::vector<bool> seen;
};

/// Errors beyond this count as this.
inline constexpr double kMostGroundError = 0.2;

struct GroundMatch {
  double error = 0, contrast = 0;
};
/// From sums over pixels: of squared errors, of what was expected, of its squares, of ones.
GroundMatch agreement_of(double squares, double sum, double sum_squares, double count);

class CudaGroundSearch {
 public:
  /// Works on the scene's queue, and fails as it does.
  CudaGroundSearch(scene::CudaScene& scene, const scene::GroundSettings& ground, const GroundPixels& pixels, int width,
                   int height);
  ~CudaGroundSearch();

  /// How well the ground agrees as each set of cameras sees it, one camera for every picture. Waits.
  std::vector<GroundMatch> compare(std::span<const scene::Camera> cameras);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace limber::lift
