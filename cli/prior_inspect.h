// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/result.h"
#include "limber/prior/checkpoint.h"
#include "terminal.h"

namespace limber::cli {

/// Prints what a checkpoint is, holds, lacks and needs.
Status inspect_checkpoint(const Terminal& terminal, const prior::Checkpoint& checkpoint);

}  // namespace limber::cli
