// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/embed_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber::skeleton {
namespace {

// All set by hand, on the zoo and the shared models.
constexpr double kThinBox = 0.02;     // of the body's size: no side of its box counts as shorter, sheets have one
constexpr double kMostStretch = 0.9;  // log: the box stretches a template by 2.5 at most; the rest is cape or weapon
constexpr double kEven = 0.08;        // weight of the even scale in a second fit, of the whole spread of the joints
constexpr double kLeastRatio = 0.4;   // of the even scale: how little ...
constexpr double kMostRatio = 2.5;    // ... and how much a second fit stretches one axis
constexpr double kFlat = 0.002;       // share of the squared spread of joints below which an axis has none

double squared(double x) { return x * x; }

double mean_log(Vec3d ratio) {
  double mean = 0;
  for (int a = 0; a < 3; ++a) mean += std::log(ratio[a]) / 3;
  return mean;
}

/// How far a match and a template spread along each axis, about their middles.
struct Spread {
  Vec3d from, to;  ///< middles, in the template's axes
  Vec3d squares, products;
  double all_squares = 0, all_products = 0;
};

Spread spread_of(const SkeletonTemplate& skeleton, const Mat3d& turn, std::span<const MatchedJoint> matched) {
  const Mat3d back = transposed(turn);
  const double n = static_cast<double>(matched.size());
  Spread spread;
  for (const MatchedJoint& m : matched) {
    spread.from += (1 / n) * skeleton.joints[static_cast<std::size_t>(m.joint)].at,
        spread.to += (1 / n) * (back * m.at);
  }
  for (const MatchedJoint& m : matched) {
    const Vec3d from = skeleton.joints[static_cast<std::size_t>(m.joint)].at - spread.from,
                to = back * m.at - spread.to;
    for (int a = 0; a < 3; ++a) spread.squares[a] += from[a] * from[a], spread.products[a] += from[a] * to[a];
    spread.all_squares += squared_norm(from), spread.all_products += dot(from, to);
  }
  return spread;
}

}  // namespace

FittedTemplate fit_to_box(const body::BodyShape& body, const SkeletonTemplate& skeleton, const Mat3d& turn) {
  const double inf = std::numeric_limits<double>::infinity();
  Vec3d low{inf, inf, inf}, high = -low, body_low = low, body_high = high;
  for (const TemplateJoint& j : skeleton.joints) {
    const Vec3d girth{j.girth, j.girth, j.girth};
    low = min(low, j.at - girth), high = max(high, j.at + girth);
  }
  const Mat3d back = transposed(turn);
  for (const body::MedialSphere& s : body.graph.spheres) {
    const Vec3d p = back * s.centre, r{s.radius, s.radius, s.radius};
    body_low = min(body_low, p - r), body_high = max(body_high, p + r);
  }
  Vec3d ratio;
  for (int a = 0; a < 3; ++a)
    ratio[a] = std::max(body_high[a] - body_low[a], kThinBox * body.size) / std::max(high[a] - low[a], 1e-9);
  const double mean = mean_log(ratio);
  FittedTemplate fitted;
  fitted.box_ratio = ratio;
  fitted.scale = std::exp(mean);
  for (int a = 0; a < 3; ++a) {
    fitted.stretch += squared(std::log(ratio[a]) - mean);
    ratio[a] = fitted.scale * std::exp(std::clamp(std::log(ratio[a]) - mean, -kMostStretch, kMostStretch));
  }
  for (const TemplateJoint& j : skeleton.joints) {
    fitted.at.push_back(turn * (0.5 * (body_low + body_high) + scaled(ratio, j.at - 0.5 * (low + high))));
  }
  return fitted;
}

FittedTemplate fit_to_match(const SkeletonTemplate& skeleton, const Mat3d& turn, Vec3d box_ratio,
                            std::span<const MatchedJoint> matched) {
  const Spread spread = spread_of(skeleton, turn, matched);
  const double even = std::max(spread.all_products / std::max(spread.all_squares, 1e-12), 1e-9);
  Vec3d ratio, shape;
  for (int a = 0; a < 3; ++a) {
    const double fit =
        (spread.products[a] + kEven * spread.all_squares * even) / (spread.squares[a] + kEven * spread.all_squares);
    ratio[a] = std::clamp(fit, kLeastRatio * even, kMostRatio * even);
    shape[a] = spread.squares[a] < kFlat * spread.all_squares ? box_ratio[a] : ratio[a];
  }
  FittedTemplate fitted;
  const double mean_shape = mean_log(shape);
  for (int a = 0; a < 3; ++a) fitted.stretch += squared(std::log(shape[a]) - mean_shape);
  fitted.box_ratio = box_ratio;
  fitted.scale = std::exp(mean_log(ratio));
  for (const TemplateJoint& j : skeleton.joints)
    fitted.at.push_back(turn * (spread.to + scaled(ratio, j.at - spread.from)));
  return fitted;
}

}  // namespace limber::skeleton
