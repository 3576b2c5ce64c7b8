// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <memory>
#include <sstream>
#include <system_error>

#include "limber/asset/assimp_scene.h"
#include "limber/asset/read.h"
#include "limber/asset/write.h"
#include "limber/base/isolate.h"
#include "limber/base/memory_budget.h"
#include "limber/base/quote.h"

#if defined(LIMBER_WITH_ASSIMP)
#include <assimp/DefaultIOSystem.h>
#include <assimp/config.h>
#include <assimp/scene.h>

#include <assimp/IOStream.hpp>
#include <assimp/Importer.hpp>
#endif

namespace limber::asset {

std::filesystem::path path_below(const std::filesystem::path& folder, const std::filesystem::path& relative) {
  std::error_code error;
  const std::filesystem::path root = std::filesystem::weakly_canonical(folder.empty() ? "." : folder, error);
  if (error) return {};
  const std::filesystem::path file = std::filesystem::weakly_canonical(root / relative, error);
  if (error) return {};
  const auto [end, ignored] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  return end == root.end() ? file : std::filesystem::path();
}

#if defined(LIMBER_WITH_ASSIMP)
namespace {

/// What kept a file from being read, as errno has it; 0 for nothing. Importers take what a disk does not give for the
/// end of the file, or do without the file.
using Trouble = int;

/// A file that notes its troubles.
class NotingStream final : public Assimp::IOStream {
 public:
  NotingStream(std::unique_ptr<Assimp::IOStream> file, Trouble& trouble) : file_(std::move(file)), trouble_(trouble) {}

  size_t Read(void* bytes, size_t size, size_t count) override {
    errno = 0;
    const size_t got = file_->Read(bytes, size, count);
    if (got < count && file_->Tell() < file_->FileSize()) trouble_ = errno != 0 ? errno : EIO;
    return got;
  }
  size_t Write(const void*, size_t, size_t) override { return 0; }
  aiReturn Seek(size_t offset, aiOrigin origin) override { return file_->Seek(offset, origin); }
  size_t Tell() const override { return file_->Tell(); }
  size_t FileSize() const override { return file_->FileSize(); }
  void Flush() override {}

 private:
  std::unique_ptr<Assimp::IOStream> file_;
  Trouble& trouble_;
};

/// Lets assimp open the files in one folder and below it, up to a size.
class FolderOnly : public Assimp::DefaultIOSystem {
 public:
  FolderOnly(std::filesystem::path folder, std::uint64_t max_bytes, Trouble& trouble)
      : folder_(std::move(folder)), max_bytes_(max_bytes), trouble_(trouble) {}

  /// Not as assimp does it, by opening the file: that may fail for another reason.
  bool Exists(const char* file) const override { return allowed(file); }
  Assimp::IOStream* Open(const char* file, const char* mode) override {
    if (!allowed(file)) return nullptr;
    errno = 0;
    std::unique_ptr<Assimp::IOStream> opened(DefaultIOSystem::Open(file, mode));
    // Materials that this user may not read are left out, as those that are not there.
    if (!opened && errno != EACCES && errno != ENOENT) trouble_ = errno != 0 ? errno : EIO;
    return opened ? new NotingStream(std::move(opened), trouble_) : nullptr;  // closed by assimp, which deletes it
  }

 private:
  bool allowed(const char* file) const {
    const std::filesystem::path path = path_below(folder_, std::filesystem::absolute(file));
    std::error_code error;
    return !path.empty() && std::filesystem::is_regular_file(path, error) &&
           std::filesystem::file_size(path, error) <= max_bytes_ && !error;
  }

