// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/puppet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "limber/base/expect.h"
#include "limber/kinematics/forward.h"
#include "limber/physics/contact_fit.h"
#include "limber/physics/rotation.h"
#include "limber/physics/spatial.h"
#include "limber/rig/bone_boxes.h"

namespace limber::physics {
namespace {

using kinematics::euler_angles;
using kinematics::euler_matrix;
using kinematics::Motion;

constexpr double kGravity = 9.81;
constexpr double kLeastMass = 1e-4;    ///< of the whole, for one body
constexpr double kLightTwig = 0.004;   ///< of the whole mass: a bone with all that hangs on it may be welded ...
constexpr double kShortTwig = 0.08;    ///< ... if it is also shorter than this, in heights ...
constexpr double kSoleHeight = 0.02;   ///< ... and higher than this: what stands on the ground moves
constexpr double kGimbalMargin = 1.1;  ///< radians of the middle angle beyond which hinges get axes of their own
constexpr double kStillJoint = 0.005;  ///< radians: a joint without skin that turns less than this is welded

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// The columns made orthonormal, a mirror kept.
Mat3d orthonormal(const Mat3d& m) {
  const Vec3d x = normalized(m.column(0), {1, 0, 0});
  const Vec3d y = normalized(m.column(1) - dot(x, m.column(1)) * x, rotate(rotation_between({1, 0, 0}, x), {0, 1, 0}));
  const Vec3d z = cross(x, y);
  return Mat3d::from_columns(x, y, determinant(m) < 0 ? -z : z);
}

/// What a motion does with one joint.
struct JointUse {
  Mat3d mean = Mat3d::identity();  ///< average rotation
  double range = 0;                ///< largest angle from it
  double middle = 0;               ///< largest absolute middle angle
  SymmetricT<double> spread;       ///< of the rotation vectors from the mean
  Vec3d lower, upper;              ///< of the angles
};

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
    add_outer(use.spread, 1.0, turn);
  }
  return use;
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

class Builder {
 public:
  Builder(const rig::Subject& subject, const Motion& motion, const PuppetSettings& settings)
      : subject_(subject), motion_(motion), settings_(settings), joints_(subject.rig.joints()) {}

  Result<Puppet> build() {
    LIMBER_EXPECT(motion_.joint_count == subject_.rig.joint_count(), std::to_string(motion_.joint_count) + " joints");
    boxes_ = rig::bone_boxes(subject_);
    if (boxes_.empty()) return Error{"nothing to weigh: no joint carries skin", "subject"};
    weigh();
    find_base();
    choose_scale();
    total_mass_ *= std::pow(puppet_.metres, 3);
    for (std::vector<double>* masses : {&mass_, &twig_mass_}) {
      for (double& m : *masses) m *= std::pow(puppet_.metres, 3);
    }
    choose_joints();
    pose_zero();
    add_bodies();
    set_drives();
    set_ground();
    LIMBER_CHECK_OK(check_model(puppet_.model));
    fit_contacts(subject_, motion_, puppet_);
    return std::move(puppet_);
  }

 private:
  /// How hard the motion accelerates the body, heights / s^2: root mean square for the first joint with flesh.
  double acceleration() const {
    const std::vector<Affine> world = kinematics::joint_matrices(subject_.rig, motion_);
    const auto place = [&](int f) {
      return world[at(f) * joints_.size() + at(puppet_.base_joint)].translation.cast<double>();
    };
    double sum = 0;
    const int frames = motion_.frame_count();
    for (int f = 1; f + 1 < frames; ++f) sum += squared_norm(place(f - 1) - 2.0 * place(f) + place(f + 1));
    return frames < 3 ? 0 : std::sqrt(sum / (frames - 2)) * motion_.fps * motion_.fps;
  }

