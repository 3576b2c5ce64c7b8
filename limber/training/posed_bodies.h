// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "limber/anatomy/reader_trainer.h"
#include "limber/anatomy/region.h"
#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/training/character.h"
#include "limber/training/left_out.h"
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
  std::vector<anatomy::ExampleLimb> limbs;
  std::vector<std::uint16_t> limb;  ///< per point: which of the limbs it is of
  std::vector<float> along;         ///< per point: how far along that limb, 0 to 1
  bool limbs_known = true;          ///< else the names of joints tell too little of parts and limbs to teach them
  bool kind_known = true;           ///< else nothing tells what kind of body it is
  anatomy::BodyKind kind = anatomy::BodyKind::kOther;

  /// Appends a point of another body, whose limbs are those from `first_limb` on here.
  void add_point(const PosedBody& from, std::size_t index, std::size_t first_limb = 0);
};

struct PosedBodySettings {
  std::uint64_t seed = 0;
  int creatures = 3000;  ///< of the zoo; those for validation are others
  int points = 2048;     ///< per body
  double artists = 0.5;  ///< share of artists' characters, where there are any
  /// Of creatures: share of the whole grammar's bodies; the others are of the named plans. Most of what people make
  /// looks like those.
  double any_body = 0.35;
  LeaveOut leave_out;  ///< where it names some, the bodies for validation are of those
};

/// Draws a body by number, which decides everything. Threads may share it.
using PosedBodySource = std::function<Result<PosedBody>(std::uint64_t index)>;

/// From this number on, bodies are creatures that no smaller number gives, or the characters that were left out.
inline constexpr std::uint64_t kValidationBodies = anatomy::kValidationExamples;

/// A creature or a character, in a pose of one of its clips, its joints turned at random and its proportions changed.
/// Creatures are made when they are first needed and kept. `characters` may be null or empty.
PosedBodySource posed_bodies(std::shared_ptr<const std::vector<Character>> characters,
                             const PosedBodySettings& settings = {});

/// The same for `anatomy::train_reader`.
anatomy::ExampleSource reader_examples(PosedBodySource bodies);

/// A creature as it stands.
PosedBody body_at_rest(const zoo::Creature& creature, int points, std::uint64_t seed = 0);

/// A character as it stands, and the points of its mesh there.
PosedBody body_at_rest(const Character& character, int points, std::uint64_t seed = 0);
std::vector<Vec3> mesh_at_rest(const Character& character);

/// What the joints of a rig are parts of, and what kind of body they make.
struct BodyParts {
  anatomy::BodyKind kind = anatomy::BodyKind::kOther;
  std::vector<anatomy::Region> regions;  ///< per joint
};
/// Of a creature, by its roles.
BodyParts creature_parts(const zoo::Creature& creature);
/// Of a character whose rig knows its roles. Artists count collar bones and twists to the limb, so that sections go by
/// names. The kind is that of the limbs, but what is called a fish, a snake or a bird is one where limbs do not
/// contradict: dinosaurs on four legs are quadrupeds. Where `believable` is false, it is what it is called.
BodyParts character_parts(const rig::Rig& rig, zoo::Plan called, bool believable = true);

}  // namespace limber::training
