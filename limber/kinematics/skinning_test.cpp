// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/skinning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "limber/base/rng.h"
#include "limber/base/simd.h"
#include "limber/base/threads.h"
#include "limber/kinematics/skinning_reference.h"
#include "limber/testing/toy_rigs.h"

namespace limber::kinematics {
namespace {

using testing::random_rotation;
using testing::random_vector;

/// Restores the level and the number of threads that a test changes.
class Skinning : public ::testing::Test {
 protected:
  ~Skinning() override {
    set_simd_level(level_);
    set_thread_count(0);
  }

 private:
  SimdLevel level_ = simd_level();
};

template <class T>
struct Geometry {
  std::vector<Vec3T<T>> points, normals;
  std::vector<SymmetricT<T>> covariances;

  void resize(std::size_t count) {
    points.assign(count, {});
    normals.assign(count, {});
    covariances.assign(count, {});
  }
};

template <class T>
std::vector<double> flat(const Geometry<T>& g) {
  std::vector<double> x;
  const auto add = [&](auto... numbers) { (x.push_back(double(numbers)), ...); };
  for (const Vec3T<T>& v : g.points) add(v.x, v.y, v.z);
  for (const Vec3T<T>& v : g.normals) add(v.x, v.y, v.z);
  for (const SymmetricT<T>& s : g.covariances) add(s.xx, s.xy, s.xz, s.yy, s.yz, s.zz);
  return x;
}

template <class T>
std::vector<double> flat(const std::vector<AffineT<T>>& affines) {
  std::vector<double> x;
  for (const AffineT<T>& a : affines) {
    for (int k = 0; k < 9; ++k) x.push_back(double(a.linear(k / 3, k % 3)));
    for (int k = 0; k < 3; ++k) x.push_back(double(a.translation[k]));
  }
  return x;
}

/// |a - b| / |b|
double relative_distance(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return size > 0 ? std::sqrt(difference / size) : std::sqrt(difference);
}

Geometry<float> random_geometry(std::size_t count, Rng& rng) {
  Geometry<float> g;
  for (std::size_t i = 0; i < count; ++i) {
    g.points.push_back(random_vector(rng));
    g.normals.push_back(normalized(random_vector(rng)));
    const Vec3 a = random_vector(rng, 0.1), b = random_vector(rng, 0.1);
    g.covariances.push_back({a.x * a.x + b.x * b.x, a.x * a.y + b.x * b.y, a.x * a.z + b.x * b.z, a.y * a.y + b.y * b.y,
                             a.y * a.z + b.y * b.z, a.z * a.z + b.z * b.z});
  }
  return g;
}

template <class T>
Geometry<T> cast(const Geometry<float>& from) {
  Geometry<T> to;
  for (const Vec3& v : from.points) to.points.push_back(v.cast<T>());
  for (const Vec3& v : from.normals) to.normals.push_back(v.cast<T>());
  for (const Symmetric& s : from.covariances) to.covariances.push_back({s.xx, s.xy, s.xz, s.yy, s.yz, s.zz});
  return to;
}

/// Random bones, weights, geometry and gradients. `parts` chooses geometry: 1 points, 2 normals, 4 covariances.
struct Case {
  std::size_t points, frames;
  int bones;
  rig::SkinWeights weights;
  Geometry<float> bind, grad;
  std::vector<Affine> matrices;

  Case(std::size_t point_count, std::size_t frame_count, int bone_count, int stride, int parts = 7)
      : points(point_count),
        frames(frame_count),
        bones(bone_count),
        weights(testing::toy_weights(point_count, bone_count, stride)) {
    Rng rng(point_count + 7 * frame_count);
    bind = random_geometry(points, rng);
    grad = random_geometry(points * frames, rng);
    for (std::size_t i = 0; i < frames * static_cast<std::size_t>(bones); ++i) {
      // Turns below a radian: blends of opposite turns are nearly singular, and their normals ill-conditioned.
      const Vec3 axis = normalized(random_vector(rng));
      Affine a{to_matrix(axis_angle(axis, static_cast<float>(rng.uniform(-1, 1)))), random_vector(rng)};
      for (int k = 0; k < 9; ++k) a.linear(k / 3, k % 3) += static_cast<float>(rng.uniform(-0.1, 0.1));
      matrices.push_back(a);
    }
    keep(parts, bind);
    keep(parts, grad);
  }
  static void keep(int parts, Geometry<float>& g) {
    if (!(parts & 1)) g.points.clear();
    if (!(parts & 2)) g.normals.clear();
    if (!(parts & 4)) g.covariances.clear();
  }
  SkinInput input() const {
    return {&weights, bind.points, bind.normals, bind.covariances, bones, static_cast<int>(frames), matrices};
  }
  Geometry<float> forward() const {
    Geometry<float> out;
    out.points.resize(bind.points.size() * frames);
    out.normals.resize(bind.normals.size() * frames);
    out.covariances.resize(bind.covariances.size() * frames);
    skin_forward(input(), {out.points, out.normals, out.covariances});
    return out;
  }
};

/// Gradients on bones and bind geometry.
template <class T>
struct Gradients {
  std::vector<AffineT<T>> bones;
  Geometry<T> bind;

