// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/rig/subject.h"
#include "limber/zoo/body_spec.h"

/// Procedural creatures with ground truth: mesh, skeleton, weights, part labels. Deterministic by seed.
namespace limber::zoo {

enum class Plan : std::uint8_t { kBiped, kQuadruped, kBird, kHexapod, kOctopod, kFish, kSnake, kTheropod };
inline constexpr int kPlanCount = 8;
std::string_view name(Plan plan);  ///< "quadruped"
std::optional<Plan> plan_from_name(std::string_view name);
BodySpec recipe(Plan plan);  ///< the plan in words: the body of the grammar that its creatures come nearest to

/// What a pattern is made of.
enum class CoatPattern : std::uint8_t { kPlain, kSpots, kStripes, kPatches, kSaddle };

/// Colours and proportions that somebody wants, over what a seed draws.
struct Look {
  struct Colors {
    Vec3d back, belly, accent;  ///< linear RGB; of spots, stripes and socks the accent
    CoatPattern pattern = CoatPattern::kPlain;
  };
  std::optional<Colors> colors;
  double length = 1, girth = 1, head = 1;  ///< of trunk and head, times what is drawn
};

struct CreatureSettings {
  Plan plan = Plan::kQuadruped;
  std::uint64_t seed = 0;  ///< draws all proportions; same plan, seed and resolution give the same bits
  int resolution = 60;     ///< cells of the polygonised field along the longest side, 24 to 256; thin parts are at
                           ///< least two cells thick, so a coarse creature is a little plumper
  std::optional<BodySpec> body = {};  ///< any body of the grammar; wins over `plan`
  Look look = {};                     ///< of a body of the grammar
};

/// How a leg folds between its hip and its foot.
enum class LegKind : std::uint8_t {
  kPlantigrade,  ///< hip, knee, ankle, toe: the whole foot on the ground (biped)
  kDigitigrade,  ///< hip, knee, ankle, toe: knee forward, ankle back and off the ground (hind legs, birds)
  kForeleg,      ///< shoulder, elbow, wrist, paw: elbow back
  kPoint,        ///< hip, knee, ankle: knee up, ends in a point (insects, spiders)
  kSprawling,    ///< hip, knee, ankle, toe: knee out and up, foot flat (lizards, turtles)
  kChain         ///< any other number of joints, 2 to 5: bends in the upright plane that it stands in, ends in a point
};

/// A leg from its joints' indices, root to tip, for gaits and their checks.
struct Leg {
  std::string name;  ///< "foreleg.L"
  LegKind kind = LegKind::kDigitigrade;
  std::vector<int> joints;  ///< hip, knee ... foot; the last one's `tip` touches the ground
  Vec3 tip;                 ///< sole: the ground contact, in the last joint's rest frame
  bool left = true;
  int pair = 0;  ///< 0: foremost pair
};

/// A creature at rest: faces +Z, +Y is up, stands on y = 0 (fish hover above it), the longest side is one.
struct Creature {
  std::optional<Plan> plan;  ///< unset for bodies of the grammar
  std::string body;          ///< in words, as `parse_body` reads them; of the plan's recipe where there is a plan
  std::uint64_t seed = 0;
  std::string name;              ///< "quadruped-7", "creature-7"
  rig::Subject subject;          ///< one bone per joint, bound at rest; joints named hip.L, knee.L, spine.1 ...
  asset::Primitive surface;      ///< the same points in the same order, with normals, UVs and vertex colours
  std::vector<int> face_labels;  ///< per triangle, the joint (= bone) whose part it belongs to
  std::vector<Leg> legs;
  std::vector<float> girths;  ///< per joint: radius of the flesh around it
  Vec3 forward{0, 0, 1};
};

Result<Creature> make_creature(const CreatureSettings& settings);

/// The creature as a static asset: one mesh node with material, UVs and vertex colours, face labels in the node's
/// extras, no skin. `subject.ranges` fit it, so `exporter::add_rig` gives it the skeleton.
asset::Asset static_asset(const Creature& creature);

}  // namespace limber::zoo
