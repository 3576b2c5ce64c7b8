// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/device.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/distill/distill.h"
#include "limber/lift/view_fit.h"
#include "limber/physics/ground.h"
#include "limber/rig/facing.h"

/// What can be asked of limber, field by field (fields.h). What is not said is `std::nullopt`; what then happens is
/// settled once, by `make_plan` (plan.h).
namespace limber::animate {

/// How much work is put into a motion.
enum class Quality {
  kDraft,     ///< sample and lift
  kStandard,  ///< and a short distillation
  kBest       ///< more samples, and a long one
};
std::string_view name(Quality quality);  ///< "draft"
std::optional<Quality> quality_named(std::string_view name);

/// Where a motion comes from.
enum class Method {
  /// As the request and the prior have it: `kVideo` with a video, `kLibrary` with a library, else `kSample` where it
  /// can be, else `kAkd`.
  kAuto,
  kSample,  ///< the prior draws the body; joints are fitted to that by render and compare, and refined
  kAkd,     ///< AKD: score distillation from a body at rest that slides forward
  kPlanar,  ///< AnimaSpark: joints are followed on the plane of the picture that the prior draws
  kVideo,   ///< somebody's video
  kRule,    ///< as a body of the zoo with the same limbs does it, by its rules; no network has a say
  kNative,  ///< a network on joints draws it, without pictures
  kLibrary  ///< a clip of somebody's own folder whose name says it, carried over
};
std::string_view name(Method method);  ///< "sample"
std::optional<Method> method_named(std::string_view name);

/// How a motion meets the ground; `kAuto`: bodies that stand on something as the quality says.
using physics::Ground;
using physics::ground_named;

/// How the prior draws what the prompt says, and how that is lifted.
struct Sampling {
  std::optional<int> candidates;   ///< to choose from, >= 1; where more than one is asked for, all become clips
  std::optional<double> guidance;  ///< how much the prompt counts, > 0; unset: the prior's own
  std::optional<int> steps;        ///< >= 1; unset: the prior's own
};

/// What only benches and tests leave or do otherwise. No front end has it.
struct Study {
  bool draw_ground = true;        ///< false: AKD sees no ground anywhere
  double sink = 0;                ///< heights that AKD's start sinks by its end
  double speed = 0.5;             ///< heights a second of AKD's start
  double most_residual = 0.15;    ///< where all samples are missed by more, others are drawn, one by one ...
  int redraws = 2;                ///< ... so many at most, not more than candidates, and as long as that helps
  std::optional<bool> few_steps;  ///< unset: as the quality says, unless steps, guidance or a negative are given
  std::vector<lift::FitStage> fit_stages;  ///< of lifting samples; empty: the lift's own
};

/// Seconds that a motion may be asked to take.
inline constexpr double kShortest = 0.25, kLongest = 600;
/// Bytes of a prompt, and of what it should not be. A clause that says who does something is repeated in every segment.
inline constexpr std::size_t kLongestPrompt = 10'000;

/// What a distillation of all joints (Method::kAkd) starts from.
enum class Start {
  kRest,   ///< a body at rest that slides forward: AKD's
  kSample  ///< what the built-in prior draws for the same prompt: a fifth of the iterations, with less noise
};
std::string_view name(Start start);  ///< "rest"
std::optional<Start> start_named(std::string_view name);

/// How a motion is refined against the prior.
struct Distilling {
  Start from = Start::kRest;
  std::optional<int> iterations;                       ///< 0: none
  std::optional<double> smooth_weight, ground_weight;  ///< per element, lambda_1 and lambda_2 of AKD
  std::function<void(const distill::DistillStep&)> on_step;
  std::optional<int> preview_every;  ///< iterations between calls of `on_preview`
  std::function<void(const distill::DistillPreview&)> on_preview;
};

/// What follows, wherever the motion comes from.
struct Finishing {
  double fps = 30;        ///< of the result
  bool loop = false;      ///< closed: cut to whole cycles, or drawn so that the end is the beginning
  bool in_place = false;  ///< the ground slides instead
  Ground ground = Ground::kAuto;
};

/// Where a run with a distillation is kept, so that one that was stopped resumes, bit for bit: in `file` and, with the
/// samples, beside it (`samples_file`). What is there of another run is an error of kind `kConflict`.
struct Checkpoint {
  std::filesystem::path file;
  double seconds = 60;  ///< between writings of the distillation; samples are kept at once
};

/// `out.checkpoint` -> `out.checkpoint-samples.safetensors`.
std::filesystem::path samples_file(const std::filesystem::path& checkpoint);
/// Of the chunks of a long motion that are drawn one after the other, counted from 0: `out.checkpoint-2` of the second.
std::filesystem::path chunk_checkpoint(const std::filesystem::path& checkpoint, int chunk);
/// Removes what a run kept, where there is anything.
void remove_checkpoint(const std::filesystem::path& checkpoint);

/// Poses that a motion passes through: those of the first clip of a file, whose skeleton is the body's own.
struct Keyframes {
  std::filesystem::path file;
  std::vector<double> times;  ///< of the clip, and of the motion; empty: those of all its keys
};

/// What a body should do: as a prompt says, as several do, a clip each, or as a video shows; one of these.
struct Request {
  /// Several things to do one after the other ("walks, then sits down") share the time. `negative`: what the prior
  /// should not show, for priors that know such prompts.
  std::string prompt, negative;
  /// Prompts of a pack: a clip each, in one asset, instead of one prompt. All else that is asked is asked of each; what
  /// is done over and over becomes a loop (pack.h).
  std::vector<std::string> clips;
  std::optional<std::filesystem::path> video;
  std::optional<std::filesystem::path> library;  ///< a folder of clips: the one whose name says what the prompt asks
  Method method = Method::kAuto;
  std::optional<double> seconds;       ///< of motion; unset: what the prior draws at once, for each thing to do
  std::string continued_clip;          ///< of the asset, by name or "#2": the motion goes on where that one ends
  std::optional<Keyframes> keyframes;  ///< in the asset's world
  std::string clip_name;               ///< empty: the prompt, or the name of the video
  bool anyway = false;                 ///< keep the motion of a video that does not tell how the body moves
  bool pose_prior = false;             ///< what pictures leave open goes by the network of poses; it has to be there
  bool motion_prior = false;           ///< ... or by the network of motions
  bool no_fallback = false;            ///< what the network on joints drew is kept, be it fit or not
  Quality quality = Quality::kStandard;
  std::uint64_t seed = 0;             ///< same asset, models, request and seed: same bits
  std::optional<rig::Facing> facing;  ///< in the asset's world; unset: found
  std::string names;                  ///< profile of a new skeleton's joint names ("unity"); empty: limber's own
  bool stand_up = false;              ///< one more node above all, so that the result stands along +Y
  /// Where scenes are drawn and differentiated; the prior has a device of its own (`prior::LoadSettings`). A GPU that
  /// does not do what the CPU does on the body itself is left with a warning (lift/proven_device.h), one that fails
  /// later is an error.
  Device device = Device::kCpu;
  Sampling sampling;
  Distilling distilling;
  Finishing finishing;
  std::optional<Checkpoint> checkpoint;
  Study study;
  Progress progress;
  /// Called with every sample as soon as it is lifted, counted from 1: the asset with a clip of it, on the ground but
  /// not refined. Early previews; only of what prompts ask for, by the method `sample`.
  std::function<void(const asset::Asset& preview, int number)> on_sample;
};

/// Where scenes are drawn when a prior is loaded to `prior_device`: on a GPU where that names the first one ("cuda",
/// "cuda:0,cuda:1"), else on the CPU, and so for "auto".
Device drawing_device(std::string_view prior_device);

}  // namespace limber::animate
