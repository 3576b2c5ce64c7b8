// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/kinematics/forward.h"
#include "limber/testing/gradient_check.h"
#include "limber/testing/toy_rigs.h"

namespace limber::kinematics {
namespace {

using testing::check_gradient;
using testing::GradientCheck;
using testing::toy_rig;
using testing::ToyRigSettings;
using testing::ToyShape;

/// Everything a frame holds: root translation, then angles, translations and scales of every joint.
template <class T>
struct FrameStorage {
  Vec3T<T> root;
  std::vector<Vec3T<T>> angles, translations, scales;

  FrameStorage() = default;
  explicit FrameStorage(std::span<const double> x) {
    const std::size_t joints = (x.size() / 3 - 1) / 3;
    const auto vec = [&](std::size_t i) { return Vec3d{x[3 * i], x[3 * i + 1], x[3 * i + 2]}.cast<T>(); };
    root = vec(0);
    for (std::size_t j = 0; j < joints; ++j) {
      angles.push_back(vec(1 + j));
      translations.push_back(vec(1 + joints + j));
      scales.push_back(vec(1 + 2 * joints + j));
    }
  }
  FrameT<T> frame() const { return {root, angles, translations, scales}; }
  std::vector<double> flat() const {
    std::vector<double> x;
    const auto add = [&](Vec3T<T> v) {
      for (int k = 0; k < 3; ++k) x.push_back(double(v[k]));
    };
    add(root);
    for (const auto* part : {&angles, &translations, &scales}) {
      for (const Vec3T<T>& v : *part) add(v);
    }
    return x;
  }
};

/// Random weights on every entry of every bone and joint matrix: a linear loss whose gradients are those weights.
struct Loss {
  std::vector<Affined> bones, joints;

  Loss(const rig::Rig& rig, std::uint64_t seed) {
    Rng rng(seed);
    const auto draw = [&](int count, std::vector<Affined>& out) {
      for (int i = 0; i < count; ++i) {
        Affined a;
        for (int k = 0; k < 9; ++k) a.linear(k / 3, k % 3) = rng.normal();
        for (int k = 0; k < 3; ++k) a.translation[k] = rng.normal();
        out.push_back(a.cast<float>().cast<double>());
      }
    };
    draw(rig.bone_count(), bones);
    draw(rig.joint_count(), joints);
  }
  static double dot_all(std::span<const Affined> a, std::span<const Affined> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (int k = 0; k < 3; ++k) sum += dot(a[i].linear.row(k), b[i].linear.row(k));
      sum += dot(a[i].translation, b[i].translation);
    }
    return sum;
  }
};

std::vector<double> random_parameters(const rig::Rig& rig, std::uint64_t seed, bool gimbal = false) {
  Rng rng(seed);
  FrameStorage<double> frame;
  frame.root = {0.1, -0.2, 0.3};
  for (const rig::Joint& joint : rig.joints()) {
    Vec3d angles{rng.uniform(-1.5, 1.5), rng.uniform(-1.5, 1.5), rng.uniform(-1.5, 1.5)};
    // Within 1e-12 .. 1e-3 of the right angle where two axes coincide.
    if (gimbal) angles.y = (rng.chance(0.5) ? 1 : -1) * kPi / 2 + std::pow(10.0, rng.uniform(-12, -3));
    frame.angles.push_back(angles);
    frame.translations.push_back(joint.rest.translation.cast<double>());
    frame.scales.push_back(joint.rest.scale.cast<double>());
  }
  return frame.flat();
}

template <class T>
std::vector<double> analytic_gradient(const rig::Rig& rig, std::span<const double> x, const Loss& loss) {
  const auto cast = [](const std::vector<Affined>& from) {
    std::vector<AffineT<T>> to;
    for (const Affined& a : from) to.push_back(a.cast<T>());
    return to;
  };
  const FrameStorage<T> frame(x);
  const std::size_t joints = frame.angles.size();
  std::vector<AffineT<T>> world(joints);
  joints_forward<T>(rig, frame.frame(), world);
  FrameStorage<T> grad;
  grad.angles.resize(joints), grad.translations.resize(joints), grad.scales.resize(joints);
  joints_backward<T>(rig, frame.frame(), world, cast(loss.bones), cast(loss.joints), grad.root, grad.angles,
                     grad.translations, grad.scales);
  return grad.flat();
}

double loss_value(const rig::Rig& rig, std::span<const double> x, const Loss& loss) {
  const FrameStorage<double> frame(x);
  std::vector<Affined> world(rig.joints().size()), bones(rig.bones().size());
  joints_forward<double>(rig, frame.frame(), world);
  bones_forward<double>(rig, world, bones);
  return Loss::dot_all(bones, loss.bones) + Loss::dot_all(world, loss.joints);
}

void expect_exact_gradient(const rig::Rig& rig, std::uint64_t seed, bool gimbal = false) {
  const Loss loss(rig, seed);
  const std::vector<double> x = random_parameters(rig, seed, gimbal);
  const std::vector<double> gradient = analytic_gradient<double>(rig, x, loss);
  const GradientCheck check =
      check_gradient([&](std::span<const double> at) { return loss_value(rig, at, loss); }, x, gradient);
  EXPECT_LT(check.error, 1e-6) << check.summary();

  const std::vector<double> in_float = analytic_gradient<float>(rig, x, loss);
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference += (in_float[i] - gradient[i]) * (in_float[i] - gradient[i]);
    size += gradient[i] * gradient[i];
  }
  EXPECT_LT(std::sqrt(difference / size), 1e-4);
}

