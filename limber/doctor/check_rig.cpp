// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/doctor/checks.h"
#include "limber/kinematics/clip.h"
#include "limber/metrics/rig_health.h"
#include "limber/metrics/skin_stretch.h"
#include "limber/rig/static_subject.h"
#include "limber/rig/subject.h"

namespace limber::doctor {
namespace {

/// The weights solved anew, and another skeleton.
const std::vector<FieldHint> kSolveWeights{{"keep_skeleton", "true", "rig"}}, kNewSkeleton{{"replace", "true", "rig"}};
constexpr std::size_t kEngineInfluences = 4, kMostInfluences = 8;
constexpr double kFps = 12, kMostFrames = 48;  // looked at, of every clip

double counted(std::size_t count) { return static_cast<double>(count); }

void check_weights(const metrics::RigHealth& rig, Findings& findings) {
  if (rig.unweighted_vertices > 0) {
    findings.push_back({Severity::kWarning,
                        "weights",
                        {"weights_missing",
                         {{"vertices", counted(rig.unweighted_vertices)}, {"all", counted(rig.skinned_vertices)}},
                         {},
                         kSolveWeights},
                        ""});
  }
  if (rig.bad_weight_sums > 0) {
    findings.push_back({Severity::kWarning,
                        "weights",
                        {"weights_off",
                         {{"vertices", counted(rig.bad_weight_sums)}, {"worst", double(rig.worst_weight_sum_error)}},
                         {},
                         kSolveWeights},
                        ""});
  }
  if (rig.max_influences > kEngineInfluences) {
    const bool too_many = rig.max_influences > kMostInfluences;
    findings.push_back({too_many ? Severity::kWarning : Severity::kNote,
                        "influences",
                        {"many_influences",
                         {{"joints", counted(rig.max_influences)}, {"influences", too_many ? 8 : 4}},
                         {{"words", too_many ? "limber and engines take 8 at most" : "many engines take 4"}},
                         {{"influences", too_many ? "8" : "4", "convert"}}},
                        ""});
  }
}

/// One finding for all clips, the worst of them first.
Finding torn_skin(std::vector<std::pair<double, std::string>> torn, std::size_t clips) {
  constexpr std::size_t kListed = 3;
  std::stable_sort(torn.begin(), torn.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string where;
  for (std::size_t i = 0; i < torn.size() && i < kListed; ++i) {
    where += fmt::format("{}{} ({:.1f})", i == 0 ? "" : ", ", torn[i].second, torn[i].first);
  }
  if (torn.size() > kListed) where += fmt::format(" and {} more", torn.size() - kListed);
  return {Severity::kWarning,
          "stretch",
          {"clips_torn",
           {{"torn", counted(torn.size())},
            {"clips", counted(clips)},
            {"stretch", torn.front().first},
            {"usual", metrics::kTornSkin}},
           {{"words", torn.size() == 1 ? "stretches" : "stretch"}},
           kSolveWeights},
          where};
}

}  // namespace

void check_rig(const asset::Asset& asset, Findings& findings) {
  if (!rig::has_skin(asset)) return;
  const metrics::RigHealth rig = metrics::rig_health(asset);
  check_weights(rig, findings);
  if (rig.loose_siblings > 1) {
    findings.push_back({Severity::kWarning,
                        "joints",
                        {"loose_joints", {{"joints", counted(rig.loose_siblings)}}, {}, kNewSkeleton},
                        ""});
  }
  // Who was hung elsewhere for want of a better parent, in the words of rig::subject_from_asset.
  const Result<rig::Subject> subject = rig::subject_from_asset(asset);
  if (!subject.ok()) {
    findings.push_back({Severity::kError,
                        "joints",
                        {"no_skeleton", {}, {{"why", subject.error().what}}, kNewSkeleton},
                        subject.error().where});
    return;
  }
  std::vector<std::string> notes;
  std::copy_if(subject->notes.begin(), subject->notes.end(), std::back_inserter(notes),
               [](const std::string& note) { return note.find("joint") != std::string::npos; });  // weights: see above
  if (notes.empty()) return;
  constexpr std::size_t kSaid = 3;
  std::string what = notes[0];
  for (std::size_t i = 1; i < std::min(notes.size(), kSaid); ++i) what += "; " + notes[i];
  if (notes.size() > kSaid) what += "; and more such";
  findings.push_back(
      {Severity::kNote,
       "joints",
       {"joint_notes", {}, {{"what", what}}, {{"layers", "rgb,skeleton", "render"}, {"replace", "true", "rig"}}},
       ""});
}

void check_clips(const asset::Asset& asset, Findings& findings) {
  if (!rig::has_skin(asset) || asset.clips.empty()) return;
  const Result<rig::Subject> subject = rig::subject_from_asset(asset);
  if (!subject.ok()) return;
  std::vector<std::pair<double, std::string>> torn;
  for (std::size_t c = 0; c < asset.clips.size(); ++c) {
    const asset::Clip& clip = asset.clips[c];
    const double fps = std::min(kFps, kMostFrames / std::max(static_cast<double>(clip.duration()), 1e-3));
    const Result<kinematics::Motion> motion = kinematics::motion_from_clip(asset, clip, *subject, fps);
    const std::string name = clip.name.empty() ? fmt::format("clip {}", c) : clip.name;
    if (!motion.ok()) {
      findings.push_back({Severity::kWarning, "clips", {"clip_broken", {}, {{"why", motion.error().what}}}, name});
      continue;
    }
    const double stretch = metrics::skin_stretch(*subject, *motion).stretch;
    if (stretch > metrics::kTornSkin) torn.emplace_back(stretch, name);
  }
  if (!torn.empty()) findings.push_back(torn_skin(std::move(torn), asset.clips.size()));
}

}  // namespace limber::doctor
