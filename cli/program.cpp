// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <fmt/format.h>
#include <signal.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>

#include "command.h"
#include "limber/asset/find_clip.h"
#include "limber/asset/read.h"
#include "limber/asset/write.h"
#include "limber/base/files.h"
#include "limber/base/memory_budget.h"
#include "limber/base/process_memory.h"
#include "limber/base/quote.h"
#include "limber/base/sandbox.h"
#include "limber/base/threads.h"
#include "limber/scene/scene.h"
#include "outputs.h"
#include "stop_signals.h"
#include "torch_commands.h"
#include "usage_words.h"

namespace limber::cli {
namespace {

constexpr std::size_t kLongestLine = 2000;  // of a message

Command g_chosen;
std::atomic<int> g_signal{0};

/// Ctrl-C: leave at once, but not between the renames of files that belong together. Those take no time, and nobody
/// else looks whether somebody wants to leave: an alarm asks again when they are over.
extern "C" void on_interrupt(int signal) {
  if (signal != SIGALRM) g_signal = signal;
  if (renaming_files()) {
    const struct itimerval soon {
      {0, 0}, { 0, 5000 }
    };  // microseconds
    ::setitimer(ITIMER_REAL, &soon, nullptr);
    return;
  }
  remove_unfinished_files();
  ::_exit(128 + g_signal);
}

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGALRM, &action, nullptr);
  action.sa_flags = 0;
  for (const int signal : stop_signals()) ::sigaction(signal, &action, nullptr);
}

/// Log lines for a terminal. What files say gets into them: no control characters, and no line of megabytes.
class TerminalSink final : public spdlog::sinks::base_sink<std::mutex> {
  void sink_it_(const spdlog::details::log_msg& line) override {
    const std::string text = for_terminal({line.payload.data(), line.payload.size()});
    spdlog::details::log_msg clean = line;
    clean.payload = text;
    stderr_.log(clean);
  }
  void flush_() override { stderr_.flush(); }
  void set_pattern_(const std::string& pattern) override { stderr_.set_pattern(pattern); }
  void set_formatter_(std::unique_ptr<spdlog::formatter> formatter) override {
    stderr_.set_formatter(std::move(formatter));
  }

  spdlog::sinks::stderr_color_sink_st stderr_;
};

/// Log lines as lines of `--progress json`.
class EventSink final : public spdlog::sinks::base_sink<std::mutex> {
  void sink_it_(const spdlog::details::log_msg& line) override {
    const std::string_view text(line.payload.data(), line.payload.size());
    print_message_event(line.level >= spdlog::level::warn ? "warning" : "note", text);
  }
  void flush_() override {}
};

std::shared_ptr<spdlog::logger> make_logger(const Terminal& terminal) {
  if (terminal.events) return std::make_shared<spdlog::logger>("limber", std::make_shared<EventSink>());
  return std::make_shared<spdlog::logger>("limber", std::make_shared<TerminalSink>());
}

/// Before options are parsed: whether a program reads what is said about them.
bool asks_for_events(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--progress=json") return true;
    if (word == "--progress" && i + 1 < argc && std::string_view(argv[i + 1]) == "json") return true;
  }
  return false;
}

constexpr double kGigabyte = 1 << 30;

/// Options of all commands.
struct Common {
  int threads = 0;
  double max_memory = static_cast<double>(kDefaultMemoryBudget) / kGigabyte;
  std::string log_level = "info", progress = "text";
  bool parse_only = false;
};

void add_common_options(CLI::App& app, Terminal& terminal, Common& common) {
  app.set_version_flag("--version", std::string("limber ") + LIMBER_VERSION +
                                        "\nsandbox of decoders: " + sandbox_words(sandbox_kinds()));
  app.require_subcommand(1);
  app.fallthrough();
  app.get_formatter()->column_width(34);
  app.add_option("--threads", common.threads, "Threads to use; 0: one per core")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  app.add_option("--max-memory", common.max_memory,
                 "What files may take while they are read, in GB; all that limber holds has four times that and 1 GB")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str()
      ->type_name("GB");
  app.add_flag("-q,--quiet", terminal.quiet, "Print errors and results only, no progress and no warnings");
  app.add_option("--log-level", common.log_level, "How much to tell on stderr")
      ->check(CLI::IsMember({"debug", "info", "warning", "error", "off"}))
      ->capture_default_str()
      ->type_name("LEVEL");
  app.add_option("--progress", common.progress, "How it is told on stderr: for people, or as JSON lines for programs")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str()
      ->type_name("FORM");
  // For tools/check_docs.py: is this line one that the program takes?
  app.add_flag("--parse-only", common.parse_only, "Read the command line and do nothing")->group("");
}

