// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever the body of a request to the studio holds, it becomes a command line of known options without control
// characters, or an error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "studio/server/job_plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  using namespace limber::studio;
  const Result<Json> body = parse_body({reinterpret_cast<const char*>(data), size});
  if (!body.ok()) {
    if (body.error().what.empty()) std::abort();
    return 0;
  }
  if (!body->is_object()) return 0;
  JobRequest request;
  if (const auto task = body->find("do"); task != body->end() && task->is_string()) request.task = *task;
  if (const auto options = body->find("options"); options != body->end()) request.options = *options;
  Asset asset;
  asset.id = "a1", asset.name = "fox.glb", asset.file = "/shelf/a1/fox.glb", asset.ready = true;
  if (body->contains("asset")) request.asset = asset;
  const auto plan = plan_job(request, "/job", [&](const std::string&) { return std::optional<Asset>(asset); });
  if (!plan.ok()) return 0;
  for (const std::string& word : plan->arguments) {
    if (std::any_of(word.begin(), word.end(), [](char c) { return c >= 0 && c < 0x20; })) std::abort();
  }
  return 0;
}
