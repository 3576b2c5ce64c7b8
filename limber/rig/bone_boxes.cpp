// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/bone_boxes.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/base/symmetric.h"

namespace limber::rig {
namespace {

constexpr float kThinnest = 0.004f;  ///< half of the shortest edge, in heights: a box is never flat

/// The skin at rest, and the joint that moves most of each point.
struct RestSkin {
  std::vector<Vec3> points;
  std::vector<int> owners;
};

RestSkin rest_skin(const Subject& subject) {
  const Rig& rig = subject.rig;
  std::vector<Affined> bones;
  for (const Bone& bone : rig.bones()) {
    bones.push_back(rig.world_from_rest()[at(bone.joint)].cast<double>() * bone.joint_from_bind.cast<double>());
  }
  RestSkin skin;
  std::vector<float> share(at(rig.joint_count()));
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  for (std::size_t p = 0; p < subject.points.size(); ++p) {
    Vec3d posed;
    int owner = -1;
    for (std::size_t k = p * stride; k < (p + 1) * stride; ++k) {
      const float weight = subject.weights.weights[k];
      if (!(weight > 0)) continue;
      const std::size_t bone = subject.weights.bones[k];
      posed += double(weight) * (bones[bone] * subject.points[p].cast<double>());
      const int joint = rig.bones()[bone].joint;
      share[at(joint)] += weight;
      if (owner < 0 || share[at(joint)] > share[at(owner)]) owner = joint;
    }
    for (std::size_t k = p * stride; k < (p + 1) * stride; ++k) {
      share[at(rig.bones()[subject.weights.bones[k]].joint)] = 0;
    }
    if (owner < 0 || !is_finite(posed)) owner = -1, posed = {};
    skin.points.push_back(posed.cast<float>());
    skin.owners.push_back(owner);
  }
  return skin;
}

/// Direction of largest spread, by power iteration on the covariance.
Vec3d main_direction(const SymmetricT<double>& covariance, Vec3d start) {
  Vec3d v = normalized(start);
  for (int i = 0; i < 50; ++i) v = normalized(to_matrix(covariance) * v, v);
  return v;
}

/// Spread of the points about their mean; with `flat` only over the ground.
SymmetricT<double> covariance_of(const std::vector<Vec3>& points, bool flat) {
  Vec3d mean;
  for (const Vec3& p : points) mean += p.cast<double>();
  mean = mean / static_cast<double>(points.size());
  SymmetricT<double> c;
  for (const Vec3& p : points) {
    Vec3d d = p.cast<double>() - mean;
    if (flat) d.y = 0;
    c += SymmetricT<double>{d.x * d.x, d.x * d.y, d.x * d.z, d.y * d.y, d.y * d.z, d.z * d.z};
  }
  return c;
}

Mat3 upright_axes(const std::vector<Vec3>& points) {
  Vec3d z = main_direction(covariance_of(points, true), {0.1, 0, 1});
  z.y = 0;
  z = normalized(z, {0, 0, 1});
  const Vec3d y{0, 1, 0};
  return Mat3d::from_columns(cross(y, z), y, z).cast<float>();
}

Mat3 lengthwise_axes(const std::vector<Vec3>& points) {
  const SymmetricT<double> spread = covariance_of(points, false);
  const Vec3d z = main_direction(spread, {0.31, 0.87, 0.39});
  // What is left of the spread across that direction.
  Mat3d across = Mat3d::identity();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) across(i, j) -= z[i] * z[j];
  const Vec3d other = std::abs(z.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0};
  Vec3d y = main_direction(to_symmetric(across * to_matrix(spread) * across), across * other);
  y = normalized(y - dot(y, z) * z, normalized(across * other));
  return Mat3d::from_columns(cross(y, z), y, z).cast<float>();
}

BoneBox wrap(const std::vector<Vec3>& points, const Mat3& axes) {
  Vec3 low{1e30f, 1e30f, 1e30f}, high = -low;
  for (const Vec3& p : points) {
    const Vec3 local = transposed(axes) * p;
    low = min(low, local), high = max(high, local);
  }
  BoneBox box;
  box.axes = axes;
  box.centre = axes * (0.5f * (low + high));
  box.half = max(0.5f * (high - low), Vec3{kThinnest, kThinnest, kThinnest});
  return box;
}

void find_touching(const std::vector<Vec3>& points, BoneBox& box) {
  std::vector<std::size_t> chosen;
  for (int code = 0; code < 27; ++code) {
    const Vec3 direction{static_cast<float>(code % 3 - 1), static_cast<float>(code / 3 % 3 - 1),
                         static_cast<float>(code / 9 - 1)};
    const int sides = static_cast<int>(squared_norm(direction));
    if (sides != 1 && sides != 3) continue;  // faces and corners
    const Vec3 world = box.axes * direction;
    std::size_t best = 0;
    for (std::size_t p = 1; p < points.size(); ++p) {
      if (dot(world, points[p]) > dot(world, points[best])) best = p;
    }
    if (std::find(chosen.begin(), chosen.end(), best) == chosen.end()) chosen.push_back(best);
  }
  for (const std::size_t p : chosen) box.touching.push_back(points[p]);
}

}  // namespace

std::array<Vec3, 8> BoneBox::corners() const {
  std::array<Vec3, 8> result;
  for (int k = 0; k < 8; ++k) {
    const Vec3 side{k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
    result[at(k)] = centre + axes * side;
  }
  return result;
}

std::vector<BoneBox> bone_boxes(const Subject& subject) {
  const RestSkin skin = rest_skin(subject);
  std::vector<std::vector<Vec3>> owned(at(subject.rig.joint_count()));
  for (std::size_t p = 0; p < skin.points.size(); ++p) {
    if (skin.owners[p] >= 0) owned[at(skin.owners[p])].push_back(skin.points[p]);
  }
  constexpr float kTighter = 0.7f;  // how much smaller a slanted box must be to be preferred
  std::vector<BoneBox> boxes;
  for (int j = 0; j < subject.rig.joint_count(); ++j) {
    const std::vector<Vec3>& points = owned[at(j)];
    if (points.empty()) continue;
    BoneBox box = wrap(points, upright_axes(points));
    const BoneBox slanted = wrap(points, lengthwise_axes(points));
    if (slanted.volume() < kTighter * box.volume()) box = slanted;
    box.joint = j;
    find_touching(points, box);
    boxes.push_back(std::move(box));
  }
  return boxes;
}

}  // namespace limber::rig
