// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/frames.h"
#include "limber/rig/subject.h"
#include "limber/scene/course.h"
#include "limber/scene/scene.h"

/// How the built-in prior sees a body: painted by its parts, on a large checkerboard, from two opposite sides. What it
/// was taught with and what is fitted to its samples are drawn by the same code.
namespace limber::scene {

struct SketchViewSettings {
  float azimuth = 1.5707963f;  ///< of the first view: the body's left side
  float elevation = 0.25f;
  int views = 2, size = 64;
  Framing framing = Framing::kRest;  ///< as the prior was taught: `PriorInfo::framing`
  bool draw_ground = true;           ///< false: for showing what the ground is good for
  Device device = Device::kCpu;      ///< where it is drawn; `Scene::status` tells what fails there
};

/// A body's surface in the colours of its parts.
splat::Gaussians part_gaussians(const rig::Subject& subject, int count = 1000, std::uint64_t seed = 0);

/// A body as the prior sees it.
class SketchView {
 public:
  /// `gaussians` as `part_gaussians` makes them.
  SketchView(rig::Rig rig, splat::Gaussians gaussians, const SketchViewSettings& settings = {});

  /// Cameras that keep their distance, look at the mean height of the body, and go along with it at its mean velocity:
  /// views x frames.
  std::vector<Camera> cameras(const kinematics::Motion& motion) const;
  std::vector<Camera> cameras(const Course& course, int frames) const;

  /// The straight line, in least squares, that the middle of the body follows.
  Course course(const kinematics::Motion& motion) const;

  static const GroundSettings& ground();
  const Box& rest_box() const { return rest_box_; }

  /// The body at rest, one frame per view.
  Frames rest();
  Frames draw(const kinematics::Motion& motion);

  Scene& scene() { return scene_; }
  /// Another one of the same body, for another thread.
  SketchView another() const { return SketchView(scene_.rig(), scene_.gaussians(), settings_); }

 private:
  SketchViewSettings settings_;
  Scene scene_;
  Box rest_box_;
  float distance_ = 0;  ///< of the cameras from the middle of the body
};

}  // namespace limber::scene
