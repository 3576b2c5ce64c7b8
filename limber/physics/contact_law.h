// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "limber/physics/workspace.h"

/// The ground's law and its derivatives. Private to `physics`.
namespace limber::physics {

/// Beyond so many widths a softplus is its own limit to the last digit that counts.
inline constexpr double kSoftRange = 16;

/// eps ln(1 + e^(x / eps)) with its first two derivatives.
template <class T>
struct Softplus {
  T value, slope, curvature;
  Softplus(T x, T eps) {
    const T e = std::exp(-std::abs(x) / eps);
    const T small = e / (T(1) + e);  // sigmoid(-|x| / eps)
    value = (x > T(0) ? x : T(0)) + eps * std::log1p(e);
    slope = x > T(0) ? T(1) - small : small;
    curvature = small * (T(1) - small) / eps;
  }
};

/// f_n = k softplus(-d) (1 + c sigmoid(-v_n / v_0)) / (1 + c / 2) at the height that the point will have after the step
/// if nothing acts on it, and what of it answers to acceleration:
///   normal force   = push - mass * acceleration_n
///   friction       = -drag * (v_t + dt * acceleration_t),   drag = mu push / sqrt(|v_t|^2 + v_s^2)
/// Needs `height` and `velocity` of the contact.
template <class T>
void evaluate_contact(const ContactLawT<T>& law, T dt, ContactT<T>& contact) {
  const T vn = contact.velocity.y;
  const Softplus<T> depth(-(contact.height + dt * vn), law.softness);
  const T s = T(1) / (T(1) + std::exp(vn / law.damping_speed));
  const T share = law.damping / (T(1) + law.damping / T(2));
  const T ds = -s * (T(1) - s) / law.damping_speed, dds = -(T(1) - T(2) * s) * ds / law.damping_speed;
  const T gain = T(1) / (T(1) + law.damping / T(2)) + share * s, slope = share * ds, curvature = share * dds;
  const T k = law.stiffness;

  contact.push = k * depth.value * gain;
  const T push_depth = k * depth.slope * gain;
  contact.push_height = -push_depth;
  contact.push_speed = -dt * push_depth + k * depth.value * slope;

  contact.mass = dt * dt * push_depth - dt * k * depth.value * slope;
  const T mass_depth = dt * dt * k * depth.curvature * gain - dt * k * depth.slope * slope;
  contact.mass_height = -mass_depth;
  contact.mass_speed = -dt * mass_depth + dt * dt * k * depth.slope * slope - dt * k * depth.value * curvature;

  contact.slip = std::sqrt(contact.velocity.x * contact.velocity.x + contact.velocity.z * contact.velocity.z +
                           law.stick_speed * law.stick_speed);
  contact.drag = law.friction * contact.push / contact.slip;
}

/// The force on the body once its acceleration at the point is known.
template <class T>
Vec3T<T> contact_force(const ContactT<T>& contact, T dt, Vec3T<T> acceleration) {
  return {-contact.drag * (contact.velocity.x + dt * acceleration.x), contact.push - contact.mass * acceleration.y,
          -contact.drag * (contact.velocity.z + dt * acceleration.z)};
}

/// Gradients of -response . contact_force on height, velocity and acceleration.
template <class T>
struct ContactGradient {
  T height;
  Vec3T<T> velocity, acceleration;
};
template <class T>
ContactGradient<T> contact_backward(const ContactLawT<T>& law, const ContactT<T>& c, T dt, Vec3T<T> acceleration,
                                    Vec3T<T> response) {
  const T slide = response.x * (c.velocity.x + dt * acceleration.x) + response.z * (c.velocity.z + dt * acceleration.z);
  const T grad_push = -response.y + law.friction / c.slip * slide;
  const T grad_mass = response.y * acceleration.y;
  const T grad_slip = -c.drag / (c.slip * c.slip) * slide;
  ContactGradient<T> g;
  g.height = grad_push * c.push_height + grad_mass * c.mass_height;
  g.velocity = {c.drag * response.x + grad_slip * c.velocity.x, grad_push * c.push_speed + grad_mass * c.mass_speed,
                c.drag * response.z + grad_slip * c.velocity.z};
  g.acceleration = {dt * c.drag * response.x, c.mass * response.y, dt * c.drag * response.z};
  return g;
}

}  // namespace limber::physics
