// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/poser.h"

#include <algorithm>
#include <cmath>

#include "limber/kinematics/forward.h"
#include "limber/kinematics/motion.h"

namespace limber::zoo {
namespace {

using Vec2d = Vec2T<double>;

Mat3d rotation_x(double angle) { return to_matrix(axis_angle(Vec3d{1, 0, 0}, angle)); }
Mat3d rotation_y(double angle) { return to_matrix(axis_angle(Vec3d{0, 1, 0}, angle)); }

/// A vector in the plane in which a leg folds: along hip-to-end, and across.
Vec2d in_plane(const Mat3d& basis, Vec3d v) { return {dot(basis.column(1), v), dot(basis.column(2), v)}; }
Vec2d turned(Vec2d v, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * v.x - s * v.y, s * v.x + c * v.y};
}
double length(Vec2d v) { return std::hypot(v.x, v.y); }
double heading(Vec2d v) { return std::atan2(v.y, v.x); }
/// Legs whose foot from the ankle down is laid on the ground by itself.
bool flat_ankle(LegKind kind) { return kind == LegKind::kPlantigrade || kind == LegKind::kSprawling; }
double wrapped(double angle) { return angle - 2 * kPi * std::round(angle / (2 * kPi)); }

/// Turns of two rods, so that the first followed by the second reaches from the origin to (distance, 0), with the knee
/// on the given side (1 or -1). Out of reach, the nearest they can do.
struct TwoTurns {
  double first, second;
};
TwoTurns fold(Vec2d first, Vec2d second, double side, double distance) {
  const double a = length(first), b = length(second);
  const double d = std::clamp(distance, 1.001 * std::abs(a - b) + 1e-9, 0.9995 * (a + b));
  const double angle = side * std::acos(std::clamp((a * a + d * d - b * b) / (2 * a * d), -1.0, 1.0));
  const Vec2d knee{a * std::cos(angle), a * std::sin(angle)};
  return {wrapped(angle - heading(first)), wrapped(heading({d - knee.x, -knee.y}) - heading(second))};
}

/// The two rods that a leg amounts to: some of its segments turn together.
struct Rods {
  Vec2d first, second;
};
Rods rods(LegKind kind, const Mat3d& basis, std::span<const Vec3d> segments, double wrist) {
  const Vec2d a = in_plane(basis, segments[0]), b = in_plane(basis, segments[1]), c = in_plane(basis, segments[2]);
  switch (kind) {
    case LegKind::kDigitigrade:  // a pantograph: thigh and foot stay as parallel as they are at rest
      return {{a.x + c.x, a.y + c.y}, b};
    case LegKind::kForeleg:
    case LegKind::kPoint: {
      const Vec2d bent = turned(c, wrist);
      return {a, {b.x + bent.x, b.y + bent.y}};
    }
    default:
      return {a, b};
  }
}

/// A chain of links in a plane bends at all its joints in the proportion that they are bent at rest: one unknown,
/// whatever the number of links.
class BentChain {
 public:
  explicit BentChain(std::span<const Vec2d> links) : links_(links.begin(), links.end()) {
    for (std::size_t k = 0; k + 1 < links_.size(); ++k) {
      bends_.push_back(wrapped(heading(links_[k + 1]) - heading(links_[k])));
      sharpest_ = std::max(sharpest_, std::abs(bends_.back()));
    }
    if (sharpest_ > kStraight || bends_.empty()) return;
    // Straight at rest: knees alternate.
    for (std::size_t k = 0; k < bends_.size(); ++k) bends_[k] = k % 2 == 0 ? kStraight : -kStraight;
    sharpest_ = kStraight;
  }
  /// How far each link turns from its rest, so that the end is `distance` from the start, along the first axis.
  std::vector<double> turns(double distance) const {
    double less = 0, more = kSharpest / std::max(sharpest_, kStraight);
    for (int k = 0; k < 50; ++k) {
      const double middle = 0.5 * (less + more);
      (length(end(middle)) > distance ? less : more) = middle;
    }
    const double amount = 0.5 * (less + more), tilt = heading(end(amount));
    std::vector<double> result;
    double along = 0;
    for (std::size_t k = 0; k < links_.size(); ++k) {
      result.push_back(wrapped(along - tilt - heading(links_[k])));
      if (k < bends_.size()) along += amount * bends_[k];
    }
    return result;
  }

