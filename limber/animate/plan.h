// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
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
  bool draws_sketches = true;  ///< the prior draws the body itself, in several views, so that its samples can be lifted
  std::vector<prior::ActionWords> actions = {};  ///< that the prior was taught; empty: nobody asked it yet
};
ModelsInfo models_info(const prior::PriorInfo& prior);
/// As the prior's folder says. One that is not there is taken for the built-in one: whoever opens it says so.
ModelsInfo models_info(const ModelSettings& settings);

/// The first thing that is wrong with the wishes, if any. `models` unset: what depends on them is not asked.
std::optional<Refusal> find_refusal(const Wishes& wishes, const std::optional<ModelsInfo>& models);

// --- what is settled -------------------------------------------------------------------------------------------------

/// How samples are drawn, by a prior of pictures or by the network on joints.
struct SamplePlan {
  std::string prompt, negative;
  int candidates = 0;      ///< to choose from
  double guidance = 0;     ///< 0: the prior's own
  int steps = 0;           ///< 0: the prior's own
  bool few_steps = false;  ///< by priors that can
  std::uint64_t seed = 0;
  bool operator==(const SamplePlan&) const = default;
};

/// How long the motion is, and what it passes through.
struct SpanPlan {
  double seconds = 0;  ///< 0: what the prior draws at once, for each thing to do
  bool loop = false;   ///< its end is its beginning
  std::string continued_clip;
  std::filesystem::path keyframes;
  std::vector<double> key_times;  ///< empty: those of all keys
  int candidates_going_on = 0;    ///< of what goes on as before: the frames that are known settle most
  bool operator==(const SpanPlan&) const = default;

  /// Whether its way is nobody's but the prompt's.
  bool is_free() const { return continued_clip.empty() && keyframes.empty(); }
};

/// How a motion is refined against the prior, or made by that alone (`Method::kAkd`).
struct RefinePlan {
  int iterations = 0;  ///< 0: not at all
  int fits_per_denoise = 0, denoise_steps = 0;
  double smooth_weight = 0, ground_weight = 0;
  bool operator==(const RefinePlan&) const = default;
};

/// Where a run is kept, and how often it is looked at. Nothing of it changes what comes out.
struct KeepPlan {
  std::filesystem::path file;  ///< empty: nowhere
  bool fresh = false;          ///< what is there is thrown away, by whoever asks
  double seconds = 0;          ///< between writings of a distillation
  int preview_every = 0;       ///< iterations; 0: never
  bool operator==(const KeepPlan&) const = default;
};

/// The prior, and what it computes on; `drawn_on`: what scenes are.
struct PriorPlan {
  std::string folder, device, dtype;  ///< without a folder the built-in one
  Device drawn_on = Device::kCpu;
  bool operator==(const PriorPlan&) const = default;
};

/// How it meets the ground, and what it becomes.
struct FinishPlan {
  std::string prompt;             ///< tells whether bodies swim or fly; empty: nobody says
  Ground ground = Ground::kNone;  ///< never `kAuto`
  bool by_habitat = false;        ///< what swims or flies is left as it is, and so is what slides when simulated
  bool ground_seen = true;        ///< pictures were drawn with the ground where it is
  bool by_artists = false;        ///< who know how high feet are
  double fps = 0;
  bool loop = false, in_place = false;
  bool own_way = true;  ///< where it goes follows from the prompt: neither kept in place nor led by keyframes
  bool operator==(const FinishPlan&) const = default;
};

/// The network that what pictures leave open goes by: one of them, or none.
struct JointsPlan {
  bool poses = false, motions = false;
  std::string prompt;  ///< what the network of motions is told
  bool operator==(const JointsPlan&) const = default;
};

struct Plan;

