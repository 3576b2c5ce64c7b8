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
#include "limber/physics/puppet_turn.h"
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
constexpr double kLoose = 0.015;  ///< of the height: a bone that slides so far in its parent's frame hangs elsewhere
constexpr double kStillJoint = 0.005;  ///< radians: a joint without skin that turns less than this is welded

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// What a motion does with one joint.
struct JointUse {
  Mat3d mean = Mat3d::identity();  ///< average rotation
  double range = 0;                ///< largest angle from it
  double middle = 0;               ///< largest absolute middle angle
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
    world_ = kinematics::joint_matrices(subject_.rig, motion_);
    adopt();
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
  Affined world(int frame, int joint) const { return world_[at(frame) * joints_.size() + at(joint)].cast<double>(); }

  /// How far joint `j` moves about in the frame of joint `k`, in heights.
  double looseness(int j, int k) const {
    Vec3d mean;
    std::vector<Vec3d> places;
    for (int f = 0; f < motion_.frame_count(); ++f) {
      const Affined parent = world(f, k);
      places.push_back(transposed(orthonormal(parent.linear)) * (world(f, j).translation - parent.translation));
      mean += places.back() / static_cast<double>(motion_.frame_count());
    }
    double worst = 0;
    for (const Vec3d& p : places) worst = std::max(worst, norm(p - mean));
    return worst;
  }

  /// Hangs bones that slide about in their parent's frame on the nearest bone that carries them firmly.
  void adopt() {
    const int count = static_cast<int>(joints_.size());
    for (const rig::Joint& joint : joints_) parent_.push_back(joint.parent);
    std::vector<bool> fleshy(at(count), false);
    for (const rig::BoneBox& box : boxes_) fleshy[at(box.joint)] = true;
    for (const kinematics::JointOverride& o : motion_.overrides) {
      const int j = o.joint;
      if (o.translations.empty() || parent_[at(j)] < 0 || !fleshy[at(j)]) continue;
      const double loose = looseness(j, parent_[at(j)]);
      if (loose < kLoose) continue;
      int best = -1;
      double least = loose / 2;
      for (int k = 0; k < count; ++k) {
        if (!fleshy[at(k)] || descends(k, j)) continue;
        const double far = norm(world(0, k).translation - world(0, j).translation);
        const double score = looseness(j, k) + 0.02 * far;
        if (score < least) least = score, best = k;
      }
      if (best < 0) continue;
      parent_[at(j)] = best;
      puppet_.notes.push_back(
          fmt::format("'{}' is hung on '{}', which it moves with", joints_[at(j)].name, joints_[at(best)].name));
    }
    // Parents first.
    std::vector<std::vector<int>> children(at(count));
    for (int j = 1; j < count; ++j) children[at(parent_[at(j)])].push_back(j);
    order_ = {0};
    for (std::size_t k = 0; k < order_.size(); ++k) {
      order_.insert(order_.end(), children[at(order_[k])].begin(), children[at(order_[k])].end());
    }
  }

  bool descends(int joint, int from) const {
    for (; joint >= 0; joint = parent_[at(joint)]) {
      if (joint == from) return true;
    }
    return false;
  }