 private:
  static constexpr double kStraight = 0.05, kSharpest = 2.6;  // radians
  Vec2d end(double amount) const {
    Vec2d sum{0, 0};
    double along = 0;
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const double size = length(links_[k]);
      sum.x += size * std::cos(along), sum.y += size * std::sin(along);
      if (k < bends_.size()) along += amount * bends_[k];
    }
    return sum;
  }
  std::vector<Vec2d> links_;
  std::vector<double> bends_;
  double sharpest_ = 0;
};

}  // namespace

Poser::Poser(const Creature& creature) : creature_(creature), map_(read_body(creature)) {
  for (const Leg& leg : creature.legs) {
    legs_.push_back(measure(leg));
    const double share = 1.0 / static_cast<double>(creature.legs.size());
    pivot_ += share * rest(leg.joints[0]);
    leg_length_ += share * legs_.back().height;
  }
  pivot_.x = 0;
  if (legs_.empty()) pivot_ = rest(0), leg_length_ = 0.3;

  const auto stride = static_cast<std::size_t>(creature.subject.weights.stride);
  Vec3 foremost{0, 0, -1e9f};
  for (std::size_t v = 0; v < creature.subject.points.size(); ++v) {
    if (map_.head >= 0 && creature.subject.weights.bones[v * stride] != map_.head) continue;
    if (creature.subject.points[v].z > foremost.z) foremost = creature.subject.points[v];
  }
  for (const Vec3& point : creature.subject.points) height_ = std::max<double>(height_, point.y);
  mouth_ = foremost.cast<double>() - rest(std::max(0, map_.head));
}

Vec3d Poser::rest(int joint_index) const {
  return creature_.subject.rig.world_from_rest()[static_cast<std::size_t>(joint_index)].translation.cast<double>();
}

BodyGoal Poser::rest_goal() const {
  BodyGoal goal;
  goal.angles.resize(static_cast<std::size_t>(joint_count()));
  goal.feet.resize(legs_.size());
  return goal;
}

Poser::LegData Poser::measure(const Leg& leg) const {
  LegData data;
  data.kind = leg.kind;
  data.joints = leg.joints;
  data.rolls = leg.kind == LegKind::kPoint || (leg.kind == LegKind::kChain && leg.joints.size() < 3);
  const int last = leg.joints.back();
  data.sole = rest(last) + leg.tip.cast<double>();
  data.height = rest(leg.joints[0]).y;
  std::vector<Vec3d> points;
  for (const int joint : leg.joints) points.push_back(rest(joint));
  points.push_back(data.sole);
  for (std::size_t k = 0; k + 1 < points.size(); ++k) data.segments.push_back(points[k + 1] - points[k]);
  const Vec3d end = flat_ankle(leg.kind) ? points[2] : data.rolls ? data.sole : points[points.size() - 2];
  const Vec3d along = end - points[0];
  for (std::size_t k = 0; k + 2 < points.size(); ++k) data.about += cross(data.segments[k], data.segments[k + 1]);
  if (norm(data.about) < 0.02 * dot(along, along)) data.about = {1, 0, 0};
  data.rest_basis = basis(data, Mat3d::identity(), points[0], end);

  if (leg.kind != LegKind::kChain) {
    const Rods r = rods(data.kind, data.rest_basis, data.segments, 0);
    data.knee_side = r.first.x * r.second.y - r.first.y * r.second.x < 0 ? 1 : -1;
  }

  // The sole's extent: flesh of the foot near the ground.
  const rig::Subject& subject = creature_.subject;
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  const double near_ground = 0.04 * data.height;
  for (std::size_t v = 0; v < subject.points.size(); ++v) {
    const int bone = subject.weights.bones[v * stride];
    const bool foot = bone == last || (flat_ankle(leg.kind) && bone == data.joints[2]);
    if (!foot || subject.points[v].y > near_ground) continue;
    const Vec3d off = subject.points[v].cast<double>() - data.sole;
    if (data.rolls) data.tip.push_back(off);
    data.front = std::max(data.front, subject.points[v].z - data.sole.z);
    data.back = std::max(data.back, data.sole.z - subject.points[v].z);
  }
  return data;
}

