// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/embed_costs.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/body/limbs.h"
#include "limber/body/polyline.h"
#include "limber/skeleton/facing_cues.h"
#include "limber/skeleton/limb_template.h"

namespace limber::skeleton {
namespace {

// Limits and units of the terms; embed_terms.cpp has their weights. Lengths are of the body's size. All set by hand, on
// the zoo and the shared models.
constexpr double kShort = 0.04;           // added to lengths before they are compared: shorter ones are alike
constexpr double kMostLength = 3;         // squared log: lengths that differ by more than 5.6 times differ enough
constexpr double kTelling = 0.1;          // chains that are shorter have no direction to speak of
constexpr double kThin = 0.005;           // added to radii before they are compared with girths
constexpr double kMostGirth = 4;          // squared log: girths that differ by more than 7 times differ enough
constexpr double kMostPlace = 1;          // squared distance from the template's place that counts at most
constexpr double kMostHeight = 0.5;       // of a foot above the ground that counts at most
constexpr double kOffPlaneUnit = 0.05;    // a middle joint this far beside the plane costs the whole weight
constexpr double kMostOffPlane = 2;       // times that weight at most
constexpr double kMostMirror = 2;         // times its weight: what partners that are no mirror images cost at most
constexpr double kTipThin = 0.01;         // added to the radii of tips before those of partners are compared
constexpr double kPartnerRadius = 0.5;    // of the length term: what partners of unlike radii cost
constexpr double kPinned = 400;           // squared distance of a pinned joint: a twentieth of the size costs one
constexpr double kMissingPair = 1.5;      // times a single chain: what a missing pair costs, as one rarely lacks alone
constexpr double kTwig = 0.08;            // what is no longer is no limb ...
constexpr double kLongLimb = 0.2;         // ... and what is this long surely is one
constexpr double kMostLimbs = 4;          // more missed limbs say no more
constexpr double kPosedApart = 0.08;      // farther from its partner's image, the end of a limb is posed apart; more
                                          // than body::kPartnerApart, as one raised arm undoes the whole symmetry
constexpr double kSurelySymmetric = 0.5;  // of Turn::symmetric: joints are made mirror images from there on

double squared(double x) { return x * x; }
double log_ratio(double a, double b) { return std::log((a + kShort) / (b + kShort)); }

/// A chain of the fitted template, to compare paths with.
struct Chain {
  double length = 0;
  double girth = 0;  ///< mean, 0: not known
  Vec3d direction;
  std::array<Vec3d, kPathPieces> directions;
};

Chain make_chain(const Hypothesis& h, int parent, const std::vector<int>& joints) {
  std::vector<Vec3d> line{h.fitted.at[at(parent)]};
  for (const int j : joints) line.push_back(h.fitted.at[at(j)]);
  Chain chain;
  for (const int j : joints) {
    chain.girth += h.fitted.scale * h.of.skeleton.joints[at(j)].girth / static_cast<double>(joints.size());
  }
  chain.length = body::polyline_length(line);
  chain.direction = normalized(line.back() - line.front());
  const std::vector<Vec3d> even = body::resample(line, kPathPieces);
  for (std::size_t k = 0; k < kPathPieces; ++k) chain.directions[k] = normalized(even[k + 1] - even[k]);
  return chain;
}

double girth_cost(const Hypothesis& h, double radius, double girth) {
  const double floor = kThin * h.on.body.size;
  return h.weights()[EmbedTerm::kGirth] * std::min(kMostGirth, squared(std::log((radius + floor) / (girth + floor))));
}

/// What a joint costs at a sphere, wherever its parent is.
double joint_cost(const Hypothesis& h, int joint, const Candidate& candidate) {
  const EmbedWeights& w = h.weights();
  const TemplateJoint& j = h.of.skeleton.joints[at(joint)];
  const double size = h.on.body.size;
  const body::MedialSphere& s = h.on.body.sphere(candidate.sphere);
  double cost =
      w[EmbedTerm::kPlace] * std::min(kMostPlace, squared_norm(s.centre - h.fitted.at[at(joint)]) / squared(size));
  if (j.girth > 0) cost += girth_cost(h, s.radius, j.girth * h.fitted.scale);
  if (j.foot) {
    const double height = dot(h.turn.body_from_template.column(1), s.centre) - s.radius - h.turn.ground;
    cost += w[EmbedTerm::kFoot] * std::min(kMostHeight, height / size);
  }
  if (j.tip) cost += w[EmbedTerm::kFaintTip] * candidate.faint;
  if (!h.of.regions.empty() && h.on.cues) {
    cost += w[EmbedTerm::kReadPart] * h.on.cues->region_cost(candidate.sphere, h.of.regions[at(joint)]);
  }
  if (j.partner < 0 && h.turn.symmetric > 0) {
    cost += w[EmbedTerm::kOffPlane] * h.turn.symmetric *
            std::min(kMostOffPlane, squared(h.turn.plane.side(s.centre) / (kOffPlaneUnit * size)));
  }
  for (const auto& [name, place] : h.on.settings.pins) {
    if (name == j.name) cost += kPinned * squared_norm(s.centre - place) / squared(size);
  }
  return cost;
}

double chain_cost(const Hypothesis& h, const Chain& chain, const BodyPath& path) {
  const EmbedWeights& w = h.weights();
  const double size = h.on.body.size;
  const double length = std::min(kMostLength, squared(log_ratio(path.length / size, chain.length / size)));
  double shape = 0;
  for (std::size_t k = 0; k < kPathPieces; ++k)
    shape += (1 - dot(path.directions[k], chain.directions[k])) / kPathPieces;
  const double direction = 1 - dot(path.direction, chain.direction);
  const double telling = std::min(1.0, chain.length / (kTelling * size));
  return w[EmbedTerm::kLength] * length + (chain.girth > 0 ? girth_cost(h, path.radius, chain.girth) : 0) +
         telling * (w[EmbedTerm::kDirection] * direction + w[EmbedTerm::kShape] * shape);
}

CostTable chain_table(const Hypothesis& h, const ReducedNode& n, int joint, const std::vector<int>& joints) {
  const Candidates& all = h.on.candidates;
  const Chain chain = make_chain(h, h.node(at(n.parent)).joint, joints);
  const std::vector<Candidate>& own = h.candidates_of(n);
  std::vector<double> alone;
  for (const Candidate& c : own) alone.push_back(joint_cost(h, joint, c));
  CostTable table(all.inner.size(), std::vector<double>(own.size()));
  for (std::size_t a = 0; a < all.inner.size(); ++a) {
    for (std::size_t b = 0; b < own.size(); ++b) {
      table[a][b] = alone[b] + chain_cost(h, chain, n.leaf ? all.to_tip[a][b] : all.to_inner[a][b]);
      if (n.leaf && !h.of.regions.empty() && h.on.read_paths) {
        table[a][b] += h.weights()[EmbedTerm::kReadPath] * h.on.read_paths->cost(h.of.regions[at(joint)], a, b);
      }
    }
  }
  return table;
}

double partner_cost(const Hypothesis& h, const body::MedialSphere& a, const body::MedialSphere& b) {
  const double thin = kTipThin * h.on.body.size;
  double cost =
      h.weights()[EmbedTerm::kLength] * kPartnerRadius * squared(std::log((a.radius + thin) / (b.radius + thin)));
  if (h.turn.symmetric > 0) {
    const double apart = norm(h.turn.plane.mirror(a.centre) - b.centre) / (body::kPartnerApart * h.on.body.size);
    cost += h.weights()[EmbedTerm::kMirror] * h.turn.symmetric * std::min(kMostMirror, squared(apart));
  }
  return cost;
}

/// What no chain of a match runs along.
struct Unexplained {
  double share = 0;  ///< of the body's limbs and trunk, as length times radius of the paths from the middle to the tips
  double limbs = 0;  ///< how many limbs, long ones counting most
};

/// By flesh a missed leg counts more than all whiskers; by number, as a leg of an insect has hardly any.
Unexplained find_unexplained(const body::BodyShape& body, const std::vector<std::vector<int>>& chains) {
  const body::LimbCover cover(body, chains);
  std::vector<bool> counted(body.graph.spheres.size(), false);
  Unexplained result;
  double missed = 0, total = 0;
  for (const body::Tip& tip : body.tips) {
    if (tip.length < body::kLimbRatio * body.sphere(tip.fork).radius) continue;
    const std::vector<int> path = body.paths.path(tip.sphere);
    double limb = 0;
    for (std::size_t k = path.size(); k-- > 1;) {
      if (counted[at(path[k])]) break;
      counted[at(path[k])] = true;
      const double length = body.distance(path[k], path[k - 1]);
      total += length * body.sphere(path[k]).radius;
      if (!cover.covers(path[k])) missed += length * body.sphere(path[k]).radius, limb += length;
    }
    limb = std::min(limb, tip.length);  // the path to a tip may run beside a chain
    result.limbs += std::clamp((limb / body.size - kTwig) / (kLongLimb - kTwig), 0.0, 1.0);
  }
  result.limbs = std::min(result.limbs, kMostLimbs);
  result.share = total > 0 ? missed / total : 0;
  return result;
}

/// The spheres from where a match has a node's parent to one of the node's own candidates.
std::vector<int> path_to(const Hypothesis& h, const Match& match, const ReducedNode& node, int candidate) {
  const body::ShortestPaths& paths = h.on.candidates.paths[at(match[at(node.parent)].first)];
  return paths.path(h.candidates_of(node)[at(candidate)].sphere);
}

/// How far partners run together before they part, beyond the flesh that they leave: of the body's size. Legs part at
/// the hips; what takes the flukes of a tail for feet does not.
double shared_paths(const Hypothesis& h, const Match& match) {
  const body::BodyShape& body = h.on.body;
  double sum = 0;
  for (std::size_t n = 1; n < match.size(); ++n) {
    if (h.node(n).other < 0 || match[n].first < 0) continue;
    const std::vector<int> a = path_to(h, match, h.node(n), match[n].first);
    const std::vector<int> b = path_to(h, match, h.node(n), match[n].second);
    double length = 0;
    for (std::size_t k = 1; k < std::min(a.size(), b.size()) && a[k] == b[k]; ++k)
      length += body.distance(a[k], a[k - 1]);
    sum += std::max(0.0, length - body.sphere(a[0]).radius) / body.size;
  }
  return sum;
}

/// One arm up, one down: the body may be its own mirror image, its pose is not.
bool is_posed_apart(const Hypothesis& h, const ReducedNode& node, const Choice& choice) {
  const std::vector<Candidate>& ends = h.candidates_of(node);
  const Vec3d one = h.on.body.sphere(ends[at(choice.first)].sphere).centre;
  const Vec3d other = h.on.body.sphere(ends[at(choice.second)].sphere).centre;
  return norm(h.turn.plane.mirror(one) - other) > kPosedApart * h.on.body.size;
}

/// What the candidates of a match cost.
double candidates_cost(const Hypothesis& h, const MatchCosts& costs, const Match& match) {
  double sum = costs.root[at(match[0].first)];
  for (std::size_t n = 1; n < match.size(); ++n) {
    if (match[n].first < 0) {
      sum += missing_cost(h, h.node(n));
      continue;
    }
    const std::size_t parent = at(match[at(h.node(n).parent)].first), first = at(match[n].first);
    sum += costs.first[n][parent][first];
    if (h.node(n).other < 0) continue;
    sum += costs.second[n][parent][at(match[n].second)] + costs.partner[first][at(match[n].second)];
  }
  return sum;
}

/// The chains that a match found, and the joints of those that it left out.
void lay_chains(const Hypothesis& h, const Match& match, Embedding& embedding) {
  for (std::size_t n = 1; n < match.size(); ++n) {
    const ReducedNode& node = h.node(n);
    if (match[n].first < 0) {
      for (const auto* chain : {&node.chain, &node.other_chain}) {
        for (const int j : *chain) embedding.present[at(j)] = false;
      }
      continue;
    }
    auto add = [&](const std::vector<int>& chain, int candidate) {
      std::vector<int> joints{h.node(at(node.parent)).joint};
      joints.insert(joints.end(), chain.begin(), chain.end());
      embedding.chains.push_back(std::move(joints));
      embedding.chain_spheres.push_back(path_to(h, match, node, candidate));
    };
    add(node.chain, match[n].first);
    if (node.other < 0) continue;
    add(node.other_chain, match[n].second);
    if (is_posed_apart(h, node, match[n])) embedding.mirrored = false;
  }
}

}  // namespace

ReadPaths::ReadPaths(const ReadCues& cues, const Candidates& candidates) : tips_(candidates.tips.size()) {
  for (std::size_t r = 0; r < anatomy::kRegionCount; ++r) {
    const auto region = static_cast<anatomy::Region>(r);
    for (const body::ShortestPaths& paths : candidates.paths) {
      for (const Candidate& tip : candidates.tips) {
        const std::vector<int> path = paths.path(tip.sphere);
        double sum = 0;
        for (const int s : path)
          sum += std::min(cues.region_cost(s, region), cues.region_cost(s, anatomy::Region::kTrunk));
        costs_[r].push_back(sum / static_cast<double>(path.size()));
      }
    }
  }
}

double read_cost(const EmbedBody& on, const SkeletonTemplate& skeleton, const Turn& turn) {
  if (!on.cues) return 0;
  // The front of templates that people bring is where their file has it.
  const bool known = skeleton.name == kBuiltTemplate ||
                     (builtin_of(skeleton) != nullptr && anatomy::kind_named(skeleton.name).has_value());
  const EmbedWeights& w = on.settings.weights;
  return w[EmbedTerm::kReadKind] * on.cues->kind_cost(skeleton.name) +
         (known ? w[EmbedTerm::kReadTurn] * on.cues->turn_cost(turn.body_from_template) : 0);
}

FixedCosts fixed_costs(const Hypothesis& h) {
  const EmbedWeights& w = h.weights();
  FixedCosts costs;
  costs.stretch = w[EmbedTerm::kStretch] * h.fitted.stretch;
  costs.mirror =
      w[EmbedTerm::kNoMirror] * h.turn.plane.error + w[EmbedTerm::kWorseMirror] * std::log(h.turn.worse_mirror);
  costs.habit = h.of.skeleton.any_way ? 0 : w[EmbedTerm::kHabit] * h.turn.unusual;
  costs.reading = read_cost(h.on, h.of.skeleton, h.turn);
  costs.rarity = h.of.skeleton.rarity;
  return costs;
}

MatchCosts match_costs(const Hypothesis& h) {
  MatchCosts costs;
  for (const Candidate& c : h.on.candidates.inner) costs.root.push_back(joint_cost(h, h.node(0).joint, c));
  const std::vector<Candidate>& tips = h.on.candidates.tips;
  costs.partner.assign(tips.size(), std::vector<double>(tips.size(), kInfiniteCost));
  for (std::size_t i = 0; i < tips.size(); ++i) {
    for (std::size_t j = 0; j < tips.size(); ++j) {
      if (i != j)
        costs.partner[i][j] = partner_cost(h, h.on.body.sphere(tips[i].sphere), h.on.body.sphere(tips[j].sphere));
    }
  }
  costs.first.resize(h.nodes()), costs.second.resize(h.nodes());
  for (std::size_t n = 1; n < h.nodes(); ++n) {
    const ReducedNode& node = h.node(n);
    costs.first[n] = chain_table(h, node, node.joint, node.chain);
    if (node.other >= 0) costs.second[n] = chain_table(h, node, node.other, node.other_chain);
  }
  return costs;
}

double missing_cost(const Hypothesis& h, const ReducedNode& node) {
  const double one = h.weights()[EmbedTerm::kMissing];
  return node.other >= 0 ? kMissingPair * one : one;
}

Embedding describe_match(const Hypothesis& h, const MatchCosts& costs, const Match& match) {
  const EmbedWeights& w = h.weights();
  Embedding result;
  result.skeleton = h.of.skeleton;
  result.body_from_template = h.turn.body_from_template;
  result.plane = h.turn.plane, result.mirrored = h.turn.symmetric > kSurelySymmetric;
  result.at = h.fitted.at;
  result.present.assign(h.of.skeleton.joints.size(), true);
  lay_chains(h, match, result);
  const FixedCosts fixed = fixed_costs(h);
  const Unexplained left = find_unexplained(h.on.body, result.chain_spheres);
  result.terms = {{"match", candidates_cost(h, costs, match)},
                  {"stretch", fixed.stretch},
                  {"mirror", fixed.mirror},
                  {"habit", fixed.habit},
                  {"reading", fixed.reading},
                  {"rare", fixed.rarity},
                  {"unexplained", w[EmbedTerm::kUnexplained] * left.share},
                  {"missed limbs", w[EmbedTerm::kMissedLimb] * left.limbs},
                  {"shared paths", w[EmbedTerm::kSharedPath] * shared_paths(h, match)},
                  {"facing", w[EmbedTerm::kFacing] * facing_cost(h.on.body, result)}};
  for (const auto& [name, cost] : result.terms) result.cost += cost;
  return result;
}

}  // namespace limber::skeleton
