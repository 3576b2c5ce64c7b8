// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/autorig/doubts.h"

#include <fmt/format.h>

#include "limber/rig/stance.h"
#include "limber/skeleton/limb_template.h"

namespace limber::autorig {
namespace {

constexpr double kSure = 0.3;      // confidence from which on a kind is not doubted
constexpr double kBelieved = 0.5;  // trust from which on what was read counts for or against it

constexpr std::size_t kFewTriangles = 240;  // show what a body is to nobody who does not know it

/// Fields that say what it is.
const std::vector<FieldHint> kSayKind{{"template", "", "rig"}, {"skeleton", "", "rig"}};

void add(Doubt doubt, Warning warning, AutoRigReport& report) {
  report.doubts.push_back(doubt);
  report.warnings.push_back(std::move(warning));
}

/// Of a kind that nobody said: why it may be another.
std::string why_another_kind(const AutoRigReport& report) {
  const bool read = report.read_trust >= kBelieved && !report.read_kind.empty() && report.read_kind != "other";
  if (read && report.read_kind != report.kind)
    return fmt::format("its surface looks like that of a {}", report.read_kind);
  if (read || report.confidence >= kSure) return "";
  if (report.runner_up.empty()) return "it would fit the other way round as well";
  return fmt::format("a {} fits nearly as well", report.runner_up);
}

}  // namespace

std::string_view name(Doubt doubt) {
  switch (doubt) {
    case Doubt::kFront:
      return "front";
    case Doubt::kKind:
      return "kind";
    case Doubt::kUnknownKind:
      return "unknown kind";
    case Doubt::kFit:
      return "fit";
    case Doubt::kFigures:
      return "figures";
    case Doubt::kDetail:
      return "detail";
  }
  return "";
}

void add_doubts(const AutoRigSettings& settings, const rig::Facing& facing, AutoRigReport& report) {
  if (rig::is_doubtful(facing)) add(Doubt::kFront, rig::warn_of_assumption(facing), report);
  if (report.figures > 1) {
    add(Doubt::kFigures, {"figures", {{"figures", report.figures}}}, report);
  }
  // What a person chose is not doubted.
  if (settings.source != SkeletonSource::kTemplates || settings.templates.size() == 1) return;
  if (report.kind == "curve") {
    return add(Doubt::kUnknownKind, {"unknown_kind", {}, {{"reason", report.reason}}, kSayKind}, report);
  }
  if (report.kind == skeleton::kBuiltTemplate) return;
  if (const std::string why = why_another_kind(report); !why.empty()) {
    add(Doubt::kKind,
        {"doubtful_kind", {{"confidence", report.confidence}}, {{"kind", report.kind}, {"why", why}}, kSayKind},
        report);
  } else if (report.cost > settings.accept) {
    add(Doubt::kFit,
        {"bad_fit", {{"cost", report.cost}, {"usual", settings.accept}}, {{"kind", report.kind}}, kSayKind}, report);
  } else if (report.triangles < kFewTriangles) {
    add(Doubt::kDetail,
        {"few_triangles", {{"triangles", static_cast<double>(report.triangles)}}, {{"kind", report.kind}}, kSayKind},
        report);
  }
}

}  // namespace limber::autorig
