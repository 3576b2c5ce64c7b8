// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/rig_extras.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace limber::rig {
namespace {

using Json = nlohmann::json;

Json to_json(Vec3 v) { return {v.x, v.y, v.z}; }

/// Reads `count` finite numbers; false if they are not there.
bool read_numbers(const Json& object, const char* key, float* numbers, std::size_t count) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array() || found->size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!(*found)[i].is_number()) return false;
    numbers[i] = (*found)[i].get<float>();
    if (!std::isfinite(numbers[i])) return false;
  }
  return true;
}

std::optional<JointExtras> read_joint(const Json& object) {
  float axes[4], lower[3], upper[3];
  if (!object.is_object() || !read_numbers(object, "axes", axes, 4) || !read_numbers(object, "lower", lower, 3) ||
      !read_numbers(object, "upper", upper, 3)) {
    return std::nullopt;
  }
  JointExtras joint;
  joint.axes = normalized(Quat{axes[0], axes[1], axes[2], axes[3]});
  joint.limits.lower = {lower[0], lower[1], lower[2]};
  joint.limits.upper = {upper[0], upper[1], upper[2]};
  for (int k = 0; k < 3; ++k) {
    if (joint.limits.lower[k] > joint.limits.upper[k]) return std::nullopt;
  }
  return joint;
}

}  // namespace

std::string write_extras(const RigExtras& extras) {
  Json joints = Json::array();
  for (const JointExtras& joint : extras.joints) {
    joints.push_back({{"axes", {joint.axes.x, joint.axes.y, joint.axes.z, joint.axes.w}},
                      {"lower", to_json(joint.limits.lower)},
                      {"upper", to_json(joint.limits.upper)}});
  }
  return Json{{"limber", {{"forward", to_json(extras.forward)}, {"joints", std::move(joints)}}}}.dump();
}

std::optional<RigExtras> read_extras(std::string_view text, std::size_t joint_count) {
  const Json root = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object() || !root.contains("limber") || !root["limber"].is_object()) return std::nullopt;
  const Json& object = root["limber"];
  const auto joints = object.find("joints");
  if (joints == object.end() || !joints->is_array() || joints->size() != joint_count) return std::nullopt;
  RigExtras extras;
  float forward[3];
  if (read_numbers(object, "forward", forward, 3)) {
    extras.forward = normalized(Vec3{forward[0], forward[1], forward[2]}, extras.forward);
  }
  for (const Json& entry : *joints) {
    const std::optional<JointExtras> joint = read_joint(entry);
    if (!joint) return std::nullopt;
    extras.joints.push_back(*joint);
  }
  return extras;
}

}  // namespace limber::rig
