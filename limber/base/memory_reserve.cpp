// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/memory_reserve.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace limber {
namespace {

std::atomic<void*> g_reserve{nullptr};
std::atomic<std::new_handler> g_before{nullptr};  // the program's own, for when the reserve is spent

/// `operator new` tries again when this returns.
void spend_reserve() {
  if (void* reserve = g_reserve.exchange(nullptr)) {
    std::free(reserve);
  } else if (const std::new_handler before = g_before) {
    before();
  } else {
    throw std::bad_alloc();
  }
}

}  // namespace

void keep_memory_reserve(std::size_t bytes) noexcept {
  // In this order: there is no moment when the one before is not asked.
  if (const std::new_handler now = std::get_new_handler(); now != &spend_reserve) {
    g_before = now;
    std::set_new_handler(&spend_reserve);
  }
  if (g_reserve != nullptr) return;
  void* expected = nullptr;
  void* reserve = std::malloc(bytes);
  if (!g_reserve.compare_exchange_strong(expected, reserve)) std::free(reserve);
}

}  // namespace limber
