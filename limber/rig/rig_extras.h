// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/math.h"
#include "limber/rig/facing.h"
#include "limber/rig/rig.h"

/// What glTF has no place for, kept in the extras of a skin:
///   {"limber": {"up": [0, 1, 0], "forward": [0, 0, 1], "confidence": [0.9], "root_rotation": [x, y, z, w],
///               "axes": [[x, y, z, w], ...], "lower": [[a, b, c], ...], "upper": [[a, b, c], ...],
///               "limbs": [["trunk", "middle", -1, 0], ["leg", "left", 0, 1], ...], "roles": [[limb, section], ...]}}
/// with one row of axes, limits and roles per joint of the skin, in its order. Limbs are kind, side, parent and
/// station. Other keys are left alone.
///
/// Up and forward are directions in the asset's world as it was; the rotation that the skin's first joint had in it
/// then tells how far somebody has turned the skeleton since.
namespace limber::rig {

struct JointExtras {
  Quat axes;
  JointLimits limits;
  Role role{};  ///< of the rig's limbs
};

struct RigExtras {
  Facing facing;                      ///< unknown where nobody has looked
  std::optional<Quat> root_rotation;  ///< of the skin's first joint, in the world of `facing`, at rest
  std::vector<JointExtras> joints;    ///< as many as the skin has joints
  std::vector<Limb> limbs;            ///< of the whole rig, whatever the skin has of it; empty where nobody has looked
};

/// The facing in a world in which the skin's first joint has that rotation at rest.
Facing facing_now(const RigExtras& extras, Quat root_rotation);

/// As JSON text.
std::string write_extras(const RigExtras& extras);

/// The extras of a skin with `joint_count` joints; none where `text` has no such entry or a broken one. Limbs or a
/// facing that are broken are left out; files of before they were written have a front alone.
std::optional<RigExtras> read_extras(std::string_view text, std::size_t joint_count);

}  // namespace limber::rig
