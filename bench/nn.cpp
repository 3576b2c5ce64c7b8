// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bench/bench.h"
#include "bench/network_on_device.h"
#include "bench/timing.h"
#include "limber/anatomy/body_reader.h"
#include "limber/anatomy/shipped_reader.h"
#include "limber/animate/models.h"
#include "limber/base/rng.h"
#include "limber/base/simd.h"
#include "limber/base/threads.h"
#include "limber/body/body_shape.h"
#include "limber/nn/inference.h"
#include "limber/parts/parts_denoiser.h"
#include "limber/parts/parts_model.h"
#include "limber/pose_space/pose_denoiser.h"
#include "limber/pose_space/pose_model.h"
#include "limber/zoo/creature.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// `limber-lab bench nn`: products of the shapes that our networks have, beside OpenBLAS, and a pass of each network.
namespace limber::bench {
namespace {

using nn::infer::Floats;
using nn::infer::Matrix;

struct NnSettings : TimedSettings {
  std::string groups, device = "cpu";
};

// --- what the machine can do ----------------------------------------------------------------------------------------

constexpr int kChains = 14, kRounds = 4'000'000;  // enough chains to hide the time that one product takes

#if defined(__x86_64__)
__attribute__((target("avx512f"))) float chain_avx512() {
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_set1_ps(1.0f);
  const __m512 a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(0.001f);
  for (int i = 0; i < kRounds; ++i) {
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, a, b);
  }
  for (int k = 1; k < kChains; ++k) sums[0] = _mm512_add_ps(sums[0], sums[k]);
  return _mm512_cvtss_f32(sums[0]);
}

__attribute__((target("avx2,fma"))) float chain_avx2() {
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = _mm256_set1_ps(1.0f);
  const __m256 a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(0.001f);
  for (int i = 0; i < kRounds; ++i) {
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, a, b);
  }
  for (int k = 1; k < kChains; ++k) sums[0] = _mm256_add_ps(sums[0], sums[k]);
  return _mm256_cvtss_f32(sums[0]);
}
#endif

/// GFLOP/s of registers alone, all threads at once; 0 where it is not known.
double peak(int repetitions) {
#if defined(__x86_64__)
  const SimdLevel level = simd_level();
  if (level == SimdLevel::kPortable) return 0;
  const int lanes = level == SimdLevel::kAvx512 ? 16 : 8;
  std::vector<float> kept(static_cast<std::size_t>(thread_count()));
  const Timing timing = time_runs(repetitions, [&] {
    parallel_for(kept.size(), 1,
                 [&](std::size_t i, std::size_t) { kept[i] = lanes == 16 ? chain_avx512() : chain_avx2(); });
  });
  return 2e-6 * kChains * lanes * static_cast<double>(kRounds) * static_cast<double>(kept.size()) / timing.fastest;
#else
  (void)repetitions;
  return 0;
#endif
}

// --- products -------------------------------------------------------------------------------------------------------

/// OpenBLAS, where it is installed. Not linked: its threads start with the program that does.
class OpenBlas {
 public:
  OpenBlas() {
    library_ = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) return;
    multiply_ = reinterpret_cast<Multiply>(::dlsym(library_, "cblas_sgemm"));
    const auto set_threads = reinterpret_cast<void (*)(int)>(::dlsym(library_, "openblas_set_num_threads"));
    if (set_threads != nullptr) set_threads(thread_count());
  }
  bool found() const { return multiply_ != nullptr; }
  /// y = x w^T
  void multiply(const Matrix& x, const Matrix& w, Matrix& y) const {
    constexpr int kRowMajor = 101, kAsIs = 111, kTransposed = 112;
    multiply_(kRowMajor, kAsIs, kTransposed, x.rows(), w.rows(), x.columns(), 1, x.values().data(), x.columns(),
              w.values().data(), w.columns(), 0, y.values().data(), y.columns());
  }

 private:
  using Multiply = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*,
                            int);
  void* library_ = nullptr;
  Multiply multiply_ = nullptr;
};

