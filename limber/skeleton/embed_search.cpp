// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/embed_search.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <queue>
#include <tuple>

#include "limber/base/at.h"

namespace limber::skeleton {
namespace {

// How much is looked at: limits of time alone.
constexpr int kSolutions = 24;  // complete matches of one turn
constexpr std::size_t kMaxStates = 4000;
constexpr std::size_t kMaxBranches = 20;  // choices that a node is given
constexpr std::size_t kMaxPaired = 14;    // candidates that each of two partners is given

/// A choice for a node below a candidate of its parent.
struct Branch {
  double total = 0;  ///< what it and everything below it cost at least
  double cost = 0;   ///< what it costs itself
  Choice choice;
};

/// What is known of every node below every candidate of its parent.
struct Branches {
  std::vector<std::vector<std::vector<Branch>>> lists;  ///< [node][parent's candidate]: cheapest first
  CostTable least;                                      ///< the same: what the cheapest branch costs in total
};

/// Lower bound of everything below a node at a candidate.
double cost_below(const Hypothesis& h, const Branches& branches, std::size_t n, int candidate) {
  double sum = 0;
  for (const int c : h.node(n).children) sum += branches.least[at(c)][at(candidate)];
  return sum;
}

/// The few candidates that are worth trying in pairs.
std::vector<int> cheapest(const std::vector<double>& costs) {
  std::vector<int> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t kept = std::min(order.size(), kMaxPaired);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                    [&](int x, int y) { return std::pair(costs[at(x)], x) < std::pair(costs[at(y)], y); });
  order.resize(kept);
  return order;
}

template <class Visit>
void for_choices(const Hypothesis& h, const MatchCosts& costs, std::size_t n, std::size_t parent, Visit visit) {
  const ReducedNode& node = h.node(n);
  const std::vector<double>& first = costs.first[n][parent];
  if (node.optional) visit({-1, -1}, missing_cost(h, node));
  if (node.other < 0) {
    for (std::size_t i = 0; i < first.size(); ++i) visit({static_cast<int>(i), -1}, first[i]);
    return;
  }
  const std::vector<double>& second = costs.second[n][parent];
  const std::vector<int> others = cheapest(second);
  for (const int i : cheapest(first)) {
    for (const int j : others) {
      if (i != j) visit({i, j}, first[at(i)] + second[at(j)] + costs.partner[at(i)][at(j)]);
    }
  }
}

/// The cheapest choices for a node below a candidate, given what is known of the nodes below it.
std::vector<Branch> sorted_branches(const Hypothesis& h, const MatchCosts& costs, const Branches& branches,
                                    std::size_t n, std::size_t parent) {
  std::vector<Branch> list;
  for_choices(h, costs, n, parent, [&](Choice choice, double cost) {
    if (!(cost < kInfiniteCost)) return;
    list.push_back({cost + (h.node(n).leaf ? 0 : cost_below(h, branches, n, choice.first)), cost, choice});
  });
  const std::size_t kept = std::min(list.size(), kMaxBranches);
  std::partial_sort(
      list.begin(), list.begin() + static_cast<std::ptrdiff_t>(kept), list.end(), [](const Branch& x, const Branch& y) {
        return std::tie(x.total, x.choice.first, x.choice.second) < std::tie(y.total, y.choice.first, y.choice.second);
      });
  list.resize(kept);
  return list;
}

/// From the leaves up.
Branches find_branches(const Hypothesis& h, const MatchCosts& costs) {
  const std::size_t parents = h.on.candidates.inner.size();
  Branches branches;
  branches.lists.resize(h.nodes()), branches.least.resize(h.nodes());
  for (std::size_t n = h.nodes(); n-- > 1;) {
    for (std::size_t a = 0; a < parents; ++a) {
      branches.lists[n].push_back(sorted_branches(h, costs, branches, n, a));
      const std::vector<Branch>& list = branches.lists[n].back();
      branches.least[n].push_back(list.empty() ? kInfiniteCost : list.front().total);
    }
  }
  return branches;
}

/// Lower bound of all matches, without what is fixed.
double least_cost(const Hypothesis& h, const MatchCosts& costs, const Branches& branches) {
  double best = kInfiniteCost;
  for (std::size_t a = 0; a < costs.root.size(); ++a)
    best = std::min(best, costs.root[a] + cost_below(h, branches, 0, static_cast<int>(a)));
  return best;
}

/// A match of the first few nodes.
struct State {
  double bound = 0, cost = 0;  ///< what it costs with all the rest at least, and so far
  std::uint64_t order = 0;     ///< counts, so that equal bounds are settled alike everywhere
  Match match;
  bool operator>(const State& other) const {
    return bound > other.bound || (bound == other.bound && order > other.order);
  }
};
using Queue = std::priority_queue<State, std::vector<State>, std::greater<>>;

/// What is not yet placed but hangs on what is.
double open_bound(const Hypothesis& h, const Branches& branches, const Match& match) {
  double sum = 0;
  for (std::size_t n = match.size(); n < h.nodes(); ++n) {
    const std::size_t parent = at(h.node(n).parent);
    if (parent < match.size()) sum += branches.least[n][at(match[parent].first)];
  }
  return sum;
}

/// Whether a choice for a leaf takes no tip that another has.
bool is_free(const Hypothesis& h, const Match& match, Choice choice) {
  for (std::size_t n = 0; n < match.size(); ++n) {
    if (!h.node(n).leaf) continue;
    for (const int used : {match[n].first, match[n].second}) {
      if (used >= 0 && (used == choice.first || used == choice.second)) return false;
    }
  }
  return true;
}

/// Puts a state with each of the next node's choices into the queue.
void expand(const Hypothesis& h, const Branches& branches, const State& state, double bound, std::uint64_t& order,
            Queue& queue) {
  const std::size_t n = state.match.size();
  const std::size_t parent = at(state.match[at(h.node(n).parent)].first);
  const double others = state.bound - state.cost - branches.least[n][parent];
  for (const Branch& branch : branches.lists[n][parent]) {
    if (h.node(n).leaf && !is_free(h, state.match, branch.choice)) continue;
    if (state.cost + others + branch.total >= bound) break;
    State next = state;
    next.match.push_back(branch.choice);
    next.bound = state.cost + others + branch.total;
    next.cost = state.cost + branch.cost;
    next.order = order++;
    queue.push(std::move(next));
  }
}

/// Complete matches, cheapest first.
std::vector<Match> best_first(const Hypothesis& h, const MatchCosts& costs, const Branches& branches, double fixed,
                              double bound) {
  Queue queue;
  std::uint64_t order = 0;
  for (std::size_t a = 0; a < costs.root.size(); ++a) {
    State state;
    state.cost = fixed + costs.root[a];
    state.match.push_back({static_cast<int>(a), -1});
    state.bound = state.cost + open_bound(h, branches, state.match);
    state.order = order++;
    if (state.bound < bound) queue.push(std::move(state));
  }
  std::vector<Match> found;
  std::size_t visited = 0;
  while (!queue.empty() && found.size() < kSolutions && ++visited < kMaxStates) {
    const State state = queue.top();
    queue.pop();
    if (state.match.size() == h.nodes()) {
      found.push_back(state.match);
    } else {
      expand(h, branches, state, bound, order, queue);
    }
  }
  return found;
}

/// The same match with the chains that it leaves out where they cost least; none if there are none or no tips are
/// left.
std::optional<Match> fill_in(const Hypothesis& h, const Branches& branches, Match match) {
  bool filled = false;
  for (std::size_t n = 1; n < match.size(); ++n) {
    if (match[n].first >= 0) continue;
    const std::size_t parent = at(match[at(h.node(n).parent)].first);
    for (const Branch& branch : branches.lists[n][parent]) {
      if (branch.choice.first < 0 || !is_free(h, match, branch.choice)) continue;
      match[n] = branch.choice, filled = true;
      break;
    }
  }
  if (!filled) return std::nullopt;
  return match;
}

}  // namespace

std::optional<Embedding> search_match(const Hypothesis& h, double bound) {
  const double fixed = fixed_costs(h).sum();
  if (fixed >= bound) return std::nullopt;
  const MatchCosts costs = match_costs(h);
  const Branches branches = find_branches(h, costs);
  if (fixed + least_cost(h, costs, branches) >= bound) return std::nullopt;
  std::optional<Embedding> best;
  auto consider = [&](const Match& match) {
    Embedding embedding = describe_match(h, costs, match);
    if (!best || embedding.cost < best->cost) best = std::move(embedding);
  };
  for (const Match& match : best_first(h, costs, branches, fixed, bound)) {
    consider(match);
    // The search does not know what a limb that is left out costs.
    if (const auto fuller = fill_in(h, branches, match)) consider(*fuller);
  }
  return best;
}

}  // namespace limber::skeleton
