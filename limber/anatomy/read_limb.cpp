// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/read_limb.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace limber::anatomy {
namespace {

using rig::LimbKind;
using rig::Side;

/// How far apart the votes of one limb may be, roots and tips together, of the body's spread: the first that agrees
/// best with the counts is taken.
constexpr std::array<double, 6> kReaches{0.3, 0.2, 0.45, 0.13, 0.65, 0.08};
constexpr std::size_t kFewest = 2;  // points of a limb
constexpr double kDropped = 0.25;   // what an answer without any of the points still counts
constexpr double kBySide = 0.35;    // how much a limb's place tells of its side, beside its points
constexpr std::size_t kEnough = 3;  // points that tell where a section starts

std::size_t index(int i) { return static_cast<std::size_t>(i); }
std::size_t index(LimbKind kind) { return static_cast<std::size_t>(kind); }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class Value>
Vec3d median_of(std::span<const int> points, const Value& value) {
  std::array<std::vector<double>, 3> axes;
  for (const int p : points) {
    const Vec3d v = value(p);
    for (int a = 0; a < 3; ++a) axes[index(a)].push_back(v[a]);
  }
  return {median(axes[0]), median(axes[1]), median(axes[2])};
}

struct Ends {
  Vec3d root, tip;
};
double apart(const Ends& a, const Ends& b) { return norm(a.root - b.root) + norm(a.tip - b.tip); }

/// Points of one limb.
using Group = std::vector<int>;

class Voters {
 public:
  Voters(std::span<const LimbVote> votes, const LimbCounts& counts, Vec3d up, Vec3d forward)
      : votes_(votes), counts_(counts), left_(normalized(cross(up, forward), Vec3d{})), forward_(forward) {
    Vec3d middle;
    for (const LimbVote& vote : votes) middle += (1.0 / static_cast<double>(votes.size())) * vote.point;
    double sum = 0;
    for (const LimbVote& vote : votes) sum += squared_norm(vote.point - middle);
    spread_ = std::max(std::sqrt(sum / static_cast<double>(votes.size())), 1e-12);
    middle_ = middle;
  }

  std::vector<ReadLimb> limbs() {
    std::vector<std::vector<int>> of_kind(rig::kLimbKindCount);
    for (std::size_t i = 0; i < votes_.size(); ++i) {
      const auto& kinds = votes_[i].kinds;
      const auto likeliest = std::max_element(kinds.begin(), kinds.end()) - kinds.begin();
      of_kind[static_cast<std::size_t>(likeliest)].push_back(static_cast<int>(i));
    }
    std::vector<ReadLimb> limbs{trunk(of_kind[0])};
    middle_ = 0.5 * (limbs[0].root + limbs[0].tip);
    for (int kind = 1; kind < rig::kLimbKindCount; ++kind)
      add(static_cast<LimbKind>(kind), of_kind[index(kind)], limbs);
    agree_in_pairs(limbs);
    for (std::size_t i = 1; i < limbs.size(); ++i) limbs[i].parent = parent_of(limbs, i);
    return limbs;
  }

 private:
  Ends ends(int point) const { return {votes_[index(point)].root, votes_[index(point)].tip}; }
  Ends ends_of(const Group& group) const {
    return {median_of(group, [&](int p) { return votes_[index(p)].root; }),
            median_of(group, [&](int p) { return votes_[index(p)].tip; })};
  }
  double share(LimbKind kind, std::size_t count) const {
    const auto& shares = counts_[index(kind)];
    return shares[std::min(count, shares.size() - 1)];
  }

  ReadLimb trunk(const std::vector<int>& points) const {
    ReadLimb limb;
    limb.points = points;
    if (points.empty()) {
      limb.root = limb.tip = middle_;
    } else {
      const Ends found = ends_of(points);
      limb.root = found.root, limb.tip = found.tip;
      for (const int p : points) limb.confidence += votes_[index(p)].kinds[0] / static_cast<double>(points.size());
    }
    limb.starts = {limb.root};
    return limb;
  }

