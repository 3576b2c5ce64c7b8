// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/sketch_denoiser.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/prior/sketch_layers.h"

namespace limber::prior {
namespace {

using nn::infer::Activation;
using nn::infer::Floats;
using nn::infer::LayerNorm;
using nn::infer::Linear;
using nn::infer::Matrix;
using Block = SketchBlock<Linear>;

/// Calls `move(pixel, token, number)` for all runs of `patch` pixels: where they are in the video, and in the tokens.
template <class Move>
void for_runs(const Patches& patches, const Move& move) {
  parallel_for(at(patches.pictures()), 1, [&](std::size_t i, std::size_t) {
    for (int row = 0; row < patches.rows(); ++row) {
      for (int x = 0; x < patches.size; x += patches.patch) {
        const Patches::Place place = patches.place_of(static_cast<int>(i), row, x);
        move((i * at(patches.rows()) + at(row)) * at(patches.size) + at(x), place.token, place.number);
      }
    }
  });
}

Matrix tokens_from(const Patches& patches, std::span<const float> video) {
  Matrix tokens(patches.tokens(), patches.numbers());
  for_runs(patches, [&](std::size_t pixel, int token, int number) {
    std::copy_n(video.begin() + static_cast<std::ptrdiff_t>(pixel), patches.patch, tokens.row(token).begin() + number);
  });
  return tokens;
}

/// Rows of `all` from `first` on are the tokens.
std::vector<float> video_from(const Patches& patches, const Matrix& all, int first) {
  std::vector<float> video(at(patches.pictures() * patches.rows()) * at(patches.size));
  for_runs(patches, [&](std::size_t pixel, int token, int number) {
    std::copy_n(all.row(first + token).begin() + number, patches.patch,
                video.begin() + static_cast<std::ptrdiff_t>(pixel));
  });
  return video;
}

void add_row(std::span<const float> from, std::span<float> to) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += from[k];
}

/// What a pass writes in every block, used again by the next.
struct Scratch {
  Matrix normal, mixed, seen, hidden, change;
};

}  // namespace

struct SketchDenoiser::Network : SketchLayers<Linear> {
  Linear bits_in;  ///< of the second version

  Network(const SketchModel& model, const LayerSource& source)
      : SketchLayers(model, source, [](const Matrix& weight, Floats bias) { return Linear(weight, std::move(bias)); }) {
    if (known_bits.rows() > 0) bits_in = Linear(known_bits, Floats(at(known_bits.rows())));
  }

  /// What all texts share: [tokens, width].
  Matrix tokens_of(const SketchModel& model, const SketchInput& input) const {
    const Patches patches = video_patches(model);
    Matrix x = video_in(tokens_from(patches, input.noisy)), rest;
    if (!input.rest.empty()) rest = rest_in(tokens_from(rest_patches(model), input.rest));
    Matrix bits;
    if (!input.known.empty()) {
      LIMBER_EXPECT(model.version >= 2, "known frames need the second version");
      x += known_in(tokens_from(patches, input.known));
      bits = bits_in({model.tubes(), model.patch_frames, {input.is_known.begin(), input.is_known.end()}});
    }
    const int run = patches.run(), in_view = model.tokens_per_view();
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

  /// [texts x tubes, kModulations x width]
  Matrix modulations_of(const SketchInput& input, std::span<const std::span<const float>> texts) const {
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
  BlockPass(const SketchModel& model, Matrix& x) : model_(model), x_(x) {}

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
    const int run = video_patches(model_).run(), tubes = model_.tubes();
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
      nn::infer::norm_row(x_.row(r), kSketchNormEps, part(m, g, first + 1), part(m, g, first), scratch_.normal.row(r));
    });
  }

  void norm_heads(const Block& block) {
    const std::size_t d = at(model_.width), head = d / at(model_.heads);
    for_rows([&](int r, int) {
      const std::span<float> row = scratch_.mixed.row(r);
      for (std::size_t k = 0; k < 2 * d; k += head) {
        const LayerNorm& heads = k < d ? block.norm_q : block.norm_k;
        nn::infer::norm_row(row.subspan(k, head), kSketchNormEps, heads.weight, heads.bias, row.subspan(k, head));
      }
    });
  }

  void attend() {
    const int d = model_.width;
    scratch_.seen.resize(x_.rows(), d);
    for (int first = 0; first < x_.rows(); first += model_.tokens()) {
      const auto rows = rows_view(view_of(scratch_.mixed), first, model_.tokens());
      nn::infer::attend(columns_view(rows, 0, d), columns_view(rows, d, d), columns_view(rows, 2 * d, d), model_.heads,
                        {}, scratch_.seen.row(first).data(), d);
    }
  }

  void add_gated(const Matrix& m, int which) {
    for_rows([&](int r, int g) {
      const std::span<const float> gate = part(m, g, which), change = scratch_.change.row(r);
      const std::span<float> row = x_.row(r);
      for (std::size_t k = 0; k < row.size(); ++k) row[k] += gate[k] * change[k];
    });
  }

  const SketchModel& model_;
  Matrix& x_;
  Scratch scratch_;
};

}  // namespace

SketchDenoiser::SketchDenoiser(const SketchModel& model) : model_(model) {}
SketchDenoiser::~SketchDenoiser() = default;

Result<std::unique_ptr<SketchDenoiser>> SketchDenoiser::open(const SketchModel& model,
                                                             const std::filesystem::path& folder) {
  std::unique_ptr<SketchDenoiser> denoiser(new SketchDenoiser(model));
  LIMBER_TRY(SketchFolder<const Network> read,
             read_sketch_folder<const Network>(model, folder, [&](const LayerSource& source) {
               return std::make_unique<const Network>(model, source);
             }));
  denoiser->reader_ = std::move(read.reader);
  denoiser->network_ = std::move(read.network), denoiser->jumping_ = std::move(read.jumping);
  return denoiser;
}

Result<std::vector<float>> SketchDenoiser::read(const std::string& prompt) const { return reader_->read(prompt); }

Result<std::vector<std::vector<float>>> SketchDenoiser::denoise(const SketchInput& input,
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
  const Matrix seen = network.out(LayerNorm{model_.width, kSketchNormEps, {}, {}}(x));
  std::vector<std::vector<float>> videos;
  for (int i = 0; i < count; ++i) videos.push_back(video_from(video_patches(model_), seen, i * tokens));
  return videos;
}

}  // namespace limber::prior
