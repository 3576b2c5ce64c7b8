// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/loose_joints.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/asset/pose.h"
#include "limber/base/at.h"
#include "limber/rig/joint_forest.h"

namespace limber::rig {
namespace {

/// Of the body's height: root mean square distances of a joint from its mean place in another's frame. Feet of inverse
/// kinematics leave a leg that is too short for a step.
constexpr double kStrays = 0.02, kStill = 0.005, kKeepsPlace = 0.02, kLeavesPlace = 0.08, kSame = 0.001;
/// What a joint strays from its carrier, as a share of what it strays from what both hang on.
constexpr double kClearlyBetter = 0.25, kBetter = 0.5, kNearlyBest = 1.15;
/// Of its strongest contact: a joint that touches one above it so much is held by it.
constexpr double kHeld = 0.3;

/// Instants looked at, over all clips, and joint poses kept of them.
constexpr int kMostInstants = 64, kInstantsPerClip = 8;
constexpr std::size_t kMostPoses = 500'000;

/// Joints between two that are many: no helper bones, no neighbours.
constexpr std::size_t kFarApart = 3;
/// A chain of joints that is longer than that is not climbed to its end: files are hostile.
constexpr int kMostLevels = 64;
/// Joints beside a straying one that are tried for want of contact.
constexpr std::size_t kNearJoints = 6;
constexpr double kMostDistances = 1e7;

/// How far, in heights and in own levers, the skin between two joints is from what turns one of them alone.
constexpr double kLongLever = 0.05, kLeverRatio = 2;
/// Of the length: a joint so near to the line between two others helps to twist what lies between them.
constexpr double kStraight = 0.04;

double size_of(const Affined& a) { return std::cbrt(std::abs(determinant(a.linear))); }

/// Whether shapes keep their proportions in this frame.
bool is_similarity(const Affined& a) {
  const double size = size_of(a);
  for (int c = 0; c < 3; ++c) {
    if (std::abs(norm(a.linear.column(c)) - size) > 1e-3 * size) return false;
    if (std::abs(dot(a.linear.column(c), a.linear.column((c + 1) % 3))) > 1e-3 * size * size) return false;
  }
  return size > 0;
}

double distance_to_segment(Vec3d p, Vec3d a, Vec3d b) {
  const Vec3d ab = b - a;
  const double length = squared_norm(ab);
  const double t = length > 0 ? std::clamp(dot(p - a, ab) / length, 0.0, 1.0) : 0.0;
  return norm(p - a - t * ab);
}

/// Worlds of all joints at instants of all clips.
std::vector<std::vector<Affined>> sample_clips(const asset::Asset& asset, const AssetSkeleton& skeleton) {
  std::vector<std::vector<Affined>> result;
  if (asset.clips.empty() || skeleton.joints.empty()) return result;
  const std::size_t most = std::clamp<std::size_t>(kMostPoses / skeleton.joints.size(), 1, kMostInstants);
  const std::size_t clips = std::min(asset.clips.size(), most);
  const std::size_t each = std::min<std::size_t>(most / clips, kInstantsPerClip);
  for (std::size_t c = 0; c < clips; ++c) {
    const asset::Clip& clip = asset.clips[c * asset.clips.size() / clips];
    for (std::size_t i = 0; i < each; ++i) {
      const double time = double(clip.duration()) * (static_cast<double>(i) + 0.5) / static_cast<double>(each);
      const asset::NodeState state = asset::clip_state(asset, clip, time);
      std::vector<Affined>& worlds = result.emplace_back();
      for (const SkeletonJoint& joint : skeleton.joints) worlds.push_back(state.world_from_node[at(joint.node)]);
    }
  }
  return result;
}

class Search {
 public:
  Search(const asset::Asset& asset, const AssetSkeleton& skeleton, const JointSkin& skin, double height)
      : joints_(skeleton.joints),
        skin_(skin),
        height_(height),
        distorted_(distorted_joints(asset, skeleton)),
        instants_(sample_clips(asset, skeleton)),
        touching_(joints_.size()) {
    number_subtrees();
    for (const SkinContact& contact : skin.contacts) {
      touching_[at(contact.a)].push_back({contact.b, contact.strength, contact.centre});
      touching_[at(contact.b)].push_back({contact.a, contact.strength, contact.centre});
    }
  }

