// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "limber/actions/catalogue.h"
#include "limber/animate/animate_subject.h"
#include "limber/animate/pack.h"
#include "limber/animate/prompt_segments.h"
#include "limber/motion_space/motion_space.h"
#include "limber/prior/prompt_words.h"
#include "limber/prior/sketch_model.h"
#include "limber/scene/scene.h"

namespace limber::animate {
namespace {

using Why = Refusal::Why;

// --- presets ---------------------------------------------------------------------------------------------------------

/// What a quality stands for, wherever nobody says otherwise.
struct Preset {
  int candidates = 0;
  int iterations = 0;                           ///< of the distillation that refines a lifted sample
  int fits_per_denoise = 0, denoise_steps = 0;  ///< in each of them
  int iterations_from_rest = 0;   ///< of one that starts from a body at rest, for priors whose samples cannot be lifted
  Ground ground = Ground::kLock;  ///< of bodies that stand on something
  bool few_steps = false;         ///< of sampling, for priors that can
  int native_candidates = 0, native_steps = 0;  ///< of the network on joints
};

Preset preset(Quality quality) {
  switch (quality) {
    case Quality::kDraft:
      return {2, 0, 40, 8, 200, Ground::kLock, true, 4, motion_space::kUsualSteps};
    case Quality::kStandard:
      return {3, 3, 40, 8, 1000, Ground::kSimulate, true, 8, motion_space::kUsualSteps};
    case Quality::kBest:
      return {6, 12, 60, 12, 10000, Ground::kSimulate, false, 16, 2 * motion_space::kUsualSteps};
  }
  return {};
}

// From a sample: what most noise is there for, the coarse motion, is done already.
constexpr int kFewerIterations = 5;

/// Which bodies the network on joints moves better than the prior of pictures where they go somewhere, as measured
/// (docs/animate.md, "Which drafts joints draw"): by two standard errors in rhythm or in what the judge that chooses
/// nothing believes, worse in neither, and preferred by viewers who did not know which is which.
struct NativeKind {
  anatomy::LimbPlan kind;
  bool native;
};
constexpr NativeKind kNativeKinds[] = {{anatomy::LimbPlan::kFourLegs, false}, {anatomy::LimbPlan::kTwoLegs, true},
                                       {anatomy::LimbPlan::kWings, true},     {anatomy::LimbPlan::kManyLegs, false},
                                       {anatomy::LimbPlan::kFins, false},     {anatomy::LimbPlan::kNoLimbs, false}};

// --- what is refused -------------------------------------------------------------------------------------------------

Refusal contradiction(std::string field, std::string other, std::string reason) {
  return {Why::kContradict, std::move(field), std::move(other), "", std::move(reason), ErrorKind::kConflict};
}

const char* reason_against(const NoUse& no_use, Method method) {
  switch (method) {
    case Method::kSample:
      return no_use.sample;
    case Method::kAkd:
      return no_use.akd;
    case Method::kPlanar:
      return no_use.planar;
    case Method::kVideo:
      return no_use.video;
    case Method::kRule:
      return no_use.rule;
    case Method::kNative:
      return no_use.native;
    case Method::kLibrary:
      return no_use.library;
    case Method::kAuto:
      break;
  }
  return nullptr;
}

/// Where the motion comes from: a prompt or a video.
std::optional<Refusal> check_source(const Wishes& wishes) {
  const Request& request = wishes.request;
  const bool prompt = !request.prompt.empty(), video = request.video.has_value();
  if (prompt && video) {
    return contradiction("prompt", "video",
                         "the motion comes from one of them; the name of the clip is a field of its own");
  }
  if (request.method == Method::kVideo && prompt) {
    Refusal refusal = contradiction("prompt", "method", "it follows a video, and there is none");
    refusal.value = name(request.method);
    return refusal;
  }
  if (!prompt && !video) {
    return Refusal{Why::kEither, "prompt", "video", "", "says what it should do", ErrorKind::kInput};
  }
  if (request.method == Method::kLibrary && !request.library && !video) {
    return Refusal{Why::kNeeds,      "method", "library", "", "the motion is taken from a clip of that folder",
                   ErrorKind::kInput};
  }
  if (prompt && prior::words_of(request.prompt).empty()) {
    return Refusal{Why::kNeeds,      "prompt", "prompt", "", "words: without them it does not say what to do",
                   ErrorKind::kInput};
  }
  for (const auto& [field, text] : {std::pair{"prompt", &request.prompt}, std::pair{"negative", &request.negative}}) {
    if (text->size() <= kLongestPrompt) continue;
    return Refusal{Why::kNeeds,      field, field, "", fmt::format("to be shorter: {} bytes at most", kLongestPrompt),
                   ErrorKind::kInput};
  }
  return std::nullopt;
}

/// Pairs that have nothing to do with methods.
std::optional<Refusal> check_pairs(const Wishes& wishes) {
  const Request& request = wishes.request;
  if (request.finishing.loop && !request.continued_clip.empty()) {
    return contradiction("continue", "loop", "a loop begins where it ends, and not where a clip did");
  }
  if (request.finishing.loop && request.keyframes) {
    return contradiction("keyframes", "loop", "a loop begins and ends as it likes");
  }
  if (request.pose_prior && request.motion_prior) {
    return contradiction("motion_prior", "pose_prior", "one of them tells what pictures leave open");
  }
  if (!wishes.files.preview.empty() && wishes.files.no_preview) {
    return contradiction("preview", "no_preview", "one says where it goes, the other that there is none");
  }
  for (const char* name : {"checkpoint_seconds", "fresh"}) {
    if (wishes.kept_beside || !wishes.checkpoint.empty() || !is_said(*find_field(name), wishes)) continue;
    return Refusal{Why::kNeeds, name, "checkpoint", "", "nothing is kept without", ErrorKind::kInput};
  }
  if (wishes.up && !wishes.forward) {
    return Refusal{Why::kNeeds,         "up", "forward", "", "alone it does not tell which way the body looks",
                   ErrorKind::kConflict};
  }
  if (wishes.forward && !rig::make_facing(wishes.up.value_or(Vec3{0, 1, 0}), *wishes.forward).ok()) {
    return contradiction("forward", "up", "they run along one line; up is +Y where nothing is said");
  }
  return std::nullopt;
}

/// A device that only a prior could use.
std::optional<Refusal> check_device(const Wishes& wishes) {
  const std::string& device = wishes.models.loading.device;
  if (!wishes.request.video || device == "cpu" || device == "auto") return std::nullopt;
  if (scene::has_cuda() && drawing_device(device) == Device::kCuda) return std::nullopt;
  return contradiction("device", "video",
                       fmt::format("a video needs no prior, and scenes are drawn {}",
                                   scene::has_cuda() ? "on cpu or cuda" : "on the CPU alone in this build"));
}

/// Which field has the blame that a method has no use for another.
Refusal useless(const Field& field, const char* reason, Method method, const Wishes& wishes) {
  Refusal refusal = contradiction(field.name, "method", reason);
  refusal.value = name(method);
  const bool only_videos =
      field.no_use.sample && field.no_use.akd && field.no_use.planar && field.no_use.video == nullptr;
  if (method == Method::kVideo) {
    refusal.other = "video", refusal.value.clear();
  } else if (method == Method::kLibrary && wishes.request.library) {
    refusal.other = "library", refusal.value.clear();
  } else if (wishes.request.method == Method::kAuto && only_videos) {
    refusal.other = "prompt", refusal.value.clear();
  } else if (wishes.request.method == Method::kAuto && method == Method::kAkd) {
    // Nobody said akd: it is what such a prior allows.
    refusal.other = "prior", refusal.value.clear();
    refusal.reason = fmt::format("that prior can only be distilled (akd): {}", reason);
  }
  return refusal;
}

/// Wishes that would do nothing.
std::optional<Refusal> check_uses(const Wishes& wishes, Method method) {
  const Request& request = wishes.request;
  const bool distils = refine_plan(request, method).iterations > 0;
  for (const Field& field : fields()) {
    if (!is_said(field, wishes)) continue;
    if (const char* reason = reason_against(field.no_use, method)) return useless(field, reason, method, wishes);
    if (!field.no_use.distils || distils) continue;
    Refusal refusal = contradiction(field.name, request.distilling.iterations ? "iterations" : "quality",
                                    "nothing is distilled then");
    refusal.value = request.distilling.iterations ? "0" : name(request.quality);
    return refusal;
  }
  return std::nullopt;
}

/// The best is more samples and a longer distillation, of which some methods have neither.
std::optional<Refusal> check_quality(const Wishes& wishes, Method method) {
  const Request& request = wishes.request;
  const bool video = method == Method::kVideo, library = method == Method::kLibrary && request.library;
  const bool drawn = !video && method != Method::kLibrary && method != Method::kRule;
  if (request.quality != Quality::kBest || drawn) return std::nullopt;
  Refusal refusal = contradiction("quality",
                                  video     ? "video"
                                  : library ? "library"
                                            : "method",
                                  "best draws more and refines for longer than standard, and here nothing is drawn or "
                                  "refined");
  if (!video && !library) refusal.value = name(method);
  return refusal;
}

/// Numbers that were not read from text.
Status check_ranges(const Wishes& wishes) {
  Wishes copy = wishes;
  for (const Field& field : fields()) {
    if (field.type != FieldType::kWhole && field.type != FieldType::kNumber) continue;
    const std::string text = text_of(field, wishes);
    if (!text.empty()) LIMBER_CHECK_OK(set(field, text, copy));
  }
  return Done{};
}

Status check_wishes(const Wishes& wishes, const std::optional<ModelsInfo>& models) {
  if (const std::optional<Refusal> refusal = find_refusal(wishes, models)) return refused(*refusal, "request");
  return check_ranges(wishes);
}

/// What is written beside the result, as a person said it.
std::vector<std::string> files_of(const Wishes& wishes) {
  std::vector<std::string> files;
  for (const Field& field : fields()) {
    if (field.owner != FieldOwner::kFiles || !is_said(field, wishes)) continue;
    files.push_back(fmt::format("{}={}", field.name, text_of(field, wishes)));
  }
  return files;
}

std::vector<float> facing_numbers(const Request& request) {
  if (!request.facing) return {};
  const Vec3 up = request.facing->up, forward = request.facing->forward;
  return {up.x, up.y, up.z, forward.x, forward.y, forward.z};
}

PriorPlan prior_plan(const Wishes& wishes) {
  const ModelSettings& models = wishes.models;
  return {models.prior.value_or("").string(), models.loading.device, models.loading.dtype, wishes.request.device};
}

KeepPlan keep_plan(const Wishes& wishes, const Request& request, const RefinePlan& refine) {
  KeepPlan plan;
  plan.fresh = wishes.fresh;
  if (request.checkpoint) plan.file = request.checkpoint->file;
  if (refine.iterations == 0) return plan;
  plan.seconds = request.checkpoint ? request.checkpoint->seconds : wishes.checkpoint_seconds;
  plan.preview_every = request.distilling.preview_every.value_or(0);
  return plan;
}

/// What is asked, by another method: numbers that are about the network on joints are left out.
Request by(Method method, const Request& request) {
  Request other = request;
  other.method = method;
  other.sampling.guidance.reset(), other.sampling.steps.reset();
  if (method == Method::kRule) other.sampling.candidates.reset();
  return other;
}

/// Ways that can be gone where the network's own does not lead to what is fit.
std::vector<Plan> other_ways(const Wishes& wishes, const Request& request) {
  std::vector<Plan> others;
  for (const Method method : {Method::kSample, Method::kRule}) {
    Wishes other = wishes_of(by(method, request));
    other.models = wishes.models;
    if (Result<Plan> plan = make_plan(other, ModelsInfo{}); plan.ok()) others.push_back(std::move(*plan));
  }
  return others;
}

ByAkd akd_plan(const Wishes& wishes, const Request& request) {
  ByAkd way;
  way.prompt = request.prompt, way.negative = request.negative, way.seed = request.seed;
  way.guidance = request.sampling.guidance.value_or(0), way.from = request.distilling.from;
  if (way.from == Start::kSample) {
    Request draft;
    draft.prompt = request.prompt, draft.negative = request.negative, draft.seed = request.seed;
    draft.quality = Quality::kDraft;
    way.start = sample_plan(draft);
  }
  way.refine = refine_plan(request, Method::kAkd), way.keep = keep_plan(wishes, request, way.refine);
  way.prior = prior_plan(wishes), way.joints = joints_plan(request);
  return way;
}

using Way = decltype(Plan::way);

/// What the method takes of a request, and nothing else.
Way way_of(const Wishes& wishes, const Request& request, Method method) {
  const SamplePlan sample = sample_plan(request);
  switch (method) {
    case Method::kAkd:
      return akd_plan(wishes, request);
    case Method::kPlanar:
      return ByPlanar{sample, prior_plan(wishes)};
    case Method::kVideo:
      return ByVideo{request.video.value_or(""), request.anyway, joints_plan(request), request.device};
    case Method::kRule:
      return ByRule{request.prompt, request.seconds.value_or(0), request.seed};
    case Method::kNative: {
      const SamplePlan native = native_plan(request);
      const bool falls_back = !request.no_fallback;
      return ByNative{native, span_plan(request, native),
                      falls_back ? other_ways(wishes, request) : std::vector<Plan>(), falls_back};
    }
    case Method::kLibrary:
      return ByLibrary{request.library.value_or(""), request.prompt};
    case Method::kSample:
    case Method::kAuto:
      break;
  }
  const RefinePlan refine = refine_plan(request, Method::kSample);
  return BySample{sample,
                  span_plan(request, sample),
                  refine,
                  keep_plan(wishes, request, refine),
                  prior_plan(wishes),
                  joints_plan(request),
                  {}};
}

Plan settled(const Wishes& wishes, const Request& request, Method method) {
  Plan plan;
  plan.way = way_of(wishes, request, method);
  plan.clip_name = clip_name(request), plan.keeps_all = keeps_all(request);
  plan.names = request.names, plan.stand_up = request.stand_up, plan.facing = facing_numbers(request);
  plan.finish = finish_plan(request);
  plan.files = files_of(wishes);
  return plan;
}

/// Whether nobody says how it is to be drawn, and the network on joints has a use for all that is said. What only a
/// prior of pictures has a use for asks for that.
bool leaves_way_open(const Request& request) {
  if (request.method != Method::kAuto || request.video || request.library) return false;
  Request native = request;
  native.method = Method::kNative, native.checkpoint.reset();
  return !find_refusal(wishes_of(native), std::nullopt);
}

/// Whether all that is asked for goes on and on and gets somewhere: walks, runs, flies.
bool only_goes(const std::string& prompt) {
  const actions::Catalogue& known = actions::built_in();
  for (const PromptSegment& segment : split_prompt(prompt, known.taught())) {
    if (segment.actions.empty()) return false;
    for (const std::string& name : segment.actions) {
      const actions::Action* action = known.find(name);
      if (action == nullptr || !action->cyclic || action->travels == actions::Travels::kNo) return false;
    }
  }
  return true;
}

}  // namespace

ModelsInfo models_info(const prior::PriorInfo& prior) { return {draws_sketches(prior), prior.actions}; }

ModelsInfo models_info(const ModelSettings& settings) {
  std::error_code failed;
  if (!settings.prior || !std::filesystem::exists(*settings.prior, failed)) return {true};
  return {prior::is_sketch_model(*settings.prior)};
}

std::optional<Refusal> find_refusal(const Wishes& wishes, const std::optional<ModelsInfo>& models) {
  if (auto refusal = find_pack_refusal(wishes)) return refusal;
  for (std::size_t i = 0; i < wishes.request.clips.size(); ++i) {
    if (auto refusal = find_refusal(clip_wishes(wishes, i), models)) {
      // Nobody said a prompt.
      for (std::string* field : {&refusal->field, &refusal->other}) *field = *field == "prompt" ? "clips" : *field;
      return refusal;
    }
  }
  if (!wishes.request.clips.empty()) return std::nullopt;
  if (auto refusal = check_source(wishes)) return refusal;
  const Request& request = wishes.request;
  const Method method = method_of(request, models.value_or(ModelsInfo{}));
  const bool known = models || request.video || request.library || request.method != Method::kAuto;
  if (known) {
    if (auto refusal = check_uses(wishes, method)) return refusal;
    if (auto refusal = check_quality(wishes, method)) return refusal;
  }
  if (models && !models->draws_sketches && (method == Method::kSample || method == Method::kPlanar)) {
    Refusal refusal =
        contradiction("prior", "method", "this one does not draw the body itself, and can only be distilled (akd)");
    refusal.value = name(method), refusal.kind = ErrorKind::kUnsupported;
    return refusal;
  }
  if (auto refusal = check_device(wishes)) return refusal;
  return check_pairs(wishes);
}

Method method_of(const Request& request, const ModelsInfo& models) {
  if (request.video) return request.method == Method::kAuto ? Method::kVideo : request.method;
  if (request.method != Method::kAuto) return request.method;
  if (request.library) return Method::kLibrary;
  return models.draws_sketches ? Method::kSample : Method::kAkd;
}

bool is_native_kind(anatomy::LimbPlan kind) {
  for (const NativeKind& row : kNativeKinds) {
    if (row.kind == kind) return row.native;
  }
  return false;
}

bool draws_beside(const Request& request, anatomy::LimbPlan) {
  const bool numbers = request.sampling.guidance || request.sampling.steps || request.sampling.candidates;
  return request.quality != Quality::kDraft && !numbers && leaves_way_open(request);
}

bool draws_natively(const Request& request, anatomy::LimbPlan kind) {
  if (request.method == Method::kNative) return true;
  // Numbers of sampling are those of the prior of pictures.
  const bool numbers = request.sampling.guidance || request.sampling.steps;
  return request.quality == Quality::kDraft && !numbers && is_native_kind(kind) && only_goes(request.prompt) &&
         leaves_way_open(request);
}

bool keeps_all(const Request& request) { return request.sampling.candidates.value_or(1) > 1; }

SamplePlan sample_plan(const Request& request) {
  const Sampling& asked = request.sampling;
  const Preset usual = preset(request.quality);
  SamplePlan plan;
  plan.prompt = request.prompt, plan.negative = request.negative, plan.seed = request.seed;
  plan.candidates = asked.candidates.value_or(usual.candidates);
  plan.guidance = asked.guidance.value_or(0), plan.steps = asked.steps.value_or(0);
  // Few steps know no guidance: who steers gets what can be steered.
  const bool steered = asked.steps || asked.guidance || !request.negative.empty();
  plan.few_steps = request.study.few_steps.value_or(usual.few_steps && !steered);
  return plan;
}

SamplePlan native_plan(const Request& request) {
  const Sampling& asked = request.sampling;
  const Preset usual = preset(request.quality);
  SamplePlan plan;
  plan.prompt = request.prompt, plan.seed = request.seed;
  plan.candidates = asked.candidates.value_or(usual.native_candidates);
  plan.guidance = asked.guidance.value_or(motion_space::kUsualGuidance),
  plan.steps = asked.steps.value_or(usual.native_steps);
  return plan;
}

SpanPlan span_plan(const Request& request, const SamplePlan& sample) {
  SpanPlan plan;
  plan.seconds = request.seconds.value_or(0), plan.loop = request.finishing.loop;
  plan.continued_clip = request.continued_clip;
  if (request.keyframes) plan.keyframes = request.keyframes->file, plan.key_times = request.keyframes->times;
  plan.candidates_going_on = request.sampling.candidates.value_or(std::max(1, sample.candidates / 2));
  return plan;
}

JointsPlan joints_plan(const Request& request) {
  return {request.pose_prior, request.motion_prior, request.motion_prior ? request.prompt : ""};
}

RefinePlan refine_plan(const Request& request, Method method) {
  const Distilling& asked = request.distilling;
  const Preset usual = preset(request.quality);
  RefinePlan plan;
  const bool akd = method == Method::kAkd;
  const int from_rest =
      asked.from == Start::kSample ? usual.iterations_from_rest / kFewerIterations : usual.iterations_from_rest;
  const bool distils = method == Method::kSample || method == Method::kAuto || akd;
  plan.iterations = distils ? asked.iterations.value_or(akd ? from_rest : usual.iterations) : 0;
  // What is not distilled has no weights.
  if (plan.iterations == 0) return plan;
  if (!akd) plan.fits_per_denoise = usual.fits_per_denoise, plan.denoise_steps = usual.denoise_steps;
  // The loss of sketches is a mean over all pixels, of which a body covers a tenth: weights are smaller than AKD's.
  const distill::DistillSettings published;
  plan.smooth_weight = asked.smooth_weight.value_or(akd ? published.smooth_weight : 0.004);
  plan.ground_weight = asked.ground_weight.value_or(akd ? published.ground_weight : 1);
  return plan;
}

FinishPlan finish_plan(const Request& request) {
  const Finishing& asked = request.finishing;
  FinishPlan plan;
  plan.prompt = request.prompt;
  plan.by_habitat = asked.ground == Ground::kAuto;
  plan.ground = plan.by_habitat ? preset(request.quality).ground : asked.ground;
  plan.ground_seen = !request.video && !request.library;  // the prior draws it
  plan.by_artists = request.library.has_value();
  plan.fps = asked.fps, plan.loop = asked.loop, plan.in_place = asked.in_place;
  plan.own_way = !asked.in_place && !request.keyframes;
  return plan;
}

bool BySample::operator==(const BySample& other) const {
  return sample == other.sample && span == other.span && refine == other.refine && keep == other.keep &&
         prior == other.prior && joints == other.joints && beside == other.beside;
}

bool ByNative::operator==(const ByNative& other) const {
  return sample == other.sample && span == other.span && instead == other.instead && falls_back == other.falls_back;
}

Method Plan::method() const {
  constexpr Method kMethods[] = {Method::kSample, Method::kAkd,    Method::kPlanar, Method::kVideo,
                                 Method::kRule,   Method::kNative, Method::kLibrary};
  return kMethods[way.index()];
}

Status check_things(const std::string& prompt, Method method, const ModelsInfo& models) {
  // Only chunks do one thing after the other. Priors of real videos understand what they may.
  const bool by_words = method == Method::kRule || method == Method::kLibrary;
  const bool one = by_words || (models.draws_sketches && (method == Method::kAkd || method == Method::kPlanar));
  if (!one) return Done{};
  const std::vector<PromptSegment> things =
      split_prompt(prompt, by_words || models.actions.empty() ? actions::built_in().taught() : models.actions);
  if (things.size() < 2) return Done{};
  return Error{fmt::format("the method {} does one thing at a time, and the prompt asks for {}: {}, then {}",
                           name(method), things.size(), short_name(things[0]), short_name(things[1])),
               "request", ErrorKind::kUnsupported};
}

Result<Plan> make_plan(const Wishes& wishes, const ModelsInfo& models, std::optional<anatomy::LimbPlan> kind) {
  LIMBER_CHECK_OK(check_wishes(wishes, models));
  if (!wishes.request.clips.empty()) return Error{"`clips` are several plans, one of each (clip_wishes)", "request"};
  LIMBER_TRY(const Request request, request_of(wishes));
  const bool natively = kind && draws_natively(request, *kind);
  const Method method = natively ? Method::kNative : method_of(request, models);
  LIMBER_CHECK_OK(check_things(request.prompt, method, models));
  Plan plan = settled(wishes, request, method);
  if (kind && method == Method::kSample && draws_beside(request, *kind)) {
    Request other = by(Method::kNative, request);
    other.no_fallback = true;  // another draw would be chosen by itself
    std::get<BySample>(plan.way).beside = {settled(wishes, other, Method::kNative)};
  }
  return plan;
}

Plan plan_for(const Request& request, Method method) { return settled(wishes_of(request), request, method); }

Result<Request> request_of(const Wishes& wishes) {
  Request request = wishes.request;
  if (wishes.forward) {
    LIMBER_TRY(request.facing, rig::make_facing(wishes.up.value_or(Vec3{0, 1, 0}), *wishes.forward));
  }
  if (!wishes.checkpoint.empty()) request.checkpoint = Checkpoint{wishes.checkpoint, wishes.checkpoint_seconds};
  return request;
}

Wishes wishes_of(const Request& request) {
  Wishes wishes;
  wishes.request = request;
  return wishes;
}

std::string clip_name(const Request& request) {
  if (!request.clip_name.empty()) return request.clip_name;
  return request.video ? request.video->stem().string() : request.prompt;
}

Status check_request(const Request& request, const std::optional<ModelsInfo>& models) {
  return check_wishes(wishes_of(request), models);
}

}  // namespace limber::animate
