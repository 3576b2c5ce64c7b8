// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/step.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/base/expect.h"
#include "limber/physics/contact_law.h"
#include "limber/physics/rotation.h"
#include "limber/physics/sweeps.h"

namespace limber::physics {
namespace {

template <class T>
void check_sizes(const ModelT<T>& model, const WorkspaceT<T>& work, const StepSettings& settings,
                 const ControlT<T>& control, std::size_t q, std::size_t v) {
  LIMBER_EXPECT(settings.dt >= 0, std::to_string(settings.dt));
  LIMBER_EXPECT(q == model.position_count() && v == model.velocity_count() &&
                    control.targets.size() == model.hinges.size() && work.bodies.size() == model.bodies.size() &&
                    work.hinges.size() == model.hinges.size() &&
                    (control.external.empty() || control.external.size() == model.bodies.size()),
                std::to_string(q) + " positions, " + std::to_string(v) + " velocities, " +
                    std::to_string(control.targets.size()) + " targets, " + std::to_string(control.external.size()) +
                    " external forces; a model of " + std::to_string(model.hinges.size()) + " hinges and " +
                    std::to_string(model.bodies.size()) + " bodies");
}

/// How far an angle, where it is heading, is beyond its range, softened; with derivatives. Signed like the excess.
template <class T>
struct LimitTerms {
  T excess{}, slope{}, curvature{};
  LimitTerms(const HingeT<T>& hinge, T predicted, T softness) {
    const T range = T(kSoftRange) * softness;
    if (predicted > hinge.upper - range) {
      const Softplus<T> s(predicted - hinge.upper, softness);
      excess += s.value, slope += s.slope, curvature += s.curvature;
    }
    if (predicted < hinge.lower + range) {
      const Softplus<T> s(hinge.lower - predicted, softness);
      excess -= s.value, slope += s.slope, curvature -= s.curvature;
    }
  }
};

/// Drives and limits: torque without acceleration into `work.torque`, the answer to acceleration into the diagonal.
template <class T>
void apply_drives(const ModelT<T>& model, WorkspaceT<T>& work, T dt, const ControlT<T>& control, std::span<const T> q,
                  std::span<const T> v) {
  for (std::size_t h = 0; h < model.hinges.size(); ++h) {
    const HingeT<T>& hinge = model.hinges[h];
    const T predicted = q[7 + h] + dt * v[6 + h];
    const LimitTerms<T> limit(hinge, predicted, model.limit_softness);
    work.torque[6 + h] = hinge.stiffness * (control.targets[h] - predicted) - hinge.damping * v[6 + h] -
                         hinge.limit_stiffness * limit.excess;
    work.hinges[h].diagonal =
        hinge.armature + dt * hinge.damping + dt * dt * (hinge.stiffness + hinge.limit_stiffness * limit.slope);
  }
}

/// Finds the points near the ground and lets it act on their bodies.
template <class T>
void apply_contacts(const ModelT<T>& model, WorkspaceT<T>& work, T dt, T root_height) {
  const ContactLawT<T>& law = model.contact;
  const T reach = T(kSoftRange) * law.softness;
  for (int b = 0; b < model.body_count(); ++b) {
    const BodyT<T>& body = model.bodies[at(b)];
    auto& moving = work.bodies[at(b)];
    const Vec3T<T> row = moving.rotation.row(1);
    const T base = moving.position.y + root_height;
    for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
      const T height = base + dot(row, model.points[at(p)]);
      // Far from the ground even after the step: most points leave here.
      if (height > reach && height + dt * moving.velocity.linear.y > reach + T(1)) continue;
      ContactT<T> contact;
      contact.position = moving.position + moving.rotation * model.points[at(p)];
      contact.velocity = velocity_at(moving.velocity, contact.position);
      if (height + dt * contact.velocity.y > reach) continue;
      contact.body = b, contact.point = p, contact.height = height;
      evaluate_contact(law, dt, contact);
      const Vec3T<T> force = contact_force(contact, dt, {});
      moving.force -= force_at(contact.position, force);
      add_point_mass(moving.articulated, contact.position, dt * contact.drag, contact.mass);
      work.contacts.push_back(contact);
    }
  }
}

/// An axis of the root where it is heading, and where it should be.
template <class T>
struct GuidedAxis {
  Vec3T<T> now, predicted, target;
  GuidedAxis(const Mat3T<T>& rotation, Vec3T<T> angular_velocity, T dt, const GuideT<T>& guide, int k)
      : now(rotation.column(k)), predicted(now + dt * cross(angular_velocity, now)), target(guide.rotation.column(k)) {}
};

template <class T>
void apply_guide(WorkspaceT<T>& work, T dt, const GuideT<T>& guide, Vec3T<T> root_position) {
  auto& root = work.bodies[0];
  const SpatialT<T>& v = root.velocity;
  SpatialT<T> wrench;
  wrench.linear = scaled(guide.pull, guide.position - root_position - dt * v.linear) +
                  scaled(guide.pull_damping, guide.velocity - v.linear);
  wrench.angular = scaled(guide.turn_damping, guide.angular_velocity - v.angular);
  SymmetricT<T>& angular = root.articulated.angular;
  for (int k = 0; k < 3; ++k) {
    if (guide.turn[k] == T(0)) continue;
    const GuidedAxis<T> axis(root.rotation, v.angular, dt, guide, k);
    wrench.angular += guide.turn[k] * cross(axis.predicted, axis.target);
    const T stiffness = dt * dt * guide.turn[k];
    angular.xx += stiffness, angular.yy += stiffness, angular.zz += stiffness;
    add_outer(angular, -stiffness, axis.target);
  }
  root.force -= wrench;
  const Vec3T<T> drag = dt * guide.turn_damping, mass = dt * guide.pull_damping + (dt * dt) * guide.pull;
  angular.xx += drag.x, angular.yy += drag.y, angular.zz += drag.z;
  root.articulated.linear.xx += mass.x, root.articulated.linear.yy += mass.y, root.articulated.linear.zz += mass.z;
}

template <class T>
void apply_external(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const SpatialT<T>> external) {
  for (std::size_t b = 0; b < external.size(); ++b) {
    auto& body = work.bodies[b];
    const Vec3T<T> centre = body.position + body.rotation * model.bodies[b].centre;
    body.force -= SpatialT<T>{external[b].angular + cross(centre, external[b].linear), external[b].linear};
  }
}

/// Everything up to the acceleration of the step; leaves the factors in `work`.
template <class T>
void solve_step(const ModelT<T>& model, WorkspaceT<T>& work, const StepSettings& settings, const ControlT<T>& control,
                std::span<const T> q, std::span<const T> v) {
  const T dt = static_cast<T>(settings.dt);
  sweep_kinematics(model, work, q, v);
  start_forces(work);
  for (auto& body : work.bodies) body.articulated = to_articulated(body.inertia);
  std::fill_n(work.torque.begin(), 6, T(0));
  apply_drives(model, work, dt, control, q, v);
  work.contacts.clear();
  if (settings.ground) apply_contacts(model, work, dt, q[1]);
  apply_guide(work, dt, control.guide, {q[0], q[1], q[2]});
  apply_external(model, work, control.external);
  sweep_factorize(model, work);
  sweep_solve<T>(model, work, work.torque, work.acceleration);
}

/// How much `v`, after a step, exceeds the largest rate that is allowed; 1 or more.
template <class T>
T excess_rate(std::span<const T> v, T max_rate) {
  T fastest = max_rate;
  for (std::size_t k = 0; k < v.size(); ++k) {
    if (k < 3 || k >= 6) fastest = std::max(fastest, std::abs(v[k]));
  }
  return fastest / max_rate;
}

template <class T>
void slow_down(std::span<T> v, T max_rate) {
  const T excess = excess_rate<T>(v, max_rate);
  if (!(excess > T(1))) return;
  for (std::size_t k = 0; k < v.size(); ++k) {
    if (k < 3 || k >= 6) v[k] /= excess;
  }
}

}  // namespace

