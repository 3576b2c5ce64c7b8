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

/// "walk", "walks", "walking".
struct Verb {
  std::string_view base, third, ing;
};

struct ActionVerbs {
  std::string_view action;
  std::vector<Verb> verbs;  ///< the first is the plainest
};

// table: actions and the verbs that captions use for them
const std::vector<ActionVerbs>& lexicon() {
  using A = zoo::Action;
  // The zoo's in the order of its enumeration, then what only characters do.
  static const std::vector<ActionVerbs> table{
      {zoo::name(A::kIdle),
       {{"idle", "idles", "idling"},
        {"stand", "stands", "standing"},
        {"stand still", "stands still", "standing still"},
        {"wait", "waits", "waiting"},
        {"breathe", "breathes", "breathing"}}},
      {zoo::name(A::kWalk),
       {{"walk", "walks", "walking"},
        {"stroll", "strolls", "strolling"},
        {"wander", "wanders", "wandering"},
        {"stride", "strides", "striding"}}},
      {zoo::name(A::kTrot), {{"trot", "trots", "trotting"}}},
      {zoo::name(A::kPace), {{"pace", "paces", "pacing"}, {"amble", "ambles", "ambling"}}},
      {zoo::name(A::kGallop), {{"gallop", "gallops", "galloping"}, {"canter", "canters", "cantering"}}},
      {zoo::name(A::kBound), {{"bound", "bounds", "bounding"}}},
      {zoo::name(A::kHop), {{"hop", "hops", "hopping"}, {"bounce", "bounces", "bouncing"}}},
      {zoo::name(A::kRun),
       {{"run", "runs", "running"},
        {"sprint", "sprints", "sprinting"},
        {"dash", "dashes", "dashing"},
        {"race", "races", "racing"},
        {"jog", "jogs", "jogging"}}},
      {zoo::name(A::kJump),
       {{"jump", "jumps", "jumping"}, {"leap", "leaps", "leaping"}, {"jump up", "jumps up", "jumping up"}}},
      {zoo::name(A::kTurn),
       {{"turn", "turns", "turning"},
        {"rotate", "rotates", "rotating"},
        {"spin", "spins", "spinning"},
        {"turn around", "turns around", "turning around"}}},
      {zoo::name(A::kSneak),
       {{"sneak", "sneaks", "sneaking"},
        {"creep", "creeps", "creeping"},
        {"prowl", "prowls", "prowling"},
        {"stalk", "stalks", "stalking"},
        {"tiptoe", "tiptoes", "tiptoeing"}}},
      {zoo::name(A::kLimp), {{"limp", "limps", "limping"}, {"hobble", "hobbles", "hobbling"}}},
      {zoo::name(A::kFly),
       {{"fly", "flies", "flying"},
        {"flap", "flaps", "flapping"},
        {"flap its wings", "flaps its wings", "flapping its wings"}}},
      {zoo::name(A::kGlide), {{"glide", "glides", "gliding"}, {"soar", "soars", "soaring"}}},
      {zoo::name(A::kSwim), {{"swim", "swims", "swimming"}}},
      {zoo::name(A::kSlither), {{"slither", "slithers", "slithering"}, {"wriggle", "wriggles", "wriggling"}}},
      {zoo::name(A::kCrawl),
       {{"crawl", "crawls", "crawling"}, {"scuttle", "scuttles", "scuttling"}, {"skitter", "skitters", "skittering"}}},
      {zoo::name(A::kAttack),
       {{"attack", "attacks", "attacking"},
        {"strike", "strikes", "striking"},
        {"bite", "bites", "biting"},
        {"fight", "fights", "fighting"},
        {"lunge", "lunges", "lunging"}}},
      {zoo::name(A::kEat),
       {{"eat", "eats", "eating"},
        {"feed", "feeds", "feeding"},
        {"graze", "grazes", "grazing"},
        {"munch", "munches", "munching"}}},
      {zoo::name(A::kWave), {{"wave", "waves", "waving"}, {"greet", "greets", "greeting"}}},
      {zoo::name(A::kSit), {{"sit", "sits", "sitting"}, {"sit down", "sits down", "sitting down"}}},
      {zoo::name(A::kLieDown),
       {{"lie down", "lies down", "lying down"}, {"rest", "rests", "resting"}, {"sleep", "sleeps", "sleeping"}}},
      {zoo::name(A::kLook), {{"look around", "looks around", "looking around"}, {"watch", "watches", "watching"}}},
      {zoo::name(A::kShake),
       {{"shake itself", "shakes itself", "shaking itself"},
        {"shudder", "shudders", "shuddering"},
        {"shiver", "shivers", "shivering"}}},
      {zoo::name(A::kRear),
       {{"rear up", "rears up", "rearing up"},  // not a joint: what horses do
        {"rise up", "rises up", "rising up"}}},
      {zoo::name(A::kRoar), {{"roar", "roars", "roaring"}, {"bellow", "bellows", "bellowing"}}},
      {zoo::name(A::kDie),
       {{"die", "dies", "dying"},
        {"fall over", "falls over", "falling over"},
        {"collapse", "collapses", "collapsing"}}},
      {zoo::name(A::kDance), {{"dance", "dances", "dancing"}, {"groove", "grooves", "grooving"}}},
      {"punch", {{"punch", "punches", "punching"}, {"box", "boxes", "boxing"}, {"jab", "jabs", "jabbing"}}},
      {"kick", {{"kick", "kicks", "kicking"}}},
      {"headbutt", {{"headbutt", "headbutts", "headbutting"}, {"butt", "butts", "butting"}}},
      {"slash",
       {{"slash", "slashes", "slashing"},
        {"swing a sword", "swings a sword", "swinging a sword"},
        {"swing a weapon", "swings a weapon", "swinging a weapon"}}},
      {"shoot", {{"shoot", "shoots", "shooting"}, {"fire a gun", "fires a gun", "firing a gun"}}},
      {"cast", {{"cast a spell", "casts a spell", "casting a spell"}}},
      {"get-hit",
       {{"get hit", "gets hit", "getting hit"},
        {"flinch", "flinches", "flinching"},
        {"recoil", "recoils", "recoiling"}}},
      {"pick-up",
       {{"pick up", "picks up", "picking up"}, {"pick something up", "picks something up", "picking something up"}}},
      {"nod", {{"nod", "nods", "nodding"}, {"say yes", "says yes", "saying yes"}}},
      {"shake-head",
       {{"shake its head", "shakes its head", "shaking its head"},
        {"shake the head", "shakes the head", "shaking the head"},
        {"say no", "says no", "saying no"}}},
      {"roll", {{"roll", "rolls", "rolling"}}},
      {"crouch", {{"crouch", "crouches", "crouching"}, {"duck down", "ducks down", "ducking down"}}},
      {"kneel", {{"kneel", "kneels", "kneeling"}}},
      {"push", {{"push", "pushes", "pushing"}, {"shove", "shoves", "shoving"}}},
      {"reach",
       {{"reach out", "reaches out", "reaching out"}, {"press a button", "presses a button", "pressing a button"}}},
      {"talk", {{"talk", "talks", "talking"}, {"speak", "speaks", "speaking"}, {"chat", "chats", "chatting"}}},
      {"bark", {{"bark", "barks", "barking"}}},
      {"howl", {{"howl", "howls", "howling"}}},
      // What people were recorded doing.
      {"bow", {{"bow", "bows", "bowing"}}},
      {"cartwheel",
       {{"cartwheel", "cartwheels", "cartwheeling"}, {"do a cartwheel", "does a cartwheel", "doing a cartwheel"}}},
      {"climb", {{"climb", "climbs", "climbing"}, {"climb up", "climbs up", "climbing up"}}},
      {"dribble", {{"dribble", "dribbles", "dribbling"}, {"dribble a ball", "dribbles a ball", "dribbling a ball"}}},
      {"drink", {{"drink", "drinks", "drinking"}, {"sip", "sips", "sipping"}}},
      {"fall",
       {{"fall", "falls", "falling"}, {"fall down", "falls down", "falling down"}, {"tumble", "tumbles", "tumbling"}}},
      {"somersault",
       {{"somersault", "somersaults", "somersaulting"},
        {"flip", "flips", "flipping"},
        {"do a flip", "does a flip", "doing a flip"}}},
      {"golf", {{"play golf", "plays golf", "playing golf"}, {"swing a club", "swings a club", "swinging a club"}}},
      {"laugh", {{"laugh", "laughs", "laughing"}, {"giggle", "giggles", "giggling"}}},
      {"march", {{"march", "marches", "marching"}}},
      {"shrug", {{"shrug", "shrugs", "shrugging"}}},
      {"stagger", {{"stagger", "staggers", "staggering"}, {"stumble", "stumbles", "stumbling"}}},
      {"stand-up", {{"stand up", "stands up", "standing up"}, {"get up", "gets up", "getting up"}}},
      {"stretch", {{"stretch", "stretches", "stretching"}}},
      {"strut", {{"strut", "struts", "strutting"}, {"swagger", "swaggers", "swaggering"}}},
      {"sweep", {{"sweep", "sweeps", "sweeping"}, {"mop", "mops", "mopping"}}},
      {"throw", {{"throw", "throws", "throwing"}, {"toss", "tosses", "tossing"}}}};
  return table;
}

