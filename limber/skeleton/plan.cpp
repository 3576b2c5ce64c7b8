// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "limber/anatomy/joint_names.h"
#include "limber/base/at.h"
#include "limber/base/expect.h"

namespace limber::skeleton {
namespace {

int side_of(const std::string& name) { return anatomy::named_side(anatomy::words_of(name)); }

/// The joint of the other side: "hip.R" for "hip.L". -1 for none.
int partner_of(const SkeletonPlan& plan, const std::string& name) {
  if (name.size() < 3) return -1;
  const std::string stem = name.substr(0, name.size() - 2);
  if (name.ends_with(".L")) return plan.find(stem + ".R");
  if (name.ends_with(".R")) return plan.find(stem + ".L");
  return -1;
}

std::vector<double> reach_below(const SkeletonPlan& plan) {
  std::vector<double> reach(plan.joints.size(), 0);
  for (std::size_t j = plan.joints.size(); j-- > 0;) {
    const PlannedJoint& joint = plan.joints[j];
    if (joint.tail) reach[j] = std::max(reach[j], norm(*joint.tail - joint.at));
    if (joint.parent < 0) continue;
    const double bone = norm(joint.at - plan.joints[at(joint.parent)].at);
    reach[at(joint.parent)] = std::max(reach[at(joint.parent)], reach[j] + bone);
  }
  return reach;
}

/// What taking a joint out does to the shape: how far it lies off the line that replaces it, or how long its bone is.
double removal_cost(const SkeletonPlan& plan, const std::vector<std::vector<int>>& children, std::size_t j) {
  const PlannedJoint& joint = plan.joints[j];
  const double infinite = std::numeric_limits<double>::infinity();
  if (joint.parent < 0 || children[j].size() > 1) return infinite;
  const Vec3d before = plan.joints[at(joint.parent)].at;
  const Vec3d after = children[j].empty() ? joint.tail.value_or(joint.at) : plan.joints[at(children[j].front())].at;
  const Vec3d line = after - before;
  const double length = squared_norm(line);
  const double t = length > 0 ? std::clamp(dot(joint.at - before, line) / length, 0.0, 1.0) : 0;
  const double off = norm(joint.at - lerp(before, after, t));
  const double shortest = std::min(norm(joint.at - before), norm(after - joint.at));
  // The last joint of a limb carries its hand or foot: taken out after those that only subdivide.
  return off + 0.5 * shortest + (children[j].empty() ? 0.5 * norm(line) : 0);
}

void remove_joint(SkeletonPlan& plan, int gone) {
  const PlannedJoint removed = plan.joints[at(gone)];
  bool childless = true;
  std::vector<bool> below(plan.joints.size(), false);
  for (std::size_t j = at(gone) + 1; j < plan.joints.size(); ++j) {
    PlannedJoint& joint = plan.joints[j];
    below[j] = joint.role.limb == removed.role.limb && (joint.parent == gone || below[at(joint.parent)]);
    if (below[j] && joint.role.section > 0) --joint.role.section;
  }
  for (PlannedJoint& joint : plan.joints) {
    if (joint.parent == gone) joint.parent = removed.parent, childless = false;
    if (joint.parent > gone) --joint.parent;
  }
  plan.joints.erase(plan.joints.begin() + gone);
  PlannedJoint& parent = plan.joints[at(removed.parent)];
  const bool alone = std::none_of(plan.joints.begin(), plan.joints.end(),
                                  [&](const PlannedJoint& j) { return j.parent == removed.parent; });
  if (childless && alone) parent.tail = removed.tail.value_or(removed.at);
}

Mat3d bone_axes(Vec3d along, const SkeletonPlan& plan) {
  const Vec3d y = normalized(along, plan.up);
  const Vec3d wanted = std::abs(dot(y, plan.forward)) < 0.8 ? plan.forward : plan.up;
  const Vec3d z = normalized(wanted - dot(wanted, y) * y, Vec3d{0, 0, 1});
  return Mat3d::from_columns(cross(y, z), y, z);
}

}  // namespace

int SkeletonPlan::find(std::string_view name) const {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].name == name) return static_cast<int>(j);
  }
  return -1;
}

