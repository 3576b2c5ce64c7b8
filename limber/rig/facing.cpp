// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/facing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/rig/joint_names.h"
#include "limber/rig/polyline.h"

namespace limber::rig {
namespace {

constexpr int kSteps = 40;

/// A chain of the embedding as a curve.
struct Limb {
  std::vector<Vec3d> line;
  std::vector<int> spheres;
  const TemplateJoint* first = nullptr;  ///< the joint it starts from
  const TemplateJoint* last = nullptr;
};

std::vector<Limb> limbs_of(const BodyShape& body, const Embedding& embedding) {
  std::vector<Limb> limbs;
  for (std::size_t c = 0; c < embedding.chains.size(); ++c) {
    Limb limb;
    limb.spheres = embedding.chain_spheres[c];
    std::vector<Vec3d> line;
    for (const int s : limb.spheres) line.push_back(body.sphere(s).centre);
    limb.line = resample(line, kSteps);
    limb.first = &embedding.skeleton.joints[static_cast<std::size_t>(embedding.chains[c].front())];
    limb.last = &embedding.skeleton.joints[static_cast<std::size_t>(embedding.chains[c].back())];
    limbs.push_back(std::move(limb));
  }
  return limbs;
}

bool is_head(const Limb& limb) {
  return limb.last->tip && has_word(words_of(limb.last->name), {"head", "jaw", "nose", "snout"});
}
bool is_tail(const Limb& limb) { return limb.last->tip && has_word(words_of(limb.last->name), {"tail", "abdomen"}); }

/// The curve's point at a height, from its end upward; none where it stays below.
std::optional<Vec3d> at_height(const Limb& limb, Vec3d up, double height) {
  for (std::size_t k = limb.line.size(); k-- > 1;) {
    const double below = dot(up, limb.line[k]), above = dot(up, limb.line[k - 1]);
    if (below <= height && above > height)
      return lerp(limb.line[k], limb.line[k - 1], (height - below) / (above - below));
  }
  return std::nullopt;
}

/// How far the solid reaches from a point.
double reach(const BodyShape& body, Vec3d from, Vec3d direction, double most) {
  const double step = 0.5 * body.solid.grid.cell;
  double far = 0;
  for (double at = step; at < most; at += step) {
    if (body.field.depth(from + at * direction) > 0)
      far = at;
    else if (at > far + 2 * body.solid.grid.cell)
      break;
  }
  return far;
}

struct LegCues {
  double toes = 0, askew = 0, shank = 0;
};

std::optional<LegCues> leg_cues(const BodyShape& body, const Limb& limb, Vec3d up, Vec3d ahead, double ground) {
  const double top = dot(up, limb.line.front());
  const double height = top - ground;
  if (height < 0.03 * body.size) return std::nullopt;
  const auto ankle = at_height(limb, up, ground + 0.2 * height), hip = at_height(limb, up, ground + 0.85 * height);
  const auto low = at_height(limb, up, ground + 0.35 * height);
  if (!ankle) return std::nullopt;
  LegCues cues;
  const double sole = ground + std::max(0.05 * height, 1.5 * body.solid.grid.cell);
  const Vec3d foot = *ankle - (dot(up, *ankle) - sole) * up;
  cues.toes = (reach(body, foot, ahead, 0.5 * height) - reach(body, foot, -ahead, 0.5 * height)) / height;
  const Vec3d left = cross(up, ahead);
  const double sideways = std::abs(reach(body, foot, left, 0.5 * height) - reach(body, foot, -left, 0.5 * height));
  cues.askew = std::max(0.0, sideways / height - std::max(0.0, cues.toes));
  if (!hip || !low) return cues;
  auto beside = [&](Vec3d p) {
    const double t = (dot(up, p) - dot(up, *ankle)) / std::max(dot(up, *hip) - dot(up, *ankle), 1e-9);
    return dot(ahead, p - lerp(*ankle, *hip, t)) / height;
  };
  cues.shank = -beside(*low);
  return cues;
}

/// Limbs that sprout from a chain's last part but that no chain explains, each counted up to one.
double sprouts(const BodyShape& body, const Limb& limb, const std::vector<bool>& explained) {
  std::vector<bool> end(body.graph.spheres.size(), false);
  for (std::size_t k = limb.spheres.size() / 2; k < limb.spheres.size(); ++k)
    end[static_cast<std::size_t>(limb.spheres[k])] = true;
  double count = 0;
  for (const Tip& tip : body.tips) {
    if (explained[static_cast<std::size_t>(tip.sphere)] || tip.length < 1.2 * body.sphere(tip.fork).radius) continue;
    // The first sphere of its way home that belongs to the skeleton, or lies in the flesh of one that does.
    double length = body.sphere(tip.sphere).radius;
    const std::vector<int> path = body.paths.path(tip.sphere);
    for (std::size_t k = path.size(); k-- > 0;) {
      int met = explained[static_cast<std::size_t>(path[k])] ? path[k] : -1;
      for (const SphereGraph::Edge& edge : body.graph.edges[static_cast<std::size_t>(path[k])]) {
        if (met < 0 && explained[static_cast<std::size_t>(edge.to)] && edge.length < body.sphere(edge.to).radius)
          met = edge.to;
      }
      if (met >= 0) {
        if (end[static_cast<std::size_t>(met)]) count += std::min(1.0, length / (0.06 * body.size));
        break;
      }
      if (k > 0) length += norm(body.sphere(path[k]).centre - body.sphere(path[k - 1]).centre);
    }
  }
  return count;
}

/// Mean radius of a chain's last third, without the very end.
double thickness(const BodyShape& body, const Limb& limb) {
  double sum = 0;
  int count = 0;
  for (int k = 6 * kSteps / 10; k <= 9 * kSteps / 10; ++k, ++count) {
    sum += std::max(0.0, body.field.depth(limb.line[static_cast<std::size_t>(k)]));
  }
  return sum / count;
}

}  // namespace

FacingCues facing_cues(const BodyShape& body, const Embedding& embedding) {
  const std::vector<Limb> limbs = limbs_of(body, embedding);
  const Vec3d up = embedding.up(), ahead = embedding.forward();
  double ground = std::numeric_limits<double>::infinity();
  for (const MedialSphere& s : body.graph.spheres) ground = std::min(ground, dot(up, s.centre) - s.radius);
  std::vector<bool> explained(body.graph.spheres.size(), false);
  for (const Limb& limb : limbs) {
    for (const int s : limb.spheres) explained[static_cast<std::size_t>(s)] = true;
  }
  FacingCues cues;
  int feet = 0, hind = 0;
  const Limb *head = nullptr, *tail = nullptr;
  for (const Limb& limb : limbs) {
    if (is_head(limb)) head = &limb;
    if (is_tail(limb)) tail = &limb;
    if (!limb.last->foot) continue;
    const auto leg = leg_cues(body, limb, up, ahead, ground);
    if (!leg) continue;
    cues.toes += std::clamp(leg->toes, -0.4, 0.4), cues.askew += std::min(leg->askew, 0.4), ++feet;
    // The root's own legs are the hind ones.
    if (limb.first->parent < 0) cues.shanks += std::clamp(leg->shank, -0.2, 0.2), ++hind;
  }
  // The feet of insects and spiders point everywhere.
  cues.toes = feet > 0 && feet <= 4 ? cues.toes / feet : 0;
  cues.askew = feet > 0 && feet <= 4 ? cues.askew / feet : 0;
  if (hind > 0) cues.shanks /= hind;
  cues.legs = feet > 0;
  if (head != nullptr && tail != nullptr) {
    cues.tail = true;
    cues.ears = std::clamp(sprouts(body, *head, explained) - sprouts(body, *tail, explained), -2.0, 2.0);
    if (!has_word(words_of(tail->last->name), {"tail"})) return cues;
    const double floor = 0.004 * body.size;
    cues.bulk = std::log((thickness(body, *head) + floor) / (thickness(body, *tail) + floor));
    cues.rise = dot(up, head->line.back() - tail->line.back()) / body.size;
  }
  return cues;
}

double facing_cost(const BodyShape& body, const Embedding& embedding) {
  const FacingCues cues = facing_cues(body, embedding);
  // Feet tell most: on the zoo and the training characters they point ahead without exception.
  const double evidence = 12 * std::clamp(cues.toes, -0.25, 0.25) - 8 * cues.askew + 2 * cues.shanks + 0.4 * cues.ears +
                          0.5 * std::clamp(cues.bulk, -1.5, 1.5) + 1.5 * std::clamp(cues.rise, -0.4, 0.4);
  // The negative log of a logistic probability: a strong agreement earns little, a contradiction costs.
  return std::log1p(std::exp(-1.5 * evidence));
}

}  // namespace limber::rig
