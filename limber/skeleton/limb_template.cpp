// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/limb_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "limber/base/at.h"
#include "limber/body/polyline.h"
#include "limber/skeleton/turns.h"

namespace limber::skeleton {
namespace {

using anatomy::ReadLimb;
using rig::LimbKind;
using rig::Side;

constexpr double kLeastGirth = 0.005;   // of the size: thinner flesh is not measured
constexpr double kPartnerReach = 0.25;  // of the size: how far a limb may be from its partner's image, both ends summed
constexpr double kLeastAgreement =
    0.5;                             // of what was read with the turn that is taken; readings are shorter when unsure
constexpr double kSure = 0.7;        // confidence from which on a limb is not left out
constexpr double kTrunkPiece = 2.0;  // girths to a joint of the trunk
constexpr int kMostTrunk = 6;        // joints
constexpr int kMostPieces = 5;       // joints of a limb that bends anywhere
constexpr double kLimbPiece = 0.12;  // of the size: so long is a piece of a limb that bends anywhere
constexpr std::array<double, 4> kLegSections{0, 0.42, 0.8, 0.94};  // hip, knee, ankle, toe along a leg
constexpr std::array<double, 3> kArmSections{0, 0.45, 0.86};       // shoulder, elbow, wrist
constexpr std::array<double, 3> kWingSections{0, 0.3, 0.62};
constexpr std::array<double, 2> kShortSections{0, 0.5};

Vec3d mirror(Vec3d p) { return {-p.x, p.y, p.z}; }

/// A limb in the template's space: +Y up, facing +Z, the middle plane at x = 0.
struct PlacedLimb {
  LimbKind kind = LimbKind::kTrunk;
  Side side = Side::kMiddle;
  std::vector<Vec3d> line;  ///< from where it leaves to its end
  double confidence = 0;
  bool paired = false;  ///< stands for its mirror image too

  Vec3d root() const { return line.front(); }
  Vec3d tip() const { return line.back(); }
};

/// The reading in the template's space.
struct Placed {
  Mat3d template_from_body = Mat3d::identity();
  double middle = 0;  ///< x of the plane between the sides, before it became zero
  double size = 1;
  PlacedLimb trunk;
  std::vector<PlacedLimb> limbs;

