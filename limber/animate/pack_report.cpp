// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/pack_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "limber/animate/pack.h"
#include "limber/animate/pack_facts.h"
#include "limber/animate/report.h"
#include "limber/animate/warning_json.h"

namespace limber::animate {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUnits =
    "times in seconds of the clip; places and distances in heights of the body; headings in degrees to its left; "
    "speed in heights a second, and in metres a second as the file counts them";

/// Four digits are enough for a person and a game.
double rounded(double value) { return std::round(value * 1e4) / 1e4; }

Json standpoint_json(const Standpoint& place) {
  return {{"side", rounded(place.side)},
          {"ahead", rounded(place.ahead)},
          {"heading_deg", rounded(place.heading * 180 / kPi)}};
}

Json footfalls_json(const ClipFacts& facts, const rig::Rig& rig) {
  Json falls = Json::array();
  for (const FootDown& fall : facts.footfalls) {
    falls.push_back(
        {{"seconds", rounded(fall.seconds)}, {"joint", rig.joints()[static_cast<std::size_t>(fall.joint)].name}});
  }
  return falls;
}

std::set<std::string> actions_of(const Animation& animation) {
  std::set<std::string> names;
  for (const Segment& segment : animation.segments)
    names.insert(segment.asked.actions.begin(), segment.asked.actions.end());
  return names;
}

void swap_result(AnimatedAsset& result, PackedClip& packed) {
  std::swap(result.animation, packed.animation);
  std::swap(result.finished, packed.finished), std::swap(result.mended, packed.mended);
}

/// What a report of one clip says, but for what all clips share.
Json own_report(AnimatedAsset& result, PackedClip& packed, const Request& request) {
  swap_result(result, packed);
  Json report = Json::parse(report_text(result, request, packed.seconds), nullptr, false);
  swap_result(result, packed);
  for (const char* shared :
       {"prompt", "video", "settings", "facing", "rigged", "rig", "frames", "seconds_of_motion", "units", "warnings"}) {
    report.erase(shared);
  }
  return report;
}

Json clip_json(AnimatedAsset& result, PackedClip& packed, const ClipFacts& facts, const Request& request) {
  Json entry{{"name", packed.clip ? Json(result.asset.clips[static_cast<std::size_t>(*packed.clip)].name)
                                  : Json(packed.prompt)},
             {"prompt", packed.prompt},
             {"clip", packed.clip ? Json(*packed.clip) : Json()},
             {"failed", packed.failed.empty() ? Json() : Json(packed.failed)}};
  if (packed.clip) {
    const Animation& made = packed.animation;
    const double speed = norm(made.gait.velocity);
    const bool in_place =
        request.finishing.in_place || std::any_of(made.segments.begin(), made.segments.end(),
                                                  [](const Segment& segment) { return segment.asked.in_place; });
    entry.update({{"actions", actions_of(made)},
                  {"loops", made.motion.loops},
                  {"root", in_place ? "in place" : "root motion"},
                  {"seconds", made.motion.frame_count() / made.motion.fps},
                  {"frames", made.motion.frame_count()},
                  {"fps", made.motion.fps},
                  {"speed_heights_per_s", rounded(speed)},
                  {"speed_m_per_s", rounded(speed * double(result.subject.asset_scale))},
                  {"cycles_per_s", rounded(made.gait.frequency)},
                  {"footfalls", footfalls_json(facts, result.subject.rig)},
                  {"start", standpoint_json(facts.start)},
                  {"end", standpoint_json(facts.end)}});
  }
  entry["warnings"] = warnings_json(packed.warnings);
  if (packed.clip) entry["report"] = own_report(result, packed, request);
  return entry;
}

/// From every clip to every other one, and of what is done once to itself.
Json transitions_json(const AnimatedAsset& result, const std::vector<ClipFacts>& facts) {
  Json list = Json::array();
  for (std::size_t a = 0; a < facts.size(); ++a) {
    for (std::size_t b = 0; b < facts.size(); ++b) {
      const PackedClip &from = result.pack[a], &to = result.pack[b];
      const bool from_loops = from.animation.motion.loops, to_loops = to.animation.motion.loops;
      if (!from.clip || !to.clip || (a == b && from_loops)) continue;
      const Transition found = transition(facts[a].poses, from_loops, facts[b].poses, to_loops);
      const auto name = [&](const PackedClip& clip) {
        return result.asset.clips[static_cast<std::size_t>(*clip.clip)].name;
      };
      list.push_back({{"from", name(from)},
                      {"to", name(to)},
                      {"end_to_start", rounded(found.end_to_start)},
                      {"nearest", rounded(found.nearest)},
                      {"leave_at", rounded(found.leave)},
                      {"enter_at", rounded(found.enter)},
                      {"follows", found.nearest <= kFollows}});
    }
  }
  return list;
}

}  // namespace

Result<std::string> pack_report(AnimatedAsset& result, const Request& request, double seconds) {
  Json report = Json::parse(report_text(result, request, seconds), nullptr, false);
  LIMBER_TRY(const kinematics::Upright upright, kinematics::stand_upright(result.subject, result.facing));
  const PackFacts facts_of(upright);
  std::vector<ClipFacts> facts;
  Json clips = Json::array();
  for (std::size_t i = 0; i < result.pack.size(); ++i) {
    PackedClip& packed = result.pack[i];
    facts.push_back(packed.clip ? facts_of.of(packed.animation.motion) : ClipFacts());
    clips.push_back(clip_json(result, packed, facts.back(), clip_request(request, i)));
  }
  report["clips"] = clips;
  report["transitions"] = transitions_json(result, facts);
  report["units_of_clips"] = kUnits;
  return report.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace limber::animate
