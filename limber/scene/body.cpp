// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/body.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"
#include "limber/scene/mesh_raster.h"

namespace limber::scene {
namespace {

/// What moves points: a joint of a skin, or a node (an instance of it) as a whole.
struct BodyBone {
  int skin = -1, joint = -1;
  int node = -1, instance = -1;
};
constexpr std::size_t kMaxBones = 65535;
constexpr std::size_t kMaxPoints = 20'000'000, kMaxTriangles = 40'000'000;  ///< points as rig::Subject

/// A mesh primitive as part of the body.
struct BodyRange {
  int node = -1, mesh = -1, primitive = -1, instance = -1;
  std::size_t first = 0, count = 0;
};

/// Nodes and instances share meshes, so a small file can show any amount of geometry.
Status check_amount(const asset::Asset& asset) {
  const std::vector<bool> shown = asset::shown_nodes(asset);
  std::size_t points = 0, triangles = 0;
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const asset::Node& node = asset.nodes[n];
    if (!shown[n] || node.mesh < 0) continue;
    const std::size_t copies = std::max<std::size_t>(node.instances.size(), 1);
    for (const asset::Primitive& primitive : asset.meshes[at(node.mesh)].primitives) {
      const std::size_t corners = primitive.indices.empty() ? primitive.positions.size() : primitive.indices.size();
      points += copies * primitive.positions.size();
      triangles += copies * (primitive.mode == asset::PrimitiveMode::kTriangles ? corners / 3 : corners);
    }
    if (points > kMaxPoints) return Error{"shows more than 20 million vertices", asset.name + "#/nodes"};
    if (triangles > kMaxTriangles) return Error{"shows more than 40 million triangles", asset.name + "#/nodes"};
  }
  return Done{};
}

Affined bone_matrix(const asset::Asset& asset, const asset::NodeState& state, const BodyBone& bone) {
  if (bone.skin >= 0) {
    const asset::Skin& skin = asset.skins[at(bone.skin)];
    return state.world_from_node[at(skin.joints[at(bone.joint)])] * skin.inverse_bind[at(bone.joint)].cast<double>();
  }
  const Affined& world = state.world_from_node[at(bone.node)];
  if (bone.instance < 0) return world;
  return world * to_affine(asset.nodes[at(bone.node)].instances[at(bone.instance)].cast<double>());
}

}  // namespace

struct Body::State {
  const asset::Asset* asset = nullptr;
  std::optional<rig::Subject> subject;
  Parts parts;
  BodyMesh mesh;
  std::vector<std::string> warnings;
  Affined world_from_asset;
  std::vector<BodyRange> ranges;

  // Posing by nodes: points of the meshes' own space, and what moves them.
  std::vector<Vec3> points, normals;
  std::vector<BodyBone> bones;
  rig::SkinWeights weights;

  // Posing by a motion of the subject: its points in our order; the last bone holds what it does not move.
  std::vector<Vec3> subject_points, subject_normals;
  rig::SkinWeights subject_weights;

  void add_primitive(int node, int primitive, int instance, std::vector<std::vector<rig::Influence>>& influences,
                     const std::map<int, std::size_t>& first_bone_of_skin, std::size_t node_bone);
  void add_surface(const BodyRange& range, const TextureSet& textures);
  Status gather(const TextureSet& textures);
  void turn_mirrored();
  void add_subject();
  void find_world();
  void morph(const asset::NodeState& state, std::vector<Vec3>& p, std::vector<Vec3>& n) const;
};

void Body::State::add_primitive(int node, int primitive, int instance,
                                std::vector<std::vector<rig::Influence>>& influences,
                                const std::map<int, std::size_t>& first_bone_of_skin, std::size_t node_bone) {
  const asset::Node& owner = asset->nodes[at(node)];
  const asset::Primitive& source = asset->meshes[at(owner.mesh)].primitives[at(primitive)];
  ranges.push_back({node, owner.mesh, primitive, instance, points.size(), source.positions.size()});
  points.insert(points.end(), source.positions.begin(), source.positions.end());
  normals.insert(normals.end(), source.normals.begin(), source.normals.end());
  normals.resize(points.size());
  const bool skinned = owner.skin >= 0 && !source.influences.empty();
  const rig::Influence whole{static_cast<std::uint16_t>(node_bone), 1};
  for (std::size_t v = 0; v < source.positions.size(); ++v) {
    std::vector<rig::Influence> row;
    for (std::size_t s = 0; skinned && s < source.influences.size(); ++s) {
      for (int k = 0; k < 4; ++k) {
        const float weight = source.influences[s].weights[v][k];
        const std::size_t bone = first_bone_of_skin.at(owner.skin) + source.influences[s].joints[v][at(k)];
        if (weight > 0) row.push_back({static_cast<std::uint16_t>(bone), weight});
      }
    }
    if (row.empty()) row.push_back(whole);
    influences.push_back(std::move(row));
  }
}

