// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/expect.h"
#include "limber/prior/sketch_denoiser_cuda.cuh"

namespace limber::prior {
namespace {

using cuda::Batch;
using cuda::Words;

constexpr unsigned kThreads = 256, kBlocks = 256;  ///< of sums: that many blocks at most
/// Numbers of a draw and of a step, as `Walked` has them.
constexpr int kOfDraw = 2, kOfStep = 5;
enum OfStep { kZ, kLatent, kGradient, kNotFinite, kCurvature };

// --- sums -----------------------------------------------------------------------------------------------------------

/// Adds what the threads of a block have, in the order of a tree: for the first one alone.
__device__ inline double add_up(double value) {
  __shared__ double all[kThreads];
  __syncthreads();
  all[threadIdx.x] = value;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) all[threadIdx.x] += all[threadIdx.x + half];
  }
  return all[0];
}

template <int kCount>
__device__ inline void leave(const double (&values)[kCount], double* partial) {
  for (int k = 0; k < kCount; ++k) {
    const double sum = add_up(values[k]);
    if (threadIdx.x == 0) partial[blockIdx.x * kCount + k] = sum;
  }
}

/// Sums over blocks, by one block. `curvature`: of a step, as its last number.
__global__ void __launch_bounds__(kThreads)
    collect(const double* partial, unsigned blocks, int count, bool curvature, double* numbers) {
  for (int k = 0; k < count; ++k) {
    const double sum = add_up(threadIdx.x < blocks ? partial[threadIdx.x * count + k] : 0);
    if (threadIdx.x == 0) numbers[k] = sum;
  }
  if (threadIdx.x > 0 || !curvature) return;
  const double ratio = sqrt(numbers[kGradient]) / sqrt(numbers[kLatent]);
  numbers[kCurvature] = ratio - ratio == 0 && ratio > 0 ? ratio * ratio : 1;
}

// --- kernels --------------------------------------------------------------------------------------------------------

__device__ inline float z_of(float value) { return value * 2 - 1; }
__device__ inline float gradient_of(float latent) { return latent - latent == 0 ? 2 * latent : 0; }

/// Of a thread that has every so many numbers.
struct Stride {
  std::size_t begin = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  std::size_t by = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  __device__ Stride() {}
};

__global__ void negate(std::size_t count, float* noise) {
  const Stride all;
  for (std::size_t i = all.begin; i < count; i += all.by) noise[i] = -noise[i];
}

__global__ void disturb(std::size_t count, const float* video, const float* noise, float share, float* to) {
  const Stride all;
  for (std::size_t i = all.begin; i < count; i += all.by) to[i] = (1 - share) * z_of(video[i]) + share * noise[i];
}

/// What a draw has shown with and without the prompt.
struct Shown {
  const float *video, *with, *without;
  float guidance;
  bool guiding_alone, first;
  double weight;
};
__global__ void __launch_bounds__(kThreads)
    add_residual(std::size_t count, const Shown shown, double* residuals, double* partial) {
  const Stride all;
  double squares[kOfDraw] = {};
  for (std::size_t i = all.begin; i < count; i += all.by) {
    const float guiding = shown.with[i] - shown.without[i];
    // z - z_hat directly: the network predicts z.
    const float residual =
        (shown.guiding_alone ? 0 : z_of(shown.video[i]) - shown.without[i]) - shown.guidance * guiding;
    residuals[i] = (shown.first ? 0 : residuals[i]) + shown.weight * double{residual};
    squares[0] += double{guiding} * double{guiding}, squares[1] += double{residual} * double{residual};
  }
  leave(squares, partial);
}

__global__ void __launch_bounds__(kThreads)
    finish(std::size_t count, const float* video, const double* residuals, int draws, float* latent, double* partial) {
  const Stride all;
  double sums[kOfStep - 1] = {};
  for (std::size_t i = all.begin; i < count; i += all.by) {
    const auto value = static_cast<float>(residuals[i] / draws);
    latent[i] = value;
    const double z = z_of(video[i]), gradient = gradient_of(value);
    sums[kZ] += z * z, sums[kLatent] += double{value} * double{value}, sums[kGradient] += gradient * gradient;
    sums[kNotFinite] += value - value == 0 ? 0 : 1;
  }
  leave(sums, partial);
}

/// A Newton step, and the noise that leads from there to where the walk is.
__global__ void go_down(std::size_t count, const float* latent, const double* step, double back, float* video,
                        float* noise) {
  const Stride all;
  const double curvature = step[kCurvature];
  for (std::size_t i = all.begin; i < count; i += all.by) {
    video[i] -= static_cast<float>(double{gradient_of(latent[i])} / curvature);
    if (back != 0) noise[i] += static_cast<float>(back * double{latent[i]});
  }
}

__global__ void put_gradient(std::size_t count, const float* latent, float* to) {
  const Stride all;
  for (std::size_t i = all.begin; i < count; i += all.by) to[i] = gradient_of(latent[i]);
}

