// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// What the joints of a body are, as plain data: a body is a tree of limbs, and a joint knows its place in it.
/// `anatomy` finds roles, templates and the zoo state them; nobody else reads the names of joints.
namespace limber::rig {

enum class LimbKind : std::uint8_t {
  kTrunk,  ///< always limb 0 where a rig knows its limbs
  kNeck,
  kHead,
  kTail,
  kLeg,
  kArm,
  kWing,
  kFin,
  kTentacle,
  kFinger,
  kEar,
  kHorn,
  kAntenna,
  kJaw,
  kProp  ///< worn or held
};
inline constexpr int kLimbKindCount = 15;
std::string_view name(LimbKind kind);  ///< "trunk"
std::optional<LimbKind> limb_kind_named(std::string_view name);

enum class Side : std::uint8_t { kMiddle, kLeft, kRight };
std::string_view name(Side side);  ///< "middle"
std::optional<Side> side_named(std::string_view name);
Side mirrored(Side side);  ///< left <-> right

/// A limb, and the limb that it leaves: three necks, eight arms, antlers.
struct Limb {
  LimbKind kind = LimbKind::kTrunk;
  Side side = Side::kMiddle;
  int parent = -1;    ///< the limb that it leaves, smaller than its own index; -1 for the trunk alone
  float station = 0;  ///< where along that limb: 0 at its start (the hips of a trunk), 1 at its end (the shoulders)
  bool operator==(const Limb&) const = default;
};

/// A joint's place in the tree of limbs.
struct Role {
  int limb = -1;    ///< of the rig's limbs; -1: not known
  int section = 0;  ///< counted from where the limb leaves: the hip is 0, the knee 1
  bool operator==(const Role&) const = default;
};

}  // namespace limber::rig
