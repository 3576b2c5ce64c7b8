// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/character_clips.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "limber/actions/catalogue.h"
#include "limber/base/expect.h"
#include "limber/kinematics/playing.h"
#include "limber/retarget/alike.h"
#include "limber/rig/changed_rig.h"
#include "limber/training/captions.h"
#include "limber/training/clip_drawing.h"
#include "limber/training/mirror_colors.h"
#include "limber/training/skeleton_family.h"

namespace limber::training {
namespace {

/// A clip of some character.
struct Choice {
  std::size_t character = 0, clip = 0;
};

/// What a character can do: its own clips and those it may borrow, by action.
struct Repertoire {
  std::vector<std::string> actions;  ///< those done over and over are listed twice, gaits three times
  std::map<std::string, std::vector<Choice>> own, borrowed;
};

template <class T>
const T& pick(const std::vector<T>& list, Rng& rng) {
  return list[rng.below(static_cast<std::uint32_t>(list.size()))];
}

class Cast {
 public:
  explicit Cast(std::shared_ptr<const std::vector<Character>> characters) : characters_(std::move(characters)) {
    LIMBER_EXPECT(characters_ && !characters_->empty(), "no characters");
    std::vector<std::string> families;
    for (std::size_t i = 0; i < characters_->size(); ++i) {
      repertoires_.push_back(find_repertoire(i));
      families.push_back(skeleton_family(at(i).rig));
    }
    for (std::vector<std::size_t> members : group_by_family(families)) {
      // Clips without a name say nothing.
      const auto is_mute = [&](std::size_t i) { return repertoires_[i].actions.empty(); };
      members.erase(std::remove_if(members.begin(), members.end(), is_mute), members.end());
      if (members.empty()) continue;
      families_by_plan_[static_cast<std::size_t>(at(members.front()).body.plan)].push_back(std::move(members));
    }
  }
  bool empty() const {
    return std::all_of(families_by_plan_.begin(), families_by_plan_.end(),
                       [](const auto& list) { return list.empty(); });
  }

  const Character& at(std::size_t i) const { return (*characters_)[i]; }
  const Repertoire& repertoire(std::size_t i) const { return repertoires_[i]; }

  std::size_t draw(Rng& rng) const {
    // Legs have most to teach.
    static constexpr std::array<double, zoo::kPlanCount> kShares{0.32, 0.36, 0.1, 0.1, 0.1, 0.1, 0.05, 0.12};
    double total = 0;
    for (std::size_t i = 0; i < families_by_plan_.size(); ++i) total += families_by_plan_[i].empty() ? 0 : kShares[i];
    double where = rng.uniform(0, total);
    std::size_t plan = 0;
    for (std::size_t i = 0; i < families_by_plan_.size() && where >= 0; ++i) {
      if (families_by_plan_[i].empty()) continue;
      plan = i;
      where -= kShares[i];
    }
    // Dozens of fish on one skeleton come as often as one on its own.
    return pick(pick(families_by_plan_[plan], rng), rng);
  }

 private:
  Repertoire find_repertoire(std::size_t who) const {
    Repertoire result;
    for (std::size_t other = 0; other < characters_->size(); ++other) {
      if (other != who &&
          !(at(other).body.plan == at(who).body.plan && retarget::are_alike(at(other).rig, at(who).rig)))
        continue;
      for (std::size_t k = 0; k < at(other).clips.size(); ++k) {
        for (const std::string& action : at(other).clips[k].meaning.actions) {
          (other == who ? result.own : result.borrowed)[action].push_back({other, k});
        }
      }
    }
    for (const auto& [action, choices] : result.own) {
      const ClipMeaning& meaning = at(who).clips[choices.front().clip].meaning;
      for (int i = 0; i < (meaning.travels ? 3 : meaning.once ? 1 : 2); ++i) result.actions.push_back(action);
    }
    return result;
  }

