// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/appearance.h"

#include <gtest/gtest.h>

#include "limber/lift/lift_testing.h"
#include "limber/scene/body_splats.h"

namespace limber::lift {
namespace {

struct Stage {
  TestFilm film;
  scene::Scene scene;
};

Stage stage(bool colored) {
  TestFilmSettings settings;
  settings.size = 96, settings.frames = 2, settings.action = zoo::Action::kIdle, settings.seed = 3;
  TestFilm film = make_film(settings);
  splat::SampleSettings sampling;
  sampling.count = 1500;
  scene::SceneSettings plain;
  plain.ground.visible = false;
  scene::Scene scene(film.creature.subject.rig,
                     scene::subject_gaussians(film.creature.subject, colored ? &film.asset : nullptr, sampling), plain);
  return {std::move(film), std::move(scene)};
}

/// Mean colour error of the scene against the film's first frame, where it shows the body.
double error(Stage& s) {
  Frames drawn;
  kinematics::Motion one = kinematics::rest_motion(s.film.creature.subject.rig, 1, 24);
  one.root_translations[0] = s.film.truth.root_translations[0];
  std::copy_n(s.film.truth.angles.begin(), one.angles.size(), one.angles.begin());
  s.scene.forward(one, std::span(&s.film.camera, 1), drawn);
  const std::size_t plane = 96 * 96;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < plane; ++i) {
    if (s.film.masks[i] < 0.5f) continue;
    for (std::size_t c = 0; c < 3; ++c) {
      sum += std::abs(static_cast<double>(drawn.values[c * plane + i] - s.film.video.values[c * plane + i])), ++count;
    }
  }
  return sum / count;
}

TEST(Appearance, TakesOnTheVideosColoursWithAndWithoutTextures) {
  for (const bool colored : {true, false}) {
    Stage s = stage(colored);
    SurfaceViewer viewer(s.film.creature.subject);
    const std::span<const Vec3> angles = s.film.truth.frame_angles(0);
    const kinematics::Pose pose{s.film.truth.root_translations[0], {angles.begin(), angles.end()}};
    const double before = error(s);
    const ColorMatch match = match_colors(s.scene, viewer, s.film.camera, pose, s.film.video, 0,
                                          std::span<const float>(s.film.masks).first(96 * 96));
    EXPECT_EQ(match.from_video, !colored);
    EXPECT_LT(error(s), 0.7 * before) << colored;
    EXPECT_LT(error(s), 0.1) << colored;
  }
}

TEST(Appearance, InsetGaussiansAreNoWiderThanTheMesh) {
  Stage s = stage(true);
  SurfaceViewer viewer(s.film.creature.subject);
  splat::Gaussians gaussians = s.scene.gaussians();
  EXPECT_GT(inset_gaussians(gaussians, viewer, s.film.camera), 0);
  SurfaceView view;
  viewer.draw(s.film.camera, view);
  const auto overlap = [&](splat::Gaussians white) {
    for (Vec3& h : white.harmonics) h = splat::harmonic_from_color({1, 1, 1});
    scene::SceneSettings black;
    black.ground.visible = false, black.ground.sky = {0, 0, 0};
    scene::Scene scene(s.film.creature.subject.rig, white, black);
    Frames drawn;
    scene.forward(kinematics::rest_motion(s.film.creature.subject.rig, 1, 24), std::span(&s.film.camera, 1), drawn);
    return silhouette_overlap(std::span<const float>(drawn.values).first(96 * 96), view.coverage);
  };
  EXPECT_GT(overlap(gaussians), overlap(s.scene.gaussians()) + 0.02);
  EXPECT_GT(overlap(gaussians), 0.85);
}

TEST(Appearance, CutsOutBeforeAColourThatTheSubjectDoesNotHave) {
  Frames video(1, 2, 16, 16);
  std::vector<float> masks(2 * 256);
  for (std::size_t i = 0; i < 256; i += 2) {
    masks[i] = masks[256 + i] = 1;
    for (std::size_t t = 0; t < 2; ++t) {
      video.values[t * 768 + i] = 0.9f, video.values[t * 768 + 256 + i] = 0.8f;  // yellow
    }
  }
  EXPECT_EQ(contrasting_color(video, masks), (Vec3{0, 0, 1}));
  const Frames cut = cut_out(video, masks, {0, 0, 1});
  EXPECT_EQ(cut.values[0], 0.9f);
  EXPECT_EQ(cut.values[1], 0);
  EXPECT_EQ(cut.values[513], 1);
}

}  // namespace
}  // namespace limber::lift
