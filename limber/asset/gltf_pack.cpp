// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/gltf_pack.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "limber/asset/gltf_container.h"
#include "limber/asset/gltf_uri.h"

namespace limber::asset {
namespace {

void align(Bytes& bytes) { bytes.resize((bytes.size() + 3) / 4 * 4); }

/// Appends and returns the offset.
std::size_t append_aligned(Bytes& bytes, std::span<const std::byte> content) {
  align(bytes);
  const std::size_t offset = bytes.size();
  bytes.insert(bytes.end(), content.begin(), content.end());
  return offset;
}

/// Points the views that were added at `buffer`, where their data begins at `base`.
void place_added_views(Draft& draft, std::size_t buffer, std::size_t base) {
  if (draft.first_view() == array_size(draft.json, "bufferViews")) return;
  Json& views = draft.json["bufferViews"];
  for (std::size_t i = draft.first_view(); i < views.size(); ++i) {
    Json& view = views[i];
    view["buffer"] = buffer;
    view["byteOffset"] = view["byteOffset"].get<std::size_t>() + base;
  }
}

std::string dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

bool has_files(const std::vector<Resource>& resources) {
  return std::any_of(resources.begin(), resources.end(),
                     [](const Resource& resource) { return resource.storage == Storage::kFile; });
}

/// Appends the new data to the first buffer, which becomes `bin`.
void grow_first_buffer(Draft& draft, Bytes& bin) {
  if (draft.added().empty()) return;
  const std::size_t base = append_aligned(bin, draft.added());
  align(bin);
  if (draft.buffers.empty()) {
    draft.buffers.emplace_back();
    draft.json["buffers"] = Json::array({Json::object()});
  }
  draft.json["buffers"][0]["byteLength"] = bin.size();
  place_added_views(draft, 0, base);
}

/// All buffers in one. Placeholders, which have no data, move behind it.
class BufferMerger {
 public:
  BufferMerger(Draft& draft, Bytes& bin) : draft_(draft), bin_(bin) {
    std::size_t next = 1;
    for (const Resource& buffer : draft.buffers) {
      if (buffer.data) {
        moved_.push_back({0, append_once(buffer)});
      } else {
        moved_.push_back({next++, 0});
      }
    }
  }

  void merge() {
    Json& json = draft_.json;
    const std::size_t view_count = draft_.first_view();
    Json* views = view_count > 0 ? &json["bufferViews"] : nullptr;
    for (std::size_t i = 0; i < view_count; ++i) {
      Json& view = (*views)[i];
      move(view);
      if (!view.contains("extensions") || !view["extensions"].is_object()) continue;
      for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
        if (view["extensions"].contains(name)) move(view["extensions"][name]);
      }
    }
    place_added_views(draft_, 0, append_aligned(bin_, draft_.added()));
    embed_images();
    align(bin_);
    if (bin_.empty()) return;
    Json buffers = Json::array({{{"byteLength", bin_.size()}}});
    for (std::size_t i = 0; i < draft_.buffers.size(); ++i) {
      if (!draft_.buffers[i].data) buffers.push_back(json["buffers"][i]);
    }
    json["buffers"] = std::move(buffers);
  }

 private:
  struct Place {
    std::size_t buffer, offset;
  };

  /// Data that several buffers or images share is written once.
  std::size_t append_once(const Resource& resource) {
    const auto [place, is_new] = offsets_.try_emplace(resource.data.get(), 0);
    if (is_new) place->second = append_aligned(bin_, resource.bytes());
    return place->second;
  }

  void move(Json& view) {
    // A view that nothing uses may be damaged; then it stays as it is.
    const JsonAt at(view, "");
    int buffer = -1;
    std::uint64_t offset = 0;
    if (!at.read_index("buffer", moved_.size(), "buffer", buffer).ok() || buffer < 0) return;
    if (!at.read("byteOffset", offset).ok() || offset > std::uint64_t{1} << 53) return;
    const Place& place = moved_[static_cast<std::size_t>(buffer)];
    view["buffer"] = place.buffer;
    if (place.offset != 0) view["byteOffset"] = offset + place.offset;
  }

