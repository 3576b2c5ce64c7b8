// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/implicit_surface.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

namespace limber::zoo {
namespace {

/// A value without its gradient.
struct ValueSample {
  double value = 0;
};

ValueSample mixed(const ValueSample&, const ValueSample&, double, double value) { return {value}; }
FieldSample mixed(const FieldSample& near, const FieldSample& far, double share, double value) {
  return {value, (1 - share) * near.gradient + share * far.gradient};
}

/// Union with a seam of width `blend` (Quilez's quadratic polynomial: the plain minimum where the two differ by more).
template <class Sample>
Sample smooth_union(const Sample& a, const Sample& b, double blend) {
  const Sample &near = a.value <= b.value ? a : b, &far = a.value <= b.value ? b : a;
  const double gap = far.value - near.value;
  if (gap >= blend) return near;
  const double overlap = 1 - gap / blend;
  return mixed(near, far, overlap / 2, near.value - overlap * overlap * blend / 4);
}

ValueSample negated(const ValueSample& a) { return {-a.value}; }
FieldSample negated(const FieldSample& a) { return {-a.value, -a.gradient}; }

/// Far from everything, or above the ground by so much.
template <class Sample>
Sample height(double value) {
  if constexpr (std::is_same_v<Sample, FieldSample>) {
    return {value, {0, 1, 0}};
  } else {
    return {value};
  }
}

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
  if (flat_ground_) lower_.y = 0;
  sole_rounding_ = 0.012 * (upper_.y - lower_.y);
}

template <class Sample>
Sample ImplicitSurface::sample_cone(int index, Vec3d point) const {
  constexpr bool kGradient = std::is_same_v<Sample, FieldSample>;
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
    sample.value = length - (foot <= 0 ? cone.radius_a : cone.radius_b);
    if (kGradient || cone.squashed) sample.gradient = from_centre / std::max(length, 1e-12);
  } else {
    sample.value = distance * cone.cosine + along * cone.sine - cone.radius_a;
    if (kGradient || cone.squashed) {
      sample.gradient = (cone.cosine / std::max(distance, 1e-12)) * across + cone.sine * cone.axis;
    }
  }
  if (cone.squashed) {
    // Back to the world: dividing by the slope makes it a distance again, to first order.
    const Vec3d slope = scaled(sample.gradient, cone.inverse_squash);
    const double flatness = 1 / norm(slope);
    sample.value *= flatness;
    if constexpr (kGradient) sample.gradient = flatness * (cone.turned ? cone.axes * slope : slope);
  }
  if constexpr (kGradient) {
    return sample;
  } else {
    return {sample.value};
  }
}

template <class Sample>
Sample ImplicitSurface::sample(Vec3d point, std::span<const int> subset) const {
  Sample body = height<Sample>(kFar);
  for (std::size_t k = 0; k < subset.size();) {
    const int limb_index = cones_[static_cast<std::size_t>(subset[k])].limb;
    const Limb& limb = limbs_[static_cast<std::size_t>(limb_index)];
    Sample flesh = sample_cone<Sample>(subset[k], point);
    for (++k; k < subset.size() && cones_[static_cast<std::size_t>(subset[k])].limb == limb_index; ++k) {
      flesh = smooth_union(flesh, sample_cone<Sample>(subset[k], point), limb.melt);
    }
    body = limb_index == 0 ? flesh : smooth_union(body, flesh, limb.crease + limb.blend * fade(point, limb));
  }
  if (flat_ground_ && point.y < sole_rounding_ - body.value) {
    body = negated(smooth_union(negated(body), height<Sample>(point.y), sole_rounding_));
  }
  return body;
}

FieldSample ImplicitSurface::evaluate_cone(int index, Vec3d point) const {
  return sample_cone<FieldSample>(index, point);
}

FieldSample ImplicitSurface::evaluate(Vec3d point, std::span<const int> subset) const {
  return sample<FieldSample>(point, subset);
}

double ImplicitSurface::value(Vec3d point, std::span<const int> subset) const {
  return sample<ValueSample>(point, subset).value;
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

/// The widest seam within `radius` of `point` between any of the candidates.
double ImplicitSurface::widest_seam(Vec3d point, double radius, std::span<const int> candidates) const {
  double widest = 0;
  int last = -1;
  for (const int cone : candidates) {
    const int limb_index = cones_[static_cast<std::size_t>(cone)].limb;
    if (limb_index == last) continue;
    const Limb& limb = limbs_[static_cast<std::size_t>(limb_index)];
    const Vec3d to_attach = limb.attach - point;
    const double away = norm(to_attach);
    const Vec3d closest = point + (std::min(radius, away) / std::max(away, 1e-12)) * to_attach;
    widest = std::max({widest, limb.melt, limb.crease + limb.blend * fade(closest, limb)});
    last = limb_index;
  }
  return widest;
}

void ImplicitSurface::nearby(Vec3d point, double radius, std::span<const int> candidates,
                             std::vector<int>& subset) const {
  std::vector<double> distance;
  distance.reserve(candidates.size());
  double nearest = kFar;
  for (const int cone : candidates) {
    distance.push_back(sample_cone<ValueSample>(cone, point).value);
    nearest = std::min(nearest, distance.back());
  }
  // Distances of squashed cones are true only at the surface: some margin.
  const double reach = nearest + 2.5 * radius + widest_seam(point, radius, candidates);
  subset.clear();
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    if (distance[k] < reach) subset.push_back(candidates[k]);
  }
}

}  // namespace limber::zoo
