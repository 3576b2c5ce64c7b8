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
  for (const std::string& note : subject->notes) {
    if (note.find("joint") == std::string::npos) continue;  // of weights more is said above
    findings.push_back(
        {Severity::kNote, "joints", note, "",
         "look at it (limber render MODEL --layers rgb,skeleton -o look.png); limber rig MODEL --replace -o "
         "new.glb makes another skeleton"});
  }
}

void check_clips(const asset::Asset& asset, Findings& findings) {
  if (!rig::has_skin(asset) || asset.clips.empty()) return;
  const Result<rig::Subject> subject = rig::subject_from_asset(asset);
  if (!subject.ok()) return;
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
    if (stretch <= metrics::kTornSkin) continue;
    findings.push_back(
        {Severity::kWarning, "stretch",
         fmt::format("the skin is stretched {:.1f} times; {:.1f} is usual at most", stretch, metrics::kTornSkin), name,
         kSolveWeights});
  }
}

}  // namespace limber::doctor
