// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/align_camera.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/lift/lift_testing.h"
#include "limber/lift/surface_view.h"
#include "limber/scene/body_splats.h"

namespace limber::lift {
namespace {

double turn_between(const scene::Camera& a, const scene::Camera& b) {
  return static_cast<double>(angle_between(to_quat(a.camera_from_world.linear), to_quat(b.camera_from_world.linear)));
}

struct Aligned {
  TestFilm film;
  CameraAlignment alignment;
};

Aligned align(TestFilmSettings settings, bool colored) {
  settings.action = zoo::Action::kIdle, settings.frames = 2, settings.size = 96;
  Aligned result{make_film(settings), {}};
  TestFilm& film = result.film;
  SurfaceViewer viewer(film.creature.subject);
  scene::SceneSettings scene_settings;
  scene_settings.ground.visible = false;
  scene::Scene scene(film.creature.subject.rig, scene::subject_gaussians(film.creature.subject, &film.asset),
                     scene_settings);
  const kinematics::Motion rest = kinematics::rest_motion(film.creature.subject.rig, 1, 24);
  AlignColors colors;
  if (colored) colors = {&scene, &rest};
  const std::span<const float> mask = std::span(film.masks).first(96 * 96);
  result.alignment = align_camera(viewer, mask, film.video, 0, colors);
  return result;
}

TEST(AlignCamera, FindsWhereACameraStood) {
  for (const double azimuth : {0.6, 2.3, 4.4}) {
    TestFilmSettings settings;
    settings.azimuth = azimuth, settings.elevation = 0.25;
    const Aligned found = align(settings, true);
    EXPECT_GT(found.alignment.overlap, 0.85) << azimuth;
    EXPECT_LT(turn_between(found.alignment.camera, found.film.camera), 0.2) << azimuth;
    const Vec3 eye = inverse(found.film.camera.camera_from_world).translation;
    const Vec3 found_eye = inverse(found.alignment.camera.camera_from_world).translation;
    EXPECT_LT(norm(eye - found_eye), 0.25f * norm(eye)) << azimuth;
  }
}

TEST(AlignCamera, SaysWhenASilhouetteHasTwoExplanations) {
  // A tube looks the same from all around.
  const rig::Subject tube = test_tube(3);
  SurfaceViewer viewer(tube);
  const scene::Camera camera = orbit_camera({0.4, 0.1, 5, 0, 0}, viewer.box().center(), 0.6f, 64, 64);
  SurfaceView view;
  viewer.draw(camera, view);
  const Frames picture(1, 1, 64, 64);
  const CameraAlignment found = align_camera(viewer, view.coverage, picture, 0, {});
  EXPECT_GT(found.overlap, 0.9);
  EXPECT_TRUE(found.ambiguous);
}

TEST(AlignCamera, OfAnEmptyMaskFindsNothing) {
  const rig::Subject tube = test_tube(2);
  SurfaceViewer viewer(tube);
  const std::vector<float> mask(64 * 48);
  const CameraAlignment found = align_camera(viewer, mask, Frames(1, 1, 48, 64), 0, {});
  EXPECT_EQ(found.overlap, 0);
  EXPECT_EQ(found.camera.width, 64);
}

TEST(AlignCamera, OrbitsAsScenesDo) {
  // Azimuth 0 looks at the front from +Z; it grows towards +X.
  const scene::Camera front = orbit_camera({0, 0, 3, 0, 0}, {0, 0.5f, 0}, 0.6f, 64, 64);
  const scene::Camera left = orbit_camera({0.5 * kPi, 0, 3, 0, 0}, {0, 0.5f, 0}, 0.6f, 64, 64);
  const Vec3 front_eye = inverse(front.camera_from_world).translation;
  const Vec3 left_eye = inverse(left.camera_from_world).translation;
  EXPECT_LT(norm(front_eye - Vec3{0, 0.5f, 3}), 1e-5f);
  EXPECT_LT(norm(left_eye - Vec3{3, 0.5f, 0}), 1e-5f);
  EXPECT_LT(project(front, {0, 1, 0}).y, project(front, {0, 0, 0}).y);
  EXPECT_GT(project(front, {1, 0, 0}).x, 32);
}

TEST(AlignCamera, ShrinksByAveraging) {
  const std::vector<float> image{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(shrink(image, 4, 2, 2, 1), (std::vector<float>{2.5f, 4.5f}));
  const std::vector<float> third = shrink(std::vector<float>{1, 1, 1, 4}, 4, 1, 3, 1);
  EXPECT_NEAR(third[2], 3.25f, 1e-5f);
}

}  // namespace
}  // namespace limber::lift
