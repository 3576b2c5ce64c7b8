// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/exporter/exporter.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/forward.h"

namespace limber::exporter {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Changes that count. Transforms that come out of world matrices carry their rounding.
constexpr double kNativeTolerance = 1e-6, kWorldTolerance = 1e-5;

/// Where a looping motion's root goes after the last frame: back to the start, or on, where it travels.
Vec3 continued_root(const kinematics::Motion& motion) {
  const std::vector<Vec3>& root = motion.root_translations;
  const std::size_t count = root.size();
  Vec3 next = root[0];
  if (count < 4) return next;
  const auto step = [&](std::size_t i) { return root[i + 1] - root[i]; };
  // The one step that is not known, between its neighbours round the cycle (cubic interpolation).
  const Vec3 last = (4.0f * (step(count - 2) + step(0)) - (step(count - 3) + step(1))) / 6.0f;
  const Vec3 travelled = root[count - 1] + last - root[0];
  for (int k = 0; k < 3; ++k) {
    float largest_step = 0;
    for (std::size_t i = 0; i + 1 < count; ++i) largest_step = std::max(largest_step, std::abs(step(i)[k]));
    // In place, what is left over is the error of the interpolation, less than one step.
    if (std::abs(travelled[k]) > largest_step) next[k] += travelled[k];
  }
  return next;
}

/// The local transform of every joint's node, frame by frame.
class NodeMotion {
 public:
  NodeMotion(const asset::Asset& asset, const rig::Subject& subject, const kinematics::Motion& motion)
      : asset_(asset),
        rig_(subject.rig),
        motion_(motion),
        links_(rig::node_links(asset, subject)),
        asset_from_subject_(rig::asset_from_subject(subject)),
        world_from_joint_(rig_.joints().size()),
        asset_from_node_(rig_.joints().size()) {}

  /// One transform per joint; those of joints without a node mean nothing.
  std::vector<Transformd> frame(int index, Vec3 root_translation) {
    kinematics::FrameT<double> frame = kinematics::motion_frame(rig_, motion_, index, buffer_);
    frame.root_translation = root_translation.cast<double>();
    kinematics::joints_forward<double>(rig_, frame, world_from_joint_);
    const std::span<const rig::Joint> joints = rig_.joints();
    for (std::size_t j = 0; j < joints.size(); ++j) {
      asset_from_node_[j] = asset_from_subject_ * world_from_joint_[j] * links_[j].joint_from_node;
    }
    std::vector<Transformd> result(joints.size());
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (joints[j].node >= 0) result[j] = links_[j].native ? native(j, frame) : from_world(j);
    }
    return result;
  }

  bool native(std::size_t j) const { return links_[j].native; }

 private:
  Transformd native(std::size_t j, const kinematics::FrameT<double>& frame) const {
    const rig::Joint& joint = rig_.joints()[j];
    const Mat3d axes = to_matrix(normalized(joint.axes.cast<double>()));
    Transformd local = joint.rest.cast<double>();
    if (!frame.translations.empty()) local.translation = frame.translations[j];
    if (!frame.scales.empty()) local.scale = frame.scales[j];
    if (joint.parent < 0) {
      local.translation += inverse(joint.parent_from_frame.linear.cast<double>()) * frame.root_translation;
    }
    const Quatd turn = to_quat(axes * kinematics::euler_matrix(frame.angles[j]) * transposed(axes));
    local.rotation = normalized(local.rotation) * turn;
    return local;
  }

  Transformd from_world(std::size_t j) const {
    const rig::NodeLink& link = links_[j];
    const Affined above = link.ancestor >= 0 ? asset_from_node_[at(link.ancestor)] * link.above : link.above;
    const Vec3 scale_at_rest = asset_.nodes[at(rig_.joints()[j].node)].local.scale;
    return kinematics::decompose_like(inverse(above) * asset_from_node_[j], scale_at_rest.cast<double>());
  }

  const asset::Asset& asset_;
  const rig::Rig& rig_;
  const kinematics::Motion& motion_;
  std::vector<rig::NodeLink> links_;
  Affined asset_from_subject_;
  std::vector<Affined> world_from_joint_, asset_from_node_;
  kinematics::FrameBufferT<double> buffer_;
};

/// What a joint does over all frames: the channels that it needs.
struct JointTrack {
  std::vector<Transformd> frames;

