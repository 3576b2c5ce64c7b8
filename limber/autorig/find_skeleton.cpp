// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/autorig/find_skeleton.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/skeleton/curve.h"
#include "limber/skeleton/extra_limbs.h"
#include "limber/skeleton/limb_template.h"
#include "limber/skeleton/part_contacts.h"
#include "limber/skeleton/place_joints.h"
#include "limber/skeleton/refine_embedding.h"
#include "limber/skeleton/shown_limbs.h"

namespace limber::autorig {
namespace {

constexpr double kReadAccept = 6;     // how much more a match may cost where a reading is sure ...
constexpr double kLimbsAccept = 20;   // ... and finds the limbs that the template has
constexpr double kLikelyLimbs = 2.5;  // negative log from which on it is unlikely that a body has a template's limbs
constexpr double kOtherMany = 6;      // negative log of another number where that is many
constexpr double kClearLimbs = 2;     // ... and how much likelier those must be that a skeleton is built from
constexpr double kBuilt = 3;          // what it costs that a skeleton is not one that people make ...
constexpr double kAsRead = 8;         // ... and that the shape does not show the limbs that were read
constexpr double kSureLimbs = 0.5;    // mean confidence from which on the limbs that were read choose the template,
                                      // and trust in the whole reading
constexpr double kStandsSo = 0.75;    // cosine between the up that was asked for and that of an embedding
constexpr double kGlanced = 0.4;      // confidence of a front that only a first look tells
constexpr double kBarely = 0.01;      // confidence of a front that is known, though hardly anything tells it
constexpr double kNearTie = 0.1;      // of `habit`: what files count where no look is believed, 0.3 at most in all
constexpr double kClear = 4;          // of costs: differences above say no more

const std::vector<skeleton::SkeletonTemplate>& templates_of(const AutoRigSettings& settings) {
  return settings.templates.empty() ? skeleton::builtin_templates() : settings.templates;
}

Error conflict(std::string what) { return {std::move(what), "", ErrorKind::kConflict}; }

Status check_pins(const AutoRigSettings& settings) {
  const std::vector<skeleton::SkeletonTemplate>& templates = templates_of(settings);
  for (const auto& [name, place] : settings.pins) {
    const bool known = std::any_of(templates.begin(), templates.end(),
                                   [&, &pin = name](const skeleton::SkeletonTemplate& t) { return t.find(pin) >= 0; });
    if (!known) return Error{fmt::format("no template has a joint '{}' to pin", name), ""};
    if (!is_finite(place)) return Error{fmt::format("the place of '{}' is not finite", name), ""};
  }
  return Done{};
}

/// What an embedding costs. `by_file_alone`: without what the habits of files count, of which a body that lies in its
/// file another way has others. They may decide, but nothing is the surer for them.
double own_cost(const skeleton::Embedding& embedding, bool by_file_alone) {
  double cost = embedding.cost;
  if (!by_file_alone) return cost;
  for (const auto& [name, part] : embedding.terms) {
    if (name == "habit") cost -= part;
  }
  return cost;
}

/// How sure the choice is, by the next best template, and by whatever stands or faces otherwise. The latter's gap.
double compare(const std::vector<skeleton::Embedding>& all, bool by_file_alone, AutoRigReport& report) {
  double gap = kClear, turned_gap = kClear;
  const double best = own_cost(all[0], by_file_alone);
  for (std::size_t k = 1; k < all.size(); ++k) {
    const bool other = all[k].skeleton.name != all[0].skeleton.name;
    const bool turned = dot(all[k].forward(), all[0].forward()) < 0.5 || dot(all[k].up(), all[0].up()) < 0.5;
    if (other && report.runner_up.empty()) {
      report.runner_up = all[k].skeleton.name, report.runner_up_cost = all[k].cost;
    }
    // What was read may put a dearer one first.
    const double more = std::max(0.0, own_cost(all[k], by_file_alone) - best);
    if (other || turned) gap = std::min(gap, more);
    if (turned) turned_gap = std::min(turned_gap, more);
  }
  report.confidence = 1 - std::exp(-gap);
  return turned_gap;
}

/// How sure up and front are: whatever stands or faces otherwise costs so much more, and a reading that is believed
/// agrees.
double front_confidence(double gap, const anatomy::BodyReading* reading, const skeleton::Embedding& best) {
  double agrees = 1;
  if (reading != nullptr) {
    const double nearer = std::min(dot(reading->up, best.up()), dot(reading->forward, best.forward()));
    agrees -= 0.5 * reading->trust() * (1 - std::clamp(nearer, -1.0, 1.0));
  }
  return std::max((1 - std::exp(-gap)) * agrees, kBarely);
}

/// What is usual: the way that a look had the body stand and face, as far as that is believed, and else the way that
/// files do. The latter for near ties alone, all of which are doubtful: a body is the same whichever way its file has
/// it.
void set_habit(const Attitude& attitude, skeleton::EmbedSettings& embed) {
  double& weight = embed.weights[skeleton::EmbedTerm::kHabit];
  if (attitude.trust > 0) weight *= attitude.trust;
  if (!attitude.by_file_alone()) return;
  const Vec3d left = cross(attitude.up, attitude.forward);
  embed.usual_from_body = transposed(Mat3d::from_columns(left, attitude.up, attitude.forward));
  weight *= kNearTie;
}

/// A reading of the body, which knows what a person said. Without points where there is no reader.
anatomy::BodyReading read(body::BodyShape& body, const AutoRigSettings& settings, AutoRigReport& report) {
  if (!settings.reader || settings.source != SkeletonSource::kTemplates) return {};
  anatomy::BodyReading reading = settings.reader(body);
  if (reading.points.empty()) return reading;
  if (settings.up) reading.up = {0, 1, 0}, reading.forward.y = 0;
  const auto likeliest = std::max_element(reading.kinds.begin(), reading.kinds.end()) - reading.kinds.begin();
  report.read_kind = name(static_cast<anatomy::BodyKind>(likeliest)), report.read_trust = reading.trust();
  skeleton::cut_contacts(reading, body);
  skeleton::tell_limbs_apart(body, reading);
  return reading;
}

/// Embeddings that stand as asked, cheapest first.
std::vector<skeleton::Embedding> embed(const body::BodyShape& body, const AutoRigSettings& settings,
                                       const skeleton::EmbedSettings& embed) {
  std::vector<skeleton::Embedding> found = skeleton::embed_skeletons(body, templates_of(settings), embed);
  if (settings.up) std::erase_if(found, [](const skeleton::Embedding& e) { return e.up().y < kStandsSo; });
  return found;
}

/// Whether what was read of a body's limbs is sure enough to go by.
bool knows_limbs(const anatomy::BodyReading& reading, const AutoRigSettings& settings) {
  if (reading.limbs.empty() || !settings.templates.empty() || settings.source != SkeletonSource::kTemplates ||
      reading.limb_trust() < kSureLimbs)
    return false;
  double sum = 0;
  for (const anatomy::ReadLimb& limb : reading.limbs) sum += limb.confidence;
  return sum > kSureLimbs * static_cast<double>(reading.limbs.size());
}

/// Whether a body has the limbs of a template, as it was read. No limbs tell nothing.
bool has_read_limbs(const skeleton::Embedding& embedding, const anatomy::BodyReading& reading) {
  const skeleton::LimbTally tally = skeleton::tally_limbs(embedding.skeleton.limbs);
  const bool some = tally.legs + tally.arms + tally.wings + tally.tentacles > 0;
  return some && !reading.limbs.empty() && skeleton::tally_cost(tally, reading.counts) < kLikelyLimbs;
}

/// Orders embeddings by their costs and by how unlikely their limbs are, as both are negative logarithms. Where the
/// body clearly has other limbs than any template, one is built from them and competes.
std::vector<skeleton::Embedding> prefer_read_limbs(const body::BodyShape& body, const anatomy::BodyReading& reading,
                                                   const skeleton::EmbedSettings& settings, double accept,
                                                   std::vector<skeleton::Embedding> found, AutoRigReport& report) {
  const skeleton::LimbTally read = skeleton::tally_limbs(reading);
  report.read_limbs = skeleton::to_text(read);
  const auto cost = [&](const skeleton::LimbTally& tally) { return skeleton::tally_cost(tally, reading.counts); };
  // Counts end at many: there, the limbs one by one tell of bodies of no known kind. A pair more is an extra limb.
  const auto likeliest = std::max_element(reading.kinds.begin(), reading.kinds.end()) - reading.kinds.begin();
  const bool unknown = static_cast<anatomy::BodyKind>(likeliest) == anatomy::BodyKind::kOther;
  const auto template_cost = [&](std::span<const rig::Limb> limbs) {
    const skeleton::LimbTally tally = skeleton::tally_limbs(limbs);
    const bool other_many =
        unknown && std::abs(tally.legs - read.legs) > 3 && std::min(tally.legs, read.legs) >= anatomy::kMany;
    return cost(tally) + (other_many ? kOtherMany : 0);
  };
  const auto total = [&](const skeleton::Embedding& e) { return e.cost + template_cost(e.skeleton.limbs); };
  double nearest = std::numeric_limits<double>::infinity();
  for (const skeleton::SkeletonTemplate& known : skeleton::builtin_templates())
    nearest = std::min(nearest, template_cost(known.limbs));
  std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return total(a) < total(b); });
  // Where some of many arms are not told apart, the kinds of limbs are right all the same.
  const bool clear = cost(read) + kClearLimbs <= nearest || skeleton::has_likeliest_kinds(read, reading.counts);
  if (nearest < kLikelyLimbs || !clear || read == skeleton::LimbTally{}) return found;  // of no limbs nothing is built
  const auto built = skeleton::template_from_limbs(body, reading, settings.forward);
  if (!built) return found;
  std::vector<skeleton::Embedding> own = skeleton::embed_skeletons(body, std::span(&built->skeleton, 1), settings);
  // Limbs that lie against the body are no branches of its shape, and are taken where they were read, by whoever knows
  // the way it looks, too.
  const bool embedded = !own.empty() && own.front().cost <= accept;
  if (!embedded && reading.trust() < kSureLimbs) return found;
  if (!embedded) own.assign(1, skeleton::embedding_as_read(*built)), own.front().cost = kAsRead;
  const double own_cost = own.front().cost + kBuilt + cost(read);
  if (!found.empty() && found.front().cost <= accept && total(found.front()) <= own_cost) return found;
  report.notes.push_back(fmt::format("no template has {}; the skeleton is built from them", report.read_limbs));
  found.insert(found.begin(), std::move(own.front()));
  return found;
}

