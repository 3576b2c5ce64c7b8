// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "limber/asset/source.h"
#include "limber/base/result.h"

namespace limber::asset {

inline constexpr std::uint32_t kGlbMagic = 0x46546c67;  // "glTF"
inline constexpr std::uint32_t kJsonChunk = 0x4e4f534a;
inline constexpr std::uint32_t kBinChunk = 0x004e4942;

bool is_glb(std::span<const std::byte> bytes);

/// Takes a .glb or .gltf apart and loads the buffers and images it refers to.
Result<std::shared_ptr<Source>> open_source(std::span<const std::byte> bytes, const std::string& name,
                                            const std::filesystem::path& folder, const ReadLimits& limits);

/// The files beside it that a .glb or .gltf names: relative, with forward slashes, in normal form. None for what cannot
/// be read as one.
std::set<std::string> named_files(std::span<const std::byte> bytes);

/// The bytes of a .glb from the text of its JSON. An empty binary chunk is left out.
Result<Bytes> glb_bytes(std::string_view json, std::span<const std::byte> bin,
                        std::span<const ExtraChunk> extra_chunks);

}  // namespace limber::asset
