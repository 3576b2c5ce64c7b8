// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "limber/base/result.h"

namespace limber::cli {

/// What the common options say about talking to the person at the terminal.
struct Terminal {
  bool quiet = false;
  bool json = false;
  bool events = false;  ///< `--progress json`: what happens is told to a program, one JSON object a line on stderr
};

/// Tells a person, or a program, that a file is there now. `label` says what it shows.
void announce_file(const Terminal& terminal, const std::string& path, const std::string& label = "");

/// Lines of `--progress json`: {"event": "error", "what", "where", "kind"} ...
void print_error_event(const Error& error, std::string_view kind);
/// ... and {"event": "warning", "message"}; `event` may also be "note".
void print_message_event(std::string_view event, std::string_view message);

/// Shows on stderr that something is going on, once it has taken more than a second: a bar that redraws itself on a
/// terminal, plain lines elsewhere, nothing when quiet. Ends with the scope. Programs are told at once, and whenever
/// there is news.
class Activity {
 public:
  Activity(const Terminal& terminal, std::string what);
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  /// How much is done, 0 to 1. From any thread.
  void update(double fraction) { fraction_ = fraction; }
  /// What is going on now, instead of what the constructor said. From any thread.
  void say(std::string what);

 private:
  void run();
  void run_events();
  void show(double seconds);

  std::string what_;
  const bool interactive_;
  std::atomic<double> fraction_{-1};
  bool shown_ = false;
  int last_tenth_ = -1;
  double last_line_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace limber::cli
