// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/posed_bodies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "limber/anatomy/find_roles.h"
#include "limber/anatomy/role_regions.h"
#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/kinematics/motion.h"
#include "limber/training/body_variation.h"
#include "limber/training/herd.h"
#include "limber/training/posed_rig.h"
#include "limber/training/skeleton_family.h"
#include "limber/training/taught_limbs.h"
#include "limber/zoo/action.h"

namespace limber::training {
namespace {

constexpr std::uint64_t kValidationSeeds = 1u << 30;
constexpr int kValidationCreatures = 512;
constexpr int kResolution = 36;
/// Actions per creature, and frames of each: playing one anew for every draw would cost more than all the rest.
constexpr int kActions = 4, kFrames = 10;
constexpr double kAtRest = 0.15;
constexpr double kHoled = 0.25, kTwoFigures = 0.015;

template <std::size_t Count>
std::size_t draw_share(const std::array<double, Count>& shares, Rng& rng) {
  double where = rng.uniform(0, std::accumulate(shares.begin(), shares.end(), 0.0));
  std::size_t last = 0;
  for (std::size_t i = 0; i < Count; ++i) {
    if (shares[i] > 0) last = i;
    where -= shares[i];
    if (where < 0) return i;
  }
  return last;  // rounding
}

anatomy::BodyKind kind_of_plan(zoo::Plan plan) {
  static constexpr std::array<anatomy::BodyKind, zoo::kPlanCount> kKinds{
      anatomy::BodyKind::kHumanoid, anatomy::BodyKind::kQuadruped, anatomy::BodyKind::kBird,
      anatomy::BodyKind::kHexapod,  anatomy::BodyKind::kOctopod,   anatomy::BodyKind::kFish,
      anatomy::BodyKind::kSnake,    anatomy::BodyKind::kTheropod};
  return kKinds[static_cast<std::size_t>(plan)];
}

/// A pose of some motion in which the body is upright, changed at random.
PosedRig draw_pose(const PosableRig& body, std::span<const kinematics::Motion> motions, Rng& rng) {
  std::optional<PosedRig> posed;
  const BodyChange change = draw_change(body, rng);
  for (int attempt = 0; attempt < 6 && !posed && !motions.empty(); ++attempt) {
    if (rng.chance(kAtRest)) break;
    const kinematics::Motion& motion = motions[rng.below(static_cast<std::uint32_t>(motions.size()))];
    posed =
        pose_rig(body, &motion, static_cast<int>(rng.below(static_cast<std::uint32_t>(motion.frame_count()))), change);
  }
  if (!posed) posed = pose_rig(body, nullptr, 0, change);
  return posed ? *std::move(posed) : rest_rig(body);
}

/// Every point the other way round: left becomes right.
void mirror(PosedBody& body) {
  for (std::vector<Vec3>* list : {&body.points, &body.normals, &body.starts}) {
    for (Vec3& v : *list) v.x = -v.x;
  }
  for (anatomy::Region& region : body.regions) region = anatomy::mirrored(region);
  for (anatomy::ExampleLimb& limb : body.limbs)
    limb.side = rig::mirrored(limb.side), limb.root.x = -limb.root.x, limb.tip.x = -limb.tip.x;
}

/// A rig with its limbs, ready to be sampled in any pose.
struct Model {
  PosableRig body;
  TaughtLimbs limbs;
  bool limbs_known = true, kind_known = true;

  Model(rig::Rig rig, BodyParts parts) : body(std::move(rig), std::move(parts)), limbs(body) {}
};

/// Everything but the points.
struct Canvas {
  PosedBody body;
  std::vector<std::vector<Vec3>> lines;
  const Model& model;
  const PosedRig& posed;

  Canvas(const Model& from, const PosedRig& pose) : lines(from.limbs.lines(pose)), model(from), posed(pose) {
    body.kind = pose.kind, body.limbs_known = from.limbs_known, body.kind_known = from.kind_known;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const TaughtLimb& limb = model.limbs.limbs()[i];
      body.limbs.push_back({limb.kind, limb.side, lines[i].front(), lines[i].back()});
    }
  }

