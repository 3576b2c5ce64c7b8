// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/body_reader.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/nn/inference.h"

namespace limber::anatomy {
namespace {

using nn::infer::LayerNorm;
using nn::infer::Linear;
using nn::infer::Matrix;
using nn::infer::WeightFile;

constexpr float kNormEps = 1e-5f;

/// Tokens look at each other, then each thinks for itself.
struct Block {
  LayerNorm norm_1;
  Linear qkv, out;
  LayerNorm norm_2;
  Linear up, down;

  Block(WeightFile& file, const std::string& name, int width)
      : norm_1(file.layer_norm(name + ".norm_1", width, kNormEps)),
        qkv(file.linear(name + ".qkv", width, 3 * width)),
        out(file.linear(name + ".out", width, width)),
        norm_2(file.layer_norm(name + ".norm_2", width, kNormEps)),
        up(file.linear(name + ".up", width, 4 * width)),
        down(file.linear(name + ".down", 4 * width, width)) {}

  void apply(Matrix& x, int heads) const {
    const int width = x.columns();
    const Matrix mixed = qkv(norm_1(x));
    x += out(nn::infer::attention(columns_of(mixed, 0, width), columns_of(mixed, width, width),
                                  columns_of(mixed, 2 * width, width), heads));
    x += down(gelu_tanh(up(norm_2(x))));
  }
};

/// Per token: its place and normal, and its place as waves.
Matrix place_features(const BodyTokens& body) {
  Matrix features(static_cast<int>(body.tokens.size()), 6 + 6 * kPlaceWaves);
  for (int t = 0; t < features.rows(); ++t) {
    const std::uint16_t token = body.tokens[static_cast<std::size_t>(t)];
    for (int a = 0; a < 3; ++a) {
      const float place = body.points[token][a];
      features(t, a) = place, features(t, 3 + a) = body.normals[token][a];
      for (int k = 0; k < kPlaceWaves; ++k) {
        const float angle = place * static_cast<float>(kFirstWave * std::pow(2.0, k));
        features(t, 6 + 6 * k + a) = std::sin(angle), features(t, 9 + 6 * k + a) = std::cos(angle);
      }
    }
  }
  return features;
}

/// Per token and point around it: the offset to that point, and its normal.
Matrix group_features(const BodyTokens& body, int neighbours) {
  Matrix features(static_cast<int>(body.neighbours.size()), 6);
  for (int i = 0; i < features.rows(); ++i) {
    const std::uint16_t token = body.tokens[static_cast<std::size_t>(i / neighbours)];
    const std::uint16_t other = body.neighbours[static_cast<std::size_t>(i)];
    for (int a = 0; a < 3; ++a) {
      features(i, a) = static_cast<float>(kGroupScale) * (body.points[other][a] - body.points[token][a]);
      features(i, 3 + a) = body.normals[other][a];
    }
  }
  return features;
}

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

/// The turns in which the network sees a body: what it says of all of them is averaged.
std::array<Mat3d, 4> attitudes() {
  std::array<Mat3d, 4> turns{Mat3d::identity(), Mat3d::identity(), Mat3d::identity(), Mat3d::identity()};
  const double c = std::cos(2.2), s = std::sin(2.2);
  turns[1] = Mat3d::from_columns({c, 0, -s}, {0, 1, 0}, {s, 0, c});                       // turned about its axis
  turns[2] = Mat3d::from_columns({0, 0, -1}, {1, 0, 0}, {0, -1, 0});                      // lying
  turns[3] = turns[1] * Mat3d::from_columns({0, 1, 0}, {0, 0, 1}, {1, 0, 0}) * turns[1];  // any way
  return turns;
}

}  // namespace

/// What ReaderNetwork is for training.
struct BodyReader::Network {
  Linear place_1, place_2, group_1, group_2, group_out;
  nn::infer::Floats whole;
  std::vector<Block> blocks;
  LayerNorm norm;
  Linear part, body;

