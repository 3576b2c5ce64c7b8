// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/features.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace limber::zoo {
namespace {

struct Called {
  std::string_view word, feature;
};
/// Words and the features that they mean; those that end in "s" or "ed" follow from these.
constexpr Called kCalled[] = {
    {"leg", "legs"},       {"legg", "legs"},          {"foot", "feet"},         {"feet", "feet"},
    {"paw", "paws"},       {"hoof", "hooves"},        {"hooves", "hooves"},     {"claw", "claws"},
    {"toe", "toes"},       {"arm", "arms"},           {"hand", "hands"},        {"finger", "fingers"},
    {"pincer", "pincers"}, {"wing", "wings"},         {"flipper", "flippers"},  {"fin", "fins"},
    {"head", "heads"},     {"neck", "neck"},          {"trunk", "trunk"},       {"beak", "beak"},
    {"bill", "beak"},      {"jaw", "jaws"},           {"teeth", "jaws"},        {"ear", "ears"},
    {"horn", "horns"},     {"antler", "antlers"},     {"crest", "crest"},       {"mane", "crest"},
    {"comb", "crest"},     {"antenna", "antennae"},   {"antennae", "antennae"}, {"feeler", "antennae"},
    {"tail", "tail"},      {"tentacle", "tentacles"}, {"shell", "shell"},       {"saddle", "saddle"},
    {"cape", "cape"},      {"cloak", "cape"},         {"skirt", "skirt"},       {"dress", "skirt"},
    {"armour", "armour"},  {"armor", "armour"},       {"plate", "armour"},      {"sword", "sword"},
    {"shield", "shield"},  {"pedestal", "pedestal"},  {"plinth", "pedestal"},
};
constexpr std::string_view kKinds[] = {"long",   "short",  "thick",  "thin",      "bushy",    "fluffy",   "pointed",
                                       "pointy", "round",  "floppy", "feathered", "leathery", "membrane", "bat",
                                       "insect", "folded", "spread", "fat",       "big",      "large",    "huge",
                                       "small",  "little", "tiny",   "slender",   "upright"};

bool has(const Wish& wish, std::initializer_list<std::string_view> kinds) {
  return std::any_of(kinds.begin(), kinds.end(), [&](std::string_view kind) { return wish.kinds.count(kind) > 0; });
}
bool is_long(const Wish& wish) { return has(wish, {"long", "big", "large", "huge"}); }
bool is_short(const Wish& wish) { return has(wish, {"short", "small", "little", "tiny"}); }

template <class T>
void set_length(const Wish& wish, T& value, T shorter, T longer) {
  if (is_long(wish)) value = longer;
  if (is_short(wish)) value = shorter;
}

/// So many pairs, of what comes left and right.
Result<int> pairs_of(const std::string& feature, const Wish& wish, int usual, int most) {
  if (wish.without) return 0;
  if (!wish.count) return usual;
  if (*wish.count % 2 != 0) return Error{feature + " come in pairs: two, four ...", "words"};
  if (*wish.count / 2 > most) return Error{fmt::format("there can be {} {} at most", 2 * most, feature), "words"};
  return *wish.count / 2;
}

Result<int> count_of(const std::string& feature, const Wish& wish, int usual, int most) {
  const int count = wish.without ? 0 : wish.count.value_or(usual);
  if (count > most) return Error{fmt::format("there can be {} {} at most", most, feature), "words"};
  return count;
}

Status give_legs(const Wish& wish, BodySpec& body) {
  const int before = body.leg_pairs;
  LIMBER_TRY(body.leg_pairs, pairs_of("legs", wish, std::max(before, 1), 20));
  set_length(wish, body.leg_length, Length::kShort, Length::kLong);
  if (body.leg_pairs == 0) return Done{};
  const bool many = body.leg_pairs > 8 || (before == 0 && body.leg_pairs > 2);
  if (before == 0) body.leg_style = LegStyle::kSprawling, body.feet = FootStyle::kToes;
  if (many) body.leg_style = LegStyle::kInsect;
  if (before == 0 && body.suppleness == Suppleness::kSerpentine)
    body.suppleness = Suppleness::kSupple, body.segments = 8;
  // What crawls bends between its legs.
  if (body.leg_pairs > 5) body.segments = std::clamp(body.leg_pairs + 1, std::min(body.segments, 30), 30);
  return Done{};
}

Status give_wings(const Wish& wish, BodySpec& body) {
  const bool had = body.wing_pairs > 0;
  LIMBER_TRY(body.wing_pairs, pairs_of("wings", wish, std::max(body.wing_pairs, 1), 2));
  if (body.wing_pairs == 0) return Done{};
  if (!had)
    body.wing_style =
        body.leg_style == LegStyle::kInsect && body.leg_pairs > 0 ? WingStyle::kInsect : WingStyle::kFeathered;
  if (!had) body.wing_rest = WingRest::kHalf;
  if (has(wish, {"feathered"})) body.wing_style = WingStyle::kFeathered;
  if (has(wish, {"leathery", "membrane", "bat"})) body.wing_style = WingStyle::kMembrane;
  if (has(wish, {"insect"})) body.wing_style = WingStyle::kInsect;
  if (has(wish, {"folded"})) body.wing_rest = WingRest::kFolded;
  if (has(wish, {"spread"})) body.wing_rest = WingRest::kSpread;
  return Done{};
}

Status give_tail(const Wish& wish, BodySpec& body) {
  LIMBER_TRY(body.tails, count_of("tails", wish, std::max(body.tails, 1), 3));
  if (has(wish, {"thin", "slender"})) body.tail_style = TailStyle::kThin;
  if (has(wish, {"thick", "fat"})) body.tail_style = TailStyle::kThick;
  if (has(wish, {"bushy", "fluffy"})) body.tail_style = TailStyle::kBushy;
  set_length(wish, body.tail_length, Length::kShort, Length::kLong);
  return Done{};
}

Status give_head(const Wish& wish, BodySpec& body) {
  LIMBER_TRY(body.heads, count_of("heads", wish, std::max(body.heads, 1), 3));
  return Done{};
}

Status give_horns(const Wish& wish, BodySpec& body) {
  // A single one is on the nose.
  const bool one = wish.count == 1 && !wish.without;
  body.nose_horn = one || (body.nose_horn && !wish.without);
  if (one) return Done{};
  LIMBER_TRY(body.horn_pairs, pairs_of("horns", wish, std::max(body.horn_pairs, 1), 2));
  if (body.horn_pairs > 0) body.antlers = false;
  return Done{};
}

Status give_arms(const Wish& wish, BodySpec& body) {
  LIMBER_TRY(body.arm_pairs, pairs_of("arms", wish, std::max(body.arm_pairs, 1), 2));
  if (body.arm_pairs == 0) body.props.sword = body.props.shield = false;
  return Done{};
}

void give_ears(const Wish& wish, BodySpec& body) {
  if (body.ears == Ears::kNone) body.ears = Ears::kPointed;
  if (has(wish, {"long", "floppy", "big", "large", "huge"})) body.ears = Ears::kLong;
  if (has(wish, {"pointed", "pointy"})) body.ears = Ears::kPointed;
  if (has(wish, {"round", "small", "little", "short"})) body.ears = Ears::kRound;
  if (wish.without) body.ears = Ears::kNone;
}

void give_neck(const Wish& wish, BodySpec& body) {
  set_length(wish, body.neck, NeckLength::kShort, NeckLength::kLong);
  if (wish.without) body.neck = NeckLength::kNone;
}

void give_fins(const Wish& wish, BodySpec& body) {
  body.dorsal = !wish.without;
  if (wish.without) body.tail_fin = TailFin::kNone, body.disc = false;
  if (!wish.without && body.flipper_pairs == 0 && body.leg_pairs == 0) body.flipper_pairs = 1;
}

/// What is there or not.
bool* flag_of(const std::string& feature, BodySpec& body) {
  const std::pair<std::string_view, bool*> flags[] = {
      {"crest", &body.crest},         {"antennae", &body.antennae},
      {"shell", &body.shell},         {"saddle", &body.props.saddle},
      {"cape", &body.props.cape},     {"skirt", &body.props.skirt},
      {"armour", &body.props.armour}, {"sword", &body.props.sword},
      {"shield", &body.props.shield}, {"pedestal", &body.props.pedestal},
      {"antlers", &body.antlers}};
  for (const auto& [name, flag] : flags) {
    if (name == feature) return flag;
  }
  return nullptr;
}

/// What stands on the ground, or holds: of bodies that have legs, or arms.
Status give_ends(const std::string& feature, const Wish& wish, BodySpec& body) {
  if (wish.without) return Done{};
  if (feature == "paws") body.feet = FootStyle::kPaw;
  if (feature == "claws") body.feet = FootStyle::kClaw;
  if (feature == "toes") body.feet = FootStyle::kToes;
  if (feature == "hooves") body.feet = FootStyle::kHoof, body.leg_style = LegStyle::kUnguligrade;
  if (feature == "pincers") body.hand = HandStyle::kPincer, body.arm_pairs = std::max(body.arm_pairs, 1);
  if (feature == "hands") body.arm_pairs = std::max(body.arm_pairs, 1);
  if (feature == "fingers") {
    body.hand = HandStyle::kFingers, body.arm_pairs = std::max(body.arm_pairs, 1);
    if (wish.count && *wish.count >= 3 && *wish.count <= 5) body.fingers = *wish.count;
  }
  return Done{};
}

void give_mouth(const std::string& feature, const Wish& wish, BodySpec& body) {
  const Mouth mouth = feature == "trunk" ? Mouth::kTrunk : feature == "beak" ? Mouth::kBeak : Mouth::kJaw;
  if (!wish.without) body.mouth = mouth;
  if (wish.without && body.mouth == mouth) body.mouth = Mouth::kPlain;
}

}  // namespace

