// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/puppet_joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/base/symmetric.h"
#include "limber/kinematics/forward.h"
#include "limber/physics/puppet_turn.h"
#include "limber/physics/rotation.h"
#include "limber/physics/spatial.h"

namespace limber::physics {
namespace {

using kinematics::euler_angles;
using kinematics::euler_matrix;
using kinematics::Motion;

constexpr double kLightTwig = 0.004;   ///< of the whole mass: a bone with all that hangs on it may be welded ...
constexpr double kShortTwig = 0.08;    ///< ... if it is also shorter than this, in heights ...
constexpr double kSoleHeight = 0.02;   ///< ... and higher than this: what stands on the ground moves
constexpr double kGimbalMargin = 1.1;  ///< radians of the middle angle beyond which hinges get axes of their own
constexpr double kStillJoint = 0.005;  ///< radians: a joint without skin that turns less than this is welded

JointUse joint_use(const Motion& motion, int joint) {
  JointUse use;
  Quatd sum{0, 0, 0, 0};
  for (int f = 0; f < motion.frame_count(); ++f) {
    const Vec3d angles = motion.frame_angles(f)[at(joint)].cast<double>();
    const Quatd q = to_quat(euler_matrix(angles));
    const double sign = dot(sum, q) < 0 ? -1 : 1;
    for (int k = 0; k < 4; ++k) sum[k] += sign * q[k];
    use.middle = std::max(use.middle, std::abs(angles.y));
    use.lower = f == 0 ? angles : min(use.lower, angles), use.upper = f == 0 ? angles : max(use.upper, angles);
  }
  use.mean = to_matrix(normalized(sum));
  const Quatd mean = to_quat(use.mean);
  for (int f = 0; f < motion.frame_count(); ++f) {
    const Quatd q = to_quat(euler_matrix(motion.frame_angles(f)[at(joint)].cast<double>()));
    const Vec3d turn = rotation_vector(q * conjugate(mean));
    use.range = std::max(use.range, norm(turn));
  }
  return use;
}

/// Whether a joint is worth a body of its own.
bool worth_moving(const Flesh& flesh, const JointUse& use, int joint) {
  const std::size_t j = at(joint);
  const bool twig = flesh.twig_mass[j] < kLightTwig * flesh.total_mass && flesh.reach[j] < kShortTwig &&
                    flesh.lowest[j] > kSoleHeight;
  const bool idle = flesh.mass[j] <= 0 && use.range < kStillJoint;
  return flesh.twig_mass[j] > 0 && !twig && !idle;
}

/// The moving joints in the order in which they may be welded: the lightest twigs first, legs last.
std::vector<int> welding_order(const Flesh& flesh, const std::vector<bool>& moves) {
  std::vector<int> order;
  for (std::size_t j = 0; j < moves.size(); ++j) {
    if (moves[j]) order.push_back(static_cast<int>(j));
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const bool low_a = flesh.lowest[at(a)] < kSoleHeight, low_b = flesh.lowest[at(b)] < kSoleHeight;
    return low_a != low_b ? low_b : flesh.twig_mass[at(a)] < flesh.twig_mass[at(b)];
  });
  return order;
}

/// Translation and scale of every joint: of its rest, or the average of what a clip makes of them.
struct Placement {
  std::vector<Vec3d> translations, scales;
};

Placement average_placement(const PuppetInput& in) {
  Placement placement;
  for (const rig::Joint& joint : in.joints) {
    placement.translations.push_back(joint.rest.translation.cast<double>());
    placement.scales.push_back(joint.rest.scale.cast<double>());
  }
  const auto average = [](const std::vector<Vec3>& values, Vec3d& mean) {
    if (values.empty()) return;
    mean = {};
    for (const Vec3& v : values) mean += v.cast<double>() / static_cast<double>(values.size());
  };
  for (const kinematics::JointOverride& o : in.motion.overrides) {
    average(o.translations, placement.translations[at(o.joint)]);
    average(o.scales, placement.scales[at(o.joint)]);
  }
  return placement;
}

/// Whether all joints between this one and the body above it keep still: only then do its angles tell all.
bool firm_parent(const PuppetTree& tree, const Mobility& mobility, int joint) {
  for (int j = tree.parents[at(joint)]; j >= 0 && j != mobility.base && !mobility.moves[at(j)];
       j = tree.parents[at(j)]) {
    if (mobility.uses[at(j)].range > kStillJoint) return false;
  }
  return true;
}

/// Where an adopted joint is, on average, seen from its new parent, which is at `above` where all hinges are at zero.
Affined adopted_zero(const PuppetInput& in, int joint, int parent, const Affined& above) {
  const int frames = in.motion.frame_count();
  Vec3d place;
  Quatd sum{0, 0, 0, 0};
  for (int f = 0; f < frames; ++f) {
    const Affined carrier = in.world_from_joint(f, parent), own = in.world_from_joint(f, joint);
    const Mat3d turn = transposed(orthonormal(carrier.linear));
    place += turn * (own.translation - carrier.translation) / static_cast<double>(frames);
    const Quatd q = to_quat(proper(turn * orthonormal(own.linear)));
    const double sign = dot(sum, q) < 0 ? -1 : 1;
    for (int k = 0; k < 4; ++k) sum[k] += sign * q[k];
  }
  // The joint's own scale and mirror, from its first frame.
  const Mat3d first = in.world_from_joint(0, joint).linear;
  const Mat3d stretch = transposed(proper(orthonormal(first))) * first;
  const Mat3d frame = orthonormal(above.linear);
  return {proper(frame * to_matrix(normalized(sum))) * stretch, above.translation + frame * place};
}

/// The joint of the body that carries joint `j`.
int carrier(const PuppetTree& tree, const Mobility& mobility, int j) {
  for (j = tree.parents[at(j)]; j != mobility.base && !mobility.moves[at(j)];) j = tree.parents[at(j)];
  return j;
}

/// Axes along the spread of a joint's turns, the one with the least in the middle: far from the gimbal.
Mat3d spread_axes(const SymmetricT<double>& spread) {
  const Mat3d m = to_matrix(spread);
  Vec3d most = normalized(Vec3d{0.48, 0.6, 0.64});
  for (int i = 0; i < 60; ++i) most = normalized(m * most, most);
  // The next one, across the first.
  Vec3d next = normalized(cross(most, std::abs(most.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0}));
  for (int i = 0; i < 60; ++i) {
    const Vec3d turned = m * next, across = turned - dot(turned, most) * most;
    if (norm(across) < 1e-9 * norm(m * most)) break;  // all turns about one axis: any other will do
    next = normalized(across);
  }
  return Mat3d::from_columns(most, cross(next, most), next);
}

/// The rig's own axes where its angles serve; else along what the joint does, far from the gimbal.
Mat3d choose_axes(const PuppetInput& in, const std::vector<PuppetJoint>& zero, int joint, int above) {
  if (zero[at(joint)].same_angles) {
    const rig::Joint& own = in.joints[at(joint)];
    return orthonormal(zero[at(own.parent)].zero.linear * own.parent_from_frame.cast<double>().linear *
                       to_matrix(normalized(own.rest.rotation.cast<double>())) *
                       to_matrix(normalized(own.axes.cast<double>())));
  }
  SymmetricT<double> spread;
  for (int f = 0; f < in.motion.frame_count(); ++f) {
    const Mat3d carrier_turn = world_turn(zero[at(above)], in.world_from_joint(f, above));
    const Mat3d own_turn = world_turn(zero[at(joint)], in.world_from_joint(f, joint));
    add_outer(spread, 1.0, rotation_vector(to_quat(transposed(carrier_turn) * own_turn)));
  }
  return spread_axes(spread);
}

}  // namespace

