// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/subject_geometry.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "limber/base/at.h"
#include "limber/base/expect.h"

namespace limber::rig {
namespace {

constexpr std::size_t kMaxPoints = 20'000'000;

bool is_invertible(const Affined& a) {
  const double volume = norm(a.linear.column(0)) * norm(a.linear.column(1)) * norm(a.linear.column(2));
  return is_finite(a) && std::abs(determinant(a.linear)) > 1e-9 * volume;
}

/// Whether `a` and `b` take every point within `radius` of the origin to the same place, but for rounding.
bool nearly_equal(const Affined& a, const Affined& b, double radius) {
  double linear = 0, size = 0;
  for (int c = 0; c < 3; ++c) {
    linear = std::max(linear, norm(a.linear.column(c) - b.linear.column(c)));
    size = std::max(size, norm(b.linear.column(c)));
  }
  return linear * radius + norm(a.translation - b.translation) <= 1e-5 * size * radius;
}

/// Collects points and the bones that they need.
class Collector {
 public:
  Collector(const asset::Asset& asset, const AssetSkeleton& skeleton) : asset_(asset), skeleton_(skeleton) {}

  Status add_skins(const std::vector<bool>& shown, const std::vector<bool>& used);
  void add_node(int node);
  SubjectGeometry take() { return std::move(geometry_); }

 private:
  struct BoundSkin {
    Affined bind_from_mesh;
    std::vector<std::uint16_t> bones;  ///< per joint of the skin that has weight
  };

  Affined choose_bind(const asset::Skin& skin, const std::vector<double>& weight, double radius);
  void add_primitive(int node, int primitive, const BoundSkin* skin, int instance);
  void add_normals(const asset::Primitive& primitive, const std::vector<float>& weights, std::size_t first,
                   const Affined& bind_from_mesh);
  void add_influences(const asset::Primitive& primitive, const BoundSkin& skin, std::size_t first,
                      const Affined& world_from_mesh, int follow);
  std::uint16_t bone(int joint, const Affined& joint_from_bind);
  std::uint16_t rigid_bone(int joint);
  int joint_of(std::size_t skin, std::size_t k) const {
    return skeleton_.joint_above[at(asset_.skins[skin].joints[k])];
  }

  const asset::Asset& asset_;
  const AssetSkeleton& skeleton_;
  SubjectGeometry geometry_;
  std::vector<std::optional<BoundSkin>> skins_;
  std::vector<Affined> binds_;  ///< distinct bind_from_mesh of the skins so far
  std::map<std::array<double, 13>, std::uint16_t> bone_index_;
};

std::uint16_t Collector::bone(int joint, const Affined& joint_from_bind) {
  std::array<double, 13> key{static_cast<double>(joint)};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) key[at(1 + 3 * i + j)] = joint_from_bind.linear(i, j);
    key[at(10 + i)] = joint_from_bind.translation[i];
  }
  const auto [entry, added] = bone_index_.try_emplace(key, static_cast<std::uint16_t>(geometry_.bones.size()));
  if (added) geometry_.bones.push_back({joint, joint_from_bind});
  return entry->second;
}

std::uint16_t Collector::rigid_bone(int joint) {
  // The root's own transform is entered when it is known.
  if (joint == kRootJoint) return bone(joint, {});
  return bone(joint, inverse(skeleton_.joints[at(joint)].bind_world));
}

/// bind_from_mesh of a skin: where its heaviest joint has the mesh at rest. Where the bind pose is the rest pose every
/// joint agrees, and bone matrices at rest are the identity.
Affined Collector::choose_bind(const asset::Skin& skin, const std::vector<double>& weight, double radius) {
  std::vector<std::size_t> order(skin.joints.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight[a] > weight[b]; });
  for (const std::size_t k : order) {
    const SkeletonJoint& joint = skeleton_.joints[at(skeleton_.joint_above[at(skin.joints[k])])];
    const Affined bind = joint.bind_world * joint.rest.remainder * skin.inverse_bind[k].cast<double>();
    if (!is_invertible(bind)) continue;
    // Skins that agree but for rounding share one bind space, and so their bones.
    for (const Affined& known : binds_) {
      if (nearly_equal(known, bind, radius)) return known;
    }
    binds_.push_back(bind);
    return bind;
  }
  return {};
}

