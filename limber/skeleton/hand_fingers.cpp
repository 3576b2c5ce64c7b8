// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/hand_fingers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "limber/base/at.h"
#include "limber/body/limbs.h"
#include "limber/body/polyline.h"
#include "limber/body/segment.h"
#include "limber/body/union_find.h"
#include "limber/skeleton/limb_roles.h"

namespace limber::skeleton {
namespace {

constexpr body::SolidSettings kHandSolid{192, 3000000, 3};
// Lengths are of the hand's, from the wrist to the end of its fingers. All set by hand, on the shared models.
constexpr double kReach = 1.4;        // how far from the wrist its surface is looked at
constexpr double kCut = 0.1;          // how far behind the wrist
constexpr double kBeside = 0.5;       // pieces of surface whose mean distance from the hand's bone is larger are others
constexpr double kBeyond = 0.3;       // ends nearer to the wrist along the hand are no fingertips
constexpr double kLeastFinger = 0.2;  // the shortest finger
constexpr double kSlender = 1.2;      // times its thickness: what is shorter is a bump
constexpr double kKnuckle = 1.5;      // times its own radius: where a finger is thicker, it is the palm
constexpr double kStub = 2.5;         // times its thickness: shorter fingers have two bones
constexpr double kLongest = 1;        // the longest finger
constexpr double kAlike = 3;          // times: how much fingers of a hand differ in length and thickness
constexpr double kAhead = 0.4;        // cosine: fingers that point farther aside are thumbs
constexpr double kThumbTimes = 2;     // times the length of a thumb from the wrist: how far fingers may reach
constexpr double kInLine = 0.8;       // cosine: how straight on from the forearm
constexpr double kAtEnd = 0.3;        // how far from the hand's end a mitten ends
constexpr std::size_t kMostFingers = 5;
constexpr std::size_t kFewestTriangles = 20;          // a hand of fewer shows no fingers
constexpr double kOuter = 0.5;                        // share of a finger, from its tip, that tells how thick it is
constexpr int kPieces = 24, kSmoothing = 3;           // of a finger's line
constexpr std::array<double, 2> kStubJoints{0, 0.5};  // where the joints of a finger are, along it
constexpr std::array<double, 3> kFingerJoints{0, 0.42, 0.72};

struct Hand {
  int wrist = -1, fingers = -1;  ///< joints of the plan
  rig::Side side = rig::Side::kMiddle;
  Vec3d from, to;        ///< the wrist and the end of the fingers
  bool settled = false;  ///< gets no joints, but may show those of its partner

  double length() const { return norm(to - from); }
  Vec3d along() const { return normalized(to - from, Vec3d{}); }
};

struct Finger {
  body::TracedLimb traced;  ///< from the knuckle to the tip
  double thickness = 0;

