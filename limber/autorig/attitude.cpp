// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/autorig/attitude.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "limber/body/body_shape.h"
#include "limber/rig/stance.h"

namespace limber::autorig {
namespace {

/// Of a look: a reader needs little more than the skin.
constexpr double kBelievedLook = 0.5;  // trust from which on a look tells how a body stands
constexpr body::SolidSettings kGlance{64, 300000, 3};
constexpr std::size_t kGlanceTriangles = 60000;

/// Moments that are less, of what they would be were nothing to cancel, are rounding: that of a body which is its own
/// mirror image must not decide how it is studied, as it is another wherever somebody turned the file by numbers that
/// are not exact.
constexpr double kTold = 1e-5;

/// How a body lies along an axis of its file. A sign that is changed in the file changes those of `skew` and `order`
/// alone, and exactly.
struct Spread {
  int axis = 0;
  double extent = 0, second = 0;  ///< how long it is there, and its second moment about the middle
  double skew = 0, cubes = 0;     ///< third moment, and what it would be were all points on one side
  double order = 0;               ///< moment of the points' numbers: tells the ends of what is exactly symmetric apart

  /// Which end is ahead: of a lopsided body the one where it reaches far, else the one where its last points are.
  double sign() const { return (std::abs(skew) > kTold * cubes ? skew : order) < 0 ? -1 : 1; }
};

Spread spread_along(const std::vector<Vec3d>& points, int axis) {
  Spread spread;
  spread.axis = axis;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vec3d& p : points) low = std::min(low, p[axis]), high = std::max(high, p[axis]);
  spread.extent = high - low;
  const double middle = (low + high) / 2;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double off = points[i][axis] - middle;
    spread.second += off * off, spread.skew += off * off * off, spread.cubes += std::abs(off * off * off);
    spread.order += static_cast<double>(i) * off;
  }
  return spread;
}

/// Along the axes of its file, the shortest side first. Sides that differ by rounding alone are told by their moments.
std::array<Spread, 3> spreads_of(const std::vector<Vec3d>& points) {
  std::array<Spread, 3> spreads{spread_along(points, 0), spread_along(points, 1), spread_along(points, 2)};
  double longest = 0, most = 0;
  for (const Spread& s : spreads) longest = std::max(longest, s.extent), most = std::max(most, s.second);
  const auto rank = [&](const Spread& s) {
    const auto rounded = [](double part, double whole) { return whole > 0 ? std::round(part / (kTold * whole)) : 0.0; };
    return std::array{rounded(s.extent, longest), rounded(s.second, most), std::abs(s.skew), std::abs(s.order)};
  };
  std::stable_sort(spreads.begin(), spreads.end(), [&](const Spread& a, const Spread& b) { return rank(a) < rank(b); });
  return spreads;
}

/// A frame that the body has of itself: its longest side along +Z, the next along +Y, each toward the end that is
/// ahead. In a mirror or not, as that has it. Bodies that differ by axes and signs alone have the same numbers in it.
Mat3d own_frame(const std::array<Spread, 3>& spreads) {
  Mat3d frame;
  for (int row = 0; row < 3; ++row) {
    const Spread& spread = spreads[static_cast<std::size_t>(row)];
    frame(row, spread.axis) = spread.sign();
  }
  return frame;
}

/// Thinner than a cell of what a look sees: a sheet of paper. It has no inside and no third side, so that neither a
/// look nor a frame of its own tells how it stands.
bool is_flat(const std::array<Spread, 3>& spreads) {
  return spreads[0].extent * kGlance.resolution < spreads[2].extent;
}

/// Mirror images have no names of joints in templates of other people, and labels belong to triangles.
bool may_mirror(const AutoRigSettings& settings) {
  return settings.source != SkeletonSource::kParts &&
         std::all_of(settings.templates.begin(), settings.templates.end(),
                     [](const skeleton::SkeletonTemplate& t) { return skeleton::builtin_of(t) != nullptr; });
}

/// Up and forward as a reader sees them, in the asset's world.
struct Glance {
  Vec3d up, forward;
  double trust = 0;
};

std::optional<Glance> glance(const rig::ShownGeometry& shown, const Mat3d& frame, const anatomy::ReadBody& reader) {
  if (!reader) return std::nullopt;
  StudiedSurface surface = make_studied(shown, frame);
  const std::size_t step = surface.triangles.size() / kGlanceTriangles + 1;
  if (step > 1) {
    std::vector<body::Triangle> thinned;
    for (std::size_t t = 0; t < surface.triangles.size(); t += step) thinned.push_back(surface.triangles[t]);
    surface.triangles = std::move(thinned);
  }
  const anatomy::BodyReading reading = reader(body::study_body(surface.points, surface.triangles, kGlance));
  if (reading.points.empty()) return std::nullopt;
  return Glance{transposed(frame) * reading.up, transposed(frame) * reading.forward, reading.trust()};
}

/// As the reader sees it with each axis of `own` up in turn. The looks vote for a turn with their trust, and the surest
/// of those that agree is as sure as its side has of all votes. So one lucky look among six does not decide.
Glance glance_around(const rig::ShownGeometry& shown, const Mat3d& own, const Glance& first,
                     const anatomy::ReadBody& reader) {
  std::vector<Glance> seen{first};
  for (const Vec3d up : {Vec3d{1, 0, 0}, Vec3d{-1, 0, 0}, Vec3d{0, -1, 0}, Vec3d{0, 0, 1}, Vec3d{0, 0, -1}}) {
    // The longest side that is left lies ahead.
    const Vec3d ahead = up.z != 0 ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
    if (const auto look = glance(shown, rig::nearest_axes(up, ahead) * own, reader)) seen.push_back(*look);
  }
  Glance best = first;
  double votes = 0, most = 0;
  for (const Glance& one : seen) {
    // In the body's own axes, where ties are the same for every attitude of its file.
    const auto turn = [&](const Glance& g) { return rig::nearest_axes(own * g.up, own * g.forward); };
    double agree = 0, surest = 0;
    for (const Glance& other : seen) {
      if (turn(other) == turn(one)) agree += other.trust, surest = std::max(surest, other.trust);
    }
    votes += one.trust;
    if (agree > most && one.trust == surest) most = agree, best = one;
  }
  if (votes > 0) best.trust *= most / votes;
  return best;
}

