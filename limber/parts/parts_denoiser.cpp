// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/parts_denoiser.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/nn/inference.h"

namespace limber::parts {
namespace {

using nn::infer::Floats;
using nn::infer::LayerNorm;
using nn::infer::Linear;
using nn::infer::Matrix;
using nn::infer::WeightFile;

constexpr float kNormEps = 1e-5f;
constexpr std::size_t kRowsAtOnce = 128;  // on one thread

/// A layer of one branch.
struct Block {
  Linear qkv, out, up, down;
  LayerNorm query_norm, key_norm;
  Floats modulation;

  Block(WeightFile& file, const std::string& name, int d, int heads)
      : qkv(file.linear(name + ".qkv", d, 3 * d)),
        out(file.linear(name + ".out", d, d)),
        up(file.linear(name + ".up", d, 4 * d)),
        down(file.linear(name + ".down", 4 * d, d)),
        query_norm(file.layer_norm(name + ".query_norm", d / heads, kNormEps)),
        key_norm(file.layer_norm(name + ".key_norm", d / heads, kNormEps)),
        modulation(file.vector(name + ".modulation", kModulations * d)) {}
};

struct Branch {
  Linear in, known, out, modulation;
  std::vector<Block> blocks;

  Branch(WeightFile& file, const std::string& name, const PartsModel& model)
      : in(file.linear("in." + name, model.patch_numbers(), model.width)),
        known(file.linear("known." + name, model.known_numbers(), model.width)),
        out(file.linear("out." + name, model.width, model.patch_numbers())),
        modulation(file.linear("modulation." + name, model.width, kModulations * model.width)) {
    for (int i = 0; i < model.layers; ++i)
      blocks.emplace_back(file, "blocks." + std::to_string(i) + "." + name, model.width, model.heads);
  }
};

struct Fusion {
  Linear mix, colors, parts;
  Fusion(WeightFile& file, const std::string& name, int d)
      : mix(file.linear(name + ".mix", 2 * d, d)),
        colors(file.linear(name + ".rgb", d, d)),
        parts(file.linear(name + ".parts", d, d)) {}
};

template <class Body>
void for_rows(int rows, const Body& body) {
  parallel_for(at(rows), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) body(static_cast<int>(r));
  });
}

/// x (1 + scale) + shift
Matrix modulated(Matrix x, std::span<const float> shift, std::span<const float> scale) {
  for_rows(x.rows(), [&](int r) {
    const std::span<float> row = x.row(r);
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = row[k] * (1 + scale[k]) + shift[k];
  });
  return x;
}

/// x += (1 + gate) y
void add_gated(Matrix& x, const Matrix& y, std::span<const float> gate) {
  for_rows(x.rows(), [&](int r) {
    const std::span<float> row = x.row(r);
    const std::span<const float> other = y.row(r);
    for (std::size_t k = 0; k < row.size(); ++k) row[k] += (1 + gate[k]) * other[k];
  });
}

Matrix side_by_side(const Matrix& a, const Matrix& b) {
  Matrix both(a.rows(), a.columns() + b.columns());
  for (int r = 0; r < a.rows(); ++r)
    std::copy(b.row(r).begin(), b.row(r).end(), std::copy(a.row(r).begin(), a.row(r).end(), both.row(r).begin()));
  return both;
}

Matrix relu(Matrix x) {
  for (float& v : x.values()) v = std::max(v, 0.0f);
  return x;
}

/// Calls `move(number, token, place)` for every number of all pictures: where it is among the tokens' patches.
template <class Move>
void for_patches(const PartsModel& model, const Move& move) {
  const int side = model.side(), row = 3 * model.patch;
  for (int y = 0; y < model.pictures() * model.size; ++y) {
    const int picture = y / model.size, line = y % model.size;
    for (int x = 0; x < 3 * model.size; ++x) {
      const int token = (picture * side + line / model.patch) * side + x / row;
      move(at(y) * at(3 * model.size) + at(x), token, (line % model.patch) * row + x % row);
    }
  }
}

