// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/gltf_container.h"

#include <sys/stat.h>

#include <cstring>
#include <limits>
#include <optional>
#include <unordered_map>

#include "limber/asset/gltf_uri.h"

namespace limber::asset {
namespace {

// glTF is little-endian, and so is every machine we build for.
std::uint32_t read_u32(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

struct Chunks {
  std::span<const std::byte> json;
  std::optional<std::span<const std::byte>> bin;
  std::vector<ExtraChunk> extra;
};

Result<Chunks> split_glb(std::span<const std::byte> bytes, Source& source) {
  const std::string& where = source.name;
  if (bytes.size() < 20) return Error{"the file is cut short: no room for a GLB header", where};
  const std::uint32_t version = read_u32(bytes, 4), length = read_u32(bytes, 8);
  if (version != 2)
    return Error{"GLB version " + std::to_string(version) + ", only 2 is supported", where, ErrorKind::kUnsupported};
  if (length > bytes.size()) {
    return Error{"the file is cut short: its header says " + std::to_string(length) + " bytes, but it has " +
                     std::to_string(bytes.size()),
                 where};
  }
  if (length < bytes.size()) source.warnings.push_back("bytes after the end of the GLB are left out");
  bytes = bytes.first(std::max<std::size_t>(length, 20));

  Chunks chunks;
  bool has_json = false;
  for (std::size_t offset = 12; offset + 8 <= bytes.size();) {
    std::uint32_t size = read_u32(bytes, offset), type = read_u32(bytes, offset + 4);
    // Some writers pad chunks without counting the padding, some count and do not pad.
    const std::size_t aligned = (offset + 3) / 4 * 4;
    if (type != kBinChunk && aligned != offset && aligned + 8 <= bytes.size() &&
        read_u32(bytes, aligned + 4) == kBinChunk) {
      offset = aligned;
      size = read_u32(bytes, offset), type = read_u32(bytes, offset + 4);
    }
    offset += 8;
    if (size > bytes.size() - offset) {
      return Error{"the chunk at byte " + std::to_string(offset - 8) + " says " + std::to_string(size) +
                       " bytes, but only " + std::to_string(bytes.size() - offset) + " follow",
                   where};
    }
    const auto content = bytes.subspan(offset, size);
    if (!has_json) {
      if (type != kJsonChunk) return Error{"the first chunk is not JSON", where};
      chunks.json = content, has_json = true;
    } else if (type == kBinChunk && !chunks.bin) {
      chunks.bin = content;
    } else {
      LIMBER_CHECK_OK(source.memory.take(content.size(), where));
      chunks.extra.push_back({type, Bytes(content.begin(), content.end())});
    }
    offset += size;
  }
  return chunks;
}

std::string_view trimmed_json(std::string_view text) {
  // Padding should be spaces; zeros occur.
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.remove_suffix(1);
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  return text;
}

Status check_version(const JsonAt& document, Source& source) {
  LIMBER_TRY(const JsonAt asset, document.object("asset"));
  std::string version, min_version;
  LIMBER_CHECK_OK(asset.read("version", version));
  LIMBER_CHECK_OK(asset.read("minVersion", min_version));
  if (version.empty()) {
    source.warnings.push_back("the file does not tell its glTF version; 2.0 is assumed");
  } else if (version.substr(0, 2) != "2.") {
    return Error{"glTF version \"" + version.substr(0, 20) + "\", only 2.0 is supported", asset.where(),
                 ErrorKind::kUnsupported};
  }
  if (!min_version.empty() && min_version != "2.0") {
    return Error{"needs glTF version \"" + min_version.substr(0, 20) + "\", only 2.0 is supported", asset.where(),
                 ErrorKind::kUnsupported};
  }
  return Done{};
}

bool is_placeholder(const JsonAt& buffer) {
  for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
    bool fallback = false;
    const auto extension = buffer.extension(name);
    if (extension.ok() && extension->read("fallback", fallback).ok() && fallback) return true;
  }
  return false;
}

/// Loads what the document refers to, each file once.
class ResourceLoader {
 public:
  ResourceLoader(const std::filesystem::path& folder, Source& source) : folder_(folder), source_(source) {}