std::vector<std::vector<int>> SkeletonPlan::children() const {
  std::vector<std::vector<int>> lists(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].parent >= 0) lists[at(joints[j].parent)].push_back(static_cast<int>(j));
  }
  return lists;
}

int add_limb(SkeletonPlan& plan, rig::Limb limb) {
  if (plan.limbs.empty()) return -1;
  const auto index = static_cast<int>(plan.limbs.size());
  LIMBER_EXPECT(limb.parent < index, std::to_string(limb.parent));
  limb.parent = std::max(limb.parent, 0);
  plan.limbs.push_back(limb);
  return index;
}

void drop_empty_limbs(SkeletonPlan& plan) {
  std::vector<bool> used(plan.limbs.size(), false);
  for (const PlannedJoint& joint : plan.joints) {
    if (joint.role.limb >= 0) used[at(joint.role.limb)] = true;
  }
  std::vector<rig::Limb> kept;
  std::vector<int> place(plan.limbs.size(), -1);
  for (std::size_t i = 0; i < plan.limbs.size(); ++i) {
    rig::Limb limb = plan.limbs[i];
    // An empty limb stands for nothing: what leaves it leaves where it did.
    while (limb.parent > 0 && !used[at(limb.parent)]) {
      limb.station = plan.limbs[at(limb.parent)].station, limb.parent = plan.limbs[at(limb.parent)].parent;
    }
    if (i > 0 && !used[i]) continue;
    if (limb.parent >= 0) limb.parent = place[at(limb.parent)];
    place[i] = static_cast<int>(kept.size());
    kept.push_back(limb);
  }
  for (PlannedJoint& joint : plan.joints) {
    if (joint.role.limb >= 0) joint.role.limb = place[at(joint.role.limb)];
  }
  plan.limbs = std::move(kept);
}

SkeletonPlan plan_from_embedding(const Embedding& embedding) {
  SkeletonPlan plan;
  plan.up = embedding.up(), plan.forward = embedding.forward();
  plan.limbs = embedding.skeleton.limbs;
  std::vector<int> place(embedding.at.size(), -1);
  for (std::size_t j = 0; j < embedding.at.size(); ++j) {
    const TemplateJoint& joint = embedding.skeleton.joints[j];
    if (!embedding.present[j]) continue;
    const int parent = joint.parent < 0 ? -1 : place[at(joint.parent)];
    if (joint.parent >= 0 && parent < 0) continue;  // hangs on a chain that is not there
    if (joint.tip) {
      plan.joints[at(parent)].tail = embedding.at[j];
      continue;
    }
    place[j] = static_cast<int>(plan.joints.size());
    plan.joints.push_back({joint.name, parent, embedding.at[j], std::nullopt, joint.role});
  }
  drop_empty_limbs(plan);
  return plan;
}

void face_by_pairs(SkeletonPlan& plan) {
  Vec3d across;
  double width = 0;
  for (const PlannedJoint& left : plan.joints) {
    if (left.parent < 0 || !left.name.ends_with(".L")) continue;
    const int partner = partner_of(plan, left.name);
    if (partner < 0 || plan.joints[at(partner)].parent != left.parent) continue;
    const Vec3d apart = left.at - plan.joints[at(partner)].at;
    across += apart, width += norm(apart);
  }
  const Vec3d ahead = cross(across, plan.up);
  if (width > 0 && norm(ahead) > 0.5 * width && dot(ahead, plan.forward) > 0) plan.forward = normalized(ahead);
}