  std::shared_ptr<const std::vector<Character>> characters_;
  std::array<std::vector<std::vector<std::size_t>>, zoo::kPlanCount> families_by_plan_;
  std::vector<Repertoire> repertoires_;
};

/// When and how fast.
kinematics::Playing draw_playing(const CharacterClip& clip, const prior::SketchModel& model, double speed, Rng& rng) {
  kinematics::Playing playing;
  playing.fps = model.fps, playing.frames = model.frames;
  playing.speed = speed;
  playing.velocity = clip.ground_velocity;
  const double seconds = clip.seconds(), shown = (model.frames - 1) / model.fps * playing.speed;
  if (!clip.meaning.once && clip.motion.loops) {
    playing.repeat = true;
    playing.start = rng.uniform(0, seconds);
    return playing;
  }
  // Once, all of it if there is time, from soon after the beginning on; some come back to where they began and go on.
  const double spare = shown - seconds;
  playing.repeat = clip.motion.loops && seconds < 0.7 * shown && rng.chance(0.4);
  playing.start = spare > 0 ? -rng.uniform(0, std::min(spare, 0.4 * playing.speed)) : rng.uniform(0, -spare);
  return playing;
}

/// As fast as asked, but for cycles that would have too few frames to be seen.
double seen_speed(const CharacterClip& clip, const prior::SketchModel& model, double asked) {
  if (!clip.motion.loops || clip.meaning.once) return asked;
  const double cycle = clip.seconds() / clip.cycles;
  return std::min(asked, cycle * model.fps / kFramesPerCycle);
}

Heading mirrored(Heading heading) {
  if (heading == Heading::kLeft) return Heading::kRight;
  return heading == Heading::kRight ? Heading::kLeft : heading;
}

Result<prior::SketchClip> draw_clip(const Cast& cast, const prior::SketchModel& model,
                                    const CharacterClipSettings& settings, std::uint64_t index) {
  Rng rng(settings.seed ^ 0x636c697073ull, index);
  const std::size_t who = cast.draw(rng);
  const Character& character = cast.at(who);
  const Repertoire& repertoire = cast.repertoire(who);
  ClipFacts facts;
  facts.action = pick(repertoire.actions, rng);
  const auto others = repertoire.borrowed.find(facts.action);
  const bool borrows = others != repertoire.borrowed.end() && rng.chance(settings.borrowed);
  const Choice choice = pick(borrows ? others->second : repertoire.own.at(facts.action), rng);
  const Character& owner = cast.at(choice.character);
  const CharacterClip& clip = owner.clips[choice.clip];
  const splat::Gaussians& surface = pick(character.surfaces, rng);

  const double asked = std::exp(rng.uniform(std::log(settings.least_speed), std::log(settings.most_speed)));
  const kinematics::Playing playing = draw_playing(clip, model, seen_speed(clip, model, asked), rng);
  kinematics::Motion motion = kinematics::play(clip.motion, playing);
  if (borrows) {
    motion = retarget::copy_motion(motion, owner.rig, character.rig);
    // Other legs reach down to another height.
    const float lowest = lowest_height(character.rig, surface, motion) -
                         lowest_height(owner.rig, owner.surfaces[0], kinematics::play(clip.motion, playing));
    for (Vec3& at : motion.root_translations) at.y -= lowest;
  }

  const bool mirrors = rng.chance(settings.mirrored);
  const auto stretch = [&] { return static_cast<float>(rng.uniform(settings.least_stretch, settings.most_stretch)); };
  const float x = stretch(), y = stretch(), z = stretch();
  const Mat3 change = Mat3::diagonal({mirrors ? -x : x, y, z});
  LIMBER_TRY(const rig::Rig rig, rig::changed_rig(character.rig, change));
  for (Vec3& at : motion.root_translations) at = change * at;

  facts.plan = character.body.plan, facts.noun = character.body.noun;
  facts.speed = asked * (clip.meaning.fast ? 1.4 : clip.meaning.slow ? 0.7 : 1);
  facts.heading = mirrors ? mirrored(clip.meaning.heading) : clip.meaning.heading;
  const actions::Action* action = actions::built_in().find(facts.action);
  const bool without_feet = action != nullptr && action->travels == actions::Travels::kFreely;
  const bool goes = clip.meaning.travels || without_feet;
  const Vec3 way = motion.root_translations.back() - motion.root_translations.front();
  facts.in_place = goes && std::hypot(way.x, way.z) < 0.1f;
  if (!mirrors) return draw_sketch_clip(model, rig, surface, motion, facts, rng);
  splat::Gaussians other_colors = surface;
  mirror_part_colors(other_colors);
  return draw_sketch_clip(model, rig, other_colors, motion, facts, rng);
}

}  // namespace

prior::ClipSource character_clips(const prior::SketchModel& model,
                                  std::shared_ptr<const std::vector<Character>> characters,
                                  const CharacterClipSettings& settings) {
  const auto cast = std::make_shared<const Cast>(std::move(characters));
  LIMBER_EXPECT(!cast->empty(), "no character has a clip whose name means an action");
  return [=](std::uint64_t index) { return draw_clip(*cast, model, settings, index); };
}

prior::ClipSource mixed_clips(prior::ClipSource first, prior::ClipSource second, double share, std::uint64_t seed) {
  LIMBER_EXPECT(share >= 0 && share <= 1, std::to_string(share));
  return [=](std::uint64_t index) {
    const bool other = index < prior::kValidationClips && Rng(seed ^ 0x6d6978ull, index).chance(share);
    return other ? second(index) : first(index);
  };
}

}  // namespace limber::training
