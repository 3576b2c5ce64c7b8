// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/forward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/testing/toy_rigs.h"

namespace limber::kinematics {
namespace {

using testing::random_vector;
using testing::toy_rig;
using testing::ToyRigSettings;
using testing::ToyShape;

double distance(const Affine& a, const Affined& b) {
  double sum = squared_norm(a.translation.cast<double>() - b.translation);
  for (int r = 0; r < 3; ++r) sum += squared_norm(a.linear.row(r).cast<double>() - b.linear.row(r));
  return std::sqrt(sum);
}

ToyRigSettings everything(int joints) {
  ToyRigSettings settings;
  settings.joints = joints;
  settings.axes = settings.scales = settings.frames = true;
  return settings;
}

/// An upright chain of three joints, one unit each, as a person would draw it.
rig::Rig arm() {
  rig::RigDraft draft;
  for (int j = 0; j < 3; ++j) {
    rig::Joint joint;
    joint.name = "arm";
    joint.parent = j - 1;
    joint.rest.translation = {0, j == 0 ? 0.0f : 1.0f, 0};
    draft.joints.push_back(joint);
  }
  return rig::build_rig(draft).value();
}

Motion random_motion(const rig::Rig& rig, int frames, std::uint64_t seed) {
  Rng rng(seed);
  Motion motion = rest_motion(rig, frames, 24);
  for (Vec3& v : motion.root_translations) v = random_vector(rng);
  for (Vec3& v : motion.angles) v = random_vector(rng);
  return motion;
}

TEST(Forward, BendsAnElbowLikeAnElbow) {
  const rig::Rig rig = arm();
  Pose pose = rest_pose(rig);
  pose.root_translation = {5, 0, 0};
  pose.angles[1] = {0, 0, static_cast<float>(kPi / 2)};
  const std::vector<Affine> joints = joint_matrices(rig, pose), bones = bone_matrices(rig, pose);
  // A quarter turn about z takes the upper arm's +y to -x.
  EXPECT_LT(norm(joints[1].translation - Vec3{5, 1, 0}), 1e-6f);
  EXPECT_LT(norm(joints[2].translation - Vec3{4, 1, 0}), 1e-6f);
  EXPECT_LT(norm(bones[2] * Vec3{0, 3, 0} - Vec3{3, 1, 0}), 1e-6f);
}

TEST(Forward, ComposesTheThreeAnglesInOrder) {
  const Vec3d angles{0.3, -0.8, 1.1};
  const Mat3d expected = to_matrix(axis_angle(Vec3d{1, 0, 0}, angles.x)) *
                         to_matrix(axis_angle(Vec3d{0, 1, 0}, angles.y)) *
                         to_matrix(axis_angle(Vec3d{0, 0, 1}, angles.z));
  const Mat3d got = euler_matrix(angles);
  for (int r = 0; r < 3; ++r) EXPECT_LT(norm(got.row(r) - expected.row(r)), 1e-12);
}

TEST(Forward, FollowsTheFormulaOfAJoint) {
  const rig::Rig rig = toy_rig(everything(6));
  const Motion motion = random_motion(rig, 1, 2);
  std::vector<Affined> expected;
  for (std::size_t j = 0; j < rig.joints().size(); ++j) {
    const rig::Joint& joint = rig.joints()[j];
    const auto turn = [](Mat3d m) { return Affined{m, {}}; };
    const Mat3d axes = to_matrix(joint.axes.cast<double>());
    Affined local = joint.parent_from_frame.cast<double>() * translation(joint.rest.translation.cast<double>()) *
                    turn(to_matrix(joint.rest.rotation.cast<double>())) * turn(axes) *
                    turn(euler_matrix(motion.angles[j].cast<double>())) * turn(transposed(axes)) *
                    turn(Mat3d::diagonal(joint.rest.scale.cast<double>()));
    if (j == 0) local = translation(motion.root_translations[0].cast<double>()) * local;
    expected.push_back(j == 0 ? local : expected[static_cast<std::size_t>(joint.parent)] * local);
  }
  const std::vector<Affine> joints = joint_matrices(rig, motion);
  for (std::size_t j = 0; j < joints.size(); ++j) EXPECT_LT(distance(joints[j], expected[j]), 2e-6);
}

TEST(Forward, RestLeavesEveryPointInPlace) {
  const rig::Rig rig = toy_rig(everything(40));
  const std::vector<Affine> bones = bone_matrices(rig, rest_pose(rig)), joints = joint_matrices(rig, rest_pose(rig));
  for (std::size_t j = 0; j < joints.size(); ++j) {
    EXPECT_LT(distance(joints[j], rig.world_from_rest()[j].cast<double>()), 1e-6);
    EXPECT_LT(distance(bones[j], Affined{}), 1e-5);
  }
}

TEST(Forward, FloatAgreesWithDoubleAlongTwoHundredJoints) {
  ToyRigSettings settings;
  settings.shape = ToyShape::kChain;
  settings.joints = 200;
  settings.axes = true;
  const rig::Rig rig = toy_rig(settings);
  const Motion motion = random_motion(rig, 3, 4);
  const std::vector<Affine> rounded = joint_matrices(rig, motion);
  for (int f = 0; f < 3; ++f) {
    FrameBufferT<float> buffer;
    FrameBufferT<double> double_buffer;
    std::vector<Affine> world(200);
    std::vector<Affined> world_double(200);
    joints_forward<float>(rig, motion_frame(rig, motion, f, buffer), world);
    joints_forward<double>(rig, motion_frame(rig, motion, f, double_buffer), world_double);
    for (std::size_t j = 0; j < 200; ++j) {
      EXPECT_LT(distance(world[j], world_double[j]), 1e-4);
      // Whole motions are computed in double and rounded once.
      EXPECT_EQ(rounded[static_cast<std::size_t>(f) * 200 + j], world_double[j].cast<float>());
    }
  }
}

TEST(Forward, OverridesReplaceRestTranslationAndScale) {
  const rig::Rig rig = arm();
  Motion motion = rest_motion(rig, 2, 24);
  motion.overrides.push_back({1, {{0, 1, 0}, {0, 3, 0}}, {}});
  motion.overrides.push_back({2, {}, {{1, 1, 1}, {2, 2, 2}}});
  const std::vector<Affine> joints = joint_matrices(rig, motion);
  EXPECT_EQ(joints[2].translation, (Vec3{0, 2, 0}));
  EXPECT_EQ(joints[3 + 2].translation, (Vec3{0, 4, 0}));
  EXPECT_EQ(joints[3 + 2].linear, Mat3::diagonal({2, 2, 2}));
}

TEST(Forward, WholeMotionsAreTheSameForAnyThreadCount) {
  const rig::Rig rig = toy_rig(everything(20));
  const Motion motion = random_motion(rig, 33, 5);
  set_thread_count(1);
  const std::vector<Affine> one = bone_matrices(rig, motion);
  set_thread_count(4);
  const std::vector<Affine> four = bone_matrices(rig, motion);
  set_thread_count(0);
  EXPECT_EQ(one, four);
}

TEST(Forward, RefusesAMotionOfAnotherRig) {
  const rig::Rig rig = arm();
  EXPECT_THROW(bone_matrices(rig, rest_motion(toy_rig(), 2, 24)), ContractError);
  Motion motion = rest_motion(rig, 2, 24);
  motion.overrides.push_back({1, {{0, 1, 0}}, {}});
  EXPECT_THROW(bone_matrices(rig, motion), ContractError);
  motion.overrides = {{7, {}, {}}};
  EXPECT_THROW(bone_matrices(rig, motion), ContractError);
}

TEST(Forward, TakesAMotionWithoutFrames) {
  const rig::Rig rig = arm();
  EXPECT_TRUE(bone_matrices(rig, rest_motion(rig, 0, 24)).empty());
}

}  // namespace
}  // namespace limber::kinematics
