// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/base/rng.h"
#include "limber/zoo/body_plan.h"
#include "limber/zoo/body_spec.h"
#include "limber/zoo/limbs.h"

/// From a body in words to a plan: the trunk first, then every family of limbs finds its place along it.
namespace limber::zoo {

/// A place along the trunk.
struct Station {
  int joint = 0;
  Vec3d centre, along, dorsal;  ///< `along` towards the head, `dorsal` towards the back
  double radius = 0;            ///< towards the back and the belly
  double half_width = 0;        ///< towards the sides
  float at = 0;                 ///< 0 at the hips, 1 at the shoulders
};

/// A body under construction. Lengths are in units of the trunk of a four-legged body, about.
struct GrammarBody {
  GrammarBody(const BodySpec& words, Rng draws) : spec(words), rng(draws) {}

  const BodySpec& spec;
  Rng rng;
  BodyPlan plan;

  // Proportions, drawn once and used by many.
  double girth = 0.2;  ///< radius of the trunk at its thickest
  double length = 1;   ///< of the level part of the trunk
  double rise = 0;     ///< of the upright part
  double ride = 0.7;   ///< height of the hips
  double head_size = 0.14;
  bool hovers = false;  ///< swims or floats: nothing stands on the ground
  bool thorax = false;  ///< an insect's: all limbs leave the root, an abdomen hangs behind it

  // The trunk as built.
  std::vector<int> joints;    ///< from the hips to the shoulders
  std::vector<Vec3d> points;  ///< of the joints, and the end
  std::vector<double> radii;  ///< at the points
  Vec3d squash{1, 1, 1};
  double level_end = 1;   ///< where the level part ends
  int tail_joint = 0;     ///< what tails hang on,
  Vec3d tail_base;        ///< where,
  double tail_girth = 0;  ///< and how thick the body is there
  std::vector<BuiltHead> heads;
  std::vector<BuiltArm> arms;  ///< left, right, left ...

  Station at(double along) const;
  bool upright() const { return spec.carriage == Carriage::kUpright; }
};

void draw_proportions(GrammarBody& body);
void build_trunk(GrammarBody& body);
void build_heads(GrammarBody& body);
void build_legs(GrammarBody& body);
void build_arms(GrammarBody& body);
void build_wings(GrammarBody& body);
void build_fins(GrammarBody& body);
void build_tails(GrammarBody& body);
void build_tentacles(GrammarBody& body);
void build_props(GrammarBody& body);

}  // namespace limber::zoo
