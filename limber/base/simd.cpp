// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/simd.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

#include "limber/base/expect.h"

namespace limber {
namespace {

bool is_available(SimdLevel level) {
#if defined(__x86_64__)
  switch (level) {
    case SimdLevel::kPortable:
      return true;
    case SimdLevel::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case SimdLevel::kAvx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
  }
  return false;
#else
  return level == SimdLevel::kPortable;
#endif
}

SimdLevel initial_level() {
  const std::vector<SimdLevel> levels = available_simd_levels();
  if (const char* wanted = std::getenv("LIMBER_SIMD")) {
    for (const SimdLevel level : levels) {
      if (simd_level_name(level) == wanted) return level;
    }
  }
  return levels.back();
}

std::atomic<SimdLevel>& current_level() {
  static std::atomic<SimdLevel> level{initial_level()};
  return level;
}

}  // namespace

std::string_view simd_level_name(SimdLevel level) {
  switch (level) {
    case SimdLevel::kPortable:
      return "portable";
    case SimdLevel::kAvx2:
      return "avx2";
    case SimdLevel::kAvx512:
      return "avx512";
  }
  return "unknown";
}

std::vector<SimdLevel> available_simd_levels() {
  std::vector<SimdLevel> levels;
  for (const SimdLevel level : {SimdLevel::kPortable, SimdLevel::kAvx2, SimdLevel::kAvx512}) {
    if (is_available(level)) levels.push_back(level);
  }
  return levels;
}

SimdLevel simd_level() { return current_level().load(); }

void set_simd_level(SimdLevel level) {
  LIMBER_EXPECT(is_available(level), std::string(simd_level_name(level)));
  current_level().store(level);
}

}  // namespace limber