  struct Loaded {
    Resource resource;
    std::string problem;                   // why a file could not be read; then there are no bytes
    ErrorKind kind = ErrorKind::kMissing;  // of the problem
  };

  Result<Loaded> load(const std::string& uri, const std::string& where) {
    Loaded loaded;
    if (is_data_uri(uri)) {
      LIMBER_CHECK_OK(source_.memory.take(uri.size(), where));
      LIMBER_TRY(DataUri data, decode_data_uri(uri, where));
      loaded.resource.storage = Storage::kDataUri;
      loaded.resource.data = std::make_shared<const Bytes>(std::move(data.bytes));
      return loaded;
    }
    LIMBER_TRY(loaded.resource.path, relative_path(uri, where));
    const std::string& name = loaded.resource.path;
    if (folder_.empty()) {
      loaded.problem = "\"" + name + "\" lies outside the file, which was read without a folder";
      return loaded;
    }
    LIMBER_TRY(const auto path, path_inside(folder_, name, where));
    auto& data = files_[file_key(path)];
    if (!data) {
      auto bytes = read_file(path, source_.limits.max_file_bytes, source_.memory);
      if (!bytes.ok()) {
        loaded.problem = bytes.error().message();
        loaded.kind = bytes.error().kind;
        return loaded;
      }
      data = std::make_shared<const Bytes>(std::move(bytes).value());
      source_.file_bytes += data->size();
    }
    loaded.resource.storage = Storage::kFile;
    loaded.resource.data = data;
    return loaded;
  }

 private:
  /// One file has many names: "a.bin", "./a.bin", links.
  static std::string file_key(const std::filesystem::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return path.string();
    return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
  }

  const std::filesystem::path& folder_;
  Source& source_;
  std::unordered_map<std::string, std::shared_ptr<const Bytes>> files_;
};

Status load_buffers(const JsonAt& document, std::optional<std::span<const std::byte>> bin, ResourceLoader& loader,
                    Source& source) {
  LIMBER_TRY(const auto buffers, document.objects("buffers"));
  for (const JsonAt& buffer : buffers) {
    std::string uri;
    LIMBER_CHECK_OK(buffer.read("uri", uri));
    Resource resource;
    if (!uri.empty()) {
      LIMBER_TRY(auto loaded, loader.load(uri, buffer.where("uri")));
      if (!loaded.problem.empty() && !is_placeholder(buffer)) {
        return Error{loaded.problem, buffer.where("uri"), loaded.kind};
      }
      resource = std::move(loaded.resource);
    } else if (bin && source.buffers.empty()) {
      LIMBER_CHECK_OK(source.memory.take(bin->size(), buffer.where()));
      resource.storage = Storage::kBinChunk;
      resource.data = std::make_shared<const Bytes>(bin->begin(), bin->end());
    }
    std::uint64_t byte_length = 0;
    LIMBER_CHECK_OK(buffer.read("byteLength", byte_length));
    if (resource.data && byte_length > resource.data->size()) {
      source.warnings.push_back(buffer.where() + ": says " + std::to_string(byte_length) + " bytes, but has " +
                                std::to_string(resource.data->size()));
    }
    source.buffers.push_back(std::move(resource));
  }
  return Done{};
}

Status load_images(const JsonAt& document, ResourceLoader& loader, Source& source) {
  LIMBER_TRY(const auto images, document.objects("images"));
  for (const JsonAt& image : images) {
    std::string uri;
    LIMBER_CHECK_OK(image.read("uri", uri));
    Resource resource;
    if (!uri.empty()) {
      LIMBER_TRY(auto loaded, loader.load(uri, image.where("uri")));
      if (!loaded.problem.empty()) source.warnings.push_back(image.where() + ": " + loaded.problem);
      resource = std::move(loaded.resource);
    } else if (image.has("bufferView")) {
      resource.storage = Storage::kBufferView;
    }
    source.images.push_back(std::move(resource));
  }
  return Done{};
}

void append_u32(Bytes& bytes, std::uint32_t value) {
  const auto* data = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), data, data + sizeof(value));
}

