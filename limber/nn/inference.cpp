// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/inference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/nn/kernels.h"
#include "limber/nn/wide_product.h"

namespace limber::nn::infer {
namespace {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<RowMatrix>;
using ConstRows = Eigen::Map<const RowMatrix>;

constexpr std::size_t kNumbersAtOnce = 1 << 14;  // of a step that looks at each number a few times, on one thread
constexpr int kQueriesAtOnce = 42;               // of an attention: half of kProductRows, whose shares fit a near cache
constexpr std::int64_t kPieceWork = 1'000'000;   // multiplications that take longer than waking a thread

Rows map(Matrix& x) { return {x.values().data(), x.rows(), x.columns()}; }
ConstRows map(const Matrix& x) { return {x.values().data(), x.rows(), x.columns()}; }

/// Calls `body(row)` for all rows of so many numbers, some at a time.
template <class Body>
void for_rows(std::size_t rows, int columns, const Body& body) {
  parallel_for(rows, kNumbersAtOnce / at(std::max(columns, 1)) + 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) body(r);
  });
}

Matrix activated(Matrix x, Activation then) {
  const std::span<float> values = x.values();
  parallel_for(values.size(), kNumbersAtOnce, [&](std::size_t begin, std::size_t end) {
    kernels().activate(then, values.data() + begin, end - begin);
  });
  return x;
}

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, exponent = (half >> 10) & 31u, fraction = half & 1023u;
  if (exponent == 0) {
    const float small = static_cast<float>(fraction) * 0x1.0p-24f;
    return sign != 0 ? -small : small;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

Result<Floats> floats_of(const TensorView& view, const std::string& where) {
  Floats values(view.bytes.size() / size_of(view.dtype));
  if (view.dtype == Dtype::kF32) {
    std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
  } else if (view.dtype == Dtype::kF16) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint16_t half = 0;
      std::memcpy(&half, view.bytes.data() + 2 * i, 2);
      values[i] = half_to_float(half);
    }
  } else {
    return Error{"neither 16-bit nor 32-bit floats", where};
  }
  return values;
}

bool all_finite(const Floats& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

/// "8 x 8"
std::string extents(const Shape& shape) { return fmt::format("{}", fmt::join(shape, " x ")); }

}  // namespace

// --- Matrix -------------------------------------------------------------------

Matrix::Matrix(int rows, int columns)
    : rows_(rows), columns_(columns), values_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {}

Matrix::Matrix(int rows, int columns, Floats values) : rows_(rows), columns_(columns), values_(std::move(values)) {
  LIMBER_EXPECT(values_.size() == at(rows), fmt::format("{} numbers, {} x {}", values_.size(), rows, columns));
}

void Matrix::resize(int rows, int columns) {
  rows_ = rows, columns_ = columns;
  values_.resize(at(rows));
}

Matrix& Matrix::operator+=(const Matrix& other) {
  LIMBER_EXPECT(rows_ == other.rows_ && columns_ == other.columns_,
                fmt::format("{} x {} and {} x {}", rows_, columns_, other.rows_, other.columns_));
  map(*this) += map(other);
  return *this;
}

RowsView rows_view(const RowsView& x, int first, int count) {
  LIMBER_EXPECT(first >= 0 && count >= 0 && count <= x.rows - first, fmt::format("{} from {}", count, first));
  return {x.first + static_cast<std::ptrdiff_t>(first) * x.stride, count, x.columns, x.stride};
}

RowsView columns_view(const RowsView& x, int first, int count) {
  LIMBER_EXPECT(first >= 0 && count >= 0 && count <= x.columns - first, fmt::format("{} from {}", count, first));
  return {x.first + first, x.rows, count, x.stride};
}

Matrix rows_of(const Matrix& x, int first, int count) {
  LIMBER_EXPECT(first >= 0 && count >= 0 && count <= x.rows() - first, fmt::format("{} from {}", count, first));
  Matrix part(count, x.columns());
  map(part) = map(x).middleRows(first, count);
  return part;
}

Matrix columns_of(const Matrix& x, int first, int count) {
  LIMBER_EXPECT(first >= 0 && count >= 0 && count <= x.columns() - first, fmt::format("{} from {}", count, first));
  Matrix part(x.rows(), count);
  map(part) = map(x).middleCols(first, count);
  return part;
}

Matrix max_of_rows(const Matrix& x, int group) {
  LIMBER_EXPECT(group > 0 && x.rows() % group == 0, fmt::format("{} rows by {}", x.rows(), group));
  Matrix y(x.rows() / group, x.columns());
  for (int r = 0; r < y.rows(); ++r) {
    map(y).row(r) = map(x).middleRows(static_cast<Eigen::Index>(r) * group, group).colwise().maxCoeff();
  }
  return y;
}

