// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/extra_limbs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/rig/joint_names.h"
#include "limber/rig/polyline.h"
#include "limber/rig/skin_body.h"

namespace limber::rig {
namespace {

constexpr double kLeastLimb = 0.1;  // of the body's size, from where it leaves the flesh of others
constexpr double kSlender = 2;      // times its mean radius: what is shorter is a bump
constexpr double kBone = 0.11;      // of the body's size: one joint for each such length
constexpr int kMaxBones = 4, kMaxLimbs = 12;
constexpr double kFlesh = 1.25;    // of a sphere's radius: how far its flesh reaches
constexpr double kTwig = 0.03;     // of the size: a branch of an antler
constexpr double kPartner = 0.06;  // of the size: how far a limb's end may be from its partner's image

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// A limb from where it leaves the body to its end.
struct Limb {
  std::vector<Vec3d> line;
  std::vector<int> spheres;
  int tip = 0;
  int parent = 0;  ///< joint that it hangs on
};

class Finder {
 public:
  Finder(const BodyShape& body, const Embedding& embedding) : body_(body) {
    taken_.assign(body.graph.spheres.size(), false);
    for (const auto& chain : embedding.chain_spheres) {
      for (const int s : chain) taken_[at(s)] = true;
    }
  }

  std::vector<Limb> run() {
    std::vector<Limb> limbs;
    for (const Tip& tip : body_.tips) {
      if (static_cast<int>(limbs.size()) >= kMaxLimbs) break;
      if (tip.length < std::max(kLeastLimb * body_.size, kLimbRatio * body_.sphere(tip.fork).radius)) continue;
      const std::vector<int> path = body_.paths.path(tip.sphere);
      std::size_t begin = path.size();
      while (begin > 0 && !is_covered(path[begin - 1])) --begin;
      if (begin == 0 || path.size() - begin < 3) continue;
      Limb limb;
      limb.tip = tip.sphere;
      double radius = 0;
      for (std::size_t k = begin; k < path.size(); ++k) {
        limb.line.push_back(body_.sphere(path[k]).centre), limb.spheres.push_back(path[k]);
        radius += body_.sphere(path[k]).radius / static_cast<double>(path.size() - begin);
      }
      const double length = polyline_length(limb.line);
      if (length < std::max(kLeastLimb * body_.size, kSlender * radius)) continue;
      for (std::size_t k = begin; k < path.size(); ++k) taken_[at(path[k])] = true;
      limb.line = resample(limb.line, 32);
      smooth(limb.line, 4);
      limbs.push_back(std::move(limb));
    }
    return limbs;
  }

 private:
  /// Inside the flesh of a chain a limb has not begun yet.
  bool is_covered(int sphere) const {
    if (taken_[at(sphere)]) return true;
    return std::any_of(body_.graph.edges[at(sphere)].begin(), body_.graph.edges[at(sphere)].end(),
                       [&](const SphereGraph::Edge& edge) {
                         return taken_[at(edge.to)] && edge.length < kFlesh * body_.sphere(edge.to).radius;
                       });
  }

  const BodyShape& body_;
  std::vector<bool> taken_;
};

/// What a hand holds or a foot wears is rigid and moves with it, and so are antlers: what branches on a head.
void drop_rigid(const BodyShape& body, const SkeletonPlan& plan, std::vector<Limb>& limbs) {
  auto branches = [&](const Limb& limb) {
    return std::any_of(body.tips.begin(), body.tips.end(), [&](const Tip& tip) {
      return tip.sphere != limb.tip && tip.length > kTwig * body.size &&
             std::find(limb.spheres.begin() + 1, limb.spheres.end(), tip.fork) != limb.spheres.end();
    });
  };
  std::erase_if(limbs, [&](const Limb& limb) {
    const std::vector<std::string> words = words_of(plan.joints[at(limb.parent)].name);
    if (has_word(words, {"wrist", "hand", "fingers", "paw", "toe", "foot", "ankle"})) return true;
    return has_word(words, {"head", "neck"}) && branches(limb);
  });
}

/// The joint whose bone is nearest to a point.
int nearest_joint(const SkeletonPlan& plan, Vec3d point) {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  auto offer = [&](int joint, Vec3d from, Vec3d to) {
    const double distance = norm(point - closest_on_segment(point, {from, to}));
    if (distance < least) least = distance, best = joint;
  };
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    const PlannedJoint& joint = plan.joints[j];
    if (joint.parent >= 0) offer(joint.parent, plan.joints[at(joint.parent)].at, joint.at);
    offer(static_cast<int>(j), joint.at, joint.tail.value_or(joint.at));
  }
  return best;
}

void add_limb(const BodyShape& body, const Limb& limb, const std::string& name, const std::string& side,
              SkeletonPlan& plan) {
  const double length = polyline_length(limb.line);
  const int bones = std::clamp(static_cast<int>(std::ceil(length / (kBone * body.size))), 1, kMaxBones);
  int parent = limb.parent;
  const auto last = static_cast<int>(limb.line.size()) - 1;
  for (int b = 0; b < bones; ++b) {
    plan.joints.push_back(
        {name + "." + std::to_string(b + 1) + side, parent, limb.line[at(b * last / bones)], std::nullopt});
    parent = static_cast<int>(plan.joints.size()) - 1;
  }
  plan.joints[at(parent)].tail = limb.line.back();
}

}  // namespace

int add_extra_limbs(const BodyShape& body, const Embedding& embedding, SkeletonPlan& plan) {
  std::vector<Limb> limbs = Finder(body, embedding).run();
  for (Limb& limb : limbs) limb.parent = nearest_joint(plan, limb.line.front());
  drop_rigid(body, plan, limbs);
  std::vector<bool> done(limbs.size(), false);
  int number = 0;
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    if (done[i]) continue;
    const std::string name = "limb." + std::to_string(++number);
    const Vec3d end = body.sphere(limbs[i].tip).centre;
    std::size_t partner = i;
    if (embedding.mirrored && std::abs(embedding.plane.side(end)) > 0.015 * body.size) {
      double nearest = kPartner * body.size;
      for (std::size_t j = i + 1; j < limbs.size(); ++j) {
        const double apart = norm(embedding.plane.mirror(end) - body.sphere(limbs[j].tip).centre);
        if (!done[j] && apart < nearest) nearest = apart, partner = j;
      }
    }
    const bool paired = partner != i;
    // The plane's normal points to the left.
    const bool left = embedding.plane.side(end) > 0;
    add_limb(body, limbs[i], name, !paired ? "" : (left ? ".L" : ".R"), plan);
    done[i] = true;
    if (!paired) continue;
    add_limb(body, limbs[partner], name, left ? ".R" : ".L", plan);
    done[partner] = true;
  }
  return static_cast<int>(limbs.size());
}

}  // namespace limber::rig
