// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/batch/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "limber/asset/formats.h"
#include "limber/base/checksum.h"
#include "limber/base/files.h"
#include "limber/base/nesting.h"
#include "limber/base/quote.h"
#include "limber/base/threads.h"
#include "limber/batch/content_checksum.h"
#include "limber/batch/item_json.h"

namespace limber::batch {
namespace {

namespace fs = std::filesystem;

/// Endings of results that are one file, the usual one first: ".glb .fbx .bvh".
std::string of_motions() {
  return asset::list_formats([](const asset::Format& f) { return f.writes() && f.one_file && f.clips; }, " ", " ");
}
std::string of_rigs() {
  return asset::list_formats([](const asset::Format& f) { return f.writes() && f.one_file && f.skins; }, " ", " ");
}
std::string of_reports() { return ".json"; }

struct Verb {
  const char* name;
  std::string (*endings)();  ///< of results
  bool writes_model;         ///< to -o; others print a report
  bool writes_report;        ///< to --report
};
constexpr Verb kVerbs[] = {
    {"animate", of_motions, true, true},  {"rig", of_rigs, true, true},          {"physics", of_motions, true, true},
    {"convert", of_motions, true, false}, {"inspect", of_reports, false, false}, {"doctor", of_reports, false, false},
};

/// Options that an item may have of a verb whose own nobody told (`ManifestSettings::options`). What is not here, the
/// batch itself gives, or it says where else to write: a manifest may come from anybody, and an option that is new may
/// write anywhere.
constexpr const char* kPassedOn[] = {
    // of several
    "name", "fps", "loop", "in-place", "stand-up", "up", "forward", "seed", "clip", "iterations", "strict",
    "influences", "reader",
    // physics
    "height", "habitat", "loss", "root-help", "assist", "least-assist", "gain", "friction", "keep-slide",
    // convert, inspect
    "trim", "mirror", "time", "contacts", "hierarchy"};
/// Options whose value is a file or a folder, and words that are none.
constexpr const char* kPaths[] = {"skeleton", "parts", "keyframes", "library", "prior", "reader"};
constexpr const char* kNoPaths[] = {"auto", "none", "extras"};
/// Of one reason, and of lines that are told of: what is wrong may be as long as the manifest.
constexpr std::size_t kMostSaid = 400, kMostLines = 100;
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;  // of a manifest: a million items

template <std::size_t N>
bool holds(const char* const (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool has_ending(const Verb& verb, const std::string& ending) {
  return !ending.empty() && (verb.endings() + " ").find(ending + " ") != std::string::npos;
}

/// A line, understood but for what its files hold.
struct Draft {
  int line = 0;
  const Verb* verb = nullptr;
  fs::path input;
  std::string prompt, output;
  std::vector<std::string> arguments;  ///< between the input and what the batch adds
  std::vector<std::string> words;      ///< the same with places of files left out, for the id
  std::vector<fs::path> files;         ///< whose bytes count, in the order in which they are named; the input first
};

std::string result_name(const Draft& draft) {
  const std::string endings = draft.verb->endings(), usual = endings.substr(0, endings.find(' '));
  if (!draft.verb->writes_model) return "report.json";
  return "result" + (draft.output.empty() ? usual : lower_extension(draft.output));
}

std::vector<std::string> all_arguments(const Draft& draft) {
  std::vector<std::string> all{draft.verb->name, draft.input.string()};
  all.insert(all.end(), draft.arguments.begin(), draft.arguments.end());
  if (!draft.verb->writes_model) {
    all.push_back("--json");
    return all;
  }
  all.insert(all.end(), {"-o", result_name(draft)});
  if (draft.verb->writes_report) all.insert(all.end(), {"--report", "report.json"});
  return all;
}

/// Reads lines and gathers all that is wrong with them.
class Reader {
 public:
  Reader(fs::path folder, const ManifestSettings& settings) : folder_(std::move(folder)), settings_(settings) {}

  void read(std::string_view text);
  void look_up_files();
  std::vector<Item> items() const;
  const std::map<int, std::vector<std::string>>& problems() const { return problems_; }

 private:
  void read_line(std::string_view line);
  std::optional<std::string> text_of(const Json& object, const char* key);
  void read_options(const Json& options, Draft& draft);
  bool is_known(const std::string& option, const Draft& draft) const;
  void add_option(const std::string& key, const Json& value, Draft& draft);
  void add_path(const std::string& name, const std::string& value, Draft& draft);
  void read_output(Draft& draft);
  fs::path absolute(const std::string& path) const {
    return (fs::path(path).is_absolute() ? fs::path(path) : folder_ / path).lexically_normal();
  }
  void refuse(std::string what) { refuse_at(line_, std::move(what)); }
  void refuse_at(int line, const std::string& what) { problems_[line].push_back(shortened(what, kMostSaid)); }

  fs::path folder_;
  const ManifestSettings& settings_;
  int line_ = 0;
  std::vector<Draft> drafts_;
  std::map<std::string, int> outputs_;           // and the line that names each
  std::map<fs::path, std::uint64_t> checksums_;  // of files
  std::map<int, std::vector<std::string>> problems_;
};

void Reader::read(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++line_;
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) read_line(line);
  }
  // A file cannot be a folder, too.
  for (const auto& [output, line] : outputs_) {
    for (fs::path folder = fs::path(output).parent_path(); !folder.empty(); folder = folder.parent_path()) {
      const auto other = outputs_.find(folder.string());
      if (other == outputs_.end()) continue;
      refuse_at(line, fmt::format("output \"{}\" lies in \"{}\", the output of line {}", output, other->first,
                                  other->second));
    }
  }
}

std::optional<std::string> Reader::text_of(const Json& object, const char* key) {
  if (!object.contains(key)) return std::nullopt;
  const Json& value = object[key];
  if (value.is_string() && !value.get_ref<const std::string&>().empty() &&
      value.get_ref<const std::string&>().find('\0') == std::string::npos) {
    return value.get<std::string>();
  }
  refuse(fmt::format("\"{}\" must be a text that is not empty", key));
  return std::nullopt;
}

void Reader::read_line(std::string_view line) {
  if (nested_deeper(line)) return refuse("is nested too deep");
  Json object;
  try {
    object = Json::parse(line);
  } catch (const Json::exception& exception) {
    // It counts lines, too, and knows of one alone.
    const std::string what = exception.what();
    const std::size_t column = what.find("column");
    return refuse(fmt::format("is no JSON: {}", what.substr(column == std::string::npos ? 0 : column)));
  }
  if (!object.is_object()) return refuse("must be a JSON object");
  for (const auto& [key, value] : object.items()) {
    constexpr const char* kKeys[] = {"do", "input", "prompt", "video", "options", "output"};
    if (!holds(kKeys, key)) refuse(fmt::format("unknown key \"{}\"", key));
  }
  Draft draft;
  draft.line = line_;
  const std::optional<std::string> verb = text_of(object, "do"), input = text_of(object, "input");
  if (!object.contains("do")) refuse("says not what to do: \"do\" is missing");
  if (!object.contains("input")) refuse("\"input\" is missing");
  if (verb) {
    draft.verb = std::find_if(std::begin(kVerbs), std::end(kVerbs), [&](const Verb& v) { return *verb == v.name; });
    if (draft.verb == std::end(kVerbs)) {
      draft.verb = nullptr;
      refuse(fmt::format(
          "\"{}\" is nothing that can be done; there are animate, rig, physics, convert, inspect, doctor", *verb));
    }
  }
  if (input) add_path("input", *input, draft), draft.input = absolute(*input);
  if (const auto video = text_of(object, "video")) add_path("video", *video, draft);
  if (const auto prompt = text_of(object, "prompt")) {
    draft.prompt = *prompt;
    draft.arguments.push_back("--prompt=" + *prompt), draft.words.push_back(draft.arguments.back());
  }
  if (object.contains("options")) read_options(object["options"], draft);
  if (const auto output = text_of(object, "output")) draft.output = *output, read_output(draft);

  if (problems_.count(line_) > 0) return;
  const Status taken = settings_.check_arguments(all_arguments(draft));
  if (!taken.ok()) return refuse(taken.error().what);
  drafts_.push_back(std::move(draft));
}

void Reader::add_path(const std::string& name, const std::string& value, Draft& draft) {
  std::string path = value, rest;
  std::error_code failed;
  if (name == "keyframes" && !fs::exists(absolute(path), failed)) {
    // poses.glb:0,1.5
    const std::size_t colon = std::min(path.rfind(':'), path.size());
    rest = path.substr(colon), path.resize(colon);
  }
  const fs::path file = absolute(path);
  if (!fs::exists(file, failed)) return refuse(fmt::format("{} \"{}\" is not there", name, path));
  draft.files.push_back(file);
  if (name == "input") return;
  draft.arguments.push_back(fmt::format("--{}={}{}", name, file.string(), rest));
  draft.words.push_back(fmt::format("--{}={}", name, rest));
}

void Reader::read_options(const Json& options, Draft& draft) {
  if (!options.is_object()) return refuse("\"options\" must be an object");
  // In an order of their own: {"a":1,"b":2} and {"b":2,"a":1} are the same item.
  std::map<std::string, Json> sorted;
  for (const auto& [key, value] : options.items()) {
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', '-');
    if (!sorted.emplace(name, value).second) refuse(fmt::format("option \"{}\" is said twice", key));
  }
  for (const auto& [key, value] : sorted) {
    if (!is_known(key, draft)) {
      // Of a verb that is unknown that has been said.
      if (draft.verb != nullptr) {
        refuse(fmt::format("option \"{}\" is none that an item of {} has", key, draft.verb->name));
      }
    } else {
      add_option(key, value, draft);
    }
  }
}

/// Whether the verb has such an option.
bool Reader::is_known(const std::string& option, const Draft& draft) const {
  const auto known = draft.verb == nullptr ? settings_.options.end() : settings_.options.find(draft.verb->name);
  if (known == settings_.options.end()) return holds(kPassedOn, option);
  return std::any_of(known->second.begin(), known->second.end(), [&](std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return name == option;
  });
}

void Reader::add_option(const std::string& key, const Json& value, Draft& draft) {
  if (key.empty() || key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos ||
      key[0] == '-') {
    return refuse(fmt::format("\"{}\" is no name of an option: they are written without dashes in front", key));
  }
  if (value.is_array()) {
    for (const Json& element : value) {
      if (element.is_array()) return refuse(fmt::format("option \"{}\" is a list of lists", key));
      // A list has its own separators: a comma in one of its prompts is none.
      const bool comma =
          key == "clips" && element.is_string() && element.get<std::string>().find(',') != std::string::npos;
      add_option(key, comma ? Json(element.get<std::string>() + ";") : element, draft);
    }
    return;
  }
  if (value.is_boolean()) {
    if (!value.get<bool>()) return;
    draft.arguments.push_back("--" + key);
  } else if (value.is_string() && value.get_ref<const std::string&>().find('\0') == std::string::npos) {
    const std::string text = value.get<std::string>();
    if (holds(kPaths, key) && !holds(kNoPaths, text)) return add_path(key, text, draft);
    draft.arguments.push_back(fmt::format("--{}={}", key, text));
  } else if (value.is_number()) {
    draft.arguments.push_back(fmt::format("--{}={}", key, value.dump()));
  } else {
    return refuse(fmt::format("option \"{}\" must be a text, a number, true, false or a list of them", key));
  }
  draft.words.push_back(draft.arguments.back());
}

void Reader::read_output(Draft& draft) {
  const fs::path output = fs::path(draft.output).lexically_normal();
  const std::string first = output.empty() ? "" : output.begin()->string();
  if (output.is_absolute() || first == ".." || output.filename().empty()) {
    return refuse(fmt::format("output \"{}\" must be a file below the folder of results", draft.output));
  }
  if (first[0] == '.' || first.rfind("index", 0) == 0 || first == "failures.md" || is_id(first)) {
    return refuse(fmt::format("output \"{}\" is a name that the batch itself uses", draft.output));
  }
  if (draft.verb != nullptr && !has_ending(*draft.verb, lower_extension(output))) {
    return refuse(fmt::format("output \"{}\" must end in one of {}", draft.output, draft.verb->endings()));
  }
  draft.output = output.string();
  const auto [other, is_new] = outputs_.emplace(draft.output, draft.line);
  if (!is_new) refuse(fmt::format("output \"{}\" is that of line {}, too", draft.output, other->second));
}

/// Each file is read once, however many lines name it.
void Reader::look_up_files() {
  std::set<fs::path> named;
  for (const Draft& draft : drafts_) named.insert(draft.files.begin(), draft.files.end());
  const std::vector<fs::path> files(named.begin(), named.end());
  std::map<fs::path, std::string> unreadable;
  std::mutex mutex;
  parallel_for(files.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const Result<std::uint64_t> sum = content_checksum(files[k]);
      const std::lock_guard lock(mutex);
      if (sum.ok()) {
        checksums_[files[k]] = *sum;
      } else {
        unreadable[files[k]] = sum.error().message();
      }
    }
  });
  for (const Draft& draft : drafts_) {
    for (const fs::path& file : draft.files) {
      if (const auto found = unreadable.find(file); found != unreadable.end()) refuse_at(draft.line, found->second);
    }
  }
}

