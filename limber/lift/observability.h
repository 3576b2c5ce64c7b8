// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/scene/scene.h"

/// What pictures say about each joint in each frame, and what was only guessed.
namespace limber::lift {

enum class MotionSource : std::uint8_t {
  kSeen,      ///< the pictures of this frame fix it
  kInferred,  ///< half of it, or frames close by do
  kPrior,     ///< nothing but rest pose, limits and smoothness
};
std::string_view name(MotionSource source);  ///< "seen"

struct Observability {
  int frames = 0, joints = 0;
  /// Frames x joints, 0 to 1: by how much the pictures narrow down the joint's angles, of what is known without them
  /// (one minus the ratio of standard deviations), mean of its three axes. 0 for joints that nothing visible hangs on.
  std::vector<float> confidence;
  std::vector<float> sigma;  ///< frames x joints, radians: of the worst axis
  std::vector<MotionSource> sources;

  std::size_t index(int frame, int joint) const {
    return static_cast<std::size_t>(frame) * static_cast<std::size_t>(joints) + static_cast<std::size_t>(joint);
  }
};

struct ObservabilitySettings {
  double prior_sigma = 0.6;     ///< radians: what is known of an angle without pictures
  double root_sigma = 0.3;      ///< heights, of the root's place, likewise
  double color_sigma = 0.2;     ///< of a pixel's colour: noise, light, and what the body's model lacks
  double pixels_per_fact = 25;  ///< errors of neighbouring pixels are alike: so many count as one
  double seen = 0.5;            ///< confidence that counts as seen
  double guessed = 0.15;        ///< confidence below which a joint was only guessed
  double memory = 0.15;         ///< seconds over which other frames' confidence falls to a third
};

/// From the Gauss-Newton information of the pictures at a motion: how much every pixel would change with every angle,
/// given all others. `cameras` are views x frames as for Scene::forward; `free` per joint, empty: all; joints that are
/// not free have confidence 0. The pictures are those that the scene draws.
Observability observe(scene::Scene& scene, std::span<const scene::Camera> cameras, const kinematics::Motion& motion,
                      const std::vector<bool>& free, const ObservabilitySettings& settings = {});

/// Sources from confidences: `fps` says how far apart frames are.
void name_sources(Observability& observability, double fps, const ObservabilitySettings& settings = {});

}  // namespace limber::lift
