// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/posed_bodies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>

#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/kinematics/motion.h"
#include "limber/training/body_variation.h"
#include "limber/training/posed_rig.h"
#include "limber/zoo/action.h"

namespace limber::training {
namespace {

constexpr std::uint64_t kValidationSeeds = 1u << 30;
constexpr int kValidationCreatures = 64;
constexpr int kResolution = 36;
/// Actions per creature, and frames of each: playing one anew for every draw would cost more than all the rest.
constexpr int kActions = 4, kFrames = 10;
constexpr double kAtRest = 0.15;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

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
}

// --- creatures
// --------------------------------------------------------------------------------------------------------

/// What is kept of a creature.
struct Member {
  PosableRig body;
  std::vector<Vec3> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  rig::SkinWeights weights;
  std::vector<kinematics::Motion> motions;
  int head = -1;          ///< where the head starts, -1 without a neck
  Vec3 skull, skullward;  ///< place of that joint at rest, and the neck's direction there

  /// The back of a creature's head moves with its neck, but is head all the same.
  bool is_skull(Vec3 at_rest) const { return head >= 0 && dot(at_rest - skull, skullward) > 0; }
};

Member make_member(const zoo::Creature& creature) {
  const rig::Subject& subject = creature.subject;
  Member member{PosableRig(subject.rig, body_parts(subject.rig, creature.plan)),
                subject.points,
                subject.triangles,
                subject.weights,
                {},
                -1,
                {},
                {}};
  const std::vector<anatomy::Region>& regions = member.body.parts.regions;
  for (int j = 1; j < subject.rig.joint_count(); ++j) {
    const int parent = subject.rig.joints()[at(j)].parent;
    if (regions[at(j)] != anatomy::Region::kHead || regions[at(parent)] != anatomy::Region::kNeck) continue;
    const std::span<const Affine> rest = subject.rig.world_from_rest();
    member.head = j, member.skull = rest[at(j)].translation;
    member.skullward = normalized(member.skull - rest[at(parent)].translation);
  }
  return member;
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
      const int joint = member.body.rig.bones()[member.weights.bones[k]].joint;
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
  PosedBody body;
  body.kind = posed.kind;
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
    int joint = strongest_joint(member, t, barycentric);
    const bool neck = member.body.parts.regions[at(joint)] == anatomy::Region::kNeck;
    if (neck && member.is_skull(blended(member.points))) joint = member.head;
    body.points.push_back(blended(points));
    body.normals.push_back(normals[triangle]);
    body.regions.push_back(member.body.parts.regions[at(joint)]);
    body.starts.push_back(posed.starts[at(joint)]);
  }
  return body;
}

/// Creatures by number, made when first asked for.
class Herd {
 public:
  Herd(int count, std::uint64_t seed) : seed_(seed), slots_(at(count)) {}
  std::size_t size() const { return slots_.size(); }

  Result<const Member*> get(std::size_t number) {
    Slot& slot = slots_[number];
    const std::lock_guard lock(slot.mutex);
    if (slot.member) return slot.member.get();
    Rng rng(seed_ + number, 23);
    static constexpr std::array<double, zoo::kPlanCount> kShares{0.25, 0.23, 0.16, 0.07, 0.09, 0.06, 0.05, 0.09};
    zoo::CreatureSettings settings;
    settings.plan = static_cast<zoo::Plan>(draw_share(kShares, rng));
    settings.seed = seed_ + number;
    settings.resolution = kResolution;
    LIMBER_TRY(const zoo::Creature creature, zoo::make_creature(settings));
    Member member = make_member(creature);
    const std::vector<zoo::Action> actions = zoo::actions(creature);
    for (int i = 0; i < kActions; ++i) {
      zoo::ActionSettings action;
      action.action = actions[rng.below(static_cast<std::uint32_t>(actions.size()))];
      // Spread wings are half of what birds look like.
      if (creature.plan == zoo::Plan::kBird && i < kActions / 2) action.action = zoo::Action::kFly;
      action.seed = rng.next_u32();
      action.fps = 8, action.frames = kFrames;
      action.amplitude = rng.uniform(0.65, 1.35), action.style = rng.uniform(), action.noise = 0.5 * rng.uniform();
      action.in_place = true;
      LIMBER_TRY(zoo::Performance performance, zoo::perform(creature, action));
      member.motions.push_back(std::move(performance.motion));
    }
    slot.member = std::make_unique<const Member>(std::move(member));
    return slot.member.get();
  }

 private:
  struct Slot {
    std::mutex mutex;
    std::unique_ptr<const Member> member;
  };
  std::uint64_t seed_;
  std::vector<Slot> slots_;
};

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
  PosableRig body;
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

/// Some files move the whole surface by one joint: they would teach that there are no parts.
bool shows_parts(const Actor& actor) {
  std::array<std::size_t, anatomy::kRegionCount> counts{};
  for (const Sample& sample : actor.samples) {
    ++counts[static_cast<std::size_t>(actor.body.parts.regions[at(sample.joint)])];
  }
  const auto shown = std::count_if(counts.begin(), counts.end(),
                                   [&](std::size_t count) { return 100 * count > actor.samples.size(); });
  return shown > 1;
}