  std::filesystem::path folder_;
  std::uint64_t max_bytes_;
  Trouble& trouble_;
};

/// A PLY header that claims more elements than the file has bytes would keep assimp busy for hours.
Status check_ply_header(const std::filesystem::path& path, std::uint64_t size) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  for (int lines = 0; lines < 1000 && std::getline(file, line); ++lines) {
    std::istringstream words(line);
    words.exceptions(std::ios::badbit);  // without memory it would say nothing, and the line would count as harmless
    std::string keyword, name, count;
    words >> keyword >> name >> count;
    if (keyword == "end_header") return Done{};
    if (keyword != "element") continue;
    if (count.empty() || count.size() > 12 || count.find_first_not_of("0123456789") != std::string::npos) {
      return Error{fmt::format("a PLY header with the line '{}'", line.substr(0, 60)), path.filename().string()};
    }
    if (std::stoull(count) > size) {
      return Error{fmt::format("claims {} elements of '{}' in {} bytes", count, name, size), path.filename().string()};
    }
  }
  return Error{file.bad() ? "cannot read" : "no PLY header", path.filename().string()};
}

Result<Asset> import_here(const std::filesystem::path& path, const SceneOrigin& origin) {
  Trouble trouble = 0;
  Assimp::Importer importer;
  // The importer owns it.
  importer.SetIOHandler(new FolderOnly(origin.folder, origin.limits.max_file_bytes, trouble));
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);  // joints as single nodes
  const aiScene* scene = importer.ReadFile(path.string(), 0);
  if (trouble != 0) return Error{std::string("cannot read: ") + std::strerror(trouble), origin.name};
  if (!scene && importer.GetException()) std::rethrow_exception(importer.GetException());  // too little memory, say
  if (!scene) return Error{shortened(importer.GetErrorString()), origin.name};
  return convert_scene(*scene, origin);
}

/// Warnings, a zero byte, and the asset as GLB: what the child process sends back.
Result<Bytes> pack(const Asset& asset) {
  std::string warnings;
  for (const std::string& warning : asset.warnings) warnings += warning + '\n';
  std::replace(warnings.begin(), warnings.end(), '\0', ' ');
  LIMBER_TRY(const Bytes glb, write_glb(asset));
  const auto text = as_bytes(std::string_view(warnings.c_str(), warnings.size() + 1));
  Bytes packed(text.begin(), text.end());
  packed.insert(packed.end(), glb.begin(), glb.end());
  return packed;
}

Result<Asset> unpack(std::span<const std::byte> packed, const SceneOrigin& origin) {
  const auto end = std::find(packed.begin(), packed.end(), std::byte{0});
  if (end == packed.end()) return Error{"the importer sent nothing", origin.name};
  const auto length = static_cast<std::size_t>(end - packed.begin());
  LIMBER_TRY(Asset asset, read_gltf(packed.subspan(length + 1), origin.name, {}, origin.limits));
  std::string_view warnings = as_text(packed.first(length));
  for (std::size_t stop; (stop = warnings.find('\n')) != std::string_view::npos; warnings.remove_prefix(stop + 1)) {
    asset.warnings.emplace_back(warnings.substr(0, stop));
  }
  asset.source = nullptr;  // the GLB on the way here is not the user's file
  return asset;
}

}  // namespace

Result<Asset> import_with_assimp(const std::filesystem::path& path, const ReadLimits& limits) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) {
    const bool missing = error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
    return Error{error.message(), path.string(), missing ? ErrorKind::kMissing : ErrorKind::kInput};
  }
  if (size > limits.max_file_bytes)
    return Error{fmt::format("larger than {} bytes", limits.max_file_bytes), path.string(), ErrorKind::kOutOfMemory};
  SceneOrigin origin{path.parent_path(), path.filename().string(), lower_extension(path), limits};
  if (origin.extension == ".ply") LIMBER_CHECK_OK(check_ply_header(path, size));

  // Assimp is not hardened against hostile files: it works in a child process, and only data comes back.
  IsolationLimits isolation;
  const std::uint64_t own_memory = isolation.memory_bytes + 32 * size, left = memory_budget_left();
  isolation.memory_bytes = std::min(own_memory, left);
  isolation.seconds = import_seconds(size);
  isolation.readable = {origin.folder, path};
  isolation.result_bytes = std::min(limits.decoded_slack + limits.max_expansion * size, left);
  Result<Bytes> packed = run_isolated(
      [&]() -> Result<Bytes> {
        LIMBER_TRY(const Asset asset, import_here(path, origin));
        return pack(asset);
      },
      isolation);
  if (!packed.ok() && packed.error().kind == ErrorKind::kOutOfMemory && left < own_memory) {
    return beyond_memory_budget(isolation.memory_bytes, origin.name);
  }
  if (!packed.ok()) return Error{shortened(packed.error().what), origin.name, packed.error().kind};
  MemoryShare memory;
  LIMBER_CHECK_OK(memory.take(packed->size(), origin.name));
  return unpack(*packed, origin);
}

#else

Result<Asset> import_with_assimp(const std::filesystem::path& path, const ReadLimits&) {
  return Error{"this build of limber has no assimp, which reads FBX, OBJ, PLY, STL and DAE", path.filename().string(),
               ErrorKind::kUnsupported};
}

#endif

}  // namespace limber::asset
