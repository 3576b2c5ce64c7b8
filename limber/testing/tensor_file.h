// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace limber::testing {

/// A float tensor of a safetensors file.
struct Tensor {
  std::vector<std::size_t> shape;
  std::vector<float> values;
};

/// All F32 tensors of a safetensors file by name; throws std::runtime_error on anything unexpected.
std::map<std::string, Tensor> read_tensors(const std::filesystem::path& path);

/// ||actual - expected|| / ||expected||; infinite where anything is not a number or the sizes differ.
double relative_error(const std::vector<float>& actual, const std::vector<float>& expected);

}  // namespace limber::testing
