// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "facing_options.h"
#include "limber/autorig/auto_rig.h"
#include "limber/base/result.h"
#include "limber/parts/mesh_parts.h"
#include "limber/rig/facing.h"

/// How commands that find parts are told how to.
namespace limber::cli {

struct PartsOptions {
  std::string model;  ///< a folder; empty: the one that ships
  int view_sets = 3, steps = 4;
  std::uint64_t seed = 0;
};
void add_parts_options(CLI::App& command, PartsOptions& options);

Result<parts::PartsDenoiser> open_parts_network(const PartsOptions& options);
parts::MeshPartsSettings mesh_settings(const PartsOptions& options);

/// Whether no template is believed of a rig, so that its parts may tell more.
bool wants_parts(const autorig::AutoRigReport& report);

/// What was said of up and forward, the rest being usual; none where nothing was said.
Result<std::optional<rig::Facing>> asked_facing(const FacingOptions& options);

}  // namespace limber::cli
