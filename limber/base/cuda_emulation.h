// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cmath>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

/// CUDA's words for a C++ compiler, so that kernels can be tested on machines without a GPU: a block's threads are
/// fibers that take turns, one block after the other, and meet where the kernel says so. Slow, exact in what it orders
/// and sums, and no test of races: threads only change places where they meet. Every thread of the host has a machine
/// of its own. Read by cuda_queue.cuh alone.

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static thread_local

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3(unsigned width = 1, unsigned height = 1, unsigned depth = 1) : x(width), y(height), z(depth) {}
};
struct alignas(16) float4 {
  float x, y, z, w;
};

namespace limber::emulation {

inline constexpr unsigned kWarp = 32, kMaxThreads = 1024;

/// Where all threads of a warp or block must arrive before any goes on.
struct Meeting {
  unsigned arrived = 0, members = 0;
  std::uint64_t generation = 0;
  std::uint64_t words[2][kMaxThreads];  ///< what each brought, of this meeting and the last

  void release_if_complete() {
    if (arrived == members && arrived > 0) arrived = 0, ++generation;
  }
};

/// A thread of a block. It is made once and then runs one thread after the other; contexts are changed by jumps, which
/// unlike swapcontext do not ask the kernel.
struct Fiber {
  static constexpr std::size_t kStack = 128 << 10;
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(kStack);
  ucontext_t start;
  std::jmp_buf place;
  bool started = false, done = true;
};

struct Machine {
  dim3 thread, block, threads, blocks;
  Meeting whole, warps[kMaxThreads / kWarp];
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::jmp_buf scheduler;
  void (*body)(void*) = nullptr;
  void* data = nullptr;

  static Machine& get() {
    static thread_local const std::unique_ptr<Machine> machine = std::make_unique<Machine>();
    return *machine;
  }
  Meeting& warp() { return warps[thread.x / kWarp]; }

  /// Brings a word to a meeting; returns everybody's.
  const std::uint64_t* meet(Meeting& meeting, unsigned place, std::uint64_t word) {
    const std::uint64_t generation = meeting.generation;
    std::uint64_t* words = meeting.words[generation % 2];
    words[place] = word;
    ++meeting.arrived;
    meeting.release_if_complete();
    while (meeting.generation == generation) pause();
    return words;
  }

  /// Back to the scheduler, until it is this fiber's turn again.
  [[gnu::noinline]] void pause() {
    if (_setjmp(fibers[thread.x]->place) == 0) _longjmp(scheduler, 1);
  }
  [[gnu::noinline]] void resume(Fiber& fiber) {
    if (_setjmp(scheduler) != 0) return;
    if (fiber.started) _longjmp(fiber.place, 1);
    fiber.started = true;
    getcontext(&fiber.start);
    fiber.start.uc_stack.ss_sp = fiber.stack.get();
    fiber.start.uc_stack.ss_size = Fiber::kStack;
    makecontext(&fiber.start, &Machine::run_fiber, 0);
    setcontext(&fiber.start);
  }
  static void run_fiber() {
    for (Machine& machine = get();;) {
      machine.body(machine.data);
      machine.fibers[machine.thread.x]->done = true;
      for (Meeting* meeting : {&machine.whole, &machine.warp()}) --meeting->members, meeting->release_if_complete();
      machine.pause();
    }
  }

  void run_block(unsigned count) {
    whole.members = count, whole.arrived = 0;
    for (unsigned w = 0; w * kWarp < count; ++w) {
      warps[w].members = count - w * kWarp < kWarp ? count - w * kWarp : kWarp;
      warps[w].arrived = 0;
    }
    while (fibers.size() < count) fibers.push_back(std::make_unique<Fiber>());
    for (unsigned t = 0; t < count; ++t) fibers[t]->done = false;
    for (unsigned left = count; left > 0;) {
      left = 0;
      for (unsigned t = 0; t < count; ++t) {
        if (fibers[t]->done) continue;
        thread = dim3(t);
        resume(*fibers[t]);
        left += !fibers[t]->done;
      }
    }
  }

  template <class Body>
  void run(dim3 grid, unsigned count, Body& call) {
    body = [](void* p) { (*static_cast<Body*>(p))(); };
    data = &call;
    threads = dim3(count), blocks = grid;
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        block = dim3(x, y);
        run_block(count);
      }
    }
  }
};

template <class T>
T from_word(std::uint64_t word) {
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}
template <class T>
std::uint64_t to_word(T value) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}

}  // namespace limber::emulation

#define threadIdx (limber::emulation::Machine::get().thread)
#define blockIdx (limber::emulation::Machine::get().block)
#define blockDim (limber::emulation::Machine::get().threads)
#define gridDim (limber::emulation::Machine::get().blocks)

inline void __syncthreads() {
  auto& m = limber::emulation::Machine::get();
  m.meet(m.whole, threadIdx.x, 0);
}
inline int __syncthreads_and(int predicate) {
  auto& m = limber::emulation::Machine::get();
  const unsigned count = blockDim.x;
  const std::uint64_t* words = m.meet(m.whole, threadIdx.x, predicate != 0);
  for (unsigned i = 0; i < count; ++i) {
    if (words[i] == 0) return 0;
  }
  return 1;
}
inline int __syncthreads_count(int predicate) {
  auto& m = limber::emulation::Machine::get();
  const unsigned count = blockDim.x;
  const std::uint64_t* words = m.meet(m.whole, threadIdx.x, predicate != 0);
  int sum = 0;
  for (unsigned i = 0; i < count; ++i) sum += words[i] != 0;
  return sum;
}
inline void __syncwarp() {
  auto& m = limber::emulation::Machine::get();
  m.meet(m.warp(), threadIdx.x % 32, 0);
}
inline unsigned __ballot_sync(unsigned, int predicate) {
  auto& m = limber::emulation::Machine::get();
  const std::uint64_t* words = m.meet(m.warp(), threadIdx.x % 32, predicate != 0);
  unsigned mask = 0;
  for (unsigned i = 0; i < 32; ++i) mask |= words[i] != 0 ? 1u << i : 0u;
  return mask;
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int lanes) {
  auto& m = limber::emulation::Machine::get();
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t* words = m.meet(m.warp(), lane, limber::emulation::to_word(value));
  return limber::emulation::from_word<T>(words[lane ^ static_cast<unsigned>(lanes)]);
}
template <class T>
T __shfl_up_sync(unsigned, T value, unsigned lanes) {
  auto& m = limber::emulation::Machine::get();
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t* words = m.meet(m.warp(), lane, limber::emulation::to_word(value));
  return limber::emulation::from_word<T>(words[lane < lanes ? lane : lane - lanes]);
}
inline unsigned long long atomicAdd(unsigned long long* to, unsigned long long value) {
  const unsigned long long before = *to;
  *to += value;
  return before;
}
inline unsigned long long atomicMax(unsigned long long* to, unsigned long long value) {
  const unsigned long long before = *to;
  if (value > before) *to = value;
  return before;
}
inline int __popc(unsigned mask) { return __builtin_popcount(mask); }
inline float __fdividef(float a, float b) { return a / b; }
