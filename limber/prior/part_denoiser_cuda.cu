// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/nn/cuda_blocks.cuh"
#include "limber/prior/part_denoiser_cuda.h"
#include "limber/prior/part_layers.h"

namespace limber::prior {
namespace {

using nn::cuda::GroupedRows;
using nn::cuda::Layer;
using nn::cuda::Then;
using nn::infer::Floats;
using nn::infer::Matrix;
using Videos = std::vector<std::vector<float>>;

constexpr int kMostSequences = 32;        // videos times texts at once, for the sake of memory: 10 MB each as it ships
constexpr std::size_t kCopied = 1 << 21;  // numbers that one thread copies before it is worth waking others
constexpr int kWidestHead = nn::cuda::kAttendSize;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// --- kernels --------------------------------------------------------------------------------------------------------

/// Videos to tokens or back: a thread per pixel.
template <bool kToVideo>
__global__ void move_patches(const Patches patches, int videos, float* video, float* tokens) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int size = patches.size, rows = patches.rows(), pictures = patches.pictures();
  const auto line = static_cast<int>(i / size);
  if (line >= videos * pictures * rows) return;
  const int picture = line / rows;
  const Patches::Place place = patches.place_of(picture % pictures, line % rows, static_cast<int>(i % size));
  const std::size_t token = static_cast<std::size_t>(picture / pictures) * patches.tokens() + place.token;
  float& number = tokens[token * patches.numbers() + place.number];
  if (kToVideo) {
    video[i] = number;
  } else {
    number = video[i];
  }
}

/// Tokens as they enter the blocks, the same for all texts of a video.
struct Embedding {
  const float *video = nullptr, *rest = nullptr, *is_known = nullptr;  ///< of each query; the last two may be null
  const float *no_rest = nullptr, *known_bits = nullptr, *places = nullptr, *views = nullptr;
  const int* query_of = nullptr;
  int sequences = 0, tokens = 0, views_count = 0, run = 0, tubes = 0, length = 0, width = 0;
  float* x = nullptr;
};
__global__ void embed(const Embedding task) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto row = static_cast<int>(i / task.width), c = static_cast<int>(i % task.width);
  if (row >= task.sequences * task.tokens) return;
  const int query = task.query_of[row / task.tokens], token = row % task.tokens;
  const int in_view = task.tokens / task.views_count, view = token / in_view;
  float value = task.video[(static_cast<std::size_t>(query) * task.tokens + token) * task.width + c];
  if (task.rest != nullptr) {
    const int at_rest = (query * task.views_count + view) * task.run + token % task.run;
    value += task.rest[static_cast<std::size_t>(at_rest) * task.width + c];
  } else {
    value += task.no_rest[c];
  }
  if (task.is_known != nullptr) {
    const float* bits = task.is_known + (query * task.tubes + token / task.run % task.tubes) * task.length;
    float sum = 0;
    for (int k = 0; k < task.length; ++k) sum = fmaf(bits[k], task.known_bits[c * task.length + k], sum);
    value += sum;
  }
  value += task.places[static_cast<std::size_t>(token % in_view) * task.width + c];
  task.x[i] = value + task.views[static_cast<std::size_t>(view) * task.width + c];
}

/// What times and texts say together, [sequences, tubes, width].
__global__ void join_times(const float* times, const float* texts, const int* query_of, int sequences, int tubes,
                           int width, float* to) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto row = static_cast<int>(i / width), c = static_cast<int>(i % width);
  if (row >= sequences * tubes) return;
  const int sequence = row / tubes, time = query_of[sequence] * tubes + row % tubes;
  to[i] = nn::cuda::silu_of(times[time * width + c] + texts[sequence * width + c]);
}

/// Which row of the modulations a token heeds.
__global__ void find_groups(int rows, int tokens, int run, int tubes, int* to) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row < rows) to[row] = row / tokens * tubes + row / run % tubes;
}

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
  PartLayers<Layer> layers;
  const float *no_rest, *known_bits, *places, *views;
  std::vector<BlockNumbers> blocks;

  Network(const PartModel& model, const LayerSource& source, Arena& arena)
      : layers(model, source, [&](const Matrix& weight, Floats bias) { return arena.keep(weight, std::move(bias)); }),
        no_rest(arena.keep(layers.no_rest)),
        known_bits(arena.keep(layers.known_bits.values())),
        places(arena.keep(layers.places.values())),
        views(arena.keep(layers.views.values())) {
    for (const PartBlock<Layer>& block : layers.blocks) {
      blocks.push_back({arena.keep(block.table.values()), arena.keep(block.norm_q.weight),
                        arena.keep(block.norm_q.bias), arena.keep(block.norm_k.weight), arena.keep(block.norm_k.bias)});
    }
  }
};