/// What each method takes, and nothing else.
struct BySample {
  SamplePlan sample;
  SpanPlan span;
  RefinePlan refine;
  KeepPlan keep;
  PriorPlan prior;
  JointsPlan joints;
  std::vector<Plan> beside;  ///< another way that is gone, too, where there is one: a judge chooses
  bool operator==(const BySample& other) const;
};
struct ByAkd {
  std::string prompt, negative;
  std::uint64_t seed = 0;
  double guidance = 0;  ///< 0: AKD's
  Start from = Start::kRest;
  SamplePlan start;  ///< of Start::kSample
  RefinePlan refine;
  KeepPlan keep;
  PriorPlan prior;
  JointsPlan joints;
  bool operator==(const ByAkd&) const = default;
};
struct ByPlanar {
  SamplePlan sample;
  PriorPlan prior;
  bool operator==(const ByPlanar&) const = default;
};
struct ByVideo {
  std::filesystem::path file;
  bool anyway = false;
  JointsPlan joints;
  Device drawn_on = Device::kCpu;
  bool operator==(const ByVideo&) const = default;
};
struct ByRule {
  std::string prompt;
  double seconds = 0;  ///< 0: as long as it takes
  std::uint64_t seed = 0;
  bool operator==(const ByRule&) const = default;
};
struct ByNative {
  SamplePlan sample;
  SpanPlan span;
  std::vector<Plan> instead;  ///< in this order, where what was drawn is not fit; nothing: it is kept as it is
  bool falls_back = true;     ///< somebody may have said that it does not
  bool operator==(const ByNative& other) const;
};
struct ByLibrary {
  std::filesystem::path folder;
  std::string prompt;
  bool operator==(const ByLibrary&) const = default;
};

/// A request, settled: without optionals, and never changed.
struct Plan {
  std::variant<BySample, ByAkd, ByPlanar, ByVideo, ByRule, ByNative, ByLibrary> way;
  std::vector<float> facing;  ///< up and forward; empty: found
  FinishPlan finish;
  std::string clip_name;
  std::string names;       ///< of a new skeleton's joints: a profile
  bool keeps_all = false;  ///< all candidates become clips
  bool stand_up = false;
  std::vector<std::string> files;  ///< that are written beside the result, and how
  bool operator==(const Plan&) const = default;

  Method method() const;  ///< never `kAuto`
};

/// Settles wishes, or says what is wrong with them: with names of fields as the table has them. Of one clip: a pack has
/// a plan for each (`clip_wishes`). `kind`: what goes by it
/// (`is_native_kind`) does so; unset where the network on joints is not there, or nobody knows the body yet.
Result<Plan> make_plan(const Wishes& wishes, const ModelsInfo& models,
                       std::optional<anatomy::LimbPlan> kind = std::nullopt);

/// The plan of a method, of a request that was checked before: nothing is refused.
Plan plan_for(const Request& request, Method method);
/// An error of kind `kUnsupported` where a prompt asks for several things, one after the other, and the method does
/// one.
Status check_things(const std::string& prompt, Method method, const ModelsInfo& models);

/// The parts of a plan that stages follow. The only places where a quality is looked up.
SamplePlan sample_plan(const Request& request);
RefinePlan refine_plan(const Request& request, Method method);
/// The same as `sample_plan` for the network on joints: a candidate takes it a second or two.
SamplePlan native_plan(const Request& request);
FinishPlan finish_plan(const Request& request);
SpanPlan span_plan(const Request& request, const SamplePlan& sample);
JointsPlan joints_plan(const Request& request);
/// Whether all candidates become clips: where more than one was asked for.
bool keeps_all(const Request& request);

/// Calls `visit(name, value)` for every field of a part: what a kept run is told from another by.
template <class Visit>
void visit_fields(const SamplePlan& plan, const Visit& visit) {
  const auto& [prompt, negative, candidates, guidance, steps, few_steps, seed] = plan;
  visit("prompt", prompt), visit("negative", negative), visit("candidates", candidates);
  visit("guidance", guidance), visit("steps", steps), visit("few steps", few_steps), visit("seed", seed);
}
template <class Visit>
void visit_fields(const RefinePlan& plan, const Visit& visit) {
  const auto& [iterations, fits_per_denoise, denoise_steps, smooth_weight, ground_weight] = plan;
  visit("iterations", iterations), visit("fits_per_denoise", fits_per_denoise);
  visit("denoise_steps", denoise_steps), visit("smooth_weight", smooth_weight);
  visit("ground_weight", ground_weight);
}

/// What the method is where the request leaves it open.
Method method_of(const Request& request, const ModelsInfo& models);

/// Whether a draft of a body that goes somewhere, and that leaves the method open, is drawn by the network on joints,
/// by the kind of body. A table, which follows what was measured.
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

/// Whether a request can be met at all, as far as it says itself. `models` unset: what depends on them is not asked.
Status check_request(const Request& request, const std::optional<ModelsInfo>& models = std::nullopt);
}  // namespace limber::animate
