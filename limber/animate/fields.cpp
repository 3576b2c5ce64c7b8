// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>

#include "limber/animate/pack.h"

namespace limber::animate {
namespace {

namespace fs = std::filesystem;

using Type = FieldType;
using Owner = FieldOwner;

// --- values that are kept in another form than their text -----------------------------------------------------------

std::string direction_text(const std::optional<Vec3>& direction) {
  return direction ? fmt::format("{},{},{}", direction->x, direction->y, direction->z) : "";
}

OwnText direction(std::optional<Vec3>& member) {
  return {[&member] { return direction_text(member); },
          [&member](const std::string& text) {
            const std::optional<Vec3> read = rig::parse_direction(text);
            if (read || text.empty()) member = read;
            return read || text.empty();
          }};
}

/// `poses.glb`, or `poses.glb:0,0.5,2`: the times of the poses that count.
std::optional<Keyframes> read_keyframes(const std::string& text) {
  Keyframes keyframes{text, {}};
  const std::size_t colon = text.rfind(':');
  std::error_code failed;
  if (colon == std::string::npos || fs::exists(text, failed)) return keyframes;
  keyframes.file = text.substr(0, colon);
  std::string_view rest = std::string_view(text).substr(colon + 1);
  while (!rest.empty()) {
    double time = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), time);
    const auto read = static_cast<std::size_t>(end - rest.data());
    if (error != std::errc() || (read < rest.size() && rest[read] != ',')) return std::nullopt;
    keyframes.times.push_back(time);
    rest.remove_prefix(std::min(read + 1, rest.size()));
  }
  return keyframes;
}

std::string keyframes_text(const std::optional<Keyframes>& keyframes) {
  if (!keyframes) return "";
  return keyframes->file.string() +
         (keyframes->times.empty() ? "" : fmt::format(":{}", fmt::join(keyframes->times, ",")));
}

OwnText keyframes(std::optional<Keyframes>& member) {
  return {[&member] { return keyframes_text(member); },
          [&member](const std::string& text) {
            if (text.empty()) return member.reset(), true;
            std::optional<Keyframes> read = read_keyframes(text);
            if (!read) return false;
            member = std::move(read);
            return true;
          }};
}

