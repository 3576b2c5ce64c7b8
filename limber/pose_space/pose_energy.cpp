// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_energy.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/pose_space/pose_angles.h"

namespace limber::pose_space {
namespace {

constexpr double kTiny = 1e-9;
constexpr double kGimbal = 1e-3;     // nearer to it, angles say nothing about which way to turn
constexpr double kLongestStep = 4;   // of a guess, in units of states
constexpr double kFleshShare = 0.7;  // of a girth that is a capsule's radius: flesh gives way

/// The matrix by which `turn` loses `torque . w` when it is turned by a small w: half of torque x turn.
Mat3d gradient_of_torque(Vec3d torque, const Mat3d& turn) {
  return 0.5 * Mat3d::from_columns(cross(torque, turn.column(0)), cross(torque, turn.column(1)),
                                   cross(torque, turn.column(2)));
}

/// From the gradient on angles to that on a small turn, in the axes' own frame, of Rx(a) Ry(b) Rz(c).
Vec3d torque_of_angles(Vec3d angles, Vec3d gradient) {
  const double ca = std::cos(angles.x), sa = std::sin(angles.x), cb = std::cos(angles.y), sb = std::sin(angles.y);
  // Turning about x, Rx y and Rx Ry z at unit speeds; the inverse of that matrix, transposed, times the gradient.
  const Mat3d speeds = Mat3d::from_columns({1, 0, 0}, {0, ca, sa}, {sb, -sa * cb, ca * cb});
  return transposed(inverse(speeds)) * gradient;
}

/// Where two segments are nearest to each other: shares along both (Ericson, Real-Time Collision Detection, 5.1.9).
struct Nearest {
  double s = 0, t = 0;
};
Nearest nearest(Vec3d p, Vec3d d, Vec3d q, Vec3d e) {
  const Vec3d r = p - q;
  const double dd = dot(d, d), ee = dot(e, e), er = dot(e, r), dr = dot(d, r), de = dot(d, e);
  const auto unit = [](double x) { return std::clamp(x, 0.0, 1.0); };
  if (dd < kTiny && ee < kTiny) return {};
  if (dd < kTiny) return {0, unit(er / ee)};
  if (ee < kTiny) return {unit(-dr / dd), 0};
  const double denominator = dd * ee - de * de;
  double s = denominator > kTiny * dd * ee ? unit((de * er - dr * ee) / denominator) : 0;
  double t = (de * s + er) / ee;
  if (t < 0) return {unit(-dr / dd), 0};
  if (t > 1) return {unit((de - dr) / dd), 1};
  return {s, t};
}

}  // namespace

double HandleEnergy::add(const PoseShape& shape, double scale, PoseShape& gradient) const {
  double sum = 0;
  for (const PoseHandle& handle : handles_) {
    const Vec3d away = shape.places[at(handle.joint)] - handle.target;
    sum += squared_norm(away);
    gradient.places[at(handle.joint)] += 2 * scale * away;
  }
  return sum;
}

double LookEnergy::add(const PoseShape& shape, double scale, PoseShape& gradient) const {
  const Vec3d way = target_ - shape.places[at(joint_)];
  const double length = norm(way);
  if (length < kTiny) return 0;
  const Vec3d to = (1 / length) * way, looks = shape.turns[at(joint_)] * axis_;
  const double cosine = dot(looks, to);
  gradient.turns[at(joint_)] += -scale * outer(to, axis_);
  gradient.places[at(joint_)] += (scale / length) * (looks - cosine * to);
  return 1 - cosine;
}

double AngleLimitEnergy::add(const PoseShape& shape, double scale, PoseShape& gradient) const {
  double sum = 0;
  for (std::size_t j = 1; j < skeleton_.joints.size(); ++j) {
    const PoseJoint& joint = skeleton_.joints[j];
    const rig::JointLimits& limits = skeleton_.rig.joints()[at(joint.joint)].limits;
    if (!is_limited(limits)) continue;
    const Mat3d &own = shape.turns[j], &parent = shape.turns[at(joint.parent)];
    const Vec3d angles = angles_within(joint, transposed(parent) * own, limits);
    const Vec3d excess = angles - clamped(angles, limits);
    if (squared_norm(excess) == 0 || std::abs(std::cos(angles.y)) < kGimbal) continue;
    sum += squared_norm(excess);
    const double mirror = determinant(joint.axes) < 0 ? -1 : 1;
    const Vec3d torque = mirror * (parent * (joint.axes * torque_of_angles(angles, 2 * scale * excess)));
    gradient.turns[j] += gradient_of_torque(torque, own);
    gradient.turns[at(joint.parent)] += gradient_of_torque(-torque, parent);
  }
  return sum;
}

CapsuleEnergy::CapsuleEnergy(const PoseSkeleton& skeleton, const std::vector<double>& girths) {
  std::vector<Bone> bones;
  for (int j = 1; j < skeleton.size(); ++j) {
    const int parent = skeleton.joints[at(j)].parent;
    bones.push_back({parent, j, kFleshShare * girths[at(parent)]});
  }
  const std::vector<std::uint8_t> steps = skeleton.tree_distances();
  for (std::size_t i = 0; i < bones.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const Bone &a = bones[i], &b = bones[k];
      const auto apart = [&](int x, int y) { return steps[at(x) * skeleton.joints.size() + at(y)]; };
      if (std::min({apart(a.from, b.from), apart(a.from, b.to), apart(a.to, b.from), apart(a.to, b.to)}) < 2) continue;
      const auto place = [&](int joint) { return skeleton.joints[at(joint)].place; };
      const Vec3d p = place(a.from), d = place(a.to) - p, q = place(b.from), e = place(b.to) - q;
      const Nearest rest = nearest(p, d, q, e);
      const double distance = norm(p + rest.s * d - q - rest.t * e);
      const double allowed = std::min(a.radius + b.radius, distance);
      if (allowed > kTiny) pairs_.push_back({a, b, allowed});
    }
  }
}

