// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/temporary_name.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <system_error>

namespace limber {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".tmp-";
constexpr std::size_t kBootDigits = 8, kRandomDigits = 16;
constexpr std::size_t kSuffix = kMark.size() + kBootDigits + 1 + kRandomDigits;
constexpr std::size_t kLongestName = 255;
/// Between making a file and locking it: much longer than that takes.
constexpr std::time_t kYoung = 60, kYoungElsewhere = 86400;

bool are_digits(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

/// The boot that a temporary name tells of; empty for names of other kinds.
std::string_view boot_of(std::string_view name) {
  if (name.size() <= kSuffix) return {};
  const std::string_view suffix = name.substr(name.size() - kSuffix);
  const std::string_view boot = suffix.substr(kMark.size(), kBootDigits);
  const bool ours = suffix.substr(0, kMark.size()) == kMark && are_digits(boot) &&
                    suffix[kMark.size() + kBootDigits] == '-' &&
                    are_digits(suffix.substr(kMark.size() + kBootDigits + 1));
  return ours ? boot : std::string_view();
}

/// Whether it is this user's, old enough, and held by nobody.
bool is_left(const fs::path& path, std::time_t young) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  struct stat info {};
  const bool left = ::fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == ::geteuid() &&
                    std::time(nullptr) - info.st_mtime >= young && ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return left;
}

}  // namespace

const std::string& this_boot() {
  static const std::string digits = [] {
    std::string text(kBootDigits, '0');
    if (std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "re")) {
      char read[kBootDigits + 1] = {};
      if (std::fscanf(file, "%8[0-9a-f]", read) == 1) text.replace(0, std::string_view(read).size(), read);
      std::fclose(file);
    }
    return text;
  }();
  return digits;
}

std::string temporary_name(const fs::path& target) {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) return {};
  char digits[kRandomDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
  std::string name = target.filename().string();
  std::size_t length = std::min(name.size(), kLongestName - kSuffix);
  // Not within a letter of UTF-8.
  while (length < name.size() && length > 0 && (static_cast<unsigned char>(name[length]) & 0xc0) == 0x80) --length;
  name.resize(length);
  return (target.parent_path() / (name + std::string(kMark) + this_boot() + "-" + digits)).string();
}

void sweep_temporary_files(const fs::path& folder) {
  std::error_code failed;
  fs::directory_iterator entry(folder, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    const std::string_view boot = boot_of(name);
    if (!boot.empty() && is_left(entry->path(), boot == this_boot() ? kYoung : kYoungElsewhere)) {
      ::unlink(entry->path().c_str());
    }
  }
}

}  // namespace limber
