// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/puppet.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/kinematics/forward.h"
#include "limber/physics/contact_fit.h"
#include "limber/physics/puppet_flesh.h"
#include "limber/physics/puppet_joints.h"
#include "limber/physics/rotation.h"
#include "limber/physics/spatial.h"

namespace limber::physics {
namespace {

constexpr double kGravity = 9.81;
constexpr double kLeastMass = 1e-4;  ///< of the whole, for one body

/// Where a joint is in the model's world with all hinges at zero, metres.
Vec3d zero_origin(const PuppetJoint& joint, double metres) { return metres * joint.zero.translation; }

/// Where a point of a joint's skin is there, from where it is at rest.
Vec3d zero_point(const PuppetInput& in, const PuppetJoint& joint, int index, Vec3 rest_point, double metres) {
  return metres * (joint.zero * (inverse(in.world_from_rest(index)) * rest_point.cast<double>()));
}

/// The three hinges of a joint, without drives.
std::vector<HingeT<double>> make_hinges(const PuppetJoint& joint, const JointUse& use, const rig::JointLimits& limits,
                                        Vec3d offset) {
  std::vector<HingeT<double>> hinges(3);
  const double handed = determinant(joint.hinge_axes) < 0 ? -1 : 1;
  hinges[0].offset = offset;
  for (int k = 0; k < 3; ++k) {
    HingeT<double>& hinge = hinges[at(k)];
    hinge.axis = handed * joint.hinge_axes.column(k);
    if (!joint.same_angles) continue;
    // What the motion does must be possible.
    constexpr double kMargin = 0.05;
    hinge.lower = std::min(double(limits.lower[k]), use.lower[k] - kMargin);
    hinge.upper = std::max(double(limits.upper[k]), use.upper[k] + kMargin);
  }
  return hinges;
}

/// The model's tree: bodies without mass, hinges without drives.
struct Links {
  std::vector<BodyT<double>> bodies;
  std::vector<HingeT<double>> hinges;
  std::vector<int> body_joints;     ///< per body: its joint
  std::vector<PuppetJoint> joints;  ///< with their bodies and hinges
};

Links link_bodies(const PuppetInput& in, const PuppetTree& tree, const Mobility& mobility,
                  std::vector<PuppetJoint> joints, double metres) {
  Links links;
  links.joints = std::move(joints);
  for (const int j : tree.order) {
    PuppetJoint& joint = links.joints[at(j)];
    const bool base = j == mobility.base;
    if (!base && !mobility.moves[at(j)]) {
      joint.body = mobility.below_base(tree, j) ? links.joints[at(tree.parents[at(j)])].body : 0;
      continue;
    }
    BodyT<double> body;
    body.first_hinge = static_cast<int>(links.hinges.size());
    if (!base) {
      body.parent = links.joints[at(tree.parents[at(j)])].body;
      body.hinge_count = 3;
      joint.hinge = body.first_hinge;
      const PuppetJoint& carrier = links.joints[at(links.body_joints[at(body.parent)])];
      const Vec3d offset = zero_origin(joint, metres) - zero_origin(carrier, metres);
      for (const HingeT<double>& hinge : make_hinges(joint, mobility.uses[at(j)], in.joints[at(j)].limits, offset)) {
        links.hinges.push_back(hinge);
      }
    }
    joint.body = static_cast<int>(links.bodies.size());
    links.body_joints.push_back(j);
    links.bodies.push_back(body);
  }
  return links;
}

/// The joints' own boxes in their bodies' frames.
std::vector<PuppetBox> place_boxes(const PuppetInput& in, const Links& links, double metres) {
  std::vector<PuppetBox> boxes;
  for (const rig::BoneBox& box : in.boxes) {
    const PuppetJoint& joint = links.joints[at(box.joint)];
    const PuppetJoint& body_joint = links.joints[at(links.body_joints[at(joint.body)])];
    const Mat3d turn = orthonormal((joint.zero * inverse(in.world_from_rest(box.joint))).linear);
    PuppetBox placed;
    placed.body = joint.body, placed.joint = box.joint;
    placed.centre = zero_point(in, joint, box.joint, box.centre, metres) - zero_origin(body_joint, metres);
    placed.axes = turn * box.axes.cast<double>();
    placed.half = metres * box.half.cast<double>();
    boxes.push_back(placed);
  }
  return boxes;
}

struct MassProperties {
  double mass = 0;
  Vec3d centre;
  SymmetricT<double> inertia;  ///< about the centre
};

/// Mass, centre and inertia of a body from its boxes.
MassProperties weigh_body(const PuppetSettings& settings, const std::vector<PuppetBox>& boxes, int body) {
  const auto box_mass = [&](const PuppetBox& box) {
    return settings.density * settings.fill * 8 * box.half.x * box.half.y * box.half.z;
  };
  MassProperties sum;
  for (const PuppetBox& box : boxes) {
    if (box.body != body) continue;
    sum.mass += box_mass(box), sum.centre += box_mass(box) * box.centre;
  }
  if (sum.mass > 0) sum.centre = sum.centre / sum.mass;
  for (const PuppetBox& box : boxes) {
    if (box.body != body) continue;
    const double mass = box_mass(box);
    const Vec3d s = scaled(box.half, box.half), arm = box.centre - sum.centre;
    const SymmetricT<double> own{mass / 3 * (s.y + s.z), 0, 0, mass / 3 * (s.x + s.z), 0, mass / 3 * (s.x + s.y)};
    sum.inertia += inertia_at(mass, arm, rotated(box.axes, own)).rotation;
  }
  return sum;
}

/// Thin or empty bones must not make the system stiff.
MassProperties at_least(MassProperties body, double mass, double metres) {
  body.mass = std::max(body.mass, mass);
  const double round = body.mass * std::pow(0.02 * metres, 2);
  body.inertia.xx += round, body.inertia.yy += round, body.inertia.zz += round;
  return body;
}

/// The points of the skin that touch the ground first, body by body.
struct Contacts {
  std::vector<int> first;          ///< per body, and one more: where its points begin
  std::vector<Vec3d> points;       ///< in the body's frame
  std::vector<int> joints;         ///< per point: the joint whose skin it is on
  std::vector<Vec3> joint_points;  ///< and where it is in that joint's frame
};

Contacts list_contacts(const PuppetInput& in, const Links& links, double metres) {
  Contacts contacts;
  for (std::size_t b = 0; b < links.bodies.size(); ++b) {
    contacts.first.push_back(static_cast<int>(contacts.points.size()));
    const Vec3d origin = zero_origin(links.joints[at(links.body_joints[b])], metres);
    for (const rig::BoneBox& box : in.boxes) {
      const PuppetJoint& joint = links.joints[at(box.joint)];
      if (at(joint.body) != b) continue;
      const Affined joint_from_rest = inverse(in.world_from_rest(box.joint));
      for (const Vec3& p : box.touching) {
        contacts.points.push_back(zero_point(in, joint, box.joint, p, metres) - origin);
        contacts.joints.push_back(box.joint);
        contacts.joint_points.push_back((joint_from_rest * p.cast<double>()).cast<float>());
      }
    }
  }
  contacts.first.push_back(static_cast<int>(contacts.points.size()));
  return contacts;
}

/// Gains that suit the body: enough to carry it, less for the twigs.
std::vector<HingeT<double>> with_drives(const PuppetInput& in, const Flesh& flesh, const Links& links, double mass,
                                        double metres) {
  std::vector<HingeT<double>> hinges = links.hinges;
  for (std::size_t b = 1; b < links.bodies.size(); ++b) {
    const BodyT<double>& body = links.bodies[b];
    const double share = std::max(flesh.twig_mass[at(links.body_joints[b])] / flesh.total_mass, 1e-4);
    const double stiffness = in.settings.gain * 1.5 * mass * kGravity * metres * std::pow(share, 0.25);
    for (int h = body.first_hinge; h < body.first_hinge + body.hinge_count; ++h) {
      HingeT<double>& hinge = hinges[at(h)];
      hinge.stiffness = stiffness;
      hinge.damping = 0.05 * std::sqrt(metres) * stiffness;
      hinge.limit_stiffness = 5 * stiffness;
    }
  }
  return hinges;
}

/// A ground that a body of this mass hardly dents.
ContactLawT<double> ground_law(double mass, double metres, double friction) {
  const double speed = std::sqrt(kGravity * metres);
  ContactLawT<double> law;
  law.stiffness = mass * kGravity / (4 * 0.001 * metres);
  law.softness = 0.001 * metres;
  law.damping_speed = 0.02 * speed;
  law.friction = friction;
  law.stick_speed = 0.003 * speed;
  return law;
}

Model make_model(const PuppetInput& in, const Flesh& flesh, const Links& links, const std::vector<PuppetBox>& boxes,
                 const Contacts& contacts, double metres) {
  Model model;
  model.bodies = links.bodies;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const MassProperties own = weigh_body(in.settings, boxes, static_cast<int>(b));
    const MassProperties firm = at_least(own, kLeastMass * flesh.total_mass, metres);
    BodyT<double>& body = model.bodies[b];
    body.mass = firm.mass, body.centre = firm.centre, body.inertia = firm.inertia;
    body.first_point = contacts.first[b], body.point_count = contacts.first[b + 1] - contacts.first[b];
  }
  model.points = contacts.points;
  const double mass = model.total_mass();
  model.hinges = with_drives(in, flesh, links, mass, metres);
  model.contact = ground_law(mass, metres, in.settings.friction);
  return model;
}

}  // namespace

