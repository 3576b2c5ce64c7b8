// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/joint_forest.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

#include "limber/base/at.h"

namespace limber::rig {
namespace {

/// A contact of an unattached tree with an attached joint.
struct Candidate {
  bool significant = false;
  int hops = 0;  ///< attachments between the joint and the main tree
  double strength = 0;
  int tree = -1, joint = -1;

  /// For a priority queue: the better candidate is the greater one.
  bool operator<(const Candidate& other) const { return key() < other.key(); }

 private:
  std::tuple<bool, int, double, int, int> key() const { return {significant, -hops, strength, -tree, -joint}; }
};

struct Nearest {
  double squared_distance = std::numeric_limits<double>::infinity();
  int joint = -1;
};

class Attachment {
 public:
  Attachment(const Forest& forest, int main)
      : forest_(forest),
        result_(forest.roots.size(), -1),
        hops_(forest.roots.size(), -1),
        joints_(forest.roots.size()),
        touching_(forest.parent.size()),
        strongest_(forest.roots.size(), 0),
        nearest_(forest.roots.size()) {
    for (std::size_t j = 0; j < forest.tree.size(); ++j) joints_[at(forest.tree[j])].push_back(static_cast<int>(j));
    for (const Contact& contact : forest.contacts) {
      touching_[at(contact.joint)].push_back(&contact);
      strongest_[at(contact.tree)] = std::max(strongest_[at(contact.tree)], contact.strength);
    }
    add(main, 0);
  }

  std::vector<int> run() {
    for (std::size_t left = forest_.roots.size() - 1; left > 0; --left) {
      const Candidate next = next_contact();
      if (next.tree >= 0) {
        // Who may carry a tree that was cut off has been chosen with care.
        const bool chosen = forest_.home[at(next.tree)] >= 0;
        result_[at(next.tree)] = chosen ? next.joint : steady_ancestor(next.joint);
        add(next.tree, next.hops + 1);
      } else if (!send_home()) {
        attach_nearest();
      }
    }
    return std::move(result_);
  }

 private:
  void add(int tree, int hops) {
    hops_[at(tree)] = hops;
    for (const int joint : joints_[at(tree)]) {
      attached_.push_back(joint);
      for (const Contact* contact : touching_[at(joint)]) {
        if (hops_[at(contact->tree)] >= 0) continue;
        const bool significant = contact->strength >= kSignificantContact * strongest_[at(contact->tree)];
        queue_.push({significant, hops, contact->strength, contact->tree, joint});
      }
    }
  }

  Candidate next_contact() {
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      if (hops_[at(best.tree)] < 0) return best;
    }
    return {};
  }

  /// The heaviest tree that was cut off an attached joint goes back to it.
  bool send_home() {
    int best = -1;
    for (std::size_t t = 0; t < forest_.home.size(); ++t) {
      if (hops_[t] >= 0 || forest_.home[t] < 0 || hops_[at(forest_.tree[at(forest_.home[t])])] < 0) continue;
      if (best < 0 || forest_.weight[t] > forest_.weight[at(best)]) best = static_cast<int>(t);
    }
    if (best < 0) return false;
    result_[at(best)] = forest_.home[at(best)];
    add(best, hops_[at(forest_.tree[at(forest_.home[at(best)])])] + 1);
    return true;
  }

  /// The tree and the attached steady joint that are nearest to each other. Distances are only measured once.
  void attach_nearest() {
    int best = -1;
    for (std::size_t t = 0; t < nearest_.size(); ++t) {
      if (hops_[t] >= 0 || forest_.home[t] >= 0) continue;
      Nearest& nearest = nearest_[t];
      for (std::size_t i = measured_; i < attached_.size(); ++i) {
        const int joint = attached_[i];
        if (!forest_.steady[at(joint)]) continue;
        const double distance = squared_norm(forest_.position[at(joint)] - forest_.centre[t]);
        if (distance < nearest.squared_distance) nearest = {distance, joint};
      }
      if (best < 0 || nearest.squared_distance < nearest_[at(best)].squared_distance) best = static_cast<int>(t);
    }
    measured_ = attached_.size();
    const int joint = nearest_[at(best)].joint;
    result_[at(best)] = joint >= 0 ? joint : attached_.front();
    add(best, hops_[at(forest_.tree[at(result_[at(best)])])] + 1);
  }

  int steady_ancestor(int joint) const {
    while (!forest_.steady[at(joint)]) {
      const int parent = forest_.parent[at(joint)];
      const int above = parent >= 0 ? parent : result_[at(forest_.tree[at(joint)])];
      if (above < 0) break;
      joint = above;
    }
    return joint;
  }

  const Forest& forest_;
  std::vector<int> result_;
  std::vector<int> hops_;                              ///< per tree, -1 while unattached
  std::vector<std::vector<int>> joints_;               ///< per tree
  std::vector<std::vector<const Contact*>> touching_;  ///< per joint
  std::vector<double> strongest_;                      ///< per tree
  std::vector<int> attached_;                          ///< joints
  std::priority_queue<Candidate> queue_;
  std::vector<Nearest> nearest_;  ///< per tree, among the first `measured_` attached joints
  std::size_t measured_ = 0;
};

}  // namespace

void number_trees(Forest& forest) {
  forest.tree.resize(forest.parent.size());
  forest.roots.clear();
  for (std::size_t j = 0; j < forest.parent.size(); ++j) {
    if (forest.parent[j] < 0) {
      forest.tree[j] = static_cast<int>(forest.roots.size());
      forest.roots.push_back(static_cast<int>(j));
    } else {
      forest.tree[j] = forest.tree[at(forest.parent[j])];
    }
  }
  forest.home.assign(forest.roots.size(), -1);
}

int main_tree(const Forest& forest) {
  std::vector<int> size(forest.roots.size(), 0);
  for (const int tree : forest.tree) ++size[at(tree)];
  int best = 0;
  const auto key = [&](int tree) {
    return std::tuple(bool(forest.steady[at(forest.roots[at(tree)])]), forest.weight[at(tree)], size[at(tree)]);
  };
  for (int tree = 1; tree < static_cast<int>(forest.roots.size()); ++tree) {
    if (key(tree) > key(best)) best = tree;
  }
  return best;
}

std::vector<int> attach_trees(const Forest& forest, int main) { return Attachment(forest, main).run(); }

}  // namespace limber::rig
