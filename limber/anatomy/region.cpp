// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/region.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/anatomy/joint_names.h"
#include "limber/base/expect.h"

namespace limber::anatomy {
namespace {

constexpr std::array<std::string_view, kRegionCount> kRegionNames{"trunk",
                                                                  "neck",
                                                                  "head",
                                                                  "tail",
                                                                  "front upper left",
                                                                  "front upper right",
                                                                  "front lower left",
                                                                  "front lower right",
                                                                  "front end left",
                                                                  "front end right",
                                                                  "hind upper left",
                                                                  "hind upper right",
                                                                  "hind lower left",
                                                                  "hind lower right",
                                                                  "hind end left",
                                                                  "hind end right",
                                                                  "middle left",
                                                                  "middle right",
                                                                  "wing left",
                                                                  "wing right",
                                                                  "fin",
                                                                  "other"};
constexpr std::array<std::string_view, kBodyKindCount> kKindNames{
    "humanoid", "quadruped", "lizard", "bird", "theropod", "hexapod", "octopod", "fish", "snake", "other"};

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// --- what a name says
// -------------------------------------------------------------------------------------------------

enum class Cue : std::uint8_t {
  kTrunk,
  kNeck,
  kHead,
  kTail,
  kOther,
  kWing,
  kSideFin,
  kFin,
  kGirdle,    ///< always between trunk and limb: a clavicle
  kShoulder,  ///< starts an arm, or is between the trunk and what does
  kHip,       ///< likewise a leg
  kPelvis,    ///< trunk, or where it is of a side, between the trunk and a leg
  kArm,
  kLeg,
  kArmUpper,
  kArmLower,
  kArmEnd,
  kLegUpper,
  kLegLower,
  kLegEnd,
  kEnd,  ///< of any limb
  kUpper,
  kLower,
  kFront,
  kBack,
  kCarrier,  ///< what inverse kinematics moves a foot by
  kHelper    ///< says what the joint is for, not where it is
};

struct CueWord {
  std::string_view word;
  Cue cue;
};
constexpr CueWord kCueWords[]{{"hips", Cue::kTrunk},        {"spine", Cue::kTrunk},       {"chest", Cue::kTrunk},
                              {"torso", Cue::kTrunk},       {"body", Cue::kTrunk},        {"abdomen", Cue::kTrunk},
                              {"thorax", Cue::kTrunk},      {"stomach", Cue::kTrunk},     {"belly", Cue::kTrunk},
                              {"waist", Cue::kTrunk},       {"shoulders", Cue::kTrunk},   {"breast", Cue::kTrunk},
                              {"rib", Cue::kTrunk},         {"ribs", Cue::kTrunk},        {"ribcage", Cue::kTrunk},
                              {"neck", Cue::kNeck},         {"head", Cue::kHead},         {"skull", Cue::kHead},
                              {"face", Cue::kHead},         {"jaw", Cue::kHead},          {"mandible", Cue::kHead},
                              {"mouth", Cue::kHead},        {"chin", Cue::kHead},         {"tongue", Cue::kHead},
                              {"teeth", Cue::kHead},        {"lip", Cue::kHead},          {"cheek", Cue::kHead},
                              {"eye", Cue::kHead},          {"eyes", Cue::kHead},         {"eyelid", Cue::kHead},
                              {"eyebrow", Cue::kHead},      {"brow", Cue::kHead},         {"ear", Cue::kHead},
                              {"ears", Cue::kHead},         {"nose", Cue::kHead},         {"snout", Cue::kHead},
                              {"muzzle", Cue::kHead},       {"beak", Cue::kHead},         {"horn", Cue::kHead},
                              {"antler", Cue::kHead},       {"antenna", Cue::kHead},      {"feeler", Cue::kHead},
                              {"fang", Cue::kHead},         {"tail", Cue::kTail},         {"caudal", Cue::kTail},
                              {"fluke", Cue::kTail},        {"hair", Cue::kOther},        {"ponytail", Cue::kOther},
                              {"braid", Cue::kOther},       {"cape", Cue::kOther},        {"cloak", Cue::kOther},
                              {"skirt", Cue::kOther},       {"cloth", Cue::kOther},       {"scarf", Cue::kOther},
                              {"hat", Cue::kOther},         {"helmet", Cue::kOther},      {"weapon", Cue::kOther},
                              {"sword", Cue::kOther},       {"shield", Cue::kOther},      {"gun", Cue::kOther},
                              {"axe", Cue::kOther},         {"bag", Cue::kOther},         {"backpack", Cue::kOther},
                              {"saddle", Cue::kOther},      {"prop", Cue::kOther},        {"wing", Cue::kWing},
                              {"feather", Cue::kWing},      {"fin", Cue::kFin},           {"dorsal", Cue::kFin},
                              {"anal", Cue::kFin},          {"flipper", Cue::kSideFin},   {"pectoral", Cue::kSideFin},
                              {"pelvic", Cue::kSideFin},    {"ventral", Cue::kSideFin},   {"clavicle", Cue::kGirdle},
                              {"collar", Cue::kGirdle},     {"collarbone", Cue::kGirdle}, {"scapula", Cue::kGirdle},
                              {"shoulder", Cue::kShoulder}, {"hip", Cue::kHip},           {"pelvis", Cue::kPelvis},
                              {"arm", Cue::kArm},           {"leg", Cue::kLeg},           {"foreleg", Cue::kFront},
                              {"hindleg", Cue::kBack},      {"upperarm", Cue::kArmUpper}, {"uparm", Cue::kArmUpper},
                              {"humerus", Cue::kArmUpper},  {"bicep", Cue::kArmUpper},    {"forearm", Cue::kArmLower},
                              {"lowerarm", Cue::kArmLower}, {"elbow", Cue::kArmLower},    {"radius", Cue::kArmLower},
                              {"ulna", Cue::kArmLower},     {"wrist", Cue::kArmEnd},      {"hand", Cue::kArmEnd},
                              {"palm", Cue::kArmEnd},       {"finger", Cue::kArmEnd},     {"fingers", Cue::kArmEnd},
                              {"thumb", Cue::kArmEnd},      {"pinky", Cue::kArmEnd},      {"carpus", Cue::kArmEnd},
                              {"metacarpus", Cue::kArmEnd}, {"thigh", Cue::kLegUpper},    {"upleg", Cue::kLegUpper},
                              {"upperleg", Cue::kLegUpper}, {"femur", Cue::kLegUpper},    {"knee", Cue::kLegLower},
                              {"shin", Cue::kLegLower},     {"calf", Cue::kLegLower},     {"tibia", Cue::kLegLower},
                              {"lowerleg", Cue::kLegLower}, {"lowleg", Cue::kLegLower},   {"ankle", Cue::kLegEnd},
                              {"foot", Cue::kLegEnd},       {"feet", Cue::kLegEnd},       {"toe", Cue::kLegEnd},
                              {"toes", Cue::kLegEnd},       {"toebase", Cue::kLegEnd},    {"heel", Cue::kLegEnd},
                              {"hock", Cue::kLegEnd},       {"tarsus", Cue::kLegEnd},     {"metatarsus", Cue::kLegEnd},
                              {"paw", Cue::kEnd},           {"hoof", Cue::kEnd},          {"upper", Cue::kUpper},
                              {"up", Cue::kUpper},          {"lower", Cue::kLower},       {"low", Cue::kLower},
                              {"front", Cue::kFront},       {"fore", Cue::kFront},        {"back", Cue::kBack},
                              {"hind", Cue::kBack},         {"rear", Cue::kBack},         {"ik", Cue::kCarrier},
                              {"pole", Cue::kHelper},       {"target", Cue::kHelper},     {"twist", Cue::kHelper},
                              {"roll", Cue::kHelper}};

const CueWord* find_cue(std::string_view word) {
  const auto* found =
      std::find_if(std::begin(kCueWords), std::end(kCueWords), [&](const CueWord& cue) { return cue.word == word; });
  return found == std::end(kCueWords) ? nullptr : found;
}

/// All that one name says.
struct Reading {
  std::uint32_t cues = 0;
  int side = 0;                    ///< +1: left
  std::vector<std::string> words;  ///< without numbers

