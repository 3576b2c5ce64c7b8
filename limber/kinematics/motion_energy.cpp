// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/motion_energy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/threads.h"

namespace limber::kinematics {
namespace {

/// One unknown over time: every `stride`-th number of an array of vectors.
template <class Vector>
struct Track {
  Vector* values;
  std::size_t stride;
  int axis;
  auto& operator[](int frame) const { return values[at(frame) * stride][axis]; }
};

/// Weights of three frames.
struct Stencil {
  std::array<int, 3> frames;
  std::array<double, 3> weights;
};

/// The second difference around `frame`, over the seam of a loop where it must. `lap`: whether the value goes on by its
/// mean pace from the last frame to the first, as the root's path over the ground does.
Stencil second_difference(int frame, int frames, bool lap) {
  const int last = frames - 1;
  const double pace =
      lap ? 1.0 / last : 0;  // of the way from the first frame to the last, from the last on to the next
  if (frame == 0) return {{last, 0, 1}, {lap ? -pace : 1, lap ? pace - 1 : -2, 1}};
  if (frame == last) return {{last - 1, last, 0}, {1, lap ? pace - 1 : -2, lap ? -pace : 1}};
  return {{frame - 1, frame, frame + 1}, {1, -2, 1}};
}

/// Where the seam is crossed, whole turns between the last frame and the first do not count.
double turns_at_seam(double first, double last) { return (last - first) - std::remainder(last - first, 2 * kPi); }

/// Sum of the rounded absolute values of the second differences of one unknown.
double add_roughness(const Track<const Vec3>& track, int frames, bool loops, bool lap, bool angle, double corner,
                     double scale, const Track<Vec3>& gradient) {
  double sum = 0;
  const int last = frames - 1;
  for (int f = loops ? 0 : 1; f < frames - (loops ? 0 : 1); ++f) {
    const Stencil stencil = second_difference(f, frames, lap);
    double x = 0;
    for (std::size_t k = 0; k < 3; ++k) x += stencil.weights[k] * double(track[stencil.frames[k]]);
    if (angle && f == 0) x -= turns_at_seam(double(track[0]), double(track[last]));
    if (angle && f == last) x += turns_at_seam(double(track[0]), double(track[last]));
    const double length = std::hypot(x, corner);
    sum += length - corner;
    if (!(length > 0)) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      gradient[stencil.frames[k]] += static_cast<float>(scale * stencil.weights[k] * x / length);
    }
  }
  return sum;
}

void check_joints(const rig::Rig& rig, const Motion& motion) {
  LIMBER_EXPECT(motion.joint_count == rig.joint_count(),
                std::to_string(motion.joint_count) + " joints of " + std::to_string(rig.joint_count()));
}

}  // namespace

void size_gradient(const Motion& motion, MotionGradient& gradient) {
  const std::size_t frames = motion.root_translations.size();
  LIMBER_EXPECT(motion.angles.size() == frames * at(motion.joint_count),
                std::to_string(motion.angles.size()) + " angles in " + std::to_string(frames) + " frames");
  if (gradient.root_translations.empty()) gradient.root_translations.resize(frames);
  if (gradient.angles.empty()) gradient.angles.resize(motion.angles.size());
  LIMBER_EXPECT(gradient.root_translations.size() == frames && gradient.angles.size() == motion.angles.size(),
                "a gradient of another motion");
}

double SmoothnessEnergy::add(const Motion& motion, double scale, MotionGradient& gradient) const {
  size_gradient(motion, gradient);
  const int frames = motion.frame_count();
  const int terms = motion.loops ? frames : frames - 2;
  if (terms < 1 || frames < 2) return 0;
  const std::size_t joints = at(motion.joint_count);
  const double share = 1.0 / (static_cast<double>(terms) * 3 * static_cast<double>(joints + 1));
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    // The path over the ground continues from lap to lap, the height does not.
    sum += add_roughness({motion.root_translations.data(), 1, k}, frames, motion.loops, motion.loops && k != 1, false,
                         corner_, scale * share, {gradient.root_translations.data(), 1, k});
    for (std::size_t j = 0; j < joints; ++j) {
      sum += add_roughness({motion.angles.data() + j, joints, k}, frames, motion.loops, false, true, corner_,
                           scale * share, {gradient.angles.data() + j, joints, k});
    }
  }
  return share * sum;
}

std::optional<EnergyForm> SmoothnessEnergy::form() const {
  EnergyForm form;
  form.kind = EnergyForm::Kind::kSmooth, form.corner = corner_;
  return form;
}

