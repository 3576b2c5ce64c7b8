// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "limber/base/expect.h"
#include "limber/prior/sketch_denoiser_cuda.cuh"

namespace limber::prior {
namespace {

using cuda::Batch;
using cuda::Network;
using cuda::Words;
using nn::cuda::Layer;
using nn::cuda::Then;
using Videos = std::vector<std::vector<float>>;

constexpr int kWidestHead = nn::cuda::kAttendSize;
constexpr int kWarmVideos = 8;

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
  const int* video_of = nullptr;
  int sequences = 0, tokens = 0, views_count = 0, run = 0, tubes = 0, length = 0, width = 0;
  float* x = nullptr;
};
__global__ void embed(const Embedding task) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto row = static_cast<int>(i / task.width), c = static_cast<int>(i % task.width);
  if (row >= task.sequences * task.tokens) return;
  const int query = task.video_of[row / task.tokens], token = row % task.tokens;
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
__global__ void join_times(const float* times, const float* texts, const int* video_of, int sequences, int tubes,
                           int width, float* to) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto row = static_cast<int>(i / width), c = static_cast<int>(i % width);
  if (row >= sequences * tubes) return;
  const int sequence = row / tubes, time = video_of[sequence] * tubes + row % tubes;
  to[i] = nn::cuda::silu_of(times[time * width + c] + texts[sequence * width + c]);
}

/// Which row of the modulations a token heeds.
__global__ void find_groups(int rows, int tokens, int run, int tubes, int* to) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row < rows) to[row] = row / tokens * tubes + row / run % tubes;
}

/// Numbers of a noise video: a thread for four.
__global__ void put_noise(const NoiseAddress address, std::size_t count, float* to) {
  const std::size_t block = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (4 * block < count) put_normal_numbers(address, block, count, to);
}

bool same_kind(const SketchInput& a, const SketchInput& b) {
  return a.targets.empty() == b.targets.empty() && a.rest.empty() == b.rest.empty() &&
         a.known.empty() == b.known.empty();
}

/// The first queries that go together.
Batch first_batch(std::span<const SketchQuery> queries) {
  const SketchInput& kind = queries.front().input;
  Batch batch{0, {}, !kind.known.empty(), !kind.rest.empty(), !kind.targets.empty()};
  for (const SketchQuery& query : queries) {
    const std::size_t texts = query.texts.size();
    if (batch.videos > 0 && (!same_kind(kind, query.input) || batch.video_of.size() + texts > cuda::kMostSequences)) {
      break;
    }
    batch.video_of.insert(batch.video_of.end(), texts, batch.videos++);
  }
  return batch;
}

void check_query(const SketchQuery& query, const SketchModel& model, std::size_t video, std::size_t rest) {
  const SketchInput& input = query.input;
  LIMBER_EXPECT(input.noisy.size() == video && (input.known.empty() || input.known.size() == video),
                std::to_string(input.noisy.size()));
  LIMBER_EXPECT(input.rest.empty() || input.rest.size() == rest, std::to_string(input.rest.size()));
  LIMBER_EXPECT(input.shares.size() == at(model.tubes()), "a share of noise for every tube");
  LIMBER_EXPECT(input.targets.empty() || input.targets.size() == at(model.tubes()), "a target for every tube");
  LIMBER_EXPECT(input.known.empty() || input.is_known.size() == at(model.frames), "a known bit for every frame");
  for (const std::span<const float> text : query.texts) {
    LIMBER_EXPECT(text.size() == at(model.width), std::to_string(text.size()));
  }
}

}  // namespace

// --- passes ---------------------------------------------------------------------------------------------------------

