// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/habitat.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "limber/anatomy/find_roles.h"
#include "limber/anatomy/joint_names.h"

namespace limber::physics {
namespace {

/// Verbs of motions, and forms of them that follow no rule.
constexpr std::string_view kFreeVerbs[]{"swim", "swam", "fly", "flew", "flown", "flap", "glide", "hover", "soar"};
constexpr std::string_view kGroundVerbs[]{"walk",  "run",    "ran",   "trot",   "gallop", "canter",
                                          "stand", "stroll", "march", "stride", "jog",    "sneak",
                                          "sit",   "peck",   "graze", "strut",  "waddle", "perch"};

constexpr std::string_view kGoingVerbs[]{
    "walk",   "run",    "ran",   "trot", "gallop", "canter", "stroll", "march", "stride", "jog",    "sneak",  "strut",
    "waddle", "pace",   "amble", "hop",  "bound",  "crawl",  "creep",  "prowl", "stalk",  "limp",   "dash",   "race",
    "sprint", "wander", "climb", "jump", "leap",   "skip",   "turn",   "spin",  "dance",  "tiptoe", "scuttle"};

/// "flies" of fly, "swimming" of swim, "glided" of glide.
bool is_form_of(std::string_view word, std::string_view verb) {
  const auto ends = [&](std::string_view stem, std::initializer_list<std::string_view> endings) {
    if (!word.starts_with(stem)) return false;
    return std::find(endings.begin(), endings.end(), word.substr(stem.size())) != endings.end();
  };
  const std::string_view short_stem = verb.substr(0, verb.size() - 1);
  if (ends(verb, {"", "s", "es", "ing", "ed"})) return true;
  if (verb.back() == 'e') return ends(short_stem, {"ing", "ed"});
  if (verb.back() == 'y') return ends(short_stem, {"ies", "ied"});
  return ends(std::string(verb) + verb.back(), {"ing", "ed"});
}

std::optional<std::string> find_verb(const anatomy::Words& words, std::span<const std::string_view> verbs) {
  for (const std::string& word : words) {
    for (const std::string_view verb : verbs) {
      if (is_form_of(word, verb)) return word;
    }
  }
  return std::nullopt;
}

struct LimbCount {
  int fins = 0, legs = 0, wings = 0;
};

LimbCount count_limbs(const rig::Rig& rig) {
  LimbCount count;
  for (const rig::Limb& limb : rig.limbs()) {
    count.fins += limb.kind == rig::LimbKind::kFin ? 1 : 0;
    count.legs += limb.kind == rig::LimbKind::kLeg ? 1 : 0;
    count.wings += limb.kind == rig::LimbKind::kWing ? 1 : 0;
  }
  return count;
}

}  // namespace

std::string_view name(Habitat habitat) {
  switch (habitat) {
    case Habitat::kGround:
      return "ground";
    case Habitat::kCrawl:
      return "crawl";
    case Habitat::kFree:
      break;
  }
  return "free";
}

bool says_it_goes(const std::string& clip) { return find_verb(anatomy::words_of(clip), kGoingVerbs).has_value(); }

bool says_any(const std::string& clip, std::span<const std::string_view> verbs) {
  return find_verb(anatomy::words_of(clip), verbs).has_value();
}

HabitatChoice choose_habitat(const rig::Rig& rig, const std::string& clip, const Footing& footing) {
  const LimbCount limbs = count_limbs(anatomy::with_roles(rig));
  const anatomy::Words words = anatomy::words_of(clip);
  const auto free_verb = find_verb(words, kFreeVerbs), ground_verb = find_verb(words, kGroundVerbs);
  // "walks, then flies away" leaves it to limbs and motion: above a ground that was seen, wings tell, and who has legs
  // and no wings is on it.
  if (free_verb && !ground_verb) return {Habitat::kFree, fmt::format("the clip says '{}'", *free_verb), false};
  if (ground_verb && !free_verb && limbs.legs > 0) {
    return {Habitat::kGround, fmt::format("the clip says '{}'", *ground_verb), false};
  }
  if (limbs.fins > 0 && limbs.legs == 0) return {Habitat::kFree, fmt::format("{} fins and no legs", limbs.fins), false};
  if (footing.raised && limbs.wings > 0 && footing.off_ground > 0.2) {
    return {Habitat::kFree, "wings, and it stays in the air", false};
  }
  if (footing.seen && limbs.legs > 0 && limbs.wings == 0) return {Habitat::kGround, "legs above a ground", false};
  if (footing.off_ground > 0.65 && footing.floating > 0.5) {
    return {Habitat::kFree,
            fmt::format("off the ground in {:.0f} % of the frames, longer than a leap takes", 100 * footing.off_ground),
            limbs.legs > 0 && limbs.wings == 0};
  }
  if (footing.lying > 0.35 && limbs.legs == 0) {
    return {Habitat::kCrawl, fmt::format("{:.0f} % of the body lies on the ground", 100 * footing.lying), false};
  }
  return {Habitat::kGround, "something low bears the weight", false};
}

}  // namespace limber::physics
