// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>

#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"

/// Somebody with two arms and two legs, and a walk whose feet stand exactly, for tests.
namespace limber::retarget {

struct ToyPerson {
  float thigh = 0.25f, shin = 0.23f, ankle = 0.04f;  ///< lengths, and how high the ankle is
  float hips = 0.08f;                                ///< half of their distance
  int spine = 3;
  bool arms_down = false;  ///< at rest; otherwise they point aside
  bool toes = true;
  float size = 1;
};

inline rig::Rig make_person_rig(const ToyPerson& person = {}) {
  rig::RigDraft draft;
  const auto add = [&](const std::string& name, int parent, Vec3 offset) {
    rig::Joint joint;
    joint.name = name, joint.parent = parent, joint.rest.translation = person.size * offset;
    draft.joints.push_back(joint);
    return static_cast<int>(draft.joints.size()) - 1;
  };
  const int hips = add("Hips", -1, {0, person.thigh + person.shin + person.ankle, 0});
  int chest = hips;
  for (int i = 0; i < person.spine; ++i) {
    chest = add(i == 0 ? "Spine" : std::string("Spine").append(std::to_string(i)), chest,
                {0, 0.3f / static_cast<float>(person.spine), 0});
  }
  const int neck = add("Neck", chest, {0, 0.08f, 0});
  add("Head", neck, {0, 0.06f, 0});
  for (const float side : {1.0f, -1.0f}) {
    const std::string name = side > 0 ? "Left" : "Right";
    const Vec3 along = person.arms_down ? Vec3{0, -1, 0} : Vec3{side, 0, 0};
    const int shoulder = add(name + "Shoulder", chest, {0.03f * side, 0.05f, 0});
    const int arm = add(name + "Arm", shoulder, {0.1f * side, 0, 0});
    const int forearm = add(name + "ForeArm", arm, 0.15f * along);
    add(name + "Hand", forearm, 0.14f * along);
    const int thigh = add(name + "UpLeg", hips, {person.hips * side, 0, 0});
    const int shin = add(name + "Leg", thigh, {0, -person.thigh, 0});
    const int foot = add(name + "Foot", shin, {0, -person.shin, 0});
    if (person.toes) add(name + "ToeBase", foot, {0, -0.6f * person.ankle, 0.08f});
  }
  return rig::build_rig(draft).value();
}

inline constexpr int kToyStep = 15;  ///< frames that each foot stands; the left one first
inline constexpr double kToySpeed = 0.5;

/// Two steps at 30 frames a second, at the size of the standard person, with swinging arms and a turning spine.
inline kinematics::Motion walk_of(const rig::Rig& rig, const ToyPerson& person = {}) {
  constexpr int kFrames = 2 * kToyStep;
  kinematics::Motion motion = kinematics::rest_motion(rig, kFrames, 30);
  const double a = person.thigh, b = person.shin, stride = kToySpeed * kToyStep / 30;
  for (int f = 0; f < kFrames; ++f) {
    const double phase = f / static_cast<double>(kToyStep);
    const double low = -0.03 - 0.01 * std::cos(2 * kPi * phase), along = stride * phase;
    motion.root_translations[static_cast<std::size_t>(f)] = Vec3d{0, low, along}.cast<float>();
    const auto angles = motion.frame_angles(f);
    const auto set = [&](const std::string& name, Vec3 value) {
      angles[static_cast<std::size_t>(rig.find(name))] = value;
    };
    for (int side = 0; side < 2; ++side) {
      const std::string name = side == 0 ? "Left" : "Right";
      // Standing for a step, then two steps ahead in one.
      const double own = side == 0 ? phase : phase + 1, cycle = own - 2 * std::floor(own / 2);
      const double first = (side == 0 ? 0.5 : -0.5) * stride + 2 * stride * std::floor(own / 2);
      const double t = std::max(0.0, cycle - 1), ease = t * t * (3 - 2 * t);
      const double dz = first + 2 * stride * ease - along, dy = -(a + b) - low + 0.3 * ease * (1 - ease);
      const double reach = std::min(std::hypot(dy, dz), a + b);
      const double knee = std::acos((reach * reach - a * a - b * b) / (2 * a * b));
      const double hip = std::atan2(-dz, -dy) - std::atan2(b * std::sin(knee), a + b * std::cos(knee));
      set(name + "UpLeg", {static_cast<float>(hip), 0, 0});
      set(name + "Leg", {static_cast<float>(knee), 0, 0});
      set(name + "Foot", {static_cast<float>(-hip - knee), 0, 0});
      const auto swing = static_cast<float>(0.4 * std::sin(kPi * own));
      set(name + "Arm", {0, swing, side == 0 ? -1.2f : 1.2f});
      set(name + "ForeArm", {0, side == 0 ? -0.4f : 0.4f, 0});
    }
    set("Spine", {0.1f, static_cast<float>(0.2 * std::sin(kPi * phase)), 0});
  }
  return motion;
}

}  // namespace limber::retarget
