// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/distill/checkpoint.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>

#include "limber/base/files.h"

namespace limber::distill {
namespace {

constexpr std::uint64_t kMaxCheckpoint = std::uint64_t{1} << 31;

/// The state that a file holds, to resume from `start`.
Result<RunState> read_run(const RunState& start, const DistillSettings& settings) {
  const std::string name = settings.checkpoint.string();
  LIMBER_TRY(const Bytes bytes, read_file(settings.checkpoint, kMaxCheckpoint));
  Result<RunState> decoded = decode_state(bytes, name);
  if (!decoded.ok()) {
    Error error = std::move(decoded).error();
    error.what += "; without the file it starts anew";
    return error;
  }
  RunState state = std::move(*decoded);
  if (const std::string found = differences(state.fingerprint, start.fingerprint); !found.empty()) {
    return Error{"the checkpoint is of another run: " + found, name, ErrorKind::kConflict};
  }
  kinematics::Motion motion = start.motion;
  if (state.motion.root_translations.size() != motion.root_translations.size() ||
      state.motion.angles.size() != motion.angles.size()) {
    return Error{"the checkpoint is damaged", name};
  }
  if (state.iteration > settings.iterations) {
    return Error{fmt::format("the checkpoint is past iteration {} already; {} were asked for", state.iteration,
                             settings.iterations),
                 name, ErrorKind::kConflict};
  }
  motion.root_translations = std::move(state.motion.root_translations);
  motion.angles = std::move(state.motion.angles);
  state.motion = std::move(motion);
  return state;
}

}  // namespace

Status save_run(const RunState& state, const DistillSettings& settings) {
  if (settings.checkpoint.empty()) return Done{};
  return write_file(settings.checkpoint, encode_state(state));
}

Result<Beginning> begin_run(const Run& run, const kinematics::Motion& motion) {
  const DistillSettings& settings = run.settings;
  Beginning result;
  result.state.motion = motion;
  if (settings.checkpoint.empty()) return result;
  Rng rng = camera_rng(settings, 0);
  result.state.fingerprint =
      fingerprint_of(run.scene, run.cameras(motion, rng), run.prior.info(), run.condition, settings, motion);
  std::error_code error;
  if (!settings.resume || !std::filesystem::exists(settings.checkpoint, error)) {
    LIMBER_CHECK_OK(save_run(result.state, settings));
    return result;
  }
  LIMBER_TRY(result.state, read_run(result.state, settings));
  result.resumed_from = result.state.iteration;
  return result;
}

}  // namespace limber::distill
