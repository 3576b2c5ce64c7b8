// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// Memory that is put aside for the moment when there is no other: for a program that serves many, of whom one may ask
/// for too much. Not all code can say that memory has ended, destructors of JSON say; a few kilobytes let it go on.
namespace limber {

/// From now on; called again, it puts aside anew what was spent meanwhile, if that can be had. Where it is spent, the
/// new-handler is asked that was there before. From any thread.
void keep_memory_reserve(std::size_t bytes) noexcept;

}  // namespace limber
