// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/planar_lift.h"

#include <gtest/gtest.h>

#include "limber/kinematics/forward.h"
#include "limber/lift/lift_testing.h"

namespace limber::lift {
namespace {

/// Exact tracks of all points of a tube in a motion.
SurfaceTracks true_tracks(const rig::Subject& tube, const scene::Camera& camera, const kinematics::Motion& motion) {
  SurfaceTracks tracks;
  tracks.frames = motion.frame_count();
  for (std::uint32_t t = 0; t < tube.triangles.size(); ++t) {
    SurfaceTrack track;
    track.triangle = t, track.barycentric = {0.4f, 0.3f, 0.3f};
    const SkinPoint point = skin_point(tube, t, track.barycentric);
    const MainJoint main = main_joint(tube.rig, point);
    if (main.weight < 0.999) continue;  // of one bone alone: rigid
    track.joint = main.joint;
    tracks.tracks.push_back(track), tracks.points.push_back(point);
  }
  tracks.tracked.resize(tracks.tracks.size() * static_cast<std::size_t>(tracks.frames));
  PoseModel model(tube.rig, {});
  for (int f = 0; f < motion.frame_count(); ++f) {
    const std::span<const Vec3> angles = motion.frame_angles(f);
    const kinematics::Pose pose{motion.root_translations[static_cast<std::size_t>(f)], {angles.begin(), angles.end()}};
    model.set(model.unknowns(pose), pose);
    for (std::size_t k = 0; k < tracks.tracks.size(); ++k) {
      const Projection image = project_point(camera, model.place(tracks.points[k]));
      tracks.at(k, f) = {{static_cast<float>(image.x), static_cast<float>(image.y)}, 1};
    }
  }
  return tracks;
}

/// Every vertex follows one joint: the tube bends at its joints alone.
rig::Subject rigid_tube(int joints) {
  rig::Subject tube = test_tube(joints);
  for (std::size_t p = 0; p < tube.weights.points(); ++p) {
    const std::size_t row = p * static_cast<std::size_t>(tube.weights.stride);
    for (int k = 0; k < tube.weights.stride; ++k) tube.weights.weights[row + static_cast<std::size_t>(k)] = k == 0;
  }
  return tube;
}

/// Largest angle between the joints' world rotations in two motions, degrees.
double rotation_error(const rig::Rig& rig, const kinematics::Motion& a, const kinematics::Motion& b) {
  const std::vector<Affine> x = kinematics::joint_matrices(rig, a), y = kinematics::joint_matrices(rig, b);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, static_cast<double>(angle_between(decompose(x[i]).rotation, decompose(y[i]).rotation)));
  }
  return worst * 180 / kPi;
}

kinematics::Motion swing(const rig::Subject& tube, int axis) {
  kinematics::Motion motion = kinematics::rest_motion(tube.rig, 9, 24);
  for (int f = 0; f < 9; ++f) {
    const auto phase = static_cast<float>(f - 4);
    for (int j = 0; j < tube.rig.joint_count(); ++j) {
      motion.frame_angles(f)[static_cast<std::size_t>(j)][axis] =
          0.15f * phase * static_cast<float>(j % 2 == 0 ? 1 : -2);
    }
    motion.root_translations[static_cast<std::size_t>(f)] = {0.05f * phase, 0.02f * phase, 0};
  }
  return motion;
}

TEST(PlanarLift, RecoversAnOrthographicSwingExactly) {
  const rig::Subject tube = rigid_tube(3);
  const scene::Camera camera = far_camera(256, 100);
  const kinematics::Motion truth = swing(tube, 2);
  const SurfaceTracks tracks = true_tracks(tube, camera, truth);
  ASSERT_GT(tracks.tracks.size(), 12u);
  const PlanarLift lift = planar_lift(tube.rig, tracks, camera, 4, kinematics::rest_pose(tube.rig), 24);
  EXPECT_LT(rotation_error(tube.rig, lift.motion, truth), 0.1);
  for (std::size_t f = 0; f < 9; ++f) {
    EXPECT_LT(norm(lift.motion.root_translations[f] - truth.root_translations[f]), 2e-3f) << "frame " << f;
  }
  for (const float weight : lift.weights) EXPECT_GT(weight, 0.9f);
}

TEST(PlanarLift, HandlesImageYDown) {
  // The top goes to the picture's left: counter-clockwise, a positive turn about the axis towards the camera.
  const rig::Subject tube = rigid_tube(2);
  const scene::Camera camera = far_camera(256, 100);
  kinematics::Motion truth = kinematics::rest_motion(tube.rig, 2, 24);
  truth.frame_angles(1)[1].z = 0.4f;
  const SurfaceTracks tracks = true_tracks(tube, camera, truth);
  const PlanarLift lift = planar_lift(tube.rig, tracks, camera, 0, kinematics::rest_pose(tube.rig), 24);
  EXPECT_NEAR(lift.motion.frame_angles(1)[1].z, 0.4f, 0.003f);
  EXPECT_NEAR(lift.motion.frame_angles(1)[0].z, 0, 0.003f);
}

