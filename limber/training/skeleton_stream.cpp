// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/skeleton_stream.h"

namespace limber::training {
namespace {

/// What of a joint is not as usual.
enum JointFlags : std::uint8_t { kFrame = 1, kAxes = 2, kLimits = 4, kRotation = 8, kScale = 16 };
/// Curves within this do not move: radians, heights.
constexpr float kStill = 2e-5f;

bool usual(const rig::JointLimits& limits) {
  const rig::JointLimits usual;
  return limits.lower == usual.lower && limits.upper == usual.upper;
}

// --- curves ----------------------------------------------------------------------------------------------------------

/// A byte tells which of the three components move and which others are not zero.
void write_track(ByteWriter& out, std::size_t count, const auto& value) {
  std::array<float, 3> low{}, high{};
  std::uint8_t mask = 0;
  for (int k = 0; k < 3; ++k) {
    const auto c = static_cast<std::size_t>(k);
    low[c] = high[c] = value(0)[k];
    for (std::size_t f = 1; f < count; ++f) {
      low[c] = std::min(low[c], value(f)[k]), high[c] = std::max(high[c], value(f)[k]);
    }
    const bool moves = high[c] - low[c] > kStill;
    if (moves) mask = static_cast<std::uint8_t>(mask | (1 << k));
    if (!moves && std::max(std::abs(low[c]), std::abs(high[c])) > kStill)
      mask = static_cast<std::uint8_t>(mask | (8 << k));
  }
  out.number(mask);
  for (int k = 0; k < 3; ++k) {
    const auto c = static_cast<std::size_t>(k);
    if (mask & (8 << k)) out.floats(0.5f * (low[c] + high[c]));
    if (!(mask & (1 << k))) continue;
    out.floats(low[c]), out.floats(high[c]);
    for (std::size_t f = 0; f < count; ++f) out.share((value(f)[k] - low[c]) / (high[c] - low[c]));
  }
}

void read_track(ByteReader& in, std::size_t count, const auto& value) {
  const auto mask = in.number<std::uint8_t>();
  if ((mask & (mask >> 3) & 7) != 0 || mask > 63) in.fail("a curve that moves and does not");
  for (int k = 0; k < 3 && in.ok(); ++k) {
    const float still = mask & (8 << k) ? in.floats<float>() : 0.0f;
    if (!(mask & (1 << k))) {
      for (std::size_t f = 0; f < count; ++f) value(f)[k] = still;
      continue;
    }
    const auto low = in.floats<float>(), high = in.floats<float>();
    if (std::uint64_t{count} * 2 > in.left()) return in.fail("the file ends before its curves do");
    for (std::size_t f = 0; f < count; ++f) value(f)[k] = low + in.share() * (high - low);
  }
}

void write_list(ByteWriter& out, const std::vector<Vec3>& list) {
  out.number(static_cast<std::uint8_t>(list.empty() ? 0 : 1));
  if (!list.empty()) write_track(out, list.size(), [&](std::size_t f) -> const Vec3& { return list[f]; });
}

std::vector<Vec3> read_list(ByteReader& in, std::size_t frames) {
  std::vector<Vec3> list(in.number<std::uint8_t>() != 0 ? frames : 0);
  if (!list.empty()) read_track(in, frames, [&](std::size_t f) -> Vec3& { return list[f]; });
  return list;
}

}  // namespace

// --- skeletons -------------------------------------------------------------------------------------------------------

JointTree tree_of(const rig::Rig& rig) {
  JointTree tree;
  for (const rig::Joint& joint : rig.joints()) tree.names.push_back(joint.name), tree.parents.push_back(joint.parent);
  return tree;
}

void write_tree(ByteWriter& out, const JointTree& tree) {
  out.count(tree.names.size());
  for (std::size_t j = 0; j < tree.names.size(); ++j) {
    out.text(tree.names[j]);
    out.number(static_cast<std::int32_t>(tree.parents[j]));
  }
}

JointTree read_tree(ByteReader& in) {
  JointTree tree;
  const std::size_t count = in.count(8, 65535);
  for (std::size_t j = 0; j < count && in.ok(); ++j) {
    tree.names.push_back(in.text());
    tree.parents.push_back(in.number<std::int32_t>());
    // Order matters to the motions that follow.
    if (tree.parents.back() >= static_cast<int>(j)) in.fail("a joint before its parent");
  }
  return tree;
}

void write_rig(ByteWriter& out, const rig::Rig& rig) {
  for (const rig::Joint& joint : rig.joints()) {
    std::uint8_t flags = 0;
    const auto set = [&](JointFlags flag, bool unusual) {
      flags = static_cast<std::uint8_t>(flags | (unusual ? flag : 0));
    };
    set(kFrame, !(joint.parent_from_frame == Affine{}));
    set(kAxes, !(joint.axes == Quat{}));
    set(kLimits, !usual(joint.limits));
    set(kRotation, !(joint.rest.rotation == Quat{}));
    set(kScale, !(joint.rest.scale == Vec3{1, 1, 1}));
    out.number(flags);
    out.floats(joint.rest.translation);
    if (flags & kFrame) out.floats(joint.parent_from_frame);
    if (flags & kAxes) out.floats(joint.axes);
    if (flags & kLimits) out.floats(joint.limits);
    if (flags & kRotation) out.floats(joint.rest.rotation);
    if (flags & kScale) out.floats(joint.rest.scale);
  }
  out.count(rig.bones().size());
  for (const rig::Bone& bone : rig.bones()) {
    out.number(static_cast<std::uint16_t>(bone.joint));
    out.floats(bone.joint_from_bind);
  }
}

Result<rig::Rig> read_rig(ByteReader& in, const JointTree& tree) {
  rig::RigDraft draft;
  for (std::size_t j = 0; j < tree.names.size() && in.ok(); ++j) {
    rig::Joint joint;
    joint.name = tree.names[j], joint.parent = tree.parents[j];
    const auto flags = in.number<std::uint8_t>();
    if (flags > 31) in.fail("unknown facts about a joint");
    joint.rest.translation = in.floats<Vec3>();
    if (flags & kFrame) joint.parent_from_frame = in.floats<Affine>();
    if (flags & kAxes) joint.axes = in.floats<Quat>();
    if (flags & kLimits) joint.limits = in.floats<rig::JointLimits>();
    if (flags & kRotation) joint.rest.rotation = in.floats<Quat>();
    if (flags & kScale) joint.rest.scale = in.floats<Vec3>();
    draft.joints.push_back(std::move(joint));
  }
  draft.bones.resize(in.count(50, 65535));
  for (rig::Bone& bone : draft.bones) {
    bone.joint = in.number<std::uint16_t>();
    bone.joint_from_bind = in.floats<Affine>();
  }
  if (!in.ok()) return in.error();
  return rig::build_rig(std::move(draft));
}

// --- motions ---------------------------------------------------------------------------------------------------------

void write_motion(ByteWriter& out, const kinematics::Motion& motion) {
  const std::size_t frames = motion.root_translations.size();
  out.number(motion.fps);
  out.number(static_cast<std::uint8_t>(motion.loops ? 1 : 0));
  out.count(frames);
  const auto joints = static_cast<std::size_t>(motion.joint_count);
  write_track(out, frames, [&](std::size_t f) -> const Vec3& { return motion.root_translations[f]; });
  for (std::size_t j = 0; j < joints; ++j) {
    write_track(out, frames, [&](std::size_t f) -> const Vec3& { return motion.angles[f * joints + j]; });
  }
  out.count(motion.overrides.size());
  for (const kinematics::JointOverride& change : motion.overrides) {
    out.number(static_cast<std::uint16_t>(change.joint));
    write_list(out, change.translations);
    write_list(out, change.scales);
  }
}

kinematics::Motion read_motion(ByteReader& in, int joint_count, std::size_t& poses) {
  kinematics::Motion motion;
  motion.joint_count = joint_count;
  motion.fps = in.number<double>();
  if (in.ok() && !(motion.fps > 0.1 && motion.fps < 1e4)) in.fail("frames per second out of range");
  motion.loops = in.number<std::uint8_t>() != 0;
  const auto joints = static_cast<std::size_t>(joint_count);
  const std::size_t frames = in.count(0, 100000);
  if (in.ok() && frames == 0) in.fail("a clip without frames");
  // Overrides come on top of the angles, translations and scales of at most every joint.
  const std::uint64_t wanted = std::uint64_t{frames} * (3 * joints + 1);
  if (in.ok() && wanted > poses) in.fail("more frames than fit into memory");
  if (!in.ok()) return motion;
  poses -= wanted;
  motion.root_translations.resize(frames), motion.angles.resize(frames * joints);
  read_track(in, frames, [&](std::size_t f) -> Vec3& { return motion.root_translations[f]; });
  for (std::size_t j = 0; j < joints && in.ok(); ++j) {
    read_track(in, frames, [&](std::size_t f) -> Vec3& { return motion.angles[f * joints + j]; });
  }
  motion.overrides.resize(in.count(4, joints));
  int last = -1;
  for (kinematics::JointOverride& change : motion.overrides) {
    change.joint = in.number<std::uint16_t>();
    if (change.joint <= last || change.joint >= joint_count) in.fail("overrides of joints out of order");
    if (!in.ok()) break;
    last = change.joint;
    change.translations = read_list(in, frames);
    change.scales = read_list(in, frames);
  }
  return motion;
}

}  // namespace limber::training
