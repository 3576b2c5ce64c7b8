// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/animate_asset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "limber/animate/one_clip.h"
#include "limber/animate/pack.h"
#include "limber/animate/pack_report.h"
#include "limber/animate/progress_share.h"
#include "limber/animate/report.h"
#include "limber/asset/find_clip.h"
#include "limber/base/stopwatch.h"
#include "limber/exporter/stand_up.h"

namespace limber::animate {
namespace {

/// An asset that has all its clips, and what was known before there were any.
AnimatedAsset begun(Ready ready) {
  return {std::move(ready.cast.asset),
          std::move(ready.cast.subject),
          std::move(ready.cast.rigged),
          std::move(ready.facing),
          0,
          {},
          {},
          std::move(ready.cast.warnings)};
}

Status stand_up(const Request& request, AnimatedAsset& result) {
  if (!request.stand_up || !exporter::stand_up(result.asset, result.facing.up)) return Done{};
  LIMBER_TRY(result.subject, rig::subject_from_asset(result.asset));
  return Done{};
}

Result<AnimatedAsset> animate_once(Ready ready, const Models& models, const Request& asked, const Stopwatch& watch) {
  Request request = asked;
  request.progress = share_of(asked.progress, ready.rigging, 1);
  LIMBER_TRY(DrawnClip drawn, draw_clip(ready, models, request));
  LIMBER_TRY(AddedClip added, add_clips(ready, drawn, request));
  AnimatedAsset result = begun(std::move(ready));
  result.first_clip = added.first;
  const std::vector<Warning>& told = drawn.animation.warnings;
  result.warnings.insert(result.warnings.end(), told.begin(), told.end());
  result.finished = std::move(added.finished.checks), result.mended = std::move(added.finished.mended);
  result.animation = std::move(drawn.animation);
  result.report = report_text(result, request, watch.seconds());
  LIMBER_CHECK_OK(stand_up(request, result));
  return result;
}

// --- packs -----------------------------------------------------------------------------------------------------------

/// Which of the clips is at work.
Progress share_of_clip(const Request& pack, std::size_t clip, double rigging) {
  if (!pack.progress) return {};
  const double share = (1 - rigging) / static_cast<double>(pack.clips.size()),
               from = rigging + share * static_cast<double>(clip);
  return [&pack, clip, from, share](std::string_view stage, double fraction) {
    return pack.progress(fmt::format("{} ({} of {}): {}", pack.clips[clip], clip + 1, pack.clips.size(), stage),
                         from + share * std::clamp(fraction, 0.0, 1.0));
  };
}

/// Makes a clip beside an asset that has none of the others, so that it comes out as it would alone, and takes it off
/// again into `clips`.
Result<PackedClip> make_packed(Ready& ready, const Models& models, const Request& request,
                               std::vector<asset::Clip>& clips) {
  const Stopwatch watch;
  PackedClip packed{request.prompt, request.finishing.loop};
  Result<DrawnClip> drawn = draw_clip(ready, models, request);
  if (!drawn.ok()) return drawn.error();
  const std::size_t before = ready.cast.asset.clips.size();
  Result<AddedClip> added = add_clips(ready, *drawn, request);
  std::vector<asset::Clip>& all = ready.cast.asset.clips;
  if (added.ok()) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(before);
    clips.assign(std::make_move_iterator(first), std::make_move_iterator(all.end()));
  }
  all.resize(before);
  if (!added.ok()) return added.error();
  packed.warnings = drawn->animation.warnings;
  packed.finished = std::move(added->finished.checks), packed.mended = std::move(added->finished.mended);
  packed.animation = std::move(drawn->animation);
  packed.seconds = watch.seconds();
  return packed;
}

/// What all clips came to, one behind the other.
struct Pack {
  std::vector<PackedClip> packed;
  std::vector<std::vector<asset::Clip>> clips;  ///< of each
  std::optional<Error> first_error;
};
Result<Pack> make_pack(Ready& ready, const Models& models, const Request& request) {
  Pack pack;
  for (std::size_t i = 0; i < request.clips.size(); ++i) {
    Request one = clip_request(request, i);
    one.progress = share_of_clip(request, i, ready.rigging);
    Result<PackedClip> packed = make_packed(ready, models, one, pack.clips.emplace_back());
    if (packed.ok()) {
      pack.packed.push_back(std::move(*packed));
      continue;
    }
    if (packed.error().kind == ErrorKind::kCancelled) return packed.error();
    if (!pack.first_error) pack.first_error = packed.error();
    pack.packed.push_back({one.prompt, one.finishing.loop, std::nullopt, packed.error().what});
    pack.packed.back().warnings.push_back(
        {"clip_failed", {}, {{"clip", one.prompt}, {"why", packed.error().what}}, {{"clips"}}});
  }
  return pack;
}

/// All clips in one asset, under names of their own, and what is to be said of each.
void join_pack(Pack pack, AnimatedAsset& result) {
  bool is_first = true;
  for (std::size_t i = 0; i < pack.packed.size(); ++i) {
    PackedClip& packed = pack.packed[i];
    if (packed.failed.empty()) packed.clip = static_cast<int>(result.asset.clips.size());
    for (asset::Clip& clip : pack.clips[i]) {
      clip.name = asset::unused_clip_name(result.asset, clip.name);
      result.asset.clips.push_back(std::move(clip));
    }
    for (Warning warning : packed.warnings) {
      if (warning.name("clip").empty()) warning.names.emplace_back("clip", packed.prompt);
      result.warnings.push_back(std::move(warning));
    }
    if (!packed.clip || !is_first) continue;
    is_first = false;
    result.first_clip = *packed.clip, result.animation = packed.animation;
    result.finished = packed.finished, result.mended = packed.mended;
  }
  result.pack = std::move(pack.packed);
}

Result<AnimatedAsset> animate_pack(Ready ready, const Models& models, const Request& request, const Stopwatch& watch) {
  LIMBER_TRY(Pack pack, make_pack(ready, models, request));
  const bool any = std::any_of(pack.packed.begin(), pack.packed.end(),
                               [](const PackedClip& packed) { return packed.failed.empty(); });
  if (!any) return *pack.first_error;
  AnimatedAsset result = begun(std::move(ready));
  join_pack(std::move(pack), result);
  LIMBER_TRY(result.report, pack_report(result, request, watch.seconds()));
  LIMBER_CHECK_OK(stand_up(request, result));
  return result;
}

}  // namespace

Result<AnimatedAsset> animate_asset(asset::Asset asset, const Models& models, const Request& request) {
  const Stopwatch watch;
  LIMBER_TRY(Ready ready, make_ready(std::move(asset), models, request));
  const auto animate = request.clips.empty() ? animate_once : animate_pack;
  return animate(std::move(ready), models, request, watch);
}

}  // namespace limber::animate
