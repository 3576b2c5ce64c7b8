// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/captions.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>

namespace limber::animate {
namespace {

/// "walk", "walks", "walking".
struct Verb {
  std::string_view base, third, ing;
};

struct ActionVerbs {
  zoo::Action action;
  std::vector<Verb> verbs;  ///< the first is the plainest
};

const std::vector<ActionVerbs>& lexicon() {
  using A = zoo::Action;
  static const std::vector<ActionVerbs> table{
      {A::kIdle,
       {{"idle", "idles", "idling"},
        {"stand", "stands", "standing"},
        {"stand still", "stands still", "standing still"},
        {"wait", "waits", "waiting"},
        {"breathe", "breathes", "breathing"}}},
      {A::kWalk,
       {{"walk", "walks", "walking"},
        {"stroll", "strolls", "strolling"},
        {"wander", "wanders", "wandering"},
        {"march", "marches", "marching"},
        {"stride", "strides", "striding"}}},
      {A::kTrot, {{"trot", "trots", "trotting"}}},
      {A::kPace, {{"pace", "paces", "pacing"}, {"amble", "ambles", "ambling"}}},
      {A::kGallop, {{"gallop", "gallops", "galloping"}, {"canter", "canters", "cantering"}}},
      {A::kBound, {{"bound", "bounds", "bounding"}}},
      {A::kHop, {{"hop", "hops", "hopping"}, {"bounce", "bounces", "bouncing"}}},
      {A::kRun,
       {{"run", "runs", "running"},
        {"sprint", "sprints", "sprinting"},
        {"dash", "dashes", "dashing"},
        {"race", "races", "racing"},
        {"jog", "jogs", "jogging"}}},
      {A::kJump, {{"jump", "jumps", "jumping"}, {"leap", "leaps", "leaping"}, {"jump up", "jumps up", "jumping up"}}},
      {A::kTurn,
       {{"turn", "turns", "turning"},
        {"rotate", "rotates", "rotating"},
        {"spin", "spins", "spinning"},
        {"turn around", "turns around", "turning around"}}},
      {A::kSneak,
       {{"sneak", "sneaks", "sneaking"},
        {"creep", "creeps", "creeping"},
        {"prowl", "prowls", "prowling"},
        {"stalk", "stalks", "stalking"},
        {"tiptoe", "tiptoes", "tiptoeing"}}},
      {A::kLimp, {{"limp", "limps", "limping"}, {"hobble", "hobbles", "hobbling"}}},
      {A::kFly,
       {{"fly", "flies", "flying"},
        {"flap", "flaps", "flapping"},
        {"flap its wings", "flaps its wings", "flapping its wings"}}},
      {A::kGlide, {{"glide", "glides", "gliding"}, {"soar", "soars", "soaring"}}},
      {A::kSwim, {{"swim", "swims", "swimming"}}},
      {A::kSlither, {{"slither", "slithers", "slithering"}, {"wriggle", "wriggles", "wriggling"}}},
      {A::kCrawl,
       {{"crawl", "crawls", "crawling"}, {"scuttle", "scuttles", "scuttling"}, {"skitter", "skitters", "skittering"}}},
      {A::kAttack,
       {{"attack", "attacks", "attacking"},
        {"strike", "strikes", "striking"},
        {"bite", "bites", "biting"},
        {"fight", "fights", "fighting"},
        {"lunge", "lunges", "lunging"}}},
      {A::kEat,
       {{"eat", "eats", "eating"},
        {"feed", "feeds", "feeding"},
        {"graze", "grazes", "grazing"},
        {"munch", "munches", "munching"}}},
      {A::kWave, {{"wave", "waves", "waving"}, {"greet", "greets", "greeting"}}},
      {A::kSit, {{"sit", "sits", "sitting"}, {"sit down", "sits down", "sitting down"}}},
      {A::kLieDown,
       {{"lie down", "lies down", "lying down"}, {"rest", "rests", "resting"}, {"sleep", "sleeps", "sleeping"}}}};
  return table;
}

const std::vector<Verb>& verbs_of(zoo::Action action) {
  for (const ActionVerbs& entry : lexicon()) {
    if (entry.action == action) return entry.verbs;
  }
  return lexicon().front().verbs;
}

std::span<const std::string_view> nouns_of(zoo::Plan plan) {
  using namespace std::string_view_literals;
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
  switch (plan) {
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
std::string made_up_noun(Rng& rng) {
  static constexpr std::string_view kStarts = "bdfgklmnprstvz", kVowels = "aeiou";
  std::string noun;
  for (std::uint32_t i = 0, syllables = 1 + rng.below(3); i <= syllables; ++i) {
    noun += pick(kStarts, rng);
    noun += pick(kVowels, rng);
    if (rng.chance(0.4)) noun += pick(kStarts, rng);
  }
  return noun;
}

std::string noun_phrase(zoo::Plan plan, Rng& rng) {
  static constexpr std::array<std::string_view, 12> kAdjectives{
      "big", "small", "red", "old", "young", "cartoon", "cute", "brown", "giant", "white", "low poly", "little"};
  const std::string noun = rng.chance(0.35) ? made_up_noun(rng) : std::string(pick(nouns_of(plan), rng));
  return rng.chance(0.25) ? fmt::format("{} {}", pick(kAdjectives, rng), noun) : noun;
}

/// " slowly", or nothing.
std::string manner(const ClipFacts& facts, Rng& rng) {
  static constexpr std::array<std::string_view, 3> kSlow{"slowly", "leisurely", "at a slow pace"};
  static constexpr std::array<std::string_view, 4> kFast{"quickly", "fast", "rapidly", "at high speed"};
  static constexpr std::array<std::string_view, 2> kInPlace{"in place", "on the spot"};
  std::string words;
  const auto add = [&](std::string_view word) { words += fmt::format(" {}", word); };
  if (facts.speed < 0.8 && rng.chance(0.7)) add(pick(kSlow, rng));
  if (facts.speed > 1.3 && rng.chance(0.7)) add(pick(kFast, rng));
  if (facts.amplitude > 1.2 && rng.chance(0.3)) add("energetically");
  if (facts.amplitude < 0.75 && rng.chance(0.3)) add("gently");
  if (facts.in_place && rng.chance(0.8)) add(pick(kInPlace, rng));
  if (words.empty() && !facts.in_place && rng.chance(0.15)) add("forward");
  return words;
}

}  // namespace

std::string caption(const ClipFacts& facts, Rng& rng) {
  const std::vector<Verb>& verbs = verbs_of(facts.action);
  const Verb verb = rng.chance(0.5) ? verbs.front() : pick(verbs, rng);
  const std::string noun = noun_phrase(facts.plan, rng), how = manner(facts, rng);
  switch (rng.below(12)) {
    case 0:
      return fmt::format("{}{}", verb.base, how);
    case 1:
      return fmt::format("{}{}", verb.ing, how);
    case 2:
      return fmt::format("{} {}{}", noun, verb.ing, how);
    case 3:
      return fmt::format("a {} is {}{}", noun, verb.ing, how);
    case 4:
      return fmt::format("the {} {}{}", noun, verb.third, how);
    case 5:
      return fmt::format("{} cycle of a {}", verb.base, noun);
    case 6:
      return fmt::format("make the {} {}{}", noun, verb.base, how);
    case 7:
      return fmt::format("it {}{}", verb.third, how);
    case 8:
      return fmt::format("{}{}, the {}", verb.ing, how, noun);
    default:
      return fmt::format("a {} {}{}", noun, verb.third, how);
  }
}

std::vector<prior::ActionWords> taught_actions() {
  std::vector<prior::ActionWords> actions;
  for (const ActionVerbs& entry : lexicon()) {
    prior::ActionWords words{std::string(zoo::name(entry.action)), {}};
    for (const Verb& verb : entry.verbs) {
      for (const std::string_view form : {verb.base, verb.third, verb.ing}) words.words.emplace_back(form);
    }
    actions.push_back(std::move(words));
  }
  return actions;
}

}  // namespace limber::animate
