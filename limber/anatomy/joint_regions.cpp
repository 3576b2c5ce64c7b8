// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "limber/anatomy/joint_names.h"
#include "limber/anatomy/region.h"
#include "limber/base/at.h"
#include "limber/base/expect.h"

namespace limber::anatomy {
namespace {

// --- the skeleton and what its names say -----------------------------------------------------------------------------

struct Bones {
  std::span<const int> parents;
  std::span<const Vec3d> places;
  BodyKind kind = BodyKind::kOther;
  int count = 0;
  double size = 1;
  std::vector<NameReading> readings;
  std::vector<std::vector<int>> children;

  int side_of(int joint) const {
    const int named = readings[at(joint)].side;
    return named != 0 ? named : (places[at(joint)].x < 0 ? -1 : 1);
  }
  bool off_centre(int joint, double share) const { return std::abs(places[at(joint)].x) > share * size; }
  bool is_silent(int joint) const { return readings[at(joint)].has(Cue::kHelper); }
  /// Whether a joint is the only one of its parent, and so no fin, however bent the body.
  bool is_axial(int joint) const { return parents[at(joint)] < 0 || children[at(parents[at(joint)])].size() < 2; }
};

/// Some files call left what is on the right of a body that faces +Z: places decide by majority.
void settle_sides(Bones& bones) {
  double agreement = 0;
  for (int j = 0; j < bones.count; ++j) agreement += bones.readings[at(j)].side * bones.places[at(j)].x;
  for (NameReading& reading : bones.readings) reading.side *= agreement < -1e-9 * bones.size ? -1 : 1;
}

Bones read_bones(std::span<const std::string> names, std::span<const int> parents, std::span<const Vec3d> places,
                 BodyKind kind) {
  Bones bones{parents, places, kind, static_cast<int>(names.size()), 1, {}, {}};
  Vec3d low = places.empty() ? Vec3d{} : places.front(), high = low;
  for (const Vec3d& place : places) low = min(low, place), high = max(high, place);
  bones.size = std::max({high.x - low.x, high.y - low.y, high.z - low.z, 1e-9});
  for (const std::string& name : names) bones.readings.push_back(read_name(name));
  bones.children.resize(names.size());
  for (int j = 0; j < bones.count; ++j) {
    if (parents[at(j)] >= 0) bones.children[at(parents[at(j)])].push_back(j);
  }
  settle_sides(bones);
  return bones;
}

// --- arms and legs ---------------------------------------------------------------------------------------------------

enum class Family : std::uint8_t { kFront, kHind, kMiddle, kWing };

/// Joints that hang together and whose names tell of arms or legs.
struct NamedLimb {
  int side = 1;
  bool front = false, back = false, arm = false, leg = false;  ///< what names say
  bool whole = false;                                          ///< has its upper section
  Vec3d base;                                                  ///< where the first section starts
  std::vector<int> joints;
};

struct NamedLimbs {
  std::vector<NamedLimb> limbs;
  std::vector<int> limb_of;  ///< per joint; -1: of none
};

/// Words that tell of something else than a limb, and are stronger.
bool is_elsewhere(const NameReading& reading) {
  return reading.has(Cue::kOther) || reading.has(Cue::kTail) || reading.has(Cue::kWing) || reading.has(Cue::kFin) ||
         reading.has(Cue::kSideFin) || reading.has(Cue::kHead);
}

NamedLimbs find_limbs(const Bones& bones) {
  NamedLimbs found;
  found.limb_of.assign(at(bones.count), -1);
  for (int j = 0; j < bones.count; ++j) {
    const int parent = bones.parents[at(j)], above = parent < 0 ? -1 : found.limb_of[at(parent)];
    const NameReading& reading = bones.readings[at(j)];
    if (is_elsewhere(reading)) continue;
    const bool tells = !bones.is_silent(j) && (reading.limb() || (bones.off_centre(j, 0.02) && reading.socket()));
    if (above < 0 && !tells) continue;
    found.limb_of[at(j)] = above >= 0 ? above : static_cast<int>(found.limbs.size());
    if (above < 0) found.limbs.emplace_back().side = bones.side_of(j);
    NamedLimb& limb = found.limbs[at(found.limb_of[at(j)])];
    limb.joints.push_back(j);
    if (!tells) continue;
    limb.front = limb.front || reading.has(Cue::kFront), limb.back = limb.back || reading.has(Cue::kBack);
    limb.arm = limb.arm || reading.arm() || reading.has(Cue::kShoulder) || reading.has(Cue::kGirdle);
    limb.leg = limb.leg || reading.leg() || reading.has(Cue::kHip) || reading.has(Cue::kPelvis);
  }
  return found;
}

// --- sections of limbs -----------------------------------------------------------------------------------------------

struct Sections {
  std::vector<int> of;        ///< per joint: 0 upper, 1 lower, 2 end; -1 for girdles and what is of no limb
  std::vector<bool> girdles;  ///< between the trunk and the upper section
};

/// The next joint of the same limb whose name tells something, -1 at the end.
int next_in_limb(const Bones& bones, const NamedLimbs& limbs, int joint) {
  for (const int child : bones.children[at(joint)]) {
    const bool same = limbs.limb_of[at(child)] == limbs.limb_of[at(joint)];
    if (same && !bones.is_silent(child) && bones.readings[at(child)].limb()) return child;
  }
  return -1;
}

/// Whether a limb's joint lies between the trunk and the upper section: a clavicle, or a shoulder before an arm.
/// `girdles` tells it of those before it.
bool is_girdle(const Bones& bones, const NamedLimbs& limbs, const std::vector<bool>& girdles, int joint) {
  const NameReading& reading = bones.readings[at(joint)];
  if (reading.has(Cue::kGirdle)) return true;
  const int parent = bones.parents[at(joint)];
  if (parent >= 0 && limbs.limb_of[at(parent)] == limbs.limb_of[at(joint)] && !girdles[at(parent)]) return false;
  const int next = next_in_limb(bones, limbs, joint);
  if (next < 0) return false;
  const NameReading& other = bones.readings[at(next)];
  const bool starts = other.section() == 0 || other.has(Cue::kUpper);
  if (reading.socket()) {
    if (starts) return true;
    if (other.section() > 0 || other.has(Cue::kLower)) return false;
    // An arm or leg in one word: the shin where the foot follows, else the thigh.
    const int after = next_in_limb(bones, limbs, next);
    return after >= 0 && bones.readings[at(after)].section() < 2;
  }
  // "Leg" before "UpperLeg" is the thigh, or leads from the middle out to it.
  const Vec3d bone = bones.places[at(next)] - bones.places[at(joint)];
  return starts && reading.section() < 0 && std::abs(bone.x) > std::hypot(bone.y, bone.z);
}

/// `before` is the section of the joint above, -1 at the start of a limb.
int section_of(const Bones& bones, int joint, int before) {
  const NameReading& reading = bones.readings[at(joint)];
  if (bones.is_silent(joint) && before >= 0) return before;
  if (reading.has(Cue::kCarrier)) return 2;
  if (const int told = reading.section(); told >= 0) return std::max(told, before);
  if (before < 0) return reading.has(Cue::kLower) ? 1 : 0;
  if (!reading.limb()) return before;
  // Sections follow one another; a piece of the same section has the same words.
  const bool same = reading.words == bones.readings[at(bones.parents[at(joint)])].words;
  return same && (reading.has(Cue::kUpper) || reading.has(Cue::kLower)) ? before : std::min(before + 1, 2);
}

/// Tells the limbs where they start, too.
Sections find_sections(const Bones& bones, NamedLimbs& limbs) {
  Sections sections{std::vector<int>(at(bones.count), -1), std::vector<bool>(at(bones.count), false)};
  for (int j = 0; j < bones.count; ++j) {
    if (limbs.limb_of[at(j)] < 0) continue;
    const NameReading& reading = bones.readings[at(j)];
    const int parent = bones.parents[at(j)];
    const bool hangs_on_girdle = parent >= 0 && sections.girdles[at(parent)];
    const bool first = parent < 0 || limbs.limb_of[at(parent)] != limbs.limb_of[at(j)] || hangs_on_girdle;
    // What hangs on a clavicle and says nothing goes with it.
    if (is_girdle(bones, limbs, sections.girdles, j) || (hangs_on_girdle && !(reading.limb() && !bones.is_silent(j)))) {
      sections.girdles[at(j)] = true;
      continue;
    }
    sections.of[at(j)] = section_of(bones, j, first ? -1 : sections.of[at(parent)]);
    NamedLimb& limb = limbs.limbs[at(limbs.limb_of[at(j)])];
    if (first && sections.of[at(j)] == 0) limb.whole = true, limb.base = bones.places[at(j)];
  }
  return sections;
}

// --- front and hind --------------------------------------------------------------------------------------------------

struct NamedFamily {
  Family family = Family::kHind;
  bool open = false;  ///< names leave it open
};

NamedFamily named_family(const NamedLimb& limb, BodyKind kind) {
  if (limb.front != limb.back) return {limb.front ? Family::kFront : Family::kHind, false};
  if (limb.arm != limb.leg) {
    if (limb.arm) return {Family::kFront, false};
    if (kind == BodyKind::kHumanoid || kind == BodyKind::kBird || kind == BodyKind::kTheropod)
      return {Family::kHind, false};
  }
  return {Family::kHind, true};
}

/// Where the limbs of one side start, along the body.
struct Reach {
  double foremost = -1e30, hindmost = 1e30;
};

/// A limb with its upper section goes by its place among the others where its name does not tell.
Family family_by_place(const NamedLimb& limb, const Reach& reach, const Bones& bones, bool many_legs) {
  const NamedFamily named = named_family(limb, bones.kind);
  const double spread = reach.foremost - reach.hindmost;
  if (many_legs) {
    if (limb.base.z >= reach.foremost) return Family::kFront;
    return limb.base.z <= reach.hindmost ? Family::kHind : Family::kMiddle;
  }
  if (!named.open || !(spread > 0.05 * bones.size)) return named.family;
  return limb.base.z > reach.hindmost + 0.5 * spread ? Family::kFront : Family::kHind;
}

/// The whole limb of the same side that comes nearest, -1 for none.
int nearest_limb(const NamedLimb& limb, const NamedLimbs& all, const Bones& bones) {
  double nearest = 1e30;
  int best = -1;
  for (std::size_t k = 0; k < all.limbs.size(); ++k) {
    const NamedLimb& other = all.limbs[k];
    if (!other.whole || other.side != limb.side) continue;
    for (const int j : other.joints) {
      const double distance = squared_norm(bones.places[at(j)] - bones.places[at(limb.joints.front())]);
      if (distance < nearest) nearest = distance, best = static_cast<int>(k);
    }
  }
  return best;
}

std::vector<Family> find_families(const Bones& bones, const NamedLimbs& all) {
  const bool many_legs = bones.kind == BodyKind::kHexapod || bones.kind == BodyKind::kOctopod;
  std::array<Reach, 2> reach;
  for (const NamedLimb& limb : all.limbs) {
    if (!limb.whole) continue;
    Reach& side = reach[limb.side > 0 ? 0 : 1];
    side.foremost = std::max(side.foremost, limb.base.z), side.hindmost = std::min(side.hindmost, limb.base.z);
  }
  std::vector<Family> families;
  for (const NamedLimb& limb : all.limbs) {
    families.push_back(limb.whole ? family_by_place(limb, reach[limb.side > 0 ? 0 : 1], bones, many_legs)
                                  : named_family(limb, bones.kind).family);
  }
  // Feet without a leg belong to the nearest one.
  for (std::size_t k = 0; k < families.size(); ++k) {
    const NamedLimb& limb = all.limbs[k];
    if (limb.whole || !(named_family(limb, bones.kind).open || many_legs)) continue;
    if (const int other = nearest_limb(limb, all, bones); other >= 0) families[k] = families[at(other)];
  }
  for (Family& family : families) {
    const bool winged = bones.kind == BodyKind::kFish || bones.kind == BodyKind::kSnake ||
                        (bones.kind == BodyKind::kBird && family == Family::kFront);
    if (winged) family = Family::kWing;
  }
  return families;
}

// --- regions ---------------------------------------------------------------------------------------------------------

/// Everything that is known of the limbs.
struct Limbs {
  NamedLimbs named;
  Sections sections;
  std::vector<Family> families;
};

Region sided(Region left, int side) { return static_cast<Region>(static_cast<int>(left) + (side > 0 ? 0 : 1)); }

Region limb_region(const Limbs& limbs, int joint) {
  if (limbs.sections.girdles[at(joint)]) return Region::kTrunk;
  const int limb = limbs.named.limb_of[at(joint)], side = limbs.named.limbs[at(limb)].side;
  const Family family = limbs.families[at(limb)];
  if (family == Family::kMiddle) return sided(Region::kMiddleLeft, side);
  if (family == Family::kWing) return sided(Region::kWingLeft, side);
  const Region upper = family == Family::kFront ? Region::kFrontUpperLeft : Region::kHindUpperLeft;
  return sided(static_cast<Region>(static_cast<int>(upper) + 2 * limbs.sections.of[at(joint)]), side);
}

/// `above` is the region of the joint's parent.
Region region_of(const Bones& bones, const Limbs& limbs, int joint, Region above) {
  const NameReading& reading = bones.readings[at(joint)];
  if (reading.has(Cue::kOther)) return Region::kOther;
  if (limbs.named.limb_of[at(joint)] >= 0) return limb_region(limbs, joint);
  if (bones.is_silent(joint)) return above;
  if (reading.has(Cue::kTail)) return Region::kTail;
  if (reading.has(Cue::kWing) || reading.has(Cue::kSideFin) || reading.has(Cue::kFin)) {
    const bool of_a_side = reading.side != 0 || bones.off_centre(joint, 0.03);
    if (of_a_side) return sided(Region::kWingLeft, bones.side_of(joint));
    return reading.has(Cue::kWing) ? Region::kTrunk : Region::kFin;
  }
  // What the head carries is part of it, whatever it is called.
  if (reading.has(Cue::kHead) || above == Region::kHead) {
    const bool fin = bones.kind == BodyKind::kFish && !reading.has(Cue::kHead) && bones.off_centre(joint, 0.05);
    return fin ? sided(Region::kWingLeft, bones.side_of(joint)) : Region::kHead;
  }
  if (reading.has(Cue::kNeck)) return Region::kNeck;
  const bool says_nothing = reading.cues == 0;
  if (says_nothing && bones.kind == BodyKind::kFish && above == Region::kTrunk && bones.off_centre(joint, 0.05) &&
      !bones.is_axial(joint)) {
    return sided(Region::kWingLeft, bones.side_of(joint));
  }
  if (says_nothing || above == Region::kOther) return above;
  return Region::kTrunk;
}

// --- bodies without legs ---------------------------------------------------------------------------------------------

bool along_body(Region region) {
  return region == Region::kTrunk || region == Region::kNeck || region == Region::kTail || region == Region::kHead;
}

/// Length of the path from the root to every joint along the body.
std::vector<double> path_lengths(const Bones& bones, std::span<const Region> regions) {
  std::vector<double> length(at(bones.count), 0.0);
  for (int j = 0; j < bones.count; ++j) {
    const int parent = bones.parents[at(j)];
    if (!along_body(regions[at(j)]) || parent < 0) continue;
    length[at(j)] = length[at(parent)] + norm(bones.places[at(j)] - bones.places[at(parent)]);
  }
  return length;
}

/// The first joint of the head, however far it is; without a head, whatever is foremost.
int front_end(const Bones& bones, std::span<const Region> regions, std::span<const double> path) {
  int front = -1;
  for (int j = 0; j < bones.count; ++j) {
    const int parent = bones.parents[at(j)];
    const bool first = regions[at(j)] == Region::kHead && (parent < 0 || regions[at(parent)] != Region::kHead);
    if (first && (front < 0 || path[at(j)] > path[at(front)])) front = j;
  }
  if (front >= 0) return front;
  for (int j = 0; j < bones.count; ++j) {
    if (along_body(regions[at(j)]) && (front < 0 || bones.places[at(j)].z > bones.places[at(front)].z)) front = j;
  }
  return front;
}

/// The end of the tail that a snake's names tell of, since snakes coil; else what is hindmost.
int hind_end(const Bones& bones, std::span<const Region> regions, std::span<const double> path) {
  int hind = -1;
  double least = 1e30;
  for (int j = 0; j < bones.count && bones.kind == BodyKind::kSnake; ++j) {
    if (regions[at(j)] == Region::kTail && -path[at(j)] < least) hind = j, least = -path[at(j)];
  }
  if (hind >= 0) return hind;
  for (int j = 0; j < bones.count; ++j) {
    const bool fits = along_body(regions[at(j)]) && regions[at(j)] != Region::kHead && !bones.is_silent(j);
    if (fits && bones.places[at(j)].z < least) hind = j, least = bones.places[at(j)].z;
  }
  return hind;
}

/// Joints from the front end of the body to its hind end.
std::vector<int> longest_chain(const Bones& bones, std::span<const Region> regions) {
  const std::vector<double> path = path_lengths(bones, regions);
  const int front = front_end(bones, regions, path), hind = hind_end(bones, regions, path);
  if (front < 0 || hind < 0) return {};
  std::vector<int> down, up;
  for (int j = hind; j >= 0; j = bones.parents[at(j)]) down.push_back(j);
  for (int j = front; j >= 0; j = bones.parents[at(j)]) up.push_back(j);
  // Their common path to the root is left out, but for the joint where they part.
  while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
    up.pop_back(), down.pop_back();
  }
  down.pop_back();
  up.insert(up.end(), down.rbegin(), down.rend());
  return up;
}

/// Fish and snakes: the last third is the tail, and what is before it, but for the head, the trunk.
void cut_long_body(const Bones& bones, std::vector<Region>& regions) {
  const std::vector<int> chain = longest_chain(bones, regions);
  if (chain.size() < 3) return;
  std::vector<double> along{0};
  for (std::size_t i = 1; i < chain.size(); ++i) {
    // Fish are straight, but their roots may lie anywhere; snakes coil.
    const Vec3d step = bones.places[at(chain[i])] - bones.places[at(chain[i - 1])];
    along.push_back(along.back() + (bones.kind == BodyKind::kFish ? -step.z : norm(step)));
  }
  // The last bone ends somewhere beyond its joint.
  const double length = along.back() + (along.back() - along[along.size() - 2]);
  std::vector<bool> in_chain(at(bones.count), false);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    Region& region = regions[at(chain[i])];
    in_chain[at(chain[i])] = true;
    if (region == Region::kHead) continue;
    // The head's bone goes on beyond its joint too, so that this is the last third of all.
    const bool root = bones.parents[at(chain[i])] < 0;
    region = along[i] >= 0.6 * length && !root ? Region::kTail : Region::kTrunk;
  }
  if (std::none_of(regions.begin(), regions.end(), [](Region region) { return region == Region::kHead; })) {
    regions[at(chain.front())] = Region::kHead;
  }
  for (int j = 0; j < bones.count; ++j) {
    const bool moves = !in_chain[at(j)] && bones.parents[at(j)] >= 0 && along_body(regions[at(j)]) &&
                       regions[at(j)] != Region::kHead && !bones.readings[at(j)].has(Cue::kTail);
    if (moves && along_body(regions[at(bones.parents[at(j)])])) regions[at(j)] = regions[at(bones.parents[at(j)])];
  }
}

