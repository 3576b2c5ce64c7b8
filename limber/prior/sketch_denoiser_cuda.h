// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "limber/prior/sketch_device.h"
#include "limber/prior/sketch_model.h"
#include "limber/prior/sketch_network.h"

namespace limber::prior {

/// Whether the build has CUDA. A GPU may still be missing.
bool has_cuda_network();

/// The built-in prior's network on a GPU, without LibTorch: what SketchDenoiser computes, in float. Weights and
/// activations stay there; videos come and go, or stay where a plan says all. Prompts are read on the CPU. From several
/// threads one after the other; the same bits for the same batch. After a failure everything fails.
class CudaSketchNetwork : public SketchNetwork, private SketchDevice {
 public:
  struct State;  ///< sketch_denoiser_cuda.cuh
  /// On the GPU that is current. `memory_limit`: bytes there. Files are not trusted.
  static Result<std::unique_ptr<CudaSketchNetwork>> open(const SketchModel& model, const std::filesystem::path& folder,
                                                         std::optional<std::uint64_t> memory_limit = {});
  ~CudaSketchNetwork() override;

  Result<std::vector<float>> read(const std::string& prompt) const override;
  Result<std::vector<std::vector<float>>> denoise(const SketchInput& input,
                                                  std::span<const std::span<const float>> texts) const override;
  Result<std::vector<std::vector<std::vector<float>>>> denoise_all(std::span<const SketchQuery> queries) const override;
  const SketchDevice* device() const override { return this; }
  bool jumps() const override;

  /// Takes memory for a few videos and has a first look at nothing, so that the first sample need not wait for either.
  Status warm_up() const;

  /// For benchmarks: what each step takes, in milliseconds, and bytes held on the GPU.
  void start_timeline() const;
  std::vector<std::pair<std::string, double>> take_timeline() const;
  std::size_t bytes() const;

 private:
  Result<std::vector<std::vector<float>>> sample(const SamplePlan& plan) const override;
  Result<Walked> walk(const WalkPlan& plan, const WalkResults& results) const override;
  Result<std::vector<double>> look(const WalkPlan& plan) const override;

  explicit CudaSketchNetwork(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace limber::prior
