// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/clip.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "limber/asset/pose.h"
#include "limber/base/at.h"
#include "limber/base/expect.h"

namespace limber::kinematics {
namespace {

constexpr double kMaxJointPoses = 1e7;

Quatd unit(Quat q) { return normalized(q.cast<double>()); }

Affined rest_frame(const rig::Joint& joint) { return joint.parent_from_frame.cast<double>(); }

/// The clip's channels of one node.
struct NodeChannels {
  const asset::Channel* translation = nullptr;
  const asset::Channel* rotation = nullptr;
  const asset::Channel* scale = nullptr;
};

std::vector<NodeChannels> channels_by_node(const asset::Asset& asset, const asset::Clip& clip) {
  std::vector<NodeChannels> result(asset.nodes.size());
  for (const asset::Channel& channel : clip.channels) {
    if (channel.node < 0 || channel.times.empty()) continue;
    NodeChannels& node = result[at(channel.node)];
    if (channel.path == asset::Path::kTranslation) node.translation = &channel;
    if (channel.path == asset::Path::kRotation) node.rotation = &channel;
    if (channel.path == asset::Path::kScale) node.scale = &channel;
  }
  return result;
}

Vec3d sample_vector(const asset::Channel& channel, double time) {
  const std::vector<double> value = asset::sample(channel, time);
  return {value[0], value[1], value[2]};
}

/// What every joint does: per frame, frame_from_joint.
class Sampler {
 public:
  Sampler(const asset::Asset& asset, const asset::Clip& clip, const rig::Subject& subject)
      : asset_(asset),
        clip_(clip),
        joints_(subject.rig.joints()),
        links_(rig::node_links(asset, subject)),
        channels_(channels_by_node(asset, clip)),
        subject_from_asset_(inverse(rig::asset_from_subject(subject))),
        world_(joints_.size()) {
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      all_native_ = all_native_ && (links_[j].native || joints_[j].node < 0);
      rest_.push_back(joints_[j].rest.cast<double>());
      rest_.back().rotation = unit(joints_[j].rest.rotation);
    }
  }

  /// Appends one transform per joint.
  void sample(double time, std::vector<Transformd>& locals) {
    std::optional<asset::NodeState> state;
    if (!all_native_) state = asset::clip_state(asset_, clip_, time);
    const std::size_t first = locals.size();
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const int parent = joints_[j].parent;
      Affined frame = rest_frame(joints_[j]);
      if (parent >= 0) frame = world_[at(parent)] * frame;
      if (joints_[j].node < 0) {
        locals.push_back(rest_[j]);
      } else if (links_[j].native) {
        locals.push_back(native(j, time));
      } else {
        // A joint above that is scaled to nothing hides everything below: any transform will do, so keep the last.
        const Transformd last = first > 0 ? locals[locals.size() - joints_.size()] : rest_[j];
        locals.push_back(attached(j, frame, state->world_from_node[at(joints_[j].node)], last));
      }
      world_[j] = frame * to_affine(locals.back());
    }
  }

 private:
  Transformd native(std::size_t j, double time) const {
    Transformd local = rest_[j];
    const NodeChannels& channels = channels_[at(joints_[j].node)];
    if (channels.translation) local.translation = sample_vector(*channels.translation, time);
    if (channels.scale) local.scale = sample_vector(*channels.scale, time);
    if (channels.rotation) {
      const std::vector<double> q = asset::sample(*channels.rotation, time);
      local.rotation = {q[0], q[1], q[2], q[3]};
    }
    return local;
  }

  Transformd attached(std::size_t j, const Affined& frame, const Affined& world_from_node,
                      const Transformd& last) const {
    const double volume = norm(frame.linear.column(0)) * norm(frame.linear.column(1)) * norm(frame.linear.column(2));
    if (!(std::abs(determinant(frame.linear)) > 1e-9 * volume)) return last;
    const Affined world_from_joint = subject_from_asset_ * world_from_node * inverse(links_[j].joint_from_node);
    return decompose_like(inverse(frame) * world_from_joint, rest_[j].scale);
  }

  const asset::Asset& asset_;
  const asset::Clip& clip_;
  std::span<const rig::Joint> joints_;
  std::vector<rig::NodeLink> links_;
  std::vector<NodeChannels> channels_;
  Affined subject_from_asset_;
  std::vector<Affined> world_;
  std::vector<Transformd> rest_;
  bool all_native_ = true;
};

bool differs(Vec3d a, Vec3d b, double tolerance) { return norm(a - b) > tolerance * std::max(norm(a), norm(b)); }

/// Whether the last of `frames` frames is the first again, closely enough to be left out.
bool is_loop(const rig::Rig& rig, std::span<const Transformd> locals, int frames) {
  if (frames < 2) return false;
  const std::size_t count = rig.joints().size(), last = static_cast<std::size_t>(frames - 1) * count;
  for (std::size_t j = 0; j < count; ++j) {
    const Transformd &a = locals[j], &b = locals[last + j];
    if (angle_between(a.rotation, b.rotation) > 5e-5 || differs(a.scale, b.scale, 1e-5)) return false;
    // In the subject's units: translations may be near zero, or in millimetres.
    const rig::Joint& joint = rig.joints()[j];
    Mat3d world = joint.parent_from_frame.linear.cast<double>();
    if (joint.parent >= 0) world = rig.world_from_rest()[at(joint.parent)].linear.cast<double>() * world;
    if (norm(world * (a.translation - b.translation)) > 1e-5) return false;
  }
  return true;
}

