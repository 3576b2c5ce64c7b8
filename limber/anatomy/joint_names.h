// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/rig/role.h"

/// What the names of joints say. This is the one place that reads other people's names; whoever wants to know what a
/// joint is asks its role (`find_roles.h`).
namespace limber::anatomy {

using Words = std::vector<std::string>;

/// "b_LeftForeArm_010" -> b left fore arm; "LHipJoint" -> l hip joint; "toes.L" -> toes l.
Words words_of(std::string_view name);

/// Whether one of `words` is one of `any`.
bool has_word(const Words& words, std::initializer_list<std::string_view> any);

/// +1 for a joint of the left side, -1 for one of the right, 0 where the name tells none, or both.
int named_side(const Words& words);

/// A name without its side, with its digits: the same for both joints of a pair. Empty where the name tells no side.
std::string unsided(std::string_view name);

/// What a word of a name tells of its joint.
enum class Cue : std::uint8_t {
  kTrunk,
  kNeck,
  kHead,
  kTail,
  kOther,  ///< worn or held
  kWing,
  kSideFin,
  kFin,
  kGirdle,    ///< always between trunk and limb: a clavicle
  kShoulder,  ///< starts an arm, or is between the trunk and what does
  kHip,       ///< likewise a leg
  kPelvis,    ///< trunk, or where it is of a side, between the trunk and a leg
  kArm,
  kLeg,
  kArmUpper,
  kArmLower,
  kArmEnd,
  kLegUpper,
  kLegLower,
  kLegEnd,
  kEnd,  ///< of any limb
  kUpper,
  kLower,
  kFront,
  kBack,
  kCarrier,  ///< what inverse kinematics moves a foot by
  kHelper    ///< says what the joint is for, not where it is
};

/// All that one name says.
struct NameReading {
  std::uint32_t cues = 0;
  int side = 0;  ///< +1: left
  Words words;   ///< without numbers
  /// A limb that only words of its own tell of: jaw, ear, horn, antenna, finger, tentacle.
  std::optional<rig::LimbKind> special;

  bool has(Cue cue) const { return (cues >> static_cast<unsigned>(cue) & 1u) != 0; }
  void add(Cue cue) { cues |= 1u << static_cast<unsigned>(cue); }
  bool arm() const { return has(Cue::kArm) || has(Cue::kArmUpper) || has(Cue::kArmLower) || has(Cue::kArmEnd); }
  bool leg() const { return has(Cue::kLeg) || has(Cue::kLegUpper) || has(Cue::kLegLower) || has(Cue::kLegEnd); }
  /// Where limbs begin; without a side, "hip" means both.
  bool socket() const { return has(Cue::kShoulder) || has(Cue::kHip) || (has(Cue::kPelvis) && (side != 0 || leg())); }
  bool limb() const;
  /// Moves or helps others and is no part of the body itself: twist bones, targets, controls.
  bool helper() const;
  /// The section that words of anatomy tell: 0 upper, 1 lower, 2 end, -1 none.
  int section() const;
};
NameReading read_name(std::string_view name);

/// Whether a name could be that of a finger below a hand: of "index", "middle" and "ring" nobody else would say so.
bool may_be_finger(const NameReading& reading);

/// Parts of a body by which its front is found. A name may tell of several.
enum class Landmark : std::uint8_t {
  kControl,  ///< of an animation program: not part of the body
  kLeft,
  kRight,
  kFoot,    ///< what stands on the ground
  kToes,    ///< the front of a foot ...
  kHeel,    ///< ... and what is behind it
  kFace,    ///< in front of the head
  kMuzzle,  ///< the face, where no joint is called head
  kHead,    ///< with the face
  kSkull,   ///< the head itself
  kNeck,
  kHips,
  kSpine,  ///< what is left where nothing else marks the hind end
  kTail,
  kSwimmer  ///< what bodies have that do not stand upright
};
bool tells_of(const Words& words, Landmark landmark);

}  // namespace limber::anatomy
