// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "limber/asset/gltf_json.h"
#include "limber/asset/read.h"
#include "limber/base/files.h"
#include "limber/base/memory_budget.h"

namespace limber::asset {

/// Where the bytes of a glTF buffer or image came from; writing back keeps it there.
enum class Storage : std::uint8_t {
  kNone,        ///< nowhere: a placeholder of a compressed buffer, or a file that was not found
  kBinChunk,    ///< the binary chunk of a .glb
  kDataUri,     ///< in the JSON
  kFile,        ///< a file beside the .gltf
  kBufferView,  ///< images only
};

/// Bytes that the JSON refers to.
struct Resource {
  Storage storage = Storage::kNone;
  std::string path;                   ///< kFile: below the folder of the main file, decoded, with forward slashes
  std::shared_ptr<const Bytes> data;  ///< shared by all that refer to one file; null for kNone and kBufferView

  std::span<const std::byte> bytes() const {
    return data ? std::span<const std::byte>(*data) : std::span<const std::byte>();
  }
};

/// A chunk of a .glb that is neither the JSON nor the first binary one.
struct ExtraChunk {
  std::uint32_t type = 0;
  Bytes bytes;
};

/// A glTF file as it is: the document and everything it refers to, kept verbatim.
class Source {
 public:
  std::string name;  ///< for messages
  ReadLimits limits;
  bool is_glb = false;
  Json json;
  std::vector<Resource> buffers;  ///< one per /buffers
  std::vector<Resource> images;   ///< one per /images
  std::vector<ExtraChunk> extra_chunks;
  std::uint64_t file_bytes = 0;       ///< of all files together
  std::vector<std::string> warnings;  ///< about the container
  MemoryShare memory;                 ///< of all the above, and of the asset made from it
};

}  // namespace limber::asset
