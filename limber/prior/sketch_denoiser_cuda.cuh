// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "limber/base/at.h"
#include "limber/base/threads.h"
#include "limber/nn/cuda_blocks.cuh"
#include "limber/prior/sketch_denoiser_cuda.h"
#include "limber/prior/sketch_layers.h"

/// The built-in prior's network on a GPU, for the files that make something of its passes. Private to `prior`.
namespace limber::prior {
namespace cuda {

using nn::cuda::GroupedRows;
using nn::cuda::Layer;
using nn::cuda::Then;
using nn::infer::Floats;
using nn::infer::Matrix;

/// Videos times texts at once, for the sake of memory: 10 MB each as it ships.
constexpr int kMostSequences = 32;
/// Numbers that one thread copies before it is worth waking others.
constexpr std::size_t kCopied = 1 << 19;

// --- weights --------------------------------------------------------------------------------------------------------

/// Numbers that stay on the GPU, in large pieces.
class Arena {
 public:
  explicit Arena(CudaQueue& queue) : queue_(queue) {}

  const float* keep(std::span<const float> numbers) {
    float* to = take(numbers.size());
    if (to != nullptr) queue_.upload(to, numbers.data(), numbers.size_bytes());
    return to;
  }
  Layer keep(const Matrix& weight, Floats bias) {
    Layer layer{weight.columns(), weight.rows(), nullptr, nullptr};
    const int in = nn::cuda::rounded_inputs(layer.in), out = nn::cuda::rounded_outputs(layer.out);
    bias.resize(at(out));
    layer.bias = keep(bias);
    raw_.upload(queue_, weight.values(), "weights");
    float* packed = take(at(in) * at(out));
    queue_.launch_each("pack", at(in) * at(out), nn::cuda::pack_weight, static_cast<const float*>(raw_.data()),
                       layer.in, layer.out, packed);
    layer.weight = packed;
    return layer;
  }

 private:
  static constexpr std::size_t kPiece = 16 << 20, kAligned = 64;

  float* take(std::size_t count) {
    count = (count + kAligned - 1) / kAligned * kAligned;
    if (pieces_.empty() || used_ + count > pieces_.back().size()) {
      pieces_.emplace_back().resize(queue_, std::max(count, kPiece), "weights");
      used_ = 0;
    }
    if (!queue_.ok()) return nullptr;
    used_ += count;
    return pieces_.back().data() + (used_ - count);
  }

  CudaQueue& queue_;
  std::deque<DeviceArray<float>> pieces_;
  std::size_t used_ = 0;
  DeviceArray<float> raw_;
};

/// A block's small tensors.
struct BlockNumbers {
  const float *table, *q_weight, *q_bias, *k_weight, *k_bias;
};

struct Network {
  SketchLayers<Layer> layers;
  const float *no_rest, *known_bits, *places, *views;
  std::vector<BlockNumbers> blocks;

  Network(const SketchModel& model, const LayerSource& source, Arena& arena)
      : layers(model, source, [&](const Matrix& weight, Floats bias) { return arena.keep(weight, std::move(bias)); }),
        no_rest(arena.keep(layers.no_rest)),
        known_bits(arena.keep(layers.known_bits.values())),
        places(arena.keep(layers.places.values())),
        views(arena.keep(layers.views.values())) {
    for (const SketchBlock<Layer>& block : layers.blocks) {
      blocks.push_back({arena.keep(block.table.values()), arena.keep(block.norm_q.weight),
                        arena.keep(block.norm_q.bias), arena.keep(block.norm_k.weight), arena.keep(block.norm_k.bias)});
    }
  }
};

/// Videos that go through the network together: all have a picture at rest or none has, and so on.
struct Batch {
  int videos = 0;
  std::vector<int> video_of;  ///< of each sequence: a video under a text
  bool known = false, rested = false, jumping = false;

  int sequences() const { return static_cast<int>(video_of.size()); }
  /// Every video under as many texts.
  void pair(int texts) {
    for (int i = 0; i < videos * texts; ++i) video_of.push_back(i / texts);
  }
};

/// What a batch is told beside its videos, at each of some passes.
struct Words {
  Floats waves, target_waves;  ///< [passes, videos, tubes, kTimeWidth]: of shares and, for jumps, of targets
  Floats bits, texts;          ///< [videos, frames], [sequences, width]: the same for all passes

  /// Adds rows of waves. Most shares are those of their neighbours.
  static void add(std::span<const float> shares, Floats& waves) {
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const std::size_t end = waves.size();
      if (i > 0 && shares[i] == shares[i - 1]) {
        waves.resize(end + kTimeWidth);
        std::copy_n(waves.begin() + static_cast<std::ptrdiff_t>(end - kTimeWidth), kTimeWidth,
                    waves.begin() + static_cast<std::ptrdiff_t>(end));
      } else {
        const Matrix row = waves_of(shares.subspan(i, 1));
        waves.insert(waves.end(), row.values().begin(), row.values().end());
      }
    }
  }
};

}  // namespace cuda

