// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "limber/asset/encoders.h"
#include "limber/asset/euler_angles.h"
#include "limber/asset/pose.h"

namespace limber::asset {
namespace {

constexpr double kMaxFrames = 1e6;
constexpr int kMaxIndent = 32;   // deeper levels look the same: indenting a chain fully costs its length squared
constexpr double kStill = 1e-6;  // of the skeleton's size: a joint that moves less keeps its offset

/// A joint of the file. Joints are in the order of the file: parents first, each followed by all that is below it.
struct Joint {
  int node = -1;    ///< -1: the common root of a forest
  int parent = -1;  ///< joint
  int depth = 0;
  std::string name;
  Vec3d offset;
  bool end_site = false, translates = false;
};

/// Where a joint is, and how far it has turned since the rest pose.
struct JointPose {
  Vec3d position;
  Quatd turn;
};
using Frame = std::vector<JointPose>;  // per joint

/// Z, X and Y angles of the rotation Rz Rx Ry.
Angles to_zxy(const Mat3d& r) {
  const double x = std::atan2(r(2, 1), std::hypot(r(0, 1), r(1, 1)));
  // With x at a right angle z and y turn about the same axis: z takes all of it.
  const bool locked = std::hypot(r(0, 1), r(1, 1)) < 1e-9;
  const double z = locked ? std::atan2(r(1, 0), r(0, 0)) : std::atan2(-r(0, 1), r(1, 1));
  const double c = std::cos(z), s = std::sin(z);
  const double y = std::atan2(c * r(0, 2) + s * r(1, 2), c * r(0, 0) + s * r(1, 0));
  return {z * 180 / kPi, x * 180 / kPi, y * 180 / kPi};
}

const Node& node_of(const Asset& asset, int index) { return asset.nodes[static_cast<std::size_t>(index)]; }

/// Per node, whether it is part of the skeleton.
std::vector<bool> skeleton_nodes(const Asset& asset) {
  std::vector<bool> chosen(asset.nodes.size(), false);
  std::vector<int> open;
  if (!asset.skins.empty()) {
    open = asset.skins[0].joints;
  } else if (!asset.scenes.empty()) {
    open = asset.scenes[static_cast<std::size_t>(std::max(asset.scene, 0))].roots;
  } else {
    return std::vector<bool>(asset.nodes.size(), true);
  }
  while (!open.empty()) {
    const int next = open.back();
    open.pop_back();
    if (chosen[static_cast<std::size_t>(next)]) continue;
    chosen[static_cast<std::size_t>(next)] = true;
    const std::vector<int>& children = node_of(asset, next).children;
    if (asset.skins.empty()) open.insert(open.end(), children.begin(), children.end());
  }
  return chosen;
}

/// The skeleton with node and parent of each joint; under a common root where it would be a forest.
std::vector<Joint> find_joints(const Asset& asset) {
  const std::vector<bool> chosen = skeleton_nodes(asset);
  const std::vector<int> parent = parents(asset);
  // Depth first without recursion: (node, joint above it); children go on the stack in reverse.
  std::vector<std::pair<int, int>> open;
  for (std::size_t i = asset.nodes.size(); i-- > 0;) {
    if (parent[i] < 0) open.emplace_back(static_cast<int>(i), -1);
  }
  std::vector<Joint> joints;
  int roots = 0;
  while (!open.empty()) {
    auto [index, above] = open.back();
    open.pop_back();
    if (chosen[static_cast<std::size_t>(index)]) {
      Joint next;
      next.node = index, next.parent = above;
      if (above < 0) ++roots;
      above = static_cast<int>(joints.size());
      joints.push_back(std::move(next));
    }
    const std::vector<int>& children = node_of(asset, index).children;
    for (auto child = children.rbegin(); child != children.rend(); ++child) open.emplace_back(*child, above);
  }
  if (roots > 1) {
    for (Joint& j : joints) ++j.parent;
    joints.insert(joints.begin(), Joint{});
  }
  return joints;
}

bool is_animated(const Clip* clip, int node) {
  if (!clip) return false;
  return std::any_of(clip->channels.begin(), clip->channels.end(),
                     [&](const Channel& c) { return c.node == node && !c.times.empty(); });
}

/// Fills in names, all different, depths, and which joints are end sites.
void name_joints(const Asset& asset, const Clip* clip, std::vector<Joint>& joints) {
  std::unordered_set<std::string> taken;
  std::vector<bool> has_children(joints.size(), false);
  for (Joint& j : joints) {
    if (j.parent >= 0) {
      has_children[static_cast<std::size_t>(j.parent)] = true;
      j.depth = joints[static_cast<std::size_t>(j.parent)].depth + 1;
    }
    std::string name = j.node < 0 ? "root" : node_of(asset, j.node).name;
    // Most readers split names at white space.
    for (char& c : name) {
      if (static_cast<unsigned char>(c) <= ' ' || c == '{' || c == '}') c = '_';
    }
    if (name.empty()) name = fmt::format("joint_{}", j.node);
    j.name = name;
    for (int n = 2; !taken.insert(j.name).second; ++n) j.name = fmt::format("{}_{}", name, n);
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    Joint& j = joints[i];
    j.end_site = !has_children[i] && j.parent >= 0 &&
                 j.name == joints[static_cast<std::size_t>(j.parent)].name + "_end" && !is_animated(clip, j.node);
  }
}

Vec3d position(const NodeState& state, int index) {
  return state.world_from_node[static_cast<std::size_t>(index)].translation;
}
Quatd rotation(const NodeState& state, int index) {
  return decompose(state.world_from_node[static_cast<std::size_t>(index)]).rotation;
}

/// Fills in where each joint is at rest, from its parent.
void measure_offsets(const NodeState& rest, std::vector<Joint>& joints) {
  for (Joint& j : joints) {
    if (j.node < 0) continue;
    j.offset = position(rest, j.node);
    const int above = j.parent < 0 ? -1 : joints[static_cast<std::size_t>(j.parent)].node;
    if (above >= 0) j.offset -= position(rest, above);
  }
}

/// Diagonal of the box around the skeleton at rest.
double size_of(const NodeState& rest, const std::vector<Joint>& joints) {
  Vec3d low = position(rest, joints.back().node), high = low;
  for (const Joint& j : joints) {
    if (j.node < 0) continue;
    low = min(low, position(rest, j.node)), high = max(high, position(rest, j.node));
  }
  return norm(high - low);
}

/// The clip at so many frames a second, from the first to `last`; the rest pose without a clip.
std::vector<Frame> sample_frames(const Asset& asset, const Clip* clip, const NodeState& rest,
                                 const std::vector<Joint>& joints, int last, double fps) {
  std::vector<Quatd> rest_turn;  // per joint, the inverse of its rest rotation in the world
  for (const Joint& j : joints) rest_turn.push_back(j.node < 0 ? Quatd{} : conjugate(rotation(rest, j.node)));
  std::vector<Frame> frames;
  for (int f = 0; f <= last; ++f) {
    const NodeState state = clip ? clip_state(asset, *clip, f / fps) : rest;
    Frame poses(joints.size());
    for (std::size_t i = 0; i < joints.size(); ++i) {
      if (joints[i].node < 0) continue;
      poses[i] = {position(state, joints[i].node), rotation(state, joints[i].node) * rest_turn[i]};
    }
    frames.push_back(std::move(poses));
  }
  return frames;
}

/// The joint's place in its parent, which is its offset while bones keep their length.
Vec3d place_in_parent(const Frame& poses, const std::vector<Joint>& joints, std::size_t index) {
  const int above = joints[index].parent;
  if (above < 0) return poses[index].position;
  const JointPose& parent = poses[static_cast<std::size_t>(above)];
  return rotate(conjugate(parent.turn), poses[index].position - parent.position);
}

/// Fills in which joints move in their parents. An end site cannot.
void find_translating_joints(const std::vector<Frame>& frames, double size, std::vector<Joint>& joints) {
  for (std::size_t i = 0; i < joints.size(); ++i) {
    Joint& j = joints[i];
    j.translates = j.parent < 0 || std::any_of(frames.begin(), frames.end(), [&](const Frame& poses) {
                     return norm(place_in_parent(poses, joints, i) - j.offset) > kStill * size;
                   });
    if (j.translates) j.end_site = false;
  }
}

void add_line(std::string& text, int depth, const std::string& line) {
  text.append(static_cast<std::size_t>(std::min(depth, kMaxIndent)), '\t').append(line) += '\n';
}

// The shortest text that a float reads back the same.
std::string vector_text(Vec3d v) {
  return fmt::format("{} {} {}", static_cast<float>(v.x) + 0.0f, static_cast<float>(v.y) + 0.0f,
                     static_cast<float>(v.z) + 0.0f);
}

std::string hierarchy_text(const std::vector<Joint>& joints) {
  std::string text = "HIERARCHY\n";
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Joint& j = joints[i];
    const std::string kind = j.parent < 0 ? "ROOT " : "JOINT ";
    add_line(text, j.depth, j.end_site ? "End Site" : kind + j.name);
    add_line(text, j.depth, "{");
    add_line(text, j.depth + 1, "OFFSET " + vector_text(j.offset));
    if (!j.end_site) {
      add_line(text, j.depth + 1,
               j.translates ? "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
                            : "CHANNELS 3 Zrotation Xrotation Yrotation");
    }
    const int next = i + 1 < joints.size() ? joints[i + 1].depth : 0;
    // Readers want every branch to end in a site: half as long again as the last bone.
    if (!j.end_site && next <= j.depth) {
      add_line(text, j.depth + 1, "End Site");
      add_line(text, j.depth + 1, "{");
      add_line(text, j.depth + 2, "OFFSET " + vector_text(0.5 * j.offset));
      add_line(text, j.depth + 1, "}");
    }
    for (int depth = j.depth; depth >= next; --depth) add_line(text, depth, "}");
  }
  return text;
}

std::string motion_text(const std::vector<Joint>& joints, const std::vector<Frame>& frames, double step) {
  std::string text = fmt::format("MOTION\nFrames: {}\nFrame Time: {}\n", frames.size(), step);
  std::vector<Angles> last(joints.size(), Angles{});
  for (const Frame& poses : frames) {
    const char* separator = "";
    const auto add = [&](const auto& value) {
      fmt::format_to(std::back_inserter(text), "{}{}", separator, value);
      separator = " ";
    };
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const Joint& j = joints[i];
      if (j.end_site) continue;
      if (j.translates) add(vector_text(place_in_parent(poses, joints, i)));
      const Quatd parent_turn = j.parent < 0 ? Quatd{} : poses[static_cast<std::size_t>(j.parent)].turn;
      last[i] = nearest(to_zxy(to_matrix(normalized(conjugate(parent_turn) * poses[i].turn))), last[i]);
      // Rotations held in floats are good to about 1e-5 degrees.
      for (const double degrees : last[i]) add(static_cast<float>(std::round(degrees * 1e5) / 1e5) + 0.0f);
    }
    text += '\n';
  }
  return text;
}

