// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "limber/asset/pose.h"
#include "limber/base/at.h"
#include "limber/rig/asset_skeleton.h"
#include "limber/rig/joint_tree.h"
#include "limber/rig/rig_extras.h"
#include "limber/rig/skin_contacts.h"
#include "limber/rig/static_subject.h"
#include "limber/rig/subject_geometry.h"

namespace limber::rig {
namespace {

constexpr std::size_t kListedNotes = 8;  ///< of a kind; the rest is counted

std::string joint_name(const asset::Asset& asset, int node) {
  const std::string& name = asset.nodes[at(node)].name;
  return name.empty() ? fmt::format("node_{}", node) : name;
}

std::vector<Vec3d> joint_places(const AssetSkeleton& skeleton) {
  std::vector<Vec3d> places;
  for (const SkeletonJoint& joint : skeleton.joints) places.push_back(joint.world.translation);
  return places;
}

/// Adds notes of one kind, the first few of them in full.
void add_notes(const std::vector<std::string>& of_a_kind, std::vector<std::string>& notes) {
  const std::size_t listed = std::min(of_a_kind.size(), kListedNotes);
  notes.insert(notes.end(), of_a_kind.begin(), of_a_kind.begin() + static_cast<std::ptrdiff_t>(listed));
  if (listed < of_a_kind.size()) {
    notes.push_back(fmt::format("... and {} more such joints", of_a_kind.size() - listed));
  }
}

void note_tree(const asset::Asset& asset, const AssetSkeleton& skeleton, const JointTree& tree,
               std::vector<std::string>& notes) {
  const auto name = [&](int joint) { return joint_name(asset, skeleton.joints[at(joint)].node); };
  std::vector<std::string> attached, rehung;
  for (const int joint : tree.attached) {
    attached.push_back(fmt::format("joint '{}' is a root of its own in the asset; attached to '{}'", name(joint),
                                   name(tree.parent[at(joint)])));
  }
  for (const int joint : tree.rehung) {
    rehung.push_back(fmt::format("joint '{}' hangs on '{}' in the asset, but '{}' carries it", name(joint),
                                 name(skeleton.joints[at(joint)].parent), name(tree.parent[at(joint)])));
  }
  add_notes(attached, notes);
  add_notes(rehung, notes);
  if (tree.fixed_root()) notes.push_back("no joint can carry the others without distortion; a fixed root was added");
}

/// The rig under construction. Joints that hang elsewhere than in the asset stand at rest exactly where they stood:
/// their frame is what the asset has above them, seen from the new parent.
RigDraft draft_tree(const asset::Asset& asset, const AssetSkeleton& skeleton, const JointTree& tree,
                    const Similarity& similarity) {
  const Affined subject_from_asset = inverse(similarity.asset_from_subject());
  RigDraft draft;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const SkeletonJoint& source = skeleton.joints[j];
    Joint joint;
    joint.name = joint_name(asset, source.node);
    joint.node = source.node;
    joint.rest = source.rest.transform.cast<float>();
    joint.parent = tree.parent[j];
    Affined above = source.above;
    if (source.parent >= 0) above = skeleton.joints[at(source.parent)].rest.remainder * above;
    if (joint.parent != source.parent || joint.parent < 0) {
      if (source.parent >= 0) above = skeleton.joints[at(source.parent)].world * above;
      const bool carried = joint.parent >= 0 && joint.parent != static_cast<int>(skeleton.joints.size());
      above = (carried ? inverse(skeleton.joints[at(joint.parent)].world) : subject_from_asset) * above;
    }
    joint.parent_from_frame = above.cast<float>();
    draft.joints.push_back(std::move(joint));
  }
  if (tree.fixed_root()) {
    draft.joints.emplace_back();
    draft.joints.back().name = "root";
  }
  return draft;
}

void add_bones(const SubjectGeometry& geometry, const AssetSkeleton& skeleton, const Similarity& similarity,
               const JointTree& tree, RigDraft& draft) {
  const Affined asset_from_subject = similarity.asset_from_subject();
  for (const SkeletonBone& bone : geometry.bones) {
    Affined joint_from_bind = bone.joint_from_bind;
    int joint = bone.joint;
    if (joint == kRootJoint) {
      joint = tree.root;
      // A fixed root that was added stands at the subject's origin.
      joint_from_bind = inverse(tree.fixed_root() ? asset_from_subject : skeleton.joints[at(tree.root)].bind_world);
    }
    draft.bones.push_back({joint, (joint_from_bind * asset_from_subject).cast<float>()});
  }
}

/// Axes, limits and roles that an earlier export left in the skins, and the way the subject faces.
void apply_extras(const asset::Asset& asset, const AssetSkeleton& skeleton, const std::vector<bool>& skins,
                  RigDraft& draft, Facing& facing) {
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    const asset::Skin& skin = asset.skins[s];
    if (!skins[s] || skin.extras.empty() || skin.joints.empty()) continue;
    const std::optional<RigExtras> extras = read_extras(skin.extras, skin.joints.size());
    if (!extras) continue;
    if (extras->facing.known()) {
      const SkeletonJoint& first = skeleton.joints[at(skeleton.joint_above[at(skin.joints[0])])];
      facing = facing_now(*extras, decompose(first.world).rotation.cast<float>());
    }
    // Skins of one rig tell of the same limbs; of another rig's the roles mean nothing here.
    if (draft.limbs.empty()) draft.limbs = extras->limbs;
    const bool same_limbs = !draft.limbs.empty() && draft.limbs == extras->limbs;
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      Joint& joint = draft.joints[at(skeleton.joint_above[at(skin.joints[k])])];
      joint.axes = extras->joints[k].axes;
      joint.limits = extras->joints[k].limits;
      if (same_limbs) joint.role = extras->joints[k].role;
    }
  }
}

