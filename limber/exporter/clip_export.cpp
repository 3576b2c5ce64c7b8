// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/forward.h"

namespace limber::exporter {
namespace {

/// Changes that count. Transforms that come out of world matrices carry their rounding.
constexpr double kNativeTolerance = 1e-6, kWorldTolerance = 1e-5;

/// Of the height, between keys; and how often the time between two frames is halved for it at most. Nodes that hang on
/// each other add their errors, so this is less than the thousandth that is promised.
constexpr double kArcTolerance = 4e-4;
constexpr int kMostHalvings = 5;

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

using Pose = std::vector<Transformd>;  ///< a local transform per joint

Transformd between(const Transformd& a, const Transformd& b, double t) {
  return {lerp(a.translation, b.translation, t), slerp(a.rotation, b.rotation, t), lerp(a.scale, b.scale, t)};
}

Pose between(const Pose& a, const Pose& b, double t) {
  Pose result;
  result.reserve(a.size());
  for (std::size_t j = 0; j < a.size(); ++j) result.push_back(between(a[j], b[j], t));
  return result;
}

/// What joints do in the rig's tree, and their nodes in the asset's.
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

  bool native(std::size_t j) const { return links_[j].native; }

  Pose joints(int index, Vec3 root_translation) {
    kinematics::FrameT<double> frame = kinematics::motion_frame(rig_, motion_, index, buffer_);
    frame.root_translation = root_translation.cast<double>();
    Pose pose;
    for (std::size_t j = 0; j < rig_.joints().size(); ++j) pose.push_back(joint_local(j, frame));
    return pose;
  }

  /// The transforms of the nodes in such a pose; those of joints without a node mean nothing.
  Pose nodes(const Pose& pose) {
    const std::span<const rig::Joint> joints = rig_.joints();
    Pose result = pose;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      Affined& world = world_from_joint_[j];
      world = joints[j].parent_from_frame.cast<double>() * to_affine(pose[j]);
      if (joints[j].parent >= 0) world = world_from_joint_[at(joints[j].parent)] * world;
      asset_from_node_[j] = asset_from_subject_ * world * links_[j].joint_from_node;
    }
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (joints[j].node >= 0 && !links_[j].native) result[j] = from_world(j);
    }
    return result;
  }

  /// How large a unit of the node's parent is in heights, as the last pose has it.
  double parent_scale(std::size_t j) const {
    return std::cbrt(std::abs(determinant(above(j).linear) / determinant(asset_from_subject_.linear)));
  }

 private:
  Transformd joint_local(std::size_t j, const kinematics::FrameT<double>& frame) const {
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

  /// asset_world from the node's parent.
  Affined above(std::size_t j) const {
    const rig::NodeLink& link = links_[j];
    return link.ancestor >= 0 ? asset_from_node_[at(link.ancestor)] * link.above : link.above;
  }

  Transformd from_world(std::size_t j) const {
    const Vec3 scale_at_rest = asset_.nodes[at(rig_.joints()[j].node)].local.scale;
    return kinematics::decompose_like(inverse(above(j)) * asset_from_node_[j], scale_at_rest.cast<double>());
  }

  const asset::Asset& asset_;
  const rig::Rig& rig_;
  const kinematics::Motion& motion_;
  std::vector<rig::NodeLink> links_;
  Affined asset_from_subject_;
  std::vector<Affined> world_from_joint_, asset_from_node_;
  kinematics::FrameBufferT<double> buffer_;
};

/// What a node does: its keys, and the channels that it needs.
struct NodeTrack {
  std::vector<float> times;
  std::vector<Transformd> keys;

  void add(double time, const Transformd& key) {
    times.push_back(static_cast<float>(time));
    keys.push_back(key);
  }