  void add(Vec3 point, Vec3 normal, int joint) {
    const int limb = model.limbs.limb_of(joint);
    body.points.push_back(point), body.normals.push_back(normal);
    body.regions.push_back(model.body.parts.regions[at(joint)]);
    body.starts.push_back(posed.starts[at(joint)]);
    body.limb.push_back(static_cast<std::uint16_t>(limb));
    body.along.push_back(along_line(lines[at(limb)], point));
  }
};

// --- creatures
// --------------------------------------------------------------------------------------------------------

/// Where a head starts on its neck.
struct Skull {
  int neck = -1, head = -1;  ///< a limb, and the first joint of another
  Vec3 place, direction;     ///< of that joint at rest, and the neck's there
};

/// What is kept of a creature.
struct Member {
  Model model;
  std::vector<Vec3> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  rig::SkinWeights weights;
  std::vector<kinematics::Motion> motions;
  std::vector<Skull> skulls;

  /// The back of a creature's head moves with its neck, but is head all the same.
  int settled(int joint, Vec3 at_rest) const {
    const int limb = model.limbs.limb_of(joint);
    for (const Skull& skull : skulls) {
      if (skull.neck == limb && dot(at_rest - skull.place, skull.direction) > 0) return skull.head;
    }
    return joint;
  }
};

std::vector<Skull> find_skulls(const Model& model) {
  std::vector<Skull> skulls;
  const std::span<const Affine> rest = model.body.rig.world_from_rest();
  for (const TaughtLimb& limb : model.limbs.limbs()) {
    const int parent = limb.chain.empty() ? -1 : model.body.carriers[at(limb.chain[0])];
    if (limb.kind != rig::LimbKind::kHead || parent < 0) continue;
    const int neck = model.limbs.limb_of(parent);
    if (model.limbs.limbs()[at(neck)].kind != rig::LimbKind::kNeck) continue;
    const Vec3 place = rest[at(limb.chain[0])].translation;
    skulls.push_back({neck, limb.chain[0], place, normalized(place - rest[at(parent)].translation)});
  }
  return skulls;
}

/// The joint with the greatest weight at a point of a triangle.
int strongest_joint(const Member& member, const std::array<std::uint32_t, 3>& triangle, Vec3 barycentric) {
  std::array<std::pair<int, float>, 3 * rig::kMaxInfluences> sums;
  std::size_t count = 0;
  const auto stride = at(member.weights.stride);
  for (std::size_t corner = 0; corner < 3; ++corner) {
    for (std::size_t k = triangle[corner] * stride; k < (triangle[corner] + 1) * stride; ++k) {
      const float weight = barycentric[static_cast<int>(corner)] * member.weights.weights[k];
      if (weight <= 0) continue;
      const int joint = member.model.body.rig.bones()[member.weights.bones[k]].joint;
      const auto found =
          std::find_if(sums.begin(), sums.begin() + count, [&](const auto& sum) { return sum.first == joint; });
      if (found != sums.begin() + count) {
        found->second += weight;
      } else {
        sums[count++] = {joint, weight};
      }
    }
  }
  const auto* best = std::max_element(sums.data(), sums.data() + count,
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  return count > 0 ? best->first : 0;
}

Member make_member(const zoo::Creature& creature) {
  const rig::Subject& subject = creature.subject;
  Member member{
      Model(subject.rig, creature_parts(creature)), subject.points, subject.triangles, subject.weights, {}, {}};
  member.skulls = find_skulls(member.model);
  member.model.limbs.find_tips(member.model.body, [&](const TaughtLimbs::Point& point) {
    const auto stride = at(member.weights.stride);
    for (std::size_t i = 0; i < member.points.size(); ++i) {
      // Weights are sorted: the first is the greatest.
      const int bone = member.weights.bones[i * stride];
      point(subject.rig.bones()[at(bone)].joint, bone, member.points[i]);
    }
  });
  return member;
}

/// Samples the surface as posed: one in each of `count` equal shares of its area.
PosedBody sample_member(const Member& member, const PosedRig& posed, int count, Rng& rng) {
  const auto stride = at(member.weights.stride);
  std::vector<Vec3> points(member.points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = i * stride; k < (i + 1) * stride; ++k) {
      if (member.weights.weights[k] <= 0) continue;
      points[i] += member.weights.weights[k] * (posed.bones[member.weights.bones[k]] * member.points[i]);
    }
  }
  std::vector<double> areas;
  std::vector<Vec3> normals;
  double sum = 0;
  for (const auto& t : member.triangles) {
    const Vec3 normal = cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]);
    sum += norm(normal);
    areas.push_back(sum);
    normals.push_back(normalized(normal));
  }
  Canvas canvas(member.model, posed);
  std::size_t triangle = 0;
  for (int i = 0; i < count && !areas.empty(); ++i) {
    const double where = (i + rng.uniform()) / count * sum;
    while (triangle + 1 < areas.size() && areas[triangle] < where) ++triangle;
    // Uniform in the triangle (Osada et al. 2002).
    const double root = std::sqrt(rng.uniform()), other = rng.uniform();
    const Vec3 barycentric = Vec3d{1 - root, root * (1 - other), root * other}.cast<float>();
    const auto& t = member.triangles[triangle];
    const auto blended = [&](const std::vector<Vec3>& list) {
      return barycentric.x * list[t[0]] + barycentric.y * list[t[1]] + barycentric.z * list[t[2]];
    };
    const int joint = member.settled(strongest_joint(member, t, barycentric), blended(member.points));
    canvas.add(blended(points), normals[triangle], joint);
  }
  return std::move(canvas.body);
}

