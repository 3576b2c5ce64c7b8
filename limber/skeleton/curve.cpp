// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/curve.h"

#include <algorithm>
#include <cmath>

#include "limber/body/polyline.h"
#include "limber/body/slice_widths.h"

namespace limber::skeleton {
namespace {

constexpr double kMirrored = 0.012;  // error of a mirror plane that makes limbs partners
constexpr double kBroad = 0.5;       // of its mean breadth: what stands out less is a corner and no limb
constexpr double kSheet = 1.6;       // times its thickness: what is broader is a sheet
constexpr double kThin = 0.04;       // of the size: where no ball is larger, a body is all sheets and shells
constexpr double kBlur = 0.03;       // of the size: breadths that differ less are not told apart
constexpr double kCorner = 0.75;     // of its mean breadth: where a sheet is narrower, its end has parted into corners
constexpr double kEven = 0.1;        // ends that differ less in breadth are alike

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// The end of a limb and what it is called.
struct Limb {
  int tip = 0;
  std::string name, side;  ///< "limb.2", ".L"
};

/// Which tips are mirror images of each other, numbered from the longest on.
std::vector<Limb> name_limbs(const body::BodyShape& body, const std::vector<int>& tips,
                             const body::MirrorPlane* plane) {
  std::vector<Limb> limbs;
  std::vector<bool> done(tips.size(), false);
  int number = 0;
  for (std::size_t i = 0; i < tips.size(); ++i) {
    if (done[i]) continue;
    const std::string name = "limb." + std::to_string(++number);
    const Vec3d p = body.sphere(tips[i]).centre;
    std::size_t partner = i;
    if (plane != nullptr && std::abs(plane->side(p)) > 0.015 * body.size) {
      double nearest = 0.05 * body.size;
      for (std::size_t j = i + 1; j < tips.size(); ++j) {
        const double apart = norm(plane->mirror(p) - body.sphere(tips[j]).centre);
        if (!done[j] && apart < nearest) nearest = apart, partner = j;
      }
    }
    const bool paired = partner != i;
    limbs.push_back({tips[i], name, !paired ? "" : (plane->side(p) > 0 ? ".L" : ".R")});
    done[i] = true;
    if (!paired) continue;
    limbs.push_back({tips[partner], name, plane->side(p) > 0 ? ".R" : ".L"});
    done[partner] = true;
  }
  return limbs;
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

class Builder {
 public:
  Builder(const body::BodyShape& body, const CurveSettings& settings)
      : body_(body), widths_(body), settings_(settings) {
    joint_at_.assign(body.graph.spheres.size(), -1);
    on_tree_.assign(body.graph.spheres.size(), 0);
  }

  SkeletonPlan run() {
    const auto plane = std::min_element(body_.planes.begin(), body_.planes.end(),
                                        [](const auto& a, const auto& b) { return a.error < b.error; });
    const bool symmetric = plane != body_.planes.end() && plane->error < kMirrored;
    body::MirrorPlane chosen;
    if (symmetric) {
      chosen = *plane;
      // Left is +X seen from behind, where nothing else is known.
      if (chosen.normal.x + 0.1 * chosen.normal.z < 0) chosen.normal = -chosen.normal, chosen.offset = -chosen.offset;
    }
    std::vector<int> tips;
    for (const body::Tip& tip : body_.tips) {
      if (static_cast<int>(tips.size()) < settings_.max_limbs && stands_out(tip)) tips.push_back(tip.sphere);
    }
    if (tips.size() == 2 && add_strand(tips)) return std::move(plan_);
    for (const int tip : tips) {
      for (const int s : way_to(tip)) ++on_tree_[at(s)];
    }
    plan_.joints.push_back({"root", -1, body_.sphere(body_.centre).centre, std::nullopt});
    joint_at_[at(body_.centre)] = 0;
    for (const Limb& limb : name_limbs(body_, tips, symmetric ? &chosen : nullptr)) add_limb(limb);
    return std::move(plan_);
  }

 private:
  /// How broad the body is at a sphere, across the way from its middle. Slices tell that of sheets and shells only:
  /// those of a body with flesh may run through several limbs.
  double breadth(int sphere) const {
    const double thick = 2 * body_.sphere(sphere).radius;
    if (body_.graph.spheres.front().radius > kThin * body_.size) return thick;
    const double slice = widths_.at(body_.sphere(sphere).centre).breadth;
    return slice > kSheet * thick + kBlur * body_.size ? slice : thick;
  }

  double mean_breadth(const std::vector<int>& path) const {
    double sum = 0;
    for (const int s : path) sum += breadth(s) / static_cast<double>(path.size());
    return sum;
  }

  /// Whether what ends at a tip stands out of the body, instead of being a corner of it.
  bool stands_out(const body::Tip& tip) const {
    const double radius = body_.sphere(tip.fork).radius;
    if (tip.length < body::kLimbRatio * radius || tip.length < 2 * settings_.min_bone * body_.size) return false;
    std::vector<int> path = body_.paths.path(tip.sphere);
    std::erase_if(path, [&](int s) { return body_.paths.distance[at(s)] < body_.paths.distance[at(tip.fork)]; });
    const double broad = std::max(breadth(tip.fork), mean_breadth(path));
    const bool sheet = breadth(tip.fork) > 2 * radius || breadth(tip.sphere) > 2 * body_.sphere(tip.sphere).radius;
    return !sheet || tip.length - radius > kBroad * broad;
  }

  /// The way to a tip. That of a sheet ends in its middle, not in a corner.
  std::vector<int> way_to(int tip) const {
    std::vector<int> path = body_.paths.path(tip);
    const double narrow = kCorner * mean_breadth(path);
    const int half = path[path.size() / 2];
    const bool sheet = breadth(half) > 2 * body_.sphere(half).radius;
    while (sheet && path.size() > 3 && breadth(path.back()) < narrow) path.pop_back();
    return path;
  }

  /// The middle of the body at a sphere: that of a sheet lies far from most of its spheres.
  Vec3d middle(int sphere) const {
    const bool sheet = breadth(sphere) > 2 * body_.sphere(sphere).radius;
    return sheet ? widths_.at(body_.sphere(sphere).centre).middle : body_.sphere(sphere).centre;
  }

  /// Goes on to the skin, the way that a line ends.
  void reach_skin(std::vector<Vec3d>& line) const {
    if (line.size() < 2) return;
    const Vec3d step = 0.5 * body_.solid.grid.cell * normalized(line.back() - line[line.size() - 2], Vec3d{});
    if (!(squared_norm(step) > 0)) return;
    Vec3d end = line.back();
    for (int k = 0; k < 1024 && body_.field.depth(end + step) > 0; ++k) end = end + step;
    line.push_back(end);
  }

  /// A body of two ends and nothing else is one chain, from its broader end (or the lower one) to the other. False
  /// where the ends are not opposite each other.
  bool add_strand(const std::vector<int>& tips) {
    std::vector<int> first = way_to(tips[0]), second = way_to(tips[1]);
    if (first.size() < 2 || second.size() < 2 || first[1] == second[1]) return false;
    const double broad_first = mean_breadth(first), broad_second = mean_breadth(second);
    const bool alike = std::abs(broad_first - broad_second) < kEven * std::max(broad_first, broad_second);
    const double lower = body_.sphere(tips[0]).centre.y - body_.sphere(tips[1]).centre.y;
    if (alike ? lower > 0 : broad_first < broad_second) std::swap(first, second);
    std::vector<int> path(first.rbegin(), first.rend());
    path.insert(path.end(), second.begin() + 1, second.end());
    std::vector<Vec3d> line;
    line.reserve(path.size() + 1);
    for (const int s : path) line.push_back(middle(s));
    reach_skin(line);
    std::reverse(line.begin(), line.end());
    reach_skin(line);
    std::reverse(line.begin(), line.end());
    line = body::resample(line, 64);
    body::smooth(line, 8);
    const double broad = 0.5 * (broad_first + broad_second), length = body::polyline_length(line);
    std::vector<std::size_t> joints;
    bends(line, 0, line.size() - 1, std::max(0.5 * settings_.bend * broad, 0.01 * body_.size),
          std::max(0.5 * settings_.longest * broad, 0.1 * body_.size), joints);
    if (joints.empty() && length > broad) joints.push_back(line.size() / 2);
    plan_.joints.push_back({"root", -1, line.front(), std::nullopt});
    int parent = 0, number = 0;
    for (const std::size_t j : joints) add_joint({tips[0], "limb.1", ""}, -1, line[j], number, parent);
    plan_.joints[at(parent)].tail = line.back();
    return true;
  }

  /// From the last sphere that has a joint to the tip. Where other limbs leave, a joint.
  void add_limb(const Limb& limb) {
    const std::vector<int> path = way_to(limb.tip);
    std::size_t begin = path.size() - 1;
    while (begin > 0 && joint_at_[at(path[begin])] < 0) --begin;
    int number = 0;
    std::size_t from = begin;
    for (std::size_t k = begin + 1; k < path.size(); ++k) {
      const bool fork = k + 1 < path.size() && on_tree_[at(path[k])] != on_tree_[at(path[k + 1])];
      if (!fork && k + 1 < path.size()) continue;
      add_piece(limb, path, from, k, number);
      from = k;
    }
  }

  void add_joint(const Limb& limb, int sphere, Vec3d place, int& number, int& parent) {
    if (norm(place - plan_.joints[at(parent)].at) < settings_.min_bone * body_.size) {
      if (sphere >= 0) joint_at_[at(sphere)] = parent;
      return;
    }
    plan_.joints.push_back({limb.name + "." + std::to_string(++number) + limb.side, parent, place, std::nullopt});
    parent = static_cast<int>(plan_.joints.size()) - 1;
    if (sphere >= 0) joint_at_[at(sphere)] = parent;
  }

  /// Between two forks, or from the last fork to the skin at the limb's end.
  void add_piece(const Limb& limb, const std::vector<int>& path, std::size_t from, std::size_t to, int& number) {
    std::vector<Vec3d> line;
    double radius = 0;
    for (std::size_t k = from; k <= to; ++k) {
      line.push_back(middle(path[k]));
      radius += 0.5 * breadth(path[k]) / static_cast<double>(to - from + 1);
    }
    const bool end = to + 1 == path.size();
    if (end) reach_skin(line);
    line = body::resample(line, 32);
    body::smooth(line, 4);
    std::vector<std::size_t> joints;
    const double longest = std::max(settings_.longest * radius, 0.1 * body_.size);
    bends(line, 0, line.size() - 1, std::max(settings_.bend * radius, 0.01 * body_.size), longest, joints);
    int parent = joint_at_[at(path[from])];
    // A limb begins where it leaves the flesh it grows from, with a joint of its own.
    const double rooted = body_.sphere(path[from]).radius / std::max(body::polyline_length(line), 1e-12);
    if (number == 0 && rooted < 0.6) {
      const auto first = static_cast<std::size_t>(std::lround(rooted * 32));
      std::erase_if(joints, [&](std::size_t j) { return j < first + 4; });
      joints.insert(joints.begin(), std::max<std::size_t>(first, 1));
    }
    for (const std::size_t j : joints) add_joint(limb, -1, line[j], number, parent);
    if (end) {
      plan_.joints[at(parent)].tail = line.back();
    } else {
      add_joint(limb, path[to], line.back(), number, parent);
    }
  }

  const body::BodyShape& body_;
  const body::SliceWidths widths_;
  const CurveSettings& settings_;
  SkeletonPlan plan_;
  std::vector<int> joint_at_;  ///< per sphere
  std::vector<int> on_tree_;   ///< per sphere: how many limbs run through it
};

}  // namespace

SkeletonPlan curve_skeleton(const body::BodyShape& body, const CurveSettings& settings) {
  return Builder(body, settings).run();
}

}  // namespace limber::skeleton