// --- blocks -------------------------------------------------------------------

Linear::Linear(const Matrix& weight, Floats bias) : weight_(packed_weight(view_of(weight))), bias_(std::move(bias)) {
  LIMBER_EXPECT(static_cast<int>(bias_.size()) == out(), fmt::format("{} and {}", bias_.size(), out()));
}

Matrix Linear::operator()(const Matrix& x, Activation then) const {
  Matrix y;
  apply(x, y, then);
  return y;
}

void Linear::apply(const Matrix& x, Matrix& y, Activation then) const {
  LIMBER_EXPECT(x.columns() == in(), fmt::format("{} and {}", x.columns(), in()));
  y.resize(x.rows(), out());
  if (y.values().empty()) return;
  // Blocks of rows by blocks of panels, each worth waking a thread for.
  const int rows = std::min(x.rows(), kProductRows);
  const std::int64_t panel_work = std::int64_t{rows} * std::max(in(), 1) * kPanel;
  const auto fewest = static_cast<int>(std::min<std::int64_t>(kPieceWork / panel_work + 1, weight_.panels()));
  const int panels = (fewest + 1) / 2 * 2;  // in pairs, as the widest kernel takes them
  const int across = (weight_.panels() + panels - 1) / panels, down = (x.rows() + rows - 1) / rows;
  parallel_for(at(across) * at(down), 1, [&](std::size_t i, std::size_t) {
    const int row = static_cast<int>(i) / across * rows, panel = static_cast<int>(i) % across * panels;
    wide_product(rows_view(view_of(x), row, std::min(rows, x.rows() - row)), weight_, bias_.data(), panel,
                 std::min(panels, weight_.panels() - panel), y.row(row).data(), out(), then);
  });
}

Matrix product(const Matrix& a, const Matrix& b) {
  LIMBER_EXPECT(a.columns() == b.rows(), fmt::format("{} and {}", a.columns(), b.rows()));
  Matrix y(a.rows(), b.columns());
  const PackedWeight packed = packed_transpose(view_of(b));
  parallel_for(at(a.rows()), at(kProductRows), [&](std::size_t begin, std::size_t end) {
    const int first = static_cast<int>(begin);
    wide_product(rows_view(view_of(a), first, static_cast<int>(end) - first), packed, nullptr, y.row(first).data(),
                 y.columns());
  });
  return y;
}

Matrix LayerNorm::operator()(const Matrix& x) const {
  LIMBER_EXPECT(width > 0 && x.columns() % width == 0, fmt::format("{} by {}", x.columns(), width));
  LIMBER_EXPECT(weight.size() == bias.size() && (weight.empty() || static_cast<int>(weight.size()) == width),
                fmt::format("{} and {} for {}", weight.size(), bias.size(), width));
  Matrix y(x.rows(), x.columns());
  const float *from = x.values().data(), *scale = weight.empty() ? nullptr : weight.data();
  for_rows(x.values().size() / at(width), width, [&](std::size_t r) {
    const std::size_t first = r * at(width);
    kernels().normalise(from + first, y.values().data() + first, width, eps, scale, bias.data());
  });
  return y;
}

void norm_row(std::span<const float> x, float eps, std::span<const float> weight, std::span<const float> bias,
              std::span<float> y) {
  LIMBER_EXPECT(weight.size() == x.size() && bias.size() == x.size() && y.size() == x.size(), std::to_string(x.size()));
  kernels().normalise(x.data(), y.data(), static_cast<int>(x.size()), eps, weight.data(), bias.data());
}

Matrix gelu_tanh(Matrix x) { return activated(std::move(x), Activation::kGelu); }
Matrix silu(Matrix x) { return activated(std::move(x), Activation::kSilu); }

Matrix time_waves(double time, int width) {
  Matrix waves(1, width);
  const int half = width / 2;
  for (int i = 0; i < half; ++i) {
    const float rate = std::exp(static_cast<float>(i) * -std::log(10000.0f) / static_cast<float>(half));
    const float angle = static_cast<float>(time) * rate;
    waves(0, i) = std::cos(angle), waves(0, half + i) = std::sin(angle);
  }
  return waves;
}

namespace {

/// Keys and values of a head as products read them.
struct Head {
  PackedWeight keys, values;
};

}  // namespace