template <class T>
void step(const ModelT<T>& model, WorkspaceT<T>& work, const StepSettings& settings, const ControlT<T>& control,
          std::span<const T> q, std::span<const T> v, std::span<T> next_q, std::span<T> next_v) {
  check_sizes(model, work, settings, control, q.size(), v.size());
  LIMBER_EXPECT(next_q.size() == q.size() && next_v.size() == v.size(),
                std::to_string(next_q.size()) + " and " + std::to_string(next_v.size()) + " outputs");
  solve_step(model, work, settings, control, q, v);
  const T dt = static_cast<T>(settings.dt);
  for (ContactT<T>& contact : work.contacts) {
    contact.force = contact_force(contact, dt, velocity_at(work.bodies[at(contact.body)].field, contact.position));
  }
  for (std::size_t k = 0; k < v.size(); ++k) next_v[k] = v[k] + dt * work.acceleration[k];
  if (model.fixed_root) std::fill_n(next_v.begin(), 6, T(0));
  slow_down(next_v, static_cast<T>(settings.max_rate));
  for (std::size_t k = 0; k < v.size(); ++k) work.scratch[k] = dt * next_v[k];
  integrate_position<T>(model, q, work.scratch, next_q);
}

// --- adjoint -----------------------------------------------------------------

namespace {

/// What each body's own inertia, and gravity, give to the gradient of response . inverse_dynamics(q, v, a).
template <class T>
void start_body_gradients(WorkspaceT<T>& work) {
  for (auto& body : work.bodies) {
    const SpatialT<T> acceleration = body.bias + body.field;
    body.grad_response = body.inertia * acceleration + cross_force(body.velocity, body.momentum);
    body.grad_acceleration = body.inertia * body.response;
    body.grad_velocity =
        body.inertia * cross_motion(body.response, body.velocity) - cross_force(body.response, body.momentum);
    body.grad_field = {};
    body.grad_pose = {};
  }
}

template <class T>
void contact_gradients(const ModelT<T>& model, WorkspaceT<T>& work, T dt) {
  for (const ContactT<T>& contact : work.contacts) {
    auto& body = work.bodies[at(contact.body)];
    const Vec3T<T> x = contact.position;
    const Vec3T<T> acceleration = velocity_at(body.field, x), response = velocity_at(body.response, x);
    const Vec3T<T> force = contact_force(contact, dt, acceleration);
    const ContactGradient<T> g = contact_backward(model.contact, contact, dt, acceleration, response);
    body.grad_velocity += force_at(x, g.velocity);
    body.grad_field += force_at(x, g.acceleration);
    body.grad_response -= force_at(x, force);
    // The ground does not turn with the body: vectors at the point turn against it, and the height changes.
    body.grad_pose += force_at(x, Vec3T<T>{T(0), g.height, T(0)});
    body.grad_pose.angular +=
        cross(contact.velocity, g.velocity) + cross(acceleration, g.acceleration) - cross(response, force);
  }
}

template <class T>
void external_gradients(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const SpatialT<T>> external,
                        std::span<SpatialT<T>> grad_external) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    auto& body = work.bodies[b];
    const Vec3T<T> centre = body.position + body.rotation * model.bodies[b].centre;
    const Vec3T<T> response = velocity_at(body.response, centre);
    if (!grad_external.empty()) grad_external[b] += SpatialT<T>{body.response.angular, response};
    if (external.empty()) continue;
    const SpatialT<T>& wrench = external[b];
    body.grad_response -= SpatialT<T>{wrench.angular + cross(centre, wrench.linear), wrench.linear};
    body.grad_pose.angular -= cross(response, wrench.linear) + cross(body.response.angular, wrench.angular);
  }
}

