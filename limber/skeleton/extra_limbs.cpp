// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/extra_limbs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "limber/base/at.h"
#include "limber/body/limbs.h"
#include "limber/body/segment.h"
#include "limber/body/slice_widths.h"
#include "limber/skeleton/hand_fingers.h"
#include "limber/skeleton/limb_roles.h"

namespace limber::skeleton {
namespace {

// Lengths are of the body's size. All set by hand, on the shared models.
constexpr double kLeastLimb = 0.1;   // from where it leaves the flesh of others
constexpr double kLeastEar = 0.045;  // the same for pairs on top of a head
constexpr double kSlender = 1.3;     // times its mean breadth: what is shorter is a bump, a corner or a sheet
constexpr double kFlare = 2;         // times its mean breadth: where it is broader, a limb has not begun
constexpr double kBone = 0.11;       // one joint for each such length
constexpr int kMaxBones = 4, kMaxLimbs = 12;
constexpr int kPieces = 32, kSmoothing = 4;  // of a limb's line
constexpr double kAside = 0.03;     // farther from the plane between the sides, on the mean, it belongs to one of them
constexpr double kMostly = 0.6;     // share of a limb's image that must be flesh
constexpr double kOnTop = 0.5;      // times how far aside: how high above the head's joint an ear ends at least
constexpr int kManyLegs = 6;        // bodies with so many have no arms
constexpr double kReadNear = 0.12;  // how far from a limb points may be that tell what it is
constexpr double kBelieved = 0.5;   // trust from which on a reading tells what a limb is
constexpr double kNearHead = 1.5;   // times the distance from the nearest bone: what still hangs on the head

/// A limb that no chain of the template runs along.
struct ExtraLimb {
  body::TracedLimb traced;
  int from = -1;       ///< the sphere of a chain or another limb that it leaves
  int parent = 0;      ///< joint that it hangs on
  int partner = -1;    ///< the limb on the other side
  bool small = false;  ///< counts only as an ear ...
  bool told = false;   ///< ... or as what it was read to be
  bool dropped = false;
  std::optional<rig::LimbKind> kind;  ///< as it was read

