// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/embed.h"

#include <algorithm>

#include "limber/base/threads.h"
#include "limber/skeleton/embed_search.h"
#include "limber/skeleton/limb_roles.h"

namespace limber::skeleton {
namespace {

// All set by hand, on the zoo and the shared models.
constexpr std::size_t kRefitted = 3;    // matches of a template that it is fitted to once more
constexpr double kPoseMargin = 2;       // poses that cost this much more than the best match so far are not looked at
constexpr double kOutOfQuestion = 4.5;  // what a reading that is sure says against a turn or a kind that is not tried
constexpr double kReadPose = 0.4;       // of direction, shape and place: what a sure reading makes them count less

/// Templates as they are and in a mirror, then those in other poses.
struct Trials {
  std::vector<EmbedTemplate> templates;
  std::size_t plain = 0;  ///< how many are in no pose of their own
  std::vector<Turn> turns;
};

/// One template in one turn.
struct Attempt {
  std::size_t skeleton = 0, turn = 0;
  Embedding embedding;
};

/// What people say needs no reading, and what is read weighs less otherwise.
EmbedSettings weigh(const EmbedSettings& given, std::size_t skeletons) {
  EmbedSettings settings = given;
  if (given.forward) settings.weights[EmbedTerm::kReadTurn] = 0;
  if (skeletons == 1) settings.weights[EmbedTerm::kReadKind] = 0;
  if (given.reading == nullptr) return settings;
  // Where parts are known, limbs may point anywhere.
  for (const EmbedTerm term : {EmbedTerm::kDirection, EmbedTerm::kShape, EmbedTerm::kPlace})
    settings.weights[term] *= 1 - kReadPose * given.reading->trust();
  return settings;
}

EmbedBody look_at(const body::BodyShape& body, EmbedSettings settings) {
  EmbedBody on{body, find_candidates(body), std::move(settings), std::nullopt, std::nullopt};
  if (on.settings.reading == nullptr) return on;
  on.cues.emplace(body, *on.settings.reading);
  on.read_paths.emplace(*on.cues, on.candidates);
  return on;
}

Trials list_trials(const EmbedBody& on, std::span<const SkeletonTemplate> skeletons) {
  Trials trials;
  auto add = [&](SkeletonTemplate given) {
    SkeletonTemplate skeleton = with_roles(std::move(given));
    ReducedTemplate reduced = reduce_template(skeleton);
    std::vector<anatomy::Region> regions = template_regions(skeleton);
    trials.templates.push_back({std::move(skeleton), std::move(reduced), std::move(regions)});
  };
  for (const SkeletonTemplate& skeleton : skeletons) add(skeleton);
  for (const SkeletonTemplate& skeleton : skeletons) {
    if (skeleton.chiral) add(mirrored(skeleton));
  }
  trials.plain = trials.templates.size();
  for (const SkeletonTemplate& skeleton : skeletons) {
    for (const TemplatePose& pose : skeleton.poses) add(posed(skeleton, pose));
  }
  trials.turns = find_turns(on.body, on.settings.forward, on.cues ? on.cues->attitude() : std::nullopt,
                            on.settings.usual_from_body);
  return trials;
}

/// The most that a reading may say against a template in a turn that is tried.
double most_read(const EmbedBody& on, const Trials& trials) {
  double likeliest = kInfiniteCost;
  for (const EmbedTemplate& of : trials.templates) {
    for (const Turn& turn : trials.turns) likeliest = std::min(likeliest, read_cost(on, of.skeleton, turn));
  }
  return likeliest + kOutOfQuestion;
}

/// The best match of each template in each turn; of poses only those that may beat the others.
std::vector<Attempt> try_all(const EmbedBody& on, const Trials& trials, double most) {
  const std::size_t turns = trials.turns.size();
  std::vector<std::optional<Embedding>> found(trials.templates.size() * turns);
  auto search = [&](std::size_t first, std::size_t last, double bound) {
    parallel_for((last - first) * turns, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const EmbedTemplate& of = trials.templates[first + k / turns];
        const Turn& turn = trials.turns[k % turns];
        if (read_cost(on, of.skeleton, turn) > most) continue;
        found[first * turns + k] =
            search_match({on, of, turn, fit_to_box(on.body, of.skeleton, turn.body_from_template)}, bound);
      }
    });
  };
  search(0, trials.plain, kInfiniteCost);
  double cheapest = kInfiniteCost;
  for (const auto& embedding : found) cheapest = embedding ? std::min(cheapest, embedding->cost) : cheapest;
  search(trials.plain, trials.templates.size(), cheapest + kPoseMargin);
  std::vector<Attempt> attempts;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k]) attempts.push_back({k / turns, k % turns, std::move(*found[k])});
  }
  return attempts;
}

void sort_by_cost(std::vector<Attempt>& attempts) {
  std::stable_sort(attempts.begin(), attempts.end(),
                   [](const Attempt& a, const Attempt& b) { return a.embedding.cost < b.embedding.cost; });
}

std::vector<MatchedJoint> matched_joints(const body::BodyShape& body, const Embedding& embedding) {
  std::vector<MatchedJoint> matched;
  for (std::size_t c = 0; c < embedding.chains.size(); ++c) {
    const std::vector<int>& spheres = embedding.chain_spheres[c];
    if (c == 0) matched.push_back({embedding.chains[c].front(), body.sphere(spheres.front()).centre});
    matched.push_back({embedding.chains[c].back(), body.sphere(spheres.back()).centre});
  }
  return matched;
}

/// Fits the best few of each template once more, to what they matched.
void refit(const EmbedBody& on, const Trials& trials, std::vector<Attempt>& attempts) {
  std::vector<std::size_t> again, tried(trials.templates.size(), 0);
  for (std::size_t k = 0; k < attempts.size(); ++k) {
    if (tried[attempts[k].skeleton]++ < kRefitted) again.push_back(k);
  }
  parallel_for(again.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      Attempt& a = attempts[again[k]];
      const EmbedTemplate& of = trials.templates[a.skeleton];
      const Turn& turn = trials.turns[a.turn];
      const Vec3d box_ratio = fit_to_box(on.body, of.skeleton, turn.body_from_template).box_ratio;
      FittedTemplate fitted =
          fit_to_match(of.skeleton, turn.body_from_template, box_ratio, matched_joints(on.body, a.embedding));
      auto better = search_match({on, of, turn, std::move(fitted)}, a.embedding.cost);
      if (better && better->cost < a.embedding.cost) a.embedding = std::move(*better);
    }
  });
}

}  // namespace

std::vector<Embedding> embed_skeletons(const body::BodyShape& body, std::span<const SkeletonTemplate> skeletons,
                                       const EmbedSettings& settings) {
  const EmbedBody on = look_at(body, weigh(settings, skeletons.size()));
  if (on.candidates.tips.empty()) return {};
  const Trials trials = list_trials(on, skeletons);
  std::vector<Attempt> attempts = try_all(on, trials, most_read(on, trials));
  sort_by_cost(attempts);
  refit(on, trials, attempts);
  sort_by_cost(attempts);
  std::vector<Embedding> embeddings;
  for (Attempt& a : attempts) embeddings.push_back(std::move(a.embedding));
  return embeddings;
}

}  // namespace limber::skeleton
