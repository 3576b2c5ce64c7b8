// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

/// What happens, told to everybody who listens. Safe from any thread.
namespace limber::studio {

class Events {
 public:
  /// One who listens: a queue that is given up when it is full, as its reader then missed something.
  class Listener {
   public:
    /// What happened, in the form of server-sent events; a comment where nothing did for a second. Nothing: it is over.
    std::optional<std::string> next();

   private:
    friend class Events;
    void push(const std::string& text);
    void close();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::string> waiting_;
    bool closed_ = false;
  };

  /// No more than so many at a time: null then. Forgotten when the caller drops it.
  std::shared_ptr<Listener> listen(std::size_t most);
  /// `data` is one line of JSON.
  void tell(const std::string& event, const std::string& data) noexcept;
  /// What happened could not be told: those who listen are cut off, since who listens anew asks how things are.
  void lose() noexcept;
  /// Ends all streams, also those to come.
  void close();

 private:
  void cut_off();

  std::mutex mutex_;
  std::vector<std::weak_ptr<Listener>> listeners_;
  bool closed_ = false;
};

}  // namespace limber::studio
