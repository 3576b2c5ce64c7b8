// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <new>

#include "limber/asset/gltf_container.h"
#include "limber/asset/gltf_decode.h"
#include "limber/asset/read.h"
#include "limber/base/quote.h"

namespace limber::asset {
namespace {

Result<Asset> read_source(std::span<const std::byte> bytes, const std::string& name,
                          const std::filesystem::path& folder, const ReadLimits& limits) {
  LIMBER_TRY(const auto source, open_source(bytes, name, folder, limits));
  LIMBER_TRY(Decoded decoded, decode(*source));
  source->memory.add(std::move(decoded.memory));
  decoded.asset.source = source;
  return std::move(decoded.asset);
}

}  // namespace

Result<Asset> read_gltf(std::span<const std::byte> bytes, const std::string& name, const std::filesystem::path& folder,
                        const ReadLimits& limits) {
  // The edge of the module: what the JSON library or the allocator throw ends here.
  try {
    return read_source(bytes, name, folder, limits);
  } catch (const std::bad_alloc&) {
    return Error{"there is not enough memory to read it", name, ErrorKind::kOutOfMemory};
  } catch (const std::exception& exception) {
    return Error{shortened(exception.what()), name};
  }
}

}  // namespace limber::asset
