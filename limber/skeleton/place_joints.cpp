// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/place_joints.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "limber/base/at.h"
#include "limber/body/limbs.h"
#include "limber/body/polyline.h"
#include "limber/body/segment.h"
#include "limber/skeleton/limb_roles.h"
#include "limber/skeleton/read_cues.h"

namespace limber::skeleton {
namespace {

// All set by hand, on the zoo, the shared models and the training characters.
constexpr double kReadShare = 0.7;     // of the distance to where a reading has a joint ...
constexpr double kReadReach = 0.12;    // ... which is not believed farther away than this, of the size
constexpr int kSteps = 48;             // places tried along a path
constexpr int kSmoothing = 6;          // rounds in which a path is drawn straight: spheres zigzag
constexpr double kTurnCost = 1;        // 1 - cosine between a bone and the template's, times its share of the chain
constexpr double kShareCost = 4;       // squared difference of the shares of the chain's length
constexpr double kBendCost = 60;       // mean squared distance of the path from its bones, of the path's length
constexpr double kLeaveCost = 0.1;     // squared log of the ratio of girths where a limb leaves the trunk, at most one
constexpr int kAnkle = 2;              // section of a leg that has hip, knee and ankle
constexpr double kHangs = 0.7;         // cosine: what leans more is no leg that hangs
constexpr double kOut = 0.9;           // how far a socket moves to where its leg is, of the distance to the side
constexpr double kRaise = 0.8;         // how far it rises to the middle of a level trunk
constexpr double kSocketDepth = 0.02;  // of the size: how deep a socket lies at least

constexpr double kUpright = 0.7;    // cosine: how upright a trunk is whose pelvis lies low
constexpr double kPelvis = 0.8;     // how far it goes down to the hips
constexpr double kOffMost = 0.8;    // of the depth at a joint: how far at most
constexpr double kLongBone = 2;     // breadths: bones of a straight body without limbs are not shorter
constexpr double kStraight = 0.25;  // breadths: what lies this near to a bone is straight
constexpr double kTube = 10;        // breadths: longer bodies bend like snakes

double bend(const std::vector<Vec3d>& line, int from, int to) {
  const Vec3d a = line[at(from)], ab = line[at(to)] - a;
  const double length = squared_norm(ab);
  double sum = 0;
  for (int k = from + 1; k < to; ++k) {
    const Vec3d p = line[at(k)] - a;
    const double t = length > 0 ? std::clamp(dot(p, ab) / length, 0.0, 1.0) : 0;
    sum += squared_norm(p - t * ab);
  }
  return sum / kSteps;
}

/// Per step of a path, how much thicker than on the whole the body is there: logs of the ratio.
std::vector<double> thickness(const body::BodyShape& body, const std::vector<Vec3d>& line) {
  std::vector<double> logs;
  double mean = 0;
  for (const Vec3d& p : line) {
    logs.push_back(std::log(std::max(body.field.depth(p), 0.5 * body.solid.grid.cell)));
    mean += logs.back() / static_cast<double>(line.size());
  }
  for (double& value : logs) value -= mean;
  return logs;
}

/// The same of a template's joint, among those of its chain; none where girths are not known.
std::optional<double> wanted_thickness(const std::vector<Vec3d>& fitted, const std::vector<double>& girths,
                                       std::size_t joint) {
  double mean = 0;
  const double chain = std::max(body::polyline_length(fitted), 1e-12);
  if (std::any_of(girths.begin(), girths.end(), [](double girth) { return !(girth > 0); })) return std::nullopt;
  for (std::size_t b = 0; b + 1 < fitted.size(); ++b) {
    mean += 0.5 * std::log(girths[b] * girths[b + 1]) * norm(fitted[b + 1] - fitted[b]) / chain;
  }
  return std::log(girths[joint]) - mean;
}

/// Which steps of the path the joints of a chain take: least cost over all increasing choices.
std::vector<int> split(const body::BodyShape& body, const std::vector<Vec3d>& line, const std::vector<Vec3d>& fitted,
                       const std::vector<double>& girths) {
  const std::size_t bones = fitted.size() - 1;
  const double length = std::max(body::polyline_length(line), 1e-12),
               chain = std::max(body::polyline_length(fitted), 1e-12);
  std::vector<std::vector<double>> best(bones + 1,
                                        std::vector<double>(kSteps + 1, std::numeric_limits<double>::infinity()));
  std::vector<std::vector<int>> from(bones + 1, std::vector<int>(kSteps + 1, 0));
  best[0][0] = 0;
  const std::vector<double> thick = thickness(body, line);
  const std::optional<double> leaving = bones > 2 ? wanted_thickness(fitted, girths, 1) : std::nullopt;
  double share = 0;
  for (std::size_t b = 0; b < bones; ++b) {
    const Vec3d wanted = normalized(fitted[b + 1] - fitted[b], Vec3d{});
    share += norm(fitted[b + 1] - fitted[b]) / chain;
    const bool last = b + 1 == bones;
    for (int to = last ? kSteps : 1; to <= kSteps; ++to) {
      const double off = static_cast<double>(to) / kSteps - share;
      const double thicker = b == 0 && leaving ? thick[at(to)] - *leaving : 0;
      for (int i = 0; i < to; ++i) {
        if (!(best[b][at(i)] < best[b + 1][at(to)])) continue;
        const Vec3d bone = line[at(to)] - line[at(i)];
        const double cost = best[b][at(i)] +
                            kTurnCost * (1 - dot(normalized(bone, Vec3d{}), wanted)) * (to - i) / kSteps +
                            kShareCost * off * off + kLeaveCost * std::min(thicker * thicker, 1.0) +
                            kBendCost * bend(line, i, to) / (length * length);
        if (cost < best[b + 1][at(to)]) best[b + 1][at(to)] = cost, from[b + 1][at(to)] = i;
      }
    }
  }
  std::vector<int> steps(bones + 1, kSteps);
  for (std::size_t b = bones; b > 0; --b) steps[b - 1] = from[b][at(steps[b])];
  return steps;
}

/// Which way the trunk runs at a joint that limbs leave.
Vec3d trunk_at(const Embedding& embedding, int joint) {
  const std::vector<TemplateJoint>& joints = embedding.skeleton.joints;
  int other = joints[at(joint)].parent;
  for (std::size_t j = 0; j < joints.size() && other < 0; ++j) {
    if (joints[j].parent == joint && joints[j].partner < 0 && !joints[j].tip) other = static_cast<int>(j);
  }
  return other < 0 ? Vec3d{} : normalized(embedding.at[at(other)] - embedding.at[at(joint)], Vec3d{});
}

/// Whether a chain is a leg that leaves the trunk, with hip, knee and ankle.
bool is_leg(const SkeletonTemplate& skeleton, const std::vector<int>& chain) {
  if (!skeleton.joints[at(chain.back())].foot || !is_of(skeleton, chain.back(), {rig::LimbKind::kLeg})) return false;
  const rig::Role hip = skeleton.joints[at(chain[1])].role, end = skeleton.joints[at(chain.back())].role;
  return hip.limb == end.limb && hip.section == 0 && end.section >= kAnkle;
}

/// Legs hang below their sockets: artists have hips and shoulders straight above the leg and, where the trunk is level,
/// nearly as high as its middle. The path through the body comes slanting from the middle instead.
void raise_sockets(const body::BodyShape& body, Embedding& embedding) {
  const Vec3d up = embedding.up();
  const Vec3d left = embedding.mirrored ? embedding.plane.normal : embedding.body_from_template.column(0);
  for (const std::vector<int>& chain : embedding.chains) {
    if (!is_leg(embedding.skeleton, chain)) continue;
    const Vec3d middle = embedding.at[at(chain[0])], knee = embedding.at[at(chain[2])];
    Vec3d& socket = embedding.at[at(chain[1])];
    if (dot(normalized(socket - embedding.at[at(chain.back())], Vec3d{}), up) < kHangs) continue;
    const double level = 1 - std::abs(dot(trunk_at(embedding, chain[0]), up));
    const double raise =
        chain[0] == 0 ? kRaise * level * dot(middle - socket, up) : 0;  // shoulders of animals hang low
    Vec3d wanted = socket + kOut * level * dot(knee - socket, left) * left + raise * up;
    for (int k = 0; k < 4 && body.field.depth(wanted) < kSocketDepth * body.size; ++k) wanted = 0.5 * (wanted + socket);
    socket = wanted;
  }
}

/// The pelvis of an upright body lies between its hips. The chain of the spine follows.
void lower_pelvis(Embedding& embedding) {
  const Vec3d trunk = trunk_at(embedding, 0);
  const double upright = dot(trunk, embedding.up());
  if (upright < kUpright) return;
  Vec3d hips;
  int legs = 0;
  for (const std::vector<int>& chain : embedding.chains) {
    if (chain.front() != 0 || !is_leg(embedding.skeleton, chain)) continue;
    hips += embedding.at[at(chain[1])], ++legs;
  }
  if (legs < 2) return;
  const Vec3d down = kPelvis * dot((1.0 / legs) * hips - embedding.at[0], trunk) * trunk;
  embedding.at[0] += down;
  for (const std::vector<int>& chain : embedding.chains) {
    const TemplateJoint& first = embedding.skeleton.joints[at(chain[1])];
    if (chain.front() != 0 || first.partner >= 0 || first.optional) continue;
    for (std::size_t k = 1; k + 1 < chain.size(); ++k) {
      embedding.at[at(chain[k])] += (1 - static_cast<double>(k) / static_cast<double>(chain.size() - 1)) * down;
    }
  }
}

/// Flesh hides how a limb bends: the stifle lies ahead of the middle of the thigh, the hock behind. Joints leave the
/// path toward where the template has them between their neighbours, as far as the flesh reaches.
void bend_limbs(const body::BodyShape& body, const std::vector<Vec3d>& fitted, Embedding& embedding) {
  const std::vector<Vec3d> before = embedding.at;
  for (const std::vector<int>& chain : embedding.chains) {
    if (!embedding.skeleton.joints[at(chain.back())].foot) continue;
    const double level = 1 - std::abs(dot(trunk_at(embedding, chain[0]), embedding.up()));
    for (std::size_t k = 2; k + 1 < chain.size(); ++k) {
      auto offset = [&](const std::vector<Vec3d>& places) {
        const Vec3d a = places[at(chain[k - 1])], b = places[at(chain[k + 1])], p = places[at(chain[k])];
        const Vec3d along = normalized(b - a, Vec3d{});
        return (1 / std::max(norm(b - a), 1e-12)) * (p - a - dot(p - a, along) * along);
      };
      const double length = norm(before[at(chain[k + 1])] - before[at(chain[k - 1])]);
      Vec3d move = level * length * (offset(fitted) - offset(before));
      const double most = kOffMost * std::max(0.0, body.field.depth(before[at(chain[k])]));
      if (norm(move) > most) move = (most / norm(move)) * move;
      embedding.at[at(chain[k])] += move;
    }
  }
}

/// Takes joints out of an embedding; their children go to the next joint above.
void remove_joints(const std::vector<bool>& gone, Embedding& embedding) {
  std::vector<int> place(gone.size(), -1);
  Embedding rest = embedding;
  rest.skeleton.joints.clear(), rest.at.clear(), rest.present.clear();
  for (std::size_t j = 0; j < gone.size(); ++j) {
    TemplateJoint joint = embedding.skeleton.joints[j];
    const int parent = joint.parent < 0 ? -1 : place[at(joint.parent)];
    place[j] = gone[j] ? parent : static_cast<int>(rest.at.size());
    if (gone[j]) continue;
    joint.parent = parent;
    // Sections count what is left.
    const TemplateJoint* above = parent < 0 ? nullptr : &rest.skeleton.joints[at(parent)];
    const bool goes_on = above != nullptr && joint.role.limb >= 0 && above->role.limb == joint.role.limb;
    joint.role.section = goes_on ? above->role.section + (joint.tip ? 0 : 1) : 0;
    rest.skeleton.joints.push_back(std::move(joint));
    rest.at.push_back(embedding.at[j]), rest.present.push_back(embedding.present[j]);
  }
  for (TemplateJoint& joint : rest.skeleton.joints) joint.partner = joint.partner < 0 ? -1 : place[at(joint.partner)];
  for (std::vector<int>& chain : rest.chains) {
    std::erase_if(chain, [&](int j) { return gone[at(j)]; });
    for (int& j : chain) j = place[at(j)];
  }
  embedding = std::move(rest);
}

/// Numbers what is left of joints that were counted: spine.1, spine.2 ...
void renumber(SkeletonTemplate& skeleton) {
  std::map<std::string, int> count;
  for (TemplateJoint& joint : skeleton.joints) {
    const std::size_t dot = joint.name.rfind('.');
    if (dot == std::string::npos || joint.name.find_first_not_of("0123456789", dot + 1) != std::string::npos) continue;
    const std::string stem = joint.name.substr(0, dot + 1);
    joint.name = stem + std::to_string(++count[stem]);
  }
}

/// How long the chains of an embedding are together, and how broad the body is along them.
struct Extent {
  double length = 0, breadth = 0;
};
Extent extent_of(const body::BodyShape& body, const Embedding& embedding) {
  double length = 0, area = 0;
  for (const std::vector<int>& path : embedding.chain_spheres) {
    for (std::size_t k = 1; k < path.size(); ++k) {
      const double step = body.distance(path[k], path[k - 1]);
      length += step, area += step * 2 * body.sphere(path[k]).radius;
    }
  }
  return {length, area / std::max(length, 1e-12)};
}

/// A short straight body without limbs, a tube, needs no row of joints: those that come within two breadths of the one
/// before or of the end, with nothing bent between, are left out, but for the head. Only for limber's own templates:
/// others count their joints themselves.
void merge_straight(const body::BodyShape& body, Embedding& embedding) {
  const bool limbless = std::all_of(embedding.skeleton.joints.begin(), embedding.skeleton.joints.end(),
                                    [](const TemplateJoint& joint) { return joint.partner < 0; });
  const bool ours = builtin_of(embedding.skeleton) != nullptr;
  const auto [length, breadth] = extent_of(body, embedding);
  if (!limbless || !ours || length > kTube * breadth) return;
  std::vector<bool> gone(embedding.at.size(), false);
  for (const std::vector<int>& chain : embedding.chains) {
    std::size_t kept = 0;
    for (std::size_t k = 1; k + 1 < chain.size(); ++k) {
      const Vec3d from = embedding.at[at(chain[kept])], here = embedding.at[at(chain[k])];
      const Vec3d next = embedding.at[at(chain[k + 1])];
      const bool in_row = !is_of(embedding.skeleton, chain[k], {rig::LimbKind::kHead});
      const bool straight = norm(here - body::closest_on_segment(here, {from, next})) < kStraight * breadth;
      const double rest = norm(here - embedding.at[at(chain.back())]);
      gone[at(chain[k])] = in_row && straight && std::min(norm(here - from), rest) < kLongBone * breadth;
      if (!gone[at(chain[k])]) kept = k;
    }
  }
  remove_joints(gone, embedding);
  renumber(embedding.skeleton);
}

using Moves = std::vector<std::optional<Vec3d>>;  // per joint; none: not known yet

/// How joints that start a part move toward where a reading has them. Ends of limbs stay.
Moves read_moves(const body::BodyShape& body, const ReadCues& cues, const std::vector<anatomy::Region>& regions,
                 const Embedding& embedding) {
  const std::vector<TemplateJoint>& joints = embedding.skeleton.joints;
  // Where the trunk starts is known of bodies with hips alone.
  const bool hips = std::any_of(regions.begin(), regions.end(),
                                [](anatomy::Region r) { return r == anatomy::Region::kHindUpperLeft; });
  const auto starts_part = [&](std::size_t j) {
    return joints[j].parent < 0 || regions[at(joints[j].parent)] != regions[j];
  };
  std::array<int, anatomy::kRegionCount> starters{};
  for (std::size_t j = 0; j < joints.size(); ++j)
    starters[static_cast<std::size_t>(regions[j])] += starts_part(j) ? 1 : 0;
  Moves moves(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].tip) moves[j] = Vec3d{};
    const std::optional<Vec3d>& read = cues.start(regions[j]);
    if (joints[j].tip || !starts_part(j) || !read || body.field.depth(*read) < 0) continue;
    if (regions[j] == anatomy::Region::kTrunk && !hips) continue;
    // The middle legs of a spider start in several places, and nobody says which is whose.
    if (starters[static_cast<std::size_t>(regions[j])] > 1) continue;
    const Vec3d off = *read - embedding.at[j];
    if (norm(off) < kReadReach * body.size) moves[j] = kReadShare * cues.trust() * off;
  }
  return moves;
}

