// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/job_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "limber/animate/fields.h"
#include "limber/asset/formats.h"
#include "limber/autorig/wishes.h"
#include "limber/base/files.h"
#include "limber/base/nesting.h"
#include "limber/rig/facing.h"
#include "limber/zoo/body_spec.h"
#include "limber/zoo/creature.h"

namespace limber::studio {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestText = 1000;

/// How an option's value is checked and said.
enum class Type {
  kFlag,       ///< true: `--name`
  kText,       ///< `--name=text`
  kWord,       ///< letters, digits, `_`, `-` and `.`
  kChoice,     ///< one of `choices`, which are split by bars
  kInteger,    ///< from `least` to `most`
  kNumber,     ///< likewise
  kDirection,  ///< "+z", or three numbers
  kOther       ///< seen to by the task itself
};

struct Option {
  const char* name;
  Type type;
  std::string flag = "";
  const char* choices = "";
  double least = 0, most = 0;
  bool repeats = false;  ///< a list says it several times
};

constexpr double kAnySeed = 9007199254740991.0;  // of which a page's numbers are exact

/// How the page says what is in the table of fields. Paths are none of its business, but for what it names by id or
/// sends.
std::optional<Option> page_option(const FieldInfo& field) {
  const auto option = [&](Type type) {
    return Option{field.name,    type,        "--" + dashed(field.name),
                  field.choices, field.least, std::min(field.most, kAnySeed),
                  field.repeats};
  };
  switch (field.type) {
    case FieldType::kFlag:
      return option(Type::kFlag);
    case FieldType::kText:
    case FieldType::kClip:
      return option(Type::kText);
    case FieldType::kChoice:
      return option(Type::kChoice);
    case FieldType::kWhole:
      return option(Type::kInteger);
    case FieldType::kNumber:
      return option(Type::kNumber);
    case FieldType::kDirection:
      return option(Type::kDirection);
    case FieldType::kFile:
    case FieldType::kFolder:
      break;
  }
  return std::nullopt;
}

std::vector<Option> make_animate_options() {
  // Their files lie on the server: plan_animate.
  std::vector<Option> options{{"video", Type::kOther}, {"keyframes", Type::kOther}};
  for (const animate::Field& field : animate::fields()) {
    if (field.owner == animate::FieldOwner::kRun || field.owner == animate::FieldOwner::kFiles) continue;
    if (const std::optional<Option> option = page_option(field)) options.push_back(*option);
  }
  return options;
}

std::vector<Option> make_rig_options() {
  std::vector<Option> options;
  for (const autorig::Field& field : autorig::fields()) {
    const std::optional<Option> option = field.repeats ? std::nullopt : page_option(field);
    if (option) options.push_back(*option);
  }
  return options;
}

const Option kClip[] = {
    {"clip", Type::kText, "--clip"}, {"name", Type::kText, "--name"},         {"trim", Type::kOther},
    {"loop", Type::kFlag, "--loop"}, {"in_place", Type::kFlag, "--in-place"}, {"mirror", Type::kFlag, "--mirror"},
};
const Option kExport[] = {
    {"format", Type::kChoice, "", "glb|fbx|bvh|mjcf|mp4|gif|webp|png"},
    {"clip", Type::kOther},
    {"fps", Type::kOther},
    {"width", Type::kOther},
    {"height", Type::kOther},
};
const Option kZoo[] = {
    {"body", Type::kOther},
    {"seed", Type::kInteger, "--seed", "", 0, kAnySeed},
    {"action", Type::kWord, "--action"},
    {"no_rig", Type::kFlag, "--no-rig"},
};
const Option kParts[] = {
    {"up", Type::kDirection, "--up"},
    {"forward", Type::kDirection, "--forward"},
    {"seed", Type::kInteger, "--seed", "", 0, kAnySeed},
};
const Option kContacts[] = {{"clip", Type::kText, "--clip"}};
const Option kScore[] = {
    {"clip", Type::kText, "--clip"},
    {"up", Type::kDirection, "--up"},
    {"forward", Type::kDirection, "--forward"},
};
const Option kMend[] = {
    {"clip", Type::kText, "--clip"},
    {"up", Type::kDirection, "--up"},
    {"forward", Type::kDirection, "--forward"},
    {"loop", Type::kFlag, "--loop"},
    {"contact", Type::kFlag, "--contact"},
    {"floor", Type::kFlag, "--floor"},
    {"drift", Type::kFlag, "--drift"},
    {"flips", Type::kFlag, "--flips"},
    {"weights", Type::kFlag, "--weights"},
};

const Option kRetarget[] = {
    {"source", Type::kOther},
    {"clip", Type::kText, "--clip"},
    {"name", Type::kText, "--name"},
    {"up", Type::kDirection, "--up"},
    {"forward", Type::kDirection, "--forward"},
    {"loop", Type::kFlag, "--loop"},
    {"in_place", Type::kFlag, "--in-place"},
};

struct Task {
  const char* name;
  std::span<const Option> options;
  bool needs_asset = true;
};
const std::vector<Task>& tasks() {
  static const std::vector<Option> rig = make_rig_options(), animate = make_animate_options();
  static const std::vector<Task> all{{"inspect", {}},      {"doctor", {}},    {"rig", rig},
                                     {"animate", animate}, {"clip", kClip},   {"export", kExport},
                                     {"zoo", kZoo, false}, {"parts", kParts}, {"contacts", kContacts},
                                     {"score", kScore},    {"mend", kMend},   {"retarget", kRetarget}};
  return all;
}

Error wrong(const std::string& option, const std::string& what) { return Error{what, "options." + option}; }

bool is_one_of(std::string_view text, std::string_view choices) {
  while (!choices.empty()) {
    const std::size_t end = std::min(choices.find('|'), choices.size());
    if (choices.substr(0, end) == text) return true;
    choices.remove_prefix(std::min(end + 1, choices.size()));
  }
  return false;
}

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

std::string number_text(double value) {
  Json number = value;
  return number.dump();
}

Result<std::string> text_of(const Option& option, const Json& value) {
  if (!value.is_string()) return wrong(option.name, "should be a text");
  const auto text = value.get<std::string>();
  if (text.size() > kLongestText) return wrong(option.name, "is too long");
  // The program's reader of command lines ends at a zero, and text of control characters is a mistake at best.
  const bool control = std::any_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < 0x20; });
  if (text.empty() || control) return wrong(option.name, "should be a text of one line");
  return text;
}

