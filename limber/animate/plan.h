// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "limber/anatomy/limb_plan.h"
#include "limber/animate/fields.h"
#include "limber/animate/request.h"
#include "limber/base/result.h"
#include "limber/prior/video_prior.h"

/// A request becomes a plan: what was not said is settled, and what contradicts itself, is out of range or would do
/// nothing is refused, before any second is spent. Here alone.
namespace limber::animate {

/// What of the models a plan depends on; it is known before any is opened.
struct ModelsInfo {
  bool draws_parts = true;  ///< the prior draws the body itself, in several views, so that its samples can be lifted
};
ModelsInfo models_info(const prior::PriorInfo& prior);
/// As the prior's folder says. One that is not there is taken for the built-in one: whoever opens it says so.
ModelsInfo models_info(const ModelSettings& settings);

/// The first thing that is wrong with the wishes, if any. `models` unset: what depends on them is not asked.
std::optional<Refusal> find_refusal(const Wishes& wishes, const std::optional<ModelsInfo>& models);

// --- what is settled -------------------------------------------------------------------------------------------------

/// How samples are drawn.
struct SamplePlan {
  int candidates = 0;      ///< to choose from
  bool keeps_all = false;  ///< all of them become clips
  double guidance = 0;     ///< 0: the prior's own
  int steps = 0;           ///< 0: the prior's own
  bool few_steps = false;  ///< by priors that can
  std::uint64_t seed = 0;
  std::string negative;
  bool operator==(const SamplePlan&) const = default;
};

/// How long the motion is, and what it passes through.
struct SpanPlan {
  double seconds = 0;  ///< 0: what the prior draws at once, for each thing to do
  std::string continued_clip, keyframes;
  std::vector<double> key_times;
  bool operator==(const SpanPlan&) const = default;
};

/// How a motion is refined against the prior, or made by that alone (`Method::kAkd`).
struct RefinePlan {
  Start from = Start::kRest;
  int iterations = 0;  ///< 0: not at all
  int fits_per_denoise = 0, denoise_steps = 0;
  double smooth_weight = 0, ground_weight = 0;
  int preview_every = 0;  ///< 0: never
  double checkpoint_seconds = 0;
  bool operator==(const RefinePlan&) const = default;
};

/// How it meets the ground, and what it becomes.
struct FinishPlan {
  Ground ground = Ground::kNone;  ///< never `kAuto`
  bool by_habitat = false;        ///< what swims or flies is left as it is, and so is what slides when simulated
  double fps = 0;
  bool loop = false, in_place = false;
  bool operator==(const FinishPlan&) const = default;
};

/// A request, settled: without optionals, and never changed.
struct Plan {
  Method method = Method::kSample;  ///< never `kAuto`
  Quality quality = Quality::kStandard;
  std::string prompt, clip_name;
  std::filesystem::path video, library;
  bool anyway = false, pose_prior = false, motion_prior = false, no_fallback = false, stand_up = false;
  std::vector<float> facing;  ///< up and forward; empty: found
  std::string prior, device, dtype;
  Device drawn_on = Device::kCpu;
  SamplePlan sample;
  SpanPlan span;
  RefinePlan refine;
  FinishPlan finish;
  std::filesystem::path checkpoint;
  bool fresh = false;
  std::vector<std::string> files;  ///< that are written beside the result, and how
  bool operator==(const Plan&) const = default;
};

/// Settles wishes, or says what is wrong with them: with names of fields as the table has them.
Result<Plan> make_plan(const Wishes& wishes, const ModelsInfo& models);

/// The parts of a plan that stages follow. The only places where a quality is looked up.
SamplePlan sample_plan(const Request& request);
RefinePlan refine_plan(const Request& request, Method method);
/// The same as `sample_plan` for the network on joints: a candidate takes it a second or two.
SamplePlan native_plan(const Request& request);
FinishPlan finish_plan(const Request& request);

/// What the method is where the request leaves it open.
Method method_of(const Request& request, const ModelsInfo& models);

/// Whether a draft that leaves the method open is drawn by the network on joints, by the kind of body. A table, which
/// follows what was measured.
bool is_native_kind(anatomy::LimbPlan kind);
/// Whether what is left open beyond a draft is drawn by both, and a judge chooses.
bool draws_beside(const Request& request, anatomy::LimbPlan kind);
/// Whether this request of a body of this kind is one of those.
bool draws_natively(const Request& request, anatomy::LimbPlan kind);

/// What the clip is called: as asked, or as what it does.
std::string clip_name(const Request& request);

/// Wishes as a request: directions become a facing, the place of a run its checkpoint.
Result<Request> request_of(const Wishes& wishes);
/// Back again, for what is asked of the library itself: but for where it is kept, which whoever calls it may always
/// say.
Wishes wishes_of(const Request& request);

/// Whether a request can be met at all, as far as it says itself.
Status check_request(const Request& request);
}  // namespace limber::animate
