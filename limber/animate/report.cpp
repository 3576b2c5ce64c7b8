// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "limber/animate/plan.h"
#include "limber/animate/warning_json.h"
#include "limber/metrics/jerk.h"
#include "limber/rig/stance.h"

namespace limber::animate {
namespace {

using Json = nlohmann::ordered_json;

/// Texts of files and persons may be anything; what is not UTF-8 is replaced.
std::string dumped(const Json& document, int indent) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json gait_json(const metrics::Gait& gait, const rig::Rig& rig, const std::vector<metrics::LimbEnd>& ends) {
  // Phases along the axis in which the limbs swing most together.
  std::array<double, 3> sums{};
  for (const metrics::LimbSwing& limb : gait.limbs) {
    for (std::size_t k = 0; k < 3; ++k) sums[k] += std::norm(limb.swings[0][k]);
  }
  const auto axis = static_cast<std::size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
  Json limbs = Json::array();
  for (std::size_t i = 0; i < gait.limbs.size(); ++i) {
    const double phase = std::arg(gait.limbs[i].swings[0][axis]) / (2 * kPi);
    limbs.push_back({{"joint", rig.joints()[static_cast<std::size_t>(ends[i].joint)].name},
                     {"phase", phase - std::floor(phase)},
                     {"amplitude", gait.limbs[i].amplitude()}});
  }
  return {{"frequency_hz", gait.frequency},
          {"explained", gait.explained},
          {"speed", norm(gait.velocity)},
          {"movement", gait.movement},
          {"phase_axis", std::string(1, "xyz"[axis])},
          {"limbs", limbs}};
}

/// What was not said is null.
template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json skin_json(const Animation& a) {
  return {{"stretch", a.skin.stretch},
          {"stretch_of_own_clips", optional_json(a.own_stretch)},
          {"movement_per_second", a.skin.movement}};
}

Json metrics_json(const metrics::MotionMetrics& m) {
  return {{"skate_per_second", m.skate}, {"penetration", m.penetration},       {"mean_penetration", m.mean_penetration},
          {"float", m.floating},         {"limit_excess_rad", m.limit_excess}, {"peak_speed_rad_per_s", m.peak_speed},
          {"mean_jerk", m.mean_jerk},    {"loop_gap_rad", m.loop_gap},         {"not_finite", m.not_finite}};
}

/// Which way it was made, and what became of others.
Json drawn_by_json(const Animation& a) {
  Json beside = Json::array();
  for (const Animation::Beside& other : a.beside) {
    beside.push_back({{"method", name(other.method)}, {"doubt", other.doubt}});
  }
  return {{"method", name(a.method)}, {"rejected", a.rejected}, {"doubt", optional_json(a.doubt)}, {"beside", beside}};
}

/// Confidence per joint, mean over the clip, and where it comes from most.
Json observed_json(const lift::Observability& observed, const rig::Rig& rig) {
  Json joints = Json::object();
  for (int j = 0; j < observed.joints; ++j) {
    double sum = 0;
    std::array<int, 3> sources{};
    for (int f = 0; f < observed.frames; ++f) {
      sum += observed.confidence[observed.index(f, j)];
      ++sources[static_cast<std::size_t>(observed.sources[observed.index(f, j)])];
    }
    const auto most = std::max_element(sources.begin(), sources.end()) - sources.begin();
    joints[rig.joints()[static_cast<std::size_t>(j)].name] = {
        {"confidence", std::round(100 * sum / std::max(observed.frames, 1)) / 100},
        {"source", lift::name(static_cast<lift::MotionSource>(most))}};
  }
  return joints;
}

Json candidate_json(const Candidate& c) {
  return {{"seed", c.seed}, {"residual", c.lifted.fit.residual}, {"score", c.score},
          {"fits", c.fits}, {"speed", norm(c.gait.velocity)},    {"frequency_hz", c.gait.frequency}};
}

/// What was understood of the prompt.
Json segment_json(const Segment& segment) {
  Json json{{"prompt", segment.asked.prompt},
            {"actions", segment.asked.actions},
            {"unknown_words", segment.asked.unknown},
            {"from", segment.from},
            {"to", segment.to},
            {"movement", segment.movement},
            {"travel",
             {{"sizes_per_second", segment.travel.speed},
              {"leg_lengths_per_second", segment.travel.legged ? Json(segment.travel.pace) : Json()},
              {"clearance_in_leg_lengths", segment.travel.legged ? Json(segment.travel.clearance) : Json()}}}};
  if (segment.told) {
    json["told"] = {{"error", segment.told->asked},
                    {"error_of_another", segment.told->other},
                    {"another", segment.told->looks_like}};
  }
  return json;
}

/// What nothing here can tell is null, and so is a bound that there is not, and the unit of plain numbers.
Json answer_json(const Answer& answer) {
  const auto finite = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  return {{"passed", optional_json(answer.passed)},
          {"value", finite(answer.value)},
          {"least", finite(answer.least)},
          {"most", finite(answer.most)},
          {"unit", answer.unit.empty() ? Json() : Json(answer.unit)},
          {"warning", answer.warning ? Json(answer.warning->code) : Json()}};
}

/// Where chunks begin, and whether that shows: largest jerk there and elsewhere.
Json seams_json(const Animation& a, const rig::Rig& rig) {
  constexpr int kReach = 4;  // frames
  const metrics::SeamJerk jerk = metrics::seam_jerk(metrics::frame_jerk(rig, a.lifted), a.seams, kReach);
  Json seconds = Json::array();
  for (const int seam : a.seams) seconds.push_back(seam / a.lifted.fps);
  return {{"seconds", seconds}, {"peak_jerk", jerk.seams}, {"peak_jerk_elsewhere", jerk.within}};
}

/// What `limber score` says of the clip.
Json finished_json(const std::vector<mend::Checked>& checks) {
  Json result = Json::object();
  for (const mend::Checked& checked : checks) {
    result[std::string(mend::name(checked.check))] = {{"passed", checked.passed ? Json(*checked.passed) : Json()},
                                                      {"value", checked.passed ? Json(checked.value) : Json()},
                                                      {"allowed", checked.allowed},
                                                      {"unit", checked.unit},
                                                      {"words", checked.words}};
  }
  return result;
}

/// What was mended so that it says so, by how much; null where nothing was.
Json mended_json(const std::optional<mend::ClipChange>& change) {
  if (!change) return {};
  Json checks = Json::array();
  for (const mend::Check check : change->repaired) checks.push_back(mend::name(check));
  return {{"checks", checks},
          {"mean_turn", change->mean_turn},
          {"most_turn", change->most_turn},
          {"mean_way", change->mean_way},
          {"most_way", change->most_way}};
}

Json vector_json(Vec3 v) { return Json{v.x, v.y, v.z}; }

/// A field as JSON has it; null where nothing is said.
Json field_json(const Field& field, const std::string& text) {
  if (text.empty()) return {};
  const bool number = field.type == FieldType::kWhole || field.type == FieldType::kNumber;
  if (number) return Json::parse(text, nullptr, false);
  return field.type == FieldType::kFlag ? Json(text == "true") : Json(text);
}

/// What was asked of the motion, field by field, and where up and forward are.
Json request_json(const Request& request, const rig::Facing& facing) {
  const Wishes wishes = wishes_of(request);
  Json json = Json::object();
  for (const Field& field : fields()) {
    if (field.owner == FieldOwner::kRequest) json[field.name] = field_json(field, text_of(field, wishes));
  }
  json["up"] = vector_json(facing.up), json["forward"] = vector_json(facing.forward);
  return json;
}

/// How the body was taken to stand and look, in the frame in which the clip plays.
Json facing_json(const rig::Facing& facing) {
  return {{"up", vector_json(facing.up)},
          {"forward", vector_json(facing.forward)},
          {"confidence", facing.confidence},
          {"doubtful", rig::is_doubtful(facing)},
          {"reason", facing.reason}};
}

/// The skeleton that a static body got, as far as a person should know before looking at its motion.
Json rig_json(const autorig::AutoRigReport& rig) {
  Json doubts = Json::array();
  for (const autorig::Doubt doubt : rig.doubts) doubts.push_back(autorig::name(doubt));
  return {{"template", rig.kind},
          {"confidence", rig.confidence},
          {"read_as", rig.read_kind},
          {"read_limbs", rig.read_limbs},
          {"read_trust", rig.read_trust},
          {"doubts", doubts},
          {"notes", rig.notes}};
}

Json distillation_json(const distill::DistillReport& report) {
  return {{"iterations", report.iterations},
          {"skipped", report.skipped},
          {"resumed_from", optional_json(report.resumed_from)},
          {"last_loss", report.history.empty() ? 0.0 : report.history.back().total}};
}

Json ground_json(const physics::Grounded& grounded) {
  return {{"habitat", physics::name(grounded.reference.habitat)},
          {"reason", grounded.reference.habitat_reason},
          {"simulated", grounded.track.iterations > 0},
          {"joint_error_deg", grounded.track.joint_error},
          {"assist_force", grounded.track.assist_force},
          {"polish_deg", grounded.polish * 180 / kPi},
          {"carried", grounded.carried},
          {"lost", grounded.lost},
          {"raised", grounded.raised}};
}

}  // namespace

std::string report_text(const AnimatedAsset& result, const Request& request, double seconds) {
  const Animation& a = result.animation;
  Json report{{"prompt", request.prompt},
              {"video", request.video ? request.video->string() : ""},
              {"method", name(a.method)},
              {"settings", request_json(request, result.facing)},
              {"facing", facing_json(result.facing)},
              {"rigged", result.rigged.has_value()},
              {"rig", result.rigged ? rig_json(*result.rigged) : Json()},
              {"frames", a.motion.frame_count()},
              {"seconds_of_motion", a.motion.frame_count() / a.motion.fps}};
  Json understood = Json::array(), answers = Json::object();
  for (const Segment& segment : a.segments) understood.push_back(segment_json(segment));
  for (const Answer& answer : a.answers) answers[std::string(name(answer.question))] = answer_json(answer);
  report["understood"] = understood;
  report["questions"] = answers;
  if (!a.seams.empty()) report["seams"] = seams_json(a, result.subject.rig);
  if (a.key_error) report["keyframe_error_deg"] = *a.key_error * 180 / kPi;
  report["motion"] = gait_json(a.gait, result.subject.rig, a.ends);
  report["skate"] = a.metrics.skate;  // the one of them that people ask for first
  report["metrics"] = metrics_json(a.metrics);
  report["skin"] = skin_json(a);
  report["finished"] = finished_json(result.finished);
  report["mended"] = mended_json(result.mended);
  report["drawn_by"] = drawn_by_json(a);
  if (a.taken) {
    report["taken_from"] = {{"file", a.taken->file.string()}, {"clip", a.taken->clip}, {"limbs", a.taken->limbs}};
  }
  report["pose_prior"] = a.pose_prior, report["motion_prior"] = a.motion_prior;
  report["drawn_on"] = a.drawn_on == Device::kCuda ? "cuda" : "cpu";
  if (a.prior_score) report["prior_score"] = *a.prior_score;
  Json candidates = Json::array();
  for (const Candidate& candidate : a.candidates) candidates.push_back(candidate_json(candidate));
  report["candidates"] = candidates;
  report["candidates_resumed"] = a.resumed_candidates;
  if (a.distilled) report["distillation"] = distillation_json(a.distilled->report);
  if (a.grounded) report["ground"] = ground_json(*a.grounded);
  if (a.observed.frames > 0) report["confidence"] = observed_json(a.observed, result.subject.rig);
  report["timings"] = {{"sample", a.seconds.sample},
                       {"lift", a.seconds.lift},
                       {"distill", a.seconds.distill},
                       {"ground", a.seconds.ground},
                       {"all", seconds}};
  report["units"] = "lengths in heights of the body, angles in radians unless the name says otherwise";
  report["warnings"] = warnings_json(result.warnings);
  return dumped(report, 2);
}

std::string clip_extras(const rig::Subject& subject, const Animation& animation, const Request& request,
                        std::uint64_t seed) {
  const lift::Observability& observed = animation.observed;
  Json extras{{"version", LIMBER_VERSION},
              {"prompt", request.prompt},
              {"seed", seed},
              {"quality", name(request.quality)},
              {"loop", request.finishing.loop}};
  if (observed.frames > 0) {
    Json names = Json::array(), rows = Json::array();
    for (const rig::Joint& joint : subject.rig.joints()) names.push_back(joint.name);
    for (int f = 0; f < observed.frames; ++f) {
      Json row = Json::array();
      for (int j = 0; j < observed.joints; ++j) {
        row.push_back(static_cast<int>(std::lround(100 * observed.confidence[observed.index(f, j)])));
      }
      rows.push_back(row);
    }
    extras["confidence"] = {{"fps", animation.lifted.fps}, {"joints", names}, {"percent", rows}};
  }
  return dumped(Json{{"limber", extras}}, -1);
}

}  // namespace limber::animate