  Vec3d place(Vec3d p) const { return template_from_body * p - Vec3d{middle, 0, 0}; }
};

std::vector<Vec3d> line_of(const ReadLimb& limb, const Placed& placed) {
  std::vector<Vec3d> line{placed.place(limb.root)};
  for (const Vec3d& start : limb.starts) {
    const Vec3d p = placed.place(start);
    if (norm(p - line.back()) > kLeastGirth * placed.size) line.push_back(p);
  }
  const Vec3d tip = placed.place(limb.tip);
  if (line.size() < 2 || norm(tip - line.back()) > kLeastGirth * placed.size) line.push_back(tip);
  return line;
}

/// Where the plane between the sides is: in the middle of what has two sides, else of the trunk.
double middle_of(const anatomy::BodyReading& reading, const Mat3d& template_from_body) {
  std::array<double, 2> sum{}, count{};
  double trunk = 0;
  for (const ReadLimb& limb : reading.limbs) {
    const double x = (template_from_body * limb.root).x;
    if (limb.kind == LimbKind::kTrunk) trunk = 0.5 * (x + (template_from_body * limb.tip).x);
    if (limb.side == Side::kMiddle) continue;
    const std::size_t k = limb.side == Side::kLeft ? 0 : 1;
    sum[k] += x, count[k] += 1;
  }
  return count[0] > 0 && count[0] == count[1] ? 0.5 * (sum[0] / count[0] + sum[1] / count[1]) : trunk;
}

/// A left limb and the right one that is most nearly its mirror image become one.
void pair_up(Placed& placed) {
  std::vector<PlacedLimb>& limbs = placed.limbs;
  for (std::size_t l = 0; l < limbs.size(); ++l) {
    if (limbs[l].side != Side::kLeft || limbs[l].paired) continue;
    std::size_t best = limbs.size();
    double nearest = kPartnerReach * placed.size;
    for (std::size_t r = 0; r < limbs.size(); ++r) {
      if (limbs[r].side != Side::kRight || limbs[r].kind != limbs[l].kind) continue;
      const double apart =
          norm(mirror(limbs[r].root()) - limbs[l].root()) + norm(mirror(limbs[r].tip()) - limbs[l].tip());
      if (apart < nearest) nearest = apart, best = r;
    }
    if (best == limbs.size()) continue;
    constexpr int kPieces = 16;
    std::vector<Vec3d> left = body::resample(limbs[l].line, kPieces), right = body::resample(limbs[best].line, kPieces);
    for (std::size_t k = 0; k < left.size(); ++k) left[k] = 0.5 * (left[k] + mirror(right[k]));
    limbs[l].line = std::move(left), limbs[l].paired = true;
    limbs[l].confidence = std::max(limbs[l].confidence, limbs[best].confidence);
    limbs.erase(limbs.begin() + static_cast<std::ptrdiff_t>(best));
    if (best < l) --l;
  }
}

/// The turn that suits the body's shape and is nearest to how a reading has it stand and face. A body that looks any
/// way (an octopus) may be taken to look any way.
std::optional<Mat3d> attitude_of(const body::BodyShape& body, const anatomy::BodyReading& reading,
                                 const std::optional<Vec3d>& forward) {
  std::optional<Mat3d> best;
  const bool looks = !forward && norm(reading.forward) > kLeastAgreement;
  double most = looks ? kLeastAgreement : -1;
  for (const Turn& turn : find_turns(body, forward)) {
    const double up = dot(turn.body_from_template.column(1), reading.up);
    const double ahead = forward ? up : dot(turn.body_from_template.column(2), reading.forward);
    if (up > kLeastAgreement && std::min(up, ahead) > most) most = std::min(up, ahead), best = turn.body_from_template;
  }
  return best;
}

std::optional<Placed> place_limbs(const body::BodyShape& body, const anatomy::BodyReading& reading,
                                  const std::optional<Vec3d>& forward) {
  const std::optional<Mat3d> attitude = attitude_of(body, reading, forward);
  const auto trunk = std::find_if(reading.limbs.begin(), reading.limbs.end(),
                                  [](const ReadLimb& limb) { return limb.kind == LimbKind::kTrunk; });
  if (!attitude || trunk == reading.limbs.end()) return std::nullopt;
  Placed placed;
  placed.template_from_body = transposed(*attitude), placed.size = body.size;
  placed.middle = middle_of(reading, placed.template_from_body);
  for (const ReadLimb& limb : reading.limbs) {
    if (limb.kind == LimbKind::kProp) continue;
    PlacedLimb own{limb.kind, limb.side, line_of(limb, placed), limb.confidence, false};
    if (limb.kind == LimbKind::kTrunk) {
      placed.trunk = std::move(own);
    } else {
      placed.limbs.push_back(std::move(own));
    }
  }
  for (Vec3d& p : placed.trunk.line) p.x = 0;
  pair_up(placed);
  // What is in the middle is in the plane; what leaves first comes first.
  for (PlacedLimb& limb : placed.limbs) {
    if (limb.side != Side::kMiddle) continue;
    for (Vec3d& p : limb.line) p.x = 0;
  }
  std::stable_sort(placed.limbs.begin(), placed.limbs.end(),
                   [](const PlacedLimb& a, const PlacedLimb& b) { return a.root().z > b.root().z; });
  return placed;
}

/// A template while it is built.
struct Growing {
  const body::BodyShape& body;
  const Placed& placed;
  SkeletonTemplate skeleton;

