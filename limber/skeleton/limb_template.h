// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "limber/anatomy/body_reading.h"
#include "limber/body/body_shape.h"
#include "limber/skeleton/embed.h"
#include "limber/skeleton/template.h"

/// Skeletons for bodies that no template was drawn for: a trunk with the limbs that a reading found.
namespace limber::skeleton {

/// How many limbs of a body decide what kind it is: the rest (ears, tails, fingers) comes and goes within one kind.
struct LimbTally {
  int legs = 0, arms = 0, wings = 0, fins = 0, tentacles = 0, heads = 0;
  bool operator==(const LimbTally&) const = default;
};
LimbTally tally_limbs(std::span<const rig::Limb> limbs);
LimbTally tally_limbs(const anatomy::BodyReading& reading);

/// How unlikely it is that a body has so many limbs, by the counts of a reading: the negative logs of their shares, for
/// the kinds that make a body what it is. Fins are left out: they come and go within one kind.
double tally_cost(const LimbTally& tally, const anatomy::LimbCounts& counts);
/// Whether it has legs, arms, wings and tentacles where these are likely, however many, and none where they are not.
bool has_likeliest_kinds(const LimbTally& tally, const anatomy::LimbCounts& counts);

/// "4 legs, 2 wings, one head", for a person.
std::string to_text(const LimbTally& tally);

/// The name of templates that are built.
inline constexpr const char* kBuiltTemplate = "built";

/// A template and where in the body it is: body = body_from_template * (template + origin).
struct BuiltTemplate {
  SkeletonTemplate skeleton;
  Mat3d body_from_template = Mat3d::identity();
  Vec3d origin;
};

/// A trunk with the limbs that were read, where they were read, each with as many joints as its kind wants. It faces as
/// was read, or `forward`. None where the reading tells no attitude or no trunk.
std::optional<BuiltTemplate> template_from_limbs(const body::BodyShape& body, const anatomy::BodyReading& reading,
                                                 const std::optional<Vec3d>& forward = std::nullopt);

/// The template just where it was read, for limbs that no branch of the body's shape shows (folded wings). Its cost is
/// zero: nothing was matched.
Embedding embedding_as_read(const BuiltTemplate& built);

}  // namespace limber::skeleton