/// Where chains meet, the mean of what the nearest joints on them do.
void move_nodes(const Embedding& embedding, Moves& moves) {
  const std::vector<TemplateJoint>& joints = embedding.skeleton.joints;
  std::vector<Vec3d> sums(joints.size());
  std::vector<int> counts(joints.size(), 0);
  for (const std::vector<int>& chain : embedding.chains) {
    for (const bool backward : {false, true}) {
      const int node = backward ? chain.back() : chain.front();
      for (std::size_t k = 1; k < chain.size(); ++k) {
        const int j = backward ? chain[chain.size() - 1 - k] : chain[k];
        if (!moves[at(j)] || joints[at(j)].tip) continue;
        sums[at(node)] += *moves[at(j)], ++counts[at(node)];
        break;
      }
    }
  }
  for (const std::vector<int>& chain : embedding.chains) {
    for (const int node : {chain.front(), chain.back()}) {
      if (!moves[at(node)]) moves[at(node)] = (1.0 / std::max(1, counts[at(node)])) * sums[at(node)];
    }
  }
}

/// Joints between those that move follow in proportion.
void move_between(const Embedding& embedding, Moves& moves) {
  for (const std::vector<int>& chain : embedding.chains) {
    for (std::size_t first = 0; first + 1 < chain.size();) {
      std::size_t next = first + 1;
      while (!moves[at(chain[next])]) ++next;
      for (std::size_t k = first + 1; k < next; ++k) {
        const double share = static_cast<double>(k - first) / static_cast<double>(next - first);
        moves[at(chain[k])] = lerp(*moves[at(chain[first])], *moves[at(chain[next])], share);
      }
      first = next;
    }
  }
}

