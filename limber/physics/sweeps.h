// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>

#include "limber/base/at.h"
#include "limber/physics/workspace.h"

/// The passes over the tree that all dynamics are made of. Private to `physics`.
namespace limber::physics {

/// Rotation of a quaternion that need not be quite of length one.
template <class T>
Mat3T<T> root_rotation(std::span<const T> q) {
  return to_matrix(normalized(QuatT<T>{q[3], q[4], q[5], q[6]}));
}

/// `r` followed by a turn about the unit `axis` of its own frame, which is `world_axis` in the world.
template <class T>
Mat3T<T> turned(const Mat3T<T>& r, Vec3T<T> axis, Vec3T<T> world_axis, T angle) {
  const T s = std::sin(angle), c = std::cos(angle);
  Mat3T<T> result;
  for (int j = 0; j < 3; ++j) {
    const Vec3T<T> column = r.column(j);
    const Vec3T<T> turn = c * column + s * cross(world_axis, column) + ((T(1) - c) * axis[j]) * world_axis;
    result.m[0][j] = turn.x, result.m[1][j] = turn.y, result.m[2][j] = turn.z;
  }
  return result;
}

/// Root to leaves: poses, velocities, bias accelerations, world inertias.
template <class T>
void sweep_kinematics(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const T> q, std::span<const T> v) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BodyT<T>& body = model.bodies[b];
    auto& out = work.bodies[b];
    Mat3T<T> rotation;
    Vec3T<T> position;
    SpatialT<T> velocity, bias;
    if (b == 0) {
      rotation = root_rotation(q);
      if (!model.fixed_root) velocity = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
      bias.linear = -cross(velocity.angular, velocity.linear) - model.gravity;
    } else {
      const auto& parent = work.bodies[at(body.parent)];
      rotation = parent.rotation, position = parent.position, velocity = parent.velocity, bias = parent.bias;
    }
    for (int h = body.first_hinge; h < body.first_hinge + body.hinge_count; ++h) {
      const HingeT<T>& hinge = model.hinges[at(h)];
      auto& moving = work.hinges[at(h)];
      const Vec3T<T> axis = rotation * hinge.axis;
      position += rotation * hinge.offset;
      moving.motion = {axis, cross(position, axis)};
      moving.velocity = velocity;
      const SpatialT<T> step = v[6 + at(h)] * moving.motion;
      bias += cross_motion(velocity, step);
      velocity += step;
      rotation = turned(rotation, hinge.axis, axis, q[7 + at(h)]);
    }
    out.rotation = rotation, out.position = position, out.velocity = velocity, out.bias = bias;
    out.inertia = inertia_at(body.mass, position + rotation * body.centre, rotated(rotation, body.inertia));
    out.momentum = out.inertia * velocity;
  }
}

/// Force that each body needs to follow its bias acceleration.
template <class T>
void start_forces(WorkspaceT<T>& work) {
  for (auto& body : work.bodies) {
    body.force = body.inertia * body.bias + cross_force(body.velocity, body.momentum);
  }
}

/// Leaves to root: articulated inertias. Bodies' `articulated` must hold what is their own, hinges' `diagonal` what
/// acts on their acceleration alone.
template <class T>
void sweep_factorize(const ModelT<T>& model, WorkspaceT<T>& work) {
  for (std::size_t b = model.bodies.size(); b-- > 1;) {
    const BodyT<T>& body = model.bodies[b];
    ArticulatedT<T>& inertia = work.bodies[b].articulated;
    for (int h = body.first_hinge + body.hinge_count; h-- > body.first_hinge;) {
      auto& hinge = work.hinges[at(h)];
      hinge.projected = inertia * hinge.motion;
      hinge.inverse = T(1) / (dot(hinge.motion, hinge.projected) + hinge.diagonal);
      add_outer(inertia, -hinge.inverse, hinge.projected);
    }
    work.bodies[at(body.parent)].articulated += inertia;
  }
  if (!model.fixed_root) work.root = factorize(work.bodies[0].articulated);
}

/// Solves H x = torque - J^T force with the factors of `sweep_factorize`; `force` of every body is used up, `field` is
/// J x. `x` may be `torque`.
template <class T>
void sweep_solve(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const T> torque, std::span<T> x) {
  for (std::size_t b = model.bodies.size(); b-- > 1;) {
    const BodyT<T>& body = model.bodies[b];
    SpatialT<T> force = work.bodies[b].force;
    for (int h = body.first_hinge + body.hinge_count; h-- > body.first_hinge;) {
      auto& hinge = work.hinges[at(h)];
      hinge.force = (torque[6 + at(h)] - dot(hinge.motion, force)) * hinge.inverse;
      force += hinge.force * hinge.projected;
    }
    work.bodies[at(body.parent)].force += force;
  }
  auto& root = work.bodies[0];
  root.field = {};
  if (!model.fixed_root) {
    const SpatialT<T> wrench{{torque[0], torque[1], torque[2]}, {torque[3], torque[4], torque[5]}};
    root.field = solve(work.root, wrench - root.force);
  }
  for (int k = 0; k < 3; ++k) x[at(k)] = root.field.angular[k], x[at(3 + k)] = root.field.linear[k];
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const BodyT<T>& body = model.bodies[b];
    SpatialT<T> field = work.bodies[at(body.parent)].field;
    for (int h = body.first_hinge; h < body.first_hinge + body.hinge_count; ++h) {
      const auto& hinge = work.hinges[at(h)];
      const T rate = hinge.force - hinge.inverse * dot(hinge.projected, field);
      x[6 + at(h)] = rate;
      field += rate * hinge.motion;
    }
    work.bodies[b].field = field;
  }
}

/// J x for every body, without solving.
template <class T>
void sweep_field(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const T> x) {
  work.bodies[0].field = {};
  if (!model.fixed_root) work.bodies[0].field = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const BodyT<T>& body = model.bodies[b];
    SpatialT<T> field = work.bodies[at(body.parent)].field;
    for (int h = body.first_hinge; h < body.first_hinge + body.hinge_count; ++h) {
      field += x[6 + at(h)] * work.hinges[at(h)].motion;
    }
    work.bodies[b].field = field;
  }
}

/// Generalised forces J^T force; `force` of every body is used up.
template <class T>
void sweep_project(const ModelT<T>& model, WorkspaceT<T>& work, std::span<T> torque) {
  for (std::size_t b = model.bodies.size(); b-- > 1;) {
    const BodyT<T>& body = model.bodies[b];
    const SpatialT<T> force = work.bodies[b].force;
    for (int h = body.first_hinge; h < body.first_hinge + body.hinge_count; ++h) {
      torque[6 + at(h)] = dot(work.hinges[at(h)].motion, force);
    }
    work.bodies[at(body.parent)].force += force;
  }
  const SpatialT<T> root = work.bodies[0].force;
  for (int k = 0; k < 3; ++k) torque[at(k)] = root.angular[k], torque[at(3 + k)] = root.linear[k];
}

}  // namespace limber::physics
