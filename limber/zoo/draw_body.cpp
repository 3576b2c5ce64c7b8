// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <span>

#include "limber/base/rng.h"
#include "limber/zoo/body_spec.h"

/// Random bodies: families as the world and its stories have them, each with the freedom that it has there.
namespace limber::zoo {
namespace {

template <class T>
T pick(Rng& rng, std::initializer_list<T> values) {
  return values.begin()[rng.below(static_cast<std::uint32_t>(values.size()))];
}
int between(Rng& rng, int low, int high) {
  return low + static_cast<int>(rng.below(static_cast<std::uint32_t>(high - low + 1)));
}
Length any_length(Rng& rng) { return pick(rng, {Length::kShort, Length::kMedium, Length::kMedium, Length::kLong}); }
WingRest any_rest(Rng& rng) { return pick(rng, {WingRest::kFolded, WingRest::kHalf, WingRest::kSpread}); }

void draw_tail(Rng& rng, double chance, BodySpec& spec) {
  if (!rng.chance(chance)) return;
  spec.tails = rng.chance(0.06) ? between(rng, 2, 3) : 1;
  spec.tail_style = pick(rng, {TailStyle::kThin, TailStyle::kThin, TailStyle::kThick, TailStyle::kBushy});
  spec.tail_length = any_length(rng);
  spec.tail_dragged = rng.chance(0.15);
}

void draw_face(Rng& rng, BodySpec& spec) {
  spec.ears = pick(rng, {Ears::kNone, Ears::kRound, Ears::kPointed, Ears::kPointed, Ears::kLong});
  if (rng.chance(0.2)) spec.horn_pairs = rng.chance(0.2) ? 2 : 1;
  spec.nose_horn = rng.chance(0.05);
  spec.crest = rng.chance(0.08);
}

BodySpec beast(Rng& rng) {
  BodySpec spec;
  spec.leg_pairs = 2;
  spec.leg_style = pick(rng, {LegStyle::kDigitigrade, LegStyle::kDigitigrade, LegStyle::kUnguligrade,
                              LegStyle::kUnguligrade, LegStyle::kPlantigrade});
  spec.feet = spec.leg_style == LegStyle::kUnguligrade
                  ? FootStyle::kHoof
                  : pick(rng, {FootStyle::kPaw, FootStyle::kPaw, FootStyle::kToes});
  spec.leg_length = any_length(rng);
  spec.segments = between(rng, 3, 6);
  spec.neck = pick(rng, {NeckLength::kShort, NeckLength::kMedium, NeckLength::kMedium, NeckLength::kLong});
  draw_face(rng, spec);
  if (spec.leg_style == LegStyle::kUnguligrade && rng.chance(0.35)) spec.antlers = true, spec.horn_pairs = 0;
  if (rng.chance(0.08)) spec.mouth = Mouth::kTrunk, spec.ears = Ears::kRound;
  draw_tail(rng, 0.85, spec);
  spec.props.saddle = rng.chance(0.1), spec.props.armour = rng.chance(0.06);
  return spec;
}

BodySpec dragon(Rng& rng) {
  BodySpec spec = beast(rng);
  spec.wing_pairs = rng.chance(0.1) ? 2 : 1;
  spec.wing_style = pick(rng, {WingStyle::kMembrane, WingStyle::kMembrane, WingStyle::kFeathered});
  spec.wing_rest = any_rest(rng);
  if (rng.chance(0.5)) spec.leg_style = LegStyle::kDigitigrade, spec.feet = FootStyle::kClaw;
  if (rng.chance(0.2)) spec.leg_pairs = 1, spec.carriage = Carriage::kLevel, spec.leg_style = LegStyle::kDigitigrade;
  if (rng.chance(0.5)) spec.neck = NeckLength::kLong;
  spec.mouth = pick(rng, {Mouth::kJaw, Mouth::kJaw, Mouth::kBeak});
  if (rng.chance(0.12)) spec.heads = between(rng, 2, 3);
  if (spec.tails == 0) spec.tails = 1;
  spec.tail_style = pick(rng, {TailStyle::kThick, TailStyle::kThick, TailStyle::kThin});
  spec.props.saddle = false;
  return spec;
}

BodySpec person(Rng& rng) {
  BodySpec spec;
  spec.carriage = Carriage::kUpright,
  spec.neck = pick(rng, {NeckLength::kNone, NeckLength::kShort, NeckLength::kShort});
  spec.leg_pairs = 1, spec.leg_style = rng.chance(0.85) ? LegStyle::kPlantigrade : LegStyle::kDigitigrade;
  spec.feet = pick(rng, {FootStyle::kPaw, FootStyle::kPaw, FootStyle::kToes, FootStyle::kHoof});
  spec.leg_length = any_length(rng);
  spec.arm_pairs = rng.chance(0.08) ? 2 : 1;
  spec.hand = pick(rng, {HandStyle::kMitten, HandStyle::kMitten, HandStyle::kFingers, HandStyle::kPincer});
  if (rng.chance(0.5) && spec.hand == HandStyle::kPincer) spec.hand = HandStyle::kMitten;
  spec.fingers = between(rng, 3, 5);
  spec.segments = between(rng, 3, 5);
  spec.mouth = rng.chance(0.6) ? Mouth::kPlain : Mouth::kJaw;
  if (rng.chance(0.5)) draw_face(rng, spec);
  draw_tail(rng, 0.25, spec);
  if (rng.chance(0.1)) {
    spec.wing_pairs = 1, spec.wing_rest = any_rest(rng);
    spec.wing_style = pick(rng, {WingStyle::kFeathered, WingStyle::kMembrane, WingStyle::kInsect});
  }
  if (rng.chance(0.05)) spec.heads = 2;
  spec.props.cape = spec.wing_pairs == 0 && rng.chance(0.15), spec.props.skirt = rng.chance(0.15);
  spec.props.sword = rng.chance(0.15), spec.props.shield = rng.chance(0.12), spec.props.armour = rng.chance(0.1);
  return spec;
}

BodySpec bird(Rng& rng) {
  BodySpec spec;
  spec.leg_pairs = 1, spec.leg_style = LegStyle::kDigitigrade, spec.feet = FootStyle::kClaw;
  spec.leg_length = any_length(rng);
  spec.wing_pairs = 1, spec.wing_style = rng.chance(0.9) ? WingStyle::kFeathered : WingStyle::kMembrane;
  spec.wing_rest = pick(rng, {WingRest::kFolded, WingRest::kFolded, WingRest::kHalf, WingRest::kSpread});
  spec.carriage = rng.chance(0.15) ? Carriage::kUpright : Carriage::kLevel;
  spec.mouth = Mouth::kBeak;
  spec.neck = pick(rng, {NeckLength::kShort, NeckLength::kShort, NeckLength::kMedium, NeckLength::kLong});
  spec.segments = between(rng, 2, 4);
  spec.crest = rng.chance(0.2);
  spec.tails = 1, spec.tail_style = TailStyle::kBushy, spec.tail_length = any_length(rng);
  return spec;
}

BodySpec raptor(Rng& rng) {
  BodySpec spec;
  spec.leg_pairs = 1, spec.leg_style = LegStyle::kDigitigrade, spec.feet = FootStyle::kClaw;
  spec.carriage = Carriage::kLevel, spec.leg_length = any_length(rng);
  spec.arm_pairs = rng.chance(0.85) ? 1 : 0;
  spec.hand = rng.chance(0.7) ? HandStyle::kMitten : HandStyle::kFingers, spec.fingers = 3;
  spec.segments = between(rng, 3, 5);
  spec.neck = pick(rng, {NeckLength::kShort, NeckLength::kMedium, NeckLength::kLong});
  if (rng.chance(0.3)) draw_face(rng, spec);
  spec.crest = rng.chance(0.3);
  spec.tails = 1, spec.tail_style = TailStyle::kThick,
  spec.tail_length = rng.chance(0.6) ? Length::kLong : Length::kMedium;
  return spec;
}

BodySpec reptile(Rng& rng) {
  BodySpec spec;
  spec.leg_pairs = rng.chance(0.1) ? 3 : 2;
  spec.leg_style = LegStyle::kSprawling, spec.feet = pick(rng, {FootStyle::kToes, FootStyle::kClaw, FootStyle::kPaw});
  spec.leg_length = pick(rng, {Length::kShort, Length::kMedium});
  spec.form = pick(rng, {TrunkForm::kRound, TrunkForm::kFlat});
  spec.segments = between(rng, 3, 7);
  spec.neck = pick(rng, {NeckLength::kNone, NeckLength::kShort, NeckLength::kMedium});
  spec.shell = rng.chance(0.35);
  if (spec.shell) spec.suppleness = Suppleness::kStiff, spec.segments = 3;
  spec.crest = rng.chance(0.1);
  draw_tail(rng, 0.85, spec);
  if (spec.tails > 0 && !spec.shell) spec.tail_style = TailStyle::kThick;
  return spec;
}

BodySpec arthropod(Rng& rng) {
  BodySpec spec;
  spec.leg_style = LegStyle::kInsect, spec.leg_pairs = pick(rng, {3, 3, 3, 4, 4, 4, 5, 6, 7, 8});
  spec.leg_length = any_length(rng), spec.neck = NeckLength::kNone;
  spec.segments = spec.leg_pairs > 5 ? spec.leg_pairs : 3;
  if (rng.chance(0.15)) spec.leg_pairs = between(rng, 9, 20), spec.segments = between(rng, 6, 20);
  spec.antennae = spec.leg_pairs != 4 && rng.chance(0.8);
  if (spec.leg_pairs == 3 && rng.chance(0.55)) {
    spec.wing_pairs = between(rng, 1, 2), spec.wing_style = WingStyle::kInsect, spec.wing_rest = any_rest(rng);
  }
  if (spec.leg_pairs >= 3 && spec.leg_pairs <= 5 && spec.wing_pairs == 0 && rng.chance(0.4)) {
    spec.arm_pairs = 1, spec.hand = HandStyle::kPincer;
    if (rng.chance(0.6))
      spec.form = TrunkForm::kFlat, spec.neck = NeckLength::kNone;
    else
      spec.tails = 1, spec.tail_length = Length::kLong;
  }
  spec.nose_horn = rng.chance(0.08), spec.shell = rng.chance(0.15);
  return spec;
}

BodySpec swimmer(Rng& rng) {
  BodySpec spec;
  spec.neck = NeckLength::kNone;
  spec.form = pick(rng, {TrunkForm::kNarrow, TrunkForm::kNarrow, TrunkForm::kRound});
  spec.segments = between(rng, 4, 9);
  spec.flipper_pairs = rng.chance(0.3) ? 2 : 1;
  spec.dorsal = rng.chance(0.75);
  spec.tail_fin = rng.chance(0.65) ? TailFin::kUpright : TailFin::kFlukes;
  if (rng.chance(0.1)) spec.neck = NeckLength::kLong, spec.flipper_pairs = 2, spec.form = TrunkForm::kRound;
  if (rng.chance(0.1)) spec.nose_horn = true;
  return spec;
}

BodySpec ray(Rng& rng) {
  BodySpec spec;
  spec.disc = true, spec.form = TrunkForm::kFlat, spec.neck = NeckLength::kNone;
  spec.segments = between(rng, 3, 5), spec.mouth = Mouth::kPlain;
  spec.tails = 1, spec.tail_style = TailStyle::kThin,
  spec.tail_length = rng.chance(0.7) ? Length::kLong : Length::kMedium;
  spec.dorsal = rng.chance(0.2);
  return spec;
}

BodySpec paddler(Rng& rng) {
  BodySpec spec;  // sea turtles, seals, penguin-like swimmers
  spec.flipper_pairs = 2, spec.segments = between(rng, 3, 5);
  spec.neck = pick(rng, {NeckLength::kShort, NeckLength::kMedium});
  spec.shell = rng.chance(0.5);
  spec.form = spec.shell ? TrunkForm::kFlat : TrunkForm::kRound;
  spec.mouth = spec.shell ? Mouth::kBeak : Mouth::kJaw;
  draw_tail(rng, 0.5, spec);
  spec.tail_length = Length::kShort;
  return spec;
}

BodySpec serpent(Rng& rng) {
  BodySpec spec;
  spec.suppleness = Suppleness::kSerpentine, spec.segments = between(rng, 8, 22), spec.neck = NeckLength::kNone;
  spec.horn_pairs = rng.chance(0.12) ? 1 : 0, spec.crest = rng.chance(0.1);
  spec.mouth = rng.chance(0.85) ? Mouth::kJaw : Mouth::kPlain;
  if (rng.chance(0.12)) spec.wing_pairs = 1, spec.wing_style = WingStyle::kMembrane, spec.wing_rest = any_rest(rng);
  if (rng.chance(0.08)) spec.heads = between(rng, 2, 3), spec.neck = NeckLength::kMedium;
  return spec;
}

BodySpec mollusc(Rng& rng) {
  BodySpec spec;  // octopuses, squids, jellyfish
  spec.carriage = rng.chance(0.75) ? Carriage::kUpright : Carriage::kLevel;
  spec.tentacles = between(rng, 4, 10), spec.heads = 0, spec.segments = between(rng, 2, 4);
  spec.shell = rng.chance(0.1);
  return spec;
}

BodySpec thing(Rng& rng) {
  BodySpec spec;  // sacks, plants, fruit with a face, lamps, slimes
  spec.carriage = rng.chance(0.85) ? Carriage::kUpright : Carriage::kLevel;
  spec.segments = between(rng, 2, 6), spec.heads = rng.chance(0.35) ? 1 : 0;
  spec.neck = pick(rng, {NeckLength::kNone, NeckLength::kShort, NeckLength::kLong}), spec.mouth = Mouth::kPlain;
  spec.form = pick(rng, {TrunkForm::kRound, TrunkForm::kRound, TrunkForm::kFlat});
  if (rng.chance(0.2)) spec.arm_pairs = 1;
  if (rng.chance(0.12)) spec.leg_pairs = 1, spec.leg_style = LegStyle::kPlantigrade, spec.leg_length = Length::kShort;
  return spec;
}

BodySpec hybrid(Rng& rng) {
  BodySpec spec = rng.chance(0.5) ? beast(rng) : person(rng);
  spec.carriage = Carriage::kUpright, spec.arm_pairs = 1, spec.props.saddle = false;
  spec.neck = NeckLength::kShort, spec.heads = 1, spec.mouth = rng.chance(0.5) ? Mouth::kPlain : Mouth::kJaw;
  switch (rng.below(4)) {
    case 0:  // centaurs
      spec.leg_pairs = 2, spec.leg_style = LegStyle::kUnguligrade, spec.feet = FootStyle::kHoof, spec.segments = 6;
      break;
    case 1:  // spiders and scorpions with the body of a person
      spec.leg_pairs = between(rng, 3, 4), spec.leg_style = LegStyle::kInsect, spec.segments = 6;
      break;
    case 2:  // nagas
      spec.leg_pairs = 0, spec.tails = 1, spec.tail_style = TailStyle::kThick, spec.tail_length = Length::kLong;
      spec.tail_dragged = true;
      break;
    default:  // mermaids
      spec.leg_pairs = 0, spec.tails = 1, spec.tail_style = TailStyle::kThick, spec.tail_length = Length::kLong;
      spec.tail_fin = TailFin::kFlukes, spec.tail_dragged = false;
  }
  return spec;
}

BodySpec robot(Rng& rng) {
  BodySpec spec;
  spec.suppleness = Suppleness::kStiff, spec.segments = between(rng, 2, 3);
  spec.leg_pairs = between(rng, 1, 4), spec.leg_style = LegStyle::kChain, spec.leg_joints = between(rng, 2, 5);
  spec.carriage = spec.leg_pairs == 1 && rng.chance(0.7) ? Carriage::kUpright : Carriage::kLevel;
  spec.form = pick(rng, {TrunkForm::kRound, TrunkForm::kFlat});
  spec.heads = rng.chance(0.8) ? 1 : 0,
  spec.neck = pick(rng, {NeckLength::kNone, NeckLength::kShort, NeckLength::kLong});
  spec.mouth = Mouth::kPlain, spec.antennae = rng.chance(0.3);
  spec.arm_pairs = rng.chance(0.5) ? 1 : 0, spec.hand = pick(rng, {HandStyle::kPincer, HandStyle::kMitten});
  return spec;
}

/// Anything with anything, within what a body can carry.
BodySpec chimera(Rng& rng) {
  BodySpec spec = pick(rng, {beast, dragon, reptile, arthropod, person})(rng);
  if (rng.chance(0.4)) spec.heads = between(rng, 1, 3), spec.neck = pick(rng, {NeckLength::kMedium, NeckLength::kLong});
  if (rng.chance(0.3)) spec.tails = between(rng, 1, 3);
  if (rng.chance(0.3) && spec.leg_style != LegStyle::kInsect) spec.leg_pairs = between(rng, 1, 4);
  if (rng.chance(0.3)) spec.wing_pairs = between(rng, 0, 2), spec.wing_rest = any_rest(rng);
  if (rng.chance(0.25)) spec.arm_pairs = between(rng, 0, 2);
  if (rng.chance(0.2)) spec.tentacles = between(rng, 2, 6);
  if (rng.chance(0.2)) spec.antennae = true;
  if (rng.chance(0.2)) spec.shell = true;
  if (rng.chance(0.15)) spec.antlers = true, spec.horn_pairs = 0;
  if (spec.arm_pairs == 0) spec.props.sword = spec.props.shield = false;
  return spec;
}

struct Family {
  BodySpec (*draw)(Rng&);
  double share;
};
constexpr std::array<Family, 16> kFamilies = {{{beast, 18},
                                               {dragon, 8},
                                               {person, 15},
                                               {bird, 9},
                                               {raptor, 6},
                                               {reptile, 7},
                                               {arthropod, 10},
                                               {swimmer, 7},
                                               {ray, 2},
                                               {paddler, 3},
                                               {serpent, 4},
                                               {mollusc, 4},
                                               {thing, 6},
                                               {hybrid, 4},
                                               {robot, 3},
                                               {chimera, 8}}};

BodySpec draw_family(Rng& rng) {
  double total = 0;
  for (const Family& family : kFamilies) total += family.share;
  double left = rng.uniform(0, total);
  for (const Family& family : kFamilies) {
    if (left < family.share) return family.draw(rng);
    left -= family.share;
  }
  return beast(rng);
}

}  // namespace

BodySpec random_body(std::uint64_t seed) {
  Rng rng(seed, 0xb0d1);
  BodySpec spec = draw_family(rng);
  spec.props.pedestal = spec.leg_pairs > 0 && rng.chance(0.02);
  spec.props.specks = rng.chance(0.02);
  // Through its words: idle fields get their defaults.
  return parse_body(to_text(spec)).value();
}

}  // namespace limber::zoo
