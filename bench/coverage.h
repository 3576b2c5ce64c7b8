// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "bench/bench.h"
#include "limber/animate/models.h"
#include "limber/animate/request.h"

namespace limber::bench {

/// Artists' rigs of the list `test` do what their clips' names say, `samples` of each, in turn; what comes out is held
/// against all their clips by AnyTop's measures (`metrics/motion_windows.h`), by how lively, rough and fast it is, and
/// by whether the nearest clip does what was asked for.
void add_coverage_rows(const animate::Models& models, const std::filesystem::path& split, int samples,
                       const animate::Request& draft, Report& report);

/// Whether nothing of the list `test` is in the list `train`: by the bytes of files, by surfaces, and by the curves of
/// clips, mirrored and retimed ones included. `characters`: what `train bake` wrote; repeated clips must not be in it.
/// May be empty.
void add_held_out_rows(const std::filesystem::path& split, const std::filesystem::path& characters, Report& report);

}  // namespace limber::bench
