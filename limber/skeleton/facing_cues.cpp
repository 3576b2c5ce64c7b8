// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/facing_cues.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "limber/base/at.h"
#include "limber/body/limbs.h"
#include "limber/skeleton/limb_roles.h"

namespace limber::skeleton {
namespace {

// All set by hand, on the zoo, the shared models and the training characters.
constexpr int kSteps = 40;  // pieces that chains are cut into

// Of legs. Heights and lengths are of the leg's own unless said otherwise.
constexpr double kLeastLeg = 0.03;      // of the body's size: shorter ones tell nothing
constexpr double kAnkleHeight = 0.2;    // of one that stands
constexpr double kLowShank = 0.35;      // where its shank is looked at
constexpr double kHipHeight = 0.85;     // where it leaves the flesh of the trunk
constexpr double kSoleHeight = 0.05;    // feet are looked at this high, or ...
constexpr double kSoleCells = 1.5;      // ... this many cells of the grid, which shows nothing lower
constexpr double kFootReach = 0.5;      // the longest foot
constexpr double kStands = 0.9;         // cosine between a shank and straight down
constexpr int kKnee = kSteps / 2;       // of a leg in any pose, along its chain: where its shank begins ...
constexpr int kAnkle = 3 * kSteps / 4;  // ... and ends
constexpr int kLineFrom = kSteps / 5, kLineTo = 17 * kSteps / 20;      // of the line that a knee is ahead of
constexpr int kKneeFrom = 2 * kSteps / 5, kKneeTo = 13 * kSteps / 20;  // where a knee may be
constexpr int kMostFeet = 4;                                           // feet of insects and spiders point everywhere
constexpr double kMostFoot = 0.4;                                      // how far a single foot may speak, either way
constexpr double kMostBend = 0.2;                                      // the same for knees and shanks

// Of trunks and ends.
constexpr double kUpright = 0.7;  // cosine: a trunk of a template that stands on end, as a human's does
constexpr int kTrunkFrom = kSteps / 5, kTrunkTo = 13 * kSteps / 20;  // where neither arms nor thighs are in the way
constexpr int kTangent = 3;           // steps to either side that tell which way a trunk runs
constexpr double kMostBreadth = 0.3;  // of the body's size: what is farther from a trunk's middle is no trunk
constexpr int kEndFrom = 6 * kSteps / 10, kEndTo = 9 * kSteps / 10;  // a chain's last third, without the very end
constexpr double kThin = 0.004;       // of the body's size, added to thicknesses before they are compared
constexpr double kSproutRatio = 1.2;  // of the radius where it leaves: sprouts that are shorter are none
constexpr double kSproutFlesh = 1;    // radii: sprouts stand out less than limbs, so flesh is counted closely
constexpr double kSprout = 0.06;      // of the body's size: longer ones count as one
constexpr double kMostSprouts = 2;    // more than a pair of ears says no more

/// What a cue of the front is worth.
struct FacingTerm {
  std::string_view name;
  double FacingCues::*cue;
  double weight;
  double most;  ///< what it counts up to, either way
  std::string_view origin;
};
constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr std::array<FacingTerm, 8> kTerms{{
    {"toes ahead", &FacingCues::toes, 12, 0.25,
     "feet tell most: on zoo and training characters they point ahead throughout"},
    {"askew", &FacingCues::askew, -8, kAny, "set by hand, below toes: a body seen from the side has both"},
    {"shanks", &FacingCues::shanks, 2, kAny, "set by hand, low: hind legs fold back, but some stand nearly straight"},
    {"knees", &FacingCues::knees, 8, kAny, "set by hand: decides for the raised feet of men who sit and stride"},
    {"breadth", &FacingCues::breadth, 3, 0.5, "set by hand: tells striding men from men seen from the side"},
    {"ears ahead", &FacingCues::ears, 0.4, kAny, "set by hand, low: tails have tufts and fins"},
    {"bulk", &FacingCues::bulk, 0.5, 1.5, "set by hand, low: lizards and theropods have thick tails"},
    {"rise", &FacingCues::rise, 1.5, 0.4, "set by hand, low: heads graze and tails are carried high"},
}};
constexpr double kSlope = 1.5;  // of the logistic curve that makes evidence a probability; set by hand

/// A chain of the embedding in the body, and the joints that it runs between.
struct Chain {
  body::TracedLimb traced;
  int first = 0, last = 0;