  /// The asset's own height if it is plausible and the motion could be done at that size. Giants that move like mice
  /// are taken for mice: acceleration grows with size, gravity does not.
  void choose_scale() {
    if (settings_.height > 0) {
      puppet_.metres = settings_.height;
      return;
    }
    const double asset_height = subject_.asset_scale;
    const bool plausible = asset_height >= 0.02 && asset_height <= 50;
    puppet_.metres = plausible ? asset_height : 1;
    if (!plausible) {
      puppet_.notes.push_back(fmt::format("a height of {:.3g} m is not plausible; taken for 1 m", asset_height));
    }
    const double possible = kGravity / std::max(acceleration(), 1e-6);
    if (possible < puppet_.metres) {
      puppet_.notes.push_back(fmt::format(
          "at {:.3g} m the motion would need {:.1f} g; simulated as {:.3g} m high (--height says otherwise)",
          puppet_.metres, puppet_.metres / possible, std::max(possible, 0.05)));
      puppet_.metres = std::max(possible, 0.05);
    }
  }

  /// Mass of each joint's box and of all below it, for a height of one metre; how far the latter reaches; where it is
  /// lowest.
  void weigh() {
    const std::size_t count = joints_.size();
    mass_.assign(count, 0), twig_mass_.assign(count, 0), reach_.assign(count, 0), lowest_.assign(count, 1e9);
    for (const rig::BoneBox& box : boxes_) {
      mass_[at(box.joint)] = settings_.density * settings_.fill * box.volume();
    }
    for (const double m : mass_) total_mass_ += m;
    twig_mass_ = mass_;
    const std::span<const Affine> rest = subject_.rig.world_from_rest();
    for (const rig::BoneBox& box : boxes_) {
      for (const Vec3& p : box.touching) {
        for (int j = box.joint; j >= 0; j = joints_[at(j)].parent) {
          reach_[at(j)] = std::max(reach_[at(j)], double(norm(p - rest[at(j)].translation)));
          lowest_[at(j)] = std::min(lowest_[at(j)], double(p.y));
        }
      }
    }
    for (std::size_t j = count; j-- > 1;) twig_mass_[at(joints_[j].parent)] += twig_mass_[j];
  }

  /// The first joint with flesh of its own or with more than one fleshy child.
  void find_base() {
    int base = 0;
    for (;;) {
      if (mass_[at(base)] > 0.005 * total_mass_) break;
      int only = -1, fleshy = 0;
      for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
        if (joints_[at(j)].parent == base && twig_mass_[at(j)] > 0.005 * total_mass_) only = j, ++fleshy;
      }
      if (fleshy != 1) break;
      base = only;
    }
    puppet_.base_joint = base;
  }

  bool below_base(int joint) const {
    while (joint > puppet_.base_joint) joint = joints_[at(joint)].parent;
    return joint == puppet_.base_joint;
  }

