// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever the bytes are, reading them ends in an asset or an error; and what was read can be written and read again,
// and is the same then.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "limber/asset/read.h"
#include "limber/asset/write.h"
#include "shared_coverage.h"

namespace {

void require(bool condition, const char* what, const std::string& detail) {
  if (condition) return;
  std::fprintf(stderr, "%s: %s\n", what, detail.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  limber::share_coverage_with_children();  // Draco is decoded in one
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  asset::ReadLimits limits;
  limits.decoded_slack = 16 << 20;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto first = asset::read_gltf(bytes, "fuzz", {}, limits);
  if (!first.ok()) {
    require(!first.error().what.empty(), "an error without words", first.error().where);
    return 0;
  }
  const auto written = asset::write_glb(*first);
  require(written.ok(), "what was read cannot be written", written.ok() ? "" : written.error().message());
  const auto second = asset::read_gltf(*written, "fuzz", {}, limits);
  require(second.ok(), "what was written cannot be read", second.ok() ? "" : second.error().message());
  const auto again = asset::write_glb(*second);
  require(again.ok() && *again == *written, "writing twice gives two files", "");
  return 0;
}
