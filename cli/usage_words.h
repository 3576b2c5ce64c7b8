// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

/// What people say to a program that is not quite what it takes.
namespace limber::cli {

/// The words of a command line, last first, as CLI::App::parse takes them. "help rig" is "rig --help".
std::vector<std::string> said_words(int count, char** arguments);

/// "there is no --promt; did you mean --prompt?" of what was left over when `app` was parsed; empty where nothing was.
std::string unknown_words(const CLI::App& app);

/// The command that was being parsed, with those above it: "limber animate".
std::string command_words(const CLI::App& app);

}  // namespace limber::cli
