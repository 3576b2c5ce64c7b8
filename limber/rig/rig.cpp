// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/rig.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace limber::rig {
namespace {

Error joint_error(const Joint& joint, std::size_t index, std::string what) {
  return {std::move(what), "joint " + std::to_string(index) + (joint.name.empty() ? "" : " '" + joint.name + "'")};
}

bool is_invertible(const Mat3& matrix) {
  // Relative to the columns, so that a rig in millimetres is as good as one in kilometres.
  const Mat3d m = matrix.cast<double>();
  return std::abs(determinant(m)) > 1e-9 * norm(m.column(0)) * norm(m.column(1)) * norm(m.column(2));
}

/// In double, so that very long and very short quaternions keep their direction.
Quat unit(Quat q) { return normalized(q.cast<double>()).cast<float>(); }

bool is_finite(Quat q) { return limber::is_finite(Vec3{q.x, q.y, q.z}) && std::isfinite(q.w); }
bool is_finite(const Transform& t) {
  return limber::is_finite(t.translation) && is_finite(t.rotation) && limber::is_finite(t.scale);
}

Status check_joint(const Joint& joint, std::size_t index, std::size_t joint_count) {
  if (joint.parent < -1 || joint.parent >= static_cast<int>(joint_count)) {
    return joint_error(joint, index, "parent " + std::to_string(joint.parent) + " does not exist");
  }
  if (!limber::is_finite(joint.parent_from_frame) || !is_finite(joint.rest) || !is_finite(joint.axes)) {
    return joint_error(joint, index, "rest transform is not finite");
  }
  if (!is_invertible(joint.parent_from_frame.linear) || !is_invertible(Mat3::diagonal(joint.rest.scale))) {
    return joint_error(joint, index, "rest transform is singular");
  }
  for (int k = 0; k < 3; ++k) {
    // Written so that NaN fails.
    if (!(joint.limits.lower[k] <= joint.limits.upper[k])) return joint_error(joint, index, "limits are out of order");
  }
  return Done{};
}

/// New index of every joint: parents first, otherwise in the given order. Fails unless the joints are one tree.
Result<std::vector<int>> order_joints(const std::vector<Joint>& joints) {
  std::vector<std::vector<int>> children(joints.size());
  int root = -1;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const int parent = joints[i].parent;
    if (parent >= 0) {
      children[static_cast<std::size_t>(parent)].push_back(static_cast<int>(i));
    } else if (root >= 0) {
      return joint_error(joints[i], i,
                         "a second root; '" + joints[static_cast<std::size_t>(root)].name + "' is the first");
    } else {
      root = static_cast<int>(i);
    }
  }
  if (root < 0) return Error{"no joint without a parent: the joints form a cycle", "rig"};

  // Of the joints whose parent is placed, always the first: an order that is valid already stays as it is.
  std::vector<int> new_index(joints.size(), -1);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  ready.push(root);
  for (int next = 0; !ready.empty(); ++next) {
    const auto joint = static_cast<std::size_t>(ready.top());
    ready.pop();
    new_index[joint] = next;
    for (const int child : children[joint]) ready.push(child);
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (new_index[i] < 0) return joint_error(joints[i], i, "hangs on a cycle of parents");
  }
  return new_index;
}

/// The first joint of a name keeps it; later ones get ".2", ".3" ... that nobody else has.
void make_names_unique(std::vector<Joint>& joints) {
  std::unordered_set<std::string> taken, seen;
  std::unordered_map<std::string, int> copies;
  for (Joint& joint : joints) {
    if (joint.name.empty()) joint.name = "joint";
    taken.insert(joint.name);
  }
  for (Joint& joint : joints) {
    if (seen.insert(joint.name).second) continue;
    // Counting on from the last copy keeps thousands of equal names cheap.
    int& n = copies.try_emplace(joint.name, 1).first->second;
    std::string name;
    do name = joint.name + "." + std::to_string(++n);
    while (!taken.insert(name).second);
    joint.name = std::move(name);
  }
}

/// The trunk first and alone without a parent, parents before what leaves them, and no role of a limb that is not
/// there.
Status check_limbs(const std::vector<Joint>& joints, const std::vector<Limb>& limbs) {
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    const int parent = limbs[i].parent;
    if (i == 0 ? parent != -1 : parent < 0 || parent >= static_cast<int>(i)) {
      return Error{"leaves limb " + std::to_string(parent), "limb " + std::to_string(i)};
    }
    if (!std::isfinite(limbs[i].station)) return Error{"station is not finite", "limb " + std::to_string(i)};
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Role& role = joints[i].role;
    if (role.limb < -1 || role.limb >= static_cast<int>(limbs.size()) || role.section < 0) {
      return joint_error(joints[i], i, "limb " + std::to_string(role.limb) + " does not exist");
    }
  }
  return Done{};
}

}  // namespace

int Rig::find(std::string_view name) const {
  const auto found =
      std::find_if(data_->joints.begin(), data_->joints.end(), [&](const Joint& j) { return j.name == name; });
  return found == data_->joints.end() ? -1 : static_cast<int>(found - data_->joints.begin());
}

