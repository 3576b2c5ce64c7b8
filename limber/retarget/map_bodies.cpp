// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/map_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/base/at.h"

namespace limber::retarget {
namespace {

using rig::LimbKind;
using rig::Side;

/// Of the body's size: what moves less than this does not move.
constexpr double kStill = 0.004;
/// Leg lengths: a foot that swings less does not step.
constexpr double kStep = 0.12;
/// Of all that moves: where less of it finds its like, nothing of the clip would be left. Steps are told by legs alone.
constexpr double kLeast = 0.4, kLeastSteps = 0.1;

/// What nobody leads swings where it is soft.
bool swings(LimbKind kind) {
  switch (kind) {
    case LimbKind::kTail:
    case LimbKind::kEar:
    case LimbKind::kAntenna:
    case LimbKind::kTentacle:
    case LimbKind::kProp:
      return true;
    default:
      return false;
  }
}

/// Chains of a kind and side, from front to back.
std::vector<int> chains_of(const Body& body, LimbKind kind, Side side) {
  std::vector<int> chains;
  for (std::size_t i = 0; i < body.chains.size(); ++i) {
    const rig::Limb& limb = body.chains[i].limb;
    if (limb.kind == kind && limb.side == side) chains.push_back(static_cast<int>(i));
  }
  std::stable_sort(chains.begin(), chains.end(),
                   [&](int a, int b) { return body.chains[at(a)].limb.station > body.chains[at(b)].limb.station; });
  return chains;
}

/// Which of `sources` leads each of `targets`, both from front to back. As many: in order. Otherwise first leads first
/// and last leads last; one alone is followed by, or follows, the nearest along the body.
std::vector<int> nearest(const Body& source, const std::vector<int>& sources, const Body& target,
                         const std::vector<int>& targets) {
  std::vector<int> found;
  const auto station = [](const Body& body, int chain) { return double(body.chains[at(chain)].limb.station); };
  const std::size_t n = sources.size(), m = targets.size();
  for (std::size_t i = 0; i < m; ++i) {
    if (n == m) {
      found.push_back(static_cast<int>(i));
    } else if (m == 1) {
      std::size_t best = 0;
      for (std::size_t k = 1; k < n; ++k) {
        const auto off = [&](std::size_t s) {
          return std::abs(station(source, sources[s]) - station(target, targets[0]));
        };
        if (off(k) <= off(best)) best = k;
      }
      found.push_back(static_cast<int>(best));
    } else {
      found.push_back(static_cast<int>(std::lround(static_cast<double>(i * (n - 1)) / static_cast<double>(m - 1))));
    }
  }
  return found;
}

/// Of the targets that one source leads, the one that it leads best: the nearest in order, of those equally near the
/// hindmost (the legs of who has only one pair are hind legs).
std::vector<bool> led_best(const std::vector<int>& leaders, std::size_t sources) {
  const std::size_t m = leaders.size();
  std::vector<bool> best(m, false);
  for (std::size_t s = 0; s < sources; ++s) {
    int chosen = -1;
    double least = 1e9;
    for (std::size_t i = 0; i < m; ++i) {
      if (leaders[i] != static_cast<int>(s)) continue;
      const double rank = m > 1 ? static_cast<double>(i) / static_cast<double>(m - 1) : 0;
      const double own = sources > 1 ? static_cast<double>(s) / static_cast<double>(sources - 1) : 1;
      if (std::abs(rank - own) <= least + 1e-9) least = std::abs(rank - own), chosen = static_cast<int>(i);
    }
    if (chosen >= 0) best[at(chosen)] = true;
  }
  return best;
}

/// How far target `i` is from the one that its leader leads best, in pairs.
int pairs_from_best(const std::vector<int>& leaders, const std::vector<bool>& best, std::size_t i) {
  int least = static_cast<int>(leaders.size());
  for (std::size_t k = 0; k < leaders.size(); ++k) {
    if (best[k] && leaders[k] == leaders[i])
      least = std::min(least, std::abs(static_cast<int>(k) - static_cast<int>(i)));
  }
  return least;
}

/// The source's limb of the other side at the same place, -1 for none.
int opposite(const Body& body, int chain) {
  const rig::Limb& limb = body.chains[at(chain)].limb;
  const std::vector<int> own = chains_of(body, limb.kind, limb.side),
                         other = chains_of(body, limb.kind, rig::mirrored(limb.side));
  const auto rank = static_cast<std::size_t>(std::find(own.begin(), own.end(), chain) - own.begin());
  return limb.side != Side::kMiddle && rank < other.size() ? other[rank] : -1;
}

/// Arms are led by front legs, and front legs by arms, of who has no other limb for them.
void lead_instead(const Body& source, const Body& target, Side side, bool stepping, Leads& leads) {
  const std::vector<int> source_legs = chains_of(source, LimbKind::kLeg, side),
                         source_arms = chains_of(source, LimbKind::kArm, side),
                         legs = chains_of(target, LimbKind::kLeg, side), arms = chains_of(target, LimbKind::kArm, side);
  if (!arms.empty() && source_arms.empty() && source_legs.size() > legs.size()) {
    for (const int arm : arms) leads.chains[at(arm)] = {source_legs.front(), How::kInstead};
  }
  // Who walks on two legs swings its arms; what walks on four steps with all of them.
  if (legs.size() > source_legs.size() && !source_arms.empty() && !stepping) {
    for (const int leg : legs) {
      if (leads.chains[at(leg)].how != How::kSame) leads.chains[at(leg)] = {source_arms.front(), How::kInstead};
    }
  }
}

void lead_by_kind(const Body& source, const Body& target, bool stepping, Leads& leads) {
  for (int k = 0; k < rig::kLimbKindCount; ++k) {
    for (const Side side : {Side::kMiddle, Side::kLeft, Side::kRight}) {
      const auto kind = static_cast<LimbKind>(k);
      const std::vector<int> sources = chains_of(source, kind, side), targets = chains_of(target, kind, side);
      if (sources.empty() || targets.empty()) continue;
      const std::vector<int> found = nearest(source, sources, target, targets);
      const std::vector<bool> best = led_best(found, sources.size());
      for (std::size_t i = 0; i < targets.size(); ++i) {
        Lead& lead = leads.chains[at(targets[i])];
        lead = {sources[at(found[i])], best[i] ? How::kSame : How::kAnother};
        if (best[i] || kind != LimbKind::kLeg) continue;
        // More legs than in the source: neighbours half a cycle apart where it steps, else they stand with the body.
        const bool odd = pairs_from_best(found, best, i) % 2 != 0;
        const int other = stepping ? opposite(source, lead.chain) : -1;
        lead = other < 0 ? Lead{} : odd ? Lead{other, How::kOpposite} : lead;
      }
    }
  }
  for (const Side side : {Side::kLeft, Side::kRight}) lead_instead(source, target, side, stepping, leads);
}

Error unknown(const std::string& name, const Body& body, const char* whose) {
  std::string limbs;
  for (const Chain& chain : body.chains) limbs += (limbs.empty() ? "" : ", ") + chain.name;
  return {fmt::format("the {} has no limb or joint '{}'; limbs: {}", whose, name, limbs), "map"};
}

Status correct(const Body& source, const Body& target, const Correction& asked, Leads& leads) {
  const int to = target.find(asked.target), joint = to < 0 ? target.rig.find(asked.target) : -1;
  if (to < 0 && joint < 0) return unknown(asked.target, target, "target");
  if (asked.source == "none") {
    if (to < 0) return Error{"only limbs can be left alone: '" + asked.target + "' is a joint", "map"};
    leads.chains[at(to)] = {};
    return Done{};
  }
  const int from = source.find(asked.source), joint_from = from < 0 ? source.rig.find(asked.source) : -1;
  if (from < 0 && joint_from < 0) return unknown(asked.source, source, "source");
  if ((to < 0) != (from < 0)) {
    return Error{fmt::format("'{}' and '{}' should both be limbs, or both joints", asked.source, asked.target), "map"};
  }
  if (to >= 0) {
    leads.chains[at(to)] = {from, How::kAsked};
  } else {
    leads.joints.emplace_back(joint_from, joint);
  }
  return Done{};
}

/// Where a joint and what it carries are as its parent sees them.
Vec3d seen(const Played& played, int frame, int parent, Vec3d place) {
  return rotate(conjugate(played.turn(frame, parent)), place - played.place(frame, parent));
}

Vec3d end_place(const Body& body, const Played& played, const Chain& chain, int frame) {
  const int last = chain.joints.back();
  return played.place(frame, last) + rotate(played.turn(frame, last), chain.end - body.place(last));
}

}  // namespace

std::vector<double> movement(const Body& body, const Played& played) {
  std::vector<double> moves;
  const int frames = played.frames();
  for (const Chain& chain : body.chains) {
    const int above = body.rig.joints()[at(chain.joints[0])].parent;
    const int parent = chain.limb.kind == LimbKind::kTrunk || above < 0 ? chain.joints[0] : above;
    Vec3d mean, square;
    for (int f = 0; f < frames; ++f) {
      const Vec3d p = seen(played, f, parent, end_place(body, played, chain, f));
      mean += p / double(frames), square += scaled(p, p) / double(frames);
    }
    const Vec3d spread = square - scaled(mean, mean);
    moves.push_back(std::sqrt(std::max(0.0, spread.x + spread.y + spread.z)) / body.size);
  }
  return moves;
}

bool steps(const Body& body, const Played& played) {
  bool left = false, right = false;
  for (const Chain& chain : body.chains) {
    if (chain.limb.kind != LimbKind::kLeg) continue;
    double least = 1e30, most = -1e30;
    int turns = 0;
    double last = 0, way = 0;
    for (int f = 0; f < played.frames(); ++f) {
      const double z = seen(played, f, body.trunk, end_place(body, played, chain, f)).z;
      least = std::min(least, z), most = std::max(most, z);
      // Counts when it goes back after it went ahead by enough, or the other way round.
      if (f > 0)
        way = (z - last) * way >= 0                     ? way + z - last
              : std::abs(way) > kStep * body.leg_length ? (++turns, z - last)
                                                        : z - last;
      last = z;
    }
    const bool swings = most - least > 2 * kStep * body.leg_length && turns >= 1;
    (chain.limb.side == Side::kLeft ? left : right) |= swings;
  }
  return left && right;
}

Result<Leads> map_bodies(const Body& source, const Played& played, const Body& target,
                         std::span<const Correction> corrections) {
  Leads leads;
  leads.chains.resize(target.chains.size());
  lead_by_kind(source, target, steps(source, played), leads);
  // A limb that the source has but does not move swings where it is soft.
  const std::vector<double> moves = movement(source, played);
  for (Lead& lead : leads.chains) {
    if (lead.chain >= 0 && moves[at(lead.chain)] < kStill && swings(source.chains[at(lead.chain)].limb.kind)) lead = {};
  }
  for (const Correction& asked : corrections) LIMBER_CHECK_OK(correct(source, target, asked, leads));
  for (std::size_t i = 0; i < leads.chains.size(); ++i) {
    if (leads.chains[i].chain < 0 && swings(target.chains[i].limb.kind)) leads.chains[i].how = How::kSwings;
  }
  return leads;
}

BodyMap describe_leads(const Body& source, const Body& target, const Leads& leads, const std::vector<double>& moves) {
  BodyMap map;
  std::vector<bool> used(source.chains.size(), false);
  for (std::size_t i = 0; i < leads.chains.size(); ++i) {
    const Lead& lead = leads.chains[i];
    if (lead.chain >= 0) used[at(lead.chain)] = true;
    map.limbs.push_back({target.chains[i].name, lead.chain < 0 ? "" : source.chains[at(lead.chain)].name, lead.how});
  }
  for (const auto& [from, to] : leads.joints) {
    map.joints.push_back({source.rig.joints()[at(from)].name, target.rig.joints()[at(to)].name});
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i] && moves[i] >= kStill) map.left.push_back(source.chains[i].name);
  }
  return map;
}

