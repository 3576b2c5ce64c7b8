// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever the bytes are, reading them ends in characters that can be posed, or in an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "limber/training/character_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  auto set = training::read_training_set(bytes, "fuzz");
  if (!set.ok()) {
    if (set.error().what.empty()) std::abort();
    return 0;
  }
  training::lend_recordings(set->characters, set->people, 2);
  for (const training::Character& character : set->characters) {
    for (const training::CharacterClip& clip : character.clips) {
      training::lowest_height(character.rig, character.surfaces.front(), clip.motion);
    }
  }
  return 0;
}