std::string feature_of(std::string_view word) {
  const auto find = [](std::string_view stem) -> std::string {
    for (const Called& called : kCalled) {
      if (called.word == stem) return std::string(called.feature);
    }
    return "";
  };
  std::string found = find(word);
  for (const std::string_view ending : {"s", "ed", "less", "es"}) {
    if (!found.empty() || !word.ends_with(ending)) continue;
    found = find(word.substr(0, word.size() - ending.size()));
  }
  return found;
}

bool is_kind(std::string_view word) {
  return std::find(std::begin(kKinds), std::end(kKinds), word) != std::end(kKinds);
}

Status give_feature(const std::string& feature, const Wish& wish, BodySpec& body) {
  if (feature == "legs" || feature == "feet") return give_legs(wish, body);
  if (feature == "wings") return give_wings(wish, body);
  if (feature == "tail") return give_tail(wish, body);
  if (feature == "heads") return give_head(wish, body);
  if (feature == "horns") return give_horns(wish, body);
  if (feature == "arms") return give_arms(wish, body);
  if (feature == "flippers") {
    LIMBER_TRY(body.flipper_pairs, pairs_of("flippers", wish, std::max(body.flipper_pairs, 1), 2));
    return Done{};
  }
  if (feature == "tentacles") {
    LIMBER_TRY(body.tentacles, count_of("tentacles", wish, body.tentacles > 0 ? body.tentacles : 8, 10));
    return Done{};
  }
  if (feature == "ears") return give_ears(wish, body), Done{};
  if (feature == "neck") return give_neck(wish, body), Done{};
  if (feature == "fins") return give_fins(wish, body), Done{};
  if (feature == "trunk" || feature == "beak" || feature == "jaws") return give_mouth(feature, wish, body), Done{};
  bool* flag = flag_of(feature, body);
  if (flag == nullptr) return give_ends(feature, wish, body);
  *flag = !wish.without;
  if (feature == "antlers" && *flag) body.horn_pairs = 0;
  if ((feature == "sword" || feature == "shield") && *flag) body.arm_pairs = std::max(body.arm_pairs, 1);
  return Done{};
}

}  // namespace limber::zoo
