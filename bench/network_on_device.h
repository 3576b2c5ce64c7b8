// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/scene_on_device.h"

namespace limber::bench {

/// What the built-in prior's network costs on a GPU, without LibTorch, step by step, and how far it is from the CPU's.
/// Fails where there is none.
Result<std::vector<DeviceRow>> measure_network_on_device(const DeviceSettings& settings);

}  // namespace limber::bench