  double girth(Vec3d p) const {
    const Vec3d in_body = transposed(placed.template_from_body) * (p + Vec3d{placed.middle, 0, 0});
    return std::max(body.field.depth(in_body), kLeastGirth * body.size);
  }
  int add(std::string name, int parent, Vec3d place, rig::Role role) {
    TemplateJoint joint;
    joint.name = std::move(name), joint.parent = parent, joint.at = place, joint.girth = girth(place);
    joint.role = role;
    skeleton.joints.push_back(std::move(joint));
    return static_cast<int>(skeleton.joints.size()) - 1;
  }
};

/// hips, spine.1 ... chest, as many as its length has room for.
void grow_trunk(Growing& growing) {
  const std::vector<Vec3d>& line = growing.placed.trunk.line;
  const double length = body::polyline_length(line), girth = growing.girth(0.5 * (line.front() + line.back()));
  const int count = std::clamp(2 + static_cast<int>(std::lround(length / (kTrunkPiece * girth))), 2, kMostTrunk);
  const std::vector<Vec3d> even = body::resample(line, count - 1);
  growing.skeleton.limbs.push_back({});
  for (int k = 0; k < count; ++k) {
    const std::string name =
        k == 0 ? "hips" : (k + 1 == count ? "chest" : fmt::format("spine.{}", k));  // not a joint: a name that is given
    growing.add(name, k - 1, even[at(k)], {0, k});
  }
}

/// Joints where a limb wants them, from its root on.
std::vector<double> sections_of(const PlacedLimb& limb, double size) {
  const double length = body::polyline_length(limb.line);
  auto even = [&](int most) {
    const int count = std::clamp(static_cast<int>(std::lround(length / (kLimbPiece * size))), 1, most);
    std::vector<double> sections;
    for (int k = 0; k < count; ++k) sections.push_back(static_cast<double>(k) / count);
    return sections;
  };
  switch (limb.kind) {
    case LimbKind::kLeg:
      return {kLegSections.begin(), kLegSections.end()};
    case LimbKind::kArm:
      return {kArmSections.begin(), kArmSections.end()};
    case LimbKind::kWing:
      return {kWingSections.begin(), kWingSections.end()};
    case LimbKind::kFin:
    case LimbKind::kFinger:
      return {kShortSections.begin(), kShortSections.end()};
    case LimbKind::kTail:
    case LimbKind::kTentacle:
      return even(kMostPieces);
    case LimbKind::kNeck:
      return even(3);
    default:
      return {0};
  }
}

/// The read line with its own joints where there are as many as wanted, else at the usual shares of its length.
std::vector<Vec3d> joints_of(const PlacedLimb& limb, double size) {
  const std::vector<double> sections = sections_of(limb, size);
  if (!limb.paired && limb.line.size() == sections.size() + 1) return limb.line;
  constexpr int kFine = 64;
  const std::vector<Vec3d> fine = body::resample(limb.line, kFine);
  std::vector<Vec3d> joints;
  for (const double s : sections) joints.push_back(fine[static_cast<std::size_t>(std::lround(s * kFine))]);
  joints.push_back(limb.tip());
  return joints;
}

std::string_view word_of(LimbKind kind, int section) {
  constexpr std::array<std::string_view, 4> kLeg{"hip", "knee", "ankle", "toe"};  // not a joint: a name that is given
  constexpr std::array<std::string_view, 3> kArm{"shoulder", "elbow", "wrist"};   // not a joint: a name that is given
  if (kind == LimbKind::kLeg) return kLeg[std::min(at(section), kLeg.size() - 1)];
  if (kind == LimbKind::kArm) return kArm[std::min(at(section), kArm.size() - 1)];
  return {};
}

/// "leg.2.knee.L", "wing.1.3.L", "tail.2".
std::string joint_name(LimbKind kind, int number, int section, int sections, Side side) {
  const std::string_view word = word_of(kind, section);
  std::string name = std::string(rig::name(kind));
  if (number > 0) name += fmt::format(".{}", number);
  if (!word.empty()) {
    name += fmt::format(".{}", word);
  } else if (sections > 1) {
    name += fmt::format(".{}", section + 1);
  }
  if (side != Side::kMiddle) name += side == Side::kLeft ? ".L" : ".R";
  return name;
}

/// The joint among those of limbs of `kinds` that is nearest to where a limb leaves; -1 where there is none.
int nearest_joint(const SkeletonTemplate& skeleton, Vec3d root, std::initializer_list<LimbKind> kinds, Side side) {
  int best = -1;
  double nearest = 1e300;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const TemplateJoint& joint = skeleton.joints[j];
    const rig::Limb& limb = skeleton.limbs[at(joint.role.limb)];
    if (joint.tip || std::find(kinds.begin(), kinds.end(), limb.kind) == kinds.end()) continue;
    if (limb.side != Side::kMiddle && limb.side != side) continue;
    if (norm(joint.at - root) < nearest) nearest = norm(joint.at - root), best = static_cast<int>(j);
  }
  return best;
}

int parent_for(const SkeletonTemplate& skeleton, const PlacedLimb& limb) {
  auto below = [&](std::initializer_list<LimbKind> kinds) {
    return nearest_joint(skeleton, limb.root(), kinds, limb.side);
  };
  int parent = -1;
  switch (limb.kind) {
    case LimbKind::kHead:
      // At the end of its neck, not somewhere along it.
      parent = below({LimbKind::kNeck});
      for (std::size_t j = 0; parent >= 0 && j < skeleton.joints.size(); ++j) {
        if (skeleton.joints[j].role.limb == skeleton.joints[at(parent)].role.limb && !skeleton.joints[j].tip)
          parent = static_cast<int>(j);
      }
      break;
    case LimbKind::kEar:
    case LimbKind::kHorn:
    case LimbKind::kAntenna:
    case LimbKind::kJaw:
      parent = below({LimbKind::kHead});
      break;
    case LimbKind::kFinger:
      parent = below({LimbKind::kArm, LimbKind::kWing});
      break;
    default:
      break;
  }
  return parent >= 0 ? parent : std::max(0, below({LimbKind::kTrunk}));
}

/// How far along the limb that it hangs on.
float station_of(const SkeletonTemplate& skeleton, int parent) {
  const rig::Role role = skeleton.joints[at(parent)].role;
  int last = 0;
  for (const TemplateJoint& joint : skeleton.joints) {
    if (joint.role.limb == role.limb && !joint.tip) last = std::max(last, joint.role.section);
  }
  return last > 0 ? static_cast<float>(role.section) / static_cast<float>(last) : 0.0f;
}

/// One limb, on one side. Its joints' numbers, root first, the tip last.
std::vector<int> grow_limb(Growing& growing, const PlacedLimb& limb, int number, Side side, int parent) {
  SkeletonTemplate& skeleton = growing.skeleton;
  const std::vector<Vec3d> places = joints_of(limb, growing.placed.size);
  const int own = static_cast<int>(skeleton.limbs.size()), sections = static_cast<int>(places.size()) - 1;
  skeleton.limbs.push_back({limb.kind, side, skeleton.joints[at(parent)].role.limb, station_of(skeleton, parent)});
  std::vector<int> joints;
  for (int k = 0; k < sections; ++k) {
    const Vec3d p = side == Side::kRight && limb.side == Side::kLeft ? mirror(places[at(k)]) : places[at(k)];
    parent = growing.add(joint_name(limb.kind, number, k, sections, side), parent, p, {own, k});
    joints.push_back(parent);
  }
  const Vec3d end = side == Side::kRight && limb.side == Side::kLeft ? mirror(places.back()) : places.back();
  std::string name = skeleton.joints[at(parent)].name;
  const std::size_t cut = side == Side::kMiddle ? name.size() : name.size() - 2;
  name.insert(cut, ".tip");
  joints.push_back(growing.add(std::move(name), parent, end, {own, sections - 1}));
  TemplateJoint& tip = skeleton.joints.back();
  tip.tip = true, tip.foot = limb.kind == LimbKind::kLeg;
  skeleton.joints[at(joints.front())].optional = limb.confidence < kSure;
  return joints;
}

/// The same limb on the other side of a pair, hanging on the partner of what the first hangs on.
void grow_partner(Growing& growing, const PlacedLimb& limb, int number, const std::vector<int>& left) {
  SkeletonTemplate& skeleton = growing.skeleton;
  const int parent = skeleton.joints[at(left.front())].parent;
  const int beside = skeleton.joints[at(parent)].partner;
  const std::vector<int> right = grow_limb(growing, limb, number, Side::kRight, beside >= 0 ? beside : parent);
  for (std::size_t k = 0; k < left.size(); ++k) {
    skeleton.joints[at(left[k])].partner = right[k], skeleton.joints[at(right[k])].partner = left[k];
  }
}

void grow_limbs(Growing& growing, LimbKind kind) {
  const std::vector<PlacedLimb>& limbs = growing.placed.limbs;
  const auto same = std::count_if(limbs.begin(), limbs.end(), [&](const PlacedLimb& l) { return l.kind == kind; });
  int number = 0;
  for (const PlacedLimb& limb : limbs) {
    if (limb.kind != kind) continue;
    ++number;
    const int counted = same > 1 || kind == LimbKind::kLeg ? number : 0;
    const std::vector<int> joints = grow_limb(growing, limb, counted, limb.side, parent_for(growing.skeleton, limb));
    if (limb.paired) grow_partner(growing, limb, counted, joints);
  }
}

}  // namespace

