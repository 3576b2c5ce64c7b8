// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "limber/asset/formats.h"
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

/// Z, X and Y angles in degrees, of the rotation Rz Rx Ry.
using Angles = std::array<double, 3>;

Angles to_zxy(const Mat3d& r) {
  const double x = std::atan2(r(2, 1), std::hypot(r(0, 1), r(1, 1)));
  // With x at a right angle z and y turn about the same axis: z takes all of it.
  const bool locked = std::hypot(r(0, 1), r(1, 1)) < 1e-9;
  const double z = locked ? std::atan2(r(1, 0), r(0, 0)) : std::atan2(-r(0, 1), r(1, 1));
  const double c = std::cos(z), s = std::sin(z);
  const double y = std::atan2(c * r(0, 2) + s * r(1, 2), c * r(0, 0) + s * r(1, 0));
  return {z * 180 / kPi, x * 180 / kPi, y * 180 / kPi};
}

/// The same rotation with angles as near to `last` as can be: programs that read the file interpolate them.
Angles nearest(const Angles& angles, const Angles& last) {
  Angles candidates[2] = {angles, {angles[0] + 180, 180 - angles[1], angles[2] + 180}};
  double distance[2] = {0, 0};
  for (int c = 0; c < 2; ++c) {
    for (std::size_t i = 0; i < 3; ++i) {
      candidates[c][i] = last[i] + std::remainder(candidates[c][i] - last[i], 360.0);
      distance[c] += std::abs(candidates[c][i] - last[i]);
    }
  }
  return candidates[distance[1] < distance[0] ? 1 : 0];
}

class BvhWriter {
 public:
  BvhWriter(const Asset& asset, const Clip* clip) : asset_(asset), clip_(clip) {}

  Result<std::string> write(double fps) {
    // A clip that ends between two frames gets one more, so that its last pose is there; 0.01 is for rounding.
    const double last = clip_ ? std::max(0.0, std::ceil(clip_->duration() * fps - 0.01)) : 0;
    if (!(last < kMaxFrames)) return Error{fmt::format("the clip would need {} frames", last), asset_.name};
    LIMBER_CHECK_OK(find_joints());
    measure_rest();
    std::vector<Frame> frames;
    for (int f = 0; f <= static_cast<int>(last); ++f) {
      frames.push_back(frame(clip_ ? clip_state(asset_, *clip_, f / fps) : rest_));
    }
    find_translating_joints(frames);
    write_hierarchy();
    write_motion(frames, 1 / fps);
    return std::move(text_);
  }

 private:
  const Node& node(int index) const { return asset_.nodes[static_cast<std::size_t>(index)]; }
  Joint& joint(int index) { return joints_[static_cast<std::size_t>(index)]; }

  /// Per node, whether it is part of the skeleton.
  std::vector<bool> skeleton_nodes() const {
    std::vector<bool> chosen(asset_.nodes.size(), false);
    std::vector<int> open;
    if (!asset_.skins.empty()) {
      open = asset_.skins[0].joints;
    } else if (!asset_.scenes.empty()) {
      open = asset_.scenes[static_cast<std::size_t>(std::max(asset_.scene, 0))].roots;
    } else {
      return std::vector<bool>(asset_.nodes.size(), true);
    }
    while (!open.empty()) {
      const int next = open.back();
      open.pop_back();
      if (chosen[static_cast<std::size_t>(next)]) continue;
      chosen[static_cast<std::size_t>(next)] = true;
      if (asset_.skins.empty()) open.insert(open.end(), node(next).children.begin(), node(next).children.end());
    }
    return chosen;
  }

