// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "limber/base/result.h"
#include "limber/nn/safetensors.h"

/// \file
/// Networks that ship run on these blocks: on the CPU, in float, without LibTorch. They compute what the blocks of
/// `nn/blocks.h`, which networks are trained with, compute on one example.
///
///     struct Mlp { Linear up, down; };
///     LIMBER_TRY(infer::WeightFile file, infer::WeightFile::open("mlp.safetensors"));
///     const Mlp mlp{file.linear("up", 192, 768), file.linear("down", 768, 192)};   // asks by name and shape
///     LIMBER_CHECK_OK(file.status());                                              // the first that did not fit
///     x += mlp.down(gelu_tanh(mlp.up(x)));
///
/// Everything is const and safe to use from several threads, and the same bits for any number of them.

namespace limber::nn::infer {

/// Memory that starts on a cache line: where a row starts decides how its sum is grouped into vectors, so that the same
/// numbers at another address could give other bits.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
  bool operator==(const LineAllocator&) const { return true; }
};
using Floats = std::vector<float, LineAllocator<float>>;

/// Numbers row by row: a row per token, a column per channel.
class Matrix {
 public:
  Matrix() = default;
  /// Zeros.
  Matrix(int rows, int columns);
  /// `values` are rows * columns.
  Matrix(int rows, int columns, Floats values);

  /// Another size; what the numbers are then is not said.
  void resize(int rows, int columns);
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  float& operator()(int row, int column) { return values_[at(row) + static_cast<std::size_t>(column)]; }
  float operator()(int row, int column) const { return values_[at(row) + static_cast<std::size_t>(column)]; }
  std::span<float> row(int row) { return std::span(values_).subspan(at(row), static_cast<std::size_t>(columns_)); }
  std::span<const float> row(int row) const {
    return std::span(values_).subspan(at(row), static_cast<std::size_t>(columns_));
  }
  std::span<float> values() { return values_; }
  std::span<const float> values() const { return values_; }

  /// Of the same size.
  Matrix& operator+=(const Matrix& other);

 private:
  std::size_t at(int row) const { return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_); }

  int rows_ = 0, columns_ = 0;
  Floats values_;
};

/// Numbers row by row, perhaps a part of longer rows. Not owned.
struct RowsView {
  const float* first = nullptr;
  int rows = 0, columns = 0;
  int stride = 0;  ///< from one row to the next
};
inline RowsView view_of(const Matrix& x) { return {x.values().data(), x.rows(), x.columns(), x.columns()}; }
RowsView rows_view(const RowsView& x, int first, int count);
RowsView columns_view(const RowsView& x, int first, int count);

/// Copies of neighbouring rows or columns.
Matrix rows_of(const Matrix& x, int first, int count);
Matrix columns_of(const Matrix& x, int first, int count);

/// The greatest number of each column among every `group` rows: [rows / group, columns].
Matrix max_of_rows(const Matrix& x, int group);

/// Weights in the order in which products read them: sixteen outputs side by side for one input after the other, the
/// last ones padded with zeros.
struct PackedWeight {
  int in = 0, out = 0;
  Floats numbers;

  int panels() const { return (out + 15) / 16; }
};

enum class Activation { kNone, kGelu, kSilu };  ///< kGelu: as `gelu_tanh`

/// y = W x + b for each row. The weights are brought into the order of the product once, when it is made.
class Linear {
 public:
  Linear() = default;
  /// `weight` is [out, in], `bias` [out].
  Linear(const Matrix& weight, Floats bias);

  int in() const { return weight_.in; }
  int out() const { return weight_.out; }
  Matrix operator()(const Matrix& x, Activation then = Activation::kNone) const;
  /// The same into `y`, which gets the right size: its memory is used again where it is large enough.
  void apply(const Matrix& x, Matrix& y, Activation then = Activation::kNone) const;

 private:
  PackedWeight weight_;
  Floats bias_;
};

/// a b
Matrix product(const Matrix& a, const Matrix& b);

/// Brings every `width` channels of a row to mean 0 and variance 1, then scales and shifts them. A width below that of
/// the rows treats each head for itself. Without weight and bias nothing is scaled or shifted.
struct LayerNorm {
  int width = 0;
  float eps = 1e-5f;
  Floats weight, bias;  ///< [width], or empty
  Matrix operator()(const Matrix& x) const;
};

/// One row brought to mean 0 and variance 1, then times `weight` plus `bias`, each as long as the row. `y` may be `x`.
void norm_row(std::span<const float> x, float eps, std::span<const float> weight, std::span<const float> bias,
              std::span<float> y);

Matrix gelu_tanh(Matrix x);
Matrix silu(Matrix x);

/// [1, width]: cosines, then sines of a time at many rates; as nn::timestep_embedding.
Matrix time_waves(double time, int width);

/// softmax(q k^T / sqrt(d) + bias) v for each of `heads` groups of d channels. q [n, heads * d]; k and v [m, heads *
/// d]; bias [heads * n, m], one head's rows after the other's, or empty.
Matrix attention(const Matrix& q, const Matrix& k, const Matrix& v, int heads, const Matrix& bias = {});

/// The same of parts of wider matrices; rows of the answer are `stride` apart.
void attend(const RowsView& q, const RowsView& k, const RowsView& v, int heads, const Matrix& bias, float* to,
            int stride);

/// Numbers to shares of one.
void softmax(std::span<float> values);

/// Gives a network its weights by name and shape. They are stored as floats of 32 or 16 bits, or, for matrices, as
/// signed bytes with a scale per row, `<name>_scale`. Files are not trusted: the first tensor that is missing, of
/// another shape or type, or not finite is remembered in `status`, and from then on everything is empty.
class WeightFile {
 public:
  /// See TensorArchive::open.
  static Result<WeightFile> open(const std::filesystem::path& path);
  explicit WeightFile(TensorArchive archive) : archive_(std::move(archive)) {}

  Matrix matrix(const std::string& name, int rows, int columns);
  Floats vector(const std::string& name, int size);
  /// `<name>.weight` and `<name>.bias`.
  Linear linear(const std::string& name, int in, int out);
  /// `<name>.weight` alone.
  Linear linear_without_bias(const std::string& name, int in, int out);
  LayerNorm layer_norm(const std::string& name, int width, float eps);

  const Status& status() const { return status_; }

 private:
  Result<Floats> load(const std::string& name, const Shape& shape) const;
  Result<Floats> load_bytes(const std::string& name, const TensorView& view) const;
  Floats get(const std::string& name, const Shape& shape);

  TensorArchive archive_;
  Status status_ = Done{};
};

}  // namespace limber::nn::infer
