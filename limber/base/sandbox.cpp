// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif

// Sanitizers make calls of their own (they ask for memory maps, and signal themselves), so only files are kept there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMBER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LIMBER_SANITIZED 1
#endif
#endif

namespace limber {
namespace {

namespace fs = std::filesystem;

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;  // no filter
#endif

// --- seccomp: which calls -------------------------------------------------------------------------------------------

/// All that work which computes and reads has a use for. Whatever is not here fails as if it were forbidden.
constexpr int kCallsOfWork[] = {
    SYS_read,
    SYS_pread64,
    SYS_readv,
    SYS_write,
    SYS_writev,
    SYS_close,
    SYS_lseek,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_faccessat,
    SYS_readlinkat,
    SYS_getcwd,
    SYS_getdents64,
    SYS_fadvise64,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_futex,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_getpid,
    SYS_gettid,
    SYS_getuid,
    SYS_getrusage,
    SYS_times,
    SYS_uname,
    SYS_sysinfo,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_exit,
    SYS_exit_group,
#ifdef SYS_stat
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_time,
#endif
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
};

/// What no program that turns pictures into a video has a use for: connections, other processes, the system itself.
constexpr int kForbiddenToPrograms[] = {
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_sendmsg,
    SYS_sendmmsg,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_tkill,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_personality,
    SYS_acct,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_sethostname,
    SYS_quotactl,
    SYS_syslog,
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
#endif
#ifdef SYS_pidfd_open
    SYS_pidfd_open,
    SYS_pidfd_send_signal,
#endif
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
};

/// A filter as the kernel takes it, made on the stack: nothing is allocated between fork and exec.
class Filter {
 public:
  void add(std::uint16_t code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    steps_[count_++] = sock_filter{code, if_true, if_false, value};
  }
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
  void load_call() { load(offsetof(seccomp_data, nr)); }
  /// The lower half: both machines keep it first.
  void load_argument(std::size_t i) { load(offsetof(seccomp_data, args) + 8 * i); }
  void answer(std::uint32_t verdict) { add(BPF_RET | BPF_K, verdict); }
  void answer_if(int call, std::uint32_t verdict) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1);
    answer(verdict);
  }
  /// The rest is what follows; `steps` of it are for this call alone, and end with an answer.
  void unless(int call, std::uint8_t steps) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, steps);
  }
  bool install() {
    const sock_fprog program{static_cast<unsigned short>(count_), steps_.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  std::array<sock_filter, 256> steps_{};
  std::size_t count_ = 0;
};

constexpr std::uint32_t kForbidden = SECCOMP_RET_ERRNO | EPERM, kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

/// Calls of another machine's numbering would slip through.
void begin(Filter& filter) {
  filter.load(offsetof(seccomp_data, arch));
  filter.add(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0);
  filter.answer(SECCOMP_RET_KILL_PROCESS);
  filter.load_call();
#if defined(__x86_64__)
  constexpr std::uint32_t kOtherNumbers = 0x40000000;  // of programs with short pointers
  filter.add(BPF_JMP | BPF_JGE | BPF_K, kOtherNumbers, 0, 1);
  filter.answer(kForbidden);
#endif
}

/// Allowed, where an argument has none of these bits.
void allow_without(Filter& filter, int call, std::size_t argument, std::uint32_t bits) {
  filter.unless(call, 4);
  filter.load_argument(argument);
  filter.add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
  filter.answer(kForbidden);
  filter.answer(SECCOMP_RET_ALLOW);
}

/// Allowed towards this process alone.
void allow_to_self(Filter& filter, int call) {
  filter.unless(call, 4);
  filter.load_argument(0);
  filter.add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(::getpid()), 1, 0);
  filter.answer(kForbidden);
  filter.answer(SECCOMP_RET_ALLOW);
}

bool filter_work() {
  Filter filter;
  begin(filter);
  for (const int call : kCallsOfWork) filter.answer_if(call, SECCOMP_RET_ALLOW);
  constexpr std::uint32_t kWrites = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  constexpr std::uint32_t kCode = 4;  // PROT_EXEC
  allow_without(filter, SYS_openat, 2, kWrites);
#ifdef SYS_open
  allow_without(filter, SYS_open, 1, kWrites);
#endif
  allow_without(filter, SYS_mmap, 2, kCode);
  allow_without(filter, SYS_mprotect, 2, kCode);
  // F_DUPFD, F_GETFD, F_SETFD and F_GETFL; those above choose whom signals go to.
  allow_without(filter, SYS_fcntl, 1, ~std::uint32_t{3});
  allow_to_self(filter, SYS_tgkill);
  filter.answer(kForbidden);
  return filter.install();
}

bool filter_program() {
  Filter filter;
  begin(filter);
  for (const int call : kForbiddenToPrograms) filter.answer_if(call, kForbidden);
  // Its arguments lie in memory where no filter sees them; libraries then use `clone`.
  filter.answer_if(SYS_clone3, kUnknown);
  constexpr std::uint32_t kNewSpaces = 0x7e020000;  // CLONE_NEW*
  allow_without(filter, SYS_clone, 0, kNewSpaces);
  allow_to_self(filter, SYS_kill);
  allow_to_self(filter, SYS_tgkill);
  filter.answer(SECCOMP_RET_ALLOW);
  return filter.install();
}

// --- Landlock: which files ------------------------------------------------------------------------------------------