  std::vector<LooseJoint> run() {
    std::vector<LooseJoint> result;
    for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
      if (joints_[at(j)].parent < 0 || joints_[at(j)].hidden || !(skin_.weight[at(j)] > 0)) continue;
      std::vector<Carrier> carriers = carriers_of(j);
      if (!carriers.empty()) result.push_back({j, std::move(carriers)});
    }
    return result;
  }

 private:
  struct Touch {
    int joint = -1;
    double strength = 0;
    Vec3d centre;
  };

  /// Joints of a subtree have consecutive numbers, so that descent is a comparison.
  void number_subtrees() {
    const std::size_t count = joints_.size();
    std::vector<int> size(count, 1), next(count, 0);
    weight_below_ = skin_.weight;
    for (std::size_t j = count; j-- > 0;) {
      if (joints_[j].parent < 0) continue;
      size[at(joints_[j].parent)] += size[j];
      weight_below_[at(joints_[j].parent)] += weight_below_[j];
    }
    int roots = 0;
    first_.resize(count), last_.resize(count);
    for (std::size_t j = 0; j < count; ++j) {
      int& slot = joints_[j].parent >= 0 ? next[at(joints_[j].parent)] : roots;
      first_[j] = slot, last_[j] = slot + size[j];
      next[j] = slot + 1;
      slot += size[j];
    }
  }

  /// Whether `a` is `b` or above it.
  bool is_above(int a, int b) const { return first_[at(a)] <= first_[at(b)] && first_[at(b)] < last_[at(a)]; }
  bool related(int a, int b) const { return is_above(a, b) || is_above(b, a); }
  Vec3d place(int j) const { return joints_[at(j)].world.translation; }

  /// Joints from `c` up to, without it, the first that is above `joint` too.
  std::vector<int> chain_between(int joint, int c) const {
    std::vector<int> chain;
    for (int a = c; a >= 0 && !is_above(a, joint) && chain.size() < kMostLevels; a = joints_[at(a)].parent) {
      chain.push_back(a);
    }
    return chain;
  }

  /// Whether the joint can hang on `c` without loss: nothing between the two is sheared, at rest or by a clip.
  bool can_carry(int c, int joint) const {
    const int parent = joints_[at(joint)].parent;
    if (joints_[at(c)].hidden || !is_similarity(joints_[at(c)].world)) return false;
    if (!is_similarity(joints_[at(parent)].world)) return false;
    for (const int a : chain_between(joint, c)) {
      if (distorted_[at(a)]) return false;
    }
    for (const int a : chain_between(c, parent)) {
      if (distorted_[at(a)]) return false;
    }
    return true;
  }

  /// How far the joint strays from its mean place in the frame of another, in heights.
  double spread(int joint, int frame) const {
    Vec3d sum;
    double squares = 0;
    int count = 0;
    const double size = size_of(joints_[at(frame)].world) / height_;
    for (const std::vector<Affined>& worlds : instants_) {
      const Vec3d local = size * (inverse(worlds[at(frame)]) * worlds[at(joint)].translation);
      if (!is_finite(local)) continue;
      sum += local, squares += squared_norm(local), ++count;
    }
    if (count < 2) return std::numeric_limits<double>::infinity();
    return std::sqrt(std::max(0.0, squares / count - squared_norm(sum / static_cast<double>(count))));
  }

  /// Contacts that matter, with joints that do not hang on this one.
  std::vector<Touch> significant_touches(int joint) const {
    double strongest = 0;
    for (const Touch& touch : touching_[at(joint)]) {
      if (!is_above(joint, touch.joint)) strongest = std::max(strongest, touch.strength);
    }
    std::vector<Touch> result;
    for (const Touch& touch : touching_[at(joint)]) {
      if (!is_above(joint, touch.joint) && touch.strength >= kSignificantContact * strongest) result.push_back(touch);
    }
    return result;
  }

