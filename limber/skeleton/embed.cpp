// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/embed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

#include "limber/base/threads.h"
#include "limber/body/polyline.h"
#include "limber/skeleton/facing_cues.h"
#include "limber/skeleton/read_cues.h"
#include "limber/skeleton/reduced_template.h"
#include "limber/skeleton/turns.h"

namespace limber::skeleton {
namespace {

constexpr int kPieces = 8;             // of a way, when its shape is compared with a chain's
constexpr std::size_t kMaxInner = 48;  // spheres tried for joints where limbs meet
constexpr std::size_t kMaxTips = 26, kMaxEnds = 8;
constexpr double kMirrored = 0.012;   // error of a mirror plane that ends are looked for in
constexpr std::size_t kRefitted = 3;  // matches of a template that it is fitted to once more
constexpr double kShort = 0.04;       // of the size: lengths below this are alike
constexpr double kFlesh = 1.25;       // of a sphere's radius: how far its flesh reaches
constexpr double kTwig = 0.08;        // of the size: what is no longer is no limb ...
constexpr double kLongLimb = 0.2;     // ... and what is this long surely is one
constexpr double kMostLimbs = 4;      // more missed limbs say no more
constexpr double kFlat = 0.002;       // share of the squared spread of joints below which an axis has none
constexpr double kInfinite = 1e9;
constexpr int kSolutions = 24;  // complete matches of one turn that are looked at
constexpr std::size_t kMaxStates = 4000;
constexpr std::size_t kMaxBranches = 20;  // choices that a node is given
constexpr std::size_t kMaxPaired = 14;    // candidates that each of two partners is given
constexpr double kPoseMargin = 2;         // poses that cost this much more than the best match so far are not looked at
constexpr double kOutOfQuestion = 4.5;    // what a reading that is sure says against a turn or a kind that is not tried
constexpr double kPosedApart = 0.08;      // of the size: how far the end of a limb may be from its partner's image
constexpr double kPinned = 400;           // squared distance of a pinned joint, of the size

double squared(double x) { return x * x; }
double log_ratio(double a, double b) { return std::log((a + kShort) / (b + kShort)); }

struct Candidate {
  int sphere = 0;
  double faint = 0;  ///< 0: stands out clearly; 1: hardly
};

/// A way through the graph.
struct Way {
  double length = 0;
  double radius = 0;  ///< mean along the way
  Vec3d direction;    ///< straight from end to end
  std::array<Vec3d, kPieces> directions;
};

/// What all turns and templates share.
struct Candidates {
  std::vector<Candidate> inner, tips;
  std::vector<body::ShortestPaths> paths;  ///< from each inner candidate
  std::vector<std::vector<Way>> to_inner, to_tip;
};

Way make_way(const body::BodyShape& body, const body::ShortestPaths& paths, int to, bool to_tip) {
  std::vector<Vec3d> line;
  double radii = 0, lengths = 0;
  for (const int s : paths.path(to)) {
    if (!line.empty()) {
      const double piece = norm(body.sphere(s).centre - line.back());
      radii += piece * body.sphere(s).radius, lengths += piece;
    }
    line.push_back(body.sphere(s).centre);
  }
  // A limb ends at its skin, not in its last sphere.
  if (to_tip && line.size() > 1) {
    const Vec3d out = normalized(line.back() - line[line.size() - 2]);
    line.push_back(line.back() + 0.7 * body.sphere(to).radius * out);
  }
  Way way;
  way.length = body::polyline_length(line);
  way.radius = lengths > 0 ? radii / lengths : body.sphere(to).radius;
  way.direction = normalized(line.back() - line.front(), Vec3d{});
  const std::vector<Vec3d> even = body::resample(line, kPieces);
  for (std::size_t k = 0; k < kPieces; ++k) way.directions[k] = normalized(even[k + 1] - even[k], Vec3d{});
  return way;
}

/// Spheres where limbs may meet: on the ways to the tips and not thin, then the largest; none close to an earlier one.
std::vector<Candidate> inner_candidates(const body::BodyShape& body) {
  const double largest = body.sphere(0).radius;
  std::vector<int> order{body.centre};
  for (const body::Tip& tip : body.tips) {
    for (const int s : body.paths.path(tip.sphere)) {
      if (body.sphere(s).radius >= 0.2 * largest) order.push_back(s);
    }
  }
  for (int s = 0; s < std::min(body.graph.count(), 20); ++s) order.push_back(s);
  for (double spacing = 0.025 * body.size;; spacing *= 1.25) {
    std::vector<Candidate> kept;
    for (const int s : order) {
      const bool near = std::any_of(kept.begin(), kept.end(), [&](const Candidate& c) {
        return c.sphere == s || norm(body.sphere(c.sphere).centre - body.sphere(s).centre) < spacing;
      });
      if (!near) kept.push_back({s, 0});
    }
    if (kept.size() <= kMaxInner) return kept;
  }
}

/// Ends of the body in its mirror plane: heads without a neck, rumps without a tail. They do not stand out as limbs,
/// but are farther from the middle than anything near them in the plane.
std::vector<int> ends_in_plane(const body::BodyShape& body, const body::MirrorPlane& plane) {
  std::vector<int> middle;
  for (int s = 0; s < body.graph.count(); ++s) {
    if (std::abs(plane.side(body.sphere(s).centre)) < 0.025 * body.size) middle.push_back(s);
  }
  auto farness = [&](int s) { return body.paths.distance[static_cast<std::size_t>(s)] + body.sphere(s).radius; };
  std::vector<int> ends;
  for (const int s : middle) {
    const double near = body.sphere(s).radius + 0.05 * body.size;
    const bool farthest = std::all_of(middle.begin(), middle.end(), [&](int o) {
      return o == s || norm(body.sphere(o).centre - body.sphere(s).centre) > near || farness(o) < farness(s);
    });
    if (farthest) ends.push_back(s);
  }
  // The highest, the foremost ... too: a large head may itself be the middle that distances count from.
  for (int side = 0; side < 6; ++side) {
    Vec3d axis;
    axis[side / 2] = side % 2 == 0 ? 1 : -1;
    if (std::abs(dot(axis, plane.normal)) > 0.7 || middle.empty()) continue;
    ends.push_back(*std::max_element(middle.begin(), middle.end(), [&](int a, int b) {
      return dot(axis, body.sphere(a).centre) + body.sphere(a).radius <
             dot(axis, body.sphere(b).centre) + body.sphere(b).radius;
    }));
  }
  return ends;
}

Candidates find_candidates(const body::BodyShape& body) {
  Candidates all;
  all.inner = inner_candidates(body);
  for (const body::Tip& tip : body.tips) {
    if (all.tips.size() >= kMaxTips) break;
    const double ratio = tip.length / std::max(body.sphere(tip.fork).radius, 1e-12);
    all.tips.push_back({tip.sphere, std::clamp((body::kLimbRatio + 0.3 - ratio) / 1.2, 0.0, 1.0)});
  }
  const auto plane = std::min_element(body.planes.begin(), body.planes.end(),
                                      [](const auto& a, const auto& b) { return a.error < b.error; });
  if (plane != body.planes.end() && plane->error < kMirrored) {
    for (const int s : ends_in_plane(body, *plane)) {
      const bool known = std::any_of(all.tips.begin(), all.tips.end(), [&](const Candidate& c) {
        return norm(body.sphere(c.sphere).centre - body.sphere(s).centre) < 0.03 * body.size;
      });
      if (!known && all.tips.size() < kMaxTips + kMaxEnds) all.tips.push_back({s, 1});
    }
  }
  all.paths.resize(all.inner.size());
  all.to_inner.resize(all.inner.size());
  all.to_tip.resize(all.inner.size());
  parallel_for(all.inner.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      all.paths[a] = body::shortest_paths(body.graph, all.inner[a].sphere);
      for (const Candidate& c : all.inner) all.to_inner[a].push_back(make_way(body, all.paths[a], c.sphere, false));
      for (const Candidate& c : all.tips) all.to_tip[a].push_back(make_way(body, all.paths[a], c.sphere, true));
    }
  });
  return all;
}