  asset::Channel channel(int node, asset::Path path, const std::vector<float>& times) const {
    asset::Channel result;
    result.node = node, result.path = path, result.times = times;
    Quatd last;
    for (const Transformd& frame : frames) {
      if (path == asset::Path::kRotation) {
        // Of the two quaternions of a rotation the one nearer to the last, for players that interpolate naively.
        const double sign = dot(last, frame.rotation) < 0 ? -1 : 1;
        last = {sign * frame.rotation.x, sign * frame.rotation.y, sign * frame.rotation.z, sign * frame.rotation.w};
        for (int k = 0; k < 4; ++k) result.values.push_back(static_cast<float>(last[k]));
      } else {
        const Vec3d v = path == asset::Path::kScale ? frame.scale : frame.translation;
        for (int k = 0; k < 3; ++k) result.values.push_back(static_cast<float>(v[k]));
      }
    }
    return result;
  }
};

/// Largest changes of a track from the rest transform, each relative to what it changes.
struct Change {
  double translation = 0, rotation = 0, scale = 0;
};

Change largest_change(const JointTrack& track, const Transformd& rest) {
  Change change;
  double length = norm(rest.translation);
  for (const Transformd& frame : track.frames) {
    length = std::max(length, norm(frame.translation));
    change.translation = std::max(change.translation, norm(frame.translation - rest.translation));
    change.rotation = std::max(change.rotation, angle_between(frame.rotation, rest.rotation));
    change.scale = std::max(change.scale, norm(frame.scale - rest.scale) / std::max(norm(rest.scale), 1e-6));
  }
  if (length > 0) change.translation /= length;
  return change;
}

}  // namespace

Result<asset::Clip> clip_from_motion(const asset::Asset& asset, const rig::Subject& subject,
                                     const kinematics::Motion& motion, const ClipSettings& settings) {
  const std::span<const rig::Joint> joints = subject.rig.joints();
  LIMBER_EXPECT(motion.joint_count == subject.rig.joint_count() && motion.frame_count() > 0 && motion.fps > 0,
                fmt::format("{} joints in the motion, {} in the rig, {} frames at {} per second", motion.joint_count,
                            joints.size(), motion.frame_count(), motion.fps));
  bool any_node = false;
  for (const rig::Joint& joint : joints) {
    any_node = any_node || joint.node >= 0;
    if (joint.node >= static_cast<int>(asset.nodes.size())) {
      return Error{fmt::format("joint '{}' drives node {}, which is not there", joint.name, joint.node), asset.name};
    }
  }
  if (!any_node) return Error{"has none of the subject's joints; add the rig first", asset.name};

  NodeMotion nodes(asset, subject, motion);
  const bool closes = motion.loops && settings.close_loop;
  const int frames = motion.frame_count();
  std::vector<JointTrack> tracks(joints.size());
  std::vector<float> times;
  for (int f = 0; f < frames + (closes ? 1 : 0); ++f) {
    times.push_back(static_cast<float>(f / motion.fps));
    const bool again = f == frames;
    const auto locals = nodes.frame(again ? 0 : f, again ? continued_root(motion) : motion.root_translations[at(f)]);
    for (std::size_t j = 0; j < joints.size(); ++j) tracks[j].frames.push_back(locals[j]);
  }

  asset::Clip clip;
  clip.name = settings.name;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].node < 0) continue;
    const asset::Node& node = asset.nodes[at(joints[j].node)];
    // A native joint's rest is its node's, but for scales of nothing.
    Transformd rest = nodes.native(j) ? joints[j].rest.cast<double>() : node.local.cast<double>();
    rest.rotation = normalized(rest.rotation);
    const double tolerance = nodes.native(j) ? kNativeTolerance : kWorldTolerance;
    const Change change = largest_change(tracks[j], rest);
    const bool moves = std::max({change.translation, change.rotation, change.scale}) > tolerance;
    const bool all = moves && node.matrix;
    const auto add = [&](asset::Path path) { clip.channels.push_back(tracks[j].channel(joints[j].node, path, times)); };
    if (all || change.translation > tolerance) add(asset::Path::kTranslation);
    if (all || change.rotation > tolerance) add(asset::Path::kRotation);
    if (all || change.scale > tolerance) add(asset::Path::kScale);
  }
  // glTF has no clips without channels, and a motion at rest still has a length.
  if (clip.channels.empty()) {
    const auto driven = std::find_if(joints.begin(), joints.end(), [](const rig::Joint& j) { return j.node >= 0; });
    const JointTrack& track = tracks[static_cast<std::size_t>(driven - joints.begin())];
    clip.channels.push_back(track.channel(driven->node, asset::Path::kRotation, times));
  }
  return clip;
}

Status add_clip(asset::Asset& asset, const rig::Subject& subject, const kinematics::Motion& motion,
                const ClipSettings& settings) {
  LIMBER_TRY(asset::Clip clip, clip_from_motion(asset, subject, motion, settings));
  for (const asset::Channel& channel : clip.channels) asset.nodes[at(channel.node)].matrix.reset();
  asset.clips.push_back(std::move(clip));
  return Done{};
}

}  // namespace limber::exporter
