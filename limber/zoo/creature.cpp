// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/creature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "limber/zoo/body_plan.h"
#include "limber/zoo/coat.h"
#include "limber/zoo/implicit_surface.h"
#include "limber/zoo/polygonise.h"
#include "limber/zoo/skin.h"

namespace limber::zoo {
namespace {

constexpr std::array<std::string_view, kPlanCount> kPlanNames = {"biped",   "quadruped", "bird",  "hexapod",
                                                                 "octopod", "fish",      "snake", "theropod"};

BodyPlan draw_plan(const CreatureSettings& settings) {
  if (settings.body) return plan_body(*settings.body, Rng(settings.seed, 0xb0d2), settings.look);
  const Plan plan = settings.plan;
  const Rng rng(settings.seed, static_cast<std::uint64_t>(plan));
  switch (plan) {
    case Plan::kBiped:
      return plan_biped(rng);
    case Plan::kQuadruped:
      return plan_quadruped(rng);
    case Plan::kBird:
      return plan_bird(rng);
    case Plan::kHexapod:
      return plan_hexapod(rng);
    case Plan::kOctopod:
      return plan_octopod(rng);
    case Plan::kFish:
      return plan_fish(rng);
    case Plan::kSnake:
      return plan_snake(rng);
    case Plan::kTheropod:
      return plan_theropod(rng);
  }
  return plan_quadruped(rng);
}

/// Plates at an angle keep their outline and get thicker: half a plate is at least a cell thick.
void thicken(RoundCone& plate, double scale, Vec3d cell) {
  const double size = std::max({cell.x, cell.y, cell.z});
  plate.radius_a = std::max(scale * plate.radius_a, 1.5 * size);
  plate.radius_b = std::max(scale * plate.radius_b, 1.5 * size);
  const double least = norm(scaled(rotate(plate.turn, Vec3d{0, 1, 0}), cell));
  plate.squash.y = std::max(plate.squash.y, std::min(1.0, least / std::min(plate.radius_a, plate.radius_b)));
}

/// Scales the plan so that its longest side is one, centres it over the origin, and gives thin parts the thickness that
/// the cells can show.
void fit_to_grid(BodyPlan& plan, int resolution) {
  const ImplicitSurface rough(plan.cones, plan.limbs, plan.flat_ground);
  const Vec3d extent = rough.upper() - rough.lower();
  const double scale = 1 / std::max({extent.x, extent.y, extent.z});
  const Vec3d shift{0, 0, -0.5 * (rough.lower().z + rough.upper().z)};
  // What hangs into the ground is bent up, or its joints would lie outside of the flesh that is cut off there.
  const double lowest = plan.flat_ground ? 0.5 / resolution : -1e9;
  const auto place = [&](Vec3d& p) {
    p = scale * (p + shift);
    if (p.y < 0) p.y = std::max(p.y, lowest);
  };
  for (PlanJoint& joint : plan.joints) place(joint.position);
  for (PlanLeg& leg : plan.legs) place(leg.sole);
  for (Spot& spot : plan.spots) {
    place(spot.centre);
    spot.radius = std::max(scale * spot.radius, 1.3 / resolution);
  }
  for (Limb& limb : plan.limbs) {
    place(limb.attach);
    limb.blend *= scale, limb.reach *= scale;
    limb.crease = plan.crease / resolution;
    limb.melt = std::max(scale * limb.melt, limb.crease);
  }
  for (RoundCone& cone : plan.cones) {
    place(cone.a), place(cone.b);
    if (!(cone.turn == Quatd{})) {
      thicken(cone, scale, plan.cell_aspect / static_cast<double>(resolution));
      continue;
    }
    double thinnest = 1e9;
    for (int k = 0; k < 3; ++k) thinnest = std::min(thinnest, cone.squash[k] / plan.cell_aspect[k]);
    const double least = 1.0 / (thinnest * resolution);
    cone.radius_a = std::max(scale * cone.radius_a, least);
    cone.radius_b = std::max(scale * cone.radius_b, least);
  }
}

Result<rig::Rig> build_skeleton(const BodyPlan& plan) {
  rig::RigDraft draft;
  draft.limbs = plan.anatomy;
  for (const PlanJoint& joint : plan.joints) {
    rig::Joint made;
    made.name = joint.name;
    made.parent = joint.parent;
    made.rest.translation = (joint.position - (joint.parent < 0 ? Vec3d{} : plan.at(joint.parent))).cast<float>();
    made.axes = joint.axes.cast<float>();
    made.limits = {joint.lower.cast<float>(), joint.upper.cast<float>()};
    made.role = joint.role;
    draft.joints.push_back(std::move(made));
  }
  return rig::build_rig(std::move(draft));
}

std::vector<Vec3> to_float(const std::vector<Vec3d>& values) {
  std::vector<Vec3> result;
  result.reserve(values.size());
  for (const Vec3d& v : values) result.push_back(v.cast<float>());
  return result;
}

/// Everything that counts joints in the rig's order, which may differ from the plan's.
void add_skeleton_data(const BodyPlan& plan, const ImplicitSurface& surface, const PolygonMesh& mesh,
                       Creature& creature) {
  const rig::Rig& rig = creature.subject.rig;
  std::vector<int> rig_index;
  for (const PlanJoint& joint : plan.joints) rig_index.push_back(rig.find(joint.name));
  const auto in_rig = [&](int joint) { return rig_index[static_cast<std::size_t>(joint)]; };

  creature.subject.weights = skin_weights(plan, surface, mesh);
  for (std::uint16_t& bone : creature.subject.weights.bones) bone = static_cast<std::uint16_t>(in_rig(bone));
  creature.face_labels = face_labels(creature.subject.weights, mesh.triangles);

  const std::vector<double> girth = girths(plan, surface);
  creature.girths.resize(girth.size());
  for (std::size_t j = 0; j < girth.size(); ++j) {
    creature.girths[static_cast<std::size_t>(rig_index[j])] = static_cast<float>(girth[j]);
  }
  for (const PlanLeg& leg : plan.legs) {
    Leg made;
    made.name = leg.name, made.kind = leg.kind, made.left = leg.left, made.pair = leg.pair;
    for (const int joint : leg.joints) made.joints.push_back(in_rig(joint));
    made.tip = (leg.sole - plan.at(leg.joints.back())).cast<float>();
    creature.legs.push_back(std::move(made));
  }
}

}  // namespace

std::string_view name(Plan plan) { return kPlanNames[static_cast<std::size_t>(plan)]; }

std::optional<Plan> plan_from_name(std::string_view name) {
  const auto found = std::find(kPlanNames.begin(), kPlanNames.end(), name);
  if (found == kPlanNames.end()) return std::nullopt;
  return static_cast<Plan>(found - kPlanNames.begin());
}

BodySpec recipe(Plan plan) {
  static constexpr std::array<std::string_view, kPlanCount> kRecipes = {
      "body:4/upright,legs:1/plantigrade,arms:1,neck:short,mouth:plain",
      "body:4,legs:2/digitigrade/paw,ears:pointed,tail:1",
      "body:3,legs:1/claw,wings:1/feathered/spread,mouth:beak,tail:1/bushy",
      "body:3,legs:3/insect,neck:none,antennae",
      "body:3,legs:4/insect,neck:none",
      "body:6/narrow,flippers:1,dorsal,tailfin:upright,neck:none",
      "body:20/serpentine,neck:none",
      "body:3/level,legs:1/digitigrade/claw,arms:1,tail:1/thick/long"};
  return parse_body(kRecipes[static_cast<std::size_t>(plan)]).value();
}

Result<Creature> make_creature(const CreatureSettings& settings) {
  if (settings.resolution < 24 || settings.resolution > 256) {
    return Error{fmt::format("resolution {} is not between 24 and 256", settings.resolution), "zoo"};
  }
  BodyPlan plan = draw_plan(settings);
  fit_to_grid(plan, settings.resolution);
  const ImplicitSurface surface(plan.cones, plan.limbs, plan.flat_ground);
  const PolygonMesh mesh = polygonise(surface, plan.cell_aspect / static_cast<double>(settings.resolution), plan.loose);
  LIMBER_TRY(rig::Rig rig, build_skeleton(plan));

  const BodySpec spec = settings.body ? *settings.body : recipe(settings.plan);
  Creature creature{settings.body ? std::nullopt : std::optional(settings.plan),
                    to_text(spec),
                    settings.seed,
                    fmt::format("{}-{}", settings.body ? "creature" : name(settings.plan), settings.seed),
                    rig::Subject{std::move(rig), {}, {}, {}, {}, {}, 1, {}, {}, {{0, 1, 0}, {0, 0, 1}, 1, "made so"}},
                    {},
                    {},
                    {},
                    {},
                    {0, 0, 1}};
  rig::Subject& subject = creature.subject;
  subject.points = to_float(mesh.points);
  subject.normals = to_float(mesh.normals);
  subject.triangles = mesh.triangles;
  subject.ranges = {{0, 0, 0, 0, subject.points.size()}};
  asset::Primitive& surface_out = creature.surface;
  surface_out.material = 0;
  surface_out.positions = subject.points;
  surface_out.normals = subject.normals;
  for (const auto& triangle : mesh.triangles) {
    surface_out.indices.insert(surface_out.indices.end(), triangle.begin(), triangle.end());
  }
  surface_out.texcoords = {side_view_texcoords(mesh)};
  surface_out.colors = {coat_colors(plan, mesh, settings.seed)};
  add_skeleton_data(plan, surface, mesh, creature);
  return creature;
}

asset::Asset static_asset(const Creature& creature) {
  asset::Asset asset;
  asset.name = creature.name;
  asset.scenes = {{"scene", {0}}};
  asset.scene = 0;
  asset::Material material;
  material.name = "coat";
  material.metallic = 0, material.roughness = 0.8f;
  asset.materials.push_back(std::move(material));
  asset.meshes.push_back({creature.name, {creature.surface}, {}});
  asset::Node node;
  node.name = creature.name;
  node.mesh = 0;
  node.extras = R"({"face_labels":[)";
  for (std::size_t k = 0; k < creature.face_labels.size(); ++k) {
    if (k) node.extras += ',';
    node.extras += std::to_string(creature.face_labels[k]);
  }
  node.extras += R"(],"part_names":[)";
  for (const rig::Joint& joint : creature.subject.rig.joints()) {
    node.extras += (joint.parent < 0 ? "\"" : ",\"") + joint.name + "\"";
  }
  node.extras += "]}";
  asset.nodes.push_back(std::move(node));
  return asset;
}

}  // namespace limber::zoo