/// Translations and scales of a joint where they are not those at rest.
std::optional<JointOverride> find_override(const rig::Joint& joint, int index, std::span<const Transformd> locals,
                                           std::size_t count, int frames) {
  const Vec3d rest_translation = joint.rest.translation.cast<double>(), rest_scale = joint.rest.scale.cast<double>();
  bool translates = false, scales = false;
  for (int f = 0; f < frames; ++f) {
    const Transformd& local = locals[at(f) * count + at(index)];
    translates = translates || differs(local.translation, rest_translation, 1e-6);
    scales = scales || differs(local.scale, rest_scale, 1e-6);
  }
  if (index == 0) translates = false;  // the root's is Motion::root_translations
  if (!translates && !scales) return std::nullopt;
  JointOverride result;
  result.joint = index;
  for (int f = 0; f < frames; ++f) {
    const Transformd& local = locals[at(f) * count + at(index)];
    if (translates) result.translations.push_back(local.translation.cast<float>());
    if (scales) result.scales.push_back(local.scale.cast<float>());
  }
  return result;
}

}  // namespace

Transformd decompose_like(const Affined& matrix, Vec3d like) {
  const Vec3d signs{std::copysign(1.0, like.x), std::copysign(1.0, like.y), std::copysign(1.0, like.z)};
  Transformd transform = decompose(Affined{matrix.linear * Mat3d::diagonal(signs), matrix.translation});
  transform.scale = scaled(transform.scale, signs);
  return transform;
}

Result<Motion> motion_from_clip(const asset::Asset& asset, const asset::Clip& clip, const rig::Subject& subject,
                                double fps) {
  LIMBER_EXPECT(fps > 0 && std::isfinite(fps), std::to_string(fps) + " frames per second");
  const rig::Rig& rig = subject.rig;
  const std::size_t count = rig.joints().size();
  const double steps = std::floor(std::max(clip.duration(), 0.0f) * fps + 0.5);
  if (!(steps * static_cast<double>(count) < kMaxJointPoses)) {
    return Error{"clip '" + clip.name + "' is too long: " + std::to_string(clip.duration()) + " seconds", asset.name};
  }
  int frames = static_cast<int>(steps) + 1;
  std::vector<Transformd> locals;
  locals.reserve(at(frames) * count);
  Sampler sampler(asset, clip, subject);
  for (int f = 0; f < frames; ++f) sampler.sample(f / fps, locals);

  const bool loops = is_loop(rig, locals, frames);
  if (loops) --frames;
  Motion motion = rest_motion(rig, frames, fps);
  motion.loops = loops;
  for (std::size_t j = 0; j < count; ++j) {
    const rig::Joint& joint = rig.joints()[j];
    const Mat3d axes_from_rest = transposed(to_matrix(unit(joint.rest.rotation) * unit(joint.axes)));
    const Mat3d axes = to_matrix(unit(joint.axes));
    Vec3d angles;
    for (int f = 0; f < frames; ++f) {
      const Transformd& local = locals[at(f) * count + j];
      angles = euler_angles(axes_from_rest * to_matrix(local.rotation) * axes, angles);
      motion.frame_angles(f)[j] = angles.cast<float>();
      if (j == 0) {
        const Vec3d moved = local.translation - joint.rest.translation.cast<double>();
        motion.root_translations[at(f)] = (joint.parent_from_frame.linear.cast<double>() * moved).cast<float>();
      }
    }
    if (auto found = find_override(joint, static_cast<int>(j), locals, count, frames)) {
      motion.overrides.push_back(std::move(*found));
    }
  }
  return motion;
}

double clip_rate(const asset::Clip& clip) {
  std::vector<double> steps;
  for (const asset::Channel& channel : clip.channels) {
    for (std::size_t k = 1; k < channel.times.size(); ++k) {
      const double step = double(channel.times[k]) - double(channel.times[k - 1]);
      if (step > 1e-3) steps.push_back(step);
    }
  }
  if (steps.empty()) return 24;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  const double rate = 1 / *middle;
  // Whole rates up to 60 are kept; sparse keys are sampled more finely, dense ones more coarsely.
  if (rate < 8) return 24;
  return std::clamp(std::round(rate), 8.0, 60.0);
}

Result<Motion> whole_clip(const asset::Asset& asset, const asset::Clip& clip, const rig::Subject& subject) {
  const double seconds = double(clip.duration());
  double fps = clip_rate(clip);
  // Whole steps, so that the end is a frame.
  if (seconds > 0) fps = std::max(1.0, std::round(seconds * fps)) / seconds;
  LIMBER_TRY(Motion motion, motion_from_clip(asset, clip, subject, fps));
  if (!motion.loops) return motion;
  motion.loops = false;
  const std::vector<Vec3> first(motion.frame_angles(0).begin(), motion.frame_angles(0).end());
  motion.angles.insert(motion.angles.end(), first.begin(), first.end());
  motion.root_translations.push_back(motion.root_translations.front());
  for (JointOverride& over : motion.overrides) {
    if (!over.translations.empty()) over.translations.push_back(over.translations.front());
    if (!over.scales.empty()) over.scales.push_back(over.scales.front());
  }
  return motion;
}

}  // namespace limber::kinematics