const std::vector<Verb>& verbs_of(std::string_view action) {
  for (const ActionVerbs& entry : lexicon()) {
    if (entry.action == action) return entry.verbs;
  }
  LIMBER_EXPECT(false, "nobody is taught to '" + std::string(action) + "'");
  return lexicon().front().verbs;
}

/// Whether a word stands for an action by itself: a made-up noun must not.
bool names_action(std::string_view word) {
  for (const ActionVerbs& entry : lexicon()) {
    for (const Verb& verb : entry.verbs) {
      if (word == verb.base || word == verb.third || word == verb.ing) return true;
    }
  }
  return false;
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
std::string made_up_noun(Rng& rng) {
  static constexpr std::string_view kStarts = "bdfgklmnprstvz", kVowels = "aeiou";
  std::string noun;
  do {
    noun.clear();
    for (std::uint32_t i = 0, syllables = 1 + rng.below(3); i <= syllables; ++i) {
      noun += pick(kStarts, rng);
      noun += pick(kVowels, rng);
      if (rng.chance(0.4)) noun += pick(kStarts, rng);
    }
  } while (names_action(noun));
  return noun;
}

std::string noun_phrase(const ClipFacts& facts, Rng& rng) {
  static constexpr std::array<std::string_view, 12> kAdjectives{
      "big", "small", "red", "old", "young", "cartoon", "cute", "brown", "giant", "white", "low poly", "little"};
  std::string noun;
  if (rng.chance(0.35)) {
    noun = made_up_noun(rng);
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
std::string manner(const ClipFacts& facts, Rng& rng) {
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
  const bool goes =
      facts.action != "idle" && zoo::is_cyclic(zoo::action_from_name(facts.action).value_or(zoo::Action::kJump));
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

std::string sentence(const Verb& verb, const std::string& noun, const std::string& how, Rng& rng) {
  switch (rng.below(20)) {
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
    case 9:
      return fmt::format("{} go {}{}", noun, verb.base, how);
    case 10:
      return fmt::format("a {} that {}{}", noun, verb.third, how);
    case 11:
      return fmt::format("I want my {} to {}{}", noun, verb.base, how);
    case 12:
      return fmt::format("{}{} like a {}", verb.base, how, noun);
    case 13:
      return fmt::format("{}: {}{}", noun, verb.base, how);
    case 14:
      return fmt::format("let it {}{}", verb.base, how);
    default:
      return fmt::format("a {} {}{}", noun, verb.third, how);
  }
}

}  // namespace

std::string caption(const ClipFacts& facts, Rng& rng) {
  const std::vector<Verb>& verbs = verbs_of(facts.action);
  const Verb verb = rng.chance(0.5) ? verbs.front() : pick(verbs, rng);
  const std::string noun = noun_phrase(facts, rng), how = manner(facts, rng);
  return with_fillers(sentence(verb, noun, how, rng), rng);
}

std::vector<prior::ActionWords> taught_actions() {
  std::vector<prior::ActionWords> actions;
  for (const ActionVerbs& entry : lexicon()) {
    prior::ActionWords words{std::string(entry.action), {}};
    for (const Verb& verb : entry.verbs) {
      for (const std::string_view form : {verb.base, verb.third, verb.ing}) words.words.emplace_back(form);
    }
    actions.push_back(std::move(words));
  }
  return actions;
}

bool is_taught(std::string_view action) {
  return std::any_of(lexicon().begin(), lexicon().end(), [&](const ActionVerbs& e) { return e.action == action; });
}

}  // namespace limber::training
