// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "limber/base/temporary_name.h"
#include "limber/base/writable.h"

namespace limber {
namespace {

ErrorKind kind_of(int code) {
  if (code == ENOENT || code == ENOTDIR) return ErrorKind::kMissing;
  return code == ENOMEM ? ErrorKind::kOutOfMemory : ErrorKind::kInput;
}

Error system_error(const std::filesystem::path& path, std::string what) {
  const int code = errno;
  std::error_code failed;
  if (code == ENOENT && path.has_parent_path() && !std::filesystem::exists(path.parent_path(), failed)) {
    return {"the folder is missing", path.string(), ErrorKind::kMissing};
  }
  return {std::move(what) + ": " + std::strerror(code), path.string(), kind_of(code)};
}

/// Names of temporary files that exist now. Never freed, and with atomic flags: a signal handler reads it.
struct UnfinishedName {
  std::atomic<int> state{1};  // 0 free, 1 being filled in, 2 in use
  std::array<char, 4096> path{};
  int lock = -1;  // a descriptor that holds the file's lock until it has its own name
  UnfinishedName* next = nullptr;
};
std::atomic<UnfinishedName*> g_unfinished{nullptr};
std::atomic<int> g_renaming{0};

UnfinishedName& free_name() {
  for (UnfinishedName* name = g_unfinished; name != nullptr; name = name->next) {
    int free = 0;
    if (name->state.compare_exchange_strong(free, 1)) return *name;
  }
  auto* name = new UnfinishedName;
  name->next = g_unfinished;
  while (!g_unfinished.compare_exchange_weak(name->next, name)) {
  }
  return *name;
}

/// Where writing to `target` leads: what a link names is replaced, and not the link, even if it is not there yet.
std::filesystem::path behind_links(std::filesystem::path target) {
  constexpr int kMostLinks = 40;
  std::error_code failed;
  for (int i = 0; i < kMostLinks; ++i) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, failed);
    if (failed) break;
    target = target.parent_path() / next;  // which is `next` where that is absolute
  }
  return target;
}

/// The first time that this process writes there.
void sweep_once(const std::filesystem::path& target) {
  static std::mutex mutex;
  static std::set<std::filesystem::path> swept;
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::absolute(target, failed).parent_path();
  {
    const std::lock_guard lock(mutex);
    if (failed || !swept.insert(folder).second) return;
  }
  sweep_temporary_files(folder);
}

/// What is there: of type 0 for nothing.
struct stat look_at(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) info = {};
  return info;
}

bool is_device(const struct stat& info) {
  return info.st_mode != 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

struct Renaming {
  Renaming() { ++g_renaming; }
  ~Renaming() { --g_renaming; }
  Renaming(const Renaming&) = delete;
  Renaming& operator=(const Renaming&) = delete;
};

/// What is at a place before a file comes there, so that it can be had back: a second name of it. Where the file system
/// knows no such thing, nothing can.
class Before {
 public:
  explicit Before(const std::filesystem::path& path) : place_(behind_links(path)) {
    const mode_t kind = look_at(place_).st_mode;
    was_there_ = kind != 0;
    std::string name = S_ISREG(kind) ? temporary_name(place_) : std::string();
    if (!name.empty() && ::link(place_.c_str(), name.c_str()) == 0) name_ = std::move(name);
  }
  Before(Before&& other) noexcept
      : place_(std::move(other.place_)), name_(std::exchange(other.name_, {})), was_there_(other.was_there_) {}
  Before& operator=(Before&&) = delete;
  ~Before() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  void put_back() {
    if (!was_there_) {
      ::unlink(place_.c_str());
    } else if (!name_.empty() && ::rename(name_.c_str(), place_.c_str()) == 0) {
      name_.clear();
    }
  }

 private:
  std::filesystem::path place_;
  std::string name_;
  bool was_there_ = false;
};

}  // namespace

Result<UnfinishedFile> UnfinishedFile::create(const std::filesystem::path& target) {
  const struct stat old = look_at(target);
  if (S_ISDIR(old.st_mode)) return Error{"cannot write: there is a folder of this name", target.string()};
  if (is_device(old)) {  // /dev/stdout: nothing to be replaced
    UnfinishedFile file(target);
    file.file_ = ::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file.file_ < 0) return system_error(target, "cannot write");
    return file;
  }

  UnfinishedFile file(behind_links(target));
  std::error_code failed;
  if (std::filesystem::is_symlink(file.target_, failed)) {  // one that leads to itself
    errno = ELOOP;
    return system_error(target, "cannot write");
  }
  sweep_once(file.target_);
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && file.file_ < 0 && (i == 0 || errno == EEXIST); ++i) {
    file.forget();
    file.name_ = temporary_name(file.target_);
    if (file.name_.empty()) return system_error(target, "no source of randomness for a name");
    file.remember();
    // What replaces a file is seen by nobody whom that was hidden from.
    const bool replaces = S_ISREG(old.st_mode);
    file.file_ = ::open(file.name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, replaces ? 0600 : 0666);
  }
  if (file.file_ < 0) {
    file.name_.clear();
    return system_error(target, "cannot write");
  }
  // Where locks are unknown nobody can hold one, and no sweep takes the file for left.
  static_cast<void>(::flock(file.file_, LOCK_EX | LOCK_NB));
  static_cast<UnfinishedName*>(file.slot_)->lock = ::fcntl(file.file_, F_DUPFD_CLOEXEC, 0);
  return file;
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : target_(std::move(other.target_)),
      name_(std::exchange(other.name_, {})),
      file_(std::exchange(other.file_, -1)),
      slot_(std::exchange(other.slot_, nullptr)) {}

