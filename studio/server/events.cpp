// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/events.h"

#include <algorithm>
#include <chrono>
#include <new>

namespace limber::studio {
namespace {

constexpr std::size_t kMostWaiting = 2000;

}  // namespace

std::optional<std::string> Events::Listener::next() {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, std::chrono::seconds(1), [this] { return closed_ || !waiting_.empty(); });
  if (closed_) return std::nullopt;
  if (waiting_.empty()) return ":\n\n";
  std::string text;
  while (!waiting_.empty() && text.size() < 65536) {
    text += waiting_.front();
    waiting_.pop_front();
  }
  return text;
}

void Events::Listener::push(const std::string& text) {
  {
    std::lock_guard lock(mutex_);
    waiting_.push_back(text);
    if (waiting_.size() > kMostWaiting) closed_ = true;
  }
  wake_.notify_all();
}

void Events::Listener::close() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }
  wake_.notify_all();
}

std::shared_ptr<Events::Listener> Events::listen(std::size_t most) {
  std::lock_guard lock(mutex_);
  const auto gone = [](const std::weak_ptr<Listener>& listener) { return listener.expired(); };
  listeners_.erase(std::remove_if(listeners_.begin(), listeners_.end(), gone), listeners_.end());
  if (closed_ || listeners_.size() >= most) return nullptr;
  auto listener = std::make_shared<Listener>();
  listeners_.push_back(listener);
  return listener;
}

void Events::tell(const std::string& event, const std::string& data) noexcept {
  std::lock_guard lock(mutex_);
  try {
    const std::string text = "event: " + event + "\ndata: " + data + "\n\n";
    for (const std::weak_ptr<Listener>& weak : listeners_) {
      if (const auto listener = weak.lock()) listener->push(text);
    }
  } catch (const std::bad_alloc&) {
    cut_off();
  }
}

void Events::lose() noexcept {
  std::lock_guard lock(mutex_);
  cut_off();
}

void Events::cut_off() {
  for (const std::weak_ptr<Listener>& weak : listeners_) {
    if (const auto listener = weak.lock()) listener->close();
  }
}

void Events::close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  cut_off();
}

}  // namespace limber::studio
