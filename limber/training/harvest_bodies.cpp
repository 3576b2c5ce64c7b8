// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/harvest_bodies.h"

#include <algorithm>

#include "limber/base/rng.h"
#include "limber/training/skeleton_family.h"
#include "limber/zoo/action.h"

namespace limber::training {
namespace {

/// Creatures of trainings have seeds from 0 on, those of their validations from 2^30.
constexpr std::uint64_t kHarvestSeeds = std::uint64_t{1} << 28;
constexpr int kResolution = 36;

template <class T>
const T& pick(const std::vector<T>& list, Rng& rng) {
  return list[rng.below(static_cast<std::uint32_t>(list.size()))];
}

/// A body, and taught actions that it is known to do.
struct Known {
  HarvestBody body;
  std::vector<std::string> actions;
};

Result<Known> draw_creature(const HarvestPlan& plan, std::uint64_t number, Rng& rng) {
  zoo::CreatureSettings settings;
  settings.seed = kHarvestSeeds + plan.seed + number, settings.resolution = kResolution;
  settings.plan = static_cast<zoo::Plan>(rng.below(zoo::kPlanCount));
  if (rng.chance(plan.any_body)) settings.body = zoo::random_body(settings.seed);
  LIMBER_TRY(zoo::Creature creature, zoo::make_creature(settings));
  CharacterMesh mesh = character_mesh(creature.subject);
  std::vector<splat::Gaussians> surfaces = sample_surfaces(creature.subject.rig, mesh, 1);
  Known known{{{"zoo/" + creature.name,
                {creature.plan.value_or(zoo::Plan::kQuadruped), ""},
                creature.subject.rig,
                std::move(surfaces),
                {},
                std::move(mesh)},
               creature.subject,
               {}},
              {}};
  for (const zoo::Action action : zoo::actions(creature)) known.actions.emplace_back(zoo::name(action));
  return known;
}

Known copy_character(const Character& from) {
  const CharacterMesh& mesh = from.mesh;
  Known known{{from, {from.rig, mesh.points, {}, mesh.triangles, mesh.weights, {}, 1, {}, {}, {}}, {}}, {}};
  known.body.character.clips.clear();
  for (const CharacterClip& clip : from.clips)
    known.actions.insert(known.actions.end(), clip.meaning.actions.begin(), clip.meaning.actions.end());
  std::sort(known.actions.begin(), known.actions.end());
  known.actions.erase(std::unique(known.actions.begin(), known.actions.end()), known.actions.end());
  return known;
}

const Character& draw_character(const std::vector<Character>& characters, Rng& rng) {
  std::vector<std::string> families;
  for (const Character& character : characters) families.push_back(skeleton_family(character.rig));
  return characters[pick(pick(group_by_family(families), rng), rng)];
}

}  // namespace

Result<HarvestBody> harvest_body(const std::shared_ptr<const std::vector<Character>>& characters,
                                 const HarvestPlan& plan, std::uint64_t number) {
  Rng rng(plan.seed ^ 0x68617276657374ull, number);
  const bool artists = characters && !characters->empty() && rng.chance(plan.characters);
  Result<Known> known = artists ? copy_character(draw_character(*characters, rng)) : draw_creature(plan, number, rng);
  if (!known.ok()) return known.error();
  HarvestBody body = std::move(known->body);
  if (known->actions.empty()) known->actions = {"walk"};
  for (int i = 0; i < plan.samples_each; ++i) {
    ClipFacts facts;
    facts.action = pick(known->actions, rng);
    facts.plan = body.character.body.plan, facts.noun = body.character.body.noun;
    HarvestBody::Wish wish{facts.action, caption(facts, rng), 0};
    wish.seed = rng.next_u32();
    body.wishes.push_back(std::move(wish));
  }
  return body;
}

}  // namespace limber::training
