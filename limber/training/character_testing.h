// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/training/character.h"

/// A character small enough for tests: a body on one foot that treads in place.
namespace limber::training {

inline constexpr float kTreadSpeed = 0.8f;  ///< of the sole along -Z while it is down

/// The foot goes back on the ground for half of the cycle and forward above it for the other half.
inline kinematics::Motion tread_in_place(const rig::Rig& rig, int frames = 24, double fps = 24) {
  kinematics::Motion motion = kinematics::rest_motion(rig, frames, fps);
  motion.loops = true;
  kinematics::JointOverride foot{1, {}, {}};
  const float reach = 0.5f * kTreadSpeed * static_cast<float>(frames) / static_cast<float>(2 * fps);
  for (int f = 0; f < frames; ++f) {
    const float phase = static_cast<float>(f) / static_cast<float>(frames);
    const bool down = phase < 0.5f;
    const float along = down ? reach * (1 - 4 * phase) : reach * (4 * phase - 3);
    foot.translations.push_back({0, down ? -0.5f : -0.35f, along});
  }
  motion.overrides.push_back(std::move(foot));
  return motion;
}

/// A sole on the ground and a body above it.
inline CharacterMesh toy_mesh() {
  CharacterMesh mesh;
  mesh.points = {{-0.05f, 0, -0.1f},     {0.05f, 0, -0.1f},     {0.05f, 0, 0.1f}, {-0.05f, 0, 0.1f},
                 {-0.15f, 0.4f, -0.25f}, {0.15f, 0.4f, -0.25f}, {0, 0.4f, 0.5f},  {0, 1, 0}};
  mesh.triangles = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 7, 5}, {5, 7, 6}, {6, 7, 4}};
  for (std::uint16_t i = 0; i < 8; ++i) {
    mesh.weights.bones.insert(mesh.weights.bones.end(), {static_cast<std::uint16_t>(i < 4 ? 1 : 0), 0, 0, 0});
    mesh.weights.weights.insert(mesh.weights.weights.end(), {1, 0, 0, 0});
  }
  return mesh;
}

inline Character toy_character(const std::string& name = "corpus/animals/hopper.glb") {
  rig::RigDraft draft;
  rig::Joint body, foot;
  body.name = "body", body.rest.translation = {0, 0.5f, 0};
  foot.name = "foot", foot.parent = 0, foot.rest.translation = {0, -0.5f, 0};
  draft.joints = {body, foot};
  Character character{name, body_meaning(name), rig::build_rig(draft).value(), {}, {}, toy_mesh()};
  splat::Gaussians surface;
  surface.influences = 1;
  for (int i = 0; i < 60; ++i) {
    const auto share = static_cast<float>(i) / 60;
    const bool sole = i % 3 == 0;
    surface.means.push_back(sole ? Vec3{0.1f * (share - 0.5f), 0.0f, 0.2f * (share - 0.5f)}
                                 : Vec3{0.3f * (share - 0.5f), 0.4f + 0.6f * share, share - 0.5f});
    surface.rotations.push_back({});
    surface.scales.push_back({0.05f, 0.04f, 0.05f});
    surface.opacities.push_back(0.9f);
    surface.harmonics.push_back(splat::harmonic_from_color({sole ? 0.2f : 0.8f, 0.5f, share}));
    surface.bones.push_back(sole ? 1 : 0);
    surface.weights.push_back(1);
  }
  character.surfaces = {surface};
  CharacterClip walk;
  walk.name = "Walk", walk.meaning = clip_meaning("Walk", zoo::Plan::kQuadruped);
  walk.motion = tread_in_place(character.rig);
  walk.ground_velocity = {0, 0, kTreadSpeed};
  CharacterClip death;
  death.name = "Death", death.meaning = clip_meaning("Death", zoo::Plan::kQuadruped);
  death.motion = kinematics::rest_motion(character.rig, 12, 24);
  for (int f = 0; f < 12; ++f) death.motion.frame_angles(f)[0] = {0, 0, 0.1f * static_cast<float>(f)};
  character.clips = {walk, death};
  return character;
}

}  // namespace limber::training
