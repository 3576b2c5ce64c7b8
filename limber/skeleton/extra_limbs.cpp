// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/extra_limbs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "limber/anatomy/joint_names.h"
#include "limber/body/polyline.h"
#include "limber/body/segment.h"
#include "limber/body/slice_widths.h"
#include "limber/skeleton/hand_fingers.h"

namespace limber::skeleton {
namespace {

// Lengths are of the body's size.
constexpr double kLeastLimb = 0.1;   // from where it leaves the flesh of others
constexpr double kLeastEar = 0.045;  // the same for pairs on top of a head
constexpr double kSlender = 1.3;     // times its mean breadth: what is shorter is a bump, a corner or a sheet
constexpr double kFlare = 2;         // times its mean breadth: where it is broader, a limb has not begun
constexpr double kBone = 0.11;       // one joint for each such length
constexpr int kMaxBones = 4, kMaxLimbs = 12;
constexpr double kFlesh = 1.25;    // of a sphere's radius: how far its flesh reaches
constexpr double kPartner = 0.06;  // how far a limb's end may be from its partner's image
constexpr double kAside =
    0.03;                       // what is farther from the plane between the sides, on the mean, belongs to one of them
constexpr double kOnTop = 0.5;  // times how far aside: how high above the head's joint an ear ends at least
constexpr double kNearHead = 1.5;  // times the distance from the nearest bone: what still hangs on the head

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// A limb from where it leaves the body to its end.
struct Limb {
  std::vector<Vec3d> line;
  std::vector<int> spheres;
  int from = -1;       ///< the sphere of a chain or another limb that it leaves
  int parent = 0;      ///< joint that it hangs on
  int partner = -1;    ///< the limb on the other side
  bool small = false;  ///< counts only as an ear
  bool dropped = false;

  Vec3d end() const { return line.back(); }
};

class Finder {
 public:
  Finder(const body::BodyShape& body, const Embedding& embedding) : body_(body), widths_(body) {
    taken_.assign(body.graph.spheres.size(), false);
    for (const auto& chain : embedding.chain_spheres) {
      for (const int s : chain) taken_[at(s)] = true;
    }
  }

  std::vector<Limb> run() {
    std::vector<Limb> limbs;
    for (const body::Tip& tip : body_.tips) {
      if (static_cast<int>(limbs.size()) >= kMaxLimbs) break;
      if (tip.length < kLeastEar * body_.size) continue;
      const std::vector<int> path = body_.paths.path(tip.sphere);
      std::size_t begin = path.size();
      while (begin > 0 && !is_covered(path[begin - 1])) --begin;
      if (begin == 0 || begin == path.size()) continue;
      Limb limb;
      std::size_t root = slender_from(path, begin);
      if (root == path.size()) root = begin, limb.small = true;
      // What covers its root may lie beside the way.
      const auto leaves = std::find_if(path.rend() - static_cast<std::ptrdiff_t>(root), path.rend(),
                                       [&](int s) { return taken_[at(s)]; });
      limb.from = leaves != path.rend() ? *leaves : path[root - 1];
      double thickness = 0;
      for (std::size_t k = root; k < path.size(); ++k) {
        limb.line.push_back(body_.sphere(path[k]).centre), limb.spheres.push_back(path[k]);
        thickness += 2 * body_.sphere(path[k]).radius / static_cast<double>(path.size() - root);
      }
      const Vec3d before = body_.sphere(path[path.size() - 2]).centre;
      limb.line.push_back(limb.line.back() +
                          0.7 * body_.sphere(tip.sphere).radius * normalized(limb.line.back() - before));
      const double length = body::polyline_length(limb.line);
      if (length < std::max((limb.small ? kLeastEar : kLeastLimb) * body_.size, kSlender * thickness)) continue;
      for (const int s : limb.spheres) taken_[at(s)] = true;
      limb.line = body::resample(limb.line, 32);
      body::smooth(limb.line, 4);
      limbs.push_back(std::move(limb));
    }
    return limbs;
  }

 private:
  /// Where on a way a limb begins that is longer than the body is broad along it; the end of the way where there is
  /// none.
  std::size_t slender_from(const std::vector<int>& path, std::size_t begin) const {
    double length = body_.sphere(path.back()).radius, area = 0;
    std::size_t best = path.size();
    for (std::size_t k = path.size(); k-- > begin;) {
      const body::MedialSphere& sphere = body_.sphere(path[k]);
      const double breadth = std::max(widths_.at(sphere.centre).breadth, 2 * sphere.radius);
      const double step = k + 1 < path.size() ? norm(body_.sphere(path[k + 1]).centre - sphere.centre) : 0;
      length += step, area += (k + 1 < path.size() ? step : sphere.radius) * breadth;
      const double mean = area / length;
      if (length > kSlender * mean && breadth < kFlare * mean && length > kLeastLimb * body_.size) best = k;
    }
    return best;
  }