/// Moves joints that start a part of the body toward where a reading has them, and the others with them.
void follow_reading(const body::BodyShape& body, const ReadCues& cues, Embedding& embedding) {
  const std::vector<anatomy::Region> regions = template_regions(embedding.skeleton);
  if (regions.empty()) return;
  Moves moves = read_moves(body, cues, regions, embedding);
  move_nodes(embedding, moves);
  move_between(embedding, moves);
  for (std::size_t j = 0; j < moves.size(); ++j) embedding.at[j] += moves[j].value_or(Vec3d{});
}

void make_symmetric(Embedding& embedding) {
  const std::vector<Vec3d> before = embedding.at;
  for (std::size_t j = 0; j < before.size(); ++j) {
    const int partner = embedding.skeleton.joints[j].partner;
    const Vec3d image = embedding.plane.mirror(partner < 0 ? before[j] : before[at(partner)]);
    embedding.at[j] = 0.5 * (before[j] + image);
  }
}

/// The path of a chain through the body, from its first joint to its end.
std::vector<Vec3d> path_of(const body::BodyShape& body, const Embedding& embedding, std::size_t chain) {
  const bool tip = embedding.skeleton.joints[at(embedding.chains[chain].back())].tip;
  body::TracedLimb limb = body::trace_limb(body, embedding.chain_spheres[chain],
                                           tip ? body::LimbEnd::kInFlesh : body::LimbEnd::kLastSphere);
  limb.make_even(kSteps, kSmoothing);
  return std::move(limb.line);
}

