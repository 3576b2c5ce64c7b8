// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/animate/fields.h"
#include "limber/animate/request.h"

/// Packs: several clips of one body in one run and one asset, as games want them. Each is made as if it had been asked
/// for alone, so it has the same bits.
namespace limber::animate {

inline constexpr std::size_t kMostClips = 100;

/// "walk, run, idle": three prompts. Where there are semicolons, those separate, and commas belong to a prompt: "walks,
/// then sits; idle".
std::vector<std::string> split_clips(std::string_view text);
/// The same text again, but for spaces.
std::string join_clips(std::span<const std::string> clips);

/// Whether a prompt asks for one thing that is done over and over, as the table of actions has it: "a fox trots".
bool is_cyclic(const std::string& prompt);

/// What is asked for one clip of a pack: its prompt, a loop where that is cyclic, and all else as the pack has it. A
/// run that is kept has a place for each.
Request clip_request(const Request& pack, std::size_t clip);
Wishes clip_wishes(const Wishes& pack, std::size_t clip);
/// Where the run of a clip is kept: `out.checkpoint-a_fox_trots-1a2b3c4d`.
std::filesystem::path clip_checkpoint(const std::filesystem::path& checkpoint, const std::string& prompt);

/// Removes what a run kept, be it of one clip or of several.
void remove_kept(const std::filesystem::path& checkpoint, std::span<const std::string> clips);

/// What contradicts that several clips are made.
std::optional<Refusal> find_pack_refusal(const Wishes& wishes);

}  // namespace limber::animate