/// What comes from before each hinge: response, joint acceleration alone, and all acceleration.
template <class T>
void sweep_before(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const T> v, std::span<const T> response) {
  auto& root = work.bodies[0];
  root.response = {};
  if (!model.fixed_root) {
    root.response = {{response[0], response[1], response[2]}, {response[3], response[4], response[5]}};
  }
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const BodyT<T>& body = model.bodies[b];
    const auto& parent = work.bodies[at(body.parent)];
    SpatialT<T> answer = parent.response, field = parent.field, acceleration = parent.field + parent.bias;
    for (int h = body.first_hinge; h < body.first_hinge + body.hinge_count; ++h) {
      auto& hinge = work.hinges[at(h)];
      hinge.response = answer, hinge.field = field, hinge.acceleration = acceleration;
      const SpatialT<T> step = work.acceleration[6 + at(h)] * hinge.motion;
      answer += response[6 + at(h)] * hinge.motion;
      field += step;
      acceleration += step + v[6 + at(h)] * cross_motion(hinge.velocity, hinge.motion);
    }
    work.bodies[b].response = answer;
  }
}

/// Leaves to root: from gradients on the bodies' velocities, accelerations and poses to those on angles and rates. A
/// turn of a hinge carries all that hangs on it along; seen from there, what comes from before it turns the other way.
template <class T>
void sweep_gradients(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const T> v, std::span<T> grad_q,
                     std::span<T> grad_v) {
  for (std::size_t b = model.bodies.size(); b-- > 1;) {
    const BodyT<T>& body = model.bodies[b];
    auto& own = work.bodies[b];
    for (int h = body.first_hinge + body.hinge_count; h-- > body.first_hinge;) {
      const auto& hinge = work.hinges[at(h)];
      const SpatialT<T>& s = hinge.motion;
      // dot(cross_motion(x, s), g) = -dot(cross_motion(s, x), g) = dot(x, cross_force(s, g))
      const SpatialT<T> coriolis = cross_force(s, own.grad_acceleration);
      grad_v[6 + at(h)] -= dot(own.grad_velocity, s) + dot(hinge.velocity, coriolis);
      own.grad_velocity += v[6 + at(h)] * coriolis;
      grad_q[6 + at(h)] -= dot(own.grad_pose, s) + dot(hinge.acceleration, coriolis) +
                           dot(hinge.velocity, cross_force(s, own.grad_velocity)) +
                           dot(hinge.response, cross_force(s, own.grad_response)) +
                           dot(hinge.field, cross_force(s, own.grad_field));
    }
    auto& parent = work.bodies[at(body.parent)];
    parent.grad_velocity += own.grad_velocity;
    parent.grad_response += own.grad_response;
    parent.grad_acceleration += own.grad_acceleration;
    parent.grad_field += own.grad_field;
    parent.grad_pose += own.grad_pose;
  }
}

