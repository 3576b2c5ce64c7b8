// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/rig_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

#include "limber/anatomy/find_facing.h"
#include "limber/anatomy/joint_names.h"
#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/body/triangle_bvh.h"

namespace limber::metrics {

using anatomy::named_side;
using anatomy::words_of;
namespace {

constexpr int kMaxSamples = 4001;  ///< on one bone: a skeleton in wrong units must not take all memory
constexpr int kRays = 14;          ///< around a bone
constexpr double kFar = 1e300;
constexpr std::size_t kMaxTree = 2000;  ///< joints whose edit distance is computed

bool usable(const SkeletonGraph& skeleton) {
  return !skeleton.joints.empty() &&
         std::all_of(skeleton.joints.begin(), skeleton.joints.end(), [](Vec3d joint) { return is_finite(joint); });
}

/// Points along every bone; the joints themselves where there are no bones.
std::vector<Vec3d> bone_samples(const SkeletonGraph& skeleton, double spacing) {
  std::vector<Vec3d> samples;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    if (skeleton.parents[j] < 0) continue;
    const Vec3d from = skeleton.joints[at(skeleton.parents[j])], to = skeleton.joints[j];
    const double steps = std::clamp(std::round(norm(to - from) / spacing), 1.0, double(kMaxSamples - 1));
    for (int i = 0; i <= static_cast<int>(steps); ++i) samples.push_back(lerp(from, to, i / steps));
  }
  return samples.empty() ? skeleton.joints : samples;
}

double mean_nearest(const std::vector<Vec3d>& from, const std::vector<Vec3d>& to) {
  double sum = 0;
  for (const Vec3d& p : from) {
    double best = std::numeric_limits<double>::infinity();
    for (const Vec3d& q : to) best = std::min(best, squared_norm(p - q));
    sum += std::sqrt(best);
  }
  return sum / static_cast<double>(from.size());
}

double chamfer(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b, const std::vector<Vec3d>& a_onto,
               const std::vector<Vec3d>& b_onto) {
  return 0.5 * (mean_nearest(a, b_onto) + mean_nearest(b, a_onto));
}

SkeletonDistance plus(const SkeletonDistance& a, const SkeletonDistance& b) {
  return {a.joint_to_joint + b.joint_to_joint, a.joint_to_bone + b.joint_to_bone, a.bone_to_bone + b.bone_to_bone};
}

SkeletonDistance over(const SkeletonDistance& a, int count) {
  const double n = std::max(count, 1);
  return {a.joint_to_joint / n, a.joint_to_bone / n, a.bone_to_bone / n};
}

void check_graph(const SkeletonGraph& skeleton) {
  LIMBER_EXPECT(skeleton.parents.size() == skeleton.joints.size(),
                fmt::format("{} parents, {} joints", skeleton.parents.size(), skeleton.joints.size()));
  for (const int parent : skeleton.parents) {
    LIMBER_EXPECT(parent < static_cast<int>(skeleton.joints.size()), fmt::format("parent {}", parent));
  }
}

// --- trees -----------------------------------------------------------------------------------------------------------

/// An ordered tree in postorder, as Zhang and Shasha number it.
struct PostorderTree {
  std::vector<int> leftmost;  ///< per node, its leftmost leaf
  std::vector<int> keyroots;  ///< nodes with a left sibling, and the root
};

/// A node's subtree by its shape: larger first, equal ones alike whatever the order of their children.
struct Shape {
  std::size_t size = 1;
  std::string code;
  bool operator<(const Shape& other) const { return size != other.size ? size > other.size : code < other.code; }
};

PostorderTree postorder_tree(const SkeletonGraph& skeleton) {
  const std::size_t count = skeleton.joints.size();
  std::vector<std::vector<int>> children(count + 1);
  for (std::size_t j = 0; j < count; ++j) {
    children[skeleton.parents[j] >= 0 ? at(skeleton.parents[j]) : count].push_back(static_cast<int>(j));
  }
  // Several roots get a common one, which is then a node like the others.
  const int root = children[count].size() == 1 ? children[count][0] : static_cast<int>(count);

  // Top down, then the shapes from the leaves.
  std::vector<int> order{root};
  for (std::size_t i = 0; i < order.size(); ++i) {
    order.insert(order.end(), children[at(order[i])].begin(), children[at(order[i])].end());
  }
  std::vector<Shape> shape(count + 1);
  for (std::size_t i = order.size(); i-- > 0;) {
    std::vector<int>& below = children[at(order[i])];
    std::stable_sort(below.begin(), below.end(), [&](int a, int b) { return shape[at(a)] < shape[at(b)]; });
    Shape& own = shape[at(order[i])];
    own.code.assign(1, '(');
    for (const int child : below) own.size += shape[at(child)].size, own.code += shape[at(child)].code;
    own.code.push_back(')');
  }

  PostorderTree tree;
  std::vector<std::pair<int, std::size_t>> stack{{root, 0}};
  std::vector<int> first_leaf;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == 0) first_leaf.push_back(-1);
    if (next < children[at(node)].size()) {
      const int child = children[at(node)][next++];
      stack.emplace_back(child, 0);
      continue;
    }
    const int own = static_cast<int>(tree.leftmost.size());
    const int leaf = first_leaf.back() < 0 ? own : first_leaf.back();
    tree.leftmost.push_back(leaf);
    first_leaf.pop_back();
    if (!first_leaf.empty() && first_leaf.back() < 0) first_leaf.back() = leaf;
    stack.pop_back();
  }
  // The highest node of each leftmost leaf.
  std::vector<int> last(tree.leftmost.size(), -1);
  for (std::size_t i = 0; i < tree.leftmost.size(); ++i) last[at(tree.leftmost[i])] = static_cast<int>(i);
  for (const int node : last) {
    if (node >= 0) tree.keyroots.push_back(node);
  }
  std::sort(tree.keyroots.begin(), tree.keyroots.end());
  return tree;
}

