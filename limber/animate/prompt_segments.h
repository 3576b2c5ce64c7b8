// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limber/prior/sketch_model.h"

/// What a prompt asks for, one thing after the other. The built-in prior was taught captions that name one action each,
/// so each is drawn by itself.
namespace limber::animate {

/// One thing to do.
struct PromptSegment {
  std::string prompt;                ///< a sentence of its own: "a fox sits down"
  std::vector<std::string> actions;  ///< that it names, of those that the prior was taught
  std::vector<std::string> unknown;  ///< words about what is done that nobody taught it: the body is seen, not read
  bool in_place = false;             ///< it says so: "runs on the spot"
};

/// "a fox walks, then sits down and looks around": three segments, all of a fox.
///
/// Full stops, semicolons, arrows, "then", "after that", "afterwards", "finally" and "followed by" always begin a new
/// segment. Commas, "and", "before" and "next" do where they stand between two different actions ("a cat and a dog
/// walk", "walks up and down" and "walks slowly, carefully" are one thing). A segment without a subject has that of the
/// first one. There is at least one segment; a prompt that is one thing is kept letter by letter. Without a list of
/// actions, as of priors that understand any words, nothing is unknown.
std::vector<PromptSegment> split_prompt(const std::string& prompt, std::span<const prior::ActionWords> actions);

/// A prompt that names an action, with another one instead, in the same form: "a fox walks" becomes "a fox sits".
std::string with_action(const std::string& prompt, std::span<const prior::ActionWords> actions,
                        const prior::ActionWords& instead);

/// What a person should know of a segment of which an action was found, but hardly anything else: German "die Katze
/// rennt" would die. None where it reads like English.
std::optional<Warning> warn_of_unread(const PromptSegment& segment);

/// A segment as a few words: "walk", "walk + turn", or where no action is known, what it says.
std::string short_name(const PromptSegment& segment);

}  // namespace limber::animate
