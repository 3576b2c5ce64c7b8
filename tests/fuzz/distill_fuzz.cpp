// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever the bytes are, reading them as a checkpoint of a distillation ends in a state that can be kept again, or in
// an error. They are read as they are and, so that the checksum does not turn all of them away, as what one protects.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "limber/distill/run_state.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  (void)distill::decode_state(bytes, "fuzz");
  const auto state = distill::decode_state(distill::seal(bytes), "fuzz");
  if (state.ok() && !distill::decode_state(distill::encode_state(*state), "fuzz").ok()) std::abort();
  return 0;
}
