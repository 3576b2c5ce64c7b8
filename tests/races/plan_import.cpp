// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Jobs ask for the command line of an import. The real answer is in a file that knows all options of `animate` and
// `rig`, and would bring their rooms along.
#include "studio/server/job_plan.h"

namespace limber::studio {

JobPlan plan_import(const Asset& asset, const std::filesystem::path& folder) {
  JobPlan plan;
  plan.arguments = {"convert", asset.file.string(), "-o", (folder / "model.glb").string(), "--json", "--progress=json"};
  return plan;
}

}  // namespace limber::studio