/// [tokens, patch numbers]
Matrix patches(const PartsModel& model, const std::vector<float>& pictures) {
  LIMBER_EXPECT(pictures.size() == model.numbers(), std::to_string(pictures.size()));
  Matrix tokens(model.tokens(), model.patch_numbers());
  for_patches(model, [&](std::size_t number, int token, int place) { tokens(token, place) = pictures[number]; });
  return tokens;
}

std::vector<float> pictures(const PartsModel& model, const Matrix& tokens) {
  std::vector<float> numbers(model.numbers());
  for_patches(model, [&](std::size_t number, int token, int place) { numbers[number] = tokens(token, place); });
  return numbers;
}

}  // namespace

struct PartsDenoiser::Code {
  Matrix colors, parts;          ///< [tokens, width] per branch: what is known, and where
  std::vector<float> known;      ///< colours
  std::vector<bool> has_colors;  ///< per picture
};

/// What PartsNetwork is for training.
struct PartsDenoiser::Network {
  Linear time_1, time_2;
  Matrix place, view, moment;
  Branch colors, parts;
  std::vector<Fusion> fusions;
  LayerNorm plain;

  Network(const PartsModel& model, WeightFile& file)
      : time_1(file.linear("time_1", model.width, model.width)),
        time_2(file.linear("time_2", model.width, model.width)),
        place(file.matrix("place", model.picture_tokens(), model.width)),
        view(file.matrix("view", model.views, model.width)),
        moment(file.matrix("moment", model.frames, model.width)),
        colors(file, "rgb", model),
        parts(file, "parts", model) {
    for (int i = 0; i < model.layers; ++i)
      fusions.emplace_back(file, "blocks." + std::to_string(i) + ".fuse", model.width);
    plain.width = model.width, plain.eps = kNormEps;
  }

  /// What tells tokens apart: [tokens, width].
  Matrix where(const PartsModel& model) const {
    Matrix sum(model.tokens(), model.width);
    for_rows(sum.rows(), [&](int r) {
      const int picture = r / model.picture_tokens();
      const std::span<const float> a = view.row(picture / model.frames), b = moment.row(picture % model.frames),
                                   c = place.row(r % model.picture_tokens());
      for (std::size_t k = 0; k < a.size(); ++k) sum.row(r)[k] = a[k] + b[k] + c[k];
    });
    return sum;
  }

  void run_block(const Block& block, Matrix& x, std::span<const float> shared, int heads) const {
    const int d = x.columns();
    Floats m = block.modulation;
    for (std::size_t k = 0; k < m.size(); ++k) m[k] += shared[k];
    const auto of = [&](int which) { return std::span<const float>(m).subspan(at(which * d), at(d)); };
    const Matrix mixed = block.qkv(modulated(plain(x), of(0), of(1)));
    const Matrix query = block.query_norm(columns_of(mixed, 0, d)), key = block.key_norm(columns_of(mixed, d, d));
    add_gated(x, block.out(attention(query, key, columns_of(mixed, 2 * d, d), heads)), of(2));
    add_gated(x, block.down(gelu_tanh(block.up(modulated(plain(x), of(3), of(4))))), of(5));
  }
};

KnownPictures::KnownPictures(const PartsModel& model)
    : colors(model.numbers()),
      places(model.numbers()),
      normals(model.numbers()),
      has_colors(at(model.pictures())),
      has_surface(at(model.pictures())),
      elevations(at(model.pictures())) {}

KnownPictures known_pictures(const PartsModel& model, const SurfacePictures& pictures) {
  LIMBER_EXPECT(pictures.views == model.views && pictures.frames == model.frames && pictures.size == model.size,
                std::to_string(pictures.size));
  KnownPictures known(model);
  const auto unit = [](const std::vector<std::uint8_t>& bytes, std::vector<float>& numbers) {
    std::transform(bytes.begin(), bytes.end(), numbers.begin(),
                   [](std::uint8_t b) { return static_cast<float>(b) / 127.5f - 1; });
  };
  unit(pictures.colors, known.colors), unit(pictures.places, known.places), unit(pictures.normals, known.normals);
  known.has_colors.assign(known.has_colors.size(), true), known.has_surface = known.has_colors;
  for (std::size_t i = 0; i < known.elevations.size(); ++i)
    known.elevations[i] = pictures.elevations[i % pictures.elevations.size()];  // of its frame
  return known;
}

