// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "limber/skeleton/embed.h"
#include "limber/skeleton/embed_candidates.h"
#include "limber/skeleton/embed_fit.h"
#include "limber/skeleton/read_cues.h"
#include "limber/skeleton/reduced_template.h"
#include "limber/skeleton/turns.h"

/// What a template in a turn costs, term by term (embed_terms.h). Private to `skeleton`.
namespace limber::skeleton {

/// More than any match costs.
inline constexpr double kInfiniteCost = 1e9;

/// How little the paths to the ends of limbs look like a limb, or like the trunk that it comes from.
class ReadPaths {
 public:
  ReadPaths(const ReadCues& cues, const Candidates& candidates);
  double cost(anatomy::Region region, std::size_t inner, std::size_t tip) const {
    return costs_[static_cast<std::size_t>(region)][inner * tips_ + tip];
  }

 private:
  std::size_t tips_;
  std::array<std::vector<double>, anatomy::kRegionCount> costs_;  ///< [inner][tip]
};

/// A body and all that does not depend on the template.
struct EmbedBody {
  const body::BodyShape& body;
  Candidates candidates;
  EmbedSettings settings;
  std::optional<ReadCues> cues;  ///< none: nobody read the body
  std::optional<ReadPaths> read_paths;
};

/// A template with what is found once for all turns.
struct EmbedTemplate {
  SkeletonTemplate skeleton;
  ReducedTemplate reduced;
  std::vector<anatomy::Region> regions;  ///< per joint; empty where nobody vouches for them
};

/// One template in one turn, to be matched with the body.
struct Hypothesis {
  const EmbedBody& on;
  const EmbedTemplate& of;
  const Turn& turn;
  FittedTemplate fitted;

  const EmbedWeights& weights() const { return on.settings.weights; }
  const ReducedNode& node(std::size_t n) const { return of.reduced.nodes[n]; }
  std::size_t nodes() const { return of.reduced.nodes.size(); }
  const std::vector<Candidate>& candidates_of(const ReducedNode& n) const {
    return n.leaf ? on.candidates.tips : on.candidates.inner;
  }
};

/// What a reading says against a template in a turn.
double read_cost(const EmbedBody& on, const SkeletonTemplate& skeleton, const Turn& turn);

/// What a hypothesis costs wherever its joints go.
struct FixedCosts {
  double stretch = 0, mirror = 0, habit = 0, reading = 0, rarity = 0;
  double sum() const { return stretch + mirror + habit + reading + rarity; }
};
FixedCosts fixed_costs(const Hypothesis& hypothesis);

using CostTable = std::vector<std::vector<double>>;

/// What each choice of candidates costs. A node's tables have a row per candidate of its parent and a column per
/// candidate of its own.
struct MatchCosts {
  std::vector<double> root;              ///< per inner candidate, the first node's
  std::vector<CostTable> first, second;  ///< per node: its joint, and the partner that is placed with it
  CostTable partner;                     ///< of two tips that are partners
};
MatchCosts match_costs(const Hypothesis& hypothesis);

/// What it costs to leave an optional node out.
double missing_cost(const Hypothesis& hypothesis, const ReducedNode& node);

/// A choice for a node: candidates for its joint and, where it is a pair, the partner.
struct Choice {
  int first = -1, second = -1;  ///< -1: left out
};
/// A choice for every node, in their order.
using Match = std::vector<Choice>;

/// A complete match as an embedding, with what it costs.
Embedding describe_match(const Hypothesis& hypothesis, const MatchCosts& costs, const Match& match);

}  // namespace limber::skeleton
