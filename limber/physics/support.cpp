// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/support.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/physics/dynamics.h"
#include "limber/physics/sweeps.h"

namespace limber::physics {
namespace {

/// One edge of the friction cone at one point.
struct Edge {
  int body = 0;
  Spatial wrench;   ///< of a unit force along it
  double cost = 0;  ///< of the force's square
  double force = 0;
};

std::vector<Edge> list_edges(const Model& model, const Workspace& work, double root_height, double touch) {
  std::vector<Edge> edges;
  const double mu = 0.7 * model.contact.friction;  // a pyramid inside the cone
  for (int b = 0; b < model.body_count(); ++b) {
    const BodyT<double>& body = model.bodies[at(b)];
    for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
      const Vec3d x = work.bodies[at(b)].position + work.bodies[at(b)].rotation * model.points[at(p)];
      const double height = std::max(x.y + root_height, 0.0);
      if (height > touch) continue;
      for (const Vec3d& side : {Vec3d{mu, 1, 0}, Vec3d{-mu, 1, 0}, Vec3d{0, 1, mu}, Vec3d{0, 1, -mu}}) {
        const double lifted = 4 * height / touch;
        edges.push_back({b, force_at(x, side), 0.01 * (1 + lifted * lifted), 0});
      }
    }
  }
  return edges;
}

/// Nonnegative least squares by coordinate descent; torques count per `length`.
void fit(std::vector<Edge>& edges, Spatial needed, double length) {
  const double weigh = 1 / (length * length);
  const auto product = [&](const Spatial& a, const Spatial& b) {
    return weigh * dot(a.angular, b.angular) + dot(a.linear, b.linear);
  };
  Spatial rest = needed;
  for (int round = 0; round < 80; ++round) {
    double moved = 0;
    for (Edge& edge : edges) {
      const double square = product(edge.wrench, edge.wrench);
      const double change =
          std::max((product(edge.wrench, rest) - edge.cost * edge.force) / (square + edge.cost), -edge.force);
      edge.force += change;
      rest -= change * edge.wrench;
      moved = std::max(moved, std::abs(change));
    }
    if (moved < 1e-6 * norm(needed.linear)) break;
  }
}

}  // namespace

Support find_support(const Model& model, Workspace& work, std::span<const double> q, std::span<const double> v,
                     std::span<const double> a, double touch, double length) {
  std::vector<double> tau(model.velocity_count());
  inverse_dynamics<double>(model, work, q, v, a, tau);
  const Spatial needed{{tau[0], tau[1], tau[2]}, {tau[3], tau[4], tau[5]}};
  std::vector<Edge> edges = list_edges(model, work, q[1], touch);
  fit(edges, needed, length);
  for (auto& body : work.bodies) body.force = {};
  Support support;
  for (const Edge& edge : edges) {
    work.bodies[at(edge.body)].force += edge.force * edge.wrench;
    support.weight += edge.force;
  }
  std::vector<double> ground(tau.size());
  sweep_project<double>(model, work, ground);
  support.missing = needed - Spatial{{ground[0], ground[1], ground[2]}, {ground[3], ground[4], ground[5]}};
  for (std::size_t h = 0; h < model.hinges.size(); ++h) support.torque.push_back(tau[6 + h] - ground[6 + h]);
  return support;
}

}  // namespace limber::physics
