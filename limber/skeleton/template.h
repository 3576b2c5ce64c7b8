// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/rig/role.h"

namespace limber::skeleton {

/// One joint of a template, or the end of its last bone.
struct TemplateJoint {
  std::string name;
  int parent = -1;        ///< -1 for the first alone; always smaller than the joint's own index
  Vec3d at;               ///< +Y up, facing +Z, so +X is left; any unit
  double girth = 0;       ///< radius of the flesh around it, 0: not known
  int partner = -1;       ///< the joint on the other side, -1 for none
  bool tip = false;       ///< the end of a bone only: no joint of its own in the rig
  bool foot = false;      ///< stands on the ground
  bool optional = false;  ///< this joint and all below may be missing
  rig::Role role{};       ///< of the template's limbs; tips have that of the joint whose bone they end
};

/// Another way in which the same skeleton may stand: sitting, running ...
struct TemplatePose {
  std::string name;
  double rarity = 0;  ///< on top of the template's
  /// Joints and how they and everything below turn: degrees about x, y and z, in this order.
  std::vector<std::pair<int, Vec3d>> turns;
};

/// A skeleton to be fitted to bodies: data, so that people can add their own.
struct SkeletonTemplate {
  std::string name;
  std::vector<TemplateJoint> joints;
  std::vector<rig::Limb> limbs;     ///< what the roles count: the trunk first; empty where nobody says
  std::vector<TemplatePose> poses;  ///< besides that of `joints`
  double rarity = 0;                ///< >= 0: how much better than others it must fit to be chosen
  bool any_way = false;             ///< files have it any way up (a hand), so that no turn is more usual than others
  bool chiral = false;              ///< has a mirror image that is another thing (a hand): both are tried

  int find(std::string_view joint) const;
  std::vector<std::vector<int>> children() const;
};

/// Reads a template from JSON:
///   {"name": "fish", "joints": [{"name": "body", "at": [0, 0, 0.1], "girth": 0.1},
///                               {"name": "fin.L", "parent": "body", "at": [0.1, 0, 0], "tip": true}, ...]}
/// Optional: "rarity", "any_way", "chiral", and "poses": [{"name": "sitting", "rarity": 0.5, "turns": {"hip.L": [-85,
/// 0, 0]}}]. A turn of a ".L" joint holds for its partner too, mirrored, unless the pose tells the partner's own. A
/// joint whose name ends in ".L" gets a partner ".R" on the other side, unless the file has one. Joints come after
/// their parents. A joint where a limb starts says so: `"limb": "leg", "station": 1` (a `rig::LimbKind`, and where
/// along the limb of its parent it leaves, 0 where nothing is said); the others go on with their parent's limb, the
/// first joint is the trunk, and what is said of a ".L" joint holds for its partner. A file that names no limb has
/// none. Errors tell the joint: `fish.json#/joints/3`.
Result<SkeletonTemplate> parse_template(std::string_view text, const std::string& where);

/// The templates that come with limber: humanoid, quadruped, lizard, bird, theropod, hexapod, octopod, fish,
/// snake, hand.
const std::vector<SkeletonTemplate>& builtin_templates();

/// The built-in template that this one is, in whatever pose; null for others.
const SkeletonTemplate* builtin_of(const SkeletonTemplate& skeleton);

/// The skeleton of an asset as a template: its joints that carry skin (all where there is no skin), tips for the ends
/// of its bones, partners by names (.L and .R, Left and Right ...) or else by place, feet where a limb ends near the
/// ground, limbs and roles as the asset says or as they are found. Its sides and its front are those of its names, else
/// the asset's +Y up and +Z forward.
Result<SkeletonTemplate> template_from_asset(const asset::Asset& asset);

/// From a file: a template (.json) or anything that holds a skeleton.
Result<SkeletonTemplate> read_template(const std::filesystem::path& path);

/// The same template in one of its poses; without poses of its own.
SkeletonTemplate posed(const SkeletonTemplate& original, const TemplatePose& pose);

/// The same template seen in a mirror: left is right.
SkeletonTemplate mirrored(const SkeletonTemplate& original);

}  // namespace limber::skeleton