void limit_joints(SkeletonPlan& plan, int count) {
  while (static_cast<int>(plan.joints.size()) > std::max(1, count)) {
    const auto children = plan.children();
    std::size_t cheapest = 0;
    double cost = std::numeric_limits<double>::infinity();
    for (std::size_t j = 1; j < plan.joints.size(); ++j) {
      const double own = removal_cost(plan, children, j);
      if (own < cost) cost = own, cheapest = j;
    }
    if (cheapest == 0) break;
    const int partner = partner_of(plan, plan.joints[cheapest].name);
    const auto first = static_cast<int>(cheapest);
    // The later one first, so that the other keeps its number.
    remove_joint(plan, std::max(first, partner));
    if (partner >= 0) remove_joint(plan, std::min(first, partner));
  }
  drop_empty_limbs(plan);
}

Status change_root(SkeletonPlan& plan, const std::string& name) {
  const int root = plan.find(name);
  if (root < 0) {
    std::string names;
    for (const PlannedJoint& joint : plan.joints) names += (names.empty() ? "" : ", ") + joint.name;
    return Error{"there is no joint '" + name + "' to be the root; there are: " + names, ""};
  }
  // Turn round the parents on the way to the old root.
  std::vector<int> parent;
  for (const PlannedJoint& joint : plan.joints) parent.push_back(joint.parent);
  for (int j = root, above = -1; j >= 0;) {
    const int next = parent[at(j)];
    parent[at(j)] = above, above = j, j = next;
  }
  // Parents first again.
  SkeletonPlan sorted;
  sorted.up = plan.up, sorted.forward = plan.forward, sorted.limbs = plan.limbs;
  std::vector<int> place(parent.size(), -1);
  while (sorted.joints.size() < parent.size()) {
    for (std::size_t j = 0; j < parent.size(); ++j) {
      if (place[j] >= 0 || (parent[j] >= 0 && place[at(parent[j])] < 0)) continue;
      place[j] = static_cast<int>(sorted.joints.size());
      PlannedJoint joint = plan.joints[j];
      joint.parent = parent[j] < 0 ? -1 : place[at(parent[j])];
      sorted.joints.push_back(std::move(joint));
    }
  }
  plan = std::move(sorted);
  return Done{};
}

int next_joint(const SkeletonPlan& plan, int joint) {
  const std::vector<double> reach = reach_below(plan);
  int best = -1;
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    if (plan.joints[j].parent != joint) continue;
    if (best < 0) {
      best = static_cast<int>(j);
      continue;
    }
    const bool same = side_of(plan.joints[j].name) == side_of(plan.joints[at(joint)].name);
    const bool best_same = side_of(plan.joints[at(best)].name) == side_of(plan.joints[at(joint)].name);
    if (same != best_same ? same : reach[j] > reach[at(best)]) best = static_cast<int>(j);
  }
  return best;
}

rig::RigDraft draft_rig(const SkeletonPlan& plan) {
  std::vector<Affined> world;
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    const PlannedJoint& joint = plan.joints[j];
    const int next = next_joint(plan, static_cast<int>(j));
    Vec3d along;
    if (next >= 0) {
      along = plan.joints[at(next)].at - joint.at;
    } else if (joint.tail) {
      along = *joint.tail - joint.at;
    }
    if (!(squared_norm(along) > 0) && joint.parent >= 0) along = joint.at - plan.joints[at(joint.parent)].at;
    world.push_back({bone_axes(along, plan), joint.at});
  }
  rig::RigDraft draft;
  draft.limbs = plan.limbs;
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    const int parent = plan.joints[j].parent;
    rig::Joint joint;
    joint.name = plan.joints[j].name, joint.parent = parent, joint.role = plan.joints[j].role;
    const Affined local = parent < 0 ? world[j] : inverse(world[at(parent)]) * world[j];
    Transformd rest = decompose(local);
    rest.scale = {1, 1, 1};
    joint.rest = rest.cast<float>();
    draft.joints.push_back(std::move(joint));
  }
  return draft;
}

}  // namespace limber::skeleton
