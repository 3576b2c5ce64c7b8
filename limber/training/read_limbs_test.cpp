// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "limber/anatomy/read_limb.h"
#include "limber/training/posed_bodies.h"
#include "limber/zoo/creature.h"

/// Limbs from the votes of points, with the zoo's truth in place of a network.
namespace limber::training {
namespace {

using anatomy::LimbVote;
using anatomy::ReadLimb;

constexpr std::size_t kVotes = 512;

PosedBody creature_body(int number) {
  zoo::CreatureSettings settings;
  settings.plan = static_cast<zoo::Plan>(number % zoo::kPlanCount);
  settings.seed = 300 + static_cast<std::uint64_t>(number), settings.resolution = 36;
  return body_at_rest(zoo::make_creature(settings).value(), static_cast<int>(kVotes));
}

double spread_of(const PosedBody& body) {
  Vec3 middle;
  for (const Vec3& p : body.points) middle += (1 / static_cast<float>(body.points.size())) * p;
  double sum = 0;
  for (const Vec3& p : body.points) sum += squared_norm(p - middle);
  return std::sqrt(sum / static_cast<double>(body.points.size()));
}

/// What a reader that errs a little would say; of some points it takes the kind of limb for another.
std::vector<LimbVote> votes_of(const PosedBody& body, double noise, double wrong, Rng& rng) {
  std::vector<LimbVote> votes;
  const double off = noise * spread_of(body);
  const auto about = [&](Vec3 p) {
    return p.cast<double>() + Vec3d{off * rng.normal(), off * rng.normal(), off * rng.normal()};
  };
  for (std::size_t i = 0; i < body.points.size(); ++i) {
    const anatomy::ExampleLimb& limb = body.limbs[body.limb[i]];
    LimbVote vote;
    vote.point = body.points[i].cast<double>();
    const auto kind = rng.chance(wrong) ? rng.below(rig::kLimbKindCount) : static_cast<std::uint32_t>(limb.kind);
    vote.kinds.fill(0.02f), vote.kinds[kind] = 0.72f;
    vote.sides.fill(0.1f), vote.sides[static_cast<std::size_t>(limb.side)] = 0.8f;
    vote.along = body.along[i], vote.root = about(limb.root), vote.tip = about(limb.tip);
    vote.region = body.regions[i], vote.start = about(body.starts[i]);
    votes.push_back(vote);
  }
  return votes;
}

/// Limbs by kind and side, as many as points can tell of.
using Tally = std::map<std::pair<rig::LimbKind, rig::Side>, int>;

Tally tally_of(const PosedBody& body) {
  Tally tally;
  for (std::size_t limb = 0; limb < body.limbs.size(); ++limb) {
    if (std::count(body.limb.begin(), body.limb.end(), limb) > 1)
      ++tally[{body.limbs[limb].kind, body.limbs[limb].side}];
  }
  return tally;
}

Tally tally_of(const std::vector<ReadLimb>& limbs) {
  Tally tally;
  for (const ReadLimb& limb : limbs) ++tally[{limb.kind, limb.side}];
  return tally;
}

/// Counts as a calibrated reader gives them: most for the true number, some for its neighbours.
anatomy::LimbCounts counts_of(const Tally& tally) {
  std::array<int, rig::kLimbKindCount> numbers{};
  for (const auto& [limb, count] : tally) numbers[static_cast<std::size_t>(limb.first)] += count;
  anatomy::LimbCounts counts{};
  for (std::size_t k = 0; k < counts.size(); ++k) {
    counts[k].fill(0.01f);
    counts[k][static_cast<std::size_t>(std::min(numbers[k], 8))] = 0.92f;
  }
  return counts;
}

TEST(ReadLimbs, AreExactlyThoseOfTwentyCreaturesWhereVotesAreTrueButForNoise) {
  Rng rng(5);
  for (int number = 0; number < 20; ++number) {
    const PosedBody body = creature_body(number);
    const Tally truth = tally_of(body);
    const std::vector<LimbVote> votes = votes_of(body, 0.03, 0.01, rng);
    const std::vector<ReadLimb> limbs = limbs_from_votes(votes, counts_of(truth), {0, 1, 0}, {0, 0, 1});
    EXPECT_EQ(tally_of(limbs), truth) << number;
    ASSERT_FALSE(limbs.empty());
    EXPECT_EQ(limbs[0].kind, rig::LimbKind::kTrunk);
    const double size = spread_of(body);
    for (const ReadLimb& limb : limbs) {
      // Some true limb ends where this one does.
      double nearest = 1e30;
      for (const anatomy::ExampleLimb& known : body.limbs) {
        if (known.kind != limb.kind) continue;
        nearest =
            std::min(nearest, norm(known.root.cast<double>() - limb.root) + norm(known.tip.cast<double>() - limb.tip));
      }
      EXPECT_LT(nearest, 0.1 * size) << number << ' ' << rig::name(limb.kind);
      EXPECT_GT(limb.confidence, 0.5);
      EXPECT_FALSE(limb.starts.empty());
    }
  }
}

TEST(ReadLimbs, HangOnLimbsThatCarryThem) {
  Rng rng(6);
  for (int number = 0; number < zoo::kPlanCount; ++number) {
    const PosedBody body = creature_body(number);
    const auto limbs = limbs_from_votes(votes_of(body, 0.01, 0, rng), counts_of(tally_of(body)), {0, 1, 0}, {0, 0, 1});
    for (std::size_t i = 1; i < limbs.size(); ++i) {
      ASSERT_TRUE(limbs[i].parent >= 0 && limbs[i].parent < static_cast<int>(i));
      const rig::LimbKind parent = limbs[static_cast<std::size_t>(limbs[i].parent)].kind;
      const bool on_head = limbs[i].kind == rig::LimbKind::kJaw || limbs[i].kind == rig::LimbKind::kAntenna;
      EXPECT_TRUE(!on_head || parent == rig::LimbKind::kHead) << number << ' ' << rig::name(limbs[i].kind);
      EXPECT_TRUE(limbs[i].kind != rig::LimbKind::kLeg || parent == rig::LimbKind::kTrunk);
    }
  }
}

TEST(ReadLimbs, OfAPairAreAsSureAsEachOther) {
  Rng rng(7);
  const PosedBody body = creature_body(4);  // eight legs
  const auto limbs = limbs_from_votes(votes_of(body, 0.02, 0.02, rng), counts_of(tally_of(body)), {0, 1, 0}, {0, 0, 1});
  std::map<double, int> sure;
  for (const ReadLimb& limb : limbs) sure[limb.confidence] += limb.kind == rig::LimbKind::kLeg ? 1 : 0;
  int legs = 0;
  for (const auto& [confidence, count] : sure) {
    EXPECT_EQ(count % 2, 0);
    legs += count;
  }
  EXPECT_EQ(legs, 8);
  for (const ReadLimb& limb : limbs) {
    EXPECT_TRUE(limb.kind != rig::LimbKind::kLeg || limb.starts.size() == 3);
  }
}

TEST(ReadLimbs, AreTheTrunkAloneWhereNothingElseIsSaid) {
  EXPECT_TRUE(anatomy::limbs_from_votes({}, {}, {0, 1, 0}, {0, 0, 1}).empty());
  std::vector<LimbVote> votes(4);
  for (std::size_t i = 0; i < votes.size(); ++i) {
    votes[i].point = {static_cast<double>(i), 0, 0}, votes[i].kinds[0] = 1, votes[i].sides[0] = 1;
    votes[i].root = {0, 0, -1}, votes[i].tip = {0, 0, 1};
  }
  const auto limbs = anatomy::limbs_from_votes(votes, {}, {0, 1, 0}, {0, 0, 1});
  ASSERT_EQ(limbs.size(), 1u);
  EXPECT_EQ(limbs[0].root, (Vec3d{0, 0, -1}));
  EXPECT_EQ(limbs[0].tip, (Vec3d{0, 0, 1}));
  EXPECT_EQ(limbs[0].points.size(), 4u);
}

}  // namespace
}  // namespace limber::training
