// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <span>

#include "limber/prior/vae_ops.h"
#include "limber/testing/gradient_check.h"

namespace limber::prior {
namespace {

Tensor numbers(at::IntArrayRef shape, double scale = 1) { return at::randn(shape, at::kDouble) * scale; }

Conv conv(at::IntArrayRef shape) { return {numbers(shape, 0.3), numbers({shape[0]}), {}}; }

/// Compares the gradient of a random combination of the entries of f(x) with differences, in double.
double gradient_error(at::IntArrayRef shape, const std::function<Tensor(const Tensor&)>& f) {
  const Tensor x = numbers(shape).requires_grad_(true);
  const Tensor y = f(x);
  const Tensor probe = numbers(y.sizes());
  const Tensor gradient = torch::autograd::grad({y}, {x}, {probe})[0].contiguous();
  const auto value = [&](std::span<const double> point) {
    const at::NoGradGuard no_gradients;
    const Tensor at_point = at::from_blob(const_cast<double*>(point.data()), shape, at::kDouble);
    return (f(at_point) * probe).sum().item<double>();
  };
  const auto count = static_cast<std::size_t>(x.numel());
  return testing::check_gradient(value, {x.data_ptr<double>(), count}, {gradient.data_ptr<double>(), count}).error;
}

class VaeOpsGrad : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(11); }
};

TEST_F(VaeOpsGrad, Convolutions) {
  const Conv full = conv({3, 2, 3, 3, 3}), time = conv({3, 2, 3, 1, 1}), flat = conv({3, 2, 3, 3}),
             point = conv({3, 2, 1, 1});
  EXPECT_LT(gradient_error({4, 2, 4, 3}, [&](const Tensor& x) { return conv_in_time(x, full); }), 1e-6);
  EXPECT_LT(gradient_error({5, 2, 2, 3}, [&](const Tensor& x) { return conv_time_only(x, time, 1); }), 1e-6);
  EXPECT_LT(gradient_error({5, 2, 2, 3}, [&](const Tensor& x) { return conv_time_only(x, time, 2); }), 1e-6);
  // The last frame is not looked at.
  EXPECT_LT(gradient_error({6, 2, 2, 3}, [&](const Tensor& x) { return conv_time_only(x, time, 2); }), 1e-6);
  EXPECT_LT(gradient_error({2, 2, 4, 6}, [&](const Tensor& x) { return conv_frames(x, flat); }), 1e-6);
  EXPECT_LT(gradient_error({2, 2, 4, 6}, [&](const Tensor& x) { return conv_frames(x, point); }), 1e-6);
  EXPECT_LT(gradient_error({2, 2, 4, 6}, [&](const Tensor& x) { return conv_down(x, flat); }), 1e-6);
}

TEST_F(VaeOpsGrad, Norms) {
  const GroupNorm norm{numbers({6}), numbers({6}), 3, 1e-6};
  EXPECT_LT(gradient_error({2, 6, 3, 4}, [&](const Tensor& x) { return norm_silu(x, norm); }), 1e-6);
  const Tensor gamma = numbers({6});
  EXPECT_LT(gradient_error({2, 6, 3, 4}, [&](const Tensor& x) { return channel_norm_silu(x, gamma); }), 1e-6);
  EXPECT_LT(gradient_error({2, 6, 3, 4}, [&](const Tensor& x) { return channel_norm(x, gamma); }), 1e-6);
}

TEST_F(VaeOpsGrad, MemoryBetweenChunks) {
  const Conv full = conv({2, 2, 3, 3, 3});
  for (const auto start : {CausalState::Start::kRepeatFirst, CausalState::Start::kZeros}) {
    const auto two_chunks = [&](const Tensor& x) {
      CausalState state(start);
      state.begin_chunk();
      const Tensor first = conv_in_time(state.extend(x.narrow(0, 0, 1)), full);
      state.begin_chunk();
      return at::cat({first, conv_in_time(state.extend(x.narrow(0, 1, 3)), full)});
    };
    EXPECT_LT(gradient_error({4, 2, 3, 2}, two_chunks), 1e-6);
  }
}

TEST_F(VaeOpsGrad, ConvolutionsOfImages) {
  const Conv full = conv({3, 2, 3, 3, 3}), images = as_image_convolution(full);
  const Tensor video = numbers({6, 2, 5, 4});
  EXPECT_TRUE(at::allclose(conv_in_time(video, images), conv_in_time(video, full)));
  EXPECT_LT(gradient_error({5, 2, 4, 3}, [&](const Tensor& x) { return conv_in_time(x, images); }), 1e-6);
}

TEST(VaeOps, ChunksWithMemoryEqualTheWholeVideo) {
  at::manual_seed(12);
  const Conv full = conv({2, 2, 3, 3, 3});
  const Tensor video = numbers({7, 2, 4, 4});
  CausalState whole(CausalState::Start::kRepeatFirst), parts(CausalState::Start::kRepeatFirst);
  whole.begin_chunk();
  const Tensor expected = conv_in_time(whole.extend(video), full);
  std::vector<Tensor> pieces;
  for (const auto& [begin, length] : {std::pair{0, 3}, std::pair{3, 1}, std::pair{4, 3}}) {
    parts.begin_chunk();
    pieces.push_back(conv_in_time(parts.extend(video.narrow(0, begin, length)), full));
  }
  EXPECT_TRUE(at::allclose(at::cat(pieces), expected));
}

}  // namespace
}  // namespace limber::prior
