// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/pose_examples.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/pose_space/pose_conditions.h"
#include "limber/pose_space/pose_state.h"
#include "limber/training/character_file.h"
#include "limber/training/herd.h"
#include "limber/training/skeleton_family.h"
#include "limber/zoo/action.h"

namespace limber::training {
namespace {

/// Creatures of training and validation differ by this much in their seeds.
constexpr std::uint64_t kValidationSeeds = 1u << 30;
constexpr int kValidationCreatures = 256;
constexpr int kResolution = 36;
/// Actions per creature, and frames of each: playing one anew for every draw would cost more than all the rest.
constexpr int kActions = 8, kFrames = 20;
constexpr double kAtRest = 0.02;

template <class T>
const T& pick(const std::vector<T>& list, Rng& rng) {
  return list[rng.below(static_cast<std::uint32_t>(list.size()))];
}

/// A body and its motions.
struct Actor {
  pose_space::PoseSkeleton skeleton;
  std::shared_ptr<const pose_space::PoseConditions> conditions;
  std::vector<kinematics::Motion> own;             ///< kept here,
  std::vector<const kinematics::Motion*> motions;  ///< or by whoever made them

  Actor(const rig::Rig& rig, const pose_space::SkinnedSurface& surface)
      : skeleton(pose_space::make_pose_skeleton(rig)),
        conditions(std::make_shared<const pose_space::PoseConditions>(pose_space::make_conditions(skeleton, surface))) {
  }

  pose_space::PoseExample draw(Rng& rng) const {
    pose_space::PoseExample example;
    example.body = conditions;
    example.turns.reserve(skeleton.joints.size() * 6 * pose_space::kPosesEach);
    const std::vector<Vec3> rest(static_cast<std::size_t>(skeleton.rig.joint_count()));
    for (int i = 0; i < pose_space::kPosesEach; ++i) {
      std::span<const Vec3> angles = rest;
      if (!motions.empty() && !rng.chance(kAtRest)) {
        const kinematics::Motion& motion = *pick(motions, rng);
        angles = motion.frame_angles(static_cast<int>(rng.below(static_cast<std::uint32_t>(motion.frame_count()))));
      }
      for (const Mat3d& turn : pose_space::turns_of(skeleton, angles)) {
        for (int column = 0; column < 2; ++column) {
          for (int k = 0; k < 3; ++k) example.turns.push_back(static_cast<float>(turn(k, column)));
        }
      }
    }
    return example;
  }
};

Result<zoo::Creature> draw_creature(std::uint64_t seed, double any_body, Rng& rng) {
  zoo::CreatureSettings settings;
  settings.plan = static_cast<zoo::Plan>(rng.below(zoo::kPlanCount));
  if (rng.chance(any_body)) settings.body = zoo::random_body(seed);
  settings.seed = seed, settings.resolution = kResolution;
  return zoo::make_creature(settings);
}

/// Some of what it can do, each in its own manner.
std::vector<kinematics::Motion> draw_motions(const zoo::Creature& creature, Rng& rng) {
  const std::vector<zoo::Action> actions = zoo::actions(creature);
  std::vector<kinematics::Motion> motions;
  for (int i = 0; i < kActions && !actions.empty(); ++i) {
    zoo::ActionSettings action;
    action.action = pick(actions, rng);
    action.seed = rng.next_u32();
    action.fps = 10, action.frames = kFrames;
    action.amplitude = rng.uniform(0.6, 1.5), action.style = rng.uniform(), action.noise = 0.5 * rng.uniform();
    action.fatigue = rng.chance(0.2) ? rng.uniform() : 0, action.in_place = true;
    // An action that this body cannot do after all is left out: the others show it.
    Result<zoo::Performance> performance = zoo::perform(creature, action);
    if (performance.ok()) motions.push_back(std::move(performance->motion));
  }
  return motions;
}

Herd<Actor> make_herd(int count, std::uint64_t seed, double any_body) {
  return {count, seed, 25, [any_body](std::uint64_t number, Rng& rng) -> Result<std::unique_ptr<const Actor>> {
            LIMBER_TRY(const zoo::Creature creature, draw_creature(number, any_body, rng));
            const rig::Subject& subject = creature.subject;
            auto actor = std::make_unique<Actor>(
                subject.rig, pose_space::SkinnedSurface{subject.points, subject.triangles, subject.weights});
            actor->own = draw_motions(creature, rng);
            for (const kinematics::Motion& motion : actor->own) actor->motions.push_back(&motion);
            return std::unique_ptr<const Actor>(std::move(actor));
          }};
}

/// Characters, by the family of their skeletons.
class Cast {
 public:
  /// Those whose families are `families` where `within`, else the others.
  Cast(PoseTeachers::List characters, const std::set<std::string>& families, bool within)
      : characters_(std::move(characters)) {
    if (!characters_) return;
    std::vector<const Character*> chosen;
    for (const Character& character : *characters_) {
      const bool named = families.count(skeleton_family(character.rig)) > 0;
      if (named == within && !character.clips.empty()) chosen.push_back(&character);
    }
    actors_.resize(chosen.size());
    parallel_for(chosen.size(), 1, [&](std::size_t i, std::size_t) {
      const Character& from = *chosen[i];
      auto actor = std::make_unique<Actor>(
          from.rig, pose_space::SkinnedSurface{from.mesh.points, from.mesh.triangles, from.mesh.weights});
      for (const CharacterClip& clip : from.clips) actor->motions.push_back(&clip.motion);
      actors_[i] = std::move(actor);
    });
    std::vector<std::string> own;
    for (const Character* character : chosen) own.push_back(skeleton_family(character->rig));
    families_ = group_by_family(own);
  }
  bool empty() const { return actors_.empty(); }
  const Actor& draw(Rng& rng) const { return *actors_[pick(pick(families_, rng), rng)]; }

