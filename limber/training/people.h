// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"
#include "limber/training/character.h"

/// What people have recorded: motion capture, as training needs it.
namespace limber::training {

struct Recording {
  std::string name;    ///< of the file
  std::string action;  ///< the index's word: "walk_backward"
  kinematics::Motion motion;
};

/// Somebody who was recorded. Height one, standing on y = 0 at rest, facing +Z with +Y up.
struct Person {
  int subject = 0;  ///< the database's number, 0 where there is none
  rig::Rig rig;
  std::vector<Recording> recordings;
};

struct RecordingSettings {
  double fps = 15;
  double max_seconds = 8;
};

/// A recorded skeleton and what it does. The clip's first frame is the pose at rest (a T-pose, as collections add it)
/// and not part of the motion. The motion starts over the origin, facing +Z; its lowest joints are as high as at rest.
/// Fails where there is no clip of at least two frames or the skeleton does not move like people.
Result<Person> make_person(const asset::Asset& asset, std::string_view name, std::string_view action, int subject,
                           const RecordingSettings& settings = {});

/// Adds a recording to the person with the same number and skeleton, or the person to the list.
void add_person(std::vector<Person>& people, Person person);

/// The subject's number in "cmu_16_01.bvh" or "16_01.bvh", 0 where there is none.
int subject_in_name(std::string_view file_name);

/// Gives every character that moves like people clips of theirs, retargeted: `clips_each` of them, drawn so that every
/// action comes as often as the others, by the place of the character in the list and the seed.
void lend_recordings(std::vector<Character>& characters, const std::vector<Person>& people, int clips_each,
                     std::uint64_t seed = 0);

}  // namespace limber::training
