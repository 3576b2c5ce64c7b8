// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// A motion that is fitted on a GPU against the CPU's joints, energies and Adam. Compiled twice: by nvcc, where it skips
// without a GPU, and by the C++ compiler with kernels emulated, which runs everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/base/cuda_queue.cuh"
#include "limber/kinematics/motion_cuda.h"
#include "limber/testing/tensor_file.h"
#include "limber/testing/toy_rigs.h"

namespace limber::kinematics {
namespace {

using testing::relative_error;

rig::Rig odd_rig(testing::ToyShape shape, int joints) {
  testing::ToyRigSettings settings;
  settings.shape = shape, settings.joints = joints, settings.seed = 4;
  settings.scales = settings.axes = settings.frames = true;
  settings.extra_bones = 3;
  return testing::toy_rig(settings);
}

Motion random_motion(const rig::Rig& rig, int frames, double size, std::uint64_t seed) {
  Motion motion = rest_motion(rig, frames, 12);
  Rng rng(seed);
  for (Vec3& angle : motion.angles) angle = testing::random_vector(rng, size);
  for (Vec3& root : motion.root_translations) root = testing::random_vector(rng, 0.3);
  return motion;
}

std::vector<float> flat(const MotionGradient& gradient) {
  std::vector<float> to;
  for (const auto* part : {&gradient.root_translations, &gradient.angles}) {
    for (const Vec3& v : *part) to.insert(to.end(), {v.x, v.y, v.z});
  }
  return to;
}

std::vector<Affine> random_gradient(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Affine> all(count);
  for (Affine& one : all) {
    for (int i = 0; i < 3; ++i) {
      one.translation[i] = static_cast<float>(rng.normal());
      for (int j = 0; j < 3; ++j) one.linear(i, j) = static_cast<float>(rng.normal());
    }
  }
  return all;
}

/// Every kind of energy, with weights that make none of them vanish.
struct Energies {
  explicit Energies(const rig::Rig& rig, const Motion& motion) : limits(rig), ground(rig, boxes(rig)) {
    pull.kind = EnergyForm::Kind::kPull;
    pull.roots = motion.root_translations, pull.angles = motion.angles;
    for (std::size_t i = 0; i < pull.roots.size(); ++i) pull.root_weights.push_back(0.1 * static_cast<double>(i % 3));
    for (std::size_t i = 0; i < pull.angles.size(); ++i)
      pull.angle_weights.push_back(0.02 * static_cast<double>(i % 5));
  }
  static std::vector<rig::BoneBox> boxes(const rig::Rig& rig) {
    std::vector<rig::BoneBox> all;
    for (int j = 0; j < rig.joint_count(); j += 2) {
      rig::BoneBox box;
      box.joint = j, box.half = {0.1f, 0.2f, 0.15f};
      box.centre = rig.world_from_rest()[static_cast<std::size_t>(j)].translation;
      all.push_back(box);
    }
    return all;
  }
  double add(const Motion& motion, MotionGradient& gradient, std::vector<double>& values) const {
    values.push_back(smooth.add(motion, 0.7, gradient));
    values.push_back(limits.add(motion, 1.3, gradient));
    values.push_back(ground.add(motion, 2.1, gradient));
    double sum = 0;
    const auto draw = [&](Vec3 from, Vec3 to, double weight, Vec3& slope) {
      sum += weight * double(squared_norm(from - to));
      slope += static_cast<float>(2 * 0.4 * weight) * (from - to);
    };
    for (std::size_t i = 0; i < pull.roots.size(); ++i) {
      draw(motion.root_translations[i], pull.roots[i], pull.root_weights[i], gradient.root_translations[i]);
    }
    for (std::size_t i = 0; i < pull.angles.size(); ++i) {
      draw(motion.angles[i], pull.angles[i], pull.angle_weights[i], gradient.angles[i]);
    }
    values.push_back(sum);
    return 0.7 * values[0] + 1.3 * values[1] + 2.1 * values[2] + 0.4 * values[3];
  }
  MotionCosts costs() const {
    MotionCosts costs;
    add_term(costs, 0.7, smooth), add_term(costs, 1.3, limits), add_term(costs, 2.1, ground);
    costs.terms.push_back({0.4, pull});
    return costs;
  }

