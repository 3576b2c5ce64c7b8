// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "limber/base/at.h"
#include "limber/skin/skin_body.h"

namespace limber::skin {
namespace {

constexpr double kAlong = 0.92;      ///< cosine: a single child this near to the axis continues the bone
constexpr double kOnAxis = 0.995;    ///< cosine: one of several must be this near, as programs put the tail on the axis
constexpr double kAgreement = 0.75;  ///< share of the joints with one child that must have it along the axis
constexpr double kInBody = 0.6;      ///< share of a line's length that must lie in the body for a bone
constexpr double kSurelyInBody = 0.8;

Vec3d axis_of(const SkinJoint& joint, int axis) {
  const Vec3d column = joint.axes.column(axis % 3);
  return axis < 3 ? column : -column;
}

/// Who hangs on whom, joints that do not deform skipped.
struct Family {
  std::vector<std::vector<int>> children;       ///< that deform
  std::vector<std::vector<int>> idle_children;  ///< that do not: end sites, controls
};

Family make_family(std::span<const SkinJoint> joints) {
  Family family;
  family.children.resize(joints.size());
  family.idle_children.resize(joints.size());
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
    int parent = joints[at(j)].parent;
    if (!joints[at(j)].deforms) {
      if (parent >= 0) family.idle_children[at(parent)].push_back(j);
      continue;
    }
    while (parent >= 0 && !joints[at(parent)].deforms) parent = joints[at(parent)].parent;
    if (parent >= 0) family.children[at(parent)].push_back(j);
  }
  return family;
}

/// Finds the bones of one skeleton in one body.
class BoneFinder {
 public:
  BoneFinder(const SkinBody& body, std::span<const SkinJoint> joints)
      : body_(body),
        joints_(joints),
        family_(make_family(joints)),
        axis_(bone_axis(joints)),
        size_(norm(body.surface.high - body.surface.low)),
        cell_(body.field.grid().cell) {}

  std::vector<SkinBone> run();

 private:
  Vec3d place(int joint) const { return joints_[at(joint)].position; }
  /// Whether there is a way to speak of from joint to joint.
  bool apart(int a, int b) const { return norm(place(a) - place(b)) > 1e-4 * size_; }
  /// How much of the line lies in the body.
  double share_inside(Vec3d from, Vec3d to) const;
  void add_along_axis(SkinBone& bone) const;
  void add_children(SkinBone& bone) const;
  /// How far a bone reaches from `from` along `direction` before it leaves the body.
  std::optional<double> way_out(Vec3d from, Vec3d direction) const;
  void guess_tails(std::vector<SkinBone>& bones) const;

