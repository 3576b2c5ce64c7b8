// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/part_denoiser_cuda.h"

/// Builds without CUDA.
namespace limber::prior {
namespace {

Error no_cuda() {
  return {"this build has no CUDA: configure with -DLIMBER_CUDA=ON, or compute on the CPU", "", ErrorKind::kDevice};
}

}  // namespace

bool has_cuda_network() { return false; }

struct CudaPartNetwork::State {};

CudaPartNetwork::CudaPartNetwork(std::unique_ptr<State> state) : state_(std::move(state)) {}
CudaPartNetwork::~CudaPartNetwork() = default;
Result<std::unique_ptr<CudaPartNetwork>> CudaPartNetwork::open(const PartModel&, const std::filesystem::path&,
                                                               std::optional<std::uint64_t>) {
  return no_cuda();
}
Result<std::vector<float>> CudaPartNetwork::read(const std::string&) const { return no_cuda(); }
Result<std::vector<std::vector<float>>> CudaPartNetwork::denoise(const PartInput&,
                                                                 std::span<const std::span<const float>>) const {
  return no_cuda();
}
Result<std::vector<std::vector<std::vector<float>>>> CudaPartNetwork::denoise_all(std::span<const PartQuery>) const {
  return no_cuda();
}
Result<std::vector<std::vector<float>>> CudaPartNetwork::sample(const SamplePlan&) const { return no_cuda(); }
Result<Walked> CudaPartNetwork::walk(const WalkPlan&, const WalkResults&) const { return no_cuda(); }
Result<std::vector<double>> CudaPartNetwork::look(const WalkPlan&) const { return no_cuda(); }
Status CudaPartNetwork::warm_up() const { return no_cuda(); }
bool CudaPartNetwork::jumps() const { return false; }
void CudaPartNetwork::start_timeline() const {}
std::vector<std::pair<std::string, double>> CudaPartNetwork::take_timeline() const { return {}; }
std::size_t CudaPartNetwork::bytes() const { return 0; }

}  // namespace limber::prior