  bool has(Cue cue) const { return (cues >> static_cast<unsigned>(cue) & 1u) != 0; }
  void add(Cue cue) { cues |= 1u << static_cast<unsigned>(cue); }
  bool arm() const { return has(Cue::kArm) || has(Cue::kArmUpper) || has(Cue::kArmLower) || has(Cue::kArmEnd); }
  bool leg() const { return has(Cue::kLeg) || has(Cue::kLegUpper) || has(Cue::kLegLower) || has(Cue::kLegEnd); }
  /// Where limbs begin; without a side, "hip" means both.
  bool socket() const { return has(Cue::kShoulder) || has(Cue::kHip) || (has(Cue::kPelvis) && (side != 0 || leg())); }
  bool limb() const {
    if (arm() || leg() || has(Cue::kEnd)) return true;
    return side != 0 && (socket() || has(Cue::kGirdle));
  }
  /// The section that words of anatomy tell: 0 upper, 1 lower, 2 end, -1 none.
  int section() const {
    if (has(Cue::kArmEnd) || has(Cue::kLegEnd) || has(Cue::kEnd)) return 2;
    if (has(Cue::kArmLower) || has(Cue::kLegLower) || (has(Cue::kFront) && has(Cue::kArm))) return 1;
    if (has(Cue::kArmUpper) || has(Cue::kLegUpper) || (has(Cue::kArm) && has(Cue::kUpper))) return 0;
    if (has(Cue::kArm) && has(Cue::kLower)) return 1;
    return socket() && !has(Cue::kUpper) && !has(Cue::kLower) ? 0 : -1;
  }
};

Reading read_name(const std::string& name) {
  Reading reading;
  reading.words = words_of(name);
  for (const std::string& word : reading.words) {
    // The last one tells: the R of "PalmR.L" is a ring.
    if (word == "l" || word == "left") reading.side = 1;
    if (word == "r" || word == "right") reading.side = -1;
    const CueWord* cue = find_cue(word);
    if (cue == nullptr && word.size() > 2 && (word[0] == 'l' || word[0] == 'r')) {
      // "lfemur"
      cue = find_cue(std::string_view(word).substr(1));
      if (cue != nullptr) reading.side = word[0] == 'l' ? 1 : -1;
    }
    if (cue == nullptr) continue;
    reading.add(cue->cue);
    if (cue->word == "foreleg" || cue->word == "hindleg") reading.add(Cue::kLeg);
  }
  return reading;
}

// --- limbs
// ------------------------------------------------------------------------------------------------------------

enum class Family : std::uint8_t { kFront, kHind, kMiddle, kWing };

/// Joints that hang together and whose names tell of arms or legs.
struct Limb {
  int side = 1;
  bool front = false, back = false, arm = false, leg = false;  ///< what names say
  bool whole = false;                                          ///< has its upper section
  Vec3d base;                                                  ///< where the first section starts
  Family family = Family::kHind;
  std::vector<int> joints;
};

class Reader {
 public:
  Reader(std::span<const std::string> names, std::span<const int> parents, std::span<const Vec3d> places, BodyKind kind)
      : parents_(parents), places_(places), kind_(kind), count_(static_cast<int>(names.size())) {
    Vec3d low = places.empty() ? Vec3d{} : places.front(), high = low;
    for (const Vec3d& place : places) low = min(low, place), high = max(high, place);
    size_ = std::max({high.x - low.x, high.y - low.y, high.z - low.z, 1e-9});
    for (const std::string& name : names) readings_.push_back(read_name(name));
    children_.resize(names.size());
    for (int j = 0; j < count_; ++j) {
      if (parents[at(j)] >= 0) children_[at(parents[at(j)])].push_back(j);
    }
    settle_sides();
  }

