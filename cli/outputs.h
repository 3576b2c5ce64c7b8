// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "limber/base/result.h"

/// No command may write over what it reads, nor twice to the same place. Looked at once for all commands, between
/// parsing and work. Options that name files are those whose type says so (FILE, DIR, FOLDER, PATH ...); those that
/// are written are known by their names, which mean the same in all commands.
namespace limber::cli {

/// What a command writes though no option named it: a report beside the output, say.
struct UnnamedOutput {
  std::string what;  ///< for a person: "the preview"
  std::string path;
};

/// Tells what else a command writes; asked when its options are parsed.
void also_writes(const CLI::App& command, std::function<std::vector<UnnamedOutput>()> files);

/// Throws CLI::ValidationError, which names both, where an output of the commands that were chosen is an input of
/// theirs or another output: the same file or folder, however spelled and through whatever links.
void check_outputs(const CLI::App& app);

/// An error where a file that they are to write cannot be written: before minutes of work rather than after them.
Status check_writable_outputs(const CLI::App& app);

}  // namespace limber::cli
