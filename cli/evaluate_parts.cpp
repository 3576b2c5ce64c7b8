// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "evaluate_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "command.h"
#include "limber/asset/read.h"
#include "limber/base/files.h"
#include "limber/metrics/part_agreement.h"
#include "limber/parts/asset_parts.h"
#include "limber/rig/static_subject.h"
#include "limber/skeleton/from_parts.h"

namespace limber::cli {
namespace {

struct EvaluatePartsOptions {
  std::string labels, truth;
};

/// True labels and areas of triangles.
struct TrueParts {
  std::vector<int> labels;
  std::vector<double> areas;
};

std::vector<double> triangle_areas(const std::vector<Vec3>& points, const std::vector<parts::Triangle>& triangles) {
  std::vector<double> areas;
  for (const parts::Triangle& t : triangles) {
    const double area = double(norm(cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]])));
    areas.push_back(std::isfinite(area) ? area : 0.0);
  }
  return areas;
}

/// The parts that the clips of a rigged asset move by themselves; of any other the labels that it carries, as the zoo's
/// creatures do.
Result<TrueParts> read_truth(const std::string& path) {
  LIMBER_TRY(const asset::Asset asset, asset::read_asset(path));
  if (rig::has_skin(asset)) {
    LIMBER_TRY(const parts::RiggedParts rigged, parts::rigged_parts(asset));
    return TrueParts{{rigged.parts.part_of_triangle.begin(), rigged.parts.part_of_triangle.end()},
                     triangle_areas(rigged.mesh.points, rigged.mesh.triangles)};
  }
  LIMBER_TRY(const skeleton::PartLabels labels, skeleton::labels_of_asset(asset));
  LIMBER_TRY(const parts::UprightMesh mesh, parts::upright_mesh(asset));
  return TrueParts{labels.faces, triangle_areas(mesh.points, mesh.triangles)};
}

Status evaluate(const Terminal& terminal, const EvaluatePartsOptions& options) {
  LIMBER_TRY(const skeleton::PartLabels found, skeleton::read_labels(options.labels));
  LIMBER_TRY(const TrueParts truth, read_truth(options.truth));
  if (found.faces.size() != truth.labels.size() || truth.areas.size() != truth.labels.size()) {
    return Error{fmt::format("{} labels for {} triangles", found.faces.size(), truth.labels.size()), options.labels};
  }
  const metrics::PartAgreement a = metrics::part_agreement(found.faces, truth.labels, truth.areas);
  if (terminal.json) {
    print_json({{"miou", a.miou},
                {"ari", a.ari},
                {"f1", a.f1},
                {"macc", a.accuracy},
                {"found_parts", a.found_parts},
                {"true_parts", a.true_parts}});
  } else {
    fmt::print("mIoU {:.3f}, ARI {:.3f}, F1 {:.3f}, mAcc {:.3f}: {} parts found, {} true ones\n", a.miou, a.ari, a.f1,
               a.accuracy, a.found_parts, a.true_parts);
  }
  return Done{};
}

}  // namespace

void add_evaluate_parts(CLI::App& group, Terminal& terminal) {
  auto options = std::make_shared<EvaluatePartsOptions>();
  CLI::App* command = add_command(group, terminal, "parts", "Part labels of triangles",
                                  "  limber evaluate parts labels.json artist.glb",
                                  [&terminal, options] { return evaluate(terminal, *options); });
  command->add_option("labels", options->labels, "One per triangle, as `limber parts` writes them")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("truth", options->truth,
                   "A rigged asset, whose clips tell the parts, or one that has labels in its extras")
      ->required()
      ->type_name("FILE");
}

}  // namespace limber::cli
