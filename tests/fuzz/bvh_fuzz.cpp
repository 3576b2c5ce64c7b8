// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever the bytes are, reading them ends in an asset or an error; what was read can be posed, and written and read
// again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "limber/asset/encoders.h"
#include "limber/asset/pose.h"
#include "limber/asset/read.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  const auto first = asset::read_bvh({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
  if (!first.ok()) return 0;
  if (!first->clips.empty()) asset::clip_state(*first, first->clips[0], 0.5);
  // A sampling rate that keeps long clips short.
  const double seconds = first->clips.empty() ? 0 : static_cast<double>(first->clips[0].duration());
  const auto text = asset::bvh_text(*first, 0, seconds > 1 ? 30 / seconds : 30);
  if (!text.ok()) std::abort();
  const auto second = asset::read_bvh(as_bytes(*text), "fuzz");
  if (!second.ok() || !second->warnings.empty()) std::abort();
  return 0;
}
