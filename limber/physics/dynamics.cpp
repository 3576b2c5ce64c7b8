// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/dynamics.h"

#include <algorithm>
#include <string>

#include "limber/base/expect.h"
#include "limber/physics/sweeps.h"

namespace limber::physics {
namespace {

template <class T>
void check_sizes(const ModelT<T>& model, const WorkspaceT<T>& work, std::size_t q, std::size_t v) {
  LIMBER_EXPECT(q == model.position_count() && v == model.velocity_count() &&
                    work.bodies.size() == model.bodies.size() && work.hinges.size() == model.hinges.size(),
                std::to_string(q) + " positions, " + std::to_string(v) + " velocities, a model of " +
                    std::to_string(model.hinges.size()) + " hinges, a workspace of " +
                    std::to_string(work.hinges.size()));
}

}  // namespace

template <class T>
void inverse_dynamics(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const T> q, std::span<const T> v,
                      std::span<const T> a, std::span<T> tau) {
  check_sizes(model, work, q.size(), v.size());
  LIMBER_EXPECT(a.size() == v.size() && tau.size() == v.size(), std::to_string(a.size()));
  sweep_kinematics(model, work, q, v);
  start_forces(work);
  sweep_field(model, work, a);
  for (auto& body : work.bodies) body.force += body.inertia * body.field;
  sweep_project(model, work, tau);
  for (std::size_t h = 0; h < model.hinges.size(); ++h) tau[6 + h] += model.hinges[h].armature * a[6 + h];
}

template <class T>
void forward_dynamics(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const T> q, std::span<const T> v,
                      std::span<const T> tau, std::span<T> a) {
  check_sizes(model, work, q.size(), v.size());
  LIMBER_EXPECT(a.size() == v.size() && tau.size() == v.size(), std::to_string(a.size()));
  sweep_kinematics(model, work, q, v);
  start_forces(work);
  for (auto& body : work.bodies) body.articulated = to_articulated(body.inertia);
  for (std::size_t h = 0; h < model.hinges.size(); ++h) work.hinges[h].diagonal = model.hinges[h].armature;
  sweep_factorize(model, work);
  sweep_solve(model, work, tau, a);
}

template <class T>
MechanicsT<T> mechanics(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const T> q, std::span<const T> v) {
  check_sizes(model, work, q.size(), v.size());
  sweep_kinematics(model, work, q, v);
  MechanicsT<T> m;
  SpatialT<T> momentum;
  T mass{};
  for (const auto& body : work.bodies) {
    m.kinetic += dot(body.velocity, body.momentum) / T(2);
    momentum += body.momentum;
    m.centre += body.inertia.moment;
    mass += body.inertia.mass;
  }
  for (std::size_t h = 0; h < model.hinges.size(); ++h) {
    m.kinetic += model.hinges[h].armature * v[6 + h] * v[6 + h] / T(2);
  }
  const Vec3T<T> centre = m.centre / mass;
  m.centre = centre + Vec3T<T>{q[0], q[1], q[2]};
  m.potential = -mass * dot(model.gravity, m.centre);
  m.linear_momentum = momentum.linear;
  m.angular_momentum = momentum.angular - cross(centre, momentum.linear);
  return m;
}

template <class T>
void body_poses(const ModelT<T>& model, WorkspaceT<T>& work, std::span<const T> q, std::span<AffineT<T>> poses) {
  LIMBER_EXPECT(poses.size() == model.bodies.size(), std::to_string(poses.size()) + " poses");
  std::fill(work.scratch.begin(), work.scratch.end(), T(0));
  check_sizes(model, work, q.size(), work.scratch.size());
  sweep_kinematics<T>(model, work, q, work.scratch);
  const Vec3T<T> root{q[0], q[1], q[2]};
  for (std::size_t b = 0; b < poses.size(); ++b) {
    poses[b] = {work.bodies[b].rotation, work.bodies[b].position + root};
  }
}

#define LIMBER_INSTANTIATE(T)                                                                                 \
  template void inverse_dynamics(const ModelT<T>&, WorkspaceT<T>&, std::span<const T>, std::span<const T>,    \
                                 std::span<const T>, std::span<T>);                                           \
  template void forward_dynamics(const ModelT<T>&, WorkspaceT<T>&, std::span<const T>, std::span<const T>,    \
                                 std::span<const T>, std::span<T>);                                           \
  template MechanicsT<T> mechanics(const ModelT<T>&, WorkspaceT<T>&, std::span<const T>, std::span<const T>); \
  template void body_poses(const ModelT<T>&, WorkspaceT<T>&, std::span<const T>, std::span<AffineT<T>>);
LIMBER_INSTANTIATE(float)
LIMBER_INSTANTIATE(double)
#undef LIMBER_INSTANTIATE

}  // namespace limber::physics
