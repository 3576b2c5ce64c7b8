// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/network_on_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "bench/median.h"
#include "limber/base/stopwatch.h"
#include "limber/nn/shipped_models.h"
#include "limber/prior/sketch_denoiser.h"
#include "limber/prior/sketch_denoiser_cuda.h"
#include "limber/prior/sketch_prior.h"

namespace limber::bench {
namespace {

using prior::SketchModel;
using Rows = std::vector<DeviceRow>;
using Videos = std::vector<std::vector<float>>;

/// Noise to look at, under two texts.
struct Shown {
  std::vector<float> noisy, rest, shares, with, without;

  Shown(const SketchModel& model, std::uint64_t seed) {
    const auto picture = static_cast<std::size_t>(model.views * 3 * model.size * model.size);
    const auto width = static_cast<std::size_t>(model.width);
    noisy = prior::normal_noise(picture * static_cast<std::size_t>(model.frames), seed, 1, 0);
    rest = prior::normal_noise(picture, seed, 2, 0);
    with = prior::normal_noise(width, seed, 3, 0), without = prior::normal_noise(width, seed, 4, 0);
    shares.assign(static_cast<std::size_t>(model.tubes()), 0.7f);
  }
  prior::SketchQuery query(std::size_t texts) const {
    prior::SketchQuery query{{noisy, shares, {}, rest, {}, {}}, {with, without}};
    query.texts.resize(texts);
    return query;
  }
};

/// Floating-point operations of a step in one pass of one video, by its name; 0 where they do not count.
double flops_of(const SketchModel& model, const std::string& step) {
  const double n = model.tokens(), d = model.width, layers = model.layers;
  const std::map<std::string, double> all{
      {"qkv", layers * 6 * n * d * d},       {"out", layers * 2 * n * d * d},
      {"up", layers * 8 * n * d * d},        {"down", layers * 8 * n * d * d},
      {"attention", layers * 4 * n * n * d}, {"video out", 6 * n * d * model.patch * model.patch * model.patch_frames}};
  const auto found = all.find(step);
  return found == all.end() ? 0 : found->second;
}

/// `body` in milliseconds, after two runs that grow buffers.
Result<DeviceRow> timed(const std::string& name, int repetitions, double flops, const std::function<Status()>& body) {
  std::vector<double> times;
  for (int i = -2; i < repetitions; ++i) {
    const Stopwatch watch;
    LIMBER_CHECK_OK(body());
    if (i >= 0) times.push_back(1000 * watch.seconds());
  }
  const double fastest = *std::min_element(times.begin(), times.end()), middle = median(std::move(times));
  return DeviceRow{name, middle, "ms", "",
                   fmt::format("fastest {:.3f}, {:.1f} TFLOP/s", fastest, 1e-9 * flops / middle)};
}

/// What the steps of a batch take on the GPU, those of one name together.
void add_steps(const SketchModel& model, double passes, const std::vector<std::pair<std::string, double>>& steps,
               Rows& rows) {
  std::vector<std::pair<std::string, double>> sums;
  double total = 0;
  for (const auto& [name, took] : steps) {
    const auto same = std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == name; });
    total += took;
    if (same == sums.end()) {
      sums.emplace_back(name, took);
    } else {
      same->second += took;
    }
  }
  for (const auto& [name, took] : sums) {
    const double flops = passes * flops_of(model, name);
    rows.push_back({"  " + name, took, "ms", "", flops > 0 ? fmt::format("{:.1f} TFLOP/s", 1e-9 * flops / took) : ""});
  }
  rows.push_back({"  all of them", total, "ms", "", fmt::format("{} steps", steps.size())});
}

