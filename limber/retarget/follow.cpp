// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/follow.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"

namespace limber::retarget {
namespace {

using rig::LimbKind;

/// Mean difference of where joints are along their chains up to which they are taken for the same joints.
constexpr double kFits = 0.16, kLeftOver = 0.02;

/// Of how far a trunk that stands leans, so far does one that lies, and the other way round; and the cosine of how
/// differently they stand.
constexpr double kCalm = 0.35, kOtherwise = 0.7;

/// How badly the joints of two chains fit where the target's `i` is the source's `i + shift`; those that are left over
/// count a little.
double misfit(const Chain& source, const Chain& target, int shift) {
  const int n = static_cast<int>(source.joints.size()), m = static_cast<int>(target.joints.size());
  const int first = std::max(0, -shift), last = std::min(m, n - shift);
  const double start = source.shares[at(first + shift)], own_start = target.shares[at(first)];
  double sum = 0;
  for (int i = first; i < last; ++i) {
    const double there = (source.shares[at(i + shift)] - start) / std::max(1 - start, 1e-9);
    sum += std::abs(there - (target.shares[at(i)] - own_start) / std::max(1 - own_start, 1e-9));
  }
  return sum / (last - first) + kLeftOver * (n + m - 2 * (last - first));
}

double place_of_share(const Chain& chain, double share) {
  const std::size_t n = chain.shares.size();
  std::size_t k = 0;
  while (k + 1 < n && chain.shares[k + 1] <= share) ++k;
  const double from = chain.shares[k], to = k + 1 < n ? chain.shares[k + 1] : 1;
  return static_cast<double>(k) + (to > from ? std::clamp((share - from) / (to - from), 0.0, 1.0) : 0);
}

/// At rest, in joints; n is the end.
Vec3d rest_point(const Body& body, const Chain& chain, double where) {
  const auto n = static_cast<double>(chain.joints.size());
  const auto k = static_cast<std::size_t>(std::clamp(where, 0.0, n - 1));
  const Vec3d from = body.place(chain.joints[k]);
  const Vec3d to = k + 1 < chain.joints.size() ? body.place(chain.joints[k + 1]) : chain.end;
  return lerp(from, to, std::clamp(where - static_cast<double>(k), 0.0, 1.0));
}

/// The heading, and a share of the rest.
Quatd calmed(Quatd turn) {
  const Vec3d ahead = rotate(turn, Vec3d{0, 0, 1});
  const Quatd heading = axis_angle(Vec3d{0, 1, 0}, std::atan2(ahead.x, ahead.z));
  return heading * slerp(Quatd{}, conjugate(heading) * turn, kCalm);
}

}  // namespace

Quatd mirrored(Quatd turn) { return {turn.x, -turn.y, -turn.z, turn.w}; }
Vec3d mirrored(Vec3d place) { return {-place.x, place.y, place.z}; }

std::vector<double> matching_places(const Chain& source, const Chain& target) {
  const int n = static_cast<int>(source.joints.size()), m = static_cast<int>(target.joints.size());
  const LimbKind kind = target.limb.kind;
  const bool rigid = points(kind) || kind == LimbKind::kLeg;
  int shift = 0;
  for (int other = 2 - m; rigid && other <= n - 2; ++other) {
    // Legs begin at the hip; arms may begin at the shoulder blade.
    if (kind == LimbKind::kLeg && n == m) break;
    if (misfit(source, target, other) < misfit(source, target, shift)) shift = other;
  }
  const bool fits = n == m && shift == 0 ? true : rigid && std::min(n, m) > 1 && misfit(source, target, shift) < kFits;
  std::vector<double> places;
  for (int i = 0; i < m; ++i) {
    if (fits) {
      places.push_back(i + shift < 0 ? -1 : std::min(i + shift, n - 1));
    } else if (m == 1) {
      // A neck in one piece turns as far as one in two; a trunk carries all from where it starts, and an arm in one
      // piece points from the shoulder to the hand.
      const bool ends = kind == LimbKind::kNeck || kind == LimbKind::kHead;
      places.push_back(ends ? n - 1 : kind == LimbKind::kTrunk || points(kind) ? 0 : 0.5 * (n - 1));
    } else {
      places.push_back(std::min(place_of_share(source, target.shares[at(i)]), static_cast<double>(n - 1)));
    }
  }
  return places;
}

LimbFollow::LimbFollow(const Body& source, const Played& played, const Body& target, int chain, Lead lead)
    : source_(source),
      target_(target),
      played_(played),
      chain_(target.chains[at(chain)]),
      lead_chain_(source.chains[at(lead.chain)]),
      mirrors_(lead.how == How::kOpposite),
      where_(matching_places(lead_chain_, chain_)) {
  const LimbKind kind = chain_.limb.kind;
  points_ = points(kind) || (kind == LimbKind::kLeg && lead_chain_.limb.kind != kind);
  // Shoulder blades, and what is like them, lie otherwise in every body.
  if (kind == LimbKind::kArm && chain_.joints.size() >= 4 && lead_chain_.joints.size() >= 4) girdle_ = 1;
  const std::size_t m = chain_.joints.size();
  if (kind == LimbKind::kTrunk) {
    const Vec3d is = target.place(chain_.joints.back()) - target.place(chain_.joints[0]),
                was = source.place(lead_chain_.joints.back()) - source.place(lead_chain_.joints[0]);
    calm_ = norm(is) > 0 && norm(was) > 0 && dot(normalized(is), normalized(was)) < kOtherwise;
  }
  where_.push_back(static_cast<double>(lead_chain_.joints.size()));
  to_rest_.assign(m, {});
  if (!points_) return;
  for (std::size_t i = at(girdle_); i < m; ++i) {
    const bool last = i + 1 == m;
    if (last && i > 0) {
      to_rest_[i] = to_rest_[i - 1];  // hands go on from the forearm
    } else if (where_[i] >= 0 && (!last || (chain_.has_end && lead_chain_.has_end))) {
      const auto way = [&](const Body& body, const Chain& limb, double a, double b) {
        return rest_point(body, limb, b) - rest_point(body, limb, a);
      };
      Vec3d is = way(target, chain_, double(i), double(i + 1)),
            goal = way(source, lead_chain_, where_[i], where_[i + 1]);
      if (mirrors_) goal = mirrored(goal);
      if (norm(is) > 0 && norm(goal) > 0) to_rest_[i] = rotation_between(normalized(is), normalized(goal));
    }
  }
}

/// A mirrored limb moves as its body sees it.
Quatd LimbFollow::from_body(int frame, Quatd turn) const {
  if (!mirrors_) return turn;
  const Quatd body = played_.turn(frame, source_.trunk);
  return body * mirrored(conjugate(body) * turn);
}

Quatd LimbFollow::lead_turn(int frame, double where) const {
  const auto first = static_cast<std::size_t>(where);
  const std::size_t second = std::min(first + 1, lead_chain_.joints.size() - 1);
  const Quatd a = played_.turn(frame, lead_chain_.joints[first]);
  const double share = where - static_cast<double>(first);
  return from_body(frame, share > 0 ? slerp(a, played_.turn(frame, lead_chain_.joints[second]), share) : a);
}

Vec3d LimbFollow::lead_place(int frame, int joint, Vec3d at_rest) const {
  const Vec3d place = played_.place(frame, joint) + rotate(played_.turn(frame, joint), at_rest - source_.place(joint));
  if (!mirrors_) return place;
  const Quatd body = played_.turn(frame, source_.trunk);
  const Vec3d middle = played_.place(frame, source_.trunk);
  // Mirrored in the middle plane of the body, which need not be where the file's is.
  const Vec3d seen = rotate(conjugate(body), place - middle);
  return middle + rotate(body, mirrored(seen));
}

Vec3d LimbFollow::lead_point(int frame, double where) const {
  const auto n = static_cast<double>(lead_chain_.joints.size());
  const auto k = static_cast<std::size_t>(std::clamp(where, 0.0, n - 1));
  const int joint = lead_chain_.joints[k];
  return lead_place(frame, joint, rest_point(source_, lead_chain_, where));
}

void LimbFollow::turn(int frame, Played& result) const {
  for (std::size_t i = 0; i < chain_.joints.size(); ++i) {
    const int joint = chain_.joints[i], parent = target_.rig.joints()[at(joint)].parent;
    if (where_[i] < 0) {
      if (parent >= 0) result.turn(frame, joint) = result.turn(frame, parent);
      continue;
    }
    Quatd turned = lead_turn(frame, where_[i]) * to_rest_[i];
    if (calm_) turned = calmed(turned);
    // The last section goes on from the one before; the only one points by its flesh.
    const bool last = i + 1 == chain_.joints.size(), only = last && i == 0 && chain_.has_end && lead_chain_.has_end;
    if (points_ && (!last || only) && static_cast<int>(i) >= girdle_) {
      // Between joints of the source the section is a chord of its limb.
      const Vec3d goal = lead_point(frame, where_[i + 1]) - lead_point(frame, where_[i]);
      const Vec3d end = last ? chain_.end : target_.place(chain_.joints[i + 1]);
      const Vec3d is = rotate(turned, end - target_.place(joint));
      const bool told = norm(goal) > 1e-9 && norm(is) > 1e-9;
      if (told) turned = rotation_between(normalized(is), normalized(goal)) * turned;
    }
    result.turn(frame, joint) = normalized(turned);
  }
}

Vec3d LimbFollow::lead_direction(int frame) const {
  const int from = lead_chain_.joints[at(girdle_)], to = lead_chain_.joints.back();
  const Vec3d end = lead_place(frame, to, lead_chain_.joints.size() < 2 ? lead_chain_.end : source_.place(to));
  return normalized(end - lead_place(frame, from, source_.place(from)));
}

double LimbFollow::direction_error(int frame, const Played& result) const {
  const std::size_t last =
      std::min(chain_.joints.size() - 1, at(chain_.limb.kind == LimbKind::kLeg ? chain_.ankle : 99));
  std::size_t first = at(girdle_);
  while (first < last && where_[first] < 0) ++first;
  if (first >= last || where_[last] <= where_[first]) return 0;
  const int from = chain_.joints[first], to = chain_.joints[last];
  const Vec3d is = normalized(result.place(frame, to) - result.place(frame, from));
  Vec3d goal = normalized(lead_point(frame, where_[last]) - lead_point(frame, where_[first]));
  if (!points_) {
    // As far from rest as in the source.
    Vec3d rest = rest_point(source_, lead_chain_, where_[last]) - rest_point(source_, lead_chain_, where_[first]);
    if (mirrors_) rest = mirrored(rest);
    const Quatd body = played_.turn(frame, source_.trunk);
    const Vec3d own = normalized(target_.place(to) - target_.place(from));
    goal = rotate(body, rotate(rotation_between(normalized(rest), own), rotate(conjugate(body), goal)));
  }
  return std::acos(std::clamp(dot(is, goal), -1.0, 1.0));
}

}  // namespace limber::retarget
