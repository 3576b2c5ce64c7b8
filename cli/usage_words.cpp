// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "usage_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "limber/actions/words.h"
#include "limber/base/quote.h"

namespace limber::cli {
namespace {

constexpr double kNear = 0.4;             // of the longer word's letters: farther apart, nobody meant it
constexpr std::size_t kLongestWord = 60;  // of a word that is repeated to a person

/// The deepest command that was said.
const CLI::App& said_command(const CLI::App& app) {
  const std::vector<CLI::App*> said = app.get_subcommands();
  return said.empty() ? app : said_command(*said.front());
}

std::string nearest_of(std::string_view word, const std::vector<std::string>& known) {
  std::string nearest;
  double least = kNear;
  for (const std::string& name : known) {
    const double distance = actions::word_distance(word, name);
    if (distance < least) least = distance, nearest = name;
  }
  return nearest;
}

/// Long names of options: those of the command and of all above it.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      // What is in no group is not for people.
      if (option->get_group().empty()) continue;
      names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
    }
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string question(const std::string& nearest, const char* before) {
  return nearest.empty() ? "" : fmt::format("; did you mean {}{}?", before, nearest);
}

}  // namespace

std::vector<std::string> said_words(int count, char** arguments) {
  std::vector<std::string> words(arguments + std::min(count, 1), arguments + count);
  if (!words.empty() && words.front() == "help") words.erase(words.begin()), words.emplace_back("--help");
  std::reverse(words.begin(), words.end());
  return words;
}

std::string unknown_words(const CLI::App& app) {
  const std::vector<std::string> left = app.remaining(true);
  const auto option = std::find_if(left.begin(), left.end(), [](const std::string& word) { return word[0] == '-'; });
  const CLI::App& command = said_command(app);
  if (option != left.end()) {
    const std::string name = option->substr(0, option->find('='));
    const std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    const bool is_short = bare.size() < 2;
    const std::string nearest = is_short ? "" : nearest_of(bare, option_names(command));
    return fmt::format("there is no {}{}", shortened(name, kLongestWord), question(nearest, "--"));
  }
  if (left.empty()) return "";
  const std::string word(shortened(left.front(), kLongestWord));
  const std::vector<std::string> commands = command_names(command);
  if (commands.empty()) return fmt::format("\"{}\" was not expected", word);
  return fmt::format("there is no command \"{}\"{}", word, question(nearest_of(left.front(), commands), ""));
}

std::string command_words(const CLI::App& app) {
  const std::vector<CLI::App*> said = app.get_subcommands();
  return app.get_name() + (said.empty() ? "" : " " + command_words(*said.front()));
}

}  // namespace limber::cli