void CudaSketchNetwork::State::reserve(const Batch& batch) {
  const std::size_t d = at(model.width), count = at(batch.videos);
  const std::size_t sequences = std::max(at(batch.sequences()), count);  // where videos have no text there are fewer
  const std::size_t tokens = sequences * at(model.tokens()), tubes = at(model.tubes());
  const std::size_t given = count * (video_size() * (batch.known ? 2 : 1) + rest_size());
  staged_.resize(queue, std::max(given, sequences * video_size()), "videos");
  given_.resize(queue, given, "videos");
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

void CudaSketchNetwork::State::tell(const Batch& batch, const Words& words) {
  cuda::Floats all = words.waves;
  const auto add = [&](const cuda::Floats& numbers) {
    const std::size_t begin = all.size();
    all.insert(all.end(), numbers.begin(), numbers.end());
    return begin;
  };
  target_waves_ = add(words.target_waves), bits_ = add(words.bits), texts_ = add(words.texts);
  words_.upload(queue, all, "times and texts");
  video_of_.upload(queue, batch.video_of, "times and texts");
}

void CudaSketchNetwork::State::show_rest(const Batch& batch, std::span<const float> picture) {
  if (!batch.rested) return;
  LIMBER_EXPECT(picture.size() == rest_size(), std::to_string(picture.size()));
  queue.upload(rest(batch), picture.data(), picture.size_bytes());
  for (std::size_t v = 1; v < at(batch.videos); ++v) {
    queue.copy(rest(batch) + v * rest_size(), rest(batch), picture.size_bytes());
  }
}

void CudaSketchNetwork::State::make_noise(const NoiseAddress& address, float* to) {
  queue.launch_each("noise", (video_size() + 3) / 4, put_noise, address, video_size(), to);
}

template <bool kToVideo>
void CudaSketchNetwork::State::move(const Patches& shape, int videos, float* from, float* tokens) {
  const std::size_t pixels = at(shape.pictures()) * at(shape.rows()) * at(shape.size);
  queue.launch_each("patches", at(videos) * pixels, move_patches<kToVideo>, shape, videos, from, tokens);
}

/// [sequences, tokens, width]
void CudaSketchNetwork::State::find_tokens(const Network& network, const Batch& batch) {
  const int count = batch.videos, tokens = model.tokens();
  move<false>(patches, count, given_.data(), wide_.data());
  multiply("video in", wide_.data(), count * tokens, network.layers.video_in, normal_.data());
  if (batch.known) {
    LIMBER_EXPECT(model.version >= 2, "known frames need the second version");
    move<false>(patches, count, known(batch), wide_.data());
    multiply("known in", wide_.data(), count * tokens, network.layers.known_in, normal_.data(), Then::kAdd);
  }
  if (batch.rested) {
    move<false>(rest_patches(model), count, rest(batch), wide_.data());
    multiply("rest in", wide_.data(), count * model.views * patches.run(), network.layers.rest_in, rest_.data());
  }
  const Embedding task{normal_.data(),
                       batch.rested ? rest_.data() : nullptr,
                       batch.known ? words_.data() + bits_ : nullptr,
                       network.no_rest,
                       network.known_bits,
                       network.places,
                       network.views,
                       video_of_.data(),
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
void CudaSketchNetwork::State::find_modulations(const Network& network, const Batch& batch) {
  const int count = batch.videos * model.tubes(), joined = batch.sequences() * model.tubes();
  multiply("times", told_waves_, count, network.layers.time_1, times_2_.data(), Then::kSilu);
  multiply("times", times_2_.data(), count, network.layers.time_2, times_.data());
  if (batch.jumping) {
    multiply("times", told_targets_, count, network.layers.target_1, times_2_.data(), Then::kSilu);
    multiply("times", times_2_.data(), count, network.layers.target_2, times_.data(), Then::kAdd);
  }
  queue.launch_each("times", at(joined) * at(model.width), join_times, static_cast<const float*>(times_.data()),
                    static_cast<const float*>(words_.data() + texts_), static_cast<const int*>(video_of_.data()),
                    batch.sequences(), model.tubes(), model.width, times_2_.data());
  multiply("modulation", times_2_.data(), joined, network.layers.modulation, modulations_.data());
}

/// From the first three quarters of `wide_` to the last one.
void CudaSketchNetwork::State::attend(const Batch& batch) {
  const int d = model.width, splits = nn::cuda::attention_splits(model.tokens(), batch.sequences(), model.heads);
  const float* mixed = wide_.data();
  nn::cuda::Attention task{mixed,          mixed + d,         mixed + 2 * d, 3 * d,
                           model.tokens(), batch.sequences(), model.heads,   d / model.heads};
  task.y = wide_.data() + 3 * at(rows(batch)) * at(d);
  task.splits = splits, task.partial = partial_.data(), task.totals = totals_.data();
  nn::cuda::attend(queue, task);
}

void CudaSketchNetwork::State::run_block(const Network& network, std::size_t index, const Batch& batch) {
  const SketchBlock<Layer>& block = network.layers.blocks[index];
  const cuda::BlockNumbers& numbers = network.blocks[index];
  const int count = rows(batch), d = model.width;
  norm(count, part(numbers.table, 1), part(numbers.table, 0));
  multiply("qkv", normal_.data(), count, block.qkv, wide_.data());
  queue.launch_each("head norms", at(count) * at(2 * model.heads) * nn::cuda::kWarp, nn::cuda::norm_each_head,
                    nn::cuda::HeadNorms{wide_.data(), count, model.heads, d / model.heads, kSketchNormEps,
                                        numbers.q_weight, numbers.q_bias, numbers.k_weight, numbers.k_bias});
  attend(batch);
  multiply("out", wide_.data() + 3 * at(count) * at(d), count, block.out, x_.data(), Then::kAddGated,
           part(numbers.table, 2));
  norm(count, part(numbers.table, 4), part(numbers.table, 3));
  multiply("up", normal_.data(), count, block.up, wide_.data(), Then::kGelu);
  multiply("down", wide_.data(), count, block.down, x_.data(), Then::kAddGated, part(numbers.table, 5));
}

void CudaSketchNetwork::State::pass(const Batch& batch, int which) {
  if (!queue.ok()) return;
  const Network& network = batch.jumping ? *folder.jumping : *folder.network;
  const std::size_t begin = at(which) * at(batch.videos * model.tubes()) * kTimeWidth;
  told_waves_ = words_.data() + begin, told_targets_ = words_.data() + target_waves_ + begin;
  find_tokens(network, batch);
  find_modulations(network, batch);
  for (std::size_t i = 0; i < network.blocks.size(); ++i) run_block(network, i, batch);
  norm(rows(batch), {}, {});
  multiply("video out", normal_.data(), rows(batch), network.layers.out, wide_.data());
  move<true>(patches, batch.sequences(), seen(), wide_.data());
}

// --- videos that come and go ----------------------------------------------------------------------------------------

void CudaSketchNetwork::State::upload(const Batch& batch, std::span<const SketchQuery> queries) {
  const std::size_t video = video_size(), count = queries.size();
  Words words;
  std::vector<std::pair<std::span<const float>, float*>> pieces;
  // As on the GPU.
  const auto stage = [&](std::span<const float> from, const float* to) {
    if (!from.empty()) pieces.emplace_back(from, staged_.data() + (to - given()));
  };
  for (std::size_t q = 0; q < count; ++q) {
    const SketchInput& input = queries[q].input;
    check_query(queries[q], model, video, rest_size());
    stage(input.noisy, given() + q * video), stage(input.known, known(batch) + q * video);
    stage(input.rest, rest(batch) + q * rest_size());
    Words::add(input.shares, words.waves), Words::add(input.targets, words.target_waves);
    words.bits.insert(words.bits.end(), input.is_known.begin(), input.is_known.end());
    for (const std::span<const float> text : queries[q].texts) {
      words.texts.insert(words.texts.end(), text.begin(), text.end());
    }
  }
  parallel_for(pieces.size(), count * video > cuda::kCopied ? 1 : pieces.size(),
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t i = begin; i < end; ++i) {
                   std::copy(pieces[i].first.begin(), pieces[i].first.end(), pieces[i].second);
                 }
               });
  const std::size_t numbers =
      static_cast<std::size_t>(rest(batch) - given()) + (batch.rested ? count * rest_size() : 0);
  queue.upload(given(), staged_.data(), numbers * sizeof(float));
  tell(batch, words);
}

Videos CudaSketchNetwork::State::denoise(const Batch& batch, std::span<const SketchQuery> queries) {
  if (batch.sequences() == 0) return {};
  reserve(batch);
  if (!queue.ok()) return {};
  upload(batch, queries);
  pass(batch);
  Videos all(at(batch.sequences()));
  download(all.size(), [&](std::size_t i, std::span<const float> seen) { all[i].assign(seen.begin(), seen.end()); });
  return all;
}

// --- the network ----------------------------------------------------------------------------------------------------

bool has_cuda_network() { return true; }

CudaSketchNetwork::CudaSketchNetwork(std::unique_ptr<State> state) : state_(std::move(state)) {}
CudaSketchNetwork::~CudaSketchNetwork() = default;

Result<std::unique_ptr<CudaSketchNetwork>> CudaSketchNetwork::open(const SketchModel& model,
                                                                   const std::filesystem::path& folder,
                                                                   std::optional<std::uint64_t> memory_limit) {
  if (model.width / model.heads > kWidestHead) {
    return Error{"heads of " + std::to_string(model.width / model.heads) + " numbers; on a GPU at most " +
                     std::to_string(kWidestHead) + ", unless LibTorch computes (`dtype bfloat16`)",
                 folder.string(), ErrorKind::kUnsupported};
  }
  auto state = std::make_unique<State>(model);
  LIMBER_CHECK_OK(state->queue.open());
  if (memory_limit) state->queue.set_limit(*memory_limit);
  LIMBER_TRY(state->folder, read_sketch_folder<const Network>(model, folder, [&](const LayerSource& source) {
               return std::make_unique<const Network>(model, source, state->arena);
             }));
  LIMBER_CHECK_OK(state->queue.finish());
  return std::unique_ptr<CudaSketchNetwork>(new CudaSketchNetwork(std::move(state)));
}

Result<std::vector<float>> CudaSketchNetwork::read(const std::string& prompt) const {
  return state_->folder.reader->read(prompt);
}

Result<Videos> CudaSketchNetwork::denoise(const SketchInput& input,
                                          std::span<const std::span<const float>> texts) const {
  const SketchQuery query{input, {texts.begin(), texts.end()}};
  LIMBER_TRY(std::vector<Videos> all, denoise_all(std::span(&query, 1)));
  return std::move(all.front());
}

Result<std::vector<Videos>> CudaSketchNetwork::denoise_all(std::span<const SketchQuery> queries) const {
  const std::lock_guard lock(state_->in_use);
  std::vector<Videos> all;
  while (!queries.empty()) {
    const Batch batch = first_batch(queries);
    LIMBER_EXPECT(!batch.jumping || jumps(), "only a network of jumps has targets");
    const std::span<const SketchQuery> together = queries.first(at(batch.videos));
    Videos seen = state_->denoise(batch, together);
    LIMBER_CHECK_OK(state_->queue.status());
    const std::size_t first = all.size();
    all.resize(first + together.size());
    for (std::size_t s = 0; s < seen.size(); ++s) all[first + at(batch.video_of[s])].push_back(std::move(seen[s]));
    queries = queries.subspan(together.size());
  }
  return all;
}

Status CudaSketchNetwork::warm_up() const {
  State& s = *state_;
  Batch most{kWarmVideos, {}, true, true, false};
  most.pair(1);
  {
    const std::lock_guard lock(s.in_use);
    s.reserve(most);
    LIMBER_CHECK_OK(s.queue.finish());
  }
#if defined(__CUDACC__)  // the emulation has nothing to load, and would take long
  const std::vector<float> text(at(s.model.width)), picture(s.rest_size());
  SamplePlan plan;
  plan.videos.resize(1), plan.texts = {text}, plan.rest = picture;
  plan.steps.push_back({std::vector<float>(at(s.model.tubes()), 1.0f), {}, 0});
  LIMBER_TRY(const Videos drawn, sample(plan));
  WalkPlan down;
  down.frames = drawn[0], down.texts = {text, text}, down.rest = picture;
  down.steps.push_back({{{0.5f, 1, false}}, 0});
  std::vector<float> gradient;
  WalkResults results;
  results.target = s.seen(), results.gradient_here = &gradient;
  LIMBER_CHECK_OK(walk(down, results));
#endif
  return Done{};
}

bool CudaSketchNetwork::jumps() const { return state_->folder.jumping != nullptr; }

void CudaSketchNetwork::start_timeline() const { state_->queue.start_timeline(); }
std::vector<std::pair<std::string, double>> CudaSketchNetwork::take_timeline() const {
  std::vector<std::pair<std::string, double>> steps;
  for (QueueStep& step : state_->queue.take_timeline()) steps.emplace_back(std::move(step.name), step.milliseconds);
  return steps;
}
std::size_t CudaSketchNetwork::bytes() const { return state_->queue.bytes(); }

}  // namespace limber::prior