  std::vector<Region> read() {
    find_limbs();
    find_sections();
    settle_families();
    std::vector<Region> regions(at(count_), Region::kTrunk);
    for (int j = 0; j < count_; ++j) regions[at(j)] = region_of(j, regions);
    if (kind_ == BodyKind::kFish || kind_ == BodyKind::kSnake) {
      cut_long_body(regions);
    } else if (kind_ != BodyKind::kHumanoid) {
      find_unnamed_neck(regions);
    }
    return regions;
  }

 private:
  /// Some files call left what is on the right of a body that faces +Z: places decide by majority.
  void settle_sides() {
    double agreement = 0;
    for (int j = 0; j < count_; ++j) agreement += readings_[at(j)].side * places_[at(j)].x;
    for (Reading& reading : readings_) reading.side *= agreement < -1e-9 * size_ ? -1 : 1;
  }
  int side_of(int joint) const {
    const int named = readings_[at(joint)].side;
    return named != 0 ? named : (places_[at(joint)].x < 0 ? -1 : 1);
  }
  bool off_centre(int joint, double share) const { return std::abs(places_[at(joint)].x) > share * size_; }
  bool is_silent(int joint) const { return readings_[at(joint)].has(Cue::kHelper); }

  /// Words that tell of something else than a limb, and are stronger.
  bool is_elsewhere(const Reading& reading) const {
    return reading.has(Cue::kOther) || reading.has(Cue::kTail) || reading.has(Cue::kWing) || reading.has(Cue::kFin) ||
           reading.has(Cue::kSideFin) || reading.has(Cue::kHead);
  }

