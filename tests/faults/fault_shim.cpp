// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Lets the n-th call of a kind fail. Loaded before all else (LD_PRELOAD), in a program and whatever it starts, with a
// page of memory that they share with the test (`LIMBER_FAULTS` names its file): there the test says what shall fail,
// and reads whether it did. Calls count from the beginning of `main`; those that only make something known on stderr do
// not count, nor those of connections.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

/// As `Control` of faults.py has it.
enum Family : uint32_t { kNone, kWrite, kSync, kRename, kFork, kThread, kRead, kOpen, kMemory };

struct Control {
  uint32_t family;
  uint32_t code;     // errno of the call that fails; 0: it does half of its work, which is no failure
  uint64_t nth;      // from 1
  uint32_t lasting;  // 1: all after it fail, too
  uint32_t others;   // 1: also in programs that limber starts, as ffmpeg
  uint32_t explain;  // 1: tell where it struck
  uint32_t unused;
  uint64_t count;    // of calls so far
  uint64_t struck;   // how many of them failed
  char call[32];     // the first of those
  char where[3500];  // who called, where the test wants to know: "library+place" in lines, for addr2line
};

Control* g_control = nullptr;
bool g_counts = false;  // between the beginning and the end of main
bool g_limber = false;
thread_local bool t_inside = false;

/// Whether a test wants to know of such calls here at all: cheap, as every allocation asks.
inline bool is_watched(Family family) {
  if (!g_counts || g_control == nullptr || __atomic_load_n(&g_control->family, __ATOMIC_RELAXED) != family)
    return false;
  return !t_inside &&
         (g_limber || (g_control->others != 0 && family != kMemory && family != kFork && family != kThread));
}

/// Into the page: a child that decodes has no files, and nobody hears what it says.
void tell_where() {
  t_inside = true;
  void* frames[40];
  const int count = backtrace(frames, 40);
  size_t used = 0;
  for (int i = 0; i < count && used + 1 < sizeof g_control->where; ++i) {
    Dl_info found;
    if (dladdr(frames[i], &found) == 0) continue;
    const auto place = static_cast<unsigned long>(static_cast<char*>(frames[i]) - static_cast<char*>(found.dli_fbase));
    const int size = snprintf(g_control->where + used, sizeof g_control->where - used, "%s+%lx %s\n", found.dli_fname,
                              place, found.dli_sname != nullptr ? found.dli_sname : "");
    if (size > 0) used += static_cast<size_t>(size);
  }
  t_inside = false;
}

/// Whether this is the call that fails; then errno says why.
bool strikes(Family family, const char* call) {
  if (!is_watched(family)) return false;
  const uint64_t number = __atomic_add_fetch(&g_control->count, 1, __ATOMIC_SEQ_CST);
  if (g_control->nth == 0 || number < g_control->nth || (number > g_control->nth && g_control->lasting == 0))
    return false;
  if (__atomic_add_fetch(&g_control->struck, 1, __ATOMIC_SEQ_CST) == 1)
    strncpy(g_control->call, call, sizeof g_control->call - 1);
  if (g_control->explain != 0) tell_where();
  errno = static_cast<int>(g_control->code);
  return true;
}

/// The function of this name that the shim stands before.
template <class Function>
Function* next(const char* name) {
  t_inside = true;
  auto* found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  t_inside = false;
  return found;
}

/// A file or a pipe, but not what is said on stderr.
bool is_data(int file) {
  struct stat info;
  const int before = errno;
  const bool data =
      file != STDERR_FILENO && fstat(file, &info) == 0 && (S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode));
  errno = before;
  return data;
}
/// Of two processes of this machine: what limber hands to ffmpeg.
bool is_local_socket(int file) {
  int domain = 0;
  socklen_t size = sizeof domain;
  const int before = errno;
  const bool local = getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
  errno = before;
  return local;
}

}  // namespace

