// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "limber/base/result.h"

/// `limber studio`: a page in the browser, and what answers to it, on this machine alone. docs/studio.md has the calls.
namespace limber::studio {

struct ServerSettings {
  int port = 0;                                          ///< 0: a free one
  std::filesystem::path page;                            ///< folder of the page
  std::filesystem::path program;                         ///< limber itself, which jobs run
  std::string version;                                   ///< of limber
  std::uint64_t most_upload = std::uint64_t{256} << 20;  ///< bytes of a file
  std::uint64_t job_memory = 0;                          ///< bytes of address space of a job; 0: no limit
  int jobs = 1;                                          ///< that run at a time
};

class Server {
 public:
  /// Listens on 127.0.0.1, but answers only when `serve` is called.
  static Result<std::unique_ptr<Server>> open(const ServerSettings& settings);
  ~Server();

  /// `http://127.0.0.1:PORT/?token=TOKEN`.
  std::string address() const;
  /// A page that leads there, which nobody else can read: what a browser is started with can be read by everybody on
  /// this machine, and the token must not be in it.
  Result<std::filesystem::path> write_way_in() const;
  /// A copy of a file of the person who started the server.
  Status add_file(const std::filesystem::path& file);

  /// Answers until `stop`. Then everything that was started has ended; files go with the server itself. An error where
  /// nobody asked it to stop.
  Status serve();
  /// From any thread, but not from a signal handler.
  void stop();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace limber::studio
