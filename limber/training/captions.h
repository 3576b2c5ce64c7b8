// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "limber/actions/catalogue.h"
#include "limber/base/rng.h"
#include "limber/zoo/action.h"

/// How people may say what a creature does: the prompts that the built-in prior is taught with.
namespace limber::training {

/// Which way a body goes, as seen by itself.
enum class Heading : std::uint8_t { kForward, kBackward, kLeft, kRight };

/// What there is to say about a clip.
struct ClipFacts {
  std::string action = "walk";  ///< one that is taught: the zoo's, or one that only characters have
  std::optional<zoo::Plan> plan = zoo::Plan::kQuadruped;  ///< for nouns; none: any creature
  std::string noun;                                       ///< what this body is called, where that is known: "stag"
  double speed = 1, amplitude = 1;
  bool in_place = false;
  Heading heading = Heading::kForward;
  double turning = 0;  ///< along a path: > 0 to the left
  bool tired = false, limping = false;
};

/// One way to say it: a random sentence, now and then with a noun nobody knows, so that only the action counts. Short
/// enough for the prior to read all of it; names its action and no other (`prior::guess_action`).
std::string caption(const ClipFacts& facts, Rng& rng, const actions::Catalogue& known = actions::built_in());

/// Whether captions name it (`actions::Catalogue::taught`).
bool is_taught(std::string_view action);

/// A noun for prompts: the word of a file's name, where captions know it ("a seagull"), else the plan's ("a biped": of
/// "rigged_figure.glb" nobody would say "a rigged").
std::string plain_noun(const std::string& noun, zoo::Plan plan);

}  // namespace limber::training
