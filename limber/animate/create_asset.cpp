// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/create_asset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "limber/asset/read.h"
#include "limber/base/process.h"
#include "limber/exporter/exporter.h"

namespace limber::animate {
namespace {

namespace fs = std::filesystem;

constexpr double kGraceSeconds = 1;  // for a program that is stopped, to tidy up: less than the studio grants us

/// A folder of our own, which goes with what is in it.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::error_code failed;
    std::string name = (fs::temp_directory_path(failed) / "limber-create-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) folder_ = name;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  const fs::path& path() const { return folder_; }  ///< empty: there is none

 private:
  fs::path folder_;
};

/// Words of a command line; quotes of either kind keep together what is between them.
Result<std::vector<std::string>> split_command(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool begun = false;
  for (const char c : command) {
    if (quote != 0) {
      if (c == quote) quote = 0;
      if (c != quote && quote != 0) word += c;
    } else if (c == '"' || c == '\'') {
      quote = c, begun = true;
    } else if (c == ' ' || c == '\t') {
      if (begun) words.push_back(std::exchange(word, ""));
      begun = false;
    } else {
      word += c, begun = true;
    }
  }
  if (quote != 0) return Error{"has a quote that does not end", "text_to_3d"};
  if (begun) words.push_back(word);
  return words;
}

bool put_in(std::string& text, std::string_view name, const std::string& value) {
  bool found = false;
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size())) {
    text.replace(at, name.size(), value), found = true;
  }
  return found;
}

/// The last line that a program said.
std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  const std::size_t line = text.rfind('\n');
  if (line != std::string_view::npos) text.remove_prefix(line + 1);
  return std::string(text.substr(0, 300));
}

std::string why_it_ended(const ProcessOutcome& outcome, double most_seconds) {
  using End = ProcessOutcome::End;
  std::string why = outcome.end == End::kTimedOut ? fmt::format("took longer than {:.0f} s", most_seconds)
                    : outcome.end == End::kExited ? fmt::format("ended with exit code {}", outcome.code)
                                                  : fmt::format("was killed by signal {}", outcome.code);
  const std::string said = last_line(outcome.tail);
  return why + (said.empty() ? "" : ": " + said);
}

Result<Created> generate(const std::string& words, const CreateSettings& settings) {
  const PrivateFolder folder;
  if (folder.path().empty()) return Error{"there is no place for temporary files", "text_to_3d"};
  const fs::path output = folder.path() / "model.glb";
  LIMBER_TRY(std::vector<std::string> arguments, generator_arguments(settings.command, words, output.string()));
  ProcessRequest request;
  request.program = arguments.front();
  request.arguments.assign(arguments.begin() + 1, arguments.end());
  request.messages = folder.path() / "messages.txt";
  request.limits.seconds = settings.most_seconds;
  request.grace_seconds = kGraceSeconds;
  const std::atomic<int> never{0};
  LIMBER_TRY(const ProcessOutcome outcome, run_process(request, settings.stop ? *settings.stop : never));
  if (outcome.end == ProcessOutcome::End::kStopped) return cancelled("text_to_3d");
  const std::string& program = request.program;
  if (!outcome.good()) return Error{why_it_ended(outcome, settings.most_seconds), program};
  std::error_code failed;
  if (!fs::is_regular_file(output, failed)) {
    const std::string said = last_line(outcome.tail);
    return Error{"ended without a word of error, but wrote no model where it was told to" +
                     (said.empty() ? "" : "; it said: " + said),
                 program};
  }
  Result<asset::Asset> asset = asset::read_asset(output);
  if (!asset.ok()) return Error{"wrote what is no model: " + asset.error().what, program};
  if (asset->meshes.empty()) return Error{"wrote a model without a mesh", program};
  asset->name = words;
  return Created{std::move(*asset), std::nullopt, {}};
}

}  // namespace

Result<std::vector<std::string>> generator_arguments(const std::string& command, const std::string& words,
                                                     const std::string& output) {
  LIMBER_TRY(std::vector<std::string> arguments, split_command(command));
  if (arguments.empty()) return Error{"names no program", "text_to_3d"};
  bool placed = false;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    // The words first: what they hold is not looked into.
    std::string& argument = arguments[i];
    const bool output_here = put_in(argument, "{output}", output), words_here = put_in(argument, "{words}", words);
    placed = placed || output_here || words_here;
  }
  if (!placed) arguments.insert(arguments.end(), {words, output});
  return arguments;
}

Result<Created> create_asset(const std::string& words, const CreateSettings& settings) {
  if (!settings.command.empty()) return generate(words, settings);
  LIMBER_TRY(zoo::Described described, zoo::describe_body(words));
  LIMBER_TRY(zoo::Creature creature, zoo::make_described(described, settings.seed, settings.resolution));
  Created created{zoo::static_asset(creature), std::nullopt, {}};
  if (settings.rigged) LIMBER_CHECK_OK(exporter::add_rig(created.asset, creature.subject));
  if (!described.unknown.empty()) {
    created.warnings.push_back(
        {"words_unknown", {}, {{"words", fmt::format("{}", fmt::join(described.unknown, ", "))}}});
  }
  created.described = std::move(described);
  return created;
}

}  // namespace limber::animate
