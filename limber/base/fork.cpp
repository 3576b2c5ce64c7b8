// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/fork.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace limber {
namespace {

/// What is ignored stays so (nohup), but for SIGPIPE: servers ignore that for themselves.
void forget_handlers() {
  struct sigaction fresh {};
  fresh.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction now {};
    const bool known = ::sigaction(signal, nullptr, &now) == 0;
    if (known && (now.sa_handler != SIG_IGN || signal == SIGPIPE)) ::sigaction(signal, &fresh, nullptr);
  }
}

}  // namespace

pid_t fork_child(Fate fate) {
  const pid_t parent = ::getpid();
  const bool dies = fate == Fate::kDiesWithThread || ::syscall(SYS_gettid) == parent;
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = ::fork();
  if (child != 0) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return child;
  }
  forget_handlers();
  if (dies) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // it was too late for that
  }
  ::sigemptyset(&before);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return 0;
}

void lower_limit(__rlimit_resource_t resource, rlim_t value) {
  rlimit now{};
  ::getrlimit(resource, &now);
  const rlimit wanted{std::min(value, now.rlim_cur), std::min(value, now.rlim_max)};
  ::setrlimit(resource, &wanted);
}

}  // namespace limber
