// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/mend/mend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "limber/base/at.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/forward.h"
#include "limber/mend/clip_checks.h"
#include "limber/mend/clip_repairs.h"
#include "limber/metrics/flips.h"
#include "limber/metrics/skin_stretch.h"

namespace limber::mend {
namespace {

using kinematics::Motion;

constexpr Check kClipChecks[]{Check::kLoop, Check::kContact, Check::kFloor, Check::kDrift, Check::kFlips};

const Checked* find(const std::vector<Checked>& checks, Check check) {
  const auto found = std::find_if(checks.begin(), checks.end(), [&](const Checked& c) { return c.check == check; });
  return found == checks.end() ? nullptr : &*found;
}

bool fails(const ClipScore& score, Check check) {
  const Checked* found = find(score.checks, check);
  return found != nullptr && failed(*found);
}

// --- how much was changed --------------------------------------------------------------------------------------------

/// Where two motions of a body differ, over the frames that both have.
void measure_change(const metrics::ClipBody& body, const Motion& before, const Motion& after, ClipChange& change) {
  const rig::Rig& rig = body.subject.rig;
  const std::vector<Affine> old_joints = kinematics::joint_matrices(rig, before),
                            new_joints = kinematics::joint_matrices(rig, after);
  const int frames = std::min(before.frame_count(), after.frame_count());
  double turns = 0, ways = 0, count = 0;
  for (int f = 0; f < frames; ++f) {
    for (std::size_t j = 0; j < rig.joints().size(); ++j) {
      if (!body.shown[j]) continue;
      const auto quat = [&](const Motion& m) {
        return to_quat(kinematics::euler_matrix(m.frame_angles(f)[j].cast<double>()));
      };
      const double turn = angle_between(quat(before), quat(after)) * 180 / kPi;
      const std::size_t i = at(f) * rig.joints().size() + j;
      const auto way = double(norm(new_joints[i].translation - old_joints[i].translation));
      turns += turn, ways += way, ++count;
      change.most_turn = std::max(change.most_turn, turn), change.most_way = std::max(change.most_way, way);
    }
  }
  if (count > 0) change.mean_turn = turns / count, change.mean_way = ways / count;
  change.added_seconds = (after.frame_count() - before.frame_count()) / after.fps;
}

// --- writing ---------------------------------------------------------------------------------------------------------

/// Nodes whose joints do in both motions the same.
std::vector<bool> untouched_nodes(const asset::Asset& asset, const rig::Rig& rig, const Motion& before,
                                  const Motion& after) {
  std::vector<bool> same(asset.nodes.size(), true);
  const auto overrides = [](const Motion& motion, int joint) {
    for (const kinematics::JointOverride& over : motion.overrides) {
      if (over.joint == joint) return std::pair(over.translations, over.scales);
    }
    return std::pair<std::vector<Vec3>, std::vector<Vec3>>{};
  };
  const bool longer = before.frame_count() != after.frame_count();
  for (int j = 0; j < rig.joint_count(); ++j) {
    const int node = rig.joints()[at(j)].node;
    if (node < 0) continue;
    bool equal = !longer && overrides(before, j) == overrides(after, j);
    if (j == 0) equal = equal && before.root_translations == after.root_translations;
    for (int f = 0; equal && f < before.frame_count(); ++f) {
      equal = before.frame_angles(f)[at(j)] == after.frame_angles(f)[at(j)];
    }
    same[at(node)] = equal;
  }
  return same;
}

/// Puts a motion of the asset's own subject in the place of a clip. Nodes that did not change, morph weights and nodes
/// that are no joints keep their channels.
Status replace_clip(const Stage& stage, const Motion& before, const Motion& after, int index, asset::Asset& asset) {
  LIMBER_TRY(asset::Clip made, exporter::clip_from_motion(asset, stage.subject, after));
  const std::vector<bool> same = untouched_nodes(asset, stage.subject.rig, before, after);
  const std::vector<rig::NodeLink> links = rig::node_links(asset, stage.subject);
  // A node that another carries moves with that one's change.
  std::vector<bool> keeps(asset.nodes.size(), true);
  const std::span<const rig::Joint> joints = stage.subject.rig.joints();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].node >= 0) keeps[at(joints[j].node)] = same[at(joints[j].node)] && links[j].native;
  }
  asset::Clip& clip = asset.clips[at(index)];
  std::vector<asset::Channel> channels;
  for (asset::Channel& channel : clip.channels) {
    const bool moves = channel.path != asset::Path::kWeights && channel.node >= 0;
    if (!moves || keeps[at(channel.node)]) channels.push_back(std::move(channel));
  }
  for (asset::Channel& channel : made.channels) {
    if (keeps[at(channel.node)]) continue;
    asset.nodes[at(channel.node)].matrix.reset();
    channels.push_back(std::move(channel));
  }
  clip.channels = std::move(channels);
  return Done{};
}

