// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "limber/base/result.h"
#include "limber/parts/mesh_parts.h"

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

}  // namespace limber::cli