LimbTally tally_limbs(std::span<const rig::Limb> limbs) {
  LimbTally counts;
  for (const rig::Limb& limb : limbs) {
    counts.legs += limb.kind == LimbKind::kLeg ? 1 : 0;
    counts.arms += limb.kind == LimbKind::kArm ? 1 : 0;
    counts.wings += limb.kind == LimbKind::kWing ? 1 : 0;
    counts.fins += limb.kind == LimbKind::kFin && limb.side != Side::kMiddle ? 1 : 0;
    counts.tentacles += limb.kind == LimbKind::kTentacle ? 1 : 0;
    counts.heads += limb.kind == LimbKind::kHead ? 1 : 0;
  }
  return counts;
}

LimbTally tally_limbs(const anatomy::BodyReading& reading) {
  std::vector<rig::Limb> limbs;
  for (const ReadLimb& limb : reading.limbs) limbs.push_back({limb.kind, limb.side, -1, 0});
  return tally_limbs(limbs);
}

double tally_cost(const LimbTally& tally, const anatomy::LimbCounts& counts) {
  constexpr double kLeast = 1e-4;  // no count is less likely than this
  double cost = 0;
  auto add = [&](LimbKind kind, int count) {
    const auto& shares = counts[static_cast<std::size_t>(kind)];
    const auto counted = std::min(static_cast<std::size_t>(count), shares.size() - 1);
    cost -= std::log(std::max(kLeast, static_cast<double>(shares[counted])));
  };
  add(LimbKind::kLeg, tally.legs), add(LimbKind::kArm, tally.arms), add(LimbKind::kWing, tally.wings);
  add(LimbKind::kTentacle, tally.tentacles), add(LimbKind::kHead, std::max(tally.heads, 1));
  return cost;
}

