// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/mend/clip_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "limber/actions/catalogue.h"
#include "limber/anatomy/find_facing.h"
#include "limber/base/at.h"
#include "limber/base/name_words.h"
#include "limber/base/nesting.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/forward.h"
#include "limber/metrics/flips.h"
#include "limber/metrics/rig_health.h"
#include "limber/metrics/skin_leak.h"
#include "limber/physics/habitat.h"
#include "limber/rig/changed_rig.h"

namespace limber::mend {
namespace {

/// What clips are called that is no action (actions.json): of what is repeated and of what is done once. Clips that
/// turn, fall or throw are done once, too, whatever they do beside it.
constexpr std::string_view kRepeated[]{"loop", "cycle"};
constexpr std::string_view kOnce[]{"death", "dead",     "hit",  "lie",  "dodge", "pick", "react", "spawn",
                                   "land",  "start",    "stop", "end",  "stun",  "stab", "block", "get",
                                   "yes",   "interact", "no",   "turn", "fall",  "throw"};
/// Verbs (and what else clips are called) of what leaves the floor or the feet for a while, and of what does not go
/// straight.
constexpr std::string_view kOffFeet[]{"jump", "leap", "fall",  "air",  "die",   "death", "dead",   "roll",  "sit",
                                      "lie",  "swim", "climb", "ride", "float", "sleep", "crouch", "knock", "drive"};
constexpr std::string_view kTurning[]{"turn", "circle", "spin", "left", "right", "strafe", "side", "rotate", "back"};

/// Of what nobody named: a gap that is so small, and against how far the clip goes, was meant to be none.
constexpr double kMeantGap = 0.1, kMeantShare = 0.35;
constexpr float kNearZero =
    0.05f;  ///< heights: an asset's zero that is no farther from what it stands on may be its floor
constexpr double kFewFrames = 8;    ///< of a clip: enough to tell how low it comes
constexpr float kOffGround = 0.1f;  ///< heights: what is never lower does not stand

double percent(double share) { return 100 * share; }
double degrees(double radians) { return radians * 180 / kPi; }

/// "3 %", "0.4 %".
std::string percent_text(double share) {
  const double hundredths = percent(share);
  return fmt::format("{:.{}f} %", hundredths, hundredths < 0.095 ? 2 : hundredths < 9.95 ? 1 : 0);
}

std::string times_text(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// "the tail", "the left leg", "the joint 'cape'".
std::string part_text(const rig::Rig& rig, int limb) {
  const rig::Limb& known = rig.limbs()[at(limb)];
  if (known.kind == rig::LimbKind::kTrunk) return "the body";
  const std::string side = known.side == rig::Side::kMiddle ? "" : fmt::format("{} ", rig::name(known.side));
  return fmt::format("the {}{}", side, rig::name(known.kind));
}

std::string joint_text(const rig::Rig& rig, int joint) {
  const rig::Joint& known = rig.joints()[at(joint)];
  return known.role.limb >= 0 ? part_text(rig, known.role.limb) : fmt::format("the joint '{}'", known.name);
}

Checked passed_if(Check check, double value, double allowed, std::string_view unit) {
  return {check, value <= allowed, value, allowed, unit, {}, {}};
}

Checked not_asked(Check check, double allowed, std::string_view unit, std::string why) {
  return {check, std::nullopt, 0, allowed, unit, std::move(why), {}};
}

/// What of a motion happens in the air, for the choice of a habitat.
physics::Footing footing_of(const metrics::GroundMeeting& ground) {
  physics::Footing footing;
  if (ground.lowest.empty()) return footing;
  const bool off = *std::min_element(ground.lowest.begin(), ground.lowest.end()) > kOffGround;
  footing.off_ground = footing.floating = off ? 1 : 0;
  footing.raised = off;
  return footing;
}

/// Whether a clip of that name is repeated or done once, by what it says it does; of actions that artists' clips are
/// called by ("attack", "jump") one that is done once outweighs one that is repeated, of others ("crouch") not.
struct Told {
  bool repeated = false, once = false;
};

Told told_by(const std::string& name) {
  const actions::Catalogue& known = actions::built_in();
  Told told{actions::says_any(name, kRepeated), actions::says_any(name, kOnce)};
  bool else_once = false;
  const auto hear = [&](const actions::Action& action) {
    if (action.cyclic) {
      told.repeated = true;
    } else if (action.clips.words.empty()) {
      else_once = true;
    } else {
      told.once = told.once || action.clips.once;
    }
  };
  const std::vector<std::string> words = name_words(name);
  const std::vector<actions::Mention> mentions = known.find_in(fmt::format("{}", fmt::join(words, " ")));
  for (const actions::Mention& mention : mentions) hear(*known.find(mention.action));
  // Other tenses, by the rules: "walked".
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool heard = std::any_of(mentions.begin(), mentions.end(), [&](const actions::Mention& mention) {
      return i >= mention.first && i < mention.first + mention.length;
    });
    if (heard) continue;
    for (const actions::Action& action : known.all()) {
      const bool said = std::any_of(action.verbs.begin(), action.verbs.end(),
                                    [&](const actions::Verb& verb) { return actions::is_form_of(words[i], verb); });
      if (said) hear(action);
    }
  }
  told.once = told.once || (else_once && !told.repeated);
  return told;
}

Meant meant_by(const metrics::ClipBody& body, const std::string& name, const Measured& measured) {
  Meant meant;
  const metrics::LoopGap& loop = measured.loop;
  const bool nearly =
      loop.reach > 0.01 && (loop.lacks_last || (loop.gap < kMeantGap && loop.gap < kMeantShare * loop.reach));
  const Told told = told_by(name);
  meant.loops = !told.once && (told.repeated || nearly);
  meant.straight = !actions::says_any(name, kTurning);
  const physics::HabitatChoice habitat =
      physics::choose_habitat(body.subject.rig, actions::built_in().habitat_hint(name), footing_of(measured.ground));
  meant.grounded = habitat.habitat != physics::Habitat::kFree || habitat.hangs;
  if (!meant.grounded) meant.why_not = habitat.reason;
  meant.stands = meant.grounded && !measured.ground.legs.empty() && !actions::says_any(name, kOffFeet);
  return meant;
}

/// A skeleton alone comes in any unit: it is made one high, too, or one long.
Status fit_skeleton(kinematics::Upright& upright) {
  Vec3 least{1e30f, 1e30f, 1e30f}, most = -least;
  for (const Affine& joint : upright.subject.rig.world_from_rest()) {
    least = min(least, joint.translation), most = max(most, joint.translation);
  }
  const Vec3 extent = most - least;
  const float size = std::max({extent.x, extent.y, extent.z});
  if (!(size > 0) || !std::isfinite(size)) return Done{};
  LIMBER_TRY(upright.subject, rig::moved_subject(upright.subject, {Mat3::identity(), 1 / size, {}}));
  upright.world_unit *= size;
  return Done{};
}

/// Where the asset's own zero is over the upright body's lowest point at rest.
float zero_height(const Stage& stage) {
  const rig::Subject& subject = stage.subject;
  std::vector<Vec3> rest;
  metrics::pose_points(subject, kinematics::bone_matrices(subject.rig, kinematics::rest_pose(subject.rig)), rest);
  float low = std::numeric_limits<float>::infinity();
  for (const Vec3& p : rest) low = std::min(low, dot(p, stage.facing.up));
  const Vec3 zero = (-1.0f / subject.asset_scale) * subject.asset_offset;
  return rest.empty() ? 0.0f : (dot(zero, stage.facing.up) - low) / stage.upright.world_unit;
}

/// The floor is what the body stands on at rest, or the asset's own zero where that is near: whichever its clips come
/// nearer to, for models may have their feet through their zero, or above it. The middle clip tells, so that one that
/// is sunk does not move the floor.
float choose_floor(const asset::Asset& asset, const Stage& stage) {
  if (!stage.body.has_skin || std::abs(stage.zero) > kNearZero) return 0;
  std::vector<float> lows;
  for (const asset::Clip& clip : asset.clips) {
    const double seconds = std::max(double(clip.duration()), 1e-3);
    auto motion = kinematics::motion_from_clip(asset, clip, stage.subject, kFewFrames / seconds);
    if (!motion.ok()) continue;
    kinematics::turn_upright(stage.upright, *motion);
    const std::vector<Affine> bones = kinematics::bone_matrices(stage.body.thin.rig, *motion);
    const auto count = at(stage.body.thin.rig.bone_count());
    std::vector<Vec3> posed;
    lows.push_back(std::numeric_limits<float>::infinity());
    for (std::size_t f = 0; f < at(motion->frame_count()); ++f) {
      metrics::pose_points(stage.body.thin, std::span(bones).subspan(f * count, count), posed);
      for (const Vec3& p : posed) lows.back() = std::min(lows.back(), p.y);
    }
  }
  if (lows.empty()) return 0;
  const auto middle = lows.begin() + static_cast<std::ptrdiff_t>(lows.size() / 2);
  std::nth_element(lows.begin(), middle, lows.end());
  return std::abs(*middle - stage.zero) < std::abs(*middle) ? stage.zero : 0;
}

}  // namespace

Result<Stage> make_stage(const asset::Asset& asset, const ScoreSettings& settings) {
  if (asset.clips.empty()) return Error{"has no clip: there is no motion to measure", asset.name};
  LIMBER_TRY(rig::Subject subject, rig::subject_from_asset(asset));
  rig::Facing facing = anatomy::believed_facing(asset, settings.up);
  if (settings.up || settings.forward) {
    LIMBER_TRY(facing, rig::make_facing(settings.up.value_or(facing.up), settings.forward.value_or(facing.forward)));
  }
  LIMBER_TRY(kinematics::Upright upright, kinematics::stand_upright(subject, facing));
  if (subject.points.empty()) LIMBER_CHECK_OK(fit_skeleton(upright));
  metrics::ClipBody body = metrics::make_clip_body(upright.subject);
  Stage stage{
      std::move(subject), std::move(upright), std::move(body), facing, settings.loops, settings.believes_notes, 0};
  stage.zero = zero_height(stage);
  stage.body.floor = choose_floor(asset, stage);
  return stage;
}

Result<kinematics::Motion> play_clip(const asset::Asset& asset, const Stage& stage, int clip) {
  LIMBER_TRY(kinematics::Motion motion, kinematics::whole_clip(asset, asset.clips[at(clip)], stage.subject));
  kinematics::turn_upright(stage.upright, motion);
  return motion;
}

Measured measure(const metrics::ClipBody& body, const kinematics::Motion& motion, const std::string& name,
                 std::optional<bool> loops) {
  Measured measured{
      metrics::loop_gap(body, motion), metrics::drift(body, motion), metrics::meet_ground(body, motion), {}};
  measured.meant = meant_by(body, name, measured);
  if (loops) measured.meant.loops = *loops;
  return measured;
}

std::optional<bool> told_to_repeat(const asset::Clip& clip) {
  if (clip.extras.empty() || nested_deeper(clip.extras)) return std::nullopt;
  const auto extras = nlohmann::json::parse(clip.extras, nullptr, false);
  if (!extras.is_object() || !extras.contains("limber")) return std::nullopt;
  const auto& ours = extras["limber"];
  if (!ours.is_object() || !ours.contains("loop") || !ours["loop"].is_boolean()) return std::nullopt;
  return ours["loop"].get<bool>();
}

void tell_to_repeat(asset::Clip& clip) {
  if (told_to_repeat(clip).value_or(true)) return;
  auto extras = nlohmann::json::parse(clip.extras);
  extras["limber"]["loop"] = true;
  clip.extras = extras.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Checked check_loop(const Measured& measured) {
  const metrics::LoopGap& loop = measured.loop;
  const char* unit = "heights";
  if (!measured.meant.loops) return not_asked(Check::kLoop, metrics::kOpenLoop, unit, "is not to be repeated");
  Checked result = passed_if(Check::kLoop, loop.gap, metrics::kOpenLoop, unit);
  result.option = "loop";
  const char* up_to = measured.drift.travels() ? ", up to its way over the ground" : "";
  if (!*result.passed && loop.lacks_last) {
    result.words = "stutters where it repeats: its last frame is one step before the first";
  } else if (!*result.passed) {
    result.words = fmt::format("jumps where it repeats: the last pose is {} of the height off the first{}",
                               percent_text(loop.gap), up_to);
  } else if (!metrics::velocities_meet(loop)) {
    result.passed = false, result.value = loop.jolt, result.unit = "heights per second";
    result.allowed = std::max(metrics::kJoltBeyond * loop.jolt_within, metrics::kLeastJolt);
    result.words = fmt::format("jerks where it repeats: speeds change {:.1f} times as much there as inside the clip",
                               loop.jolt / std::max(loop.jolt_within, 1e-6));
  }
  if (*result.passed) result.option = {};
  return result;
}

std::size_t touching_stances(const metrics::GroundMeeting& ground) {
  return static_cast<std::size_t>(
      std::count_if(ground.stances.begin(), ground.stances.end(),
                    [](const metrics::Stance& stance) { return stance.height <= metrics::kTouching; }));
}

Checked check_contact(const metrics::ClipBody& body, const Measured& measured) {
  const metrics::GroundMeeting& ground = measured.ground;
  const Meant& meant = measured.meant;
  const char* unit = "heights";
  const auto none = [&](std::string why) {
    return not_asked(Check::kContact, double(metrics::kTouching), unit, std::move(why));
  };
  if (!body.has_skin) return none("has no skin, whose lowest point tells");
  if (!meant.grounded) return none(meant.why_not);
  if (!meant.stands)
    return none(ground.legs.empty() ? "no legs were found" : "does not stand on its feet all the time");
  const float low = *std::min_element(ground.lowest.begin(), ground.lowest.end());
  if (ground.stances.empty() && low <= metrics::kTouching) return none("no foot stands still on the ground");
  Checked result = passed_if(Check::kContact, double(low), double(metrics::kTouching), unit);
  result.option = "contact";
  if (!*result.passed) {
    result.words =
        fmt::format("hovers: it is never less than {} of the height above the floor", percent_text(double(low)));
    return result;
  }
  const metrics::Stance highest =
      *std::max_element(ground.stances.begin(), ground.stances.end(),
                        [](const metrics::Stance& a, const metrics::Stance& b) { return a.height < b.height; });
  result = passed_if(Check::kContact, double(highest.height), double(metrics::kTouching), unit);
  if (!*result.passed) {
    result.option = "contact";
    result.words = fmt::format("{} stands on air, {} above the floor; {} of {} touch it",
                               part_text(body.subject.rig, highest.limb), percent_text(double(highest.height)),
                               touching_stances(ground), times_text(ground.stances.size(), "step"));
  }
  return result;
}

Checked check_floor(const metrics::ClipBody& body, const Measured& measured) {
  const metrics::GroundMeeting& ground = measured.ground;
  const char* unit = "heights";
  const auto none = [&](std::string why) {
    return not_asked(Check::kFloor, double(metrics::kSunkPoint), unit, std::move(why));
  };
  if (!body.has_skin) return none("has no skin that could be below the floor");
  if (!measured.meant.grounded) return none(measured.meant.why_not);
  const auto deepest = std::min_element(ground.lowest.begin(), ground.lowest.end());
  Checked result = passed_if(Check::kFloor, std::max(0.0, -double(*deepest)), double(metrics::kSunkPoint), unit);
  if (*result.passed) return result;
  const auto sunk =
      std::count_if(ground.lowest.begin(), ground.lowest.end(), [](float low) { return low < -metrics::kSunkPoint; });
  result.option = "floor";
  result.words = fmt::format(
      "{} is {} of the height below the floor, in {} of {} frames",
      joint_text(body.subject.rig, ground.lowest_joint[at(static_cast<int>(deepest - ground.lowest.begin()))]),
      percent_text(result.value), sunk, ground.lowest.size());
  return result;
}

Checked check_drift(const metrics::ClipBody& body, const Measured& measured) {
  const metrics::Drift& drift = measured.drift;
  const double turn = degrees(std::abs(drift.turn)), most = degrees(metrics::kMostTurn);
  if (!measured.meant.loops) return not_asked(Check::kDrift, most, "degrees", "is not to be repeated");
  if (!measured.meant.straight) return not_asked(Check::kDrift, most, "degrees", "is to turn or to go aside");
  Checked result = passed_if(Check::kDrift, turn, most, "degrees");
  result.option = "drift";
  if (!*result.passed) {
    result.words = fmt::format("{} by {:.0f} degrees to the {} each time it is played",
                               drift.travels() ? "veers" : "turns", turn, drift.turn > 0 ? "left" : "right");
  } else if (!drift.travels() && drift.way > metrics::kMostWay) {
    result = {Check::kDrift,
              false,
              drift.way,
              metrics::kMostWay,
              "heights",
              fmt::format("creeps away: it ends {} of the height from where it began", percent_text(drift.way)),
              "drift"};
  } else if (drift.travels() && drift.bend > metrics::kMostBend) {
    result = {Check::kDrift,
              false,
              drift.bend,
              metrics::kMostBend,
              "of its way",
              fmt::format("walks a bow: it leaves the straight line by {} of its way", percent_text(drift.bend)),
              "drift"};
  } else if (drift.travels() && drift.carriers.size() > 1) {
    result = {Check::kDrift,
              false,
              double(drift.carriers.size()),
              1,
              "joints",
              fmt::format("its way is spread over {} joints from '{}' to '{}': engines take root motion from one",
                          drift.carriers.size(), body.subject.rig.joints()[at(drift.carriers.front())].name,
                          body.subject.rig.joints()[at(drift.carriers.back())].name),
              "drift"};
  } else {
    result.option = {};
  }
  return result;
}

Checked check_flips(const metrics::ClipBody& body, const kinematics::Motion& motion, const asset::Asset& asset,
                    const asset::Clip& clip) {
  const std::vector<metrics::JointFlip> flips = metrics::joint_flips(body, motion);
  std::size_t signs = 0, channels = 0;
  // Other formats hold no quaternions: what is read of them has signs of the reader's.
  if (asset.source) {
    for (const std::size_t changes : metrics::sign_changes(clip)) signs += changes, channels += changes > 0 ? 1 : 0;
  }
  Checked result = passed_if(Check::kFlips, static_cast<double>(flips.size() + signs), 0, "flips");
  if (*result.passed) return result;
  result.option = "flips";
  if (!flips.empty()) {
    const auto worst =
        *std::max_element(flips.begin(), flips.end(), [](const auto& a, const auto& b) { return a.angle < b.angle; });
    result.words =
        fmt::format("{} flips: '{}' turns by {:.0f} degrees from one frame to the next ({:.2f} s{})",
                    joint_text(body.subject.rig, worst.joint), body.subject.rig.joints()[at(worst.joint)].name,
                    degrees(worst.angle), worst.frame / motion.fps,
                    flips.size() > 1 ? fmt::format(", and {} more times", flips.size() - 1) : "");
  }
  if (signs > 0) {
    if (!result.words.empty()) result.words += "; ";
    result.words += fmt::format("keys of {} change their sign {}: simple players spin there",
                                times_text(channels, "joint"), times_text(signs, "time"));
  }
  return result;
}

Checked check_weights(const asset::Asset& asset) {
  const metrics::RigHealth health = metrics::rig_health(asset);
  if (health.skinned_vertices == 0) return not_asked(Check::kWeights, 0, "vertices", "has no skin weights");
  const std::pair<std::size_t, const char*> faults[]{
      {health.parted_copies, "where a seam cracks open: copies of one vertex follow other joints"},
      {health.bad_weight_sums, "whose weights do not sum to one"},
      {health.many_influences, "that follow more than four joints: many engines drop the others"},
      {health.unweighted_vertices, "that follow no joint"}};
  std::size_t count = 0;
  Checked result{Check::kWeights, true, 0, 0, "vertices", {}, {}};
  for (const auto& [vertices, what] : faults) {
    if (vertices == 0) continue;
    count += vertices;
    if (!result.words.empty()) result.words += "; ";
    result.words += fmt::format("{} {}", vertices == 1 ? "1 vertex" : fmt::format("{} vertices", vertices), what);
  }
  result.value = static_cast<double>(count), result.passed = count == 0;
  if (count > 0) result.option = "weights";
  return result;
}

Checked check_leak(const metrics::ClipBody& body) {
  if (!body.has_skin) return not_asked(Check::kLeak, metrics::kMostLeak, "heights", "has no skin");
  const metrics::SkinLeak leak = metrics::skin_leak(body);
  Checked result = passed_if(Check::kLeak, leak.movement, metrics::kMostLeak, "heights");
  if (!*result.passed) {
    result.words = fmt::format("{} moves {}: by {} of the height where it should stay still",
                               part_text(body.subject.rig, leak.turned), part_text(body.subject.rig, leak.moved),
                               percent_text(leak.movement));
  }
  return result;
}

}  // namespace limber::mend