Result<std::string> number_of(const Option& option, const Json& value) {
  const bool whole = option.type == Type::kInteger;
  if (!value.is_number()) return wrong(option.name, "should be a number");
  const double number = value.get<double>();
  if (!(number >= option.least && number <= option.most) || (whole && number != std::floor(number))) {
    return wrong(option.name, std::string("should be a ") + (whole ? "whole " : "") + "number from " +
                                  number_text(option.least) + " to " + number_text(option.most));
  }
  return whole ? std::to_string(static_cast<long long>(number)) : number_text(number);
}

Result<std::string> direction_of(const Option& option, const Json& value) {
  std::string text;
  if (value.is_string()) text = value.get<std::string>();
  if (value.is_array() && value.size() == 3) {
    for (const Json& number : value) {
      if (!number.is_number()) return wrong(option.name, "should be three numbers");
      text += (text.empty() ? "" : ",") + number_text(number.get<double>());
    }
  }
  if (!rig::parse_direction(text)) return wrong(option.name, "should be +x, -z ... or three numbers");
  return text;
}

/// The value as the program's command line has it.
Result<std::string> value_text(const Option& option, const Json& value) {
  switch (option.type) {
    case Type::kInteger:
    case Type::kNumber:
      return number_of(option, value);
    case Type::kDirection:
      return direction_of(option, value);
    default:
      break;
  }
  LIMBER_TRY(std::string text, text_of(option, value));
  if (option.type == Type::kWord && !is_word(text)) return wrong(option.name, "should be a name");
  if (option.type == Type::kChoice && !is_one_of(text, option.choices)) {
    return wrong(option.name, "should be one of " + std::string(option.choices));
  }
  return text;
}