  /// How hard the motion accelerates the body, heights / s^2: root mean square for the first joint with flesh.
  double acceleration() const {
    const auto place = [&](int f) { return world(f, puppet_.base_joint).translation; };
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
        for (int j = box.joint; j >= 0; j = parent_[at(j)]) {
          reach_[at(j)] = std::max(reach_[at(j)], double(norm(p - rest[at(j)].translation)));
          lowest_[at(j)] = std::min(lowest_[at(j)], double(p.y));
        }
      }
    }
    for (std::size_t k = count; k-- > 1;) twig_mass_[at(parent_[at(order_[k])])] += twig_mass_[at(order_[k])];
  }

  /// The first joint with flesh of its own or with more than one fleshy child.
  void find_base() {
    int base = 0;
    for (;;) {
      if (mass_[at(base)] > 0.005 * total_mass_) break;
      int only = -1, fleshy = 0;
      for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
        if (parent_[at(j)] == base && twig_mass_[at(j)] > 0.005 * total_mass_) only = j, ++fleshy;
      }
      if (fleshy != 1) break;
      base = only;
    }
    puppet_.base_joint = base;
  }

  bool below_base(int joint) const { return joint != puppet_.base_joint && descends(joint, puppet_.base_joint); }

  void choose_joints() {
    const int count = static_cast<int>(joints_.size());
    moves_.assign(at(count), false);
    for (int j = 0; j < count; ++j) uses_.push_back(joint_use(motion_, j));
    int bodies = 1, welded = 0;
    for (int j = 0; j < count; ++j) {
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

  /// Poses the rig as it is where all hinges are at zero: where the rig's own angles serve, at rest; else in the middle
  /// of what the motion does.
  void pose_zero() {
    std::vector<Vec3d> angles(joints_.size()), translations, scales;
    average_overrides(translations, scales);
    puppet_.joints.resize(joints_.size());
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const int index = static_cast<int>(j);
      if (!below_base(index)) continue;
      PuppetJoint& joint = puppet_.joints[j];
      joint.adopted = parent_[j] != joints_[j].parent;
      joint.same_angles = moves_[j] && !joint.adopted && uses_[j].middle < kGimbalMargin && firm_parent(index);
      if (!joint.same_angles) angles[j] = euler_angles(uses_[j].mean);
    }
    std::vector<Affined> posed(joints_.size());
    kinematics::joints_forward<double>(subject_.rig, {{}, angles, translations, scales}, posed);
    for (const int j : order_) {
      Affined& zero = puppet_.joints[at(j)].zero;
      const int parent = parent_[at(j)];
      if (parent < 0) {
        zero = posed[at(j)];
      } else if (puppet_.joints[at(j)].adopted) {
        zero = adopted_zero(j, parent);
      } else {
        zero = puppet_.joints[at(parent)].zero * (inverse(posed[at(parent)]) * posed[at(j)]);
      }
    }
    for (int j = 0; j < static_cast<int>(joints_.size()); ++j) choose_axes(j);
  }

  /// Whether all joints between this one and the body above it keep still: only then do its angles tell all.
  bool firm_parent(int joint) const {
    for (int j = parent_[at(joint)]; j >= 0 && j != puppet_.base_joint && !moves_[at(j)]; j = parent_[at(j)]) {
      if (uses_[at(j)].range > kStillJoint) return false;
    }
    return true;
  }

  /// Where an adopted joint is, on average, seen from its new parent.
  Affined adopted_zero(int joint, int parent) const {
    Vec3d place;
    Quatd sum{0, 0, 0, 0};
    for (int f = 0; f < motion_.frame_count(); ++f) {
      const Affined above = world(f, parent), own = world(f, joint);
      const Mat3d turn = transposed(orthonormal(above.linear));
      place += turn * (own.translation - above.translation) / static_cast<double>(motion_.frame_count());
      const Quatd q = to_quat(proper(turn * orthonormal(own.linear)));
      const double sign = dot(sum, q) < 0 ? -1 : 1;
      for (int k = 0; k < 4; ++k) sum[k] += sign * q[k];
    }
    // The joint's own scale and mirror, from its first frame.
    const Mat3d first = world(0, joint).linear;
    const Mat3d stretch = transposed(proper(orthonormal(first))) * first;
    const Affined& above = puppet_.joints[at(parent)].zero;
    const Mat3d frame = orthonormal(above.linear);
    return {proper(frame * to_matrix(normalized(sum))) * stretch, above.translation + frame * place};
  }

  /// The rig's own axes where its angles serve; else along what the joint does, far from the gimbal.
  void choose_axes(int j) {
    PuppetJoint& mapped = puppet_.joints[at(j)];
    if (!moves_[at(j)]) return;
    if (mapped.same_angles) {
      const rig::Joint& joint = joints_[at(j)];
      mapped.hinge_axes = orthonormal(
          puppet_.joints[at(joint.parent)].zero.linear * joint.parent_from_frame.cast<double>().linear *
          to_matrix(normalized(joint.rest.rotation.cast<double>())) * to_matrix(normalized(joint.axes.cast<double>())));
      return;
    }
    SymmetricT<double> spread;
    for (int f = 0; f < motion_.frame_count(); ++f) {
      const Mat3d above = world_turn(puppet_, carrier(j), world(f, carrier(j)));
      const Mat3d own = world_turn(puppet_, j, world(f, j));
      add_outer(spread, 1.0, rotation_vector(to_quat(transposed(above) * own)));
    }
    mapped.hinge_axes = spread_axes(spread);
  }

  /// The joint of the body that carries joint `j`.
  int carrier(int j) const {
    for (j = parent_[at(j)]; j != puppet_.base_joint && !moves_[at(j)];) j = parent_[at(j)];
    return j;
  }

  Vec3d zero_point(int joint, Vec3 rest_point) const {
    const Affined rest = subject_.rig.world_from_rest()[at(joint)].cast<double>();
    return puppet_.metres * (puppet_.joints[at(joint)].zero * (inverse(rest) * rest_point.cast<double>()));
  }
  Vec3d zero_origin(int joint) const { return puppet_.metres * puppet_.joints[at(joint)].zero.translation; }

  /// The joint's own box in its body's frame, with its mass.
  void add_box(const rig::BoneBox& box, int body) {
    const Affined rest = subject_.rig.world_from_rest()[at(box.joint)].cast<double>();
    const Mat3d turn = orthonormal((puppet_.joints[at(box.joint)].zero * inverse(rest)).linear);
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
    for (const int j : order_) {
      const bool base = j == puppet_.base_joint;
      if (!base && !moves_[at(j)]) {
        if (below_base(j)) body_of[at(j)] = body_of[at(parent_[at(j)])];
        puppet_.joints[at(j)].body = body_of[at(j)];
        continue;
      }
      BodyT<double> body;
      body.first_hinge = model.hinge_count();
      if (!base) {
        body.parent = body_of[at(parent_[at(j)])];
        body.hinge_count = 3;
        puppet_.joints[at(j)].hinge = body.first_hinge;
        add_hinges(j, zero_origin(j) - zero_origin(puppet_.body_joints[at(body.parent)]));
      }
      body_of[at(j)] = puppet_.joints[at(j)].body = model.body_count();
      puppet_.body_joints.push_back(j);
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
      const double stiffness = settings_.gain * 1.5 * mass * kGravity * height * std::pow(share, 0.25);
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
  std::vector<Affine> world_;  ///< of the motion: frames x joints
  std::vector<int> parent_;    ///< per joint: what it hangs on in the model
  std::vector<int> order_;     ///< joints, those parents first
  Puppet puppet_;
};

}  // namespace

Result<Puppet> make_puppet(const rig::Subject& subject, const Motion& motion, const PuppetSettings& settings) {
  return Builder(subject, motion, settings).build();
}

}  // namespace limber::physics
