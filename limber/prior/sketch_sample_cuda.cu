// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/expect.h"
#include "limber/prior/sketch_denoiser_cuda.cuh"

namespace limber::prior {
namespace {

using cuda::Batch;
using cuda::Words;

// --- kernels --------------------------------------------------------------------------------------------------------

/// Videos with known frames, a thread per number.
struct Holding {
  const float *known, *is_known, *noise, *shares;  ///< is_known: [videos, frames]; shares: [videos, tubes]
  std::size_t count, video, frame;                 ///< numbers of all videos, of one and of a frame
  int frames, tubes, length;
};
/// Known frames at the shares of noise of their tubes.
__global__ void hold(const Holding task, float* x) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= task.count) return;
  const std::size_t video = i / task.video;
  const auto frame = static_cast<int>(i / task.frame % static_cast<std::size_t>(task.frames));
  if (task.is_known[video * task.frames + frame] == 0) return;
  const float s = task.shares[video * task.tubes + frame / task.length];
  x[i] = (1 - s) * task.known[i] + s * task.noise[i];
}

/// Along the straight line from the noise to what is seen, under one text or guided by two.
__global__ void go_on(const float* seen, std::size_t count, std::size_t video, int texts, float guidance, float left,
                      float* x) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float* with = seen + i / video * texts * video + i % video;
  const float without = with[(texts - 1) * video];
  const float aim = texts > 1 ? without + guidance * (with[0] - without) : with[0];
  x[i] = aim + left * (x[i] - aim);
}

/// To display values.
__global__ void show(const float* x, std::size_t count, float* to) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float value = x[i] * 0.5f + 0.5f;
  to[i] = value < 0 ? 0 : value > 1 ? 1 : value;
}

// --- plans ----------------------------------------------------------------------------------------------------------

/// Videos of a plan that go together, from `first` on.
Batch batch_of(const SamplePlan& plan, std::size_t first) {
  const auto texts = static_cast<int>(plan.texts.size()), most = std::max(1, cuda::kMostSequences / texts);
  const bool known = !plan.videos[first].known.empty();
  Batch batch{0, {}, known && plan.shows_known, !plan.rest.empty(), !plan.steps.front().targets.empty()};
  for (std::size_t i = first; i < plan.videos.size() && batch.videos < most; ++i, ++batch.videos) {
    if (plan.videos[i].known.empty() == known) break;
  }
  batch.pair(texts);
  return batch;
}

/// What of a step concerns some videos.
std::span<const float> part_of(const std::vector<float>& numbers, const SamplePlan& plan, std::size_t first,
                               const Batch& batch) {
  const std::size_t each = numbers.size() / plan.videos.size();
  return std::span(numbers).subspan(first * each, at(batch.videos) * each);
}

/// Samples of a batch on their way.
class Drawing {
 public:
  Drawing(CudaSketchNetwork::State& state, const SamplePlan& plan, std::size_t first, const Batch& batch)
      : s_(state), plan_(plan), first_(first), batch_(batch), count_(at(batch.videos) * state.video_size()) {}

  void begin() {
    s_.reserve(batch_);
    s_.arrays.noise.resize(s_.queue, count_, "noise");
    if (!s_.queue.ok()) return;
    tell();
    s_.show_rest(batch_, plan_.rest);
    for (std::size_t v = 0; v < at(batch_.videos); ++v) {
      const SamplePlan::Video& video = plan_.videos[first_ + v];
      float* noise = s_.arrays.noise.data() + v * s_.video_size();
      if (video.noise.empty()) {
        s_.make_noise(video.address, noise);
      } else {
        LIMBER_EXPECT(video.noise.size() == s_.video_size(), std::to_string(video.noise.size()));
        s_.queue.upload(noise, video.noise.data(), video.noise.size_bytes());
      }
    }
    s_.queue.copy(s_.given(), s_.arrays.noise.data(), count_ * sizeof(float));
    if (holds()) upload_known();
  }

