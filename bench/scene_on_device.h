// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limber/base/result.h"

namespace limber::bench {

struct DeviceSettings {
  int repetitions = 7;  ///< the median counts
  std::uint64_t seed = 7;
};

struct DeviceRow {
  std::string name;
  double value = 0;
  std::string unit, aim, note;
};

/// What scenes and the lift's comparison cost on a GPU, step by step, and how far they are from the CPU's. Fails where
/// there is none.
Result<std::vector<DeviceRow>> measure_on_device(const DeviceSettings& settings);

}  // namespace limber::bench
