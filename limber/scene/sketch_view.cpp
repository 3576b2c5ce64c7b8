// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/sketch_view.h"

#include <algorithm>
#include <cmath>

#include "limber/kinematics/forward.h"
#include "limber/scene/body_splats.h"
#include "limber/scene/skinned_cloud.h"

namespace limber::scene {
namespace {

constexpr float kFieldOfView = 0.6f;
/// Of the image that the body takes at rest: limbs need room to swing. What they can reach may take nearly all of it.
constexpr float kFill = 0.85f, kReachFill = 0.97f;
/// How far what sticks out sideways may swing, of its length: wings and arms up and down, less of it forward and back.
constexpr Vec3 kSwing{0, 0.7f, 0.4f};

SceneSettings scene_settings(const SketchViewSettings& asked = {}) {
  SceneSettings settings;
  settings.raster.device = asked.device;
  settings.ground.cell = 0.8f;
  settings.ground.light = {0.62f, 0.62f, 0.62f}, settings.ground.dark = {0.50f, 0.50f, 0.50f};
  settings.ground.sky = {0.80f, 0.80f, 0.80f};
  settings.ground.shadow = 0;
  settings.ground.visible = asked.draw_ground;
  return settings;
}

/// From where the longest side of the body is seen whole.
float rest_distance(const Box& rest) {
  const Vec3 size = rest.size();
  const float radius = 0.5f * std::max({size.x, size.y, size.z, 1e-3f});
  return radius / (kFill * std::tan(0.5f * kFieldOfView));
}

/// From where its left or right is, and what can swing into sight: how wide it is does not show there.
float reach_distance(const Box& rest, const Box& swung) {
  const Vec3 size = rest.size(), low = rest.center() - swung.low, high = swung.high - rest.center();
  const float still = 0.5f * std::max({size.y, size.z, 1e-3f}), swinging = std::max({low.y, low.z, high.y, high.z});
  return std::max(still / kFill, swinging / kReachFill) / std::tan(0.5f * kFieldOfView);
}

}  // namespace

splat::Gaussians part_gaussians(const rig::Subject& subject, int count, std::uint64_t seed) {
  splat::SampleSettings sampling;
  sampling.count = static_cast<std::size_t>(count);
  sampling.seed = seed;
  splat::Gaussians gaussians = subject_gaussians(subject, nullptr, sampling);
  paint_parts(gaussians, subject.rig, find_parts(subject));
  return gaussians;
}

SketchView::SketchView(rig::Rig rig, splat::Gaussians gaussians, const SketchViewSettings& settings)
    : settings_(settings), scene_(std::move(rig), std::move(gaussians), scene_settings(settings)) {
  const kinematics::Motion rest = kinematics::rest_motion(scene_.rig(), 1, 12);
  rest_box_ = scene_.frame_boxes(rest).front();
  distance_ = rest_distance(rest_box_);
  if (settings_.framing == Framing::kReach) {
    const std::vector<Affine> bones = kinematics::bone_matrices(scene_.rig(), rest);
    distance_ = reach_distance(rest_box_, swung_box(scene_.gaussians(), bones, rest_box_, kSwing));
  }
  // The near side is nearer.
  distance_ += 0.5f * std::min(rest_box_.size().x, rest_box_.size().z);
}

const GroundSettings& SketchView::ground() {
  static const GroundSettings settings = scene_settings().ground;
  return settings;
}

Course SketchView::course(const kinematics::Motion& motion) const {
  const std::vector<Box> boxes = scene_.frame_boxes(motion);
  const auto frames = static_cast<double>(boxes.size());
  Vec3d mean, slope;
  double spread = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) mean += (1 / frames) * boxes[i].center().cast<double>();
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const double t = static_cast<double>(i) - 0.5 * (frames - 1);
    slope += t * (boxes[i].center().cast<double>() - mean);
    spread += t * t;
  }
  if (spread > 0) slope = (1 / spread) * slope;
  return {mean.cast<float>(), slope.cast<float>()};
}

std::vector<Camera> SketchView::cameras(const kinematics::Motion& motion) const {
  return cameras(course(motion), motion.frame_count());
}

std::vector<Camera> SketchView::cameras(const Course& course, int frames) const {
  std::vector<Camera> cameras;
  for (int view = 0; view < settings_.views; ++view) {
    const float azimuth =
        settings_.azimuth + 6.2831853f * static_cast<float>(view) / static_cast<float>(settings_.views);
    const Vec3 away{std::sin(azimuth) * std::cos(settings_.elevation), std::sin(settings_.elevation),
                    std::cos(azimuth) * std::cos(settings_.elevation)};
    for (int i = 0; i < frames; ++i) {
      const double t = i - 0.5 * (frames - 1);
      const Vec3 target{static_cast<float>(course.middle.x + t * course.velocity.x), course.middle.y,
                        static_cast<float>(course.middle.z + t * course.velocity.z)};
      cameras.push_back(
          splat::look_at(target + distance_ * away, target, {0, 1, 0}, kFieldOfView, settings_.size, settings_.size));
    }
  }
  return cameras;
}

Frames SketchView::draw(const kinematics::Motion& motion) {
  Frames frames;
  scene_.forward(motion, cameras(motion), frames);
  return frames;
}

Frames SketchView::rest() { return draw(kinematics::rest_motion(scene_.rig(), 1, 12)); }

}  // namespace limber::scene
