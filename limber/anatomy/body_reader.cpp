// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/body_reader.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/nn/safetensors.h"

namespace limber::anatomy {
namespace {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const RowMatrix>;

constexpr std::size_t kRowsAtOnce = 64;  // of a product, on one thread
constexpr float kNormEps = 1e-5f;

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, exponent = (half >> 10) & 31u, fraction = half & 1023u;
  if (exponent == 0) {
    const float small = static_cast<float>(fraction) * 0x1.0p-24f;
    return sign != 0 ? -small : small;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

Result<std::vector<float>> floats_of(const nn::TensorView& view, const std::string& where) {
  std::vector<float> values(view.bytes.size() / nn::size_of(view.dtype));
  if (view.dtype == nn::Dtype::kF32) {
    std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
  } else if (view.dtype == nn::Dtype::kF16) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint16_t half = 0;
      std::memcpy(&half, view.bytes.data() + 2 * i, 2);
      values[i] = half_to_float(half);
    }
  } else {
    return Error{"neither 16-bit nor 32-bit floats", where};
  }
  if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); }))
    return Error{"not finite", where};
  return values;
}

/// Names and shapes of everything that the network is made of.
std::vector<std::pair<std::string, std::array<int, 2>>> tensors_of(const ReaderModel& model) {
  const int d = model.width, g = model.group_width;
  std::vector<std::pair<std::string, std::array<int, 2>>> all;
  auto linear = [&](const std::string& name, int in, int out) {
    all.push_back({name + ".weight", {out, in}}), all.push_back({name + ".bias", {1, out}});
  };
  auto norm = [&](const std::string& name) {
    all.push_back({name + ".weight", {1, d}}), all.push_back({name + ".bias", {1, d}});
  };
  linear("place_1", 6 + 6 * kPlaceWaves, d), linear("place_2", d, d);
  linear("group_1", 6, g), linear("group_2", g, 2 * g), linear("group_out", 2 * g, d);
  all.push_back({"whole", {1, d}});
  for (int i = 0; i < model.layers; ++i) {
    const std::string block = fmt::format("blocks.{}.", i);
    norm(block + "norm_1"), linear(block + "qkv", d, 3 * d), linear(block + "out", d, d);
    norm(block + "norm_2"), linear(block + "up", d, 4 * d), linear(block + "down", 4 * d, d);
  }
  norm("norm"), linear("part", d, model.regions + 3), linear("body", d, model.kinds + 6);
  return all;
}

void gelu(RowMatrix& x) {
  parallel_for(static_cast<std::size_t>(x.rows()), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    auto rows = x.middleRows(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(end - begin)).array();
    rows = 0.5f * rows * (1 + (0.7978845608f * (rows + 0.044715f * rows.cube())).tanh());
  });
}

void softmax(float* values, int count) {
  const float most = *std::max_element(values, values + count);
  float sum = 0;
  for (int i = 0; i < count; ++i) values[i] = std::exp(values[i] - most), sum += values[i];
  for (int i = 0; i < count; ++i) values[i] /= sum;
}

/// Ways to hold a body up to the network: what it says of all of them is averaged.
std::array<Mat3d, 4> attitudes() {
  std::array<Mat3d, 4> turns{Mat3d::identity(), Mat3d::identity(), Mat3d::identity(), Mat3d::identity()};
  const double c = std::cos(2.2), s = std::sin(2.2);
  turns[1] = Mat3d::from_columns({c, 0, -s}, {0, 1, 0}, {s, 0, c});                       // turned about its axis
  turns[2] = Mat3d::from_columns({0, 0, -1}, {1, 0, 0}, {0, -1, 0});                      // lying
  turns[3] = turns[1] * Mat3d::from_columns({0, 1, 0}, {0, 0, 1}, {1, 0, 0}) * turns[1];  // any way
  return turns;
}

}  // namespace

