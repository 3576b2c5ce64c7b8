// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/clip_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace limber::training {
namespace {

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
template <std::size_t Count>
bool has_any(const std::vector<std::string>& words, const std::array<std::string_view, Count>& list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view word) { return has(words, word); });
}

/// A word of a clip's name and what it means; the first that is found counts, so what changes the meaning comes first.
struct NamedAction {
  std::string_view word;
  std::array<std::string_view, 2> actions;  ///< the second may be empty
  bool once = false, travels = false, fast = false;
};
constexpr NamedAction kNamed[]{
    {"death", {"die", ""}, true},
    {"die", {"die", ""}, true},
    {"dying", {"die", ""}, true},
    {"hit", {"get-hit", ""}, true},
    {"hurt", {"get-hit", ""}, true},
    {"damage", {"get-hit", ""}, true},
    {"headbutt", {"headbutt", "attack"}, true},
    {"kick", {"kick", ""}, true},
    {"punch", {"punch", ""}, true},
    {"slash", {"slash", ""}, true},
    {"spell", {"cast", ""}, true},
    {"shoot", {"shoot", ""}, true},
    {"bite", {"attack", ""}, true},
    {"attack", {"attack", ""}, true},
    {"pickup", {"pick-up", ""}, true},
    {"pick", {"pick-up", ""}, true},
    {"fetch", {"pick-up", ""}, true},
    {"interact", {"reach", ""}, true},
    {"roll", {"roll", ""}, true},
    {"kneeling", {"kneel", ""}, false},
    {"push", {"push", ""}, false, true},
    {"talking", {"talk", ""}, false},
    {"bark", {"bark", ""}, true},
    {"howl", {"howl", ""}, true},
    {"dance", {"dance", ""}, false},
    {"hello", {"wave", ""}, true},
    {"wave", {"wave", ""}, true},
    {"yes", {"nod", ""}, true},
    {"no", {"shake-head", ""}, true},
    {"eating", {"eat", ""}, false},
    {"eat", {"eat", ""}, false},
    {"sitting", {"sit", ""}, true},
    {"sit", {"sit", ""}, true},
    {"sleep", {"lie-down", ""}, true},
    {"sneak", {"sneak", ""}, false, true},
    {"limp", {"limp", ""}, false, true},
    {"jump", {"jump", ""}, true},
    {"swimming", {"swim", ""}, false},
    {"swim", {"swim", ""}, false},
    {"flying", {"fly", ""}, false},
    {"fly", {"fly", ""}, false},
    {"flap", {"fly", ""}, false},
    {"glide", {"glide", ""}, false},
    {"crawl", {"crawl", ""}, false, true},
    {"trot", {"trot", ""}, false, true},
    {"gallop", {"gallop", "run"}, false, true},
    {"sprint", {"run", ""}, false, true, true},
    {"running", {"run", ""}, false, true},
    {"run", {"run", ""}, false, true},
    {"jog", {"run", ""}, false, true},
    {"walking", {"walk", ""}, false, true},
    {"walk", {"walk", ""}, false, true},
    {"walkcycle", {"walk", ""}, false, true},
    {"idle", {"idle", ""}, false},
};

/// What indices of recordings call what is taught under another name. The swimming of people who stand is none.
struct RecordedAction {
  std::string_view word, action;
};
constexpr RecordedAction kRecorded[]{{"walk_backward", "walk"}, {"walk_fast", "walk"},  {"walk_sideways", "walk"},
                                     {"walk_slow", "walk"},     {"swordplay", "slash"}, {"look_around", "look"},
                                     {"flip", "somersault"}};
constexpr std::array<std::string_view, 13> kRecordedOnce{"bow",  "cartwheel", "fall",    "flip", "jump",
                                                         "kick", "lie_down",  "pick_up", "roll", "shrug",
                                                         "sit",  "stand_up",  "throw"};
constexpr std::array<std::string_view, 14> kRecordedTravels{"climb", "crawl",         "hop",       "limp",     "march",
                                                            "run",   "sneak",         "stagger",   "strut",    "walk",
                                                            "sweep", "walk_backward", "walk_fast", "walk_slow"};

/// Parts of actions, poses, and what no prompt would ask for.
constexpr std::array<std::string_view, 13> kMeaningless{"enter",  "exit",    "land",    "start", "aim",
                                                        "reload", "driving", "torch",   "fall",  "rest",
                                                        "pose",   "fixing",  "pointing"};
/// Words that change what the body does beside going.
constexpr std::array<std::string_view, 5> kBesides{"attack", "shoot", "talking", "slash", "jump"};
constexpr std::array<std::string_view, 6> kGoing{"run", "walk", "running", "walking", "sprint", "jog"};

/// A clip that mixes actions: "Run_Shoot", "swordAttackJump".
bool is_mixture(const std::vector<std::string>& words) {
  if (has_any(words, kGoing) && has_any(words, kBesides)) return true;
  if (has(words, "attack") && has(words, "jump")) return true;
  if (has(words, "sitting") && has(words, "talking")) return true;
  return has(words, "spell") && has(words, "idle");
}

/// Names that mean something as a whole.
bool find_special(const std::vector<std::string>& words, ClipMeaning& meaning) {
  if (has(words, "crouch")) {
    const bool still = has(words, "idle");
    meaning.actions = {still ? "crouch" : "sneak"};
    meaning.travels = !still;
    return true;
  }
  // A weapon that is held is no attack, and treading water no swimming.
  if (has(words, "sword") && has(words, "attack")) {
    meaning.actions = {"slash", "attack"};
    meaning.once = true;
    return true;
  }
  if (has(words, "swim") && has(words, "idle")) return true;
  if (has(words, "jump") && has(words, "loop")) return true;
  return false;
}

}  // namespace