Status add_option(const Option& option, const Json& value, std::vector<std::string>& arguments) {
  if (option.type == Type::kOther || value.is_null()) return Done{};
  if (option.repeats && value.is_array()) {
    for (const Json& one : value) {
      LIMBER_TRY(std::string text, value_text(option, one));
      if (text.find(',') != std::string::npos) text += ";";  // the list has its own separators
      arguments.push_back(option.flag + "=" + text);
    }
    return Done{};
  }
  if (option.type == Type::kFlag) {
    if (!value.is_boolean()) return wrong(option.name, "should be true or false");
    if (value.get<bool>()) arguments.emplace_back(option.flag);
    return Done{};
  }
  LIMBER_TRY(const std::string text, value_text(option, value));
  // In one word, so that a value that begins with a dash is no option.
  if (!option.flag.empty()) arguments.push_back(std::string(option.flag) + "=" + text);
  return Done{};
}

Status add_options(const Task& task, const Json& options, std::vector<std::string>& arguments) {
  if (!options.is_object()) return Error{"should be an object", "options"};
  for (const auto& [key, value] : options.items()) {
    const auto known = std::find_if(task.options.begin(), task.options.end(),
                                    [&key = key](const Option& option) { return key == option.name; });
    if (known == task.options.end()) {
      return wrong(key.substr(0, 64), "there is no such option of \"" + std::string(task.name) + "\"");
    }
    LIMBER_CHECK_OK(add_option(*known, value, arguments));
  }
  return Done{};
}

/// An option that its task says itself.
const Json* find_option(const JobRequest& request, const char* name) {
  const auto found = request.options.find(name);
  return found == request.options.end() || found->is_null() ? nullptr : &*found;
}

std::string stem_of(const JobRequest& request) {
  return request.asset ? fs::path(request.asset->name).stem().string() : "result";
}

// --- tasks
// -----------------------------------------------------------------------------------------------------------

/// Whether there are samples to be shown before the result: not of a video, and not of every method.
bool draws_samples(const JobRequest& request) {
  const Json* method = find_option(request, "method");
  if (find_option(request, "clips") != nullptr) return false;  // a file of one motion
  return method == nullptr || *method == "auto" || *method == "sample";
}

Status plan_animate(const JobRequest& request, const fs::path& folder, const FindAsset& find, JobPlan& plan) {
  std::vector<std::string>& words = plan.arguments;
  if (const Json* video = find_option(request, "video")) {
    if (!video->is_string()) return wrong("video", "should be the id of an asset");
    const std::optional<Asset> asset = find(video->get<std::string>());
    if (!asset || asset->kind != AssetKind::kVideo) return wrong("video", "there is no such video");
    words.push_back("--video=" + asset->file.string());
    plan.label = asset->name;
  } else if (draws_samples(request)) {
    words.push_back("--samples=" + (folder / "sample.glb").string());
  }
  if (find_option(request, "keyframes") != nullptr) {
    words.push_back("--keyframes=" + (folder / kKeyframesFile).string());
  }
  if (const Json* prompt = find_option(request, "prompt")) plan.label = prompt->get<std::string>();
  if (find_option(request, "clips") != nullptr) plan.label = "pack";
  words.emplace_back("--no-preview");
  return Done{};
}

Status plan_clip(const JobRequest& request, JobPlan& plan) {
  const Json* trim = find_option(request, "trim");
  if (trim == nullptr) return Done{};
  const auto is_time = [](const Json& time) { return time.is_number() && time.get<double>() >= 0; };
  if (!trim->is_array() || trim->size() != 2 || !is_time((*trim)[0]) || !is_time((*trim)[1])) {
    return wrong("trim", "should be two times in seconds");
  }
  plan.arguments.push_back("--trim=" + number_text((*trim)[0].get<double>()) + ":" +
                           number_text((*trim)[1].get<double>()));
  return Done{};
}

