// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "bench/bench.h"

namespace limber::bench {

/// Whether nothing of the list `test` is in the list `train`: by the bytes of files, by surfaces, and by the curves of
/// clips, mirrored and retimed ones included. `characters`: what `train bake` wrote; repeated clips must not be in it.
/// May be empty.
void add_held_out_rows(const std::filesystem::path& split, const std::filesystem::path& characters, Report& report);

}  // namespace limber::bench