/// The template turned and stretched to the body's box.
struct FittedTemplate {
  std::vector<Vec3d> at;
  double stretch = 0;  ///< squared logs of the sides' ratios
  Vec3d box_ratio;     ///< of the sides of the body's box to the template's, in the template's axes
  double scale = 1;
};

FittedTemplate fit_to_box(const body::BodyShape& body, const SkeletonTemplate& skeleton, const Mat3d& turn) {
  const double inf = std::numeric_limits<double>::infinity();
  Vec3d low{inf, inf, inf}, high = -low, body_low = low, body_high = high;
  for (const TemplateJoint& j : skeleton.joints) {
    const Vec3d girth{j.girth, j.girth, j.girth};
    low = min(low, j.at - girth), high = max(high, j.at + girth);
  }
  const Mat3d back = transposed(turn);
  for (const body::MedialSphere& s : body.graph.spheres) {
    const Vec3d p = back * s.centre, r{s.radius, s.radius, s.radius};
    body_low = min(body_low, p - r), body_high = max(body_high, p + r);
  }
  Vec3d ratio;
  double mean = 0;
  for (int a = 0; a < 3; ++a) {
    ratio[a] = std::max(body_high[a] - body_low[a], 0.02 * body.size) / std::max(high[a] - low[a], 1e-9);
    mean += std::log(ratio[a]) / 3;
  }
  FittedTemplate fitted;
  fitted.box_ratio = ratio;
  fitted.scale = std::exp(mean);
  for (int a = 0; a < 3; ++a) {
    fitted.stretch += squared(std::log(ratio[a]) - mean);
    ratio[a] = fitted.scale * std::exp(std::clamp(std::log(ratio[a]) - mean, -0.9, 0.9));
  }
  for (const TemplateJoint& j : skeleton.joints) {
    fitted.at.push_back(turn * (0.5 * (body_low + body_high) + scaled(ratio, j.at - 0.5 * (low + high))));
  }
  return fitted;
}

