// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "limber/anatomy/find_facing.h"
#include "limber/asset/pose.h"
#include "limber/autorig/auto_rig.h"
#include "limber/doctor/checks.h"
#include "limber/rig/stance.h"
#include "limber/rig/static_subject.h"

namespace limber::doctor {
namespace {

constexpr double kSure = 0.5;

std::string axis_text(Vec3d axis) {
  for (int k = 0; k < 3; ++k) {
    if (std::abs(axis[k]) > 0.99) return fmt::format("{}{}", axis[k] > 0 ? '+' : '-', "XYZ"[k]);
  }
  return fmt::format("({:.2f}, {:.2f}, {:.2f})", axis.x, axis.y, axis.z);
}

/// `turns`: the command that turns such a model: "rig".
void add_up(Vec3d up, double confidence, const char* turns, Findings& findings) {
  if (confidence < kSure || up.y > 0.9) return;
  findings.push_back({Severity::kWarning,
                      "up",
                      {"stands_otherwise",
                       {{"confidence", confidence}},
                       {{"axis", axis_text(up)}, {"turns", turns}},
                       {{"stand_up", "true", turns}, {"up", "+y", turns}}},
                      ""});
}

/// A direction that is a guess; `field` says another: the first of two axes that is not the one that was taken.
Warning guessed(const char* code, const char* field, const anatomy::Direction& found, std::array<const char*, 2> axes) {
  std::string taken = axis_text(found.axis);
  for (char& c : taken) c = static_cast<char>(std::tolower(c));
  const char* other = taken == axes[0] ? axes[1] : axes[0];
  return {code,
          {{"confidence", found.confidence}},
          {{"axis", axis_text(found.axis)}, {"reason", found.reason}, {"other", other}},
          {{field, other, "animate"}}};
}

/// Of a body with a skeleton its joints tell.
void check_rigged(const asset::Asset& asset, Findings& findings) {
  const anatomy::Directions found = anatomy::find_directions(asset);
  add_up(found.up.axis, found.up.confidence, "animate", findings);
  if (found.up.confidence < kSure) {
    findings.push_back({Severity::kWarning, "up", guessed("up_guessed", "up", found.up, {"+y", "+z"}), ""});
  }
  if (found.forward.confidence < kSure) {
    findings.push_back(
        {Severity::kWarning, "front", guessed("front_guessed", "forward", found.forward, {"+z", "-z"}), ""});
  }
}

/// Of a body without one the rigger tells, who says what it doubts.
Status check_static(const asset::Asset& asset, const ExamineSettings& settings, const Progress& progress,
                    Findings& findings) {
  autorig::AutoRigSettings rigging;
  rigging.skeleton_only = true;
  rigging.reader = settings.reader;
  const Result<autorig::AutoRig> rigged = autorig::auto_rig(asset, rigging, progress);
  if (!rigged.ok()) {
    if (rigged.error().kind == ErrorKind::kCancelled) return rigged.error();
    findings.push_back({Severity::kError, "rig", {"no_rig", {}, {{"why", rigged.error().what}}}, rigged.error().where});
    return Done{};
  }
  const rig::Facing& facing = rigged->subject.facing;
  add_up(facing.up.cast<double>(), double(facing.confidence), "rig", findings);
  const autorig::AutoRigReport& report = rigged->report;
  for (std::size_t d = 0; d < report.doubts.size(); ++d) {
    findings.push_back({Severity::kWarning, std::string(autorig::name(report.doubts[d])), report.warnings[d], ""});
  }
  return Done{};
}

bool shows_triangles(const asset::Asset& asset) {
  return std::any_of(asset.meshes.begin(), asset.meshes.end(), [](const asset::Mesh& mesh) {
    return std::any_of(mesh.primitives.begin(), mesh.primitives.end(),
                       [](const asset::Primitive& p) { return !asset::triangles(p).empty(); });
  });
}

}  // namespace

Status check_body(const asset::Asset& asset, const ExamineSettings& settings, const Progress& progress,
                  Findings& findings) {
  if (!shows_triangles(asset)) return Done{};  // which was said already
  if (!rig::has_skin(asset)) return check_static(asset, settings, progress, findings);
  check_rigged(asset, findings);
  return Done{};
}

}  // namespace limber::doctor
