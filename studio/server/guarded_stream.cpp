// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/guarded_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace limber::studio {
namespace {

constexpr long long kTick = 50;  // milliseconds between looks at `stop` and at who waits

}  // namespace

GuardedStream::GuardedStream(socket_t socket, const StreamLimits& limits, const std::atomic<bool>& stop,
                             const std::atomic<int>& waiting)
    : socket_(socket), limits_(limits), stop_(stop), waiting_(waiting) {}

bool GuardedStream::crowded_out() const {
  return (in_head_ || lingers_) && waiting_ > 0 &&
         Clock::now() - began_ > std::chrono::milliseconds(limits_.crowded_milliseconds);
}

bool GuardedStream::wait(short events, int seconds) const {
  pollfd file{socket_, events, 0};
  const auto until = Clock::now() + std::chrono::seconds(seconds);
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    const int ready = ::poll(&file, 1, static_cast<int>(std::clamp<long long>(left, 0, kTick)));
    // Before its bytes are looked at: who sends one now and then makes room, too. An answer may still be written.
    if (events == POLLIN && crowded_out()) return false;
    if (ready > 0) return true;
    if (left <= 0 || stop_ || crowded_out() || (ready < 0 && errno != EINTR)) return false;
  }
}

bool GuardedStream::is_readable() const { return begin_ < end_ || wait(POLLIN, 0); }

bool GuardedStream::is_writable() const {
  if (!wait(POLLOUT, limits_.quiet_seconds)) return false;
  // A client that has gone is told by what can be read: the end.
  char byte;
  const ssize_t count = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

bool GuardedStream::fill() {
  const auto seconds = in_head_ ? limits_.head_seconds : limits_.body_seconds;
  const auto left =
      std::chrono::duration_cast<std::chrono::seconds>(began_ + std::chrono::seconds(seconds) - Clock::now());
  if (left.count() < 0 || !wait(POLLIN, std::min(limits_.quiet_seconds, static_cast<int>(left.count()) + 1)))
    return false;
  const ssize_t count = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
  if (count <= 0) return false;
  begin_ = 0, end_ = static_cast<std::size_t>(count);
  return true;
}

void GuardedStream::look_for_end_of_head(char c) {
  ++line_;
  if (c == '\n') {
    if (line_ == 2 && last_ == '\r') in_head_ = false, began_ = Clock::now();
    line_ = 0;
  }
  last_ = c;
}

ssize_t GuardedStream::read(char* bytes, size_t size) {
  if (begin_ == end_ && !fill()) return -1;
  const std::size_t count = std::min(size, end_ - begin_);
  std::memcpy(bytes, buffer_.data() + begin_, count);
  begin_ += count;
  // httplib reads the head byte by byte, so that none of the body is taken for it.
  for (std::size_t i = 0; i < count; ++i) {
    if (!in_head_) {
      body_bytes_ += count - i;
      break;
    }
    ++head_bytes_;
    look_for_end_of_head(bytes[i]);
  }
  if (head_bytes_ > limits_.head_bytes || body_bytes_ > limits_.body_bytes) return -1;
  return static_cast<ssize_t>(count);
}

ssize_t GuardedStream::write(const char* bytes, size_t size) {
  if (!wait(POLLOUT, limits_.quiet_seconds)) return -1;
  return ::send(socket_, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void GuardedStream::linger() {
  ::shutdown(socket_, SHUT_WR);
  constexpr std::uint64_t kMost = std::uint64_t{8} << 20;
  std::uint64_t taken = 0;
  lingers_ = true, began_ = Clock::now();
  const auto until = began_ + std::chrono::seconds(2);
  while (taken < kMost && Clock::now() < until && wait(POLLIN, 1)) {
    const ssize_t count = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (count <= 0) return;
    taken += static_cast<std::uint64_t>(count);
  }
}

}  // namespace limber::studio
