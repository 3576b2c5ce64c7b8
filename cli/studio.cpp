// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>

#include "command.h"
#include "stop_signals.h"
#if LIMBER_WITH_STUDIO
#include <fcntl.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "studio/server/page.h"
#include "studio/server/server.h"
#endif

namespace limber::cli {
namespace {

namespace fs = std::filesystem;

struct StudioOptions {
  std::string model, page;
  int port = 0, jobs = 1;
  double upload_megabytes = 256, memory_gigabytes = -1;
  bool no_browser = false;
};

#if LIMBER_WITH_STUDIO

/// All that the machine has; a job that wants more fails, and the machine does not.
std::uint64_t all_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

Result<studio::ServerSettings> server_settings(const StudioOptions& options) {
  studio::ServerSettings settings;
  if (options.page.empty()) {
    LIMBER_TRY(settings.page, studio::find_page());
  } else {
    settings.page = options.page;
    if (!studio::is_page(settings.page)) return Error{"holds no page (index.html)", options.page, ErrorKind::kMissing};
  }
  std::error_code failed;
  settings.program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return Error{failed.message(), "/proc/self/exe"};
  settings.version = LIMBER_VERSION, settings.port = options.port, settings.jobs = options.jobs;
  settings.most_upload = static_cast<std::uint64_t>(options.upload_megabytes * 1048576);
  settings.job_memory =
      options.memory_gigabytes < 0 ? all_memory() : static_cast<std::uint64_t>(options.memory_gigabytes * 1073741824);
  return settings;
}

/// Whatever the desktop has for this; nothing where there is none. By a shell that leaves it behind: xdg-open may
/// become the browser itself, which is neither waited for nor stopped by Ctrl-C.
void open_browser(const fs::path& page) {
  std::string shell = "/bin/sh", flag = "-c", script = "xdg-open \"$0\" >/dev/null 2>&1 &", file = page.string();
  char* const arguments[] = {shell.data(), flag.data(), script.data(), file.data(), nullptr};
  pid_t child = 0;
  if (::posix_spawn(&child, shell.c_str(), nullptr, nullptr, arguments, environ) == 0) ::waitpid(child, nullptr, 0);
}

int g_wake[2] = {-1, -1};  // a pipe: what a signal's handler may write to

extern "C" void on_studio_stop(int) {
  const char byte = 0;
  static_cast<void>(!::write(g_wake[1], &byte, 1));
}

/// Instead of leaving at once: children are to be ended, and files to be removed, before this process goes.
Status catch_stops() {
  if (::pipe2(g_wake, O_CLOEXEC) != 0) return Error{std::strerror(errno), "a pipe"};
  struct sigaction action {};
  action.sa_handler = on_studio_stop;
  ::sigemptyset(&action.sa_mask);
  for (const int signal : stop_signals()) ::sigaction(signal, &action, nullptr);
  return Done{};
}

void wait_for_stop() {
  char byte = 0;
  while (::read(g_wake[0], &byte, 1) < 0 && errno == EINTR) {
  }
}

/// Stops the server on a signal. Ends with the scope, whatever ends that.
class StopsOnSignal {
 public:
  explicit StopsOnSignal(studio::Server& server)
      : thread_([&server] {
          wait_for_stop();
          server.stop();
        }) {}
  ~StopsOnSignal() {
    on_studio_stop(0);
    thread_.join();
  }
  StopsOnSignal(const StopsOnSignal&) = delete;
  StopsOnSignal& operator=(const StopsOnSignal&) = delete;

 private:
  std::thread thread_;
};

/// glibc lets threads have heaps of their own, eight for each core. What a heap keeps lies scattered over what it once
/// had, which cannot be given back then: in five minutes of work at random 16 heaps grew by a quarter, although they
/// held no more than before. Only the first gives back its end, too (malloc_trim). Threads here do not wait for it
/// long: jobs are other processes.
void share_one_heap() {
#if defined(__GLIBC__)
  ::mallopt(M_ARENA_MAX, 1);
#endif
}

Status run_studio(const StudioOptions& options) {
  share_one_heap();
  LIMBER_TRY(const studio::ServerSettings settings, server_settings(options));
  LIMBER_CHECK_OK(catch_stops());
  LIMBER_TRY(const std::unique_ptr<studio::Server> server, studio::Server::open(settings));
  if (!options.model.empty()) LIMBER_CHECK_OK(server->add_file(options.model));
  fmt::print("{}\n", server->address());
  std::fflush(stdout);
  if (!options.no_browser) {
    LIMBER_TRY(const fs::path page, server->write_way_in());
    open_browser(page);
  }
  const StopsOnSignal stops(*server);
  return server->serve();
}

#else

Status run_studio(const StudioOptions&) {
  return Error{"limber was built without it: it needs cpp-httplib (Debian's package is libcpp-httplib-dev)", "studio",
               ErrorKind::kUnsupported};
}

#endif

}  // namespace

void add_studio(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<StudioOptions>();
  CLI::App* command = add_command(app, terminal, "studio", "Work in the browser: drop a model, rig it, make it move",
                                  "  limber studio\n"
                                  "  limber studio fox.glb\n"
                                  "  limber studio --port 8100 --no-browser\n"
                                  "It prints the address of the page, which is for this machine and this run alone, "
                                  "and goes on until it is stopped (Ctrl-C).",
                                  [options] { return run_studio(*options); });
  command->add_option("model", options->model, "A model to begin with")->type_name("FILE");
  command->add_option("--port", options->port, "Where to listen; 0: a free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str()
      ->type_name("N");
  command->add_flag("--no-browser", options->no_browser, "Print the address only");
  command->add_option("--assets", options->page, "Folder of the page, while that is being worked on")->type_name("DIR");
  command->add_option("--max-upload", options->upload_megabytes, "Largest file that is taken, in MB")
      ->check(CLI::Range(1.0, 65536.0))
      ->capture_default_str()
      ->type_name("MB");
  command->add_option("--jobs", options->jobs, "So many at a time; the others wait")
      ->check(CLI::Range(1, 64))
      ->capture_default_str()
      ->type_name("N");
  command
      ->add_option("--memory", options->memory_gigabytes,
                   "Of a job, in GB; by default what the machine has, 0: no limit")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("GB");
}

}  // namespace limber::cli