  Network(const ReaderModel& model, WeightFile& file) {
    const int d = model.width, g = model.group_width;
    place_1 = file.linear("place_1", 6 + 6 * kPlaceWaves, d), place_2 = file.linear("place_2", d, d);
    group_1 = file.linear("group_1", 6, g), group_2 = file.linear("group_2", g, 2 * g);
    group_out = file.linear("group_out", 2 * g, d);
    whole = file.vector("whole", d);
    for (int i = 0; i < model.layers; ++i) blocks.emplace_back(file, "blocks." + std::to_string(i), d);
    norm = file.layer_norm("norm", d, kNormEps);
    part = file.linear("part", d, model.regions + 3), body = file.linear("body", d, model.kinds + 6);
  }

  /// The token of the whole body, then those of the surface.
  Matrix tokens(const BodyTokens& seen, int neighbours) const {
    Matrix read = place_2(gelu_tanh(place_1(place_features(seen))));
    const Matrix around = group_2(gelu_tanh(group_1(group_features(seen, neighbours))));
    read += group_out(max_of_rows(around, neighbours));
    Matrix x(read.rows() + 1, read.columns());
    std::copy(whole.begin(), whole.end(), x.values().begin());
    std::copy(read.values().begin(), read.values().end(), x.values().begin() + read.columns());
    return x;
  }
};

BodyReader::BodyReader(const ReaderModel& model, std::shared_ptr<const Network> network)
    : model_(model), network_(std::move(network)) {}

Result<BodyReader> BodyReader::open(const std::filesystem::path& folder) {
  LIMBER_TRY(const ReaderModel model, read_reader_model(folder));
  if (model.regions != kRegionCount || model.kinds != kBodyKindCount)
    return Error{"made for other regions or kinds of bodies", (folder / kReaderModelFile).string()};
  LIMBER_TRY(WeightFile file, WeightFile::open(folder / kReaderWeightsFile));
  auto network = std::make_shared<const Network>(model, file);
  LIMBER_CHECK_OK(file.status());
  return BodyReader(model, std::move(network));
}

BodyReader::Output BodyReader::run(const BodyTokens& body) const {
  const auto wanted = static_cast<std::size_t>(model_.tokens);
  LIMBER_EXPECT(body.tokens.size() == wanted && body.normals.size() == body.points.size() &&
                    body.neighbours.size() == wanted * static_cast<std::size_t>(model_.neighbours),
                std::to_string(body.tokens.size()));
  Matrix x = network_->tokens(body, model_.neighbours);
  for (const Block& block : network_->blocks) block.apply(x, model_.heads);
  x = network_->norm(x);
  const Matrix parts = network_->part(rows_of(x, 1, model_.tokens)), whole = network_->body(rows_of(x, 0, 1));
  return {{parts.values().begin(), parts.values().end()}, {whole.values().begin(), whole.values().end()}};
}

BodyReading BodyReader::read(const body::BodyShape& body) const {
  BodyReading nothing, reading;
  nothing.kinds.fill(1.0 / kBodyKindCount);
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
    if (!all_finite(said.parts) || !all_finite(said.body)) return nothing;
    const Mat3d back = transposed(turn);
    for (std::size_t t = 0; t < count; ++t) {
      const std::span<float> part = std::span(said.parts).subspan(t * (kRegionCount + 3));
      const std::span<float> regions = part.first(kRegionCount), start = part.subspan(regions.size(), 3);
      reading.starts[t] += share * static_cast<double>(tokens.scale) * (back * Vec3d{start[0], start[1], start[2]});
      nn::infer::softmax(regions);
      for (std::size_t r = 0; r < regions.size(); ++r) reading.regions[t][r] += static_cast<float>(share) * regions[r];
    }
    const std::span<float> kinds = std::span(said.body).first(kBodyKindCount);
    nn::infer::softmax(kinds);
    for (std::size_t k = 0; k < kinds.size(); ++k) reading.kinds[k] += share * kinds[k];
    const float* axes = said.body.data() + kinds.size();
    reading.up += share * (back * normalized(Vec3d{axes[0], axes[1], axes[2]}, Vec3d{}));
    reading.forward += share * (back * normalized(Vec3d{axes[3], axes[4], axes[5]}, Vec3d{}));
  }
  return reading;
}

}  // namespace limber::anatomy