  void choose_joints() {
    const int count = static_cast<int>(joints_.size());
    moves_.assign(at(count), false);
    for (int j = 0; j < count; ++j) uses_.push_back(joint_use(motion_, j));
    int bodies = 1, welded = 0;
    for (int j = puppet_.base_joint + 1; j < count; ++j) {
      if (!below_base(j)) continue;
      const bool twig =
          twig_mass_[at(j)] < kLightTwig * total_mass_ && reach_[at(j)] < kShortTwig && lowest_[at(j)] > kSoleHeight;
      const bool idle = mass_[at(j)] <= 0 && uses_[at(j)].range < kStillJoint;
      moves_[at(j)] = twig_mass_[at(j)] > 0 && !twig && !idle;
      if (moves_[at(j)]) {
        ++bodies;
      } else {
        ++welded;
      }
    }
    // Too many: weld the lightest twigs until it fits.
    std::vector<int> order;
    for (int j = 0; j < count; ++j) {
      if (moves_[at(j)]) order.push_back(j);
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return twig_mass_[at(a)] < twig_mass_[at(b)]; });
    for (const int j : order) {
      if (bodies <= settings_.max_bodies) break;
      moves_[at(j)] = false;
      --bodies, ++welded;
    }
    if (welded > 0) puppet_.notes.push_back(fmt::format("{} joints are welded to their parents", welded));
  }

  /// Average of what a clip does to translations and scales beyond rotating.
  void average_overrides(std::vector<Vec3d>& translations, std::vector<Vec3d>& scales) {
    for (const rig::Joint& joint : joints_) {
      translations.push_back(joint.rest.translation.cast<double>());
      scales.push_back(joint.rest.scale.cast<double>());
    }
    const auto average = [](const std::vector<Vec3>& values, Vec3d& mean) {
      if (values.empty()) return;
      mean = {};
      for (const Vec3& v : values) mean += v.cast<double>() / static_cast<double>(values.size());
    };
    for (const kinematics::JointOverride& o : motion_.overrides) {
      average(o.translations, translations[at(o.joint)]);
      average(o.scales, scales[at(o.joint)]);
    }
  }

  /// Poses the rig as it is where all hinges are at zero.
  void pose_zero() {
    std::vector<Vec3d> angles(joints_.size()), translations, scales;
    average_overrides(translations, scales);
    puppet_.joints.resize(joints_.size());
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      PuppetJoint& joint = puppet_.joints[j];
      const int index = static_cast<int>(j);
      if (index <= puppet_.base_joint || !below_base(index)) continue;
      joint.same_angles = moves_[j] && uses_[j].middle < kGimbalMargin;
      if (!joint.same_angles) {
        joint.zero = uses_[j].mean;
        angles[j] = euler_angles(joint.zero);
      }
    }
    zero_.resize(joints_.size());
    kinematics::joints_forward<double>(subject_.rig, {{}, angles, translations, scales}, zero_);
    puppet_.base_zero = zero_[at(puppet_.base_joint)];
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const rig::Joint& joint = joints_[j];
      const Mat3d above = joint.parent < 0 ? Mat3d::identity() : zero_[at(joint.parent)].linear;
      PuppetJoint& mapped = puppet_.joints[j];
      mapped.axes = orthonormal(above * joint.parent_from_frame.cast<double>().linear *
                                to_matrix(normalized(joint.rest.rotation.cast<double>())) *
                                to_matrix(normalized(joint.axes.cast<double>())));
      mapped.hinge_axes = mapped.axes;
      if (moves_[j] && !mapped.same_angles) mapped.hinge_axes = mapped.axes * spread_axes(uses_[j].spread);
    }
  }

  Vec3d zero_point(int joint, Vec3 rest_point) const {
    const Affined rest = subject_.rig.world_from_rest()[at(joint)].cast<double>();
    return puppet_.metres * (zero_[at(joint)] * (inverse(rest) * rest_point.cast<double>()));
  }
  Vec3d zero_origin(int joint) const { return puppet_.metres * zero_[at(joint)].translation; }

  /// The joint's own box in its body's frame, with its mass.
  void add_box(const rig::BoneBox& box, int body) {
    const Affined rest = subject_.rig.world_from_rest()[at(box.joint)].cast<double>();
    const Mat3d turn = orthonormal((zero_[at(box.joint)] * inverse(rest)).linear);
    PuppetBox mapped;
    mapped.body = body, mapped.joint = box.joint;
    mapped.centre = zero_point(box.joint, box.centre) - zero_origin(puppet_.body_joints[at(body)]);
    mapped.axes = turn * box.axes.cast<double>();
    mapped.half = puppet_.metres * box.half.cast<double>();
    puppet_.boxes.push_back(mapped);
  }

  void add_bodies() {
    Model& model = puppet_.model;
    std::vector<int> body_of(joints_.size(), 0);
    for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
      const bool base = j == puppet_.base_joint;
      if (!base && !(moves_[at(j)] && j > puppet_.base_joint)) {
        if (j > puppet_.base_joint && joints_[at(j)].parent >= 0) body_of[at(j)] = body_of[at(joints_[at(j)].parent)];
        puppet_.joints[at(j)].body = body_of[at(j)];
        continue;
      }
      BodyT<double> body;
      body.first_hinge = model.hinge_count();
      const int index = model.body_count();
      if (!base) {
        body.parent = body_of[at(joints_[at(j)].parent)];
        body.hinge_count = 3;
        puppet_.joints[at(j)].hinge = body.first_hinge;
        add_hinges(j, zero_origin(j) - zero_origin(puppet_.body_joints[at(body.parent)]));
      }
      body_of[at(j)] = index, puppet_.joints[at(j)].body = index;
      puppet_.body_joints.push_back(j);
      puppet_.body_zero.push_back(zero_[at(j)].linear);
      model.bodies.push_back(body);
    }
    for (const rig::BoneBox& box : boxes_) add_box(box, body_of[at(box.joint)]);
    for (int b = 0; b < model.body_count(); ++b) fill_body(b);
  }

  void add_hinges(int joint, Vec3d offset) {
    const PuppetJoint& mapped = puppet_.joints[at(joint)];
    const JointUse& use = uses_[at(joint)];
    const rig::JointLimits& limits = joints_[at(joint)].limits;
    const double handed = determinant(mapped.hinge_axes) < 0 ? -1 : 1;
    for (int k = 0; k < 3; ++k) {
      HingeT<double> hinge;
      hinge.axis = handed * mapped.hinge_axes.column(k);
      if (k == 0) hinge.offset = offset;
      if (mapped.same_angles) {
        // What the motion does must be possible.
        constexpr double kMargin = 0.05;
        hinge.lower = std::min(double(limits.lower[k]), use.lower[k] - kMargin);
        hinge.upper = std::max(double(limits.upper[k]), use.upper[k] + kMargin);
      }
      puppet_.model.hinges.push_back(hinge);
    }
  }

  /// Mass, centre and inertia from the body's boxes; contact points from their skin.
  void fill_body(int index) {
    Model& model = puppet_.model;
    BodyT<double>& body = model.bodies[at(index)];
    const double least = kLeastMass * total_mass_;
    body.mass = 0, body.first_point = static_cast<int>(model.points.size());
    const auto box_mass = [&](const PuppetBox& box) {
      return settings_.density * settings_.fill * 8 * box.half.x * box.half.y * box.half.z;
    };
    for (const PuppetBox& box : puppet_.boxes) {
      if (box.body != index) continue;
      body.mass += box_mass(box), body.centre += box_mass(box) * box.centre;
    }
    if (body.mass > 0) body.centre = body.centre / body.mass;
    for (const PuppetBox& box : puppet_.boxes) {
      if (box.body != index) continue;
      const double mass = box_mass(box);
      const Vec3d s = scaled(box.half, box.half), arm = box.centre - body.centre;
      const SymmetricT<double> own{mass / 3 * (s.y + s.z), 0, 0, mass / 3 * (s.x + s.z), 0, mass / 3 * (s.x + s.y)};
      body.inertia += inertia_at(mass, arm, rotated(box.axes, own)).rotation;
    }
    for (const rig::BoneBox& box : boxes_) {
      if (puppet_.joints[at(box.joint)].body != index) continue;
      const Vec3d origin = zero_origin(puppet_.body_joints[at(index)]);
      const Affined rest = inverse(subject_.rig.world_from_rest()[at(box.joint)].cast<double>());
      for (const Vec3& p : box.touching) {
        model.points.push_back(zero_point(box.joint, p) - origin);
        puppet_.point_joints.push_back(box.joint);
        puppet_.joint_points.push_back((rest * p.cast<double>()).cast<float>());
      }
    }
    body.point_count = static_cast<int>(model.points.size()) - body.first_point;
    // Thin or empty bones must not make the system stiff.
    body.mass = std::max(body.mass, least);
    const double round = body.mass * std::pow(0.02 * puppet_.metres, 2);
    body.inertia.xx += round, body.inertia.yy += round, body.inertia.zz += round;
  }

  /// Gains that suit the body: enough to carry it, less for the twigs.
  void set_drives() {
    Model& model = puppet_.model;
    const double mass = model.total_mass(), height = puppet_.metres;
    for (int b = 1; b < model.body_count(); ++b) {
      const BodyT<double>& body = model.bodies[at(b)];
      const double share = std::max(twig_mass_[at(puppet_.body_joints[at(b)])] / total_mass_, 1e-4);
      const double stiffness = settings_.gain * 0.6 * mass * kGravity * height * std::pow(share, 0.25);
      for (int h = body.first_hinge; h < body.first_hinge + body.hinge_count; ++h) {
        HingeT<double>& hinge = model.hinges[at(h)];
        hinge.stiffness = stiffness;
        hinge.damping = 0.05 * std::sqrt(height) * stiffness;
        hinge.limit_stiffness = 5 * stiffness;
      }
    }
  }

  void set_ground() {
    Model& model = puppet_.model;
    const double height = puppet_.metres, speed = std::sqrt(kGravity * height);
    model.contact.stiffness = model.total_mass() * kGravity / (4 * 0.001 * height);
    model.contact.softness = 0.001 * height;
    model.contact.damping_speed = 0.02 * speed;
    model.contact.friction = settings_.friction;
    model.contact.stick_speed = 0.003 * speed;
  }

  const rig::Subject& subject_;
  const Motion& motion_;
  const PuppetSettings& settings_;
  std::span<const rig::Joint> joints_;
  std::vector<rig::BoneBox> boxes_;
  std::vector<double> mass_, twig_mass_, reach_, lowest_;
  double total_mass_ = 0;
  std::vector<bool> moves_;
  std::vector<JointUse> uses_;
  std::vector<Affined> zero_;
  Puppet puppet_;
};

