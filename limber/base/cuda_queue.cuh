// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "limber/base/gpu_timeline.h"
#include "limber/base/result.h"

#if defined(__CUDACC__)
#include <cuda_runtime.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#else
#include "limber/base/cuda_emulation.h"
#endif

/// Work for one GPU in order, and memory there. For .cu files; a C++ compiler that reads them gets the emulation.
///
/// The first failure is kept and whatever follows does nothing, so callers ask once, at the end.
namespace limber {

/// One step of a queue, for timelines.
struct QueueStep {
  std::string name;
  double milliseconds = 0;
};

class CudaQueue {
 public:
  CudaQueue() = default;
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;
  ~CudaQueue() { close(); }

  /// Finds the GPU: the one that is current. Work goes there from then on, whoever makes another one current.
  Status open();
  /// What went wrong first, after everything that was asked for is done.
  Status finish();
  /// The same without waiting: failures may still come.
  Status status() const { return failed_ ? Status(error_) : Status(Done{}); }
  bool ok() const { return !failed_; }
  void fail(Error error) {
    if (!failed_) error_ = std::move(error), failed_ = true;
  }

  /// Bytes that arrays on this queue may hold together.
  void set_limit(std::size_t bytes) { limit_ = bytes; }
  std::size_t bytes() const { return held_; }
  /// Other queues may use memory once they have waited for this one.
  void* allocate(std::size_t bytes, const char* what);
  void release(void* memory, std::size_t bytes);
  /// Memory of the host that copies go through at full speed.
  void* allocate_host(std::size_t bytes, const char* what);
  static void release_host(void* memory);

  /// Runs `kernel` in `grid` blocks of `threads`.
  template <class... P, class... A>
  void launch(const char* name, dim3 grid, unsigned threads, void (*kernel)(P...), const A&... arguments) {
    if (grid.x == 0 || grid.y == 0 || !enter()) return;
    begin_kernel();
#if defined(__CUDACC__)
    kernel<<<grid, threads, 0, stream_>>>(arguments...);
    check(cudaGetLastError(), name);
#else
    auto call = [&] { kernel(arguments...); };
    emulation::Machine::get().run(grid, threads, call);
#endif
    end_kernel();
    mark(name);
  }
  /// One thread for each of `count`.
  template <class... P, class... A>
  void launch_each(const char* name, std::size_t count, void (*kernel)(P...), const A&... arguments) {
    launch(name, dim3(static_cast<unsigned>((count + kThreads - 1) / kThreads)), kThreads, kernel, arguments...);
  }
  static constexpr unsigned kThreads = 256;

  /// `from` may change afterwards, unless it is more than 1 MB of a HostArray: then not before the next wait.
  void upload(void* to, const void* from, std::size_t bytes);
  /// Waits until it is there.
  void download(void* to, const void* from, std::size_t bytes);
  /// Sends for a number; `wait_number` waits for it, but not for what was asked for since. Zero where something failed.
  void send_number(const std::uint64_t* from);
  std::uint64_t wait_number();
  /// The same for several numbers, in one of two places: they may be on their way at the same time.
  static constexpr std::size_t kSent = 8;
  void send_numbers(int place, const std::uint64_t* from);
  std::array<std::uint64_t, kSent> wait_numbers(int place);
  /// What comes from here on begins when all that `other` was asked for so far is done. Nobody waits here.
  void wait_for(CudaQueue& other);
  void clear(void* memory, std::size_t bytes);
  /// From there to there.
  void copy(void* to, const void* from, std::size_t bytes);

  /// Stable, by the lowest `bits` of the keys. Sorted is what `first` points to afterwards; `second` is as large.
  template <class K, class V>
  void sort_pairs(std::pair<K*, K*>& keys, std::pair<V*, V*>& values, std::size_t count, int bits);
  /// to[i] = from[0] + ... + from[i - 1]
  void exclusive_sum(const std::uint32_t* from, std::uint64_t* to, std::size_t count);

  /// From here on every step is timed; empty in the emulation.
  void start_timeline();
  std::vector<QueueStep> take_timeline();

 private:
  /// Whether there is still anything to do. Makes the queue's GPU the current one: threads, and LibTorch, have theirs.
  bool enter();
  void mark(const char* name);
  /// Around kernels, for GpuTimeline.
  void begin_kernel();
  void end_kernel();
  void close();
  void* temporary(std::size_t bytes);
#if defined(__CUDACC__)
  void check(cudaError_t code, const char* what) {
    if (code == cudaSuccess) return;
    fail({std::string("the GPU failed at ") + what + ": " + cudaGetErrorString(code), "", ErrorKind::kDevice});
  }
  /// Small things go by memory that the GPU reads and writes itself. Null where there is no room before the next wait.
  char* stage(std::size_t bytes);
  static constexpr std::size_t kStaged = 4 << 20, kStagedAtOnce = 1 << 20;

