// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/zoo/creature.h"

/// Where the joints of a creature are in its body, read from their roles: any number of anything.
namespace limber::zoo {

/// The joints of one limb, from where it leaves the body to its tip.
struct Chain {
  std::vector<int> joints;
  int side = 0;        ///< 1 left, -1 right, 0 in the middle
  double station = 0;  ///< along the limb that it leaves: 0 at its start, 1 at its end
  bool holds = false;  ///< something: a sword, a shield
};

struct BodyMap {
  int root = 0;
  int chest = -1;          ///< the last joint of the spine
  int head = -1;           ///< the first head: the one that eats
  std::vector<int> spine;  ///< from the root's child to the chest
  std::vector<int> heads;
  std::vector<Chain> necks, jaws, feelers;
  std::vector<Chain> tails;                         ///< without any, a part of the trunk that trails behind
  std::vector<Chain> arms, wings, fins, tentacles;  ///< `fins` are those that row: paired, and not the tail's
  std::vector<Chain> trains;                        ///< what is worn or trails and reaches the ground at rest
  int leg_pairs = 0;

  bool upright = false;     ///< the chest is above the hips rather than before them
  bool crawls = false;      ///< on legs that stand sideways: insects, spiders, lizards, tentacles
  bool floats = false;      ///< no leg, and either at home off the ground or rowing with fins
  bool aground = false;     ///< floats, but stands on the ground at rest: turtles with flippers
  bool flukes = false;      ///< the tail's fin is flat: it beats up and down
  bool serpentine = false;  ///< no leg, and a long body that lies on the ground
  bool fixed = false;       ///< its feet stand on a thing that goes with it: a pedestal
  bool rooted = false;      ///< no leg, and stands on its own base: sacks, plants, slimes
};

BodyMap read_body(const Creature& creature);

}  // namespace limber::zoo
