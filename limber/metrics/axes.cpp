// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/axes.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "limber/anatomy/joint_names.h"
#include "limber/asset/pose.h"

namespace limber::metrics {

using anatomy::has_word;
using anatomy::named_side;
using anatomy::words_of;
namespace {

constexpr double kAskew = 0.94;     // cosine of 20 degrees: directions nearer to an axis than that are along it
constexpr double kNoHint = 0.05;    // of the skeleton's size: shorter vectors say nothing
constexpr double kOnGround = 0.06;  // of the height: how far from zero a mesh that stands on the ground may begin
constexpr std::size_t kSamples = 20000;
constexpr double kCell = 0.02;  // of the diagonal: how well a symmetric mesh agrees with its mirror image

struct Joint {
  std::vector<std::string> words;
  Vec3d position;
  bool has(std::initializer_list<std::string_view> any) const { return has_word(words, any); }
};

/// The joints with their mean place by what their names say.
class Skeleton {
 public:
  explicit Skeleton(const asset::Asset& asset) {
    const asset::NodeState rest = asset::rest_state(asset);
    std::vector<bool> chosen(asset.nodes.size(), asset.skins.empty());
    for (const asset::Skin& skin : asset.skins) {
      for (const int joint : skin.joints) chosen[static_cast<std::size_t>(joint)] = true;
    }
    for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
      if (!chosen[i] || !is_finite(rest.world_from_node[i].translation)) continue;
      Joint joint{words_of(asset.nodes[i].name), rest.world_from_node[i].translation};
      // Controls of an animation program are not part of the body.
      if (joint.has({"ik", "pole", "target", "control", "root", "armature", "camera", "light", "pt"})) continue;
      joints_.push_back(std::move(joint));
    }
    if (joints_.empty()) return;
    Vec3d low = joints_[0].position, high = low;
    for (const Joint& joint : joints_) low = min(low, joint.position), high = max(high, joint.position);
    size_ = norm(high - low);
  }

  double size() const { return size_; }

  /// Mean position of the joints for which `choose` holds; false if there are none.
  template <class Choose>
  bool mean(const Choose& choose, Vec3d& result) const {
    Vec3d sum;
    double count = 0;
    for (const Joint& joint : joints_) {
      if (choose(joint)) sum += joint.position, ++count;
    }
    if (count > 0) result = sum / count;
    return count > 0;
  }
  bool mean(std::initializer_list<std::string_view> words, Vec3d& result) const {
    return mean([&](const Joint& joint) { return joint.has(words); }, result);
  }

 private:
  std::vector<Joint> joints_;
  double size_ = 0;
};

/// The coordinate axis nearest to `v`, with its sign.
Vec3d nearest_axis(Vec3d v) {
  int best = 0;
  for (int i = 1; i < 3; ++i) {
    if (std::abs(v[i]) > std::abs(v[best])) best = i;
  }
  Vec3d axis;
  axis[best] = v[best] < 0 ? -1 : 1;
  return axis;
}

/// Points of the surface, thinned out to a bounded number.
std::vector<Vec3d> surface_samples(const asset::Asset& asset) {
  const std::vector<asset::PosedPrimitive> parts = asset::posed_geometry(asset, asset::rest_state(asset));
  std::size_t count = 0;
  for (const asset::PosedPrimitive& part : parts) count += part.positions.size();
  const std::size_t step = count / kSamples + 1;
  std::vector<Vec3d> samples;
  std::size_t i = 0;
  for (const asset::PosedPrimitive& part : parts) {
    for (const Vec3d& p : part.positions) {
      if (i++ % step == 0 && is_finite(p)) samples.push_back(p);
    }
  }
  return samples;
}

/// Share of the points whose mirror image across the middle of `axis` has a point nearby.
double symmetry(const std::vector<Vec3d>& points, Vec3d low, Vec3d high, int axis) {
  const double cell = kCell * norm(high - low);
  if (!(cell > 0)) return 1;
  const auto key = [&](Vec3d p, int dx, int dy, int dz) {
    const auto part = [&](double x, double from, int shift) {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor((x - from) / cell)) + shift + 1) &
             0xfffffu;
    };
    return (part(p.x, low.x, dx) << 40) | (part(p.y, low.y, dy) << 20) | part(p.z, low.z, dz);
  };
  std::unordered_set<std::uint64_t> near;
  for (const Vec3d& p : points) {
    for (int n = 0; n < 27; ++n) near.insert(key(p, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1));
  }
  std::size_t found = 0;
  for (Vec3d p : points) {
    p[axis] = low[axis] + high[axis] - p[axis];
    if (near.count(key(p, 0, 0, 0))) ++found;
  }
  return static_cast<double>(found) / static_cast<double>(points.size());
}

struct Surface {
  explicit Surface(const asset::Asset& asset) : points(surface_samples(asset)) {
    if (points.empty()) return;
    low = high = points[0];
    for (const Vec3d& p : points) low = min(low, p), high = max(high, p);
  }
  std::vector<Vec3d> points;
  Vec3d low, high;
};