/// Creature number `seed` of all that are taught with.
Result<zoo::Creature> draw_creature(std::uint64_t seed, double any_body, Rng& rng) {
  static constexpr std::array<double, zoo::kPlanCount> kShares{0.25, 0.23, 0.16, 0.07, 0.09, 0.06, 0.05, 0.09};
  zoo::CreatureSettings settings;
  settings.plan = static_cast<zoo::Plan>(draw_share(kShares, rng));
  if (rng.chance(any_body)) settings.body = zoo::random_body(seed);
  settings.seed = seed;
  settings.resolution = kResolution;
  return zoo::make_creature(settings);
}

/// Some of what it can do, a few frames of each.
std::vector<kinematics::Motion> draw_motions(const zoo::Creature& creature, Rng& rng) {
  const std::vector<zoo::Action> actions = zoo::actions(creature);
  std::vector<kinematics::Motion> motions;
  for (int i = 0; i < kActions && !actions.empty(); ++i) {
    zoo::ActionSettings action;
    action.action = actions[rng.below(static_cast<std::uint32_t>(actions.size()))];
    // Spread wings are half of what birds look like.
    const bool flies = std::find(actions.begin(), actions.end(), zoo::Action::kFly) != actions.end();
    if (flies && i < kActions / 2) action.action = zoo::Action::kFly;
    action.seed = rng.next_u32();
    action.fps = 8, action.frames = kFrames;
    action.amplitude = rng.uniform(0.65, 1.35), action.style = rng.uniform(), action.noise = 0.5 * rng.uniform();
    action.in_place = true;
    // An action that this body cannot do after all is left out: the others show it.
    Result<zoo::Performance> performance = zoo::perform(creature, action);
    if (performance.ok()) motions.push_back(std::move(performance->motion));
  }
  return motions;
}

Herd<Member> make_herd(int count, std::uint64_t seed, double any_body) {
  return {count, seed, 23, [any_body](std::uint64_t number, Rng& rng) -> Result<std::unique_ptr<const Member>> {
            LIMBER_TRY(const zoo::Creature creature, draw_creature(number, any_body, rng));
            Member member = make_member(creature);
            member.motions = draw_motions(creature, rng);
            return std::make_unique<const Member>(std::move(member));
          }};
}

// --- characters
// -------------------------------------------------------------------------------------------------------

/// A point of a character's surface.
struct Sample {
  const splat::Gaussians* surface = nullptr;
  std::size_t number = 0;
  int joint = 0;
};

/// A character, ready to be posed.
struct Actor {
  Model model;
  std::vector<kinematics::Motion> motions;
  std::vector<Sample> samples;
};

std::vector<Sample> list_samples(const Character& character) {
  std::vector<Sample> samples;
  for (const splat::Gaussians& surface : character.surfaces) {
    const auto stride = at(surface.influences);
    for (std::size_t i = 0; i < surface.size(); ++i) {
      std::map<int, float> sums;
      for (std::size_t k = i * stride; k < (i + 1) * stride; ++k) {
        sums[character.rig.bones()[surface.bones[k]].joint] += surface.weights[k];
      }
      const auto best =
          std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      samples.push_back({&surface, i, best == sums.end() ? 0 : best->first});
    }
  }
  return samples;
}