  /// Kernels that follow each other, between two events.
  struct KernelRun {
    cudaEvent_t begin = nullptr, end = nullptr;
  };
  void open_pool();
  KernelRun new_run();
  /// Copies come between: what follows is another run.
  void end_run() { running_ = false; }
  /// Hands runs to the timeline. Everything is done.
  void report_runs();

  int device_ = -1;      ///< none before `open`
  bool pooled_ = false;  ///< memory comes and goes in the queue's order
  cudaStream_t stream_ = nullptr;
  char* staging_ = nullptr;
  std::size_t staged_ = 0;           ///< bytes of it that may still be read
  std::uint64_t* number_ = nullptr;  ///< here: one, and two places of several
  cudaEvent_t number_there_ = nullptr, numbers_there_[2] = {}, reached_ = nullptr;
  std::vector<std::pair<const char*, cudaEvent_t>> events_;
  bool timed_ = false;
  std::vector<KernelRun> runs_, spare_runs_;
  bool running_ = false;  ///< the last of them may go on
  cudaEvent_t base_ = nullptr;
  double base_time_ = 0;  ///< of the timeline, when `base_` was
#else
  std::uint64_t number_ = 0;
  std::array<std::uint64_t, kSent> numbers_[2] = {};
  double kernel_began_ = 0;
#endif
  bool failed_ = false;
  Error error_;
  std::size_t held_ = 0, limit_ = std::numeric_limits<std::size_t>::max();
  void* temporary_ = nullptr;
  std::size_t temporary_bytes_ = 0;
};

// --- memory -------------------------------------------------------------------

namespace detail {
inline std::string megabytes(std::size_t bytes) { return std::to_string((bytes + 999999) / 1000000) + " MB"; }
}  // namespace detail

inline void* CudaQueue::allocate(std::size_t bytes, const char* what) {
  if (bytes == 0 || !enter()) return nullptr;
  std::size_t free = limit_ > held_ ? limit_ - held_ : 0, total = limit_;
  void* memory = nullptr;
#if defined(__CUDACC__)
  if (bytes <= free &&
      (pooled_ ? cudaMallocAsync(&memory, bytes, stream_) : cudaMalloc(&memory, bytes)) != cudaSuccess) {
    memory = nullptr;
    cudaGetLastError();  // it is not that of the next call
    cudaMemGetInfo(&free, &total);
  }
#else
  if (bytes <= free) memory = ::operator new (bytes, std::align_val_t{64});
#endif
  if (memory == nullptr) {
    fail({std::string("no GPU memory for ") + what + ": " + detail::megabytes(bytes) + " wanted, " +
              detail::megabytes(free) + " of " + detail::megabytes(total) + " free, " + detail::megabytes(held_) +
              " held already",
          "", ErrorKind::kOutOfMemory});
    return nullptr;
  }
  held_ += bytes;
  return memory;
}

inline void CudaQueue::release(void* memory, std::size_t bytes) {
#if defined(__CUDACC__)
  enter();
  if (pooled_ && stream_) {
    cudaFreeAsync(memory, stream_);
  } else {
    cudaFree(memory);
  }
#else
  ::operator delete (memory, std::align_val_t{64});
#endif
  held_ -= bytes;
}

inline void* CudaQueue::allocate_host(std::size_t bytes, const char* what) {
  if (bytes == 0 || !enter()) return nullptr;
  void* memory = nullptr;
#if defined(__CUDACC__)
  if (cudaMallocHost(&memory, bytes) != cudaSuccess) {
    memory = nullptr;
    cudaGetLastError();  // it is not that of the next call
    fail({std::string("no memory that a GPU can copy from for ") + what + ": " + detail::megabytes(bytes) + " wanted",
          "", ErrorKind::kOutOfMemory});
  }
#else
  (void)what;
  memory = ::operator new (bytes, std::align_val_t{64});
#endif
  return memory;
}

inline void CudaQueue::release_host(void* memory) {
#if defined(__CUDACC__)
  cudaFreeHost(memory);
#else
  ::operator delete (memory, std::align_val_t{64});
#endif
}

inline void* CudaQueue::temporary(std::size_t bytes) {
  if (bytes > temporary_bytes_) {
    if (temporary_) release(temporary_, temporary_bytes_);
    temporary_ = allocate(bytes + bytes / 4, "sorting");
    temporary_bytes_ = temporary_ ? bytes + bytes / 4 : 0;
  }
  return temporary_;
}

// --- what the GPU does --------------------------------------------------------

#if defined(__CUDACC__)

inline Status CudaQueue::open() {
  int devices = 0;
  if (const cudaError_t code = cudaGetDeviceCount(&devices); code != cudaSuccess || devices == 0) {
    fail({std::string("no CUDA device") + (code != cudaSuccess ? std::string(": ") + cudaGetErrorString(code) : ""), "",
          ErrorKind::kDevice});
    cudaGetLastError();
  } else {
    check(cudaGetDevice(&device_), "start");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "start");
    check(cudaEventCreateWithFlags(&number_there_, cudaEventDisableTiming), "start");
    check(cudaEventCreateWithFlags(&reached_, cudaEventDisableTiming), "start");
    for (cudaEvent_t& event : numbers_there_) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "start");
    open_pool();
    check(cudaMallocHost(&staging_, kStaged), "start");
    check(cudaMallocHost(&number_, (1 + 2 * kSent) * sizeof *number_), "start");
  }
  return status();
}

