// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/role_poses.h"
#include "limber/motion_space/motion_space.h"
#include "limber/pose_space/pose_diffusion.h"
#include "limber/pose_space/pose_solve.h"
#include "limber/pose_space/pose_vae.h"
#include "limber/rig/subject.h"

/// `limber-lab bench poses`: what the pose space knows of bodies that its network has not seen.
namespace limber::bench {

struct PoseBenchSettings : TimedSettings {
  std::string groups;                          ///< which tables to measure
  std::string split = "../shared/split.json";  ///< its list `test` names rigs that no network has seen, beside it
  std::string people = "../shared/assets/pose_space";  ///< one person in several poses, without a skeleton
  std::string characters;  ///< what the network was taught, from `limber-lab train bake`; may be empty
  std::string model;       ///< empty: that which ships
  std::string vae;         ///< an autoencoder to compare with, from `limber-lab train poses --vae`; may be empty
  std::string motions;     ///< of the network of motions, to compare with; empty: that which ships; "none": none
  std::string only;        ///< only test rigs with this in their names
  int creatures = 6;       ///< of the zoo, of other seeds than those of training
  int known = 160;         ///< creatures whose poses the baselines know
  int cases = 3;           ///< per body and task
  double variety = pose_space::SolveSettings{}.variety;  ///< of poses that meet handles
  int samples = 16;                                      ///< drawn per body
};

/// The autoencoder that it is compared with, and a body as that sees it.
struct VaeBody {
  std::shared_ptr<const pose_space::PoseVae> vae;
  pose_space::PoseVae::Body body;
};

/// A body that is known, and poses that it really takes.
struct PoseBody {
  std::string name;
  rig::Subject subject;
  pose_space::PoseSpace space;
  std::vector<pose_space::PoseState> poses;
  std::optional<VaeBody> vae = std::nullopt;
  std::optional<motion_space::MotionSpace> motions = std::nullopt;  ///< where it has the same joints
};

/// Bodies that are reported together.
struct PoseBodies {
  std::string name;
  std::vector<PoseBody> bodies;
};

/// How far two poses are apart, means over joints.
struct PoseGap {
  double place = 0;  ///< % of the skeleton's radius
  double angle = 0;  ///< degrees, of local turns
};
/// Of the joints with `counted` true; empty: all but the root.
PoseGap pose_gap(const pose_space::PoseSkeleton& skeleton, const pose_space::PoseState& a,
                 const pose_space::PoseState& b, const std::vector<bool>& counted = {});

// Tables. Each adds rows for one set of bodies.
void add_completion_rows(const PoseBodies& set, const RolePoses& known, const PoseBenchSettings& settings,
                         Report& report);
void add_denoising_rows(const PoseBodies& set, const RolePoses& known, const PoseBenchSettings& settings,
                        Report& report);
void add_handle_rows(const PoseBodies& set, const PoseBenchSettings& settings, Report& report);
void add_sample_rows(const PoseBodies& set, const RolePoses& known, const PoseBenchSettings& settings, Report& report);
void add_inversion_rows(const PoseBodies& set, const PoseBenchSettings& settings, Report& report);
void add_interpolation_rows(const PoseBodies& set, const PoseBenchSettings& settings, Report& report);
void add_score_rows(const PoseBodies& set, const PoseBenchSettings& settings, Report& report);

/// Surfaces without a skeleton: of the zoo, whose poses are known, and of the people.
Status add_scan_rows(const PoseBenchSettings& settings, Report& report);
/// How long it takes.
Status add_pose_speed_rows(const PoseBenchSettings& settings, Report& report);

}  // namespace limber::bench
