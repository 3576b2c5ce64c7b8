// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "limber/base/rng.h"
#include "limber/physics/model.h"
#include "limber/physics/rotation.h"

/// Small bodies for the tests of `physics`.
namespace limber::physics::testing {

inline Vec3d random_vec(Rng& rng, double size) {
  Vec3d v;
  for (int k = 0; k < 3; ++k) v[k] = rng.uniform(-size, size);
  return v;
}

/// A solid box around its body's centre of mass.
inline SymmetricT<double> box_inertia(double mass, Vec3d half) {
  const Vec3d s = scaled(half, half);
  return {mass / 3 * (s.y + s.z), 0, 0, mass / 3 * (s.x + s.z), 0, mass / 3 * (s.x + s.y)};
}

inline void add_corners(Model& model, BodyT<double>& body, Vec3d centre, Vec3d half) {
  body.first_point = static_cast<int>(model.points.size());
  body.point_count = 8;
  for (int k = 0; k < 8; ++k) {
    model.points.push_back(centre + scaled(half, Vec3d{k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0}));
  }
}

inline ContactLawT<double> soft_ground(double mass) { return {mass * 9.81 / (4 * 0.002), 0.004, 2, 0.05, 0.9, 0.05}; }

/// One free box with corners.
inline Model box_model(double mass = 10, Vec3d half = {0.2, 0.1, 0.15}) {
  Model model;
  BodyT<double> body;
  body.mass = mass, body.inertia = box_inertia(mass, half);
  add_corners(model, body, {}, half);
  model.bodies.push_back(body);
  model.contact = soft_ground(mass);
  return model;
}

/// A trunk on two legs of thigh, shin and foot, a metre high; heels and toes are contact points. All hinges pitch.
inline Model two_legs() {
  Model model;
  BodyT<double> trunk;
  trunk.inertia = box_inertia(1, {0.2, 0.1, 0.1});
  model.bodies.push_back(trunk);
  for (const double z : {0.1, -0.1}) {
    for (const Vec3d& offset : {Vec3d{0, 0, z}, Vec3d{0, -0.5, 0}, Vec3d{0, -0.4, 0}}) {
      BodyT<double> body;
      body.parent = offset.z != 0 ? 0 : model.body_count() - 1;
      body.first_hinge = model.hinge_count(), body.hinge_count = 1;
      body.inertia = box_inertia(1, {0.05, 0.2, 0.05});
      body.first_point = static_cast<int>(model.points.size());
      model.hinges.push_back({{0, 0, 1}, offset});
      model.bodies.push_back(body);
    }
    model.bodies.back().point_count = 2;
    model.points.push_back({-0.05, -0.1, 0}), model.points.push_back({0.1, -0.1, 0});
  }
  return model;
}

enum class Branching { kRandom, kChain };

/// A random tree with one to three hinges per joint, every one with a drive and limits that may matter.
inline Model random_model(int bodies, std::uint64_t seed, Branching branching = Branching::kRandom) {
  Rng rng(seed);
  Model model;
  for (int b = 0; b < bodies; ++b) {
    BodyT<double> body;
    body.parent = b - 1;
    if (b > 0 && branching == Branching::kRandom) {
      body.parent = static_cast<int>(rng.below(static_cast<std::uint32_t>(b)));
    }
    body.first_hinge = model.hinge_count();
    body.hinge_count = b == 0 ? 0 : 1 + static_cast<int>(rng.below(3));
    for (int h = 0; h < body.hinge_count; ++h) {
      HingeT<double> hinge;
      hinge.axis = normalized(random_vec(rng, 1));
      hinge.offset = random_vec(rng, h == 0 ? 0.25 : 0.03);
      hinge.stiffness = rng.uniform(5, 60), hinge.damping = rng.uniform(0.1, 2), hinge.armature = rng.uniform(0, 0.01);
      hinge.lower = -rng.uniform(0.2, 1), hinge.upper = rng.uniform(0.2, 1), hinge.limit_stiffness = 50;
      model.hinges.push_back(hinge);
    }
    const Vec3d half{rng.uniform(0.03, 0.1), rng.uniform(0.03, 0.1), rng.uniform(0.03, 0.1)};
    body.mass = rng.uniform(0.3, 2), body.centre = random_vec(rng, 0.1), body.inertia = box_inertia(body.mass, half);
    body.inertia.xy = 0.1 * body.inertia.xx;
    add_corners(model, body, body.centre, half);
    model.bodies.push_back(body);
  }
  model.contact = soft_ground(model.total_mass());
  return model;
}

struct State {
  std::vector<double> q, v;
};

/// A random state; `height` of the root above the ground.
inline State random_state(const Model& model, std::uint64_t seed, double height, double speed = 1) {
  Rng rng(seed, 77);
  State state{zero_position(model), std::vector<double>(model.velocity_count())};
  std::vector<double> delta(model.velocity_count());
  for (double& d : delta) d = rng.uniform(-0.6, 0.6);
  for (double& x : state.v) x = speed * rng.uniform(-1, 1);
  delta[4] = height;
  integrate_position<double>(model, std::vector<double>(state.q), delta, state.q);
  return state;
}

}  // namespace limber::physics::testing
