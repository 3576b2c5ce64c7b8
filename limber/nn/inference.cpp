// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/inference.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/nn/wide_product.h"

namespace limber::nn::infer {
namespace {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<RowMatrix>;
using ConstRows = Eigen::Map<const RowMatrix>;
using ConstRow = Eigen::Map<const Eigen::Matrix<float, 1, Eigen::Dynamic>>;

constexpr std::size_t kRowsAtOnce = 64;         // of a product, on one thread
constexpr std::int64_t kPieceWork = 1'000'000;  // multiplications that take longer than waking a thread

Rows map(Matrix& x) { return {x.values().data(), x.rows(), x.columns()}; }
ConstRows map(const Matrix& x) { return {x.values().data(), x.rows(), x.columns()}; }
ConstRow map(const Floats& x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

/// Calls `body(first, count)` for all rows, some at a time.
template <class Body>
void for_rows(Eigen::Index rows, const Body& body) {
  parallel_for(static_cast<std::size_t>(rows), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    body(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(end - begin));
  });
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

Matrix& Matrix::operator+=(const Matrix& other) {
  LIMBER_EXPECT(rows_ == other.rows_ && columns_ == other.columns_,
                fmt::format("{} x {} and {} x {}", rows_, columns_, other.rows_, other.columns_));
  map(*this) += map(other);
  return *this;
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

Matrix Linear::operator()(const Matrix& x) const {
  LIMBER_EXPECT(x.columns() == in(), fmt::format("{} and {}", x.columns(), in()));
  Matrix y(x.rows(), out());
  if (y.values().empty()) return y;
  // Blocks of rows by blocks of panels, each worth waking a thread for.
  const int rows = std::min(x.rows(), static_cast<int>(kRowsAtOnce));
  const std::int64_t panel_work = std::int64_t{rows} * std::max(in(), 1) * kPanel;
  const auto panels = static_cast<int>(std::min<std::int64_t>(kPieceWork / panel_work + 1, weight_.panels()));
  const int across = (weight_.panels() + panels - 1) / panels, down = (x.rows() + rows - 1) / rows;
  parallel_for(static_cast<std::size_t>(across) * static_cast<std::size_t>(down), 1, [&](std::size_t i, std::size_t) {
    const int row = static_cast<int>(i) / across * rows, panel = static_cast<int>(i) % across * panels;
    const RowsView part{x.row(row).data(), std::min(rows, x.rows() - row), in(), in()};
    wide_product(part, weight_, bias_.data(), panel, std::min(panels, weight_.panels() - panel), y.row(row).data(),
                 out());
  });
  return y;
}

Matrix LayerNorm::operator()(const Matrix& x) const {
  LIMBER_EXPECT(width > 0 && x.columns() % width == 0, fmt::format("{} by {}", x.columns(), width));
  LIMBER_EXPECT(weight.size() == bias.size() && (weight.empty() || static_cast<int>(weight.size()) == width),
                fmt::format("{} and {} for {}", weight.size(), bias.size(), width));
  Matrix result(x.rows(), x.columns());
  const Eigen::Index pieces = static_cast<Eigen::Index>(x.rows()) * (x.columns() / width);
  const ConstRows from(x.values().data(), pieces, width);
  Rows y(result.values().data(), pieces, width);
  for_rows(pieces, [&](Eigen::Index first, Eigen::Index count) {
    for (Eigen::Index r = first; r < first + count; ++r) {
      const float mean = from.row(r).mean();
      const float spread = (from.row(r).array() - mean).square().mean();
      y.row(r) = (from.row(r).array() - mean) / std::sqrt(spread + eps);
      if (weight.empty()) continue;
      y.row(r) = y.row(r).array() * map(weight).array() + map(bias).array();
    }
  });
  return result;
}

Matrix gelu_tanh(Matrix x) {
  Rows all = map(x);
  for_rows(all.rows(), [&](Eigen::Index first, Eigen::Index count) {
    auto rows = all.middleRows(first, count).array();
    rows = 0.5f * rows * (1 + (0.7978845608f * (rows + 0.044715f * rows.cube())).tanh());
  });
  return x;
}

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

Matrix silu(Matrix x) {
  Rows all = map(x);
  for_rows(all.rows(), [&](Eigen::Index first, Eigen::Index count) {
    auto rows = all.middleRows(first, count).array();
    rows = rows / (1 + (-rows).exp());
  });
  return x;
}

Matrix attention(const Matrix& q, const Matrix& k, const Matrix& v, int heads, const Matrix& bias) {
  LIMBER_EXPECT(heads > 0 && q.columns() % heads == 0 && k.columns() == q.columns() && v.columns() == q.columns() &&
                    k.rows() == v.rows(),
                fmt::format("{}, {} and {} channels, {} heads", q.columns(), k.columns(), v.columns(), heads));
  const bool biased = bias.rows() > 0;
  LIMBER_EXPECT(!biased || (bias.rows() == heads * q.rows() && bias.columns() == k.rows()),
                fmt::format("{} x {}", bias.rows(), bias.columns()));
  const int width = q.columns() / heads;
  const float scale = 1 / std::sqrt(static_cast<float>(width));
  Matrix result(q.rows(), q.columns());
  parallel_for(static_cast<std::size_t>(heads), 1, [&](std::size_t head, std::size_t) {
    const int first = static_cast<int>(head) * width;
    Matrix shares(q.rows(), k.rows());
    wide_product(columns_view(q, first, width), packed_weight(columns_view(k, first, width)), nullptr,
                 shares.values().data(), k.rows());
    Rows look = map(shares);
    look *= scale;
    if (biased) look += map(bias).middleRows(static_cast<Eigen::Index>(head) * q.rows(), q.rows());
    for (Eigen::Index r = 0; r < look.rows(); ++r) {
      look.row(r) = (look.row(r).array() - look.row(r).maxCoeff()).exp();
      look.row(r) /= look.row(r).sum();
    }
    wide_product(view_of(shares), packed_transpose(columns_view(v, first, width)), nullptr,
                 result.values().data() + first, result.columns());
  });
  return result;
}

void softmax(std::span<float> values) {
  if (values.empty()) return;
  const float most = *std::max_element(values.begin(), values.end());
  float sum = 0;
  for (float& v : values) v = std::exp(v - most), sum += v;
  for (float& v : values) v /= sum;
}

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

LayerNorm WeightFile::layer_norm(const std::string& name, int width, float eps) {
  return {width, eps, vector(name + ".weight", width), vector(name + ".bias", width)};
}

}  // namespace limber::nn::infer