class Cast {
 public:
  explicit Cast(std::shared_ptr<const std::vector<Character>> characters) : characters_(std::move(characters)) {
    if (!characters_) return;
    // Characters on the same skeleton share their chance: dozens of fish must not crowd out the rest.
    std::array<std::map<std::string, std::vector<std::size_t>>, anatomy::kBodyKindCount> families;
    for (const Character& character : *characters_) {
      Actor actor{PosableRig(character.rig, body_parts(character.rig, character.body.plan)), {}, {}};
      for (const CharacterClip& clip : character.clips) actor.motions.push_back(clip.motion);
      actor.samples = list_samples(character);
      if (!shows_parts(actor)) continue;
      std::string skeleton;
      for (const rig::Joint& joint : character.rig.joints()) skeleton += joint.name + '\n';
      families[static_cast<std::size_t>(actor.body.parts.kind)][skeleton].push_back(actors_.size());
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
  PosedBody body;
  body.kind = posed.kind;
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
    body.points.push_back(blended * surface.means[sample.number]);
    body.normals.push_back(normalized(cofactor(blended.linear) * normal));
    body.regions.push_back(actor.body.parts.regions[at(sample.joint)]);
    body.starts.push_back(posed.starts[at(sample.joint)]);
  }
  return body;
}

}  // namespace

BodyParts body_parts(const rig::Rig& rig, std::optional<zoo::Plan> plan) {
  static constexpr std::array<anatomy::BodyKind, zoo::kPlanCount> kKinds{
      anatomy::BodyKind::kHumanoid, anatomy::BodyKind::kQuadruped, anatomy::BodyKind::kBird,
      anatomy::BodyKind::kHexapod,  anatomy::BodyKind::kOctopod,   anatomy::BodyKind::kFish,
      anatomy::BodyKind::kSnake,    anatomy::BodyKind::kTheropod};
  BodyParts parts;
  if (plan) parts.kind = kKinds[static_cast<std::size_t>(*plan)];
  std::vector<std::string> names;
  std::vector<int> parents;
  std::vector<Vec3d> places;
  for (int j = 0; j < rig.joint_count(); ++j) {
    names.push_back(rig.joints()[at(j)].name), parents.push_back(rig.joints()[at(j)].parent);
    places.push_back(rig.world_from_rest()[at(j)].translation.cast<double>());
  }
  parts.regions = anatomy::joint_regions(names, parents, places, parts.kind);
  if (parts.kind != anatomy::BodyKind::kTheropod) return parts;
  // Arms that reach the ground are legs.
  double lowest = 1e30, hands = 1e30, highest = -1e30;
  for (std::size_t j = 0; j < places.size(); ++j) {
    lowest = std::min(lowest, places[j].y), highest = std::max(highest, places[j].y);
    const bool hand = parts.regions[j] == anatomy::Region::kFrontEndLeft;
    if (hand) hands = std::min(hands, places[j].y);
  }
  if (hands < lowest + 0.12 * (highest - lowest)) parts.kind = anatomy::BodyKind::kQuadruped;
  return parts;
}

PosedBody body_at_rest(const zoo::Creature& creature, int points, std::uint64_t seed) {
  const Member member = make_member(creature);
  Rng rng(seed, 24);
  return sample_member(member, rest_rig(member.body), points, rng);
}

PosedBodySource posed_bodies(std::shared_ptr<const std::vector<Character>> characters,
                             const PosedBodySettings& settings) {
  LIMBER_EXPECT(settings.creatures > 0 && settings.points > 0, std::to_string(settings.creatures));
  const auto cast = std::make_shared<const Cast>(std::move(characters));
  const auto training = std::make_shared<Herd>(settings.creatures, settings.seed);
  const auto validation = std::make_shared<Herd>(kValidationCreatures, settings.seed + kValidationSeeds);
  return [=](std::uint64_t index) -> Result<PosedBody> {
    Rng rng(settings.seed ^ 0x626f6479ull, index);
    const bool validates = index >= kValidationBodies;
    PosedBody body;
    if (!validates && !cast->empty() && rng.chance(settings.artists)) {
      const Actor& actor = cast->draw(rng);
      body = sample_actor(actor, draw_pose(actor.body, actor.motions, rng), settings.points, rng);
    } else {
      Herd& herd = validates ? *validation : *training;
      LIMBER_TRY(const Member* member, herd.get(rng.below(static_cast<std::uint32_t>(herd.size()))));
      body = sample_member(*member, draw_pose(member->body, member->motions, rng), settings.points, rng);
    }
    vary(body, rng);
    if (rng.chance(0.5)) mirror(body);
    return body;
  };
}

anatomy::ExampleSource reader_examples(PosedBodySource bodies) {
  return [bodies = std::move(bodies)](std::uint64_t index) -> Result<anatomy::ReaderExample> {
    LIMBER_TRY(PosedBody body, bodies(index));
    anatomy::ReaderExample example;
    example.points = std::move(body.points), example.normals = std::move(body.normals);
    example.starts = std::move(body.starts);
    for (const anatomy::Region region : body.regions) example.regions.push_back(static_cast<std::uint8_t>(region));
    example.kind = static_cast<int>(body.kind);
    return example;
  };
}

}  // namespace limber::training