/// Strong guidance asks for colours that no scene can draw.
__global__ void __launch_bounds__(kThreads)
    put_target(std::size_t count, const float* video, const float* frames, float* target, double* partial) {
  const Stride all;
  double squares[1] = {};
  for (std::size_t i = all.begin; i < count; i += all.by) {
    const float value = video[i] < 0 ? 0 : video[i] > 1 ? 1 : video[i];
    const double gap = double{frames[i]} - double{value};
    target[i] = value;
    squares[0] += gap * gap;
  }
  leave(squares, partial);
}

// --- walks ----------------------------------------------------------------------------------------------------------

/// A video on its way down.
class Walk {
 public:
  Walk(CudaSketchNetwork::State& state, const WalkPlan& plan)
      : s_(state),
        plan_(plan),
        count_(state.video_size()),
        blocks_(static_cast<unsigned>(std::min<std::size_t>((count_ + kThreads - 1) / kThreads, kBlocks))) {
    batch_.videos = 1, batch_.rested = !plan.rest.empty();
    batch_.pair(static_cast<int>(plan.texts.size()));
    for (const WalkPlan::Step& step : plan.steps) draws_ += static_cast<int>(step.draws.size());
  }

  bool begin() {
    CudaQueue& queue = s_.queue;
    s_.reserve(batch_);
    for (DeviceArray<float>* array : {&s_.arrays.video, &s_.arrays.noise, &s_.arrays.latent})
      array->resize(queue, count_, "a walk");
    s_.arrays.residuals.resize(queue, count_, "a walk"), s_.arrays.partial.resize(queue, kBlocks * kOfStep, "sums");
    s_.arrays.numbers.resize(queue, at(total()), "sums");
    if (!queue.ok()) return false;
    if (plan_.there != nullptr) {
      queue.wait_for(*plan_.there->queue);
      frames_ = plan_.there->values;
    } else {
      LIMBER_EXPECT(plan_.frames.size() == count_, std::to_string(plan_.frames.size()));
      s_.arrays.held.upload(queue, plan_.frames, "frames");
      frames_ = s_.arrays.held.data();
    }
    if (!queue.ok()) return false;
    queue.copy(s_.arrays.video.data(), frames_, count_ * sizeof(float));
    queue.clear(s_.arrays.numbers.data(), at(total()) * sizeof(double));
    tell();
    s_.show_rest(batch_, plan_.rest);
    return true;
  }

  /// What all texts show of the video under the noise of a draw.
  void look(const WalkPlan::Draw& draw, bool new_noise) {
    float* noise = s_.arrays.noise.data();
    if (draw.negated) {
      launch("noise", negate, count_, noise);
    } else if (new_noise && plan_.noise.empty()) {
      s_.make_noise({plan_.address.seed, plan_.address.iteration, plan_.address.draw + at(drawn_)}, noise);
    } else if (new_noise) {
      LIMBER_EXPECT(plan_.noise.size() >= at(drawn_ + 1) * count_, "not enough noise was given");
      s_.queue.upload(noise, plan_.noise.data() + at(drawn_) * count_, count_ * sizeof(float));
    }
    launch("disturb", disturb, count_, video(), static_cast<const float*>(noise), draw.share, s_.given());
    s_.pass(batch_, drawn_);
    ++drawn_;
  }

  /// Of two of the texts, which may be the same; sums go to number `which` of those of draws.
  void compare(const WalkPlan::Draw& draw, int with, int without, bool first, int which) {
    const Shown shown{video(), seen(with), seen(without), plan_.guidance, plan_.guiding_alone, first, draw.weight};
    launch("residual", add_residual, count_, shown, s_.arrays.residuals.data(), s_.arrays.partial.data());
    sum(kOfDraw, false, kOfDraw * which);
  }

  void step(int which, bool moves) {
    const WalkPlan::Step& step = plan_.steps[at(which)];
    // The noise that a step leaves is the next one's.
    for (std::size_t k = 0; k < step.draws.size(); ++k) {
      look(step.draws[k], which == 0);
      compare(step.draws[k], 0, static_cast<int>(plan_.texts.size()) - 1, k == 0, drawn_ - 1);
    }
    launch("residual", finish, count_, video(), static_cast<const double*>(s_.arrays.residuals.data()),
           static_cast<int>(step.draws.size()), s_.arrays.latent.data(), s_.arrays.partial.data());
    const int at_step = kOfDraw * draws_ + kOfStep * which;
    sum(kOfStep - 1, true, at_step);
    if (!moves) return;
    launch("go down", go_down, count_, latent(), static_cast<const double*>(s_.arrays.numbers.data() + at_step),
           step.back, s_.arrays.video.data(), s_.arrays.noise.data());
  }