UnfinishedFile::~UnfinishedFile() {
  if (file_ >= 0) ::close(file_);
  if (!name_.empty()) ::unlink(name_.c_str());
  forget();
}

Status UnfinishedFile::write(std::span<const std::byte> bytes) {
  LIMBER_EXPECT(file_ >= 0, "written to after flush");
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(file_, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return system_error(target_, "cannot write");
    done += static_cast<std::size_t>(n);
  }
  return Done{};
}

Status UnfinishedFile::flush() {
  // Those of the file that is replaced, at last: until now another program may have had to open this one to write it.
  if (const struct stat old = look_at(target_); S_ISREG(old.st_mode)) {
    // The owner first: changing that takes away some rights. Only root can, others need not.
    static_cast<void>(!::fchown(file_, old.st_uid, old.st_gid));
    static_cast<void>(::fchmod(file_, old.st_mode & 07777));
  }
  // The data must reach the disk before the name does, or a power cut leaves an empty file under the final name.
  if (::fsync(file_) != 0 && errno != EINVAL) return system_error(target_, "cannot write");
  if (::close(std::exchange(file_, -1)) != 0) return system_error(target_, "cannot write");
  return Done{};
}

Status UnfinishedFile::commit() {
  if (file_ >= 0) LIMBER_CHECK_OK(flush());
  if (name_.empty()) return Done{};  // a device
  const Renaming renaming;
  if (::rename(name_.c_str(), target_.c_str()) != 0) return system_error(target_, "cannot replace");
  name_.clear();
  forget();
  return Done{};
}

void UnfinishedFile::remember() {
  UnfinishedName& slot = free_name();
  slot_ = &slot;
  // A longer name is none that could be opened.
  if (name_.size() >= slot.path.size()) return;
  std::memcpy(slot.path.data(), name_.c_str(), name_.size() + 1);
  slot.state.store(2);
}

void UnfinishedFile::forget() {
  if (slot_ == nullptr) return;
  auto& slot = *static_cast<UnfinishedName*>(std::exchange(slot_, nullptr));
  if (slot.lock >= 0) ::close(std::exchange(slot.lock, -1));
  slot.state.store(0);
}

Status check_writable(const std::filesystem::path& path) {
  if (!is_device(look_at(path))) {
    const Result<UnfinishedFile> file = UnfinishedFile::create(path);
    return file.ok() ? Status(Done{}) : Status(file.error());
  }
  // Opening a pipe waits for its reader.
  if (::access(path.c_str(), W_OK) != 0) return system_error(path, "cannot write");
  return Done{};
}

Result<Bytes> read_file(const std::filesystem::path& path, std::uint64_t max_bytes) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return system_error(path, "cannot open");
  struct Closer {
    int file;
    ~Closer() { ::close(file); }
  } closer{file};

  struct stat info {};
  if (::fstat(file, &info) != 0) return system_error(path, "cannot read");
  if (!S_ISREG(info.st_mode)) return Error{"not a regular file", path.string()};
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size > max_bytes) {
    return Error{"file of " + std::to_string(size) + " bytes is larger than the limit of " + std::to_string(max_bytes),
                 path.string(), ErrorKind::kOutOfMemory};
  }

  Bytes bytes(static_cast<std::size_t>(size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(file, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(path, "cannot read");
    if (n == 0) break;  // the file shrank while it was read
    done += static_cast<std::size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  const PendingFile file{path, bytes};
  return write_files({&file, 1});
}

Status write_file(const std::filesystem::path& path, std::string_view text) { return write_file(path, as_bytes(text)); }

Status write_files(std::span<const PendingFile> files) {
  std::vector<UnfinishedFile> pending;
  pending.reserve(files.size());
  for (const PendingFile& file : files) {
    LIMBER_TRY(UnfinishedFile unfinished, UnfinishedFile::create(file.path));
    pending.push_back(std::move(unfinished));
    LIMBER_CHECK_OK(pending.back().write(file.bytes));
    LIMBER_CHECK_OK(pending.back().flush());
  }
  const Renaming renaming;
  // The last one needs no way back.
  std::vector<Before> before;
  before.reserve(files.size());
  for (const PendingFile& file : files.first(files.empty() ? 0 : files.size() - 1)) before.emplace_back(file.path);
  Status status = Done{};
  std::size_t renamed = 0;
  for (; status.ok() && renamed < pending.size(); ++renamed) status = pending[renamed].commit();
  // New buffers beside an old .gltf would be neither.
  if (!status.ok()) {
    for (std::size_t i = 0; i + 1 < renamed; ++i) before[i].put_back();
  }
  return status;
}

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return extension;
}

bool renaming_files() noexcept { return g_renaming.load() > 0; }

void remove_unfinished_files() noexcept {
  for (const UnfinishedName* name = g_unfinished; name != nullptr; name = name->next) {
    if (name->state.load() == 2) ::unlink(name->path.data());
  }
}

}  // namespace limber