  /// Greedily: the point that most others agree with, and all that agree with the middle of those.
  std::vector<Group> groups(std::vector<int> left, double reach) const {
    std::vector<Group> found;
    while (left.size() >= kFewest) {
      std::size_t most = 0;
      int centre = left.front();
      for (const int p : left) {
        const auto near = static_cast<std::size_t>(
            std::count_if(left.begin(), left.end(), [&](int q) { return apart(ends(p), ends(q)) < reach; }));
        if (near > most) most = near, centre = p;
      }
      Ends middle = ends(centre);
      Group group;
      for (int round = 0; round < 3; ++round) {
        group.clear();
        std::copy_if(left.begin(), left.end(), std::back_inserter(group),
                     [&](int q) { return apart(middle, ends(q)) < reach; });
        if (group.empty()) break;
        middle = ends_of(group);
      }
      if (group.empty()) group = {centre};
      std::vector<int> rest;
      std::set_difference(left.begin(), left.end(), group.begin(), group.end(), std::back_inserter(rest));
      left = std::move(rest);
      if (group.size() >= kFewest) found.push_back(std::move(group));
    }
    std::stable_sort(found.begin(), found.end(), [](const Group& a, const Group& b) { return a.size() > b.size(); });
    return found;
  }

  /// How much closer points are to their own group's ends than to those of the next, 0 to 1 (silhouettes, Rousseeuw
  /// 1987): little where groups are cut in two, and less than possible where two are taken for one.
  double clarity(std::span<const Group> groups) const {
    std::vector<Ends> middles;
    for (const Group& group : groups) middles.push_back(ends_of(group));
    double sum = 0, count = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const int p : groups[g]) {
        double other = spread_;
        for (std::size_t h = 0; h < groups.size(); ++h) {
          if (h != g) other = std::min(other, apart(ends(p), middles[h]));
        }
        const double own = apart(ends(p), middles[g]);
        sum += std::max(0.0, other - own) / std::max({other, own, 1e-12}), count += 1;
      }
    }
    return count > 0 ? sum / count : 1;
  }

  /// Groups of points that are a limb of this kind each, as many as agree best with the counts.
  std::vector<Group> settle(LimbKind kind, const std::vector<int>& points, double& agreement) const {
    std::vector<Group> best;
    double most = -1;
    for (const double reach : kReaches) {
      std::vector<Group> found = groups(points, reach * spread_);
      std::size_t kept = 0;
      double of_these = -1;
      std::size_t points_so_far = 0;
      for (std::size_t n = 0; n <= found.size(); ++n) {
        if (n > 0) points_so_far += found[n - 1].size();
        const double covered = static_cast<double>(points_so_far) / static_cast<double>(points.size());
        const double value = share(kind, n) * (kDropped + (1 - kDropped) * covered);
        if (value > of_these * (1 + 1e-9)) of_these = value, kept = n;
      }
      of_these *= 0.5 + 0.5 * clarity(std::span(found).first(kept));
      if (of_these <= most * (1 + 1e-9)) continue;
      most = of_these, agreement = share(kind, kept);
      found.resize(kept), best = std::move(found);
    }
    return best;
  }

  Side side_of(const Group& group, Vec3d place) const {
    std::array<double, 3> shares{};
    for (const int p : group) {
      for (std::size_t s = 0; s < 3; ++s) shares[s] += votes_[index(p)].sides[s] / static_cast<double>(group.size());
    }
    const double aside = std::tanh(4 * dot(place - middle_, left_) / spread_);
    shares[index(1)] += kBySide * aside, shares[index(2)] -= kBySide * aside;
    return static_cast<Side>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  }

  void add(LimbKind kind, const std::vector<int>& points, std::vector<ReadLimb>& limbs) const {
    if (points.size() < kFewest) return;
    double agreement = 0;
    std::vector<ReadLimb> found;
    for (Group& group : settle(kind, points, agreement)) {
      ReadLimb limb;
      const Ends middle = ends_of(group);
      limb.kind = kind, limb.root = middle.root, limb.tip = middle.tip;
      limb.side = side_of(group, 0.5 * (middle.root + middle.tip));
      for (const int p : group)
        limb.confidence += agreement * votes_[index(p)].kinds[index(kind)] / static_cast<double>(group.size());
      limb.points = std::move(group);
      limb.starts = starts_of(limb);
      found.push_back(std::move(limb));
    }
    // From front to back, left before right.
    std::stable_sort(found.begin(), found.end(), [&](const ReadLimb& a, const ReadLimb& b) {
      if (a.side != b.side) return a.side < b.side;
      return dot(a.root, forward_) > dot(b.root, forward_);
    });
    limbs.insert(limbs.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }

  static int sections_of(LimbKind kind) {
    switch (kind) {
      case LimbKind::kLeg:
      case LimbKind::kArm:
      case LimbKind::kWing:
        return 3;
      case LimbKind::kTail:
      case LimbKind::kTentacle:
        return 5;
      case LimbKind::kNeck:
      case LimbKind::kFinger:
        return 2;
      default:
        return 1;
    }
  }

  /// Where points of arms and legs say that a section starts; else the middle of the flesh that far along.
  std::vector<Vec3d> starts_of(const ReadLimb& limb) const {
    std::vector<Vec3d> starts{limb.root};
    const int sections = sections_of(limb.kind);
    for (int s = 1; s < sections; ++s) {
      const double at = static_cast<double>(s) / sections;
      Group told, around;
      for (const int p : limb.points) {
        const LimbVote& vote = votes_[index(p)];
        if (is_limb(vote.region) && limb_section(vote.region) == s) told.push_back(p);
        if (std::abs(vote.along - at) < 0.5 / sections) around.push_back(p);
      }
      if (sections == 3 && told.size() >= kEnough) {
        starts.push_back(median_of(told, [&](int p) { return votes_[index(p)].start; }));
      } else if (around.size() >= kEnough) {
        Vec3d middle;
        for (const int p : around) middle += (1.0 / static_cast<double>(around.size())) * votes_[index(p)].point;
        starts.push_back(middle);
      } else {
        starts.push_back(limb.root + at * (limb.tip - limb.root));
      }
    }
    return starts;
  }

  Vec3d mirrored(Vec3d p) const { return p - 2 * dot(p - middle_, left_) * left_; }

  /// A left limb and its right partner are as sure as each other.
  void agree_in_pairs(std::vector<ReadLimb>& limbs) const {
    std::vector<bool> paired(limbs.size(), false);
    for (std::size_t a = 0; a < limbs.size(); ++a) {
      if (limbs[a].side != Side::kLeft) continue;
      const Ends image{mirrored(limbs[a].root), mirrored(limbs[a].tip)};
      std::optional<std::size_t> partner;
      double nearest = spread_;
      for (std::size_t b = 0; b < limbs.size(); ++b) {
        if (limbs[b].kind != limbs[a].kind || limbs[b].side != Side::kRight || paired[b]) continue;
        const double distance = apart(image, {limbs[b].root, limbs[b].tip});
        if (distance < nearest) nearest = distance, partner = b;
      }
      if (!partner) continue;
      paired[*partner] = true;
      const double mean = 0.5 * (limbs[a].confidence + limbs[*partner].confidence);
      limbs[a].confidence = limbs[*partner].confidence = mean;
    }
  }

  static bool may_leave(LimbKind limb, LimbKind parent) {
    switch (limb) {
      case LimbKind::kHead:
        return parent == LimbKind::kTrunk || parent == LimbKind::kNeck;
      case LimbKind::kFin:
        return parent == LimbKind::kTrunk || parent == LimbKind::kTail;
      case LimbKind::kTentacle:
        return parent == LimbKind::kTrunk || parent == LimbKind::kHead;
      case LimbKind::kFinger:
        return parent == LimbKind::kArm || parent == LimbKind::kLeg || parent == LimbKind::kWing;
      case LimbKind::kEar:
      case LimbKind::kHorn:
      case LimbKind::kAntenna:
      case LimbKind::kJaw:
        return parent == LimbKind::kTrunk || parent == LimbKind::kHead;
      case LimbKind::kProp:
        return parent != LimbKind::kProp;
      default:
        return parent == LimbKind::kTrunk;
    }
  }

  /// The limb that may carry it and whose flesh or ends are nearest to where it leaves.
  static int parent_of(const std::vector<ReadLimb>& limbs, std::size_t limb) {
    int best = 0;
    double nearest = 1e300;
    for (std::size_t i = 0; i < limb; ++i) {
      if (!may_leave(limbs[limb].kind, limbs[i].kind)) continue;
      const Vec3d along = limbs[i].tip - limbs[i].root, to = limbs[limb].root - limbs[i].root;
      const double length = squared_norm(along);
      const double at = length > 0 ? std::clamp(dot(to, along) / length, 0.0, 1.0) : 0;
      const double distance = norm(to - at * along);
      if (distance < nearest) nearest = distance, best = static_cast<int>(i);
    }
    return best;
  }

  std::span<const LimbVote> votes_;
  const LimbCounts& counts_;
  Vec3d left_, forward_, middle_;
  double spread_ = 1;
};

}  // namespace

std::vector<ReadLimb> limbs_from_votes(std::span<const LimbVote> votes, const LimbCounts& counts, Vec3d up,
                                       Vec3d forward) {
  if (votes.empty()) return {};
  return Voters(votes, counts, up, forward).limbs();
}

}  // namespace limber::anatomy
