// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/result.h"

/// Any body in words: a trunk that carries limbs. "legs:2,wings:1,neck:long,tail:1" is a dragon on four legs.
/// What comes left and right (legs, arms, wings, flippers, horns) is counted in pairs, everything else one by one.
namespace limber::zoo {

enum class Carriage : std::uint8_t { kLevel, kUpright };
enum class Suppleness : std::uint8_t { kStiff, kSupple, kSerpentine };
enum class TrunkForm : std::uint8_t { kRound, kFlat, kNarrow };
enum class LegStyle : std::uint8_t {
  kPlantigrade,  ///< on the whole foot: people, bears
  kDigitigrade,  ///< on the toes, heel in the air: dogs, birds
  kUnguligrade,  ///< on one long toe: horses, deer
  kSprawling,    ///< knees out: lizards, turtles
  kInsect,       ///< knees up, ends in a point: insects, spiders, crabs
  kChain         ///< a row of 2 to 5 joints in one upright plane: robots, lamps, things that never lived
};
enum class FootStyle : std::uint8_t { kPaw, kHoof, kClaw, kToes };
enum class HandStyle : std::uint8_t { kMitten, kFingers, kPincer };
enum class WingStyle : std::uint8_t { kFeathered, kMembrane, kInsect };
enum class WingRest : std::uint8_t { kFolded, kHalf, kSpread };
enum class TailFin : std::uint8_t { kNone, kUpright, kFlukes };
enum class NeckLength : std::uint8_t { kNone, kShort, kMedium, kLong };
enum class Mouth : std::uint8_t { kPlain, kJaw, kBeak, kTrunk };
enum class Ears : std::uint8_t { kNone, kRound, kPointed, kLong };
enum class TailStyle : std::uint8_t { kThin, kThick, kBushy };
enum class Length : std::uint8_t { kShort, kMedium, kLong };

/// Things worn and held. Their joints are labelled `rig::LimbKind::kProp`.
struct PropSpec {
  bool cape = false, skirt = false, saddle = false, armour = false;
  bool sword = false, shield = false;  ///< in the right and the left hand; need arms
  bool pedestal = false;               ///< the feet stand on it, and it on the ground
  bool specks = false;                 ///< loose bits that hover beside the body: more than one piece of surface
  bool operator==(const PropSpec&) const = default;
};

/// Fields that say nothing for a body without the limb (a style of legs where there are none) have their defaults.
struct BodySpec {
  int segments = 4;                      ///< joints of the trunk, 2 to 30
  Carriage carriage = Carriage::kLevel;  ///< upright on two and more pairs of legs: a centaur
  Suppleness suppleness = Suppleness::kSupple;
  TrunkForm form = TrunkForm::kRound;
  bool shell = false;

  int leg_pairs = 0;  ///< 0 to 20
  LegStyle leg_style = LegStyle::kDigitigrade;
  FootStyle feet = FootStyle::kPaw;
  int leg_joints = 4;  ///< of chains, 2 to 5; other styles have their own number
  Length leg_length = Length::kMedium;

  int arm_pairs = 0;  ///< 0 to 2
  HandStyle hand = HandStyle::kMitten;
  int fingers = 4;  ///< of a hand with fingers, 3 to 5

  int wing_pairs = 0;  ///< 0 to 2
  WingStyle wing_style = WingStyle::kFeathered;
  WingRest wing_rest = WingRest::kSpread;

  int flipper_pairs = 0;  ///< 0 to 2
  bool dorsal = false;
  TailFin tail_fin = TailFin::kNone;
  bool disc = false;  ///< broad fins along the whole flank: rays

  int heads = 1;  ///< 0 to 3, each on a neck of its own
  NeckLength neck = NeckLength::kMedium;
  Mouth mouth = Mouth::kJaw;
  Ears ears = Ears::kNone;
  int horn_pairs = 0;  ///< 0 to 2
  bool nose_horn = false, antlers = false, crest = false, antennae = false;

  int tails = 0;  ///< 0 to 3
  TailStyle tail_style = TailStyle::kThin;
  Length tail_length = Length::kMedium;
  bool tail_dragged = false;

  int tentacles = 0;  ///< 0 to 10: below a body without legs, around the mouth of another
  PropSpec props;
  bool operator==(const BodySpec&) const = default;
};

/// Reads "legs:2/unguligrade/hoof,antlers,tail:1/short". What is not said follows from what is: one pair of legs
/// without wings stands upright. An error names what can be said at that place.
Result<BodySpec> parse_body(std::string_view text);

/// Says everything that the body has; `parse_body` gives the same body back.
std::string to_text(const BodySpec& spec);

/// A body as animals, people, monsters, robots and things have them, from all of the grammar. Same seed, same body.
BodySpec random_body(std::uint64_t seed);

/// What can be said: a word, what may follow its colon, and one sentence about it.
struct BodyWord {
  std::string word, values, meaning;
};
std::vector<BodyWord> body_words();

}  // namespace limber::zoo