  Status find_joints() {
    const std::vector<bool> chosen = skeleton_nodes();
    const std::vector<int> parent = parents(asset_);
    // Depth first without recursion: (node, joint above it); children go on the stack in reverse.
    std::vector<std::pair<int, int>> open;
    for (std::size_t i = asset_.nodes.size(); i-- > 0;) {
      if (parent[i] < 0) open.emplace_back(static_cast<int>(i), -1);
    }
    int roots = 0;
    while (!open.empty()) {
      auto [index, above] = open.back();
      open.pop_back();
      if (chosen[static_cast<std::size_t>(index)]) {
        Joint next;
        next.node = index, next.parent = above;
        if (above < 0) ++roots;
        above = static_cast<int>(joints_.size());
        joints_.push_back(std::move(next));
      }
      const std::vector<int>& children = node(index).children;
      for (auto child = children.rbegin(); child != children.rend(); ++child) open.emplace_back(*child, above);
    }
    if (joints_.empty()) return Error{"a BVH file needs at least one joint", asset_.name};
    if (roots > 1) add_common_root();
    name_joints();
    return Done{};
  }

  void add_common_root() {
    for (Joint& j : joints_) ++j.parent;
    joints_.insert(joints_.begin(), Joint{});
  }

  void name_joints() {
    std::unordered_set<std::string> taken;
    std::vector<bool> has_children(joints_.size(), false);
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      Joint& j = joints_[i];
      if (j.parent >= 0) has_children[static_cast<std::size_t>(j.parent)] = true, j.depth = joint(j.parent).depth + 1;
      std::string name = j.node < 0 ? "root" : node(j.node).name;
      // Most readers split names at white space.
      for (char& c : name) {
        if (static_cast<unsigned char>(c) <= ' ' || c == '{' || c == '}') c = '_';
      }
      if (name.empty()) name = fmt::format("joint_{}", j.node);
      j.name = name;
      for (int n = 2; !taken.insert(j.name).second; ++n) j.name = fmt::format("{}_{}", name, n);
    }
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      Joint& j = joints_[i];
      j.end_site = !has_children[i] && j.parent >= 0 && j.name == joint(j.parent).name + "_end" && !is_animated(j.node);
    }
  }

  bool is_animated(int index) const {
    if (!clip_) return false;
    return std::any_of(clip_->channels.begin(), clip_->channels.end(),
                       [&](const Channel& c) { return c.node == index && !c.times.empty(); });
  }

  void measure_rest() {
    rest_ = rest_state(asset_);
    for (Joint& j : joints_) {
      if (j.node < 0) continue;
      j.offset = position(rest_, j.node);
      if (j.parent >= 0 && joint(j.parent).node >= 0) j.offset -= position(rest_, joint(j.parent).node);
    }
    Vec3d low = position(rest_, joints_.back().node), high = low;
    for (const Joint& j : joints_) {
      if (j.node < 0) continue;
      low = min(low, position(rest_, j.node)), high = max(high, position(rest_, j.node));
    }
    size_ = norm(high - low);
    for (const Joint& j : joints_) {
      rest_turn_.push_back(j.node < 0 ? Quatd{} : conjugate(rotation(rest_, j.node)));
    }
  }

  static Vec3d position(const NodeState& state, int index) {
    return state.world_from_node[static_cast<std::size_t>(index)].translation;
  }
  static Quatd rotation(const NodeState& state, int index) {
    return decompose(state.world_from_node[static_cast<std::size_t>(index)]).rotation;
  }

  Frame frame(const NodeState& state) const {
    Frame poses(joints_.size());
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      if (joints_[i].node < 0) continue;
      poses[i] = {position(state, joints_[i].node), rotation(state, joints_[i].node) * rest_turn_[i]};
    }
    return poses;
  }

  /// The joint's place in its parent, which is its offset while bones keep their length.
  Vec3d place_in_parent(const Frame& poses, std::size_t index) const {
    const int above = joints_[index].parent;
    if (above < 0) return poses[index].position;
    const JointPose& parent = poses[static_cast<std::size_t>(above)];
    return rotate(conjugate(parent.turn), poses[index].position - parent.position);
  }

  void find_translating_joints(const std::vector<Frame>& frames) {
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      Joint& j = joints_[i];
      j.translates = j.parent < 0 || std::any_of(frames.begin(), frames.end(), [&](const Frame& poses) {
                       return norm(place_in_parent(poses, i) - j.offset) > kStill * size_;
                     });
      // An end site cannot move.
      if (j.translates) j.end_site = false;
    }
  }

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }
  void add_line(int depth, const std::string& line) {
    text_.append(static_cast<std::size_t>(std::min(depth, kMaxIndent)), '\t').append(line) += '\n';
  }

  // The shortest text that a float reads back the same.
  static std::string vector_text(Vec3d v) {
    return fmt::format("{} {} {}", static_cast<float>(v.x) + 0.0f, static_cast<float>(v.y) + 0.0f,
                       static_cast<float>(v.z) + 0.0f);
  }

  void write_hierarchy() {
    text_ = "HIERARCHY\n";
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const Joint& j = joints_[i];
      const std::string kind = j.parent < 0 ? "ROOT " : "JOINT ";
      add_line(j.depth, j.end_site ? "End Site" : kind + j.name);
      add_line(j.depth, "{");
      add_line(j.depth + 1, "OFFSET " + vector_text(j.offset));
      if (!j.end_site) {
        add_line(j.depth + 1, j.translates ? "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
                                           : "CHANNELS 3 Zrotation Xrotation Yrotation");
      }
      const int next = i + 1 < joints_.size() ? joints_[i + 1].depth : 0;
      // Readers want every branch to end in a site: half as long again as the last bone.
      if (!j.end_site && next <= j.depth) {
        add_line(j.depth + 1, "End Site");
        add_line(j.depth + 1, "{");
        add_line(j.depth + 2, "OFFSET " + vector_text(0.5 * j.offset));
        add_line(j.depth + 1, "}");
      }
      for (int depth = j.depth; depth >= next; --depth) add_line(depth, "}");
    }
  }

  void write_motion(const std::vector<Frame>& frames, double step) {
    add("MOTION\nFrames: {}\nFrame Time: {}\n", frames.size(), step);
    std::vector<Angles> last(joints_.size(), Angles{});
    for (const Frame& poses : frames) {
      const char* separator = "";
      for (std::size_t i = 0; i < joints_.size(); ++i) {
        const Joint& j = joints_[i];
        if (j.end_site) continue;
        if (j.translates) add("{}{}", separator, vector_text(place_in_parent(poses, i))), separator = " ";
        const Quatd parent_turn = j.parent < 0 ? Quatd{} : poses[static_cast<std::size_t>(j.parent)].turn;
        last[i] = nearest(to_zxy(to_matrix(normalized(conjugate(parent_turn) * poses[i].turn))), last[i]);
        // Rotations held in floats are good to about 1e-5 degrees.
        for (const double degrees : last[i]) {
          add("{}{}", separator, static_cast<float>(std::round(degrees * 1e5) / 1e5) + 0.0f);
          separator = " ";
        }
      }
      text_ += '\n';
    }
  }

  const Asset& asset_;
  const Clip* clip_;
  std::vector<Joint> joints_;
  std::vector<Quatd> rest_turn_;  ///< per joint, the inverse of its rest rotation in the world
  NodeState rest_;
  double size_ = 0;  ///< of the rest skeleton
  std::string text_;
};

}  // namespace

Result<std::string> bvh_text(const Asset& asset, int clip, double fps) {
  LIMBER_EXPECT(fps > 0 && std::isfinite(fps), fmt::format("{} frames a second", fps));
  if (clip == 0 && asset.clips.empty()) clip = -1;
  if (clip >= static_cast<int>(asset.clips.size()) || clip < -1) {
    return Error{fmt::format("there is no clip {}; the asset has {}", clip, asset.clips.size()), asset.name};
  }
  return BvhWriter(asset, clip < 0 ? nullptr : &asset.clips[static_cast<std::size_t>(clip)]).write(fps);
}

}  // namespace limber::asset