SkinWeights subject_weights(const SubjectGeometry& geometry, std::vector<std::string>& notes) {
  std::size_t most = 0, beyond = 0;
  for (const std::vector<Influence>& row : geometry.influences) {
    most = std::max(most, row.size());
    beyond += row.size() > kMaxInfluences ? 1 : 0;
  }
  if (beyond > 0) {
    notes.push_back(fmt::format("{} vertices have more than {} influences; the heaviest {} were kept", beyond,
                                kMaxInfluences, kMaxInfluences));
  }
  return make_skin_weights(geometry.influences, most > 4 ? kMaxInfluences : 4);
}

void note_geometry(const SubjectGeometry& geometry, const AssetSkeleton& skeleton, std::vector<std::string>& notes) {
  if (geometry.unweighted > 0) {
    notes.push_back(
        fmt::format("{} vertices have no weight; they follow their mesh's node, or the root where no joint "
                    "is above it",
                    geometry.unweighted));
  }
  if (geometry.static_meshes > 0) {
    notes.push_back(fmt::format("{} mesh nodes that nothing moves were left out", geometry.static_meshes));
  }
  const auto hidden = std::count_if(skeleton.joints.begin(), skeleton.joints.end(),
                                    [](const SkeletonJoint& joint) { return joint.rest.hidden; });
  if (hidden > 0) notes.push_back(fmt::format("{} joints are scaled to nothing at rest", hidden));
}

/// Whether two frames agree but for rounding.
bool same_frame(const Affined& a, const Affined& b) {
  double size = 0, difference = 0;
  for (int c = 0; c < 3; ++c) {
    size = std::max(size, norm(b.linear.column(c)));
    difference = std::max(difference, norm(a.linear.column(c) - b.linear.column(c)));
  }
  return difference <= 1e-4 * size && norm(a.translation - b.translation) <= 1e-4;
}

bool same_transform(const Transformd& a, const Transformd& b) {
  return norm(a.translation - b.translation) <= 1e-5 * norm(b.translation) &&
         angle_between(a.rotation, b.rotation) < 1e-4 && norm(a.scale - b.scale) <= 1e-5 * norm(b.scale);
}

}  // namespace

Affined asset_from_subject(const Subject& subject) {
  return Similarity{subject.asset_scale, subject.asset_offset}.asset_from_subject();
}

