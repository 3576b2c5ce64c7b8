// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/math.h"
#include "limber/rig/rig.h"

/// What glTF has no place for, kept in the extras of a skin:
///   {"limber": {"forward": [0, 0, 1], "axes": [[x, y, z, w], ...], "lower": [[a, b, c], ...], "upper": [[a, b, c],
///   ...]}}
/// with one row per joint of the skin, in its order. Other keys are left alone.
namespace limber::rig {

struct JointExtras {
  Quat axes;
  JointLimits limits;
};

struct RigExtras {
  Vec3 forward{0, 0, 1};
  std::vector<JointExtras> joints;  ///< as many as the skin has joints
};

/// As JSON text.
std::string write_extras(const RigExtras& extras);

/// The extras of a skin with `joint_count` joints; none where `text` has no such entry or a broken one.
std::optional<RigExtras> read_extras(std::string_view text, std::size_t joint_count);

}  // namespace limber::rig
