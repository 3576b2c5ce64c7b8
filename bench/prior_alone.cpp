// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <functional>

#include "bench/prior_step.h"
#include "limber/nn/device.h"
#include "limber/prior/latent_prior.h"
#include "limber/prior/random_prior.h"
#include "limber/prior/vae_ops.h"

/// A program for machines where only limber/prior is built (tools/gpu_prior.sh): the table of `limber-lab bench prior`,
/// and how fast the convolutions of the autoencoders could be.
///     prior_bench [--convolutions] [model ...]
namespace limber::bench {
namespace {

using namespace prior;

/// Seconds of one call, on average of several.
double seconds_of(at::Device device, const std::function<Tensor()>& call) {
  for (int i = 0; i < 3; ++i) call();
  nn::synchronize(device);
  const auto begin = std::chrono::steady_clock::now();
  constexpr int kCalls = 10;
  for (int i = 0; i < kCalls; ++i) call();
  nn::synchronize(device);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / kCalls;
}

/// One 3x3x3 convolution in all the ways that LibTorch offers, forward and to its input.
void measure_convolution(at::Device device, int64_t frames, int64_t channels, int64_t height, int64_t width) {
  const at::TensorOptions options = at::TensorOptions().device(device).dtype(nn::fast_dtype(device));
  const Tensor video = at::randn({1, channels, frames + 2, height, width}, options);
  const Tensor weight = at::randn({channels, channels, 3, 3, 3}, options) * 0.02;
  const auto inner = at::MemoryFormat::ChannelsLast3d;
  const Tensor packed = video.contiguous(inner), packed_weight = weight.contiguous(inner);
  const Tensor gradient = at::randn({1, channels, frames, height, width}, options).contiguous(inner);
  const Tensor flipped = weight.flip({2, 3, 4}).transpose(0, 1).contiguous(inner);
  const Tensor images = packed.squeeze(0).transpose(0, 1);
  std::vector<Tensor> slices;
  for (int64_t k = 0; k < 3; ++k) slices.push_back(weight.select(2, k).contiguous(at::MemoryFormat::ChannelsLast));
  const Tensor joined = at::cat({slices[0], slices[1], slices[2]}, 1).contiguous(at::MemoryFormat::ChannelsLast);
  const double operations = 2.0 * 27 * static_cast<double>(channels * channels * frames * height * width);

  const auto row = [&](const char* name, const std::function<Tensor()>& call) {
    const double seconds = seconds_of(device, call);
    fmt::print("  {:<44} {:>8.2f} ms {:>7.0f} TFLOP/s\n", name, seconds * 1e3, operations / seconds * 1e-12);
  };
  fmt::print("convolution 3x3x3, {} channels, {} frames of {} x {}\n", channels, frames, height, width);
  row("conv3d, channels outermost", [&] { return at::conv3d(video, weight, {}, 1, {0, 1, 1}); });
  row("conv3d, channels innermost", [&] { return at::conv3d(packed, packed_weight, {}, 1, {0, 1, 1}); });
  row("three conv2d, summed", [&] {
    Tensor sum = at::conv2d(images.narrow(0, 0, frames), slices[0], {}, 1, 1);
    for (int64_t k = 1; k < 3; ++k)
      sum.add_(at::conv2d(images.narrow(0, k, frames), slices[static_cast<std::size_t>(k)], {}, 1, 1));
    return sum;
  });
  row("one conv2d over three frames as channels", [&] {
    const Tensor stacked =
        at::cat({images.narrow(0, 0, frames), images.narrow(0, 1, frames), images.narrow(0, 2, frames)}, 1);
    return at::conv2d(stacked, joined, {}, 1, 1);
  });
  row("input gradient, conv_transpose3d", [&] {
    return at::conv_transpose3d(gradient, packed_weight, {}, 1, {0, 1, 1});
  });
  row("input gradient, conv3d with turned weights", [&] { return at::conv3d(gradient, flipped, {}, 1, {2, 1, 1}); });
}

void print_step(const std::string& model, const char* mode, const StepCost& cost, std::uint64_t weights) {
  fmt::print("  {:<14} {:<12} {:>8.3f} {:>9.3f} {:>8.3f} {:>9.3f} {:>7.3f} {:>8.1f} {:>8.1f}  |g| {:.3g}{}\n", model,
             mode, cost.total, cost.denoise, cost.encode, cost.backward, cost.rest, static_cast<double>(weights) * 1e-9,
             static_cast<double>(cost.peak_bytes) * 1e-9, cost.gradient_norm,
             cost.not_finite > 0 ? fmt::format(", {} not finite", cost.not_finite) : "");
}

Status run_model(const std::string& model, const LoadSettings& load, bool tiny_device) {
  LIMBER_TRY(const Checkpoint checkpoint, published_checkpoint(model));
  LIMBER_TRY(const std::unique_ptr<VideoPrior> drawn, random_prior(model, load));
  const Condition condition = random_condition(checkpoint, drawn->info().text_length);
  const VideoSize size = tiny_device || model == "tiny" ? VideoSize{9, 64, 64} : VideoSize{49, 480, 720};
  const std::uint64_t weights = memory_needed(checkpoint, size, tiny_device ? 4 : 2).weights;
  for (const auto& [encoder, name] :
       {std::pair{EncoderGradient::kKept, "kept"}, std::pair{EncoderGradient::kRecomputed, "recomputed"},
        std::pair{EncoderGradient::kSampled, "sampled 1"}}) {
    ScoreSettings settings;
    settings.encoder = encoder;
    const Result<StepCost> cost = measure_step(*drawn, condition, size, settings, load, 3);
    if (cost.ok()) {
      print_step(model, name, *cost, weights);
    } else {
      fmt::print("  {:<14} {:<12} {}\n", model, name, cost.error().message());
    }
  }
  return Done{};
}

int run(int argc, char** argv) {
  std::vector<std::string> models;
  bool convolutions = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--convolutions") == 0) {
      convolutions = true;
    } else {
      models.emplace_back(argv[i]);
    }
  }
  if (models.empty() && !convolutions) models = {"tiny"};
  const at::Device device = nn::best_device();
  if (convolutions) {
    at::globalContext().setBenchmarkCuDNN(true);
    const bool large = device.is_cuda();
    measure_convolution(device, 8, large ? 128 : 8, large ? 480 : 48, large ? 720 : 72);
    measure_convolution(device, 4, large ? 256 : 8, large ? 240 : 24, large ? 360 : 36);
    measure_convolution(device, 2, large ? 256 : 8, large ? 120 : 24, large ? 180 : 36);
  }
  if (!models.empty()) {
    fmt::print("one score-distillation step, seconds and GB{}\n",
               device.is_cuda() ? ", 49 x 480 x 720, bf16" : ", 9 x 64 x 64, float");
    fmt::print("  {:<14} {:<12} {:>8} {:>9} {:>8} {:>9} {:>7} {:>8} {:>8}\n", "model", "encoder", "total", "denoiser",
               "encode", "backward", "rest", "weights", "peak");
  }
  for (const std::string& model : models) {
    for (const char* dtype : {"auto", "float8"}) {
      LoadSettings load;
      load.dtype = dtype;
      if (wants_float8(load)) {
        const auto there = placements_of(load);
        fmt::print("  {}: {}\n", model, there.ok() ? "feed-forward layers in 8-bit floats" : there.error().message());
        if (!there.ok()) continue;
      }
      const Status status = run_model(model, load, !device.is_cuda());
      if (!status.ok()) {
        fmt::print(stderr, "{}\n", status.error().message());
        return 1;
      }
      nn::release_cached_memory(device);
    }
  }
  return 0;
}

}  // namespace
}  // namespace limber::bench

int main(int argc, char** argv) { return limber::bench::run(argc, argv); }