/// The clip of another model, or of a recording, for this one.
Status plan_retarget(const JobRequest& request, const FindAsset& find, JobPlan& plan) {
  const Json* source = find_option(request, "source");
  if (source == nullptr || !source->is_string()) return wrong("source", "should be the id of an asset");
  const std::optional<Asset> asset = find(source->get<std::string>());
  if (!asset || asset->kind != AssetKind::kModel) return wrong("source", "there is no such model");
  if (!asset->ready) return Error{"is still being read", "options.source", ErrorKind::kConflict};
  plan.arguments.insert(plan.arguments.begin() + 1, asset->file.string());  // who moves stands first
  plan.label = fs::path(asset->name).stem().string();
  return Done{};
}

Status plan_mend(const JobRequest& request, JobPlan& plan) {
  plan.label = "mended";
  const bool asked = std::any_of(std::begin(kMend), std::end(kMend), [&](const Option& option) {
    const Json* value = option.type == Type::kFlag ? find_option(request, option.name) : nullptr;
    return value != nullptr && value->get<bool>();
  });
  return asked ? Status(Done{}) : Error{"should have one of loop, contact, floor, drift, flips, weights", "options"};
}

bool holds_one_clip(const std::string& format) {
  const asset::Format* known = asset::find_format("." + format);
  return known != nullptr && known->one_clip;
}

/// The whole command line of an export: every format has its command.
Status plan_export(const JobRequest& request, const fs::path& folder, JobPlan& plan) {
  const Json* asked = find_option(request, "format");
  if (asked == nullptr) return wrong("format", "is missing");
  const auto format = asked->get<std::string>();
  const bool drawn = is_one_of(format, "mp4|gif|webp|png"),
             one_clip = drawn || format == "mjcf" || holds_one_clip(format);
  const std::string input = request.asset->file.string(), output = (folder / ("export." + format)).string();
  plan.arguments = {drawn ? "render" : format == "mjcf" ? "physics" : "convert", input};
  if (format == "mjcf") {
    plan.arguments.insert(plan.arguments.end(), {"-o", (folder / "grounded.glb").string()});
    plan.arguments.push_back("--mjcf=" + (folder / "export.xml").string());
    // The body is wanted, and the clip as it is: not how the simulation would mend it.
    plan.arguments.emplace_back("--iterations=1");
    plan.result_file = "export.xml";
  } else {
    plan.arguments.insert(plan.arguments.end(), {"-o", output});
  }
  const Option kClipOption{"clip", Type::kText, "--clip"}, kFps{"fps", Type::kNumber, "--fps", "", 1, 240};
  const Option kWidth{"width", Type::kInteger, "", "", 16, 4096}, kHeight{"height", Type::kInteger, "", "", 16, 4096};
  if (const Json* clip = find_option(request, "clip"); clip && one_clip) {
    LIMBER_CHECK_OK(add_option(kClipOption, *clip, plan.arguments));
  }
  if (const Json* fps = find_option(request, "fps"); fps && one_clip) {
    LIMBER_CHECK_OK(add_option(kFps, *fps, plan.arguments));
  }
  const Json *width = find_option(request, "width"), *height = find_option(request, "height");
  if (drawn && width && height) {
    LIMBER_TRY(const std::string columns, value_text(kWidth, *width));
    LIMBER_TRY(const std::string rows, value_text(kHeight, *height));
    plan.arguments.push_back("--size=" + columns + "x" + rows);
  }
  plan.result_kind = AssetKind::kExport, plan.label = format;
  return Done{};
}

