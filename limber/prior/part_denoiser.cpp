// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/part_denoiser.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/nn/inference.h"
#include "limber/prior/prompt_words.h"

namespace limber::prior {
namespace {

using nn::infer::Activation;
using nn::infer::Floats;
using nn::infer::LayerNorm;
using nn::infer::Linear;
using nn::infer::Matrix;
using nn::infer::WeightFile;

constexpr int kTimeWidth = 256;
constexpr float kNormEps = 1e-6f;
constexpr float kTimeScale = 1000;
constexpr int kModulations = 6;  // shift, scale and gate of the attention and of the layers behind it

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Layers of the prior itself, or with an adapter for few steps: W + up down.
struct LayerSource {
  WeightFile& file;
  WeightFile* adapter;  ///< may be null
  int rank;

  Matrix weight(const std::string& name, int in, int out) const {
    Matrix weight = file.matrix(name + ".weight", out, in);
    if (adapter == nullptr) return weight;
    const Matrix up = adapter->matrix(name + ".up", out, rank), down = adapter->matrix(name + ".down", rank, in);
    if (file.status().ok() && adapter->status().ok()) weight += nn::infer::product(up, down);
    return weight;
  }
  Linear linear(const std::string& name, int in, int out) const {
    const Matrix matrix = weight(name, in, out);
    Floats bias = file.vector(name + ".bias", out);
    return file.status().ok() ? Linear(matrix, std::move(bias)) : Linear();
  }
  Linear linear_without_bias(const std::string& name, int in, int out) const {
    const Matrix matrix = weight(name, in, out);
    return file.status().ok() ? Linear(matrix, Floats(at(out))) : Linear();
  }
};

struct Block {
  Linear qkv, out, up, down;
  LayerNorm norm_q, norm_k;
  Matrix table;  ///< [kModulations, width]

  Block(const LayerSource& source, const std::string& name, int d, int heads)
      : qkv(source.linear(name + ".qkv", d, 3 * d)),
        out(source.linear(name + ".out", d, d)),
        up(source.linear(name + ".up", d, 4 * d)),
        down(source.linear(name + ".down", 4 * d, d)),
        norm_q(source.file.layer_norm(name + ".norm_q", d / heads, kNormEps)),
        norm_k(source.file.layer_norm(name + ".norm_k", d / heads, kNormEps)),
        table(source.file.matrix(name + ".table", kModulations, d)) {}
};

/// The shape of a video as tokens: each has `length` frames of a square of pixels.
struct Patches {
  int views, frames, size, patch, length;

  int side() const { return size / patch; }
  int tokens() const { return views * (frames / length) * side() * side(); }
  int numbers() const { return 3 * length * patch * patch; }

  /// Calls `move(pixel, token, place)` for all runs of `patch` pixels: where they are in the video, and in the tokens.
  template <class Move>
  void for_runs(const Move& move) const {
    parallel_for(at(views * frames), 1, [&](std::size_t i, std::size_t) {
      const int picture = static_cast<int>(i), view = picture / frames, frame = picture % frames;
      const int tube = view * (frames / length) + frame / length;
      for (int row = 0; row < 3 * size; ++row) {
        const int channel = row / size, y = row % size;
        const int place = ((frame % length * 3 + channel) * patch + y % patch) * patch;
        for (int x = 0; x < side(); ++x)
          move((i * at(3 * size) + at(row)) * at(size) + at(x * patch), (tube * side() + y / patch) * side() + x,
               place);
      }
    });
  }
  Matrix from(std::span<const float> video) const {
    Matrix tokens_of_video(tokens(), numbers());
    for_runs([&](std::size_t pixel, int token, int place) {
      std::copy_n(video.begin() + static_cast<std::ptrdiff_t>(pixel), patch,
                  tokens_of_video.row(token).begin() + place);
    });
    return tokens_of_video;
  }
  /// Rows of `all` from `first` on are the tokens.
  std::vector<float> to_video(const Matrix& all, int first) const {
    std::vector<float> video(at(views * frames * 3 * size) * at(size));
    for_runs([&](std::size_t pixel, int token, int place) {
      std::copy_n(all.row(first + token).begin() + place, patch, video.begin() + static_cast<std::ptrdiff_t>(pixel));
    });
    return video;
  }
};

Patches video_patches(const PartModel& model) {
  return {model.views, model.frames, model.size, model.patch, model.patch_frames};
}

void add_row(std::span<const float> from, std::span<float> to) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += from[k];
}

/// What a pass writes in every block, used again by the next.
struct Scratch {
  Matrix normal, mixed, seen, hidden, change;
};

}  // namespace