/// Puts the joints of chains on their paths; those that the search left out follow their parents.
void place_on_paths(const body::BodyShape& body, const std::vector<Vec3d>& fitted, Embedding& embedding) {
  std::vector<bool> placed(fitted.size(), false);
  placed[0] = true;
  for (std::size_t c = 0; c < embedding.chains.size(); ++c) {
    const std::vector<int>& joints = embedding.chains[c];
    const std::vector<Vec3d> line = path_of(body, embedding, c);
    if (c == 0 || !placed[at(joints.front())]) embedding.at[at(joints.front())] = line.front();
    std::vector<Vec3d> wanted;
    std::vector<double> girths;
    for (const int j : joints) wanted.push_back(fitted[at(j)]);
    for (const int j : joints) girths.push_back(embedding.skeleton.joints[at(j)].girth);
    const std::vector<int> steps = split(body, line, wanted, girths);
    for (std::size_t k = 1; k < joints.size(); ++k) {
      embedding.at[at(joints[k])] = line[at(steps[k])];
      placed[at(joints[k])] = true;
    }
  }
  for (std::size_t j = 1; j < fitted.size(); ++j) {
    if (placed[j]) continue;
    const std::size_t parent = at(embedding.skeleton.joints[j].parent);
    embedding.at[j] = embedding.at[parent] + fitted[j] - fitted[parent];
  }
}

}  // namespace

void place_joints(const body::BodyShape& body, const EmbedSettings& settings, Embedding& embedding) {
  const std::vector<Vec3d> fitted = embedding.at;
  place_on_paths(body, fitted, embedding);
  raise_sockets(body, embedding);
  lower_pelvis(embedding);
  bend_limbs(body, fitted, embedding);
  if (settings.reading != nullptr) {
    const ReadCues cues(body, *settings.reading);
    if (cues.trust() > 0) follow_reading(body, cues, embedding);
  }
  if (settings.pins.empty()) merge_straight(body, embedding);
  if (embedding.mirrored) make_symmetric(embedding);
  for (const auto& [name, place] : settings.pins) {
    const int joint = embedding.skeleton.find(name);
    if (joint >= 0) embedding.at[at(joint)] = place;
  }
}

}  // namespace limber::skeleton