/// Distances of all forests that end below the two keyroots (Zhang and Shasha 1989, figure 4).
void forest_distances(const PostorderTree& a, const PostorderTree& b, int i, int j, std::vector<int>& tree_distance,
                      std::vector<int>& forest) {
  const int first_a = a.leftmost[at(i)], first_b = b.leftmost[at(j)];
  const std::size_t rows = at(i - first_a) + 2, columns = at(j - first_b) + 2, width = b.leftmost.size();
  for (std::size_t r = 0; r < rows; ++r) forest[r * columns] = static_cast<int>(r);
  for (std::size_t c = 0; c < columns; ++c) forest[c] = static_cast<int>(c);
  for (std::size_t r = 1; r < rows; ++r) {
    for (std::size_t c = 1; c < columns; ++c) {
      const int u = first_a + static_cast<int>(r) - 1, v = first_b + static_cast<int>(c) - 1;
      const int edit = 1 + std::min(forest[(r - 1) * columns + c], forest[r * columns + c - 1]);
      int& value = forest[r * columns + c];
      if (a.leftmost[at(u)] == first_a && b.leftmost[at(v)] == first_b) {
        value = std::min(edit, forest[(r - 1) * columns + c - 1]);
        tree_distance[at(u) * width + at(v)] = value;
      } else {
        const std::size_t before = at(a.leftmost[at(u)] - first_a) * columns + at(b.leftmost[at(v)] - first_b);
        value = std::min(edit, forest[before] + tree_distance[at(u) * width + at(v)]);
      }
    }
  }
}

// --- facing ----------------------------------------------------------------------------------------------------------

/// Mean place of the joints that tell of the first of these landmarks that is found at all.
std::optional<Vec3d> named_place(const SkeletonGraph& skeleton, const std::vector<anatomy::Words>& words,
                                 std::initializer_list<anatomy::Landmark> landmarks) {
  for (const anatomy::Landmark landmark : landmarks) {
    Vec3d sum;
    int count = 0;
    for (std::size_t j = 0; j < words.size(); ++j) {
      if (anatomy::tells_of(words[j], landmark)) sum += skeleton.joints[j], ++count;
    }
    if (count > 0) return sum / static_cast<double>(count);
  }
  return std::nullopt;
}

std::optional<Vec3d> head_place(const SkeletonGraph& skeleton, const std::vector<anatomy::Words>& words) {
  using anatomy::Landmark;
  return named_place(skeleton, words, {Landmark::kSkull, Landmark::kMuzzle, Landmark::kNeck});
}