  std::vector<Carrier> carriers_of(int joint) {
    const std::vector<Touch> touches = significant_touches(joint);
    if (touches.empty()) return carriers_nearby(joint);
    const auto strongest = std::max_element(touches.begin(), touches.end(),
                                            [](const Touch& a, const Touch& b) { return a.strength < b.strength; });
    double held = 0;  // by what is above, as a share
    for (const Touch& touch : touches) {
      if (is_above(touch.joint, joint)) held = std::max(held, touch.strength / strongest->strength);
    }
    if (held >= 1) return {};
    std::vector<Carrier> carriers;
    for (const Touch& touch : touches) {
      if (is_above(touch.joint, joint)) continue;
      const Bond bond = bond_with(joint, touch);
      if (bond == Bond::kHolds && touch.joint == strongest->joint) return {};
      // A faint hold only yields to clips, a firm one only where the joint is held best, too.
      if (held >= kHeld && touch.joint != strongest->joint) continue;
      if (bond == Bond::kClips || (bond == Bond::kSkin && held == 0)) carriers.push_back({touch.joint, touch.strength});
    }
    return best_by_clips(joint, std::move(carriers));
  }

  /// Of the carriers those that clips find nearly as good as the best, and of these not those that others of them
  /// carry.
  std::vector<Carrier> best_by_clips(int joint, std::vector<Carrier> carriers) const {
    if (instants_.empty()) return carriers;
    double best = std::numeric_limits<double>::infinity();
    for (const Carrier& c : carriers) best = std::min(best, spread(joint, c.joint));
    std::erase_if(carriers, [&](const Carrier& c) { return spread(joint, c.joint) > kNearlyBest * best + kSame; });
    const std::vector<Carrier> good = carriers;
    std::erase_if(carriers, [&](const Carrier& c) {
      return std::any_of(good.begin(), good.end(), [&](const Carrier& a) {
        return a.joint != c.joint && is_above(a.joint, c.joint) && a.strength >= kHeld * c.strength;
      });
    });
    return carriers;
  }

  /// Joints with skin beside this one, the nearest first.
  std::vector<int> near_joints(int joint) {
    distances_ += static_cast<double>(joints_.size());
    if (distances_ > kMostDistances) return {};
    std::vector<int> others;
    for (int c = 0; c < static_cast<int>(joints_.size()); ++c) {
      if (!related(c, joint) && skin_.weight[at(c)] > 0) others.push_back(c);
    }
    const auto nearer = [&](int a, int b) {
      const double da = squared_norm(place(a) - place(joint)), db = squared_norm(place(b) - place(joint));
      return da != db ? da < db : a < b;
    };
    const std::size_t kept = std::min(kNearJoints, others.size());
    std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(kept), others.end(), nearer);
    others.resize(kept);
    return others;
  }

  /// By clips alone, for bodies of parts that do not touch.
  std::vector<Carrier> carriers_nearby(int joint) {
    std::vector<Carrier> carriers;
    if (instants_.empty()) return carriers;
    for (const int c : near_joints(joint)) {
      if (twins(joint, c) || !can_carry(c, joint)) continue;
      const double strays = spread(joint, common(joint, c)), there = spread(joint, c);
      if (std::isfinite(strays) && strays > kStrays && there <= std::min(kKeepsPlace, kClearlyBetter * strays)) {
        carriers.push_back({c, 1 / std::max(there, 1e-6)});
      }
    }
    return carriers;
  }

  /// The joint that both hang on; the root of the first where there is none.
  int common(int joint, int c) const {
    int a = joints_[at(joint)].parent;
    while (joints_[at(a)].parent >= 0 && !is_above(a, c)) a = joints_[at(a)].parent;
    return a;
  }

  /// The nearest joint above that has skin; -1 for none.
  int skinned_above(int joint) const {
    int a = joints_[at(joint)].parent;
    while (a >= 0 && !(skin_.weight[at(a)] > 0)) a = joints_[at(a)].parent;
    return a;
  }

  /// What a joint is to another that it touches.
  enum class Bond {
    kClips,  ///< it carries it, and what both hang on does not, as the clips show
    kSkin,   ///< so it seems from the skin
    kHolds,  ///< both are well where they hang
    kNone    ///< they move apart
  };

