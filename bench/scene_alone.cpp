// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// `limber-lab bench splat --device cuda` and `limber-lab bench nn --device cuda` for machines where the limber program
// is not built: tools/gpu_scene.sh.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "bench/network_on_device.h"
#include "bench/scene_on_device.h"

namespace {

bool print_rows(const limber::Result<std::vector<limber::bench::DeviceRow>>& rows) {
  if (!rows.ok()) {
    fmt::print(stderr, "scene_bench: {}\n", rows.error().message());
    return false;
  }
  for (const limber::bench::DeviceRow& row : *rows) {
    fmt::print("{:<74} {:>10.4g} {:<2} {:<8} {}\n", row.name, row.value, row.unit, row.aim, row.note);
  }
  return true;
}

}  // namespace

/// scene_bench [repetitions] [scenes | network]
int main(int argc, char** argv) {
  limber::bench::DeviceSettings settings;
  if (argc > 1) settings.repetitions = std::max(1, std::atoi(argv[1]));
  const std::string_view which = argc > 2 ? argv[2] : "";
  bool done = true;
  if (which != "network") done = print_rows(limber::bench::measure_on_device(settings));
  if (which != "scenes") done = print_rows(limber::bench::measure_network_on_device(settings)) && done;
  return done ? 0 : 1;
}
