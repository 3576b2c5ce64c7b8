// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "bench.h"
#include "limber/anatomy/body_reading.h"

namespace limber::cli {

/// The skeleton half of `limber bench rig`: every model below the folder is made static, rigged anew and compared with
/// the skeleton it had.
void add_skeleton_rows(const BenchSettings& settings, BenchReport& report);

/// Bodies that nothing was fitted to: creatures of the zoo by seed, in random turns, and instants of the clips of the
/// models below the folder. Only whether the kind of body and its front are found; no weights.
void add_body_rows(const BenchSettings& settings, BenchReport& report);

/// Whether a file is among those that were asked for.
bool is_chosen(const BenchSettings& settings, const std::filesystem::path& file);
bool measures(const BenchSettings& settings, std::string_view stage);

/// The reader that the settings name; an error is logged, and bodies are judged by shape alone.
anatomy::ReadBody bench_reader(const BenchSettings& settings);

}  // namespace limber::cli
