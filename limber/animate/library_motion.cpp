// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/library_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "limber/actions/catalogue.h"
#include "limber/animate/progress_share.h"
#include "limber/asset/read.h"
#include "limber/kinematics/close_loop.h"
#include "limber/retarget/retarget_motion.h"
#include "limber/retarget/source_clip.h"
#include "limber/rig/stance.h"

namespace limber::animate {
namespace {

constexpr std::size_t kMostTried = 8;  // clips that say as much
constexpr double kSearching = 0.7;     // of the progress

/// Words that no clip is called by, but that stand in prompts and in names of many.
constexpr std::string_view kSmall[] = {"a", "an", "the", "it", "its", "he", "she", "his", "her"};
bool is_small(std::string_view word) {
  return std::find(std::begin(kSmall), std::end(kSmall), word) != std::end(kSmall);
}

/// A word or several, without the small ones: "swing a sword" is "swing sword".
std::string phrase_of(std::string_view form) {
  std::string text;
  for (const std::string& word : actions::words_of(form)) {
    if (!is_small(word)) text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

/// Every word for an action that prompts and artists have.
void add_words_for(const actions::Action& action, std::vector<std::string>& any) {
  for (const actions::Verb& verb : action.verbs) {
    for (const std::string& form : verb.forms) any.push_back(phrase_of(form));
  }
  for (const actions::OtherName& other : action.clips.words) any.push_back(other.word);
}

/// Of a prompt that names no action: all that may be one. "a fox backflips" asks for backflips, and not for any fox.
std::vector<std::string> likely_actions(const std::vector<std::string>& words) {
  std::vector<std::string> likely;
  bool who = !words.empty() && is_small(words.front());
  for (const std::string& word : words) {
    if (is_small(word)) continue;
    if (!std::exchange(who, false)) likely.push_back(word);
  }
  return likely;
}

/// Whether the prompt asks for nothing but what is done over and over.
bool goes_on(const std::string& prompt) {
  const actions::Catalogue& known = actions::built_in();
  const std::vector<actions::Mention> mentions = known.find_in(prompt);
  return !mentions.empty() && std::all_of(mentions.begin(), mentions.end(), [&](const actions::Mention& mention) {
    const actions::Action* action = known.find(mention.action);
    return action != nullptr && action->cyclic;
  });
}

/// A clip on this body.
struct Fitted {
  retarget::RetargetedMotion moved;
  retarget::LibraryClip clip;
  bool doubtful = false;  ///< which way the clip's own body looks
};

Result<Fitted> fit(const retarget::LibraryClip& clip, const rig::Subject& subject, bool loop) {
  LIMBER_TRY(asset::Asset asset, asset::read_asset(clip.file));
  LIMBER_TRY(retarget::SourceClip source, retarget::read_source_clip(std::move(asset), clip.clip));
  if (loop && !source.motion.loops) kinematics::close_loop(source.motion);
  LIMBER_TRY(retarget::RetargetedMotion moved,
             retarget::retarget_motion(source.body.upright.subject, source.motion, subject, {clip.name, {}}));
  return Fitted{std::move(moved), clip, rig::is_doubtful(source.body.facing)};
}

/// How much of the body is led by what is like it; a clip of this very skeleton counts before all others.
int likeness(const retarget::BodyMap& map) {
  int alike = 0;
  for (const retarget::LimbPair& pair : map.limbs) {
    if (pair.how == retarget::How::kSame) ++alike;
    if (pair.how == retarget::How::kCopied) alike += 1000;
  }
  return alike;
}

}  // namespace

retarget::LibraryWish library_wish(const std::string& prompt) {
  retarget::LibraryWish wish;
  wish.asked = prompt;
  const std::vector<std::string> words = actions::words_of(prompt);
  std::copy_if(words.begin(), words.end(), std::back_inserter(wish.words),
               [](const std::string& word) { return !is_small(word); });
  const actions::Catalogue& known = actions::built_in();
  for (const actions::Mention& mention : known.find_in(prompt)) {
    if (const actions::Action* action = known.find(mention.action)) add_words_for(*action, wish.any);
  }
  if (wish.any.empty()) wish.any = likely_actions(words);
  if (wish.any.empty()) wish.any = wish.words;
  return wish;
}

Result<LibraryMotion> library_motion(const rig::Subject& subject, const std::filesystem::path& folder,
                                     const std::string& prompt, bool loop, const Progress& progress) {
  LIMBER_TRY(const std::vector<retarget::LibraryClip> clips,
             retarget::find_library_clips(folder, library_wish(prompt), kMostTried, share_of(progress, 0, kSearching)));
  const bool loops = loop || goes_on(prompt);
  std::optional<Fitted> best;
  std::optional<Error> first;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const double done = kSearching + (1 - kSearching) * double(i) / double(clips.size());
    if (progress && !progress("carrying a clip over", done)) return cancelled(folder.string());
    Result<Fitted> fitted = fit(clips[i], subject, loops);
    if (!fitted.ok() && !first) first = fitted.error();
    if (!fitted.ok() || (best && likeness(fitted->moved.map) <= likeness(best->moved.map))) continue;
    best = *std::move(fitted);
  }
  if (!best) {
    return Error{fmt::format("the clip that says '{}' cannot be carried over to this body: {}", prompt, first->what),
                 clips.front().file.string(), ErrorKind::kUnsupported};
  }
  LibraryMotion found{
      std::move(best->moved.motion), {best->clip.file, best->clip.name, retarget::summary(best->moved.map)}, {}};
  if (best->doubtful) {
    found.warnings.push_back({"clip_front_guessed", {}, {{"file", best->clip.file.filename().string()}}});
  }
  return found;
}

}  // namespace limber::animate
