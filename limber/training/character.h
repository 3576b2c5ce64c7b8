// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"
#include "limber/rig/subject.h"
#include "limber/splat/gaussians.h"
#include "limber/training/clip_names.h"

/// Artists' characters as training needs them: without their files, with everything that their clips show.
namespace limber::training {

struct CharacterClip {
  std::string name;  ///< the artist's
  ClipMeaning meaning;
  kinematics::Motion motion;  ///< as the artist made it; `loops` where it can go on from its end
  Vec3 ground_velocity;       ///< to be added, heights per second: what a treadmill took away
  int cycles = 1;             ///< how often the movement repeats itself within the clip
  double seconds() const { return motion.frame_count() / motion.fps; }
};

/// A skinned surface, as small as it can be: vertices that only differ in what paints them are one.
struct CharacterMesh {
  std::vector<Vec3> points;  ///< bind space
  std::vector<std::array<std::uint32_t, 3>> triangles;
  rig::SkinWeights weights;  ///< at most four bones a point, in steps of 1 / 255
};

/// Faces +Z with +Y up, height one, standing on y = 0.
struct Character {
  std::string name;  ///< of the file
  BodyMeaning body;
  rig::Rig rig;
  std::vector<splat::Gaussians> surfaces;  ///< painted by parts, as `part_gaussians` makes them; alike but for chance
  std::vector<CharacterClip> clips;        ///< those that mean something; where none does, a few that only show poses
  CharacterMesh mesh;                      ///< what the surfaces are samples of
};

struct CharacterSettings {
  int surfaces = 2;        ///< how often the surface is sampled
  double fps = 24;         ///< clips are sampled at about this rate, so that each is a whole number of frames
  double max_seconds = 8;  ///< of a clip; what is longer is cut
  /// Which way characters face, by something in their names; where nobody says, the names of left and right joints
  /// tell, or else where the feet of the clips walk.
  std::map<std::string, Vec3> fronts;
};

/// Takes from an asset what its clips show. `path` tells what it is (`body_meaning`). It is turned by quarters so that
/// it faces +Z. Fails where nothing moves.
Result<Character> make_character(const asset::Asset& asset, std::string_view path,
                                 const CharacterSettings& settings = {});

/// The surface of a subject without what no training needs.
CharacterMesh character_mesh(const rig::Subject& subject);

/// Samples a character's mesh so many times; each is the same for the same mesh. Empty where it has no area.
std::vector<splat::Gaussians> sample_surfaces(const rig::Rig& rig, const CharacterMesh& mesh, int count);

/// How fast the ground would have to pass below a body for its lowest points not to slip, negated: the velocity that a
/// body treading in place should have, heights per second; zero where nothing touches the ground long enough.
Vec3 treadmill_velocity(const rig::Rig& rig, const splat::Gaussians& surface, const kinematics::Motion& motion);

/// Height of the lowest points over all frames; the very few lowest are left out.
float lowest_height(const rig::Rig& rig, const splat::Gaussians& surface, const kinematics::Motion& motion);

/// How often a looping motion repeats itself from frame to frame, 1 to 4.
int count_cycles(const kinematics::Motion& motion);

}  // namespace limber::training