Status plan_zoo(const JobRequest& request, JobPlan& plan) {
  const Json* body = find_option(request, "body");
  if (body == nullptr) return wrong("body", "is missing");
  LIMBER_TRY(const std::string words, text_of({"body", Type::kText}, *body));
  bool is_plan = false;
  for (int p = 0; p < zoo::kPlanCount; ++p) is_plan = is_plan || words == zoo::name(static_cast<zoo::Plan>(p));
  if (!is_plan) {
    const Result<zoo::BodySpec> spec = zoo::parse_body(words);
    if (!spec.ok()) return wrong("body", spec.error().what);
  }
  plan.arguments.push_back((is_plan ? "--plan=" : "--body=") + words);
  plan.stem = plan.label = is_plan ? words : "creature";
  return Done{};
}

/// What the command line begins with, before the options.
void begin_plan(const JobRequest& request, const fs::path& folder, JobPlan& plan) {
  const std::string& task = request.task;
  const std::string command = task == "clip" ? "convert" : task == "contacts" ? "inspect" : task;
  plan.arguments = {command};
  if (request.asset) plan.arguments.push_back(request.asset->file.string());
  if (task == "contacts") plan.arguments.emplace_back("--contacts");
  if (task == "parts") plan.report_file = plan.result_file = "parts.json";
  const bool writes = is_one_of(task, "rig|animate|clip|zoo|parts|mend|retarget");
  if (!writes) return;
  plan.arguments.insert(plan.arguments.end(),
                        {"-o", (folder / (task == "parts" ? plan.report_file : "result.glb")).string()});
}

}  // namespace

Result<Json> parse_body(std::string_view text) {
  if (nested_deeper(text)) return Error{"is nested too deep", "body"};
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return Error{"is not JSON", "body, byte " + std::to_string(error.byte)};
  } catch (const Json::out_of_range&) {
    return Error{"has a number that is too large", "body"};
  }
}

Result<JobPlan> plan_job(const JobRequest& request, const fs::path& folder, const FindAsset& find) {
  const auto task =
      std::find_if(tasks().begin(), tasks().end(), [&](const Task& known) { return request.task == known.name; });
  if (task == tasks().end()) return Error{"there is nothing of this name to do", "do"};
  if (task->needs_asset) {
    if (!request.asset) return Error{"there is no such asset", "asset", ErrorKind::kMissing};
    if (request.asset->kind != AssetKind::kModel) return Error{"is not a model", "asset"};
    if (!request.asset->ready) return Error{"is still being read", "asset", ErrorKind::kConflict};
  }
  JobPlan plan;
  plan.stem = stem_of(request), plan.label = request.task;
  begin_plan(request, folder, plan);
  LIMBER_CHECK_OK(add_options(*task, request.options, plan.arguments));
  if (request.task == "animate") LIMBER_CHECK_OK(plan_animate(request, folder, find, plan));
  if (request.task == "clip") LIMBER_CHECK_OK(plan_clip(request, plan));
  if (request.task == "retarget") LIMBER_CHECK_OK(plan_retarget(request, find, plan));
  if (request.task == "mend") LIMBER_CHECK_OK(plan_mend(request, plan));
  if (request.task == "zoo") LIMBER_CHECK_OK(plan_zoo(request, plan));
  if (request.task == "export") LIMBER_CHECK_OK(plan_export(request, folder, plan));
  plan.arguments.insert(plan.arguments.end(), {"--json", "--progress=json"});
  return plan;
}

JobPlan plan_import(const Asset& asset, const fs::path& folder) {
  JobPlan plan;
  plan.arguments = {"convert", asset.file.string(), "-o", (folder / "model.glb").string(), "--json", "--progress=json"};
  return plan;
}

const std::vector<Example>& examples() {
  static const std::vector<Example> all{
      {"Four-legged", "quadruped", "trot"}, {"Two-legged", "biped", "walk"}, {"Bird", "bird", "fly"},
      {"Snake", "snake", "slither"},        {"Dinosaur", "theropod", "run"}, {"Insect", "hexapod", "walk"}};
  return all;
}

}  // namespace limber::studio
