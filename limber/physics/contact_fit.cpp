// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/contact_fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"
#include "limber/physics/dynamics.h"

namespace limber::physics {
namespace {

constexpr double kNearLowest = 0.006;  ///< of the height: skin this near to the lowest is of interest
constexpr double kTolerance = 0.002;   ///< of the height: a point may be this far below the skin
constexpr int kMostPoints = 14;        ///< new ones per body
constexpr int kBatch = 16;             ///< frames skinned at once
constexpr int kMostFrames = 240;       ///< looked at; longer motions are sampled

/// Where a vertex was, on average over the frames in which it was low.
struct Candidate {
  int body = 0;
  Vec3d place;  ///< sum, in the body's frame
  int count = 0;
};

class ContactFit {
 public:
  ContactFit(const rig::Subject& subject, const kinematics::Motion& motion, Puppet& puppet)
      : subject_(subject), puppet_(puppet), model_(puppet.model) {
    sample(motion);
    find_owners();
  }

  void run() {
    positions_ = positions_from_motion(puppet_, subject_, motion_);
    clearance_.assign(model_.points.size(), 1e9);
    for (int f = 0; f < motion_.frame_count(); f += kBatch) look(f, std::min(kBatch, motion_.frame_count() - f));
    rebuild();
  }

 private:
  void sample(const kinematics::Motion& motion) {
    const int step = (motion.frame_count() + kMostFrames - 1) / kMostFrames;
    motion_.joint_count = motion.joint_count, motion_.overrides = motion.overrides;
    for (kinematics::JointOverride& o : motion_.overrides) o.translations.clear(), o.scales.clear();
    for (int f = 0; f < motion.frame_count(); f += std::max(step, 1)) {
      motion_.root_translations.push_back(motion.root_translations[at(f)]);
      const std::span<const Vec3> angles = motion.frame_angles(f);
      motion_.angles.insert(motion_.angles.end(), angles.begin(), angles.end());
      for (std::size_t k = 0; k < motion.overrides.size(); ++k) {
        const kinematics::JointOverride& from = motion.overrides[k];
        if (!from.translations.empty()) motion_.overrides[k].translations.push_back(from.translations[at(f)]);
        if (!from.scales.empty()) motion_.overrides[k].scales.push_back(from.scales[at(f)]);
      }
    }
  }

  /// The body that moves most of each vertex.
  void find_owners() {
    const auto stride = static_cast<std::size_t>(subject_.weights.stride);
    for (std::size_t p = 0; p < subject_.points.size(); ++p) {
      // Slots are heaviest first.
      const std::size_t bone = subject_.weights.bones[p * stride];
      owners_.push_back(puppet_.joints[at(subject_.rig.bones()[bone].joint)].body);
    }
  }

  void look(int first, int count) {
    kinematics::Motion part;
    part.joint_count = motion_.joint_count;
    const auto begin = motion_.angles.begin() + static_cast<std::ptrdiff_t>(first) * motion_.joint_count;
    part.root_translations.assign(motion_.root_translations.begin() + first,
                                  motion_.root_translations.begin() + first + count);
    part.angles.assign(begin, begin + static_cast<std::ptrdiff_t>(count) * motion_.joint_count);
    for (const kinematics::JointOverride& o : motion_.overrides) {
      const auto cut = [&](const std::vector<Vec3>& v) {
        return v.empty() ? v : std::vector<Vec3>(v.begin() + first, v.begin() + first + count);
      };
      part.overrides.push_back({o.joint, cut(o.translations), cut(o.scales)});
    }
    const std::vector<Affine> bones = kinematics::bone_matrices(subject_.rig, part);
    skin_.resize(at(count) * subject_.points.size());
    kinematics::SkinInput input;
    input.weights = &subject_.weights, input.points = subject_.points, input.bones = bones;
    input.bone_count = subject_.rig.bone_count(), input.frame_count = count;
    kinematics::SkinOutput output;
    output.points = skin_;
    kinematics::skin_forward(input, output);
    for (int k = 0; k < count; ++k)
      look_at(first + k, std::span(skin_).subspan(at(k) * owners_.size(), owners_.size()));
  }