  SmoothnessEnergy smooth{1e-3};
  LimitEnergy limits;
  GroundEnergy ground;
  EnergyForm pull;
};

class MotionCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const Status status = queue_->open(); !status.ok()) GTEST_SKIP() << status.error().message();
  }
  std::vector<Affine> pose(CudaMotion& there, std::size_t count) {
    std::vector<Affine> bones(count);
    queue_->download(bones.data(), there.pose(), count * sizeof(Affine));
    return bones;
  }
  std::shared_ptr<CudaQueue> queue_ = std::make_shared<CudaQueue>();
};

std::vector<float> numbers(const std::vector<Affine>& from) {
  const auto* first = reinterpret_cast<const float*>(from.data());
  return {first, first + 12 * from.size()};
}

TEST_F(MotionCuda, PosesBonesAndGoesBackAsTheCpuDoes) {
  for (const auto shape : {testing::ToyShape::kTree, testing::ToyShape::kChain, testing::ToyShape::kStar}) {
    for (const int joints : {1, 9, 150}) {
      SCOPED_TRACE(joints);
      const rig::Rig rig = odd_rig(shape, joints);
      const Motion motion = random_motion(rig, 3, 0.6, 7);
      CudaMotion there(queue_, rig, {});
      there.put(motion, {});
      const std::vector<Affine> bones = bone_matrices(rig, motion);
      EXPECT_LE(relative_error(numbers(pose(there, bones.size())), numbers(bones)), 1e-6);

      const std::vector<Affine> slopes = random_gradient(bones.size(), 11);
      DeviceArray<Affine> uploaded;
      uploaded.upload(*queue_, slopes, "test");
      there.step(uploaded.data(), {});
      MotionGradient gradient;
      motion_backward(rig, motion, slopes, gradient);
      EXPECT_LE(relative_error(there.gradient(), flat(gradient)), 1e-6);
      ASSERT_TRUE(queue_->finish().ok());
    }
  }
}

TEST_F(MotionCuda, HasTheEnergiesOfTheCpuAndTheirGradients) {
  for (const int frames : {1, 2, 3, 7}) {
    for (const bool loops : {false, true}) {
      SCOPED_TRACE(std::to_string(frames) + (loops ? " in a loop" : ""));
      const rig::Rig rig = odd_rig(testing::ToyShape::kTree, 6);
      Motion motion = random_motion(rig, frames, 2.5, 3);
      motion.loops = loops;
      if (frames > 1) motion.angles.back().y += 7;  // a whole turn at the seam
      const Energies energies(rig, random_motion(rig, frames, 0.5, 5));
      CudaMotion there(queue_, rig, energies.costs());
      there.put(motion, {});
      const std::size_t bones = motion.root_translations.size() * rig.bones().size();
      const std::vector<Affine> slopes = random_gradient(bones, 13);
      DeviceArray<Affine> uploaded;
      uploaded.upload(*queue_, slopes, "test");
      there.pose();
      MotionStep step;
      step.picture_scale = 0.01, step.note = true;
      there.step(uploaded.data(), step);

      MotionGradient pictures, gradient;
      motion_backward(rig, motion, slopes, pictures);
      size_gradient(motion, gradient);
      std::vector<double> values;
      energies.add(motion, gradient, values);
      std::vector<float> wanted = flat(pictures), energy = flat(gradient);
      double squares[2] = {};
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        squares[0] += 1e-4 * double(wanted[i]) * double(wanted[i]), squares[1] += double(energy[i]) * double(energy[i]);
        wanted[i] = 0.01f * wanted[i] + energy[i];
      }
      EXPECT_LE(relative_error(there.gradient(), wanted), 1e-6);
      const MotionNotes notes = there.notes();
      ASSERT_EQ(notes.values.size(), values.size());
      for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(notes.values[k], values[k], 1e-6 * values[k]) << k;
      EXPECT_NEAR(notes.picture_gradient, std::sqrt(squares[0]), 1e-5 * std::sqrt(squares[0]));
      EXPECT_NEAR(notes.energy_gradient, std::sqrt(squares[1]), 1e-5 * std::sqrt(squares[1]));
    }
  }
}

