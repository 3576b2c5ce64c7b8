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

namespace limber {
namespace {

Error system_error(const std::filesystem::path& path, std::string what) {
  return {std::move(what) + ": " + std::strerror(errno), path.string()};
}

/// Names of temporary files that exist now. Fixed storage and atomic flags: a signal handler reads it.
struct UnfinishedFile {
  std::atomic<int> state{0};  // 0 free, 1 being filled in, 2 in use
  std::array<char, 4096> path{};
};
std::array<UnfinishedFile, 64> g_unfinished;
std::atomic<int> g_renaming{0};

/// A file under a temporary name, removed on destruction unless committed.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path target) : target_(std::move(target)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  TemporaryFile(TemporaryFile&& other) noexcept
      : target_(std::move(other.target_)), name_(std::move(other.name_)), slot_(other.slot_) {
    other.name_.clear(), other.slot_ = nullptr;
  }
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() {
    if (!name_.empty()) ::unlink(name_.c_str());
    forget();
  }

  Status write(std::span<const std::byte> bytes) {
    static std::atomic<unsigned> counter{0};
    name_ = target_.string() + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
    remember();
    const int file = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
      Error error = system_error(target_, "cannot write");
      name_.clear();
      return error;
    }
    const char* data = reinterpret_cast<const char*>(bytes.data());
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = ::write(file, data + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        Error error = system_error(target_, "cannot write");
        ::close(file);
        return error;
      }
      done += static_cast<std::size_t>(n);
    }
    // The data must reach the disk before the name does, or a power cut leaves an empty file under the final name.
    if (::fsync(file) != 0 && errno != EINVAL) {
      Error error = system_error(target_, "cannot write");
      ::close(file);
      return error;
    }
    if (::close(file) != 0) return system_error(target_, "cannot write");
    return Done{};
  }

  Status commit() {
    if (::rename(name_.c_str(), target_.c_str()) != 0) return system_error(target_, "cannot replace");
    name_.clear();
    forget();
    return Done{};
  }

 private:
  void remember() {
    if (name_.size() >= g_unfinished[0].path.size()) return;
    for (UnfinishedFile& slot : g_unfinished) {
      int free = 0;
      if (!slot.state.compare_exchange_strong(free, 1)) continue;
      std::memcpy(slot.path.data(), name_.c_str(), name_.size() + 1);
      slot.state.store(2);
      slot_ = &slot;
      return;
    }
  }
  void forget() {
    if (slot_) slot_->state.store(0);
    slot_ = nullptr;
  }

  std::filesystem::path target_;
  std::string name_;
  UnfinishedFile* slot_ = nullptr;
};

}  // namespace

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
                 path.string()};
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
  std::vector<TemporaryFile> pending;
  pending.reserve(files.size());
  for (const PendingFile& file : files) {
    pending.emplace_back(file.path);
    LIMBER_CHECK_OK(pending.back().write(file.bytes));
  }
  Status status = Done{};
  ++g_renaming;
  for (TemporaryFile& file : pending) {
    status = file.commit();
    if (!status.ok()) break;
  }
  --g_renaming;
  return status;
}

bool renaming_files() noexcept { return g_renaming.load() > 0; }

void remove_unfinished_files() noexcept {
  for (UnfinishedFile& slot : g_unfinished) {
    if (slot.state.load() == 2) ::unlink(slot.path.data());
  }
}

}  // namespace limber
