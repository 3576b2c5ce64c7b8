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

/// `turns`: the command that turns such a model.
void add_up(Vec3d up, double confidence, const char* turns, Findings& findings) {
  if (confidence < kSure || up.y > 0.9) return;
  findings.push_back(
      {Severity::kWarning, "up",
       fmt::format("it stands along {} (confidence {:.2f}), and in glTF +Y is up", axis_text(up), confidence), "",
       fmt::format("{} --stand-up -o standing.glb turns it; --up +y where that is wrong", turns)});
}

/// An option with the first of two axes that is not the one that was taken.
std::string another(const char* option, Vec3d taken, std::array<const char*, 2> axes) {
  std::string found = axis_text(taken);
  for (char& c : found) c = static_cast<char>(std::tolower(c));
  return fmt::format("{} {} (limber animate, physics, pose and render take it)", option,
                     found == axes[0] ? axes[1] : axes[0]);
}

/// Of a body with a skeleton its joints tell.
void check_rigged(const asset::Asset& asset, Findings& findings) {
  const anatomy::Directions found = anatomy::find_directions(asset);
  add_up(found.up.axis, found.up.confidence, "limber animate MODEL --prompt \"it walks\"", findings);
  if (found.up.confidence < kSure) {
    findings.push_back({Severity::kWarning, "up",
                        fmt::format("{} is taken for up: {} (confidence {:.2f})", axis_text(found.up.axis),
                                    found.up.reason, found.up.confidence),
                        "", fmt::format("if not, say so: {}", another("--up", found.up.axis, {"+y", "+z"}))});
  }
  if (found.forward.confidence < kSure) {
    findings.push_back({Severity::kWarning, "front",
                        fmt::format("{} is taken for its front: {} (confidence {:.2f})", axis_text(found.forward.axis),
                                    found.forward.reason, found.forward.confidence),
                        "", fmt::format("if not, say so: {}", another("--forward", found.forward.axis, {"+z", "-z"}))});
  }
}

/// A warning of the rigger says what is doubtful, and after its last semicolon what to do.
Finding from_warning(autorig::Doubt doubt, const std::string& warning) {
  const std::size_t cut = warning.rfind("; ");
  const bool whole = cut == std::string::npos;
  return {Severity::kWarning, std::string(autorig::name(doubt)), warning.substr(0, cut), "",
          whole ? "limber rig --help" : warning.substr(cut + 2)};
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
    findings.push_back({Severity::kError, "rig", fmt::format("it cannot be rigged: {}", rigged.error().what),
                        rigged.error().where, "limber rig --help"});
    return Done{};
  }
  const rig::Facing& facing = rigged->subject.facing;
  add_up(facing.up.cast<double>(), facing.confidence, "limber rig MODEL", findings);
  const autorig::AutoRigReport& report = rigged->report;
  for (std::size_t d = 0; d < report.doubts.size(); ++d) {
    findings.push_back(from_warning(report.doubts[d], report.warnings[d]));
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