/// Arrays that come and go, as those of every fit do, must not stop the whole GPU, which `cudaFree` does.
inline void CudaQueue::open_pool() {
  constexpr std::uint64_t kKept = std::uint64_t{1} << 30;  // bytes that stay with the program
  int pools = 0;
  cudaMemPool_t pool = nullptr;
  std::uint64_t kept = kKept;
  pooled_ = cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, device_) == cudaSuccess && pools != 0 &&
            cudaDeviceGetDefaultMemPool(&pool, device_) == cudaSuccess &&
            cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept) == cudaSuccess;
  cudaGetLastError();
}

inline bool CudaQueue::enter() {
  if (device_ >= 0) check(cudaSetDevice(device_), "choosing the GPU");
  return !failed_;
}

inline Status CudaQueue::finish() {
  if (enter()) check(cudaStreamSynchronize(stream_), "the end");
  staged_ = 0;
  report_runs();
  return status();
}

inline void CudaQueue::close() {
  enter();
  if (stream_) cudaStreamSynchronize(stream_);
  report_runs();
  for (const KernelRun& run : spare_runs_) cudaEventDestroy(run.begin), cudaEventDestroy(run.end);
  spare_runs_.clear();
  if (base_) cudaEventDestroy(base_);
  base_ = nullptr;
  for (auto& [name, event] : events_) cudaEventDestroy(event);
  events_.clear();
  if (temporary_) release(temporary_, temporary_bytes_);
  if (number_there_) cudaEventDestroy(number_there_);
  if (reached_) cudaEventDestroy(reached_);
  for (cudaEvent_t& event : numbers_there_) {
    if (event) cudaEventDestroy(event);
    event = nullptr;
  }
  if (stream_) cudaStreamDestroy(stream_);
  if (staging_) cudaFreeHost(staging_);
  if (number_) cudaFreeHost(number_);
  temporary_ = nullptr, temporary_bytes_ = 0, stream_ = nullptr;
  number_there_ = nullptr, reached_ = nullptr, staging_ = nullptr, number_ = nullptr;
}