  void embed_images() {
    for (std::size_t i = 0; i < draft_.images.size(); ++i) {
      const Resource& image = draft_.images[i];
      if (!image.data) continue;
      Json& json = draft_.json["images"][i];
      if (!json.contains("mimeType")) {
        const std::string type = image_type(image.bytes());
        json["mimeType"] = type.empty() ? "application/octet-stream" : type;
      }
      json.erase("uri");
      json["bufferView"] = array_size(draft_.json, "bufferViews");
      const std::size_t offset = append_once(image);
      draft_.json["bufferViews"].push_back(
          {{"buffer", 0}, {"byteOffset", offset}, {"byteLength", image.bytes().size()}});
    }
  }

  Draft& draft_;
  Bytes& bin_;
  std::vector<Place> moved_;
  std::unordered_map<const Bytes*, std::size_t> offsets_;
};

Status add_sidecar(std::vector<Sidecar>& sidecars, const Resource& resource) {
  if (resource.storage != Storage::kFile) return Done{};
  const std::string path = std::filesystem::path(resource.path).lexically_normal().generic_string();
  for (const Sidecar& known : sidecars) {
    if (known.path != path) continue;
    if (known.data == resource.data || *known.data == *resource.data) return Done{};
    return Error{"two different files would be written as \"" + resource.path + "\"", {}};
  }
  sidecars.push_back({path, resource.data});
  return Done{};
}

Status add_sidecars(const Draft& draft, std::vector<Sidecar>& sidecars) {
  for (const Resource& buffer : draft.buffers) LIMBER_CHECK_OK(add_sidecar(sidecars, buffer));
  for (const Resource& image : draft.images) LIMBER_CHECK_OK(add_sidecar(sidecars, image));
  return Done{};
}

std::string free_name(const Draft& draft, const std::string& stem) {
  const auto taken = [&](const std::string& name) {
    const auto has_name = [&](const Resource& resource) { return resource.path == name; };
    return std::any_of(draft.buffers.begin(), draft.buffers.end(), has_name) ||
           std::any_of(draft.images.begin(), draft.images.end(), has_name);
  };
  std::string name = stem + ".bin";
  for (int i = 1; taken(name); ++i) name = stem + "_" + std::to_string(i) + ".bin";
  return name;
}

}  // namespace

Result<Package> pack_glb(Draft draft, bool keep_files) {
  Package package;
  Bytes bin;
  const bool in_first_chunk = !draft.buffers.empty() && draft.buffers[0].storage == Storage::kBinChunk;
  const bool can_grow = in_first_chunk || array_size(draft.json, "buffers") == 0;
  const bool files_stay = keep_files || (!has_files(draft.buffers) && !has_files(draft.images));
  if (draft.from_glb && files_stay && (can_grow || draft.added().empty())) {
    if (in_first_chunk) bin.assign(draft.buffers[0].bytes().begin(), draft.buffers[0].bytes().end());
    grow_first_buffer(draft, bin);
    LIMBER_CHECK_OK(add_sidecars(draft, package.sidecars));
  } else {
    BufferMerger(draft, bin).merge();
  }
  LIMBER_TRY(package.main, glb_bytes(dumped(draft.json, -1), bin, draft.extra_chunks));
  return package;
}

Result<Package> pack_gltf(Draft draft, const std::string& stem) {
  // The binary chunk becomes a file, which the new data joins; else the new data has a file of its own.
  const bool has_chunk = !draft.buffers.empty() && draft.buffers[0].storage == Storage::kBinChunk;
  if (has_chunk || !draft.added().empty()) {
    const std::string name = free_name(draft, stem);
    const std::size_t index = has_chunk ? 0 : array_size(draft.json, "buffers");
    Bytes bytes;
    if (has_chunk) {
      bytes.assign(draft.buffers[0].bytes().begin(), draft.buffers[0].bytes().end());
    } else {
      draft.json["buffers"].push_back(Json::object());
      draft.buffers.resize(index + 1);
    }
    Json& buffer = draft.json["buffers"][index];
    buffer["uri"] = percent_encoded(name);
    if (!draft.added().empty()) {
      place_added_views(draft, index, append_aligned(bytes, draft.added()));
      buffer["byteLength"] = bytes.size();
    }
    draft.buffers[index] = {Storage::kFile, name, std::make_shared<const Bytes>(std::move(bytes))};
  }
  Package package;
  LIMBER_CHECK_OK(add_sidecars(draft, package.sidecars));
  const std::string text = dumped(draft.json, 2);
  const auto bytes = as_bytes(text);
  package.main.assign(bytes.begin(), bytes.end());
  return package;
}

}  // namespace limber::asset
