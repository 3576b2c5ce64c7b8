// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/threads.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "limber/base/expect.h"

namespace limber {
namespace {

thread_local int t_index = 0;
thread_local bool t_inside = false;
// Set in a forked child, where the workers do not exist: loops run in place there.
std::atomic<bool> g_forked{false};

/// How often a thread looks for what it waits for before it sleeps: some twenty microseconds, as loops that follow each
/// other closely are quicker than waking a thread.
constexpr int kLooks = 1000;

template <class Come>
void look_for(const Come& come) {
  for (int i = 0; i < kLooks && !come(); ++i) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

/// Workers that sleep until a loop is posted. One loop runs at a time; later callers wait their turn.
class Pool {
 public:
  ~Pool() { stop(); }

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  void resize(int threads) {
    stop();
    quit_ = false;
    // A new worker has seen every loop so far: it must not mistake an old number for a new loop.
    try {
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i, seen = loop_number_.load()] { work(i, seen); });
    } catch (const std::system_error&) {  // the system has no more: as many as there are do the same work
    }
  }

  void run(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
    std::lock_guard turn(turn_);
    {
      std::lock_guard lock(mutex_);
      count_ = count, grain_ = grain, body_ = &body, error_ = nullptr;
      next_.store(0);
      busy_ = static_cast<int>(workers_.size());
      ++loop_number_;
    }
    wake_.notify_all();
    take_pieces(0);
    look_for([this] { return busy_ == 0; });
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void stop() {
    {
      std::lock_guard lock(mutex_);
      quit_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

  void work(int index, std::size_t seen) {
    while (true) {
      look_for([&] { return quit_ || loop_number_ != seen; });
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return quit_ || loop_number_ != seen; });
      if (quit_) return;
      seen = loop_number_;
      lock.unlock();
      take_pieces(index);
      lock.lock();
      if (--busy_ == 0) done_.notify_all();
    }
  }

  void take_pieces(int index) {
    t_index = index, t_inside = true;
    try {
      while (true) {
        const std::size_t begin = next_.fetch_add(grain_);
        if (begin >= count_) break;
        (*body_)(begin, std::min(begin + grain_, count_));
      }
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      next_.store(count_);  // nobody needs to start another piece
    }
    t_index = 0, t_inside = false;
  }

  std::vector<std::thread> workers_;
  std::mutex turn_, mutex_;
  std::condition_variable wake_, done_;
  // Changed under the mutex alone, but looked at without.
  std::atomic<std::size_t> loop_number_{0};
  std::atomic<int> busy_{0};
  std::atomic<bool> quit_{false};

  // The loop being run.
  std::size_t count_ = 0, grain_ = 1;
  const std::function<void(std::size_t, std::size_t)>* body_ = nullptr;
  std::atomic<std::size_t> next_{0};
  std::exception_ptr error_;
};

Pool& pool() {
  static Pool instance;
  static std::once_flag once;
  std::call_once(once, [] {
    instance.resize(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
    ::pthread_atfork(nullptr, nullptr, [] { g_forked = true; });
  });
  return instance;
}

}  // namespace

int thread_count() { return pool().size(); }

void set_thread_count(int count) {
  LIMBER_EXPECT(count >= 0, "thread count " + std::to_string(count));
  LIMBER_EXPECT(!t_inside, "set_thread_count inside parallel_for");
  if (count == 0) count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (count != pool().size()) pool().resize(count);
}

void parallel_for(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
  LIMBER_EXPECT(grain > 0, "grain 0");
  if (t_inside || g_forked || count <= grain || pool().size() == 1) {
    for (std::size_t begin = 0; begin < count; begin += grain) body(begin, std::min(begin + grain, count));
    return;
  }
  pool().run(count, grain, body);
}

int thread_index() { return t_index; }

}  // namespace limber
