// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/observability.h"

#include <gtest/gtest.h>

#include <numeric>

#include "limber/lift/lift_testing.h"
#include "limber/scene/body_splats.h"

namespace limber::lift {
namespace {

scene::Scene scene_of(const rig::Subject& subject, const asset::Asset* asset, std::size_t count = 1500) {
  scene::SceneSettings settings;
  settings.ground.visible = false, settings.ground.sky = {0, 0, 1};
  splat::SampleSettings sampling;
  sampling.count = count;
  return {subject.rig, scene::subject_gaussians(subject, asset, sampling), settings};
}

/// Mean confidence over all frames of the joints whose name begins so and ends so.
double mean_of(const Observability& o, const rig::Rig& rig, const std::string& begin, const std::string& end) {
  double sum = 0;
  int count = 0;
  for (int j = 0; j < rig.joint_count(); ++j) {
    const std::string& name = rig.joints()[static_cast<std::size_t>(j)].name;
    if (name.rfind(begin, 0) != 0 || name.size() < end.size() || name.substr(name.size() - end.size()) != end) continue;
    for (int t = 0; t < o.frames; ++t) sum += static_cast<double>(o.confidence[o.index(t, j)]), ++count;
  }
  return count > 0 ? sum / count : -1;
}

TEST(Observability, TrustsTheNearLegMoreThanTheFarOne) {
  TestFilmSettings settings;
  settings.azimuth = 1.57, settings.size = 96, settings.action = zoo::Action::kIdle, settings.frames = 2;
  const TestFilm film = make_film(settings);
  scene::Scene scene = scene_of(film.creature.subject, &film.asset);
  const std::vector<scene::Camera> cameras(2, film.camera);
  const Observability seen = observe(scene, cameras, film.truth, {});
  // The camera is at the body's left.
  for (const std::string joint : {"hip", "knee", "elbow"}) {
    const double near = mean_of(seen, film.creature.subject.rig, joint, ".L");
    const double far = mean_of(seen, film.creature.subject.rig, joint, ".R");
    EXPECT_GT(near, far + 0.1) << joint;
    EXPECT_GE(far, 0) << joint;
  }
}

TEST(Observability, ASecondViewFromTheOtherSideShowsTheFarLeg) {
  TestFilmSettings settings;
  settings.azimuth = 1.57, settings.size = 96, settings.action = zoo::Action::kIdle, settings.frames = 2;
  const TestFilm film = make_film(settings);
  scene::Scene scene = scene_of(film.creature.subject, &film.asset);
  std::vector<scene::Camera> cameras(2, film.camera);
  const Observability one = observe(scene, cameras, film.truth, {});
  OrbitPlace other;
  other.azimuth = -1.57, other.elevation = 0.2, other.distance = 3;
  cameras.insert(cameras.end(), 2, orbit_camera(other, {0, 0.3f, 0}, 0.6f, 96, 96));
  const Observability two = observe(scene, cameras, film.truth, {});
  EXPECT_GT(mean_of(two, film.creature.subject.rig, "knee", ".R"),
            mean_of(one, film.creature.subject.rig, "knee", ".R") + 0.1);
  for (std::size_t i = 0; i < one.confidence.size(); ++i) EXPECT_GE(two.confidence[i], one.confidence[i] - 0.05f);
}

TEST(Observability, AJointWithoutSkinOrFreedomIsAGuess) {
  rig::Subject tube = test_tube(3);
  rig::RigDraft draft;
  draft.joints.assign(tube.rig.joints().begin(), tube.rig.joints().end());
  draft.bones.assign(tube.rig.bones().begin(), tube.rig.bones().end());
  rig::Joint bare = draft.joints[2];
  bare.name = "bare", bare.parent = 2;
  draft.joints.push_back(bare);
  tube.rig = rig::build_rig(draft).value();
  scene::Scene scene = scene_of(tube, nullptr, 400);
  const scene::Camera camera = orbit_camera({0, 0.1, 3, 0, 0}, {0, 0.5f, 0}, 0.6f, 64, 64);
  const kinematics::Motion motion = kinematics::rest_motion(tube.rig, 1, 24);
  const Observability seen = observe(scene, std::span(&camera, 1), motion, {true, true, false, true});
  EXPECT_GT(seen.confidence[1], 0.2f);
  EXPECT_EQ(seen.confidence[2], 0);
  EXPECT_EQ(seen.confidence[3], 0);
  EXPECT_EQ(seen.sources[3], MotionSource::kPrior);
  // A camera that looks away sees nothing.
  const scene::Camera away = orbit_camera({0, 0.1, -3, 0, 0}, {0, 0.5f, 0}, 0.6f, 64, 64);
  for (const float c : observe(scene, std::span(&away, 1), motion, {}).confidence) EXPECT_EQ(c, 0);
}

TEST(Observability, RemembersAcrossAFewFrames) {
  Observability o;
  o.frames = 24, o.joints = 1;
  o.confidence.assign(24, 0);
  o.confidence[0] = 0.9f;
  name_sources(o, 24);
  EXPECT_EQ(o.sources[0], MotionSource::kSeen);
  EXPECT_EQ(o.sources[2], MotionSource::kInferred);
  EXPECT_EQ(o.sources[23], MotionSource::kPrior);
}

}  // namespace
}  // namespace limber::lift