  void find_limbs() {
    limb_of_.assign(at(count_), -1);
    for (int j = 0; j < count_; ++j) {
      const int parent = parents_[at(j)], above = parent < 0 ? -1 : limb_of_[at(parent)];
      const Reading& reading = readings_[at(j)];
      if (is_elsewhere(reading)) continue;
      const bool tells = !is_silent(j) && (reading.limb() || (off_centre(j, 0.02) && reading.socket()));
      if (above >= 0) {
        limb_of_[at(j)] = above;
      } else if (tells) {
        limb_of_[at(j)] = static_cast<int>(limbs_.size());
        limbs_.push_back({});
        limbs_.back().side = side_of(j);
      } else {
        continue;
      }
      Limb& limb = limbs_[at(limb_of_[at(j)])];
      limb.joints.push_back(j);
      if (!tells) continue;
      limb.front = limb.front || reading.has(Cue::kFront), limb.back = limb.back || reading.has(Cue::kBack);
      limb.arm = limb.arm || reading.arm() || reading.has(Cue::kShoulder) || reading.has(Cue::kGirdle);
      limb.leg = limb.leg || reading.leg() || reading.has(Cue::kHip) || reading.has(Cue::kPelvis);
    }
  }

  /// The next joint of the same limb whose name tells something, -1 at the end.
  int next_in_limb(int joint) const {
    for (const int child : children_[at(joint)]) {
      if (limb_of_[at(child)] == limb_of_[at(joint)] && !is_silent(child) && readings_[at(child)].limb()) return child;
    }
    return -1;
  }

  /// Whether a limb's joint lies between the trunk and the upper section: a clavicle, or a shoulder before an arm.
  bool is_girdle(int joint) const {
    const Reading& reading = readings_[at(joint)];
    if (reading.has(Cue::kGirdle)) return true;
    const int parent = parents_[at(joint)];
    if (parent >= 0 && limb_of_[at(parent)] == limb_of_[at(joint)] && !girdles_[at(parent)]) return false;
    const int next = next_in_limb(joint);
    if (next < 0) return false;
    const Reading& other = readings_[at(next)];
    const bool starts = other.section() == 0 || other.has(Cue::kUpper);
    if (reading.socket()) {
      if (starts) return true;
      if (other.section() > 0 || other.has(Cue::kLower)) return false;
      // An arm or leg in one word: the shin where the foot follows, else the thigh.
      const int after = next_in_limb(next);
      return after >= 0 && readings_[at(after)].section() < 2;
    }
    // "Leg" before "UpperLeg" is the thigh, or leads from the middle out to it.
    const Vec3d bone = places_[at(next)] - places_[at(joint)];
    return starts && reading.section() < 0 && std::abs(bone.x) > std::hypot(bone.y, bone.z);
  }

  void find_sections() {
    girdles_.assign(at(count_), false);
    sections_.assign(at(count_), -1);
    for (int j = 0; j < count_; ++j) {
      if (limb_of_[at(j)] < 0) continue;
      const Reading& reading = readings_[at(j)];
      const int parent = parents_[at(j)];
      const bool first = parent < 0 || limb_of_[at(parent)] != limb_of_[at(j)] || girdles_[at(parent)];
      Limb& limb = limbs_[at(limb_of_[at(j)])];
      // What hangs on a clavicle and says nothing goes with it.
      if (is_girdle(j) || (first && parent >= 0 && girdles_[at(parent)] && !(reading.limb() && !is_silent(j)))) {
        girdles_[at(j)] = true;
        continue;
      }
      sections_[at(j)] = section_of(j, first ? -1 : sections_[at(parent)]);
      if (first && sections_[at(j)] == 0) limb.whole = true, limb.base = places_[at(j)];
    }
  }