/// Rotation of the rig's joint from the angles of its hinges, and back.
Mat3d rig_rotation(const PuppetJoint& joint, Vec3d hinge_angles) {
  const Mat3d change = transposed(joint.axes) * joint.hinge_axes;
  return change * euler_matrix(hinge_angles) * transposed(change) * joint.zero;
}
Vec3d hinge_angles(const PuppetJoint& joint, const Mat3d& rotation, Vec3d previous) {
  const Mat3d change = transposed(joint.axes) * joint.hinge_axes;
  return euler_angles(transposed(change) * rotation * transposed(joint.zero) * change, previous);
}

}  // namespace

Result<Puppet> make_puppet(const rig::Subject& subject, const Motion& motion, const PuppetSettings& settings) {
  return Builder(subject, motion, settings).build();
}

std::vector<double> positions_from_motion(const Puppet& puppet, const rig::Subject& subject, const Motion& motion) {
  const std::size_t stride = puppet.model.position_count();
  std::vector<double> positions(static_cast<std::size_t>(motion.frame_count()) * stride);
  kinematics::FrameBufferT<double> buffer;
  std::vector<Affined> world(subject.rig.joints().size());
  for (int f = 0; f < motion.frame_count(); ++f) {
    const auto frame = kinematics::motion_frame<double>(subject.rig, motion, f, buffer);
    kinematics::joints_forward<double>(subject.rig, frame, world);
    double* q = positions.data() + at(f) * stride;
    const Affined& base = world[at(puppet.base_joint)];
    const Quatd turn = to_quat(orthonormal(base.linear * inverse(puppet.base_zero.linear)));
    for (int k = 0; k < 3; ++k) q[k] = puppet.metres * base.translation[k];
    // The quaternion's sign continues, too.
    double sign = 1;
    if (f > 0 && dot(turn, Quatd{q[3 - static_cast<long>(stride)], q[4 - static_cast<long>(stride)],
                                 q[5 - static_cast<long>(stride)], q[6 - static_cast<long>(stride)]}) < 0) {
      sign = -1;
    }
    for (int k = 0; k < 4; ++k) q[3 + k] = sign * turn[k];
    for (std::size_t j = 0; j < puppet.joints.size(); ++j) {
      const PuppetJoint& joint = puppet.joints[j];
      if (joint.hinge < 0) continue;
      double* angles = q + 7 + joint.hinge;
      Vec3d value = frame.angles[j];
      if (!joint.same_angles) {
        Vec3d previous;
        if (f > 0)
          previous = {angles[-static_cast<long>(stride)], angles[1 - static_cast<long>(stride)],
                      angles[2 - static_cast<long>(stride)]};
        value = hinge_angles(joint, euler_matrix(value), previous);
      }
      for (int k = 0; k < 3; ++k) angles[k] = value[k];
    }
  }
  return positions;
}