// --- prompts --------------------------------------------------------------------------------------------------------

struct PartDenoiser::Reader {
  Matrix letter_groups;  ///< [buckets, word_width]; row 0 is padding
  Linear word, score, linear_1, linear_2;
  Floats none;  ///< [width]: of a prompt without words

  Reader(const PartModel& model, WeightFile& file)
      : letter_groups(file.matrix("text.letter_groups", model.buckets, model.word_width)),
        word(file.linear("text.word", model.word_width, model.word_width)),
        score(file.linear("text.score", model.word_width, model.word_heads)),
        linear_1(file.linear("text.linear_1", model.word_width * model.word_heads, model.width)),
        linear_2(file.linear("text.linear_2", model.width, model.width)),
        none(file.vector("text.none", model.width)) {}

  /// Means of the letter groups of each word that there is.
  Matrix words_of(const std::vector<std::int32_t>& groups) const {
    Floats means;
    int words = 0;
    for (int w = 0; w < kPromptWords; ++w) {
      Floats mean(at(letter_groups.columns()));
      int count = 0;
      for (int g = 0; g < kWordGroups; ++g) {
        const std::int32_t bucket = groups[at(w * kWordGroups + g)];
        if (bucket > 0) add_row(letter_groups.row(bucket), mean), ++count;
      }
      if (count == 0) continue;
      for (float& value : mean) value /= static_cast<float>(count);
      means.insert(means.end(), mean.begin(), mean.end()), ++words;
    }
    return {words, letter_groups.columns(), std::move(means)};
  }

  /// Words are weighed several times over, and order plays no part.
  std::vector<float> read(const std::vector<std::int32_t>& groups) const {
    const Matrix means = words_of(groups);
    if (means.rows() == 0) return {none.begin(), none.end()};
    const Matrix words = word(means, Activation::kSilu), scores = score(words);
    Matrix pooled(1, linear_1.in());
    for (int head = 0; head < scores.columns(); ++head) {
      std::vector<float> shares(at(words.rows()));
      for (int w = 0; w < words.rows(); ++w) shares[at(w)] = scores(w, head);
      nn::infer::softmax(shares);
      for (int w = 0; w < words.rows(); ++w) {
        for (int k = 0; k < words.columns(); ++k) pooled(0, head * words.columns() + k) += shares[at(w)] * words(w, k);
      }
    }
    const Matrix said = linear_2(linear_1(pooled, Activation::kSilu));
    return {said.values().begin(), said.values().end()};
  }
};

// --- videos ---------------------------------------------------------------------------------------------------------

struct PartDenoiser::Network {
  Linear video_in, rest_in, known_in, known_bits, time_1, time_2, target_1, target_2, modulation, out;
  Floats no_rest;
  Matrix places, views;  ///< [tokens of a view, width], [views, width]
  std::vector<Block> blocks;

  Network(const PartModel& model, const LayerSource& source) {
    const int d = model.width, numbers = video_patches(model).numbers();
    video_in = source.linear("video_in", numbers, d);
    rest_in = source.linear("rest_in", numbers / model.patch_frames, d);
    no_rest = source.file.vector("no_rest", d);
    if (model.version >= 2) {
      known_in = source.linear_without_bias("known_in", numbers, d);
      known_bits = source.file.linear_without_bias("known_bits", model.patch_frames, d);
    }
    places = source.file.matrix("places", model.tokens_per_view(), d);
    views = source.file.matrix("views", model.views, d);
    time_1 = source.linear("time.linear_1", kTimeWidth, d), time_2 = source.linear("time.linear_2", d, d);
    if (source.adapter != nullptr) {
      target_1 = source.adapter->linear("target_time.linear_1", kTimeWidth, d);
      target_2 = source.adapter->linear("target_time.linear_2", d, d);
    }
    modulation = source.linear("modulation", d, kModulations * d);
    for (int i = 0; i < model.layers; ++i) blocks.emplace_back(source, "blocks." + std::to_string(i), d, model.heads);
    out = source.linear("video_out", d, numbers);
  }