 private:
  PoseTeachers::List characters_;
  std::vector<std::unique_ptr<const Actor>> actors_;
  std::vector<std::vector<std::size_t>> families_;
};

/// Skeletons that are not taught.
std::set<std::string> families_left_out(const PoseTeachers::List& characters, const LeaveOut& leave_out) {
  std::set<std::string> families;
  if (!characters) return families;
  const std::vector<bool> left_out = find_left_out(*characters, leave_out);
  for (std::size_t i = 0; i < left_out.size(); ++i) {
    if (left_out[i]) families.insert(skeleton_family((*characters)[i].rig));
  }
  return families;
}

struct Troupe {
  std::set<std::string> not_taught;
  Cast cast, harvested, left_out;
  Herd<Actor> training, validation;
  PoseExampleSettings settings;

  Troupe(const PoseTeachers& teachers, const PoseExampleSettings& asked)
      : not_taught(families_left_out(teachers.characters, asked.leave_out)),
        cast(teachers.characters, not_taught, false),
        harvested(teachers.harvested, not_taught, false),
        left_out(teachers.examined ? teachers.examined : teachers.characters, not_taught, true),
        training(make_herd(asked.creatures, asked.seed, asked.any_body)),
        validation(make_herd(kValidationCreatures, asked.seed + kValidationSeeds, asked.any_body)),
        settings(asked) {}
};

}  // namespace

std::optional<PoseSources> PoseSources::parse(const std::string& text) {
  PoseSources sources{false, false, false, false};
  std::stringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    bool* named = word == "zoo"       ? &sources.zoo
                  : word == "artists" ? &sources.artists
                  : word == "people"  ? &sources.people
                  : word == "video"   ? &sources.video
                                      : nullptr;
    if (named == nullptr) return std::nullopt;
    *named = true;
  }
  const bool any = sources.zoo || sources.artists || sources.people || sources.video;
  return any ? std::optional(sources) : std::nullopt;
}

Result<PoseTeachers> pose_teachers(const std::filesystem::path& characters,
                                   const std::vector<std::filesystem::path>& harvests, const PoseSources& sources) {
  PoseTeachers teachers;
  if (!characters.empty()) {
    LIMBER_TRY(TrainingSet set, read_training_set(characters));
    auto examined = std::make_shared<std::vector<Character>>(set.characters);
    auto taught = std::make_shared<std::vector<Character>>(std::move(set.characters));
    for (Character& character : *taught) {
      if (!sources.artists) character.clips.clear();
    }
    if (sources.people) lend_recordings(*taught, set.people, kLentRecordings);
    teachers.characters = std::move(taught), teachers.examined = std::move(examined);
  }
  auto harvested = std::make_shared<std::vector<Character>>();
  for (const std::filesystem::path& harvest : harvests) {
    if (!sources.video) break;
    LIMBER_TRY(TrainingSet set, read_training_set(harvest));
    for (Character& character : set.characters) harvested->push_back(std::move(character));
  }
  teachers.harvested = std::move(harvested);
  return teachers;
}

pose_space::PoseSource pose_examples(const PoseTeachers& teachers, const PoseExampleSettings& settings) {
  LIMBER_EXPECT(settings.creatures > 0, std::to_string(settings.creatures));
  const auto troupe = std::make_shared<Troupe>(teachers, settings);
  return [troupe](std::uint64_t index) -> Result<pose_space::PoseExample> {
    Rng rng(troupe->settings.seed ^ 0x706f736573ull, index);
    const bool validates = index >= pose_space::kValidationPoses;
    if (validates && !troupe->left_out.empty()) return troupe->left_out.draw(rng).draw(rng);
    const auto draws = [&](const Cast& cast, double share) { return !validates && !cast.empty() && rng.chance(share); };
    if (draws(troupe->harvested, troupe->settings.harvested)) return troupe->harvested.draw(rng).draw(rng);
    if (draws(troupe->cast, troupe->settings.artists)) return troupe->cast.draw(rng).draw(rng);
    LIMBER_TRY(const Actor* creature, (validates ? troupe->validation : troupe->training).draw(rng));
    return creature->draw(rng);
  };
}

}  // namespace limber::training