/// Whether limbs that names tell of can be those of a body: pairs are complete, and there is one head at most. Names
/// such as "Bone.012" tell of nothing, and others of a dog with six legs.
bool are_believable(const rig::Rig& rig, zoo::Plan called, bool sure, std::span<const Sample> samples) {
  std::vector<std::size_t> skin(rig.limbs().size(), 0);
  for (const Sample& sample : samples) ++skin[at(std::max(0, rig.joints()[at(sample.joint)].role.limb))];
  std::array<std::array<int, 3>, rig::kLimbKindCount> counts{};
  for (std::size_t i = 0; i < skin.size(); ++i) {
    const rig::Limb& limb = rig.limbs()[i];
    if (500 * skin[i] > samples.size())
      ++counts[static_cast<std::size_t>(limb.kind)][static_cast<std::size_t>(limb.side)];
  }
  const auto of = [&](rig::LimbKind kind) { return counts[static_cast<std::size_t>(kind)]; };
  const auto paired = [&](rig::LimbKind kind, int most) {
    return of(kind)[0] == 0 && of(kind)[1] == of(kind)[2] && of(kind)[1] <= most;
  };
  const auto in_all = [&](rig::LimbKind kind) { return of(kind)[0] + of(kind)[1] + of(kind)[2]; };
  const bool some = in_all(rig::LimbKind::kLeg) + in_all(rig::LimbKind::kArm) + in_all(rig::LimbKind::kWing) +
                        in_all(rig::LimbKind::kFin) + in_all(rig::LimbKind::kTail) >
                    0;
  // Names of toes or hooves make legs of them.
  if (called == zoo::Plan::kQuadruped && sure && in_all(rig::LimbKind::kLeg) > 4) return false;
  // People on all fours have arms whose names say little.
  if (called == zoo::Plan::kBiped && in_all(rig::LimbKind::kLeg) == 4) return false;
  return some && in_all(rig::LimbKind::kHead) <= 1 && paired(rig::LimbKind::kLeg, 4) &&
         paired(rig::LimbKind::kArm, 2) && paired(rig::LimbKind::kWing, 2);
}

/// Some files move the whole surface by one joint: they would teach that there are no parts.
bool shows_parts(const Actor& actor) {
  std::array<std::size_t, anatomy::kRegionCount> counts{};
  for (const Sample& sample : actor.samples) {
    ++counts[static_cast<std::size_t>(actor.model.body.parts.regions[at(sample.joint)])];
  }
  const auto shown = std::count_if(counts.begin(), counts.end(),
                                   [&](std::size_t count) { return 100 * count > actor.samples.size(); });
  return shown > 1;
}

Actor make_actor(const Character& character) {
  const rig::Rig rig = anatomy::with_roles(character.rig);
  std::vector<Sample> samples = list_samples(character);
  // What is called by no name that tells of a body is taken for a quadruped (`body_meaning`): who knows.
  const bool called =
      character.body.plan != zoo::Plan::kQuadruped || mentions_any(character.name, {"quadruped", "animals"});
  const bool believable = are_believable(rig, character.body.plan, called, samples);
  BodyParts parts = character_parts(rig, character.body.plan, believable);
  Actor actor{Model(rig, std::move(parts)), {}, std::move(samples)};
  actor.model.limbs_known = believable && shows_parts(actor), actor.model.kind_known = believable || called;
  for (const CharacterClip& clip : character.clips) actor.motions.push_back(clip.motion);
  actor.model.limbs.find_tips(actor.model.body, [&](const TaughtLimbs::Point& point) {
    for (const Sample& sample : actor.samples) {
      const std::size_t entry = sample.number * at(sample.surface->influences);
      const int bone = sample.surface->bones[entry];
      if (rig.bones()[at(bone)].joint == sample.joint) point(sample.joint, bone, sample.surface->means[sample.number]);
    }
  });
  return actor;
}

/// Characters, and how often each is drawn.
class Cast {
 public:
  /// Those that are left out where `left_out`, else the others.
  Cast(std::shared_ptr<const std::vector<Character>> characters, const PosedBodySettings& settings, bool left_out)
      : characters_(std::move(characters)) {
    if (!characters_) return;
    const std::vector<bool> not_taught = find_left_out(*characters_, settings.leave_out);
    // Characters on the same skeleton share their chance: dozens of fish must not crowd out the rest.
    std::array<std::map<std::string, std::vector<std::size_t>>, anatomy::kBodyKindCount> families;
    for (std::size_t i = 0; i < characters_->size(); ++i) {
      if (not_taught[i] != left_out) continue;
      Actor actor = make_actor((*characters_)[i]);
      const std::string family = skeleton_family((*characters_)[i].rig);
      const anatomy::BodyKind kind = actor.model.kind_known ? actor.model.body.parts.kind : anatomy::BodyKind::kOther;
      families[static_cast<std::size_t>(kind)][family].push_back(actors_.size());
      actors_.push_back(std::move(actor));
    }
    for (std::size_t kind = 0; kind < families.size(); ++kind) {
      for (const auto& [skeleton, members] : families[kind]) families_[kind].push_back(members);
    }
  }
  bool empty() const { return actors_.empty(); }