Result<BodyReader> BodyReader::open(const std::filesystem::path& folder) {
  LIMBER_TRY(const ReaderModel model, read_reader_model(folder));
  if (model.regions != anatomy::kRegionCount || model.kinds != anatomy::kBodyKindCount)
    return Error{"made for other regions or kinds of bodies", (folder / kReaderModelFile).string()};
  LIMBER_TRY(const nn::TensorArchive archive, nn::TensorArchive::open(folder / kReaderWeightsFile));
  BodyReader reader(model);
  for (const auto& [name, shape] : tensors_of(model)) {
    LIMBER_TRY(const nn::TensorView view, archive.find(name));
    const auto count = static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]);
    LIMBER_TRY(std::vector<float> values, floats_of(view, archive.where(name)));
    const bool flat = shape[0] == 1 && view.shape == nn::Shape{shape[1]};
    if (values.size() != count || (!flat && view.shape != nn::Shape{shape[0], shape[1]})) {
      return Error{fmt::format("{} instead of {} x {}", nn::to_string(view.shape), shape[0], shape[1]),
                   archive.where(name)};
    }
    reader.weights_[name] = {shape[0], shape[1], std::move(values)};
  }
  return reader;
}

BodyReader::Output BodyReader::run(const BodyTokens& body) const {
  const auto wanted = static_cast<std::size_t>(model_.tokens);
  LIMBER_EXPECT(body.tokens.size() == wanted && body.normals.size() == body.points.size() &&
                    body.neighbours.size() == wanted * static_cast<std::size_t>(model_.neighbours),
                std::to_string(body.tokens.size()));
  const int d = model_.width, n = model_.tokens, near = model_.neighbours, heads = model_.heads, e = d / heads;
  auto rows_of = [&](const std::string& name) {
    const Matrix& m = weight(name);
    return Rows(m.values.data(), m.rows, m.columns);
  };
  auto linear = [&](const RowMatrix& x, const std::string& name) {
    const Rows w = rows_of(name + ".weight"), bias = rows_of(name + ".bias");
    RowMatrix y(x.rows(), w.rows());
    parallel_for(static_cast<std::size_t>(x.rows()), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
      const auto first = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin);
      y.middleRows(first, count).noalias() = x.middleRows(first, count) * w.transpose();
      y.middleRows(first, count).rowwise() += bias.row(0);
    });
    return y;
  };
  auto layer_norm = [&](const RowMatrix& x, const std::string& name) {
    const Rows w = rows_of(name + ".weight"), bias = rows_of(name + ".bias");
    RowMatrix y(x.rows(), x.cols());
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      const float mean = x.row(r).mean();
      const float spread = (x.row(r).array() - mean).square().mean();
      y.row(r) = ((x.row(r).array() - mean) / std::sqrt(spread + kNormEps)) * w.row(0).array() + bias.row(0).array();
    }
    return y;
  };

  RowMatrix place(n, 6 + 6 * kPlaceWaves), around(static_cast<Eigen::Index>(n) * near, 6);
  for (int t = 0; t < n; ++t) {
    const std::uint16_t token = body.tokens[static_cast<std::size_t>(t)];
    const Vec3 p = body.points[token], normal = body.normals[token];
    for (int a = 0; a < 3; ++a) {
      place(t, a) = p[a], place(t, 3 + a) = normal[a];
      for (int k = 0; k < kPlaceWaves; ++k) {
        const float angle = p[a] * static_cast<float>(kFirstWave * std::pow(2.0, k));
        place(t, 6 + 6 * k + a) = std::sin(angle), place(t, 9 + 6 * k + a) = std::cos(angle);
      }
      for (int k = 0; k < near; ++k) {
        const std::uint16_t other = body.neighbours[static_cast<std::size_t>(t * near + k)];
        around(t * near + k, a) = static_cast<float>(kGroupScale) * (body.points[other][a] - p[a]);
        around(t * near + k, 3 + a) = body.normals[other][a];
      }
    }
  }
  RowMatrix hidden = linear(around, "group_1");
  gelu(hidden);
  const RowMatrix each = linear(hidden, "group_2");
  RowMatrix felt(n, each.cols());
  for (int t = 0; t < n; ++t)
    felt.row(t) = each.middleRows(static_cast<Eigen::Index>(t) * near, near).colwise().maxCoeff();
  hidden = linear(place, "place_1");
  gelu(hidden);
  RowMatrix x(n + 1, d);
  x.row(0) = rows_of("whole").row(0);
  x.bottomRows(n) = linear(hidden, "place_2") + linear(felt, "group_out");

  const float scale = 1 / std::sqrt(static_cast<float>(e));
  for (int i = 0; i < model_.layers; ++i) {
    const std::string block = fmt::format("blocks.{}.", i);
    const RowMatrix qkv = linear(layer_norm(x, block + "norm_1"), block + "qkv");
    RowMatrix seen(n + 1, d);
    parallel_for(static_cast<std::size_t>(heads), 1, [&](std::size_t begin, std::size_t) {
      const auto h = static_cast<Eigen::Index>(begin) * e;
      RowMatrix look = scale * qkv.middleCols(h, e) * qkv.middleCols(d + h, e).transpose();
      for (Eigen::Index r = 0; r < look.rows(); ++r) {
        look.row(r) = (look.row(r).array() - look.row(r).maxCoeff()).exp();
        look.row(r) /= look.row(r).sum();
      }
      seen.middleCols(h, e).noalias() = look * qkv.middleCols(2 * d + h, e);
    });
    x += linear(seen, block + "out");
    hidden = linear(layer_norm(x, block + "norm_2"), block + "up");
    gelu(hidden);
    x += linear(hidden, block + "down");
  }
  x = layer_norm(x, "norm");
  const RowMatrix parts = linear(x.bottomRows(n), "part"), whole = linear(x.topRows(1), "body");
  return {{parts.data(), parts.data() + parts.size()}, {whole.data(), whole.data() + whole.size()}};
}