/// Of the turns that take axes to axes, after `base`, the one that has `seen` stand along +Y and look along +Z, as
/// nearly as any.
Mat3d nearest_turn(const Mat3d& base, const Glance& seen, bool keep_up) {
  const Vec3d up = keep_up ? Vec3d{0, 1 + 2 * norm(seen.forward), 0} : base * seen.up;
  return rig::nearest_axes(up, base * seen.forward) * base;
}

}  // namespace

Attitude find_attitude(const rig::ShownGeometry& shown, const AutoRigSettings& settings) {
  Attitude attitude;
  const std::array<Spread, 3> spreads = spreads_of(shown.points);
  Mat3d own = own_frame(spreads);
  const bool flat = is_flat(spreads), mirrored = determinant(own) < 0 && may_mirror(settings);
  if (determinant(own) < 0 && !mirrored) own = Mat3d::diagonal({-1, 1, 1}) * own;
  std::optional<Glance> seen = flat ? std::nullopt : glance(shown, own, settings.reader);
  if (seen && seen->trust < kBelievedLook) seen = glance_around(shown, own, *seen, settings.reader);
  attitude.looked = seen || (flat && settings.reader), attitude.mirrored = mirrored && seen;
  // A look that is not believed tells no more than where to study the body.
  if (seen && seen->trust >= kBelievedLook) attitude.trust = seen->trust;
  const Mat3d base = settings.up ? rig::upright_from(*settings.up) : Mat3d::identity();
  // Where nobody looked, what was asked for is met from the file's own attitude: +Y up, or +Z where +Y is ahead.
  Glance wanted = seen.value_or(Glance{{0, 1, 0.1}, transposed(base) * Vec3d{0, 0, 1}, 0});
  if (settings.forward) wanted.forward = 4.0 * normalized(settings.forward->cast<double>());
  attitude.study_from_asset =
      seen || settings.forward ? nearest_turn(base, wanted, /*keep_up=*/settings.up.has_value()) : base;
  if (attitude.mirrored) attitude.study_from_asset = Mat3d::diagonal({-1, 1, 1}) * attitude.study_from_asset;
  if (attitude.trust > 0 || settings.up) return attitude;
  attitude.up = attitude.study_from_asset * Vec3d{0, 1, 0};
  attitude.forward = attitude.study_from_asset * Vec3d{0, 0, 1};
  return attitude;
}

StudiedSurface make_studied(const rig::ShownGeometry& shown, const Mat3d& study_from_asset) {
  // Plus zero, as there is no other way to tell zeros with different signs.
  std::vector<Vec3d> turned;
  turned.reserve(shown.points.size());
  for (const Vec3d& p : shown.points) turned.push_back(study_from_asset * p + Vec3d{});
  const Affined set_down = inverse(rig::fit_similarity(turned).asset_from_subject());
  StudiedSurface surface{{}, shown.triangles, set_down * Affined{study_from_asset, {}}};
  surface.points.reserve(turned.size());
  for (const Vec3d& p : turned) surface.points.push_back((set_down * p).cast<float>());
  if (determinant(study_from_asset) < 0) {
    for (body::Triangle& t : surface.triangles) std::swap(t[1], t[2]);
  }
  return surface;
}

skeleton::SkeletonPlan moved(skeleton::SkeletonPlan plan, const Affined& there_from_here) {
  for (skeleton::PlannedJoint& joint : plan.joints) {
    joint.at = there_from_here * joint.at;
    if (joint.tail) joint.tail = there_from_here * *joint.tail;
  }
  plan.up = normalized(there_from_here.linear * plan.up);
  plan.forward = normalized(there_from_here.linear * plan.forward);
  return plan;
}

std::string other_side(const std::string& name) {
  if (name.size() < 3 || (!name.ends_with(".L") && !name.ends_with(".R"))) return name;
  return name.substr(0, name.size() - 1) + (name.back() == 'L' ? "R" : "L");
}

void exchange_sides(skeleton::SkeletonPlan& plan) {
  std::vector<skeleton::PlannedJoint>& joints = plan.joints;
  // Partners change places too, so that joints come in the order that they always have, where parents stay first.
  std::vector<std::size_t> place(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const std::string other = other_side(joints[j].name);
    const int partner = other == joints[j].name ? -1 : plan.find(other);
    place[j] = partner < 0 ? j : static_cast<std::size_t>(partner);
  }
  bool ordered = true;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const int parent = joints[j].parent;
    ordered = ordered && place[place[j]] == j && (parent < 0 || place[static_cast<std::size_t>(parent)] < place[j]);
  }
  for (skeleton::PlannedJoint& joint : joints) joint.name = other_side(joint.name);
  for (rig::Limb& limb : plan.limbs) limb.side = rig::mirrored(limb.side);
  if (!ordered) return;
  std::vector<skeleton::PlannedJoint> sorted(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    skeleton::PlannedJoint& joint = sorted[place[j]];
    joint = std::move(joints[j]);
    if (joint.parent >= 0) joint.parent = static_cast<int>(place[static_cast<std::size_t>(joint.parent)]);
  }
  joints = std::move(sorted);
}

}  // namespace limber::autorig
