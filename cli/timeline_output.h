// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/base/gpu_timeline.h"
#include "limber/base/result.h"
#include "terminal.h"

namespace limber::cli {

/// Ends the program's GpuTimeline and writes what it saw; prints a line per stage where a person reads.
Status write_timeline(const Terminal& terminal, const std::string& path);

}  // namespace limber::cli
