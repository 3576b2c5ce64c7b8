// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/joint_names.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "limber/base/name_words.h"

namespace limber::anatomy {
namespace {

using rig::LimbKind;
using WordList = std::array<std::string_view, 28>;  // the rest is empty

// Trained weights depend on what these words mean for `joint_regions`: a word that is added here changes regions.
struct CueWords {
  Cue cue;
  WordList words;
};
constexpr CueWords kCueWords[]{
    {Cue::kTrunk,
     {"hips", "spine", "chest", "torso", "body", "abdomen", "thorax", "stomach", "belly", "waist", "shoulders",
      "breast", "rib", "ribs", "ribcage"}},
    {Cue::kNeck, {"neck"}},
    {Cue::kHead, {"head", "skull", "face",   "jaw",  "mandible", "mouth",   "chin",    "tongue", "teeth",
                  "lip",  "cheek", "eye",    "eyes", "eyelid",   "eyebrow", "brow",    "ear",    "ears",
                  "nose", "snout", "muzzle", "beak", "horn",     "antler",  "antenna", "feeler", "fang"}},
    {Cue::kTail, {"tail", "caudal", "fluke"}},
    {Cue::kOther,
     {"hair", "ponytail", "braid", "cape", "cloak", "skirt", "cloth", "scarf", "hat", "helmet", "weapon", "sword",
      "shield", "gun", "axe", "bag", "backpack", "saddle", "prop"}},
    {Cue::kWing, {"wing", "feather"}},
    {Cue::kFin, {"fin", "dorsal", "anal"}},
    {Cue::kSideFin, {"flipper", "pectoral", "pelvic", "ventral"}},
    {Cue::kGirdle, {"clavicle", "collar", "collarbone", "scapula"}},
    {Cue::kShoulder, {"shoulder"}},
    {Cue::kHip, {"hip"}},
    {Cue::kPelvis, {"pelvis"}},
    {Cue::kArm, {"arm"}},
    {Cue::kLeg, {"leg"}},
    {Cue::kFront, {"foreleg", "front", "fore"}},
    {Cue::kBack, {"hindleg", "back", "hind", "rear"}},
    {Cue::kArmUpper, {"upperarm", "uparm", "humerus", "bicep"}},
    {Cue::kArmLower, {"forearm", "lowerarm", "elbow", "radius", "ulna"}},
    {Cue::kArmEnd, {"wrist", "hand", "palm", "finger", "fingers", "thumb", "pinky", "carpus", "metacarpus"}},
    {Cue::kLegUpper, {"thigh", "upleg", "upperleg", "femur"}},
    {Cue::kLegLower, {"knee", "shin", "calf", "tibia", "lowerleg", "lowleg"}},
    {Cue::kLegEnd, {"ankle", "foot", "feet", "toe", "toes", "toebase", "heel", "hock", "tarsus", "metatarsus"}},
    {Cue::kEnd, {"paw", "hoof"}},
    {Cue::kUpper, {"upper", "up"}},
    {Cue::kLower, {"lower", "low"}},
    {Cue::kCarrier, {"ik"}},
    {Cue::kHelper, {"pole", "target", "twist", "roll"}},
};

struct SpecialWords {
  LimbKind kind;
  WordList words;
};
constexpr SpecialWords kSpecialWords[]{
    {LimbKind::kJaw, {"jaw", "mandible", "chin", "tongue", "teeth"}},
    {LimbKind::kEar, {"ear", "ears"}},
    {LimbKind::kHorn, {"horn", "antler"}},
    {LimbKind::kAntenna, {"antenna", "feeler"}},
    {LimbKind::kFinger, {"finger", "thumb", "pinky"}},
    {LimbKind::kTentacle, {"tentacle", "tendril"}},
};

struct LandmarkWords {
  Landmark landmark;
  WordList words;
};
constexpr LandmarkWords kLandmarkWords[]{
    {Landmark::kControl, {"ik", "pole", "target", "control", "root", "armature", "camera", "light", "pt"}},
    {Landmark::kLeft, {"l", "left"}},
    {Landmark::kRight, {"r", "right"}},
    {Landmark::kFoot, {"foot", "feet", "toe", "toes", "ankle", "hoof", "paw", "ball"}},
    {Landmark::kToes, {"toe", "toes", "ball"}},
    {Landmark::kHeel, {"foot", "feet", "ankle", "heel"}},
    {Landmark::kFace, {"nose", "snout", "muzzle", "beak", "mouth", "chin", "jaw", "eye", "eyes", "tongue"}},
    {Landmark::kMuzzle, {"jaw", "nose", "beak", "snout"}},
    {Landmark::kHead, {"head", "face", "skull"}},
    {Landmark::kSkull, {"head", "skull"}},
    {Landmark::kNeck, {"neck"}},
    {Landmark::kHips, {"hips", "hip", "pelvis"}},
    {Landmark::kSpine, {"spine", "body", "root"}},
    {Landmark::kTail, {"tail"}},
    {Landmark::kSwimmer, {"tail", "fin", "flipper"}},
};

bool holds(const WordList& list, std::string_view word) {
  return !word.empty() && std::find(list.begin(), list.end(), word) != list.end();
}

std::optional<Cue> find_cue(std::string_view word) {
  for (const CueWords& row : kCueWords) {
    if (holds(row.words, word)) return row.cue;
  }
  return std::nullopt;
}

}  // namespace

Words words_of(std::string_view name) { return name_words(name); }

bool has_word(const Words& words, std::initializer_list<std::string_view> any) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return std::find(any.begin(), any.end(), word) != any.end(); });
}