Result<Rig> build_rig(RigDraft draft) {
  if (draft.joints.empty()) return Error{"a rig needs at least one joint", "rig"};
  if (draft.joints.size() > 65535 || draft.bones.size() > 65535) return Error{"more than 65535 joints or bones", "rig"};
  for (std::size_t i = 0; i < draft.joints.size(); ++i) {
    LIMBER_CHECK_OK(check_joint(draft.joints[i], i, draft.joints.size()));
  }
  LIMBER_CHECK_OK(check_limbs(draft.joints, draft.limbs));
  LIMBER_TRY(const std::vector<int> new_index, order_joints(draft.joints));

  auto data = std::make_shared<Rig::Data>();
  data->joints.resize(draft.joints.size());
  data->limbs = std::move(draft.limbs);
  for (std::size_t i = 0; i < draft.joints.size(); ++i) {
    Joint& joint = draft.joints[i];
    joint.rest.rotation = unit(joint.rest.rotation);
    joint.axes = unit(joint.axes);
    if (joint.parent >= 0) joint.parent = new_index[static_cast<std::size_t>(joint.parent)];
    data->joints[static_cast<std::size_t>(new_index[i])] = std::move(joint);
  }
  make_names_unique(data->joints);

  // In double: a chain of two hundred joints must not drift.
  std::vector<Affined> world;
  world.reserve(data->joints.size());
  for (const Joint& joint : data->joints) {
    Transformd rest = joint.rest.cast<double>();
    rest.rotation = normalized(rest.rotation);
    const Affined local = joint.parent_from_frame.cast<double>() * to_affine(rest);
    world.push_back(joint.parent < 0 ? local : world[static_cast<std::size_t>(joint.parent)] * local);
    data->world_from_rest.push_back(world.back().cast<float>());
    if (!limber::is_finite(data->world_from_rest.back())) {
      return joint_error(joint, world.size() - 1, "rest transform overflows");
    }
  }

  if (draft.bones.empty()) {
    for (std::size_t i = 0; i < data->joints.size(); ++i) {
      data->bones.push_back({static_cast<int>(i), inverse(world[i]).cast<float>()});
    }
  }
  for (Bone& bone : draft.bones) {
    if (bone.joint < 0 || bone.joint >= static_cast<int>(data->joints.size())) {
      return Error{"joint " + std::to_string(bone.joint) + " does not exist",
                   "bone " + std::to_string(data->bones.size())};
    }
    if (!limber::is_finite(bone.joint_from_bind)) {
      return Error{"bind matrix is not finite", "bone " + std::to_string(data->bones.size())};
    }
    data->bones.push_back({new_index[static_cast<std::size_t>(bone.joint)], bone.joint_from_bind});
  }
  return Rig(std::move(data));
}

Result<Rig> with_limbs(const Rig& rig, std::vector<Limb> limbs, std::span<const Role> roles) {
  LIMBER_EXPECT(roles.size() == rig.joints().size(), std::to_string(roles.size()));
  auto data = std::make_shared<Rig::Data>(*rig.data_);
  for (std::size_t j = 0; j < roles.size(); ++j) data->joints[j].role = roles[j];
  data->limbs = std::move(limbs);
  LIMBER_CHECK_OK(check_limbs(data->joints, data->limbs));
  return Rig(std::move(data));
}

SkinWeights make_skin_weights(std::span<const std::vector<Influence>> points, int stride, std::uint16_t fallback_bone) {
  LIMBER_EXPECT(stride == 4 || stride == 8, "stride " + std::to_string(stride));
  const auto slots = static_cast<std::size_t>(stride);
  SkinWeights result;
  result.stride = stride;
  result.bones.assign(points.size() * slots, 0);
  result.weights.assign(points.size() * slots, 0.0f);
  struct Entry {
    std::uint16_t bone;
    double weight;
  };
  std::vector<Entry> row;
  for (std::size_t p = 0; p < points.size(); ++p) {
    // The same bone may be listed twice: one entry each. Negative, infinite and missing numbers do not count.
    row.clear();
    for (const Influence& influence : points[p]) {
      if (!(influence.weight > 0) || !std::isfinite(influence.weight)) continue;
      const auto same = std::find_if(row.begin(), row.end(), [&](const Entry& e) { return e.bone == influence.bone; });
      if (same == row.end()) {
        row.push_back({influence.bone, double(influence.weight)});
      } else {
        same->weight += double(influence.weight);
      }
    }
    if (row.empty()) row.push_back({fallback_bone, 1.0});
    std::stable_sort(row.begin(), row.end(), [](const Entry& a, const Entry& b) { return a.weight > b.weight; });
    if (row.size() > slots) row.resize(slots);
    double sum = 0;
    for (const Entry& entry : row) sum += entry.weight;
    for (std::size_t k = 0; k < row.size(); ++k) {
      result.bones[p * slots + k] = row[k].bone;
      result.weights[p * slots + k] = static_cast<float>(row[k].weight / sum);
    }
  }
  return result;
}

}  // namespace limber::rig