void Body::State::add_surface(const BodyRange& range, const TextureSet& textures) {
  const asset::Primitive& primitive = asset->meshes[at(range.mesh)].primitives[at(range.primitive)];
  static const asset::Material plain = [] {
    asset::Material material;
    material.base_color = {0.7f, 0.7f, 0.7f, 1};
    return material;
  }();
  const bool has_material = primitive.material >= 0 && at(primitive.material) < asset->materials.size();
  const bool has_colors = !primitive.colors.empty() && primitive.colors[0].size() == range.count;
  const asset::Material& material = has_material ? asset->materials[at(primitive.material)] : plain;

  BodySurface surface;
  const auto lay = [&](const asset::TextureUse& use, std::vector<Vec2>& uv) -> std::shared_ptr<const MipTexture> {
    uv.resize(range.first + range.count);
    if (textures.find(use.texture) == nullptr || use.texcoord < 0 || at(use.texcoord) >= primitive.texcoords.size())
      return nullptr;
    const std::vector<Vec2>& source = primitive.texcoords[at(use.texcoord)];
    if (source.size() != range.count) return nullptr;
    const float c = std::cos(use.rotation), s = std::sin(use.rotation);
    for (std::size_t i = 0; i < range.count; ++i) {
      const float x = use.scale.x * source[i].x, y = use.scale.y * source[i].y;
      uv[range.first + i] = {use.offset.x + c * x + s * y, use.offset.y - s * x + c * y};
    }
    return textures.textures[at(use.texture)];
  };
  surface.texture = lay(material.base_color_texture, mesh.uv);
  surface.glow_texture = lay(material.emissive_texture, mesh.glow_uv);
  surface.glow = material.emissive;
  surface.alpha_mode = material.alpha_mode;
  surface.alpha_cutoff = material.alpha_cutoff;
  surface.unlit = material.unlit;
  surface.faceted = primitive.normals.size() != range.count;

  bool opaque = !surface.texture || surface.texture->picture().opaque();
  for (std::size_t i = 0; i < range.count; ++i) {
    Vec4 color = has_colors && !has_material ? Vec4{1, 1, 1, 1} : material.base_color;
    for (int k = 0; has_colors && k < 4; ++k) color[k] *= primitive.colors[0][i][k];
    opaque &= color.w >= 0.999f;
    mesh.colors.push_back(color);
  }
  // Many exporters mark everything as transparent.
  if (opaque) surface.alpha_mode = asset::AlphaMode::kOpaque;

  // Formats other than glTF do not say reliably which side is seen.
  std::uint8_t kind = asset->source && !material.double_sided ? kOneSided : 0;
  if (surface.alpha_mode == asset::AlphaMode::kMask) kind |= kCutout;
  if (surface.alpha_mode == asset::AlphaMode::kBlend) kind |= kBlended;
  for (const auto& [a, b, c] : asset::triangles(primitive)) {
    const auto first = static_cast<std::uint32_t>(range.first);
    mesh.triangles.push_back({first + a, first + b, first + c});
    mesh.surface_of_triangle.push_back(static_cast<std::uint32_t>(mesh.surfaces.size()));
    mesh.kinds.push_back(kind);
  }
  mesh.surfaces.push_back(std::move(surface));
}

