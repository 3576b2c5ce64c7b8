// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/name_profiles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace limber::skeleton {
namespace {

/// One joint in all profiles. Names of sided joints hold {} where the profile tells the side.
struct Entry {
  std::string_view own, mixamo, unity, unreal, vrm;
  bool needed = true;
};

constexpr std::array<Entry, 29> kEntries{{
    {"hips", "mixamorig:Hips", "Hips", "pelvis", "hips"},
    {"spine.1", "mixamorig:Spine", "Spine", "spine_01", "spine"},
    {"spine.2", "mixamorig:Spine1", "Chest", "spine_02", "chest", false},
    {"chest", "mixamorig:Spine2", "UpperChest", "spine_03", "upperChest", false},
    {"neck", "mixamorig:Neck", "Neck", "neck_01", "neck", false},
    {"head", "mixamorig:Head", "Head", "head", "head"},
    {"clavicle.", "mixamorig:{}Shoulder", "{}Shoulder", "clavicle_{}", "{}Shoulder", false},
    {"shoulder.", "mixamorig:{}Arm", "{}UpperArm", "upperarm_{}", "{}UpperArm"},
    {"elbow.", "mixamorig:{}ForeArm", "{}LowerArm", "lowerarm_{}", "{}LowerArm"},
    {"wrist.", "mixamorig:{}Hand", "{}Hand", "hand_{}", "{}Hand"},
    {"hip.", "mixamorig:{}UpLeg", "{}UpperLeg", "thigh_{}", "{}UpperLeg"},
    {"knee.", "mixamorig:{}Leg", "{}LowerLeg", "calf_{}", "{}LowerLeg"},
    {"ankle.", "mixamorig:{}Foot", "{}Foot", "foot_{}", "{}Foot"},
    {"toe.", "mixamorig:{}ToeBase", "{}Toes", "ball_{}", "{}Toes", false},
    {"thumb.1.", "mixamorig:{}HandThumb1", "{}ThumbProximal", "thumb_01_{}", "{}ThumbMetacarpal", false},
    {"thumb.2.", "mixamorig:{}HandThumb2", "{}ThumbIntermediate", "thumb_02_{}", "{}ThumbProximal", false},
    {"thumb.3.", "mixamorig:{}HandThumb3", "{}ThumbDistal", "thumb_03_{}", "{}ThumbDistal", false},
    {"index.1.", "mixamorig:{}HandIndex1", "{}IndexProximal", "index_01_{}", "{}IndexProximal", false},
    {"index.2.", "mixamorig:{}HandIndex2", "{}IndexIntermediate", "index_02_{}", "{}IndexIntermediate", false},
    {"index.3.", "mixamorig:{}HandIndex3", "{}IndexDistal", "index_03_{}", "{}IndexDistal", false},
    {"middle.1.", "mixamorig:{}HandMiddle1", "{}MiddleProximal", "middle_01_{}", "{}MiddleProximal", false},
    {"middle.2.", "mixamorig:{}HandMiddle2", "{}MiddleIntermediate", "middle_02_{}", "{}MiddleIntermediate", false},
    {"middle.3.", "mixamorig:{}HandMiddle3", "{}MiddleDistal", "middle_03_{}", "{}MiddleDistal", false},
    {"ring.1.", "mixamorig:{}HandRing1", "{}RingProximal", "ring_01_{}", "{}RingProximal", false},
    {"ring.2.", "mixamorig:{}HandRing2", "{}RingIntermediate", "ring_02_{}", "{}RingIntermediate", false},
    {"ring.3.", "mixamorig:{}HandRing3", "{}RingDistal", "ring_03_{}", "{}RingDistal", false},
    {"pinky.1.", "mixamorig:{}HandPinky1", "{}LittleProximal", "pinky_01_{}", "{}LittleProximal", false},
    {"pinky.2.", "mixamorig:{}HandPinky2", "{}LittleIntermediate", "pinky_02_{}", "{}LittleIntermediate", false},
    {"pinky.3.", "mixamorig:{}HandPinky3", "{}LittleDistal", "pinky_03_{}", "{}LittleDistal", false},
}};

struct Profile {
  std::string_view Entry::*name;
  std::string_view left, right;
};

Profile profile_of(std::string_view name) {
  if (name == "mixamo") return {&Entry::mixamo, "Left", "Right"};
  if (name == "unity") return {&Entry::unity, "Left", "Right"};
  if (name == "unreal") return {&Entry::unreal, "l", "r"};
  return {&Entry::vrm, "left", "right"};
}

}  // namespace

const std::vector<std::string>& name_profiles() {
  static const std::vector<std::string> names{"mixamo", "unity", "unreal", "vrm"};
  return names;
}

Status apply_names(SkeletonPlan& plan, const std::string& kind, std::string_view profile_name) {
  if (std::find(name_profiles().begin(), name_profiles().end(), profile_name) == name_profiles().end()) {
    return Error{fmt::format("no names '{}'; there are: {}", profile_name, fmt::join(name_profiles(), ", ")), ""};
  }
  if (kind != "humanoid") {
    return Error{fmt::format("{} names are for humanoids, and this body was rigged as a {}; keep its own names, or "
                             "say that it is a humanoid",
                             profile_name, kind),
                 ""};
  }
  const Profile profile = profile_of(profile_name);
  std::vector<std::pair<int, std::string>> renamed;
  for (const Entry& entry : kEntries) {
    const bool sided = entry.own.ends_with('.');
    for (const char side : {'L', 'R'}) {
      if (!sided && side == 'R') continue;
      const std::string own = std::string(entry.own) + (sided ? std::string(1, side) : "");
      const int joint = plan.find(own);
      if (joint < 0 && entry.needed) {
        return Error{fmt::format("{} names need a joint '{}', and there is none", profile_name, own), ""};
      }
      if (joint < 0) continue;
      std::string name(entry.*profile.name);
      if (const auto hole = name.find("{}"); hole != std::string::npos) {
        name.replace(hole, 2, side == 'L' ? profile.left : profile.right);
      }
      renamed.emplace_back(joint, std::move(name));
    }
  }
  for (auto& [joint, name] : renamed) plan.joints[static_cast<std::size_t>(joint)].name = std::move(name);
  return Done{};
}

}  // namespace limber::skeleton
