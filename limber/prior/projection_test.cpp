// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/projection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/prior/latent_prior.h"
#include "limber/prior/parity_case.h"

namespace limber::prior {
namespace {

Tensor normal(at::IntArrayRef shape, std::uint64_t seed) {
  at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
  generator.set_current_seed(seed);
  return at::empty(shape).normal_(0, 1, generator);
}

/// All that e4m3 has, not less than 0.
std::vector<double> float8_numbers() {
  std::vector<double> numbers;
  for (int exponent = 0; exponent < 16; ++exponent) {
    for (int mantissa = 0; mantissa < 8; ++mantissa) {
      if (exponent == 15 && mantissa == 7) continue;  // not a number
      numbers.push_back(exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10));
    }
  }
  return numbers;
}

TEST(Float8, RoundsToTheNearestNumber) {
  const std::vector<double> numbers = float8_numbers();
  ASSERT_EQ(numbers.back(), 448);
  const int count = 400;
  Tensor row = at::exp(normal({1, count}, 1) * 4);
  row[0][0] = 448, row[0][1] = 0, row = row.clamp_max(448);
  const Float8Rows rows = in_float8(row);
  ASSERT_EQ(rows.scales.item<float>(), 1);
  for (int i = 0; i < count; ++i) {
    const double x = row[0][i].item<float>(), rounded = rows.values[0][i].item<float>();
    double nearest = numbers.front();
    for (const double number : numbers) {
      if (std::abs(number - x) < std::abs(nearest - x)) nearest = number;
    }
    EXPECT_EQ(rounded, nearest) << x;
  }
  // Ties go to the even mantissa.
  const Tensor ties = at::tensor({448.0f, 1.0625f, -1.1875f, 0.0009765625f}).view({1, 4});
  const Tensor expected = at::tensor({448.0f, 1.0f, -1.25f, 0.0f});
  EXPECT_TRUE(at::equal(in_float8(ties).values[0], expected)) << in_float8(ties).values;
}

TEST(Float8, ScalesEveryRowByItself) {
  const Tensor small = normal({3, 32}, 2);
  const Tensor matrix = at::cat({small, 1e6 * small, at::zeros({1, 32})});
  const Float8Rows rows = in_float8(matrix);
  const Tensor back = rows.values * rows.scales;
  EXPECT_LT(relative_error(back.narrow(0, 0, 3), small), 0.04);
  EXPECT_LT(relative_error(back.narrow(0, 3, 3), 1e6 * small), 0.04);
  EXPECT_EQ(back[6].abs().max().item<float>(), 0);
}

TEST(Projection, MultipliesIn8BitFloatsWithinAFewPercent) {
  Projection projection;
  projection.layer = {normal({64, 128}, 3), normal({64}, 4)};
  const Tensor x = normal({2, 5, 128}, 5), exact = projection(x);
  Tensor outlier = x.clone();
  outlier.select(2, 7).mul_(100);
  const Tensor exact_outlier = projection(outlier);
  projection.narrow();
  ASSERT_TRUE(projection.weight.defined());
  const Tensor y = projection(x);
  ASSERT_EQ(y.sizes(), exact.sizes());
  const double error = relative_error(y, exact);
  EXPECT_LT(error, 0.05);
  EXPECT_GT(error, 0.005) << "nothing was rounded";
  EXPECT_LT(relative_error(projection(outlier), exact_outlier), 0.05);
}

TEST(Projection, StaysWideWhereGpusCouldNotMultiply) {
  Projection projection;
  projection.layer = {normal({24, 40}, 3), {}};
  const Tensor x = normal({3, 40}, 5), exact = projection(x);
  projection.narrow();
  EXPECT_TRUE(at::equal(projection(x), exact));
}

/// The weights of a transformer, a few channels of what its layers multiply made a hundred times as large.
nn::TensorList with_outliers(const ParityCase& parity) {
  nn::Weights weights = parity.weights("transformer");
  const auto network = make_denoiser(parity.checkpoint, weights.root());
  nn::TensorList tensors;
  for (const auto& [name, tensor] : weights.tensors()) {
    Tensor copy = tensor.clone();
    // CogVideoX scales by the weight of a norm, Wan by 1 + a row of its table.
    if (name.ends_with("norm1.norm.weight") || name.ends_with("norm2.norm.weight")) copy.narrow(0, 3, 2).mul_(100);
    if (name.ends_with("scale_shift_table") && copy.size(1) == 6) {
      copy.narrow(2, 3, 2).select(1, 1).add_(99), copy.narrow(2, 3, 2).select(1, 4).add_(99);
    }
    tensors.emplace_back(name, copy);
  }
  return tensors;
}

/// How far the prediction of a network in 8-bit floats is off.
double narrowed_error(const ParityCase& parity, nn::Weights wide, nn::Weights narrow, int timestep) {
  const auto exact = make_denoiser(parity.checkpoint, wide.root());
  const auto rounded = make_denoiser(parity.checkpoint, narrow.root());
  rounded->narrow_blocks();
  const std::string prefix = "t" + std::to_string(timestep) + ".";
  Tensor z = parity.tensor(prefix + "z_t");
  if (std::holds_alternative<WanModel>(parity.checkpoint.model)) z = z.transpose(1, 2);
  const Tensor text = parity.tensor("prompt_embeds");
  return relative_error(rounded->predict(z, timestep, text), exact->predict(z, timestep, text));
}

TEST(Float8Parity, IsWithinFivePercentOfTheReferenceNetworks) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const auto& folder : parity_folders()) {
    SCOPED_TRACE(folder.filename());
    const ParityCase parity(folder);
    for (const int t : {20, 100, 500, 900, 980}) {
      if (!parity.has("t" + std::to_string(t) + ".z_t")) continue;
      const double error = narrowed_error(parity, parity.weights("transformer"), parity.weights("transformer"), t);
      EXPECT_LT(error, 0.05) << t;
      EXPECT_GT(error, 1e-4) << t << ": nothing was rounded";
      const nn::TensorList outliers = with_outliers(parity);
      const double beside_outliers =
          narrowed_error(parity, nn::Weights::from_tensors(outliers), nn::Weights::from_tensors(outliers), t);
      EXPECT_LT(beside_outliers, 0.06) << t << ", with outliers";
      std::printf("  %-24s t %3d  %.4f, with outliers %.4f\n", folder.filename().c_str(), t, error, beside_outliers);
    }
  }
}

}  // namespace
}  // namespace limber::prior