/// The template stretched once more, so that its joints lie where a first match found them: antlers and weapons widen
/// the box but not the body. Least squares along each axis, drawn toward even scales. Across an axis along which the
/// template has no joints (a snake's), the box alone tells how well it fits.
FittedTemplate refit(const SkeletonTemplate& skeleton, const Mat3d& turn, Vec3d box_ratio,
                     const std::vector<std::pair<int, Vec3d>>& matched) {
  const Mat3d back = transposed(turn);
  const double n = static_cast<double>(matched.size());
  Vec3d mean_from, mean_to;
  for (const auto& [joint, place] : matched) {
    mean_from += (1 / n) * skeleton.joints[static_cast<std::size_t>(joint)].at, mean_to += (1 / n) * (back * place);
  }
  Vec3d spread, covariance;
  double all_spread = 0, all_covariance = 0;
  for (const auto& [joint, place] : matched) {
    const Vec3d from = skeleton.joints[static_cast<std::size_t>(joint)].at - mean_from, to = back * place - mean_to;
    for (int a = 0; a < 3; ++a) spread[a] += from[a] * from[a], covariance[a] += from[a] * to[a];
    all_spread += squared_norm(from), all_covariance += dot(from, to);
  }
  FittedTemplate fitted;
  const double even = std::max(all_covariance / std::max(all_spread, 1e-12), 1e-9);
  constexpr double kEven = 0.08;  // weight of the even scale, of the whole spread
  Vec3d ratio;
  double mean = 0;
  for (int a = 0; a < 3; ++a) {
    const double fit = (covariance[a] + kEven * all_spread * even) / (spread[a] + kEven * all_spread);
    ratio[a] = std::clamp(fit, 0.4 * even, 2.5 * even);
    mean += std::log(ratio[a]) / 3;
  }
  Vec3d shape = ratio;
  double mean_shape = 0;
  for (int a = 0; a < 3; ++a) {
    if (spread[a] < kFlat * all_spread) shape[a] = box_ratio[a];
    mean_shape += std::log(shape[a]) / 3;
  }
  for (int a = 0; a < 3; ++a) fitted.stretch += squared(std::log(shape[a]) - mean_shape);
  fitted.box_ratio = box_ratio;
  fitted.scale = std::exp(mean);
  for (const TemplateJoint& j : skeleton.joints)
    fitted.at.push_back(turn * (mean_to + scaled(ratio, j.at - mean_from)));
  return fitted;
}

/// A chain of the fitted template, to compare ways with.
struct Chain {
  double length = 0;
  double girth = 0;  ///< mean, 0: not known
  Vec3d direction;
  std::array<Vec3d, kPieces> directions;
};

Chain make_chain(const SkeletonTemplate& skeleton, const FittedTemplate& fitted, int parent,
                 const std::vector<int>& joints) {
  std::vector<Vec3d> line{fitted.at[static_cast<std::size_t>(parent)]};
  for (const int j : joints) line.push_back(fitted.at[static_cast<std::size_t>(j)]);
  Chain chain;
  for (const int j : joints) {
    chain.girth +=
        fitted.scale * skeleton.joints[static_cast<std::size_t>(j)].girth / static_cast<double>(joints.size());
  }
  chain.length = body::polyline_length(line);
  chain.direction = normalized(line.back() - line.front());
  const std::vector<Vec3d> even = body::resample(line, kPieces);
  for (std::size_t k = 0; k < kPieces; ++k) chain.directions[k] = normalized(even[k + 1] - even[k]);
  return chain;
}

/// How little the ways to the ends of limbs look like a limb, or like the trunk that it comes from.
class ReadWays {
 public:
  ReadWays(const ReadCues& cues, const Candidates& candidates) : tips_(candidates.tips.size()) {
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
  double cost(anatomy::Region region, std::size_t inner, std::size_t tip) const {
    return costs_[static_cast<std::size_t>(region)][inner * tips_ + tip];
  }

 private:
  std::size_t tips_;
  std::array<std::vector<double>, anatomy::kRegionCount> costs_;  ///< [inner][tip]
};

/// What a reading says against a template in a turn.
double read_cost(const ReadCues& cues, const EmbedWeights& weights, const SkeletonTemplate& skeleton,
                 const Turn& turn) {
  // The front of templates that people bring is where their file has it.
  const bool known = builtin_of(skeleton) != nullptr && anatomy::kind_named(skeleton.name).has_value();
  return weights.read_kind * cues.kind_cost(skeleton.name) +
         (known ? weights.read_turn * cues.turn_cost(turn.body_from_template) : 0);
}

/// A choice for a node: candidates for its joint and, where it is a pair, the partner.
struct Choice {
  int first = -1, second = -1;  ///< -1: left out
};
struct Branch {
  double total = 0, cost = 0;
  Choice choice;
};

/// One template in one turn.
class Search {
 public:
  Search(const body::BodyShape& body, const Candidates& candidates, const SkeletonTemplate& skeleton,
         const ReducedTemplate& reduced, const std::vector<anatomy::Region>& regions, const ReadCues* cues,
         const ReadWays* ways, const EmbedSettings& settings, const Turn& turn, FittedTemplate fitted)
      : body_(body),
        all_(candidates),
        skeleton_(skeleton),
        reduced_(reduced),
        regions_(regions),
        cues_(cues),
        ways_(ways),
        settings_(settings),
        w_(settings.weights),
        turn_(turn),
        fitted_(std::move(fitted)) {
    lowest_ = std::numeric_limits<double>::infinity();
    for (const body::MedialSphere& s : body.graph.spheres) lowest_ = std::min(lowest_, height(s.centre) - s.radius);
  }