bool has_likeliest_kinds(const LimbTally& tally, const anatomy::LimbCounts& counts) {
  const auto agrees = [&](LimbKind kind, int count) {
    const auto& shares = counts[static_cast<std::size_t>(kind)];
    const bool likely = std::max_element(shares.begin(), shares.end()) != shares.begin();
    return likely == (count > 0);
  };
  return agrees(LimbKind::kLeg, tally.legs) && agrees(LimbKind::kArm, tally.arms) &&
         agrees(LimbKind::kWing, tally.wings) && agrees(LimbKind::kTentacle, tally.tentacles);
}

std::string to_text(const LimbTally& tally) {
  std::string text;
  auto say = [&](int count, LimbKind kind, std::string_view which = "") {
    if (count == 0) return;
    text += text.empty() ? "" : ", ";
    text += count == 1 ? fmt::format("one {}{}", which, rig::name(kind))
                       : fmt::format("{} {}{}s", count, which, rig::name(kind));
  };
  say(tally.legs, LimbKind::kLeg), say(tally.arms, LimbKind::kArm), say(tally.wings, LimbKind::kWing);
  say(tally.fins, LimbKind::kFin, "side "), say(tally.tentacles, LimbKind::kTentacle),
      say(tally.heads, LimbKind::kHead);
  return text.empty() ? "no limbs" : text;
}

std::optional<BuiltTemplate> template_from_limbs(const body::BodyShape& body, const anatomy::BodyReading& reading,
                                                 const std::optional<Vec3d>& forward) {
  if (reading.points.empty()) return std::nullopt;
  const std::optional<Placed> placed = place_limbs(body, reading, forward);
  if (!placed) return std::nullopt;
  Growing growing{body, *placed, {}};
  growing.skeleton.name = kBuiltTemplate;
  grow_trunk(growing);
  // What others hang on first.
  for (const LimbKind kind : {LimbKind::kNeck, LimbKind::kHead, LimbKind::kTail, LimbKind::kLeg, LimbKind::kArm,
                              LimbKind::kWing, LimbKind::kFin, LimbKind::kTentacle, LimbKind::kFinger, LimbKind::kEar,
                              LimbKind::kHorn, LimbKind::kAntenna, LimbKind::kJaw}) {
    grow_limbs(growing, kind);
  }
  return BuiltTemplate{std::move(growing.skeleton), transposed(placed->template_from_body), {placed->middle, 0, 0}};
}

Embedding embedding_as_read(const BuiltTemplate& built) {
  Embedding embedding;
  embedding.skeleton = built.skeleton, embedding.body_from_template = built.body_from_template;
  embedding.present.assign(built.skeleton.joints.size(), true);
  for (const TemplateJoint& joint : built.skeleton.joints)
    embedding.at.push_back(built.body_from_template * (joint.at + built.origin));
  return embedding;
}

}  // namespace limber::skeleton
