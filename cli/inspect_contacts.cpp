// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect_contacts.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "command.h"
#include "limber/actions/catalogue.h"
#include "limber/anatomy/find_facing.h"
#include "limber/animate/edit_clip.h"
#include "limber/animate/upright.h"
#include "limber/kinematics/clip.h"
#include "limber/physics/ground.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Runs of frames, in seconds; one frame counts as long as it is shown.
Json spans_of(const std::vector<bool>& planted, double fps) {
  Json spans = Json::array();
  for (std::size_t f = 0; f < planted.size(); ++f) {
    if (!planted[f]) continue;
    const std::size_t from = f;
    while (f < planted.size() && planted[f]) ++f;
    spans.push_back({static_cast<double>(from) / fps, static_cast<double>(f) / fps});
  }
  return spans;
}

}  // namespace

Result<Json> find_contacts(const asset::Asset& asset, const std::string& clip) {
  if (asset.clips.empty()) return Error{"there is no clip", asset.name};
  LIMBER_TRY(const int index, find_clip(asset, clip.empty() ? "#0" : clip));
  const asset::Clip& chosen = asset.clips[static_cast<std::size_t>(index)];
  LIMBER_TRY(const rig::Subject subject, rig::subject_from_asset(asset));
  LIMBER_TRY(const animate::Upright upright, animate::stand_upright(subject, anatomy::believed_facing(asset)));
  const double fps = kinematics::clip_rate(chosen);
  LIMBER_TRY(kinematics::Motion motion, kinematics::motion_from_clip(asset, chosen, subject, fps));
  animate::turn_upright(upright, motion);
  physics::GroundSettings settings;
  settings.ground = physics::Ground::kNone;
  settings.reference.hint = actions::built_in().habitat_hint(chosen.name);
  LIMBER_TRY(const physics::Grounded grounded, physics::ground_motion(upright.subject, motion, settings));

  // A joint stands while any point of its skin does.
  std::map<int, std::vector<bool>> planted;
  for (const kinematics::GroundContact& contact : grounded.planted) {
    std::vector<bool>& frames = planted[contact.joint];
    frames.resize(contact.planted.size());
    for (std::size_t f = 0; f < frames.size(); ++f) frames[f] = frames[f] || contact.planted[f];
  }
  Json joints = Json::array();
  for (const auto& [joint, frames] : planted) {
    const rig::Joint& known = subject.rig.joints()[static_cast<std::size_t>(joint)];
    Json spans = spans_of(frames, fps);
    if (!spans.empty()) joints.push_back({{"name", known.name}, {"node", known.node}, {"spans", std::move(spans)}});
  }
  return Json{{"clip", chosen.name.empty() ? "#" + std::to_string(index) : chosen.name},
              {"seconds", chosen.duration()},
              {"habitat", physics::name(grounded.reference.habitat)},
              {"joints", joints}};
}

void print_contacts(const Json& contacts) {
  fmt::print("  contacts   in '{}' ({})\n", printable(contacts["clip"].get<std::string>()),
             contacts["habitat"].get<std::string>());
  for (const Json& joint : contacts["joints"]) {
    std::string spans;
    for (const Json& span : joint["spans"]) {
      spans +=
          fmt::format("{}{:.2f}-{:.2f} s", spans.empty() ? "" : ", ", span[0].get<double>(), span[1].get<double>());
    }
    fmt::print("             {}: {}\n", printable(joint["name"].get<std::string>()), spans);
  }
}

}  // namespace limber::cli