  int section_of(int joint, int before) const {
    const Reading& reading = readings_[at(joint)];
    if (is_silent(joint) && before >= 0) return before;
    if (reading.has(Cue::kCarrier)) return 2;
    if (const int told = reading.section(); told >= 0) return std::max(told, before);
    if (before < 0) return reading.has(Cue::kLower) ? 1 : 0;
    if (!reading.limb()) return before;
    // Sections follow one another; a piece of the same section has the same words.
    const bool same = reading.words == readings_[at(parents_[at(joint)])].words;
    return same && (reading.has(Cue::kUpper) || reading.has(Cue::kLower)) ? before : std::min(before + 1, 2);
  }

  Family named_family(const Limb& limb, bool& open) const {
    open = false;
    if (limb.front != limb.back) return limb.front ? Family::kFront : Family::kHind;
    if (limb.arm != limb.leg) {
      if (limb.arm) return Family::kFront;
      if (kind_ == BodyKind::kHumanoid || kind_ == BodyKind::kBird || kind_ == BodyKind::kTheropod)
        return Family::kHind;
    }
    open = true;
    return Family::kHind;
  }

  void settle_families() {
    const bool many_legs = kind_ == BodyKind::kHexapod || kind_ == BodyKind::kOctopod;
    std::array<double, 2> foremost{-1e30, -1e30}, hindmost{1e30, 1e30};
    for (const Limb& limb : limbs_) {
      if (!limb.whole) continue;
      const std::size_t side = limb.side > 0 ? 0 : 1;
      foremost[side] = std::max(foremost[side], limb.base.z), hindmost[side] = std::min(hindmost[side], limb.base.z);
    }
    for (Limb& limb : limbs_) {
      const std::size_t side = limb.side > 0 ? 0 : 1;
      bool open = false;
      limb.family = named_family(limb, open);
      if (!limb.whole) continue;
      const double spread = foremost[side] - hindmost[side];
      if (many_legs) {
        limb.family = limb.base.z >= foremost[side] ? Family::kFront
                                                    : (limb.base.z <= hindmost[side] ? Family::kHind : Family::kMiddle);
      } else if (open && spread > 0.05 * size_) {
        limb.family = limb.base.z > hindmost[side] + 0.5 * spread ? Family::kFront : Family::kHind;
      }
    }
    // Feet without a leg belong to the nearest one.
    for (Limb& limb : limbs_) {
      bool open = false;
      named_family(limb, open);
      if (limb.whole || !(open || many_legs)) continue;
      double nearest = 1e30;
      for (const Limb& other : limbs_) {
        if (!other.whole || other.side != limb.side) continue;
        for (const int j : other.joints) {
          const double distance = squared_norm(places_[at(j)] - places_[at(limb.joints.front())]);
          if (distance < nearest) nearest = distance, limb.family = other.family;
        }
      }
    }
    for (Limb& limb : limbs_) {
      const bool winged = kind_ == BodyKind::kFish || kind_ == BodyKind::kSnake ||
                          (kind_ == BodyKind::kBird && limb.family == Family::kFront);
      if (winged) limb.family = Family::kWing;
    }
  }

  static Region sided(Region left, int side) {
    return static_cast<Region>(static_cast<int>(left) + (side > 0 ? 0 : 1));
  }

  Region limb_region(int joint) const {
    if (girdles_[at(joint)]) return Region::kTrunk;
    const Limb& limb = limbs_[at(limb_of_[at(joint)])];
    if (limb.family == Family::kMiddle) return sided(Region::kMiddleLeft, limb.side);
    if (limb.family == Family::kWing) return sided(Region::kWingLeft, limb.side);
    const Region upper = limb.family == Family::kFront ? Region::kFrontUpperLeft : Region::kHindUpperLeft;
    return sided(static_cast<Region>(static_cast<int>(upper) + 2 * sections_[at(joint)]), limb.side);
  }