Mat3d Poser::basis(const LegData& leg, const Mat3d& parent_rotation, Vec3d hip, Vec3d end) const {
  const Vec3d along = normalized(end - hip, Vec3d{0, -1, 0});
  // Legs fold about the body's own left-right axis; those that stand sideways in the upright plane that they stand
  // in; chains about the axis that they have at rest.
  const bool sideways = leg.kind == LegKind::kPoint || leg.kind == LegKind::kSprawling;
  const Vec3d about = sideways                      ? cross(along, parent_rotation.column(1))
                      : leg.kind == LegKind::kChain ? parent_rotation * leg.about
                                                    : parent_rotation.column(0);
  const Vec3d normal = normalized(about - dot(about, along) * along, Vec3d{1, 0, 0});
  return Mat3d::from_columns(normal, along, cross(normal, along));
}

Vec3d Poser::mouth(const BodyGoal& goal) const {
  return solve(goal, nullptr).world_from_joint[static_cast<std::size_t>(std::max(0, map_.head))] * mouth_;
}

double Poser::lowest_point(const SolvedPose& pose) const {
  const rig::Subject& subject = creature_.subject;
  std::vector<Affined> bones(static_cast<std::size_t>(subject.rig.bone_count()));
  kinematics::bones_forward<double>(subject.rig, pose.world_from_joint, bones);
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  double lowest = 1e9;
  for (std::size_t v = 0; v < subject.points.size(); ++v) {
    const Vec3d point = subject.points[v].cast<double>();
    double height = 0;
    for (std::size_t k = 0; k < stride && subject.weights.weights[v * stride + k] > 0; ++k) {
      const Affined& bone = bones[subject.weights.bones[v * stride + k]];
      height += double(subject.weights.weights[v * stride + k]) * (dot(bone.linear.row(1), point) + bone.translation.y);
    }
    lowest = std::min(lowest, height);
  }
  return lowest;
}

bool Poser::holds(const BodyGoal& goal) const {
  const SolvedPose pose = solve(goal, nullptr);
  for (std::size_t l = 0; l < legs_.size(); ++l) {
    if (!goal.feet[l].active) continue;
    const Leg& leg = creature_.legs[l];
    const Vec3d sole = pose.world_from_joint[static_cast<std::size_t>(leg.joints.back())] * leg.tip.cast<double>();
    const Vec3d miss = sole - goal.feet[l].sole;
    // Feet that roll are not exactly at the goal's height.
    if (std::hypot(miss.x, miss.z) > 2e-4 * leg_length_ || std::abs(miss.y) > 0.02 * leg_length_) return false;
  }
  return lowest_point(pose) > -0.002 * height_;
}

double Poser::miss(const BodyGoal& goal, const SolvedPose& pose) const {
  double largest = 0;
  for (std::size_t l = 0; l < legs_.size(); ++l) {
    if (goal.feet[l].planted) largest = std::max(largest, miss(l, goal.feet[l], pose));
  }
  return largest;
}

double Poser::miss(std::size_t leg, const FootGoal& goal, const SolvedPose& pose) const {
  const Leg& which = creature_.legs[leg];
  const Vec3d sole = pose.world_from_joint[static_cast<std::size_t>(which.joints.back())] * which.tip.cast<double>();
  Vec3d off = sole - goal.sole;
  if (legs_[leg].rolls) off.y = 0;
  return norm(off);
}

void Poser::keep_tail_up(BodyGoal& goal) const {
  for (const Chain& chain : map_.tails) keep_up(chain.joints, goal);
}

void Poser::keep_trains_up(BodyGoal& goal) const {
  for (const Chain& chain : map_.trains) keep_up(chain.joints, goal);
}

void Poser::keep_up(std::span<const int> tail, BodyGoal& goal) const {
  for (std::size_t i = 0; i < tail.size(); ++i) {
    const SolvedPose pose = without_legs(goal);
    const int joint = tail[i], before = i > 0 ? tail[i - 1] : joint;
    const bool last = i + 1 == tail.size();
    const Vec3d here = pose.world_from_joint[static_cast<std::size_t>(joint)].translation;
    // The tip is as far from the last joint as that from the one before.
    const Vec3d to_tip = pose.world_from_joint[static_cast<std::size_t>(joint)].linear * (rest(joint) - rest(before));
    const Vec3d there = last ? here + to_tip : pose.world_from_joint[static_cast<std::size_t>(tail[i + 1])].translation;
    const double length = norm(there - here);
    if (length < 1e-6) continue;
    // A soft maximum, so that the tail settles on the ground without a jerk.
    const double floor = 1.3 * girth(joint), width = 0.4 * girth(joint);
    const double wanted = floor + width * std::log1p(std::exp((there.y - floor) / width));
    const auto slope = [&](double y) { return std::asin(std::clamp((y - here.y) / length, -0.95, 0.95)); };
    goal.angles[static_cast<std::size_t>(joint)].z += slope(wanted) - slope(there.y);
  }
}

