// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <vector>

namespace limber::cli {

/// What asks a program to end: Ctrl-C, `kill`, and its terminal when that is closed, unless `nohup` said not to listen.
inline std::vector<int> stop_signals() {
  struct sigaction hangup {};
  ::sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler == SIG_IGN) return {SIGINT, SIGTERM};
  return {SIGINT, SIGTERM, SIGHUP};
}

}  // namespace limber::cli