/// Videos that go through the network together: all have a picture at rest or none has, and so on.
struct Batch {
  std::span<const PartQuery> queries;
  std::vector<int> query_of;  ///< of each sequence: a video under a text

  const PartInput& kind() const { return queries.front().input; }
  int sequences() const { return static_cast<int>(query_of.size()); }
};

bool same_kind(const PartInput& a, const PartInput& b) {
  return a.targets.empty() == b.targets.empty() && a.rest.empty() == b.rest.empty() &&
         a.known.empty() == b.known.empty();
}

/// The first queries that go together.
Batch first_batch(std::span<const PartQuery> queries) {
  Batch batch;
  std::size_t count = 0;
  for (; count < queries.size(); ++count) {
    const PartQuery& query = queries[count];
    const std::size_t texts = query.texts.size();
    if (count > 0 && (!same_kind(queries[0].input, query.input) || batch.query_of.size() + texts > kMostSequences)) {
      break;
    }
    batch.query_of.insert(batch.query_of.end(), texts, static_cast<int>(count));
  }
  batch.queries = queries.first(count);
  return batch;
}

}  // namespace

// --- passes ---------------------------------------------------------------------------------------------------------

struct CudaPartNetwork::State {
  explicit State(const PartModel& its_model) : model(its_model), patches(video_patches(its_model)), arena(queue) {}

  PartModel model;
  Patches patches;
  CudaQueue queue;
  Arena arena;
  PartFolder<const Network> folder;
  std::mutex in_use;

  Videos denoise(const Batch& batch);

 private:
  std::size_t video_size() const { return at(patches.pictures()) * at(patches.rows()) * at(patches.size); }
  std::size_t rest_size() const { return video_size() / at(model.frames); }
  int rows(const Batch& batch) const { return batch.sequences() * model.tokens(); }

  void reserve(const Batch& batch);
  void upload(const Batch& batch);
  void find_tokens(const Network& network, const Batch& batch);
  void find_modulations(const Network& network, const Batch& batch);
  void run_block(const Network& network, std::size_t index, const Batch& batch);
  void attend(const Batch& batch);
  Videos download(const Batch& batch);

  void multiply(const char* name, const float* x, int count, const Layer& layer, float* y, Then then = Then::kStore,
                const GroupedRows& gate = {}) {
    nn::cuda::multiply(queue, name, {x, count, layer, y, then, gate});
  }
  void norm(int count, const GroupedRows& scale, const GroupedRows& shift) {
    queue.launch_each("norm", at(count) * nn::cuda::kWarp, nn::cuda::norm_rows, static_cast<const float*>(x_.data()),
                      count, model.width, kPartNormEps, scale, shift, normal_.data());
  }
  template <bool kToVideo>
  void move(const Patches& shape, int videos, float* video, float* tokens) {
    const std::size_t pixels = at(shape.pictures()) * at(shape.rows()) * at(shape.size);
    queue.launch_each("patches", at(videos) * pixels, move_patches<kToVideo>, shape, videos, video, tokens);
  }
  GroupedRows part(const float* table, int which) const {
    const int d = model.width;
    return {modulations_.data() + which * d, table + which * d, kModulations * d, groups_.data()};
  }

  // What is given: videos, then known ones, then pictures at rest; waves of times, of targets, bits and texts.
  HostArray<float> staged_;
  DeviceArray<float> given_, words_;
  const float *waves_ = nullptr, *target_waves_ = nullptr, *bits_ = nullptr, *texts_ = nullptr;
  DeviceArray<int> query_of_, groups_;
  // `wide_` holds what is 3, 4 or, for patches, any number of times as wide as x.
  DeviceArray<float> x_, normal_, wide_, rest_, times_, times_2_, modulations_, partial_, totals_, videos_;
};