std::vector<std::string> name_words(std::string_view name) {
  std::vector<std::string> words;
  bool was_lower = false;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalpha(byte) == 0) {
      was_lower = false;
      words.emplace_back();
      continue;
    }
    const bool upper = std::isupper(byte) != 0;
    if (words.empty() || (upper && was_lower)) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(byte));
    was_lower = !upper;
  }
  words.erase(std::remove(words.begin(), words.end(), std::string()), words.end());
  return words;
}

ClipMeaning clip_meaning(std::string_view clip_name, zoo::Plan plan) {
  // What comes before a bar is the armature's name.
  const std::size_t bar = clip_name.rfind('|');
  const std::vector<std::string> words =
      name_words(bar == std::string_view::npos ? clip_name : clip_name.substr(bar + 1));
  ClipMeaning meaning;
  if (has_any(words, kMeaningless) && !has(words, "kneeling") && !(has(words, "sitting") && has(words, "enter"))) {
    return meaning;
  }
  if (is_mixture(words) || find_special(words, meaning)) return meaning;
  for (const NamedAction& named : kNamed) {
    if (!has(words, named.word)) continue;
    for (const std::string_view action : named.actions) {
      if (!action.empty()) meaning.actions.emplace_back(action);
    }
    meaning.once = named.once, meaning.travels = named.travels;
    meaning.fast = named.fast || has(words, "fast");
    break;
  }
  // No feet tell how fast a snake goes.
  if (plan == zoo::Plan::kSnake && meaning.travels) meaning.actions = {"slither"}, meaning.travels = false;
  // Sitting on is not sitting down.
  if (has(words, "sitting") && has(words, "idle")) meaning.once = false;
  if (meaning.travels) {
    if (has(words, "back") || has(words, "backward")) meaning.heading = Heading::kBackward;
    if (has(words, "left")) meaning.heading = Heading::kLeft;
    if (has(words, "right") && !has(words, "sword")) meaning.heading = Heading::kRight;
  }
  return meaning;
}

ClipMeaning recording_meaning(std::string_view word) {
  ClipMeaning meaning;
  std::string action(word);
  std::replace(action.begin(), action.end(), '_', '-');
  if (!is_taught(action)) {
    const auto* known = std::find_if(std::begin(kRecorded), std::end(kRecorded),
                                     [&](const RecordedAction& recorded) { return recorded.word == word; });
    action = known == std::end(kRecorded) ? "" : std::string(known->action);
  }
  if (action.empty() || action == "swim" || !is_taught(action)) return meaning;
  meaning.actions = {action};
  const auto is_in = [&](const auto& list) { return std::find(list.begin(), list.end(), word) != list.end(); };
  meaning.once = is_in(kRecordedOnce), meaning.travels = is_in(kRecordedTravels) || word == "walk_sideways";
  meaning.fast = word == "walk_fast", meaning.slow = word == "walk_slow";
  if (word == "walk_backward") meaning.heading = Heading::kBackward;
  return meaning;
}

BodyMeaning body_meaning(std::string_view path) {
  struct Word {
    std::string_view word;
    zoo::Plan plan;
  };
  static constexpr Word kWords[]{
      {"snake", zoo::Plan::kSnake},        {"fish", zoo::Plan::kFish},           {"shark", zoo::Plan::kFish},
      {"sea", zoo::Plan::kFish},           {"quadshell", zoo::Plan::kQuadruped}, {"humanoid", zoo::Plan::kBiped},
      {"human", zoo::Plan::kBiped},        {"mechs", zoo::Plan::kBiped},         {"robot", zoo::Plan::kBiped},
      {"monster", zoo::Plan::kBiped},      {"bird", zoo::Plan::kBird},           {"flyer", zoo::Plan::kBird},
      {"dinosaur", zoo::Plan::kTheropod},  {"dinosaurs", zoo::Plan::kTheropod},  {"spider", zoo::Plan::kOctopod},
      {"crab", zoo::Plan::kOctopod},       {"insect", zoo::Plan::kHexapod},      {"animals", zoo::Plan::kQuadruped},
      {"quadruped", zoo::Plan::kQuadruped}};
  /// Of packs and their series, before what is shown.
  static constexpr std::array<std::string_view, 22> kPacks{
      "animchar", "big",   "blob", "cube",    "cute",        "cutefish", "cyber",      "enemy",
      "farm",     "fly",   "mech", "modular", "monsterpack", "pirate",   "platformer", "scifi",
      "space",    "sushi", "toon", "vol",     "women",       "zkit"};
  BodyMeaning meaning;
  const std::vector<std::string> words = name_words(path);
  for (const Word& word : kWords) {
    if (!has(words, word.word)) continue;
    meaning.plan = word.plan;
    break;
  }
  // The file's first word is what it shows; its author or colour may follow.
  const auto last_part = [](std::string_view text) {
    const std::size_t slash = text.find_last_of("/\\");
    return slash == std::string_view::npos ? text : text.substr(slash + 1);
  };
  std::vector<std::string> file = name_words(last_part(path));
  if (!file.empty() && file.front() == "scene" && path.find_last_of("/\\") != std::string_view::npos) {
    file = name_words(last_part(path.substr(0, path.find_last_of("/\\"))));
  }
  const auto extension = path.rfind('.') != std::string_view::npos ? name_words(path.substr(path.rfind('.'))) : file;
  while (file.size() > extension.size() + 1 && std::count(kPacks.begin(), kPacks.end(), file.front()) > 0) {
    file.erase(file.begin());
  }
  if (!file.empty()) meaning.noun = file.front();
  return meaning;
}

}  // namespace limber::training