Result<Subject> subject_from_asset(const asset::Asset& asset) {
  const std::vector<bool> shown = asset::shown_nodes(asset), skins = used_skins(asset, shown);
  const std::vector<bool> is_joint = find_joint_nodes(asset, shown, skins);
  if (std::find(is_joint.begin(), is_joint.end(), true) == is_joint.end()) {
    return Error{"has no rig: no skin, and no clip moves a mesh; add a skeleton first", asset.name};
  }
  if (std::count(is_joint.begin(), is_joint.end(), true) > 65535) {
    return Error{"more than 65535 joints", asset.name + "#/nodes"};
  }

  const AssetSkeleton skeleton = asset_skeleton(asset, is_joint);
  LIMBER_TRY(const SubjectGeometry geometry, gather_geometry(asset, skeleton, shown, skins));
  const std::vector<Vec3d> rest = rest_points(geometry, skeleton);
  const Similarity similarity = fit_similarity(rest.empty() ? joint_places(skeleton) : rest);
  const JointSkin skin = measure_skin(geometry, rest, skeleton.joints.size());
  const JointTree tree = join_joints(asset, skeleton, skin, similarity.scale);

  std::vector<std::string> notes;
  Facing facing;
  note_tree(asset, skeleton, tree, notes);
  RigDraft draft = draft_tree(asset, skeleton, tree, similarity);
  add_bones(geometry, skeleton, similarity, tree, draft);
  apply_extras(asset, skeleton, skins, draft, facing);
  auto rig = build_rig(std::move(draft));
  if (!rig.ok()) return Error{rig.error().what, asset.name + ", " + rig.error().where};

  Subject subject{*rig, {},    {}, geometry.triangles, {}, geometry.ranges, similarity.scale, similarity.offset,
                  {},   facing};
  const Affined subject_from_asset_world = inverse(similarity.asset_from_subject());
  for (const Vec3d& p : geometry.points) subject.points.push_back((subject_from_asset_world * p).cast<float>());
  for (const Vec3d& n : geometry.normals) subject.normals.push_back(n.cast<float>());
  subject.weights = subject_weights(geometry, notes);
  note_geometry(geometry, skeleton, notes);
  subject.notes = std::move(notes);
  return subject;
}

std::vector<NodeLink> node_links(const asset::Asset& asset, const Subject& subject) {
  const std::span<const Joint> joints = subject.rig.joints();
  std::vector<int> joint_of_node(asset.nodes.size(), -1);
  std::vector<bool> is_joint(asset.nodes.size(), false);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    LIMBER_EXPECT(joints[j].node < static_cast<int>(asset.nodes.size()), fmt::format("node {}", joints[j].node));
    if (joints[j].node < 0) continue;
    joint_of_node[at(joints[j].node)] = static_cast<int>(j);
    is_joint[at(joints[j].node)] = true;
  }
  const AssetSkeleton skeleton = asset_skeleton(asset, is_joint);
  const Affined subject_from_asset = inverse(asset_from_subject(subject));

  // The rig at rest, in double.
  std::vector<Affined> frame(joints.size()), world(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    frame[j] = joints[j].parent_from_frame.cast<double>();
    if (joints[j].parent >= 0) frame[j] = world[at(joints[j].parent)] * frame[j];
    world[j] = frame[j] * to_affine(joints[j].rest.cast<double>());
  }

  std::vector<NodeLink> links(joints.size());
  std::vector<bool> agrees(joints.size(), false);
  for (const SkeletonJoint& source : skeleton.joints) {
    const auto j = at(joint_of_node[at(source.node)]);
    NodeLink& link = links[j];
    link.above = source.above;
    Affined asset_frame = source.above;
    bool parent_agrees = joints[j].parent < 0;
    if (source.parent >= 0) {
      const SkeletonJoint& ancestor = skeleton.joints[at(source.parent)];
      link.ancestor = joint_of_node[at(ancestor.node)];
      asset_frame = ancestor.world * ancestor.rest.remainder * source.above;
      parent_agrees = agrees[at(link.ancestor)];
    }
    agrees[j] = same_transform(joints[j].rest.cast<double>(), source.rest.transform) &&
                same_frame(frame[j], subject_from_asset * asset_frame);
    link.native = agrees[j] && link.ancestor == joints[j].parent && parent_agrees;
    link.joint_from_node = agrees[j] ? source.rest.remainder
                                     : inverse(world[j]) * subject_from_asset * source.world * source.rest.remainder;
  }
  return links;
}

}  // namespace limber::rig
