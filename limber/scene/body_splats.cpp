// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/body_splats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "limber/base/expect.h"
#include "limber/kinematics/forward.h"
#include "limber/scene/mesh_raster.h"
#include "limber/scene/shading.h"

namespace limber::scene {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

// --- a subject's colours from its asset ---------------------------------------

/// Which triangle of which primitive a subject's triangle is.
struct SourceTriangle {
  std::uint32_t range = 0, triangle = 0;
  bool turned = false;  ///< the second and third corner have changed places
};

/// The subject lists the triangles of its ranges one after the other, in the order of the primitives.
std::vector<SourceTriangle> source_triangles(const rig::Subject& subject,
                                             const std::vector<std::vector<Triangle>>& of_range) {
  std::vector<SourceTriangle> sources;
  for (std::uint32_t r = 0; r < of_range.size(); ++r) {
    const auto first = static_cast<std::uint32_t>(subject.ranges[r].first);
    for (std::uint32_t t = 0; t < of_range[r].size(); ++t) {
      LIMBER_EXPECT(sources.size() < subject.triangles.size(), "the subject is not one of this asset");
      const Triangle &from = of_range[r][t], &to = subject.triangles[sources.size()];
      LIMBER_EXPECT(to[0] == first + from[0], "the subject is not one of this asset");
      sources.push_back({r, t, to[1] != first + from[1]});
    }
  }
  LIMBER_EXPECT(sources.size() == subject.triangles.size(), "the subject is not one of this asset");
  return sources;
}

splat::SurfaceColor subject_color(const rig::Subject& subject, const asset::Asset& asset) {
  const splat::TextureLookup lookup = texture_lookup(load_textures(asset));
  std::vector<std::vector<Triangle>> triangles;
  std::vector<splat::SurfaceColor> colors;
  for (const rig::PointRange& range : subject.ranges) {
    const asset::Primitive& primitive =
        asset.meshes.at(static_cast<std::size_t>(range.mesh)).primitives.at(static_cast<std::size_t>(range.primitive));
    LIMBER_EXPECT(primitive.positions.size() == range.count, "the subject is not one of this asset");
    triangles.push_back(asset::triangles(primitive));
    colors.push_back(splat::primitive_color(asset, primitive, lookup));
  }
  return [sources = source_triangles(subject, triangles), colors = std::move(colors)](std::size_t t, Vec3 b) {
    const SourceTriangle& source = sources[t];
    return colors[source.range](source.triangle, source.turned ? Vec3{b.x, b.z, b.y} : b);
  };
}

// --- a body's colours ---------------------------------------------------------

/// Looks up the body's materials, textures at the level of detail that Gaussians can show.
class BodyColor {
 public:
  BodyColor(const BodyMesh& mesh, const BodyPose& pose, std::size_t count) : mesh_(mesh), pose_(pose) {
    double area = 0;
    for (const Triangle& t : mesh.triangles) area += triangle_area(t);
    spacing_ = std::sqrt(area / static_cast<double>(std::max<std::size_t>(count, 1)));
  }

  Vec4 operator()(std::size_t triangle, Vec3 b) const {
    const Triangle& t = mesh_.triangles[triangle];
    const BodySurface& surface = mesh_.surfaces[mesh_.surface_of_triangle[triangle]];
    Vec4 color = blend(mesh_.colors, t, b);
    if (surface.texture) {
      const Vec4 texel = sample(*surface.texture, mesh_.uv, t, b);
      for (int k = 0; k < 4; ++k) color[k] *= texel[k];
    }
    Vec3 glow = surface.glow;
    if (surface.glow_texture && glow != Vec3{}) {
      const Vec4 texel = sample(*surface.glow_texture, mesh_.glow_uv, t, b);
      glow = scaled(glow, Vec3{texel.x, texel.y, texel.z});
    }
    for (int k = 0; k < 3; ++k) color[k] += glow[k];
    if (surface.alpha_mode == asset::AlphaMode::kOpaque) color.w = 1;
    if (surface.alpha_mode == asset::AlphaMode::kMask) color.w = color.w >= surface.alpha_cutoff ? 1.0f : 0.0f;
    return color;
  }

 private:
  double triangle_area(const Triangle& t) const {
    const Vec3 a = pose_.points[t[0]];
    const auto area = double(0.5f * norm(cross(pose_.points[t[1]] - a, pose_.points[t[2]] - a)));
    return std::isfinite(area) ? area : 0.0;
  }

