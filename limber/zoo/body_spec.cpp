// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/body_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

namespace limber::zoo {
namespace {

constexpr std::string_view kCarriages[] = {"level", "upright"};
constexpr std::string_view kSupplenesses[] = {"stiff", "supple", "serpentine"};
constexpr std::string_view kForms[] = {"round", "flat", "narrow"};
constexpr std::string_view kLegStyles[] = {"plantigrade", "digitigrade", "unguligrade", "sprawling", "insect", "chain"};
constexpr std::string_view kFeet[] = {"paw", "hoof", "claw", "toes"};
constexpr std::string_view kHands[] = {"mitten", "fingers", "pincer"};
constexpr std::string_view kWingStyles[] = {"feathered", "membrane", "insect"};
constexpr std::string_view kWingRests[] = {"folded", "half", "spread"};
constexpr std::string_view kTailFins[] = {"none", "upright", "flukes"};
constexpr std::string_view kNecks[] = {"none", "short", "medium", "long"};
constexpr std::string_view kMouths[] = {"plain", "jaw", "beak", "trunk"};
constexpr std::string_view kEars[] = {"none", "round", "pointed", "long"};
constexpr std::string_view kTailStyles[] = {"thin", "thick", "bushy"};
constexpr std::string_view kLengths[] = {"short", "medium", "long"};
constexpr std::string_view kShells[] = {"bare", "shell"};
constexpr std::string_view kTailCarriages[] = {"carried", "dragged"};

/// One value that may follow a colon: one of some words, or a number with a unit ("5-joint", or bare).
struct Choice {
  std::span<const std::string_view> words;  // empty: a number
  std::string_view unit;                    // after the number's dash; empty: the count itself
  int low = 0, high = 0;
  int (*get)(const BodySpec&) = nullptr;
  void (*set)(BodySpec&, int) = nullptr;
};

// A field of the spec as an integer, whatever its type.
template <auto kField>
int get(const BodySpec& spec) {
  return static_cast<int>(spec.*kField);
}
template <auto kField>
void set(BodySpec& spec, int value) {
  using Field = std::remove_reference_t<decltype(spec.*kField)>;
  spec.*kField = static_cast<Field>(value);
}
template <auto kField>
int get_prop(const BodySpec& spec) {
  return spec.props.*kField ? 1 : 0;
}
template <auto kField>
void set_prop(BodySpec& spec, int value) {
  spec.props.*kField = value != 0;
}
template <auto kField>
Choice one_of(std::span<const std::string_view> words) {
  return {words, {}, 0, static_cast<int>(words.size()) - 1, get<kField>, set<kField>};
}
template <auto kField>
Choice number(int low, int high, std::string_view unit = {}) {
  return {{}, unit, low, high, get<kField>, set<kField>};
}

/// A word with its choices. A count comes first; where it is zero the body has no such limb and nothing is printed.
struct Entry {
  std::string_view word, meaning;
  std::vector<Choice> choices;
  bool counted = false;  // the first choice is how many there are
};

using B = BodySpec;

std::vector<Entry> make_entries() {  // table: the grammar
  std::vector<Entry> entries = {
      {"body",
       "The trunk: how many joints, how it is carried, how it bends, its cross-section, a shell on its back.",
       {number<&B::segments>(2, 30), one_of<&B::carriage>(kCarriages), one_of<&B::suppleness>(kSupplenesses),
        one_of<&B::form>(kForms), one_of<&B::shell>(kShells)}},
      {"legs",
       "Pairs of legs, more than 8 for centipedes: how they stand, what they stand on, how long they are.",
       {number<&B::leg_pairs>(0, 20), one_of<&B::leg_style>(kLegStyles), one_of<&B::feet>(kFeet),
        number<&B::leg_joints>(2, 5, "joint"), one_of<&B::leg_length>(kLengths)},
       true},
      {"arms",
       "Pairs of arms, and their hands.",
       {number<&B::arm_pairs>(0, 2), one_of<&B::hand>(kHands), number<&B::fingers>(3, 5, "finger")},
       true},
      {"wings",
       "Pairs of wings, what they are made of, how they are held at rest.",
       {number<&B::wing_pairs>(0, 2), one_of<&B::wing_style>(kWingStyles), one_of<&B::wing_rest>(kWingRests)},
       true},
      {"flippers", "Pairs of flippers.", {number<&B::flipper_pairs>(0, 2)}, true},
      {"dorsal", "A fin on the back.", {number<&B::dorsal>(0, 1)}, true},
      {"tailfin",
       "A fin at the end: upright as a fish's, or flukes as a whale's.",
       {one_of<&B::tail_fin>(kTailFins)},
       true},
      {"disc", "Broad fins along both flanks: a ray.", {number<&B::disc>(0, 1)}, true},
      {"heads", "Heads, each on a neck of its own; 0 for things without one.", {number<&B::heads>(0, 3)}},
      {"neck", "How long the necks are.", {one_of<&B::neck>(kNecks)}},
      {"mouth", "What the heads eat with; a trunk is an elephant's.", {one_of<&B::mouth>(kMouths)}},
      {"ears", "Ears.", {one_of<&B::ears>(kEars)}, true},
      {"horns", "Pairs of horns.", {number<&B::horn_pairs>(0, 2)}, true},
      {"nosehorn", "A horn on the nose.", {number<&B::nose_horn>(0, 1)}, true},
      {"antlers", "Branching antlers.", {number<&B::antlers>(0, 1)}, true},
      {"crest", "A crest on the head.", {number<&B::crest>(0, 1)}, true},
      {"antennae", "A pair of feelers.", {number<&B::antennae>(0, 1)}, true},
      {"tail",
       "Tails: thin, thick or bushy, how long, carried or dragged.",
       {number<&B::tails>(0, 3), one_of<&B::tail_style>(kTailStyles), one_of<&B::tail_length>(kLengths),
        one_of<&B::tail_dragged>(kTailCarriages)},
       true},
      {"tentacles",
       "Tentacles: below a body without legs, around the mouth of another.",
       {number<&B::tentacles>(0, 10)},
       true},
  };
  const auto prop = [&entries](std::string_view word, std::string_view meaning, int (*get)(const BodySpec&),
                               void (*set)(BodySpec&, int)) {
    entries.push_back({word, meaning, {{{}, {}, 0, 1, get, set}}, true});
  };
  using P = PropSpec;
  prop("cape", "Hangs from the shoulders.", get_prop<&P::cape>, set_prop<&P::cape>);
  prop("skirt", "Hangs from the hips.", get_prop<&P::skirt>, set_prop<&P::skirt>);
  prop("saddle", "Lies on the back.", get_prop<&P::saddle>, set_prop<&P::saddle>);
  prop("armour", "Plates along the back and on the shoulders.", get_prop<&P::armour>, set_prop<&P::armour>);
  prop("sword", "In the right hand; needs arms.", get_prop<&P::sword>, set_prop<&P::sword>);
  prop("shield", "In the left hand; needs arms.", get_prop<&P::shield>, set_prop<&P::shield>);
  prop("pedestal", "A plate that the feet stand on.", get_prop<&P::pedestal>, set_prop<&P::pedestal>);
  prop("specks", "Loose bits that hover beside the body.", get_prop<&P::specks>, set_prop<&P::specks>);
  return entries;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> table = make_entries();
  return table;
}

const Entry* find_entry(std::string_view word) {
  // Both numbers of a noun will do.
  static constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
      {"leg", "legs"},   {"arm", "arms"},   {"wing", "wings"},         {"tails", "tail"},      {"head", "heads"},
      {"necks", "neck"}, {"horn", "horns"}, {"tentacle", "tentacles"}, {"flipper", "flippers"}};
  for (const auto& [said, meant] : kSynonyms) {
    if (word == said) word = meant;
  }
  const auto found =
      std::find_if(entries().begin(), entries().end(), [&](const Entry& entry) { return entry.word == word; });
  return found == entries().end() ? nullptr : &*found;
}

std::string possible_values(const Choice& choice, bool flag) {
  if (flag) return "";
  if (!choice.words.empty()) return fmt::format("{}", fmt::join(choice.words, "|"));
  return choice.unit.empty() ? fmt::format("{}..{}", choice.low, choice.high)
                             : fmt::format("{}-{}..{}-{}", choice.low, choice.unit, choice.high, choice.unit);
}

/// A word that is there or not needs no value.
bool is_flag(const Entry& entry) { return entry.counted && entry.choices.size() == 1 && entry.choices[0].high == 1; }

std::string possible_values(const Entry& entry) {
  std::string text;
  for (const Choice& choice : entry.choices) {
    const std::string values = possible_values(choice, is_flag(entry));
    text += (text.empty() || values.empty() ? "" : " / ") + values;
  }
  return text;
}

std::string all_words() {
  std::vector<std::string_view> words;
  for (const Entry& entry : entries()) words.push_back(entry.word);
  return fmt::format("{}", fmt::join(words, ", "));
}

/// What a value says in a choice, or nothing where it is none of its values. Numbers out of range count as said.
std::optional<int> value_of(const Choice& choice, std::string_view text) {
  if (!choice.words.empty()) {
    const auto found = std::find(choice.words.begin(), choice.words.end(), text);
    return found == choice.words.end() ? std::nullopt
                                       : std::optional<int>(static_cast<int>(found - choice.words.begin()));
  }
  if (!choice.unit.empty()) {
    const std::size_t dash = text.find('-');
    if (dash == std::string_view::npos || !text.substr(dash + 1).starts_with(choice.unit)) return std::nullopt;
    text = text.substr(0, dash);
  }
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return choice.high + 1;
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = std::min(text.find(at), text.size());
    std::string_view part = text.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back(part);
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Which fields were said, by the address of their setter.
class Said {
 public:
  void add(const Choice& choice) { setters_.push_back(choice.set); }
  template <auto kField>
  bool has() const {
    return std::find(setters_.begin(), setters_.end(), &set<kField>) != setters_.end();
  }
  bool contains(const Choice& choice) const {
    return std::find(setters_.begin(), setters_.end(), choice.set) != setters_.end();
  }

 private:
  std::vector<void (*)(BodySpec&, int)> setters_;
};

Status read_value(const Entry& entry, std::string_view value, BodySpec& spec, Said& said) {
  for (const Choice& choice : entry.choices) {
    const std::optional<int> found = value_of(choice, value);
    if (!found) continue;
    if (*found < choice.low || *found > choice.high) break;
    if (said.contains(choice)) {
      return Error{fmt::format("{}: '{}' says again what was said before", entry.word, value), "body",
                   ErrorKind::kInput};
    }
    choice.set(spec, *found);
    said.add(choice);
    return Done{};
  }
  return Error{fmt::format("{}: '{}' is not possible; possible is {}", entry.word, value,
                           is_flag(entry) ? "nothing after the word, or 0 or 1" : possible_values(entry)),
               "body", ErrorKind::kInput};
}

Status read_entry(std::string_view text, BodySpec& spec, Said& said) {
  const std::size_t colon = text.find(':');
  const Entry* entry = find_entry(text.substr(0, colon));
  if (!entry) {
    return Error{fmt::format("no '{}' in the grammar of bodies; possible are {}", text.substr(0, colon), all_words()),
                 "body", ErrorKind::kInput};
  }
  if (colon == std::string_view::npos) return read_value(*entry, "1", spec, said);
  for (const std::string_view value : split(text.substr(colon + 1), '/')) {
    LIMBER_CHECK_OK(read_value(*entry, value, spec, said));
  }
  return Done{};
}

/// Sets a field that nobody spoke of.
template <auto kField, class Value>
void fill(BodySpec& spec, const Said& said, Value value) {
  if (!said.has<kField>()) spec.*kField = value;
}

/// What was not said follows from what was.
void complete(BodySpec& spec, const Said& said) {
  // A style without a count is one of them.
  if (!said.has<&B::leg_pairs>() && (said.has<&B::leg_style>() || said.has<&B::feet>() || said.has<&B::leg_joints>()))
    spec.leg_pairs = 1;
  if (!said.has<&B::arm_pairs>() &&
      (said.has<&B::hand>() || said.has<&B::fingers>() || spec.props.sword || spec.props.shield))
    spec.arm_pairs = 1;
  if (!said.has<&B::wing_pairs>() && (said.has<&B::wing_style>() || said.has<&B::wing_rest>())) spec.wing_pairs = 1;
  if (!said.has<&B::tails>() && (said.has<&B::tail_style>() || said.has<&B::tail_length>())) spec.tails = 1;
  if (said.has<&B::fingers>()) fill<&B::hand>(spec, said, HandStyle::kFingers);

  const bool stands = spec.leg_pairs == 1 && spec.wing_pairs == 0;
  fill<&B::carriage>(spec, said,
                     stands || (spec.leg_pairs == 0 && spec.arm_pairs > 0 && spec.tail_fin == TailFin::kNone)
                         ? Carriage::kUpright
                         : Carriage::kLevel);
  const bool upright = spec.carriage == Carriage::kUpright;
  fill<&B::leg_style>(spec, said,
                      said.has<&B::leg_joints>()       ? LegStyle::kChain
                      : spec.leg_pairs >= 3            ? LegStyle::kInsect
                      : spec.leg_pairs == 1 && upright ? LegStyle::kPlantigrade
                                                       : LegStyle::kDigitigrade);
  fill<&B::feet>(spec, said,
                 spec.leg_style == LegStyle::kUnguligrade ? FootStyle::kHoof
                 : spec.leg_pairs == 1 && !upright        ? FootStyle::kClaw
                 : spec.leg_style == LegStyle::kSprawling ? FootStyle::kToes
                                                          : FootStyle::kPaw);
  const bool crawls = spec.leg_pairs > 5;
  fill<&B::segments>(spec, said,
                     crawls                                                      ? std::min(30, spec.leg_pairs + 1)
                     : spec.leg_style == LegStyle::kInsect && spec.leg_pairs > 0 ? 3
                                                                                 : 4);
  fill<&B::neck>(spec, said, upright || spec.leg_style == LegStyle::kInsect ? NeckLength::kShort : NeckLength::kMedium);
}

/// Fields that say nothing have their defaults, so that equal bodies are equal specs.
void forget_idle_fields(BodySpec& spec) {
  const BodySpec plain;
  if (spec.leg_pairs == 0) {
    spec.leg_style = plain.leg_style, spec.feet = plain.feet, spec.leg_length = plain.leg_length;
  }
  if (spec.leg_style == LegStyle::kInsect || spec.leg_style == LegStyle::kChain) spec.feet = plain.feet;
  if (spec.leg_pairs == 0 || spec.leg_style != LegStyle::kChain) spec.leg_joints = plain.leg_joints;
  if (spec.arm_pairs == 0) spec.hand = plain.hand;
  if (spec.arm_pairs == 0 || spec.hand != HandStyle::kFingers) spec.fingers = plain.fingers;
  if (spec.wing_pairs == 0) spec.wing_style = plain.wing_style, spec.wing_rest = plain.wing_rest;
  if (spec.tails == 0) {
    spec.tail_style = plain.tail_style, spec.tail_length = plain.tail_length, spec.tail_dragged = plain.tail_dragged;
  }
  if (spec.heads == 0) {
    spec.neck = plain.neck, spec.mouth = plain.mouth, spec.ears = plain.ears, spec.horn_pairs = 0;
    spec.nose_horn = spec.antlers = spec.crest = spec.antennae = false;
  }
}

Status check(const BodySpec& spec) {
  const auto refuse = [](std::string what) { return Status(Error{std::move(what), "body", ErrorKind::kInput}); };
  if (spec.leg_pairs > 8 && spec.leg_style != LegStyle::kInsect) {
    return refuse("more than 8 pairs of legs are possible for insect legs only");
  }
  if ((spec.props.sword || spec.props.shield) && spec.arm_pairs == 0) {
    return refuse("a sword or a shield needs arms: add arms:1");
  }
  if (spec.disc && spec.leg_pairs > 0) return refuse("a disc is for bodies without legs: legs:0");
  if (spec.disc && spec.carriage == Carriage::kUpright) return refuse("a disc is for level bodies: body:level");
  if (spec.antlers && spec.horn_pairs > 0) return refuse("antlers grow where horns would: one or the other");
  return Done{};
}

}  // namespace

Result<BodySpec> parse_body(std::string_view text) {
  BodySpec spec;
  Said said;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty() && text.find_first_not_of(' ') == std::string_view::npos) break;  // nothing at all: a bare trunk
    LIMBER_CHECK_OK(read_entry(part, spec, said));
  }
  complete(spec, said);
  forget_idle_fields(spec);
  LIMBER_CHECK_OK(check(spec));
  return spec;
}

std::string to_text(const BodySpec& spec) {
  const BodySpec plain;
  std::string text;
  for (const Entry& entry : entries()) {
    const Choice& first = entry.choices[0];
    if (entry.counted && first.get(spec) == 0) continue;
    if (spec.heads == 0 && (entry.word == "neck" || entry.word == "mouth")) continue;
    std::string values;
    for (const Choice& choice : entry.choices) {
      const int value = choice.get(spec);
      // Numbers with a unit are said where they mean something.
      if (!choice.unit.empty() && value == choice.get(plain)) continue;
      values += values.empty() ? "" : "/";
      values += !choice.words.empty() ? std::string(choice.words[static_cast<std::size_t>(value)])
                : choice.unit.empty() ? std::to_string(value)
                                      : fmt::format("{}-{}", value, choice.unit);
    }
    text += text.empty() ? "" : ",";
    text += is_flag(entry) ? std::string(entry.word) : fmt::format("{}:{}", entry.word, values);
  }
  return text;
}

std::vector<BodyWord> body_words() {
  std::vector<BodyWord> words;
  for (const Entry& entry : entries()) {
    words.push_back({std::string(entry.word), possible_values(entry), std::string(entry.meaning)});
  }
  return words;
}

}  // namespace limber::zoo
