// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// What a child process gives up for ever before it opens a stranger's file: whoever takes it over through a defect of
/// a decoder gets no further than the child. By seccomp (which calls of the system) and Landlock (which files), both
/// parts of Linux; where a kernel has neither, or does not let us, the child runs as it would without.
namespace limber {

/// Which of them this kernel lets a process of ours use.
struct SandboxKinds {
  bool calls = false;  ///< seccomp
  bool files = false;  ///< Landlock
};
SandboxKinds sandbox_kinds();

/// "system calls and files": for a person.
std::string sandbox_words(SandboxKinds kinds);

/// Made before the fork, entered in the child by system calls alone.
class Sandbox {
 public:
  /// For what computes and reads: it may read the files `readable` and those in its folders, use what it has open, and
  /// nothing else. No file is written, no program started, no connection made, no memory becomes code.
  static Sandbox for_work(const std::vector<std::filesystem::path>& readable);

  /// For a program that the child becomes, `program` as the shell finds it: it may read what lies in the system's
  /// folders (everything, where it lies elsewhere itself), read and write `file` (-1: none) and what it has open, and
  /// start threads. No other file is written, no connection made.
  static Sandbox for_program(const std::string& program, int file);

  Sandbox(Sandbox&& other) noexcept;
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;
  Sandbox& operator=(Sandbox&&) = delete;
  ~Sandbox();

  /// There is no way back. What the kernel does not have is left out.
  void enter() const noexcept;
  /// What kept something from being allowed that is there, as errno has it; 0 for nothing. Whoever entered then would
  /// miss it, and take it for not allowed.
  int trouble() const { return trouble_; }

 private:
  explicit Sandbox(bool program) : program_(program) {}
  void allow(const std::filesystem::path& path, unsigned long long rights) noexcept;
  void allow(int file, unsigned long long rights) noexcept;

  bool program_;
  int rules_ = -1;  ///< Landlock's, where it is there
  int trouble_ = 0;
};

}  // namespace limber
