// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/artists_clip.h"

#include <algorithm>

#include "limber/training/clip_names.h"

namespace limber::bench {

bool shows_action(const asset::Clip& clip, zoo::Plan plan, const std::string& action) {
  const training::ClipMeaning meaning = training::clip_meaning(clip.name, plan);
  return std::find(meaning.actions.begin(), meaning.actions.end(), action) != meaning.actions.end();
}

ArtistsClip find_artists_clip(const asset::Asset& asset, zoo::Plan plan) {
  for (const char* wanted : {"walk", "run", "gallop", "fly", "swim", "crawl", "slither"}) {
    for (const asset::Clip& clip : asset.clips) {
      if (shows_action(clip, plan, wanted)) return {&clip, wanted};
    }
  }
  return {};
}

}  // namespace limber::bench
