// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/physics/model.h"
#include "limber/physics/spatial.h"

namespace limber::physics {

/// A contact point near the ground, as the last step saw it. Positions are relative to the root's origin.
template <class T>
struct ContactT {
  int body = 0, point = 0;
  Vec3T<T> position;
  T height{};  ///< above the ground
  Vec3T<T> velocity;
  Vec3T<T> force;  ///< on the body, at the end of the step
  T push{};        ///< normal force predicted for the step's end without acceleration
  T drag{};        ///< friction coefficient: force per tangential speed
  T mass{};        ///< what the normal law adds to the inertia along the normal
  T push_height{}, push_speed{}, mass_height{}, mass_speed{};  ///< their derivatives
  T slip{};                                                    ///< softened tangential speed
};

/// Scratch of the dynamics of one model: make one per thread and reuse it. What it holds is private to the module
/// except `contacts` and `acceleration`.
template <class T>
struct WorkspaceT {
  explicit WorkspaceT(const ModelT<T>& model)
      : hinges(model.hinges.size()),
        bodies(model.bodies.size()),
        acceleration(model.velocity_count()),
        torque(model.velocity_count()),
        scratch(model.velocity_count()) {
    contacts.reserve(model.points.size());
  }

  struct Hinge {
    SpatialT<T> motion;     ///< its axis as a motion
    SpatialT<T> velocity;   ///< of what is before it
    SpatialT<T> projected;  ///< articulated inertia times motion
    T inverse{};            ///< of motion . projected + drive
    T force{};
    T diagonal{};                               ///< what drive and limits add to the inertia
    SpatialT<T> response, field, acceleration;  ///< before it, in the backward sweep
  };
  struct Body {
    Mat3T<T> rotation;
    Vec3T<T> position;  ///< relative to the root's origin
    SpatialT<T> velocity;
    SpatialT<T> bias;  ///< acceleration without that of the joints, gravity as if it were the ground's
    InertiaT<T> inertia;
    SpatialT<T> momentum;
    ArticulatedT<T> articulated;
    SpatialT<T> force;
    SpatialT<T> field;     ///< sum of motion times solution, along the path from the root
    SpatialT<T> response;  ///< the same for the adjoint's solution
    SpatialT<T> grad_velocity, grad_response, grad_field, grad_acceleration, grad_pose;
  };

  std::vector<Hinge> hinges;
  std::vector<Body> bodies;
  Cholesky6<T> root;
  std::vector<ContactT<T>> contacts;  ///< points near the ground in the last step
  std::vector<T> acceleration;        ///< of the last step, (v+ - v) / dt
  std::vector<T> torque;
  std::vector<T> scratch;
};
using Workspace = WorkspaceT<double>;

}  // namespace limber::physics
