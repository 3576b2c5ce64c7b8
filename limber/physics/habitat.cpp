// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/habitat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace limber::physics {
namespace {

bool mentions(std::string text, std::initializer_list<const char*> words) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return text.find(w) != std::string::npos; });
}

/// How many joints belong to limbs of a kind, by their names.
struct LimbJoints {
  int fins = 0, legs = 0, wings = 0;
};

LimbJoints count_limb_joints(const rig::Rig& rig) {
  LimbJoints count;
  for (const rig::Joint& joint : rig.joints()) {
    if (mentions(joint.name, {"fin", "gill", "fluke", "dorsal"}) && !mentions(joint.name, {"finger"})) ++count.fins;
    if (mentions(joint.name, {"leg", "foot", "thigh", "knee", "ankle", "shin", "calf", "paw", "hoof", "toe", "hip",
                              "femur", "tarsus", "coxa", "tibia"})) {
      ++count.legs;
    }
    if (mentions(joint.name, {"wing"})) ++count.wings;
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

HabitatChoice choose_habitat(const rig::Rig& rig, const std::string& clip, const Footing& footing) {
  const LimbJoints limbs = count_limb_joints(rig);
  if (mentions(clip, {"swim", "fly", "flap", "glid", "hover", "soar"})) {
    return {Habitat::kFree, fmt::format("the clip is called '{}'", clip)};
  }
  if (limbs.fins > 0 && limbs.legs < 2) return {Habitat::kFree, fmt::format("{} fins and no legs", limbs.fins)};
  if (footing.raised && limbs.wings > 0 && footing.off_ground > 0.2) {
    return {Habitat::kFree, "wings, and it stays in the air"};
  }
  if (footing.off_ground > 0.65 && footing.floating > 0.5) {
    return {Habitat::kFree, fmt::format("off the ground in {:.0f} % of the frames, longer than a leap takes",
                                        100 * footing.off_ground)};
  }
  if (footing.lying > 0.35 && limbs.legs < 2) {
    return {Habitat::kCrawl, fmt::format("{:.0f} % of the body lies on the ground", 100 * footing.lying)};
  }
  return {Habitat::kGround, "something low bears the weight"};
}

}  // namespace limber::physics
