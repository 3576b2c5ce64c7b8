// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/physics/model.h"
#include "limber/physics/workspace.h"

/// The state transition S of AKD eq. 11 and its exact vector-Jacobian product. Instantiated for float and double.
namespace limber::physics {

/// A virtual helper at the root: a damped spring towards a pose that moves. With `turn` = (0, k_u, 0), an upright
/// target and no pull it is AKD's force that keeps the root upright. All zero: no help.
template <class T>
struct GuideT {
  Vec3T<T> position, velocity;  ///< of the root's origin
  Mat3T<T> rotation = Mat3T<T>::identity();
  Vec3T<T> angular_velocity;
  Vec3T<T> pull, pull_damping;  ///< N/m and N s/m along the world's axes
  Vec3T<T> turn;                ///< N m, for each axis of the root separately: how firmly it is held to its target
  Vec3T<T> turn_damping;        ///< N m s, about the world's axes
};
using Guide = GuideT<double>;

/// What acts on the bodies during one step.
template <class T>
struct ControlT {
  std::span<const T> targets;  ///< theta_hat of eq. 12, per hinge
  GuideT<T> guide;
  std::span<const SpatialT<T>> external;  ///< per body: torque and force at its centre of mass, along the world's
                                          ///< axes; empty for none
};

struct StepSettings {
  double dt = 1.0 / 240;  ///< seconds, >= 0
  bool ground = true;     ///< whether there is one
  double max_rate = 200;  ///< radians a second; faster turns are slowed down to this, so that nothing explodes
};

/// One step of semi-implicit Euler. Drives, limits, guide and contacts are implicit in the acceleration (linearised),
/// so the step is stable for any stiffness; the articulated-body algorithm stays O(n) because all of these act on one
/// hinge or one body.
///
/// The outputs may be the inputs. `work.contacts` then tells the contacts and their forces.
template <class T>
void step(const ModelT<T>& model, WorkspaceT<T>& work, const StepSettings& settings, const ControlT<T>& control,
          std::span<const T> q, std::span<const T> v, std::span<T> next_q, std::span<T> next_v);

/// Where the adjoint of a step puts its results; it adds to the optional ones and overwrites the first two.
template <class T>
struct StepGradientT {
  std::span<T> q, v;                ///< both laid out like velocities
  std::span<T> targets;             ///< per hinge; may be empty
  std::span<SpatialT<T>> external;  ///< per body; may be empty
};

/// From the gradient on the state after a step to that on the state before it and on the controls. Needs only what the
/// step was given; keeps nothing from it. `grad_next_*` may be the outputs.
template <class T>
void step_backward(const ModelT<T>& model, WorkspaceT<T>& work, const StepSettings& settings,
                   const ControlT<T>& control, std::span<const T> q, std::span<const T> v,
                   std::span<const T> grad_next_q, std::span<const T> grad_next_v, const StepGradientT<T>& result);

}  // namespace limber::physics
