// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/role_poses.h"

#include <algorithm>
#include <cmath>

#include "limber/pose_space/limb_pairs.h"

namespace limber::bench {
namespace {

using pose_space::PoseSkeleton;
using pose_space::PoseState;

constexpr double kFewest = 8;    // turns of a role that make a distribution
constexpr double kLeast = 1e-6;  // variance, squared radians

/// Per pose joint: a number for its role, -1 for none.
std::vector<int> roles_of(const PoseSkeleton& skeleton) {
  const std::vector<int> pairs = pose_space::limb_pairs(skeleton.rig);
  std::vector<int> keys;
  for (const pose_space::PoseJoint& joint : skeleton.joints) {
    const rig::Role role = skeleton.rig.joints()[at(joint.joint)].role;
    if (role.limb < 0) {
      keys.push_back(-1);
      continue;
    }
    const rig::Limb& limb = skeleton.rig.limbs()[at(role.limb)];
    keys.push_back(
        ((static_cast<int>(limb.kind) * 3 + static_cast<int>(limb.side)) * 64 + std::min(pairs[at(role.limb)], 63)) *
            64 +
        std::clamp(role.section, 0, 63));
  }
  return keys;
}

Vec3d rotation_vector(const Mat3d& rotation) {
  Quatd q = to_quat(rotation);
  if (q.w < 0) q = {-q.x, -q.y, -q.z, -q.w};
  const Vec3d axis{q.x, q.y, q.z};
  const double sine = norm(axis);
  return sine < 1e-12 ? 2.0 * axis : (2 * std::atan2(sine, q.w) / sine) * axis;
}

Mat3d matrix_of(Vec3d vector) {
  const double angle = norm(vector);
  return angle > 0 ? to_matrix(axis_angle((1 / angle) * vector, angle)) : Mat3d::identity();
}

/// Cholesky: the lower factor of a positive matrix.
Mat3d factor_of(const Mat3d& a) {
  Mat3d l;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = a(i, j);
      for (int k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
      l(i, j) = i == j ? std::sqrt(std::max(sum, kLeast)) : sum / l(j, j);
    }
  }
  return l;
}

/// The turn of a role in a pose, where it has one.
const Vec3d* find(const std::vector<std::pair<int, Vec3d>>& pose, int role) {
  const auto found = std::lower_bound(pose.begin(), pose.end(), role,
                                      [](const std::pair<int, Vec3d>& entry, int key) { return entry.first < key; });
  return found != pose.end() && found->first == role ? &found->second : nullptr;
}

}  // namespace

std::vector<Vec3d> local_turns(const PoseSkeleton& skeleton, const PoseState& pose) {
  const pose_space::PoseShape shape = shape_of(skeleton, pose);
  std::vector<Vec3d> turns;
  for (std::size_t j = 0; j < shape.turns.size(); ++j) {
    const int parent = skeleton.joints[j].parent;
    turns.push_back(
        rotation_vector(parent < 0 ? shape.turns[j] : transposed(shape.turns[at(parent)]) * shape.turns[j]));
  }
  return turns;
}

PoseState pose_of_turns(const PoseSkeleton& skeleton, const std::vector<Vec3d>& turns) {
  std::vector<Mat3d> world;
  for (std::size_t j = 0; j < turns.size(); ++j) {
    const int parent = skeleton.joints[j].parent;
    world.push_back(parent < 0 ? matrix_of(turns[j]) : world[at(parent)] * matrix_of(turns[j]));
  }
  return state_of(skeleton, world);
}

