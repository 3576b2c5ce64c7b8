// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/nn/blocks.h"

/// The linear layers of a transformer's feed-forward part, which may multiply in 8-bit floats.
namespace limber::prior {

using nn::Tensor;

/// A matrix in 8-bit floats (e4m3: 3 bits of mantissa, at most 448), every row with a scale of its own, so that its
/// largest number becomes 448.
struct Float8Rows {
  Tensor
      values;  ///< [rows, columns]; where LibTorch has no such type, or cannot multiply it, the same numbers in float
  Tensor scales;  ///< [rows, 1], float
  bool defined() const { return values.defined(); }
};
Float8Rows in_float8(const Tensor& matrix);

/// Whether a device multiplies 8-bit floats: Hopper, with a LibTorch from 2.5 on, which scales rows there alone. A CPU
/// computes the same numbers in float, slowly: to see how far they are off.
bool multiplies_float8(at::Device device);

/// y = W x + b.
struct Projection {
  nn::Linear layer;   ///< its weight is undefined when narrowed
  Float8Rows weight;  ///< instead

  Tensor operator()(const Tensor& x) const;
  /// Keeps the weight in 8-bit floats from now on; as it is where its sides are no multiples of 16, which GPUs need.
  void narrow();
};

template <class F>
void each_tensor(F&& f, Projection& projection) {
  for (Tensor* tensor :
       {&projection.layer.weight, &projection.layer.bias, &projection.weight.values, &projection.weight.scales}) {
    if (tensor->defined()) f(*tensor);
  }
}

}  // namespace limber::prior