  asset::Channel channel(int node, asset::Path path) const {
    asset::Channel result;
    result.node = node, result.path = path, result.times = times;
    Quatd last;
    for (const Transformd& frame : keys) {
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

Change largest_change(const NodeTrack& track, const Transformd& rest) {
  Change change;
  double length = norm(rest.translation);
  for (const Transformd& frame : track.keys) {
    length = std::max(length, norm(frame.translation));
    change.translation = std::max(change.translation, norm(frame.translation - rest.translation));
    change.rotation = std::max(change.rotation, angle_between(frame.rotation, rest.rotation));
    change.scale = std::max(change.scale, norm(frame.scale - rest.scale) / std::max(norm(rest.scale), 1e-6));
  }
  if (length > 0) change.translation /= length;
  return change;
}

/// How far the farthest point that a joint moves is from it at rest.
std::vector<double> reaches(const rig::Subject& subject) {
  const std::span<const rig::Joint> joints = subject.rig.joints();
  const std::span<const Affine> rest = subject.rig.world_from_rest();
  std::vector<double> reach(joints.size(), 0);
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  for (std::size_t i = 0; i < subject.weights.weights.size(); ++i) {
    if (!(subject.weights.weights[i] > 0)) continue;
    const rig::Bone& bone = subject.rig.bones()[subject.weights.bones[i]];
    const Vec3 point = rest[at(bone.joint)] * (bone.joint_from_bind * subject.points[i / stride]);
    const double distance = norm(point - rest[at(bone.joint)].translation);
    reach[at(bone.joint)] = std::max(reach[at(bone.joint)], distance);
  }
  for (std::size_t j = joints.size(); j-- > 1;) {
    const auto parent = at(joints[j].parent);
    reach[parent] = std::max(reach[parent], reach[j] + double(norm(rest[j].translation - rest[parent].translation)));
  }
  return reach;
}

/// Writes tracks of a motion. A node whose parent does not carry it moves along arcs, which the straight lines between
/// keys cut short: it gets keys between the frames, too.
class TrackWriter {
 public:
  TrackWriter(const rig::Subject& subject, NodeMotion& motion)
      : motion_(motion), reach_(reaches(subject)), tracks_(subject.rig.joints().size()) {
    const std::span<const rig::Joint> joints = subject.rig.joints();
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (joints[j].node >= 0 && !motion.native(j)) carried_.push_back(j);
    }
  }

  void add_frame(double time, Pose pose) {
    Instant now{time, std::move(pose), {}};
    now.nodes = motion_.nodes(now.joints);
    if (!last_.joints.empty() && !carried_.empty()) refine(last_, now, last_, now, carried_, kMostHalvings);
    for (std::size_t j = 0; j < tracks_.size(); ++j) tracks_[j].add(time, now.nodes[j]);
    last_ = std::move(now);
  }

  std::vector<NodeTrack> take() { return std::move(tracks_); }

 private:
  struct Instant {
    double time = 0;
    Pose joints, nodes;
  };

  Instant instant(const Instant& first, const Instant& last, double time) {
    const double t = (time - first.time) / (last.time - first.time);
    Pose joints = between(first.joints, last.joints, t);
    Pose nodes = motion_.nodes(joints);
    return {time, std::move(joints), std::move(nodes)};
  }

  /// Largest distance, in heights, of what the node moves from where it should be, if it went straight from a to b.
  double miss(std::size_t j, const Instant& a, const Instant& b, const Instant& now) const {
    const Transformd straight = between(a.nodes[j], b.nodes[j], (now.time - a.time) / (b.time - a.time));
    const Transformd& wanted = now.nodes[j];
    return norm(straight.translation - wanted.translation) * motion_.parent_scale(j) +
           angle_between(straight.rotation, wanted.rotation) * reach_[j];
  }

  /// Adds keys between a and b, which lie between the frames first and last.
  void refine(const Instant& first, const Instant& last, const Instant& a, const Instant& b,
              const std::vector<std::size_t>& nodes, int halvings) {
    // Two probes see arcs and double bends alike.
    std::vector<std::size_t> missing;
    std::vector<double> worst(nodes.size(), 0);
    for (const double t : {1.0 / 3, 2.0 / 3}) {
      const Instant probe = instant(first, last, a.time + t * (b.time - a.time));
      for (std::size_t i = 0; i < nodes.size(); ++i) worst[i] = std::max(worst[i], miss(nodes[i], a, b, probe));
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (worst[i] > kArcTolerance) missing.push_back(nodes[i]);
    }
    if (missing.empty() || halvings == 0) return;
    const Instant middle = instant(first, last, 0.5 * (a.time + b.time));
    refine(first, last, a, middle, missing, halvings - 1);
    for (const std::size_t j : missing) tracks_[j].add(middle.time, middle.nodes[j]);
    refine(first, last, middle, b, missing, halvings - 1);
  }

  NodeMotion& motion_;
  std::vector<double> reach_;
  std::vector<NodeTrack> tracks_;
  std::vector<std::size_t> carried_;  ///< joints that hang elsewhere than their nodes
  Instant last_;
};

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
  const bool closes = motion.loops && settings.repeat_first;
  const int frames = motion.frame_count();
  TrackWriter writer(subject, nodes);
  for (int f = 0; f < frames + (closes ? 1 : 0); ++f) {
    const bool again = f == frames;
    writer.add_frame(f / motion.fps,
                     nodes.joints(again ? 0 : f, again ? continued_root(motion) : motion.root_translations[at(f)]));
  }
  const std::vector<NodeTrack> tracks = writer.take();

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
    const auto add = [&](asset::Path path) { clip.channels.push_back(tracks[j].channel(joints[j].node, path)); };
    if (all || change.translation > tolerance) add(asset::Path::kTranslation);
    if (all || change.rotation > tolerance) add(asset::Path::kRotation);
    if (all || change.scale > tolerance) add(asset::Path::kScale);
  }
  // glTF has no clips without channels, and a motion at rest still has a length.
  if (clip.channels.empty()) {
    const auto driven = std::find_if(joints.begin(), joints.end(), [](const rig::Joint& j) { return j.node >= 0; });
    const NodeTrack& track = tracks[static_cast<std::size_t>(driven - joints.begin())];
    clip.channels.push_back(track.channel(driven->node, asset::Path::kRotation));
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
