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

constexpr const char* kSolveWeights = "limber rig MODEL --keep-skeleton -o better.glb solves the weights anew";
constexpr std::size_t kEngineInfluences = 4, kMostInfluences = 8;
constexpr double kFps = 12, kMostFrames = 48;  // looked at, of every clip

void check_weights(const metrics::RigHealth& rig, Findings& findings) {
  if (rig.unweighted_vertices > 0) {
    findings.push_back({Severity::kWarning, "weights",
                        fmt::format("{} of {} vertices follow no joint", rig.unweighted_vertices, rig.skinned_vertices),
                        "", kSolveWeights});
  }
  if (rig.bad_weight_sums > 0) {
    findings.push_back({Severity::kWarning, "weights",
                        fmt::format("the weights of {} vertices do not sum to one (the worst is {:.2g} away)",
                                    rig.bad_weight_sums, rig.worst_weight_sum_error),
                        "", fmt::format("limber takes them as fractions, engines may not: {}", kSolveWeights)});
  }
  if (rig.max_influences > kEngineInfluences) {
    const bool too_many = rig.max_influences > kMostInfluences;
    findings.push_back({too_many ? Severity::kWarning : Severity::kNote, "influences",
                        fmt::format("up to {} joints move one vertex; {}", rig.max_influences,
                                    too_many ? "limber and engines take 8 at most" : "many engines take 4"),
                        "", fmt::format("limber convert MODEL --influences {} -o fewer.glb", too_many ? 8 : 4)});
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
  return {Severity::kWarning, "stretch",
          fmt::format("{} of {} clips stretch{} the skin {:.1f} times at the worst; {:.1f} is usual at most",
                      torn.size(), clips, torn.size() == 1 ? "es" : "", torn.front().first, metrics::kTornSkin),
          where, kSolveWeights};
}

}  // namespace

void check_rig(const asset::Asset& asset, Findings& findings) {
  if (!rig::has_skin(asset)) return;
  const metrics::RigHealth rig = metrics::rig_health(asset);
  check_weights(rig, findings);
  if (rig.loose_siblings > 1) {
    findings.push_back(
        {Severity::kWarning, "joints",
         fmt::format("{} joints hang side by side on one node, without a hierarchy", rig.loose_siblings), "",
         "limber guesses who carries whom; limber rig MODEL --replace -o new.glb makes another skeleton"});
  }
  // Who was hung elsewhere for want of a better parent, in the words of rig::subject_from_asset.
  const Result<rig::Subject> subject = rig::subject_from_asset(asset);
  if (!subject.ok()) {
    findings.push_back({Severity::kError, "joints", subject.error().what, subject.error().where,
                        "limber rig MODEL --replace -o new.glb makes another skeleton"});
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
  findings.push_back({Severity::kNote, "joints", what, "",
                      "look at it (limber render MODEL --layers rgb,skeleton -o look.png); limber rig MODEL --replace "
                      "-o new.glb makes another skeleton"});
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
      findings.push_back({Severity::kWarning, "clips", motion.error().what, name, "leave this clip out"});
      continue;
    }
    const double stretch = metrics::skin_stretch(*subject, *motion).stretch;
    if (stretch > metrics::kTornSkin) torn.emplace_back(stretch, name);
  }
  if (!torn.empty()) findings.push_back(torn_skin(std::move(torn), asset.clips.size()));
}

}  // namespace limber::doctor