  /// Cheapest of the complete matches, with what it costs; none above `bound`.
  std::optional<Embedding> run(double bound) {
    fixed_ = w_.stretch * fitted_.stretch + mirror_cost() + habit_cost() + reading_cost() + skeleton_.rarity;
    if (fixed_ >= bound) return std::nullopt;
    fill_tables();
    if (least() >= bound) return std::nullopt;
    std::optional<Embedding> best;
    for (const std::vector<Choice>& choices : best_first(bound)) {
      Embedding embedding = finish(choices);
      if (!best || embedding.cost < best->cost) best = std::move(embedding);
      // The search does not know what a limb that is left out costs.
      if (const auto fuller = fill_in(choices)) {
        embedding = finish(*fuller);
        if (embedding.cost < best->cost) best = std::move(embedding);
      }
    }
    return best;
  }

 private:
  double mirror_cost() const {
    return w_.no_mirror * turn_.plane.error + w_.worse_mirror * std::log(turn_.worse_mirror);
  }
  double reading_cost() const {
    if (cues_ == nullptr) return 0;
    return read_cost(*cues_, w_, skeleton_, turn_);
  }
  double habit_cost() const { return skeleton_.any_way ? 0 : w_.habit * turn_.unusual; }
  double height(Vec3d p) const { return dot(turn_.body_from_template.column(1), p); }
  const ReducedNode& node(std::size_t n) const { return reduced_.nodes[n]; }
  const std::vector<Candidate>& candidates_of(const ReducedNode& n) const { return n.leaf ? all_.tips : all_.inner; }

  /// What a joint costs at a sphere, wherever its parent is.
  double unary(int joint, const Candidate& candidate) const {
    const TemplateJoint& j = skeleton_.joints[static_cast<std::size_t>(joint)];
    const body::MedialSphere& s = body_.sphere(candidate.sphere);
    double cost = w_.place * std::min(1.0, squared_norm(s.centre - fitted_.at[static_cast<std::size_t>(joint)]) /
                                               squared(body_.size));
    if (j.girth > 0) cost += girth_cost(s.radius, j.girth * fitted_.scale);
    if (j.foot) cost += w_.foot * std::min(0.5, (height(s.centre) - s.radius - lowest_) / body_.size);
    if (j.tip) cost += w_.faint_tip * candidate.faint;
    if (!regions_.empty() && cues_ != nullptr) {
      cost += w_.read_part * cues_->region_cost(candidate.sphere, regions_[static_cast<std::size_t>(joint)]);
    }
    if (j.partner < 0 && turn_.symmetric > 0) {
      cost += w_.off_plane * turn_.symmetric * std::min(2.0, squared(turn_.plane.side(s.centre) / (0.05 * body_.size)));
    }
    for (const auto& [name, place] : settings_.pins) {
      if (name == j.name) cost += kPinned * squared_norm(s.centre - place) / squared(body_.size);
    }
    return cost;
  }

  double girth_cost(double radius, double girth) const {
    const double floor = 0.005 * body_.size;
    return w_.girth * std::min(4.0, squared(std::log((radius + floor) / (girth + floor))));
  }

  double chain_cost(const Chain& chain, const Way& way) const {
    const double length = std::min(3.0, squared(log_ratio(way.length / body_.size, chain.length / body_.size)));
    double shape = 0;
    for (std::size_t k = 0; k < kPieces; ++k) shape += (1 - dot(way.directions[k], chain.directions[k])) / kPieces;
    const double direction = 1 - dot(way.direction, chain.direction);
    // Short chains have no direction to speak of.
    const double telling = std::min(1.0, chain.length / (0.1 * body_.size));
    return w_.length * length + (chain.girth > 0 ? girth_cost(way.radius, chain.girth) : 0) +
           telling * (w_.direction * direction + w_.shape * shape);
  }

  using Table = std::vector<std::vector<double>>;  // [parent's candidate][own candidate]

  Table chain_table(const ReducedNode& n, int joint, const std::vector<int>& joints) const {
    const Chain chain =
        make_chain(skeleton_, fitted_, reduced_.nodes[static_cast<std::size_t>(n.parent)].joint, joints);
    const std::vector<Candidate>& own = candidates_of(n);
    std::vector<double> alone;
    for (const Candidate& c : own) alone.push_back(unary(joint, c));
    Table table(all_.inner.size(), std::vector<double>(own.size()));
    for (std::size_t a = 0; a < all_.inner.size(); ++a) {
      for (std::size_t b = 0; b < own.size(); ++b) {
        table[a][b] = alone[b] + chain_cost(chain, n.leaf ? all_.to_tip[a][b] : all_.to_inner[a][b]);
        if (n.leaf && !regions_.empty() && ways_ != nullptr) {
          table[a][b] += w_.read_way * ways_->cost(regions_[static_cast<std::size_t>(joint)], a, b);
        }
      }
    }
    return table;
  }

