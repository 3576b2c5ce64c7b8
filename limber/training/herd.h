// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "limber/base/result.h"
#include "limber/base/rng.h"

namespace limber::training {

/// Bodies by number, made when first asked for and kept; from any thread, the same ones whoever asks first.
template <class Member>
class Herd {
 public:
  using Make = std::function<Result<std::unique_ptr<const Member>>(std::uint64_t seed, Rng& rng)>;

  /// Body `i` is made of `seed + i`, with random numbers of that seed and `stream`.
  Herd(int count, std::uint64_t seed, std::uint64_t stream, Make make)
      : seed_(seed), stream_(stream), make_(std::move(make)), slots_(static_cast<std::size_t>(count)) {}
  std::size_t size() const { return slots_.size(); }

  Result<const Member*> get(std::size_t number) {
    Slot& slot = slots_[number];
    const std::lock_guard lock(slot.mutex);
    if (slot.member) return slot.member.get();
    Rng rng(seed_ + number, stream_);
    LIMBER_TRY(slot.member, make_(seed_ + number, rng));
    return slot.member.get();
  }

  Result<const Member*> draw(Rng& rng) { return get(rng.below(static_cast<std::uint32_t>(slots_.size()))); }

 private:
  struct Slot {
    std::mutex mutex;
    std::unique_ptr<const Member> member;
  };
  std::uint64_t seed_, stream_;
  Make make_;
  std::vector<Slot> slots_;
};

}  // namespace limber::training
