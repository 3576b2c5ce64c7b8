// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/puppet_flesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/physics/rotation.h"

namespace limber::physics {
namespace {

constexpr double kGravity = 9.81;
constexpr double kLoose = 0.015;   ///< of the height: a bone that slides so far in its parent's frame hangs elsewhere
constexpr double kFleshy = 0.005;  ///< of the whole mass: less is no flesh to speak of

/// How far joint `j` moves about in the frame of joint `k`, in heights.
double looseness(const PuppetInput& in, int j, int k) {
  const int frames = in.motion.frame_count();
  Vec3d mean;
  std::vector<Vec3d> places;
  for (int f = 0; f < frames; ++f) {
    const Affined parent = in.world_from_joint(f, k);
    const Vec3d apart = in.world_from_joint(f, j).translation - parent.translation;
    places.push_back(transposed(orthonormal(parent.linear)) * apart);
    mean += places.back() / static_cast<double>(frames);
  }
  double worst = 0;
  for (const Vec3d& p : places) worst = std::max(worst, norm(p - mean));
  return worst;
}

/// Which joints carry skin.
std::vector<bool> find_fleshy(const PuppetInput& in) {
  std::vector<bool> fleshy(in.joints.size());
  for (const rig::BoneBox& box : in.boxes) fleshy[at(box.joint)] = true;
  return fleshy;
}

/// The fleshy joint that carries joint `j` much more firmly than its parent does; -1 if none does.
int find_carrier(const PuppetInput& in, const PuppetTree& tree, const std::vector<bool>& fleshy, int j) {
  const double loose = looseness(in, j, tree.parents[at(j)]);
  if (loose < kLoose) return -1;
  int best = -1;
  double least = loose / 2;
  for (int k = 0; k < static_cast<int>(in.joints.size()); ++k) {
    if (!fleshy[at(k)] || tree.descends(k, j)) continue;
    const double far = norm(in.world_from_joint(0, k).translation - in.world_from_joint(0, j).translation);
    const double score = looseness(in, j, k) + 0.02 * far;
    if (score < least) least = score, best = k;
  }
  return best;
}

std::vector<int> parents_first(const std::vector<int>& parents) {
  std::vector<std::vector<int>> children(parents.size());
  for (std::size_t j = 1; j < parents.size(); ++j) children[at(parents[j])].push_back(static_cast<int>(j));
  std::vector<int> order{0};
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::vector<int>& next = children[at(order[k])];
    order.insert(order.end(), next.begin(), next.end());
  }
  return order;
}

/// How hard the motion accelerates a joint, heights / s^2, root mean square.
double acceleration(const PuppetInput& in, int joint) {
  const auto place = [&](int f) { return in.world_from_joint(f, joint).translation; };
  double sum = 0;
  const int frames = in.motion.frame_count();
  for (int f = 1; f + 1 < frames; ++f) sum += squared_norm(place(f - 1) - 2.0 * place(f) + place(f + 1));
  return frames < 3 ? 0 : std::sqrt(sum / (frames - 2)) * in.motion.fps * in.motion.fps;
}

}  // namespace

Affined PuppetInput::world_from_joint(int frame, int joint) const {
  return world[at(frame) * joints.size() + at(joint)].cast<double>();
}

Affined PuppetInput::world_from_rest(int joint) const {
  return subject.rig.world_from_rest()[at(joint)].cast<double>();
}

bool PuppetTree::descends(int joint, int from) const {
  for (; joint >= 0; joint = parents[at(joint)]) {
    if (joint == from) return true;
  }
  return false;
}

PuppetTree hang_joints(const PuppetInput& in) {
  PuppetTree tree;
  for (const rig::Joint& joint : in.joints) tree.parents.push_back(joint.parent);
  const std::vector<bool> fleshy = find_fleshy(in);
  for (const kinematics::JointOverride& o : in.motion.overrides) {
    const int j = o.joint;
    if (o.translations.empty() || tree.parents[at(j)] < 0 || !fleshy[at(j)]) continue;
    const int carrier = find_carrier(in, tree, fleshy, j);
    if (carrier < 0) continue;
    tree.parents[at(j)] = carrier;
    tree.notes.push_back(
        fmt::format("'{}' is hung on '{}', which it moves with", in.joints[at(j)].name, in.joints[at(carrier)].name));
  }
  tree.order = parents_first(tree.parents);
  return tree;
}

Flesh weigh_flesh(const PuppetInput& in, const PuppetTree& tree) {
  const std::size_t count = in.joints.size();
  Flesh flesh;
  flesh.mass.assign(count, 0), flesh.reach.assign(count, 0), flesh.lowest.assign(count, 1e9);
  for (const rig::BoneBox& box : in.boxes) {
    flesh.mass[at(box.joint)] = in.settings.density * in.settings.fill * box.volume();
  }
  for (const double m : flesh.mass) flesh.total_mass += m;
  flesh.twig_mass = flesh.mass;
  const std::span<const Affine> rest = in.subject.rig.world_from_rest();
  for (const rig::BoneBox& box : in.boxes) {
    for (const Vec3& p : box.touching) {
      for (int j = box.joint; j >= 0; j = tree.parents[at(j)]) {
        flesh.reach[at(j)] = std::max(flesh.reach[at(j)], double(norm(p - rest[at(j)].translation)));
        flesh.lowest[at(j)] = std::min(flesh.lowest[at(j)], double(p.y));
      }
    }
  }
  for (std::size_t k = count; k-- > 1;) {
    const int j = tree.order[k];
    flesh.twig_mass[at(tree.parents[at(j)])] += flesh.twig_mass[at(j)];
  }
  return flesh;
}

Flesh at_height(Flesh flesh, double metres) {
  flesh.total_mass *= std::pow(metres, 3);
  for (std::vector<double>* masses : {&flesh.mass, &flesh.twig_mass}) {
    for (double& m : *masses) m *= std::pow(metres, 3);
  }
  return flesh;
}

int find_base(const PuppetTree& tree, const Flesh& flesh) {
  int base = 0;
  for (;;) {
    if (flesh.mass[at(base)] > kFleshy * flesh.total_mass) return base;
    int only = -1, fleshy = 0;
    for (int j = 0; j < static_cast<int>(tree.parents.size()); ++j) {
      if (tree.parents[at(j)] == base && flesh.twig_mass[at(j)] > kFleshy * flesh.total_mass) only = j, ++fleshy;
    }
    if (fleshy != 1) return base;
    base = only;
  }
}

PuppetHeight choose_height(const PuppetInput& in, int base) {
  if (in.settings.height) return {*in.settings.height, {}};
  const double asset_height = in.subject.asset_scale;
  const bool plausible = asset_height >= 0.02 && asset_height <= 50;
  PuppetHeight height{plausible ? asset_height : 1, {}};
  if (!plausible) {
    height.notes.push_back(fmt::format("a height of {:.3g} m is not plausible; taken for 1 m", asset_height));
  }
  const double possible = kGravity / std::max(acceleration(in, base), 1e-6);
  if (possible < height.metres) {
    height.notes.push_back(
        fmt::format("at {:.3g} m the motion would need {:.1f} g; simulated as {:.3g} m high, unless a height is stated",
                    height.metres, height.metres / possible, std::max(possible, 0.05)));
    height.metres = std::max(possible, 0.05);
  }
  return height;
}

}  // namespace limber::physics