inline char* CudaQueue::stage(std::size_t bytes) {
  const std::size_t place = (staged_ + 63) / 64 * 64;
  if (bytes > kStagedAtOnce || place + bytes > kStaged) return nullptr;
  staged_ = place + bytes;
  return staging_ + place;
}
inline void CudaQueue::upload(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0 || !enter()) return;
  char* here = stage(bytes);
  if (here) std::memcpy(here, from, bytes);
  check(cudaMemcpyAsync(to, here ? here : from, bytes, cudaMemcpyHostToDevice, stream_), "upload");
  end_run();
  mark("upload");
}
inline void CudaQueue::download(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0 || !enter()) return;
  char* here = stage(bytes);
  check(cudaMemcpyAsync(here ? here : to, from, bytes, cudaMemcpyDeviceToHost, stream_), "download");
  check(cudaStreamSynchronize(stream_), "download");
  if (here && !failed_) std::memcpy(to, here, bytes);
  staged_ = 0;
  report_runs();
  mark("download");
}
inline void CudaQueue::send_number(const std::uint64_t* from) {
  if (!enter()) return;
  check(cudaMemcpyAsync(number_, from, sizeof *number_, cudaMemcpyDeviceToHost, stream_), "a number");
  check(cudaEventRecord(number_there_, stream_), "a number");
  mark("number");
}
inline std::uint64_t CudaQueue::wait_number() {
  if (enter()) check(cudaEventSynchronize(number_there_), "a number");
  return failed_ ? 0 : *number_;
}
inline void CudaQueue::send_numbers(int place, const std::uint64_t* from) {
  if (!enter()) return;
  std::uint64_t* here = number_ + 1 + kSent * static_cast<std::size_t>(place);
  check(cudaMemcpyAsync(here, from, kSent * sizeof *here, cudaMemcpyDeviceToHost, stream_), "numbers");
  check(cudaEventRecord(numbers_there_[place], stream_), "numbers");
  mark("numbers");
}
inline std::array<std::uint64_t, CudaQueue::kSent> CudaQueue::wait_numbers(int place) {
  std::array<std::uint64_t, kSent> numbers{};
  if (enter()) check(cudaEventSynchronize(numbers_there_[place]), "numbers");
  if (!failed_) std::copy_n(number_ + 1 + kSent * static_cast<std::size_t>(place), kSent, numbers.begin());
  return numbers;
}
inline void CudaQueue::wait_for(CudaQueue& other) {
  if (&other == this || !other.enter() || !enter()) return;
  check(cudaEventRecord(other.reached_, other.stream_), "waiting for another queue");
  check(cudaStreamWaitEvent(stream_, other.reached_, 0), "waiting for another queue");
  end_run();  // what it waits for is not its own work
}
inline void CudaQueue::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0 || !enter()) return;
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_), "copy");
  mark("copy");
}
inline void CudaQueue::clear(void* memory, std::size_t bytes) {
  if (bytes == 0 || !enter()) return;
  check(cudaMemsetAsync(memory, 0, bytes, stream_), "clear");
  mark("clear");
}

template <class K, class V>
void CudaQueue::sort_pairs(std::pair<K*, K*>& keys, std::pair<V*, V*>& values, std::size_t count, int bits) {
  if (count == 0 || !enter()) return;
  cub::DoubleBuffer<K> key_buffers(keys.first, keys.second);
  cub::DoubleBuffer<V> value_buffers(values.first, values.second);
  const auto items = static_cast<std::int64_t>(count);
  std::size_t bytes = 0;
  check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, key_buffers, value_buffers, items, 0, bits, stream_), "sort");
  void* space = temporary(bytes);
  if (failed_) return;
  begin_kernel();
  check(cub::DeviceRadixSort::SortPairs(space, bytes, key_buffers, value_buffers, items, 0, bits, stream_), "sort");
  end_kernel();
  keys = {key_buffers.Current(), key_buffers.Alternate()};
  values = {value_buffers.Current(), value_buffers.Alternate()};
  mark("sort");
}

inline void CudaQueue::exclusive_sum(const std::uint32_t* from, std::uint64_t* to, std::size_t count) {
  if (count == 0 || !enter()) return;
  const auto items = static_cast<std::int64_t>(count);
  const auto scan = [&](void* space, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveScan(space, bytes, from, to, cuda::std::plus<>{}, std::uint64_t{0}, items,
                                          stream_);
  };
  std::size_t bytes = 0;
  check(scan(nullptr, bytes), "sum");
  void* space = temporary(bytes);
  if (failed_) return;
  begin_kernel();
  check(scan(space, bytes), "sum");
  end_kernel();
  mark("sum");
}

inline void CudaQueue::mark(const char* name) {
  if (!timed_ || failed_) return;
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event), "timeline");
  check(cudaEventRecord(event, stream_), "timeline");
  if (event) events_.emplace_back(name, event);
}
inline CudaQueue::KernelRun CudaQueue::new_run() {
  KernelRun run;
  if (!spare_runs_.empty()) {
    run = spare_runs_.back();
    spare_runs_.pop_back();
  } else {
    check(cudaEventCreate(&run.begin), "timeline");
    check(cudaEventCreate(&run.end), "timeline");
  }
  return run;
}
inline void CudaQueue::begin_kernel() {
  GpuTimeline& timeline = GpuTimeline::get();
  if (!timeline.on() || failed_) return;
  if (base_ == nullptr) {
    check(cudaEventCreate(&base_), "timeline");
    check(cudaEventRecord(base_, stream_), "timeline");
    check(cudaEventSynchronize(base_), "timeline");
    base_time_ = timeline.now();
  }
  const bool goes_on = running_ && cudaStreamQuery(stream_) == cudaErrorNotReady;
  cudaGetLastError();  // that it is not done yet is none
  if (goes_on) return;
  runs_.push_back(new_run());
  check(cudaEventRecord(runs_.back().begin, stream_), "timeline");
  running_ = true;
}
inline void CudaQueue::end_kernel() {
  if (running_ && !failed_) check(cudaEventRecord(runs_.back().end, stream_), "timeline");
}
inline void CudaQueue::report_runs() {
  running_ = false;
  if (runs_.empty()) return;
  std::vector<GpuTimeline::Span> spans;
  for (const KernelRun& run : runs_) {
    float from = 0, to = 0;
    if (cudaEventElapsedTime(&from, base_, run.begin) == cudaSuccess &&
        cudaEventElapsedTime(&to, base_, run.end) == cudaSuccess) {
      spans.push_back({base_time_ + 1e-3 * double(from), base_time_ + 1e-3 * double(to)});
    }
    spare_runs_.push_back(run);
  }
  cudaGetLastError();
  runs_.clear();
  GpuTimeline::get().add(spans);
}