  void fill_tables() {
    const std::size_t count = reduced_.nodes.size();
    first_.assign(count, {}), second_.assign(count, {}), rest_.assign(count, {}), choices_.assign(count, {});
    for (const Candidate& c : all_.inner) root_.push_back(unary(node(0).joint, c));
    const std::size_t tips = all_.tips.size();
    partner_.assign(tips, std::vector<double>(tips, kInfinite));
    for (std::size_t i = 0; i < tips; ++i) {
      for (std::size_t j = 0; j < tips; ++j) {
        if (i != j) partner_[i][j] = partner_cost(body_.sphere(all_.tips[i].sphere), body_.sphere(all_.tips[j].sphere));
      }
    }
    for (std::size_t n = count; n-- > 1;) {
      first_[n] = chain_table(node(n), node(n).joint, node(n).chain);
      if (node(n).other >= 0) second_[n] = chain_table(node(n), node(n).other, node(n).other_chain);
      rest_[n].resize(all_.inner.size()), choices_[n].resize(all_.inner.size());
      for (std::size_t a = 0; a < all_.inner.size(); ++a) {
        choices_[n][a] = sorted_choices(n, a);
        rest_[n][a] = choices_[n][a].empty() ? kInfinite : choices_[n][a].front().total;
      }
    }
  }

  /// The cheapest choices for a node below a candidate, with what they and everything below them cost at least.
  std::vector<Branch> sorted_choices(std::size_t n, std::size_t a) const {
    std::vector<Branch> list;
    for_choices(n, a, [&](Choice choice, double cost) {
      if (cost < kInfinite) list.push_back({cost + (node(n).leaf ? 0 : below(n, choice.first)), cost, choice});
    });
    const std::size_t kept = std::min(list.size(), kMaxBranches);
    std::partial_sort(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(kept), list.end(),
                      [](const Branch& x, const Branch& y) {
                        return std::tie(x.total, x.choice.first, x.choice.second) <
                               std::tie(y.total, y.choice.first, y.choice.second);
                      });
    list.resize(kept);
    return list;
  }

  double partner_cost(const body::MedialSphere& a, const body::MedialSphere& b) const {
    double cost = w_.length * 0.5 * squared(std::log((a.radius + 0.01 * body_.size) / (b.radius + 0.01 * body_.size)));
    if (turn_.symmetric > 0) {
      const double apart = norm(turn_.plane.mirror(a.centre) - b.centre) / (0.06 * body_.size);
      cost += w_.mirror * turn_.symmetric * std::min(2.0, squared(apart));
    }
    return cost;
  }

  /// Lower bound of all matches.
  double least() const {
    double best = kInfinite;
    for (std::size_t a = 0; a < all_.inner.size(); ++a) best = std::min(best, root_[a] + below(0, static_cast<int>(a)));
    return fixed_ + best;
  }

  /// Lower bound of everything below node `n` at a candidate.
  double below(std::size_t n, int candidate) const {
    double sum = 0;
    for (const int c : node(n).children) sum += rest_[static_cast<std::size_t>(c)][static_cast<std::size_t>(candidate)];
    return sum;
  }

  double missing_cost(const ReducedNode& n) const { return n.other >= 0 ? 1.5 * w_.missing : w_.missing; }

  template <class Visit>
  void for_choices(std::size_t n, std::size_t a, Visit visit) const {
    const ReducedNode& which = node(n);
    const std::vector<double>& first = first_[n][a];
    if (which.optional) visit({-1, -1}, missing_cost(which));
    if (which.other < 0) {
      for (std::size_t i = 0; i < first.size(); ++i) visit({static_cast<int>(i), -1}, first[i]);
      return;
    }
    const std::vector<double>& second = second_[n][a];
    const std::vector<int> others = cheapest(second);
    for (const int i : cheapest(first)) {
      for (const int j : others) {
        const auto x = static_cast<std::size_t>(i), y = static_cast<std::size_t>(j);
        if (i != j) visit({i, j}, first[x] + second[y] + partner_[x][y]);
      }
    }
  }

  /// The few candidates that are worth trying in pairs.
  static std::vector<int> cheapest(const std::vector<double>& costs) {
    std::vector<int> order(costs.size());
    std::iota(order.begin(), order.end(), 0);
    const std::size_t kept = std::min(order.size(), kMaxPaired);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(), [&](int x, int y) {
      return std::pair(costs[static_cast<std::size_t>(x)], x) < std::pair(costs[static_cast<std::size_t>(y)], y);
    });
    order.resize(kept);
    return order;
  }

  struct State {
    double bound = 0, cost = 0;
    std::uint64_t order = 0;
    std::vector<Choice> choices;
    bool operator>(const State& other) const {
      return bound > other.bound || (bound == other.bound && order > other.order);
    }
  };

  /// What is not yet placed but hangs on what is.
  double open_bound(const std::vector<Choice>& choices) const {
    double sum = 0;
    for (std::size_t n = choices.size(); n < reduced_.nodes.size(); ++n) {
      const auto parent = static_cast<std::size_t>(node(n).parent);
      if (parent >= choices.size()) continue;
      sum += rest_[n][static_cast<std::size_t>(choices[parent].first)];
    }
    return sum;
  }

