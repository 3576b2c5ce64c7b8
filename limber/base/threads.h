// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace limber {

/// How many threads `parallel_for` uses, the caller's included. Starts as the number of cores.
int thread_count();

/// Sets it, >= 1; 0 means the number of cores. Not while a `parallel_for` is running.
void set_thread_count(int count);

/// Calls `body(begin, end)` for [0, count) cut into pieces of `grain` indices (the last may be shorter), on all
/// threads, and returns when all are done. The pieces depend on `grain` alone, so a sum kept per piece and added up in
/// order is the same for any thread count. Nested calls run on the calling thread. The first exception is rethrown.
void parallel_for(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body);

/// The calling thread's number, 0 .. thread_count()-1, inside a `parallel_for`; 0 outside. For per-thread scratch.
int thread_index();

}  // namespace limber
