// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "terminal.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <system_error>

#include "command.h"
#include "limber/base/quote.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongest = 20'000;  // of an event's text: the lines of a manifest that are wrong, say

/// In one call: threads' lines do not mix.
void print_event(const Json& event) {
  const std::string line = event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void announce_file(const Terminal& terminal, const std::string& path, const std::string& label) {
  if (terminal.events) print_event({{"event", "result"}, {"path", path}, {"label", label}});
  if (!terminal.events && !terminal.json) spdlog::info("wrote {}", path);
}

void print_error_event(const Error& error, std::string_view kind) {
  print_event({{"event", "error"},
               {"what", shortened(error.what, kLongest)},
               {"where", shortened(error.where, kLongest)},
               {"kind", kind}});
}

void print_message_event(std::string_view event, std::string_view message) {
  print_event({{"event", event}, {"message", shortened(message, kLongest)}});
}

Activity::Activity(const Terminal& terminal, std::string what)
    : what_(printable(what)), interactive_(::isatty(STDERR_FILENO) != 0 && !terminal.events) {
  if (terminal.quiet) return;
  try {
    thread_ = std::thread([this, events = terminal.events] {
      try {
        events ? run_events() : run();
      } catch (const std::exception&) {  // no memory for a line, or nobody who reads it: the work goes on without
      }
    });
  } catch (const std::system_error&) {  // no thread either
  }
}

Activity::~Activity() {
  {
    std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  // Leave a terminal as if the bar had never been there.
  if (shown_ && interactive_) std::fputs("\r\033[K", stderr);
}

void Activity::say(std::string what) {
  std::lock_guard lock(mutex_);
  what_ = printable(what);
}

void Activity::run() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(shown_ ? 200 : 1000), [this] { return done_; })) {
    show(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}

void Activity::run_events() {
  std::string said;
  double told = -2;
  std::unique_lock lock(mutex_);
  do {
    const double fraction = fraction_;
    if (said == what_ && std::abs(fraction - told) < 1e-3) continue;
    said = what_, told = fraction;
    print_event({{"event", "progress"}, {"stage", said}, {"fraction", fraction < 0 ? Json() : Json(fraction)}});
  } while (!wake_.wait_for(lock, std::chrono::milliseconds(100), [this] { return done_; }));
}

void Activity::show(double seconds) {
  shown_ = true;
  const double fraction = fraction_;
  if (interactive_) {
    if (fraction < 0) {
      fmt::print(stderr, "\r\033[K{} ... {:.0f} s", what_, seconds);
    } else {
      const int filled = static_cast<int>(fraction * 30 + 0.5);
      fmt::print(stderr, "\r\033[K{} [{:=<{}}{: <{}}] {:3.0f} % {:.0f} s", what_, "", filled, "", 30 - filled,
                 fraction * 100, seconds);
    }
    std::fflush(stderr);
    return;
  }
  // A log file wants few lines: one per tenth, or one every ten seconds where no fraction is known.
  const int tenth = static_cast<int>(fraction * 10);
  if (fraction >= 0 ? tenth > last_tenth_ : last_line_ == 0 || seconds - last_line_ >= 10) {
    last_tenth_ = tenth, last_line_ = seconds;
    if (fraction < 0) {
      fmt::print(stderr, "{} ... {:.0f} s\n", what_, seconds);
    } else {
      fmt::print(stderr, "{} {:.0f} %\n", what_, fraction * 100);
    }
  }
}

}  // namespace limber::cli