/// What the shown meshes make of each skin.
struct SkinUse {
  std::vector<double> weight;  ///< per joint of the skin
  double radius = 0;           ///< of the meshes, about their origin
};

std::vector<SkinUse> measure_skins(const asset::Asset& asset, const std::vector<bool>& shown) {
  std::vector<SkinUse> uses(asset.skins.size());
  for (std::size_t s = 0; s < uses.size(); ++s) uses[s].weight.resize(asset.skins[s].joints.size());
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const asset::Node& node = asset.nodes[n];
    if (!shown[n] || node.mesh < 0 || node.skin < 0) continue;
    SkinUse& use = uses[at(node.skin)];
    for (const asset::Primitive& primitive : asset.meshes[at(node.mesh)].primitives) {
      for (const Vec3& p : primitive.positions) use.radius = std::max(use.radius, norm(p.cast<double>()));
      for (const asset::InfluenceSet& set : primitive.influences) {
        for (std::size_t v = 0; v < set.weights.size(); ++v) {
          for (int k = 0; k < 4; ++k) {
            const std::size_t joint = set.joints[v][at(k)];
            if (set.weights[v][k] > 0 && joint < use.weight.size()) use.weight[joint] += set.weights[v][k];
          }
        }
      }
    }
  }
  return uses;
}

/// A bone for every joint that a skin's weights use. Joints without any weight get one, from the first skin that lists
/// them: exporters like to list the whole skeleton in every skin.
Status Collector::add_skins(const std::vector<bool>& shown, const std::vector<bool>& used) {
  const std::vector<SkinUse> uses = measure_skins(asset_, shown);
  std::vector<bool> weighted(skeleton_.joints.size(), false), bound(skeleton_.joints.size(), false);
  for (std::size_t s = 0; s < uses.size(); ++s) {
    for (std::size_t k = 0; used[s] && k < uses[s].weight.size(); ++k) {
      if (uses[s].weight[k] > 0) weighted[at(joint_of(s, k))] = true;
    }
  }
  skins_.resize(asset_.skins.size());
  for (std::size_t s = 0; s < uses.size(); ++s) {
    const asset::Skin& skin = asset_.skins[s];
    if (!used[s] || skin.joints.empty()) continue;
    BoundSkin& result = skins_[s].emplace();
    result.bind_from_mesh = choose_bind(skin, uses[s].weight, uses[s].radius);
    result.bones.resize(skin.joints.size());
    const Affined mesh_from_bind = inverse(result.bind_from_mesh);
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const int joint = joint_of(s, k);
      if (uses[s].weight[k] == 0 && (weighted[at(joint)] || bound[at(joint)])) continue;
      const Affined joint_from_mesh = skeleton_.joints[at(joint)].rest.remainder * skin.inverse_bind[k].cast<double>();
      result.bones[k] = bone(joint, joint_from_mesh * mesh_from_bind);
      bound[at(joint)] = true;
    }
    // Room for a rigid bone per joint is needed beside them.
    if (geometry_.bones.size() + skeleton_.joints.size() > 65534) {
      return Error{"its skins bind the joints in more than 65534 ways", asset_.name + "#/skins"};
    }
  }
  return Done{};
}

void Collector::add_node(int index) {
  const asset::Node& node = asset_.nodes[at(index)];
  const BoundSkin* skin = node.skin >= 0 && skins_[at(node.skin)] ? &*skins_[at(node.skin)] : nullptr;
  if (!skin && skeleton_.joint_above[at(index)] < 0) {
    ++geometry_.static_meshes;
    return;
  }
  const std::vector<asset::Primitive>& primitives = asset_.meshes[at(node.mesh)].primitives;
  for (int p = 0; p < static_cast<int>(primitives.size()); ++p) {
    const bool skinned = skin && !primitives[at(p)].influences.empty();
    if (skinned || node.instances.empty()) {
      add_primitive(index, p, skinned ? skin : nullptr, -1);
    } else {
      for (int i = 0; i < static_cast<int>(node.instances.size()); ++i) add_primitive(index, p, nullptr, i);
    }
  }
}

