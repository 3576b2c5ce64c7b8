// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace limber::metrics {

/// Gives each distinct key a number: 0, 1, 2 ... in the order of their first appearance. An open-addressed hash table;
/// keys are tuples of 64-bit words.
template <std::size_t N>
class Numbering {
 public:
  using Key = std::array<std::uint64_t, N>;

  explicit Numbering(std::size_t expected = 16) : slots_(std::bit_ceil(2 * expected + 16), kEmpty) {}

  std::uint32_t number(const Key& key) {
    std::size_t slot = find(key);
    if (slots_[slot] != kEmpty) return slots_[slot];
    if (2 * (keys_.size() + 1) > slots_.size()) {
      grow();
      slot = find(key);
    }
    keys_.push_back(key);
    return slots_[slot] = static_cast<std::uint32_t>(keys_.size() - 1);
  }

  std::size_t size() const { return keys_.size(); }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffffu;

  static std::uint64_t hash(const Key& key) {
    std::uint64_t h = 0;
    for (const std::uint64_t word : key) {
      h = (h ^ word) * 0x9e3779b97f4a7c15ull;
      h ^= h >> 32;
    }
    return h;
  }

  std::size_t find(const Key& key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash(key) & mask;
    while (slots_[slot] != kEmpty && keys_[slots_[slot]] != key) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), kEmpty);
    for (std::size_t i = 0; i < keys_.size(); ++i) slots_[find(keys_[i])] = static_cast<std::uint32_t>(i);
  }

  std::vector<std::uint32_t> slots_;
  std::vector<Key> keys_;
};

}  // namespace limber::metrics