/// The skeleton of the best embedding, with joints in extra limbs.
FoundSkeleton from_embedding(const body::BodyShape& body, const AutoRigSettings& settings,
                             const skeleton::EmbedSettings& embed, const Attitude& attitude,
                             std::vector<skeleton::Embedding>& found, AutoRigReport& report) {
  skeleton::Embedding& best = found.front();
  if (!best.chains.empty()) {
    skeleton::place_joints(body, embed, best);
    skeleton::refine_embedding(body, embed, best);
  }
  report.kind = best.skeleton.name, report.cost = best.cost, report.terms = best.terms;
  report.symmetric = best.mirrored;
  const double gap = compare(found, attitude.by_file_alone(), report);
  FoundSkeleton skeleton{skeleton::plan_from_embedding(best),
                         {},
                         front_confidence(gap, embed.reading, best),
                         fmt::format("a {} fits best this way round", report.kind)};
  if (embed.forward) {
    skeleton.facing_confidence = 1, skeleton.facing_reason = "as asked";
  } else if (!best.mirrored) {
    skeleton::face_by_pairs(skeleton.plan);
    skeleton.facing_reason += ", its pairs of limbs abreast";
  }
  // A skeleton that was built has all limbs that were read.
  if (settings.extra_limbs && best.skeleton.name != skeleton::kBuiltTemplate) {
    const int added = skeleton::add_extra_limbs(body, embed, best, skeleton.plan);
    if (added > 0) report.notes.push_back(fmt::format("{} extra limbs that a {} does not have", added, report.kind));
  }
  return skeleton;
}