/// Memory for a batch. Sizes that were there before cost nothing.
void CudaPartNetwork::State::reserve(const Batch& batch) {
  const std::size_t d = at(model.width), count = batch.queries.size();
  const std::size_t sequences = std::max(at(batch.sequences()), count);  // where videos have no text there are fewer
  const std::size_t tokens = sequences * at(model.tokens()), tubes = at(model.tubes());
  const std::size_t per_query = video_size() * (batch.kind().known.empty() ? 1 : 2) + rest_size();
  staged_.resize(queue, std::max(count * per_query, sequences * video_size()), "videos");
  given_.resize(queue, count * per_query, "videos");
  videos_.resize(queue, sequences * video_size(), "videos");
  const std::size_t numbers = at(std::max(4 * model.width, patches.numbers()));
  x_.resize(queue, tokens * d, "tokens"), normal_.resize(queue, tokens * d, "tokens");
  wide_.resize(queue, tokens * numbers, "activations");
  rest_.resize(queue, count * at(model.views * patches.run()) * d, "tokens");
  times_.resize(queue, sequences * tubes * d, "times"), times_2_.resize(queue, sequences * tubes * d, "times");
  modulations_.resize(queue, sequences * tubes * kModulations * d, "times");
  const int splits = nn::cuda::attention_splits(model.tokens(), batch.sequences(), model.heads);
  if (splits > 1) {
    partial_.resize(queue, at(splits) * tokens * d, "attention");
    totals_.resize(queue, at(splits) * tokens * at(model.heads) * 2, "attention");
  }
  if (groups_.size() < tokens) {
    groups_.resize(queue, tokens, "tokens");
    queue.launch_each("groups", tokens, find_groups, static_cast<int>(tokens), model.tokens(), patches.run(),
                      model.tubes(), groups_.data());
  }
}

void CudaPartNetwork::State::upload(const Batch& batch) {
  const std::size_t count = batch.queries.size(), video = video_size(), known = batch.kind().known.empty() ? 0 : video;
  std::vector<std::pair<std::span<const float>, float*>> pieces;
  const auto stage = [&](std::span<const float> from, std::size_t to) {
    if (!from.empty()) pieces.emplace_back(from, staged_.data() + to);
  };
  for (std::size_t q = 0; q < count; ++q) {
    const PartInput& input = batch.queries[q].input;
    LIMBER_EXPECT(input.noisy.size() == video && input.known.size() == known, std::to_string(input.noisy.size()));
    LIMBER_EXPECT(input.rest.empty() || input.rest.size() == rest_size(), std::to_string(input.rest.size()));
    LIMBER_EXPECT(input.shares.size() == at(model.tubes()), "a share of noise for every tube");
    LIMBER_EXPECT(input.targets.empty() || input.targets.size() == at(model.tubes()), "a target for every tube");
    LIMBER_EXPECT(known == 0 || input.is_known.size() == at(model.frames), "a known bit for every frame");
    stage(input.noisy, q * video), stage(input.known, count * video + q * video);
    stage(input.rest, count * (video + known) + q * rest_size());
  }
  parallel_for(pieces.size(), count * video > kCopied ? 1 : pieces.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::copy(pieces[i].first.begin(), pieces[i].first.end(), pieces[i].second);
  });
  queue.upload(given_.data(), staged_.data(),
               count * (video + known + (batch.kind().rest.empty() ? 0 : rest_size())) * sizeof(float));

  Floats all;
  const auto add = [&](std::span<const float> numbers) { all.insert(all.end(), numbers.begin(), numbers.end()); };
  std::size_t starts[4] = {};
  for (const PartQuery& query : batch.queries) add(waves_of(query.input.shares).values());
  starts[1] = all.size();
  for (const PartQuery& query : batch.queries) add(waves_of(query.input.targets).values());
  starts[2] = all.size();
  for (const PartQuery& query : batch.queries) add(query.input.is_known);
  starts[3] = all.size();
  for (const PartQuery& query : batch.queries) {
    for (const std::span<const float> text : query.texts) {
      LIMBER_EXPECT(text.size() == at(model.width), std::to_string(text.size()));
      add(text);
    }
  }
  words_.upload(queue, all, "times and texts");
  query_of_.upload(queue, batch.query_of, "times and texts");
  waves_ = words_.data() + starts[0], target_waves_ = words_.data() + starts[1], bits_ = words_.data() + starts[2];
  texts_ = words_.data() + starts[3];
}