std::vector<Item> Reader::items() const {
  std::vector<Item> items;
  for (const Draft& draft : drafts_) {
    Checksum sum;
    // A length in front of each word: "a" "bc" is not "ab" "c".
    const auto add = [&](const std::string& word) { sum.add(std::to_string(word.size()) + ":").add(word); };
    add(settings_.engine), add(draft.verb->name), add(result_name(draft));
    for (const std::string& word : draft.words) add(word);
    for (const fs::path& file : draft.files) add(std::to_string(checksums_.at(file)));
    items.push_back({make_id(sum.value()), draft.line, draft.verb->name, draft.input.string(), draft.prompt,
                     all_arguments(draft), result_name(draft), draft.output, 0});
  }
  return items;
}

Error refusal(const fs::path& path, const std::map<int, std::vector<std::string>>& problems) {
  Error error{
      fmt::format("{} line{} wrong, so nothing was started", problems.size(), problems.size() == 1 ? " is" : "s are"),
      path.string()};
  std::size_t told = 0;
  for (const auto& [line, reasons] : problems) {
    if (told++ == kMostLines) {
      error.what += fmt::format("\n  and {} lines more", problems.size() - kMostLines);
      break;
    }
    for (const std::string& reason : reasons) error.what += fmt::format("\n  line {}: {}", line, reason);
  }
  return error;
}

}  // namespace

Result<std::vector<Item>> read_manifest(const fs::path& path, const ManifestSettings& settings) {
  LIMBER_EXPECT(settings.check_arguments != nullptr, "who knows the options?");
  LIMBER_TRY(const Bytes bytes, read_file(path, kMostBytes));
  std::error_code failed;
  const fs::path folder = fs::absolute(path, failed).parent_path();
  Reader reader(folder, settings);
  reader.read(as_text(bytes));
  reader.look_up_files();
  if (!reader.problems().empty()) return refusal(path, reader.problems());
  std::vector<Item> items = reader.items();
  if (items.empty()) return Error{"asks for nothing: it has no lines", path.string()};
  return items;
}

}  // namespace limber::batch
