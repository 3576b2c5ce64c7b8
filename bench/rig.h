// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "limber/anatomy/body_reading.h"
#include "limber/asset/asset.h"
#include "limber/base/rng.h"
#include "limber/metrics/rig_metrics.h"
#include "limber/metrics/skin_metrics.h"
#include "limber/zoo/creature.h"

namespace limber::bench {

/// Of `limber-lab bench rig`.
struct RigSettings : TimedSettings {
  std::string assets = "../shared/assets";     ///< a folder of rigged models
  std::string split = "../shared/split.json";  ///< its list `train` names models that the reader has seen
  std::string groups;                          ///< which tables to measure
  std::string only;                            ///< only files whose path contains this
  std::string reader = "auto";                 ///< as of `limber rig --reader`
  int creatures = 40;                          ///< of the zoo, to find the kind and the front of
  int poses = 0;                               ///< instants of the models' clips, likewise
  int attitudes = 4;                           ///< of the 24 and their mirror images, per body
};

/// Files below the settings' folder that were asked for and end so (".glb"), sorted.
std::vector<std::filesystem::path> chosen_files(const RigSettings& settings,
                                                const std::vector<std::string>& extensions);

/// Those that may hold meshes; motion capture, bare skeletons and format tests left out.
std::vector<std::filesystem::path> mesh_files(const RigSettings& settings);

// --- weights ---------------------------------------------------------------------------------------------------------

/// How the weights of one model, solved on its own skeleton, agree with its own.
struct SkinCase {
  std::string name, error;
  std::size_t vertices = 0, bones = 0;
  metrics::SkinScores published, alike;
  double seconds = 0;
};

/// None where the asset has no skin with two joints in use. With an error where it has one that could not be solved.
std::optional<SkinCase> skin_anew(const asset::Asset& asset, int repetitions);

// --- skeletons -------------------------------------------------------------------------------------------------------

/// One model, rigged anew.
struct SkeletonCase {
  bool trained = false;  ///< the reader has seen it
  std::string name, kind, error;
  bool rigged = false;                                ///< it had a skeleton to compare with
  bool valid = false;                                 ///< it has one now, with weights, and the asset takes it
  std::optional<metrics::SkeletonDistance> distance;  ///< of the unit cube
  metrics::FacingCheck facing;
  std::optional<double> turned;  ///< degrees between the front found and the true one
  double diagonal = 0, seconds = 0, confidence = 0;
  Vec3d forward;
  std::size_t triangles = 0, joints = 0, true_joints = 0;
};

/// Makes an asset static and rigs it. None where it shows no mesh.
std::optional<SkeletonCase> rig_anew(const asset::Asset& asset, const anatomy::ReadBody& reader);

/// Every model below the folder is made static, rigged anew and compared with the skeleton it had.
void add_skeleton_rows(const RigSettings& settings, const anatomy::ReadBody& reader, Report& report);

// --- kinds and fronts ------------------------------------------------------------------------------------------------

/// A static body whose front is known.
struct KnownBody {
  std::string name, kind;  ///< kind: empty where it is not known
  asset::Asset asset;
  Vec3d forward, up{0, 1, 0};
  bool has_up = true;  ///< snakes are round
};

KnownBody known_body(const zoo::Creature& creature);

/// Turns a body; where `turn` mirrors, into its mirror image.
void turn_body(KnownBody& body, const Mat3d& turn);

/// Turns a body any way round and up along any axis.
void turn_at_random(KnownBody& body, Rng& rng);

/// What a body was taken for.
struct Recognition {
  std::string kind = "none", error;
  bool kind_right = false;   ///< or nobody knows it
  bool front_right = false;  ///< within 45 degrees, and up too
};

Recognition recognise(const KnownBody& body, const anatomy::ReadBody& reader);

/// Bodies that nothing was fitted to: creatures of the zoo by seed, in random turns, and instants of the clips of the
/// models below the folder. Only whether the kind of body and its front are found; no weights.
void add_body_rows(const RigSettings& settings, const anatomy::ReadBody& reader, Report& report);

// --- attitudes -------------------------------------------------------------------------------------------------------

/// The k-th of the 24 rotations that take axes to axes, and from 24 on the same in a mirror.
Mat3d attitude(int k);

/// Creatures of the zoo and the models below the folder, made static, each rigged as it is and in other attitudes of
/// the 24 and their mirror images: whether the joints are the same in the body's own frame, within 1 % of its height,
/// and whether confidence tells right fronts from wrong ones.
void add_attitude_rows(const RigSettings& settings, const anatomy::ReadBody& reader, Report& report);

// --- dirt ------------------------------------------------------------------------------------------------------------

/// Creatures of the zoo with holes, of few triangles, on a pedestal, two in one file, inside out or rough: whether each
/// is rigged as the clean one, and, where it is not, whether the rig is said to be doubtful.
void add_dirt_rows(const RigSettings& settings, const anatomy::ReadBody& reader, Report& report);

}  // namespace limber::bench