void append_chunk(Bytes& bytes, std::uint32_t type, std::span<const std::byte> content, std::byte padding) {
  append_u32(bytes, static_cast<std::uint32_t>((content.size() + 3) / 4 * 4));
  append_u32(bytes, type);
  bytes.insert(bytes.end(), content.begin(), content.end());
  while (bytes.size() % 4 != 0) bytes.push_back(padding);
}

}  // namespace

bool is_glb(std::span<const std::byte> bytes) { return bytes.size() >= 4 && read_u32(bytes, 0) == kGlbMagic; }

Result<std::shared_ptr<Source>> open_source(std::span<const std::byte> bytes, const std::string& name,
                                            const std::filesystem::path& folder, const ReadLimits& limits) {
  auto source = std::make_shared<Source>();
  source->name = name;
  source->limits = limits;
  source->is_glb = is_glb(bytes);
  source->file_bytes = bytes.size();
  Chunks chunks{bytes, std::nullopt, {}};
  if (source->is_glb) {
    LIMBER_TRY(chunks, split_glb(bytes, *source));
  }
  source->extra_chunks = std::move(chunks.extra);
  LIMBER_TRY(source->json, parse_json(trimmed_json(as_text(chunks.json)), name, source->memory));

  const JsonAt document(source->json, name + "#");
  LIMBER_CHECK_OK(check_version(document, *source));
  ResourceLoader loader(folder, *source);
  LIMBER_CHECK_OK(load_buffers(document, chunks.bin, loader, *source));
  LIMBER_CHECK_OK(load_images(document, loader, *source));
  return source;
}

std::set<std::string> named_files(std::span<const std::byte> bytes) {
  std::set<std::string> names;
  Source source;
  Chunks chunks{bytes, std::nullopt, {}};
  if (is_glb(bytes)) {
    auto split = split_glb(bytes, source);
    if (!split.ok()) return names;
    chunks = std::move(split).value();
  }
  const Result<Json> json = parse_json(trimmed_json(as_text(chunks.json)), source.name, source.memory);
  if (!json.ok()) return names;
  for (const char* list : {"buffers", "images"}) {
    const auto resources = JsonAt(*json, source.name).objects(list);
    if (!resources.ok()) continue;
    for (const JsonAt& resource : *resources) {
      std::string uri;
      if (!resource.read("uri", uri).ok() || is_data_uri(uri)) continue;
      const Result<std::string> path = relative_path(uri, source.name);
      if (path.ok()) names.insert(std::filesystem::path(*path).lexically_normal().generic_string());
    }
  }
  return names;
}

Result<Bytes> glb_bytes(std::string_view json, std::span<const std::byte> bin,
                        std::span<const ExtraChunk> extra_chunks) {
  std::uint64_t size = 12 + 8 + (json.size() + 3) / 4 * 4;
  const bool has_bin = !bin.empty() || !extra_chunks.empty();
  if (has_bin) size += 8 + (bin.size() + 3) / 4 * 4;
  for (const ExtraChunk& chunk : extra_chunks) size += 8 + (chunk.bytes.size() + 3) / 4 * 4;
  if (size > std::numeric_limits<std::uint32_t>::max())
    return Error{"too large for a GLB: write .gltf instead", {}, ErrorKind::kUnsupported};

  Bytes bytes;
  bytes.reserve(size);
  append_u32(bytes, kGlbMagic);
  append_u32(bytes, 2);
  append_u32(bytes, static_cast<std::uint32_t>(size));
  append_chunk(bytes, kJsonChunk, as_bytes(json), std::byte{' '});
  if (has_bin) append_chunk(bytes, kBinChunk, bin, std::byte{0});
  for (const ExtraChunk& chunk : extra_chunks) append_chunk(bytes, chunk.type, chunk.bytes, std::byte{0});
  return bytes;
}

}  // namespace limber::asset