  Region region_of(int joint, std::span<const Region> before) const {
    const Reading& reading = readings_[at(joint)];
    const int parent = parents_[at(joint)];
    const Region above = parent < 0 ? Region::kTrunk : before[at(parent)];
    if (reading.has(Cue::kOther)) return Region::kOther;
    if (limb_of_[at(joint)] >= 0) return limb_region(joint);
    if (is_silent(joint)) return above;
    if (reading.has(Cue::kTail)) return Region::kTail;
    if (reading.has(Cue::kWing) || reading.has(Cue::kSideFin) || reading.has(Cue::kFin)) {
      const bool of_a_side = reading.side != 0 || off_centre(joint, 0.03);
      if (of_a_side) return sided(Region::kWingLeft, side_of(joint));
      return reading.has(Cue::kWing) ? Region::kTrunk : Region::kFin;
    }
    // What the head carries is part of it, whatever it is called.
    if (reading.has(Cue::kHead) || above == Region::kHead) {
      const bool fin = kind_ == BodyKind::kFish && !reading.has(Cue::kHead) && off_centre(joint, 0.05);
      return fin ? sided(Region::kWingLeft, side_of(joint)) : Region::kHead;
    }
    if (reading.has(Cue::kNeck)) return Region::kNeck;
    const bool says_nothing = reading.cues == 0;
    if (says_nothing && kind_ == BodyKind::kFish && above == Region::kTrunk && off_centre(joint, 0.05) &&
        !is_axial(joint)) {
      return sided(Region::kWingLeft, side_of(joint));
    }
    if (says_nothing || above == Region::kOther) return above;
    return Region::kTrunk;
  }

  /// Whether a joint is the only one of its parent, and so no fin, however bent the body.
  bool is_axial(int joint) const { return parents_[at(joint)] < 0 || children_[at(parents_[at(joint)])].size() < 2; }

  // --- bodies without legs

  static bool along_body(Region region) {
    return region == Region::kTrunk || region == Region::kNeck || region == Region::kTail || region == Region::kHead;
  }

  /// Joints from the front end of the body to its hind end.
  std::vector<int> longest_chain(std::span<const Region> regions) const {
    // The way from every joint to the root, and where the ways of the foremost and the hindmost part.
    int front = -1, hind = -1;
    double most = -1, least = 1e30;
    std::vector<double> way(at(count_), 0.0);
    for (int j = 0; j < count_; ++j) {
      const int parent = parents_[at(j)];
      if (!along_body(regions[at(j)])) continue;
      if (parent >= 0) way[at(j)] = way[at(parent)] + norm(places_[at(j)] - places_[at(parent)]);
      // The first joint of the head, however far it is.
      const bool head = regions[at(j)] == Region::kHead;
      const bool first_head = head && (parent < 0 || regions[at(parent)] != Region::kHead);
      if (first_head && (front < 0 || way[at(j)] > most)) front = j, most = way[at(j)];
    }
    if (front < 0) {
      for (int j = 0; j < count_; ++j) {
        if (along_body(regions[at(j)]) && (front < 0 || places_[at(j)].z > places_[at(front)].z)) front = j;
      }
    }
    for (int pass = 0; pass < 2 && hind < 0; ++pass) {
      // A tail's name is better evidence than a place: snakes coil.
      for (int j = 0; j < count_; ++j) {
        const bool fits = pass == 0 ? regions[at(j)] == Region::kTail && kind_ == BodyKind::kSnake
                                    : along_body(regions[at(j)]) && regions[at(j)] != Region::kHead && !is_silent(j);
        const double rank = pass == 0 ? -way[at(j)] : places_[at(j)].z;
        if (fits && rank < least) hind = j, least = rank;
      }
    }
    if (front < 0 || hind < 0) return {};
    std::vector<int> down, up;
    for (int j = hind; j >= 0; j = parents_[at(j)]) down.push_back(j);
    for (int j = front; j >= 0; j = parents_[at(j)]) up.push_back(j);
    // Their common way to the root is left out, but for the joint where they part.
    while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
      up.pop_back(), down.pop_back();
    }
    down.pop_back();
    up.insert(up.end(), down.rbegin(), down.rend());
    return up;
  }