  Vec3d end() const { return traced.end(); }
};

/// Where on a path a limb begins that is longer than the body is broad along it; the end of the path where there is
/// none.
std::size_t slender_from(const body::BodyShape& body, const body::SliceWidths& widths, const std::vector<int>& path,
                         std::size_t begin) {
  double length = body.sphere(path.back()).radius, area = 0;
  std::size_t best = path.size();
  for (std::size_t k = path.size(); k-- > begin;) {
    const body::MedialSphere& sphere = body.sphere(path[k]);
    const double breadth = std::max(widths.at(sphere.centre).breadth, 2 * sphere.radius);
    const double step = k + 1 < path.size() ? body.distance(path[k + 1], path[k]) : 0;
    length += step, area += (k + 1 < path.size() ? step : sphere.radius) * breadth;
    const double mean = area / length;
    if (length > kSlender * mean && breadth < kFlare * mean && length > kLeastLimb * body.size) best = k;
  }
  return best;
}

/// The limb that ends at a tip, from where it leaves what is covered; none where it is too short.
std::optional<ExtraLimb> trace_extra(const body::BodyShape& body, const body::SliceWidths& widths,
                                     const body::LimbCover& cover, const body::Tip& tip) {
  if (tip.length < kLeastEar * body.size) return std::nullopt;
  const std::vector<int> path = body.paths.path(tip.sphere);
  std::size_t begin = path.size();
  while (begin > 0 && !cover.covers(path[begin - 1])) --begin;
  if (begin == 0 || begin == path.size()) return std::nullopt;
  ExtraLimb limb;
  std::size_t root = slender_from(body, widths, path, begin);
  if (root == path.size()) root = begin, limb.small = true;
  // What covers its root may lie beside the path.
  const auto leaves = std::find_if(path.rend() - static_cast<std::ptrdiff_t>(root), path.rend(),
                                   [&](int s) { return cover.runs_through(s); });
  limb.from = leaves != path.rend() ? *leaves : path[root - 1];
  limb.traced = body::trace_limb(body, path, body::LimbEnd::kInFlesh, root);
  double thickness = 0;
  for (const int s : limb.traced.spheres)
    thickness += 2 * body.sphere(s).radius / static_cast<double>(limb.traced.spheres.size());
  const double least = (limb.small ? kLeastEar : kLeastLimb) * body.size;
  if (limb.traced.length() < std::max(least, kSlender * thickness)) return std::nullopt;
  return limb;
}

/// Limbs beyond the chains of the embedding, the longest first.
std::vector<ExtraLimb> find_limbs(const body::BodyShape& body, const Embedding& embedding) {
  const body::SliceWidths widths(body);
  body::LimbCover cover(body, embedding.chain_spheres);
  std::vector<ExtraLimb> limbs;
  for (const body::Tip& tip : body.tips) {
    if (static_cast<int>(limbs.size()) >= kMaxLimbs) break;
    std::optional<ExtraLimb> limb = trace_extra(body, widths, cover, tip);
    if (!limb) continue;
    cover.add(limb->traced.spheres);
    limb->traced.make_even(kPieces, kSmoothing);
    limbs.push_back(std::move(*limb));
  }
  return limbs;
}

double distance_to(const SkeletonPlan& plan, int joint, Vec3d point) {
  const PlannedJoint& bone = plan.joints[at(joint)];
  double least = norm(point - body::closest_on_segment(point, {bone.at, bone.tail.value_or(bone.at)}));
  for (const PlannedJoint& child : plan.joints) {
    if (child.parent == joint)
      least = std::min(least, norm(point - body::closest_on_segment(point, {bone.at, child.at})));
  }
  return least;
}

/// The joint that turns the head, -1 for none.
int head_joint(const SkeletonPlan& plan) {
  for (int j = 0; j < static_cast<int>(plan.joints.size()); ++j) {
    if (is_of(plan, j, {rig::LimbKind::kHead})) return j;
  }
  return -1;
}

bool is_on_head(const SkeletonPlan& plan, int joint) {
  return is_of(plan, joint, {rig::LimbKind::kHead, rig::LimbKind::kNeck});
}

/// The joint whose bone is nearest to a point; the head rather than the neck.
int nearest_joint(const SkeletonPlan& plan, Vec3d point) {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int j = 0; j < static_cast<int>(plan.joints.size()); ++j) {
    const double distance = distance_to(plan, j, point);
    if (distance < least) least = distance, best = j;
  }
  const int head = head_joint(plan);
  const bool near =
      head >= 0 && is_of(plan, best, {rig::LimbKind::kNeck}) && distance_to(plan, head, point) < kNearHead * least;
  return near ? head : best;
}

/// The piece of surface that is nearest to a point.
int piece_at(const body::WeldedSurface& surface, Vec3d point) {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t p = 0; p < surface.points.size(); ++p) {
    const double distance = squared_norm(surface.points[p] - point);
    if (distance < least) least = distance, best = surface.component[p];
  }
  return best;
}