Status Body::State::gather(const TextureSet& textures) {
  const std::vector<bool> shown = asset::shown_nodes(*asset);
  std::map<int, std::size_t> first_bone_of_skin;
  std::vector<std::vector<rig::Influence>> influences;
  std::size_t sets = 1;
  for (std::size_t n = 0; n < asset->nodes.size(); ++n) {
    const asset::Node& node = asset->nodes[n];
    if (!shown[n] || node.mesh < 0) continue;
    if (node.skin >= 0 && first_bone_of_skin.count(node.skin) == 0) {
      first_bone_of_skin[node.skin] = bones.size();
      const auto joints = static_cast<int>(asset->skins[at(node.skin)].joints.size());
      for (int j = 0; j < joints; ++j) bones.push_back({node.skin, j, -1, -1});
    }
    const int instances = static_cast<int>(node.instances.size());
    const std::size_t node_bone = bones.size();
    if (instances == 0 || node.skin >= 0) bones.push_back({-1, -1, static_cast<int>(n), -1});
    const std::size_t first_instance_bone = bones.size();
    for (int i = 0; i < instances; ++i) bones.push_back({-1, -1, static_cast<int>(n), i});
    const std::vector<asset::Primitive>& primitives = asset->meshes[at(node.mesh)].primitives;
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      sets = std::max(sets, primitives[p].influences.size());
      const bool skinned = node.skin >= 0 && !primitives[p].influences.empty();
      const int copies = skinned || instances == 0 ? 1 : instances;
      if (bones.size() > kMaxBones) return Error{"more than 65,535 nodes and joints move geometry", asset->name};
      for (int i = 0; i < copies; ++i) {
        const bool single = skinned || instances == 0;
        add_primitive(static_cast<int>(n), static_cast<int>(p), single ? -1 : i, influences, first_bone_of_skin,
                      single ? node_bone : first_instance_bone + at(i));
        add_surface(ranges.back(), textures);
      }
    }
  }
  weights = rig::make_skin_weights(influences, sets > 1 ? 8 : 4);
  return Done{};
}

/// Triangles of what is mirrored at rest are turned round, so that their outside is outside.
void Body::State::turn_mirrored() {
  const asset::NodeState rest = asset::rest_state(*asset);
  std::vector<bool> mirrors;
  for (const BodyBone& bone : bones) mirrors.push_back(determinant(bone_matrix(*asset, rest, bone).linear) < 0);
  std::vector<bool> turned(points.size(), false);
  const auto stride = static_cast<std::size_t>(weights.stride);
  for (const BodyRange& range : ranges) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < range.count; ++i) count += mirrors[weights.bones[(range.first + i) * stride]] ? 1 : 0;
    if (2 * count > range.count) {
      std::fill_n(turned.begin() + static_cast<std::ptrdiff_t>(range.first), range.count, true);
    }
  }
  for (auto& triangle : mesh.triangles) {
    if (turned[triangle[0]]) std::swap(triangle[1], triangle[2]);
  }
}

/// The subject's world, or one made like it.
void Body::State::find_world() {
  if (subject) {
    world_from_asset = inverse(rig::asset_from_subject(*subject));
    return;
  }
  const asset::NodeState state = asset::rest_state(*asset);
  Box box;
  const auto stride = static_cast<std::size_t>(weights.stride);
  std::vector<Affined> matrices;
  for (const BodyBone& bone : bones) matrices.push_back(bone_matrix(*asset, state, bone));
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t i : triangle) {
      const Vec3 p = (matrices[weights.bones[i * stride]] * points[i].cast<double>()).cast<float>();
      if (is_finite(p)) box.add(p);
    }
  }
  if (box.empty()) return;
  const Vec3d size = box.size().cast<double>(), center = box.center().cast<double>();
  const double longest = std::max({size.x, size.y, size.z});
  const double height = std::max(size.y, 0.2 * longest);  // what lies flat is not blown up
  const double scale = height > 0 ? 1 / height : 1;
  world_from_asset = {scale * Mat3d::identity(), -scale * Vec3d{center.x, double(box.low.y), center.z}};
}

void Body::State::add_subject() {
  mesh.parts.assign(points.size(), -1);
  mesh.weight_colors.assign(points.size(), {});
  if (!subject) return;
  parts = find_parts(*subject);
  const std::vector<int> labels = point_parts(*subject, parts);
  using Key = std::tuple<int, int, int>;
  std::map<Key, const rig::PointRange*> of_primitive;
  for (const rig::PointRange& range : subject->ranges)
    of_primitive[{range.node, range.primitive, range.instance}] = &range;

  std::vector<Vec3> bone_colors;
  for (const rig::Bone& bone : subject->rig.bones()) bone_colors.push_back(joint_color(bone.joint));
  const auto static_bone = static_cast<std::uint16_t>(subject->rig.bone_count());
  const auto stride = static_cast<std::size_t>(subject->weights.stride);
  subject_points.resize(points.size()), subject_normals.resize(points.size());
  subject_weights.stride = subject->weights.stride;
  subject_weights.bones.assign(points.size() * stride, 0);
  subject_weights.weights.assign(points.size() * stride, 0);
  for (const BodyRange& range : ranges) {
    const auto found = of_primitive.find({range.node, range.primitive, range.instance});
    const bool moves = found != of_primitive.end() && found->second->count == range.count;
    for (std::size_t i = 0; i < range.count; ++i) {
      const std::size_t to = range.first + i;
      if (!moves) {
        subject_weights.bones[to * stride] = static_bone, subject_weights.weights[to * stride] = 1;
        continue;
      }
      const std::size_t from = found->second->first + i;
      mesh.parts[to] = labels[from];
      subject_points[to] = subject->points[from], subject_normals[to] = subject->normals[from];
      for (std::size_t k = 0; k < stride; ++k) {
        const std::uint16_t bone = subject->weights.bones[from * stride + k];
        const float weight = subject->weights.weights[from * stride + k];
        subject_weights.bones[to * stride + k] = bone, subject_weights.weights[to * stride + k] = weight;
        if (weight > 0) mesh.weight_colors[to] += weight * bone_colors[bone];
      }
    }
  }
}

