// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/mesh_parts.h"

#include <algorithm>
#include <string>

#include "limber/base/expect.h"
#include "limber/parts/color_clusters.h"

namespace limber::parts {
namespace {

PicturedBody still_body(const StaticMesh& mesh, int frames) {
  return {std::vector<std::span<const Vec3>>(static_cast<std::size_t>(frames), mesh.points),
          mesh.triangles,
          mesh.colors,
          {}};
}

/// The colour that other cameras would give a part.
Vec3 recoded(Vec3 color, const CodeFrame& from, const CodeFrame& to) {
  return part_color(to.code(from.world(code_of_part_color(color))));
}

/// What the network painted; where all frames show the same, their mean.
void read_colors(const DrawnPictures& drawn, const CodeFrame& common, bool alike, PaintedViews& painted) {
  const SurfacePictures& p = painted.pictures;
  const std::size_t each = p.pixels() / static_cast<std::size_t>(p.pictures());
  painted.colors.assign(p.pixels(), {});
  for (std::size_t i = 0; i < p.pixels(); ++i) {
    if (p.labels[i] == 0) continue;
    const std::size_t picture = i / each, frames = alike ? static_cast<std::size_t>(p.frames) : 1;
    const std::size_t first = (picture / frames * frames) * each + i % each;
    Vec3 sum;
    for (std::size_t f = 0; f < frames; ++f) {
      const float* number = drawn.parts.data() + 3 * (first + f * each);
      sum += 0.5f * (Vec3{number[0], number[1], number[2]} + Vec3{1, 1, 1});
    }
    painted.colors[i] = recoded(sum / static_cast<float>(frames), p.frame, common);
  }
}

/// Labels of pixels, in the order of their colours.
std::vector<LabelledPictures> labelled(const std::vector<PaintedViews>& sets, std::span<const int> labels) {
  std::vector<LabelledPictures> views;
  std::size_t next = 0;
  for (const PaintedViews& set : sets) {
    LabelledPictures view{set.pictures, {}};
    for (const std::uint8_t seen : view.pictures.labels) view.labels.push_back(seen > 0 ? labels[next++] : -1);
    views.push_back(std::move(view));
  }
  return views;
}

/// The mean colour that each part was painted in; of one that nobody sees, black.
std::vector<Vec3> painted_colors(const std::vector<PaintedViews>& sets, const std::vector<int>& part_of, int count) {
  std::vector<Vec3> sums(static_cast<std::size_t>(count));
  std::vector<float> pixels(static_cast<std::size_t>(count));
  for (const PaintedViews& set : sets) {
    for (std::size_t i = 0; i < set.colors.size(); ++i) {
      if (set.pictures.triangles[i] < 0) continue;
      const auto part = static_cast<std::size_t>(part_of[static_cast<std::size_t>(set.pictures.triangles[i])]);
      sums[part] += set.colors[i], pixels[part] += 1;
    }
  }
  for (std::size_t p = 0; p < sums.size(); ++p) sums[p] = sums[p] / std::max(pixels[p], 1.0f);
  return sums;
}

std::vector<Vec3> colors_of_body(const std::vector<PaintedViews>& sets) {
  std::vector<Vec3> colors;
  for (const PaintedViews& set : sets) {
    for (std::size_t i = 0; i < set.colors.size(); ++i) {
      if (set.pictures.labels[i] > 0) colors.push_back(set.colors[i]);
    }
  }
  return colors;
}

}  // namespace

Result<std::vector<PaintedViews>> paint_mesh(const PartsDenoiser& denoiser, const StaticMesh& mesh,
                                             const MeshPartsSettings& settings) {
  LIMBER_EXPECT(settings.view_sets >= 1, std::to_string(settings.view_sets));
  const PartsModel& model = denoiser.model();
  const PicturedBody body = still_body(mesh, model.frames);
  std::vector<PaintedViews> sets;
  for (int i = 0; i < settings.view_sets; ++i) {
    const auto share = static_cast<float>(i) / static_cast<float>(settings.view_sets);
    PictureSettings views;
    views.views = model.views, views.size = model.size, views.elevation = settings.elevation;
    views.azimuth = settings.azimuth + share * 2 * static_cast<float>(kPi) / static_cast<float>(model.views);
    if (settings.orbit) views.orbit = mesh_orbit(model.frames, settings.elevation);
    PaintedViews painted{draw_pictures(body, views), {}};
    const std::vector<std::uint8_t>& seen = painted.pictures.labels;
    if (std::all_of(seen.begin(), seen.end(), [](std::uint8_t label) { return label == 0; }))
      return Error{"nothing of the mesh can be seen", ""};
    PartsSampleSettings sampling;
    sampling.steps = settings.steps, sampling.seed = settings.seed + static_cast<std::uint64_t>(i);
    if (settings.progress) {
      sampling.progress = [&](std::string_view stage, double done) {
        return settings.progress(stage, (i + done) / settings.view_sets);
      };
    }
    LIMBER_TRY(const DrawnPictures drawn, settings.draw(denoiser, known_pictures(model, painted.pictures), sampling));
    read_colors(drawn, sets.empty() ? painted.pictures.frame : sets.front().pictures.frame, !settings.orbit, painted);
    sets.push_back(std::move(painted));
  }
  return sets;
}

MeshParts decode_parts(const StaticMesh& mesh, const std::vector<PaintedViews>& sets,
                       const MeshPartsSettings& settings) {
  LIMBER_EXPECT(!sets.empty(), "no views");
  const std::vector<Vec3> said = colors_of_body(sets);
  MeshParts parts;
  parts.triangles = find_regions(mesh.points, mesh.triangles, sets, settings.regions);
  const int count = parts.triangles.empty() ? 0 : 1 + *std::max_element(parts.triangles.begin(), parts.triangles.end());

  // What each picture said by itself, by the colours that the parts have got.
  const std::vector<Vec3> painted = painted_colors(sets, parts.triangles, count);
  std::vector<int> alone;
  for (const Vec3& color : said) alone.push_back(nearest_center(painted, color));
  parts.views = labelled(sets, alone);
  parts.agreement = view_agreement(parts.views);

  std::vector<std::uint8_t> labels;
  for (const int part : parts.triangles) labels.push_back(static_cast<std::uint8_t>(std::min(part, 255)));
  PicturedBody body = still_body(mesh, 1);
  body.labels = labels;
  for (const Vec3& code : part_codes(body, sets.front().pictures.frame, count))
    parts.colors.push_back(part_color(code));
  return parts;
}

Result<MeshParts> find_mesh_parts(const PartsDenoiser& denoiser, const StaticMesh& mesh,
                                  const MeshPartsSettings& settings) {
  LIMBER_TRY(const std::vector<PaintedViews> sets, paint_mesh(denoiser, mesh, settings));
  return decode_parts(mesh, sets, settings);
}

}  // namespace limber::parts