  /// Inside the flesh of a chain a limb has not begun yet.
  bool is_covered(int sphere) const {
    if (taken_[at(sphere)]) return true;
    return std::any_of(body_.graph.edges[at(sphere)].begin(), body_.graph.edges[at(sphere)].end(),
                       [&](const body::SphereGraph::Edge& edge) {
                         return taken_[at(edge.to)] && edge.length < kFlesh * body_.sphere(edge.to).radius;
                       });
  }

  const body::BodyShape& body_;
  const body::SliceWidths widths_;
  std::vector<bool> taken_;
};

double distance_to(const SkeletonPlan& plan, int joint, Vec3d point) {
  const PlannedJoint& bone = plan.joints[at(joint)];
  double least = norm(point - body::closest_on_segment(point, {bone.at, bone.tail.value_or(bone.at)}));
  for (const PlannedJoint& child : plan.joints) {
    if (child.parent == joint)
      least = std::min(least, norm(point - body::closest_on_segment(point, {bone.at, child.at})));
  }
  return least;
}

bool is_called(const SkeletonPlan& plan, int joint, std::initializer_list<std::string_view> words) {
  return anatomy::has_word(anatomy::words_of(plan.joints[at(joint)].name), words);
}

/// The joint whose bone is nearest to a point; the head rather than the neck.
int nearest_joint(const SkeletonPlan& plan, Vec3d point) {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int j = 0; j < static_cast<int>(plan.joints.size()); ++j) {
    const double distance = distance_to(plan, j, point);
    if (distance < least) least = distance, best = j;
  }
  const int head = plan.find("head");
  const bool near = head >= 0 && is_called(plan, best, {"neck"}) && distance_to(plan, head, point) < kNearHead * least;
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

/// Leaves out what a body wears or holds, or what grew stiff: things in hands and on feet, pieces of their own on
/// heads, arms and legs (a hat, a dagger, a shield, horns), spikes and fins of a tail, and antlers, which are what
/// branches on a head. Pieces in pairs stay where the whole body is made of pieces.
void drop_rigid(const body::BodyShape& body, const SkeletonPlan& plan, std::vector<Limb>& limbs) {
  for (Limb& limb : limbs) {
    const bool end = is_called(plan, limb.parent, {"wrist", "hand", "fingers", "paw", "toe", "foot", "ankle", "tail"});
    const bool apart = is_called(plan, limb.parent, {"head", "neck", "elbow", "knee"}) &&
                       piece_at(body.surface, limb.end()) != piece_of(body, plan, limb.parent);
    const bool worn = apart && (limb.partner < 0 || piece_of(body, plan, limb.parent) == piece_of(body, plan, 0));
    limb.dropped = limb.dropped || end || worn;
  }
  auto on_head = [&](const Limb& limb) { return is_called(plan, limb.parent, {"head", "neck"}); };
  auto leaves = [](const Limb& twig, const Limb& limb) {
    return std::find(limb.spheres.begin() + 1, limb.spheres.end(), twig.from) != limb.spheres.end();
  };
  for (Limb& limb : limbs) {
    for (Limb& twig : limbs) {
      if (on_head(limb) && limb.spheres.size() > 1 && leaves(twig, limb)) limb.dropped = twig.dropped = true;
    }
  }
}

/// Small limbs are ears if they sit on top of a head.
void drop_bumps(const Embedding& embedding, const SkeletonPlan& plan, std::vector<Limb>& limbs) {
  const int head = plan.find("head");
  for (Limb& limb : limbs) {
    if (!limb.small) continue;
    const Vec3d out = head < 0 ? Vec3d{} : limb.end() - plan.joints[at(head)].at;
    const double high = dot(out, embedding.up()), aside = std::abs(dot(out, embedding.plane.normal));
    limb.dropped = limb.dropped || limb.parent != head || head < 0 || high < kOnTop * aside;
  }
}

/// Both of a pair stay, or neither.
void drop_partners(std::vector<Limb>& limbs) {
  for (Limb& limb : limbs) {
    if (limb.dropped && limb.partner >= 0) limbs[at(limb.partner)].dropped = true;
  }
}

/// Finds which limbs are mirror images of each other.
void pair_limbs(const body::BodyShape& body, const Embedding& embedding, std::vector<Limb>& limbs) {
  if (!embedding.mirrored) return;
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    if (limbs[i].partner >= 0 || std::abs(embedding.plane.side(limbs[i].end())) < 0.5 * kAside * body.size) continue;
    double nearest = kPartner * body.size;
    for (std::size_t j = i + 1; j < limbs.size(); ++j) {
      const double apart = norm(embedding.plane.mirror(limbs[i].end()) - limbs[j].end());
      if (limbs[j].partner < 0 && apart < nearest) nearest = apart, limbs[i].partner = static_cast<int>(j);
    }
    if (limbs[i].partner >= 0) limbs[at(limbs[i].partner)].partner = static_cast<int>(i);
  }
}

/// The joint of the other side; itself in the middle.
int mirrored_joint(const SkeletonPlan& plan, int joint) {
  const std::string& name = plan.joints[at(joint)].name;
  if (!name.ends_with(".L") && !name.ends_with(".R")) return joint;
  return plan.find(name.substr(0, name.size() - 1) + (name.back() == 'L' ? "R" : "L"));
}

/// Partners hang on partners, or both on a joint in the middle.
void match_parents(const SkeletonPlan& plan, std::vector<Limb>& limbs) {
  for (Limb& limb : limbs) {
    if (limb.partner < 0) continue;
    Limb& other = limbs[at(limb.partner)];
    const int image = mirrored_joint(plan, limb.parent);
    if (image == other.parent || image < 0) continue;
    if (mirrored_joint(plan, other.parent) == other.parent) {
      limb.parent = other.parent;
    } else {
      other.parent = image;
    }
  }
}

/// Gives limbs on one side of a symmetric body the partners that were overlooked: where their image is flesh that no
/// chain runs along.
void add_images(const body::BodyShape& body, const Embedding& embedding, const SkeletonPlan& plan,
                std::vector<Limb>& limbs) {
  auto is_free = [&](Vec3d point) {
    for (const auto& chain : embedding.chain_spheres) {
      for (const int s : chain) {
        if (norm(point - body.sphere(s).centre) < kFlesh * body.sphere(s).radius) return false;
      }
    }
    return body.field.depth(point) > 0;
  };
  const std::size_t found = limbs.size();
  for (std::size_t i = 0; i < found && embedding.mirrored; ++i) {
    if (limbs[i].dropped || limbs[i].partner >= 0) continue;
    Limb image = limbs[i];
    for (Vec3d& p : image.line) p = embedding.plane.mirror(p);
    // The very end may lie outside: the image is not exact.
    const Vec3d late = image.line[3 * image.line.size() / 4];
    if (std::abs(embedding.plane.side(late)) < kAside * body.size || !is_free(late)) continue;
    image.spheres.clear(), image.partner = static_cast<int>(i);
    const int parent = mirrored_joint(plan, image.parent);
    if (parent >= 0) image.parent = parent;
    limbs[i].partner = static_cast<int>(limbs.size());
    limbs.push_back(std::move(image));
  }
}

void add_limb(const body::BodyShape& body, const Limb& limb, const std::string& name, const std::string& side,
              double length, SkeletonPlan& plan) {
  const int bones = std::clamp(static_cast<int>(std::ceil(length / (kBone * body.size))), 2, kMaxBones);
  int parent = limb.parent;
  const auto last = static_cast<int>(limb.line.size()) - 1;
  for (int b = 0; b < bones; ++b) {
    plan.joints.push_back(
        {name + "." + std::to_string(b + 1) + side, parent, limb.line[at(b * last / bones)], std::nullopt});
    parent = static_cast<int>(plan.joints.size()) - 1;
  }
  plan.joints[at(parent)].tail = limb.line.back();
}

}  // namespace

