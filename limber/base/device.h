// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace limber {

/// Where pictures are drawn and differentiated. CUDA_VISIBLE_DEVICES chooses between several GPUs.
enum class Device { kCpu, kCuda };

}  // namespace limber
