// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/skin.h"

#include <algorithm>
#include <cmath>

namespace limber::zoo {
namespace {

constexpr double kFar = 1e9;

double smooth_step(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// The cross-section where a joint's flesh takes over from its parent's.
struct CrossSection {
  Vec3d centre, direction;
  double half_width = 0;  // of the blend, along `direction`
  double seam = 0;        // how much nearer other flesh may be while the joint still takes a share
};

std::vector<CrossSection> cross_sections(const BodyPlan& plan, const ImplicitSurface& surface) {
  const std::vector<double> girth = girths(plan, surface);
  std::vector<CrossSection> sections(plan.joints.size());
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    const PlanJoint& joint = plan.joints[j];
    Vec3d out{0, 0, 0}, in{0, 0, 0};
    for (const RoundCone& cone : surface.cones()) {
      if (cone.joint == static_cast<int>(j) && squared_norm(out) == 0) out = normalized(cone.b - cone.a, {});
      // A parent's cone that ends here makes a chain; else the joint branches off.
      if (cone.joint == joint.parent && norm(cone.b - joint.position) < 0.6 * girth[j]) {
        in = normalized(cone.b - cone.a, {});
      }
    }
    if (squared_norm(out) == 0) out = in;
    if (joint.whole) {
      // Far behind, so that all of its flesh lies past it.
      const Vec3d up{0, 1, 0};
      sections[j] = {joint.position - 10.0 * up, up, 1, 0.7 * girth[j]};
      continue;
    }
    if (joint.sole) {
      // A slanting cut, so that the heel is on the foot's side as well as the toes.
      const double g = girth[j];
      sections[j] = {joint.position + Vec3d{0, 0.3 * g, -0.3 * g}, normalized(Vec3d{0, -1, 1}), 0.3 * g, 2 * g};
      continue;
    }
    sections[j] = {joint.position, normalized(in + out, out), 1.1 * girth[j], 0.7 * girth[j]};
  }
  return sections;
}

}  // namespace

std::vector<double> girths(const BodyPlan& plan, const ImplicitSurface& surface) {
  std::vector<double> girth(plan.joints.size(), 0.0);
  for (const RoundCone& cone : surface.cones()) {
    double& g = girth[static_cast<std::size_t>(cone.joint)];
    if (g == 0) g = cone.radius_a * cone.squash.y;
  }
  return girth;
}

rig::SkinWeights skin_weights(const BodyPlan& plan, const ImplicitSurface& surface, const PolygonMesh& mesh) {
  const std::size_t joints = plan.joints.size();
  const std::vector<CrossSection> sections = cross_sections(plan, surface);
  std::vector<std::vector<rig::Influence>> rows(mesh.points.size());
  std::vector<double> distance(joints), share(joints), below(joints), further(joints), mass(joints);
  for (std::size_t p = 0; p < mesh.points.size(); ++p) {
    // Distance to each joint's flesh, and to that of all joints below it.
    std::fill(distance.begin(), distance.end(), kFar);
    double nearest = kFar;
    for (const int cone : mesh.nearby(p)) {
      double& d = distance[static_cast<std::size_t>(surface.cones()[static_cast<std::size_t>(cone)].joint)];
      d = std::min(d, surface.evaluate_cone(cone, mesh.points[p]).value);
      nearest = std::min(nearest, d);
    }
    std::fill(below.begin(), below.end(), 0.0);
    std::fill(further.begin(), further.end(), 0.0);
    for (std::size_t j = joints; j-- > 1;) {
      share[j] = 0;
      if (distance[j] == kFar) continue;
      const auto parent = static_cast<std::size_t>(plan.joints[j].parent);
      const CrossSection& section = sections[j];
      const double along = dot(mesh.points[p] - section.centre, section.direction);
      const double past = smooth_step(-section.half_width, section.half_width, along);
      // What is past a joint further down is past this one too, on whichever side of the section it hangs.
      share[j] = (past + (1 - past) * further[j]) * (1 - smooth_step(0, section.seam, distance[j] - nearest));
      further[parent] = std::max(further[parent], share[j]);
      below[parent] += share[j];
      distance[parent] = std::min(distance[parent], distance[j]);
    }
    // The weight flows from the root to the tips.
    mass[0] = 1;
    for (std::size_t j = 1; j < joints; ++j) {
      const auto parent = static_cast<std::size_t>(plan.joints[j].parent);
      mass[j] = mass[parent] * share[j] / std::max(1.0, below[parent]);
    }
    for (std::size_t j = 0; j < joints; ++j) {
      const double rest = mass[j] * std::max(0.0, 1 - below[j]);
      if (rest > 1e-3) rows[p].push_back({static_cast<std::uint16_t>(j), static_cast<float>(rest)});
    }
  }
  return rig::make_skin_weights(rows, 4);
}

std::vector<int> face_labels(const rig::SkinWeights& weights, std::span<const std::array<std::uint32_t, 3>> triangles) {
  std::vector<int> labels;
  labels.reserve(triangles.size());
  const auto stride = static_cast<std::size_t>(weights.stride);
  for (const auto& triangle : triangles) {
    std::array<std::pair<int, double>, 12> sums;
    std::size_t used = 0;
    for (const std::uint32_t v : triangle) {
      for (std::size_t k = 0; k < stride; ++k) {
        const int bone = weights.bones[v * stride + k];
        const auto same =
            std::find_if(sums.begin(), sums.begin() + used, [&](const auto& s) { return s.first == bone; });
        if (same == sums.begin() + used) sums[used++] = {bone, 0.0};
        sums[static_cast<std::size_t>(same - sums.begin())].second += weights.weights[v * stride + k];
      }
    }
    labels.push_back(std::max_element(sums.begin(), sums.begin() + used, [](const auto& a, const auto& b) {
                       return a.second < b.second;
                     })->first);
  }
  return labels;
}

}  // namespace limber::zoo
