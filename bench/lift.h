// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "limber/animate/joint_prior.h"
#include "limber/asset/asset.h"
#include "limber/base/frames.h"
#include "limber/base/result.h"
#include "limber/lift/video_lift.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

/// Videos of known motions, lifted back. The mesh rasterizer films zoo creatures, lit and in their coats; cameras are
/// not told.
namespace limber::bench {

inline constexpr int kFilmFrames = 24, kFilmSize = 256;
inline constexpr double kFilmFps = 24;

/// What happened to the pictures.
enum class Damage { kNone, kBlur, kNoise, kLight, kGround, kAll };

/// What is filmed, and from where.
struct Shot {
  zoo::Plan plan;
  zoo::Action action;
  float azimuth = 1.57f;
  Damage damage = Damage::kNone;
};

struct Film {
  zoo::Creature creature;
  asset::Asset asset;
  kinematics::Motion truth;
  scene::Camera camera;
  Frames video;
};

Film make_film(const Shot& shot, std::uint64_t seed);

/// Sums that become means.
struct LiftScore {
  double angle = 0, position = 0, pck = 0, overlap = 0, seconds = 0;
  int count = 0, trusted = 0;
  struct SourceSums {
    double error = 0, rest_error = 0, count = 0;  ///< of angles
  };
  std::map<lift::MotionSource, SourceSums> by_source;

  void add(const LiftScore& other);
};

/// How far a motion is from the truth: degrees, % of the skeleton's radius, % of points within 5 % of the body.
LiftScore score_of(const Film& film, const kinematics::Motion& motion, const scene::Camera& camera);

/// Every rung of one lift, and the rest pose beside it.
struct FilmLift {
  LiftScore rest, planar, tracks, polished;

  void add(const FilmLift& other);
};

/// What pictures do not show may go by the network of poses, or of motions, that ships.
struct FilmPrior {
  bool poses = false, motions = false;
  animate::JointPriorSettings settings;
};
Result<FilmLift> lift_film(const Film& film, const FilmPrior& prior = {});

}  // namespace limber::bench