std::vector<anatomy::Words> joint_words(const SkeletonGraph& skeleton) {
  std::vector<anatomy::Words> words;
  for (const std::string& name : skeleton.names) words.push_back(words_of(name));
  return words;
}

}  // namespace

UnitCube unit_cube(std::span<const Vec3d> points) {
  UnitCube cube;
  if (points.empty()) return cube;
  Vec3d low = points[0], high = points[0];
  for (const Vec3d& p : points) low = min(low, p), high = max(high, p);
  const Vec3d size = high - low;
  const double longest = std::max({size.x, size.y, size.z});
  cube.centre = 0.5 * (low + high);
  cube.scale = longest > 0 && std::isfinite(longest) ? 1 / longest : 1;
  cube.diagonal = cube.scale * norm(size);
  return cube;
}

SkeletonGraph in_unit_cube(SkeletonGraph skeleton, const UnitCube& cube) {
  for (Vec3d& joint : skeleton.joints) joint = cube(joint);
  return skeleton;
}

SkeletonGraph merge_joints(const SkeletonGraph& skeleton, double distance) {
  check_graph(skeleton);
  SkeletonGraph merged;
  std::vector<int> place(skeleton.joints.size(), -1);
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    for (std::size_t k = 0; k < merged.joints.size() && place[j] < 0; ++k) {
      if (norm(merged.joints[k] - skeleton.joints[j]) < distance) place[j] = static_cast<int>(k);
    }
    if (place[j] >= 0) continue;
    place[j] = static_cast<int>(merged.joints.size());
    merged.joints.push_back(skeleton.joints[j]);
    if (!skeleton.names.empty()) merged.names.push_back(skeleton.names[j]);
  }
  // Each group keeps the first parent that lies outside of it.
  merged.parents.assign(merged.joints.size(), -1);
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const int parent = skeleton.parents[j] >= 0 ? place[at(skeleton.parents[j])] : -1;
    int& own = merged.parents[at(place[j])];
    if (parent < 0 || parent == place[j] || own >= 0) continue;
    // Joints that meet again further down their chains must not close a loop.
    int ancestor = parent;
    while (ancestor >= 0 && ancestor != place[j]) ancestor = merged.parents[at(ancestor)];
    if (ancestor < 0) own = parent;
  }
  return merged;
}

std::optional<SkeletonDistance> skeleton_distance(const SkeletonGraph& predicted, const SkeletonGraph& truth,
                                                  const ChamferSettings& settings) {
  LIMBER_EXPECT(settings.spacing > 0, fmt::format("spacing {}", settings.spacing));
  if (!usable(predicted) || !usable(truth)) return std::nullopt;
  const SkeletonGraph p = merge_joints(predicted, settings.merge), g = merge_joints(truth, settings.merge);
  const std::vector<Vec3d> bones_p = bone_samples(p, settings.spacing), bones_g = bone_samples(g, settings.spacing);
  return SkeletonDistance{chamfer(p.joints, g.joints, p.joints, g.joints),
                          chamfer(p.joints, g.joints, bones_p, bones_g), chamfer(bones_p, bones_g, bones_p, bones_g)};
}

void DistanceSummary::add(const std::optional<SkeletonDistance>& distance, double diagonal) {
  ++total;
  if (distance) ++valid, sum_ = plus(sum_, *distance);
  sum_with_failures_ = plus(sum_with_failures_, distance ? *distance : SkeletonDistance{diagonal, diagonal, diagonal});
  mean = over(sum_, valid);
  mean_with_failures = over(sum_with_failures_, total);
}

