// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace limber {

/// Instruction sets that the kernels are compiled for.
enum class SimdLevel {
  kPortable,  ///< four lanes, whatever the compiler makes of them: SSE2 on x86-64, NEON on ARM
  kAvx2,      ///< eight lanes, with FMA
  kAvx512,    ///< sixteen lanes, or eight with more registers and masks (F and VL)
};

std::string_view simd_level_name(SimdLevel level);

/// The levels that this build has and this machine can run, lowest first.
std::vector<SimdLevel> available_simd_levels();

/// The level in use: the highest available one, unless the environment variable LIMBER_SIMD (portable, avx2, avx512) or
/// `set_simd_level` says otherwise.
SimdLevel simd_level();

/// Uses an available level from now on, for tests and measurements. Not while a kernel is running.
void set_simd_level(SimdLevel level);

}  // namespace limber