/// Why a body gets a skeleton of its own shape.
std::string why_curve(const AutoRigSettings& settings, const std::vector<skeleton::Embedding>& found, double accept) {
  if (settings.source == SkeletonSource::kCurve) return "as asked";
  if (found.empty() && settings.up) return "no limb stands out, or no template stands as asked";
  if (found.empty()) return "the body has no limb that stands out";
  return fmt::format("the best template, {}, costs {:.1f}; at most {:.1f} is believed", found.front().skeleton.name,
                     found.front().cost, accept);
}

/// Calls left what is to the left of the plan's front.
void name_sides(skeleton::SkeletonPlan& plan) {
  const Vec3d left = cross(plan.up, plan.forward);
  double side = 0;
  for (const skeleton::PlannedJoint& joint : plan.joints) {
    if (joint.name.ends_with(".L")) side += dot(left, joint.at);
    if (joint.name.ends_with(".R")) side -= dot(left, joint.at);
  }
  if (side < 0) exchange_sides(plan);
}

/// A skeleton that does not tell a front faces as asked, as the first look has it, or as files usually do.
FoundSkeleton without_front(skeleton::SkeletonPlan plan, const std::optional<Vec3d>& forward,
                            const Attitude& attitude) {
  FoundSkeleton found{std::move(plan), {}, kBarely, "nothing tells; files usually have it so"};
  if (attitude.trust > 0) {
    found.facing_confidence = std::max(kBarely, kGlanced * attitude.trust);
    found.facing_reason = "bodies with such a surface mostly stand and look so";
  }
  found.plan.up = attitude.up, found.plan.forward = attitude.forward;
  // Whatever looks up along its file's +Y comes from one in which another axis is up, and was stood up so.
  for (const Vec3 up : {found.plan.up.cast<float>(), Vec3{0, 1, 0}}) {
    if (!forward) break;
    const Result<rig::Facing> facing = rig::make_facing(up, forward->cast<float>());
    if (!facing.ok()) continue;
    found.plan.up = facing->up.cast<double>(), found.plan.forward = facing->forward.cast<double>();
    found.facing_confidence = facing->confidence, found.facing_reason = facing->reason;
    break;
  }
  name_sides(found.plan);
  return found;
}

}  // namespace

