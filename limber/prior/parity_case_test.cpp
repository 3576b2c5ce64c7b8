// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/parity_case.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/testing/shared_data.h"

namespace limber::prior {

std::vector<std::filesystem::path> parity_folders() {
  std::error_code error;
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(testing::parity_dir() / "video_models", error)) {
    if (std::filesystem::exists(entry.path() / "model_index.json")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

ParityCase::ParityCase(const std::filesystem::path& folder)
    : checkpoint(read_checkpoint(folder).value()),
      expected(nn::TensorArchive::open(folder / "expected.safetensors").value()) {}

nn::Tensor ParityCase::tensor(const std::string& name) const { return nn::read_tensor(expected, name).value(); }

nn::Weights ParityCase::weights(const std::string& component, nn::Placement placement) const {
  return nn::Weights::open(checkpoint.path / component, placement).value();
}

double relative_error(const nn::Tensor& a, const nn::Tensor& b) {
  if (a.sizes() != b.sizes()) return std::numeric_limits<double>::infinity();
  const nn::Tensor x = a.detach().to(at::kCPU).to(at::kDouble), y = b.detach().to(at::kCPU).to(at::kDouble);
  const double error = ((x - y).norm() / y.norm()).item<double>();
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

}  // namespace limber::prior