  /// Fish and snakes: the last third is the tail, and what is before it, but for the head, the trunk.
  void cut_long_body(std::vector<Region>& regions) const {
    const std::vector<int> chain = longest_chain(regions);
    if (chain.size() < 3) return;
    std::vector<double> along{0};
    for (std::size_t i = 1; i < chain.size(); ++i) {
      // Fish are straight, but their roots may lie anywhere; snakes coil.
      const Vec3d step = places_[at(chain[i])] - places_[at(chain[i - 1])];
      along.push_back(along.back() + (kind_ == BodyKind::kFish ? -step.z : norm(step)));
    }
    // The last bone ends somewhere beyond its joint.
    const double length = along.back() + (along.back() - along[along.size() - 2]);
    std::vector<bool> in_chain(at(count_), false);
    for (std::size_t i = 0; i < chain.size(); ++i) {
      Region& region = regions[at(chain[i])];
      in_chain[at(chain[i])] = true;
      if (region == Region::kHead) continue;
      // The head's bone goes on beyond its joint too, so that this is the last third of all.
      const bool root = parents_[at(chain[i])] < 0;
      region = along[i] >= 0.6 * length && !root ? Region::kTail : Region::kTrunk;
    }
    if (std::none_of(regions.begin(), regions.end(), [](Region region) { return region == Region::kHead; })) {
      regions[at(chain.front())] = Region::kHead;
    }
    for (int j = 0; j < count_; ++j) {
      const bool moves = !in_chain[at(j)] && parents_[at(j)] >= 0 && along_body(regions[at(j)]) &&
                         regions[at(j)] != Region::kHead && !readings_[at(j)].has(Cue::kTail);
      if (moves && along_body(regions[at(parents_[at(j)])])) regions[at(j)] = regions[at(parents_[at(j)])];
    }
  }

  /// Where no joint is called neck: those of the spine before the forelegs, on the way to the head.
  void find_unnamed_neck(std::vector<Region>& regions) const {
    if (std::count(regions.begin(), regions.end(), Region::kNeck) > 0) return;
    double front = -1e30;
    for (const Limb& limb : limbs_) {
      const bool counts = limb.whole && (limb.family == Family::kFront || limb.family == Family::kWing);
      if (counts) front = std::max(front, limb.base.z);
    }
    const auto head = std::find(regions.begin(), regions.end(), Region::kHead);
    if (front < -1e29 || head == regions.end()) return;
    for (int j = parents_[at(static_cast<int>(head - regions.begin()))]; j > 0; j = parents_[at(j)]) {
      if (regions[at(j)] != Region::kTrunk || places_[at(j)].z <= front) return;
      // What carries limbs is trunk.
      for (const int child : children_[at(j)]) {
        if (limb_of_[at(child)] >= 0) return;
      }
      regions[at(j)] = Region::kNeck;
    }
  }

  std::span<const int> parents_;
  std::span<const Vec3d> places_;
  BodyKind kind_;
  int count_;
  double size_ = 1;
  std::vector<Reading> readings_;
  std::vector<std::vector<int>> children_;
  std::vector<Limb> limbs_;
  std::vector<int> limb_of_;   ///< -1: of none
  std::vector<int> sections_;  ///< 0 upper, 1 lower, 2 end; -1 for girdles and what is of no limb
  std::vector<bool> girdles_;
};

}  // namespace

Region mirrored(Region region) {
  const int value = static_cast<int>(region);
  const bool sided = region >= Region::kFrontUpperLeft && region <= Region::kWingRight;
  return sided ? static_cast<Region>(value ^ 1) : region;
}

std::string_view name(Region region) { return kRegionNames[static_cast<std::size_t>(region)]; }
std::string_view name(BodyKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::optional<BodyKind> kind_named(std::string_view name) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (kKindNames[i] == name) return static_cast<BodyKind>(i);
  }
  return std::nullopt;
}

std::vector<Region> joint_regions(std::span<const std::string> names, std::span<const int> parents,
                                  std::span<const Vec3d> places, BodyKind kind) {
  LIMBER_EXPECT(names.size() == parents.size() && names.size() == places.size(), std::to_string(names.size()));
  for (std::size_t j = 0; j < parents.size(); ++j) {
    LIMBER_EXPECT(parents[j] < static_cast<int>(j), std::to_string(j));
  }
  return Reader(names, parents, places, kind).read();
}

}  // namespace limber::anatomy
