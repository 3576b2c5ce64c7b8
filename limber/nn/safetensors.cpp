// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/safetensors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "limber/base/files.h"
#include "limber/nn/json.h"

namespace limber::nn {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are mapped, not converted");

using Json = nlohmann::json;

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the reference implementation
constexpr const char* kMetadataKey = "__metadata__";

struct DtypeRow {
  Dtype dtype;
  std::string_view name;
  std::size_t size;
};
constexpr std::array<DtypeRow, 15> kDtypes{{{Dtype::kF64, "F64", 8},
                                            {Dtype::kF32, "F32", 4},
                                            {Dtype::kF16, "F16", 2},
                                            {Dtype::kBF16, "BF16", 2},
                                            {Dtype::kF8E4M3, "F8_E4M3", 1},
                                            {Dtype::kF8E5M2, "F8_E5M2", 1},
                                            {Dtype::kI64, "I64", 8},
                                            {Dtype::kI32, "I32", 4},
                                            {Dtype::kI16, "I16", 2},
                                            {Dtype::kI8, "I8", 1},
                                            {Dtype::kU64, "U64", 8},
                                            {Dtype::kU32, "U32", 4},
                                            {Dtype::kU16, "U16", 2},
                                            {Dtype::kU8, "U8", 1},
                                            {Dtype::kBool, "BOOL", 1}}};

const DtypeRow& row(Dtype dtype) { return kDtypes[static_cast<std::size_t>(dtype)]; }

Result<Metadata> read_metadata(const Json& json, const std::string& where) {
  Metadata metadata;
  if (!json.is_object()) return Error{"the metadata is not an object", where};
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return Error{"a metadata value is not text", where + "#" + key};
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

/// A non-negative integer that fits the sizes we compute with.
std::optional<std::uint64_t> as_size(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return value;
  }
  return std::nullopt;
}

struct Extent {
  std::uint64_t begin = 0, end = 0;
};

/// Reads one entry of the header: dtype, shape and the extent of its bytes in the data section.
Result<std::pair<TensorView, Extent>> read_entry(const Json& json, const std::string& where) {
  if (!json.is_object() || !json.contains("dtype") || !json.contains("shape") || !json.contains("data_offsets")) {
    return Error{"an entry needs dtype, shape and data_offsets", where};
  }
  const Json &dtype = json["dtype"], &shape = json["shape"], &offsets = json["data_offsets"];
  const auto known = std::find_if(kDtypes.begin(), kDtypes.end(),
                                  [&](const DtypeRow& r) { return dtype.is_string() && dtype == std::string(r.name); });
  if (known == kDtypes.end()) return Error{fmt::format("unknown dtype {}", dtype.dump()), where};

  TensorView view;
  view.dtype = known->dtype;
  if (!shape.is_array()) return Error{"the shape is not a list", where};
  std::uint64_t bytes = known->size;
  for (const Json& extent : shape) {
    const auto size = as_size(extent);
    if (!size) return Error{fmt::format("bad shape {}", shape.dump()), where};
    view.shape.push_back(static_cast<std::int64_t>(*size));
    if (__builtin_mul_overflow(bytes, *size, &bytes)) return Error{"the shape overflows", where};
  }

  if (!offsets.is_array() || offsets.size() != 2) return Error{"data_offsets is not a pair", where};
  const auto begin = as_size(offsets[0]), end = as_size(offsets[1]);
  if (!begin || !end || *end < *begin) return Error{fmt::format("bad data_offsets {}", offsets.dump()), where};
  if (*end - *begin != bytes) {
    return Error{
        fmt::format("{} bytes are given, but {} {} needs {}", *end - *begin, known->name, to_string(view.shape), bytes),
        where};
  }
  return std::pair{std::move(view), Extent{*begin, *end}};
}

}  // namespace

