// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace limber::asset {

/// Whether the parts of a video file, whose extension is `.mp4`, `.gif` or `.webp`, follow each other up to its last
/// byte and hold at least a frame. ffmpeg exits with 0 though the disk was full.
bool is_whole_video(std::string_view extension, std::span<const std::byte> file);

/// The same of an open file.
bool is_whole_video(std::string_view extension, int file);

}  // namespace limber::asset