/// [sequences, tokens, width]
void CudaPartNetwork::State::find_tokens(const Network& network, const Batch& batch) {
  const int count = static_cast<int>(batch.queries.size()), tokens = model.tokens();
  const bool known = !batch.kind().known.empty(), rested = !batch.kind().rest.empty();
  const std::size_t video = at(count) * video_size();
  move<false>(patches, count, given_.data(), wide_.data());
  multiply("video in", wide_.data(), count * tokens, network.layers.video_in, normal_.data());
  if (known) {
    LIMBER_EXPECT(model.version >= 2, "known frames need the second version");
    move<false>(patches, count, given_.data() + video, wide_.data());
    multiply("known in", wide_.data(), count * tokens, network.layers.known_in, normal_.data(), Then::kAdd);
  }
  if (rested) {
    move<false>(rest_patches(model), count, given_.data() + video * (known ? 2 : 1), wide_.data());
    multiply("rest in", wide_.data(), count * model.views * patches.run(), network.layers.rest_in, rest_.data());
  }
  const Embedding task{normal_.data(),
                       rested ? rest_.data() : nullptr,
                       known ? bits_ : nullptr,
                       network.no_rest,
                       network.known_bits,
                       network.places,
                       network.views,
                       query_of_.data(),
                       batch.sequences(),
                       tokens,
                       model.views,
                       patches.run(),
                       model.tubes(),
                       model.patch_frames,
                       model.width,
                       x_.data()};
  queue.launch_each("embed", at(rows(batch)) * at(model.width), embed, task);
}

/// [sequences, tubes, kModulations, width]
void CudaPartNetwork::State::find_modulations(const Network& network, const Batch& batch) {
  const int count = static_cast<int>(batch.queries.size()) * model.tubes(), joined = batch.sequences() * model.tubes();
  multiply("times", waves_, count, network.layers.time_1, times_2_.data(), Then::kSilu);
  multiply("times", times_2_.data(), count, network.layers.time_2, times_.data());
  if (!batch.kind().targets.empty()) {
    multiply("times", target_waves_, count, network.layers.target_1, times_2_.data(), Then::kSilu);
    multiply("times", times_2_.data(), count, network.layers.target_2, times_.data(), Then::kAdd);
  }
  queue.launch_each("times", at(joined) * at(model.width), join_times, static_cast<const float*>(times_.data()), texts_,
                    static_cast<const int*>(query_of_.data()), batch.sequences(), model.tubes(), model.width,
                    times_2_.data());
  multiply("modulation", times_2_.data(), joined, network.layers.modulation, modulations_.data());
}

/// From the first three quarters of `wide_` to the last one.
void CudaPartNetwork::State::attend(const Batch& batch) {
  const int d = model.width, splits = nn::cuda::attention_splits(model.tokens(), batch.sequences(), model.heads);
  const float* mixed = wide_.data();
  nn::cuda::Attention task{mixed,          mixed + d,         mixed + 2 * d, 3 * d,
                           model.tokens(), batch.sequences(), model.heads,   d / model.heads};
  task.y = wide_.data() + 3 * at(rows(batch)) * at(d);
  task.splits = splits, task.partial = partial_.data(), task.totals = totals_.data();
  nn::cuda::attend(queue, task);
}

void CudaPartNetwork::State::run_block(const Network& network, std::size_t index, const Batch& batch) {
  const PartBlock<Layer>& block = network.layers.blocks[index];
  const BlockNumbers& numbers = network.blocks[index];
  const int count = rows(batch), d = model.width;
  norm(count, part(numbers.table, 1), part(numbers.table, 0));
  multiply("qkv", normal_.data(), count, block.qkv, wide_.data());
  queue.launch_each("head norms", at(count) * at(2 * model.heads) * nn::cuda::kWarp, nn::cuda::norm_each_head,
                    nn::cuda::HeadNorms{wide_.data(), count, model.heads, d / model.heads, kPartNormEps,
                                        numbers.q_weight, numbers.q_bias, numbers.k_weight, numbers.k_bias});
  attend(batch);
  multiply("out", wide_.data() + 3 * at(count) * at(d), count, block.out, x_.data(), Then::kAddGated,
           part(numbers.table, 2));
  norm(count, part(numbers.table, 4), part(numbers.table, 3));
  multiply("up", normal_.data(), count, block.up, wide_.data(), Then::kGelu);
  multiply("down", wide_.data(), count, block.down, x_.data(), Then::kAddGated, part(numbers.table, 5));
}