Mobility choose_moving(const PuppetInput& in, const PuppetTree& tree, const Flesh& flesh, int base) {
  const int count = static_cast<int>(in.joints.size());
  Mobility mobility;
  mobility.base = base;
  mobility.moves.assign(at(count), false);
  int bodies = 1, welded = 0;
  for (int j = 0; j < count; ++j) {
    mobility.uses.push_back(joint_use(in.motion, j));
    if (!mobility.below_base(tree, j)) continue;
    mobility.moves[at(j)] = worth_moving(flesh, mobility.uses[at(j)], j);
    if (mobility.moves[at(j)]) {
      ++bodies;
    } else {
      ++welded;
    }
  }
  for (const int j : welding_order(flesh, mobility.moves)) {
    if (bodies <= in.settings.max_bodies) break;
    mobility.moves[at(j)] = false;
    --bodies, ++welded;
  }
  if (welded > 0) mobility.notes.push_back(fmt::format("{} joints are welded to their parents", welded));
  return mobility;
}

std::vector<PuppetJoint> pose_zero(const PuppetInput& in, const PuppetTree& tree, const Mobility& mobility) {
  const std::size_t count = in.joints.size();
  std::vector<PuppetJoint> joints(count);
  std::vector<Vec3d> angles(count);
  for (std::size_t j = 0; j < count; ++j) {
    const int index = static_cast<int>(j);
    if (!mobility.below_base(tree, index)) continue;
    PuppetJoint& joint = joints[j];
    joint.adopted = tree.parents[j] != in.joints[j].parent;
    joint.same_angles = mobility.moves[j] && !joint.adopted && mobility.uses[j].middle < kGimbalMargin &&
                        firm_parent(tree, mobility, index);
    if (!joint.same_angles) angles[j] = euler_angles(mobility.uses[j].mean);
  }
  const Placement placement = average_placement(in);
  std::vector<Affined> posed(count);
  kinematics::joints_forward<double>(in.subject.rig, {{}, angles, placement.translations, placement.scales}, posed);
  for (const int j : tree.order) {
    const int parent = tree.parents[at(j)];
    if (parent < 0) {
      joints[at(j)].zero = posed[at(j)];
      continue;
    }
    const Affined& above = joints[at(parent)].zero;
    joints[at(j)].zero = joints[at(j)].adopted ? adopted_zero(in, j, parent, above)
                                               : above * (inverse(posed[at(parent)]) * posed[at(j)]);
  }
  for (std::size_t j = 0; j < count; ++j) {
    const int index = static_cast<int>(j);
    if (mobility.moves[j]) joints[j].hinge_axes = choose_axes(in, joints, index, carrier(tree, mobility, index));
  }
  return joints;
}

}  // namespace limber::physics
