// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "limber/physics/model.h"
#include "limber/physics/puppet.h"
#include "limber/rig/subject.h"

/// MuJoCo's XML, so that robotics tools can go on where limber stops. Its world has +Z up: only the root's pose is
/// turned, everything else is as in the model.
namespace limber::physics {

struct MjcfSettings {
  std::string name = "limber";
  bool drives = true;  ///< position servos for every hinge, with the model's gains; else a passive body
  bool ground = true;  ///< a floor, and boxes that touch it
  double timestep = 1.0 / 480;
};

/// Names for the parts of a model; empty lists give numbers.
struct MjcfNames {
  std::vector<std::string> bodies;  ///< per body
  std::vector<std::string> hinges;  ///< per hinge
};

/// The model as MJCF. `boxes` become geoms; `positions` (frames x position_count, at `fps`) become keyframes, named
/// frame_0, frame_1 ..., with the time of each.
std::string write_mjcf(const Model& model, std::span<const PuppetBox> boxes, const MjcfNames& names,
                       std::span<const double> positions, double fps, const MjcfSettings& settings = {});

/// The names of a puppet's parts: those of the rig's joints, hinges with _x, _y, _z.
MjcfNames mjcf_names(const Puppet& puppet, const rig::Subject& subject);

/// Positions as MuJoCo's qpos has them: position, quaternion w x y z, +Z up; then the angles, bodies depth first as
/// the file nests them.
std::vector<double> mujoco_position(const Model& model, std::span<const double> q);

/// Velocities as MuJoCo's qvel has them: linear in the world, angular in the root's own axes; then the rates.
std::vector<double> mujoco_velocity(const Model& model, std::span<const double> q, std::span<const double> v);

}  // namespace limber::physics
