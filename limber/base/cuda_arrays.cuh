// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "limber/base/cuda_queue.cuh"

/// Memory of a CudaQueue that is given back when it goes.
namespace limber {

/// Numbers on the GPU.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { drop(); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// Numbers are lost when it grows, with some room to spare where `growing`. `what` is said when there is no memory.
  void resize(CudaQueue& queue, std::size_t count, const char* what, bool growing = false) {
    size_ = count;
    if (count <= capacity_) return;
    drop();
    const std::size_t wanted = growing ? count + count / 4 : count;
    data_ = static_cast<T*>(queue.allocate(wanted * sizeof(T), what));
    if (data_ == nullptr) {
      size_ = 0;
      return;
    }
    queue_ = &queue, capacity_ = wanted;
  }
  void upload(CudaQueue& queue, std::span<const T> from, const char* what) {
    resize(queue, from.size(), what);
    if (data_) queue.upload(data_, from.data(), from.size_bytes());
  }
  std::vector<T> download(CudaQueue& queue) const {
    std::vector<T> values(size_);
    queue.download(values.data(), data_, size_ * sizeof(T));
    return values;
  }

 private:
  void drop() {
    if (data_) queue_->release(data_, capacity_ * sizeof(T));
    data_ = nullptr, capacity_ = 0;
  }
  CudaQueue* queue_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// Numbers of the host that are copied to and from the GPU at full speed. Lost when it grows.
template <class T>
class HostArray {
 public:
  HostArray() = default;
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;
  ~HostArray() { drop(); }

  T* data() const { return data_; }

  void resize(CudaQueue& queue, std::size_t count, const char* what) {
    if (count <= capacity_) return;
    drop();
    data_ = static_cast<T*>(queue.allocate_host(count * sizeof(T), what));
    if (data_ != nullptr) capacity_ = count;
  }

 private:
  void drop() {
    if (data_ != nullptr) CudaQueue::release_host(data_);
    data_ = nullptr, capacity_ = 0;
  }
  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace limber
