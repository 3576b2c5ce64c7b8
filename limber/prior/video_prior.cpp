// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/video_prior.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/prior/normal_numbers.h"
#include "limber/prior/sketch_denoiser_cuda.h"
#include "limber/prior/sketch_prior.h"

namespace limber::prior {
namespace {

PriorLoader g_torch_loader = nullptr;

}  // namespace

Result<Condition> VideoPrior::condition(const Prompt& prompt, const Frames* rest) {
  Condition condition;
  condition.prompt = prompt;
  if (rest != nullptr) condition.rest = *rest;
  return condition;
}

std::vector<float> normal_noise(std::size_t count, std::uint64_t seed, std::uint64_t iteration, std::uint64_t draw) {
  std::vector<float> result(count);
  const std::size_t blocks = (count + 3) / 4;
  parallel_for(blocks, 1 << 12, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) put_normal_numbers({seed, iteration, draw}, i, count, result.data());
  });
  return result;
}

std::vector<float> noise_of_draw(const std::optional<std::vector<float>>& given, std::size_t count, std::uint64_t seed,
                                 std::uint64_t iteration, int draw) {
  if (!given) return normal_noise(count, seed, iteration, static_cast<std::uint64_t>(draw));
  const std::size_t begin = count * static_cast<std::size_t>(draw);
  LIMBER_EXPECT(given->size() >= begin + count, "not enough noise was given");
  const auto first = given->begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

double guidance_of(const ScoreSettings& settings) {
  return settings.rule == GuidanceRule::kFromConditional ? settings.guidance + 1 : settings.guidance;
}

TimestepRange timestep_range(const ScoreSettings& settings, int train_steps) {
  const double done = settings.anneal_iterations > 0
                          ? std::clamp(static_cast<double>(settings.iteration) / settings.anneal_iterations, 0.0, 1.0)
                          : 1.0;
  const double top = settings.t_max + (settings.t_max_end - settings.t_max) * done;
  const auto step = [&](double t) {
    return std::clamp(static_cast<int>(std::floor(t * train_steps + 1e-9)), 0, train_steps - 1);
  };
  const int low = step(settings.t_min);
  return {low, std::max(step(top), low)};
}

std::vector<int> draw_timesteps(const ScoreSettings& settings, int train_steps) {
  LIMBER_EXPECT(settings.draws >= 1, std::to_string(settings.draws));
  std::vector<int> result(static_cast<std::size_t>(settings.draws), settings.timestep.value_or(0));
  if (settings.timestep) {
    LIMBER_EXPECT(*settings.timestep >= 0 && *settings.timestep < train_steps, std::to_string(*settings.timestep));
    return result;
  }
  const TimestepRange range = timestep_range(settings, train_steps);
  Rng rng = Rng(settings.seed).fork(static_cast<std::uint64_t>(settings.iteration));
  for (int k = 0; k < settings.draws; ++k) {
    const double u = (k + rng.uniform()) / settings.draws;
    result[static_cast<std::size_t>(k)] =
        std::min(range.low + static_cast<int>(u * (range.high - range.low + 1)), range.high);
  }
  return result;
}

namespace {

/// Where the built-in prior computes without LibTorch; nowhere: it needs that.
std::optional<Device> own_device(const LoadSettings& settings) {
  if (settings.dtype != "auto" && settings.dtype != "float32") return std::nullopt;
  if (settings.device == "auto" || settings.device == "cpu") return Device::kCpu;
  const bool first = settings.device == "cuda" || settings.device == "cuda:0";
  return first && has_cuda_network() ? std::optional(Device::kCuda) : std::nullopt;
}

}  // namespace

bool needs_torch(const std::filesystem::path& folder, const LoadSettings& settings) {
  std::error_code error;
  return std::filesystem::exists(folder, error) && (!own_device(settings) || !is_sketch_model(folder));
}

void set_torch_loader(PriorLoader loader) { g_torch_loader = loader; }

Result<std::unique_ptr<VideoPrior>> load_prior(const std::filesystem::path& folder, const LoadSettings& settings) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return Error{"is not there", folder.string(), ErrorKind::kMissing};
  if (!needs_torch(folder, settings)) return open_sketch_prior(folder, *own_device(settings), settings.memory_limit);
  if (g_torch_loader != nullptr) return g_torch_loader(folder, settings);
  return Error{
      "this program has no LibTorch, which priors other than the built-in one need, and that one in 16 bits or on "
      "a GPU that this build has no kernels for",
      folder.string(), ErrorKind::kUnsupported};
}

}  // namespace limber::prior
