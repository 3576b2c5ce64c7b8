// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/autorig/auto_rig.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "limber/body/body_shape.h"
#include "limber/rig/static_subject.h"
#include "limber/skeleton/curve.h"
#include "limber/skeleton/extra_limbs.h"
#include "limber/skeleton/name_profiles.h"
#include "limber/skeleton/part_contacts.h"
#include "limber/skeleton/place_joints.h"
#include "limber/skeleton/refine_embedding.h"
#include "limber/skin/from_labels.h"

namespace limber::autorig {
namespace {

constexpr double kReadAccept = 6;  // how much more a match may cost where a reading is sure

class Clock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Settings in the subject's space.
skeleton::EmbedSettings embed_settings(const AutoRigSettings& settings, const rig::Similarity& similarity) {
  skeleton::EmbedSettings embed;
  embed.forward = settings.forward;
  const Affined subject_from_asset = inverse(similarity.asset_from_subject());
  for (const auto& [name, place] : settings.pins) embed.pins.emplace_back(name, subject_from_asset * place);
  return embed;
}

Status check_pins(const AutoRigSettings& settings, const std::vector<skeleton::SkeletonTemplate>& templates) {
  for (const auto& [name, place] : settings.pins) {
    const bool known = std::any_of(templates.begin(), templates.end(),
                                   [&, &pin = name](const skeleton::SkeletonTemplate& t) { return t.find(pin) >= 0; });
    if (!known) return Error{fmt::format("no template has a joint '{}' to pin", name), ""};
    if (!is_finite(place)) return Error{fmt::format("the place of '{}' is not finite", name), ""};
  }
  return Done{};
}

/// How sure the choice is: by the next best template, and by the same one facing otherwise.
void compare(const std::vector<skeleton::Embedding>& all, AutoRigReport& report) {
  double gap = 4;
  for (std::size_t k = 1; k < all.size(); ++k) {
    const bool other = all[k].skeleton.name != all[0].skeleton.name;
    const bool turned = dot(all[k].forward(), all[0].forward()) < 0.5 || dot(all[k].up(), all[0].up()) < 0.5;
    if (other && report.runner_up.empty()) {
      report.runner_up = all[k].skeleton.name, report.runner_up_cost = all[k].cost;
    }
    if (other || turned) gap = std::min(gap, all[k].cost - all[0].cost);
  }
  report.confidence = 1 - std::exp(-gap);
}

/// The skeleton by templates, or of the body's own shape.
Result<skeleton::SkeletonPlan> find_skeleton(const body::BodyShape& body, const AutoRigSettings& settings,
                                             const skeleton::EmbedSettings& embed, AutoRigReport& report) {
  const std::vector<skeleton::SkeletonTemplate>& templates =
      settings.templates.empty() ? skeleton::builtin_templates() : settings.templates;
  LIMBER_CHECK_OK(check_pins(settings, templates));
  std::vector<skeleton::Embedding> found;
  if (!settings.curve_only) found = skeleton::embed_skeletons(body, templates, embed);
  const bool chosen = settings.templates.size() == 1;
  // Who has seen many such bodies says that it is one: then it may be an odd one.
  const double accept = settings.accept + (embed.reading != nullptr ? kReadAccept * embed.reading->trust() : 0);
  if (!found.empty() && (chosen || found.front().cost <= accept)) {
    skeleton::Embedding& best = found.front();
    skeleton::place_joints(body, embed, best);
    skeleton::refine_embedding(body, embed, best);
    report.kind = best.skeleton.name, report.cost = best.cost, report.terms = best.terms;
    compare(found, report);
    skeleton::SkeletonPlan plan = skeleton::plan_from_embedding(best);
    if (!best.mirrored && !settings.forward) skeleton::face_by_pairs(plan);
    report.up = plan.up, report.forward = plan.forward, report.symmetric = best.mirrored;
    if (settings.extra_limbs) {
      const int added = skeleton::add_extra_limbs(body, embed, best, plan);
      if (added > 0) {
        report.notes.push_back(
            fmt::format("{} extra limb{} that no {} has", added, added == 1 ? "" : "s", best.skeleton.name));
      }
    }
    return plan;
  }
  report.kind = "curve";
  if (settings.curve_only) {
    report.reason = "as asked";
  } else if (found.empty()) {
    report.reason = "the body has no limb that stands out";
  } else {
    report.cost = found.front().cost, report.runner_up = found.front().skeleton.name;
    report.runner_up_cost = found.front().cost;
    report.reason = fmt::format("the best template, {}, costs {:.1f}; at most {:.1f} is believed",
                                found.front().skeleton.name, found.front().cost, accept);
  }
  if (!embed.pins.empty())
    report.notes.push_back("pins name joints of templates; the skeleton follows the shape alone");
  return skeleton::curve_skeleton(body);
}

/// Weights by the labels themselves.
rig::SkinWeights weights_of_parts(const rig::StaticSubject& subject, const rig::Rig& rig, const std::vector<int>& parts,
                                  const skin::SkinSettings& settings) {
  const skin::SkinBody body = skin::make_skin_body(subject.points, subject.triangles, settings.solid);
  const std::vector<skin::SkinJoint> joints = skin::skin_joints(rig);
  const std::vector<skin::SkinBone> bones = skin::skin_bones(body, joints);
  std::vector<int> bone_of_joint(joints.size(), 0);
  for (std::size_t b = 0; b < bones.size(); ++b)
    bone_of_joint[static_cast<std::size_t>(bones[b].joint)] = static_cast<int>(b);
  std::vector<int> bone_of_point;
  for (const int joint : parts) bone_of_point.push_back(bone_of_joint[static_cast<std::size_t>(joint)]);
  std::vector<std::vector<rig::Influence>> rows = skin::skin_parts(body, bones, bone_of_point, {settings.softness});
  for (auto& row : rows) {
    for (rig::Influence& influence : row) influence.bone = static_cast<std::uint16_t>(bones[influence.bone].joint);
  }
  std::vector<std::vector<rig::Influence>> all;
  for (const std::uint32_t w : body.surface.welded) all.push_back(rows[w]);
  return rig::make_skin_weights(all, settings.influences);
}

void count_outside(const body::BodyShape& body, const skeleton::SkeletonPlan& plan, AutoRigReport& report) {
  for (const skeleton::PlannedJoint& joint : plan.joints) {
    if (body.field.depth(joint.at) < -body.solid.grid.cell) ++report.joints_outside;
  }
}

}  // namespace

Result<AutoRig> auto_rig(const asset::Asset& asset, const AutoRigSettings& settings, const Progress& progress) {
  auto tell = [&](const char* stage, double fraction) { return !progress || progress(stage, fraction); };
  const Error stopped = cancelled(asset.name);
  Clock clock;
  AutoRigReport report;
  if (!tell("studying the shape", 0)) return stopped;
  LIMBER_TRY(rig::StaticSubject body_of, rig::gather_static(asset));
  // Labels are for all triangles.
  body::BodyShape body = body::study_body(body_of.points, body_of.triangles, body::kShapeSolid,
                                          settings.parts ? body::Debris::kKeep : body::Debris::kLeaveOut);
  report.components = body.surface.component_count;
  report.points = body_of.points.size(), report.triangles = body_of.triangles.size();
  report.shape_seconds = clock.lap();
  if (!tell("finding the skeleton", 0.3)) return stopped;

  skeleton::SkeletonPlan plan;
  std::vector<int> parts;
  if (settings.parts) {
    LIMBER_TRY(skeleton::PartsPlan found, skeleton::rig_from_parts(body, body_of.triangles.size(), *settings.parts));
    plan = std::move(found.plan), parts = std::move(found.parts), report.notes = std::move(found.notes);
    report.kind = "parts";
    if (settings.forward) plan.forward = normalized(*settings.forward);
  } else {
    skeleton::EmbedSettings embed = embed_settings(settings, body_of.similarity);
    anatomy::BodyReading reading;
    if (settings.reader && !settings.curve_only) reading = settings.reader(body);
    if (!reading.points.empty()) {
      embed.reading = &reading;
      const auto likeliest = std::max_element(reading.kinds.begin(), reading.kinds.end()) - reading.kinds.begin();
      report.read_kind = name(static_cast<anatomy::BodyKind>(likeliest)), report.read_trust = reading.trust();
      skeleton::cut_contacts(reading, body);
    }
    LIMBER_TRY(plan, find_skeleton(body, settings, embed, report));
    if (settings.max_joints > 0) skeleton::limit_joints(plan, settings.max_joints);
  }
  count_outside(body, plan, report);
  const std::string kind = report.kind;
  if (!settings.root.empty()) LIMBER_CHECK_OK(skeleton::change_root(plan, settings.root));
  if (!settings.names.empty()) LIMBER_CHECK_OK(skeleton::apply_names(plan, kind, settings.names));
  LIMBER_TRY(rig::Rig rig, rig::build_rig(skeleton::draft_rig(plan)));
  report.skeleton_seconds = clock.lap();
  if (!tell("solving the weights", 0.6)) return stopped;

  rig::SkinWeights weights;
  if (settings.skeleton_only) {
    weights = rig::make_skin_weights(std::vector<std::vector<rig::Influence>>(body_of.points.size(), {{0, 1}}), 4);
  } else if (settings.parts) {
    weights = weights_of_parts(body_of, rig, parts, settings.skin);
  } else {
    skin::SkinResult skin = skin::solve_skin(body_of.points, body_of.triangles, skin::skin_joints(rig), settings.skin);
    weights = std::move(skin.weights), report.skin = std::move(skin.report);
  }
  report.skin_seconds = clock.lap();
  if (!tell("solving the weights", 1)) return stopped;
  rig::Subject subject{std::move(rig),
                       std::move(body_of.points),
                       std::move(body_of.normals),
                       std::move(body_of.triangles),
                       std::move(weights),
                       std::move(body_of.ranges),
                       body_of.similarity.scale,
                       body_of.similarity.offset,
                       report.notes,
                       {}};
  subject.facing.forward = plan.forward.cast<float>(), subject.facing.up = plan.up.cast<float>();
  subject.facing.confidence = static_cast<float>(std::max(report.confidence, 0.01));
  subject.facing.reason = "found with the skeleton";
  return AutoRig{std::move(subject), std::move(plan), std::move(report)};
}

}  // namespace limber::autorig