/// The piece of surface around most of a joint's bone: at the joint itself another may be nearer, like the root of a
/// horn.
int piece_of(const body::BodyShape& body, const SkeletonPlan& plan, int joint) {
  constexpr int kSamples = 9;
  const PlannedJoint& bone = plan.joints[at(joint)];
  const int next = next_joint(plan, joint);
  const Vec3d end = next >= 0 ? plan.joints[at(next)].at : bone.tail.value_or(bone.at);
  std::map<int, int> votes;
  for (int k = 0; k < kSamples; ++k)
    ++votes[piece_at(body.surface, lerp(bone.at, end, static_cast<double>(k) / (kSamples - 1)))];
  return std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

int count_sections(const SkeletonPlan& plan, int limb) {
  int sections = 0;
  for (const PlannedJoint& joint : plan.joints) {
    if (joint.role.limb == limb) sections = std::max(sections, joint.role.section + 1);
  }
  return sections;
}

/// Which section of an arm or a leg is its wrist or ankle: hands and feet are the last two of a limb that has toes or
/// fingers, and the last one of others. -1 for other limbs.
int wrist_section(const SkeletonPlan& plan, int limb) {
  constexpr int kWithToes = 4;  // upper, lower, wrist, toes
  const rig::LimbKind kind = plan.limbs[at(limb)].kind;
  if (kind != rig::LimbKind::kArm && kind != rig::LimbKind::kLeg) return -1;
  const bool fingers = std::any_of(plan.limbs.begin(), plan.limbs.end(), [&](const rig::Limb& other) {
    return other.kind == rig::LimbKind::kFinger && other.parent == limb;
  });
  const int sections = count_sections(plan, limb) + (fingers ? 1 : 0);
  return sections - (sections >= kWithToes ? 2 : 1);
}

/// Whether a joint is a wrist that fingers leave.
bool has_fingers(const SkeletonPlan& plan, int wrist) {
  for (int j = wrist + 1; j < static_cast<int>(plan.joints.size()); ++j) {
    const PlannedJoint& joint = plan.joints[at(j)];
    if (joint.parent == wrist && joint.role.section == 0 && is_of(plan, j, {rig::LimbKind::kFinger})) return true;
  }
  return false;
}

/// Hands, feet and tails: what is there is held or worn, or is a spike or a fin. Fingers that were seen one by one hold
/// nothing: it would have hidden them.
bool is_hand_or_tail(const SkeletonPlan& plan, int joint) {
  const rig::Role role = plan.joints[at(joint)].role;
  if (is_of(plan, joint, {rig::LimbKind::kTail}) || has_fingers(plan, joint)) return true;
  if (is_of(plan, joint, {rig::LimbKind::kFinger})) return count_sections(plan, role.limb) == 1;
  const int wrist = role.limb < 0 ? -1 : wrist_section(plan, role.limb);
  return wrist >= 0 && role.section >= wrist;
}

/// Forearms and shins.
bool is_lower_limb(const SkeletonPlan& plan, int joint) {
  const rig::Role role = plan.joints[at(joint)].role;
  const int wrist = role.limb < 0 ? -1 : wrist_section(plan, role.limb);
  return wrist > 0 && role.section == wrist - 1;
}

/// Leaves out what a body wears or holds, or what grew stiff: things in hands and on feet, pieces of their own on
/// heads, arms and legs (a hat, a dagger, a shield, horns), spikes and fins of a tail, and antlers, which are what
/// branches on a head. Pieces in pairs stay where the whole body is made of pieces.
void drop_rigid(const body::BodyShape& body, const SkeletonPlan& plan, std::vector<ExtraLimb>& limbs) {
  for (ExtraLimb& limb : limbs) {
    const bool apart = (is_on_head(plan, limb.parent) || is_lower_limb(plan, limb.parent)) &&
                       piece_at(body.surface, limb.end()) != piece_of(body, plan, limb.parent);
    const bool worn = apart && (limb.partner < 0 || piece_of(body, plan, limb.parent) == piece_of(body, plan, 0));
    limb.dropped = limb.dropped || is_hand_or_tail(plan, limb.parent) || worn;
  }
  auto leaves = [](const ExtraLimb& twig, const ExtraLimb& limb) {
    const std::vector<int>& spheres = limb.traced.spheres;
    return std::find(spheres.begin() + 1, spheres.end(), twig.from) != spheres.end();
  };
  for (ExtraLimb& limb : limbs) {
    if (!is_on_head(plan, limb.parent) || limb.traced.spheres.size() < 2) continue;
    for (ExtraLimb& twig : limbs) {
      if (leaves(twig, limb)) limb.dropped = twig.dropped = true;
    }
  }
}

using Missing = std::array<int, rig::kLimbKindCount>;

/// Per kind: how many more limbs were read than a plan has. Nothing where nobody is sure.
Missing find_missing(const SkeletonPlan& plan, const anatomy::BodyReading* reading) {
  Missing missing{};
  if (reading == nullptr || reading->limb_trust() < kBelieved) return missing;
  for (const anatomy::ReadLimb& limb : reading->limbs) ++missing[static_cast<std::size_t>(limb.kind)];
  for (const rig::Limb& limb : plan.limbs) --missing[static_cast<std::size_t>(limb.kind)];
  // Heads and necks are no limbs to be added, and what is worn moves with what wears it.
  for (const rig::LimbKind kind :
       {rig::LimbKind::kTrunk, rig::LimbKind::kNeck, rig::LimbKind::kHead, rig::LimbKind::kProp})
    missing[static_cast<std::size_t>(kind)] = 0;
  return missing;
}

/// Of the kinds that are missing, the one that most points near a limb's outer half were read to be of.
std::optional<rig::LimbKind> read_kind(const anatomy::BodyReading* reading, const Missing& missing,
                                       const body::BodyShape& body, const ExtraLimb& limb) {
  if (*std::max_element(missing.begin(), missing.end()) <= 0) return std::nullopt;
  std::array<int, rig::kLimbKindCount> votes{};
  const std::vector<Vec3d>& line = limb.traced.line;
  for (std::size_t k = line.size() / 2; k < line.size(); ++k) {
    double least = kReadNear * kReadNear * body.size * body.size;
    rig::LimbKind nearest = rig::LimbKind::kTrunk;
    for (const anatomy::ReadLimb& read : reading->limbs) {
      if (missing[static_cast<std::size_t>(read.kind)] <= 0) continue;
      for (const int p : read.points) {
        const double away = squared_norm(reading->points[at(p)] - line[k]);
        if (away < least) least = away, nearest = read.kind;
      }
    }
    ++votes[static_cast<std::size_t>(nearest)];
  }
  const auto most = std::max_element(votes.begin(), votes.end()) - votes.begin();
  if (missing[static_cast<std::size_t>(most)] <= 0) return std::nullopt;  // nothing near
  return static_cast<rig::LimbKind>(most);
}

/// What the point nearest to a place was read to be of; none where nobody tells.
std::optional<rig::LimbKind> kind_at(const anatomy::BodyReading& reading, Vec3d place) {
  std::optional<rig::LimbKind> kind;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t p = 0; p < reading.limb_kinds.size() && p < reading.points.size(); ++p) {
    const double away = squared_norm(reading.points[p] - place);
    if (away < least) least = away, kind = reading.limb_kinds[p];
  }
  return kind;
}