  const Actor& draw(Rng& rng) const {
    std::array<double, anatomy::kBodyKindCount> shares{0.35, 0.30, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07};
    // What kinds there are beside the first two share the rest.
    double rest = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (families_[i].empty()) shares[i] = 0;
      if (i > 1) rest += shares[i];
    }
    for (std::size_t i = 2; i < shares.size() && rest > 0; ++i) shares[i] *= 0.35 / rest;
    const auto& families = families_[draw_share(shares, rng)];
    const auto& members = families[rng.below(static_cast<std::uint32_t>(families.size()))];
    return actors_[members[rng.below(static_cast<std::uint32_t>(members.size()))]];
  }

 private:
  std::shared_ptr<const std::vector<Character>> characters_;
  std::vector<Actor> actors_;
  std::array<std::vector<std::vector<std::size_t>>, anatomy::kBodyKindCount> families_;
};

PosedBody sample_actor(const Actor& actor, const PosedRig& posed, int count, Rng& rng) {
  // Without repetition, unless more are asked for than there are.
  std::vector<std::uint32_t> order(actor.samples.size());
  std::iota(order.begin(), order.end(), 0u);
  Canvas canvas(actor.model, posed);
  for (std::size_t i = 0; i < at(count); ++i) {
    const std::size_t slot = i % order.size();
    std::swap(order[slot], order[slot + rng.below(static_cast<std::uint32_t>(order.size() - slot))]);
    const Sample& sample = actor.samples[order[slot]];
    const splat::Gaussians& surface = *sample.surface;
    Affine blended{Mat3{}, {}};
    for (std::size_t k = 0; k < at(surface.influences); ++k) {
      const std::size_t entry = sample.number * at(surface.influences) + k;
      const float weight = surface.weights[entry];
      if (weight <= 0) continue;
      const Affine& bone = posed.bones[surface.bones[entry]];
      blended.linear += weight * bone.linear, blended.translation += weight * bone.translation;
    }
    // Flat Gaussians lie with their third axis across the surface, outward.
    const Vec3 normal = rotate(surface.rotations[sample.number], Vec3{0, 0, 1});
    canvas.add(blended * surface.means[sample.number], normalized(cofactor(blended.linear) * normal), sample.joint);
  }
  return std::move(canvas.body);
}

/// Everything that bodies are drawn of.
struct Troupe {
  Cast cast, left_out;
  Herd<Member> training, validation;
  PosedBodySettings settings;

  Troupe(std::shared_ptr<const std::vector<Character>> characters, const PosedBodySettings& asked)
      : cast(characters, asked, false),
        left_out(characters, asked, true),
        training(make_herd(asked.creatures, asked.seed, asked.any_body)),
        validation(make_herd(kValidationCreatures, asked.seed + kValidationSeeds, asked.any_body)),
        settings(asked) {}

  Result<PosedBody> draw(bool validates, int points, Rng& rng) {
    const Cast& actors = validates ? left_out : cast;
    if (!actors.empty() && (validates || rng.chance(settings.artists))) {
      const Actor& actor = actors.draw(rng);
      return sample_actor(actor, draw_pose(actor.model.body, actor.motions, rng), points, rng);
    }
    Herd<Member>& herd = validates ? validation : training;
    LIMBER_TRY(const Member* member, herd.get(rng.below(static_cast<std::uint32_t>(herd.size()))));
    return sample_member(*member, draw_pose(member->model.body, member->motions, rng), points, rng);
  }
};

}  // namespace

void PosedBody::add_point(const PosedBody& from, std::size_t index, std::size_t first_limb) {
  points.push_back(from.points[index]), normals.push_back(from.normals[index]);
  regions.push_back(from.regions[index]), starts.push_back(from.starts[index]);
  limb.push_back(static_cast<std::uint16_t>(first_limb + from.limb[index])), along.push_back(from.along[index]);
}

