// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/training_clips.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "limber/scene/sketch_view.h"
#include "limber/training/captions.h"
#include "limber/training/clip_drawing.h"
#include "limber/training/herd.h"
#include "limber/zoo/action.h"

namespace limber::training {
namespace {

/// Creatures of training and validation differ by this much in their seeds.
constexpr std::uint64_t kValidationSeeds = 1u << 30;
constexpr int kValidationCreatures = 64;
constexpr int kResolution = 36;
/// Shares of the clips: with a manner, where one fits the action; of loops those that end with their first frames.
constexpr double kMannered = 0.5, kClosed = 0.1;

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

/// How far a loop gets in one round: beyond its last frame the way goes on at its mean pace.
Vec3 lap_of(const kinematics::Motion& motion) {
  const auto count = static_cast<float>(motion.frame_count());
  const Vec3 way = count / (count - 1) * (motion.root_translations.back() - motion.root_translations.front());
  return {way.x, 0, way.z};
}

/// Starts a loop at another of its frames; the way goes on from there.
void shift_loop(kinematics::Motion& motion, int by) {
  const int count = motion.frame_count();
  if (count < 2) return;
  const Vec3 lap = lap_of(motion);
  std::rotate(motion.root_translations.begin(), motion.root_translations.begin() + by, motion.root_translations.end());
  std::rotate(motion.angles.begin(), motion.angles.begin() + std::ptrdiff_t{by} * motion.joint_count,
              motion.angles.end());
  for (int i = count - by; i < count; ++i) {
    motion.root_translations[static_cast<std::size_t>(i)] += lap;
  }
}

/// Plays a loop on into its next round, so that it ends as it began.
void play_on(kinematics::Motion& motion, int frames) {
  const int count = motion.frame_count();
  if (count < 2) return;
  const Vec3 lap = lap_of(motion);
  for (int i = count; i < frames; ++i) {
    motion.root_translations.push_back(motion.root_translations[static_cast<std::size_t>(i - count)] + lap);
    for (int j = 0; j < motion.joint_count; ++j) {
      motion.angles.push_back(motion.angles[static_cast<std::size_t>((i - count) * motion.joint_count + j)]);
    }
  }
}

bool is_one_of(zoo::Action action, std::initializer_list<zoo::Action> list) {
  return std::find(list.begin(), list.end(), action) != list.end();
}

/// A manner that means something to the action, and words for it: "walks turning left". One at most.
void draw_manner(const zoo::Creature& creature, Rng& rng, zoo::ActionSettings& settings, ClipFacts& facts) {
  using A = zoo::Action;
  const A action = settings.action;
  const bool steps = is_one_of(action, {A::kWalk, A::kTrot, A::kPace, A::kRun, A::kSneak, A::kCrawl, A::kLimp});
  const bool travels =
      steps || is_one_of(action, {A::kGallop, A::kBound, A::kHop, A::kFly, A::kGlide, A::kSwim, A::kSlither});
  if (action == A::kTurn) {
    settings.turning = rng.chance(0.5) ? 0.5 : -0.5;
    if (rng.chance(0.6)) facts.heading = settings.turning > 0 ? Heading::kLeft : Heading::kRight;
    return;
  }
  switch (rng.below(6)) {
    case 0:
      if (travels) settings.haste = -rng.uniform(0.4, 1);
      break;
    case 1:
      if (travels) settings.haste = rng.uniform(0.4, 1);
      break;
    case 2:
      facts.tired = travels || is_one_of(action, {A::kIdle, A::kLook, A::kSit, A::kLieDown, A::kEat});
      settings.fatigue = facts.tired ? rng.uniform(0.6, 1) : 0;
      break;
    case 3:
      facts.limping = steps && action != A::kLimp && creature.legs.size() > 1;
      if (facts.limping)
        settings.limping_leg = static_cast<int>(rng.below(static_cast<std::uint32_t>(creature.legs.size())));
      break;
    case 4:
      if (travels) settings.turning = facts.turning = (rng.chance(0.5) ? 1 : -1) * rng.uniform(0.3, 0.6);
      break;
    default:
      settings.backward = steps;
      if (steps) facts.heading = Heading::kBackward;
      break;
  }
}

struct Member {
  zoo::Creature creature;
  splat::Gaussians gaussians;
};

Result<zoo::Creature> make_body(std::uint64_t seed, double any_body, Rng& rng) {
  zoo::CreatureSettings settings;
  settings.plan = draw_plan(rng), settings.seed = seed, settings.resolution = kResolution;
  if (!rng.chance(any_body)) return zoo::make_creature(settings);
  settings.body = zoo::random_body(seed);
  Result<zoo::Creature> creature = zoo::make_creature(settings);
  if (creature.ok()) return creature;
  // Of the odd body that cannot be made there is one of a plan instead.
  settings.body.reset();
  return zoo::make_creature(settings);
}

std::shared_ptr<Herd<Member>> make_herd(int count, std::uint64_t seed, double any_body) {
  return std::make_shared<Herd<Member>>(
      count, seed, 21, [any_body](std::uint64_t number, Rng& rng) -> Result<std::unique_ptr<const Member>> {
        LIMBER_TRY(zoo::Creature creature, make_body(number, any_body, rng));
        splat::Gaussians gaussians = scene::part_gaussians(creature.subject);
        return std::make_unique<const Member>(Member{std::move(creature), std::move(gaussians)});
      });
}

/// Plays an action, slower than asked where its cycles would be too short; `settings.speed` tells how fast it became.
Result<zoo::Performance> perform_slowly_enough(const zoo::Creature& creature, zoo::ActionSettings& settings) {
  LIMBER_TRY(zoo::Performance performance, zoo::perform(creature, settings));
  const double most = std::floor(settings.frames / kFramesPerCycle);
  if (performance.cycles <= most) return performance;
  settings.speed = std::max(0.25, settings.speed * (most + 0.2) / performance.cycles);
  return zoo::perform(creature, settings);
}

/// A motion and what there is to say about it.
struct Played {
  kinematics::Motion motion;
  ClipFacts facts;
};

Result<Played> play_something(const zoo::Creature& creature, const prior::SketchModel& model, Rng& rng) {
  zoo::ActionSettings settings;
  settings.action = draw_action(creature, rng);
  settings.seed = rng.next_u32();
  settings.fps = model.fps, settings.frames = model.frames;
  settings.speed = std::clamp(std::exp(0.3 * rng.normal()), 0.5, 2.0);
  settings.amplitude = rng.uniform(0.65, 1.35);
  settings.style = rng.uniform(), settings.noise = 0.5 * rng.uniform();
  settings.in_place = rng.chance(0.1);
  Played played;
  ClipFacts& facts = played.facts;
  if (settings.action == zoo::Action::kTurn || rng.chance(kMannered)) draw_manner(creature, rng, settings, facts);
  if (settings.turning != 0) settings.in_place = false;
  facts.action = zoo::name(settings.action), facts.plan = creature.plan;
  facts.speed = settings.speed * std::pow(2.0, settings.haste), facts.amplitude = settings.amplitude;
  facts.in_place = settings.in_place;

  // Some loops close within the clip: their last tube is their first one again.
  const bool closes = zoo::is_cyclic(settings.action) && rng.chance(kClosed) && model.tubes() > 2;
  if (closes) settings.frames -= model.patch_frames;
  LIMBER_TRY(zoo::Performance performance, perform_slowly_enough(creature, settings));
  kinematics::Motion& motion = performance.motion;
  if (motion.loops) shift_loop(motion, static_cast<int>(rng.below(static_cast<std::uint32_t>(settings.frames))));
  if (motion.loops && closes) play_on(motion, model.frames);
  if (motion.frame_count() != model.frames) {
    return Error{"an action of another length", std::string(zoo::name(settings.action))};
  }
  played.motion = std::move(motion);
  return played;
}

Result<prior::SketchClip> draw_clip(Herd<Member>& herd, const prior::SketchModel& model, std::uint64_t seed,
                                    std::uint64_t index) {
  Rng rng(seed, index);
  // What one body cannot do another can: a training does not end for it.
  constexpr int kTries = 8;
  for (int i = 1;; ++i) {
    LIMBER_TRY(const Member* member, herd.draw(rng));
    Result<Played> played = play_something(member->creature, model, rng);
    if (!played.ok() && i < kTries) continue;
    if (!played.ok()) return std::move(played).error();
    return draw_sketch_clip(model, member->creature.subject.rig, member->gaussians, played->motion, played->facts, rng);
  }
}

}  // namespace

prior::ClipSource zoo_clips(const prior::SketchModel& model, const ClipSettings& settings) {
  const auto training = make_herd(settings.creatures, settings.seed, settings.any_body);
  const auto validation = make_herd(kValidationCreatures, settings.seed + kValidationSeeds, settings.any_body);
  return [=](std::uint64_t index) {
    Herd<Member>& herd = index >= prior::kValidationClips ? *validation : *training;
    return draw_clip(herd, model, settings.seed, index);
  };
}

}  // namespace limber::training
