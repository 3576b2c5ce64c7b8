// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/curve.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "limber/base/at.h"
#include "limber/body/limbs.h"
#include "limber/body/polyline.h"
#include "limber/body/slice_widths.h"

namespace limber::skeleton {
namespace {

// All set by hand, on the zoo and the shared models.
constexpr double kMirrored = 0.012;  // error of a mirror plane that makes limbs partners
constexpr double kTipsApart = 0.05;  // of the size: how far a tip may be from its partner's image. Less than
                                     // body::kPartnerApart: tips are spheres and not yet traced, and of what nobody
                                     // knows the rest, a wrong pair is worse than none
constexpr double kBroad = 0.5;       // of its mean breadth: what stands out less is a corner and no limb
constexpr double kSheet = 1.6;       // times its thickness: what is broader is a sheet
constexpr double kThin = 0.04;       // of the size: where no ball is larger, a body is all sheets and shells
constexpr double kBlur = 0.03;       // of the size: breadths that differ less are not told apart
constexpr double kCorner = 0.75;     // of its mean breadth: where a sheet is narrower, its end has parted into corners
constexpr double kEven = 0.1;        // ends that differ less in breadth are alike
constexpr double kLeastBend = 0.01;  // of the size: what lies less off a bone does not bend
constexpr double kLeastBone = 0.1;   // of the size: straight bones up to here are not too long
constexpr double kRooted = 0.6;      // of a limb's length: one that is deeper in the flesh it leaves gets no own root
constexpr int kPieces = 32, kSmoothing = 4;              // of a limb's line
constexpr int kStrandPieces = 64, kStrandSmoothing = 8;  // of a whole body's
constexpr std::size_t kNearRoot = 4;                     // pieces: no bend is a joint nearer to a limb's root

/// The end of a limb and what it is called.
struct NamedTip {
  int sphere = 0;
  std::string name, side;  ///< "limb.2", ".L"
};

/// Numbers tips from the longest on; those that are mirror images of each other share a number.
std::vector<NamedTip> name_tips(const body::BodyShape& body, const std::vector<int>& tips,
                                const std::optional<body::MirrorPlane>& plane) {
  std::vector<Vec3d> ends;
  for (const int s : tips) ends.push_back(body.sphere(s).centre);
  std::vector<int> partners(tips.size(), -1);
  if (plane) partners = body::pair_limbs(body, ends, *plane, kTipsApart);
  std::vector<NamedTip> named;
  int number = 0;
  for (std::size_t i = 0; i < tips.size(); ++i) {
    if (partners[i] >= 0 && at(partners[i]) < i) continue;
    const std::string name = "limb." + std::to_string(++number);
    if (partners[i] < 0) {
      named.push_back({tips[i], name, ""});
      continue;
    }
    const bool left = plane->side(ends[i]) > 0;
    named.push_back({tips[i], name, left ? ".L" : ".R"});
    named.push_back({tips[at(partners[i])], name, left ? ".R" : ".L"});
  }
  return named;
}

/// The plane that a body is its own mirror image in, if there is one.
std::optional<body::MirrorPlane> mirror_plane(const body::BodyShape& body) {
  const auto best = std::min_element(body.planes.begin(), body.planes.end(),
                                     [](const auto& a, const auto& b) { return a.error < b.error; });
  if (best == body.planes.end() || !(best->error < kMirrored)) return std::nullopt;
  body::MirrorPlane plane = *best;
  // Left is +X seen from behind, where nothing else is known.
  if (plane.normal.x + 0.1 * plane.normal.z < 0) plane.normal = -plane.normal, plane.offset = -plane.offset;
  return plane;
}

/// Where to put joints on a curve (its ends left out): Douglas and Peucker, then halves of what is too long.
void bends(const std::vector<Vec3d>& line, std::size_t from, std::size_t to, double tolerance, double longest,
           std::vector<std::size_t>& joints) {
  if (to <= from + 1) return;
  const Vec3d a = line[from], ab = line[to] - a;
  const double length = squared_norm(ab);
  double farthest = 0;
  std::size_t split = (from + to) / 2;
  for (std::size_t k = from + 1; k < to; ++k) {
    const double t = length > 0 ? std::clamp(dot(line[k] - a, ab) / length, 0.0, 1.0) : 0;
    const double off = norm(line[k] - a - t * ab);
    if (off > farthest) farthest = off, split = k;
  }
  if (farthest < tolerance) {
    if (std::sqrt(length) < longest) return;
    split = (from + to) / 2;
  }
  bends(line, from, split, tolerance, longest, joints);
  joints.push_back(split);
  bends(line, split, to, tolerance, longest, joints);
}

/// A body, and how broad it is.
struct Outline {
  const body::BodyShape& body;
  const body::SliceWidths widths;
  const CurveSettings& settings;
};

/// How broad the body is at a sphere, across the path from its middle. Slices tell that of sheets and shells only:
/// those of a body with flesh may run through several limbs.
double breadth(const Outline& on, int sphere) {
  const body::BodyShape& body = on.body;
  const double thick = 2 * body.sphere(sphere).radius;
  if (body.graph.spheres.front().radius > kThin * body.size) return thick;
  const double slice = on.widths.at(body.sphere(sphere).centre).breadth;
  return slice > kSheet * thick + kBlur * body.size ? slice : thick;
}

bool is_sheet(const Outline& on, int sphere) { return breadth(on, sphere) > 2 * on.body.sphere(sphere).radius; }

double mean_breadth(const Outline& on, const std::vector<int>& path) {
  double sum = 0;
  for (const int s : path) sum += breadth(on, s) / static_cast<double>(path.size());
  return sum;
}

/// Whether what ends at a tip stands out of the body, instead of being a corner of it.
bool stands_out(const Outline& on, const body::Tip& tip) {
  const body::BodyShape& body = on.body;
  const double radius = body.sphere(tip.fork).radius;
  if (tip.length < body::kLimbRatio * radius || tip.length < 2 * on.settings.min_bone * body.size) return false;
  std::vector<int> path = body.paths.path(tip.sphere);
  std::erase_if(path, [&](int s) { return body.paths.distance[at(s)] < body.paths.distance[at(tip.fork)]; });
  const double broad = std::max(breadth(on, tip.fork), mean_breadth(on, path));
  const bool sheet = is_sheet(on, tip.fork) || is_sheet(on, tip.sphere);
  return !sheet || tip.length - radius > kBroad * broad;
}

/// The path to a tip. That of a sheet ends in its middle, not in a corner.
std::vector<int> path_to(const Outline& on, int tip) {
  std::vector<int> path = on.body.paths.path(tip);
  const double narrow = kCorner * mean_breadth(on, path);
  const bool sheet = is_sheet(on, path[path.size() / 2]);
  while (sheet && path.size() > 3 && breadth(on, path.back()) < narrow) path.pop_back();
  return path;
}

/// The middle of the body at a sphere: that of a sheet lies far from most of its spheres.
Vec3d middle(const Outline& on, int sphere) {
  const Vec3d centre = on.body.sphere(sphere).centre;
  return is_sheet(on, sphere) ? on.widths.at(centre).middle : centre;
}

std::vector<Vec3d> middles(const Outline& on, std::span<const int> path) {
  std::vector<Vec3d> line;
  for (const int s : path) line.push_back(middle(on, s));
  return line;
}

/// Where a line of that radius gets joints.
std::vector<std::size_t> find_bends(const Outline& on, const std::vector<Vec3d>& line, double radius) {
  std::vector<std::size_t> joints;
  bends(line, 0, line.size() - 1, std::max(on.settings.bend * radius, kLeastBend * on.body.size),
        std::max(on.settings.longest * radius, kLeastBone * on.body.size), joints);
  return joints;
}

/// Adds a joint below `parent`, whose place it takes; none where it would be too near.
void add_joint(const Outline& on, const NamedTip& tip, Vec3d place, int& number, int& parent, SkeletonPlan& plan) {
  if (norm(place - plan.joints[at(parent)].at) < on.settings.min_bone * on.body.size) return;
  plan.joints.push_back({tip.name + "." + std::to_string(++number) + tip.side, parent, place, std::nullopt});
  parent = static_cast<int>(plan.joints.size()) - 1;
}

/// A body of two ends and nothing else as one chain, from its broader end (or the lower one) to the other. None where
/// the ends are not opposite each other.
std::optional<SkeletonPlan> make_strand(const Outline& on, const std::vector<int>& tips) {
  std::vector<int> first = path_to(on, tips[0]), second = path_to(on, tips[1]);
  if (first.size() < 2 || second.size() < 2 || first[1] == second[1]) return std::nullopt;
  const double broad_first = mean_breadth(on, first), broad_second = mean_breadth(on, second);
  const bool alike = std::abs(broad_first - broad_second) < kEven * std::max(broad_first, broad_second);
  const double lower = dot(on.settings.up, on.body.sphere(tips[0]).centre - on.body.sphere(tips[1]).centre);
  if (alike ? lower > 0 : broad_first < broad_second) std::swap(first, second);
  std::vector<int> path(first.rbegin(), first.rend());
  path.insert(path.end(), second.begin() + 1, second.end());
  std::vector<Vec3d> line = middles(on, path);
  for (int end = 0; end < 2; ++end) {
    body::reach_skin(on.body, line);
    std::reverse(line.begin(), line.end());
  }
  line = body::resample(line, kStrandPieces);
  body::smooth(line, kStrandSmoothing);
  const double broad = 0.5 * (broad_first + broad_second);
  std::vector<std::size_t> joints = find_bends(on, line, 0.5 * broad);
  if (joints.empty() && body::polyline_length(line) > broad) joints.push_back(line.size() / 2);
  SkeletonPlan plan;
  plan.joints.push_back({"root", -1, line.front(), std::nullopt});
  int parent = 0, number = 0;
  for (const std::size_t j : joints) add_joint(on, {tips[0], "limb.1", ""}, line[j], number, parent, plan);
  plan.joints[at(parent)].tail = line.back();
  return plan;
}

/// A skeleton under construction: limbs are added one by one, each from where it leaves the others.
struct Tree {
  SkeletonPlan plan;
  std::vector<int> joint_at;  ///< per sphere, -1 for none
  std::vector<int> limbs_at;  ///< per sphere: how many limbs run through it
};

/// What a piece of a limb ends at.
enum class PieceEnd { kFork, kSkin };

/// Between two forks, or from the last fork to the skin at the limb's end. `number` counts the limb's joints.
void add_piece(const Outline& on, const NamedTip& tip, std::span<const int> path, PieceEnd piece_end, int& number,
               Tree& tree) {
  std::vector<Vec3d> line = middles(on, path);
  double radius = 0;
  for (const int s : path) radius += 0.5 * breadth(on, s) / static_cast<double>(path.size());
  if (piece_end == PieceEnd::kSkin) body::reach_skin(on.body, line);
  line = body::resample(line, kPieces);
  body::smooth(line, kSmoothing);
  std::vector<std::size_t> joints = find_bends(on, line, radius);
  int parent = tree.joint_at[at(path.front())];
  // A limb begins where it leaves the flesh it grows from, with a joint of its own.
  const double rooted = on.body.sphere(path.front()).radius / std::max(body::polyline_length(line), 1e-12);
  if (number == 0 && rooted < kRooted) {
    const auto first = static_cast<std::size_t>(std::lround(rooted * kPieces));
    std::erase_if(joints, [&](std::size_t j) { return j < first + kNearRoot; });
    joints.insert(joints.begin(), std::max<std::size_t>(first, 1));
  }
  for (const std::size_t j : joints) add_joint(on, tip, line[j], number, parent, tree.plan);
  if (piece_end == PieceEnd::kSkin) {
    tree.plan.joints[at(parent)].tail = line.back();
  } else {
    add_joint(on, tip, line.back(), number, parent, tree.plan);
    tree.joint_at[at(path.back())] = parent;
  }
}

/// From the last sphere that has a joint to the tip. Where other limbs leave, a joint.
void grow_limb(const Outline& on, const NamedTip& tip, Tree& tree) {
  const std::vector<int> path = path_to(on, tip.sphere);
  std::size_t begin = path.size() - 1;
  while (begin > 0 && tree.joint_at[at(path[begin])] < 0) --begin;
  int number = 0;
  std::size_t from = begin;
  for (std::size_t k = begin + 1; k < path.size(); ++k) {
    const bool end = k + 1 == path.size();
    if (!end && tree.limbs_at[at(path[k])] == tree.limbs_at[at(path[k + 1])]) continue;
    add_piece(on, tip, std::span(path).subspan(from, k - from + 1), end ? PieceEnd::kSkin : PieceEnd::kFork, number,
              tree);
    from = k;
  }
}

}  // namespace

SkeletonPlan curve_skeleton(const body::BodyShape& body, const CurveSettings& settings) {
  const Outline on{body, body::SliceWidths(body), settings};
  std::vector<int> tips;
  for (const body::Tip& tip : body.tips) {
    if (static_cast<int>(tips.size()) < settings.max_limbs && stands_out(on, tip)) tips.push_back(tip.sphere);
  }
  if (tips.size() == 2) {
    if (auto strand = make_strand(on, tips)) return std::move(*strand);
  }
  Tree tree;
  tree.joint_at.assign(body.graph.spheres.size(), -1), tree.limbs_at.assign(body.graph.spheres.size(), 0);
  for (const int tip : tips) {
    for (const int s : path_to(on, tip)) ++tree.limbs_at[at(s)];
  }
  tree.plan.joints.push_back({"root", -1, body.sphere(body.centre).centre, std::nullopt});
  tree.joint_at[at(body.centre)] = 0;
  for (const NamedTip& tip : name_tips(body, tips, mirror_plane(body))) grow_limb(on, tip, tree);
  return std::move(tree.plan);
}

}  // namespace limber::skeleton
