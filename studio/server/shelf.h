// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "limber/base/result.h"
#include "studio/server/events.h"

/// The files that people dropped and that jobs made. Names are labels alone: on the disk a file is called by its id, in
/// a folder that goes with the server. Safe from any thread.
namespace limber::studio {

using Json = nlohmann::ordered_json;

enum class AssetKind { kModel, kVideo, kPicture, kExport };
std::string_view name(AssetKind kind);  ///< "model"

struct Asset {
  std::string id;    ///< "a3"
  std::string name;  ///< a label, cleaned
  AssetKind kind = AssetKind::kModel;
  std::string parent, job;  ///< ids, empty for none
  std::string label;        ///< what it shows: "a fox trots"
  std::uint64_t bytes = 0;
  bool ready = true;  ///< false while a model is being turned into a GLB
  std::filesystem::path file;
};
Json to_json(const Asset& asset);

/// What a file that is uploaded by this name is; nothing where nothing here reads such.
std::optional<AssetKind> kind_of_upload(std::string_view name);

/// One line, whatever the strings hold.
std::string line_of(const Json& document);

/// Removes what is there, and what is in it. What cannot be removed now goes with the studio's folder.
void remove_now(const std::filesystem::path& path) noexcept;

/// Removes a file, or a folder with what is in it, at the end of its scope, whatever ends that.
class RemovedAtEnd {
 public:
  explicit RemovedAtEnd(std::filesystem::path path) : path_(std::move(path)) {}
  ~RemovedAtEnd() {
    if (!kept_) remove_now(path_);
  }
  RemovedAtEnd(const RemovedAtEnd&) = delete;
  RemovedAtEnd& operator=(const RemovedAtEnd&) = delete;
  void keep() { kept_ = true; }

 private:
  std::filesystem::path path_;
  bool kept_ = false;
};

struct ShelfLimits {
  std::size_t assets = 2000;
  std::uint64_t bytes = std::uint64_t{16} << 30;  ///< of all together
};

class Shelf {
 public:
  /// Makes a folder that nobody else can read, and removes those of servers that were killed. `events` must outlive it.
  static Result<std::unique_ptr<Shelf>> open(Events& events, const ShelfLimits& limits = {});
  ~Shelf();  ///< removes the folder and all that is in it
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  /// Where something may be written that is to become an asset. Same ending, new name at every call.
  std::filesystem::path new_file(const std::string& ending);

  /// Takes the file, gives it an id and tells of it. `kOutOfMemory` where the shelf is full; the file is gone then.
  Result<Asset> add(Asset asset, const std::filesystem::path& file);
  /// A model that was waiting: `file` is its GLB. One that was removed meanwhile needs none.
  Status make_ready(const std::string& id, const std::filesystem::path& file);
  bool remove(const std::string& id);
  std::optional<Asset> find(const std::string& id) const;
  std::vector<Asset> list() const;  ///< oldest first

 private:
  Shelf(Events& events, const ShelfLimits& limits) : events_(events), limits_(limits) {}
  void tell(const Asset& asset) noexcept;

  Events& events_;
  ShelfLimits limits_;
  std::filesystem::path folder_;
  int lock_ = -1;  // says that its owner lives
  mutable std::mutex mutex_;
  std::map<int, Asset> assets_;  // by the number of their id
  std::uint64_t bytes_ = 0;
  int next_ = 1, files_ = 0;
};

}  // namespace limber::studio