double Poser::dip(std::size_t leg, double pitch) const {
  const LegData& data = legs_[leg];
  return pitch > 0 ? data.front * std::sin(pitch) : -data.back * std::sin(pitch);
}

Poser::FootPlacement Poser::place(const LegData& leg, const FootGoal& goal) const {
  if (leg.rolls) return {goal.sole, Mat3d::identity(), Mat3d::identity()};
  const Mat3d flat = rotation_y(goal.yaw), pitched = flat * rotation_x(goal.pitch);
  const Vec3d tip = leg.sole - rest(leg.joints.back());
  if (!flat_ankle(leg.kind)) return {goal.sole - pitched * tip, pitched, pitched};
  const Mat3d toe = flat * rotation_x(goal.pitch * (1 - goal.toe_lag));
  return {goal.sole - toe * tip - pitched * leg.segments[2], pitched, toe};
}

Affined Poser::root_frame(const BodyGoal& goal) const {
  // yaw, roll, pitch, as the root's own axes have it.
  const Mat3d axes = to_matrix(creature_.subject.rig.joints()[0].axes.cast<double>());
  const Mat3d turn = axes * kinematics::euler_matrix(goal.turn) * transposed(axes);
  return {turn, goal.shift + pivot_ + turn * (rest(0) - pivot_)};
}

Vec3d Poser::in_world(const BodyGoal& goal, Vec3d at_rest) const { return root_frame(goal) * (at_rest - rest(0)); }

void Poser::forward(std::span<const Vec3d> angles, Vec3d root_translation, std::vector<Affined>& world) const {
  world.resize(angles.size());
  kinematics::joints_forward<double>(creature_.subject.rig, {root_translation, angles, {}, {}}, world);
}

SolvedPose Poser::without_legs(const BodyGoal& goal) const {
  SolvedPose pose;
  pose.angles = goal.angles;
  pose.angles[0] = goal.turn;
  keep_in_limits(pose.angles);
  pose.root_translation = root_frame(goal).translation - rest(0);
  forward(pose.angles, pose.root_translation, pose.world_from_joint);
  return pose;
}

void Poser::keep_in_limits(std::span<Vec3d> angles) const {
  const std::span<const rig::Joint> joints = creature_.subject.rig.joints();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const rig::JointLimits& limits = joints[j].limits;
    angles[j] = max(limits.lower.cast<double>(), min(limits.upper.cast<double>(), angles[j]));
  }
}

Vec3d Poser::shift_into_reach(const BodyGoal& goal, double straight) const {
  constexpr int kRounds = 40;
  const SolvedPose pose = without_legs(goal);
  Vec3d shift;
  bool moved = true;
  for (int round = 0; moved && round < kRounds; ++round) {
    moved = false;
    for (std::size_t l = 0; l < legs_.size(); ++l) {
      if (!goal.feet[l].active || !goal.feet[l].planted) continue;
      const Vec3d hip = pose.world_from_joint[static_cast<std::size_t>(legs_[l].joints[0])].translation + shift;
      const Vec3d to_foot = place(legs_[l], goal.feet[l]).end - hip;
      const double reach = straight * span(legs_[l], goal.feet[l].fold), distance = norm(to_foot);
      if (distance < (1 + 1e-6) * reach) continue;
      shift += (1 - reach / distance) * to_foot;
      moved = true;
    }
  }
  return shift;
}

void Poser::bring_feet_into_reach(BodyGoal& goal) const {
  // Knees that do not straighten keep some legs from their whole length.
  for (const double straight : {0.999, 0.99, 0.98, 0.96}) {
    BodyGoal nearer = goal;
    nearer.shift += shift_into_reach(goal, straight);
    if (miss(nearer, solve(nearer, nullptr)) < kMostMiss) return void(goal.shift = nearer.shift);
  }
}

double Poser::stretch(const BodyGoal& goal) const {
  const SolvedPose pose = without_legs(goal);
  double largest = 0;
  for (std::size_t l = 0; l < legs_.size(); ++l) {
    if (!goal.feet[l].active) continue;
    const LegData& leg = legs_[l];
    const Vec3d hip = pose.world_from_joint[static_cast<std::size_t>(leg.joints[0])].translation;
    largest = std::max(largest, norm(place(leg, goal.feet[l]).end - hip) / span(leg, goal.feet[l].fold));
  }
  return largest;
}