AxisGuess guess_up(const Skeleton& skeleton, const Surface& surface) {
  const std::initializer_list<std::string_view> feet = {"foot", "feet", "toe", "toes", "ankle", "hoof", "paw", "ball"};
  Vec3d lower, upper;
  const bool on_feet =
      skeleton.mean(feet, lower) && skeleton.mean([&](const Joint& joint) { return !joint.has(feet); }, upper);
  Vec3d ignored;
  const bool swims_or_crawls = skeleton.mean({"tail", "fin", "flipper"}, ignored);
  const bool upright = !on_feet && !swims_or_crawls && skeleton.mean({"hips", "hip", "pelvis"}, lower) &&
                       skeleton.mean({"head", "neck"}, upper);
  if (on_feet || upright) {
    const Vec3d direction = normalized(upper - lower);
    const Vec3d axis = nearest_axis(direction);
    const double confidence = (on_feet ? 1.0 : 0.6) * std::clamp(2 * dot(direction, axis) - 0.9, 0.1, 1.0);
    if (norm(upper - lower) > kNoHint * skeleton.size() && (on_feet || dot(direction, axis) > 0.8)) {
      return {axis, confidence, on_feet ? "the feet are below the other joints" : "the head is above the hips"};
    }
  }
  const auto stands = [&](int axis) {
    const double height = surface.high[axis] - surface.low[axis];
    return height > 0 && std::abs(surface.low[axis]) < kOnGround * height;
  };
  if (!surface.points.empty() && stands(1) != stands(2)) {
    return {stands(1) ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1}, 0.6, "the mesh stands on zero along this axis"};
  }
  return {{0, 1, 0}, 0.5, "by convention"};
}

/// Sums up the hints of joint names, each a horizontal vector that counts by its length.
class ForwardHints {
 public:
  explicit ForwardHints(Vec3d up) : up_(up) {}

  void add(Vec3d direction, double weight, const char* reason) {
    direction -= dot(direction, up_) * up_;
    sum_ += weight * direction;
    total_ += weight * norm(direction);
    if (weight * norm(direction) > strongest_) strongest_ = weight * norm(direction), reason_ = reason;
  }
  /// What the hints agree on; no confidence if they are too weak.
  AxisGuess result(double least) const {
    if (!(strongest_ > least) || !(norm(sum_) > 0)) return {};
    const Vec3d direction = normalized(sum_);
    const Vec3d axis = nearest_axis(direction);
    return {dot(direction, axis) > kAskew ? axis : direction, 0.95 * norm(sum_) / total_, reason_};
  }

 private:
  Vec3d up_, sum_;
  double total_ = 0, strongest_ = 0;
  std::string reason_;
};

AxisGuess forward_by_names(const Skeleton& skeleton, Vec3d up) {
  ForwardHints hints(up);
  Vec3d left, right, middle, part;
  if (skeleton.mean({"l", "left"}, left) && skeleton.mean({"r", "right"}, right)) {
    // Whoever looks along +Z with +Y up has the left side at +X.
    hints.add(cross(left - right, up), 2, "left and right joints");
  }
  if (skeleton.mean({"toe", "toes", "ball"}, part) && skeleton.mean({"foot", "feet", "ankle", "heel"}, middle)) {
    hints.add(part - middle, 3, "the toes are ahead of the feet");
  }
  if (skeleton.mean({"nose", "snout", "muzzle", "beak", "mouth", "chin", "jaw", "eye", "eyes", "tongue"}, part) &&
      skeleton.mean({"head", "neck", "skull"}, middle)) {
    hints.add(part - middle, 3, "the face is ahead of the head");
  }
  const bool has_middle = skeleton.mean([](const Joint&) { return true; }, middle);
  if (has_middle && skeleton.mean({"tail"}, part)) hints.add(middle - part, 1, "the tail is behind");
  if (has_middle && skeleton.mean({"head", "face", "skull"}, part)) hints.add(part - middle, 1, "the head is ahead");
  return hints.result(kNoHint * skeleton.size());
}

// A creature is its own mirror image from left to right, and seldom from front to back.
AxisGuess forward_by_shape(const Surface& surface, Vec3d up) {
  AxisGuess guess;
  const bool z_up = up.z != 0;
  // Convention: +Z where Y is up (glTF), -Y where Z is up (Blender).
  guess.axis = z_up ? Vec3d{0, -1, 0} : Vec3d{0, 0, 1};
  guess.confidence = 0.2, guess.reason = "by convention";
  if (surface.points.empty()) return guess;
  const int other = z_up ? 1 : 2;
  const double across_x = symmetry(surface.points, surface.low, surface.high, 0);
  const double across_other = symmetry(surface.points, surface.low, surface.high, other);
  if (std::abs(across_x - across_other) < 0.05) return guess;
  if (across_other > across_x) guess.axis = {1, 0, 0};
  guess.confidence = 0.4;
  guess.reason = "the mesh is symmetric from side to side; front and back by convention";
  return guess;
}

}  // namespace

AxesGuess guess_axes(const asset::Asset& asset) {
  const Skeleton skeleton(asset);
  const Surface surface(asset);
  AxesGuess guess;
  guess.up = guess_up(skeleton, surface);
  guess.forward = forward_by_names(skeleton, guess.up.axis);
  if (guess.forward.confidence == 0) guess.forward = forward_by_shape(surface, guess.up.axis);
  return guess;
}

}  // namespace limber::metrics
