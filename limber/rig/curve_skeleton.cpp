// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/curve_skeleton.h"

#include <algorithm>
#include <cmath>

#include "limber/rig/polyline.h"

namespace limber::rig {
namespace {

constexpr double kMirrored = 0.012;  // error of a mirror plane that makes limbs partners

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// The end of a limb and what it is called.
struct Limb {
  int tip = 0;
  std::string name, side;  ///< "limb.2", ".L"
};

/// Which tips are mirror images of each other, numbered from the longest on.
std::vector<Limb> name_limbs(const BodyShape& body, const std::vector<int>& tips, const MirrorPlane* plane) {
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
  Builder(const BodyShape& body, const CurveSettings& settings) : body_(body), settings_(settings) {
    joint_at_.assign(body.graph.spheres.size(), -1);
    on_tree_.assign(body.graph.spheres.size(), 0);
  }

  SkeletonPlan run() {
    const auto plane = std::min_element(body_.planes.begin(), body_.planes.end(),
                                        [](const auto& a, const auto& b) { return a.error < b.error; });
    const bool symmetric = plane != body_.planes.end() && plane->error < kMirrored;
    MirrorPlane chosen;
    if (symmetric) {
      chosen = *plane;
      // Left is +X seen from behind, where nothing else is known.
      if (chosen.normal.x + 0.1 * chosen.normal.z < 0) chosen.normal = -chosen.normal, chosen.offset = -chosen.offset;
    }
    std::vector<int> tips;
    for (const Tip& tip : body_.tips) {
      if (tip.length < kLimbRatio * body_.sphere(tip.fork).radius || tip.length < 2 * settings_.min_bone * body_.size)
        continue;
      if (static_cast<int>(tips.size()) < settings_.max_limbs) tips.push_back(tip.sphere);
    }
    for (const int tip : tips) {
      for (const int s : body_.paths.path(tip)) ++on_tree_[at(s)];
    }
    plan_.joints.push_back({"root", -1, body_.sphere(body_.centre).centre, std::nullopt});
    joint_at_[at(body_.centre)] = 0;
    for (const Limb& limb : name_limbs(body_, tips, symmetric ? &chosen : nullptr)) add_limb(limb);
    return std::move(plan_);
  }

 private:
  /// From the last sphere that has a joint to the tip. Where other limbs leave, a joint.
  void add_limb(const Limb& limb) {
    const std::vector<int> path = body_.paths.path(limb.tip);
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
      line.push_back(body_.sphere(path[k]).centre);
      radius += body_.sphere(path[k]).radius / static_cast<double>(to - from + 1);
    }
    const bool end = to + 1 == path.size();
    if (end) {
      const Vec3d out = normalized(line.back() - line[line.size() - 2]);
      line.push_back(line.back() + 0.7 * body_.sphere(path[to]).radius * out);
    }
    line = resample(line, 32);
    smooth(line, 4);
    std::vector<std::size_t> joints;
    const double longest = std::max(settings_.longest * radius, 0.1 * body_.size);
    bends(line, 0, line.size() - 1, std::max(settings_.bend * radius, 0.01 * body_.size), longest, joints);
    int parent = joint_at_[at(path[from])];
    // A limb begins where it leaves the flesh it grows from, with a joint of its own.
    const double rooted = body_.sphere(path[from]).radius / std::max(polyline_length(line), 1e-12);
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

  const BodyShape& body_;
  const CurveSettings& settings_;
  SkeletonPlan plan_;
  std::vector<int> joint_at_;  ///< per sphere
  std::vector<int> on_tree_;   ///< per sphere: how many limbs run through it
};

}  // namespace

SkeletonPlan curve_skeleton(const BodyShape& body, const CurveSettings& settings) {
  return Builder(body, settings).run();
}

}  // namespace limber::rig