bool moves_itself(std::optional<rig::LimbKind> kind) {
  return kind == rig::LimbKind::kArm || kind == rig::LimbKind::kLeg || kind == rig::LimbKind::kWing ||
         kind == rig::LimbKind::kTentacle;
}

/// What most points next to a limb's outer half were read to be of, where that is a limb which moves itself: the shape
/// shows one more of them than was counted.
std::optional<rig::LimbKind> kind_of_flesh(const anatomy::BodyReading* reading, const ExtraLimb& limb) {
  if (reading == nullptr || reading->limb_trust() < kBelieved || reading->limb_kinds.empty()) return std::nullopt;
  std::array<int, rig::kLimbKindCount> votes{};
  const std::vector<Vec3d>& line = limb.traced.line;
  for (std::size_t k = line.size() / 2; k < line.size(); ++k) {
    if (const auto kind = kind_at(*reading, line[k])) ++votes[static_cast<std::size_t>(*kind)];
  }
  const auto most = static_cast<rig::LimbKind>(std::max_element(votes.begin(), votes.end()) - votes.begin());
  return moves_itself(most) ? std::optional(most) : std::nullopt;
}

/// Tells of small limbs which ones were read to be arms, legs, wings or tentacles that are missing: the arms of a
/// tyrannosaur are no bumps.
void find_told(const body::BodyShape& body, const anatomy::BodyReading* reading, const Missing& missing,
               std::vector<ExtraLimb>& limbs) {
  for (ExtraLimb& limb : limbs) {
    const std::optional<rig::LimbKind> kind = limb.small ? read_kind(reading, missing, body, limb) : std::nullopt;
    if (!moves_itself(kind)) continue;
    const std::optional<rig::LimbKind> end = kind_at(*reading, limb.end());
    limb.told = end == kind || end == rig::LimbKind::kFinger;  // fingers are the ends of what has them
  }
}

/// Small limbs that nobody knows are ears if they sit on top of a head.
void drop_bumps(const Embedding& embedding, const SkeletonPlan& plan, std::vector<ExtraLimb>& limbs) {
  const int head = head_joint(plan);
  for (ExtraLimb& limb : limbs) {
    if (!limb.small || limb.told) continue;
    const Vec3d out = head < 0 ? Vec3d{} : limb.end() - plan.joints[at(head)].at;
    const double high = dot(out, embedding.up()), aside = std::abs(dot(out, embedding.plane.normal));
    limb.dropped = limb.dropped || limb.parent != head || head < 0 || high < kOnTop * aside;
  }
}

