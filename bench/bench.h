// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Benchmarks of the `limber bench` command. Each is one function that measures and returns a table.
namespace limber::cli {

/// Of `limber bench prior`.
struct PriorBenchSettings {
  std::string model = "tiny";  ///< one of prior::published_models, or a checkpoint folder
  bool random = false;         ///< insist on the former
  std::string device = "auto";
  int frames = 0, height = 0, width = 0;  ///< 0: 49 x 480 x 720
};

/// Of `limber bench animate`.
struct AnimateBenchSettings {
  std::string prior;  ///< empty: the built-in one
  std::string split = "../shared/split.json";
  std::string parts = "zoo,idle,seeds,causality,rigs,ablation";
  int creatures = 40, few = 8, candidates = 1;
};

struct BenchSettings {
  std::uint64_t seed = 7;
  int repetitions = 7;                           ///< the median counts
  std::string assets = "../shared/assets";       ///< of `limber bench rig`: a folder of rigged models
  std::string stages = "skin,skeletons,bodies";  ///< rig: which to measure
  std::string only;                              ///< rig: only files whose path contains this
  int creatures = 40;                            ///< rig: creatures of the zoo to find the kind and the front of
  std::string reader = "auto";                   ///< rig: as of `limber rig --reader`
  int poses = 0;                                 ///< rig: instants of the models' clips, likewise
  PriorBenchSettings prior;
  AnimateBenchSettings animate;
};

struct BenchRow {
  std::string name;  ///< "positions forward/frames:49/points:50000"
  double value = 0;
  std::string unit;  ///< "ms", "creatures/s"
  std::string aim;   ///< "<= 40", empty for none
  std::string note;  ///< "checksum 3f2a...", empty for none
};

struct BenchReport {
  std::string title;
  std::vector<BenchRow> rows;
};

BenchReport bench_kinematics(const BenchSettings& settings);
BenchReport bench_lift(const BenchSettings& settings);
BenchReport bench_physics(const BenchSettings& settings);
BenchReport bench_render(const BenchSettings& settings);
BenchReport bench_rig(const BenchSettings& settings);
BenchReport bench_splat(const BenchSettings& settings);
/// The part of `bench_splat` that goes through scene::Scene: motion to frames and back.
void add_scene_rows(const BenchSettings& settings, BenchReport& report);
BenchReport bench_zoo(const BenchSettings& settings);
#if defined(LIMBER_WITH_TORCH)
BenchReport bench_animate(const BenchSettings& settings);
BenchReport bench_prior(const BenchSettings& settings);
#endif

}  // namespace limber::cli
