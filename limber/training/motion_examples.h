// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "limber/motion_space/motion_trainer.h"
#include "limber/training/character_file.h"
#include "limber/training/left_out.h"

/// What the motion space is taught with: what the zoo's creatures do, artists' characters, and people, whose recordings
/// are retargeted to every character that moves like people.
namespace limber::training {

struct MotionExampleSettings {
  std::uint64_t seed = 0;
  int creatures = 4000;   ///< of the zoo; those for validation are others
  double any_body = 0.5;  ///< share of bodies of the grammar among them, the rest being of the eight plans
  double artists = 0.55;  ///< share of artists' clips, where there are characters
  double people = 0.15;   ///< share of recordings, where there are some
  LeaveOut leave_out;     ///< where anybody is left out, these are all that is validated on
};

/// What there is to teach with, and what was not used.
struct MotionCounts {
  int characters = 0, families = 0, clips = 0, recordings = 0;
  int nameless = 0;     ///< clips whose names mean no action
  int broken = 0;       ///< clips that burst, stand still or are too short
  int without_way = 0;  ///< clips of bodies that go somewhere, made in place, whose speed nothing tells
};

struct MotionTeachers {
  motion_space::MotionSource source;
  MotionCounts counts;
};

/// The actions of the catalogue, in its order: what models of motions know.
std::vector<std::string> motion_actions();

/// Draws from a baked set; families of skeletons come by the square root of their members, actions of a body alike.
/// Proportions, rest poses and sides are changed by the lesson, joints are left out here.
MotionTeachers motion_examples(const TrainingSet& set, const MotionExampleSettings& settings = {});

}  // namespace limber::training
