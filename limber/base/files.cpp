// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace limber {
namespace {

ErrorKind kind_of(int code) {
  if (code == ENOENT || code == ENOTDIR) return ErrorKind::kMissing;
  return code == ENOMEM ? ErrorKind::kOutOfMemory : ErrorKind::kInput;
}

Error system_error(const std::filesystem::path& path, std::string what) {
  const int code = errno;
  return {std::move(what) + ": " + std::strerror(code), path.string(), kind_of(code)};
}

/// Names of temporary files that exist now. Fixed storage and atomic flags: a signal handler reads it.
struct UnfinishedName {
  std::atomic<int> state{0};  // 0 free, 1 being filled in, 2 in use
  std::array<char, 4096> path{};
};
std::array<UnfinishedName, 64> g_unfinished;
std::atomic<int> g_renaming{0};

}  // namespace

Result<UnfinishedFile> UnfinishedFile::create(const std::filesystem::path& target) {
  static std::atomic<unsigned> counter{0};
  UnfinishedFile file(target);
  file.name_ = target.string() + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  file.remember();
  file.file_ = ::open(file.name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file.file_ < 0) {
    file.name_.clear();
    return system_error(target, "cannot write");
  }
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
  // The data must reach the disk before the name does, or a power cut leaves an empty file under the final name.
  if (::fsync(file_) != 0 && errno != EINVAL) return system_error(target_, "cannot write");
  if (::close(std::exchange(file_, -1)) != 0) return system_error(target_, "cannot write");
  return Done{};
}

Status UnfinishedFile::commit() {
  if (file_ >= 0) LIMBER_CHECK_OK(flush());
  ++g_renaming;
  const bool renamed = ::rename(name_.c_str(), target_.c_str()) == 0;
  Status status = renamed ? Status(Done{}) : Status(system_error(target_, "cannot replace"));
  if (renamed) {
    name_.clear();
    forget();
  }
  --g_renaming;
  return status;
}

void UnfinishedFile::remember() {
  if (name_.size() >= g_unfinished[0].path.size()) return;
  for (UnfinishedName& slot : g_unfinished) {
    int free = 0;
    if (!slot.state.compare_exchange_strong(free, 1)) continue;
    std::memcpy(slot.path.data(), name_.c_str(), name_.size() + 1);
    slot.state.store(2);
    slot_ = &slot;
    return;
  }
}

void UnfinishedFile::forget() {
  if (slot_) static_cast<UnfinishedName*>(slot_)->state.store(0);
  slot_ = nullptr;
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
  Status status = Done{};
  ++g_renaming;
  for (UnfinishedFile& file : pending) {
    status = file.commit();
    if (!status.ok()) break;
  }
  --g_renaming;
  return status;
}

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return extension;
}

bool renaming_files() noexcept { return g_renaming.load() > 0; }

void remove_unfinished_files() noexcept {
  for (UnfinishedName& slot : g_unfinished) {
    if (slot.state.load() == 2) ::unlink(slot.path.data());
  }
}

}  // namespace limber
