// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/body_reader.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/anatomy/read_limb.h"
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

/// An attitude in which the network sees a body: what it says of all of them is averaged.
struct Attitude {
  Mat3d turn;
  bool mirrored = false;
};

/// As it is, and a mirror image turned any way, so that left and right are treated alike.
std::array<Attitude, 2> attitudes() {
  const double c = std::cos(2.2), s = std::sin(2.2);
  const Mat3d about = Mat3d::from_columns({c, 0, -s}, {0, 1, 0}, {s, 0, c});
  const Mat3d any = about * Mat3d::from_columns({0, 1, 0}, {0, 0, 1}, {1, 0, 0}) * about;
  return {Attitude{Mat3d::identity(), false}, Attitude{any * Mat3d::diagonal({-1, 1, 1}), true}};
}

/// Adds shares of numbers before softmax to `sums`, of the mirror image where `swap(i)` is another than i.
template <class Sums, class Swap>
void add_shares(std::span<float> logits, double temperature, float share, const Swap& swap, Sums& sums) {
  for (float& value : logits) value = static_cast<float>(value / temperature);
  nn::infer::softmax(logits);
  for (std::size_t i = 0; i < logits.size(); ++i) sums[swap(i)] += share * logits[i];
}

Vec3d vector_at(std::span<const float> values, std::size_t at) { return {values[at], values[at + 1], values[at + 2]}; }

/// Gathers what the network says of a body in several attitudes.
class Gathering {
 public:
  Gathering(const ReaderModel& model, const BodyTokens& body) : model_(model), scale_(body.scale) {
    for (const std::uint16_t t : body.tokens) {
      const Vec3d point = (body.scale * body.points[t] + body.centre).cast<double>();
      reading_.points.push_back(point);
      votes_.push_back({point, {}, {}, 0, point, point, Region::kTrunk, point});
    }
    reading_.regions.assign(reading_.points.size(), {}), reading_.starts = reading_.points;
  }

  void add(BodyReader::Output& said, const Attitude& attitude, double share) {
    const Mat3d back = transposed(attitude.turn);
    const auto parts = static_cast<std::size_t>(model_.part_outputs());
    const auto limbs = static_cast<std::size_t>(model_.limb_outputs());
    for (std::size_t t = 0; t < votes_.size(); ++t) {
      add_part(std::span(said.parts).subspan(t * parts, parts), back, attitude.mirrored, share, t);
      add_limb(std::span(said.limbs).subspan(t * limbs, limbs), back, attitude.mirrored, share, t);
    }
    const auto same = [](std::size_t i) { return i; };
    const std::span<float> body = said.body, kinds = body.first(kBodyKindCount);
    add_shares(kinds, model_.temperatures.kinds, static_cast<float>(share), same, reading_.kinds);
    const Vec3d up = vector_at(body, kinds.size()), forward = vector_at(body, kinds.size() + 3);
    reading_.up += share / model_.temperatures.up * (back * up);
    reading_.forward += share / model_.temperatures.forward * (back * forward);
    for (std::size_t k = 0; k < said.counts.size() / kCountClasses; ++k) {
      add_shares(std::span(said.counts).subspan(k * kCountClasses, kCountClasses), model_.temperatures.counts,
                 static_cast<float>(share), same, reading_.counts[k]);
    }
  }

  BodyReading finish() {
    reading_.kind_right = *std::max_element(reading_.kinds.begin(), reading_.kinds.end());
    reading_.front_right = std::min(within_45_degrees(norm(reading_.up)), within_45_degrees(norm(reading_.forward)));
    for (Vec3d* axis : {&reading_.up, &reading_.forward}) *axis = mean_length(norm(*axis)) * normalized(*axis, Vec3d{});
    for (std::size_t t = 0; t < votes_.size(); ++t) {
      const BodyReading::Shares& regions = reading_.regions[t];
      votes_[t].region = static_cast<Region>(std::max_element(regions.begin(), regions.end()) - regions.begin());
      votes_[t].start = reading_.starts[t];
      const auto& kinds = votes_[t].kinds;
      const auto likeliest = std::max_element(kinds.begin(), kinds.end()) - kinds.begin();
      reading_.limb_kinds.push_back(static_cast<rig::LimbKind>(likeliest));
    }
    reading_.limbs = limbs_from_votes(votes_, reading_.counts, reading_.up, reading_.forward);
    return std::move(reading_);
  }

