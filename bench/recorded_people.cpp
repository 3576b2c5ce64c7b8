// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/recorded_people.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "limber/actions/catalogue.h"
#include "limber/animate/cast.h"
#include "limber/asset/read.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/playing.h"
#include "limber/metrics/clip_body.h"
#include "limber/training/clip_names.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kRate = 60;
constexpr double kBegun = 0.25;  // share of a recording after which somebody is under way
constexpr std::size_t kMostOfOne = 4;
constexpr int kAgain[]{103, 139};  // subjects whose recordings are those of others, too
/// What is said of a recording where it shows nothing but that.
constexpr std::array<std::string_view, 10> kPlainly{"walk",    "walking", "run",    "running", "jog",
                                                    "forward", "normal",  "casual", "careful", "regular"};
constexpr const char* kGoing[]{"walk", "run"};

struct Recording {
  std::string file, action;
};
bool is_going(const std::string& action) {
  return std::find(std::begin(kGoing), std::end(kGoing), action) != std::end(kGoing);
}

/// Many that are filed under walks stop, turn, or are somebody's joke.
bool says_plainly(const std::string& label) {
  if (std::any_of(label.begin(), label.end(), [](char c) { return c >= '0' && c <= '9'; })) return false;
  const std::vector<std::string> words = training::name_words(label);
  return std::all_of(words.begin(), words.end(), [](const std::string& word) {
    return std::find(kPlainly.begin(), kPlainly.end(), word) != kPlainly.end();
  });
}

using People = std::map<int, std::vector<Recording>>;

People read_index(const fs::path& file) {
  People people;
  std::ifstream stream(file);
  const auto index = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!index.is_array()) return people;
  for (const auto& entry : index) {
    const int subject = entry.value("subject", -1);
    if (std::find(std::begin(kAgain), std::end(kAgain), subject) != std::end(kAgain)) continue;
    const training::ClipMeaning meaning = training::recording_meaning(entry.value("action", ""));
    const bool ahead = meaning.heading == training::Heading::kForward && !meaning.fast && !meaning.slow;
    if (meaning.actions.empty() || !ahead) continue;
    if (is_going(meaning.actions.front()) && !says_plainly(entry.value("label", ""))) continue;
    people[subject].push_back({entry.value("file", ""), meaning.actions.front()});
  }
  return people;
}

/// One recording, as a body that does it.
struct Recorded {
  asset::Asset asset;
  rig::Subject subject;
  animate::Upright upright;
  kinematics::Motion motion;  ///< upright
};

Result<Recorded> read_recording(const fs::path& file, const animate::Models& models) {
  LIMBER_TRY(asset::Asset asset, asset::read_asset(file));
  LIMBER_TRY(animate::Cast cast, animate::cast_subject(std::move(asset), models, rig::Facing{}, {}));
  if (cast.asset.clips.empty()) return Error{"no motion", file.string()};
  // They stand along +Y and look along +Z.
  LIMBER_TRY(animate::Upright upright, animate::stand_upright(cast.subject, {}));
  LIMBER_TRY(kinematics::Motion motion,
             kinematics::motion_from_clip(cast.asset, cast.asset.clips.front(), cast.subject, kRate));
  animate::turn_upright(upright, motion);
  kinematics::Playing playing;
  const double seconds = motion.frame_count() / motion.fps;
  playing.fps = kRate, playing.start = kBegun * seconds;
  playing.frames = std::max(2, static_cast<int>(std::lround((1 - kBegun) * seconds * kRate)));
  motion = kinematics::play(motion, playing);
  return Recorded{std::move(cast.asset), std::move(cast.subject), std::move(upright), std::move(motion)};
}

int times(const std::vector<Recording>& recordings, const std::string& action) {
  return static_cast<int>(std::count_if(recordings.begin(), recordings.end(),
                                        [&](const Recording& recording) { return recording.action == action; }));
}

/// Takes a recording into what somebody does.
void take_in(const Recording& recording, kinematics::Motion motion, ArtistBody& body) {
  Take take{recording.file, std::move(motion), true};
  const auto same = [&](const auto& known) { return known.action == recording.action; };
  if (std::none_of(body.shown.begin(), body.shown.end(), same)) {
    // Who marches or limps walks, too.
    const actions::Action* action = actions::built_in().find(recording.action);
    const bool goes = action != nullptr && action->travels == actions::Travels::kOnFeet;
    body.shown.push_back({recording.action, goes, take});
  }
  if (!is_going(recording.action)) return;
  auto gait = std::find_if(body.gaits.begin(), body.gaits.end(), same);
  if (gait == body.gaits.end()) gait = body.gaits.insert(body.gaits.end(), {recording.action, {}});
  if (gait->takes.size() < kMostOfOne) gait->takes.push_back(std::move(take));
}

std::optional<ArtistBody> read_person(const fs::path& folder, int subject, const std::vector<Recording>& recordings,
                                      const animate::Models& models) {
  std::optional<ArtistBody> body;
  for (const Recording& recording : recordings) {
    Result<Recorded> recorded = read_recording(folder / recording.file, models);
    if (!recorded.ok()) continue;
    if (!body) {
      const std::string name = "person " + std::to_string(subject);
      rig::Subject told = metrics::make_clip_body(recorded->upright.subject).subject;
      std::vector<metrics::LimbEnd> ends = metrics::limb_ends(told);
      body.emplace(ArtistBody{name,
                              name,
                              "two legs",
                              std::move(recorded->asset),
                              std::move(recorded->subject),
                              {},
                              std::move(recorded->upright),
                              std::move(told),
                              std::move(ends),
                              "person",
                              {},
                              {}});
    }
    if (recorded->motion.joint_count == body->told.rig.joint_count()) {
      take_in(recording, std::move(recorded->motion), *body);
    }
  }
  return body;
}

}  // namespace

std::vector<ArtistBody> read_recorded_people(const fs::path& folder, const animate::Models& models) {
  std::vector<ArtistBody> bodies;
  for (const auto& [subject, recordings] : read_index(folder / "index.json")) {
    const auto twice = [&recorded = recordings](const char* action) { return times(recorded, action) > 1; };
    if (std::none_of(std::begin(kGoing), std::end(kGoing), twice)) continue;
    if (std::optional<ArtistBody> body = read_person(folder, subject, recordings, models)) {
      bodies.push_back(std::move(*body));
    }
  }
  return bodies;
}

}  // namespace limber::bench