  void step(int which) {
    const SamplePlan::Step& step = plan_.steps[at(which)];
    if (holds()) {
      const std::size_t frame = s_.video_size() / at(s_.model.views * s_.model.frames);
      const float* shares = s_.arrays.shares.data() + at(which) * at(batch_.videos * s_.model.tubes());
      const Holding task{
          s_.arrays.held.data(), s_.arrays.bits.data(), s_.arrays.noise.data(), shares, count_, s_.video_size(), frame,
          s_.model.frames,       s_.model.tubes(),      s_.model.patch_frames};
      s_.queue.launch_each("hold", count_, hold, task, s_.given());
    }
    s_.pass(batch_, which);
    s_.queue.launch_each("go on", count_, go_on, static_cast<const float*>(s_.seen()), count_, s_.video_size(),
                         static_cast<int>(plan_.texts.size()), plan_.guidance, step.left, s_.given());
  }

  void end(std::vector<std::vector<float>>& videos) {
    s_.queue.launch_each("show", count_, show, static_cast<const float*>(s_.given()), count_, s_.seen());
    s_.download(at(batch_.videos), [&](std::size_t v, std::span<const float> numbers) {
      videos[first_ + v].assign(numbers.begin(), numbers.end());
    });
  }

 private:
  bool holds() const { return !plan_.videos[first_].known.empty(); }

  /// Times of all steps, and texts.
  void tell() {
    Words words;
    for (const SamplePlan::Step& step : plan_.steps) {
      Words::add(part_of(step.shares, plan_, first_, batch_), words.waves);
      Words::add(part_of(step.targets, plan_, first_, batch_), words.target_waves);
    }
    for (std::size_t v = 0; v < at(batch_.videos); ++v) {
      const std::span<const float> bits = plan_.videos[first_ + v].is_known;
      if (batch_.known) words.bits.insert(words.bits.end(), bits.begin(), bits.end());
      for (const std::span<const float> text : plan_.texts) {
        words.texts.insert(words.texts.end(), text.begin(), text.end());
      }
    }
    s_.tell(batch_, words);
  }

  void upload_known() {
    std::vector<float> bits, shares;
    s_.arrays.held.resize(s_.queue, count_, "known frames");
    if (!s_.queue.ok()) return;
    for (std::size_t v = 0; v < at(batch_.videos); ++v) {
      const SamplePlan::Video& video = plan_.videos[first_ + v];
      LIMBER_EXPECT(video.known.size() == s_.video_size() && video.is_known.size() == at(s_.model.frames),
                    std::to_string(video.known.size()));
      bits.insert(bits.end(), video.is_known.begin(), video.is_known.end());
      s_.queue.upload(s_.arrays.held.data() + v * s_.video_size(), video.known.data(), video.known.size_bytes());
    }
    for (const SamplePlan::Step& step : plan_.steps) {
      const std::span<const float> part = part_of(step.shares, plan_, first_, batch_);
      shares.insert(shares.end(), part.begin(), part.end());
    }
    s_.arrays.bits.upload(s_.queue, bits, "known frames");
    s_.arrays.shares.upload(s_.queue, shares, "known frames");
    if (batch_.known) s_.queue.copy(s_.known(batch_), s_.arrays.held.data(), count_ * sizeof(float));
  }

  CudaSketchNetwork::State& s_;
  const SamplePlan& plan_;
  std::size_t first_;
  const Batch& batch_;
  std::size_t count_;  ///< numbers of all videos
};

}  // namespace

Result<std::vector<std::vector<float>>> CudaSketchNetwork::sample(const SamplePlan& plan) const {
  LIMBER_EXPECT(!plan.steps.empty() && !plan.texts.empty(), "nothing to do");
  LIMBER_EXPECT(plan.steps.front().targets.empty() || jumps(), "only a network of jumps has targets");
  const std::lock_guard lock(state_->in_use);
  const std::size_t steps = plan.steps.size();
  std::vector<std::vector<float>> videos(plan.videos.size());
  for (std::size_t first = 0; first < videos.size();) {
    const Batch batch = batch_of(plan, first);
    Drawing drawing(*state_, plan, first, batch);
    drawing.begin();
    for (std::size_t i = 0; i < steps; ++i) {
      const double done = static_cast<double>(first * steps + i * at(batch.videos));
      if (plan.go_on && !plan.go_on(done / static_cast<double>(videos.size() * steps))) {
        LIMBER_CHECK_OK(state_->queue.finish());
        return cancelled("sampling");
      }
      drawing.step(static_cast<int>(i));
    }
    drawing.end(videos);
    LIMBER_CHECK_OK(state_->queue.status());
    first += at(batch.videos);
  }
  return videos;
}

}  // namespace limber::prior