/// The exit code, once the error is told, and what the person can do about it.
int tell_failure(const Terminal& terminal, Error error) {
  if (error.kind == ErrorKind::kOutOfMemory && memory_budget_exceeded()) error.what += " (--max-memory allows more)";
  if (terminal.events) {
    print_error_event(error, name(error.kind));
  } else {
    spdlog::error("{}", error.message());
  }
  return kFailed;
}

/// The same before options are parsed.
int tell_early(const Program& program, const Error& error, std::string_view kind, bool events) {
  if (events) {
    print_error_event(error, kind);
  } else {
    fmt::print(stderr, "{}: error: {}\n", program.name, for_terminal(error.message()));
  }
  return kFailed;
}

/// What is wrong with a command line. A word that nobody knows counts before what is missing: it may be that.
int tell_usage(const CLI::App& app, std::string what, int argc, char** argv) {
  if (const std::string unknown = unknown_words(app); !unknown.empty()) what = unknown;
  if (asks_for_events(argc, argv)) {
    print_error_event({what, ""}, "usage");
  } else if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
  } else {
    fmt::print(stderr, "{}\n`{} --help` tells more.\n", for_terminal(what), command_words(app));
  }
  return kUsage;
}

/// Whether this program's memory has a bound. GPUs and LibTorch reserve what they like, and large priors are asked for.
bool is_bounded(const Program& program) {
  return &program == &kUserProgram && torch_commands().inspect_checkpoint == nullptr && !scene::has_cuda();
}

int run(const Program& program, int argc, char** argv) {
  Terminal terminal;
  Common common;
  CLI::App app(program.about, program.name);
  add_common_options(app, terminal, common);
  const Status mine = program.hand_over(app, argc, argv);
  if (!mine.ok()) return tell_early(program, mine.error(), name(mine.error().kind), asks_for_events(argc, argv));
  program.add_commands(app, terminal);
  app.footer(program.footer);

  try {
    app.parse(said_words(argc, argv));
    check_outputs(app);
  } catch (const CLI::ParseError& error) {
    // "limber help nonsense" is no call for help.
    const bool nonsense = argc > 1 && std::string_view(argv[1]) == "help" && !unknown_words(app).empty();
    if (error.get_exit_code() == 0 && !nonsense) return app.exit(error), kDone;
    return tell_usage(app, error.what(), argc, argv);
  }
  if (common.parse_only) return kDone;

  terminal.events = common.progress == "json";
  spdlog::set_default_logger(make_logger(terminal));
  spdlog::set_pattern(fmt::format("{}: %^%l%$: %v", program.name));
  spdlog::set_level(spdlog::level::from_str(terminal.quiet ? "error" : common.log_level));
  set_thread_count(common.threads);
  set_memory_budget(static_cast<std::uint64_t>(common.max_memory * kGigabyte));
  if (is_bounded(program)) cap_process_memory(process_memory_of(memory_budget()));

  const Status possible = check_writable_outputs(app);
  const Status status = possible.ok() ? g_chosen() : possible;
  if (g_signal != 0) return 128 + g_signal;
  return status.ok() ? kDone : tell_failure(terminal, status.error());
}

}  // namespace

Status become(const char* name, const char* missing, char** arguments) {
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path() / name;
  if (!std::filesystem::exists(program, failed)) return Error{missing, program.string(), ErrorKind::kUnsupported};
  std::fflush(nullptr);
  uncap_process_memory();
  ::execv(program.c_str(), arguments);
  return Error{std::strerror(errno), program.string()};
}

CLI::App* add_command(CLI::App& app, Terminal& terminal, const std::string& name, const std::string& help,
                      const std::string& examples, Command run) {
  CLI::App* command = app.add_subcommand(name, help);
  command->add_flag("--json", terminal.json, "Print the result as JSON on stdout");
  command->footer("Examples:\n" + examples);
  command->callback([run = std::move(run)] { g_chosen = run; });
  return command;
}

void exclude(CLI::App& command, const std::string& option, std::initializer_list<const char*> others) {
  for (const char* other : others) command.get_option(option)->excludes(command.get_option(other));
}

Result<asset::Asset> read_asset_file(const Terminal& terminal, const std::string& path) {
  const Activity activity(terminal, "reading " + path);
  LIMBER_TRY(asset::Asset asset, asset::read_asset(path));
  for (const std::string& warning : asset.warnings) spdlog::warn("{}", printable(warning));
  return asset;
}