/// Positions or normals with the morph weights that are in force at rest.
std::vector<Vec3d> morphed(const std::vector<Vec3>& base, const std::vector<asset::MorphTarget>& targets,
                           std::vector<Vec3> asset::MorphTarget::*displacements, const std::vector<float>& weights) {
  std::vector<Vec3d> result(base.size());
  for (std::size_t i = 0; i < base.size(); ++i) result[i] = base[i].cast<double>();
  for (std::size_t t = 0; t < std::min(weights.size(), targets.size()); ++t) {
    const std::vector<Vec3>& moved = targets[t].*displacements;
    if (weights[t] == 0) continue;
    for (std::size_t i = 0; i < std::min(base.size(), moved.size()); ++i) {
      result[i] += double(weights[t]) * moved[i].cast<double>();
    }
  }
  return result;
}

/// Cofactors without the sign of the determinant, so that a mirror image keeps its normals outside.
Mat3d normal_matrix(const Mat3d& linear) { return (determinant(linear) < 0 ? -1.0 : 1.0) * cofactor(linear); }

void Collector::add_normals(const asset::Primitive& primitive, const std::vector<float>& weights, std::size_t first,
                            const Affined& bind_from_mesh) {
  const std::size_t count = primitive.positions.size();
  geometry_.normals.resize(first + count);
  if (primitive.normals.size() == count) {
    const Mat3d bind_normals = normal_matrix(bind_from_mesh.linear);
    const std::vector<Vec3d> normals =
        morphed(primitive.normals, primitive.targets, &asset::MorphTarget::normals, weights);
    for (std::size_t i = 0; i < count; ++i) geometry_.normals[first + i] = normalized(bind_normals * normals[i]);
    return;
  }
  // Each corner adds its triangle's normal, weighted by area. The primitive's triangles are the last ones.
  for (std::size_t t = geometry_.triangles.size(); t-- > 0 && geometry_.triangles[t][0] >= first;) {
    const auto& [a, b, c] = geometry_.triangles[t];
    const Vec3d& origin = geometry_.points[a];
    const Vec3d normal = cross(geometry_.points[b] - origin, geometry_.points[c] - origin);
    for (const std::uint32_t corner : geometry_.triangles[t]) geometry_.normals[corner] += normal;
  }
  for (std::size_t i = first; i < first + count; ++i) geometry_.normals[i] = normalized(geometry_.normals[i]);
}

void Collector::add_primitive(int index, int primitive_index, const BoundSkin* skin, int instance) {
  const asset::Node& node = asset_.nodes[at(index)];
  const asset::Mesh& mesh = asset_.meshes[at(node.mesh)];
  const asset::Primitive& primitive = mesh.primitives[at(primitive_index)];
  const std::vector<float>& weights = node.weights.empty() ? mesh.weights : node.weights;
  const std::size_t first = geometry_.points.size(), count = primitive.positions.size();
  const int follow = skeleton_.joint_above[at(index)] >= 0 ? skeleton_.joint_above[at(index)] : kRootJoint;

  Affined world_from_mesh = skeleton_.bind_world_from_node(index);
  if (instance >= 0) world_from_mesh = world_from_mesh * to_affine(node.instances[at(instance)].cast<double>());
  const Affined bind_from_mesh = skin ? skin->bind_from_mesh : world_from_mesh;

  const std::vector<Vec3d> positions =
      morphed(primitive.positions, primitive.targets, &asset::MorphTarget::positions, weights);
  for (const Vec3d& p : positions) geometry_.points.push_back(bind_from_mesh * p);
  const bool mirrored = determinant(bind_from_mesh.linear) < 0;
  for (const auto& [a, b, c] : asset::triangles(primitive)) {
    const auto base = static_cast<std::uint32_t>(first);
    geometry_.triangles.push_back({base + a, base + (mirrored ? c : b), base + (mirrored ? b : c)});
  }

  add_normals(primitive, weights, first, bind_from_mesh);

  geometry_.influences.resize(first + count);
  if (skin) {
    add_influences(primitive, *skin, first, world_from_mesh, follow);
  } else {
    const std::uint16_t rigid = rigid_bone(follow);
    for (std::size_t i = first; i < first + count; ++i) geometry_.influences[i] = {{rigid, 1.0f}};
  }
  geometry_.ranges.push_back({index, node.mesh, primitive_index, first, count, instance});
}