  Vec3d point(int step) const { return traced.line[at(step)]; }
};

std::vector<Chain> chains_of(const body::BodyShape& body, const Embedding& embedding) {
  std::vector<Chain> chains;
  for (std::size_t c = 0; c < embedding.chains.size(); ++c) {
    Chain chain{body::trace_limb(body, embedding.chain_spheres[c], body::LimbEnd::kLastSphere),
                embedding.chains[c].front(), embedding.chains[c].back()};
    chain.traced.make_even(kSteps);
    chains.push_back(std::move(chain));
  }
  return chains;
}

bool is_head(const SkeletonTemplate& skeleton, const Chain& chain) {
  return skeleton.joints[at(chain.last)].tip &&
         is_of(skeleton, chain.last, {rig::LimbKind::kHead, rig::LimbKind::kJaw});
}
bool is_tail(const SkeletonTemplate& skeleton, const Chain& chain) {
  return skeleton.joints[at(chain.last)].tip && is_of(skeleton, chain.last, {rig::LimbKind::kTail});
}
/// The abdomen of an insect: a trunk that ends behind.
bool is_rump(const SkeletonTemplate& skeleton, const Chain& chain) {
  const TemplateJoint &first = skeleton.joints[at(chain.first)], &last = skeleton.joints[at(chain.last)];
  return last.tip && is_of(skeleton, chain.last, {rig::LimbKind::kTrunk}) && last.at.z < first.at.z;
}

bool is_upright_trunk(const SkeletonTemplate& skeleton, const Chain& chain) {
  const TemplateJoint &first = skeleton.joints[at(chain.first)], &last = skeleton.joints[at(chain.last)];
  return first.parent < 0 && !last.tip && normalized(last.at - first.at, Vec3d{}).y > kUpright;
}

/// The curve's point at a height, from its end upward; none where it stays below.
std::optional<Vec3d> at_height(const Chain& chain, Vec3d up, double height) {
  const std::vector<Vec3d>& line = chain.traced.line;
  for (std::size_t k = line.size(); k-- > 1;) {
    const double below = dot(up, line[k]), above = dot(up, line[k - 1]);
    if (below <= height && above > height) return lerp(line[k], line[k - 1], (height - below) / (above - below));
  }
  return std::nullopt;
}

/// How far the solid reaches from a point.
double reach(const body::BodyShape& body, Vec3d from, Vec3d direction, double most) {
  const double step = 0.5 * body.solid.grid.cell;
  double far = 0;
  for (double along = step; along < most; along += step) {
    if (body.field.depth(from + along * direction) > 0)
      far = along;
    else if (along > far + 2 * body.solid.grid.cell)
      break;
  }
  return far;
}

/// How the body stands.
struct Stance {
  Vec3d up, ahead;
  double ground = 0;  ///< its lowest point, along `up`
};

Stance stance_of(const body::BodyShape& body, const Embedding& embedding) {
  Stance stance{embedding.up(), embedding.forward(), std::numeric_limits<double>::infinity()};
  for (const body::MedialSphere& s : body.graph.spheres)
    stance.ground = std::min(stance.ground, dot(stance.up, s.centre) - s.radius);
  return stance;
}

/// Where a foot is, which way its leg comes down to it, and how long the leg is.
struct Foot {
  Vec3d sole, down;
  double length = 0;
};

/// Of a leg that stands: below the ankle, just above the ground.
std::optional<Foot> standing_foot(const body::BodyShape& body, const Chain& leg, const Stance& stance) {
  const double height = dot(stance.up, leg.point(0)) - stance.ground;
  if (height < kLeastLeg * body.size) return std::nullopt;
  const auto ankle = at_height(leg, stance.up, stance.ground + kAnkleHeight * height);
  if (!ankle) return std::nullopt;
  const double sole = stance.ground + std::max(kSoleHeight * height, kSoleCells * body.solid.grid.cell);
  return Foot{*ankle - (dot(stance.up, *ankle) - sole) * stance.up, -stance.up, height};
}

/// Of a leg in any pose: where its shank, continued, is about to leave the body.
std::optional<Foot> any_foot(const body::BodyShape& body, const Chain& leg) {
  const double length = leg.traced.length();
  if (length < kLeastLeg * body.size) return std::nullopt;
  const Vec3d ankle = leg.point(kAnkle);
  const Vec3d down = normalized(ankle - leg.point(kKnee), Vec3d{});
  if (!(squared_norm(down) > 0)) return std::nullopt;
  const double thick = std::max(kSoleHeight * length, kSoleCells * body.solid.grid.cell);
  return Foot{ankle + std::max(0.0, reach(body, ankle, down, kFootReach * length) - thick) * down, down, length};
}

/// How far ahead of the line from hip to ankle a knee is, of that line.
double knee_bend(const Chain& leg, const Stance& stance) {
  const Vec3d hip = leg.point(kLineFrom), ankle = leg.point(kLineTo);
  const double length = norm(ankle - hip);
  if (!(length > 0)) return 0;
  const Vec3d toward = normalized(cross(cross(stance.up, stance.ahead), hip - ankle), stance.ahead);
  double bend = 0;
  int count = 0;
  for (int k = kKneeFrom; k <= kKneeTo; ++k, ++count) {
    const double share = static_cast<double>(k - kLineFrom) / (kLineTo - kLineFrom);
    bend += dot(toward, leg.point(k) - lerp(hip, ankle, share));
  }
  return bend / (count * length);
}

/// How far behind the line from hip to ankle the shank of a leg that stands is, of the leg's height.
double shank_back(const body::BodyShape& body, const Chain& leg, const Stance& stance) {
  const double height = dot(stance.up, leg.point(0)) - stance.ground;
  auto point = [&](double share) { return at_height(leg, stance.up, stance.ground + share * height); };
  const auto ankle = point(kAnkleHeight), hip = point(kHipHeight), low = point(kLowShank);
  if (!ankle || !hip || !low || height < kLeastLeg * body.size) return 0;
  const double low_height = dot(stance.up, *low), ankle_height = dot(stance.up, *ankle);
  const double t = (low_height - ankle_height) / std::max(dot(stance.up, *hip) - ankle_height, 1e-9);
  return -(dot(stance.ahead, *low - lerp(*ankle, *hip, t)) / height);
}

struct LegCues {
  double toes = 0, askew = 0, shank = 0, knee = 0;
};

std::optional<LegCues> leg_cues(const body::BodyShape& body, const Chain& leg, const Stance& stance) {
  auto foot = any_foot(body, leg);
  // A leg that stands is looked at along the ground, which voxels show best.
  if (foot && dot(foot->down, stance.up) < -kStands) {
    if (const auto standing = standing_foot(body, leg, stance)) foot = standing;
  }
  if (!foot) return std::nullopt;
  // Where toes point if hip and knee have bent about the axis across the body.
  const Vec3d toward = normalized(cross(cross(stance.up, stance.ahead), -foot->down), stance.ahead);
  const double most = kFootReach * foot->length;
  auto lopsided = [&](Vec3d d) {
    return (reach(body, foot->sole, d, most) - reach(body, foot->sole, -d, most)) / foot->length;
  };
  LegCues cues;
  cues.toes = lopsided(toward);
  cues.askew = std::max(0.0, std::abs(lopsided(cross(-foot->down, toward))) - std::max(0.0, cues.toes));
  cues.knee = knee_bend(leg, stance);
  cues.shank = shank_back(body, leg, stance);
  return cues;
}

/// How much broader than deep an upright trunk is: log of the ratio, mean over its lower half.
double trunk_breadth(const body::BodyShape& body, const Chain& trunk, const Stance& stance) {
  double sum = 0;
  int count = 0;
  for (int k = kTrunkFrom; k <= kTrunkTo; k += 2, ++count) {
    const Vec3d along = normalized(trunk.point(k + kTangent) - trunk.point(k - kTangent), stance.up);
    const Vec3d deep = normalized(stance.ahead - dot(stance.ahead, along) * along, stance.ahead);
    const double most = kMostBreadth * body.size, floor = body.solid.grid.cell;
    auto across = [&](Vec3d d) {
      return reach(body, trunk.point(k), d, most) + reach(body, trunk.point(k), -d, most) + floor;
    };
    sum += std::log(across(cross(along, deep)) / across(deep));
  }
  return count > 0 ? sum / count : 0;
}

/// Limbs that sprout from a chain's last half but that no chain explains, each counted up to one.
double sprouts(const body::BodyShape& body, const Chain& chain, const body::LimbCover& explained) {
  const std::vector<int>& spheres = chain.traced.spheres;
  body::LimbCover end(body);
  end.add(std::span(spheres).subspan(spheres.size() / 2));
  double count = 0;
  for (const body::Tip& tip : body.tips) {
    if (explained.runs_through(tip.sphere) || tip.length < kSproutRatio * body.sphere(tip.fork).radius) continue;
    // The first sphere of its path home that belongs to the skeleton, or lies in the flesh of one that does.
    double length = body.sphere(tip.sphere).radius;
    const std::vector<int> path = body.paths.path(tip.sphere);
    for (std::size_t k = path.size(); k-- > 0;) {
      const int met = explained.covering(path[k], kSproutFlesh);
      if (met >= 0) {
        if (end.runs_through(met)) count += std::min(1.0, length / (kSprout * body.size));
        break;
      }
      if (k > 0) length += body.distance(path[k], path[k - 1]);
    }
  }
  return count;
}

/// Mean radius near the end of a chain.
double thickness(const body::BodyShape& body, const Chain& chain) {
  double sum = 0;
  int count = 0;
  for (int k = kEndFrom; k <= kEndTo; ++k, ++count) sum += std::max(0.0, body.field.depth(chain.point(k)));
  return sum / count;
}

/// What the legs say, on the mean.
void add_leg_cues(const body::BodyShape& body, const SkeletonTemplate& skeleton, const std::vector<Chain>& chains,
                  const Stance& stance, FacingCues& cues) {
  const bool upright =
      std::any_of(chains.begin(), chains.end(), [&](const Chain& chain) { return is_upright_trunk(skeleton, chain); });
  int feet = 0, hind = 0;
  for (const Chain& chain : chains) {
    if (!skeleton.joints[at(chain.last)].foot) continue;
    const auto leg = leg_cues(body, chain, stance);
    if (!leg) continue;
    cues.toes += std::clamp(leg->toes, -kMostFoot, kMostFoot), cues.askew += std::min(leg->askew, kMostFoot), ++feet;
    // The root's own legs are the hind ones; those of upright bodies stand on their soles.
    if (upright) {
      cues.knees += std::clamp(leg->knee, -kMostBend, kMostBend);
    } else if (skeleton.joints[at(chain.first)].parent < 0) {
      cues.shanks += std::clamp(leg->shank, -kMostBend, kMostBend), ++hind;
    }
  }
  cues.toes = feet > 0 && feet <= kMostFeet ? cues.toes / feet : 0;
  cues.askew = feet > 0 && feet <= kMostFeet ? cues.askew / feet : 0;
  if (feet > 0) cues.knees /= feet;
  if (hind > 0) cues.shanks /= hind;
  cues.legs = feet > 0;
}

/// What head and tail say, beside each other.
void add_end_cues(const body::BodyShape& body, const SkeletonTemplate& skeleton, const std::vector<Chain>& chains,
                  const body::LimbCover& explained, Vec3d up, FacingCues& cues) {
  const Chain *head = nullptr, *tail = nullptr;
  for (const Chain& chain : chains) {
    if (is_head(skeleton, chain)) head = &chain;
    if (is_tail(skeleton, chain) || is_rump(skeleton, chain)) tail = &chain;
  }
  if (head == nullptr || tail == nullptr) return;
  cues.tail = true;
  cues.ears =
      std::clamp(sprouts(body, *head, explained) - sprouts(body, *tail, explained), -kMostSprouts, kMostSprouts);
  if (!is_tail(skeleton, *tail)) return;  // rumps are thick and carried high
  const double floor = kThin * body.size;
  cues.bulk = std::log((thickness(body, *head) + floor) / (thickness(body, *tail) + floor));
  cues.rise = dot(up, head->traced.end() - tail->traced.end()) / body.size;
}

}  // namespace

FacingCues facing_cues(const body::BodyShape& body, const Embedding& embedding) {
  const SkeletonTemplate& skeleton = embedding.skeleton;
  const std::vector<Chain> chains = chains_of(body, embedding);
  const Stance stance = stance_of(body, embedding);
  FacingCues cues;
  for (const Chain& chain : chains) {
    if (is_upright_trunk(skeleton, chain)) cues.breadth = trunk_breadth(body, chain, stance);
  }
  add_leg_cues(body, skeleton, chains, stance, cues);
  add_end_cues(body, skeleton, chains, body::LimbCover(body, embedding.chain_spheres), stance.up, cues);
  return cues;
}

double facing_cost(const body::BodyShape& body, const Embedding& embedding) {
  const FacingCues cues = facing_cues(body, embedding);
  double evidence = 0;
  for (const FacingTerm& term : kTerms) evidence += term.weight * std::clamp(cues.*term.cue, -term.most, term.most);
  // The negative log of a logistic probability: a strong agreement earns little, a contradiction costs.
  return std::log1p(std::exp(-kSlope * evidence));
}

}  // namespace limber::skeleton