int add_extra_limbs(const body::BodyShape& body, const EmbedSettings& settings, const Embedding& embedding,
                    SkeletonPlan& plan) {
  add_fingers(body, settings, embedding, plan);
  // A template with fins has those that paddle; the others are stiff, and so are spines.
  if (embedding.skeleton.find("fin.1.L") >= 0) return 0;
  std::vector<Limb> limbs = Finder(body, embedding).run();
  for (Limb& limb : limbs) limb.parent = nearest_joint(plan, limb.line.front());
  pair_limbs(body, embedding, limbs);
  match_parents(plan, limbs);
  drop_rigid(body, plan, limbs);
  drop_bumps(embedding, plan, limbs);
  drop_partners(limbs);
  add_images(body, embedding, plan, limbs);
  // The plane's normal points to the left. The end alone does not tell: an arm may reach for the other side.
  auto side = [&](const Limb& limb) {
    double left = 0;
    for (const Vec3d& p : limb.line) left += embedding.plane.side(p) / static_cast<double>(limb.line.size());
    return limb.partner < 0 && std::abs(left) < kAside * body.size ? "" : (left > 0 ? ".L" : ".R");
  };
  int number = 0, added = 0;
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    const Limb& limb = limbs[i];
    if (limb.dropped || (limb.partner >= 0 && at(limb.partner) < i)) continue;
    if (limb.small && limb.partner < 0) continue;  // a bump, no ear
    const std::string name = "limb." + std::to_string(++number);
    const Limb& other = limb.partner >= 0 ? limbs[at(limb.partner)] : limb;
    const double length = std::max(body::polyline_length(limb.line), body::polyline_length(other.line));
    add_limb(body, limb, name, side(limb), length, plan), ++added;
    if (limb.partner >= 0) add_limb(body, other, name, side(other), length, plan), ++added;
  }
  return added;
}

}  // namespace limber::skeleton