double LimitEnergy::add(const Motion& motion, double scale, MotionGradient& gradient) const {
  check_joints(rig_, motion);
  size_gradient(motion, gradient);
  const std::size_t joints = at(motion.joint_count), frames = motion.root_translations.size();
  if (joints < 2 || frames == 0) return 0;
  const double share = 1.0 / (3 * static_cast<double>(frames * (joints - 1)));
  double sum = 0;
  for (std::size_t i = 0; i < motion.angles.size(); ++i) {
    if (i % joints == 0) continue;  // the root
    const rig::JointLimits& limits = rig_.joints()[i % joints].limits;
    for (int k = 0; k < 3; ++k) {
      const auto angle = double(motion.angles[i][k]);
      const double beyond = angle - std::clamp(angle, double(limits.lower[k]), double(limits.upper[k]));
      sum += beyond * beyond;
      gradient.angles[i][k] += static_cast<float>(scale * share * 2 * beyond);
    }
  }
  return share * sum;
}

std::optional<EnergyForm> LimitEnergy::form() const {
  EnergyForm form;
  form.kind = EnergyForm::Kind::kLimits;
  for (const rig::Joint& joint : rig_.joints()) form.limits.push_back(joint.limits);
  return form;
}

GroundEnergy::GroundEnergy(rig::Rig rig, const std::vector<rig::BoneBox>& boxes) : rig_(std::move(rig)) {
  for (const rig::BoneBox& box : boxes) {
    LIMBER_EXPECT(box.joint >= 0 && box.joint < rig_.joint_count(), "a box of joint " + std::to_string(box.joint));
    const Affined joint_from_world = inverse(rig_.world_from_rest()[at(box.joint)].cast<double>());
    std::vector<Vec3d> points;
    for (const Vec3& corner : box.corners()) points.push_back(joint_from_world * corner.cast<double>());
    joints_.push_back(box.joint);
    points_.push_back(std::move(points));
  }
}

double GroundEnergy::add_frame(const Motion& motion, int frame, double scale, MotionGradient& gradient) const {
  const std::size_t joints = rig_.joints().size();
  FrameBufferT<double> buffer;
  const FrameT<double> pose = motion_frame(rig_, motion, frame, buffer);
  std::vector<Affined> world(joints), grad_world;
  joints_forward<double>(rig_, pose, world);
  double depth = 0;
  for (std::size_t b = 0; b < points_.size(); ++b) {
    const std::size_t joint = at(joints_[b]);
    for (const Vec3d& point : points_[b]) {
      const double y = (world[joint] * point).y;
      if (!(y < 0)) continue;
      depth -= y;
      if (grad_world.empty()) grad_world.assign(joints, {Mat3d{}, {}});
      const Vec3d slope{0, -scale, 0};
      grad_world[joint].linear += outer(slope, point);
      grad_world[joint].translation += slope;
    }
  }
  if (grad_world.empty()) return depth;
  Vec3d grad_root;
  std::vector<Vec3d> grad_angles(joints);
  joints_backward<double>(rig_, pose, world, {}, grad_world, grad_root, grad_angles);
  gradient.root_translations[at(frame)] += grad_root.cast<float>();
  for (std::size_t j = 0; j < joints; ++j) gradient.angles[at(frame) * joints + j] += grad_angles[j].cast<float>();
  return depth;
}

double GroundEnergy::add(const Motion& motion, double scale, MotionGradient& gradient) const {
  check_joints(rig_, motion);
  size_gradient(motion, gradient);
  std::vector<double> depths(motion.root_translations.size());
  std::size_t corners = 0;
  for (const std::vector<Vec3d>& points : points_) corners += points.size();
  if (corners == 0 || depths.empty()) return 0;
  const double share = 1.0 / static_cast<double>(corners * depths.size());
  const auto add_frames = [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) {
      depths[f] = add_frame(motion, static_cast<int>(f), scale * share, gradient);
    }
  };
  parallel_for(depths.size(), 1, std::ref(add_frames));
  double sum = 0;
  for (const double depth : depths) sum += depth;
  return share * sum;
}

std::optional<EnergyForm> GroundEnergy::form() const {
  EnergyForm form;
  form.kind = EnergyForm::Kind::kGround;
  for (std::size_t b = 0; b < points_.size(); ++b) {
    for (const Vec3d& point : points_[b]) form.joints.push_back(joints_[b]), form.points.push_back(point);
  }
  return form;
}

}  // namespace limber::kinematics