double Poser::span(const LegData& leg, double wrist) const {
  if (leg.kind == LegKind::kChain) {
    double sum = 0;
    const std::size_t links = leg.segments.size() - (leg.rolls ? 0 : 1);
    for (std::size_t k = 0; k < links; ++k) sum += norm(leg.segments[k]);
    return sum;
  }
  const Rods r = rods(leg.kind, leg.rest_basis, leg.segments, wrist);
  return length(r.first) + length(r.second);
}

std::array<Mat3d, Poser::kMostLegJoints> Poser::leg_rotations(const LegData& leg, const FootGoal& goal,
                                                              const Mat3d& parent_rotation, Vec3d hip) const {
  const FootPlacement placement = place(leg, goal);
  const Mat3d now = basis(leg, parent_rotation, hip, placement.end);
  const double distance = norm(placement.end - hip);
  const auto bone = [&](double turn) { return now * rotation_x(turn) * transposed(leg.rest_basis); };
  std::array<Mat3d, kMostLegJoints> rotation;
  if (leg.kind == LegKind::kChain) {
    std::vector<Vec2d> links;
    for (const Vec3d& segment : leg.segments) links.push_back(in_plane(leg.rest_basis, segment));
    if (!leg.rolls) links.pop_back();  // the foot stays flat
    const std::vector<double> turns = BentChain(links).turns(distance);
    for (std::size_t k = 0; k < turns.size(); ++k) rotation[k] = bone(turns[k]);
    if (!leg.rolls) rotation[turns.size()] = placement.foot;
    return rotation;
  }
  const Rods r = rods(leg.kind, leg.rest_basis, leg.segments, goal.fold);
  const TwoTurns turns = fold(r.first, r.second, leg.knee_side, distance);
  rotation = {bone(turns.first), bone(turns.second), placement.foot, placement.toe};
  if (leg.kind == LegKind::kDigitigrade) rotation[2] = rotation[0];
  if (leg.kind == LegKind::kForeleg || leg.kind == LegKind::kPoint) rotation[2] = bone(turns.second + goal.fold);
  return rotation;
}

void Poser::solve_leg(const LegData& leg, FootGoal goal, const SolvedPose* previous, SolvedPose& pose) const {
  const std::span<const rig::Joint> joints = creature_.subject.rig.joints();
  const auto parent = static_cast<std::size_t>(joints[static_cast<std::size_t>(leg.joints[0])].parent);
  const Mat3d parent_rotation = pose.world_from_joint[parent].linear;
  const Vec3d hip = pose.world_from_joint[static_cast<std::size_t>(leg.joints[0])].translation;
  std::array<Mat3d, kMostLegJoints> rotation = leg_rotations(leg, goal, parent_rotation, hip);
  if (leg.rolls) {
    // A tip that leans stands on its edge. Raising it changes the lean a little: three rounds are close enough.
    for (int round = 0; round < 3; ++round) {
      double edge = 0;
      for (const Vec3d& point : leg.tip) edge = std::max(edge, -dot(rotation[leg.joints.size() - 1].row(1), point));
      FootGoal raised = goal;
      raised.sole.y += edge;
      rotation = leg_rotations(leg, raised, parent_rotation, hip);
    }
  }
  Mat3d above = parent_rotation;
  for (std::size_t k = 0; k < leg.joints.size(); ++k) {
    const auto j = static_cast<std::size_t>(leg.joints[k]);
    const Mat3d axes = to_matrix(joints[j].axes.cast<double>());
    const Mat3d local = transposed(axes) * transposed(above) * rotation[k] * axes;
    pose.angles[j] = kinematics::euler_angles(local, previous ? previous->angles[j] : Vec3d{});
    above = rotation[k];
  }
}

SolvedPose Poser::solve(const BodyGoal& goal, const SolvedPose* previous) const {
  // Nothing leaves its limits, whatever the action asked for; the legs start where the trunk really is.
  SolvedPose pose = without_legs(goal);
  for (std::size_t l = 0; l < legs_.size(); ++l) {
    if (goal.feet[l].active) solve_leg(legs_[l], goal.feet[l], previous, pose);
  }
  keep_in_limits(pose.angles);
  forward(pose.angles, pose.root_translation, pose.world_from_joint);
  return pose;
}

}  // namespace limber::zoo