double CapsuleEnergy::add(const PoseShape& shape, double scale, PoseShape& gradient) const {
  double sum = 0;
  for (const Pair& pair : pairs_) {
    const Vec3d p = shape.places[at(pair.a.from)], d = shape.places[at(pair.a.to)] - p;
    const Vec3d q = shape.places[at(pair.b.from)], e = shape.places[at(pair.b.to)] - q;
    const Nearest near = nearest(p, d, q, e);
    const Vec3d between = p + near.s * d - q - near.t * e;
    const double distance = norm(between), depth = pair.apart - distance;
    if (depth <= 0) continue;
    sum += depth * depth;
    if (distance < kTiny) continue;
    const Vec3d push = (-2 * scale * depth / distance) * between;
    gradient.places[at(pair.a.from)] += (1 - near.s) * push, gradient.places[at(pair.a.to)] += near.s * push;
    gradient.places[at(pair.b.from)] -= (1 - near.t) * push, gradient.places[at(pair.b.to)] -= near.t * push;
  }
  return sum;
}

double FloorEnergy::add(const PoseShape& shape, double scale, PoseShape& gradient) const {
  double sum = 0;
  for (std::size_t j = 0; j < shape.places.size(); ++j) {
    const double depth = height_ - shape.places[j].y;
    if (depth <= 0) continue;
    sum += depth * depth, gradient.places[j].y -= 2 * scale * depth;
  }
  return sum;
}

std::vector<WeightedPoseEnergy> usual_energies(const PoseSkeleton& skeleton, std::span<const SurfacePoint> skin) {
  return {{1, std::make_shared<AngleLimitEnergy>(skeleton)},
          {1, std::make_shared<CapsuleEnergy>(skeleton, girths_of(skeleton, skin))}};
}

double add_energies(const PoseSkeleton& skeleton, const std::vector<WeightedPoseEnergy>& energies,
                    std::span<const double> state, std::span<double> gradient) {
  const PoseShape shape = shape_of(skeleton, state);
  PoseShape grad_shape{std::vector<Mat3d>(shape.turns.size()), std::vector<Vec3d>(shape.places.size())};
  double sum = 0;
  for (const WeightedPoseEnergy& term : energies) sum += term.weight * term.energy->add(shape, term.weight, grad_shape);
  shape_backward(skeleton, state, shape, grad_shape, gradient);
  return sum;
}

PoseGuide guide_by(const PoseSkeleton& skeleton, std::vector<WeightedPoseEnergy> energies, int repeats) {
  return [skeleton, energies = std::move(energies), repeats](PoseState& guess, double) {
    const std::vector<Vec3d> before = shape_of(skeleton, guess).places;
    for (int i = 0; i < repeats; ++i) {
      PoseState gradient(guess.size(), 0);
      const double energy = add_energies(skeleton, energies, guess, gradient);
      double squared = 0;
      for (const double g : gradient) squared += g * g;
      if (energy < 1e-12 || squared < 1e-12) break;
      const double step = std::min(energy / squared, kLongestStep / std::sqrt(squared));
      for (std::size_t k = 0; k < guess.size(); ++k) guess[k] -= step * gradient[k];
    }
    // Places follow the turns.
    const std::vector<Vec3d> after = shape_of(skeleton, guess).places;
    for (std::size_t j = 0; j < after.size(); ++j) {
      for (int k = 0; k < 3; ++k) guess[j * kStateSize + at(k)] += (after[j][k] - before[j][k]) / kPositionUnit;
    }
  };
}

}  // namespace limber::pose_space