/// Both of a pair stay, or neither.
void drop_partners(std::vector<ExtraLimb>& limbs) {
  for (ExtraLimb& limb : limbs) {
    if (limb.dropped && limb.partner >= 0) limbs[at(limb.partner)].dropped = true;
  }
}

/// Finds which limbs are mirror images of each other.
void find_partners(const body::BodyShape& body, const Embedding& embedding, std::vector<ExtraLimb>& limbs) {
  if (!embedding.mirrored) return;
  std::vector<Vec3d> ends;
  for (const ExtraLimb& limb : limbs) ends.push_back(limb.end());
  const std::vector<int> partners = body::pair_limbs(body, ends, embedding.plane);
  for (std::size_t i = 0; i < limbs.size(); ++i) limbs[i].partner = partners[i];
}

/// The joint of the other side; itself in the middle.
int mirrored_joint(const SkeletonPlan& plan, int joint) {
  const std::string& name = plan.joints[at(joint)].name;
  if (!name.ends_with(".L") && !name.ends_with(".R")) return joint;
  return plan.find(name.substr(0, name.size() - 1) + (name.back() == 'L' ? "R" : "L"));
}

/// Partners hang on partners, or both on a joint in the middle.
void match_parents(const SkeletonPlan& plan, std::vector<ExtraLimb>& limbs) {
  for (ExtraLimb& limb : limbs) {
    if (limb.partner < 0) continue;
    ExtraLimb& other = limbs[at(limb.partner)];
    const int image = mirrored_joint(plan, limb.parent);
    if (image == other.parent || image < 0) continue;
    if (mirrored_joint(plan, other.parent) == other.parent) {
      limb.parent = other.parent;
    } else {
      other.parent = image;
    }
  }
}

/// Whether most of a line, but for its ends, is in the flesh. The image of a thin limb is not exact: points of it may
/// lie just outside.
bool is_in_flesh(const body::BodyShape& body, const std::vector<Vec3d>& line) {
  int inside = 0, count = 0;
  for (std::size_t k = line.size() / 4; k <= 3 * line.size() / 4 && k < line.size(); ++k, ++count)
    inside += body.field.depth(line[k]) > 0 ? 1 : 0;
  return inside > kMostly * count;
}

/// Gives limbs on one side of a symmetric body the partners that were overlooked: where their image is flesh that no
/// chain runs along.
void add_images(const body::BodyShape& body, const Embedding& embedding, const SkeletonPlan& plan,
                std::vector<ExtraLimb>& limbs) {
  const body::LimbCover chains(body, embedding.chain_spheres);
  const std::size_t found = limbs.size();
  for (std::size_t i = 0; i < found && embedding.mirrored; ++i) {
    if (limbs[i].dropped || limbs[i].partner >= 0) continue;
    ExtraLimb image = limbs[i];
    for (Vec3d& p : image.traced.line) p = embedding.plane.mirror(p);
    const Vec3d late = image.traced.line[3 * image.traced.line.size() / 4];
    if (std::abs(embedding.plane.side(late)) < kAside * body.size) continue;
    if (chains.covers(late) || !is_in_flesh(body, image.traced.line)) continue;
    image.traced.spheres.clear(), image.partner = static_cast<int>(i);
    const int parent = mirrored_joint(plan, image.parent);
    if (parent >= 0) image.parent = parent;
    limbs[i].partner = static_cast<int>(limbs.size());
    limbs.push_back(std::move(image));
  }
}

/// Which side a limb is on. Its end alone does not tell: an arm may reach for the other side.
rig::Side side_of(const body::BodyShape& body, const Embedding& embedding, const ExtraLimb& limb) {
  double left = 0;  // the plane's normal points there
  for (const Vec3d& p : limb.traced.line)
    left += embedding.plane.side(p) / static_cast<double>(limb.traced.line.size());
  if (limb.partner < 0 && std::abs(left) < kAside * body.size) return rig::Side::kMiddle;
  return left > 0 ? rig::Side::kLeft : rig::Side::kRight;
}

