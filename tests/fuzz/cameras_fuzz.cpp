// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a file of cameras holds, reading it ends in cameras that are written and read again, or in an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "limber/scene/cameras.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  const int frames = 1 + static_cast<int>(size % 3);
  const auto read = scene::cameras_from_json({reinterpret_cast<const char*>(data), size}, "fuzz", frames);
  if (!read.ok()) {
    if (read.error().what.empty()) std::abort();
    return 0;
  }
  if (read->cameras.size() != static_cast<std::size_t>(read->views) * static_cast<std::size_t>(frames)) std::abort();
  const std::string text = scene::cameras_to_json(read->cameras, read->views);
  const auto again = scene::cameras_from_json(text, "again", frames);
  if (!again.ok() || scene::cameras_to_json(again->cameras, again->views) != text) std::abort();
  return 0;
}
