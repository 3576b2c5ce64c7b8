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

constexpr const char* kSayKind = "look at it, or say what it is when it is rigged (`template` or `skeleton`)";

void add(Doubt doubt, std::string warning, AutoRigReport& report) {
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
  if (rig::is_doubtful(facing)) add(Doubt::kFront, rig::describe_assumption(facing), report);
  if (report.figures > 1) {
    add(Doubt::kFigures,
        fmt::format("{} figures stand apart in it and got one skeleton; give each a file of its own for limber rig",
                    report.figures),
        report);
  }
  // What a person chose is not doubted.
  if (settings.source != SkeletonSource::kTemplates || settings.templates.size() == 1) return;
  if (report.kind == "curve") {
    return add(
        Doubt::kUnknownKind,
        fmt::format("no kind of body is known that is like this one ({}), so its joints follow the shape alone; {}",
                    report.reason, kSayKind),
        report);
  }
  if (report.kind == skeleton::kBuiltTemplate) return;
  if (const std::string why = why_another_kind(report); !why.empty()) {
    add(Doubt::kKind,
        fmt::format("rigged as a {}, which is doubtful (confidence {:.2f}): {}; {}", report.kind, report.confidence,
                    why, kSayKind),
        report);
  } else if (report.cost > settings.accept) {
    add(Doubt::kFit,
        fmt::format("rigged as a {}, which fits badly (it costs {:.1f}, and {:.1f} is usual at most); {}", report.kind,
                    report.cost, settings.accept, kSayKind),
        report);
  } else if (report.triangles < kFewTriangles) {
    add(Doubt::kDetail,
        fmt::format("rigged as a {}, but {} triangles show little of a body; {}", report.kind, report.triangles,
                    kSayKind),
        report);
  }
}

}  // namespace limber::autorig
