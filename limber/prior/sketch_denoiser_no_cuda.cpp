// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/sketch_denoiser_cuda.h"

/// Builds without CUDA.
namespace limber::prior {
namespace {

Error no_cuda() {
  return {"this build has no CUDA: configure with -DLIMBER_CUDA=ON, or compute on the CPU", "", ErrorKind::kDevice};
}

}  // namespace

bool has_cuda_network() { return false; }

struct CudaSketchNetwork::State {};

CudaSketchNetwork::CudaSketchNetwork(std::unique_ptr<State> state) : state_(std::move(state)) {}
CudaSketchNetwork::~CudaSketchNetwork() = default;
Result<std::unique_ptr<CudaSketchNetwork>> CudaSketchNetwork::open(const SketchModel&, const std::filesystem::path&,
                                                                   std::optional<std::uint64_t>) {
  return no_cuda();
}
Result<std::vector<float>> CudaSketchNetwork::read(const std::string&) const { return no_cuda(); }
Result<std::vector<std::vector<float>>> CudaSketchNetwork::denoise(const SketchInput&,
                                                                   std::span<const std::span<const float>>) const {
  return no_cuda();
}
Result<std::vector<std::vector<std::vector<float>>>> CudaSketchNetwork::denoise_all(
    std::span<const SketchQuery>) const {
  return no_cuda();
}
Result<std::vector<std::vector<float>>> CudaSketchNetwork::sample(const SamplePlan&) const { return no_cuda(); }
Result<Walked> CudaSketchNetwork::walk(const WalkPlan&, const WalkResults&) const { return no_cuda(); }
Result<std::vector<double>> CudaSketchNetwork::look(const WalkPlan&) const { return no_cuda(); }
Status CudaSketchNetwork::warm_up() const { return no_cuda(); }
bool CudaSketchNetwork::jumps() const { return false; }
void CudaSketchNetwork::start_timeline() const {}
std::vector<std::pair<std::string, double>> CudaSketchNetwork::take_timeline() const { return {}; }
std::size_t CudaSketchNetwork::bytes() const { return 0; }

}  // namespace limber::prior