  bool is_free(const std::vector<Choice>& choices, Choice choice) const {
    for (std::size_t n = 0; n < choices.size(); ++n) {
      if (!node(n).leaf) continue;
      for (const int used : {choices[n].first, choices[n].second}) {
        if (used >= 0 && (used == choice.first || used == choice.second)) return false;
      }
    }
    return true;
  }

  /// The same match with the chains that it leaves out where they cost least; none if there are none or no tips are
  /// left.
  std::optional<std::vector<Choice>> fill_in(std::vector<Choice> choices) const {
    bool filled = false;
    for (std::size_t n = 1; n < choices.size(); ++n) {
      if (choices[n].first >= 0) continue;
      const auto parent = static_cast<std::size_t>(choices[static_cast<std::size_t>(node(n).parent)].first);
      for (const Branch& branch : choices_[n][parent]) {
        if (branch.choice.first < 0 || !is_free(choices, branch.choice)) continue;
        choices[n] = branch.choice, filled = true;
        break;
      }
    }
    if (!filled) return std::nullopt;
    return choices;
  }

  std::vector<std::vector<Choice>> best_first(double bound) const {
    std::priority_queue<State, std::vector<State>, std::greater<>> queue;
    std::uint64_t order = 0;
    for (std::size_t a = 0; a < all_.inner.size(); ++a) {
      State state;
      state.cost = fixed_ + root_[a];
      state.choices.push_back({static_cast<int>(a), -1});
      state.bound = state.cost + open_bound(state.choices);
      state.order = order++;
      if (state.bound < bound) queue.push(std::move(state));
    }
    std::vector<std::vector<Choice>> found;
    std::size_t visited = 0;
    while (!queue.empty() && found.size() < kSolutions && ++visited < kMaxStates) {
      const State state = queue.top();
      queue.pop();
      const std::size_t n = state.choices.size();
      if (n == reduced_.nodes.size()) {
        found.push_back(state.choices);
        continue;
      }
      expand(state, n, bound, order, queue);
    }
    return found;
  }

  template <class Queue>
  void expand(const State& state, std::size_t n, double bound, std::uint64_t& order, Queue& queue) const {
    const auto parent = static_cast<std::size_t>(state.choices[static_cast<std::size_t>(node(n).parent)].first);
    const double others = state.bound - state.cost - rest_[n][parent];
    for (const Branch& branch : choices_[n][parent]) {
      if (node(n).leaf && !is_free(state.choices, branch.choice)) continue;
      if (state.cost + others + branch.total >= bound) break;
      State next = state;
      next.choices.push_back(branch.choice);
      next.bound = state.cost + others + branch.total;
      next.cost = state.cost + branch.cost;
      next.order = order++;
      queue.push(std::move(next));
    }
  }

  Embedding finish(const std::vector<Choice>& choices) const;
  struct Unexplained {
    double share = 0, limbs = 0;
  };
  double shared_ways(const std::vector<Choice>& choices) const;
  Unexplained unexplained(const std::vector<std::vector<int>>& spheres) const;

  const body::BodyShape& body_;
  const Candidates& all_;
  const SkeletonTemplate& skeleton_;
  const ReducedTemplate& reduced_;
  const std::vector<anatomy::Region>& regions_;  ///< per joint
  const ReadCues* cues_;                         ///< null: nobody read the body
  const ReadWays* ways_;
  const EmbedSettings& settings_;
  const EmbedWeights& w_;
  const Turn& turn_;
  const FittedTemplate fitted_;
  double lowest_ = 0, fixed_ = 0;
  std::vector<double> root_;
  std::vector<Table> first_, second_;
  std::vector<std::vector<double>> rest_, partner_;
  std::vector<std::vector<std::vector<Branch>>> choices_;  ///< [node][parent's candidate]
};

/// Which share of the body's limbs and trunk no chain runs along, measured as length times radius of the ways from the
/// middle to the tips: a missed leg counts more than all whiskers. And how many limbs are missed, long ones counting
/// most: a leg of an insect has hardly any flesh.
Search::Unexplained Search::unexplained(const std::vector<std::vector<int>>& spheres) const {
  std::vector<bool> explained(body_.graph.spheres.size(), false), counted(body_.graph.spheres.size(), false);
  for (const auto& chain : spheres) {
    for (const int s : chain) explained[static_cast<std::size_t>(s)] = true;
  }
  Unexplained result;
  double missed = 0, total = 0;
  for (const body::Tip& tip : body_.tips) {
    if (tip.length < body::kLimbRatio * body_.sphere(tip.fork).radius) continue;
    const std::vector<int> path = body_.paths.path(tip.sphere);
    double limb = 0;
    for (std::size_t k = path.size(); k-- > 1;) {
      const auto s = static_cast<std::size_t>(path[k]);
      if (counted[s]) break;
      counted[s] = true;
      // Inside the flesh of a chain a limb has not begun yet.
      bool covered = explained[s];
      for (const body::SphereGraph::Edge& edge : body_.graph.edges[s]) {
        const auto to = static_cast<std::size_t>(edge.to);
        covered = covered || (explained[to] && edge.length < kFlesh * body_.graph.spheres[to].radius);
      }
      const double length = norm(body_.sphere(path[k]).centre - body_.sphere(path[k - 1]).centre);
      total += length * body_.sphere(path[k]).radius;
      if (!covered) missed += length * body_.sphere(path[k]).radius, limb += length;
    }
    limb = std::min(limb, tip.length);  // the way to a tip may run beside a chain
    result.limbs += std::clamp((limb / body_.size - kTwig) / (kLongLimb - kTwig), 0.0, 1.0);
  }
  result.limbs = std::min(result.limbs, kMostLimbs);
  result.share = total > 0 ? missed / total : 0;
  return result;
}

