// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "facing_options.h"
#include "field_options.h"
#include "limber/mend/mend.h"
#include "limber/report/reports.h"
#include "output_format.h"

namespace limber::cli {
namespace {

struct ScoreOptions {
  std::string input, output;
  std::optional<std::string> clip;
  bool strict = false, verbose = false, all = false;
  FacingOptions facing;
  mend::MendSettings mending;
};

Result<mend::ScoreSettings> score_settings(const asset::Asset& asset, const ScoreOptions& options, Activity& activity) {
  mend::ScoreSettings settings;
  settings.up = options.facing.up, settings.forward = options.facing.forward;
  settings.progress = [&activity](std::string_view, double done) {
    activity.update(done);
    return true;
  };
  if (options.clip) {
    LIMBER_TRY(settings.clip, find_clip(asset, *options.clip));
  }
  return settings;
}

// --- score -----------------------------------------------------------------------------------------------------------

std::string number_text(const mend::Checked& checked) {
  if (!checked.passed) return "-";
  return fmt::format("{:.4g} {} (at most {:.4g})", checked.value, checked.unit, checked.allowed);
}

/// "limber mend --loop" of what the library calls `loop`.
std::string help_text(std::string_view option) { return "limber mend " + option_words(std::string(option), ""); }

/// What a viewer would see, and what helps; with `verbose` what passed and was not asked, too.
void print_checks(const std::vector<mend::Checked>& checks, bool verbose) {
  for (const mend::Checked& checked : checks) {
    const bool fault = mend::failed(checked);
    if (!fault && !verbose) continue;
    const char* verdict = fault ? "" : checked.passed ? "ok" : "not asked: ";
    fmt::print("    {:<8} {}{}\n", name(checked.check), verdict, printable(checked.words));
    if (verbose && checked.passed) fmt::print("             {}\n", number_text(checked));
    if (fault && !checked.option.empty()) fmt::print("             help  {}\n", help_text(checked.option));
  }
}

std::string faults_text(const std::vector<mend::Checked>& checks) {
  const auto faults = std::count_if(checks.begin(), checks.end(), mend::failed);
  return faults == 0 ? "finished" : fmt::format("{} fault{}", faults, faults == 1 ? "" : "s");
}

void print_score(const std::string& input, const mend::AssetScore& score, bool verbose) {
  const auto good = std::count_if(score.clips.begin(), score.clips.end(),
                                  [](const mend::ClipScore& clip) { return !mend::any_failed(clip); });
  fmt::print("{}: {} of {} clips finished\n", printable(input), good, score.clips.size());
  if (score.points == 0) {
    fmt::print("  a skeleton without a skin: loops, drift and flips can be measured, floor and skin cannot\n");
  }
  if (std::any_of(score.model.begin(), score.model.end(), mend::failed) || verbose) {
    fmt::print("  the model: {}\n", faults_text(score.model));
    print_checks(score.model, verbose);
  }
  for (const mend::ClipScore& clip : score.clips) {
    if (!clip.unplayable.empty()) {
      fmt::print("  {} cannot be played: {}\n", printable(clip.name), printable(clip.unplayable));
      continue;
    }
    fmt::print("  {} ({:.2f} s): {}\n", printable(clip.name), clip.seconds, faults_text(clip.checks));
    print_checks(clip.checks, verbose);
  }
}

Status score_file(const Terminal& terminal, const ScoreOptions& options) {
  LIMBER_TRY(const asset::Asset asset, read_asset_file(terminal, options.input));
  mend::AssetScore score;
  {
    Activity activity(terminal, "measuring " + options.input);
    LIMBER_TRY(const mend::ScoreSettings settings, score_settings(asset, options, activity));
    LIMBER_TRY(score, mend::score_asset(asset, settings));
  }
  if (terminal.json) {
    nlohmann::ordered_json document{{"input", options.input}};
    document.update(report::to_json(score));
    print_json(document);
  } else {
    print_score(options.input, score, options.verbose);
  }
  if (options.strict && mend::any_failed(score)) return Error{"not everything is finished", options.input};
  return Done{};
}

// --- mend ------------------------------------------------------------------------------------------------------------

std::string repaired_text(const std::vector<mend::Check>& repaired) {
  std::string text;
  for (const mend::Check check : repaired) text += fmt::format("{}{}", text.empty() ? "" : ", ", name(check));
  return text.empty() ? "nothing" : text;
}

void print_mended(const ScoreOptions& options, const mend::Mended& mended) {
  if (mended.weights.vertices > 0) {
    fmt::print("weights of {} vertices repaired, by {:.3f} each on average\n", mended.weights.vertices,
               mended.weights.mean);
  }
  for (const mend::ClipChange& change : mended.clips) {
    fmt::print(
        "{}: repaired {}; joints turned by {:.2f} degrees on average, {:.1f} at most, and moved by {:.2f} % of "
        "the height, {:.1f} at most\n",
        printable(change.name), repaired_text(change.repaired), change.mean_turn, change.most_turn,
        100 * change.mean_way, 100 * change.most_way);
    if (change.added_seconds > 0) fmt::print("  is {:.3f} s longer: its closing frame\n", change.added_seconds);
    for (const std::string& left : change.left) fmt::print("  {}\n", printable(left));
  }
  for (const std::string& left : mended.left) fmt::print("{}\n", printable(left));
  if (mended.clips.empty() && mended.weights.vertices == 0) {
    fmt::print("{}: nothing to repair of what was asked for\n", printable(options.input));
  }
}

Status mend_file(const Terminal& terminal, const ScoreOptions& options) {
  LIMBER_CHECK_OK(check_motion_output(options.output));
  LIMBER_TRY(asset::Asset asset, read_asset_file(terminal, options.input));
  mend::MendSettings settings = options.mending;
  if (options.all) {
    settings.loop = settings.contact = settings.floor = settings.drift = settings.flips = settings.weights = true;
  }
  mend::Mended mended;
  {
    Activity activity(terminal, "mending " + options.input);
    LIMBER_TRY(settings.score, score_settings(asset, options, activity));
    // Who asks for it in so many words knows better than what the clip says of itself.
    settings.score.believes_notes = !options.mending.loop;
    LIMBER_TRY(mended, mend::mend_asset(std::move(asset), settings));
  }
  LIMBER_CHECK_OK(write_asset_file(terminal, mended.asset, options.output, settings.score.clip.value_or(0)));
  if (terminal.json) {
    nlohmann::ordered_json document{{"input", options.input}, {"output", options.output}};
    document.update(report::to_json(mended));
    print_json(document);
  } else {
    print_mended(options, mended);
  }
  announce_file(terminal, options.output);
  return Done{};
}

void add_clip_options(CLI::App& command, ScoreOptions& options) {
  command.add_option("input", options.input, "A file with clips, of any tool: .glb .gltf .fbx .bvh")
      ->required()
      ->type_name("FILE");
  command.add_option("--clip", options.clip, "This clip alone (by name, or #0 for the first)")->type_name("NAME");
  add_facing_options(command, options.facing);
}

}  // namespace

void add_score(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<ScoreOptions>();
  CLI::App* command = add_command(app, terminal, "score", "Tell whether clips are finished: loops, floor, feet, skin",
                                  "  limber score fox.glb\n"
                                  "  limber score hero.fbx --clip Walk --verbose\n"
                                  "  limber score fox.glb --json --strict",
                                  [&terminal, options] { return score_file(terminal, *options); });
  add_clip_options(*command, *options);
  command->add_flag("--strict", options->strict, "Exit with 1 if something is not finished");
  command->add_flag("--verbose", options->verbose, "Print what passed and the numbers, too");
}

void add_mend(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<ScoreOptions>();
  CLI::App* command = add_command(app, terminal, "mend", "Repair what `limber score` finds, with little change",
                                  "  limber mend fox.glb --all -o mended.glb\n"
                                  "  limber mend hero.fbx --clip Walk --loop --floor -o hero.glb",
                                  [&terminal, options] { return mend_file(terminal, *options); });
  add_clip_options(*command, *options);
  command->add_option("-o,--output", options->output, "Where to write; the extension tells the format")
      ->required()
      ->type_name("FILE");
  mend::MendSettings& mending = options->mending;
  command->add_flag("--loop", mending.loop, "Let what is repeated end where it begins, as fast as it begins");
  command->add_flag("--contact", mending.contact, "Put feet that stand on air onto the floor");
  command->add_flag("--floor", mending.floor, "Raise what is below the floor");
  command->add_flag("--drift", mending.drift, "Let what is in place stay, and what goes straight go straight");
  command->add_flag("--flips", mending.flips,
                    "Take out frames in which a joint turns over, and changes of sign of its rotation (quaternion)");
  command->add_flag("--weights", mending.weights, "Four joints per vertex, sums of one, the same at seams");
  command->add_flag("--all", options->all, "All of these");
  command->parse_complete_callback([options] {
    const mend::MendSettings& asked = options->mending;
    if (options->all || asked.loop || asked.contact || asked.floor || asked.drift || asked.flips || asked.weights)
      return;
    throw CLI::ValidationError("limber mend", "tell what to repair: --all, or --loop, --contact ...");
  });
}

}  // namespace limber::cli
