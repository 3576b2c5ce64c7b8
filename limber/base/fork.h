// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

/// How children are started, for the files that start some. Only system calls, so that a child may make them though
/// other threads held locks when it was made.
namespace limber {

/// What ends a child besides itself. The system can only tie it to a thread, so only who waits where it was started
/// ties it to any thread.
enum class Fate { kDiesWithThread, kDiesWithMainThread };

/// As `fork`, but no handler of this program ever runs in the child: one that writes into a pipe would speak for the
/// parent, one that removes files would take the parent's. The child begins with no signal blocked and those that were
/// caught at their default, which is what they do to it however early they come.
pid_t fork_child(Fate fate);

/// Of this process, soft and hard. Neither is ever raised.
void lower_limit(__rlimit_resource_t resource, rlim_t value);

}  // namespace limber
