// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/base/warning.h"
#include "limber/zoo/describe.h"

/// From words to a body that can be animated, where nobody has a model.
namespace limber::animate {

struct CreateSettings {
  std::uint64_t seed = 0;  ///< draws what the words leave open
  int resolution = 60;     ///< of the surface, 24 to 256
  bool rigged = true;      ///< with the skeleton that the body was made with
  /// Another program that makes the model instead: its name or path, and what it is given, with `{words}` and
  /// `{output}` for the words and the GLB that it is to write; where neither is there, both are put at the end. Quotes
  /// keep words together. No shell reads it. Empty: limber makes it.
  std::string command;
  double most_seconds = 3600;  ///< that the program may take
  /// Once it is other than 0, that program is ended and the answer is `kCancelled`. Null: nobody stops it.
  const std::atomic<int>* stop = nullptr;
};

struct Created {
  asset::Asset asset;
  std::optional<zoo::Described> described;  ///< what limber understood; none of another program's model
  std::vector<Warning> warnings;
};

/// A body of the zoo as the words say (`zoo::describe_body`), or what the command writes. Same words and settings: same
/// bits, as far as limber makes it.
Result<Created> create_asset(const std::string& words, const CreateSettings& settings = {});

/// A command as the program and what it is given, with `words` and `output` put in.
Result<std::vector<std::string>> generator_arguments(const std::string& command, const std::string& words,
                                                     const std::string& output);

}  // namespace limber::animate
