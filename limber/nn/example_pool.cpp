// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/example_pool.h"

#include <limits>

#include "limber/base/rng.h"
#include "limber/base/threads.h"

namespace limber::nn {

std::uint64_t first_example(std::uint64_t seed, std::uint64_t stream) {
  return std::uint64_t{Rng(seed, stream).next_u32() & 0xffffffu} << 12;
}

Status draw_examples(std::int64_t count, const std::function<Status(std::int64_t)>& draw) {
  std::mutex mutex;
  std::int64_t failed = std::numeric_limits<std::int64_t>::max();
  Status status = Done{};
  parallel_for(static_cast<std::size_t>(count), 1, [&](std::size_t begin, std::size_t) {
    const auto i = static_cast<std::int64_t>(begin);
    Status done = draw(i);
    if (done.ok()) return;
    const std::lock_guard lock(mutex);
    if (i < failed) failed = i, status = std::move(done);
  });
  return status;
}

}  // namespace limber::nn
