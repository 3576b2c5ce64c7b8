// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/hand_fingers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/body/polyline.h"
#include "limber/body/segment.h"
#include "limber/body/union_find.h"

namespace limber::skeleton {
namespace {

constexpr body::SolidSettings kHandSolid{192, 3000000, 3};
// Lengths are of the hand's, from the wrist to the end of its fingers.
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

std::size_t at(int index) { return static_cast<std::size_t>(index); }

struct Hand {
  int wrist = -1, fingers = -1;  ///< joints of the plan
  std::string side;
  Vec3d from, to;        ///< the wrist and the end of the fingers
  bool settled = false;  ///< gets no joints, but may show those of its partner

  double length() const { return norm(to - from); }
  Vec3d along() const { return normalized(to - from, Vec3d{}); }
};

struct Finger {
  std::vector<Vec3d> line;  ///< from the knuckle to the tip
  double thickness = 0;
};

/// The surface of a hand, cut off behind the wrist.
struct Patch {
  std::vector<Vec3> points;
  std::vector<body::Triangle> triangles;
};

Patch cut_hand(const body::WeldedSurface& surface, const Hand& hand) {
  const double length = hand.length();
  std::vector<bool> inside(surface.points.size());
  for (std::size_t p = 0; p < surface.points.size(); ++p) {
    const Vec3d out = surface.points[p] - hand.from;
    inside[p] = norm(out) < kReach * length && dot(out, hand.along()) > -kCut * length;
  }
  // Connected pieces around the hand's bone: not the thigh that a hand hangs beside.
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
    if (sum[piece] > kBeside * length * count[piece]) continue;
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
Finger trace(const body::BodyShape& shape, const body::Tip& tip) {
  const std::vector<int> path = shape.paths.path(tip.sphere);
  // Its own radius: that of its outer half.
  double way = 0, radius = 0;
  std::size_t counted = 0, knuckle = path.size() - 1;
  for (std::size_t k = path.size(); k-- > 1 && way < 0.5 * tip.length;) {
    radius += shape.sphere(path[k]).radius, ++counted;
    way += norm(shape.sphere(path[k]).centre - shape.sphere(path[k - 1]).centre);
  }
  radius /= static_cast<double>(std::max<std::size_t>(counted, 1));
  while (knuckle > 0 && shape.sphere(path[knuckle - 1]).radius < kKnuckle * radius) --knuckle;
  Finger finger;
  finger.thickness = 2 * radius;
  for (std::size_t k = knuckle; k < path.size(); ++k) finger.line.push_back(shape.sphere(path[k]).centre);
  const Vec3d before = shape.sphere(path[path.size() > 1 ? path.size() - 2 : 0]).centre;
  finger.line.push_back(finger.line.back() +
                        0.7 * shape.sphere(path.back()).radius * normalized(finger.line.back() - before));
  finger.line = body::resample(finger.line, 24);
  body::smooth(finger.line, 3);
  return finger;
}

/// Fingers that stand out clearly, the longest first.
std::vector<Finger> find_fingers(const body::BodyShape& body, const Hand& hand) {
  const Patch patch = cut_hand(body.surface, hand);
  if (patch.triangles.size() < 20) return {};
  const body::BodyShape shape = body::study_body(patch.points, patch.triangles, kHandSolid);
  std::vector<Finger> fingers;
  for (const body::Tip& tip : shape.tips) {
    const bool ahead = dot(shape.sphere(tip.sphere).centre - hand.from, hand.along()) > kBeyond * hand.length();
    if (!ahead || tip.length < body::kLimbRatio * shape.sphere(tip.fork).radius) continue;
    Finger finger = trace(shape, tip);
    const double length = body::polyline_length(finger.line);
    if (length < std::max(kLeastFinger * hand.length(), kSlender * finger.thickness)) continue;
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
    const double thickness = finger.thickness / hand.length(),
                 length = body::polyline_length(finger.line) / hand.length();
    thinnest = std::min(thinnest, thickness), thickest = std::max(thickest, thickness);
    shortest = std::min(shortest, length), longest = std::max(longest, length);
    aside += dot(normalized(finger.line.back() - finger.line.front(), Vec3d{}), hand.along()) < kAhead ? 1 : 0;
  }
  // A mitten and a thumb: the mitten ends where the hand does.
  const auto ends = [&](const Finger& finger) { return norm(finger.line.back() - hand.to) < kAtEnd * hand.length(); };
  if (fingers.size() == 2 && ends(fingers[0]) == ends(fingers[1])) return false;
  return thickest < kAlike * thinnest && longest < kAlike * shortest && longest < kLongest && aside <= 1;
}

/// The thumb first: it begins nearest to the wrist. Then across the palm, from beside the thumb on.
void sort_fingers(const Hand& hand, std::vector<Finger>& fingers) {
  const Vec3d along = hand.along();
  // The middle of a finger tells more than its root: the thumb's lies far behind the others'.
  auto ahead = [&](const Finger& finger) {
    return dot(finger.line.front() + finger.line.back() - 2.0 * hand.from, along);
  };
  std::iter_swap(fingers.begin(),
                 std::min_element(fingers.begin(), fingers.end(),
                                  [&](const Finger& a, const Finger& b) { return ahead(a) < ahead(b); }));
  Vec3d others;
  for (std::size_t k = 1; k < fingers.size(); ++k) {
    others += (1.0 / static_cast<double>(fingers.size() - 1)) * fingers[k].line.front();
  }
  Vec3d across = others - 0.5 * (fingers[0].line.front() + fingers[0].line.back());
  across = across - dot(across, along) * along;
  std::stable_sort(fingers.begin() + 1, fingers.end(), [&](const Finger& a, const Finger& b) {
    return dot(a.line.front() + a.line.back(), across) < dot(b.line.front() + b.line.back(), across);
  });
}

void add_finger(const Finger& finger, const std::string& name, const Hand& hand, int reused, SkeletonPlan& plan) {
  const bool stub = body::polyline_length(finger.line) < kStub * finger.thickness;
  const std::vector<double> shares = stub ? std::vector<double>{0, 0.5} : std::vector<double>{0, 0.42, 0.72};
  int parent = hand.wrist;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const PlannedJoint joint{name + "." + std::to_string(k + 1) + hand.side, parent,
                             body::point_along(finger.line, shares[k]), std::nullopt};
    if (k == 0 && reused >= 0) {
      plan.joints[at(reused)] = joint, parent = reused;
    } else {
      plan.joints.push_back(joint), parent = static_cast<int>(plan.joints.size()) - 1;
    }
  }
  plan.joints[at(parent)].tail = finger.line.back();
}

void add_hand(const Hand& hand, const std::vector<Finger>& fingers, SkeletonPlan& plan) {
  if (fingers.size() == 2) {
    add_finger(fingers[0], "thumb", hand, -1, plan);
    return;
  }
  constexpr std::array<const char*, kMostFingers> kNames{"thumb", "index", "middle", "ring", "pinky"};
  for (std::size_t k = 0; k < fingers.size(); ++k) {
    const std::string name = fingers.size() == kMostFingers ? kNames[k] : "finger." + std::to_string(k + 1);
    // The joint that moved all fingers becomes the root of one.
    add_finger(fingers[k], name, hand, k == 1 ? hand.fingers : -1, plan);
  }
}

/// Where the fingers end: the way through the arm may have gone on to the thumb.
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
  const int wrist = skeleton.find("wrist" + hand.side);
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

std::vector<Hand> find_hands(const body::BodyShape& body, const EmbedSettings& settings, const Embedding& embedding,
                             const SkeletonPlan& plan) {
  std::vector<Hand> hands;
  for (const char* side : {".L", ".R"}) {
    Hand hand;
    hand.side = side, hand.wrist = plan.find(std::string("wrist") + side);
    hand.fingers = plan.find(std::string("fingers") + side);
    if (hand.wrist < 0 || hand.fingers < 0) continue;
    const PlannedJoint& last = plan.joints[at(hand.fingers)];
    if (last.parent != hand.wrist || !last.tail) continue;
    hand.settled = is_settled(plan, embedding.skeleton, settings, hand);
    hand.from = plan.joints[at(hand.wrist)].at, hand.to = *last.tail;
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
      for (Vec3d& p : finger.line) p = embedding.plane.mirror(p);
    }
  }
  for (std::size_t k = 0; k < hands.size(); ++k) {
    if (!found[k].empty() && !hands[k].settled) add_hand(hands[k], found[k], plan);
  }
}

}  // namespace limber::skeleton
