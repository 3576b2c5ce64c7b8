// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/asset/pose.h"
#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/subject.h"
#include "limber/scene/cameras.h"
#include "limber/scene/parts.h"
#include "limber/scene/textures.h"

/// An asset made ready to be posed and drawn many times.
namespace limber::scene {

/// What the triangles of one mesh primitive look like.
struct BodySurface {
  std::shared_ptr<const MipTexture> texture, glow_texture;  ///< null: white
  Vec3 glow;                                                ///< linear
  asset::AlphaMode alpha_mode = asset::AlphaMode::kOpaque;
  float alpha_cutoff = 0.5f;
  bool unlit = false;
  bool faceted = false;  ///< no normals: drawn with those of the triangles
};

/// The whole shown geometry of an asset as one list, whatever its nodes, skins, instances and morph targets. Its world
/// is the subject's: height one, standing on y = 0, over the origin (see rig::Subject).
struct BodyMesh {
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< counter-clockwise from outside
  std::vector<std::uint32_t> surface_of_triangle;
  std::vector<std::uint8_t> kinds;  ///< per triangle, for RasterInput
  std::vector<BodySurface> surfaces;

  // Per point.
  std::vector<Vec2> uv, glow_uv;    ///< transforms of textures applied
  std::vector<Vec4> colors;         ///< vertex colour times the material's, linear
  std::vector<int> parts;           ///< index into `Body::parts`, -1 for none
  std::vector<Vec3> weight_colors;  ///< joint colours, mixed by the skin weights; black for points without joints
};

/// The body at one instant.
struct BodyPose {
  std::vector<Vec3> points, normals;  ///< per point of the mesh, world; unit normals, zero where there are none
  std::vector<Vec3> joints;           ///< per joint of the subject, world; empty without a subject
};

/// Colour of a joint: hues far apart for neighbours in the list, display values.
Vec3 joint_color(int joint);

/// Poses an asset. Skins with SIMD and threads; agrees with asset::posed_geometry to float.
class Body {
 public:
  /// `asset` must outlive the body. An asset that nothing can move gets no subject: no parts and no skeleton; a skin or
  /// a clip that gave none is told in the warnings. Fails on more than 20 million vertices or 40 million triangles.
  static Result<Body> from_asset(const asset::Asset& asset);
  /// With a subject of the caller's, whose ranges fit the asset.
  static Result<Body> from_subject(const asset::Asset& asset, rig::Subject subject);
  ~Body();
  Body(Body&&) noexcept;
  Body& operator=(Body&&) noexcept;

  const BodyMesh& mesh() const;
  const std::optional<rig::Subject>& subject() const;
  const Parts& parts() const;
  /// The subject's weights per point of the mesh; points that it does not move hang on a bone past its own. Empty
  /// without a subject.
  const rig::SkinWeights& subject_weights() const;
  const std::vector<std::string>& warnings() const;  ///< pictures that could not be read ...

  /// Uniform scale and shift.
  const Affined& world_from_asset() const;

  /// As the asset stands in its file, or at a state of its nodes.
  void pose(const asset::NodeState& state, BodyPose& pose) const;
  /// A frame of a motion of `subject()`, which must be there. Morph targets stay as the file has them.
  void pose(const kinematics::Motion& motion, int frame, BodyPose& pose) const;

 private:
  struct State;
  explicit Body(std::unique_ptr<State> state);
  static Result<Body> make(const asset::Asset& asset, std::optional<rig::Subject> subject);
  std::unique_ptr<State> state_;
};

/// Points that belong to a triangle, each once, in order: files may have others, anywhere.
std::vector<std::uint32_t> seen_points(const BodyMesh& mesh);

/// The box of what is seen: points that belong to a triangle.
Box pose_box(const BodyMesh& mesh, const BodyPose& pose);

}  // namespace limber::scene
