// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/motion_examples.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "limber/actions/catalogue.h"
#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/training/herd.h"
#include "limber/training/motion_take.h"
#include "limber/training/skeleton_family.h"
#include "limber/zoo/action.h"

namespace limber::training {
namespace {

using motion_space::Fact;
using motion_space::MotionExample;

/// Creatures of training and validation differ by this much in their seeds.
constexpr std::uint64_t kValidationSeeds = 1u << 30;
constexpr int kValidationCreatures = 128;
constexpr int kResolution = 36;
constexpr int kPerformances = 8;
constexpr int kLentToEach = 120;  // recordings: of each action some three
constexpr int kVariants = 3;      // of every body: all its joints, and some of them
constexpr int kLeastJoints = 4;
constexpr int kZoo = 0, kArtist = 1, kPerson = 2;
constexpr int kUsualPace = 0, kFast = 1, kSlow = 2;

template <class T>
const T& pick(const std::vector<T>& list, Rng& rng) {
  return list[rng.below(static_cast<std::uint32_t>(list.size()))];
}

int action_index(std::string_view name) {
  const std::vector<actions::Action>& all = actions::built_in().all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

/// Joints that an artist might as well not have made: ends, and some in the middle of a chain.
std::vector<bool> draw_left_out(const rig::Rig& rig, Rng& rng) {
  std::vector<int> children(at(rig.joint_count()), 0);
  for (int j = 1; j < rig.joint_count(); ++j) ++children[at(rig.joints()[at(j)].parent)];
  const double ends = 0.35 * rng.uniform(), middles = 0.3 * rng.uniform();
  std::vector<bool> left_out(children.size(), false);
  int kept = rig.joint_count();
  for (int j = rig.joint_count() - 1; j > 0 && kept > kLeastJoints; --j) {
    const rig::Role role = rig.joints()[at(j)].role;
    // Where a limb leaves, and its second joint (knee, elbow), it is what it is by.
    const bool keeps = role.section < 2 && children[at(j)] > 0;
    const double chance = children[at(j)] == 0 ? ends : children[at(j)] == 1 && !keeps ? middles : 0;
    left_out[at(j)] = rng.chance(chance);
    if (left_out[at(j)]) --kept;
  }
  return left_out;
}

/// A body that some or all joints of a skeleton make.
struct Variant {
  pose_space::PoseSkeleton skeleton;
  std::shared_ptr<const motion_space::MotionConditions> conditions;
  std::vector<int> kept;  ///< of the whole skeleton
};

/// A body and its takes.
struct Actor {
  std::vector<Variant> variants;  ///< the first one is whole
  std::vector<MotionTake> takes;
  std::map<int, std::vector<const MotionTake*>> by_action[3];  ///< by source

  Actor(const rig::Rig& rig, const pose_space::SkinnedSurface& surface, Rng& rng) {
    pose_space::JointChoice choice;
    choice.most = motion_space::kMostJoints;
    for (int i = 0; i < kVariants; ++i) {
      if (i > 0) choice.left_out = draw_left_out(variants[0].skeleton.rig, rng);
      Variant variant{pose_space::make_pose_skeleton(i == 0 ? rig : variants[0].skeleton.rig, {}, choice), {}, {}};
      std::vector<int> whole(at(rig.joint_count()), -1);
      const pose_space::PoseSkeleton& all = i == 0 ? variant.skeleton : variants[0].skeleton;
      for (int j = 0; j < all.size(); ++j) whole[at(all.joints[at(j)].joint)] = j;
      for (const pose_space::PoseJoint& joint : variant.skeleton.joints) variant.kept.push_back(whole[at(joint.joint)]);
      // Of very large rigs another choice may have joints that the whole one has not.
      if (std::find(variant.kept.begin(), variant.kept.end(), -1) != variant.kept.end()) continue;
      variant.conditions = std::make_shared<const motion_space::MotionConditions>(
          motion_space::make_motion_conditions(variant.skeleton, surface));
      variants.push_back(std::move(variant));
    }
  }

  void sort_takes() {
    for (const MotionTake& take : takes) {
      for (const int action : take.actions)
        by_action[take.facts.facts[static_cast<int>(Fact::kSource)]][action].push_back(&take);
    }
  }

  bool has(int source) const { return !by_action[source].empty(); }

  MotionExample draw(int source, Rng& rng) const;
};

/// Gaits come more often: they are what is asked for most. What is done once comes as often as what goes on and on,
/// or it stays small.
int draw_action(const std::map<int, std::vector<const MotionTake*>>& takes, Rng& rng) {
  std::vector<int> actions;
  for (const auto& [action, list] : takes) {
    const actions::Action& known = actions::built_in().all()[at(action)];
    const int times = known.travels != actions::Travels::kNo ? 3 : 2;
    actions.insert(actions.end(), at(times), action);
  }
  return pick(actions, rng);
}

TakePlaying draw_playing(const MotionTake& take, Rng& rng) {
  TakePlaying playing;
  const double seconds = take.frames / take.fps, shown = motion_space::kFrames / motion_space::kFps;
  playing.speed = std::exp(rng.uniform(std::log(0.8), std::log(1.25)));
  if (take.loops && !take.once) {
    playing.start = rng.uniform(0, seconds);
    // A whole number of cycles, where that is possible.
    const double cycle = seconds / take.cycles;
    const double cycles = std::round(shown * playing.speed / cycle);
    const double speed = cycles * cycle / shown;
    if (cycles >= 1 && speed > 0.75 && speed < 1.35 && rng.chance(0.6)) playing.speed = speed, playing.periodic = true;
    return playing;
  }
  // Once, all of it if there is time, from soon after the beginning on.
  const double spare = shown * playing.speed - seconds;
  playing.start = spare > 0 ? -rng.uniform(0, std::min(spare, 0.3)) : rng.uniform(0, -spare);
  if (spare <= 0 && take.once && rng.chance(0.5)) playing.start = 0;
  return playing;
}

MotionExample Actor::draw(int source, Rng& rng) const {
  const int action = draw_action(by_action[source], rng);
  const MotionTake& take = *pick(by_action[source].at(action), rng);
  const Variant& variant = rng.chance(0.5) ? variants[0] : pick(variants, rng);
  MotionExample example;
  example.body = variant.conditions;
  const TakePlaying playing = draw_playing(take, rng);
  play_take(take, playing, variant.kept, example);
  example.facts = take.facts, example.facts.action = action;
  example.facts.facts[static_cast<int>(Fact::kLoop)] = example.periodic ? 1 : 0;
  find_contacts(variant.skeleton, variant.conditions->feet, example);
  return example;
}

// --- the zoo ---------------------------------------------------------------------------------------------------------

Result<zoo::Creature> draw_creature(std::uint64_t seed, double any_body, Rng& rng) {
  zoo::CreatureSettings settings;
  settings.plan = static_cast<zoo::Plan>(rng.below(zoo::kPlanCount));
  if (rng.chance(any_body)) settings.body = zoo::random_body(seed);
  settings.seed = seed, settings.resolution = kResolution;
  return zoo::make_creature(settings);
}

std::optional<MotionTake> draw_performance(const zoo::Creature& creature, const pose_space::PoseSkeleton& skeleton,
                                           zoo::Action what, Rng& rng) {
  zoo::ActionSettings action;
  action.action = what, action.seed = rng.next_u32(), action.fps = motion_space::kFps;
  action.frames = motion_space::kFrames;
  action.amplitude = rng.uniform(0.6, 1.4), action.style = rng.uniform(), action.noise = 0.4 * rng.uniform();
  const double hurry = rng.uniform();
  action.haste = hurry < 0.15 ? -0.7 : hurry > 0.85 ? 0.7 : 0;
  action.backward = rng.chance(0.05);
  // An action that this body cannot do after all is left out: the others show it.
  const Result<zoo::Performance> performance = zoo::perform(creature, action);
  if (!performance.ok()) return std::nullopt;
  std::optional<MotionTake> take = make_take(skeleton, performance->motion);
  if (!take) return take;
  take->once = !zoo::is_cyclic(what), take->cycles = std::max(performance->cycles, 1);
  take->actions = {action_index(zoo::name(what))};
  take->facts.facts[static_cast<int>(Fact::kSource)] = kZoo;
  take->facts.facts[static_cast<int>(Fact::kPace)] = action.haste > 0 ? kFast : action.haste < 0 ? kSlow : kUsualPace;
  take->facts.facts[static_cast<int>(Fact::kHeading)] = action.backward ? 1 : 0;
  return take;
}

Herd<Actor> make_herd(int count, std::uint64_t seed, double any_body) {
  return {count, seed, 97, [any_body](std::uint64_t number, Rng& rng) -> Result<std::unique_ptr<const Actor>> {
            LIMBER_TRY(const zoo::Creature creature, draw_creature(number, any_body, rng));
            const rig::Subject& subject = creature.subject;
            auto actor = std::make_unique<Actor>(
                subject.rig, pose_space::SkinnedSurface{subject.points, subject.triangles, subject.weights}, rng);
            const std::vector<zoo::Action> able = zoo::actions(creature);
            for (int i = 0; i < kPerformances && !able.empty(); ++i) {
              auto take = draw_performance(creature, actor->variants[0].skeleton, pick(able, rng), rng);
              if (take && take->actions[0] >= 0) actor->takes.push_back(std::move(*take));
            }
            if (actor->takes.empty()) return Error{"a creature that does nothing", creature.name};
            actor->sort_takes();
            return std::unique_ptr<const Actor>(std::move(actor));
          }};
}

// --- characters ------------------------------------------------------------------------------------------------------

/// Whether how far it gets is known: it is on its way, a treadmill's speed was found, or it stays where it is.
bool knows_way(const CharacterClip& clip) {
  const Vec3 way = clip.motion.root_translations.back() - clip.motion.root_translations.front();
  if (std::hypot(way.x, way.z) > 0.1f || norm(clip.ground_velocity) > 0.02f) return true;
  for (const std::string& name : clip.meaning.actions) {
    const actions::Action* action = actions::built_in().find(name);
    if (action != nullptr && action->travels != actions::Travels::kNo) return false;
  }
  return !clip.meaning.travels;
}

std::optional<MotionTake> take_of(const CharacterClip& clip, const pose_space::PoseSkeleton& skeleton, int source) {
  std::optional<MotionTake> take = make_take(skeleton, clip.motion, clip.ground_velocity);
  if (!take) return take;
  take->once = clip.meaning.once, take->cycles = std::max(clip.cycles, 1), take->way_known = knows_way(clip);
  for (const std::string& name : clip.meaning.actions) {
    const int action = action_index(name);
    if (action >= 0) take->actions.push_back(action);
  }
  take->facts.facts[static_cast<int>(Fact::kSource)] = source;
  take->facts.facts[static_cast<int>(Fact::kPace)] = clip.meaning.fast ? kFast : clip.meaning.slow ? kSlow : kUsualPace;
  take->facts.facts[static_cast<int>(Fact::kHeading)] = static_cast<int>(clip.meaning.heading);
  return take;
}

struct Troupe {
  std::vector<std::unique_ptr<const Actor>> actors;
  struct Families {
    std::vector<std::vector<const Actor*>> members;
    std::vector<double> sums;  ///< of the square roots of their sizes

    const Actor& draw(Rng& rng) const {
      const double where = rng.uniform(0, sums.back());
      const auto found = static_cast<std::size_t>(std::upper_bound(sums.begin(), sums.end(), where) - sums.begin());
      return *pick(members[std::min(found, members.size() - 1)], rng);
    }
  };
  Families taught[3], left_out[3];  ///< by source
  Herd<Actor> training, validation;
  MotionExampleSettings settings;
  MotionCounts counts;

  Troupe(const TrainingSet& set, const MotionExampleSettings& asked)
      : training(make_herd(asked.creatures, asked.seed, asked.any_body)),
        validation(make_herd(kValidationCreatures, asked.seed + kValidationSeeds, asked.any_body)),
        settings(asked) {
    add_characters(set);
  }

  void add_characters(const TrainingSet& set) {
    std::vector<Character> characters = set.characters;
    std::vector<std::size_t> own;
    for (const Character& character : characters) own.push_back(character.clips.size());
    lend_recordings(characters, set.people, kLentToEach);
    actors.resize(characters.size());
    std::vector<MotionCounts> found(characters.size());
    parallel_for(characters.size(), 1, [&](std::size_t i, std::size_t) {
      actors[i] = make_actor(characters[i], own[i], settings.seed + i, found[i]);
      characters[i].clips.clear();
    });
    for (const MotionCounts& c : found) {
      counts.clips += c.clips, counts.recordings += c.recordings, counts.nameless += c.nameless;
      counts.broken += c.broken, counts.without_way += c.without_way;
    }
    counts.characters = static_cast<int>(characters.size());
    sort_families(characters, find_left_out(characters, settings.leave_out));
  }

  static std::unique_ptr<const Actor> make_actor(const Character& character, std::size_t own, std::uint64_t seed,
                                                 MotionCounts& counts) {
    Rng rng(seed, 98);
    auto actor = std::make_unique<Actor>(
        character.rig,
        pose_space::SkinnedSurface{character.mesh.points, character.mesh.triangles, character.mesh.weights}, rng);
    for (std::size_t k = 0; k < character.clips.size(); ++k) {
      const CharacterClip& clip = character.clips[k];
      if (clip.meaning.actions.empty()) {
        ++counts.nameless;
        continue;
      }
      std::optional<MotionTake> take = take_of(clip, actor->variants[0].skeleton, k < own ? kArtist : kPerson);
      if (!take || take->actions.empty()) {
        ++counts.broken;
        continue;
      }
      ++(k < own ? counts.clips : counts.recordings);
      if (!take->way_known) ++counts.without_way;
      actor->takes.push_back(std::move(*take));
    }
    actor->sort_takes();
    return actor;
  }

  void sort_families(const std::vector<Character>& characters, const std::vector<bool>& is_left_out) {
    std::vector<std::string> families;
    std::set<std::string> hidden;
    for (const Character& character : characters) families.push_back(skeleton_family(character.rig));
    for (std::size_t i = 0; i < characters.size(); ++i) {
      if (is_left_out[i]) hidden.insert(families[i]);
    }
    for (const std::vector<std::size_t>& members : group_by_family(families)) {
      ++counts.families;
      const bool out = hidden.count(families[members.front()]) > 0;
      for (int source = 0; source < 3; ++source) {
        std::vector<const Actor*> able;
        for (const std::size_t i : members) {
          if (actors[i]->has(source)) able.push_back(actors[i].get());
        }
        if (able.empty()) continue;
        Families& into = (out ? left_out : taught)[source];
        const double before = into.sums.empty() ? 0 : into.sums.back();
        into.sums.push_back(before + std::sqrt(static_cast<double>(able.size())));
        into.members.push_back(std::move(able));
      }
    }
  }

  Result<MotionExample> draw(std::uint64_t index) {
    Rng rng(settings.seed ^ 0x6d6f74696f6eull, index);
    if (index >= motion_space::kValidationMotions) {
      if (!left_out[kArtist].members.empty()) return left_out[kArtist].draw(rng).draw(kArtist, rng);
      LIMBER_TRY(const Actor* creature, validation.draw(rng));
      return creature->draw(kZoo, rng);
    }
    const double fate = rng.uniform();
    const auto taught_by = [&](int source) { return !taught[source].members.empty(); };
    if (fate < settings.artists && taught_by(kArtist)) return taught[kArtist].draw(rng).draw(kArtist, rng);
    if (fate >= settings.artists && fate < settings.artists + settings.people && taught_by(kPerson))
      return taught[kPerson].draw(rng).draw(kPerson, rng);
    LIMBER_TRY(const Actor* creature, training.draw(rng));
    return creature->draw(kZoo, rng);
  }
};

}  // namespace

std::vector<std::string> motion_actions() {
  std::vector<std::string> names;
  for (const actions::Action& action : actions::built_in().all()) names.push_back(action.name);
  return names;
}

MotionTeachers motion_examples(const TrainingSet& set, const MotionExampleSettings& settings) {
  LIMBER_EXPECT(settings.creatures > 0, std::to_string(settings.creatures));
  const auto troupe = std::make_shared<Troupe>(set, settings);
  return {[troupe](std::uint64_t index) { return troupe->draw(index); }, troupe->counts};
}

}  // namespace limber::training