std::vector<double> joint_tolerances(const SkeletonGraph& truth, std::span<const Vec3d> points,
                                     std::span<const body::Triangle> triangles) {
  check_graph(truth);
  const body::TriangleBvh surface(points, triangles);
  std::vector<std::vector<Vec3d>> directions(truth.joints.size());
  for (std::size_t j = 0; j < truth.joints.size(); ++j) {
    if (truth.parents[j] < 0) continue;
    const Vec3d along = truth.joints[j] - truth.joints[at(truth.parents[j])];
    if (!(norm(along) > 0)) continue;
    directions[j].push_back(normalized(along));
    directions[at(truth.parents[j])].push_back(normalized(along));
  }
  std::vector<double> tolerances;
  for (std::size_t j = 0; j < truth.joints.size(); ++j) {
    double sum = 0;
    int hits = 0;
    for (const Vec3d& along : directions[j]) {
      const Vec3d u = normalized(cross(along, std::abs(along.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}));
      const Vec3d v = cross(along, u);
      for (int k = 0; k < kRays; ++k) {
        const double angle = 2 * kPi * k / kRays;
        const auto hit = surface.hit(truth.joints[j], std::cos(angle) * u + std::sin(angle) * v, 0, kFar);
        if (hit) sum += hit->distance, ++hits;
      }
    }
    if (hits == 0) {
      const auto nearest = surface.closest(truth.joints[j]);
      if (!nearest) return std::vector<double>(truth.joints.size(), 0.0);
      for (const std::uint32_t corner : triangles[nearest->triangle])
        sum += norm(points[corner] - truth.joints[j]), ++hits;
    }
    tolerances.push_back(sum / hits);
  }
  return tolerances;
}