  template <class V>
  static V blend(const std::vector<V>& values, const Triangle& t, Vec3 b) {
    V sum;
    for (int corner = 0; corner < 3; ++corner) {
      const V& value = values[t[static_cast<std::size_t>(corner)]];
      sum.x += b[corner] * value.x, sum.y += b[corner] * value.y;
      if constexpr (requires { sum.w; }) sum.z += b[corner] * value.z, sum.w += b[corner] * value.w;
    }
    return sum;
  }

  Vec4 sample(const MipTexture& texture, const std::vector<Vec2>& uv, const Triangle& t, Vec3 b) const {
    const Vec2 p = uv[t[0]], q = uv[t[1]], r = uv[t[2]];
    const Bitmap& finest = texture.picture().level(0);
    const double texels = 0.5 *
                          std::abs(double(q.x - p.x) * double(r.y - p.y) - double(r.x - p.x) * double(q.y - p.y)) *
                          finest.width * finest.height;
    // Texels across half the distance between neighbours.
    const double across = 0.5 * spacing_ * std::sqrt(texels / std::max(triangle_area(t), 1e-30));
    const auto level = static_cast<float>(std::clamp(std::log2(std::max(across, 1.0)), 0.0, 20.0));
    return texture.sample(blend(uv, t, b), level);
  }

  const BodyMesh& mesh_;
  const BodyPose& pose_;
  double spacing_;
};

// --- rest to bind -------------------------------------------------------------

struct Eigen3 {
  Mat3d vectors;  ///< columns
  Vec3d values;
};

/// Eigenvectors of a symmetric matrix by Jacobi rotations.
Eigen3 eigen_decomposition(Mat3d m) {
  Mat3d v = Mat3d::identity();
  for (int sweep = 0; sweep < 30; ++sweep) {
    for (const auto& [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
      if (std::abs(m(p, q)) < 1e-30) continue;
      const double angle = 0.5 * std::atan2(2 * m(p, q), m(q, q) - m(p, p));
      Mat3d turn = Mat3d::identity();
      turn(p, p) = turn(q, q) = std::cos(angle);
      turn(p, q) = std::sin(angle), turn(q, p) = -std::sin(angle);
      m = transposed(turn) * m * turn;
      v = v * turn;
    }
  }
  if (determinant(v) < 0) v = -1.0 * v;
  return {v, {m(0, 0), m(1, 1), m(2, 2)}};
}

}  // namespace

splat::Gaussians subject_gaussians(const rig::Subject& subject, const asset::Asset* asset,
                                   const splat::SampleSettings& settings) {
  splat::Surface surface;
  surface.points = subject.points;
  surface.triangles = subject.triangles;
  surface.influences = subject.weights.stride;
  surface.bones = subject.weights.bones;
  surface.weights = subject.weights.weights;
  if (asset != nullptr) surface.color = subject_color(subject, *asset);
  return splat::sample_surface(surface, settings);
}

void paint_parts(splat::Gaussians& gaussians, const rig::Rig& rig, const Parts& parts) {
  const auto stride = static_cast<std::size_t>(gaussians.influences);
  LIMBER_EXPECT(gaussians.size() == 0 || stride > 0, "the Gaussians have no skin weights");
  gaussians.degree = 0;
  gaussians.harmonics.assign(gaussians.size(), splat::harmonic_from_color({0.5f, 0.5f, 0.5f}));
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    std::size_t heaviest = i * stride;
    for (std::size_t k = heaviest; k < (i + 1) * stride; ++k) {
      if (gaussians.weights[k] > gaussians.weights[heaviest]) heaviest = k;
    }
    const int part = parts.part_of_bone(rig, gaussians.bones[heaviest]);
    if (part < 0) continue;
    gaussians.harmonics[i] = splat::harmonic_from_color(parts.colors[static_cast<std::size_t>(part)]);
  }
}

splat::SampleSettings fine_sampling(std::size_t count, std::uint64_t seed) {
  splat::SampleSettings settings;
  settings.count = count;
  settings.width = 0.42f;
  settings.seed = seed;
  return settings;
}

float silhouette_inset(const Box& box, int size) {
  constexpr float kPixels = 1.3f;  // measured at 128 to 512 pixels, 5,000 and 20,000 Gaussians
  const Vec3 sides = box.high - box.low;
  return kPixels * std::max({sides.x, sides.y, sides.z}) / (0.9f * static_cast<float>(size));
}