std::string_view name(Dtype dtype) { return row(dtype).name; }
std::size_t size_of(Dtype dtype) { return row(dtype).size; }

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Result<TensorTable> parse_safetensors(std::span<const std::byte> content, const std::string& where) {
  std::uint64_t header_bytes = 0;
  if (content.size() < sizeof header_bytes) return Error{"the file is too short for a safetensors header", where};
  std::memcpy(&header_bytes, content.data(), sizeof header_bytes);
  const std::uint64_t rest = content.size() - sizeof header_bytes;
  if (header_bytes > std::min(rest, kMaxHeaderBytes)) {
    return Error{fmt::format("the header claims {} bytes, the file has {} after it", header_bytes, rest), where};
  }
  const std::string_view header = as_text(content.subspan(sizeof header_bytes, header_bytes));
  const std::span<const std::byte> data = content.subspan(sizeof header_bytes + header_bytes);
  LIMBER_TRY(const Json json, parse_json(header, where));

  TensorTable table;
  std::vector<std::pair<Extent, std::string>> extents;
  for (const auto& [key, value] : json.items()) {
    if (key == kMetadataKey) {
      LIMBER_TRY(table.metadata, read_metadata(value, where));
      continue;
    }
    LIMBER_TRY(auto entry, read_entry(value, where + "#" + key));
    const Extent extent = entry.second;
    if (extent.end > data.size()) {
      return Error{fmt::format("its data end at byte {} of {}: the file is cut short", extent.end, data.size()),
                   where + "#" + key};
    }
    entry.first.bytes = data.subspan(extent.begin, extent.end - extent.begin);
    table.tensors.emplace(key, std::move(entry.first));
    extents.emplace_back(extent, key);
  }

  // In the order of the data each tensor must begin where the one before it ends.
  std::sort(extents.begin(), extents.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.begin, a.first.end) < std::tie(b.first.begin, b.first.end);
  });
  std::uint64_t end = 0;
  for (const auto& [extent, key] : extents) {
    if (extent.begin != end) {
      return Error{fmt::format("its data {} the tensor before it: {} instead of {}",
                               extent.begin < end ? "overlap" : "leave a hole after", extent.begin, end),
                   where + "#" + key};
    }
    end = extent.end;
  }
  if (end != data.size()) return Error{fmt::format("{} bytes after the last tensor", data.size() - end), where};
  return table;
}

// --- reading ---------------------------------------------------------------------------------------------------------

/// A file mapped read-only.
class TensorArchive::Map {
 public:
  static Result<std::shared_ptr<const Map>> open(const std::filesystem::path& path) {
    const auto failed = [&](const char* what) {
      return Error{fmt::format("{}: {}", what, std::strerror(errno)), path.string()};
    };
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return failed("cannot open");
    auto map = std::make_shared<Map>();
    struct stat info {};
    if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
      ::close(file);
      return Error{"not a regular file", path.string()};
    }
    map->size_ = static_cast<std::size_t>(info.st_size);
    if (map->size_ > 0) map->data_ = ::mmap(nullptr, map->size_, PROT_READ, MAP_PRIVATE, file, 0);
    const bool mapped = map->data_ != MAP_FAILED;
    if (!mapped) map->data_ = nullptr;
    ::close(file);
    if (!mapped) return failed("cannot map");
    return std::shared_ptr<const Map>(std::move(map));
  }
  Map() = default;
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;
  ~Map() {
    if (data_) ::munmap(data_, size_);
  }
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), data_ ? size_ : 0}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

namespace {

bool ends_with(const std::filesystem::path& path, std::string_view ending) {
  return path.filename().string().ends_with(ending);
}

/// The file or index that a component folder holds.
Result<std::filesystem::path> find_in_folder(const std::filesystem::path& folder) {
  std::error_code error;
  for (const char* file : {"model.safetensors", "diffusion_pytorch_model.safetensors"}) {
    for (const char* ending : {"", ".index.json"}) {
      const std::filesystem::path candidate = folder / (std::string(file) + ending);
      if (std::filesystem::exists(candidate, error)) return candidate;
    }
  }
  // Some other name, if there is only one.
  std::vector<std::filesystem::path> indexes, files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (ends_with(entry.path(), ".safetensors.index.json")) indexes.push_back(entry.path());
    if (ends_with(entry.path(), ".safetensors")) files.push_back(entry.path());
  }
  if (indexes.size() == 1) return indexes.front();
  if (indexes.empty() && files.size() == 1) return files.front();
  return Error{files.empty() ? "no .safetensors file here" : "several .safetensors files here and no index",
               folder.string()};
}

}  // namespace