/// What it is: as it was read, or else as far as its place tells: on a head ears or, in the middle, a trunk; elsewhere
/// arms in pairs, or legs where there are many. Wings look like arms from here.
rig::LimbKind kind_of(const SkeletonPlan& plan, const ExtraLimb& limb) {
  if (limb.kind) return *limb.kind;
  if (limb.partner < 0) return rig::LimbKind::kTentacle;
  if (is_on_head(plan, limb.parent)) return rig::LimbKind::kEar;
  const auto legs = std::count_if(plan.limbs.begin(), plan.limbs.end(),
                                  [](const rig::Limb& other) { return other.kind == rig::LimbKind::kLeg; });
  return legs < kManyLegs ? rig::LimbKind::kArm : rig::LimbKind::kLeg;
}

/// Where along its limb a joint is: 0 at its start, 1 at its end.
float station_of(const SkeletonPlan& plan, int joint) {
  const rig::Role role = plan.joints[at(joint)].role;
  const int last = role.limb < 0 ? 0 : count_sections(plan, role.limb) - 1;
  return last > 0 ? static_cast<float>(role.section) / static_cast<float>(last) : 0;
}

/// Adds joints along a limb: as many as one of that length gets, which its partner may have.
void add_joints(const body::BodyShape& body, const ExtraLimb& limb, const std::string& name, rig::Side side,
                double length, SkeletonPlan& plan) {
  const int bones = std::clamp(static_cast<int>(std::ceil(length / (kBone * body.size))), 2, kMaxBones);
  const std::string suffix = side == rig::Side::kMiddle ? "" : (side == rig::Side::kLeft ? ".L" : ".R");
  const int index = add_limb(
      plan, {kind_of(plan, limb), side, plan.joints[at(limb.parent)].role.limb, station_of(plan, limb.parent)});
  int parent = limb.parent;
  const auto last = static_cast<int>(limb.traced.line.size()) - 1;
  for (int b = 0; b < bones; ++b) {
    plan.joints.push_back({name + "." + std::to_string(b + 1) + suffix, parent, limb.traced.line[at(b * last / bones)],
                           std::nullopt, index < 0 ? rig::Role{} : rig::Role{index, b}});
    parent = static_cast<int>(plan.joints.size()) - 1;
  }
  plan.joints[at(parent)].tail = limb.end();
}

bool has_side_fins(const SkeletonTemplate& skeleton) {
  return std::any_of(skeleton.limbs.begin(), skeleton.limbs.end(), [](const rig::Limb& limb) {
    return limb.kind == rig::LimbKind::kFin && limb.side != rig::Side::kMiddle;
  });
}

}  // namespace

int add_extra_limbs(const body::BodyShape& body, const EmbedSettings& settings, const Embedding& embedding,
                    SkeletonPlan& plan) {
  add_fingers(body, settings, embedding, plan);
  // A template with fins has those that paddle; the others are stiff, and so are spines.
  if (has_side_fins(embedding.skeleton)) return 0;
  std::vector<ExtraLimb> limbs = find_limbs(body, embedding);
  for (ExtraLimb& limb : limbs) limb.parent = nearest_joint(plan, limb.traced.line.front());
  find_partners(body, embedding, limbs);
  match_parents(plan, limbs);
  Missing missing = find_missing(plan, settings.reading);
  find_told(body, settings.reading, missing, limbs);
  drop_rigid(body, plan, limbs);
  drop_bumps(embedding, plan, limbs);
  drop_partners(limbs);
  add_images(body, embedding, plan, limbs);
  int number = 0, added = 0;
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    ExtraLimb& limb = limbs[i];
    if (limb.dropped || (limb.partner >= 0 && at(limb.partner) < i)) continue;
    if (limb.small && limb.partner < 0 && !limb.told) continue;  // a bump, no ear
    const std::string name = "limb." + std::to_string(++number);
    ExtraLimb& other = limb.partner >= 0 ? limbs[at(limb.partner)] : limb;
    limb.kind = read_kind(settings.reading, missing, body, limb);
    if (!limb.kind) limb.kind = kind_of_flesh(settings.reading, limb);
    other.kind = limb.kind;
    if (limb.kind) missing[static_cast<std::size_t>(*limb.kind)] -= limb.partner >= 0 ? 2 : 1;
    const double length = std::max(limb.traced.length(), other.traced.length());
    add_joints(body, limb, name, side_of(body, embedding, limb), length, plan), ++added;
    if (limb.partner >= 0) add_joints(body, other, name, side_of(body, embedding, other), length, plan), ++added;
  }
  return added;
}

}  // namespace limber::skeleton
