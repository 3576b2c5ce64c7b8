// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "limber/actions/catalogue.h"
#include "limber/animate/prompt_segments.h"
#include "limber/base/checksum.h"
#include "limber/base/expect.h"

namespace limber::animate {
namespace {

std::string_view without_space_around(std::string_view text) {
  constexpr const char* kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

/// What a pack leaves no room for, and why.
struct Excluded {
  const char *field, *reason;
};
constexpr const char *kOwnSource = "each clip has a prompt of its own there",
                     *kOneFile = "it is a file of one motion, and there are several";
constexpr Excluded kExcluded[] = {
    {"prompt", kOwnSource},
    {"video", "a video is one clip"},
    {"continue", "only one clip can go on where that one ends"},
    {"keyframes", "they are poses of one clip"},
    {"name", "each clip is called as its prompt"},
    {"loop", "each clip is a loop where its action is done over and over"},
    {"samples", kOneFile},
    {"losses", kOneFile},
    {"preview_every", "the pictures of one clip would take the place of another's"},
};

}  // namespace

std::vector<std::string> split_clips(std::string_view text) {
  const char separator = text.find(';') == std::string_view::npos ? ',' : ';';
  std::vector<std::string> clips;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view clip = without_space_around(text.substr(0, end));
    if (!clip.empty()) clips.emplace_back(clip);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return clips;
}

std::string join_clips(std::span<const std::string> clips) {
  const bool commas = std::any_of(clips.begin(), clips.end(),
                                  [](const std::string& clip) { return clip.find(',') != std::string::npos; });
  std::string text;
  for (const std::string& clip : clips) text += (text.empty() ? "" : commas ? ";" : ",") + clip;
  return text + (commas && clips.size() == 1 ? ";" : "");
}

bool is_cyclic(const std::string& prompt) {
  const actions::Catalogue& known = actions::built_in();
  const std::vector<PromptSegment> things = split_prompt(prompt, known.taught());
  if (things.size() != 1 || things.front().actions.empty()) return false;
  const std::vector<std::string>& names = things.front().actions;
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    const actions::Action* action = known.find(name);
    return action != nullptr && action->cyclic;
  });
}

std::filesystem::path clip_checkpoint(const std::filesystem::path& checkpoint, const std::string& prompt) {
  std::string name;
  for (const std::string& word : actions::words_of(prompt)) name += (name.empty() ? "" : "_") + word;
  name.resize(std::min<std::size_t>(name.size(), 40));
  // What is not a letter of English may be anything, and long prompts may begin alike.
  std::replace_if(
      name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) > 127; }, '_');
  std::filesystem::path file = checkpoint;
  file += fmt::format("-{}-{:08x}", name, static_cast<std::uint32_t>(Checksum().add(prompt).value()));
  return file;
}

void remove_kept(const std::filesystem::path& checkpoint, std::span<const std::string> clips) {
  remove_checkpoint(checkpoint);
  for (const std::string& clip : clips) remove_checkpoint(clip_checkpoint(checkpoint, clip));
}

Request clip_request(const Request& pack, std::size_t clip) {
  LIMBER_EXPECT(clip < pack.clips.size(), std::to_string(clip));
  Request request = pack;
  request.prompt = pack.clips[clip], request.clips.clear();
  request.finishing.loop = is_cyclic(request.prompt);
  if (request.checkpoint) request.checkpoint->file = clip_checkpoint(pack.checkpoint->file, request.prompt);
  return request;
}

Wishes clip_wishes(const Wishes& pack, std::size_t clip) {
  Wishes wishes = pack;
  wishes.request = clip_request(pack.request, clip);
  if (!pack.checkpoint.empty()) wishes.checkpoint = clip_checkpoint(pack.checkpoint, wishes.request.prompt);
  wishes.said.erase("clips"), wishes.said.insert("prompt");
  return wishes;
}

std::optional<Refusal> find_pack_refusal(const Wishes& wishes) {
  if (wishes.request.clips.empty()) return std::nullopt;
  if (wishes.request.clips.size() > kMostClips) {
    return Refusal{Refusal::Why::kNeeds, "clips", "clips", "", fmt::format("to be fewer: {} at most", kMostClips),
                   ErrorKind::kInput};
  }
  for (const Excluded& excluded : kExcluded) {
    if (!is_said(*find_field(excluded.field), wishes)) continue;
    return Refusal{Refusal::Why::kContradict, "clips", excluded.field, "", excluded.reason, ErrorKind::kConflict};
  }
  return std::nullopt;
}

}  // namespace limber::animate
