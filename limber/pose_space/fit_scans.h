// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "limber/base/progress.h"
#include "limber/pose_space/pose_diffusion.h"
#include "limber/pose_space/scan.h"
#include "limber/pose_space/scan_energy.h"
#include "limber/rig/subject.h"

/// Poses of a rigged body from reconstructed surfaces, one per frame, without knowing which point is which.
namespace limber::pose_space {

/// From coarse to fine.
struct ScanFitStage {
  double scale = 0.1;  ///< heights: what is farther away than a few of these does not pull
  int iterations = 60;
  double angle_rate = 0.03, root_rate = 0.01;  ///< of Adam, radians and heights; they fall to a fifth over the stage
  bool whole = false;                          ///< the body moves as one: nothing but its root turns
};

/// Weights count against the matches, whose energy is 1.5 at most.
struct ScanFitSettings {
  std::vector<ScanFitStage> stages{{0.3, 30, 0.06, 0.02, true},
                                   {0.2, 60, 0.06, 0.02, false},
                                   {0.08, 60, 0.04, 0.01, false},
                                   {0.03, 60, 0.02, 0.005, false}};
  int body_points = 1000;      ///< places of the body that look for the scan
  double body_weight = 0.5;    ///< of those, against the places of the scan that look for the body
  double prior_weight = 0.05;  ///< of the network of poses; falls to a tenth over the stages
  double edge_weight = 0.02;   ///< of skin that stretches
  double limit_weight = 0.5;   ///< of joints beyond their limits
  double smooth_weight =
      0.02;          ///< over frames, once all were fitted alone; 0: frames have nothing to do with each other
  int headings = 8;  ///< ways to face that every frame is tried from
  int drawn = 15;    ///< poses, drawn from the space, that it is tried from beside the rest pose
  int starts = 3;    ///< the best of those that are followed
  double fps = 24;
  std::uint64_t seed = 0;
  Progress progress;
};

/// What became of a frame.
struct FrameFit {
  ScanDistance distance;
  double plausible = 0;  ///< of the pose
  /// Why it should not be believed, as one sentence; empty where nothing speaks against it.
  std::string doubt;
};

struct FittedScans {
  kinematics::Motion motion;  ///< a frame per scan
  std::vector<FrameFit> frames;
};

/// Every frame is fitted alone from several starts, then from its neighbours' poses, then all together. Deterministic.
/// Fails where the subject has no surface, and if it was cancelled. `space` is that of the subject.
Result<FittedScans> fit_scans(const rig::Subject& subject, const PoseSpace& space, std::span<const Scan> scans,
                              const ScanFitSettings& settings = {});

}  // namespace limber::pose_space