Status check_settings(const AutoRigSettings& settings) {
  if (settings.up && settings.forward) LIMBER_CHECK_OK(rig::make_facing(*settings.up, *settings.forward));
  if (settings.max_joints && *settings.max_joints < 1) return Error{"at least one joint is needed", ""};
  if (settings.source == SkeletonSource::kTemplates) return check_pins(settings);
  const char* source = settings.source == SkeletonSource::kParts ? "the parts" : "the shape";
  if (!settings.templates.empty()) return conflict(fmt::format("a template and a skeleton of {}", source));
  if (!settings.pins.empty()) return conflict(fmt::format("pins name joints of templates, not those of {}", source));
  if (settings.source == SkeletonSource::kParts && settings.max_joints) {
    return conflict("at most so many joints, and a joint for every part");
  }
  return Done{};
}

Result<FoundSkeleton> find_skeleton(body::BodyShape& body, const AutoRigSettings& settings,
                                    skeleton::EmbedSettings embed_settings, const Attitude& attitude,
                                    AutoRigReport& report) {
  const anatomy::BodyReading reading = read(body, settings, report);
  if (!reading.points.empty()) embed_settings.reading = &reading;
  set_habit(attitude, embed_settings);
  std::vector<skeleton::Embedding> found;
  if (settings.source == SkeletonSource::kTemplates) found = embed(body, settings, embed_settings);
  const bool chosen = settings.templates.size() == 1;
  // Who has seen many such bodies says that it is one: then it may be an odd one.
  double accept = settings.accept + (embed_settings.reading != nullptr ? kReadAccept * reading.trust() : 0);
  if (knows_limbs(reading, settings)) {
    found = prefer_read_limbs(body, reading, embed_settings, accept, std::move(found), report);
  }
  if (!found.empty() && has_read_limbs(found.front(), reading)) {
    accept = settings.accept + kLimbsAccept * reading.trust();
  }
  if (!found.empty() && (chosen || found.front().cost <= accept)) {
    return from_embedding(body, settings, embed_settings, attitude, found, report);
  }
  report.kind = "curve";
  report.reason = why_curve(settings, found, accept);
  if (!found.empty()) {
    report.cost = found.front().cost;
    report.runner_up = found.front().skeleton.name, report.runner_up_cost = found.front().cost;
  }
  if (!settings.pins.empty()) {
    report.notes.push_back("pins name joints of templates; the skeleton follows the shape alone");
  }
  skeleton::CurveSettings curve;
  curve.up = attitude.up;
  return without_front(skeleton::curve_skeleton(body, curve), embed_settings.forward, attitude);
}

Result<FoundSkeleton> skeleton_from_parts(const body::BodyShape& body, const skeleton::PartLabels& labels,
                                          std::size_t triangle_count, const skeleton::EmbedSettings& embed,
                                          const Attitude& attitude, AutoRigReport& report) {
  LIMBER_TRY(skeleton::PartsPlan found, skeleton::rig_from_parts(body, triangle_count, labels));
  report.kind = "parts", report.notes = std::move(found.notes);
  FoundSkeleton skeleton = without_front(std::move(found.plan), embed.forward, attitude);
  skeleton.parts = std::move(found.parts);
  return skeleton;
}

}  // namespace limber::autorig
