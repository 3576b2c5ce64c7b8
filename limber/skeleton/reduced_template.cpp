// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/reduced_template.h"

#include <algorithm>

namespace limber::skeleton {
namespace {

/// Twigs shorter than this, of the skeleton's largest side, are details where there are more limbs than this.
constexpr double kTwig = 0.14;
constexpr std::size_t kManyLimbs = 10;

struct Measure {
  std::vector<std::vector<int>> children;
  std::vector<double> reach;  ///< length of the longest chain below
  double size = 0;
};

double bone_length(const SkeletonTemplate& skeleton, int joint) {
  const TemplateJoint& j = skeleton.joints[static_cast<std::size_t>(joint)];
  return norm(j.at - skeleton.joints[static_cast<std::size_t>(j.parent)].at);
}

Measure measure(const SkeletonTemplate& skeleton) {
  Measure m;
  m.children = skeleton.children();
  m.reach.assign(skeleton.joints.size(), 0);
  for (std::size_t k = skeleton.joints.size(); k-- > 1;) {
    const auto parent = static_cast<std::size_t>(skeleton.joints[k].parent);
    m.reach[parent] = std::max(m.reach[parent], m.reach[k] + bone_length(skeleton, static_cast<int>(k)));
  }
  Vec3d low = skeleton.joints.front().at, high = low;
  for (const TemplateJoint& j : skeleton.joints) low = min(low, j.at), high = max(high, j.at);
  m.size = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  return m;
}

/// From a child of a branching joint down the longest way to its end.
std::vector<int> longest_chain(const SkeletonTemplate& skeleton, const Measure& m, int first) {
  std::vector<int> chain{first};
  while (!m.children[static_cast<std::size_t>(chain.back())].empty()) {
    const std::vector<int>& next = m.children[static_cast<std::size_t>(chain.back())];
    chain.push_back(*std::max_element(next.begin(), next.end(), [&](int a, int b) {
      return m.reach[static_cast<std::size_t>(a)] + bone_length(skeleton, a) <
             m.reach[static_cast<std::size_t>(b)] + bone_length(skeleton, b);
    }));
  }
  return chain;
}

class Reducer {
 public:
  explicit Reducer(const SkeletonTemplate& skeleton) : skeleton_(skeleton), m_(measure(skeleton)) {
    std::size_t limbs = 0;
    for (const auto& list : m_.children) limbs += list.empty() ? 1 : 0;
    twig_ = limbs > kManyLimbs ? kTwig * m_.size : 0;
  }

  ReducedTemplate run() {
    used_.assign(skeleton_.joints.size(), false);
    used_[0] = true;
    result_.nodes.push_back({});
    grow(0);
    for (std::size_t j = 0; j < used_.size(); ++j) {
      if (!used_[j]) result_.details.push_back(static_cast<int>(j));
    }
    return std::move(result_);
  }

 private:
  const TemplateJoint& joint(int j) const { return skeleton_.joints[static_cast<std::size_t>(j)]; }

  /// Children that are worth a chain of their own.
  std::vector<int> limbs_of(int j) const {
    std::vector<int> limbs;
    for (const int c : m_.children[static_cast<std::size_t>(j)]) {
      if (m_.reach[static_cast<std::size_t>(c)] + bone_length(skeleton_, c) >= twig_) limbs.push_back(c);
    }
    if (limbs.empty() && !m_.children[static_cast<std::size_t>(j)].empty()) {
      limbs.push_back(longest_chain(skeleton_, m_, j)[1]);
    }
    return limbs;
  }

  void grow(int node) {
    const int from = result_.nodes[static_cast<std::size_t>(node)].joint;
    std::vector<int> inner;
    for (const int c : limbs_of(from)) {
      if (used_[static_cast<std::size_t>(c)]) continue;
      const int partner = joint(c).partner;
      ReducedNode next;
      next.parent = node;
      if (partner >= 0 && joint(partner).parent == from) {
        next.chain = longest_chain(skeleton_, m_, c), next.other_chain = longest_chain(skeleton_, m_, partner);
        next.leaf = true;
      } else {
        next.chain.push_back(c);
        while (limbs_of(next.chain.back()).size() == 1) next.chain.push_back(limbs_of(next.chain.back()).front());
        next.leaf = limbs_of(next.chain.back()).empty();
      }
      next.joint = next.chain.back(), next.optional = next.leaf && joint(c).optional;
      next.other = next.other_chain.empty() ? -1 : next.other_chain.back();
      for (const int k : next.chain) used_[static_cast<std::size_t>(k)] = true;
      for (const int k : next.other_chain) used_[static_cast<std::size_t>(k)] = true;
      const auto index = static_cast<int>(result_.nodes.size());
      if (!next.leaf) inner.push_back(index);
      result_.nodes[static_cast<std::size_t>(node)].children.push_back(index);
      result_.nodes.push_back(std::move(next));
    }
    for (const int n : inner) grow(n);
  }

  const SkeletonTemplate& skeleton_;
  Measure m_;
  double twig_ = 0;
  std::vector<bool> used_;
  ReducedTemplate result_;
};

/// Inner nodes first: their leaves are then independent of each other.
ReducedTemplate leaves_last(const ReducedTemplate& original) {
  std::vector<int> order, place(original.nodes.size());
  for (const bool leaf : {false, true}) {
    for (std::size_t n = 0; n < original.nodes.size(); ++n) {
      if (original.nodes[n].leaf != leaf) continue;
      place[n] = static_cast<int>(order.size());
      order.push_back(static_cast<int>(n));
    }
  }
  ReducedTemplate result;
  result.details = original.details;
  for (const int n : order) {
    ReducedNode node = original.nodes[static_cast<std::size_t>(n)];
    if (node.parent >= 0) node.parent = place[static_cast<std::size_t>(node.parent)];
    for (int& c : node.children) c = place[static_cast<std::size_t>(c)];
    result.nodes.push_back(std::move(node));
  }
  return result;
}

}  // namespace

ReducedTemplate reduce_template(const SkeletonTemplate& skeleton) { return leaves_last(Reducer(skeleton).run()); }

}  // namespace limber::skeleton