// --- clips -----------------------------------------------------------------------------------------------------------

/// Repairs in the order in which they build on each other; says whether poses were changed.
bool repair(const MendSettings& settings, const Stage& stage, const ClipScore& score, const std::string& clip_name,
            Motion& motion) {
  const metrics::ClipBody& body = stage.body;
  const auto asked = [&](Check check) { return settings.asks_for(check) && fails(score, check); };
  bool changed = false;
  if (asked(Check::kFlips) && !metrics::joint_flips(body, motion).empty()) fill_flips(body, motion), changed = true;
  if (asked(Check::kDrift)) take_out_drift(body, motion), changed = true;
  if (asked(Check::kLoop)) close_clip(body, motion), changed = true;
  // What closed a loop may have lifted feet; what brings feet down may press others into the floor, and what lifts a
  // body its feet off it.
  const bool contact = settings.contact && (changed || asked(Check::kContact));
  const bool floor = settings.floor && (changed || asked(Check::kFloor));
  for (int round = 0; round < 2 && (contact || floor); ++round) {
    const Measured now = measure(body, motion, clip_name);
    const bool hovers = failed(check_contact(body, now)) && (contact || !fails(score, Check::kContact));
    if (hovers) touch_floor(body, clip_name, motion);
    const bool sunk =
        failed(check_floor(body, measure(body, motion, clip_name))) && (floor || !fails(score, Check::kFloor));
    if (sunk) rise_from_floor(body, clip_name, motion);
    changed = changed || hovers || sunk;
  }
  return changed;
}

/// Whether something passed before that does not any more.
const Checked* made_worse(const ClipScore& before, const ClipScore& after) {
  for (const Checked& now : after.checks) {
    const Checked* was = find(before.checks, now.check);
    if (was != nullptr && !failed(*was) && failed(now)) return &now;
  }
  return nullptr;
}

Result<ClipScore> score_again(const asset::Asset& asset, const MendSettings& settings, int clip) {
  ScoreSettings one = settings.score;
  one.clip = clip, one.progress = {};
  LIMBER_TRY(AssetScore score, score_asset(asset, one));
  return std::move(score.clips.front());
}

bool needs_mending(const MendSettings& settings, const ClipScore& score) {
  return std::any_of(std::begin(kClipChecks), std::end(kClipChecks),
                     [&](Check check) { return settings.asks_for(check) && fails(score, check); });
}

/// One attempt; the clip as it is then stays in the asset. Returns its score.
Result<ClipScore> attempt(const MendSettings& settings, const Stage& stage, const ClipScore& score, asset::Asset& asset,
                          ClipChange& change) {
  LIMBER_TRY(Motion motion, play_clip(asset, stage, score.clip));
  const Motion before = motion;
  if (repair(settings, stage, score, asset.clips[at(score.clip)].name, motion)) {
    measure_change(stage.body, before, motion, change);
    Motion own = motion, own_before = before;
    kinematics::turn_back(stage.upright, own), kinematics::turn_back(stage.upright, own_before);
    LIMBER_CHECK_OK(replace_clip(stage, own_before, own, score.clip, asset));
  }
  if (settings.flips) metrics::align_signs(asset.clips[at(score.clip)]);
  LIMBER_TRY(ClipScore after, score_again(asset, settings, score.clip));
  const Checked* worse = made_worse(score, after);
  if (worse == nullptr || worse->check != Check::kSkin) return after;
  // With the other clips' stretch known all frames are looked at, and few were before: measured alike it may be well.
  MendSettings alike = settings;
  alike.score.own_stretch.reset();
  return score_again(asset, alike, score.clip);
}