struct Shape {
  const char* name;
  int rows, in, out;
};
constexpr Shape kShapes[] = {{"prior/qkv", 1536, 320, 960},     {"prior/out", 1536, 320, 320},
                             {"prior/up", 1536, 320, 1280},     {"prior/down", 1536, 1280, 320},
                             {"prior/video in", 768, 768, 320}, {"reader/groups", 12288, 64, 128},
                             {"reader/up", 513, 192, 768},      {"poses/qkv", 40, 192, 576}};

Matrix noise(int rows, int columns, std::uint64_t seed) {
  Rng rng(seed, 9);
  Matrix x(rows, columns);
  for (float& v : x.values()) v = static_cast<float>(rng.normal());
  return x;
}

void add_product_rows(const NnSettings& settings, double most, Report& report) {
  const OpenBlas peer;
  for (const Shape& shape : kShapes) {
    const Matrix x = noise(shape.rows, shape.in, settings.seed), w = noise(shape.out, shape.in, settings.seed + 1);
    const nn::infer::Linear layer(w, Floats(static_cast<std::size_t>(shape.out)));
    Matrix y;
    // In runs of some milliseconds.
    const double flop = 2.0 * shape.rows * shape.in * shape.out;
    const int times = std::max(1, static_cast<int>(1e9 / flop));
    const auto rate = [&](const std::function<void()>& body) {
      const Timing timing = time_runs(settings.repetitions, [&] {
        for (int i = 0; i < times; ++i) body();
      });
      return flop * times * 1e-6 / timing.median;
    };
    const double ours = rate([&] { layer.apply(x, y); });
    std::string note = most > 0 ? fmt::format("{:.0f} % of peak", 100 * ours / most) : "";
    if (peer.found()) note += fmt::format(", OpenBLAS {:.1f}", rate([&] { peer.multiply(x, w, y); }));
    report.rows.push_back({fmt::format("product/{} {} x {} x {}", shape.name, shape.rows, shape.in, shape.out), ours,
                           "GFLOP/s", most > 0 ? fmt::format(">= {:.0f}", 0.7 * most) : "", note});
  }
  const Matrix mixed = noise(768, 960, settings.seed);
  Matrix seen(768, 320);
  const auto part = [&](int first) { return columns_view(view_of(mixed), first, 320); };
  const Timing timing = time_runs(settings.repetitions, [&] {
    nn::infer::attend(part(0), part(320), part(640), 5, {}, seen.values().data(), 320);
  });
  const double rate = 4e-6 * 768 * 768 * 320 / timing.median;
  report.rows.push_back({"attention/768 tokens, 5 heads of 64", rate, "GFLOP/s", "",
                         most > 0 ? fmt::format("{:.0f} % of peak", 100 * rate / most) : ""});
}

// --- networks -------------------------------------------------------------------------------------------------------

Status add_prior_rows(const NnSettings& settings, double most, Report& report) {
  LIMBER_TRY(const std::filesystem::path folder, animate::find_builtin_prior());
  LIMBER_TRY(const prior::SketchModel model, prior::read_sketch_model(folder));
  const Timing loading = time_runs(1, [&] { (void)prior::load_prior(folder); });
  report.rows.push_back({"prior/load", loading.median, "ms", "", ""});
  LIMBER_TRY(const std::unique_ptr<prior::VideoPrior> loaded, prior::load_prior(folder));
  LIMBER_TRY(const prior::Condition condition, loaded->condition({"a dog trots", ""}));
  for (const double guidance : {loaded->info().sample_guidance, 1.0}) {
    prior::SampleSettings sampling;
    sampling.steps = 1, sampling.guidance = guidance;
    const Timing timing = time_runs(settings.repetitions, [&] { (void)loaded->sample(condition, sampling); });
    const int passes = guidance == 1 ? 1 : 2;
    const double rate = passes * 1e-6 * model.flops() / timing.median;
    report.rows.push_back(
        {passes == 2 ? "prior/guided step" : "prior/step without guidance", timing.median, "ms", "",
         fmt::format("{:.1f} GFLOP/s{}", rate, most > 0 ? fmt::format(", {:.0f} % of peak", 100 * rate / most) : "")});
  }
  return Done{};
}

