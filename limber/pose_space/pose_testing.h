// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "limber/base/files.h"
#include "limber/base/rng.h"
#include "limber/kinematics/motion.h"
#include "limber/nn/safetensors.h"
#include "limber/pose_space/pose_conditions.h"
#include "limber/pose_space/pose_model.h"
#include "limber/zoo/creature.h"

/// Bodies, poses and network files for the tests of `pose_space`.
namespace limber::pose_space {

inline zoo::Creature test_creature(zoo::Plan plan = zoo::Plan::kQuadruped, std::uint64_t seed = 3) {
  zoo::CreatureSettings settings;
  settings.plan = plan, settings.seed = seed, settings.resolution = 28;
  return zoo::make_creature(settings).value();
}

inline SkinnedSurface surface_of(const rig::Subject& subject) {
  return {subject.points, subject.triangles, subject.weights};
}

inline kinematics::Pose random_pose(const rig::Rig& rig, std::uint64_t seed, double size = 1) {
  Rng rng(seed, 3);
  kinematics::Pose pose = kinematics::rest_pose(rig);
  pose.root_translation = {0.3f, -0.2f, 0.7f};
  for (Vec3& angles : pose.angles) {
    for (int k = 0; k < 3; ++k) angles[k] = static_cast<float>(rng.uniform(-size, size));
  }
  return pose;
}

inline PoseModel small_model() {
  PoseModel model;
  model.width = 12, model.layers = 2, model.heads = 3;
  return model;
}

/// A network of small numbers, as files.
class PoseFiles {
 public:
  explicit PoseFiles(const PoseModel& model = small_model()) {
    const int d = model.width;
    linear("joint_1", model.features, d), linear("joint_2", d, d), linear("state", kStateSize, d);
    linear("point_1", kPointFeatures, d), linear("point_2", d, d), linear("time_1", d, d), linear("time_2", d, d);
    linear("modulation", d, kModulations * d);
    if (model.fills != 0) add("known", {d});
    add("nothing", {d}), add("relations", {kRelations, model.layers * model.heads});
    norm("surface_norm", d), norm("norm", d), linear("said", d, kJointOutputs), linear("whole", d, 1);
    for (int i = 0; i < model.layers; ++i) {
      const std::string block = "blocks." + std::to_string(i) + ".";
      linear(block + "qkv", d, 3 * d), linear(block + "out", d, d), linear(block + "query", d, d);
      linear(block + "key_value", d, 2 * d), linear(block + "look", d, d);
      linear(block + "up", d, 4 * d), linear(block + "down", 4 * d, d);
      add(block + "modulation", {kModulations * d});
    }
    json = pose_model_to_json(model);
  }

  struct Array {
    nn::Shape shape;
    std::vector<float> values;
  };
  std::map<std::string, Array> arrays;
  std::string json;

  Status write(const std::filesystem::path& folder) const {
    std::vector<nn::NamedTensor> tensors;
    for (const auto& [name, array] : arrays)
      tensors.push_back({name, {nn::Dtype::kF32, array.shape, std::as_bytes(std::span(array.values))}});
    LIMBER_CHECK_OK(write_file(folder / kPoseModelFile, json));
    return nn::write_safetensors(folder / kPoseWeightsFile, tensors);
  }

 private:
  void add(const std::string& name, const nn::Shape& shape) {
    Array array{shape, {}};
    std::int64_t count = 1;
    for (const std::int64_t n : shape) count *= n;
    Rng rng(arrays.size(), 9);
    for (std::int64_t i = 0; i < count; ++i) array.values.push_back(static_cast<float>(0.25 * rng.normal()));
    arrays[name] = std::move(array);
  }
  void linear(const std::string& name, int in, int out) {
    add(name + ".weight", {out, in}), add(name + ".bias", {out});
  }
  void norm(const std::string& name, int width) { add(name + ".weight", {width}), add(name + ".bias", {width}); }
};

}  // namespace limber::pose_space