/// The part of d(x . g) that a turn of the root about its origin makes, if x stays as it is in the world.
template <class T>
Vec3T<T> root_turn(const SpatialT<T>& x, const SpatialT<T>& g) {
  return cross(x.angular, g.angular) + cross(x.linear, g.linear);
}

template <class T>
void subtract(Vec3T<T> a, std::span<T> from, std::size_t first) {
  for (int k = 0; k < 3; ++k) from[first + at(k)] -= a[k];
}

template <class T>
void root_gradients(const ModelT<T>& model, const WorkspaceT<T>& work, std::span<T> grad_q, std::span<T> grad_v) {
  const auto& root = work.bodies[0];
  subtract(root.grad_pose.angular - root_turn(root.velocity, root.grad_velocity) -
               root_turn(root.response, root.grad_response) -
               root_turn(root.field + root.bias, root.grad_acceleration) - root_turn(root.field, root.grad_field),
           grad_q, 0);
  subtract(root.grad_pose.linear, grad_q, 3);
  if (model.fixed_root) return;
  // The root's spatial acceleration has the term -w x u.
  const Vec3T<T> force = root.grad_acceleration.linear;
  subtract(root.grad_velocity.angular - cross(root.velocity.linear, force), grad_v, 0);
  subtract(root.grad_velocity.linear - cross(force, root.velocity.angular), grad_v, 3);
}

template <class T>
void guide_gradients(const WorkspaceT<T>& work, T dt, const GuideT<T>& guide, std::span<T> grad_q,
                     std::span<T> grad_v) {
  const auto& root = work.bodies[0];
  const SpatialT<T>& response = root.response;
  subtract(scaled(guide.pull, response.linear), grad_q, 3);
  subtract(scaled(dt * guide.pull + guide.pull_damping, response.linear), grad_v, 3);
  subtract(scaled(guide.turn_damping, response.angular), grad_v, 0);
  for (int k = 0; k < 3; ++k) {
    if (guide.turn[k] == T(0)) continue;
    const GuidedAxis<T> axis(root.rotation, root.velocity.angular, dt, guide, k);
    const Vec3T<T> grad_predicted = -guide.turn[k] * cross(axis.target, response.angular);
    subtract(dt * cross(axis.now, grad_predicted), grad_v, 0);
    subtract(cross(axis.now, grad_predicted + dt * cross(grad_predicted, root.velocity.angular)), grad_q, 0);
  }
}

template <class T>
void drive_gradients(const ModelT<T>& model, const WorkspaceT<T>& work, T dt, std::span<const T> q,
                     std::span<const T> v, std::span<const T> response, const StepGradientT<T>& result) {
  for (std::size_t h = 0; h < model.hinges.size(); ++h) {
    const HingeT<T>& hinge = model.hinges[h];
    const T answer = response[6 + h];
    const LimitTerms<T> limit(hinge, q[7 + h] + dt * v[6 + h], model.limit_softness);
    const T grad_predicted =
        answer * (hinge.stiffness +
                  hinge.limit_stiffness * (limit.slope + dt * dt * limit.curvature * work.acceleration[6 + h]));
    result.q[6 + h] -= grad_predicted;
    result.v[6 + h] -= dt * grad_predicted + hinge.damping * answer;
    if (!result.targets.empty()) result.targets[h] += hinge.stiffness * answer;
  }
}

