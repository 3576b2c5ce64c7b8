// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/parity_case.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "limber/testing/shared_data.h"

namespace limber::prior {

namespace {

/// By name: one that limber ran and no longer reads shall be missed.
constexpr std::array<std::string_view, 3> kShownPictures{"cogvideox-5b-i2v-tiny", "wan-vace-tiny", "wan22-ti2v-tiny"};

std::vector<std::filesystem::path> folders(bool shown_pictures) {
  std::error_code error;
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(testing::parity_dir() / "video_models", error)) {
    if (!std::filesystem::exists(entry.path() / "model_index.json")) continue;
    const std::string name = entry.path().filename().string();
    const bool shown = std::find(kShownPictures.begin(), kShownPictures.end(), name) != kShownPictures.end();
    if (shown == shown_pictures) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<std::filesystem::path> parity_folders() { return folders(false); }
std::vector<std::filesystem::path> refused_folders() { return folders(true); }

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