Status add_reader_row(const NnSettings& settings, const zoo::Creature& creature, Report& report) {
  LIMBER_TRY(const std::filesystem::path folder, anatomy::find_body_reader());
  LIMBER_TRY(const anatomy::BodyReader reader, anatomy::BodyReader::open(folder));
  const body::BodyShape shape = body::study_body(creature.subject.points, creature.subject.triangles);
  report.rows.push_back(
      make_row("reader/a body", time_runs(settings.repetitions, [&] { (void)reader.read(shape); }), "<= 300"));
  return Done{};
}

Status add_pose_row(const NnSettings& settings, const zoo::Creature& creature, Report& report) {
  LIMBER_TRY(const std::filesystem::path folder, pose_space::find_pose_model());
  LIMBER_TRY(const pose_space::PoseDenoiser poses, pose_space::PoseDenoiser::open(folder));
  const pose_space::PoseSkeleton skeleton = pose_space::make_pose_skeleton(creature.subject.rig);
  const pose_space::PoseDenoiser::Body body = poses.encode(pose_space::make_conditions(skeleton));
  const pose_space::PoseState state(static_cast<std::size_t>(skeleton.size() * pose_space::kStateSize));
  report.rows.push_back(make_row(fmt::format("poses/pass, {} joints", skeleton.size()),
                                 time_runs(settings.repetitions, [&] { (void)poses.run(body, state, 0.5); })));
  return Done{};
}

Status add_parts_row(const NnSettings& settings, Report& report) {
  LIMBER_TRY(const std::filesystem::path folder, parts::find_parts_model());
  LIMBER_TRY(const parts::PartsDenoiser network, parts::PartsDenoiser::open(folder));
  const parts::PartsDenoiser::Known known = network.encode(parts::KnownPictures(network.model()));
  const std::vector<float> zeros(network.model().numbers());
  report.rows.push_back(make_row("parts/pass", time_runs(settings.repetitions, [&] {
                                   (void)network.run(known, {zeros, zeros}, 0.5);
                                 })));
  return Done{};
}

Result<Report> bench_nn(const NnSettings& settings) {
  Report report{fmt::format("nn: products and networks, {}", simd_level_name(simd_level())), {}};
  const double most = peak(settings.repetitions);
  if (most > 0) report.rows.push_back({"peak of the registers", most, "GFLOP/s", "", ""});
  if (holds_name(settings.groups, "products")) add_product_rows(settings, most, report);
  if (!holds_name(settings.groups, "networks")) return report;
  LIMBER_CHECK_OK(add_prior_rows(settings, most, report));
  zoo::CreatureSettings body;
  body.plan = zoo::Plan::kQuadruped, body.seed = 970007;
  LIMBER_TRY(const zoo::Creature creature, zoo::make_creature(body));
  LIMBER_CHECK_OK(add_reader_row(settings, creature, report));
  LIMBER_CHECK_OK(add_pose_row(settings, creature, report));
  LIMBER_CHECK_OK(add_parts_row(settings, report));
  return report;
}

}  // namespace

void add_nn_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<NnSettings>();
  CLI::App& command = add_timed_subject(
      bench, terminal,
      {"nn", "Products of our networks' shapes, beside OpenBLAS where it is installed, and a pass of each network",
       "  limber-lab bench nn --threads 1\n  LIMBER_SIMD=avx2 limber-lab bench nn --groups products\n"
       "  limber-lab bench nn --device cuda"},
      *settings, [settings]() -> Result<Report> {
        if (settings->device == "cpu") return bench_nn(*settings);
        LIMBER_TRY(std::vector<DeviceRow> rows, measure_network_on_device({settings->repetitions, settings->seed}));
        Report report{"the built-in prior's network on a GPU", {}};
        for (DeviceRow& row : rows) report.rows.push_back({row.name, row.value, row.unit, row.aim, row.note});
        return report;
      });
  command.add_option("--device", settings->device, "cpu; cuda: the built-in prior's network there")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  add_groups_option(command, settings->groups, {"products", "networks"});
}

}  // namespace limber::bench
