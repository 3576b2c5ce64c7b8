// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "limber/base/result.h"

/// \file
/// safetensors: named arrays in a file, or in several with an index. Needs no LibTorch; `nn/weights.h` makes tensors of
/// it.
///
///     LIMBER_TRY(auto archive, nn::TensorArchive::open("checkpoint/transformer"));   // a folder, file or index.json
///     LIMBER_TRY(nn::TensorView view, archive.find("proj_out.weight"));              // error names file and tensor

namespace limber::nn {

/// Element types of the format, all little-endian. The 8-bit floats and the wide unsigned integers are recognised, so
/// that a file that holds them can be listed.
enum class Dtype { kF64, kF32, kF16, kBF16, kF8E4M3, kF8E5M2, kI64, kI32, kI16, kI8, kU64, kU32, kU16, kU8, kBool };

/// As the format spells it: "BF16".
std::string_view name(Dtype dtype);
std::size_t size_of(Dtype dtype);

using Shape = std::vector<std::int64_t>;

/// "[2, 3]"
std::string to_string(const Shape& shape);

/// One array; `bytes` is not aligned to the element size and belongs to whoever made the view.
struct TensorView {
  Dtype dtype = Dtype::kF32;
  Shape shape;
  std::span<const std::byte> bytes;
};

using Metadata = std::map<std::string, std::string>;

/// What one file holds. The views point into the bytes that were parsed.
struct TensorTable {
  std::map<std::string, TensorView> tensors;
  Metadata metadata;  ///< `__metadata__`, empty if absent
};

/// Parses the content of one file. Every byte after the header must belong to exactly one tensor, as the format asks.
/// `where` is the file's name in errors: `model.safetensors#proj_out.weight`.
Result<TensorTable> parse_safetensors(std::span<const std::byte> content, const std::string& where);

/// Mapped files, one table. Copies share the maps; views stay valid as long as one copy lives. A file must not shrink
/// while it is mapped. Const, so safe to read from several threads.
class TensorArchive {
 public:
  /// `path`: a .safetensors file, an .index.json, or a component folder of a checkpoint: that holds
  /// `model.safetensors` or `diffusion_pytorch_model.safetensors`, either with its `.index.json` and shards instead, or
  /// one file or index of another name.
  static Result<TensorArchive> open(const std::filesystem::path& path);

  const std::map<std::string, TensorView>& tensors() const { return table_.tensors; }
  const Metadata& metadata() const { return table_.metadata; }  ///< of all files together
  bool contains(const std::string& tensor) const { return table_.tensors.count(tensor) > 0; }
  Result<TensorView> find(const std::string& tensor) const;

  /// Where a tensor is, or would be: `folder/model-00002-of-00006.safetensors#proj_out.weight`.
  std::string where(const std::string& tensor) const;
  const std::filesystem::path& path() const { return path_; }
  std::uint64_t byte_size() const;  ///< of all tensors

 private:
  class Map;

  Status add_file(const std::filesystem::path& file);
  Status add_index(const std::filesystem::path& index);

  std::filesystem::path path_;
  std::vector<std::shared_ptr<const Map>> maps_;
  std::map<std::string, std::string> file_of_;
  TensorTable table_;
};

struct NamedTensor {
  std::string name;
  TensorView view;
};

struct SafetensorsSettings {
  Metadata metadata;
  std::uint64_t max_shard_bytes =
      0;  ///< of tensor data in one file; 0: one file. A larger tensor gets a file of its own
};

/// Writes `path` (which ends in .safetensors), or, when it needs more than one shard, `stem-00001-of-00003.safetensors`
/// and so on, and `path` + ".index.json". All files are written aside first and then renamed, the index last; what an
/// earlier write of `path` left in the other form is removed.
Status write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                         const SafetensorsSettings& settings = {});

}  // namespace limber::nn