/// How far partners run together before they part, beyond the flesh that they leave: of the body's size. Legs part at
/// the hips; what takes the flukes of a tail for feet does not.
double Search::shared_ways(const std::vector<Choice>& choices) const {
  double sum = 0;
  for (std::size_t n = 1; n < choices.size(); ++n) {
    if (node(n).other < 0 || choices[n].first < 0) continue;
    const auto parent = static_cast<std::size_t>(choices[static_cast<std::size_t>(node(n).parent)].first);
    const std::vector<Candidate>& ends = candidates_of(node(n));
    const std::vector<int> a = all_.paths[parent].path(ends[static_cast<std::size_t>(choices[n].first)].sphere);
    const std::vector<int> b = all_.paths[parent].path(ends[static_cast<std::size_t>(choices[n].second)].sphere);
    double length = 0;
    for (std::size_t k = 1; k < std::min(a.size(), b.size()) && a[k] == b[k]; ++k) {
      length += norm(body_.sphere(a[k]).centre - body_.sphere(a[k - 1]).centre);
    }
    sum += std::max(0.0, length - body_.sphere(a[0]).radius) / body_.size;
  }
  return sum;
}

Embedding Search::finish(const std::vector<Choice>& choices) const {
  Embedding result;
  result.skeleton = skeleton_;
  result.body_from_template = turn_.body_from_template;
  result.plane = turn_.plane, result.mirrored = turn_.symmetric > 0.5;
  result.at = fitted_.at;
  result.present.assign(skeleton_.joints.size(), true);
  double matched = root_[static_cast<std::size_t>(choices[0].first)];
  for (std::size_t n = 1; n < choices.size(); ++n) {
    const auto parent = static_cast<std::size_t>(choices[static_cast<std::size_t>(node(n).parent)].first);
    if (choices[n].first < 0) {
      matched += missing_cost(node(n));
      for (const auto* chain : {&node(n).chain, &node(n).other_chain}) {
        for (const int j : *chain) result.present[static_cast<std::size_t>(j)] = false;
      }
      continue;
    }
    const int joint = node(static_cast<std::size_t>(node(n).parent)).joint;
    auto add = [&](const std::vector<int>& chain, int candidate) {
      std::vector<int> joints{joint};
      joints.insert(joints.end(), chain.begin(), chain.end());
      const Candidate& end = candidates_of(node(n))[static_cast<std::size_t>(candidate)];
      result.chains.push_back(std::move(joints));
      result.chain_spheres.push_back(all_.paths[parent].path(end.sphere));
    };
    matched += first_[n][parent][static_cast<std::size_t>(choices[n].first)];
    add(node(n).chain, choices[n].first);
    if (node(n).other >= 0) {
      matched += second_[n][parent][static_cast<std::size_t>(choices[n].second)] +
                 partner_[static_cast<std::size_t>(choices[n].first)][static_cast<std::size_t>(choices[n].second)];
      add(node(n).other_chain, choices[n].second);
      const std::vector<Candidate>& ends = candidates_of(node(n));
      const Vec3d one = body_.sphere(ends[static_cast<std::size_t>(choices[n].first)].sphere).centre;
      const Vec3d other = body_.sphere(ends[static_cast<std::size_t>(choices[n].second)].sphere).centre;
      // One arm up, one down: the body may be its own mirror image, its pose is not.
      if (norm(turn_.plane.mirror(one) - other) > kPosedApart * body_.size) result.mirrored = false;
    }
  }
  const double facing = facing_cost(body_, result);
  const Unexplained left = unexplained(result.chain_spheres);
  result.terms = {{"match", matched},
                  {"stretch", w_.stretch * fitted_.stretch},
                  {"mirror", mirror_cost()},
                  {"habit", habit_cost()},
                  {"reading", reading_cost()},
                  {"rare", skeleton_.rarity},
                  {"unexplained", w_.unexplained * left.share},
                  {"missed limbs", w_.missed_limb * left.limbs},
                  {"shared ways", w_.shared_way * shared_ways(choices)},
                  {"facing", w_.facing * facing}};
  for (const auto& [name, cost] : result.terms) result.cost += cost;
  return result;
}

/// One template in one turn.
struct Attempt {
  std::size_t skeleton = 0, turn = 0;
  Embedding embedding;
};