  void look_at(int frame, std::span<const Vec3> skin) {
    const std::size_t stride = model_.position_count();
    Workspace work(model_);
    std::vector<Affined> poses(model_.bodies.size());
    body_poses<double>(model_, work, std::span<const double>(positions_).subspan(at(frame) * stride, stride), poses);
    double lowest = 1e9;
    for (const Vec3& p : skin) lowest = std::min(lowest, double(p.y));
    if (!std::isfinite(lowest)) return;
    for (std::size_t p = 0; p < skin.size(); ++p) {
      if (!(skin[p].y < lowest + kNearLowest)) continue;
      Candidate& candidate = candidates_[p];
      const Affined& pose = poses[at(owners_[p])];
      candidate.body = owners_[p];
      candidate.place += transposed(pose.linear) * (puppet_.metres * skin[p].cast<double>() - pose.translation);
      ++candidate.count;
    }
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      const BodyT<double>& body = model_.bodies[b];
      for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
        const double height = (poses[b] * model_.points[at(p)]).y / puppet_.metres;
        clearance_[at(p)] = std::min(clearance_[at(p)], height - lowest);
      }
    }
  }

  /// The candidates of one body, farthest from each other first.
  std::vector<Vec3d> choose(int body) const {
    std::vector<Vec3d> places, chosen;
    for (const auto& [vertex, candidate] : candidates_) {
      if (candidate.body == body) places.push_back(candidate.place / static_cast<double>(candidate.count));
    }
    if (places.empty()) return {};
    std::vector<double> distance(places.size(), 1e18);
    std::size_t next = 0;
    while (chosen.size() < at(kMostPoints)) {
      chosen.push_back(places[next]);
      for (std::size_t k = 0; k < places.size(); ++k) {
        distance[k] = std::min(distance[k], norm(places[k] - chosen.back()));
      }
      next = static_cast<std::size_t>(std::max_element(distance.begin(), distance.end()) - distance.begin());
      if (distance[next] < 0.004 * puppet_.metres) break;
    }
    return chosen;
  }

  void rebuild() {
    std::vector<Vec3d> points;
    std::vector<int> joints;
    std::vector<Vec3> places;
    for (int b = 0; b < model_.body_count(); ++b) {
      BodyT<double>& body = model_.bodies[at(b)];
      const int old_first = body.first_point, old_count = body.point_count;
      body.first_point = static_cast<int>(points.size());
      for (int p = old_first; p < old_first + old_count; ++p) {
        Vec3d place = model_.points[at(p)];
        const double below = puppet_.metres * (-kTolerance - clearance_[at(p)]);
        if (below > 0) {
          // The skin bends away here: draw the point in.
          const Vec3d arm = place - body.centre;
          place = body.centre + std::max(0.3, 1 - below / std::max(norm(arm), 1e-9)) * arm;
        }
        points.push_back(place);
        joints.push_back(below > 0 ? puppet_.body_joints[at(b)] : puppet_.point_joints[at(p)]);
        places.push_back(below > 0 ? in_joint(b, place) : puppet_.joint_points[at(p)]);
      }
      for (const Vec3d& place : choose(b)) {
        points.push_back(place);
        joints.push_back(puppet_.body_joints[at(b)]);
        places.push_back(in_joint(b, place));
      }
      body.point_count = static_cast<int>(points.size()) - body.first_point;
    }
    model_.points = std::move(points);
    puppet_.point_joints = std::move(joints), puppet_.joint_points = std::move(places);
  }

  /// A place in a body's frame, in the frame of the body's joint.
  Vec3 in_joint(int body, Vec3d place) const {
    const Mat3d zero = puppet_.joints[at(puppet_.body_joints[at(body)])].zero.linear;
    return (inverse(zero) * (place / puppet_.metres)).cast<float>();
  }

  const rig::Subject& subject_;
  Puppet& puppet_;
  Model& model_;
  kinematics::Motion motion_;
  std::vector<int> owners_;
  std::vector<double> positions_;
  std::vector<Vec3> skin_;
  std::map<std::size_t, Candidate> candidates_;
  std::vector<double> clearance_;
};

}  // namespace

void fit_contacts(const rig::Subject& subject, const kinematics::Motion& motion, Puppet& puppet) {
  ContactFit(subject, motion, puppet).run();
}

}  // namespace limber::physics
