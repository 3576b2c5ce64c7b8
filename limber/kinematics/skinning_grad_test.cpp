// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "limber/base/rng.h"
#include "limber/base/simd.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning_reference.h"
#include "limber/testing/gradient_check.h"
#include "limber/testing/toy_rigs.h"

namespace limber::kinematics {
namespace {

using testing::check_gradient;
using testing::GradientCheck;

template <class Struct>
std::span<const double> as_doubles(const std::vector<Struct>& v) {
  return {reinterpret_cast<const double*>(v.data()), v.size() * sizeof(Struct) / sizeof(double)};
}
template <class Struct>
std::span<double> as_doubles(std::vector<Struct>& v) {
  return {reinterpret_cast<double*>(v.data()), v.size() * sizeof(Struct) / sizeof(double)};
}

/// All that goes into skinning, and all that comes out, in double.
struct State {
  std::vector<Affined> bones;
  std::vector<Vec3d> points, normals;
  std::vector<SymmetricT<double>> covariances;

  State(std::size_t bone_count, std::size_t point_count)
      : bones(bone_count, Affined{Mat3d{}, {}}), points(point_count), normals(point_count), covariances(point_count) {}

  template <class Body>
  void for_each_part(const Body& body) {
    body(as_doubles(bones));
    body(as_doubles(points));
    body(as_doubles(normals));
    body(as_doubles(covariances));
  }
  std::vector<double> flat() {
    std::vector<double> x;
    for_each_part([&](std::span<const double> part) { x.insert(x.end(), part.begin(), part.end()); });
    return x;
  }
  void assign(std::span<const double> x) {
    for_each_part([&](std::span<double> part) {
      std::copy_n(x.begin(), part.size(), part.begin());
      x = x.subspan(part.size());
    });
  }
};

TEST(SkinningGrad, ReferenceIsExact) {
  constexpr int kBones = 3, kFrames = 2;
  constexpr std::size_t kPoints = 4;
  for (const int stride : {4, 8}) {
    const rig::SkinWeights weights = testing::toy_weights(kPoints, kBones, stride, 5);
    Rng rng(6);
    State in(kBones * kFrames, kPoints), loss(0, kPoints * kFrames);
    in.for_each_part([&](std::span<double> part) {
      for (double& x : part) x = rng.normal();
    });
    loss.for_each_part([&](std::span<double> part) {
      for (double& x : part) x = rng.normal();
    });
    const auto input = [&](const State& s) {
      return SkinInputT<double>{&weights, s.points, s.normals, s.covariances, kBones, kFrames, s.bones};
    };
    const auto value = [&](std::span<const double> x) {
      State at = in, out(0, kPoints * kFrames);
      at.assign(x);
      skin_forward_reference<double>(input(at), {out.points, out.normals, out.covariances});
      const std::vector<double> a = out.flat(), b = loss.flat();
      double sum = 0;
      for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
      return sum;
    };
    State grad(kBones * kFrames, kPoints);
    skin_backward_reference<double>(input(in), {loss.points, loss.normals, loss.covariances},
                                    {grad.bones, grad.points, grad.normals, grad.covariances});
    testing::GradientCheckSettings settings;
    settings.step = 1e-4;
    const GradientCheck check = check_gradient(value, in.flat(), grad.flat(), settings);
    EXPECT_LT(check.error, 1e-6) << check.summary();
  }
}

/// Angles and root translations of a motion to skinned points and covariances, and a random linear loss on those.
struct Clip {
  static constexpr int kFrames = 3;
  static constexpr std::size_t kPoints = 60;
  rig::Rig rig;
  rig::SkinWeights weights;
  Motion motion;
  std::vector<Vec3> points, loss_points;
  std::vector<Symmetric> covariances, loss_covariances;