Status write_asset_file(const Terminal& terminal, const asset::Asset& asset, const std::string& path, int clip,
                        double fps) {
  const Activity activity(terminal, "writing " + path);
  return asset::write_asset(asset, path, {clip, fps});
}

Result<int> find_clip(const asset::Asset& asset, const std::string& text) { return asset::find_clip(asset, text); }

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xc2 ? 0
                               : lead < 0xe0 ? 2
                               : lead < 0xf0 ? 3
                               : lead < 0xf5 ? 4
                                             : 0;
    bool good =
        length > 0 && i + length <= text.size() && (length > 1 || (lead >= 0x20 && lead != 0x7f) || lead == '\n');
    for (std::size_t k = 1; good && k < length; ++k) good = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    // C1 control characters hide in two bytes.
    if (good && length == 2 && lead == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0) good = false;
    result += good ? std::string(text.substr(i, length)) : "?";
    i += good ? length : 1;
  }
  return result;
}

std::string for_terminal(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    result += printable(shortened(line, kLongestLine));
    text.remove_prefix(line.size());
    if (!text.empty()) result += '\n', text.remove_prefix(1);
  }
  return result;
}

namespace {

/// Names in files need not be valid UTF-8; the output must be.
std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

void print_json(const nlohmann::ordered_json& document) { fmt::print("{}", json_text(document)); }

Status write_json(const nlohmann::ordered_json& document, const std::string& path) {
  return write_file(path, json_text(document));
}

namespace {

/// What is left to say where there is no memory for saying it.
struct LastWords {
  const char* text = "limber: error: there is not enough memory\n";
  pid_t process = 0;
} g_last_words;

void say_last_words() noexcept {
  if (::write(STDERR_FILENO, g_last_words.text, std::strlen(g_last_words.text)) < 0) return;  // nobody listens
}

std::atomic<bool> g_memory_ended{false};

[[noreturn]] void note_end_of_memory() {
  g_memory_ended = true;
  throw std::bad_alloc();
}

/// Instead of a signal, where memory ends in code that cannot throw: destructors of JSON, options that are looked up,
/// folders that are listed. What was thrown there need not be known any more.
[[noreturn]] void on_terminate() {
  if (!g_memory_ended) std::abort();
  // A child that decodes has its parent's list of files.
  if (::getpid() == g_last_words.process) remove_unfinished_files();
  say_last_words();
  ::_exit(kFailed);
}

void prepare_for_the_worst(bool events) {
  if (events) {
    g_last_words.text =
        "{\"event\":\"error\",\"what\":\"there is not enough memory\",\"where\":\"\",\"kind\":\"out of memory\"}\n";
  }
  g_last_words.process = ::getpid();
  std::set_new_handler(&note_end_of_memory);
  std::set_terminate(&on_terminate);
}

/// What was thrown past everybody. Where there is no memory even for words of it, in words that need none.
void tell_thrown(const Program& program, bool events) noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      const char* more = is_bounded(program) ? " (--max-memory allows more)" : "";
      tell_early(program, {std::string("there is not enough memory") + more, ""}, name(ErrorKind::kOutOfMemory),
                 events);
    } catch (const std::system_error& error) {  // a thread that could not be started, say
      tell_early(program, {std::string("the system refuses: ") + error.code().message(), ""}, "internal", events);
    } catch (const std::exception& exception) {
      if (events) {
        print_error_event({exception.what(), ""}, "internal");
      } else {
        fmt::print(stderr, "{}: internal error: {}\n", program.name, for_terminal(exception.what()));
      }
    }
  } catch (...) {
    say_last_words();
  }
}

/// A result that went to a full disk is no result.
int check_printed(const Program& program, int code, bool events) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  const Error error{std::string("cannot be written: ") + std::strerror(errno), "standard output"};
  const int failed = tell_early(program, error, name(error.kind), events);
  return code == kDone ? failed : code;
}

}  // namespace

int run_program(const Program& program, int count, char** arguments) {
  const bool events = asks_for_events(count, arguments);
  int code = kFailed;
  prepare_for_the_worst(events);
  try {
    catch_interrupts();
    code = run(program, count, arguments);
  } catch (...) {
    // fmt says so too where that is what failed; told below.
    if (std::ferror(stdout) == 0) tell_thrown(program, events);
  }
  return check_printed(program, code, events);
}

}  // namespace limber::cli