struct CudaSketchNetwork::State {
  explicit State(const SketchModel& its_model) : model(its_model), patches(video_patches(its_model)), arena(queue) {}

  SketchModel model;
  Patches patches;
  CudaQueue queue;
  cuda::Arena arena;
  SketchFolder<const cuda::Network> folder;
  std::mutex in_use;

  std::size_t video_size() const { return at(patches.pictures()) * at(patches.rows() * patches.size); }
  std::size_t rest_size() const { return video_size() / at(model.frames); }

  /// Memory for a batch. Sizes that were there before cost nothing.
  void reserve(const cuda::Batch& batch);
  void tell(const cuda::Batch& batch, const cuda::Words& words);
  /// The same picture at rest for all videos, unless there is none.
  void show_rest(const cuda::Batch& batch, std::span<const float> rest);
  /// From `given` to `seen`; `which` of the passes that words were told for.
  void pass(const cuda::Batch& batch, int which = 0);
  std::vector<std::vector<float>> denoise(const cuda::Batch& batch, std::span<const SketchQuery> queries);
  /// The first `count` videos of `seen`, handed to `take(index, numbers)`, maybe on several threads. Waits.
  template <class Take>
  void download(std::size_t count, const Take& take);

  /// A noisy video for each of a batch's, then known ones, then pictures at rest.
  float* given() { return given_.data(); }
  float* known(const cuda::Batch& batch) { return given() + at(batch.videos) * video_size(); }
  float* rest(const cuda::Batch& batch) { return given() + at(batch.videos) * video_size() * (batch.known ? 2 : 1); }
  /// A video for each sequence.
  float* seen() { return videos_.data(); }

  /// Of samples and walks (sketch_sample_cuda.cu, sketch_walk_cuda.cu).
  struct Arrays {
    DeviceArray<float> noise, held, bits, shares, video, latent;
    DeviceArray<double> residuals, partial, numbers;
  };
  Arrays arrays;
  /// A video of it.
  void make_noise(const NoiseAddress& address, float* to);

 private:
  void upload(const cuda::Batch& batch, std::span<const SketchQuery> queries);
  int rows(const cuda::Batch& batch) const { return batch.sequences() * model.tokens(); }
  void find_tokens(const cuda::Network& network, const cuda::Batch& batch);
  void find_modulations(const cuda::Network& network, const cuda::Batch& batch);
  void run_block(const cuda::Network& network, std::size_t index, const cuda::Batch& batch);
  void attend(const cuda::Batch& batch);

  void multiply(const char* name, const float* x, int count, const cuda::Layer& layer, float* y,
                cuda::Then then = cuda::Then::kStore, const cuda::GroupedRows& gate = {}) {
    nn::cuda::multiply(queue, name, {x, count, layer, y, then, gate});
  }
  void norm(int count, const cuda::GroupedRows& scale, const cuda::GroupedRows& shift) {
    queue.launch_each("norm", at(count) * nn::cuda::kWarp, nn::cuda::norm_rows, static_cast<const float*>(x_.data()),
                      count, model.width, kSketchNormEps, scale, shift, normal_.data());
  }
  template <bool kToVideo>
  void move(const Patches& shape, int videos, float* video, float* tokens);
  cuda::GroupedRows part(const float* table, int which) const {
    const int d = model.width;
    return {modulations_.data() + which * d, table + which * d, kModulations * d, groups_.data()};
  }

  /// What comes and goes. Free for whoever begins: calls end with a wait.
  HostArray<float> staged_;
  // Waves of times, of targets, bits and texts.
  DeviceArray<float> given_, words_;
  std::size_t target_waves_ = 0, bits_ = 0, texts_ = 0;  ///< where those begin
  const float *told_waves_ = nullptr, *told_targets_ = nullptr;
  DeviceArray<int> video_of_, groups_;
  // `wide_` holds what is 3, 4 or, for patches, any number of times as wide as x.
  DeviceArray<float> x_, normal_, wide_, rest_, times_, times_2_, modulations_, partial_, totals_, videos_;
};

template <class Take>
void CudaSketchNetwork::State::download(std::size_t count, const Take& take) {
  const std::size_t size = video_size();
  queue.download(staged_.data(), seen(), count * size * sizeof(float));
  if (!queue.ok()) return;
  parallel_for(count, count * size > cuda::kCopied ? 1 : count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) take(v, std::span<const float>(staged_.data() + v * size, size));
  });
}

}  // namespace limber::prior