  explicit Gradients(const Case& c) : bones(c.matrices.size(), AffineT<T>{Mat3T<T>{}, {}}) {
    bind.points.resize(c.bind.points.size());
    bind.normals.resize(c.bind.normals.size());
    bind.covariances.resize(c.bind.covariances.size());
  }
  SkinInputGradientT<T> target() { return {bones, bind.points, bind.normals, bind.covariances}; }
};

/// The plain answers in double.
struct Yardstick {
  Geometry<double> out;
  Gradients<double> gradients;

  explicit Yardstick(const Case& c) : gradients(c) {
    const Geometry<double> bind = cast<double>(c.bind), grad = cast<double>(c.grad);
    std::vector<Affined> matrices;
    for (const Affine& a : c.matrices) matrices.push_back(a.cast<double>());
    out.points.resize(bind.points.size() * c.frames);
    out.normals.resize(bind.normals.size() * c.frames);
    out.covariances.resize(bind.covariances.size() * c.frames);
    const SkinInputT<double> input{&c.weights, bind.points,   bind.normals, bind.covariances,
                                   c.bones,    int(c.frames), matrices};
    skin_forward_reference<double>(input, {out.points, out.normals, out.covariances});
    skin_backward_reference<double>(input, {grad.points, grad.normals, grad.covariances}, gradients.target());
  }
};

void expect_agreement(const Case& c, const std::string& what) {
  const Yardstick expected(c);
  for (const SimdLevel level : available_simd_levels()) {
    set_simd_level(level);
    const std::string where = what + ", " + std::string(simd_level_name(level));
    EXPECT_LT(relative_distance(flat(c.forward()), flat(expected.out)), 1e-6) << where;
    Gradients<float> found(c);
    skin_backward(c.input(), {c.grad.points, c.grad.normals, c.grad.covariances}, found.target());
    EXPECT_LT(relative_distance(flat(found.bones), flat(expected.gradients.bones)), 1e-5) << where;
    EXPECT_LT(relative_distance(flat(found.bind), flat(expected.gradients.bind)), 1e-5) << where;
  }
}

TEST_F(Skinning, AgreesWithTheReferenceForAnyNumberOfFramesAndPoints) {
  for (const int stride : {4, 8}) {
    for (const std::size_t frames : {1, 3, 4, 8, 15, 16, 17, 49}) {
      for (const std::size_t points : {1, 4, 7, 16, 33, 100}) {
        expect_agreement(Case(points, frames, 6, stride), std::to_string(frames) + " frames, " +
                                                              std::to_string(points) + " points, stride " +
                                                              std::to_string(stride));
      }
    }
  }
}

TEST_F(Skinning, AgreesWithTheReferenceForEveryChoiceOfGeometry) {
  for (int parts = 1; parts < 8; ++parts) {
    expect_agreement(Case(50, 5, 6, 4, parts), "parts " + std::to_string(parts));
  }
}

TEST_F(Skinning, SumsManyPointsAccurately) {
  // Several runs and blocks of points, and more bones than fit the cache.
  expect_agreement(Case(30000, 3, 3, 4), "few bones");
  expect_agreement(Case(9000, 2, 800, 8), "many bones");
}

TEST_F(Skinning, GivesTheSameBitsForAnyNumberOfThreads) {
  const Case c(5000, 21, 12, 4);
  for (const SimdLevel level : available_simd_levels()) {
    set_simd_level(level);
    set_thread_count(1);
    const Geometry<float> out = c.forward();
    Gradients<float> one(c);
    skin_backward(c.input(), {c.grad.points, c.grad.normals, c.grad.covariances}, one.target());
    for (const int threads : {2, 3, 4}) {
      set_thread_count(threads);
      const Geometry<float> again = c.forward();
      EXPECT_TRUE(again.points == out.points && again.normals == out.normals && again.covariances == out.covariances);
      Gradients<float> more(c);
      skin_backward(c.input(), {c.grad.points, c.grad.normals, c.grad.covariances}, more.target());
      EXPECT_TRUE(more.bones == one.bones && more.bind.points == one.bind.points &&
                  more.bind.normals == one.bind.normals && more.bind.covariances == one.bind.covariances)
          << threads << " threads";
    }
  }
}

TEST_F(Skinning, TurnsEverythingWithARigidBone) {
  Rng rng(3);
  Case c(10, 2, 1, 4);
  const Mat3 turn = to_matrix(random_rotation(rng));
  c.matrices.assign(2, {turn, {1, 2, 3}});
  const Geometry<float> out = c.forward();
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_LT(norm(out.points[i] - (turn * c.bind.points[i % 10] + Vec3{1, 2, 3})), 1e-5f);
    EXPECT_LT(norm(out.normals[i] - turn * c.bind.normals[i % 10]), 1e-5f);
    const Symmetric &a = c.bind.covariances[i % 10], &b = out.covariances[i];
    EXPECT_NEAR(a.xx + a.yy + a.zz, b.xx + b.yy + b.zz, 1e-6f);
  }
}

TEST_F(Skinning, TurnsNormalsLikeTheSurfaceAroundThem) {
  // Squashed, sheared and mirrored: the normal is the cross product of the moved tangents.
  Case c(1, 1, 1, 4, 3);
  c.bind.normals[0] = {0, 0, 1};
  Affine a;
  a.linear.m = {{{-1, 0.3f, 0.2f}, {0.1f, 2, 0}, {0.4f, 0, 0.2f}}};
  c.matrices = {a};
  const Vec3 expected = normalized(cross(a.linear.column(0), a.linear.column(1)));
  for (const SimdLevel level : available_simd_levels()) {
    set_simd_level(level);
    EXPECT_LT(norm(c.forward().normals[0] - expected), 1e-6f);
  }
}

TEST_F(Skinning, StaysFiniteWhereANormalHasNoDirection) {
  Case c(3, 2, 1, 4);
  c.matrices.assign(2, {Mat3{}, {1, 0, 0}});
  for (const SimdLevel level : available_simd_levels()) {
    set_simd_level(level);
    const Geometry<float> out = c.forward();
    EXPECT_EQ(out.normals[0], Vec3{});
    Gradients<float> found(c);
    skin_backward(c.input(), {c.grad.points, c.grad.normals, c.grad.covariances}, found.target());
    for (const double x : flat(found.bones)) EXPECT_TRUE(std::isfinite(x));
    for (const double x : flat(found.bind)) EXPECT_TRUE(std::isfinite(x));
  }
}

TEST_F(Skinning, IgnoresBonesOfWeightZeroWhereverTheyStand) {
  Case c(6, 3, 4, 4);
  for (std::size_t p = 0; p < 6; ++p) {
    // Unsorted: weight in the second and fourth slot; bone 3 is broken, and unused.
    for (std::size_t k = 0; k < 4; ++k) c.weights.bones[p * 4 + k] = k % 2 == 0 ? 3 : static_cast<std::uint16_t>(k / 2);
    for (std::size_t k = 0; k < 4; ++k) c.weights.weights[p * 4 + k] = k % 2 == 0 ? 0.0f : 0.5f;
  }
  for (std::size_t f = 0; f < 3; ++f) c.matrices[f * 4 + 3].linear(0, 0) = std::numeric_limits<float>::quiet_NaN();
  expect_agreement(c, "zero weights");
}

TEST_F(Skinning, AddsToGradients) {
  const Case c(40, 5, 3, 4);
  Gradients<float> once(c), twice(c);
  const SkinGradient grad{c.grad.points, c.grad.normals, c.grad.covariances};
  skin_backward(c.input(), grad, once.target());
  for (int i = 0; i < 2; ++i) skin_backward(c.input(), grad, twice.target());
  const std::vector<double> a = flat(once.bones), b = flat(twice.bones);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(2 * a[i], b[i]);
  EXPECT_LT(relative_distance(flat(twice.bind), flat(once.bind)) - 1, 1e-5);
}

TEST_F(Skinning, TakesMissingGradientsAsZero) {
  Case c(40, 5, 3, 4);
  c.grad.normals.clear();
  c.grad.covariances.clear();
  expect_agreement(c, "only a gradient on points");
  Gradients<float> nothing(c);
  skin_backward(c.input(), {}, nothing.target());
  for (const double x : flat(nothing.bones)) EXPECT_EQ(x, 0);
}

TEST_F(Skinning, TakesNoFramesAndNoPoints) {
  EXPECT_TRUE(Case(10, 0, 3, 4).forward().points.empty());
  EXPECT_TRUE(Case(0, 4, 3, 4).forward().points.empty());
}

TEST_F(Skinning, RefusesBrokenContracts) {
  const Case c(10, 2, 3, 4);
  std::vector<Vec3> points(20), few(19);
  SkinInput input = c.input();
  input.normals = {};
  input.covariances = {};
  EXPECT_NO_THROW(skin_forward(input, {points, {}, {}}));
  EXPECT_THROW(skin_forward(input, {few, {}, {}}), ContractError);
  EXPECT_THROW(skin_forward(input, {points, points, {}}), ContractError);
  EXPECT_THROW(skin_backward(input, {few, {}, {}}, {}), ContractError);
  input.bone_count = 2;
  EXPECT_THROW(skin_forward(input, {points, {}, {}}), ContractError);
  // A bone index past the end.
  Case bad = c;
  bad.weights.bones[5] = 3;
  EXPECT_THROW(bad.forward(), ContractError);
  input.weights = nullptr;
  EXPECT_THROW(skin_forward(input, {points, {}, {}}), ContractError);
}

}  // namespace
}  // namespace limber::kinematics