std::vector<std::pair<int, Vec3d>> matched_joints(const body::BodyShape& body, const Embedding& embedding) {
  std::vector<std::pair<int, Vec3d>> matched;
  for (std::size_t c = 0; c < embedding.chains.size(); ++c) {
    const std::vector<int>& spheres = embedding.chain_spheres[c];
    if (c == 0) matched.emplace_back(embedding.chains[c].front(), body.sphere(spheres.front()).centre);
    matched.emplace_back(embedding.chains[c].back(), body.sphere(spheres.back()).centre);
  }
  return matched;
}

}  // namespace

std::vector<Embedding> embed_skeletons(const body::BodyShape& body, std::span<const SkeletonTemplate> skeletons,
                                       const EmbedSettings& given) {
  EmbedSettings settings = given;
  // What a person said needs no reading.
  if (given.forward) settings.weights.read_turn = 0;
  if (skeletons.size() == 1) settings.weights.read_kind = 0;
  if (given.reading != nullptr) {
    // Where parts are known, limbs may point anywhere.
    const double known = given.reading->trust();
    for (double* weight : {&settings.weights.direction, &settings.weights.shape, &settings.weights.place})
      *weight *= 1 - 0.4 * known;
  }
  const Candidates candidates = find_candidates(body);
  if (candidates.tips.empty()) return {};
  std::vector<SkeletonTemplate> all(skeletons.begin(), skeletons.end());
  for (const SkeletonTemplate& skeleton : skeletons) {
    if (skeleton.chiral) all.push_back(mirrored(skeleton));
  }
  const std::size_t plain = all.size();
  for (const SkeletonTemplate& skeleton : skeletons) {
    for (const TemplatePose& pose : skeleton.poses) all.push_back(posed(skeleton, pose));
  }
  std::vector<ReducedTemplate> reduced;
  for (const SkeletonTemplate& skeleton : all) reduced.push_back(reduce_template(skeleton));
  std::vector<std::vector<anatomy::Region>> regions;
  for (const SkeletonTemplate& skeleton : all) regions.push_back(template_regions(skeleton));
  std::optional<ReadCues> cues;
  std::optional<ReadWays> ways;
  if (settings.reading != nullptr) cues.emplace(body, *settings.reading), ways.emplace(*cues, candidates);
  const std::vector<Turn> turns = find_turns(body, settings.forward, cues ? cues->attitude() : std::nullopt);
  // What a reading is sure about is not tried.
  double likeliest = kInfinite;
  for (const SkeletonTemplate& skeleton : all) {
    for (const Turn& turn : turns)
      likeliest = cues ? std::min(likeliest, read_cost(*cues, settings.weights, skeleton, turn)) : 0;
  }
  auto search = [&](std::size_t s, std::size_t t, FittedTemplate fitted, double bound) -> std::optional<Embedding> {
    if (cues && read_cost(*cues, settings.weights, all[s], turns[t]) > likeliest + kOutOfQuestion) return std::nullopt;
    return Search(body, candidates, all[s], reduced[s], regions[s], cues ? &*cues : nullptr, ways ? &*ways : nullptr,
                  settings, turns[t], std::move(fitted))
        .run(bound);
  };
  std::vector<std::optional<Embedding>> found(all.size() * turns.size());
  auto search_all = [&](std::size_t first, std::size_t last, double bound) {
    parallel_for((last - first) * turns.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const std::size_t s = first + k / turns.size(), t = k % turns.size();
        found[s * turns.size() + t] = search(s, t, fit_to_box(body, all[s], turns[t].body_from_template), bound);
      }
    });
  };
  search_all(0, plain, kInfinite);
  double cheapest = kInfinite;
  for (const auto& embedding : found) cheapest = embedding ? std::min(cheapest, embedding->cost) : cheapest;
  search_all(plain, all.size(), cheapest + kPoseMargin);
  std::vector<Attempt> attempts;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k]) attempts.push_back({k / turns.size(), k % turns.size(), std::move(*found[k])});
  }
  auto cheaper = [](const Attempt& a, const Attempt& b) { return a.embedding.cost < b.embedding.cost; };
  std::stable_sort(attempts.begin(), attempts.end(), cheaper);
  // The best few of each template once more.
  std::vector<std::size_t> again, tried(all.size(), 0);
  for (std::size_t k = 0; k < attempts.size(); ++k) {
    if (tried[attempts[k].skeleton]++ < kRefitted) again.push_back(k);
  }
  parallel_for(again.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      Attempt& a = attempts[again[k]];
      const auto matched = matched_joints(body, a.embedding);
      const Mat3d& turned = turns[a.turn].body_from_template;
      const Vec3d box_ratio = fit_to_box(body, all[a.skeleton], turned).box_ratio;
      auto better = search(a.skeleton, a.turn, refit(all[a.skeleton], turned, box_ratio, matched), a.embedding.cost);
      if (better && better->cost < a.embedding.cost) a.embedding = std::move(*better);
    }
  });
  std::stable_sort(attempts.begin(), attempts.end(), cheaper);
  std::vector<Embedding> embeddings;
  for (Attempt& a : attempts) embeddings.push_back(std::move(a.embedding));
  return embeddings;
}

}  // namespace limber::skeleton
