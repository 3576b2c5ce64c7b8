// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/actions/words.h"
#include "limber/base/habitat.h"
#include "limber/base/result.h"

/// What bodies do: the one place that knows a word for it. The data is `actions.json`, which is built in;
/// docs/actions.md says what an entry holds.
namespace limber::actions {

/// One way to say an action.
struct Verb {
  std::vector<std::string> forms;  ///< "fly", "flies", "flying", then those that follow no rule: "flew", "flown"
  bool taught = true;              ///< captions say it, so a prior learns it; else it is only understood
  std::optional<Habitat> habitat;  ///< that saying it tells of
  bool goes = false;               ///< who does it gets on by its legs, or leaps

  const std::string& base() const { return forms[0]; }
  const std::string& third() const { return forms[1]; }  ///< person
  const std::string& ing() const { return forms[2]; }
};

/// Whether a word is a form of a verb that is one word: one of its own, or one by the rules ("gliding", "hopped").
bool is_form_of(std::string_view word, const Verb& verb);

/// How a body gets elsewhere while it does it.
enum class Travels { kNo, kOnFeet, kFreely };

/// Limbs without which a body cannot do it.
struct Limbs {
  std::string kind;    ///< as `rig::name(LimbKind)` has it; empty: any body can
  int least = 0;       ///< so many of them
  std::string called;  ///< for a person: "four legs"
};

struct Range {
  double least = 0, most = 0;
};

/// What was measured of performances; what nobody measured is not there.
struct Usual {
  std::optional<Range> movement;       ///< heights: see `metrics::usual_movement`
  std::optional<Range> legged_speed;   ///< of bodies with legs: least pace, leg lengths, and most speed, sizes a second
  std::optional<Range> legless_speed;  ///< of others: both in sizes a second
  std::optional<double> clearance;     ///< most leg lengths that legs are above the ground
  bool legs_in_air = false;            ///< it may be done sitting or lying: how high legs are says nothing
};

/// What others call an action, in a clip's name or an index of recordings, and what it tells beside it.
struct OtherName {
  std::string word;
  std::string second;  ///< another action that it may be as well
  bool fast = false, slow = false, backward = false;
};

struct OtherNames {
  std::vector<OtherName> words;
  bool once = false;  ///< what they call so is done once rather than over and over
  int order = 0;      ///< of clips: where a name has words of several actions, the lowest counts
};

struct Action {
  std::string name;         ///< "lie-down"
  std::vector<Verb> verbs;  ///< the first is the plainest
  bool cyclic = false;      ///< done over and over, rather than once
  Travels travels = Travels::kNo;
  bool gait = false;               ///< differs from other gaits in the order of feet alone
  bool suggested = false;          ///< to people who have no idea
  std::optional<Habitat> habitat;  ///< where it takes place; none: anywhere, or it is not known
  Limbs limbs;
  Usual usual;
  OtherNames clips;       ///< what artists call it
  OtherNames recordings;  ///< what indices of recorded people call it; empty: not what they would call so
};

class Catalogue {
 public:
  Catalogue(std::vector<Action> actions, std::vector<std::string> rivals);

  const std::vector<Action>& all() const { return actions_; }  ///< in the order of the file
  const Action* find(std::string_view name) const;             ///< nullptr: there is none

  /// Every action that captions name, with the words that stand for it there.
  const std::vector<ActionWords>& taught() const { return taught_; }

  /// Actions that a sentence names, in order.
  std::vector<Mention> find_in(std::string_view sentence) const;

  /// What a word that names no action most likely means, by a stem that they share ("backflip", "walker") or a slip of
  /// the pen ("galop"); nullptr where nothing is near.
  const Action* nearest(std::string_view word) const;

  /// What the words of a clip's name or a prompt tell, word by word: "a butterfly that walks" is on the ground. Of
  /// "walks, then flies away" nothing is known.
  HabitatHint habitat_hint(std::string_view text) const;

  /// What pictures of these actions are compared with, best first: what looks different, and where one of them is a
  /// gait, no gait.
  std::vector<const Action*> rivals_of(std::span<const std::string> asked) const;

 private:
  std::vector<Action> actions_;
  std::vector<std::string> rivals_;
  std::vector<ActionWords> taught_, understood_;
};

/// Reads a catalogue: actions.json has the form. `name` is for messages.
Result<Catalogue> parse_catalogue(const std::string& text, const std::string& name);

/// What actions.json says.
const Catalogue& built_in();

/// "a bird flies", "an owl looks around".
std::string sentence(std::string_view noun, const Action& action);

}  // namespace limber::actions