namespace {

/// Turns and moves the base of one frame to where the model's root is; the root's translation takes up the difference.
void place_base(const Puppet& puppet, const rig::Subject& subject, std::span<const double> q, int frame,
                Motion& motion) {
  const rig::Rig& rig = subject.rig;
  kinematics::FrameBufferT<double> buffer;
  std::vector<Affined> world(rig.joints().size());
  kinematics::joints_forward<double>(rig, kinematics::motion_frame<double>(rig, motion, frame, buffer), world);
  const rig::Joint& joint = rig.joints()[at(puppet.base_joint)];
  const Mat3d above = joint.parent < 0 ? Mat3d::identity() : world[at(joint.parent)].linear;
  const Mat3d axes = to_matrix(normalized(joint.axes.cast<double>()));
  const Mat3d before = orthonormal(above * joint.parent_from_frame.cast<double>().linear *
                                   to_matrix(normalized(joint.rest.rotation.cast<double>())) * axes);
  const Mat3d turn = to_matrix(normalized(Quatd{q[3], q[4], q[5], q[6]}));
  const Mat3d wanted = turn * orthonormal(puppet.base_zero.linear);
  // wanted = before E axes^T, up to the signs of a mirroring scale.
  const Mat3d now = orthonormal(world[at(puppet.base_joint)].linear);
  const Vec3d previous = motion.frame_angles(frame)[at(puppet.base_joint)].cast<double>();
  const Mat3d change = wanted * transposed(now);  // in the world
  const Mat3d rotation = transposed(before) * change * before * euler_matrix(previous);
  const int last = std::max(frame - 1, 0);
  const Vec3d near = frame > 0 ? motion.frame_angles(last)[at(puppet.base_joint)].cast<double>() : previous;
  motion.frame_angles(frame)[at(puppet.base_joint)] = euler_angles(rotation, near).cast<float>();
  kinematics::joints_forward<double>(rig, kinematics::motion_frame<double>(rig, motion, frame, buffer), world);
  const Vec3d place = Vec3d{q[0], q[1], q[2]} / puppet.metres;
  Vec3& root = motion.root_translations[at(frame)];
  root = (root.cast<double>() + place - world[at(puppet.base_joint)].translation).cast<float>();
}

/// Where the body is rigid, its bones neither slide nor stretch.
void hold_overrides(const Puppet& puppet, Motion& motion) {
  for (kinematics::JointOverride& o : motion.overrides) {
    if (puppet.joints[at(o.joint)].hinge < 0) continue;
    for (std::vector<Vec3>* values : {&o.translations, &o.scales}) {
      if (values->empty()) continue;
      Vec3d mean;
      for (const Vec3& v : *values) mean += v.cast<double>() / static_cast<double>(values->size());
      std::fill(values->begin(), values->end(), mean.cast<float>());
    }
  }
}

}  // namespace