void RolePoses::add(const PoseSkeleton& skeleton, const PoseState& pose) {
  const std::vector<int> roles = roles_of(skeleton);
  const std::vector<Vec3d> turns = local_turns(skeleton, pose);
  RolePose known;
  for (std::size_t j = 1; j < turns.size(); ++j) {
    if (roles[j] >= 0) known.emplace_back(roles[j], turns[j]);
  }
  const auto by_role = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(known.begin(), known.end(), by_role);
  known.erase(std::unique(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
              known.end());
  poses_.push_back(std::move(known));
}

void RolePoses::finish() {
  for (const RolePose& pose : poses_) {
    for (const auto& [role, turn] : pose) {
      Normal& normal = normals_[role];
      normal.count += 1, normal.mean += turn, normal.spread += outer(turn, turn);
    }
  }
  for (auto& [role, normal] : normals_) {
    normal.mean *= 1 / normal.count;
    normal.spread = (1 / normal.count) * normal.spread + (-1.0) * outer(normal.mean, normal.mean);
    normal.factor = factor_of(normal.spread);
  }
}

std::vector<PoseState> RolePoses::nearest(const PoseSkeleton& skeleton, const PoseState& pose,
                                          const std::vector<bool>& hidden, int count) const {
  const std::vector<int> roles = roles_of(skeleton);
  const std::vector<Vec3d> turns = local_turns(skeleton, pose);
  const bool all = std::none_of(hidden.begin(), hidden.end(), [](bool h) { return h; });
  std::vector<std::pair<double, std::size_t>> found;
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    double sum = 0;
    int shared = 0, told = 0, seen = 0;
    for (std::size_t j = 1; j < turns.size(); ++j) {
      const Vec3d* turn = roles[j] >= 0 ? find(poses_[i], roles[j]) : nullptr;
      seen += hidden[j] ? 0 : 1;
      if (turn == nullptr) continue;
      if (hidden[j])
        ++told;
      else
        ++shared, sum += squared_norm(*turn - turns[j]);
    }
    // A body that has less than half of these joints is another kind of body.
    if (2 * shared >= seen && (all || told > 0)) found.emplace_back(sum / std::max(shared, 1), i);
  }
  std::sort(found.begin(), found.end());
  std::vector<PoseState> poses;
  for (std::size_t i = 0; i < found.size() && i < at(count); ++i) {
    std::vector<Vec3d> copied = turns;
    for (std::size_t j = 1; j < turns.size(); ++j) {
      if (!all && !hidden[j]) continue;
      const Vec3d* turn = roles[j] >= 0 ? find(poses_[found[i].second], roles[j]) : nullptr;
      copied[j] = turn != nullptr ? *turn : (all ? turns[j] : Vec3d{});
    }
    poses.push_back(pose_of_turns(skeleton, copied));
  }
  return poses;
}

PoseState RolePoses::draw(const PoseSkeleton& skeleton, const PoseState& pose, const std::vector<bool>& hidden,
                          Rng& rng) const {
  const std::vector<int> roles = roles_of(skeleton);
  std::vector<Vec3d> turns = local_turns(skeleton, pose);
  for (std::size_t j = 1; j < turns.size(); ++j) {
    if (!hidden[j]) continue;
    const auto found = normals_.find(roles[j]);
    const Vec3d noise{rng.normal(), rng.normal(), rng.normal()};
    turns[j] = found != normals_.end() && found->second.count >= kFewest
                   ? found->second.mean + found->second.factor * noise
                   : Vec3d{};
  }
  return pose_of_turns(skeleton, turns);
}

PoseState RolePoses::denoise(const PoseSkeleton& skeleton, const PoseState& pose, double sigma) const {
  const std::vector<int> roles = roles_of(skeleton);
  std::vector<Vec3d> turns = local_turns(skeleton, pose);
  for (std::size_t j = 1; j < turns.size(); ++j) {
    const auto found = normals_.find(roles[j]);
    if (found == normals_.end() || found->second.count < kFewest) continue;
    const Mat3d noisy = found->second.spread + (sigma * sigma) * Mat3d::identity();
    turns[j] = found->second.mean + found->second.spread * (inverse(noisy) * (turns[j] - found->second.mean));
  }
  return pose_of_turns(skeleton, turns);
}

PoseState RolePoses::pick(const PoseSkeleton& skeleton, Rng& rng) const {
  const PoseState rest(skeleton.joints.size() * pose_space::kStateSize, 0);
  if (poses_.empty()) return rest;
  const std::vector<int> roles = roles_of(skeleton);
  std::vector<Vec3d> turns(skeleton.joints.size());
  // One of a body that has most of these joints, if it can be had soon.
  for (int tries = 0; tries < 50; ++tries) {
    const RolePose& known = poses_[rng.below(static_cast<std::uint32_t>(poses_.size()))];
    std::size_t shared = 0;
    for (std::size_t j = 1; j < turns.size(); ++j) {
      const Vec3d* turn = roles[j] >= 0 ? find(known, roles[j]) : nullptr;
      turns[j] = turn != nullptr ? *turn : Vec3d{};
      shared += turn != nullptr ? 1 : 0;
    }
    if (2 * shared >= turns.size()) break;
  }
  return pose_of_turns(skeleton, turns);
}

}  // namespace limber::bench
