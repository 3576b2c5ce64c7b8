// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "limber/parts/parts_trainer.h"
#include "limber/training/character.h"
#include "limber/training/left_out.h"
#include "limber/zoo/creature.h"

/// What the network of parts is taught with: pictures of the zoo's creatures and of artists' characters, from all sides
/// and in all lights, and which of their parts every pixel shows.
namespace limber::training {

struct PartExampleSettings {
  std::uint64_t seed = 0;
  int creatures = 3000;   ///< of the zoo; those for validation are others
  double any_body = 0.7;  ///< share of bodies of the grammar among them, the rest being of the eight plans
  double artists = 0.4;   ///< share of artists' characters, where there are any
  double orbit = 0.5;     ///< share of bodies that keep still and are seen from as many sides as there are pictures
  double still = 0.2;     ///< of the others: share of those that keep one pose in all frames
  LeaveOut leave_out;     ///< these make up a share of `artists` of the examples for validation
};

/// A creature in its coat in the middle of what it can do, or a character, which has no colours of its own here, in
/// those that chance gives it, in the middle of its clips; of the characters every skeleton family comes as often as
/// the others. Parts are those that move by themselves (`parts::find_moving_parts`). Creatures are made when they are
/// first needed and kept. `characters` may be null or empty. Give it to `parts::train_parts`.
parts::PartsSource part_examples(const std::shared_ptr<const std::vector<Character>>& characters,
                                 const parts::PartsModel& model, const PartExampleSettings& settings = {});

/// A body at rest and its true parts, to measure with.
struct KnownParts {
  std::string name;
  std::vector<Vec3> points;  ///< stands along +Y, faces +Z
  std::vector<parts::Triangle> triangles;
  std::vector<Vec3> colors;                ///< per point, as displays show them; may be empty
  std::vector<int> labels;                 ///< per triangle
  std::vector<std::vector<Vec3>> moments;  ///< its points in the middle of what it does, a few; may be empty
};
/// Creature number `number` of those that nothing is taught with, at so many moments of one of its actions.
Result<KnownParts> creature_with_parts(std::uint64_t number, double any_body = 1, int moments = 0);
/// The same creature as the zoo makes it.
Result<zoo::Creature> creature_to_measure(std::uint64_t number, double any_body = 1);

}  // namespace limber::training
