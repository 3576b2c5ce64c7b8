// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/finished_clip.h"

#include <algorithm>
#include <string>
#include <utility>

namespace limber::animate {
namespace {

/// Whether its poses are its own: neither keyframes nor the end of another clip have to be met to the last bit.
bool is_free(const Plan& plan) {
  const auto* sampled = std::get_if<BySample>(&plan.way);
  const auto* native = std::get_if<ByNative>(&plan.way);
  return sampled != nullptr ? sampled->span.is_free() : native == nullptr || native->span.is_free();
}

}  // namespace

mend::MendSettings mend_settings(const Plan& plan, const rig::Facing& facing) {
  mend::MendSettings settings;
  settings.score.loops = plan.finish.loop;
  settings.score.up = facing.up, settings.score.forward = facing.forward;
  if (!is_free(plan)) return settings;
  settings.flips = true;
  settings.loop = settings.drift = plan.finish.loop;
  // Who wants it as it was drawn gets that.
  settings.contact = settings.floor = plan.finish.ground != Ground::kNone;
  return settings;
}

std::optional<FinishedClip> finish_clip(const Plan& plan, const rig::Facing& facing, std::optional<double> own_stretch,
                                        int clip, asset::Asset& asset) {
  mend::MendSettings settings = mend_settings(plan, facing);
  settings.score.clip = clip, settings.score.own_stretch = own_stretch;
  Result<mend::AssetScore> score = mend::score_asset(asset, settings.score);
  if (!score.ok()) return std::nullopt;
  FinishedClip finished{std::move(score->clips.front().checks), std::nullopt};
  const auto mendable = [&](const mend::Checked& checked) {
    return mend::failed(checked) && settings.asks_for(checked.check);
  };
  if (std::none_of(finished.checks.begin(), finished.checks.end(), mendable)) return finished;
  Result<mend::Mended> mended = mend::mend_asset(asset, settings);
  if (!mended.ok() || mended->clips.empty() || mended->clips.front().repaired.empty()) return finished;
  asset = std::move(mended->asset);
  finished.checks = std::move(mended->after.clips.front().checks);
  finished.mended = std::move(mended->clips.front());
  return finished;
}

std::vector<Warning> unfinished_warnings(const Plan& plan, const FinishedClip& finished) {
  const mend::MendSettings settings = mend_settings(plan, {});
  std::vector<Warning> warnings;
  for (const mend::Checked& checked : finished.checks) {
    // Skin has a warning of its own; what nobody asked for (the ground left out) is as it was wanted.
    const bool flips = checked.check == mend::Check::kFlips;
    if (!mend::failed(checked) || !(settings.asks_for(checked.check) || flips)) continue;
    // What is left after mending needs another motion.
    warnings.push_back({"clip_unfinished",
                        {{"value", checked.value}, {"allowed", checked.allowed}},
                        {{"words", checked.words}, {"check", std::string(mend::name(checked.check))}},
                        {{"seed"}}});
  }
  return warnings;
}

}  // namespace limber::animate