  void end(const WalkResults& results) {
    if (results.gradient != nullptr) launch("gradient", put_gradient, count_, latent(), results.gradient);
    if (results.target != nullptr) {
      launch("target", put_target, count_, video(), frames_, results.target, s_.arrays.partial.data());
      sum(1, false, total() - 1);
    }
    if (results.latent_here != nullptr) {
      results.latent_here->resize(count_);
      s_.queue.download(results.latent_here->data(), latent(), count_ * sizeof(float));
    }
    if (results.gradient_here == nullptr) return;
    results.gradient_here->resize(count_);
    launch("gradient", put_gradient, count_, latent(), s_.seen());
    s_.download(1, [&](std::size_t, std::span<const float> numbers) {
      results.gradient_here->assign(numbers.begin(), numbers.end());
    });
  }

  /// Sums of squares of draws, then of steps, then the gap. Waits.
  std::vector<double> numbers() const { return s_.arrays.numbers.download(s_.queue); }

 private:
  int total() const {
    return kOfDraw * std::max(draws_, batch_.sequences()) + kOfStep * static_cast<int>(plan_.steps.size()) + 1;
  }
  const float* video() const { return s_.arrays.video.data(); }
  const float* latent() const { return s_.arrays.latent.data(); }
  const float* seen(int text) const { return s_.seen() + at(text) * count_; }

  template <class... P, class... A>
  void launch(const char* name, void (*kernel)(P...), const A&... arguments) {
    s_.queue.launch(name, dim3(blocks_), kThreads, kernel, arguments...);
  }
  void sum(int count, bool curvature, int to) {
    s_.queue.launch("sums", dim3(1), kThreads, collect, static_cast<const double*>(s_.arrays.partial.data()), blocks_,
                    count, curvature, s_.arrays.numbers.data() + to);
  }

  void tell() {
    Words words;
    for (const WalkPlan::Step& step : plan_.steps) {
      for (const WalkPlan::Draw& draw : step.draws) {
        Words::add(std::vector<float>(at(s_.model.tubes()), draw.share), words.waves);
      }
    }
    for (const std::span<const float> text : plan_.texts) {
      LIMBER_EXPECT(text.size() == at(s_.model.width), std::to_string(text.size()));
      words.texts.insert(words.texts.end(), text.begin(), text.end());
    }
    s_.tell(batch_, words);
  }

  CudaSketchNetwork::State& s_;
  const WalkPlan& plan_;
  std::size_t count_;
  unsigned blocks_;
  Batch batch_;
  int draws_ = 0, drawn_ = 0;
  const float* frames_ = nullptr;
};

Walked read_numbers(const WalkPlan& plan, const std::vector<double>& numbers) {
  Walked walked;
  std::size_t next = 0;
  for (const WalkPlan::Step& step : plan.steps) {
    walked.steps.emplace_back();
    for (std::size_t k = 0; k < step.draws.size(); ++k, next += kOfDraw) {
      walked.steps.back().draws.push_back({numbers[next], numbers[next + 1]});
    }
  }
  for (Walked::Step& step : walked.steps) {
    const double* of_step = numbers.data() + next;
    step.z = of_step[kZ], step.latent = of_step[kLatent], step.gradient = of_step[kGradient];
    step.not_finite = of_step[kNotFinite], step.curvature = of_step[kCurvature];
    next += kOfStep;
  }
  walked.gap = numbers.back();
  return walked;
}

}  // namespace

Result<Walked> CudaSketchNetwork::walk(const WalkPlan& plan, const WalkResults& results) const {
  LIMBER_EXPECT(!plan.steps.empty() && !plan.texts.empty() && plan.texts.size() <= 2, "one text or two");
  const std::lock_guard lock(state_->in_use);
  Walk walk(*state_, plan);
  if (walk.begin()) {
    for (int i = 0; i < static_cast<int>(plan.steps.size()); ++i) walk.step(i, results.target != nullptr);
    walk.end(results);
  }
  const std::vector<double> numbers = walk.numbers();
  LIMBER_CHECK_OK(state_->queue.finish());
  return read_numbers(plan, numbers);
}

Result<std::vector<double>> CudaSketchNetwork::look(const WalkPlan& plan) const {
  LIMBER_EXPECT(plan.steps.size() == 1 && plan.steps[0].draws.size() == 1, "one draw");
  const auto texts = static_cast<int>(plan.texts.size());
  LIMBER_EXPECT(texts > 0 && texts <= cuda::kMostSequences, std::to_string(texts) + " texts");
  const std::lock_guard lock(state_->in_use);
  Walk walk(*state_, plan);
  if (walk.begin()) {
    walk.look(plan.steps[0].draws[0], true);
    for (int text = 0; text < texts; ++text) walk.compare(plan.steps[0].draws[0], text, text, true, text);
  }
  const std::vector<double> numbers = walk.numbers();
  LIMBER_CHECK_OK(state_->queue.finish());
  std::vector<double> squares;
  for (int text = 0; text < texts; ++text) squares.push_back(numbers[at(kOfDraw * text + 1)]);
  return squares;
}

}  // namespace limber::prior