extern "C" {

// --- the beginning and the end ---------------------------------------------------------------------------------------

using Main = int(int, char**, char**);
static Main* g_main;

static int counted_main(int count, char** words, char** environment) {
  g_counts = true;
  const int code = g_main(count, words, environment);
  g_counts = false;
  return code;
}

int __libc_start_main(Main* main, int count, char** words, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                      void* end) {
  using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  if (const char* name = getenv("LIMBER_FAULTS")) {
    const int file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC));
    void* page =
        file < 0
            ? MAP_FAILED
            : reinterpret_cast<void*>(syscall(SYS_mmap, nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    if (page != MAP_FAILED) g_control = static_cast<Control*>(page);
    if (file >= 0) syscall(SYS_close, file);
  }
  g_limber = strncmp(program_invocation_short_name, "limber", 6) == 0;
  g_main = main;
  return next<Start>("__libc_start_main")(&counted_main, count, words, init, fini, rtld_fini, end);
}

// --- writing ---------------------------------------------------------------------------------------------------------

ssize_t write(int file, const void* bytes, size_t size) {
  if (is_watched(kWrite) && is_data(file) && strikes(kWrite, "write")) {
    if (errno != 0) return -1;
    size = size > 1 ? size / 2 : size;
  }
  static auto* real = next<ssize_t(int, const void*, size_t)>("write");
  return real(file, bytes, size);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  if (is_watched(kWrite) && is_data(file) && strikes(kWrite, "writev") && errno != 0) return -1;
  static auto* real = next<ssize_t(int, const struct iovec*, int)>("writev");
  return real(file, parts, count);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  if (is_watched(kWrite) && is_data(file) && strikes(kWrite, "pwrite") && errno != 0) return -1;
  static auto* real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return real(file, bytes, size, offset);
}

ssize_t send(int file, const void* bytes, size_t size, int flags) {
  if (is_watched(kWrite) && is_local_socket(file) && strikes(kWrite, "send") && errno != 0) return -1;
  static auto* real = next<ssize_t(int, const void*, size_t, int)>("send");
  return real(file, bytes, size, flags);
}

ssize_t sendfile(int to, int from, off_t* offset, size_t size) noexcept {
  if (is_watched(kWrite) && is_data(to) && strikes(kWrite, "sendfile") && errno != 0) return -1;
  static auto* real = next<ssize_t(int, int, off_t*, size_t)>("sendfile");
  return real(to, from, offset, size);
}

size_t fwrite(const void* bytes, size_t size, size_t count, FILE* file) {
  if (file != stderr && is_watched(kWrite) && strikes(kWrite, "fwrite") && errno != 0) {
    file->_flags |= 0x20;  // _IO_ERR_SEEN, which ferror() looks at
    return 0;
  }
  static auto* real = next<size_t(const void*, size_t, size_t, FILE*)>("fwrite");
  return real(bytes, size, count, file);
}

int fflush(FILE* file) {
  if (file != stderr && file != nullptr && is_watched(kWrite) && strikes(kWrite, "fflush") && errno != 0) {
    file->_flags |= 0x20;
    return EOF;
  }
  static auto* real = next<int(FILE*)>("fflush");
  return real(file);
}

// --- what makes it last ----------------------------------------------------------------------------------------------

int fsync(int file) {
  if (strikes(kSync, "fsync") && errno != 0) return -1;
  static auto* real = next<int(int)>("fsync");
  return real(file);
}

int fdatasync(int file) {
  if (strikes(kSync, "fdatasync") && errno != 0) return -1;
  static auto* real = next<int(int)>("fdatasync");
  return real(file);
}

int rename(const char* from, const char* to) noexcept {
  if (strikes(kRename, "rename") && errno != 0) return -1;
  static auto* real = next<int(const char*, const char*)>("rename");
  return real(from, to);
}

int link(const char* from, const char* to) noexcept {
  if (strikes(kRename, "link") && errno != 0) return -1;
  static auto* real = next<int(const char*, const char*)>("link");
  return real(from, to);
}

// --- processes and threads -------------------------------------------------------------------------------------------

pid_t fork() noexcept {
  if (strikes(kFork, "fork") && errno != 0) return -1;
  static auto* real = next<pid_t()>("fork");
  return real();
}

int pthread_create(pthread_t* thread, const pthread_attr_t* settings, void* (*work)(void*), void* data) noexcept {
  if (strikes(kThread, "pthread_create") && errno != 0) return errno;
  static auto* real = next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return real(thread, settings, work, data);
}

// --- reading ---------------------------------------------------------------------------------------------------------

static ssize_t read_or_fail(int file, void* bytes, size_t size) {
  if (is_watched(kRead) && is_data(file) && strikes(kRead, "read")) {
    if (errno != 0) return -1;
    size = size > 1 ? size / 2 : size;
  }
  static auto* real = next<ssize_t(int, void*, size_t)>("read");
  return real(file, bytes, size);
}
ssize_t read(int file, void* bytes, size_t size) { return read_or_fail(file, bytes, size); }
// A fortified program asks for this one.
ssize_t __read_chk(int file, void* bytes, size_t size, size_t) { return read_or_fail(file, bytes, size); }

ssize_t readv(int file, const struct iovec* parts, int count) {
  if (is_watched(kRead) && is_data(file) && strikes(kRead, "readv") && errno != 0) return -1;
  static auto* real = next<ssize_t(int, const struct iovec*, int)>("readv");
  return real(file, parts, count);
}

static ssize_t pread_or_fail(int file, void* bytes, size_t size, off_t offset) {
  if (is_watched(kRead) && is_data(file) && strikes(kRead, "pread")) {
    if (errno != 0) return -1;
    size = size > 1 ? size / 2 : size;
  }
  static auto* real = next<ssize_t(int, void*, size_t, off_t)>("pread");
  return real(file, bytes, size, offset);
}
ssize_t pread(int file, void* bytes, size_t size, off_t offset) { return pread_or_fail(file, bytes, size, offset); }
ssize_t pread64(int file, void* bytes, size_t size, off_t offset) { return pread_or_fail(file, bytes, size, offset); }
ssize_t __pread_chk(int file, void* bytes, size_t size, off_t offset, size_t) {
  return pread_or_fail(file, bytes, size, offset);
}
ssize_t __pread64_chk(int file, void* bytes, size_t size, off_t offset, size_t) {
  return pread_or_fail(file, bytes, size, offset);
}

static size_t fread_or_fail(void* bytes, size_t size, size_t count, FILE* file) {
  if (is_watched(kRead) && strikes(kRead, "fread") && errno != 0) {
    file->_flags |= 0x20;
    return 0;
  }
  static auto* real = next<size_t(void*, size_t, size_t, FILE*)>("fread");
  return real(bytes, size, count, file);
}
size_t fread(void* bytes, size_t size, size_t count, FILE* file) { return fread_or_fail(bytes, size, count, file); }
size_t __fread_chk(void* bytes, size_t, size_t size, size_t count, FILE* file) {
  return fread_or_fail(bytes, size, count, file);
}

// --- descriptors -----------------------------------------------------------------------------------------------------

static int open_or_fail(int folder, const char* name, int flags, mode_t mode) {
  if (strikes(kOpen, "open") && errno != 0) return -1;
  return static_cast<int>(syscall(SYS_openat, folder, name, flags, mode));
}
static mode_t mode_of(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

#define LIMBER_OPEN(name)                             \
  int name(const char* path, int flags, ...) {        \
    va_list rest;                                     \
    va_start(rest, flags);                            \
    const mode_t mode = mode_of(flags, rest);         \
    va_end(rest);                                     \
    return open_or_fail(AT_FDCWD, path, flags, mode); \
  }
#define LIMBER_OPENAT(name)                                \
  int name(int folder, const char* path, int flags, ...) { \
    va_list rest;                                          \
    va_start(rest, flags);                                 \
    const mode_t mode = mode_of(flags, rest);              \
    va_end(rest);                                          \
    return open_or_fail(folder, path, flags, mode);        \
  }
LIMBER_OPEN(open)
LIMBER_OPEN(open64)
LIMBER_OPENAT(openat)
LIMBER_OPENAT(openat64)
int __open_2(const char* path, int flags) { return open_or_fail(AT_FDCWD, path, flags, 0); }
int __open64_2(const char* path, int flags) { return open_or_fail(AT_FDCWD, path, flags, 0); }

FILE* fopen(const char* path, const char* mode) {
  if (strikes(kOpen, "fopen") && errno != 0) return nullptr;
  static auto* real = next<FILE*(const char*, const char*)>("fopen");
  return real(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  if (strikes(kOpen, "fopen") && errno != 0) return nullptr;
  static auto* real = next<FILE*(const char*, const char*)>("fopen64");
  return real(path, mode);
}

int pipe2(int ends[2], int flags) noexcept {
  if (strikes(kOpen, "pipe2") && errno != 0) return -1;
  return static_cast<int>(syscall(SYS_pipe2, ends, flags));
}

int socketpair(int domain, int type, int protocol, int ends[2]) noexcept {
  if (strikes(kOpen, "socketpair") && errno != 0) return -1;
  return static_cast<int>(syscall(SYS_socketpair, domain, type, protocol, ends));
}

// --- memory ----------------------------------------------------------------------------------------------------------

// glibc's own, under other names: dlsym itself allocates.
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) noexcept { return strikes(kMemory, "malloc") && errno != 0 ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) noexcept {
  return strikes(kMemory, "calloc") && errno != 0 ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) noexcept {
  return strikes(kMemory, "realloc") && errno != 0 ? nullptr : __libc_realloc(old, size);
}
void* memalign(size_t alignment, size_t size) noexcept {
  return strikes(kMemory, "memalign") && errno != 0 ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return strikes(kMemory, "aligned_alloc") && errno != 0 ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** bytes, size_t alignment, size_t size) noexcept {
  const int before = errno;
  const bool fails = strikes(kMemory, "posix_memalign") && errno != 0;
  errno = before;
  if (fails) return ENOMEM;
  void* made = __libc_memalign(alignment, size);
  if (made == nullptr) return ENOMEM;
  *bytes = made;
  return 0;
}
void* mmap(void* wanted, size_t size, int protection, int flags, int file, off_t offset) noexcept {
  if (strikes(kMemory, "mmap") && errno != 0) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, wanted, size, protection, flags, file, offset));
}

}  // extern "C"