  const SkinBody& body_;
  std::span<const SkinJoint> joints_;
  Family family_;
  int axis_;
  double size_, cell_;
};

double BoneFinder::share_inside(Vec3d from, Vec3d to) const {
  constexpr int kSteps = 16;
  int inside = 0;
  for (int k = 0; k <= kSteps; ++k) {
    if (body_.field.depth(lerp(from, to, double(k) / kSteps)) > -1.5 * cell_) ++inside;
  }
  return double(inside) / (kSteps + 1);
}

std::optional<double> BoneFinder::way_out(Vec3d from, Vec3d direction) const {
  bool inside = false;
  for (double way = 0; way < 2 * size_; way += 0.5 * cell_) {
    const double depth = body_.field.depth(from + way * direction);
    if (depth > (inside ? -1.5 * cell_ : 0)) {
      inside = true;
    } else if (inside) {
      return way;
    } else if (way > 0.1 * size_) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

void BoneFinder::add_along_axis(SkinBone& bone) const {
  const int j = bone.joint;
  const Vec3d from = place(j), direction = axis_of(joints_[at(j)], axis_);
  const auto along = [&](int other, double cosine) {
    return apart(j, other) && dot(normalized(place(other) - from), direction) > cosine;
  };
  // Children beside the axis start where they do for reasons of their own: shoulders, fingers, ears.
  const double near = family_.children[at(j)].size() == 1 ? kAlong : kOnAxis;
  for (const int child : family_.children[at(j)]) {
    if (along(child, near)) bone.segments.push_back({from, place(child)});
  }
  for (const int child : family_.idle_children[at(j)]) {
    if (bone.segments.empty() && along(child, kOnAxis) && share_inside(from, place(child)) > kInBody) {
      bone.segments.push_back({from, place(child)});
    }
  }
  if (!bone.segments.empty()) return;
  // The direction is known, the length is not. It ends at the next joint that way, connected or not (feet often hang on
  // IK roots), or where the body ends, and not beyond the children.
  int next = -1;
  for (int other = 0; other < static_cast<int>(joints_.size()); ++other) {
    if (other == j || !joints_[at(other)].deforms || !along(other, kOnAxis)) continue;
    if (next >= 0 && norm(place(next) - from) <= norm(place(other) - from)) continue;
    if (share_inside(from, place(other)) > kInBody) next = other;
  }
  if (next >= 0 && family_.children[at(j)].empty() && share_inside(from, place(next)) > kSurelyInBody) {
    bone.segments.push_back({from, place(next)});
    return;
  }
  const std::optional<double> out = way_out(from, direction);
  if (!out) return;
  double length = 0.9 * *out;
  if (next >= 0) length = std::min(length, norm(place(next) - from));
  double reach = 0;
  for (const int child : family_.children[at(j)]) reach = std::max(reach, norm(place(child) - from));
  if (reach > 0) length = std::min(length, reach);
  bone.segments.push_back({from, from + length * direction});
}

void BoneFinder::add_children(SkinBone& bone) const {
  const Vec3d from = place(bone.joint);
  for (const int child : family_.children[at(bone.joint)]) {
    if (apart(bone.joint, child) && share_inside(from, place(child)) > kInBody) {
      bone.segments.push_back({from, place(child)});
    }
  }
  for (const int child : family_.idle_children[at(bone.joint)]) {
    if (bone.segments.empty() && norm(place(child) - from) > 1e-2 * size_ && share_inside(from, place(child)) > 0.9) {
      bone.segments.push_back({from, place(child)});
    }
  }
}

/// The middle of what is nearest to the joint itself, and beyond it as far again.
void BoneFinder::guess_tails(std::vector<SkinBone>& bones) const {
  std::vector<Vec3d> sum(bones.size());
  std::vector<double> mass(bones.size(), 0);
  for (std::size_t v = 0; v < body_.surface.points.size(); ++v) {
    const Vec3d p = body_.surface.points[v];
    int nearest = -1;
    double least = 0;
    for (int b = 0; b < static_cast<int>(bones.size()); ++b) {
      for (const body::Segment& segment : bones[at(b)].segments) {
        const double distance = norm(p - body::closest_on_segment(p, segment));
        // What lies beyond the end of a bone belongs to the joint there.
        const double slack = bones[at(b)].guessed_tail ? 1 + 1e-6 : 1 - 1e-6;
        if (nearest < 0 || distance < slack * least) nearest = b, least = distance;
      }
    }
    if (nearest < 0 || !bones[at(nearest)].guessed_tail) continue;
    if (way_outside(body_.field, p, bones[at(nearest)].segments[0].from) > 2 * cell_) continue;
    sum[at(nearest)] += body_.areas[v] * p;
    mass[at(nearest)] += body_.areas[v];
  }
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (!bones[b].guessed_tail || !(mass[b] > 0)) continue;
    body::Segment& segment = bones[b].segments[0];
    const Vec3d middle = sum[b] / mass[b];
    segment.to = segment.from + 1.6 * (middle - segment.from);
    for (int k = 0; k < 8 && body_.field.depth(segment.to) < cell_; ++k) segment.to = lerp(middle, segment.to, 0.75);
  }
}

std::vector<SkinBone> BoneFinder::run() {
  std::vector<SkinBone> bones;
  for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
    if (!joints_[at(j)].deforms) continue;
    SkinBone bone;
    bone.joint = j;
    if (axis_ >= 0) {
      add_along_axis(bone);
    } else {
      add_children(bone);
    }
    if (bone.segments.empty()) {
      bone.segments.push_back({place(j), place(j)});
      bone.guessed_tail = true;
    }
    bones.push_back(std::move(bone));
  }
  guess_tails(bones);
  return bones;
}

}  // namespace

int bone_axis(std::span<const SkinJoint> joints) {
  const Family family = make_family(joints);
  std::array<int, 6> votes{};
  int chained = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    // Only a single child says where the bone must lead.
    if (family.children[j].size() != 1) continue;
    const Vec3d way = joints[at(family.children[j][0])].position - joints[j].position;
    if (!(norm(way) > 0)) continue;
    ++chained;
    for (int axis = 0; axis < 6; ++axis) {
      if (dot(normalized(way), axis_of(joints[j], axis)) > kAlong) ++votes[at(axis)];
    }
  }
  const auto best = std::max_element(votes.begin(), votes.end());
  if (chained < 2 || *best < kAgreement * chained) return -1;
  return static_cast<int>(best - votes.begin());
}

std::vector<SkinBone> skin_bones(const SkinBody& body, std::span<const SkinJoint> joints) {
  return BoneFinder(body, joints).run();
}

}  // namespace limber::skin
