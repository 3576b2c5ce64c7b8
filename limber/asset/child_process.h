// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "limber/base/result.h"

namespace limber::asset {

/// A file descriptor with one owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int file) : file_(file) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : file_(other.file_) { other.file_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  int get() const { return file_; }
  void close();

 private:
  int file_ = -1;
};

/// What a child's one extra file is called in its arguments. Whatever the real name holds, the child sees this one.
inline constexpr const char* kChildFile = "file:/dev/fd/3";

/// A program found in PATH, run without a shell: bytes go to its input and come from its output while what it says on
/// stderr is collected, so that neither side waits for the other for ever. Killed on destruction if it still runs.
class ChildProcess {
 public:
  /// `package` is what to install when the program is not there; `file`, if not negative, is seen as kChildFile.
  static Result<ChildProcess> start(const std::string& program, const std::vector<std::string>& arguments,
                                    const std::string& package, int file = -1);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  /// All bytes, or the child's last words where it has stopped reading.
  Status write(std::span<const std::byte> bytes);
  /// Until `bytes` is full or the child has closed its output: how many.
  Result<std::size_t> read(std::span<std::byte> bytes);
  /// Closes the input, waits for the end. An error unless the child exited with 0.
  Status finish();

  /// The last lines that the child said, in one line fit to be printed. Empty if it said nothing.
  std::string last_words() const;

 private:
  ChildProcess() = default;
  Result<bool> wait_for(int file, short events, double seconds);
  void hear();
  void kill();
  Error failure(const std::string& what) const;

  std::string program_;
  pid_t id_ = -1;
  Descriptor input_, output_, errors_;
  std::string said_;
};

}  // namespace limber::asset
