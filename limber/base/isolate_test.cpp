// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/isolate.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "limber/base/sandbox.h"
#include "limber/base/threads.h"

namespace limber {
namespace {

Bytes bytes_of(std::string_view text) { return {as_bytes(text).begin(), as_bytes(text).end()}; }

TEST(Isolate, ReturnsWhatTheWorkReturns) {
  const Result<Bytes> value = run_isolated([]() -> Result<Bytes> { return Bytes(3 << 20, std::byte{7}); });
  ASSERT_TRUE(value.ok()) << value.error().message();
  EXPECT_EQ(*value, Bytes(3 << 20, std::byte{7}));
  const Result<Bytes> empty = run_isolated([]() -> Result<Bytes> { return Bytes(); });
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(empty->empty());
  const Result<Bytes> error = run_isolated([]() -> Result<Bytes> { return Error{"bad mesh", "a.fbx#3"}; });
  ASSERT_FALSE(error.ok());
  EXPECT_EQ(error.error().message(), "a.fbx#3: bad mesh");
  EXPECT_EQ(error.error().kind, ErrorKind::kInput);
}

TEST(Isolate, ErrorsKeepTheirKind) {
  for (const ErrorKind kind : {ErrorKind::kInput, ErrorKind::kUnsupported, ErrorKind::kMissing, ErrorKind::kDevice}) {
    const Result<Bytes> error = run_isolated([&]() -> Result<Bytes> { return Error{"no", "here", kind}; });
    ASSERT_FALSE(error.ok());
    EXPECT_EQ(error.error().kind, kind);
  }
  IsolationLimits limits;
  limits.result_bytes = 10;
  EXPECT_EQ(run_isolated([]() -> Result<Bytes> { return Bytes(100); }, limits).error().kind, ErrorKind::kOutOfMemory);
}

TEST(Isolate, TurnsACrashIntoAnError) {
  const Result<Bytes> crashed = run_isolated([]() -> Result<Bytes> {
    ::raise(SIGKILL);
    return Bytes();
  });
  ASSERT_FALSE(crashed.ok());
  EXPECT_NE(crashed.error().message().find("crashed"), std::string::npos);
  const Result<Bytes> thrown = run_isolated([]() -> Result<Bytes> { throw std::runtime_error("boo"); });
  ASSERT_FALSE(thrown.ok());
  EXPECT_EQ(thrown.error().message(), "boo");
}

TEST(Isolate, StopsWorkThatTakesTooLong) {
  IsolationLimits limits;
  limits.seconds = 0.2;
  const Result<Bytes> result = run_isolated(
      []() -> Result<Bytes> {
        std::this_thread::sleep_for(std::chrono::seconds(30));
        return Bytes();
      },
      limits);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message().find("longer"), std::string::npos);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__has_feature)
TEST(Isolate, BoundsMemory) {
  IsolationLimits limits;
  limits.memory_bytes = 64 << 20;
  const Result<Bytes> result = run_isolated([]() -> Result<Bytes> { return Bytes(std::size_t{1} << 30); }, limits);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message().find("memory"), std::string::npos);
  EXPECT_EQ(result.error().kind, ErrorKind::kOutOfMemory);
}

TEST(Isolate, TellsThatMemoryEndedThoughADecoderWentOn) {
  IsolationLimits limits;
  limits.memory_bytes = 64 << 20;
  const Result<Bytes> result = run_isolated(
      []() -> Result<Bytes> {
        try {
          return Bytes(std::size_t{1} << 30);
        } catch (const std::bad_alloc&) {
          return bytes_of("a model without the part that was too large");
        }
      },
      limits);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kOutOfMemory);
}
#endif

TEST(Isolate, TheChildHasNothingOpenOfItsParent) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Result<Bytes> told = run_isolated([&]() -> Result<Bytes> {
    const bool wrote = ::write(ends[1], "x", 1) == 1;
    return bytes_of(wrote ? "wrote" : "closed");
  });
  ::close(ends[0]), ::close(ends[1]);
  ASSERT_TRUE(told.ok()) << told.error().message();
  EXPECT_EQ(as_text(*told), "closed");
}

TEST(Isolate, ReadsBelowItsFoldersAlone) {
  if (!sandbox_kinds().files) GTEST_SKIP() << "this kernel has no Landlock";
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "isolate-reads";
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(write_file(folder / "a", std::string_view("text")).ok());
  const auto read = [&](const IsolationLimits& limits) {
    return run_isolated([&]() -> Result<Bytes> { return read_file(folder / "a"); }, limits);
  };
  IsolationLimits limits;
  EXPECT_FALSE(read(limits).ok());
  limits.readable = {folder};
  EXPECT_EQ(as_text(*read(limits)), "text");
  std::filesystem::remove_all(folder);
}

TEST(Isolate, LoopsInTheChildDoNotWaitForThreadsThatAreNotThere) {
  const int before = thread_count();
  set_thread_count(4);
  parallel_for(8, 1, [](std::size_t, std::size_t) {});
  const Result<Bytes> result = run_isolated([]() -> Result<Bytes> {
    std::atomic<int> count = 0;
    parallel_for(100, 1, [&](std::size_t, std::size_t) { ++count; });
    return bytes_of(std::to_string(count.load()));
  });
  set_thread_count(before);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(as_text(*result), "100");
}

}  // namespace
}  // namespace limber
