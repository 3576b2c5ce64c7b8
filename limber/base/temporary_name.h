// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

/// Names of files that are not whole yet. Who writes one holds a lock on it (flock) until it has its own name, so a
/// file that nobody holds was left by a process that was killed.
namespace limber {

/// Digits that are the same in all containers of a machine, and others on another machine or after it was started anew.
/// Where they are the same, so are the locks that processes see.
const std::string& this_boot();

/// Beside `target`: its name, cut where that is very long, this boot of this machine, and random digits. Empty where
/// there is no source of randomness.
std::string temporary_name(const std::filesystem::path& target);

/// Removes what killed processes of this user left in a folder: files with such names that nobody holds. Those of other
/// machines, whose locks may not be seen here, only after a day.
void sweep_temporary_files(const std::filesystem::path& folder);

}  // namespace limber
