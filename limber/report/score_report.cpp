// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/report/reports.h"

namespace limber::report {
namespace {

Json vector_json(Vec3 v) { return Json{v.x, v.y, v.z}; }

Json to_json(const mend::Checked& checked) {
  Json result{{"passed", checked.passed ? Json(*checked.passed) : Json()}};
  if (checked.passed) result["value"] = checked.value;
  result["allowed"] = checked.allowed, result["unit"] = checked.unit;
  result["words"] = checked.words, result["mend"] = checked.option;
  return result;
}

Json to_json(const std::vector<mend::Checked>& checks) {
  Json result = Json::object();
  for (const mend::Checked& checked : checks) result[std::string(name(checked.check))] = to_json(checked);
  return result;
}

}  // namespace

Json to_json(const mend::AssetScore& score) {
  Json clips = Json::array();
  for (const mend::ClipScore& clip : score.clips) {
    clips.push_back({{"clip", clip.name},
                     {"seconds", clip.seconds},
                     {"frames", clip.frames},
                     {"passed", !mend::any_failed(clip)},
                     {"unplayable", clip.unplayable},
                     {"checks", to_json(clip.checks)}});
  }
  return {{"passed", !mend::any_failed(score)},
          {"joints", score.joints},
          {"points", score.points},
          {"up", vector_json(score.facing.up)},
          {"forward", vector_json(score.facing.forward)},
          {"floor", score.floor},
          {"model", to_json(score.model)},
          {"clips", clips}};
}

Json to_json(const mend::Mended& mended) {
  Json clips = Json::array();
  for (const mend::ClipChange& change : mended.clips) {
    Json repaired = Json::array();
    for (const mend::Check check : change.repaired) repaired.push_back(name(check));
    clips.push_back({{"clip", change.name},
                     {"repaired", repaired},
                     {"mean_turn_deg", change.mean_turn},
                     {"most_turn_deg", change.most_turn},
                     {"mean_way", change.mean_way},
                     {"most_way", change.most_way},
                     {"added_seconds", change.added_seconds},
                     {"left", change.left}});
  }
  return {{"clips", clips},
          {"weights", {{"vertices", mended.weights.vertices}, {"mean", mended.weights.mean}}},
          {"left", mended.left},
          {"before", to_json(mended.before)},
          {"after", to_json(mended.after)}};
}

}  // namespace limber::report
