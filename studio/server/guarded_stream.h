// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

/// Private to the server: uses httplib.
namespace limber::studio {

struct StreamLimits {
  std::uint64_t head_bytes = 65536;  ///< of the request's line and headers
  std::uint64_t body_bytes = 0;
  int head_seconds = 3, body_seconds = 900;  ///< for all of it: on this machine a head comes at once
  int quiet_seconds = 10;                    ///< without a byte, either way
  int crowded_milliseconds = 100;            ///< for a head, and for a farewell, while others wait for a thread
};

/// A connection for one request. httplib bounds neither the number of headers nor the time that a request may take,
/// and of a body without a length not its size: here reading fails beyond the limits.
class GuardedStream final : public httplib::Stream {
 public:
  /// When `stop` becomes true, whoever waits for the client waits no longer. `waiting` counts the connections that have
  /// no thread yet: one that asks for nothing makes room for them.
  GuardedStream(socket_t socket, const StreamLimits& limits, const std::atomic<bool>& stop,
                const std::atomic<int>& waiting);

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* bytes, size_t size) override;
  ssize_t write(const char* bytes, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip = "127.0.0.1", port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip = "127.0.0.1", port = 0; }
  socket_t socket() const override { return socket_; }

  /// Says that nothing more comes, and takes what the client still sends for a moment: a connection that is closed
  /// with bytes unread is reset, and the answer lost.
  void linger();

 private:
  using Clock = std::chrono::steady_clock;
  bool wait(short events, int seconds) const;
  bool crowded_out() const;
  bool fill();
  void look_for_end_of_head(char c);

  socket_t socket_;
  StreamLimits limits_;
  const std::atomic<bool>& stop_;
  const std::atomic<int>& waiting_;
  Clock::time_point began_ = Clock::now();
  bool in_head_ = true, lingers_ = false;
  std::uint64_t head_bytes_ = 0, body_bytes_ = 0;
  std::size_t line_ = 0;  // bytes of the head's line that is being read
  char last_ = 0;
  std::array<char, 16384> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace limber::studio