/// A video per sequence.
Videos CudaPartNetwork::State::download(const Batch& batch) {
  const std::size_t count = at(batch.sequences()), size = video_size();
  queue.download(staged_.data(), videos_.data(), count * size * sizeof(float));
  Videos all(count);
  if (!queue.ok()) return all;
  parallel_for(count, count * size > kCopied ? 1 : count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) all[v].assign(staged_.data() + v * size, staged_.data() + (v + 1) * size);
  });
  return all;
}

Videos CudaPartNetwork::State::denoise(const Batch& batch) {
  const Network& network = batch.kind().targets.empty() ? *folder.network : *folder.jumping;
  if (batch.sequences() == 0) return {};
  reserve(batch);
  if (!queue.ok()) return {};
  upload(batch);
  find_tokens(network, batch);
  find_modulations(network, batch);
  for (std::size_t i = 0; i < network.blocks.size(); ++i) run_block(network, i, batch);
  norm(rows(batch), {}, {});
  multiply("video out", normal_.data(), rows(batch), network.layers.out, wide_.data());
  move<true>(patches, batch.sequences(), videos_.data(), wide_.data());
  return download(batch);
}

// --- the network ----------------------------------------------------------------------------------------------------

bool has_cuda_network() { return true; }

CudaPartNetwork::CudaPartNetwork(std::unique_ptr<State> state) : state_(std::move(state)) {}
CudaPartNetwork::~CudaPartNetwork() = default;

Result<std::unique_ptr<CudaPartNetwork>> CudaPartNetwork::open(const PartModel& model,
                                                               const std::filesystem::path& folder,
                                                               std::optional<std::uint64_t> memory_limit) {
  if (model.width / model.heads > kWidestHead) {
    return Error{"heads of " + std::to_string(model.width / model.heads) + " numbers; on a GPU at most " +
                     std::to_string(kWidestHead) + ", unless LibTorch computes (--dtype bfloat16)",
                 folder.string(), ErrorKind::kUnsupported};
  }
  auto state = std::make_unique<State>(model);
  LIMBER_CHECK_OK(state->queue.open());
  if (memory_limit) state->queue.set_limit(*memory_limit);
  LIMBER_TRY(state->folder, read_part_folder<const Network>(model, folder, [&](const LayerSource& source) {
               return std::make_unique<const Network>(model, source, state->arena);
             }));
  LIMBER_CHECK_OK(state->queue.finish());
  return std::unique_ptr<CudaPartNetwork>(new CudaPartNetwork(std::move(state)));
}

Result<std::vector<float>> CudaPartNetwork::read(const std::string& prompt) const {
  return state_->folder.reader->read(prompt);
}

Result<Videos> CudaPartNetwork::denoise(const PartInput& input, std::span<const std::span<const float>> texts) const {
  const PartQuery query{input, {texts.begin(), texts.end()}};
  LIMBER_TRY(std::vector<Videos> all, denoise_all(std::span(&query, 1)));
  return std::move(all.front());
}

Result<std::vector<Videos>> CudaPartNetwork::denoise_all(std::span<const PartQuery> queries) const {
  const std::lock_guard lock(state_->in_use);
  std::vector<Videos> all;
  while (!queries.empty()) {
    const Batch batch = first_batch(queries);
    LIMBER_EXPECT(batch.kind().targets.empty() || jumps(), "only a network of jumps has targets");
    Videos seen = state_->denoise(batch);
    LIMBER_CHECK_OK(state_->queue.status());
    const std::size_t first = all.size();
    all.resize(first + batch.queries.size());
    for (std::size_t s = 0; s < seen.size(); ++s) all[first + at(batch.query_of[s])].push_back(std::move(seen[s]));
    queries = queries.subspan(batch.queries.size());
  }
  return all;
}

bool CudaPartNetwork::jumps() const { return state_->folder.jumping != nullptr; }

void CudaPartNetwork::start_timeline() const { state_->queue.start_timeline(); }
std::vector<std::pair<std::string, double>> CudaPartNetwork::take_timeline() const {
  std::vector<std::pair<std::string, double>> steps;
  for (QueueStep& step : state_->queue.take_timeline()) steps.emplace_back(std::move(step.name), step.milliseconds);
  return steps;
}
std::size_t CudaPartNetwork::bytes() const { return state_->queue.bytes(); }

}  // namespace limber::prior
