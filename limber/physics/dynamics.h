// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/physics/model.h"
#include "limber/physics/workspace.h"

/// Motion without drives, limits or ground. All O(number of hinges). Instantiated for float and double.
namespace limber::physics {

/// tau = M(q) a + h(q, v), gravity included: the recursive Newton-Euler algorithm. The root's entries are the torque
/// about its origin and the force that it needs from outside.
template <class T>
void inverse_dynamics(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const T> q, std::span<const T> v,
                      std::span<const T> a, std::span<T> tau);

/// a = M(q)^-1 (tau - h(q, v)): the articulated-body algorithm.
template <class T>
void forward_dynamics(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const T> q, std::span<const T> v,
                      std::span<const T> tau, std::span<T> a);

/// Conserved quantities, for tests and reports. Momenta in the world, the angular one about the centre of mass.
template <class T>
struct MechanicsT {
  T kinetic{}, potential{};
  Vec3T<T> centre, linear_momentum, angular_momentum;
};
template <class T>
MechanicsT<T> mechanics(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const T> q, std::span<const T> v);

/// world_from_body of every body.
template <class T>
void body_poses(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const T> q, std::span<AffineT<T>> poses);

}  // namespace limber::physics