  /// What all texts share: [tokens, width].
  Matrix tokens_of(const PartModel& model, const PartInput& input) const {
    const Patches patches = video_patches(model);
    Matrix x = video_in(patches.from(input.noisy)), rest;
    if (!input.rest.empty()) rest = rest_in(Patches{model.views, 1, model.size, model.patch, 1}.from(input.rest));
    Matrix bits;
    if (!input.known.empty()) {
      LIMBER_EXPECT(model.version >= 2, "known frames need the second version");
      x += known_in(patches.from(input.known));
      bits = known_bits({model.tubes(), model.patch_frames, {input.is_known.begin(), input.is_known.end()}});
    }
    const int run = patches.side() * patches.side(), in_view = model.tokens_per_view();
    parallel_for(at(x.rows()), at(run), [&](std::size_t begin, std::size_t end) {
      for (int r = static_cast<int>(begin); r < static_cast<int>(end); ++r) {
        const int view = r / in_view;
        add_row(rest.rows() > 0 ? rest.row(view * run + r % run) : std::span<const float>(no_rest), x.row(r));
        if (bits.rows() > 0) add_row(bits.row(r / run % model.tubes()), x.row(r));
        add_row(places.row(r % in_view), x.row(r)), add_row(views.row(view), x.row(r));
      }
    });
    return x;
  }

  static Matrix waves_of(std::span<const float> shares) {
    Floats all;
    for (const float share : shares) {
      const Matrix waves = nn::infer::time_waves(static_cast<double>(share * kTimeScale), kTimeWidth);
      all.insert(all.end(), waves.values().begin(), waves.values().end());
    }
    return {static_cast<int>(shares.size()), kTimeWidth, std::move(all)};
  }

  /// [texts x tubes, kModulations x width]
  Matrix modulations_of(const PartInput& input, std::span<const std::span<const float>> texts) const {
    Matrix time = time_2(time_1(waves_of(input.shares), Activation::kSilu));
    if (!input.targets.empty()) time += target_2(target_1(waves_of(input.targets), Activation::kSilu));
    Matrix all(static_cast<int>(texts.size()) * time.rows(), time.columns());
    for (int r = 0; r < all.rows(); ++r) {
      add_row(time.row(r % time.rows()), all.row(r)), add_row(texts[at(r / time.rows())], all.row(r));
    }
    return modulation(silu(std::move(all)));
  }
};

namespace {

/// The part of a network that all texts pass, each in its own rows of x.
class BlockPass {
 public:
  BlockPass(const PartModel& model, Matrix& x) : model_(model), x_(x) {}

  void run(const Block& block, const Matrix& modulations) {
    const int d = model_.width;
    Matrix m(modulations.rows(), modulations.columns());
    for (int r = 0; r < m.rows(); ++r) {
      add_row(modulations.row(r), m.row(r)), add_row(block.table.values(), m.row(r));
      // A scale and a gate of 0 mean 1.
      for (const int which : {1, 2, 4, 5}) {
        for (float& value : m.row(r).subspan(at(which * d), at(d))) value += 1;
      }
    }
    norm(m, 0);
    block.qkv.apply(scratch_.normal, scratch_.mixed);
    norm_heads(block);
    attend();
    block.out.apply(scratch_.seen, scratch_.change);
    add_gated(m, 2);
    norm(m, 3);
    block.up.apply(scratch_.normal, scratch_.hidden, Activation::kGelu);
    block.down.apply(scratch_.hidden, scratch_.change);
    add_gated(m, 5);
  }

 private:
  /// Calls `body(row, modulation row)` for all rows, those of a tube at a time.
  template <class Body>
  void for_rows(const Body& body) const {
    const int run = (model_.size / model_.patch) * (model_.size / model_.patch), tubes = model_.tubes();
    parallel_for(at(x_.rows()), at(run), [&](std::size_t begin, std::size_t end) {
      for (int r = static_cast<int>(begin); r < static_cast<int>(end); ++r)
        body(r, r / model_.tokens() * tubes + r / run % tubes);
    });
  }

  std::span<const float> part(const Matrix& m, int row, int which) const {
    return m.row(row).subspan(at(which * model_.width), at(model_.width));
  }

