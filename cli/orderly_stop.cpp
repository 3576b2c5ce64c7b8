// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "orderly_stop.h"

#include <cstdio>

namespace limber::cli {
namespace {

std::atomic<int> g_asked{0};
extern "C" void on_orderly_stop(int signal) { g_asked = signal; }

}  // namespace

OrderlyStop::OrderlyStop() {
  struct sigaction action {};
  action.sa_handler = on_orderly_stop;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t k = 0; k < signals_.size(); ++k) ::sigaction(signals_[k], &action, &before_[k]);
}

OrderlyStop::~OrderlyStop() {
  for (std::size_t k = 0; k < signals_.size(); ++k) ::sigaction(signals_[k], &before_[k], nullptr);
  if (g_asked == 0) return;
  std::fflush(nullptr);  // the program leaves at once
  ::raise(g_asked);
}

const std::atomic<int>& OrderlyStop::asked() { return g_asked; }

}  // namespace limber::cli
