// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/rig/rig.h"
#include "limber/skeleton/embed.h"

namespace limber::skeleton {

/// A joint that was found in a body.
struct PlannedJoint {
  std::string name;
  int parent = -1;  ///< -1 for the first alone; smaller than its own index
  Vec3d at;
  std::optional<Vec3d> tail;  ///< where its bone ends, where no child tells
  rig::Role role{};           ///< of the plan's limbs
};

/// A skeleton found for a body, before it becomes a rig.
struct SkeletonPlan {
  std::vector<PlannedJoint> joints;
  std::vector<rig::Limb> limbs;         ///< what the roles count; extra limbs are added at the end
  Vec3d up{0, 1, 0}, forward{0, 0, 1};  ///< of the body, unit

  int find(std::string_view name) const;
  std::vector<std::vector<int>> children() const;
};

/// Adds a limb that leaves one of the plan's (the trunk, where `limb.parent` is none) and returns its index: what the
/// roles of its joints say. -1 where the plan knows no limbs: its joints have no roles then.
int add_limb(SkeletonPlan& plan, rig::Limb limb);

/// Takes out limbs that no joint belongs to; what left them leaves the limb before them. The trunk stays.
void drop_empty_limbs(SkeletonPlan& plan);

/// The joints of an embedding, without tips and chains that are not there.
SkeletonPlan plan_from_embedding(const Embedding& embedding);

/// Turns the plan's front to where its pairs of limbs have it: square to the lines between left and right joints of one
/// parent, the wide ones above all. For bodies without a mirror plane, whose front is only as good as the turns that
/// were tried. Nothing changes where there are no pairs, or where they contradict.
void face_by_pairs(SkeletonPlan& plan);

/// Takes joints out until at most `count` (>= 1) are left: those first that change the shape least, partners together.
void limit_joints(SkeletonPlan& plan, int count);

/// Hangs the tree on another joint. An error if there is none of that name.
Status change_root(SkeletonPlan& plan, const std::string& name);

/// Rest transforms for a plan: every joint's +Y runs along its bone, to the child that continues it or to its tail; +Z
/// looks ahead, or up where the bone itself runs ahead, so that mirrored bones have mirrored axes and bend about X.
/// Names are kept. In the plan's space.
rig::RigDraft draft_rig(const SkeletonPlan& plan);

/// The child that continues a joint's bone: in the middle rather than on a side, then the one with most below it. -1
/// for none.
int next_joint(const SkeletonPlan& plan, int joint);

}  // namespace limber::skeleton