/// Where no joint is called neck: those of the spine before the forelegs, on the way to the head.
void find_unnamed_neck(const Bones& bones, const Limbs& limbs, std::vector<Region>& regions) {
  if (std::count(regions.begin(), regions.end(), Region::kNeck) > 0) return;
  double front = -1e30;
  for (std::size_t k = 0; k < limbs.families.size(); ++k) {
    const NamedLimb& limb = limbs.named.limbs[k];
    const bool counts = limb.whole && (limbs.families[k] == Family::kFront || limbs.families[k] == Family::kWing);
    if (counts) front = std::max(front, limb.base.z);
  }
  const auto head = std::find(regions.begin(), regions.end(), Region::kHead);
  if (front < -1e29 || head == regions.end()) return;
  for (int j = bones.parents[at(static_cast<int>(head - regions.begin()))]; j > 0; j = bones.parents[at(j)]) {
    if (regions[at(j)] != Region::kTrunk || bones.places[at(j)].z <= front) return;
    // What carries limbs is trunk.
    for (const int child : bones.children[at(j)]) {
      if (limbs.named.limb_of[at(child)] >= 0) return;
    }
    regions[at(j)] = Region::kNeck;
  }
}

}  // namespace

std::vector<Region> joint_regions(std::span<const std::string> names, std::span<const int> parents,
                                  std::span<const Vec3d> places, BodyKind kind) {
  LIMBER_EXPECT(names.size() == parents.size() && names.size() == places.size(), std::to_string(names.size()));
  for (std::size_t j = 0; j < parents.size(); ++j) {
    LIMBER_EXPECT(parents[j] < static_cast<int>(j), std::to_string(j));
  }
  const Bones bones = read_bones(names, parents, places, kind);
  Limbs limbs{find_limbs(bones), {}, {}};
  limbs.sections = find_sections(bones, limbs.named);
  limbs.families = find_families(bones, limbs.named);
  std::vector<Region> regions(names.size(), Region::kTrunk);
  for (int j = 0; j < bones.count; ++j) {
    const int parent = parents[at(j)];
    regions[at(j)] = region_of(bones, limbs, j, parent < 0 ? Region::kTrunk : regions[at(parent)]);
  }
  if (kind == BodyKind::kFish || kind == BodyKind::kSnake) {
    cut_long_body(bones, regions);
  } else if (kind != BodyKind::kHumanoid) {
    find_unnamed_neck(bones, limbs, regions);
  }
  return regions;
}

}  // namespace limber::anatomy
