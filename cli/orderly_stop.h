// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <atomic>
#include <vector>

#include "stop_signals.h"

namespace limber::cli {

/// While one lives, signals that ask the program to end (`stop_signals`) are noted and end nothing: whoever runs other
/// programs looks at `asked`, ends those and tidies up. Then the program ends as it does elsewhere. One at a time.
class OrderlyStop {
 public:
  OrderlyStop();
  ~OrderlyStop();
  OrderlyStop(const OrderlyStop&) = delete;
  OrderlyStop& operator=(const OrderlyStop&) = delete;

  /// The signal that came, or 0.
  static const std::atomic<int>& asked();

 private:
  std::vector<int> signals_ = stop_signals();
  std::vector<struct sigaction> before_ = std::vector<struct sigaction>(signals_.size());
};

}  // namespace limber::cli
