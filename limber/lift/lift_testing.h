// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "limber/asset/video.h"
#include "limber/base/frames.h"
#include "limber/base/rng.h"
#include "limber/lift/align_camera.h"
#include "limber/lift/surface_view.h"
#include "limber/scene/body.h"
#include "limber/scene/layers.h"
#include "limber/testing/toy_assets.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

/// Videos of known motions, for tests. Private to `lift`.
namespace limber::lift {

struct TestFilmSettings {
  zoo::Plan plan = zoo::Plan::kQuadruped;
  std::uint64_t seed = 1;
  int resolution = 32;
  zoo::Action action = zoo::Action::kWalk;
  int frames = 8;
  double fps = 12;
  double amplitude = 1;
  double azimuth = 1.2, elevation = 0.2;
  int size = 128;
  bool ground = false;  ///< checkerboard and shadow; else one colour
  Vec3 background{0.35f, 0.55f, 0.75f};
};

/// A zoo creature in front of a camera that stands still, drawn by the mesh rasterizer with light and its own coat.
struct TestFilm {
  zoo::Creature creature;
  asset::Asset asset;
  kinematics::Motion truth;
  scene::Camera camera;
  Frames video;
  std::vector<float> masks;  ///< frames x pixels
};

inline void draw_film(const TestFilmSettings& settings, TestFilm& film) {
  scene::Body body = scene::Body::from_subject(film.asset, film.creature.subject).value();
  scene::LayerSettings layers;
  layers.ground.visible = settings.ground;
  if (!settings.ground) layers.ground.sky = settings.background;
  scene::LayerRenderer renderer(body, layers);
  film.video = Frames(1, film.truth.frame_count(), settings.size, settings.size);
  film.masks.clear();
  scene::BodyPose pose;
  std::vector<Bitmap> pictures;
  scene::LayerNumbers numbers;
  for (int t = 0; t < film.truth.frame_count(); ++t) {
    body.pose(film.truth, t, pose);
    renderer.set_pose(pose);
    const scene::Layer layer = scene::Layer::kRgb;
    renderer.draw(film.camera, std::span(&layer, 1), pictures, &numbers);
    asset::set_frame(film.video, 0, t, pictures.front());
    for (const float c : numbers.coverage) film.masks.push_back(c > 0.5f ? 1.0f : 0.0f);
  }
}

inline TestFilm make_film(const TestFilmSettings& settings) {
  zoo::CreatureSettings creature;
  creature.plan = settings.plan, creature.seed = settings.seed, creature.resolution = settings.resolution;
  TestFilm film{zoo::make_creature(creature).value(), {}, {}, {}, {}, {}};
  film.asset = zoo::static_asset(film.creature);
  zoo::ActionSettings action;
  action.action = settings.action, action.frames = settings.frames, action.fps = settings.fps;
  action.amplitude = settings.amplitude;
  action.in_place = true;
  film.truth = zoo::perform(film.creature, action).value().motion;
  SurfaceViewer viewer(film.creature.subject);
  scene::Box box;
  for (int t = 0; t < film.truth.frame_count(); t += 4) {
    viewer.set_frame(film.truth, t);
    box.add(viewer.box());
  }
  OrbitPlace place;
  place.azimuth = settings.azimuth, place.elevation = settings.elevation;
  place.distance = 0.55 * static_cast<double>(norm(box.size())) / std::tan(0.3);
  film.camera = orbit_camera(place, box.center(), 0.6f, settings.size, settings.size);
  draw_film(settings, film);
  return film;
}

/// A rigged tube along +Y, height one, that a camera far away sees from +Z.
inline rig::Subject test_tube(int joints) { return rig::subject_from_asset(testing::tube_asset(joints)).value(); }

/// As good as orthographic: `pixels` per height in the middle of the picture.
inline scene::Camera far_camera(int size, double pixels, double azimuth = 0) {
  OrbitPlace place;
  place.azimuth = azimuth;
  place.distance = 500;
  const auto fov = static_cast<float>(2 * std::atan(0.5 * size / (pixels * place.distance)));
  return orbit_camera(place, {0, 0.5f, 0}, fov, size, size);
}

inline void add_noise(Frames& video, double sigma, std::uint64_t seed) {
  Rng rng(seed);
  for (float& v : video.values) v = std::clamp(v + static_cast<float>(sigma * rng.normal()), 0.0f, 1.0f);
}

}  // namespace limber::lift