PartsDenoiser::PartsDenoiser(const PartsModel& model, std::shared_ptr<const Network> network)
    : model_(model), network_(std::move(network)) {}

Result<PartsDenoiser> PartsDenoiser::open(const std::filesystem::path& folder) {
  LIMBER_TRY(const PartsModel model, read_parts_model(folder));
  LIMBER_TRY(WeightFile file, WeightFile::open(folder / kPartsWeightsFile));
  auto network = std::make_shared<const Network>(model, file);
  LIMBER_CHECK_OK(file.status());
  return PartsDenoiser(model, std::move(network));
}

PartsDenoiser::Known PartsDenoiser::encode(const KnownPictures& known) const {
  const int patch = model_.patch_numbers();
  Matrix told(model_.tokens(), model_.known_numbers());
  const std::array<Matrix, 3> layers{patches(model_, known.colors), patches(model_, known.places),
                                     patches(model_, known.normals)};
  for_rows(told.rows(), [&](int r) {
    const std::size_t picture = at(r / model_.picture_tokens());
    const std::array<bool, 3> there{model_.colors && known.has_colors[picture], known.has_surface[picture],
                                    known.has_surface[picture]};
    for (int layer = 0; layer < 3; ++layer) {
      const std::span<const float> row = layers[at(layer)].row(r);
      if (there[at(layer)]) std::copy(row.begin(), row.end(), told.row(r).begin() + layer * patch);
    }
    told(r, 3 * patch) = there[0] ? 1.0f : 0.0f, told(r, 3 * patch + 1) = there[1] ? 1.0f : 0.0f;
    told(r, 3 * patch + 2) = there[1] ? static_cast<float>(kElevationScale) * known.elevations[picture] : 0.0f;
  });
  auto code = std::make_shared<Code>();
  const Matrix where = network_->where(model_);
  code->colors = network_->colors.known(told), code->parts = network_->parts.known(told);
  code->colors += where, code->parts += where;
  code->known = known.colors, code->has_colors = known.has_colors;
  if (!model_.colors) code->has_colors.assign(code->has_colors.size(), false);
  return code;
}

DrawnPictures PartsDenoiser::run(const Known& known, const DrawnPictures& noisy, double time) const {
  const Network& net = *network_;
  std::vector<float> colors = noisy.colors;
  LIMBER_EXPECT(colors.size() == model_.numbers(), std::to_string(colors.size()));
  const std::size_t each = colors.size() / at(model_.pictures());
  for (std::size_t i = 0; i < colors.size(); ++i) {
    if (known->has_colors[i / each]) colors[i] = known->known[i];
  }
  Matrix a = net.colors.in(patches(model_, colors)), b = net.parts.in(patches(model_, noisy.parts));
  a += known->colors, b += known->parts;
  const Matrix clock = silu(net.time_2(silu(net.time_1(nn::infer::time_waves(time * kNoiseScale, model_.width)))));
  const Matrix of_colors = net.colors.modulation(clock), of_parts = net.parts.modulation(clock);
  for (int i = 0; i < model_.layers; ++i) {
    net.run_block(net.colors.blocks[at(i)], a, of_colors.values(), model_.heads);
    net.run_block(net.parts.blocks[at(i)], b, of_parts.values(), model_.heads);
    const Fusion& fusion = net.fusions[at(i)];
    const Matrix mixed = relu(fusion.mix(side_by_side(a, b)));
    a += fusion.colors(mixed), b += fusion.parts(mixed);
  }
  return {pictures(model_, net.colors.out(net.plain(a))), pictures(model_, net.parts.out(net.plain(b)))};
}

}  // namespace limber::parts