anatomy::BodyReading BodyReader::read(const body::BodyShape& body) const {
  anatomy::BodyReading nothing, reading;
  nothing.kinds.fill(1.0 / anatomy::kBodyKindCount);
  const SkinSamples skin = sample_skin(body, model_.points);
  if (skin.points.size() < static_cast<std::size_t>(model_.points)) return nothing;
  BodyTokens tokens = make_tokens(model_, skin.points, skin.normals);
  const BodyTokens upright = tokens;
  const auto count = static_cast<std::size_t>(model_.tokens);
  for (const std::uint16_t t : tokens.tokens) reading.points.push_back(skin.points[t].cast<double>());
  reading.regions.assign(count, {}), reading.starts = reading.points;
  const auto attempts = attitudes();
  const double share = 1.0 / static_cast<double>(attempts.size());
  for (const Mat3d& turn : attempts) {
    const Mat3 there = turn.cast<float>();
    for (std::size_t i = 0; i < tokens.points.size(); ++i)
      tokens.points[i] = there * upright.points[i], tokens.normals[i] = there * upright.normals[i];
    Output said = run(tokens);
    const auto finite = [](const std::vector<float>& values) {
      return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
    };
    if (!finite(said.parts) || !finite(said.body)) return nothing;
    const Mat3d back = transposed(turn);
    for (std::size_t t = 0; t < count; ++t) {
      float* part = said.parts.data() + t * static_cast<std::size_t>(model_.regions + 3);
      const Vec3d start{part[model_.regions], part[model_.regions + 1], part[model_.regions + 2]};
      reading.starts[t] += share * static_cast<double>(tokens.scale) * (back * start);
      softmax(part, model_.regions);
      for (std::size_t r = 0; r < anatomy::kRegionCount; ++r)
        reading.regions[t][r] += static_cast<float>(share) * part[r];
    }
    softmax(said.body.data(), model_.kinds);
    for (std::size_t k = 0; k < anatomy::kBodyKindCount; ++k) reading.kinds[k] += share * said.body[k];
    const float* ways = said.body.data() + model_.kinds;
    reading.up += share * (back * normalized(Vec3d{ways[0], ways[1], ways[2]}, Vec3d{}));
    reading.forward += share * (back * normalized(Vec3d{ways[3], ways[4], ways[5]}, Vec3d{}));
  }
  return reading;
}

}  // namespace limber::anatomy