TEST(ForwardGrad, IsExactForOneJoint) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ToyRigSettings settings;
    settings.joints = 1;
    settings.axes = settings.scales = settings.frames = true;
    settings.seed = seed;
    expect_exact_gradient(toy_rig(settings), seed);
  }
}

TEST(ForwardGrad, IsExactForRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    ToyRigSettings settings;
    settings.joints = 2 + static_cast<int>(seed) * 2;
    settings.axes = seed % 2 == 0;
    settings.scales = seed % 3 == 0;
    settings.extra_bones = static_cast<int>(seed % 4);
    settings.seed = seed;
    expect_exact_gradient(toy_rig(settings), seed);
  }
}

TEST(ForwardGrad, IsExactForAForestMadeOneTree) {
  ToyRigSettings settings;
  settings.shape = ToyShape::kStar;
  settings.joints = 25;
  settings.axes = settings.scales = settings.frames = true;
  settings.extra_bones = 10;
  expect_exact_gradient(toy_rig(settings), 3);
  settings.shape = ToyShape::kTree;
  expect_exact_gradient(toy_rig(settings), 4);
}

TEST(ForwardGrad, IsExactForAChainOfTwoHundredJoints) {
  ToyRigSettings settings;
  settings.shape = ToyShape::kChain;
  settings.joints = 200;
  settings.axes = true;
  expect_exact_gradient(toy_rig(settings), 5);
}

TEST(ForwardGrad, IsExactNearTheGimbal) {
  ToyRigSettings settings;
  settings.joints = 12;
  settings.axes = settings.scales = settings.frames = true;
  expect_exact_gradient(toy_rig(settings), 6, true);
}

TEST(ForwardGrad, AddsToItsOutputsAndTakesEmptyInputs) {
  const rig::Rig rig = toy_rig();
  const Loss loss(rig, 7);
  const FrameStorage<double> frame(random_parameters(rig, 7));
  const std::size_t joints = rig.joints().size();
  std::vector<Affined> world(joints);
  joints_forward<double>(rig, frame.frame(), world);

  // Bones and joints one after the other give what both together give.
  Vec3d root_both, root_sum;
  std::vector<Vec3d> angles_both(joints), angles_sum(joints);
  joints_backward<double>(rig, frame.frame(), world, loss.bones, loss.joints, root_both, angles_both);
  joints_backward<double>(rig, frame.frame(), world, loss.bones, {}, root_sum, angles_sum);
  joints_backward<double>(rig, frame.frame(), world, {}, loss.joints, root_sum, angles_sum);
  EXPECT_LT(norm(root_both - root_sum), 1e-12);
  for (std::size_t j = 0; j < joints; ++j) EXPECT_LT(norm(angles_both[j] - angles_sum[j]), 1e-12);
}