TEST_F(MotionCuda, StepsAsAdamDoesFromAnyStateAndGoesBack) {
  const rig::Rig rig = odd_rig(testing::ToyShape::kTree, 9);
  Motion cpu = random_motion(rig, 4, 0.5, 21), gpu = cpu;
  MotionCosts costs;
  costs.free.assign(9, true);
  costs.free[3] = costs.free[8] = false;
  CudaMotion there(queue_, rig, costs);
  MotionAdam adam;
  there.put(gpu, adam.state());
  const std::size_t bones = cpu.root_translations.size() * rig.bones().size();
  MotionStep step;
  step.angle_rate = 0.03, step.root_rate = 0.01;
  for (int i = 0; i < 6; ++i) {
    const std::vector<Affine> slopes = random_gradient(bones, 30 + static_cast<std::uint64_t>(i));
    DeviceArray<Affine> uploaded;
    uploaded.upload(*queue_, slopes, "test");
    if (i == 4) {  // what is taken back never was
      there.keep(1);
      for (int k = 0; k < 2; ++k) there.pose(), there.step(uploaded.data(), step);
      there.go_back(1);
    }
    there.pose();
    there.step(uploaded.data(), step);
    MotionGradient gradient;
    motion_backward(rig, cpu, slopes, gradient);
    adam.step(cpu, gradient, step.angle_rate, step.root_rate, costs.free);
    if (i != 2) continue;
    const CudaMotion::Found found = there.get(gpu);  // out and in again
    there.put(gpu, found.adam);
  }
  const CudaMotion::Found found = there.get(gpu);
  EXPECT_EQ(found.adam.steps, adam.state().steps);
  EXPECT_LE(relative_error(flat({gpu.root_translations, gpu.angles}), flat({cpu.root_translations, cpu.angles})), 1e-6);
  EXPECT_LE(relative_error(found.adam.first, adam.state().first), 1e-5);
  EXPECT_LE(relative_error(found.adam.second, adam.state().second), 1e-5);
  EXPECT_EQ(gpu.angles[3], random_motion(rig, 4, 0.5, 21).angles[3]) << "not free";
}

TEST_F(MotionCuda, LeavesOutAStepThatIsNotFiniteOrStopsThere) {
  const rig::Rig rig = odd_rig(testing::ToyShape::kChain, 4);
  const Motion motion = random_motion(rig, 2, 0.4, 9);
  const std::size_t bones = motion.root_translations.size() * rig.bones().size();
  std::vector<Affine> fine = random_gradient(bones, 1), broken = fine;
  broken[bones - 1].translation.y = std::numeric_limits<float>::quiet_NaN();
  DeviceArray<Affine> good, bad;
  good.upload(*queue_, fine, "test");
  bad.upload(*queue_, broken, "test");
  for (const bool stop : {false, true}) {
    CudaMotion there(queue_, rig, {});
    MotionStep step;
    step.angle_rate = 0.1, step.stop = stop;
    there.put(motion, {});
    Motion first = motion, last = motion;
    there.pose(), there.step(good.data(), step);
    there.get(first);
    there.pose(), there.step(bad.data(), step);
    CudaMotion::Found found = there.get(last);
    EXPECT_EQ(last.angles, first.angles);
    EXPECT_EQ(found.not_finite, 1);
    EXPECT_EQ(found.stopped, stop);
    EXPECT_EQ(found.adam.steps, 1);
    there.pose(), there.step(good.data(), step);
    found = there.get(last);
    EXPECT_EQ(last.angles == first.angles, stop);
    EXPECT_EQ(found.not_finite, 1);
  }
}

TEST_F(MotionCuda, LeavesToTheCpuWhatItCannot) {
  const rig::Rig rig = odd_rig(testing::ToyShape::kTree, 3);
  Motion motion = rest_motion(rig, 2, 12);
  const Energies energies(rig, motion);
  MotionCosts costs = energies.costs();
  EXPECT_TRUE(CudaMotion::can(motion, costs));
  class Other final : public MotionEnergy {
    double add(const Motion&, double, MotionGradient&) const override { return 0; }
  };
  EXPECT_FALSE(add_term(costs, 1, Other()));
  EXPECT_TRUE(add_term(costs, 1, energies.smooth));
  EXPECT_FALSE(CudaMotion::can(motion, costs)) << "two of a kind";
  motion.overrides.push_back({1, {}, std::vector<Vec3>(2, Vec3{2, 2, 2})});
  EXPECT_FALSE(CudaMotion::can(motion, energies.costs()));
}

}  // namespace
}  // namespace limber::kinematics
