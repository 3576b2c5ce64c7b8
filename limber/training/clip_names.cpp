// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/clip_names.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "limber/actions/catalogue.h"

namespace limber::training {
namespace {

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
template <std::size_t Count>
bool has_any(const std::vector<std::string>& words, const std::array<std::string_view, Count>& list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view word) { return has(words, word); });
}

/// What a word of a name means, and whose it is.
struct Meant {
  const actions::Action* action = nullptr;
  const actions::OtherName* name = nullptr;
};

/// The first that is found counts, so what changes the meaning comes first.
Meant find_meant(const std::vector<std::string>& words) {
  Meant best;
  for (const actions::Action& action : actions::built_in().all()) {
    if (best.action != nullptr && best.action->clips.order <= action.clips.order) continue;
    const auto& names = action.clips.words;
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const auto& name) { return has(words, name.word); });
    if (found != names.end()) best = {&action, &*found};
  }
  return best;
}

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
  if (const auto [action, name] = find_meant(words); action != nullptr) {
    meaning.actions = {action->name};
    if (!name->second.empty()) meaning.actions.push_back(name->second);
    meaning.once = action->clips.once, meaning.travels = action->travels == actions::Travels::kOnFeet;
    meaning.fast = name->fast || has(words, "fast");
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
  for (const actions::Action& action : actions::built_in().all()) {
    for (const actions::OtherName& name : action.recordings.words) {
      if (name.word != word) continue;
      meaning.actions = {action.name};
      meaning.once = action.recordings.once, meaning.travels = action.travels == actions::Travels::kOnFeet;
      meaning.fast = name.fast, meaning.slow = name.slow;
      if (name.backward) meaning.heading = Heading::kBackward;
    }
  }
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