/// Shortest augmenting paths with potentials (Kuhn, Munkres; Jonker and Volgenant).
std::vector<std::pair<int, int>> assign(std::span<const double> costs, int rows, int columns) {
  LIMBER_EXPECT(costs.size() == at(rows) * at(columns), fmt::format("{} costs", costs.size()));
  const bool turned = rows > columns;
  const int n = std::min(rows, columns), m = std::max(rows, columns);
  const auto cost = [&](int i, int j) {
    return costs[turned ? at(j) * at(columns) + at(i) : at(i) * at(columns) + at(j)];
  };
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> u(at(n) + 1, 0), v(at(m) + 1, 0);
  std::vector<int> match(at(m) + 1, 0), way(at(m) + 1, 0);
  for (int i = 1; i <= n; ++i) {
    match[0] = i;
    int column = 0;
    std::vector<double> least(at(m) + 1, inf);
    std::vector<bool> used(at(m) + 1, false);
    do {
      used[at(column)] = true;
      const int row = match[at(column)];
      double delta = inf;
      int next = 0;
      for (int j = 1; j <= m; ++j) {
        if (used[at(j)]) continue;
        const double reduced = cost(row - 1, j - 1) - u[at(row)] - v[at(j)];
        if (reduced < least[at(j)]) least[at(j)] = reduced, way[at(j)] = column;
        if (least[at(j)] < delta) delta = least[at(j)], next = j;
      }
      for (int j = 0; j <= m; ++j) {
        if (used[at(j)]) {
          u[at(match[at(j)])] += delta, v[at(j)] -= delta;
        } else {
          least[at(j)] -= delta;
        }
      }
      column = next;
    } while (match[at(column)] != 0);
    while (column != 0) {
      match[at(column)] = match[at(way[at(column)])];
      column = way[at(column)];
    }
  }
  std::vector<std::pair<int, int>> pairs;
  for (int j = 1; j <= m; ++j) {
    if (match[at(j)] == 0) continue;
    pairs.push_back(turned ? std::pair{j - 1, match[at(j)] - 1} : std::pair{match[at(j)] - 1, j - 1});
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

namespace {

std::vector<double> joint_distances(const SkeletonGraph& predicted, const SkeletonGraph& truth) {
  std::vector<double> distances;
  for (const Vec3d& p : predicted.joints) {
    for (const Vec3d& g : truth.joints) distances.push_back(norm(p - g));
  }
  return distances;
}

}  // namespace

JointScores joint_scores(const SkeletonGraph& predicted, const SkeletonGraph& truth,
                         std::span<const double> tolerances) {
  LIMBER_EXPECT(tolerances.size() == truth.joints.size(), fmt::format("{} tolerances", tolerances.size()));
  if (!usable(predicted) || !usable(truth)) return {};
  const std::size_t p = predicted.joints.size(), g = truth.joints.size();
  const std::vector<double> distances = joint_distances(predicted, truth);
  int matched = 0, precise = 0, recalled = 0;
  for (const auto& [i, j] : assign(distances, static_cast<int>(p), static_cast<int>(g))) {
    const auto of = [&](std::size_t a, std::size_t b) { return distances[a * g + b]; };
    if (of(at(i), at(j)) < tolerances[at(j)]) ++matched;
    std::size_t nearest_truth = 0, nearest_predicted = 0;
    for (std::size_t k = 1; k < g; ++k) {
      if (of(at(i), k) < of(at(i), nearest_truth)) nearest_truth = k;
    }
    for (std::size_t k = 1; k < p; ++k) {
      if (of(k, at(j)) < of(nearest_predicted, at(j))) nearest_predicted = k;
    }
    if (of(at(i), nearest_truth) < tolerances[nearest_truth]) ++precise;
    if (of(nearest_predicted, at(j)) < tolerances[at(j)]) ++recalled;
  }
  return {2.0 * matched / static_cast<double>(p + g), precise / static_cast<double>(p),
          recalled / static_cast<double>(g)};
}

JointScores joint_scores(const SkeletonGraph& predicted, const SkeletonGraph& truth, double tolerance) {
  if (!usable(predicted) || !usable(truth)) return {};
  const auto p = static_cast<double>(predicted.joints.size()), g = static_cast<double>(truth.joints.size());
  const std::vector<double> distances = joint_distances(predicted, truth);
  int matched = 0;
  for (const auto& [i, j] : assign(distances, static_cast<int>(p), static_cast<int>(g))) {
    if (distances[at(i) * truth.joints.size() + at(j)] < tolerance) ++matched;
  }
  return {2.0 * matched / (p + g), matched / p, matched / g};
}

std::optional<int> tree_edit_distance(const SkeletonGraph& a, const SkeletonGraph& b) {
  check_graph(a), check_graph(b);
  if (a.joints.size() > kMaxTree || b.joints.size() > kMaxTree) return std::nullopt;
  if (a.joints.empty() || b.joints.empty()) return static_cast<int>(a.joints.size() + b.joints.size());
  const PostorderTree first = postorder_tree(a), second = postorder_tree(b);
  const std::size_t n = first.leftmost.size(), m = second.leftmost.size();
  std::vector<int> tree_distance(n * m, 0), forest((n + 1) * (m + 1), 0);
  for (const int i : first.keyroots) {
    for (const int j : second.keyroots) forest_distances(first, second, i, j, tree_distance, forest);
  }
  return tree_distance.back();
}

FacingCheck check_facing(const SkeletonGraph& predicted, const SkeletonGraph& truth) {
  FacingCheck check;
  const auto predicted_words = joint_words(predicted), true_words = joint_words(truth);
  const std::optional<Vec3d> predicted_head = head_place(predicted, predicted_words);
  const std::optional<Vec3d> true_head = head_place(truth, true_words);
  const std::optional<Vec3d> true_hind =
      named_place(truth, true_words, {anatomy::Landmark::kTail, anatomy::Landmark::kHips, anatomy::Landmark::kSpine});
  if (predicted_head && true_head && true_hind) {
    check.head = norm(*predicted_head - *true_head) < norm(*predicted_head - *true_hind);
  }

  int right = 0, counted = 0;
  for (std::size_t j = 0; j < predicted_words.size(); ++j) {
    const int side = named_side(predicted_words[j]);
    if (side == 0) continue;
    double same = std::numeric_limits<double>::infinity(), other = same;
    for (std::size_t k = 0; k < true_words.size(); ++k) {
      const int true_side = named_side(true_words[k]);
      const double distance = norm(predicted.joints[j] - truth.joints[k]);
      if (true_side == side) same = std::min(same, distance);
      if (true_side == -side) other = std::min(other, distance);
    }
    // Near the middle neither side is much nearer, and nothing is said.
    if (!std::isfinite(same) || !std::isfinite(other) || std::max(same, other) < 1.5 * std::min(same, other)) continue;
    ++counted;
    if (same < other) ++right;
  }
  if (counted > 0) {
    check.side_agreement = static_cast<double>(right) / counted;
    check.sides = check.side_agreement >= 0.8;
  }
  return check;
}

std::optional<Vec3d> named_forward(const SkeletonGraph& skeleton, Vec3d up) {
  return anatomy::forward_by_pairs(skeleton.names, skeleton.parents, skeleton.joints, up);
}

}  // namespace limber::metrics