#if defined(LANDLOCK_CREATE_RULESET_VERSION) && defined(SYS_landlock_create_ruleset)

constexpr std::uint64_t kTruncate = std::uint64_t{1} << 14;  // newer than some headers
constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE, kReadFolder = LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE, kRun = LANDLOCK_ACCESS_FS_EXECUTE;

/// 0 where there is none.
long landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? version : 0;
}

/// All that the kernel's version knows of files, so that all of it is refused where nothing allows it.
std::uint64_t all_rights(long version) {
  const int bits = version >= 3 ? 15 : version == 2 ? 14 : 13;
  return (std::uint64_t{1} << bits) - 1;
}

int make_rules() {
  const long version = landlock_version();
  if (version == 0) return -1;
  struct {
    std::uint64_t files;
  } const handled{all_rights(version)};
  return static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0));
}

void add_rule(int rules, int file, std::uint64_t rights) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return;
  const long version = landlock_version();
  rights &= all_rights(version);
  if (!S_ISDIR(found.st_mode)) rights &= kReadFile | kWriteFile | kRun | kTruncate;
  landlock_path_beneath_attr below{};
  below.allowed_access = rights, below.parent_fd = file;
  ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
}

bool follow_rules(int rules) { return ::syscall(SYS_landlock_restrict_self, rules, 0) == 0; }

#else

constexpr std::uint64_t kTruncate = 0, kReadFile = 0, kReadFolder = 0, kWriteFile = 0, kRun = 0;
long landlock_version() { return 0; }
int make_rules() { return -1; }
void add_rule(int, int, std::uint64_t) {}
bool follow_rules(int) { return false; }

#endif

constexpr std::uint64_t kRead = kReadFile | kReadFolder;

/// Where the shell would find it; empty where nowhere.
fs::path found_in_path(const std::string& program) {
  std::error_code failed;
  if (program.find('/') != std::string::npos) return fs::canonical(program, failed);
  const char* path = std::getenv("PATH");
  // No stream: one that has no memory left ends early, and what is not found is allowed more.
  for (std::string_view folders = path != nullptr ? path : "/usr/bin:/bin"; !folders.empty();) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / program;
    if (::access(candidate.c_str(), X_OK) == 0) return fs::canonical(candidate, failed);
  }
  return {};
}

/// Whether it is the system's own, which needs nothing beside the system's folders.
bool is_of_the_system(const fs::path& program) {
  const auto first = program.begin() == program.end() ? program.end() : std::next(program.begin());
  return first != program.end() && (*first == "usr" || *first == "bin" || *first == "lib");
}

}  // namespace

SandboxKinds sandbox_kinds() {
  SandboxKinds kinds;
#if !defined(LIMBER_SANITIZED)
  // Asked with nothing to install: the address is what is wrong where filters are known.
  kinds.calls = kMachine != 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr) != 0 && errno == EFAULT;
#endif
  kinds.files = landlock_version() > 0;
  return kinds;
}

std::string sandbox_words(SandboxKinds kinds) {
  if (kinds.calls && kinds.files) return "system calls and files";
  if (kinds.calls) return "system calls; not files, as this kernel has no Landlock";
  if (kinds.files) return "files; not system calls, as this kernel, machine or build has no seccomp";
  return "none: this kernel has neither seccomp nor Landlock";
}

Sandbox::Sandbox(Sandbox&& other) noexcept
    : program_(other.program_), rules_(std::exchange(other.rules_, -1)), trouble_(other.trouble_) {}

Sandbox::~Sandbox() {
  if (rules_ >= 0) ::close(rules_);
}

void Sandbox::allow(int file, unsigned long long rights) noexcept {
  if (rules_ >= 0 && file >= 0) add_rule(rules_, file, rights);
}

void Sandbox::allow(const fs::path& path, unsigned long long rights) noexcept {
  const int file = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (file < 0 && errno != ENOENT && errno != ENOTDIR && errno != EACCES) trouble_ = errno;
  allow(file, rights);
  if (file >= 0) ::close(file);
}

Sandbox Sandbox::for_work(const std::vector<fs::path>& readable) {
  Sandbox sandbox(false);
  sandbox.rules_ = make_rules();
  for (const fs::path& path : readable) sandbox.allow(path.empty() ? "." : path, kRead);
  return sandbox;
}

Sandbox Sandbox::for_program(const std::string& program, int file) {
  Sandbox sandbox(true);
  sandbox.rules_ = make_rules();
  const bool known = is_of_the_system(found_in_path(program));
  if (!known) sandbox.allow("/", kRead | kRun);
  for (const char* folder : {"/usr", "/bin", "/lib", "/lib64"}) sandbox.allow(folder, kRead | kRun);
  for (const char* place :
       {"/etc/ld.so.cache", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system", "/dev/urandom"})
    sandbox.allow(place, kRead);
  sandbox.allow("/dev/null", kRead | kWriteFile);
  sandbox.allow(file, kReadFile | kWriteFile | kTruncate);
  return sandbox;
}

void Sandbox::enter() const noexcept {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  if (rules_ >= 0) follow_rules(rules_);
#if !defined(LIMBER_SANITIZED)
  if (kMachine != 0) program_ ? filter_program() : filter_work();
#else
  static_cast<void>(program_), static_cast<void>(&filter_program), static_cast<void>(&filter_work);
#endif
}

}  // namespace limber
