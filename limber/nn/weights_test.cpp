// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/weights.h"

#include <gtest/gtest.h>

#include "limber/testing/shared_data.h"

namespace limber::nn {
namespace {

/// A checkpoint of two tensors in a folder of its own.
class WeightsTest : public ::testing::Test {
 protected:
  WeightsTest() {
    const TensorList tensors{{"up.weight", at::arange(6, at::kFloat).view({2, 3})}, {"up.bias", at::ones({2})}};
    EXPECT_TRUE(save_tensors(folder_.path() / "model.safetensors", tensors).ok());
  }
  Weights open(Placement placement = {}) { return *Weights::open(folder_.path(), placement); }

  testing::TemporaryFolder folder_;
};

TEST_F(WeightsTest, LoadsWhatTheModelAsksForInItsType) {
  Weights weights = open({at::kCPU, at::kBFloat16});
  const Tensor weight = weights.get("up.weight", {2, 3});
  const Tensor bias = (weights.root() / "up").get("bias", {2});
  ASSERT_TRUE(weights.finish().ok());
  EXPECT_EQ(weight.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(at::equal(weight.to(at::kFloat), at::arange(6, at::kFloat).view({2, 3})));
  EXPECT_EQ(weights.parameter_count(), 8);
  EXPECT_EQ(weights.byte_size(), 16u);
}

TEST_F(WeightsTest, NamesMissingSurplusAndMisshapenTensors) {
  Weights weights = open();
  const Tensor wrong = weights.get("up.weight", {3, 2});
  const Tensor missing = weights.get("down.weight", {3, 2});
  EXPECT_EQ(wrong.sizes(), (at::IntArrayRef{3, 2})) << "the description must be able to go on";
  const Status status = weights.finish();
  ASSERT_FALSE(status.ok());
  const std::string message = status.error().message();
  EXPECT_NE(message.find("up.weight: shape [2, 3], expected [3, 2]"), std::string::npos) << message;
  EXPECT_NE(message.find("down.weight: missing tensor"), std::string::npos) << message;
  EXPECT_NE(message.find("up.bias: unexpected tensor"), std::string::npos) << message;
}

TEST_F(WeightsTest, IgnoresATensorOnRequestOnly) {
  Weights weights = open();
  weights.get("up.weight", {2, 3});
  EXPECT_FALSE(weights.finish().ok());
  weights.ignore("up.bias");
  EXPECT_TRUE(weights.finish().ok());
}

TEST_F(WeightsTest, StartsWhatAnOlderFileMayLack) {
  Weights weights = open();
  weights.may_lack("down.weight"), weights.may_lack("up.bias");
  weights.get("up.weight", {2, 3});
  EXPECT_TRUE(at::equal(weights.get("down.weight", {3, 2}, Init::constant(5)), at::full({3, 2}, 5.0f)));
  EXPECT_TRUE(at::equal(weights.get("up.bias", {2}, Init::constant(5)), at::ones({2}))) << "it is there";
  EXPECT_TRUE(weights.finish().ok());
}

TEST_F(WeightsTest, RefusesIntegersAsWeights) {
  ASSERT_TRUE(save_tensors(folder_.path() / "model.safetensors", {{"w", at::arange(3)}}).ok());
  Weights weights = open();
  weights.get("w", {3});
  const Status status = weights.finish();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message().find("type I64"), std::string::npos) << status.error().message();
}

TEST_F(WeightsTest, DoesNotAliasTheFile) {
  Tensor weight;
  {
    Weights weights = open();
    weight = weights.get("up.weight", {2, 3});
  }
  std::filesystem::remove_all(folder_.path());
  EXPECT_EQ(weight.sum().item<float>(), 15.0f);
}

TEST(RandomWeights, DependOnSeedAndNameButNotOnOrder) {
  const Placement placement;
  Weights first = Weights::random(7, placement), second = Weights::random(7, placement),
          other = Weights::random(8, placement);
  const Tensor a = first.get("a", {64, 64}), b = first.get("b", {64, 64});
  EXPECT_TRUE(at::equal(second.get("b", {64, 64}), b));
  EXPECT_TRUE(at::equal(second.get("a", {64, 64}), a));
  EXPECT_FALSE(at::equal(a, b));
  EXPECT_FALSE(at::equal(other.get("a", {64, 64}), a));
  EXPECT_NEAR(a.std().item<float>(), 1.0f / 8.0f, 0.01f) << "deviation is 1/sqrt(fan-in)";
  EXPECT_TRUE(at::equal(first.get("c", {3}, Init::constant(1)), at::ones({3})));
  EXPECT_TRUE(first.finish().ok());
}

TEST(PlannedWeights, CountWithoutMemory) {
  Weights weights = Weights::plan();
  const Tensor huge = weights.get("huge", {1 << 20, 1 << 20});
  EXPECT_EQ(weights.parameter_count(), std::int64_t{1} << 40);
  EXPECT_EQ(weights.byte_size(), std::uint64_t{1} << 41);
  EXPECT_TRUE(huge.is_meta());
}

TEST(Attention, BlocksOfQueriesGiveWhatOneBlockGives) {
  at::manual_seed(1);
  const Tensor q = at::randn({1, 2, 2500, 8}), k = at::randn({1, 2, 1000, 8}), v = at::randn({1, 2, 1000, 8});
  const Tensor bias = at::randn({1, 2, 2500, 1000});
  const Tensor expected = at::matmul(at::softmax(at::matmul(q, k.transpose(-2, -1)) * 0.3 + bias, -1), v);
  const Tensor got = attention(q, k, v, 0.3, bias);
  EXPECT_LT((got - expected).norm().item<float>(), 1e-5f * expected.norm().item<float>());
}

}  // namespace
}  // namespace limber::nn