void Body::State::morph(const asset::NodeState& state, std::vector<Vec3>& p, std::vector<Vec3>& n) const {
  p = points, n = normals;
  for (const BodyRange& range : ranges) {
    const asset::Primitive& primitive = asset->meshes[at(range.mesh)].primitives[at(range.primitive)];
    const std::vector<float>& amounts = state.morph_weights[at(range.node)];
    for (std::size_t t = 0; t < std::min(amounts.size(), primitive.targets.size()); ++t) {
      if (amounts[t] == 0) continue;
      const auto add = [&](const std::vector<Vec3>& displacements, std::vector<Vec3>& values) {
        const std::size_t count = std::min(range.count, displacements.size());
        for (std::size_t i = 0; i < count; ++i) values[range.first + i] += amounts[t] * displacements[i];
      };
      add(primitive.targets[t].positions, p);
      add(primitive.targets[t].normals, n);
    }
  }
}

Vec3 joint_color(int joint) {
  // Hues by the golden ratio, in three shades.
  const double turn = 0.61803398875 * joint, hue = 6 * (turn - std::floor(turn));
  const double value = joint % 3 == 1 ? 0.8 : 1, saturation = joint % 3 == 2 ? 0.55 : 0.9;
  const auto channel = [&](double shift) {
    const double k = std::fmod(shift + hue, 6.0);
    return static_cast<float>(value * (1 - saturation * std::clamp(std::min(k, 4 - k), 0.0, 1.0)));
  };
  return {channel(5), channel(3), channel(1)};
}

Body::Body(std::unique_ptr<State> state) : state_(std::move(state)) {}
Body::~Body() = default;
Body::Body(Body&&) noexcept = default;
Body& Body::operator=(Body&&) noexcept = default;

const BodyMesh& Body::mesh() const { return state_->mesh; }
const std::optional<rig::Subject>& Body::subject() const { return state_->subject; }
const Parts& Body::parts() const { return state_->parts; }
const rig::SkinWeights& Body::subject_weights() const { return state_->subject_weights; }
const Affined& Body::world_from_asset() const { return state_->world_from_asset; }
const std::vector<std::string>& Body::warnings() const { return state_->warnings; }

Result<Body> Body::make(const asset::Asset& asset, std::optional<rig::Subject> subject) {
  LIMBER_CHECK_OK(check_amount(asset));
  auto state = std::make_unique<State>();
  state->asset = &asset;
  state->subject = std::move(subject);
  TextureSet textures = load_textures(asset);
  state->warnings = std::move(textures.warnings);
  LIMBER_CHECK_OK(state->gather(textures));
  state->turn_mirrored();
  state->find_world();
  state->add_subject();
  Body body(std::move(state));
  if (body.state_->subject) {
    // What the subject does not move stays where it is at rest.
    State& s = *body.state_;
    BodyPose rest;
    body.pose(asset::rest_state(asset), rest);
    const auto stride = static_cast<std::size_t>(s.subject_weights.stride);
    for (std::size_t i = 0; i < s.points.size(); ++i) {
      if (s.subject_weights.bones[i * stride] != s.subject->rig.bone_count()) continue;
      s.subject_points[i] = rest.points[i], s.subject_normals[i] = rest.normals[i];
    }
  }
  return body;
}

