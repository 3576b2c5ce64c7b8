// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>

#include "limber/base/fork.h"

namespace limber {
namespace {

namespace fs = std::filesystem;

class SandboxTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("sandbox-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "inside");
    fs::create_directories(folder_ / "outside");
    for (const char* name : {"inside/a", "outside/b"}) std::ofstream(folder_ / name) << "text\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Whether `act` says yes in a child that is in the sandbox; -1 where it died.
  static int child_says(const Sandbox& sandbox, const std::function<bool()>& act) {
    const pid_t child = fork_child(Fate::kDiesWithThread);
    if (child == 0) {
      sandbox.enter();
      ::_exit(act() ? 1 : 0);
    }
    int state = 0;
    ::waitpid(child, &state, 0);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  }

  bool opens(const char* name, int flags) const {
    return ::open((folder_ / name).c_str(), flags | O_CLOEXEC, 0600) >= 0;
  }

  fs::path folder_;
};

TEST_F(SandboxTest, WorkReadsBelowItsFoldersAndWritesNowhere) {
  if (!sandbox_kinds().files) GTEST_SKIP() << "this kernel has no Landlock";
  const Sandbox sandbox = Sandbox::for_work({folder_ / "inside"});
  EXPECT_EQ(child_says(sandbox, [&] { return opens("inside/a", O_RDONLY); }), 1);
  EXPECT_EQ(child_says(sandbox, [&] { return opens("outside/b", O_RDONLY); }), 0);
  EXPECT_EQ(child_says(sandbox, [&] { return opens("inside/../outside/b", O_RDONLY); }), 0);
  EXPECT_EQ(child_says(sandbox, [&] { return opens("inside/a", O_RDWR); }), 0);
  EXPECT_EQ(child_says(sandbox, [&] { return opens("inside/new", O_WRONLY | O_CREAT); }), 0);
  EXPECT_EQ(child_says(sandbox, [&] { return ::unlink((folder_ / "inside/a").c_str()) == 0; }), 0);
  EXPECT_EQ(child_says(sandbox, [&] { return ::open("/etc/passwd", O_RDONLY) >= 0; }), 0);
  EXPECT_TRUE(fs::exists(folder_ / "inside/a"));
}

TEST_F(SandboxTest, WorkWithoutFoldersReadsNone) {
  if (!sandbox_kinds().files) GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_EQ(child_says(Sandbox::for_work({}), [&] { return opens("inside/a", O_RDONLY); }), 0);
}

TEST_F(SandboxTest, WorkStartsNothingConnectsNowhereAndSignalsNobody) {
  if (!sandbox_kinds().calls) GTEST_SKIP() << "no seccomp here";
  const Sandbox sandbox = Sandbox::for_work({folder_});
  const pid_t parent = ::getpid();
  const std::pair<const char*, std::function<bool()>> deeds[] = {
      {"connect", [] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
      {"connect here", [] { return ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }},
      {"fork", [] { return ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0; }},
      {"exec", [] { return ::execl("/bin/true", "true", nullptr) == 0; }},
      {"signal", [parent] { return ::kill(parent, 0) == 0; }},
      {"signal a thread", [parent] { return ::syscall(SYS_tgkill, parent, parent, 0) == 0; }},
      {"run memory",
       [] {
         return ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
                MAP_FAILED;
       }},
      {"write", [&] { return opens("inside/a", O_WRONLY); }},
      {"talk to a terminal", [] { return ::syscall(SYS_ioctl, 0, 0x5412, "x") == 0; }},
      {"an unknown call", [] { return ::syscall(SYS_ptrace, 0, 0, 0, 0) == 0; }},
  };
  for (const auto& [name, deed] : deeds) EXPECT_EQ(child_says(sandbox, deed), 0) << name;
  // What it is for goes on.
  EXPECT_EQ(child_says(sandbox,
                       [&] {
                         std::ifstream file(folder_ / "inside/a");
                         std::string text;
                         const std::vector<char> large(64 << 20, 'x');
                         return static_cast<bool>(file >> text) && text == "text" && large.back() == 'x';
                       }),
            1);
  EXPECT_EQ(child_says(sandbox, [] { return ::syscall(SYS_tgkill, ::getpid(), ::syscall(SYS_gettid), 0) == 0; }), 1);
}

/// Runs `sh -c line` in a sandbox for it, with descriptor 3 as given: its exit status.
int shell_says(const std::string& line, int file) {
  const Sandbox sandbox = Sandbox::for_program("sh", file);
  const pid_t child = fork_child(Fate::kDiesWithThread);
  if (child == 0) {
    constexpr int kKnown = 3;
    if (file == kKnown) ::fcntl(file, F_SETFD, 0);
    if (file >= 0) ::dup2(file, kKnown);
    sandbox.enter();
    ::execlp("sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(127);
  }
  int state = 0;
  ::waitpid(child, &state, 0);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

TEST_F(SandboxTest, AProgramWritesItsFileAlone) {
  if (!sandbox_kinds().files) GTEST_SKIP() << "this kernel has no Landlock";
  const int file = ::open((folder_ / "outside/b").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(file, 0);
  EXPECT_EQ(shell_says("exit 7", file), 7);
  EXPECT_EQ(shell_says("read word < /dev/fd/3 && echo new > /dev/fd/3", file), 0);
  EXPECT_EQ(shell_says("echo x > /dev/null", file), 0);
  EXPECT_NE(shell_says("echo x > " + (folder_ / "inside/a").string(), file), 0);
  EXPECT_NE(shell_says("read word < " + (folder_ / "inside/a").string(), file), 0);
  EXPECT_NE(shell_says("rm " + (folder_ / "inside/a").string(), file), 0);
  ::close(file);
  std::string text;
  std::ifstream(folder_ / "outside/b") >> text;
  EXPECT_EQ(text, "new");
  std::ifstream(folder_ / "inside/a") >> text;
  EXPECT_EQ(text, "text");
}

TEST_F(SandboxTest, AProgramMakesNoConnection) {
  if (!sandbox_kinds().calls) GTEST_SKIP() << "no seccomp here";
  const Sandbox sandbox = Sandbox::for_program("sh", -1);
  EXPECT_EQ(child_says(sandbox, [] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }), 0);
  const pid_t parent = ::getpid();
  EXPECT_EQ(child_says(sandbox, [parent] { return ::kill(parent, 0) == 0; }), 0);
  EXPECT_EQ(child_says(sandbox, [] { return ::syscall(SYS_unshare, 0x10000000) == 0; }), 0);
}

TEST(SandboxWords, SayWhatIsKept) {
  EXPECT_EQ(sandbox_words({true, true}), "system calls and files");
  EXPECT_NE(sandbox_words({false, false}).find("none"), std::string::npos);
}

}  // namespace
}  // namespace limber
