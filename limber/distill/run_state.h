// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "limber/base/files.h"
#include "limber/distill/distill.h"

/// Where a distillation is, and as what bytes a checkpoint keeps that. Private to `distill`, but for the fingerprint,
/// by which `animate` knows its samples again.
namespace limber::distill {

/// Everything that decides how a run goes, by name: what must agree for it to be resumed. Numbers are written so that
/// different ones differ; large data as a hash.
using Fingerprint = std::vector<std::pair<std::string, std::string>>;

/// What an iteration changes, and what it takes to resume: nothing else is handed from one iteration to the next.
struct RunState {
  Fingerprint fingerprint;
  int iteration = 0;  ///< the next one
  int skipped_in_row = 0;
  kinematics::Motion motion;  ///< a file has its root translations and angles; the rest is as at the start
  kinematics::MotionAdam::State adam;
  std::vector<DistillStep> history;
};

/// Everything of a run but how it is watched and how long it lasts.
Fingerprint fingerprint_of(const scene::Scene& scene, std::span<const scene::Camera> first_cameras,
                           const prior::PriorInfo& prior, const prior::Condition& condition,
                           const DistillSettings& settings, const kinematics::Motion& start);

/// What differs, in words; empty: nothing. `there` is that of a file, `here` that of the run.
std::string differences(const Fingerprint& there, const Fingerprint& here);

/// A file: "limber distill", version, length and checksum (FNV-1a) of what follows, then that, little-endian.
Bytes encode_state(const RunState& state);
Result<RunState> decode_state(std::span<const std::byte> bytes, const std::string& name);

/// What `encode_state` puts around a state's numbers: for tests that damage those.
Bytes seal(std::span<const std::byte> payload);

}  // namespace limber::distill