/// Through v+ = v + dt a and q+ = q (+) dt v+: leaves the gradient on v (through v+ alone) and q in `result`, and dt
/// times the former, the gradient on a, in `work.torque`.
template <class T>
void integration_backward(const ModelT<T>& model, WorkspaceT<T>& work, const StepSettings& settings,
                          std::span<const T> v, std::span<const T> grad_next_q, std::span<const T> grad_next_v,
                          const StepGradientT<T>& result) {
  const T dt = static_cast<T>(settings.dt), max_rate = static_cast<T>(settings.max_rate);
  for (std::size_t k = 0; k < v.size(); ++k) work.scratch[k] = v[k] + dt * work.acceleration[k];
  const T excess = excess_rate<T>(work.scratch, max_rate);
  slow_down<T>(work.scratch, max_rate);
  const Vec3T<T> turn = dt * Vec3T<T>{work.scratch[0], work.scratch[1], work.scratch[2]};
  const Vec3T<T> grad_turn{grad_next_q[0], grad_next_q[1], grad_next_q[2]};
  const Vec3T<T> to_velocity = left_jacobian_transposed(turn, grad_turn);
  const Vec3T<T> to_position = rotate(conjugate(rotation_quat(turn)), grad_turn);
  for (std::size_t k = 0; k < v.size(); ++k) {
    const T through_q = k < 3 ? to_velocity[static_cast<int>(k)] : grad_next_q[k];
    T grad = grad_next_v[k] + dt * through_q;
    if (k < 3 || k >= 6) grad /= excess;
    if (model.fixed_root && k < 6) grad = T(0);
    work.torque[k] = dt * grad;
    result.v[k] = grad;
    result.q[k] = k < 3 ? to_position[static_cast<int>(k)] : grad_next_q[k];
  }
}

}  // namespace

template <class T>
void step_backward(const ModelT<T>& model, WorkspaceT<T>& work, const StepSettings& settings,
                   const ControlT<T>& control, std::span<const T> q, std::span<const T> v,
                   std::span<const T> grad_next_q, std::span<const T> grad_next_v, const StepGradientT<T>& result) {
  check_sizes(model, work, settings, control, q.size(), v.size());
  LIMBER_EXPECT(grad_next_q.size() == v.size() && grad_next_v.size() == v.size() && result.q.size() == v.size() &&
                    result.v.size() == v.size(),
                std::to_string(grad_next_q.size()) + " and " + std::to_string(grad_next_v.size()) + " gradients");
  const T dt = static_cast<T>(settings.dt);
  solve_step(model, work, settings, control, q, v);
  integration_backward(model, work, settings, v, grad_next_q, grad_next_v, result);

  // With R(q, v, a) = 0 the step's equation, its matrix H = dR/da is symmetric and factorised: response = H^-1 grad_a.
  // What is left is minus the gradient of response . R on q and v, a held fixed.
  for (auto& body : work.bodies) body.force = {};
  std::vector<T>& response = work.torque;
  sweep_solve<T>(model, work, response, response);
  sweep_field<T>(model, work, work.acceleration);
  sweep_before<T>(model, work, v, response);
  start_body_gradients(work);
  contact_gradients(model, work, dt);
  external_gradients(model, work, control.external, result.external);
  sweep_gradients(model, work, v, result.q, result.v);
  root_gradients(model, work, result.q, result.v);
  guide_gradients(work, dt, control.guide, result.q, result.v);
  drive_gradients<T>(model, work, dt, q, v, response, result);
}

#define LIMBER_INSTANTIATE(T)                                                                                       \
  template void step(const ModelT<T>&, WorkspaceT<T>&, const StepSettings&, const ControlT<T>&, std::span<const T>, \
                     std::span<const T>, std::span<T>, std::span<T>);                                               \
  template void step_backward(const ModelT<T>&, WorkspaceT<T>&, const StepSettings&, const ControlT<T>&,            \
                              std::span<const T>, std::span<const T>, std::span<const T>, std::span<const T>,       \
                              const StepGradientT<T>&);
LIMBER_INSTANTIATE(float)
LIMBER_INSTANTIATE(double)
#undef LIMBER_INSTANTIATE

}  // namespace limber::physics