Result<Body> Body::from_asset(const asset::Asset& asset) {
  Result<rig::Subject> subject = rig::subject_from_asset(asset);
  if (subject.ok()) return make(asset, std::move(subject).value());
  Result<Body> body = make(asset, std::nullopt);
  // That there is no skeleton is no news where nothing was meant to move.
  if (body.ok() && !(asset.skins.empty() && asset.clips.empty())) {
    body->state_->warnings.push_back(subject.error().message() + "; drawn without a skeleton");
  }
  return body;
}

Result<Body> Body::from_subject(const asset::Asset& asset, rig::Subject subject) {
  return make(asset, std::move(subject));
}

void Body::pose(const asset::NodeState& state, BodyPose& pose) const {
  const State& s = *state_;
  LIMBER_EXPECT(state.world_from_node.size() == s.asset->nodes.size(), "the state of another asset");
  std::vector<Affine> matrices;
  std::vector<bool> mirrors;
  bool any_mirror = false;
  for (const BodyBone& bone : s.bones) {
    const Affined matrix = s.world_from_asset * bone_matrix(*s.asset, state, bone);
    matrices.push_back(matrix.cast<float>());
    mirrors.push_back(determinant(matrix.linear) < 0);
    any_mirror |= mirrors.back();
  }
  std::vector<Vec3> points, normals;
  s.morph(state, points, normals);
  pose.points.resize(points.size()), pose.normals.resize(points.size());
  if (!points.empty()) {
    kinematics::SkinInput input;
    input.weights = &s.weights;
    input.points = points, input.normals = normals;
    input.bone_count = static_cast<int>(matrices.size());
    input.frame_count = 1;
    input.bones = matrices;
    kinematics::skin_forward(input, {pose.points, pose.normals, {}});
  }
  // A mirror turns cofactors, and with them normals, inside out.
  const auto stride = static_cast<std::size_t>(s.weights.stride);
  for (std::size_t i = 0; any_mirror && i < pose.normals.size(); ++i) {
    if (mirrors[s.weights.bones[i * stride]]) pose.normals[i] = -pose.normals[i];
  }
  pose.joints.clear();
  if (!s.subject) return;
  const std::span<const rig::Joint> joints = s.subject->rig.joints();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const int node = joints[j].node;
    const Affine& rest = s.subject->rig.world_from_rest()[j];
    pose.joints.push_back(node >= 0 ? (s.world_from_asset * state.world_from_node[at(node)].translation).cast<float>()
                                    : rest.translation);
  }
}

void Body::pose(const kinematics::Motion& motion, int frame, BodyPose& pose) const {
  const State& s = *state_;
  LIMBER_EXPECT(s.subject.has_value(), "an asset that nothing moves");
  LIMBER_EXPECT(frame >= 0 && frame < motion.frame_count(), std::to_string(frame));
  const rig::Rig& rig = s.subject->rig;
  kinematics::FrameBufferT<double> buffer;
  std::vector<Affined> joints(at(rig.joint_count())), bones(at(rig.bone_count()));
  kinematics::joints_forward<double>(rig, kinematics::motion_frame(rig, motion, frame, buffer), joints);
  kinematics::bones_forward<double>(rig, joints, bones);
  std::vector<Affine> matrices;
  for (const Affined& bone : bones) matrices.push_back(bone.cast<float>());
  matrices.emplace_back();

  pose.points.resize(s.points.size()), pose.normals.resize(s.points.size());
  if (!s.points.empty()) {
    kinematics::SkinInput input;
    input.weights = &s.subject_weights;
    input.points = s.subject_points, input.normals = s.subject_normals;
    input.bone_count = static_cast<int>(matrices.size());
    input.frame_count = 1;
    input.bones = matrices;
    kinematics::skin_forward(input, {pose.points, pose.normals, {}});
  }
  pose.joints.clear();
  for (const Affined& joint : joints) pose.joints.push_back(joint.translation.cast<float>());
}

std::vector<std::uint32_t> seen_points(const BodyMesh& mesh) {
  std::vector<bool> seen(mesh.colors.size(), false);
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle) seen[corner] = true;
  }
  std::vector<std::uint32_t> points;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i]) points.push_back(static_cast<std::uint32_t>(i));
  }
  return points;
}

Box pose_box(const BodyMesh& mesh, const BodyPose& pose) {
  Box box;
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle) {
      const Vec3& p = pose.points[corner];
      if (is_finite(p) && std::abs(p.x) < 1e15f && std::abs(p.y) < 1e15f && std::abs(p.z) < 1e15f) box.add(p);
    }
  }
  return box;
}

}  // namespace limber::scene
