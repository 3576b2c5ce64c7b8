// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// `limber bench splat --device cuda` for machines where the limber program is not built: tools/gpu_scene.sh.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "bench/scene_on_device.h"

int main(int argc, char** argv) {
  limber::bench::DeviceSettings settings;
  if (argc > 1) settings.repetitions = std::max(1, std::atoi(argv[1]));
  const auto rows = limber::bench::measure_on_device(settings);
  if (!rows.ok()) {
    fmt::print(stderr, "scene_bench: {}\n", rows.error().message());
    return 1;
  }
  for (const limber::bench::DeviceRow& row : *rows) {
    fmt::print("{:<74} {:>10.4g} {:<2} {:<8} {}\n", row.name, row.value, row.unit, row.aim, row.note);
  }
  return 0;
}