Status check_match(const Body& source, const Body& target, const Leads& leads, const std::vector<double>& moves,
                   const std::string& clip) {
  std::vector<bool> used(source.chains.size(), false);
  for (const Lead& lead : leads.chains) {
    if (lead.chain >= 0) used[at(lead.chain)] = true;
  }
  for (std::size_t i = 0; i < used.size(); ++i) used[i] = used[i] || !leads.joints.empty();
  double all = 0, found = 0, steps = 0;
  std::array<double, rig::kLimbKindCount> lost{};
  for (std::size_t i = 0; i < moves.size(); ++i) {
    all += moves[i], found += used[i] ? moves[i] : 0;
    steps += used[i] && source.chains[i].limb.kind == LimbKind::kLeg ? moves[i] : 0;
    lost[static_cast<std::size_t>(source.chains[i].limb.kind)] += used[i] ? 0 : moves[i];
  }
  if (all < kStill || found >= kLeast * all || steps >= kLeastSteps * all) return Done{};
  std::string moving, has;
  for (std::size_t k = 0; k < lost.size(); ++k) {
    if (lost[k] < 0.05 * all) continue;
    const std::string name(rig::name(static_cast<LimbKind>(k)));
    moving += fmt::format("{}{} ({:.0f} %)", moving.empty() ? "" : ", ", name, 100 * lost[k] / all);
  }
  for (const Chain& chain : target.chains) has += (has.empty() ? "" : ", ") + chain.name;
  return Error{fmt::format("'{}' moves little but what the target has not: {}; the target has {}", clip, moving, has),
               "", ErrorKind::kConflict};
}

}  // namespace limber::retarget
