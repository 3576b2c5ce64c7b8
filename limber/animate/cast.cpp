// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/cast.h"

#include <algorithm>
#include <utility>

#include "limber/autorig/auto_rig.h"
#include "limber/exporter/exporter.h"

namespace limber::animate {

bool has_rig(const asset::Asset& asset) {
  const bool skinned = std::any_of(asset.nodes.begin(), asset.nodes.end(),
                                   [](const asset::Node& node) { return node.mesh >= 0 && node.skin >= 0; });
  return skinned || !asset.clips.empty();
}

Result<Cast> cast_subject(asset::Asset asset, const Models& models, const Progress& progress) {
  if (has_rig(asset)) {
    LIMBER_TRY(rig::Subject subject, rig::subject_from_asset(asset));
    return Cast{std::move(asset), std::move(subject), false, {}};
  }
  std::vector<std::string> warnings;
  autorig::AutoRigSettings settings;
  if (models.open_body_reader) {
    LIMBER_TRY(settings.reader, models.open_body_reader());
  }
  if (!settings.reader) {
    warnings.emplace_back("no reader of bodies was found, so this one was rigged by its shape alone");
  }
  LIMBER_TRY(autorig::AutoRig rigged, autorig::auto_rig(asset, settings, progress));
  LIMBER_CHECK_OK(exporter::add_rig(asset, rigged.subject, {4, "skeleton"}));
  return Cast{std::move(asset), std::move(rigged.subject), true, std::move(warnings)};
}

}  // namespace limber::animate
