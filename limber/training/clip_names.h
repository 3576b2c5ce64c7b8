// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "limber/training/captions.h"

/// What artists' names of clips and files mean.
namespace limber::training {

struct ClipMeaning {
  std::vector<std::string> actions;  ///< that are taught, any of which says it; empty: not fit for teaching
  Heading heading = Heading::kForward;
  bool fast = false;     ///< faster than the action usually is: a sprint
  bool slow = false;     ///< slower
  bool once = false;     ///< done once rather than over and over
  bool travels = false;  ///< feet carry the body along: a walk without way was made on a treadmill
};

/// "AnimalArmature|Attack_Headbutt" -> attack or headbutt. Names that mix two actions, parts of actions (the landing of
/// a jump) and poses mean nothing. `plan` decides what the word for going means: snakes slither.
ClipMeaning clip_meaning(std::string_view clip_name, zoo::Plan plan);

/// What a word of an index of recordings means: "walk_backward" is a walk with a heading, "walk_slow" a slow one.
/// Actions that nobody is taught mean nothing.
ClipMeaning recording_meaning(std::string_view word);

/// What a file's folder and name say about the body: "corpus/animals/horse_white.glb" -> quadruped, "horse". Words of
/// packs ("cube_cat.glb") are no nouns, and of "cat_walk/scene.gltf" the folder is the name.
struct BodyMeaning {
  zoo::Plan plan = zoo::Plan::kQuadruped;
  std::string noun;
};
BodyMeaning body_meaning(std::string_view path);

/// Lower-case words of a name: "Run_swordAttack" -> run, sword, attack.
std::vector<std::string> name_words(std::string_view name);

}  // namespace limber::training
