// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a file of kept samples holds, resuming from it ends in samples that can be kept again, or in none. It is
// read as it is and, so that what it says of its run does not turn nearly all of them away, as one of this run.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "limber/animate/animate_testing.h"
#include "limber/animate/kept_samples.h"
#include "limber/animate/made_testing.h"
#include "limber/nn/safetensors.h"
#include "scratch.h"

namespace {

using namespace limber;
using namespace limber::animate;

/// A run that may be resumed, in a folder of its own.
struct Run {
  Request request;
  StagePrior prior;
  std::optional<SketchTask> task;

  Run() {
    request.prompt = "a fox walks";
    request.sampling.candidates = 2;
    request.checkpoint = Checkpoint{scratch_folder() / "out.checkpoint", 60};
    task.emplace(make_sketch_task(stage().creature.subject, prior, request).value());
  }
  std::filesystem::path file() const { return samples_file(request.checkpoint->file); }
};

/// The same arrays, said to be of this run. False where there are none.
bool claim(Run& run, std::span<const std::byte> bytes) {
  const auto table = nn::parse_safetensors(bytes, "fuzz");
  if (!table.ok()) return false;
  std::vector<nn::NamedTensor> tensors;
  for (const auto& [name, view] : table->tensors) tensors.push_back({name, view});
  nn::SafetensorsSettings settings;
  settings.metadata = table->metadata;
  for (const auto& [name, value] : samples_fingerprint(*run.task)) settings.metadata["run/" + name] = value;
  return nn::write_safetensors(run.file(), tensors, settings).ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Run run;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  put_file(run.file(), as_text(bytes));
  (void)resume_samples(*run.task);
  if (!claim(run, bytes)) return 0;
  const auto drawn = resume_samples(*run.task);
  if (!drawn.ok() || drawn->candidates.empty()) return 0;
  if (!keep_samples(*run.task, *drawn).ok()) std::abort();
  const auto again = resume_samples(*run.task);
  if (!again.ok() || again->candidates.size() != drawn->candidates.size()) std::abort();
  return 0;
}
