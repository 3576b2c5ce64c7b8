// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a manifest holds, reading it ends in items that write nowhere but to their folder, or in an error of bounded
// length; and items come back from the text that a plan keeps them in.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "limber/batch/manifest.h"
#include "scratch.h"

namespace {

using namespace limber;

/// Options that name what is written: none but the batch's own, which come last.
bool writes_elsewhere(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "-o");
  return std::any_of(arguments.begin(), end, [](const std::string& word) {
    for (const char* option : {"--output", "--report", "--preview=", "--losses", "--timeline", "--mjcf", "--samples"}) {
      if (word.rfind(option, 0) == 0) return true;
    }
    return false;
  });
}

/// What the program tells of: `animate::field_names()` and `autorig::field_names()`, whose rooms take minutes to
/// compile under sanitizers.
batch::ManifestSettings settings() {
  batch::ManifestSettings told;
  told.engine = "1.0", told.check_arguments = [](const auto&) { return Status(Done{}); };
  told.options = {
      {"animate",
       {"anyway",
        "quality",
        "method",
        "seconds",
        "continue",
        "keyframes",
        "up",
        "forward",
        "stand_up",
        "name",
        "fps",
        "loop",
        "in_place",
        "ground",
        "pose_prior",
        "motion_prior",
        "seed",
        "candidates",
        "negative",
        "guidance",
        "steps",
        "iterations",
        "from",
        "smooth_weight",
        "ground_weight",
        "prior",
        "device",
        "dtype",
        "checkpoint_seconds",
        "fresh",
        "no_preview",
        "strict",
        "no_fallback"}},
      {"rig",
       {"keep_skeleton", "replace", "template", "skeleton", "parts", "from", "least_agreement", "reader", "pin",
        "joints", "root", "names", "up", "forward", "stand_up", "weights", "influences", "stiffness"}}};
  return told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path folder = [] {
    const std::filesystem::path made = scratch_folder();
    put_file(made / "fox.glb", "a fox");
    return made;
  }();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::filesystem::path path = folder / "manifest.jsonl";
  put_file(path, text);
  const auto items = batch::read_manifest(path, settings());
  if (!items.ok()) {
    if (items.error().what.empty() || items.error().what.size() > 1 << 20) std::abort();
    static_cast<void>(batch::items_from_text(text, "plan"));
    return 0;
  }
  for (const batch::Item& item : *items) {
    const std::filesystem::path output = std::filesystem::path(item.output).lexically_normal();
    if (output.is_absolute() || (!output.empty() && *output.begin() == "..")) std::abort();
    if (writes_elsewhere(item.arguments)) std::abort();
  }
  if (!batch::items_from_text(batch::items_to_text(*items), "plan").ok()) std::abort();
  return 0;
}