int named_side(const Words& words) {
  return (has_word(words, {"l", "left"}) ? 1 : 0) - (has_word(words, {"r", "right"}) ? 1 : 0);
}

std::string unsided(std::string_view name) {
  const Words words = words_of(name);
  if (named_side(words) == 0) return {};
  std::string stem;
  for (const std::string& word : words) {
    if (!has_word({word}, {"l", "left", "r", "right"})) stem += word + ' ';
  }
  std::copy_if(name.begin(), name.end(), std::back_inserter(stem), [](char c) { return c >= '0' && c <= '9'; });
  return stem;
}

bool NameReading::limb() const {
  if (arm() || leg() || has(Cue::kEnd)) return true;
  return side != 0 && (socket() || has(Cue::kGirdle));
}

bool NameReading::helper() const {
  return has(Cue::kHelper) || has(Cue::kCarrier) || has_word(words, {"control", "ctrl"});
}

int NameReading::section() const {
  if (has(Cue::kArmEnd) || has(Cue::kLegEnd) || has(Cue::kEnd)) return 2;
  if (has(Cue::kArmLower) || has(Cue::kLegLower) || (has(Cue::kFront) && has(Cue::kArm))) return 1;
  if (has(Cue::kArmUpper) || has(Cue::kLegUpper) || (has(Cue::kArm) && has(Cue::kUpper))) return 0;
  if (has(Cue::kArm) && has(Cue::kLower)) return 1;
  return socket() && !has(Cue::kUpper) && !has(Cue::kLower) ? 0 : -1;
}

NameReading read_name(std::string_view name) {
  NameReading reading;
  reading.words = words_of(name);
  for (const std::string& word : reading.words) {
    // The last one tells: the R of "PalmR.L" is a ring.
    if (word == "l" || word == "left") reading.side = 1;
    if (word == "r" || word == "right") reading.side = -1;
    std::string_view known = word;
    std::optional<Cue> cue = find_cue(known);
    if (!cue && word.size() > 2 && (word[0] == 'l' || word[0] == 'r')) {
      // "lfemur"
      cue = find_cue(known = known.substr(1));
      if (cue) reading.side = word[0] == 'l' ? 1 : -1;
    }
    for (const SpecialWords& row : kSpecialWords) {
      if (holds(row.words, cue ? known : std::string_view(word))) reading.special = row.kind;
    }
    if (!cue) continue;
    reading.add(*cue);
    if (known == "foreleg" || known == "hindleg") reading.add(Cue::kLeg);
  }
  return reading;
}

bool may_be_finger(const NameReading& reading) {
  return reading.special == LimbKind::kFinger || has_word(reading.words, {"index", "middle", "ring"});
}

bool tells_of(const Words& words, Landmark landmark) {
  for (const LandmarkWords& row : kLandmarkWords) {
    if (row.landmark != landmark) continue;
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return holds(row.words, word); });
  }
  return false;
}

}  // namespace limber::anatomy