  Vec3d root() const { return traced.line.front(); }
  Vec3d tip() const { return traced.end(); }
  Vec3d direction() const { return normalized(tip() - root(), Vec3d{}); }
};

/// The surface of a hand, cut off behind the wrist.
struct Patch {
  std::vector<Vec3> points;
  std::vector<body::Triangle> triangles;
};

/// Which points lie about the hand, in front of the cut.
std::vector<bool> points_inside(const body::WeldedSurface& surface, const Hand& hand) {
  const double length = hand.length();
  std::vector<bool> inside(surface.points.size());
  for (std::size_t p = 0; p < surface.points.size(); ++p) {
    const Vec3d out = surface.points[p] - hand.from;
    inside[p] = norm(out) < kReach * length && dot(out, hand.along()) > -kCut * length;
  }
  return inside;
}

/// Connected pieces around the hand's bone: not the thigh that a hand hangs beside.
Patch cut_hand(const body::WeldedSurface& surface, const Hand& hand) {
  const std::vector<bool> inside = points_inside(surface, hand);
  body::UnionFind sets(surface.points.size());
  std::vector<const body::Triangle*> chosen;
  for (const body::Triangle& t : surface.triangles) {
    if (!inside[t[0]] || !inside[t[1]] || !inside[t[2]]) continue;
    chosen.push_back(&t);
    for (const std::uint32_t corner : {t[1], t[2]}) sets.join(static_cast<int>(corner), static_cast<int>(t[0]));
  }
  std::vector<double> sum(surface.points.size(), 0), count(surface.points.size(), 0);
  for (std::size_t p = 0; p < surface.points.size(); ++p) {
    if (!inside[p]) continue;
    const std::size_t piece = at(sets.root(static_cast<int>(p)));
    sum[piece] += norm(surface.points[p] - body::closest_on_segment(surface.points[p], {hand.from, hand.to})),
        ++count[piece];
  }
  Patch patch;
  std::vector<int> place(surface.points.size(), -1);
  for (const body::Triangle* t : chosen) {
    const std::size_t piece = at(sets.root(static_cast<int>((*t)[0])));
    if (sum[piece] > kBeside * hand.length() * count[piece]) continue;
    body::Triangle corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      int& index = place[(*t)[k]];
      if (index < 0) {
        index = static_cast<int>(patch.points.size());
        patch.points.push_back(surface.points[(*t)[k]].cast<float>());
      }
      corners[k] = static_cast<std::uint32_t>(index);
    }
    patch.triangles.push_back(corners);
  }
  return patch;
}

/// The finger that ends at a tip, from where it is no longer palm.
Finger trace_finger(const body::BodyShape& shape, const body::Tip& tip) {
  const std::vector<int> path = shape.paths.path(tip.sphere);
  double along = 0, radius = 0;
  std::size_t counted = 0, knuckle = path.size() - 1;
  for (std::size_t k = path.size(); k-- > 1 && along < kOuter * tip.length;) {
    radius += shape.sphere(path[k]).radius, ++counted;
    along += shape.distance(path[k], path[k - 1]);
  }
  radius /= static_cast<double>(std::max<std::size_t>(counted, 1));
  while (knuckle > 0 && shape.sphere(path[knuckle - 1]).radius < kKnuckle * radius) --knuckle;
  Finger finger{body::trace_limb(shape, path, body::LimbEnd::kInFlesh, knuckle), 2 * radius};
  finger.traced.make_even(kPieces, kSmoothing);
  return finger;
}

/// Fingers that stand out clearly, the longest first.
std::vector<Finger> find_fingers(const body::BodyShape& body, const Hand& hand) {
  const Patch patch = cut_hand(body.surface, hand);
  if (patch.triangles.size() < kFewestTriangles) return {};
  const body::BodyShape shape = body::study_body(patch.points, patch.triangles, kHandSolid);
  std::vector<Finger> fingers;
  for (const body::Tip& tip : shape.tips) {
    const bool ahead = dot(shape.sphere(tip.sphere).centre - hand.from, hand.along()) > kBeyond * hand.length();
    if (!ahead || tip.length < body::kLimbRatio * shape.sphere(tip.fork).radius) continue;
    Finger finger = trace_finger(shape, tip);
    if (finger.traced.length() < std::max(kLeastFinger * hand.length(), kSlender * finger.thickness)) continue;
    fingers.push_back(std::move(finger));
    if (fingers.size() == kMostFingers) break;
  }
  return fingers;
}

/// Whether all of them could be fingers of one hand: alike in length and thickness, and at most one turned aside.
bool is_plausible(const Hand& hand, const std::vector<Finger>& fingers) {
  if (fingers.size() < 2) return false;
  double thinnest = kReach, thickest = 0, shortest = kReach, longest = 0;
  int aside = 0;
  for (const Finger& finger : fingers) {
    const double thickness = finger.thickness / hand.length(), length = finger.traced.length() / hand.length();
    thinnest = std::min(thinnest, thickness), thickest = std::max(thickest, thickness);
    shortest = std::min(shortest, length), longest = std::max(longest, length);
    aside += dot(finger.direction(), hand.along()) < kAhead ? 1 : 0;
  }
  // A mitten and a thumb: the mitten ends where the hand does.
  const auto ends = [&](const Finger& finger) { return norm(finger.tip() - hand.to) < kAtEnd * hand.length(); };
  if (fingers.size() == 2 && ends(fingers[0]) == ends(fingers[1])) return false;
  return thickest < kAlike * thinnest && longest < kAlike * shortest && longest < kLongest && aside <= 1;
}

/// The thumb first: it begins nearest to the wrist. Then across the palm, from beside the thumb on.
void sort_fingers(const Hand& hand, std::vector<Finger>& fingers) {
  const Vec3d along = hand.along();
  // The middle of a finger tells more than its root: the thumb's lies far behind the others'.
  auto ahead = [&](const Finger& finger) { return dot(finger.root() + finger.tip() - 2.0 * hand.from, along); };
  std::iter_swap(fingers.begin(),
                 std::min_element(fingers.begin(), fingers.end(),
                                  [&](const Finger& a, const Finger& b) { return ahead(a) < ahead(b); }));
  Vec3d others;
  for (std::size_t k = 1; k < fingers.size(); ++k) {
    others += (1.0 / static_cast<double>(fingers.size() - 1)) * fingers[k].root();
  }
  Vec3d across = others - 0.5 * (fingers[0].root() + fingers[0].tip());
  across = across - dot(across, along) * along;
  std::stable_sort(fingers.begin() + 1, fingers.end(), [&](const Finger& a, const Finger& b) {
    return dot(a.root() + a.tip(), across) < dot(b.root() + b.tip(), across);
  });
}

/// What the fingers of a hand are called, the thumb first: as in the template that has them.
std::vector<std::string> finger_names() {
  for (const SkeletonTemplate& skeleton : builtin_templates()) {
    std::vector<std::string> names;
    for (int j = 0; j < static_cast<int>(skeleton.joints.size()); ++j) {
      const TemplateJoint& joint = skeleton.joints[at(j)];
      const bool root = is_of(skeleton, j, {rig::LimbKind::kFinger}) && joint.role.section == 0 && !joint.tip;
      if (root) names.push_back(joint.name.substr(0, joint.name.find('.')));
    }
    if (names.size() == kMostFingers) return names;
  }
  return {};
}

/// Adds a finger's joints. `reused` is a joint of the plan that becomes its first, -1 for none.
void add_finger(const Finger& finger, const std::string& name, const Hand& hand, int reused, SkeletonPlan& plan) {
  const bool stub = finger.traced.length() < kStub * finger.thickness;
  const std::span<const double> shares = stub ? std::span<const double>(kStubJoints) : kFingerJoints;
  const int arm = plan.joints[at(hand.wrist)].role.limb;
  const int limb =
      reused >= 0 ? plan.joints[at(reused)].role.limb : add_limb(plan, {rig::LimbKind::kFinger, hand.side, arm, 1});
  int parent = hand.wrist;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const PlannedJoint joint{name + "." + std::to_string(k + 1) + (hand.side == rig::Side::kLeft ? ".L" : ".R"),
                             parent,
                             body::point_along(finger.traced.line, shares[k]),
                             std::nullopt,
                             {limb, static_cast<int>(k)}};
    if (k == 0 && reused >= 0) {
      plan.joints[at(reused)] = joint, parent = reused;
    } else {
      plan.joints.push_back(joint), parent = static_cast<int>(plan.joints.size()) - 1;
    }
  }
  plan.joints[at(parent)].tail = finger.tip();
}

