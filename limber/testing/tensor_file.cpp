// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/testing/tensor_file.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace limber::testing {

std::map<std::string, Tensor> read_tensors(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::uint64_t header_size = 0;
  const auto require = [&](bool condition) {
    if (!condition) throw std::runtime_error(path.string() + ": not a readable safetensors file");
  };
  require(bytes.size() >= sizeof header_size);
  std::memcpy(&header_size, bytes.data(), sizeof header_size);
  require(header_size <= bytes.size() - sizeof header_size);
  const std::size_t start = sizeof header_size + header_size;

  std::map<std::string, Tensor> tensors;
  const auto header = nlohmann::json::parse(bytes.substr(sizeof header_size, header_size));
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__" || entry.at("dtype") != "F32") continue;
    Tensor tensor;
    entry.at("shape").get_to(tensor.shape);
    std::size_t count = 1;
    for (const std::size_t size : tensor.shape) count *= size;
    const std::size_t begin = entry.at("data_offsets").at(0), end = entry.at("data_offsets").at(1);
    require(end <= bytes.size() - start && begin <= end && (end - begin) == count * sizeof(float));
    tensor.values.resize(count);
    if (count) std::memcpy(tensor.values.data(), bytes.data() + start + begin, end - begin);
    tensors.emplace(name, std::move(tensor));
  }
  return tensors;
}

double relative_error(const std::vector<float>& actual, const std::vector<float>& expected) {
  if (actual.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    difference += std::pow(double(actual[i]) - double(expected[i]), 2);
    size += std::pow(double(expected[i]), 2);
  }
  const double error = std::sqrt(difference / std::max(size, 1e-300));
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

}  // namespace limber::testing
