// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "limber/anatomy/reader_trainer.h"
#include "limber/anatomy/region.h"
#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/training/character.h"
#include "limber/zoo/creature.h"

/// Labelled bodies in all kinds of poses, to teach what the parts of a body look like.
namespace limber::training {

/// The surface of a body and what it is made of; in any unit, +Y up, facing +Z.
struct PosedBody {
  std::vector<Vec3> points, normals;     ///< spread over the surface by area; normals point outward
  std::vector<anatomy::Region> regions;  ///< of the joint with the greatest weight there
  /// Where the joint is, as posed, that starts the region: shoulder, elbow and wrist; hip, knee and ankle; base of
  /// neck, head, tail, wing, fin and middle leg; for the trunk the hips,
  /// or without legs the joint in its middle.
  std::vector<Vec3> starts;
  anatomy::BodyKind kind = anatomy::BodyKind::kOther;
};

struct PosedBodySettings {
  std::uint64_t seed = 0;
  int creatures = 3000;  ///< of the zoo; those for validation are others
  int points = 2048;     ///< per body
  double artists = 0.4;  ///< share of artists' characters, where there are any
};

/// Draws a body by number, which decides everything. Threads may share it.
using PosedBodySource = std::function<Result<PosedBody>(std::uint64_t index)>;

/// From this number on, bodies are creatures that no smaller number gives.
inline constexpr std::uint64_t kValidationBodies = anatomy::kValidationExamples;

/// A creature or a character, in a pose of one of its clips, its joints turned at random and its proportions changed.
/// Creatures are made when they are first needed and kept. `characters` may be null or empty.
PosedBodySource posed_bodies(std::shared_ptr<const std::vector<Character>> characters,
                             const PosedBodySettings& settings = {});

/// The same for `anatomy::train_reader`.
anatomy::ExampleSource reader_examples(PosedBodySource bodies);

/// A creature as it stands.
PosedBody body_at_rest(const zoo::Creature& creature, int points, std::uint64_t seed = 0);

/// What the joints of a rig are parts of, and what kind of body they make: dinosaurs on four legs are quadrupeds.
struct BodyParts {
  anatomy::BodyKind kind = anatomy::BodyKind::kOther;
  std::vector<anatomy::Region> regions;  ///< per joint
};
BodyParts body_parts(const rig::Rig& rig, std::optional<zoo::Plan> plan);

}  // namespace limber::training
