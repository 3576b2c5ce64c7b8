// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/find_facing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_set>
#include <vector>

#include "limber/anatomy/joint_names.h"
#include "limber/asset/pose.h"
#include "limber/rig/rig_extras.h"

namespace limber::anatomy {
namespace {

constexpr double kAskew = 0.94;     // cosine of 20 degrees: directions nearer to an axis than that are along it
constexpr double kNoHint = 0.05;    // of the skeleton's size: shorter vectors say nothing
constexpr double kOnGround = 0.06;  // of the height: how far from zero a mesh that stands on the ground may begin
constexpr std::size_t kSamples = 20000;
constexpr double kCell = 0.02;  // of the diagonal: how well a symmetric mesh agrees with its mirror image
constexpr double kUpByConvention = 0.5, kForwardByConvention = 0.2;
constexpr double kTrailing = 0.5;                    // of its confidence: an up that may only be feet that trail behind
constexpr double kSureUp = 0.7, kSureForward = 0.5;  // from here on a direction is acted on

struct NamedPoint {
  Words words;
  Vec3d position;
};

/// What the answer is found from, in the world of the asset.
struct Evidence {
  std::vector<NamedPoint> joints;
  double size = 0;             ///< of the skeleton
  std::vector<Vec3d> surface;  ///< thinned out
  Vec3d low, high;             ///< of the surface
};

void add_joint(Evidence& evidence, const std::string& name, Vec3d position) {
  NamedPoint joint{words_of(name), position};
  if (is_finite(position) && !tells_of(joint.words, Landmark::kControl)) evidence.joints.push_back(std::move(joint));
}

void measure(Evidence& evidence) {
  const auto diagonal = [](const auto& list, const auto& place, Vec3d& low, Vec3d& high) {
    if (list.empty()) return;
    low = high = place(list.front());
    for (const auto& entry : list) low = min(low, place(entry)), high = max(high, place(entry));
  };
  Vec3d low, high;
  diagonal(
      evidence.joints, [](const NamedPoint& joint) { return joint.position; }, low, high);
  evidence.size = norm(high - low);
  diagonal(
      evidence.surface, [](Vec3d point) { return point; }, evidence.low, evidence.high);
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

Evidence evidence_of(const asset::Asset& asset) {
  Evidence evidence;
  const asset::NodeState rest = asset::rest_state(asset);
  std::vector<bool> chosen(asset.nodes.size(), asset.skins.empty());
  for (const asset::Skin& skin : asset.skins) {
    for (const int joint : skin.joints) chosen[static_cast<std::size_t>(joint)] = true;
  }
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    if (chosen[i]) add_joint(evidence, asset.nodes[i].name, rest.world_from_node[i].translation);
  }
  evidence.surface = surface_samples(asset);
  measure(evidence);
  return evidence;
}

/// In the asset's world, where it shows what the subject stood on before it was set on the ground.
Evidence evidence_of(const rig::Subject& subject) {
  Evidence evidence;
  const Affined asset_from_world = rig::asset_from_subject(subject);
  for (std::size_t j = 0; j < subject.rig.joints().size(); ++j) {
    add_joint(evidence, subject.rig.joints()[j].name,
              asset_from_world * subject.rig.world_from_rest()[j].translation.cast<double>());
  }
  const std::size_t step = subject.points.size() / kSamples + 1;
  for (std::size_t p = 0; p < subject.points.size(); p += step) {
    if (is_finite(subject.points[p])) evidence.surface.push_back(asset_from_world * subject.points[p].cast<double>());
  }
  measure(evidence);
  return evidence;
}

/// Mean position of the joints for which `choose` holds.
std::optional<Vec3d> mean(const Evidence& evidence, const std::function<bool(const Words&)>& choose) {
  Vec3d sum;
  double count = 0;
  for (const NamedPoint& joint : evidence.joints) {
    if (choose(joint.words)) sum += joint.position, ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}
std::optional<Vec3d> mean(const Evidence& evidence, Landmark landmark) {
  return mean(evidence, [&](const Words& words) { return tells_of(words, landmark); });
}
/// The head's end of the body: of a head and what it sits on.
std::optional<Vec3d> head_and_neck(const Evidence& evidence) {
  return mean(evidence,
              [](const Words& words) { return tells_of(words, Landmark::kSkull) || tells_of(words, Landmark::kNeck); });
}

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

/// Whether the mesh begins at zero along an axis, as what stands on the ground does.
bool stands(const Evidence& evidence, Vec3d up) {
  if (evidence.surface.empty()) return false;
  const double a = dot(up, evidence.low), b = dot(up, evidence.high);
  return a != b && std::abs(std::min(a, b)) < kOnGround * std::abs(b - a);
}

/// The feet are below the rest, or the head is above the hips of a body that stands upright.
std::optional<Direction> up_by_names(const Evidence& evidence) {
  std::optional<Vec3d> lower = mean(evidence, Landmark::kFoot);
  std::optional<Vec3d> upper = mean(evidence, [](const Words& words) { return !tells_of(words, Landmark::kFoot); });
  const bool on_feet = lower && upper;
  if (!on_feet) {
    if (mean(evidence, Landmark::kSwimmer)) return std::nullopt;
    lower = mean(evidence, Landmark::kHips), upper = head_and_neck(evidence);
    if (!lower || !upper) return std::nullopt;
  }
  const Vec3d direction = normalized(*upper - *lower);
  const Vec3d axis = nearest_axis(direction);
  if (!(norm(*upper - *lower) > kNoHint * evidence.size)) return std::nullopt;
  if (!on_feet && !(dot(direction, axis) > 0.8)) return std::nullopt;
  double confidence = (on_feet ? 1.0 : 0.6) * std::clamp(2 * dot(direction, axis) - 0.9, 0.1, 1.0);
  // The feet of flyers and swimmers may trail behind, which looks like a body that lies.
  const Vec3d usual{0, 1, 0};
  const bool lies = stands(evidence, axis) && !stands(evidence, usual);
  if (axis != usual && !evidence.surface.empty() && !lies) confidence *= kTrailing;
  return Direction{axis, confidence, on_feet ? "the feet are below the other joints" : "the head is above the hips"};
}

Direction up_by_shape(const Evidence& evidence) {
  const Vec3d y{0, 1, 0}, z{0, 0, 1};
  if (stands(evidence, y) != stands(evidence, z)) {
    return {stands(evidence, y) ? y : z, 0.6, "the mesh stands on zero along this axis"};
  }
  return {y, kUpByConvention, "by convention"};
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
  Direction result(double least) const {
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

std::optional<Direction> forward_by_names(const Evidence& evidence, Vec3d up) {
  ForwardHints hints(up);
  const auto left = mean(evidence, Landmark::kLeft);
  const auto right = mean(evidence, Landmark::kRight);
  // Whoever looks along +Z with +Y up has the left side at +X.
  if (left && right) hints.add(cross(*left - *right, up), 2, "left and right joints");
  const auto toes = mean(evidence, Landmark::kToes), heels = mean(evidence, Landmark::kHeel);
  if (toes && heels) hints.add(*toes - *heels, 3, "the toes are ahead of the feet");
  const auto face = mean(evidence, Landmark::kFace), skull = head_and_neck(evidence);
  if (face && skull) hints.add(*face - *skull, 3, "the face is ahead of the head");
  const auto middle = mean(evidence, [](const Words&) { return true; });
  const auto tail = mean(evidence, Landmark::kTail), head = mean(evidence, Landmark::kHead);
  if (middle && tail) hints.add(*middle - *tail, 1, "the tail is behind");
  if (middle && head) hints.add(*head - *middle, 1, "the head is ahead");
  const Direction result = hints.result(kNoHint * evidence.size);
  if (result.confidence == 0) return std::nullopt;
  return result;
}

/// A creature is its own mirror image from left to right, and seldom from front to back.
Direction forward_by_shape(const Evidence& evidence, Vec3d up) {
  const bool z_up = up.z != 0;
  // Convention: +Z where Y is up (glTF), -Y where Z is up (Blender).
  Direction guess{z_up ? Vec3d{0, -1, 0} : Vec3d{0, 0, 1}, kForwardByConvention, "by convention"};
  if (evidence.surface.empty()) return guess;
  const double across_x = symmetry(evidence.surface, evidence.low, evidence.high, 0);
  const double across_other = symmetry(evidence.surface, evidence.low, evidence.high, z_up ? 1 : 2);
  if (std::abs(across_x - across_other) < 0.05) return guess;
  if (across_other > across_x) guess.axis = {1, 0, 0};
  guess.confidence = 0.4;
  guess.reason = "the mesh is symmetric from side to side; front and back by convention";
  return guess;
}

/// What an earlier run of limber, or whoever wrote the file, says in the extras of its skins, turned as the skeleton
/// was since.
std::optional<rig::Facing> stated_facing(const asset::Asset& asset) {
  for (const asset::Skin& skin : asset.skins) {
    if (skin.extras.empty() || skin.joints.empty()) continue;
    const auto extras = rig::read_extras(skin.extras, skin.joints.size());
    if (!extras || !extras->facing.known()) continue;
    const asset::NodeState rest = asset::rest_state(asset);
    const Affined& first = rest.world_from_node[static_cast<std::size_t>(skin.joints[0])];
    return rig::facing_now(*extras, decompose(first).rotation.cast<float>());
  }
  return std::nullopt;
}

Directions as_directions(const rig::Facing& facing) {
  return {{facing.up.cast<double>(), facing.confidence, facing.reason},
          {facing.forward.cast<double>(), facing.confidence, facing.reason}};
}

Directions find_directions(const Evidence& evidence) {
  Directions found;
  const auto up = up_by_names(evidence);
  found.up = up ? *up : up_by_shape(evidence);
  const auto forward = forward_by_names(evidence, found.up.axis);
  found.forward = forward ? *forward : forward_by_shape(evidence, found.up.axis);
  return found;
}

rig::Facing as_facing(const Directions& found) {
  rig::Facing facing;
  facing.up = found.up.axis.cast<float>(), facing.forward = found.forward.axis.cast<float>();
  const bool convention = found.up.confidence <= kUpByConvention && found.forward.confidence <= kForwardByConvention;
  if (!convention) facing.confidence = static_cast<float>(std::min(found.up.confidence, found.forward.confidence));
  facing.reason = found.forward.reason;
  return facing;
}

}  // namespace

Directions find_directions(const asset::Asset& asset) {
  const std::optional<rig::Facing> stated = stated_facing(asset);
  return stated ? as_directions(*stated) : find_directions(evidence_of(asset));
}

std::optional<Vec3d> forward_by_pairs(std::span<const std::string> names, std::span<const int> parents,
                                      std::span<const Vec3d> places, Vec3d up) {
  std::vector<std::string> stems;
  std::vector<int> sides;
  for (const std::string& name : names) stems.push_back(unsided(name)), sides.push_back(named_side(words_of(name)));
  for (const bool same_parent : {true, false}) {
    Vec3d side;
    int pairs = 0;
    for (std::size_t l = 0; l < stems.size(); ++l) {
      if (stems[l].empty() || sides[l] < 0) continue;
      for (std::size_t r = 0; r < stems.size(); ++r) {
        if (stems[r] != stems[l] || sides[r] > 0) continue;
        if (same_parent && (parents[l] != parents[r] || parents[l] < 0)) continue;
        const Vec3d across = places[l] - places[r];
        if (norm(across) > 0) side += normalized(across), ++pairs;
      }
    }
    const Vec3d forward = cross(side, up);
    if (pairs > 0 && norm(forward) > 0.5 * pairs) return normalized(forward);
  }
  return std::nullopt;
}

rig::Facing find_facing(const asset::Asset& asset) { return as_facing(find_directions(asset)); }

rig::Facing believed_facing(const asset::Asset& asset, std::optional<Vec3> up) {
  const std::optional<rig::Facing> stated = stated_facing(asset);
  if (stated && !up) return *stated;
  Directions found = find_directions(evidence_of(asset));
  if (up) found.up = {up->cast<double>(), 1, "as asked"};
  const bool sure_up = found.up.confidence >= kSureUp;
  if (!sure_up && found.up.axis != Vec3d{0, 1, 0}) found.up.axis = {0, 1, 0}, found.up.reason = "by convention";
  const Vec3d usual = found.up.axis.z > 0.5 ? Vec3d{0, -1, 0} : Vec3d{0, 0, 1};
  const Vec3d level = found.forward.axis - dot(found.forward.axis, found.up.axis) * found.up.axis;
  const bool sure_forward = found.forward.confidence >= kSureForward && norm(level) > 0.5;
  const auto facing = rig::make_facing(found.up.axis.cast<float>(), (sure_forward ? level : usual).cast<float>());
  if (!facing.ok()) return {};  // it stands along the front that is usual
  rig::Facing believed = *facing;
  believed.confidence = static_cast<float>(std::min(found.up.confidence, found.forward.confidence));
  believed.reason = sure_forward || !sure_up ? found.forward.reason : found.up.reason;
  return believed;
}

rig::Facing find_facing(const rig::Subject& subject) {
  return subject.facing.known() ? subject.facing : as_facing(find_directions(evidence_of(subject)));
}

}  // namespace limber::anatomy
