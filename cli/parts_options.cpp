// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "parts_options.h"

#include <filesystem>

namespace limber::cli {

void add_parts_options(CLI::App& command, PartsOptions& options) {
  command.add_option("--model", options.model, "The network, where it is not the one that ships")->type_name("DIR");
  command
      .add_option("--view-sets", options.view_sets, "Of a mesh: look from all sides so many times, turned each time")
      ->check(CLI::Range(1, 16))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--steps", options.steps, "Of drawing")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--seed", options.seed, "Of what is left to chance")->capture_default_str();
}

Result<parts::PartsDenoiser> open_parts_network(const PartsOptions& options) {
  std::filesystem::path folder(options.model);
  if (options.model.empty()) {
    LIMBER_TRY(folder, parts::find_parts_model());
  }
  return parts::PartsDenoiser::open(folder);
}

parts::MeshPartsSettings mesh_settings(const PartsOptions& options) {
  parts::MeshPartsSettings settings;
  settings.view_sets = options.view_sets, settings.steps = options.steps, settings.seed = options.seed;
  return settings;
}

}  // namespace limber::cli