Status add_batch(const SketchModel& model, const prior::CudaSketchNetwork& network, const DeviceSettings& settings,
                 int videos, std::size_t texts, const char* aim, Rows& rows) {
  std::vector<Shown> shown;
  for (int i = 0; i < videos; ++i) shown.emplace_back(model, settings.seed + static_cast<std::uint64_t>(i));
  std::vector<prior::SketchQuery> queries;
  for (const Shown& one : shown) queries.push_back(one.query(texts));
  const double passes = videos * static_cast<double>(texts);
  std::vector<Videos> first, seen;
  bool same = true;
  const auto run = [&]() -> Status {
    LIMBER_TRY(seen, network.denoise_all(queries));
    if (first.empty()) first = seen;
    same = same && seen == first;
    return Done{};
  };
  const std::string name =
      fmt::format("gpu network/{} video{} x {} text{}", videos, videos > 1 ? "s" : "", texts, texts > 1 ? "s" : "");
  LIMBER_TRY(DeviceRow row, timed(name, settings.repetitions, passes * model.flops(), [&]() -> Status {
               LIMBER_TRY(seen, network.denoise_all(queries));
               return Done{};
             }));
  LIMBER_CHECK_OK(run());
  LIMBER_CHECK_OK(run());
  row.aim = aim;
  row.note +=
      fmt::format(", {:.0f} MB, {}", static_cast<double>(network.bytes()) / 1e6, same ? "same bits" : "BITS DIFFER");
  rows.push_back(std::move(row));
  network.start_timeline();
  LIMBER_CHECK_OK(run());
  add_steps(model, passes, network.take_timeline(), rows);
  return Done{};
}

Status add_distance(const SketchModel& model, const std::filesystem::path& folder,
                    const prior::CudaSketchNetwork& network, std::uint64_t seed, Rows& rows) {
  LIMBER_TRY(const std::unique_ptr<prior::SketchDenoiser> cpu, prior::SketchDenoiser::open(model, folder));
  const Shown shown(model, seed);
  const prior::SketchQuery query = shown.query(2);
  LIMBER_TRY(const Videos found, network.denoise(query.input, query.texts));
  const Stopwatch watch;
  LIMBER_TRY(const Videos expected, cpu->denoise(query.input, query.texts));
  rows.push_back({"cpu network/1 video x 2 texts", 1000 * watch.seconds(), "ms", "", "first call"});
  double difference = 0, length = 0;
  for (std::size_t i = 0; i < expected[0].size(); ++i) {
    const auto a = static_cast<double>(found[0][i]), b = static_cast<double>(expected[0][i]);
    difference += (a - b) * (a - b), length += b * b;
  }
  rows.push_back({"  relative difference of videos", std::sqrt(difference / length), "", "<= 2e-5", ""});
  return Done{};
}

/// From noise to a video, by the prior that holds the network.
Status add_samples(prior::SketchPrior& prior, const DeviceSettings& settings, Rows& rows) {
  LIMBER_TRY(const prior::Condition condition, prior.condition({"a dog trots", ""}, nullptr));
  for (const bool few : {true, false}) {
    if (few && !prior.network().jumps()) continue;
    prior::SampleSettings sampling;
    sampling.few_steps = few;
    const int steps = few ? prior.info().few_steps : prior.info().sample_steps;
    const double flops = (few ? 1 : 2) * steps * prior.model().flops();
    LIMBER_TRY(DeviceRow row, timed(fmt::format("gpu sample/{} {}steps", steps, few ? "" : "guided "),
                                    settings.repetitions, flops, [&]() -> Status {
                                      LIMBER_TRY(const Frames frames, prior.sample(condition, sampling));
                                      return Done{};
                                    }));
    rows.push_back(std::move(row));
  }
  return Done{};
}

}  // namespace

Result<Rows> measure_network_on_device(const DeviceSettings& settings) {
  LIMBER_TRY(const std::filesystem::path folder, nn::find_shipped_model("sketch_prior", prior::is_sketch_model));
  LIMBER_TRY(const SketchModel model, prior::read_sketch_model(folder));
  Rows rows;
  const Stopwatch watch;
  LIMBER_TRY(std::unique_ptr<prior::CudaSketchNetwork> network, prior::CudaSketchNetwork::open(model, folder));
  rows.push_back({"gpu network/load", 1000 * watch.seconds(), "ms", "", "the first use of the GPU, if it is"});
  LIMBER_CHECK_OK(add_batch(model, *network, settings, 1, 1, "<= 1.5", rows));
  LIMBER_CHECK_OK(add_batch(model, *network, settings, 1, 2, "<= 2.5", rows));
  LIMBER_CHECK_OK(add_batch(model, *network, settings, 8, 2, "<= 20", rows));
  LIMBER_CHECK_OK(add_distance(model, folder, *network, settings.seed, rows));
  prior::SketchPrior prior(model, std::move(network), "gpu");
  LIMBER_CHECK_OK(add_samples(prior, settings, rows));
  return rows;
}

}  // namespace limber::bench