BodyParts creature_parts(const zoo::Creature& creature) {
  const rig::Rig& rig = creature.subject.rig;
  return {creature.plan ? kind_of_plan(*creature.plan) : anatomy::kind_of(rig), anatomy::role_regions(rig)};
}

BodyParts character_parts(const rig::Rig& rig, zoo::Plan called, bool believable) {
  BodyParts parts;
  const anatomy::BodyKind named = kind_of_plan(called);
  parts.kind = believable ? anatomy::kind_of(rig) : named;
  int legs = 0;
  for (const rig::Limb& limb : rig.limbs()) legs += limb.kind == rig::LimbKind::kLeg ? 1 : 0;
  const bool legless = named == anatomy::BodyKind::kFish || named == anatomy::BodyKind::kSnake;
  if (believable && ((legless && legs == 0) || (named == anatomy::BodyKind::kBird && legs == 2))) parts.kind = named;
  std::vector<std::string> names;
  std::vector<int> parents;
  std::vector<Vec3d> places;
  for (int j = 0; j < rig.joint_count(); ++j) {
    names.push_back(rig.joints()[at(j)].name), parents.push_back(rig.joints()[at(j)].parent);
    places.push_back(rig.world_from_rest()[at(j)].translation.cast<double>());
  }
  parts.regions = anatomy::joint_regions(names, parents, places, parts.kind);
  return parts;
}

PosedBody body_at_rest(const zoo::Creature& creature, int points, std::uint64_t seed) {
  const Member member = make_member(creature);
  Rng rng(seed, 24);
  return sample_member(member, rest_rig(member.model.body), points, rng);
}

PosedBody body_at_rest(const Character& character, int points, std::uint64_t seed) {
  const Actor actor = make_actor(character);
  Rng rng(seed, 25);
  return sample_actor(actor, rest_rig(actor.model.body), points, rng);
}

std::vector<Vec3> mesh_at_rest(const Character& character) {
  const rig::SkinWeights& weights = character.mesh.weights;
  const PosedRig rest = rest_rig(PosableRig(character.rig, character_parts(character.rig, character.body.plan)));
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < character.mesh.points.size(); ++i) {
    Vec3 place;
    for (std::size_t k = i * at(weights.stride); k < (i + 1) * at(weights.stride); ++k)
      place += weights.weights[k] * (rest.bones[weights.bones[k]] * character.mesh.points[i]);
    points.push_back(place);
  }
  return points;
}

PosedBodySource posed_bodies(std::shared_ptr<const std::vector<Character>> characters,
                             const PosedBodySettings& settings) {
  LIMBER_EXPECT(settings.creatures > 0 && settings.points > 0, std::to_string(settings.creatures));
  const auto troupe = std::make_shared<Troupe>(std::move(characters), settings);
  return [troupe](std::uint64_t index) -> Result<PosedBody> {
    Rng rng(troupe->settings.seed ^ 0x626f6479ull, index);
    const bool validates = index >= kValidationBodies;
    const int points = troupe->settings.points;
    const bool holed = rng.chance(kHoled), paired = rng.chance(kTwoFigures);
    LIMBER_TRY(PosedBody body, troupe->draw(validates, holed ? points + points / 2 : points, rng));
    vary(body, rng);
    if (rng.chance(0.5)) mirror(body);
    if (paired) {
      LIMBER_TRY(const PosedBody other, troupe->draw(validates, points, rng));
      put_beside(body, other, rng);
    }
    if (holed) cut_holes(body, rng.uniform(0.05, 0.33), rng);
    thin_out(body, points, rng);
    return body;
  };
}

anatomy::ExampleSource reader_examples(PosedBodySource bodies) {
  return [bodies = std::move(bodies)](std::uint64_t index) -> Result<anatomy::ReaderExample> {
    LIMBER_TRY(PosedBody body, bodies(index));
    anatomy::ReaderExample example;
    example.points = std::move(body.points), example.normals = std::move(body.normals);
    example.starts = std::move(body.starts), example.limbs = std::move(body.limbs);
    example.limb = std::move(body.limb), example.along = std::move(body.along);
    example.limbs_known = body.limbs_known, example.kind_known = body.kind_known;
    for (const anatomy::Region region : body.regions) example.regions.push_back(static_cast<std::uint8_t>(region));
    example.kind = static_cast<int>(body.kind);
    return example;
  };
}

}  // namespace limber::training