/// Said again, more are added.
OwnText clips(std::vector<std::string>& member) {
  return {[&member] { return join_clips(member); },
          [&member](const std::string& text) {
            std::vector<std::string> more = split_clips(text);
            if (more.empty() || member.size() + more.size() > kMostClips) return text.empty();
            member.insert(member.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
            return true;
          }};
}

OwnText on_or_off(bool& member) {
  return {[&member] { return std::string(member ? "on" : "off"); },
          [&member](const std::string& text) { return member = text == "on", true; }};
}

/// Where scenes are drawn follows from where the network is.
OwnText device(Wishes& wishes) {
  return {[&wishes] { return wishes.models.loading.device; },
          [&wishes](const std::string& text) {
            wishes.models.loading.device = text, wishes.request.device = drawing_device(text);
            return true;
          }};
}

// --- the table -------------------------------------------------------------------------------------------------------

constexpr const char *kAsLong = "it is as long as the video, and does what that shows",
                     *kNothingDrawn = "nothing is drawn for a video",
                     *kNothingDistilled = "what a video shows is not distilled",
                     *kNoDistilling = "it follows a sample, and distils nothing",
                     *kNothingSampled = "there are no samples to choose from",
                     *kOneClip = "it makes one clip of the prior's length, from nothing",
                     *kNoPrior = "a video needs no prior", *kOnlyVideos = "only a video can be of another body";
constexpr const char *kNotByRule = "no network has a say in it", *kOneByRule = "it makes one clip, from nothing",
                     *kFromPrompt = "the motion comes from the prompt, or from the video";
constexpr const char *kNotKept = "nothing of it is kept", *kNothingOpen = "it leaves nothing open";
constexpr const char *kNotByJoints = "the network on joints needs no pictures, and no other network",
                     *kNoNegative = "the network on joints knows actions alone", *kOnceDrawn = "it is drawn at once",
                     *kOnlyNative = "it tells what the method native does where its network fails";
constexpr const char *kAsItIs = "a clip of the folder is taken as it is",
                     *kNotFromClips = "the motion is not taken from a clip";
constexpr NoUse kNone{}, kNotOfVideos{nullptr, nullptr, nullptr, kNothingDrawn, false, nullptr, nullptr, kAsItIs},
    kOfPriors{nullptr, nullptr, nullptr, kNothingDrawn, false, kNotByRule, nullptr, kAsItIs},
    kOfSamples{nullptr, kNothingSampled, nullptr, kNothingDrawn, false, kNotByRule, nullptr, kAsItIs},
    kOfLongMotions{nullptr, kOneClip, kOneClip, kAsLong, false, nullptr, nullptr, kAsItIs},
    kOfChunks{nullptr, kOneClip, kOneClip, kAsLong, false, kOneByRule, nullptr, kAsItIs},
    kDistils{nullptr, nullptr, kNoDistilling, kNothingDistilled, true, kNotByRule, kOnceDrawn, kAsItIs},
    kOfPictures{nullptr,      nullptr, "nothing of the planar lift goes by it", nullptr, false, kNothingOpen,
                kNothingOpen, kAsItIs},
    kKept{nullptr, nullptr, kNotKept, kNotKept, false, kNotKept, kNotKept, kNotKept};

const std::vector<Field>& body_fields() {  // table: a row a field
  static const std::vector<Field> all{
      {{"prompt", Type::kText, "What it should do (`limber prior actions` lists what is known)"},
       Owner::kRequest,
       {nullptr, nullptr, nullptr, "the motion comes from one of them; `name` is what the clip is called"},
       [](Wishes& w) -> FieldMember { return &w.request.prompt; }},
      {{"clips", Type::kText,
        "A pack: several prompts with commas between (semicolons, where one has a comma in it), each a clip of its own "
        "in one file; what is done over and over becomes a loop",
        "WALK,RUN,...", 0, 0, true},
       Owner::kRequest,
       {nullptr, nullptr, nullptr, "the motion comes from one of them"},
       [](Wishes& w) -> FieldMember { return clips(w.request.clips); }},
      {{"video", Type::kFile, "A video of such a body, which it should follow"},
       Owner::kRequest,
       {kFromPrompt, kFromPrompt, kFromPrompt, nullptr, false, kFromPrompt, kFromPrompt, kFromPrompt},
       [](Wishes& w) -> FieldMember { return &w.request.video; }},
      {{"library", Type::kFolder,
        "A folder of your own clips: the one whose name says what the prompt asks is carried over to this body"},
       Owner::kRequest,
       {kNotFromClips, kNotFromClips, kNotFromClips, kNotFromClips, false, kNotFromClips, kNotFromClips},
       [](Wishes& w) -> FieldMember { return &w.request.library; }},
      {{"anyway", Type::kFlag,
        "Where the video does not tell how the body moves: write what there is, which is an error otherwise"},
       Owner::kRequest,
       {kOnlyVideos, kOnlyVideos, kOnlyVideos, nullptr, false, kOnlyVideos, kOnlyVideos, kOnlyVideos},
       [](Wishes& w) -> FieldMember { return &w.request.anyway; }},
      {{"quality", Type::kChoice,
        "draft: seconds; as it was drawn, with feet that stand; standard: some times longer; refined, and simulated "
        "with weight and friction; best: minutes; more samples, refined for longer",
        "draft|standard|best"},
       Owner::kRequest,
       kNone,
       [](Wishes& w) -> FieldMember { return choice_of(w.request.quality, quality_named); }},
      {{"method", Type::kChoice,
        "auto: as the video shows, else sample where the prior can; sample: a small video network (the prior) draws "
        "the body, joints are fitted to the drawings; rule: as a made-up body with the same limbs does it, without any "
        "network, at once; library: a clip of a folder of yours; video: as the video shows; to try out, native: a "
        "network on joints draws it, without pictures; planar: joints followed on the plane of the drawings; akd: "
        "changed from rest until the prior likes it, slowly (score distillation)",
        "auto|sample|akd|planar|video|rule|native|library"},
       Owner::kRequest,
       kNone,
       [](Wishes& w) -> FieldMember { return choice_of(w.request.method, method_named); }},
      {{"seconds", Type::kNumber,
        "Of motion, shared by all that the prompt asks for one after the other; by default two for each of them", "",
        kShortest, kLongest},
       Owner::kRequest,
       kOfLongMotions,
       [](Wishes& w) -> FieldMember { return &w.request.seconds; }},
      {{"continue", Type::kClip, "A clip of the model, by name or #N: goes on where that one ends"},
       Owner::kRequest,
       kOfChunks,
       [](Wishes& w) -> FieldMember { return &w.request.continued_clip; }},
      {{"keyframes", Type::kFile,
        "Poses to pass through at their times: the first clip of a file with the same skeleton; after a colon the "
        "times "
        "that count, as in poses.glb:0,1.5"},
       Owner::kRequest,
       kOfChunks,
       [](Wishes& w) -> FieldMember { return keyframes(w.request.keyframes); }},
      {{"up", Type::kDirection, "Which way of the file is up: +z, -X or three numbers"},
       Owner::kRequest,
       kNone,
       [](Wishes& w) -> FieldMember { return direction(w.up); }},
      {{"forward", Type::kDirection, "The way the body faces: +z, -X or three numbers"},
       Owner::kRequest,
       kNone,
       [](Wishes& w) -> FieldMember { return direction(w.forward); }},
      {{"names", Type::kChoice,
        "Joint names of the skeleton that a humanoid without one gets, for another program; an error if the body has "
        "not what that needs, or a skeleton of its own",
        "mixamo|unity|unreal|vrm"},
       Owner::kRequest,
       kNone,
       [](Wishes& w) -> FieldMember { return &w.request.names; }},
      {{"stand_up", Type::kFlag, "Add one node that turns the asset so that it stands along +Y"},
       Owner::kRequest,
       kNone,
       [](Wishes& w) -> FieldMember { return &w.request.stand_up; }},
  };
  return all;
}

const std::vector<Field>& result_fields() {  // table: a row a field
  static const std::vector<Field> all{
      {{"name", Type::kText, "Name of the clip; by default the prompt, or that of the video"},
       Owner::kRequest,
       kNone,
       [](Wishes& w) -> FieldMember { return &w.request.clip_name; }},
      {{"fps", Type::kNumber, "Keys a second", "", 1, 240},
       Owner::kRequest,
       kNone,
       [](Wishes& w) -> FieldMember { return &w.request.finishing.fps; }},
      {{"loop", Type::kFlag,
        "So that it repeats without a jump: cut to whole cycles, or the whole motion brought back to its beginning"},
       Owner::kRequest,
       kNone,
       [](Wishes& w) -> FieldMember { return &w.request.finishing.loop; }},
      {{"in_place", Type::kFlag, "Without the travel over the ground"},
       Owner::kRequest,
       kNone,
       [](Wishes& w) -> FieldMember { return &w.request.finishing.in_place; }},
      {{"ground", Type::kChoice,
        "none: as it was drawn; lock: feet stay where they touch it; simulate: the nearest motion that a simulated "
        "body can "
        "do; "
        "auto: simulate, for drafts lock, and none for what swims or flies",
        "none|lock|simulate|auto"},
       Owner::kRequest,
       kNone,
       [](Wishes& w) -> FieldMember { return choice_of(w.request.finishing.ground, ground_named); }},
      {{"pose_prior", Type::kChoice,
        "on: what a video or a sample does not show (an arm behind the body) goes by the network of plausible poses",
        "on|off"},
       Owner::kRequest,
       kOfPictures,
       [](Wishes& w) -> FieldMember { return on_or_off(w.request.pose_prior); }},
      {{"motion_prior", Type::kChoice,
        "on: what a video or a sample does not show goes by the network on joints, which sees how bodies move",
        "on|off"},
       Owner::kRequest,
       kOfPictures,
       [](Wishes& w) -> FieldMember { return on_or_off(w.request.motion_prior); }},
  };
  return all;
}

const std::vector<Field>& prior_fields() {  // table: a row a field
  static const std::vector<Field> all{
      {{"seed", Type::kWhole, "Another seed, another motion", "", 0, 18446744073709551615.0},
       Owner::kRequest,
       kNotOfVideos,
       [](Wishes& w) -> FieldMember { return &w.request.seed; }},
      {{"candidates", Type::kWhole,
        "Samples to choose from, by default a few; if said, all become clips where the motion is not longer than what "
        "is drawn at once (two seconds), the best first",
        "", 1, 64},
       Owner::kRequest,
       kOfSamples,
       [](Wishes& w) -> FieldMember { return &w.request.sampling.candidates; }},
      {{"negative", Type::kText, "What the video should not show (priors that know negative prompts)"},
       Owner::kRequest,
       {nullptr, nullptr, nullptr, "it is said to a prior, and a video needs none", false, kNotByRule, kNoNegative,
        kAsItIs},
       [](Wishes& w) -> FieldMember { return &w.request.negative; }},
      {{"guidance", Type::kNumber,
        "How much the prompt counts: more follows it more closely and is less varied; by default the prior's own (2.5 "
        "of the one that ships)",
        "", 0.001, 1e6},
       Owner::kRequest,
       kOfPriors,
       [](Wishes& w) -> FieldMember { return &w.request.sampling.guidance; }},
      {{"steps", Type::kWhole,
        "In which a sample is drawn: more take longer and may be better; by default the prior's own", "", 1, 1000},
       Owner::kRequest,
       kOfSamples,
       [](Wishes& w) -> FieldMember { return &w.request.sampling.steps; }},
      {{"no_fallback", Type::kFlag,
        "Of the method native: keep what it drew where it fails its own check: neither another seed nor another method "
        "takes "
        "its place"},
       Owner::kRequest,
       {kOnlyNative, kOnlyNative, kOnlyNative, kOnlyNative, false, kOnlyNative, nullptr, kOnlyNative},
       [](Wishes& w) -> FieldMember { return &w.request.no_fallback; }},
      {{"iterations", Type::kWhole, "Rounds of refining (distillation), 0 for none; by default as the quality says", "",
        0, 1000000},
       Owner::kRequest,
       {nullptr, nullptr, kNoDistilling, kNothingDistilled, false, kNotByRule, kOnceDrawn, kAsItIs},
       [](Wishes& w) -> FieldMember { return &w.request.distilling.iterations; }},
      {{"from", Type::kChoice,
        "What the method akd starts from. rest: the body at rest, sliding forward; sample: what the built-in prior "
        "draws "
        "for the prompt, which takes a fifth of the iterations",
        "rest|sample"},
       Owner::kRequest,
       {"it is a sample already: this is for akd", nullptr, kNoDistilling, kNothingDistilled, false, kNotByRule,
        kOnceDrawn, kAsItIs},
       [](Wishes& w) -> FieldMember { return choice_of(w.request.distilling.from, start_named); }},
      {{"smooth_weight", Type::kNumber,
        "Of refining: how much it is held back from shaking (lambda_1 of AKD, per element)", "", 0, 1e6},
       Owner::kRequest,
       kDistils,
       [](Wishes& w) -> FieldMember { return &w.request.distilling.smooth_weight; }},
      {{"ground_weight", Type::kNumber,
        "Of refining: how much it is held back from sinking (lambda_2 of AKD, per element)", "", 0, 1e6},
       Owner::kRequest,
       kDistils,
       [](Wishes& w) -> FieldMember { return &w.request.distilling.ground_weight; }},
      {{"prior", Type::kFolder, "A CogVideoX or Wan checkpoint, or another model of `limber-lab train prior`"},
       Owner::kModels,
       {nullptr, nullptr, nullptr, kNoPrior, false, kNotByRule, kNotByJoints, kAsItIs},
       [](Wishes& w) -> FieldMember { return &w.models.prior; }},
      {{"device", Type::kText,
        "cpu, cuda, cuda:N, or several for another prior (cuda:0,cuda:1); auto: the GPU if there is one, but for the "
        "built-in "
        "prior the CPU, unless cuda is said. Scenes are drawn on the first GPU where it is named, and the CPU "
        "otherwise"},
       Owner::kModels,
       {nullptr, nullptr, nullptr, nullptr, false, "nothing is drawn for it", "its network runs on the CPU",
        "nothing is drawn for it"},
       [](Wishes& w) -> FieldMember { return device(w); }},
      {{"dtype", Type::kChoice,
        "What the prior computes in; auto: bfloat16 on a GPU, float32 on a CPU; float8: feed-forward layers in 8 bits, "
        "for Hopper",
        "auto|float32|bfloat16|float8"},
       Owner::kModels,
       {nullptr, nullptr, nullptr, "a video needs no prior, and nothing else computes in another type", false,
        kNotByRule, kNotByJoints, kAsItIs},
       [](Wishes& w) -> FieldMember { return &w.models.loading.dtype; }},
  };
  return all;
}

const std::vector<Field>& run_fields() {  // table: a row a field
  static const std::vector<Field> all{
      {{"checkpoint", Type::kFile,
        "Where the run is kept while it goes on, so that one that was stopped resumes; by default beside the output"},
       Owner::kRun,
       kKept,
       [](Wishes& w) -> FieldMember { return &w.checkpoint; }},
      {{"checkpoint_seconds", Type::kNumber, "Between checkpoints of the distillation", "", 0, 1e6},
       Owner::kRun,
       kDistils,
       [](Wishes& w) -> FieldMember { return &w.checkpoint_seconds; }},
      {{"fresh", Type::kFlag, "Do not resume a run that was stopped"},
       Owner::kRun,
       kKept,
       [](Wishes& w) -> FieldMember { return &w.fresh; }},
      {{"report", Type::kFile, "Where the report goes; by default beside the output"},
       Owner::kFiles,
       kNone,
       [](Wishes& w) -> FieldMember { return &w.files.report; }},
      {{"preview", Type::kFile, "A video of the result; by default beside the output, .mp4"},
       Owner::kFiles,
       kNone,
       [](Wishes& w) -> FieldMember { return &w.files.preview; }},
      {{"no_preview", Type::kFlag, "Draw none"},
       Owner::kFiles,
       kNone,
       [](Wishes& w) -> FieldMember { return &w.files.no_preview; }},
      {{"strict", Type::kFlag,
        "Exit code 1 where the motion went wrong as far as can be told; it is written all the same"},
       Owner::kFiles,
       kNone,
       [](Wishes& w) -> FieldMember { return &w.files.strict; }},
      {{"samples", Type::kFile,
        "Write the first sample as soon as it is lifted, before it is refined (s.glb: s-1.glb); with several "
        "candidates "
        "all of them"},
       Owner::kFiles,
       {nullptr, kNothingSampled, "its samples are followed, not lifted", kNothingDrawn, false, kNotByRule, kOnceDrawn,
        kAsItIs},
       [](Wishes& w) -> FieldMember { return &w.files.samples; }},
      {{"losses", Type::kFile, "Losses of the distillation as CSV, with a plot (.svg) beside it"},
       Owner::kFiles,
       kDistils,
       [](Wishes& w) -> FieldMember { return &w.files.losses; }},
      {{"preview_every", Type::kWhole, "Draw what the prior sees every N iterations, beside the output", "", 1,
        1000000},
       Owner::kFiles,
       kDistils,
       [](Wishes& w) -> FieldMember { return &w.request.distilling.preview_every; }},
      {{"timeline", Type::kFile,
        "Seconds of every stage, and the share of them in which the GPU ran kernels, as JSON; measuring slows it down "
        "a "
        "little"},
       Owner::kFiles,
       kNone,
       [](Wishes& w) -> FieldMember { return &w.files.timeline; }},
  };
  return all;
}

/// Names of methods that have a use for a field.
std::string users(const NoUse& no_use) {
  std::string text;
  const std::pair<const char*, const char*> methods[] = {
      {"sample", no_use.sample}, {"akd", no_use.akd},       {"planar", no_use.planar},  {"video", no_use.video},
      {"rule", no_use.rule},     {"native", no_use.native}, {"library", no_use.library}};
  bool all = true;
  for (const auto& [method, reason] : methods) {
    all = all && reason == nullptr;
    if (reason == nullptr) text += (text.empty() ? "" : ", ") + std::string(method);
  }
  return (all ? "all" : text) + (no_use.distils ? ", where something is distilled" : "");
}

}  // namespace