void add_hand(const Hand& hand, const std::vector<Finger>& fingers, SkeletonPlan& plan) {
  const std::vector<std::string> names = finger_names();
  if (fingers.size() == 2) {
    add_finger(fingers[0], names.front(), hand, -1, plan);
    return;
  }
  for (std::size_t k = 0; k < fingers.size(); ++k) {
    const std::string numbered = std::string(rig::name(rig::LimbKind::kFinger)) + "." + std::to_string(k + 1);
    // The joint that moved all fingers becomes the root of one.
    add_finger(fingers[k], fingers.size() == kMostFingers ? names[k] : numbered, hand, k == 1 ? hand.fingers : -1,
               plan);
  }
}

/// Where the fingers end: the path through the arm may have gone on to the thumb.
Vec3d end_of_hand(const body::BodyShape& body, const SkeletonPlan& plan, const Hand& hand) {
  const int elbow = plan.joints[at(hand.wrist)].parent;
  if (elbow < 0) return hand.to;
  const Vec3d forearm = normalized(hand.from - plan.joints[at(elbow)].at, Vec3d{});
  Vec3d end = hand.to;
  for (const body::Tip& tip : body.tips) {
    const Vec3d out = body.sphere(tip.sphere).centre - hand.from;
    if (norm(out) > kThumbTimes * hand.length() || dot(out, forearm) < kInLine * norm(out)) continue;
    if (dot(out, forearm) > dot(end - hand.from, forearm)) end = hand.from + out;
  }
  return end;
}

