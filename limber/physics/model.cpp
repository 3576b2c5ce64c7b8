// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/model.h"

#include <fmt/format.h>

#include "limber/base/expect.h"
#include "limber/physics/rotation.h"

namespace limber::physics {
namespace {

template <class T>
bool finite(const SymmetricT<T>& s) {
  return is_finite(Vec3T<T>{s.xx, s.xy, s.xz}) && is_finite(Vec3T<T>{s.yy, s.yz, s.zz});
}

template <class T>
Status check_body(const ModelT<T>& model, std::size_t b, int& next_hinge) {
  const BodyT<T>& body = model.bodies[b];
  const std::string where = fmt::format("model#/bodies/{}", b);
  if (b == 0 ? body.parent != -1 : body.parent < 0 || body.parent >= static_cast<int>(b)) {
    return Error{fmt::format("parent {} does not come first", body.parent), where};
  }
  if (b == 0 ? body.hinge_count != 0 : body.hinge_count < 1) return Error{"only the root has no hinge", where};
  if (body.first_hinge != next_hinge) return Error{"hinges out of order", where};
  next_hinge += body.hinge_count;
  if (!(body.mass > T(0)) || !is_finite(body.centre) || !finite(body.inertia)) {
    return Error{"mass and inertia must be positive and finite", where};
  }
  if (body.first_point < 0 || body.point_count < 0 ||
      static_cast<std::size_t>(body.first_point) + static_cast<std::size_t>(body.point_count) > model.points.size()) {
    return Error{"contact points out of range", where};
  }
  return Done{};
}

}  // namespace

template <class T>
Status check_model(const ModelT<T>& model) {
  if (model.bodies.empty()) return Error{"no bodies", "model"};
  int next_hinge = 0;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) LIMBER_CHECK_OK(check_body(model, b, next_hinge));
  if (next_hinge != model.hinge_count()) return Error{"hinges without a body", "model#/hinges"};
  for (std::size_t h = 0; h < model.hinges.size(); ++h) {
    const HingeT<T>& hinge = model.hinges[h];
    const bool good = std::abs(norm(hinge.axis) - T(1)) < T(1e-4) && is_finite(hinge.offset) &&
                      hinge.lower <= hinge.upper && hinge.stiffness >= T(0) && hinge.damping >= T(0) &&
                      hinge.armature >= T(0) && hinge.limit_stiffness >= T(0);
    if (!good) return Error{"axis, range or gains are not usable", fmt::format("model#/hinges/{}", h)};
  }
  for (std::size_t p = 0; p < model.points.size(); ++p) {
    if (!is_finite(model.points[p])) return Error{"not finite", fmt::format("model#/points/{}", p)};
  }
  return Done{};
}
template Status check_model(const ModelT<float>&);
template Status check_model(const ModelT<double>&);

template <class T>
std::vector<T> zero_position(const ModelT<T>& model) {
  std::vector<T> q(model.position_count());
  q[6] = T(1);
  return q;
}
template std::vector<float> zero_position(const ModelT<float>&);
template std::vector<double> zero_position(const ModelT<double>&);

template <class T>
void integrate_position(const ModelT<T>& model, std::span<const T> q, std::span<const T> delta, std::span<T> result) {
  LIMBER_EXPECT(
      q.size() == model.position_count() && result.size() == q.size() && delta.size() == model.velocity_count(),
      fmt::format("{} positions, {} changes, {} results", q.size(), delta.size(), result.size()));
  const QuatT<T> turn = rotation_quat(Vec3T<T>{delta[0], delta[1], delta[2]});
  const QuatT<T> rotation = normalized(turn * QuatT<T>{q[3], q[4], q[5], q[6]});
  for (std::size_t k = 0; k < 3; ++k) result[k] = q[k] + delta[3 + k];
  for (int k = 0; k < 4; ++k) result[3 + static_cast<std::size_t>(k)] = rotation[k];
  for (std::size_t h = 0; h < model.hinges.size(); ++h) result[7 + h] = q[7 + h] + delta[6 + h];
}
template void integrate_position(const ModelT<float>&, std::span<const float>, std::span<const float>,
                                 std::span<float>);
template void integrate_position(const ModelT<double>&, std::span<const double>, std::span<const double>,
                                 std::span<double>);

template <class T>
void position_difference(const ModelT<T>& model, std::span<const T> from, std::span<const T> to, std::span<T> delta) {
  LIMBER_EXPECT(
      from.size() == model.position_count() && to.size() == from.size() && delta.size() == model.velocity_count(),
      fmt::format("{} and {} positions, {} changes", from.size(), to.size(), delta.size()));
  const QuatT<T> turn = QuatT<T>{to[3], to[4], to[5], to[6]} * conjugate(QuatT<T>{from[3], from[4], from[5], from[6]});
  const Vec3T<T> angle = rotation_vector(turn);
  for (int k = 0; k < 3; ++k) delta[static_cast<std::size_t>(k)] = angle[k];
  for (std::size_t k = 0; k < 3; ++k) delta[3 + k] = to[k] - from[k];
  for (std::size_t h = 0; h < model.hinges.size(); ++h) delta[6 + h] = to[7 + h] - from[7 + h];
}
template void position_difference(const ModelT<float>&, std::span<const float>, std::span<const float>,
                                  std::span<float>);
template void position_difference(const ModelT<double>&, std::span<const double>, std::span<const double>,
                                  std::span<double>);

}  // namespace limber::physics