Result<TensorArchive> TensorArchive::open(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path file = path;
  if (std::filesystem::is_directory(path, error)) {
    LIMBER_TRY(file, find_in_folder(path));
  }
  TensorArchive archive;
  archive.path_ = path;
  LIMBER_CHECK_OK(ends_with(file, ".json") ? archive.add_index(file) : archive.add_file(file));
  return archive;
}

Status TensorArchive::add_file(const std::filesystem::path& file) {
  LIMBER_TRY(auto map, Map::open(file));
  LIMBER_TRY(TensorTable table, parse_safetensors(map->bytes(), file.string()));
  for (auto& [key, view] : table.tensors) {
    const auto [slot, added] = file_of_.emplace(key, file.string());
    if (!added) return Error{"this tensor is also in " + slot->second, file.string() + "#" + key};
    table_.tensors.emplace(key, std::move(view));
  }
  table_.metadata.merge(table.metadata);
  maps_.push_back(std::move(map));
  return Done{};
}

Status TensorArchive::add_index(const std::filesystem::path& index) {
  const std::string where = index.string();
  LIMBER_TRY(const Bytes bytes, read_file(index, kMaxHeaderBytes));
  LIMBER_TRY(const Json json, parse_json(as_text(bytes), where, 2));
  const auto weights = json.find("weight_map");
  if (weights == json.end() || !weights->is_object()) return Error{"no weight_map", where};

  std::set<std::string> shards;
  for (const auto& [key, shard] : weights->items()) {
    const std::string file = shard.is_string() ? shard.get<std::string>() : "";
    // A shard lies beside its index; anything else would let a checkpoint read files elsewhere.
    if (file.empty() || file != std::filesystem::path(file).filename() || file == "." || file == "..") {
      return Error{"bad shard name " + shard.dump(), where + "#" + key};
    }
    shards.insert(file);
  }
  for (const std::string& shard : shards) LIMBER_CHECK_OK(add_file(index.parent_path() / shard));
  for (const auto& [key, shard] : weights->items()) {
    const std::filesystem::path file = index.parent_path() / shard.get<std::string>();
    const auto found = file_of_.find(key);
    if (found == file_of_.end() || found->second != file.string()) {
      return Error{"the index names this tensor, the shard does not hold it", file.string() + "#" + key};
    }
  }
  return Done{};
}

Result<TensorView> TensorArchive::find(const std::string& tensor) const {
  const auto found = table_.tensors.find(tensor);
  if (found == table_.tensors.end()) return Error{"no such tensor", where(tensor)};
  return found->second;
}

std::string TensorArchive::where(const std::string& tensor) const {
  const auto file = file_of_.find(tensor);
  return (file == file_of_.end() ? path_.string() : file->second) + "#" + tensor;
}

std::uint64_t TensorArchive::byte_size() const {
  std::uint64_t bytes = 0;
  for (const auto& [key, view] : table_.tensors) bytes += view.bytes.size();
  return bytes;
}

// --- writing ---------------------------------------------------------------------------------------------------------