  Bond bond_with(int joint, const Touch& touch) const {
    if (!can_carry(touch.joint, joint) || moves_alone(joint, touch.joint)) return Bond::kHolds;
    const bool tears = would_tear(joint, touch);
    if (instants_.empty()) return tears ? Bond::kSkin : Bond::kHolds;
    const int both = common(joint, touch.joint);
    const double strays = spread(joint, both), there = spread(joint, touch.joint);
    if (!std::isfinite(strays + there)) return Bond::kHolds;  // hidden in the clips
    const int above = skinned_above(joint);
    if (above >= 0 && !is_above(above, touch.joint) && spread(joint, above) <= std::max(kStill, there)) {
      return Bond::kHolds;
    }
    if (strays > kStrays) {
      if ((there <= kClearlyBetter * strays && (tears || !twins(joint, touch.joint))) ||
          (tears && there <= std::min(kLeavesPlace, kBetter * strays))) {
        return Bond::kClips;
      }
      return Bond::kNone;
    }
    if (!tears) return Bond::kHolds;
    // A planted foot stays where it is, and the shin turns about it.
    const double lever = norm(place(joint) - place(touch.joint)) / height_;
    const double swing = turning(touch.joint, both) * lever;
    if (swing > kStill && there <= kClearlyBetter * swing) return Bond::kClips;
    // Clips that move neither say nothing. Over many joints the skin is believed, beside each other the artist.
    const bool far_apart = chain_between(joint, touch.joint).size() >= kFarApart;
    return far_apart && there <= kStill ? Bond::kSkin : Bond::kHolds;
  }

  /// Whether the joint has all skin of a tree of its own, which will hang on `c`'s anyway.
  bool moves_alone(int joint, int c) const {
    const int root = common(joint, c);
    return !is_above(root, c) && !(weight_below_[at(root)] > weight_below_[at(joint)]);
  }

  /// Whether the branches that part the two are alike in weight: legs of one body move together, and neither carries
  /// the other.
  bool twins(int joint, int c) const {
    const std::vector<int> own = chain_between(c, joint), other = chain_between(joint, c);
    return weight_below_[at(other.back())] < 2 * weight_below_[at(own.back())];
  }

  /// How far one joint turns in the frame of another: the root mean square angle from the first instant, radians.
  double turning(int joint, int frame) const {
    double squares = 0;
    Quatd first;
    for (std::size_t i = 0; i < instants_.size(); ++i) {
      const Quatd turn = decompose(inverse(instants_[i][at(frame)]) * instants_[i][at(joint)]).rotation;
      if (i == 0) first = turn;
      const double angle = angle_between(first, turn);
      if (std::isfinite(angle)) squares += angle * angle;
    }
    return std::sqrt(squares / static_cast<double>(instants_.size()));
  }

  /// Whether moving what lies between the joint and `touch.joint` would part their skins, more than turning the joint
  /// does. Helpers that lie along the bone from what both hang on twist it and part nothing.
  bool would_tear(int joint, const Touch& touch) const {
    const double own = norm(touch.centre - place(joint));
    const Vec3d from = place(common(joint, touch.joint));
    const std::vector<int> chain = chain_between(joint, touch.joint);
    double lever = 0, off_line = 0;
    for (const int between : chain) {
      lever = std::max(lever, norm(touch.centre - place(between)));
      off_line = std::max(off_line, distance_to_segment(place(between), from, place(joint)));
    }
    if (chain.size() < kFarApart && off_line <= kStraight * norm(from - place(joint))) return false;
    return lever > std::max(kLongLever * height_, kLeverRatio * own);
  }

  const std::vector<SkeletonJoint>& joints_;
  const JointSkin& skin_;
  double height_;
  std::vector<bool> distorted_;
  std::vector<std::vector<Affined>> instants_;
  std::vector<std::vector<Touch>> touching_;
  std::vector<int> first_, last_;
  std::vector<double> weight_below_;
  double distances_ = 0;
};

}  // namespace

std::vector<LooseJoint> find_loose_joints(const asset::Asset& asset, const AssetSkeleton& skeleton,
                                          const JointSkin& skin, double height) {
  if (!(height > 0)) return {};
  return Search(asset, skeleton, skin, height).run();
}

}  // namespace limber::rig
