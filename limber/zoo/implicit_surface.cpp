// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/implicit_surface.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace limber::zoo {
namespace {

/// Union with a seam of width `blend` (Quilez's quadratic polynomial: the plain minimum where the two differ by more).
FieldSample smooth_union(const FieldSample& a, const FieldSample& b, double blend) {
  const FieldSample &near = a.value <= b.value ? a : b, &far = a.value <= b.value ? b : a;
  const double gap = far.value - near.value;
  if (gap >= blend) return near;
  const double overlap = 1 - gap / blend;
  return {near.value - overlap * overlap * blend / 4, (1 - overlap / 2) * near.gradient + (overlap / 2) * far.gradient};
}

FieldSample negated(const FieldSample& a) { return {-a.value, -a.gradient}; }

/// One at the attachment, zero with zero slope at `reach`.
double fade(Vec3d point, const Limb& limb) {
  const double q = squared_norm(point - limb.attach) / (limb.reach * limb.reach);
  return q < 1 ? (1 - q) * (1 - q) : 0;
}

constexpr double kFar = 1e9;

/// Half the box around an ellipsoid with these axes and half lengths.
Vec3d turned_extent(const Mat3d& axes, Vec3d half) {
  Vec3d extent;
  for (int k = 0; k < 3; ++k) extent[k] = norm(scaled(axes.row(k), half));
  return extent;
}

}  // namespace

ImplicitSurface::ImplicitSurface(std::vector<RoundCone> cones, std::vector<Limb> limbs, bool flat_ground)
    : cones_(std::move(cones)), limbs_(std::move(limbs)), flat_ground_(flat_ground) {
  std::stable_sort(cones_.begin(), cones_.end(),
                   [](const RoundCone& a, const RoundCone& b) { return a.limb < b.limb; });
  lower_ = {kFar, kFar, kFar}, upper_ = -lower_;
  for (const RoundCone& cone : cones_) {
    const Vec3d inverse_squash{1 / cone.squash.x, 1 / cone.squash.y, 1 / cone.squash.z};
    const bool turned = !(cone.turn == Quatd{});
    const Mat3d axes = turned ? to_matrix(cone.turn) : Mat3d::identity();
    const auto local = [&](Vec3d p) { return scaled(turned ? transposed(axes) * p : p, inverse_squash); };
    const Vec3d a = local(cone.a), ab = local(cone.b) - a;
    const double length = norm(ab), difference = cone.radius_a - cone.radius_b;
    // A sphere that holds the other one leaves no cone between them.
    const double sine = std::clamp(length > 0 ? difference / length : 0.0, -0.999, 0.999);
    const double cosine = std::sqrt(1 - sine * sine);
    prepared_.push_back({a, normalized(ab), inverse_squash, length, cone.radius_a, cone.radius_b, sine, cosine,
                         sine / cosine, !(cone.squash == Vec3d{1, 1, 1}), axes, turned,
                         std::min({1.0, cone.squash.x, cone.squash.y, cone.squash.z})});
    for (const auto& [centre, radius] : {std::pair{cone.a, cone.radius_a}, std::pair{cone.b, cone.radius_b}}) {
      const Vec3d half = turned ? turned_extent(axes, cone.squash) : cone.squash;
      lower_ = min(lower_, centre - radius * half);
      upper_ = max(upper_, centre + radius * half);
    }
  }
  for (const Limb& limb : limbs_) largest_blend_ = std::max({largest_blend_, limb.blend, limb.melt});
  if (flat_ground_) lower_.y = 0;
  sole_rounding_ = 0.012 * (upper_.y - lower_.y);
}

FieldSample ImplicitSurface::evaluate_cone(int index, Vec3d point) const {
  const PreparedCone& cone = prepared_[static_cast<std::size_t>(index)];
  if (cone.turned) point = transposed(cone.axes) * point;
  const Vec3d from_a = (cone.squashed ? scaled(point, cone.inverse_squash) : point) - cone.a;
  const double along = dot(from_a, cone.axis);
  const Vec3d across = from_a - along * cone.axis;
  const double distance = norm(across);
  const double foot = along - distance * cone.tangent;  // where the nearest sphere of the cone is centred
  FieldSample sample;
  if (foot <= 0 || foot >= cone.length) {
    const Vec3d from_centre = foot <= 0 ? from_a : from_a - cone.length * cone.axis;
    const double length = norm(from_centre);
    sample = {length - (foot <= 0 ? cone.radius_a : cone.radius_b), from_centre / std::max(length, 1e-12)};
  } else {
    sample = {distance * cone.cosine + along * cone.sine - cone.radius_a,
              (cone.cosine / std::max(distance, 1e-12)) * across + cone.sine * cone.axis};
  }
  if (!cone.squashed) return sample;
  // Back to the world: dividing by the slope makes it a distance again, to first order.
  const Vec3d slope = scaled(sample.gradient, cone.inverse_squash);
  const double flatness = 1 / norm(slope);
  return {sample.value * flatness, flatness * (cone.turned ? cone.axes * slope : slope)};
}

FieldSample ImplicitSurface::evaluate(Vec3d point, std::span<const int> subset) const {
  FieldSample body{kFar, {0, 1, 0}};
  for (std::size_t k = 0; k < subset.size();) {
    const int limb_index = cones_[static_cast<std::size_t>(subset[k])].limb;
    const Limb& limb = limbs_[static_cast<std::size_t>(limb_index)];
    FieldSample flesh = evaluate_cone(subset[k], point);
    for (++k; k < subset.size() && cones_[static_cast<std::size_t>(subset[k])].limb == limb_index; ++k) {
      flesh = smooth_union(flesh, evaluate_cone(subset[k], point), limb.melt);
    }
    body = limb_index == 0 ? flesh : smooth_union(body, flesh, limb.crease + limb.blend * fade(point, limb));
  }
  if (flat_ground_ && point.y < sole_rounding_ - body.value) {
    body = negated(smooth_union(negated(body), {point.y, {0, 1, 0}}, sole_rounding_));
  }
  return body;
}

FieldSample ImplicitSurface::evaluate(Vec3d point) const {
  std::vector<int> all(cones_.size());
  std::iota(all.begin(), all.end(), 0);
  return evaluate(point, all);
}

bool ImplicitSurface::may_cross(double value, double radius, std::span<const int> subset) const {
  double thinnest = 1;
  for (const int cone : subset) thinnest = std::min(thinnest, prepared_[static_cast<std::size_t>(cone)].thinnest);
  // Inside a flat cone the value is that of its wide side at worst; outside it errs less.
  return value < 0 ? -value * thinnest < 1.2 * radius : value < (1.1 + 0.25 / thinnest) * radius;
}

void ImplicitSurface::nearby(Vec3d point, double radius, std::span<const int> candidates,
                             std::vector<int>& subset) const {
  std::vector<double> distance;
  distance.reserve(candidates.size());
  double nearest = kFar;
  for (const int cone : candidates) {
    distance.push_back(evaluate_cone(cone, point).value);
    nearest = std::min(nearest, distance.back());
  }
  // Distances of squashed cones are true only at the surface: some margin.
  subset.clear();
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    if (distance[k] < nearest + 2.5 * radius + largest_blend_) subset.push_back(candidates[k]);
  }
}

}  // namespace limber::zoo
