// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/training_clips.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>

#include "limber/scene/part_view.h"
#include "limber/training/captions.h"
#include "limber/training/clip_drawing.h"
#include "limber/zoo/action.h"

namespace limber::training {
namespace {

/// Creatures of training and validation differ by this much in their seeds.
constexpr std::uint64_t kValidationSeeds = 1u << 30;
constexpr int kValidationCreatures = 64;
constexpr int kResolution = 36;

zoo::Plan draw_plan(Rng& rng) {
  // Legged bodies are what people bring most, and have most to do.
  static constexpr std::array<double, zoo::kPlanCount> kShares{0.20, 0.26, 0.12, 0.08, 0.08, 0.07, 0.06, 0.13};
  double at = rng.uniform();
  for (int i = 0; i < zoo::kPlanCount; ++i) {
    at -= kShares[static_cast<std::size_t>(i)];
    if (at < 0) return static_cast<zoo::Plan>(i);
  }
  return zoo::Plan::kQuadruped;
}

zoo::Action draw_action(const zoo::Creature& creature, Rng& rng) {
  const std::vector<zoo::Action> actions = zoo::actions(creature);
  // Cyclic ones twice as often.
  while (true) {
    const zoo::Action action = actions[rng.below(static_cast<std::uint32_t>(actions.size()))];
    if (zoo::is_cyclic(action) || rng.chance(0.5)) return action;
  }
}

/// Starts a loop at another of its frames; the way goes on from there.
void shift_loop(kinematics::Motion& motion, int by) {
  const int count = motion.frame_count();
  if (count < 2) return;
  const Vec3 last = motion.root_translations.back(), first = motion.root_translations.front();
  // One frame beyond the last, the way goes on at its mean pace.
  const Vec3 lap = static_cast<float>(count) / static_cast<float>(count - 1) * (last - first);
  std::rotate(motion.root_translations.begin(), motion.root_translations.begin() + by, motion.root_translations.end());
  std::rotate(motion.angles.begin(), motion.angles.begin() + std::ptrdiff_t{by} * motion.joint_count,
              motion.angles.end());
  for (int i = count - by; i < count; ++i) {
    motion.root_translations[static_cast<std::size_t>(i)] += Vec3{lap.x, 0, lap.z};
  }
}

/// Bodies by number, made when first asked for.
class Herd {
 public:
  Herd(int count, std::uint64_t seed) : seed_(seed), slots_(static_cast<std::size_t>(count)) {}

  struct Member {
    zoo::Creature creature;
    splat::Gaussians gaussians;
  };
  Result<const Member*> get(std::size_t number) {
    Slot& slot = slots_[number];
    const std::lock_guard lock(slot.mutex);
    if (!slot.member) {
      Rng rng(seed_ + number, 21);
      zoo::CreatureSettings settings;
      settings.plan = draw_plan(rng);
      settings.seed = seed_ + number;
      settings.resolution = kResolution;
      LIMBER_TRY(zoo::Creature creature, zoo::make_creature(settings));
      splat::Gaussians gaussians = scene::part_gaussians(creature.subject);
      slot.member = std::make_unique<Member>(Member{std::move(creature), std::move(gaussians)});
    }
    return slot.member.get();
  }
  std::size_t size() const { return slots_.size(); }

 private:
  struct Slot {
    std::mutex mutex;
    std::unique_ptr<Member> member;
  };
  std::uint64_t seed_;
  std::vector<Slot> slots_;
};

/// Plays an action, slower than asked where its cycles would be too short; `settings.speed` tells how fast it became.
Result<zoo::Performance> perform_slowly_enough(const zoo::Creature& creature, zoo::ActionSettings& settings) {
  LIMBER_TRY(zoo::Performance performance, zoo::perform(creature, settings));
  const double most = std::floor(settings.frames / kFramesPerCycle);
  if (performance.cycles <= most) return performance;
  settings.speed = std::max(0.25, settings.speed * (most + 0.2) / performance.cycles);
  return zoo::perform(creature, settings);
}

Result<prior::PartClip> draw_clip(Herd& herd, const prior::PartModel& model, std::uint64_t seed, std::uint64_t index) {
  Rng rng(seed, index);
  LIMBER_TRY(const Herd::Member* member, herd.get(rng.below(static_cast<std::uint32_t>(herd.size()))));
  const zoo::Creature& creature = member->creature;
  zoo::ActionSettings settings;
  settings.action = draw_action(creature, rng);
  settings.seed = rng.next_u32();
  settings.fps = model.fps, settings.frames = model.frames;
  settings.speed = std::clamp(std::exp(0.3 * rng.normal()), 0.5, 2.0);
  const double asked_speed = settings.speed;
  settings.amplitude = rng.uniform(0.65, 1.35);
  settings.style = rng.uniform(), settings.noise = 0.5 * rng.uniform();
  settings.in_place = rng.chance(0.1);
  LIMBER_TRY(zoo::Performance performance, perform_slowly_enough(creature, settings));
  kinematics::Motion& motion = performance.motion;
  if (motion.frame_count() != model.frames) {
    return Error{"an action of another length", std::string(zoo::name(settings.action))};
  }
  if (motion.loops) shift_loop(motion, static_cast<int>(rng.below(static_cast<std::uint32_t>(model.frames))));

  ClipFacts facts;
  facts.action = zoo::name(settings.action), facts.plan = creature.plan;
  facts.speed = asked_speed, facts.amplitude = settings.amplitude, facts.in_place = settings.in_place;
  return draw_part_clip(model, creature.subject.rig, member->gaussians, motion, facts, rng);
}

}  // namespace

prior::ClipSource zoo_clips(const prior::PartModel& model, const ClipSettings& settings) {
  const auto training = std::make_shared<Herd>(settings.creatures, settings.seed);
  const auto validation = std::make_shared<Herd>(kValidationCreatures, settings.seed + kValidationSeeds);
  return [=](std::uint64_t index) {
    Herd& herd = index >= prior::kValidationClips ? *validation : *training;
    return draw_clip(herd, model, settings.seed, index);
  };
}

}  // namespace limber::training
