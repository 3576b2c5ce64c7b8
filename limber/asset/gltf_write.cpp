// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/gltf_write.h"

#include <algorithm>
#include <exception>
#include <new>

#include "limber/asset/check.h"
#include "limber/asset/gltf_container.h"
#include "limber/asset/gltf_pack.h"
#include "limber/asset/gltf_uri.h"
#include "limber/asset/write.h"
#include "limber/base/quote.h"

namespace limber::asset {
namespace {

/// The source's document with the differences between the source and the asset entered.
Result<Draft> make_draft(const Asset& asset) {
  LIMBER_CHECK_OK(check_asset(asset));
  Decoded before;
  if (asset.source) {
    LIMBER_TRY(before, decode(*asset.source, Counted::kBefore));
  }
  Draft draft(asset.source.get());
  PatchContext context{draft, before, asset};
  LIMBER_CHECK_OK(patch_meshes(context));
  LIMBER_CHECK_OK(patch_materials(context));
  LIMBER_CHECK_OK(patch_nodes(context));
  LIMBER_CHECK_OK(patch_clips(context));
  draft.finish();
  return draft;
}

/// The edge of the module: what the JSON library, the file system or the allocator throw ends here.
template <class Work>
auto guarded(const std::string& name, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error{"there is not enough memory to write it", name, ErrorKind::kOutOfMemory};
  } catch (const std::exception& exception) {
    return Error{shortened(exception.what()), name};
  }
}

bool is_hidden(const std::filesystem::path& path) {
  return std::any_of(path.begin(), path.end(), [](const auto& part) { return part.native().substr(0, 1) == "."; });
}

/// Whether `target` holds these bytes.
bool holds(const std::filesystem::path& target, const Bytes& bytes) {
  std::error_code failed;
  if (std::filesystem::file_size(target, failed) != bytes.size() || failed) return false;
  const Result<Bytes> there = read_file(target, bytes.size());
  return there.ok() && *there == bytes;
}

/// Whether the file is to be written. Its name and content may be a stranger's wish: it replaces nothing but what the
/// model at `path`, which is being replaced, had beside it.
Result<bool> is_to_be_written(const Sidecar& sidecar, const std::filesystem::path& target,
                              const std::filesystem::path& path) {
  if (holds(target, *sidecar.data)) return false;
  const std::string name = '"' + shortened(sidecar.path) + '"';
  if (is_hidden(sidecar.path)) {
    return Error{"the model wants " + name + " beside it, and hidden files are not written; as .glb it needs none",
                 path.string(), ErrorKind::kConflict};
  }
  if (!std::filesystem::exists(std::filesystem::symlink_status(target))) return true;
  const Result<Bytes> before = read_file(path);
  if (before.ok() && named_files(*before).count(sidecar.path) > 0) return true;
  if (!before.ok() && before.error().kind != ErrorKind::kMissing) return before.error();
  return Error{"the model wants " + name + " beside it, and a file of this name is there with other content" +
                   "; write it to another folder, or as .glb",
               path.string(), ErrorKind::kConflict};
}

Status write_package(const Package& package, const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::vector<PendingFile> files;
  for (const Sidecar& sidecar : package.sidecars) {
    LIMBER_TRY(auto target, path_inside(folder, sidecar.path, path.string()));
    if (target == std::filesystem::weakly_canonical(path)) {
      return Error{"a file beside the asset has the name of the asset itself", path.string()};
    }
    LIMBER_TRY(const bool is_new, is_to_be_written(sidecar, target, path));
    if (is_new) files.push_back({std::move(target), *sidecar.data});
  }
  for (const PendingFile& file : files) std::filesystem::create_directories(file.path.parent_path());
  files.push_back({path, package.main});
  return write_files(files);
}

}  // namespace

Result<Bytes> write_glb(const Asset& asset) {
  return guarded(asset.name, [&]() -> Result<Bytes> {
    LIMBER_TRY(Draft draft, make_draft(asset));
    LIMBER_TRY(Package package, pack_glb(std::move(draft), false));
    return std::move(package.main);
  });
}

Status write_gltf(const Asset& asset, const std::filesystem::path& path, GltfContainer container) {
  return guarded(path.string(), [&]() -> Status {
    LIMBER_TRY(Draft draft, make_draft(asset));
    LIMBER_TRY(const Package package, container == GltfContainer::kGlb
                                          ? pack_glb(std::move(draft), true)
                                          : pack_gltf(std::move(draft), path.stem().string()));
    return write_package(package, path);
  });
}

}  // namespace limber::asset