  /// Shift and scale are the parts `first` and the next.
  void norm(const Matrix& m, int first) {
    scratch_.normal.resize(x_.rows(), x_.columns());
    for_rows([&](int r, int g) {
      nn::infer::norm_row(x_.row(r), kNormEps, part(m, g, first + 1), part(m, g, first), scratch_.normal.row(r));
    });
  }

  void norm_heads(const Block& block) {
    const std::size_t d = at(model_.width), head = d / at(model_.heads);
    for_rows([&](int r, int) {
      const std::span<float> row = scratch_.mixed.row(r);
      for (std::size_t k = 0; k < 2 * d; k += head) {
        const LayerNorm& heads = k < d ? block.norm_q : block.norm_k;
        nn::infer::norm_row(row.subspan(k, head), kNormEps, heads.weight, heads.bias, row.subspan(k, head));
      }
    });
  }

  void attend() {
    const int d = model_.width;
    scratch_.seen.resize(x_.rows(), d);
    for (int first = 0; first < x_.rows(); first += model_.tokens()) {
      const auto rows = rows_view(view_of(scratch_.mixed), first, model_.tokens());
      nn::infer::attend(columns_view(rows, 0, d), columns_view(rows, d, d), columns_view(rows, 2 * d, d), model_.heads,
                        scratch_.seen.row(first).data(), d);
    }
  }

  void add_gated(const Matrix& m, int which) {
    for_rows([&](int r, int g) {
      const std::span<const float> gate = part(m, g, which), change = scratch_.change.row(r);
      const std::span<float> row = x_.row(r);
      for (std::size_t k = 0; k < row.size(); ++k) row[k] += gate[k] * change[k];
    });
  }

  const PartModel& model_;
  Matrix& x_;
  Scratch scratch_;
};

}  // namespace

PartDenoiser::PartDenoiser(const PartModel& model) : model_(model) {}
PartDenoiser::~PartDenoiser() = default;

Result<std::unique_ptr<PartDenoiser>> PartDenoiser::open(const PartModel& model, const std::filesystem::path& folder) {
  LIMBER_TRY(WeightFile file, WeightFile::open(part_weights_file(folder / kPartWeightsFile)));
  std::unique_ptr<PartDenoiser> denoiser(new PartDenoiser(model));
  denoiser->reader_ = std::make_unique<const Reader>(model, file);
  denoiser->network_ = std::make_unique<const Network>(model, LayerSource{file, nullptr, 0});
  LIMBER_CHECK_OK(file.status());
  std::error_code error;
  if (model.few_steps.steps > 0 && std::filesystem::exists(folder / kFewStepsFile, error)) {
    LIMBER_TRY(WeightFile adapter, WeightFile::open(folder / kFewStepsFile));
    denoiser->jumping_ = std::make_unique<const Network>(model, LayerSource{file, &adapter, model.few_steps.rank});
    LIMBER_CHECK_OK(adapter.status());
  }
  return denoiser;
}

Result<std::vector<float>> PartDenoiser::read(const std::string& prompt) const {
  return reader_->read(prompt_groups(prompt, model_.buckets));
}

Result<std::vector<std::vector<float>>> PartDenoiser::denoise(const PartInput& input,
                                                              std::span<const std::span<const float>> texts) const {
  LIMBER_EXPECT(input.targets.empty() || jumps(), "only a network of jumps has targets");
  const Network& network = input.targets.empty() ? *network_ : *jumping_;
  const int tokens = model_.tokens(), count = static_cast<int>(texts.size());
  Matrix x(count * tokens, model_.width);
  {
    const Matrix shared = network.tokens_of(model_, input);
    for (std::size_t i = 0; i < texts.size(); ++i)
      std::copy(shared.values().begin(), shared.values().end(), x.values().data() + i * shared.values().size());
  }
  const Matrix modulations = network.modulations_of(input, texts);
  BlockPass pass(model_, x);
  for (const Block& block : network.blocks) pass.run(block, modulations);
  const Matrix seen = network.out(LayerNorm{model_.width, kNormEps, {}, {}}(x));
  std::vector<std::vector<float>> videos;
  for (int i = 0; i < count; ++i) videos.push_back(video_patches(model_).to_video(seen, i * tokens));
  return videos;
}

}  // namespace limber::prior