 private:
  void add_part(std::span<float> said, const Mat3d& back, bool mirror, double share, std::size_t t) {
    const auto swap = [&](std::size_t r) {
      return mirror ? static_cast<std::size_t>(mirrored(static_cast<Region>(r))) : r;
    };
    reading_.starts[t] += share * scale_ * (back * vector_at(said, kRegionCount));
    add_shares(said.first(kRegionCount), model_.temperatures.regions, static_cast<float>(share), swap,
               reading_.regions[t]);
  }

  void add_limb(std::span<float> said, const Mat3d& back, bool mirror, double share, std::size_t t) {
    LimbVote& vote = votes_[t];
    const auto kinds = static_cast<std::size_t>(model_.limbs);
    const auto same = [](std::size_t i) { return i; };
    const auto swap = [&](std::size_t s) {
      return mirror ? static_cast<std::size_t>(rig::mirrored(static_cast<rig::Side>(s))) : s;
    };
    add_shares(said.first(kinds), model_.temperatures.limbs, static_cast<float>(share), same, vote.kinds);
    add_shares(said.subspan(kinds, 3), model_.temperatures.sides, static_cast<float>(share), swap, vote.sides);
    vote.along += static_cast<float>(share) * std::clamp(said[kinds + 3], 0.0f, 1.0f);
    vote.root += share * scale_ * (back * vector_at(said, kinds + 4));
    vote.tip += share * scale_ * (back * vector_at(said, kinds + 7));
  }

  const ReaderModel& model_;
  double scale_ = 1;
  BodyReading reading_;
  std::vector<LimbVote> votes_;
};

}  // namespace

/// What ReaderNetwork is for training.
struct BodyReader::Network {
  Linear place_1, place_2, group_1, group_2, group_out;
  nn::infer::Floats whole;
  std::vector<Block> blocks;
  LayerNorm norm;
  Linear part, limb, body, count;

  Network(const ReaderModel& model, WeightFile& file) {
    const int d = model.width, g = model.group_width;
    place_1 = file.linear("place_1", 6 + 6 * kPlaceWaves, d), place_2 = file.linear("place_2", d, d);
    group_1 = file.linear("group_1", 6, g), group_2 = file.linear("group_2", g, 2 * g);
    group_out = file.linear("group_out", 2 * g, d);
    whole = file.vector("whole", d);
    for (int i = 0; i < model.layers; ++i) blocks.emplace_back(file, "blocks." + std::to_string(i), d);
    norm = file.layer_norm("norm", d, kNormEps);
    part = file.linear("part", d, model.part_outputs()), body = file.linear("body", d, model.body_outputs());
    limb = file.linear("limb", d, model.limb_outputs()), count = file.linear("count", d, model.count_outputs());
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
  if (model.regions != kRegionCount || model.kinds != kBodyKindCount || model.limbs != rig::kLimbKindCount)
    return Error{"made for other regions or kinds of bodies or limbs", (folder / kReaderModelFile).string()};
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
  const auto said = [](const Linear& head, const Matrix& of) -> std::vector<float> {
    const Matrix values = head(of);
    return {values.values().begin(), values.values().end()};
  };
  const Matrix tokens = rows_of(x, 1, model_.tokens), whole = rows_of(x, 0, 1);
  return {said(network_->part, tokens), said(network_->limb, tokens), said(network_->body, whole),
          said(network_->count, whole)};
}

BodyReading BodyReader::read(const body::BodyShape& body) const {
  BodyReading nothing;
  nothing.kinds.fill(1.0 / kBodyKindCount);
  const SkinSamples skin = sample_skin(body, model_.points);
  if (skin.points.size() < static_cast<std::size_t>(model_.points)) return nothing;
  BodyTokens tokens = make_tokens(model_, skin.points, skin.normals);
  const BodyTokens upright = tokens;
  Gathering gathering(model_, upright);
  const std::array<Attitude, 2> attempts = attitudes();
  for (const Attitude& attitude : attempts) {
    const Mat3 there = attitude.turn.cast<float>();
    for (std::size_t i = 0; i < tokens.points.size(); ++i)
      tokens.points[i] = there * upright.points[i], tokens.normals[i] = there * upright.normals[i];
    Output said = run(tokens);
    if (!all_finite(said.parts) || !all_finite(said.limbs) || !all_finite(said.body) || !all_finite(said.counts))
      return nothing;
    gathering.add(said, attitude, 1.0 / static_cast<double>(attempts.size()));
  }
  return gathering.finish();
}

}  // namespace limber::anatomy