Result<Puppet> make_puppet(const rig::Subject& subject, const kinematics::Motion& motion,
                           const PuppetSettings& settings) {
  LIMBER_EXPECT(motion.joint_count == subject.rig.joint_count(), std::to_string(motion.joint_count) + " joints");
  const PuppetInput in{subject,
                       motion,
                       settings,
                       subject.rig.joints(),
                       rig::bone_boxes(subject),
                       kinematics::joint_matrices(subject.rig, motion)};
  if (in.boxes.empty()) return Error{"nothing to weigh: no joint carries skin", "subject"};
  const PuppetTree tree = hang_joints(in);
  const Flesh unit_flesh = weigh_flesh(in, tree);
  const int base = find_base(tree, unit_flesh);
  const PuppetHeight height = choose_height(in, base);
  const Flesh flesh = at_height(unit_flesh, height.metres);
  const Mobility mobility = choose_moving(in, tree, flesh, base);
  Links links = link_bodies(in, tree, mobility, pose_zero(in, tree, mobility), height.metres);
  Contacts contacts = list_contacts(in, links, height.metres);

  Puppet puppet;
  puppet.metres = height.metres, puppet.base_joint = base;
  puppet.boxes = place_boxes(in, links, height.metres);
  puppet.model = make_model(in, flesh, links, puppet.boxes, contacts, height.metres);
  puppet.joints = std::move(links.joints), puppet.body_joints = std::move(links.body_joints);
  puppet.point_joints = std::move(contacts.joints), puppet.joint_points = std::move(contacts.joint_points);
  for (const std::vector<std::string>* notes : {&tree.notes, &height.notes, &mobility.notes}) {
    puppet.notes.insert(puppet.notes.end(), notes->begin(), notes->end());
  }
  LIMBER_CHECK_OK(check_model(puppet.model));
  fit_contacts(subject, motion, puppet);
  return puppet;
}

}  // namespace limber::physics