inline void CudaQueue::start_timeline() {
  take_timeline();
  timed_ = true;
  mark("start");
}
inline std::vector<QueueStep> CudaQueue::take_timeline() {
  std::vector<QueueStep> steps;
  enter();
  if (stream_) cudaStreamSynchronize(stream_);
  for (std::size_t i = 0; i < events_.size(); ++i) {
    float milliseconds = 0;
    if (i > 0 && cudaEventElapsedTime(&milliseconds, events_[i - 1].second, events_[i].second) == cudaSuccess)
      steps.push_back({events_[i].first, double(milliseconds)});
  }
  for (auto& [name, event] : events_) cudaEventDestroy(event);
  events_.clear();
  timed_ = false;
  return steps;
}

#else

inline Status CudaQueue::open() { return Done{}; }
inline bool CudaQueue::enter() { return !failed_; }
inline Status CudaQueue::finish() { return status(); }
inline void CudaQueue::close() {
  if (temporary_) release(temporary_, temporary_bytes_);
  temporary_ = nullptr, temporary_bytes_ = 0;
}
inline void CudaQueue::upload(void* to, const void* from, std::size_t bytes) {
  if (!failed_ && bytes > 0) std::memcpy(to, from, bytes);
}
inline void CudaQueue::download(void* to, const void* from, std::size_t bytes) { upload(to, from, bytes); }
inline void CudaQueue::send_number(const std::uint64_t* from) { download(&number_, from, sizeof number_); }
inline std::uint64_t CudaQueue::wait_number() { return failed_ ? 0 : number_; }
inline void CudaQueue::send_numbers(int place, const std::uint64_t* from) {
  download(numbers_[place].data(), from, sizeof numbers_[place]);
}
inline std::array<std::uint64_t, CudaQueue::kSent> CudaQueue::wait_numbers(int place) {
  return failed_ ? std::array<std::uint64_t, kSent>{} : numbers_[place];
}
inline void CudaQueue::wait_for(CudaQueue&) {}
inline void CudaQueue::copy(void* to, const void* from, std::size_t bytes) { upload(to, from, bytes); }
inline void CudaQueue::clear(void* memory, std::size_t bytes) {
  if (!failed_ && bytes > 0) std::memset(memory, 0, bytes);
}

template <class K, class V>
void CudaQueue::sort_pairs(std::pair<K*, K*>& keys, std::pair<V*, V*>& values, std::size_t count, int bits) {
  if (failed_) return;
  const K mask = bits >= static_cast<int>(8 * sizeof(K)) ? static_cast<K>(~K{0}) : static_cast<K>((K{1} << bits) - 1);
  std::vector<std::pair<K, V>> pairs;
  for (std::size_t i = 0; i < count; ++i) pairs.emplace_back(keys.first[i], values.first[i]);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const auto& a, const auto& b) { return (a.first & mask) < (b.first & mask); });
  for (std::size_t i = 0; i < count; ++i) keys.second[i] = pairs[i].first, values.second[i] = pairs[i].second;
  std::swap(keys.first, keys.second);
  std::swap(values.first, values.second);
}
inline void CudaQueue::exclusive_sum(const std::uint32_t* from, std::uint64_t* to, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; !failed_ && i < count; ++i) to[i] = sum, sum += from[i];
}
inline void CudaQueue::mark(const char*) {}
inline void CudaQueue::begin_kernel() {
  if (GpuTimeline::get().on()) kernel_began_ = GpuTimeline::get().now();
}
inline void CudaQueue::end_kernel() {
  if (GpuTimeline::get().on()) GpuTimeline::get().add({{kernel_began_, GpuTimeline::get().now()}});
}
inline void CudaQueue::start_timeline() {}
inline std::vector<QueueStep> CudaQueue::take_timeline() { return {}; }

#endif

}  // namespace limber

#include "limber/base/cuda_arrays.cuh"
