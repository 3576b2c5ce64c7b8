// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/facing_cues.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/anatomy/joint_names.h"
#include "limber/body/polyline.h"

namespace limber::skeleton {
namespace {

constexpr int kSteps = 40;

/// A chain of the embedding as a curve.
struct Limb {
  std::vector<Vec3d> line;
  std::vector<int> spheres;
  const TemplateJoint* first = nullptr;  ///< the joint it starts from
  const TemplateJoint* last = nullptr;
};

std::vector<Limb> limbs_of(const body::BodyShape& body, const Embedding& embedding) {
  std::vector<Limb> limbs;
  for (std::size_t c = 0; c < embedding.chains.size(); ++c) {
    Limb limb;
    limb.spheres = embedding.chain_spheres[c];
    std::vector<Vec3d> line;
    for (const int s : limb.spheres) line.push_back(body.sphere(s).centre);
    limb.line = body::resample(line, kSteps);
    limb.first = &embedding.skeleton.joints[static_cast<std::size_t>(embedding.chains[c].front())];
    limb.last = &embedding.skeleton.joints[static_cast<std::size_t>(embedding.chains[c].back())];
    limbs.push_back(std::move(limb));
  }
  return limbs;
}

bool is_head(const Limb& limb) {
  return limb.last->tip && anatomy::has_word(anatomy::words_of(limb.last->name), {"head", "jaw", "nose", "snout"});
}
bool is_tail(const Limb& limb) {
  return limb.last->tip && anatomy::has_word(anatomy::words_of(limb.last->name), {"tail", "abdomen"});
}

/// A trunk that stands on end in the template, as a human's does.
bool is_upright(const Limb& limb) { return normalized(limb.last->at - limb.first->at, Vec3d{}).y > 0.7; }

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
double reach(const body::BodyShape& body, Vec3d from, Vec3d direction, double most) {
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
  double toes = 0, askew = 0, shank = 0, knee = 0;
};

/// Where a foot is, which way its leg comes down to it, and how long the leg is.
struct Foot {
  Vec3d sole, down;
  double length = 0;
};

/// Of a leg that stands: below the ankle, just above the ground.
std::optional<Foot> standing_foot(const body::BodyShape& body, const Limb& limb, Vec3d up, double ground) {
  const double height = dot(up, limb.line.front()) - ground;
  if (height < 0.03 * body.size) return std::nullopt;
  const auto ankle = at_height(limb, up, ground + 0.2 * height);
  if (!ankle) return std::nullopt;
  const double sole = ground + std::max(0.05 * height, 1.5 * body.solid.grid.cell);
  return Foot{*ankle - (dot(up, *ankle) - sole) * up, -up, height};
}

/// Of a leg in any pose: where its shank, continued, is about to leave the body.
std::optional<Foot> any_foot(const body::BodyShape& body, const Limb& limb) {
  const double length = body::polyline_length(limb.line);
  if (length < 0.03 * body.size) return std::nullopt;
  const Vec3d ankle = limb.line[static_cast<std::size_t>(3 * kSteps / 4)];
  const Vec3d down = normalized(ankle - limb.line[static_cast<std::size_t>(kSteps / 2)], Vec3d{});
  if (!(squared_norm(down) > 0)) return std::nullopt;
  const double thick = std::max(0.05 * length, 1.5 * body.solid.grid.cell);
  return Foot{ankle + std::max(0.0, reach(body, ankle, down, 0.5 * length) - thick) * down, down, length};
}

/// How far ahead of the line from hip to ankle a knee is, of that line.
double knee_bend(const Limb& limb, Vec3d left, Vec3d ahead) {
  const Vec3d hip = limb.line[static_cast<std::size_t>(kSteps / 5)],
              ankle = limb.line[static_cast<std::size_t>(17 * kSteps / 20)];
  const double length = norm(ankle - hip);
  if (!(length > 0)) return 0;
  const Vec3d toward = normalized(cross(left, hip - ankle), ahead);
  double bend = 0;
  int count = 0;
  for (int k = 2 * kSteps / 5; k <= 13 * kSteps / 20; ++k, ++count) {
    bend +=
        dot(toward, limb.line[static_cast<std::size_t>(k)] - lerp(hip, ankle, (k - 0.2 * kSteps) / (0.65 * kSteps)));
  }
  return bend / (count * length);
}

std::optional<LegCues> leg_cues(const body::BodyShape& body, const Limb& limb, Vec3d up, Vec3d ahead, double ground) {
  const Vec3d left = cross(up, ahead);
  auto foot = any_foot(body, limb);
  // A leg that stands is looked at along the ground, which voxels show best.
  if (foot && dot(foot->down, up) < -0.9) {
    if (const auto standing = standing_foot(body, limb, up, ground)) foot = standing;
  }
  if (!foot) return std::nullopt;
  LegCues cues;
  // Where toes point if hip and knee have bent about the axis across the body.
  const Vec3d toward = normalized(cross(left, -foot->down), ahead);
  const Vec3d side = cross(-foot->down, toward);
  const double most = 0.5 * foot->length;
  auto lopsided = [&](Vec3d d) {
    return (reach(body, foot->sole, d, most) - reach(body, foot->sole, -d, most)) / foot->length;
  };
  cues.toes = lopsided(toward);
  cues.askew = std::max(0.0, std::abs(lopsided(side)) - std::max(0.0, cues.toes));
  cues.knee = knee_bend(limb, left, ahead);
  const double height = dot(up, limb.line.front()) - ground;
  const auto ankle = at_height(limb, up, ground + 0.2 * height), hip = at_height(limb, up, ground + 0.85 * height);
  const auto low = at_height(limb, up, ground + 0.35 * height);
  if (!ankle || !hip || !low || height < 0.03 * body.size) return cues;
  auto beside = [&](Vec3d p) {
    const double t = (dot(up, p) - dot(up, *ankle)) / std::max(dot(up, *hip) - dot(up, *ankle), 1e-9);
    return dot(ahead, p - lerp(*ankle, *hip, t)) / height;
  };
  cues.shank = -beside(*low);
  return cues;
}

/// How much broader than deep an upright trunk is: log of the ratio, mean over its lower half, where neither arms nor
/// thighs are in the way.
double trunk_breadth(const body::BodyShape& body, const Limb& trunk, Vec3d up, Vec3d ahead) {
  double sum = 0;
  int count = 0;
  for (int k = kSteps / 5; k <= 13 * kSteps / 20; k += 2, ++count) {
    const auto at = static_cast<std::size_t>(k);
    const Vec3d along = normalized(trunk.line[at + 3] - trunk.line[at - 3], up);
    const Vec3d deep = normalized(ahead - dot(ahead, along) * along, ahead), broad = cross(along, deep);
    const double most = 0.3 * body.size, floor = body.solid.grid.cell;
    auto across = [&](Vec3d d) {
      return reach(body, trunk.line[at], d, most) + reach(body, trunk.line[at], -d, most) + floor;
    };
    sum += std::log(across(broad) / across(deep));
  }
  return count > 0 ? sum / count : 0;
}

/// Limbs that sprout from a chain's last part but that no chain explains, each counted up to one.
double sprouts(const body::BodyShape& body, const Limb& limb, const std::vector<bool>& explained) {
  std::vector<bool> end(body.graph.spheres.size(), false);
  for (std::size_t k = limb.spheres.size() / 2; k < limb.spheres.size(); ++k)
    end[static_cast<std::size_t>(limb.spheres[k])] = true;
  double count = 0;
  for (const body::Tip& tip : body.tips) {
    if (explained[static_cast<std::size_t>(tip.sphere)] || tip.length < 1.2 * body.sphere(tip.fork).radius) continue;
    // The first sphere of its way home that belongs to the skeleton, or lies in the flesh of one that does.
    double length = body.sphere(tip.sphere).radius;
    const std::vector<int> path = body.paths.path(tip.sphere);
    for (std::size_t k = path.size(); k-- > 0;) {
      int met = explained[static_cast<std::size_t>(path[k])] ? path[k] : -1;
      for (const body::SphereGraph::Edge& edge : body.graph.edges[static_cast<std::size_t>(path[k])]) {
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
double thickness(const body::BodyShape& body, const Limb& limb) {
  double sum = 0;
  int count = 0;
  for (int k = 6 * kSteps / 10; k <= 9 * kSteps / 10; ++k, ++count) {
    sum += std::max(0.0, body.field.depth(limb.line[static_cast<std::size_t>(k)]));
  }
  return sum / count;
}

}  // namespace

FacingCues facing_cues(const body::BodyShape& body, const Embedding& embedding) {
  const std::vector<Limb> limbs = limbs_of(body, embedding);
  const Vec3d up = embedding.up(), ahead = embedding.forward();
  double ground = std::numeric_limits<double>::infinity();
  for (const body::MedialSphere& s : body.graph.spheres) ground = std::min(ground, dot(up, s.centre) - s.radius);
  std::vector<bool> explained(body.graph.spheres.size(), false);
  for (const Limb& limb : limbs) {
    for (const int s : limb.spheres) explained[static_cast<std::size_t>(s)] = true;
  }
  FacingCues cues;
  int feet = 0, hind = 0;
  const Limb *head = nullptr, *tail = nullptr;
  bool upright = false;
  for (const Limb& limb : limbs) {
    if (limb.first->parent >= 0 || limb.last->tip || !is_upright(limb)) continue;
    upright = true;
    cues.breadth = trunk_breadth(body, limb, up, ahead);
  }
  for (const Limb& limb : limbs) {
    if (is_head(limb)) head = &limb;
    if (is_tail(limb)) tail = &limb;
    if (!limb.last->foot) continue;
    const auto leg = leg_cues(body, limb, up, ahead, ground);
    if (!leg) continue;
    cues.toes += std::clamp(leg->toes, -0.4, 0.4), cues.askew += std::min(leg->askew, 0.4), ++feet;
    // The root's own legs are the hind ones; those of upright bodies stand on their soles.
    if (upright) {
      cues.knees += std::clamp(leg->knee, -0.2, 0.2);
      continue;
    }
    if (limb.first->parent < 0) cues.shanks += std::clamp(leg->shank, -0.2, 0.2), ++hind;
  }
  // The feet of insects and spiders point everywhere.
  cues.toes = feet > 0 && feet <= 4 ? cues.toes / feet : 0;
  cues.askew = feet > 0 && feet <= 4 ? cues.askew / feet : 0;
  if (feet > 0) cues.knees /= feet;
  if (hind > 0) cues.shanks /= hind;
  cues.legs = feet > 0;
  if (head != nullptr && tail != nullptr) {
    cues.tail = true;
    cues.ears = std::clamp(sprouts(body, *head, explained) - sprouts(body, *tail, explained), -2.0, 2.0);
    if (!anatomy::has_word(anatomy::words_of(tail->last->name), {"tail"})) return cues;
    const double floor = 0.004 * body.size;
    cues.bulk = std::log((thickness(body, *head) + floor) / (thickness(body, *tail) + floor));
    cues.rise = dot(up, head->line.back() - tail->line.back()) / body.size;
  }
  return cues;
}

double facing_cost(const body::BodyShape& body, const Embedding& embedding) {
  const FacingCues cues = facing_cues(body, embedding);
  // Feet tell most: on the zoo and the training characters they point ahead without exception.
  const double evidence = 12 * std::clamp(cues.toes, -0.25, 0.25) - 8 * cues.askew + 2 * cues.shanks + 8 * cues.knees +
                          3 * std::clamp(cues.breadth, -0.5, 0.5) + 0.4 * cues.ears +
                          0.5 * std::clamp(cues.bulk, -1.5, 1.5) + 1.5 * std::clamp(cues.rise, -0.4, 0.4);
  // The negative log of a logistic probability: a strong agreement earns little, a contradiction costs.
  return std::log1p(std::exp(-1.5 * evidence));
}

}  // namespace limber::skeleton