const std::vector<Field>& fields() {
  static const std::vector<Field> all = [] {
    std::vector<Field> joined;
    for (const auto* group : {&body_fields(), &result_fields(), &prior_fields(), &run_fields()}) {
      joined.insert(joined.end(), group->begin(), group->end());
    }
    return joined;
  }();
  return all;
}

const Field* find_field(std::string_view name) { return field_named(fields(), name); }

std::vector<std::string> field_names() {
  std::vector<std::string> names;
  for (const Field& field : fields()) {
    // What is said by keys of their own, and what the batch gives itself.
    const std::string_view name = field.name;
    const bool own = name == "prompt" || name == "video" || name == "checkpoint";
    const bool writes = field.owner == FieldOwner::kFiles && field.type != FieldType::kFlag;
    if (!own && !writes && name != "preview_every") names.emplace_back(name);
  }
  return names;
}

std::string text_of(const Field& field, const Wishes& wishes) {
  // The table's members are those of wishes that may change; nothing is written here.
  return field_text(field.member(const_cast<Wishes&>(wishes)));
}

Status set(const Field& field, const std::string& text, Wishes& wishes) { return say_field(field, text, wishes); }

bool is_said(const Field& field, const Wishes& wishes) {
  static const Wishes nothing;
  return wishes.said.count(std::string_view(field.name)) > 0 || text_of(field, wishes) != text_of(field, nothing);
}

std::string fields_as_markdown() {
  const Wishes nothing;
  std::string text = "| option | what | may be | unless said | methods |\n|---|---|---|---|---|\n";
  for (const Field& field : fields()) {
    const bool flag = field.type == FieldType::kFlag;
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", field.name, field.help, allowed_values(field),
                        flag ? "" : text_of(field, nothing), users(field.no_use));
  }
  return text;
}

}  // namespace limber::animate