  explicit Clip(const testing::ToyRigSettings& settings)
      : rig(testing::toy_rig(settings)),
        weights(testing::toy_weights(kPoints, rig.bone_count(), 4)),
        motion(rest_motion(rig, kFrames, 24)) {
    Rng rng(9);
    for (Vec3& v : motion.root_translations) v = testing::random_vector(rng);
    for (Vec3& v : motion.angles) v = testing::random_vector(rng);
    const auto number = [&] { return static_cast<float>(rng.normal()); };
    for (std::size_t i = 0; i < kPoints; ++i) {
      points.push_back(testing::random_vector(rng));
      Symmetric& s = covariances.emplace_back();
      s.xx = number(), s.xy = number(), s.xz = number(), s.yy = number(), s.yz = number(), s.zz = number();
    }
    for (std::size_t i = 0; i < kPoints * kFrames; ++i) {
      loss_points.push_back(testing::random_vector(rng));
      Symmetric& s = loss_covariances.emplace_back();
      s.xx = number(), s.xy = number(), s.xz = number(), s.yy = number(), s.yz = number(), s.zz = number();
    }
  }

  /// Root translations, then angles.
  std::vector<double> parameters() const { return flat(motion.root_translations, motion.angles); }
  static std::vector<double> flat(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    std::vector<double> x;
    for (const auto* part : {&a, &b}) {
      for (const Vec3& v : *part) {
        for (int k = 0; k < 3; ++k) x.push_back(double(v[k]));
      }
    }
    return x;
  }

  double loss(std::span<const double> x) const {
    const std::size_t joints = rig.joints().size();
    const auto vec = [&](std::size_t i) { return Vec3d{x[3 * i], x[3 * i + 1], x[3 * i + 2]}; };
    std::vector<Affined> bones;
    for (std::size_t f = 0; f < kFrames; ++f) {
      std::vector<Vec3d> angles;
      for (std::size_t j = 0; j < joints; ++j) angles.push_back(vec(kFrames + f * joints + j));
      std::vector<Affined> world(joints), frame_bones(rig.bones().size());
      joints_forward<double>(rig, {vec(f), angles, {}, {}}, world);
      bones_forward<double>(rig, world, frame_bones);
      bones.insert(bones.end(), frame_bones.begin(), frame_bones.end());
    }
    std::vector<Vec3d> bind, out(kPoints * kFrames);
    std::vector<SymmetricT<double>> shapes, out_shapes(kPoints * kFrames);
    for (const Vec3& v : points) bind.push_back(v.cast<double>());
    for (const Symmetric& s : covariances) shapes.push_back({s.xx, s.xy, s.xz, s.yy, s.yz, s.zz});
    skin_forward_reference<double>({&weights, bind, {}, shapes, rig.bone_count(), kFrames, bones},
                                   {out, {}, out_shapes});
    double sum = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Symmetric& g = loss_covariances[i];
      const SymmetricT<double>& s = out_shapes[i];
      sum += dot(out[i], loss_points[i].cast<double>()) + g.xx * s.xx + g.xy * s.xy + g.xz * s.xz + g.yy * s.yy +
             g.yz * s.yz + g.zz * s.zz;
    }
    return sum;
  }

  /// The fast way: float kernels, then the FK adjoint.
  std::vector<double> gradient() const {
    const std::vector<Affine> bones = bone_matrices(rig, motion);
    std::vector<Affine> grad_bones(bones.size(), Affine{Mat3{}, {}});
    skin_backward({&weights, points, {}, covariances, rig.bone_count(), kFrames, bones},
                  {loss_points, {}, loss_covariances}, {grad_bones, {}, {}, {}});
    MotionGradient result;
    motion_backward(rig, motion, grad_bones, result);
    return flat(result.root_translations, result.angles);
  }
};

TEST(SkinningGrad, FlowsFromPointsAndCovariancesToAnglesOnEveryLevel) {
  const SimdLevel before = simd_level();
  for (const testing::ToyShape shape : {testing::ToyShape::kTree, testing::ToyShape::kChain}) {
    testing::ToyRigSettings settings;
    settings.shape = shape;
    settings.joints = shape == testing::ToyShape::kChain ? 40 : 12;
    settings.axes = settings.scales = settings.frames = true;
    settings.extra_bones = 4;
    const Clip clip(settings);
    for (const SimdLevel level : available_simd_levels()) {
      set_simd_level(level);
      testing::GradientCheckSettings check_settings;
      check_settings.floor = 0.1;
      const GradientCheck check = check_gradient([&](std::span<const double> x) { return clip.loss(x); },
                                                 clip.parameters(), clip.gradient(), check_settings);
      EXPECT_LT(check.error, 1e-4) << simd_level_name(level) << ", " << check.summary();
    }
  }
  set_simd_level(before);
}

}  // namespace
}  // namespace limber::kinematics
