// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// A bound of the kernel's for all that a program holds, whatever for: what is computed from a file as well as what is
/// read of it (memory_budget.h). Beyond it, memory has ended for this program, and for no other.
namespace limber {

/// What a program may hold whose files may take `budget` bytes: four times as much, and 1 GB.
std::uint64_t process_memory_of(std::uint64_t budget);

/// From now on, unless less was allowed already. Programs that are started afterwards inherit it.
void cap_process_memory(std::uint64_t bytes);

/// As it was before, for a program that this process becomes or a child that becomes another. Only system calls.
void uncap_process_memory() noexcept;

/// What was freed goes back to the system, from the heaps of all threads. For programs that run for days: a heap keeps
/// what it once had. Takes milliseconds, and other threads wait for their heaps meanwhile.
void give_memory_back() noexcept;

}  // namespace limber
