// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/memory_reserve.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace limber {
namespace {

std::atomic<void*> g_reserve{nullptr};

/// `operator new` tries again when this returns.
void spend_reserve() {
  void* reserve = g_reserve.exchange(nullptr);
  if (reserve == nullptr) throw std::bad_alloc();
  std::free(reserve);
}

}  // namespace

void keep_memory_reserve(std::size_t bytes) noexcept {
  std::set_new_handler(&spend_reserve);
  if (g_reserve != nullptr) return;
  void* expected = nullptr;
  void* reserve = std::malloc(bytes);
  if (!g_reserve.compare_exchange_strong(expected, reserve)) std::free(reserve);
}

}  // namespace limber