/// What was asked for and came of it.
void tell_outcome(const MendSettings& settings, const ClipScore& before, const ClipScore& after, ClipChange& change) {
  for (const Check check : kClipChecks) {
    if (!settings.asks_for(check) || !fails(before, check)) continue;
    if (!fails(after, check)) {
      change.repaired.push_back(check);
    } else {
      change.left.push_back(fmt::format("{}: still {}", name(check), find(after.checks, check)->words));
    }
  }
}

/// Everything that is asked for; where that would spoil something that was good, all but what concerns the floor; else
/// nothing.
Result<ClipChange> mend_clip(const MendSettings& settings, const Stage& stage, const ClipScore& score,
                             asset::Asset& asset) {
  const asset::Clip original = asset.clips[at(score.clip)];
  const std::vector<asset::Node> nodes = asset.nodes;
  MendSettings off_floor = settings;
  off_floor.contact = off_floor.floor = false;
  std::string spoiled;
  for (const MendSettings& tried : {settings, off_floor}) {
    if (!needs_mending(tried, score)) continue;
    ClipChange change;
    change.clip = score.clip, change.name = score.name;
    LIMBER_TRY(const ClipScore after, attempt(tried, stage, score, asset, change));
    const Checked* worse = made_worse(score, after);
    if (worse == nullptr) {
      tell_outcome(settings, score, after, change);
      const std::vector<Check>& done = change.repaired;
      if (std::find(done.begin(), done.end(), Check::kLoop) != done.end()) tell_to_repeat(asset.clips[at(score.clip)]);
      if (!spoiled.empty()) change.left.push_back(spoiled);
      return change;
    }
    spoiled =
        fmt::format("what else could be done would spoil another check ({}: {})", name(worse->check), worse->words);
    asset.clips[at(score.clip)] = original, asset.nodes = nodes;
  }
  ClipChange change;
  change.clip = score.clip, change.name = score.name;
  tell_outcome(settings, score, score, change);
  change.left.push_back(spoiled);
  return change;
}

}  // namespace

bool MendSettings::asks_for(Check check) const {
  switch (check) {
    case Check::kLoop:
      return loop;
    case Check::kContact:
      return contact;
    case Check::kFloor:
      return floor;
    case Check::kDrift:
      return drift;
    case Check::kFlips:
      return flips;
    case Check::kWeights:
      return weights;
    case Check::kSkin:
    case Check::kLeak:
      break;
  }
  return false;
}

Result<Mended> mend_asset(asset::Asset asset, const MendSettings& settings) {
  Mended mended;
  LIMBER_TRY(mended.before, score_asset(asset, settings.score));
  const Checked* weights = find(mended.before.model, Check::kWeights);
  if (settings.weights && weights != nullptr && failed(*weights)) mended.weights = mend_weights(asset);
  LIMBER_TRY(const Stage stage, make_stage(asset, settings.score));
  std::vector<std::optional<double>> stretches;  // of all clips: measured once
  for (std::size_t i = 0; i < mended.before.clips.size(); ++i) {
    const ClipScore& score = mended.before.clips[i];
    if (!score.unplayable.empty() || !needs_mending(settings, score)) continue;
    const double done = static_cast<double>(i) / static_cast<double>(mended.before.clips.size());
    if (settings.score.progress && !settings.score.progress("mending", done)) {
      return Error{"was cancelled", asset.name, ErrorKind::kCancelled};
    }
    MendSettings one = settings;
    if (stage.body.has_skin && !one.score.own_stretch) {
      if (stretches.empty()) stretches = metrics::clip_stretches(asset, stage.subject);
      one.score.own_stretch = metrics::middle_stretch(stretches, score.clip);
    }
    LIMBER_TRY(ClipChange change, mend_clip(one, stage, score, asset));
    mended.clips.push_back(std::move(change));
  }
  LIMBER_TRY(mended.after, score_asset(asset, settings.score));
  const Checked* left = find(mended.after.model, Check::kWeights);
  if (settings.weights && left != nullptr && failed(*left)) {
    mended.left.push_back(fmt::format("weights: still {}", left->words));
  }
  mended.asset = std::move(asset);
  return mended;
}

}  // namespace limber::mend
