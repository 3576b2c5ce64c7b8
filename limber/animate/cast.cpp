// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/cast.h"

#include <utility>

#include "limber/autorig/rig_asset.h"
#include "limber/rig/static_subject.h"

namespace limber::animate {

bool has_rig(const asset::Asset& asset) { return rig::has_skin(asset) || !asset.clips.empty(); }

Result<Cast> cast_subject(asset::Asset asset, const Models& models, const std::optional<rig::Facing>& facing,
                          const Progress& progress, const std::string& names) {
  if (has_rig(asset)) {
    if (!names.empty()) {
      return Error{"`names` are for the joints of a new skeleton, and this model has one, whose names stay", asset.name,
                   ErrorKind::kConflict};
    }
    LIMBER_TRY(rig::Subject subject, rig::subject_from_asset(asset));
    return Cast{std::move(asset), std::move(subject), std::nullopt, {}};
  }
  std::vector<Warning> warnings;
  autorig::RigRequest request;
  if (facing) request.settings.up = facing->up, request.settings.forward = facing->forward;
  if (!names.empty()) request.settings.names = names;
  if (models.open_body_reader) {
    LIMBER_TRY(request.settings.reader, models.open_body_reader());
  }
  if (!request.settings.reader) {
    warnings.push_back({"no_reader"});
  }
  LIMBER_TRY(autorig::RiggedAsset rigged, autorig::rig_asset(std::move(asset), request, progress));
  const std::vector<Warning>& doubts = rigged.report.warnings;
  warnings.insert(warnings.end(), doubts.begin(), doubts.end());
  return Cast{std::move(rigged.asset), std::move(rigged.subject), std::move(rigged.report), std::move(warnings)};
}

}  // namespace limber::animate