void Collector::add_influences(const asset::Primitive& primitive, const BoundSkin& skin, std::size_t first,
                               const Affined& world_from_mesh, int follow) {
  const Affined world_from_bind = world_from_mesh * inverse(skin.bind_from_mesh);
  const Mat3d world_normals = normal_matrix(world_from_bind.linear);
  for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
    std::vector<Influence>& row = geometry_.influences[first + v];
    double sum = 0;
    for (const asset::InfluenceSet& set : primitive.influences) {
      for (int k = 0; k < 4; ++k) {
        const float weight = set.weights[v][k];
        const std::size_t joint = set.joints[v][at(k)];
        if (!(weight > 0) || joint >= skin.bones.size()) continue;
        const std::uint16_t bone = skin.bones[joint];
        const auto same = std::find_if(row.begin(), row.end(), [&](const Influence& i) { return i.bone == bone; });
        if (same != row.end()) {
          same->weight += weight;
        } else {
          row.push_back({bone, weight});
        }
        sum += weight;
      }
    }
    for (Influence& influence : row) influence.weight = static_cast<float>(influence.weight / sum);
    if (!row.empty()) continue;
    // Nobody holds the vertex: it follows the mesh's node, from where that has it.
    row.push_back({rigid_bone(follow), 1.0f});
    geometry_.points[first + v] = world_from_bind * geometry_.points[first + v];
    geometry_.normals[first + v] = normalized(world_normals * geometry_.normals[first + v]);
    ++geometry_.unweighted;
  }
}

}  // namespace

Result<SubjectGeometry> gather_geometry(const asset::Asset& asset, const AssetSkeleton& skeleton,
                                        const std::vector<bool>& shown, const std::vector<bool>& skins) {
  // Nodes and instances share meshes, so a small file can show any number of vertices.
  std::size_t points = 0;
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    if (!shown[n] || asset.nodes[n].mesh < 0) continue;
    const std::size_t copies = std::max<std::size_t>(asset.nodes[n].instances.size(), 1);
    for (const asset::Primitive& primitive : asset.meshes[at(asset.nodes[n].mesh)].primitives) {
      points += copies * primitive.positions.size();
    }
    if (points > kMaxPoints) return Error{"shows more than 20 million vertices", asset.name + "#/nodes"};
  }

  Collector collector(asset, skeleton);
  LIMBER_CHECK_OK(collector.add_skins(shown, skins));
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    if (shown[n] && asset.nodes[n].mesh >= 0) collector.add_node(static_cast<int>(n));
  }
  return collector.take();
}

std::vector<Vec3d> rest_points(const SubjectGeometry& geometry, const AssetSkeleton& skeleton) {
  std::vector<Affined> posed;
  posed.reserve(geometry.bones.size());
  for (const SkeletonBone& bone : geometry.bones) {
    posed.push_back(bone.joint == kRootJoint ? Affined{}
                                             : skeleton.joints[at(bone.joint)].world * bone.joint_from_bind);
  }
  std::vector<Vec3d> result(geometry.points.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (const Influence& influence : geometry.influences[i]) {
      result[i] += double(influence.weight) * (posed[influence.bone] * geometry.points[i]);
    }
  }
  return result;
}

}  // namespace limber::rig
