// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/shelf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <system_error>
#include <thread>

#include "limber/asset/formats.h"
#include "limber/base/files.h"
#include "limber/base/temporary_name.h"
#include "studio/server/request_check.h"

namespace limber::studio {
namespace {

namespace fs = std::filesystem;

struct Ending {
  std::string_view text;
  AssetKind kind;
};
/// Beside models.
constexpr Ending kUploads[] = {
    {".mp4", AssetKind::kVideo},    {".m4v", AssetKind::kVideo},    {".mov", AssetKind::kVideo},
    {".webm", AssetKind::kVideo},   {".mkv", AssetKind::kVideo},    {".avi", AssetKind::kVideo},
    {".gif", AssetKind::kVideo},    {".png", AssetKind::kPicture},  {".jpg", AssetKind::kPicture},
    {".jpeg", AssetKind::kPicture}, {".webp", AssetKind::kPicture},
};

int number_of(const std::string& id) { return is_id(id, 'a') ? std::stoi(id.substr(1)) : -1; }

constexpr std::string_view kFolder = "limber-studio-", kLock = "lock";  // which a server that lives holds (flock)

/// Whether a folder was left by a server of this user that was killed. One without a lock is being made, or of another
/// kind.
bool is_left(const fs::path& folder) {
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid()) return false;
  const int lock = ::open((folder / kLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (lock < 0) return false;
  // It holds the boot once it is locked; locks of other machines may not be seen here.
  std::string boot(this_boot().size(), ' ');
  const bool left = ::read(lock, boot.data(), boot.size()) == static_cast<ssize_t>(boot.size()) &&
                    boot == this_boot() && ::flock(lock, LOCK_EX | LOCK_NB) == 0;
  ::close(lock);
  return left;
}

/// Removes what servers that were killed could not.
void sweep(const fs::path& parent) {
  std::error_code failed;
  std::vector<fs::path> left;
  for (fs::directory_iterator entry(parent, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (name.compare(0, kFolder.size(), kFolder) == 0 && is_left(entry->path())) left.push_back(entry->path());
  }
  for (const fs::path& folder : left) fs::remove_all(folder, failed);
}

Json or_null(const std::string& id) { return id.empty() ? Json() : Json(id); }

}  // namespace

std::string_view name(AssetKind kind) {
  constexpr std::string_view kNames[] = {"model", "video", "picture", "export"};
  return kNames[static_cast<std::size_t>(kind)];
}

Json to_json(const Asset& asset) {
  return {{"id", asset.id},
          {"name", asset.name},
          {"kind", name(asset.kind)},
          {"parent", or_null(asset.parent)},
          {"job", or_null(asset.job)},
          {"bytes", asset.bytes},
          {"label", asset.label},
          {"ready", asset.ready}};
}

std::optional<AssetKind> kind_of_upload(std::string_view name) {
  const std::string ending = lower_extension(std::string(name));
  const asset::Format* model = asset::find_format(fs::path(ending));
  if (model != nullptr && model->reads()) return AssetKind::kModel;
  for (const Ending& known : kUploads) {
    if (ending == known.text) return known.kind;
  }
  return std::nullopt;
}

void remove_now(const fs::path& path) noexcept {
  constexpr int kTries = 3;  // where too many files are open, some are closed soon
  try {
    for (int i = 0; i < kTries; ++i) {
      std::error_code failed;
      fs::remove_all(path, failed);
      if (!failed) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  } catch (const std::bad_alloc&) {
  }
}

std::string line_of(const Json& document) { return document.dump(-1, ' ', false, Json::error_handler_t::replace); }

Result<std::unique_ptr<Shelf>> Shelf::open(Events& events, const ShelfLimits& limits) {
  std::error_code failed;
  fs::path parent = fs::temp_directory_path(failed);
  if (failed) parent = "/tmp";
  sweep(parent);
  std::string name = (parent / (std::string(kFolder) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) return Error{std::strerror(errno), name};
  std::unique_ptr<Shelf> shelf(new Shelf(events, limits));
  shelf->folder_ = name;
  shelf->lock_ = ::open((shelf->folder_ / kLock).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const std::string& boot = this_boot();
  if (shelf->lock_ < 0 || ::flock(shelf->lock_, LOCK_EX | LOCK_NB) != 0 ||
      ::write(shelf->lock_, boot.data(), boot.size()) != static_cast<ssize_t>(boot.size())) {
    return Error{std::strerror(errno), name};
  }
  return shelf;
}

Shelf::~Shelf() {
  remove_now(folder_);
  if (lock_ >= 0) ::close(lock_);
}

fs::path Shelf::new_file(const std::string& ending) {
  std::lock_guard lock(mutex_);
  return folder_ / ("new" + std::to_string(++files_) + ending);
}

Result<Asset> Shelf::add(Asset asset, const fs::path& file) {
  std::error_code failed;
  asset.bytes = fs::file_size(file, failed);
  if (failed) return Error{failed.message(), asset.name};
  std::lock_guard lock(mutex_);
  if (assets_.size() >= limits_.assets || bytes_ + asset.bytes > limits_.bytes) {
    fs::remove(file, failed);
    return Error{"there is no room left: remove some assets first", asset.name, ErrorKind::kOutOfMemory};
  }
  const int number = next_++;
  asset.id = "a" + std::to_string(number);
  // A folder of its own: a file that names others finds none.
  RemovedAtEnd own(folder_ / asset.id);
  fs::create_directory(folder_ / asset.id, failed);
  asset.file = folder_ / asset.id / ("file" + lower_extension(file));
  fs::rename(file, asset.file, failed);
  if (failed) {
    const std::string why = failed.message();
    fs::remove(file, failed);
    return Error{"cannot be kept: " + why, asset.name};
  }
  assets_.emplace(number, asset);
  own.keep();
  bytes_ += asset.bytes;
  tell(asset);
  return asset;
}

Status Shelf::make_ready(const std::string& id, const fs::path& file) {
  std::lock_guard lock(mutex_);
  const auto found = assets_.find(number_of(id));
  if (found == assets_.end()) return Done{};
  Asset& asset = found->second;
  std::error_code failed;
  const fs::path target = folder_ / id / "model.glb";
  fs::rename(file, target, failed);
  if (failed) return Error{"cannot be kept: " + failed.message(), asset.name};
  fs::remove(asset.file, failed);
  bytes_ -= asset.bytes;
  asset.file = target, asset.bytes = fs::file_size(target, failed), asset.ready = true;
  bytes_ += asset.bytes;
  tell(asset);
  return Done{};
}

void Shelf::tell(const Asset& asset) noexcept {
  try {
    events_.tell("asset", line_of(to_json(asset)));
  } catch (const std::bad_alloc&) {
    events_.lose();
  }
}

bool Shelf::remove(const std::string& id) {
  std::lock_guard lock(mutex_);
  const auto found = assets_.find(number_of(id));
  if (found == assets_.end()) return false;
  std::error_code failed;
  fs::remove_all(folder_ / id, failed);
  bytes_ -= found->second.bytes;
  assets_.erase(found);
  events_.tell("removed", line_of({{"id", id}}));
  return true;
}

std::optional<Asset> Shelf::find(const std::string& id) const {
  std::lock_guard lock(mutex_);
  const auto found = assets_.find(number_of(id));
  return found == assets_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Asset> Shelf::list() const {
  std::lock_guard lock(mutex_);
  std::vector<Asset> all;
  for (const auto& [number, asset] : assets_) all.push_back(asset);
  return all;
}

}  // namespace limber::studio
