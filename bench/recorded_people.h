// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "bench/artist_body.h"

namespace limber::bench {

/// People who were recorded walking or running more than once, each with a skeleton of their own: hardly any artist
/// draws a gait twice, and how far two takes are apart says what a measure is good for. `folder` has an index.json that
/// names the files; where there is none, there are no people. Those that cannot be read are left out.
std::vector<ArtistBody> read_recorded_people(const std::filesystem::path& folder, const animate::Models& models);

}  // namespace limber::bench