splat::Gaussians body_gaussians(const Body& body, const BodyPose& pose, const splat::SampleSettings& settings,
                                float inset) {
  const BodyMesh& mesh = body.mesh();
  splat::Surface surface;
  surface.points = pose.points;
  surface.triangles = mesh.triangles;
  surface.color = BodyColor(mesh, pose, settings.count);
  if (body.subject()) {
    surface.influences = body.subject_weights().stride;
    surface.bones = body.subject_weights().bones;
    surface.weights = body.subject_weights().weights;
  }
  splat::Gaussians gaussians = splat::sample_surface(surface, settings);
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    gaussians.means[i] -= inset * rotate(gaussians.rotations[i], Vec3{0, 0, 1});
  }
  // What the subject does not move hangs on a bone past its own.
  for (std::uint16_t& bone : gaussians.bones) {
    if (body.subject() && bone >= body.subject()->rig.bone_count()) bone = 0;
  }
  return gaussians;
}

void move_to_bind_space(splat::Gaussians& gaussians, const rig::Rig& rig) {
  const std::vector<Affine> bones = kinematics::bone_matrices(rig, kinematics::rest_pose(rig));
  const auto stride = static_cast<std::size_t>(gaussians.influences);
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    Affined rest_from_bind{Mat3d{}, {}};
    for (std::size_t k = i * stride; k < (i + 1) * stride; ++k) {
      const Affined bone = bones.at(gaussians.bones[k]).cast<double>();
      rest_from_bind.linear += double(gaussians.weights[k]) * bone.linear;
      rest_from_bind.translation += double(gaussians.weights[k]) * bone.translation;
    }
    double off = norm(rest_from_bind.translation);
    for (int c = 0; c < 3; ++c) off += norm(rest_from_bind.linear.column(c) - Mat3d::identity().column(c));
    if (off < 1e-5 || !(std::abs(determinant(rest_from_bind.linear)) > 1e-9)) continue;
    const Affined bind_from_rest = inverse(rest_from_bind);
    gaussians.means[i] = (bind_from_rest * gaussians.means[i].cast<double>()).cast<float>();
    const Mat3d axes = bind_from_rest.linear * to_matrix(normalized(gaussians.rotations[i].cast<double>())) *
                       Mat3d::diagonal(gaussians.scales[i].cast<double>());
    const Eigen3 eigen = eigen_decomposition(axes * transposed(axes));
    gaussians.rotations[i] = to_quat(eigen.vectors).cast<float>();
    for (int k = 0; k < 3; ++k) gaussians.scales[i][k] = static_cast<float>(std::sqrt(std::max(eigen.values[k], 0.0)));
  }
}

ViewRenderer body_renderer(const Body& body, const BodyPose& pose, bool lit) {
  auto mesh = std::make_shared<BodyMesh>(body.mesh());
  for (BodySurface& surface : mesh->surfaces) surface.unlit = surface.unlit || !lit;
  return [mesh, &pose, raster = std::make_shared<MeshRaster>()](const Camera& camera, std::span<Vec3> colors,
                                                                std::span<float> alphas) {
    const Shader shader(*mesh, pose, camera);
    RasterInput input;
    input.points = pose.points;
    input.triangles = mesh->triangles;
    input.kinds = mesh->kinds;
    input.inside = [&](std::uint32_t triangle, Vec3 b) { return shader.inside(triangle, b); };
    raster->draw(input, camera, [&](const Tile& tile) {
      for (int p = 0; p < tile.width * tile.height; ++p) {
        const std::size_t pixel =
            static_cast<std::size_t>(tile.y + p / tile.width) * static_cast<std::size_t>(camera.width) +
            static_cast<std::size_t>(tile.x + p % tile.width);
        Vec3 sum;
        float through = 1, covered = 0;  // what blended fragments let through; opaque ones after them
        for (std::size_t i = tile.first[static_cast<std::size_t>(p)]; i < tile.first[static_cast<std::size_t>(p) + 1];
             ++i) {
          const Vec4 color = shader.color(tile, i);
          const bool thin = (tile.flags[i] & kSeeThrough) != 0;
          const float weight = tile.coverage[i] * (thin ? color.w : 1.0f);
          sum += through * weight * Vec3{color.x, color.y, color.z};
          (thin ? through : covered) += thin ? -through * weight : weight;
        }
        colors[pixel] = sum;
        alphas[pixel] = 1 - through * (1 - std::min(covered, 1.0f));
      }
    });
  };
}

}  // namespace limber::scene
