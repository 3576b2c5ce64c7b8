// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "limber/base/files.h"
#include "limber/training/character.h"

/// Characters in one file, for machines that have neither the assets nor what reads them. Little-endian: a magic word,
/// then characters one after the other; lists are preceded by their length, numbers are 32-bit floats, but the shape,
/// colour and weights of Gaussians 16-bit integers. No version is promised: bake again.
namespace limber::training {

Bytes write_characters(std::span<const Character> characters);
Status write_characters(std::span<const Character> characters, const std::filesystem::path& path);

/// Checks everything that drawing relies on: lengths, indices, finite numbers, valid rigs. Errors tell the byte.
Result<std::vector<Character>> read_characters(std::span<const std::byte> bytes, const std::string& name);
Result<std::vector<Character>> read_characters(const std::filesystem::path& path);

}  // namespace limber::training
