// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/base/symmetric.h"

/// Articulated rigid bodies in reduced coordinates: a const `Model`, a caller-owned `Workspace`, no allocation per
/// step, float or double. SI units, +Y up, the ground is y = 0.
///
/// A state is two arrays. Positions `q`: root position (3), root rotation as a quaternion (4), then one angle per
/// hinge. Velocities `v`: the root's angular velocity (3) and the linear velocity of its origin (3), both along the
/// world's axes, then one rate per hinge. Changes of `q` are measured like velocities: turns of the root along the
/// world's axes, shifts, angles.
namespace limber::physics {

/// One axis of rotation. A joint of three axes is three hinges in a row; only the last carries a body.
template <class T>
struct HingeT {
  Vec3T<T> axis;    ///< unit, in the frame before it
  Vec3T<T> offset;  ///< from the origin before it (the parent body's, or the joint's previous hinge) to its own
  T lower{-1000}, upper{1000};  ///< range of the angle, radians
  T stiffness{};                ///< k_e of the drive (AKD eq. 12), N m / rad
  T damping{};                  ///< k_d, N m s / rad
  T armature{};                 ///< inertia of the drive itself, kg m^2
  T limit_stiffness{};          ///< N m / rad beyond the range
};

/// A rigid body. Its frame is that of its last hinge; with all angles zero, all frames are parallel to the root's.
template <class T>
struct BodyT {
  int parent = -1;  ///< -1 for body 0, the root; else smaller than the body's own index
  int first_hinge = 0, hinge_count = 0;
  T mass{1};
  Vec3T<T> centre;                       ///< of mass
  SymmetricT<T> inertia;                 ///< about the centre of mass
  int first_point = 0, point_count = 0;  ///< its contact points
};

/// How drives and ground act. All smooth, on purpose: see docs/physics.md.
template <class T>
struct ContactLawT {
  T stiffness{};       ///< k of one contact point, N/m
  T softness{};        ///< eps: width of the transition from air to ground, m
  T damping{T(2)};     ///< c: how much harder the ground is for a point on its way down than for one on its way up
  T damping_speed{};   ///< v_0: at this speed most of that is reached, m/s
  T friction{T(0.9)};  ///< mu
  T stick_speed{};     ///< v_s: below this speed friction is viscous, m/s
};

template <class T>
struct ModelT {
  std::vector<BodyT<T>> bodies;
  std::vector<HingeT<T>> hinges;  ///< in the order of their bodies
  std::vector<Vec3T<T>> points;   ///< where bodies touch the ground, in their frames
  bool fixed_root = false;        ///< the root body does not move
  Vec3T<T> gravity{T(0), T(-9.81), T(0)};
  ContactLawT<T> contact;
  T limit_softness{T(0.02)};  ///< width of the transition at a joint's limit, radians

  int body_count() const { return static_cast<int>(bodies.size()); }
  int hinge_count() const { return static_cast<int>(hinges.size()); }
  std::size_t position_count() const { return 7 + hinges.size(); }
  std::size_t velocity_count() const { return 6 + hinges.size(); }
  T total_mass() const;

  template <class U>
  ModelT<U> cast() const;
};
using Model = ModelT<double>;

/// Whether everything that the dynamics rely on holds: tree order, positive masses, unit axes, finite numbers.
template <class T>
Status check_model(const ModelT<T>& model);

/// The position with the root at the origin, not turned, all angles zero.
template <class T>
std::vector<T> zero_position(const ModelT<T>& model);

/// q (+) delta: `delta` laid out like a velocity.
template <class T>
void integrate_position(const ModelT<T>& model, std::span<const T> q, std::span<const T> delta, std::span<T> result);

/// The delta with from (+) delta = to.
template <class T>
void position_difference(const ModelT<T>& model, std::span<const T> from, std::span<const T> to, std::span<T> delta);

// --- implementation ---------------------------------------------------------

template <class T>
T ModelT<T>::total_mass() const {
  T sum{};
  for (const BodyT<T>& body : bodies) sum += body.mass;
  return sum;
}

template <class T>
template <class U>
ModelT<U> ModelT<T>::cast() const {
  ModelT<U> m;
  for (const BodyT<T>& b : bodies) {
    m.bodies.push_back({b.parent, b.first_hinge, b.hinge_count, static_cast<U>(b.mass), b.centre.template cast<U>(),
                        b.inertia.template cast<U>(), b.first_point, b.point_count});
  }
  for (const HingeT<T>& h : hinges) {
    m.hinges.push_back({h.axis.template cast<U>(), h.offset.template cast<U>(), static_cast<U>(h.lower),
                        static_cast<U>(h.upper), static_cast<U>(h.stiffness), static_cast<U>(h.damping),
                        static_cast<U>(h.armature), static_cast<U>(h.limit_stiffness)});
  }
  for (const Vec3T<T>& p : points) m.points.push_back(p.template cast<U>());
  m.fixed_root = fixed_root;
  m.gravity = gravity.template cast<U>();
  m.contact = {static_cast<U>(contact.stiffness), static_cast<U>(contact.softness),
               static_cast<U>(contact.damping),   static_cast<U>(contact.damping_speed),
               static_cast<U>(contact.friction),  static_cast<U>(contact.stick_speed)};
  m.limit_softness = static_cast<U>(limit_softness);
  return m;
}

}  // namespace limber::physics