Motion motion_from_positions(const Puppet& puppet, const rig::Subject& subject, const Motion& like,
                             std::span<const double> positions) {
  const std::size_t stride = puppet.model.position_count();
  LIMBER_EXPECT(positions.size() == static_cast<std::size_t>(like.frame_count()) * stride,
                fmt::format("{} numbers, {} frames of {}", positions.size(), like.frame_count(), stride));
  Motion motion = like;
  hold_overrides(puppet, motion);
  for (int f = 0; f < motion.frame_count(); ++f) {
    const std::span<const double> q = positions.subspan(at(f) * stride, stride);
    for (std::size_t j = 0; j < puppet.joints.size(); ++j) {
      const PuppetJoint& joint = puppet.joints[j];
      if (joint.hinge < 0) continue;
      Vec3d value{q[7 + at(joint.hinge)], q[8 + at(joint.hinge)], q[9 + at(joint.hinge)]};
      const Vec3d previous = motion.frame_angles(std::max(f - 1, 0))[j].cast<double>();
      if (!joint.same_angles) value = euler_angles(rig_rotation(joint, value), previous);
      motion.frame_angles(f)[j] = value.cast<float>();
    }
    place_base(puppet, subject, q, f, motion);
  }
  return motion;
}

}  // namespace limber::physics