/// Whether a person or a template has said more of a hand than that it has fingers.
bool is_settled(const SkeletonPlan& plan, const SkeletonTemplate& skeleton, const EmbedSettings& settings,
                const Hand& hand) {
  // Pins may name the end of a hand, which is no joint of the plan.
  const int wrist = skeleton.find(plan.joints[at(hand.wrist)].name);
  for (const auto& [name, place] : settings.pins) {
    int joint = skeleton.find(name);
    while (joint >= 0 && joint != wrist) joint = skeleton.joints[at(joint)].parent;
    if (joint >= 0) return true;
  }
  for (int j = 0; j < static_cast<int>(plan.joints.size()); ++j) {
    if (plan.joints[at(j)].parent == hand.wrist && j != hand.fingers) return true;
  }
  return false;
}

/// The joint that moves all fingers of one side: alone at the end of an arm. -1 for none.
int joint_of_fingers(const SkeletonPlan& plan, rig::Side side) {
  const std::vector<std::vector<int>> children = plan.children();
  for (int j = 0; j < static_cast<int>(plan.joints.size()); ++j) {
    const PlannedJoint& joint = plan.joints[at(j)];
    const bool fingers = is_of(plan, j, {rig::LimbKind::kFinger}) && limb_of(plan, j)->side == side;
    if (!fingers || joint.parent < 0 || !is_of(plan, joint.parent, {rig::LimbKind::kArm})) continue;
    if (children[at(j)].empty() && joint.tail) return j;
  }
  return -1;
}

std::vector<Hand> find_hands(const body::BodyShape& body, const EmbedSettings& settings, const Embedding& embedding,
                             const SkeletonPlan& plan) {
  std::vector<Hand> hands;
  for (const rig::Side side : {rig::Side::kLeft, rig::Side::kRight}) {
    Hand hand;
    hand.side = side, hand.fingers = joint_of_fingers(plan, side);
    if (hand.fingers < 0) continue;
    hand.wrist = plan.joints[at(hand.fingers)].parent;
    hand.settled = is_settled(plan, embedding.skeleton, settings, hand);
    hand.from = plan.joints[at(hand.wrist)].at, hand.to = *plan.joints[at(hand.fingers)].tail;
    hand.to = end_of_hand(body, plan, hand);
    if (hand.length() > 0) hands.push_back(hand);
  }
  return hands;
}

}  // namespace

void add_fingers(const body::BodyShape& body, const EmbedSettings& settings, const Embedding& embedding,
                 SkeletonPlan& plan) {
  const std::vector<Hand> hands = find_hands(body, settings, embedding, plan);
  std::vector<std::vector<Finger>> found;
  for (const Hand& hand : hands) {
    // One whole hand is enough for both sides.
    const bool known = embedding.mirrored && !found.empty() && found.front().size() == kMostFingers;
    found.push_back(known ? std::vector<Finger>{} : find_fingers(body, hand));
    if (!is_plausible(hand, found.back())) found.back().clear();
    if (!found.back().empty()) sort_fingers(hand, found.back());
  }
  if (embedding.mirrored && hands.size() == 2 && found[0].size() != found[1].size()) {
    const std::size_t more = found[0].size() > found[1].size() ? 0 : 1;
    found[1 - more] = found[more];
    for (Finger& finger : found[1 - more]) {
      for (Vec3d& p : finger.traced.line) p = embedding.plane.mirror(p);
    }
  }
  for (std::size_t k = 0; k < hands.size(); ++k) {
    if (!found[k].empty() && !hands[k].settled) add_hand(hands[k], found[k], plan);
  }
}

}  // namespace limber::skeleton