TEST(PlanarLift, FindsAForeshortenedSwingWhenAsked) {
  const rig::Subject tube = rigid_tube(3);
  const scene::Camera camera = far_camera(256, 100);
  kinematics::Motion truth = kinematics::rest_motion(tube.rig, 7, 24);
  for (int f = 0; f < 7; ++f) truth.frame_angles(f)[2].x = 0.5f + 0.08f * static_cast<float>(f);
  kinematics::Pose start = kinematics::rest_pose(tube.rig);
  start.angles[2].x = 0.5f;
  const SurfaceTracks tracks = true_tracks(tube, camera, truth);
  PlanarLiftSettings settings;
  const double plain =
      rotation_error(tube.rig, planar_lift(tube.rig, tracks, camera, 0, start, 24, settings).motion, truth);
  settings.foreshortening = true;
  const double lifted =
      rotation_error(tube.rig, planar_lift(tube.rig, tracks, camera, 0, start, 24, settings).motion, truth);
  EXPECT_GT(plain, 20);
  EXPECT_LT(lifted, 4);
}

TEST(PlanarLift, MarksABoneAimedAtTheCamera) {
  const rig::Subject tube = rigid_tube(3);
  // From above: the tube points at the camera.
  OrbitPlace place;
  place.elevation = 0.5 * kPi, place.distance = 500;
  const auto fov = static_cast<float>(2 * std::atan(128 / (100 * place.distance)));
  const scene::Camera camera = orbit_camera(place, {0, 0.5f, 0}, fov, 256, 256);
  const kinematics::Motion truth = kinematics::rest_motion(tube.rig, 3, 24);
  const SurfaceTracks tracks = true_tracks(tube, camera, truth);
  const PlanarLift lift = planar_lift(tube.rig, tracks, camera, 0, kinematics::rest_pose(tube.rig), 24);
  for (const float weight : lift.weights) EXPECT_EQ(weight, 0);
  EXPECT_EQ(lift.motion.angles, truth.angles);
}

TEST(PlanarLift, LetsUnseenBonesGoAlong) {
  const rig::Subject tube = rigid_tube(3);
  const scene::Camera camera = far_camera(256, 100);
  const kinematics::Motion truth = swing(tube, 2);
  SurfaceTracks tracks = true_tracks(tube, camera, truth);
  for (std::size_t k = 0; k < tracks.tracks.size(); ++k) {
    if (tracks.tracks[k].joint == 2) tracks.at(k, 7).confidence = 0;
  }
  const PlanarLift lift = planar_lift(tube.rig, tracks, camera, 4, kinematics::rest_pose(tube.rig), 24);
  EXPECT_EQ(lift.weights[7 * 3 + 2], 0);
  EXPECT_EQ(lift.motion.frame_angles(7)[2], Vec3{});
  EXPECT_NEAR(lift.motion.frame_angles(7)[1].z, truth.frame_angles(7)[1].z, 0.003f);
}

TEST(PlanarLift, TakesEachBoneFromTheViewThatShowsIt) {
  const rig::Subject tube = rigid_tube(3);
  const scene::Camera camera = far_camera(256, 100);
  const kinematics::Motion truth = swing(tube, 2);
  SurfaceTracks first = true_tracks(tube, camera, truth), second = first;
  for (std::size_t k = 0; k < first.tracks.size(); ++k) {
    SurfaceTracks& hidden = first.tracks[k].joint == 1 ? first : second;
    for (int f = 0; f < hidden.frames; ++f) {
      if (f != 4) hidden.at(k, f).confidence = 0;
    }
  }
  const std::vector<PlanarView> views{{first, camera}, {second, camera}};
  const PlanarLift lift = planar_lift(tube.rig, views, 4, kinematics::rest_pose(tube.rig), 24);
  EXPECT_LT(rotation_error(tube.rig, lift.motion, truth), 0.1);
}

TEST(PlanarLift, LetsBonesThatHardlyShowGoAlong) {
  const rig::Subject tube = rigid_tube(3);
  const scene::Camera camera = far_camera(256, 100);
  const kinematics::Motion truth = swing(tube, 2);
  const SurfaceTracks tracks = true_tracks(tube, camera, truth);
  PlanarLiftSettings settings;
  settings.pixel_noise = 1;  // bones are dozens of pixels long
  const PlanarLift sure = planar_lift(tube.rig, tracks, camera, 4, kinematics::rest_pose(tube.rig), 24, settings);
  EXPECT_LT(rotation_error(tube.rig, sure.motion, truth), 1);
  settings.pixel_noise = 1e4f;
  const PlanarLift unsure = planar_lift(tube.rig, tracks, camera, 4, kinematics::rest_pose(tube.rig), 24, settings);
  for (const Vec3& angles : unsure.motion.angles) EXPECT_LT(norm(angles), 0.05f);
}

TEST(PlanarLift, CleansFramesThatLeaveAndComeBack) {
  const rig::Subject tube = rigid_tube(3);
  const scene::Camera camera = far_camera(256, 100);
  SurfaceTracks tracks = true_tracks(tube, camera, kinematics::rest_motion(tube.rig, 9, 24));
  for (std::size_t k = 0; k < tracks.tracks.size(); ++k) {
    if (tracks.tracks[k].joint == 2) tracks.at(k, 5).pixel.x += 20;
  }
  PlanarLiftSettings settings;
  EXPECT_GT(norm(planar_lift(tube.rig, tracks, camera, 0, kinematics::rest_pose(tube.rig), 24, settings)
                     .motion.frame_angles(5)[2]),
            0.2f);
  settings.clean = true;
  const PlanarLift lift = planar_lift(tube.rig, tracks, camera, 0, kinematics::rest_pose(tube.rig), 24, settings);
  for (const Vec3& angles : lift.motion.angles) EXPECT_LT(norm(angles), 0.003f);
}

}  // namespace
}  // namespace limber::lift