Result<std::string> write_bvh(const Asset& asset, const Clip* clip, double fps) {
  // A clip that ends between two frames gets one more, so that its last pose is there; 0.01 is for rounding.
  const double last = clip ? std::max(0.0, std::ceil(clip->duration() * fps - 0.01)) : 0;
  if (!(last < kMaxFrames)) return Error{fmt::format("the clip would need {} frames", last), asset.name};
  std::vector<Joint> joints = find_joints(asset);
  if (joints.empty()) return Error{"a BVH file needs at least one joint", asset.name};
  name_joints(asset, clip, joints);
  const NodeState rest = rest_state(asset);
  measure_offsets(rest, joints);
  const std::vector<Frame> frames = sample_frames(asset, clip, rest, joints, static_cast<int>(last), fps);
  find_translating_joints(frames, size_of(rest, joints), joints);
  return hierarchy_text(joints) + motion_text(joints, frames, 1 / fps);
}

}  // namespace

Result<std::string> bvh_text(const Asset& asset, int clip, double fps) {
  LIMBER_EXPECT(fps > 0 && std::isfinite(fps), fmt::format("{} frames a second", fps));
  if (clip == 0 && asset.clips.empty()) clip = -1;
  if (clip >= static_cast<int>(asset.clips.size()) || clip < -1) {
    return Error{fmt::format("there is no clip {}; the asset has {}", clip, asset.clips.size()), asset.name};
  }
  return write_bvh(asset, clip < 0 ? nullptr : &asset.clips[static_cast<std::size_t>(clip)], fps);
}

}  // namespace limber::asset