/// By tiles: some queries of one head look at all keys, and what they see is kept beside for as long as they need it.
void attend(const RowsView& q, const RowsView& k, const RowsView& v, int heads, const Matrix& bias, float* to,
            int stride) {
  LIMBER_EXPECT(
      heads > 0 && q.columns % heads == 0 && k.columns == q.columns && v.columns == q.columns && k.rows == v.rows,
      fmt::format("{}, {} and {} channels, {} heads", q.columns, k.columns, v.columns, heads));
  LIMBER_EXPECT(bias.rows() == 0 || (bias.rows() == heads * q.rows && bias.columns() == k.rows),
                fmt::format("{} x {}", bias.rows(), bias.columns()));
  const int width = q.columns / heads, tiles = (q.rows + kQueriesAtOnce - 1) / kQueriesAtOnce;
  const float scale = 1 / std::sqrt(static_cast<float>(width));
  std::vector<Head> packed(at(heads));
  parallel_for(packed.size(), 1, [&](std::size_t h, std::size_t) {
    const int first = static_cast<int>(h) * width;
    packed[h] = {packed_weight(columns_view(k, first, width)), packed_transpose(columns_view(v, first, width))};
  });
  std::vector<Floats> beside(at(thread_count()));
  parallel_for(at(heads) * at(tiles), 1, [&](std::size_t i, std::size_t) {
    const int head = static_cast<int>(i) / tiles, row = static_cast<int>(i) % tiles * kQueriesAtOnce;
    const int rows = std::min(kQueriesAtOnce, q.rows - row);
    Floats& shares = beside[at(thread_index())];
    shares.resize(at(kQueriesAtOnce) * at(k.rows));
    wide_product(columns_view(rows_view(q, row, rows), head * width, width), packed[at(head)].keys, nullptr,
                 shares.data(), k.rows);
    for (int r = 0; r < rows; ++r) {
      const float* add = bias.rows() > 0 ? bias.row(head * q.rows + row + r).data() : nullptr;
      kernels().softmax(shares.data() + at(r) * at(k.rows), k.rows, scale, add);
    }
    wide_product({shares.data(), rows, k.rows, k.rows}, packed[at(head)].values, nullptr,
                 to + static_cast<std::ptrdiff_t>(row) * stride + head * width, stride);
  });
}

Matrix attention(const Matrix& q, const Matrix& k, const Matrix& v, int heads, const Matrix& bias) {
  Matrix result(q.rows(), q.columns());
  attend(view_of(q), view_of(k), view_of(v), heads, bias, result.values().data(), result.columns());
  return result;
}

void softmax(std::span<float> values) { kernels().softmax(values.data(), static_cast<int>(values.size()), 1, nullptr); }

// --- WeightFile ---------------------------------------------------------------

Result<WeightFile> WeightFile::open(const std::filesystem::path& path) {
  LIMBER_TRY(TensorArchive archive, TensorArchive::open(path));
  return WeightFile(std::move(archive));
}

Result<Floats> WeightFile::load(const std::string& name, const Shape& shape) const {
  LIMBER_TRY(const TensorView view, archive_.find(name));
  if (view.shape != shape) {
    return Error{fmt::format("{} instead of {}", to_string(view.shape), extents(shape)), archive_.where(name)};
  }
  const bool bytes = view.dtype == Dtype::kI8 && shape.size() == 2;
  LIMBER_TRY(Floats values, bytes ? load_bytes(name, view) : floats_of(view, archive_.where(name)));
  if (!all_finite(values)) return Error{"not finite", archive_.where(name)};
  return values;
}

Result<Floats> WeightFile::load_bytes(const std::string& name, const TensorView& view) const {
  LIMBER_TRY(const Floats scales, load(name + "_scale", {view.shape[0]}));
  Floats values(view.bytes.size());
  const auto columns = static_cast<std::size_t>(view.shape[1]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = scales[i / columns] * static_cast<float>(static_cast<std::int8_t>(view.bytes[i]));
  }
  return values;
}

Floats WeightFile::get(const std::string& name, const Shape& shape) {
  if (!status_.ok()) return {};
  Result<Floats> loaded = load(name, shape);
  if (loaded.ok()) return std::move(loaded).value();
  status_ = loaded.error();
  return {};
}

Matrix WeightFile::matrix(const std::string& name, int rows, int columns) {
  Floats values = get(name, {rows, columns});
  return status_.ok() ? Matrix(rows, columns, std::move(values)) : Matrix();
}

Floats WeightFile::vector(const std::string& name, int size) { return get(name, {size}); }

Linear WeightFile::linear(const std::string& name, int in, int out) {
  const Matrix weight = matrix(name + ".weight", out, in);
  Floats bias = vector(name + ".bias", out);
  return status_.ok() ? Linear(weight, std::move(bias)) : Linear();
}

Linear WeightFile::linear_without_bias(const std::string& name, int in, int out) {
  const Matrix weight = matrix(name + ".weight", out, in);
  return status_.ok() ? Linear(weight, Floats(at(out))) : Linear();
}

LayerNorm WeightFile::layer_norm(const std::string& name, int width, float eps) {
  return {width, eps, vector(name + ".weight", width), vector(name + ".bias", width)};
}

}  // namespace limber::nn::infer