namespace {

void check_tensor(const NamedTensor& tensor) {
  std::uint64_t bytes = size_of(tensor.view.dtype);
  for (const std::int64_t extent : tensor.view.shape) bytes *= static_cast<std::uint64_t>(extent);
  LIMBER_EXPECT(bytes == tensor.view.bytes.size(), tensor.name + ": bytes do not fit " + to_string(tensor.view.shape));
  LIMBER_EXPECT(tensor.name != kMetadataKey, tensor.name);
}

/// The content of one file. Wide types first, so that every tensor is aligned.
Bytes encode(std::vector<const NamedTensor*> tensors, const Metadata& metadata) {
  std::stable_sort(tensors.begin(), tensors.end(), [](const NamedTensor* a, const NamedTensor* b) {
    return size_of(a->view.dtype) > size_of(b->view.dtype);
  });
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadataKey] = metadata;
  std::uint64_t offset = 0;
  for (const NamedTensor* tensor : tensors) {
    const std::uint64_t end = offset + tensor->view.bytes.size();
    header[tensor->name] = {
        {"dtype", name(tensor->view.dtype)}, {"shape", tensor->view.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');

  const std::uint64_t header_bytes = text.size();
  Bytes bytes(sizeof header_bytes + text.size() + offset);
  std::byte* to = bytes.data();
  const auto append = [&to](std::span<const std::byte> part) { to = std::copy(part.begin(), part.end(), to); };
  append(std::as_bytes(std::span(&header_bytes, 1)));
  append(as_bytes(text));
  for (const NamedTensor* tensor : tensors) append(tensor->view.bytes);
  return bytes;
}

/// Whether `file` is a shard that an earlier write of `stem` made.
bool is_shard_of(const std::string& file, const std::string& stem) {
  const std::string_view ending = ".safetensors";
  const std::string_view pattern = "-00000-of-00000";
  if (file.size() != stem.size() + pattern.size() + ending.size()) return false;
  if (!file.starts_with(stem) || !file.ends_with(ending)) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = file[stem.size() + i];
    if (pattern[i] == '0' ? (c < '0' || c > '9') : c != pattern[i]) return false;
  }
  return true;
}

void remove_stale(const std::filesystem::path& path, const std::set<std::string>& written) {
  std::error_code ignored;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const std::string file = path.filename().string(), stem = path.stem().string();
  std::vector<std::filesystem::path> stale;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string other = entry.path().filename().string();
    const bool ours = other == file || other == file + ".index.json" || is_shard_of(other, stem);
    if (ours && written.count(other) == 0) stale.push_back(entry.path());
  }
  for (const auto& old : stale) std::filesystem::remove(old, ignored);
}

}  // namespace

Status write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                         const SafetensorsSettings& settings) {
  LIMBER_EXPECT(ends_with(path, ".safetensors"), path.string());
  std::set<std::string> names;
  for (const NamedTensor& tensor : tensors) {
    check_tensor(tensor);
    LIMBER_EXPECT(names.insert(tensor.name).second, "two tensors named " + tensor.name);
  }

  // Fill shards in the given order.
  std::vector<std::vector<const NamedTensor*>> shards(1);
  std::uint64_t filled = 0;
  for (const NamedTensor& tensor : tensors) {
    const std::uint64_t bytes = tensor.view.bytes.size();
    if (settings.max_shard_bytes > 0 && !shards.back().empty() && filled + bytes > settings.max_shard_bytes) {
      shards.emplace_back();
      filled = 0;
    }
    shards.back().push_back(&tensor);
    filled += bytes;
  }

  std::vector<Bytes> contents;
  std::vector<PendingFile> files;
  std::set<std::string> written;
  Json weight_map = Json::object();
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::string file =
        shards.size() == 1 ? path.filename().string()
                           : fmt::format("{}-{:05}-of-{:05}.safetensors", path.stem().string(), i + 1, shards.size());
    for (const NamedTensor* tensor : shards[i]) weight_map[tensor->name] = file, total += tensor->view.bytes.size();
    contents.push_back(encode(std::move(shards[i]), settings.metadata));
    files.push_back({path.parent_path() / file, contents.back()});
    written.insert(file);
  }
  std::string index;
  if (files.size() > 1) {
    index = Json{{"metadata", {{"total_size", total}}}, {"weight_map", weight_map}}.dump(
        2, ' ', false, Json::error_handler_t::replace);
    files.push_back({path.string() + ".index.json", as_bytes(index)});
    written.insert(path.filename().string() + ".index.json");
  }
  LIMBER_CHECK_OK(write_files(files));
  remove_stale(path, written);
  return Done{};
}

}  // namespace limber::nn
