// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/captions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "limber/base/expect.h"
#include "limber/prior/prompt_words.h"

namespace limber::training {
namespace {

/// What the catalogue teaches, none of which a sentence may be without.
std::vector<const actions::Verb*> verbs_of(const actions::Action* action, const std::string& name) {
  LIMBER_EXPECT(action != nullptr, "nobody is taught to '" + name + "'");
  std::vector<const actions::Verb*> verbs;
  for (const actions::Verb& verb : action->verbs) {
    if (verb.taught) verbs.push_back(&verb);
  }
  LIMBER_EXPECT(!verbs.empty(), "nobody is taught to '" + name + "'");
  return verbs;
}

/// Whether a word stands for an action by itself: a made-up noun must not.
bool names_action(const std::string& word, const actions::Catalogue& known) {
  const std::vector<actions::ActionWords>& taught = known.taught();
  return std::any_of(taught.begin(), taught.end(), [&](const actions::ActionWords& action) {
    return std::find(action.words.begin(), action.words.end(), word) != action.words.end();
  });
}

std::span<const std::string_view> nouns_of(std::optional<zoo::Plan> plan) {
  using namespace std::string_view_literals;
  static constexpr std::array any{"creature"sv, "monster"sv, "beast"sv, "being"sv};
  static constexpr std::array biped{"human"sv,     "man"sv,      "woman"sv,  "person"sv, "robot"sv,
                                    "knight"sv,    "child"sv,    "boy"sv,    "girl"sv,   "figure"sv,
                                    "character"sv, "humanoid"sv, "zombie"sv, "soldier"sv};
  static constexpr std::array quadruped{"dog"sv,  "cat"sv,       "horse"sv,  "fox"sv,      "wolf"sv,  "cow"sv,
                                        "deer"sv, "lion"sv,      "sheep"sv,  "pig"sv,      "bear"sv,  "tiger"sv,
                                        "goat"sv, "quadruped"sv, "animal"sv, "elephant"sv, "donkey"sv};
  static constexpr std::array bird{"bird"sv, "eagle"sv, "pigeon"sv, "seagull"sv,
                                   "owl"sv,  "crow"sv,  "parrot"sv, "duck"sv};
  static constexpr std::array hexapod{"ant"sv, "beetle"sv, "insect"sv, "bug"sv, "hexapod"sv, "cockroach"sv};
  static constexpr std::array octopod{"spider"sv, "tarantula"sv, "crab"sv, "scorpion"sv, "octopod"sv};
  static constexpr std::array fish{"fish"sv, "shark"sv, "dolphin"sv, "goldfish"sv, "whale"sv, "salmon"sv};
  static constexpr std::array snake{"snake"sv, "cobra"sv, "python"sv, "worm"sv, "serpent"sv};
  static constexpr std::array theropod{"dinosaur"sv, "trex"sv, "raptor"sv, "theropod"sv, "ostrich"sv, "chicken"sv};
  if (!plan) return any;
  switch (*plan) {
    case zoo::Plan::kBiped:
      return biped;
    case zoo::Plan::kQuadruped:
      return quadruped;
    case zoo::Plan::kBird:
      return bird;
    case zoo::Plan::kHexapod:
      return hexapod;
    case zoo::Plan::kOctopod:
      return octopod;
    case zoo::Plan::kFish:
      return fish;
    case zoo::Plan::kSnake:
      return snake;
    case zoo::Plan::kTheropod:
      return theropod;
  }
  return quadruped;
}

template <class Range>
auto pick(const Range& range, Rng& rng) {
  return range[rng.below(static_cast<std::uint32_t>(range.size()))];
}

/// A noun that is in no dictionary.
std::string made_up_noun(const actions::Catalogue& known, Rng& rng) {
  static constexpr std::string_view kStarts = "bdfgklmnprstvz", kVowels = "aeiou";
  std::string noun;
  do {
    noun.clear();
    for (std::uint32_t i = 0, syllables = 1 + rng.below(3); i <= syllables; ++i) {
      noun += pick(kStarts, rng);
      noun += pick(kVowels, rng);
      if (rng.chance(0.4)) noun += pick(kStarts, rng);
    }
  } while (names_action(noun, known));
  return noun;
}

std::string noun_phrase(const ClipFacts& facts, const actions::Catalogue& known, Rng& rng) {
  static constexpr std::array<std::string_view, 12> kAdjectives{
      "big", "small", "red", "old", "young", "cartoon", "cute", "brown", "giant", "white", "low poly", "little"};
  std::string noun;
  if (rng.chance(0.35)) {
    noun = made_up_noun(known, rng);
  } else if (!facts.noun.empty() && rng.chance(0.6)) {
    noun = facts.noun;
  } else {
    noun = pick(nouns_of(facts.plan), rng);
  }
  if (facts.limping && rng.chance(0.3)) return "limping " + noun;
  if (facts.tired && rng.chance(0.3)) return (rng.chance(0.5) ? "tired " : "weary ") + noun;
  return rng.chance(0.25) ? fmt::format("{} {}", pick(kAdjectives, rng), noun) : noun;
}

/// Words of a manner: what is longer would push the end of a long sentence out of sight.
constexpr std::size_t kMannerWords = 6;

/// "turning left".
std::string turning_words(bool left, Rng& rng) {
  static constexpr std::array<std::string_view, 4> kTurning{"turning", "while turning", "turning to the",
                                                            "in a curve to the"};
  return fmt::format("{} {}", pick(kTurning, rng), left ? "left" : "right");
}

/// " slowly", or nothing.
std::string manner(const ClipFacts& facts, const actions::Action& action, Rng& rng) {
  static constexpr std::array<std::string_view, 3> kSlow{"slowly", "leisurely", "at low speed"};
  static constexpr std::array<std::string_view, 4> kFast{"quickly", "fast", "rapidly", "at high speed"};
  static constexpr std::array<std::string_view, 2> kInPlace{"in place", "on the spot"};
  static constexpr std::array<std::string_view, 2> kBackward{"backwards", "backward"};
  static constexpr std::array<std::string_view, 4> kTired{"tiredly", "wearily", "exhausted", "while tired"};
  static constexpr std::array<std::string_view, 2> kLimping{"limping", "while limping"};
  std::string words;
  const auto add = [&](std::string_view word) {
    std::string longer = fmt::format("{} {}", words, word);
    if (prior::words_of(longer).size() <= kMannerWords) words = std::move(longer);
  };
  // What was asked for comes before what happens to be so.
  if (facts.turning != 0 && rng.chance(0.9)) add(turning_words(facts.turning > 0, rng));
  if (facts.limping && rng.chance(0.8)) add(pick(kLimping, rng));
  if (facts.tired && rng.chance(0.8)) add(pick(kTired, rng));
  if (facts.speed < 0.8 && rng.chance(0.7)) add(pick(kSlow, rng));
  if (facts.speed > 1.3 && rng.chance(0.7)) add(pick(kFast, rng));
  if (facts.amplitude > 1.2 && rng.chance(0.3)) add("energetically");
  if (facts.amplitude < 0.75 && rng.chance(0.3)) add("gently");
  if (facts.in_place && rng.chance(0.8)) add(pick(kInPlace, rng));
  if (!facts.in_place && facts.heading == Heading::kBackward) add(pick(kBackward, rng));
  if (!facts.in_place && facts.heading == Heading::kLeft) add("to the left");
  if (!facts.in_place && facts.heading == Heading::kRight) add("to the right");
  // Of what only characters do, nobody was told that it goes forward.
  const bool goes = facts.action != "idle" && action.cyclic && zoo::action_from_name(facts.action).has_value();
  if (words.empty() && goes && !facts.in_place && rng.chance(0.15)) add("forward");
  return words;
}

/// What people say around the point, without another action in it.
std::string with_fillers(std::string sentence, Rng& rng) {
  static constexpr std::array<std::string_view, 6> kBefore{"please",       "a video of", "an animation where",
                                                           "a side view:", "ok now",     "3d animation,"};
  static constexpr std::array<std::string_view, 6> kAfter{
      "in the style of a cartoon", "please", "low poly", "from the side", "on a plain floor", "seamless loop"};
  const auto take = [&](std::string longer) {
    if (prior::words_of(longer).size() <= static_cast<std::size_t>(prior::kPromptWords)) sentence = std::move(longer);
  };
  if (rng.chance(0.1)) take(fmt::format("{} {}", pick(kBefore, rng), sentence));
  if (rng.chance(0.1)) take(fmt::format("{}, {}", sentence, pick(kAfter, rng)));
  return sentence;
}

std::string sentence(const actions::Verb& verb, const std::string& noun, const std::string& how, Rng& rng) {
  switch (rng.below(20)) {
    case 0:
      return fmt::format("{}{}", verb.base(), how);
    case 1:
      return fmt::format("{}{}", verb.ing(), how);
    case 2:
      return fmt::format("{} {}{}", noun, verb.ing(), how);
    case 3:
      return fmt::format("a {} is {}{}", noun, verb.ing(), how);
    case 4:
      return fmt::format("the {} {}{}", noun, verb.third(), how);
    case 5:
      return fmt::format("{} cycle of a {}", verb.base(), noun);
    case 6:
      return fmt::format("make the {} {}{}", noun, verb.base(), how);
    case 7:
      return fmt::format("it {}{}", verb.third(), how);
    case 8:
      return fmt::format("{}{}, the {}", verb.ing(), how, noun);
    case 9:
      return fmt::format("{} go {}{}", noun, verb.base(), how);
    case 10:
      return fmt::format("a {} that {}{}", noun, verb.third(), how);
    case 11:
      return fmt::format("I want my {} to {}{}", noun, verb.base(), how);
    case 12:
      return fmt::format("{}{} like a {}", verb.base(), how, noun);
    case 13:
      return fmt::format("{}: {}{}", noun, verb.base(), how);
    case 14:
      return fmt::format("let it {}{}", verb.base(), how);
    default:
      return fmt::format("a {} {}{}", noun, verb.third(), how);
  }
}

}  // namespace

std::string caption(const ClipFacts& facts, Rng& rng, const actions::Catalogue& known) {
  const actions::Action* action = known.find(facts.action);
  const std::vector<const actions::Verb*> verbs = verbs_of(action, facts.action);
  const actions::Verb& verb = *(rng.chance(0.5) ? verbs.front() : pick(verbs, rng));
  const std::string noun = noun_phrase(facts, known, rng), how = manner(facts, *action, rng);
  return with_fillers(sentence(verb, noun, how, rng), rng);
}

bool is_taught(std::string_view action) {
  const std::vector<actions::ActionWords>& taught = actions::built_in().taught();
  return std::any_of(taught.begin(), taught.end(), [&](const actions::ActionWords& a) { return a.name == action; });
}

std::string plain_noun(const std::string& noun, zoo::Plan plan) {
  for (int p = 0; p < zoo::kPlanCount; ++p) {
    const std::span<const std::string_view> nouns = nouns_of(static_cast<zoo::Plan>(p));
    if (std::find(nouns.begin(), nouns.end(), noun) != nouns.end()) return noun;
  }
  return std::string(zoo::name(plan));
}

}  // namespace limber::training
