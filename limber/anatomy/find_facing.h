// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "limber/asset/asset.h"
#include "limber/base/math.h"
#include "limber/rig/facing.h"
#include "limber/rig/subject.h"

/// The one way to a body's up and front, for what has a skeleton or names; a static body's are found with its skeleton
/// (`autorig`) and stand in `Subject::facing` from then on.
namespace limber::anatomy {

/// A direction, how sure one may be of it (0 to 1), and why.
struct Direction {
  Vec3d axis;  ///< unit
  double confidence = 0;
  std::string reason;  ///< for a person
};

/// Not a second answer beside `rig::Facing` but the two findings that one is made of, each with its own confidence and
/// ground: up is often sure where the front is a guess, `believed_facing` keeps the one that is, and `limber inspect`
/// shows both. Up is along a coordinate axis; so is forward unless the body stands askew.
struct Directions {
  Direction up, forward;
};

/// What the extras of the asset's skins say; else goes by the names of the joints (or, without skins, of the nodes):
/// feet below, toes, nose and head ahead, tail behind, left and right. Without telling names: by what the mesh stands
/// on and by its symmetry, and else by convention: +Y up, +Z forward. In the asset's world at rest.
Directions find_directions(const asset::Asset& asset);

/// The same in one answer, as sure as the less sure of the two; unknown where both are mere convention.
rig::Facing find_facing(const asset::Asset& asset);

/// The facing to act on: what was found as far as it is sure, and the usual where it is not (+Y up; ahead +Z, or -Y
/// where +Z is up). As sure as the less sure of the two that were found. Up is `up` where somebody says so.
rig::Facing believed_facing(const asset::Asset& asset, std::optional<Vec3> up = std::nullopt);

/// `subject.facing` where it is known; else from the names of its joints and its shape. In the subject's world, whose
/// axes are those of its asset.
rig::Facing find_facing(const rig::Subject& subject);

/// The front that pairs of joints with names of a side tell exactly: square to `up` and to the lines between them,
/// those of one parent above all. None where there are no pairs, or where they contradict.
std::optional<Vec3d> forward_by_pairs(std::span<const std::string> names, std::span<const int> parents,
                                      std::span<const Vec3d> places, Vec3d up);

}  // namespace limber::anatomy