TEST(ForwardGrad, RefusesSpansOfTheWrongLength) {
  const rig::Rig rig = toy_rig();
  const FrameStorage<double> frame(random_parameters(rig, 8));
  std::vector<Affined> world(rig.joints().size());
  joints_forward<double>(rig, frame.frame(), world);
  Vec3d root;
  std::vector<Vec3d> angles(rig.joints().size()), short_angles(1);
  const std::vector<Affined> one(1);
  EXPECT_THROW(joints_backward<double>(rig, frame.frame(), world, one, {}, root, angles), ContractError);
  EXPECT_THROW(joints_backward<double>(rig, frame.frame(), world, {}, {}, root, short_angles), ContractError);
}

/// A motion with overrides, its bone gradients, and the loss they belong to.
struct MotionCase {
  rig::Rig rig;
  Motion motion;
  std::vector<Affine> grad_bones;

  explicit MotionCase(int frames) : rig(toy_rig(settings())), motion(rest_motion(rig, frames, 24)) {
    Rng rng(11);
    for (Vec3& v : motion.root_translations) v = testing::random_vector(rng);
    for (Vec3& v : motion.angles) v = testing::random_vector(rng);
    JointOverride moved{3, {}, {}}, grown{5, {}, {}};
    for (int f = 0; f < frames; ++f) {
      moved.translations.push_back(testing::random_vector(rng));
      grown.scales.push_back({1.1f, 0.9f, 1.3f});
      for (const Affined& a : Loss(rig, static_cast<std::uint64_t>(f)).bones) grad_bones.push_back(a.cast<float>());
    }
    motion.overrides = {moved, grown};
  }
  static ToyRigSettings settings() {
    ToyRigSettings s;
    s.axes = s.scales = s.frames = true;
    return s;
  }
};

TEST(ForwardGrad, MotionBackwardAgreesWithEachFrame) {
  const MotionCase test(5);
  const std::size_t joints = test.rig.joints().size(), bones = test.rig.bones().size();
  MotionGradient gradient;
  motion_backward(test.rig, test.motion, test.grad_bones, gradient);
  FrameBufferT<double> buffer;
  for (int f = 0; f < 5; ++f) {
    const FrameT<double> frame = motion_frame(test.rig, test.motion, f, buffer);
    std::vector<Affined> world(joints), grads;
    joints_forward<double>(test.rig, frame, world);
    for (std::size_t b = 0; b < bones; ++b) {
      grads.push_back(test.grad_bones[static_cast<std::size_t>(f) * bones + b].cast<double>());
    }
    Vec3d root;
    std::vector<Vec3d> angles(joints);
    joints_backward<double>(test.rig, frame, world, grads, {}, root, angles);
    EXPECT_LT(norm(gradient.root_translations[static_cast<std::size_t>(f)] - root.cast<float>()), 1e-6);
    for (std::size_t j = 0; j < joints; ++j) {
      EXPECT_LT(norm(gradient.angles[static_cast<std::size_t>(f) * joints + j] - angles[j].cast<float>()), 1e-6);
    }
  }
}

TEST(ForwardGrad, MotionBackwardIsTheSameForAnyThreadCount) {
  const MotionCase test(17);
  std::vector<MotionGradient> gradients(3);
  for (std::size_t i = 0; i < 3; ++i) {
    set_thread_count(static_cast<int>(1 << i));
    motion_backward(test.rig, test.motion, test.grad_bones, gradients[i]);
  }
  set_thread_count(0);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(gradients[i].angles, gradients[0].angles);
    EXPECT_EQ(gradients[i].root_translations, gradients[0].root_translations);
  }
}

}  // namespace
}  // namespace limber::kinematics
