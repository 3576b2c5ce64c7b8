// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/batch/item_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "limber/batch/item.h"

namespace limber::batch {
namespace {

/// Places in files have 63 bits. Two items that share one wait for each other, no more.
struct flock place_of(std::string_view id) {
  struct flock place {};
  place.l_type = F_WRLCK;
  place.l_whence = SEEK_SET;
  place.l_start = static_cast<off_t>(id_number(id) >> 2);
  place.l_len = 1;
  return place;
}

}  // namespace

Result<std::optional<ItemLock>> ItemLock::take(const std::filesystem::path& file, std::string_view id) {
  // A description of its own: these locks belong to it, not to the process, so that threads exclude each other, too.
  ItemLock lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (lock.descriptor_ < 0) return Error{std::string("cannot open: ") + std::strerror(errno), file.string()};
  struct flock place = place_of(id);
  if (::fcntl(lock.descriptor_, F_OFD_SETLK, &place) == 0) return std::optional<ItemLock>(std::move(lock));
  if (errno == EAGAIN || errno == EACCES) return std::optional<ItemLock>();
  return Error{std::string("this file system has no locks: ") + std::strerror(errno), file.string(),
               ErrorKind::kUnsupported};
}

ItemLock::ItemLock(ItemLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

ItemLock::~ItemLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

LockViewer::LockViewer(const std::filesystem::path& file) : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}

LockViewer::~LockViewer() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool LockViewer::is_held(std::string_view id) const {
  struct flock place = place_of(id);
  return descriptor_ >= 0 && ::fcntl(descriptor_, F_OFD_GETLK, &place) == 0 && place.l_type != F_UNLCK;
}

}  // namespace limber::batch
