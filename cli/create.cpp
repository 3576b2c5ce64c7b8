// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "create.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "limber/asset/formats.h"
#include "limber/asset/write.h"
#include "limber/base/files.h"
#include "limber/zoo/body_spec.h"
#include "orderly_stop.h"
#include "output_format.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CreateOptions {
  std::vector<std::string> words;
  std::string output;
  bool no_rig = false, list = false;
  animate::CreateSettings settings;
};

void print_nouns(const Terminal& terminal) {
  const std::vector<std::string> nouns = zoo::known_nouns(), colors = zoo::known_colors();
  if (terminal.json) return print_json({{"nouns", nouns}, {"colors", colors}});
  fmt::print("Bodies: {}\n\nColours: {}\n\n", fmt::join(nouns, ", "), fmt::join(colors, ", "));
  fmt::print(
      "Sizes: tiny, small, big, huge, gigantic; long, short, tall, thin, fat. Patterns: spots, stripes, patches.\n"
      "With and without: legs, arms, wings, heads, tail, horns, antlers, ears, neck, fins, flippers, tentacles, "
      "shell,\n"
      "crest, beak, trunk, claws, hooves, sword, shield, cape, skirt, saddle, armour. As in \"a three-headed dragon\n"
      "without wings\", \"a small blue spider with a long tail\", \"a six-legged horse with antlers\".\n");
}

Status run_create(const Terminal& terminal, const CreateOptions& options) {
  if (options.list) return print_nouns(terminal), Done{};
  const std::string words = fmt::format("{}", fmt::join(options.words, " "));
  // A generator may take an hour.
  const asset::Format* format = asset::find_format(options.output);
  if (format == nullptr || !format->writes()) {
    const auto writes = [](const asset::Format& known) { return known.writes(); };
    return Error{fmt::format("a model can be written as {}", asset::list_formats(writes, " or ")), options.output};
  }
  LIMBER_TRY(const animate::Created created, create_model(terminal, words, options.settings));
  LIMBER_CHECK_OK(asset::write_asset(created.asset, options.output));
  announce_file(terminal, options.output, words);
  Json report{{"limber", LIMBER_VERSION}, {"command", "create"}, {"words", words}, {"output", options.output}};
  report["seed"] = options.settings.seed;
  if (created.described) {
    report["noun"] = created.described->noun, report["body"] = zoo::to_text(created.described->body);
    report["metres"] = created.described->metres, report["unknown"] = created.described->unknown;
  }
  if (terminal.json) return print_json(report), Done{};
  if (!created.described) return Done{};
  fmt::print("  a {}, {:.3g} m long or high: {}\n", created.described->noun, created.described->metres,
             zoo::to_text(created.described->body));
  return Done{};
}

}  // namespace

Result<animate::Created> create_model(const Terminal& terminal, const std::string& words,
                                      animate::CreateSettings settings) {
  // Another program is ended, with what it started, and its folder removed, before this one leaves.
  std::optional<OrderlyStop> orderly;
  if (!settings.command.empty()) orderly.emplace(), settings.stop = &OrderlyStop::asked();
  const Activity activity(terminal, "making " + printable(words));
  Result<animate::Created> created = animate::create_asset(words, settings);
  if (!created.ok()) {
    Error error = std::move(created).error();
    if (error.where == "words") error.what += "; `limber create --list` has all", error.where = printable(words);
    return error;
  }
  for (const Warning& warning : created->warnings) spdlog::warn("{}", printable(in_words(warning)));
  for (const std::string& warning : created->asset.warnings) spdlog::warn("{}", printable(warning));
  return created;
}

void add_generator_option(CLI::App& command, std::string& text) {
  command
      .add_option("--text-to-3d", text,
                  "Another program that makes the model from the words: \"gen.py --text {words} --out {output}\"; it "
                  "writes a GLB, and no shell reads this")
      ->type_name("COMMAND");
}

void add_create(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<CreateOptions>();
  CLI::App* command =
      add_command(app, terminal, "create", "Make a body from words, with a skeleton",
                  "  limber create \"a small red dragon with a long tail\" -o dragon.glb\n"
                  "  limber create \"a three-headed wolf without a tail\" --seed 7 -o wolf.glb\n"
                  "  limber create \"a teapot\" --text-to-3d \"python3 gen.py {words} {output}\" -o teapot.glb\n"
                  "  limber create --list\n"
                  "`limber animate --create \"a dragon\" \"flies\" -o d.glb` makes and moves it at once.",
                  [&terminal, options] {
                    options->settings.rigged = !options->no_rig;
                    return run_create(terminal, *options);
                  });
  command->add_option("words", options->words, "What it is: a noun, and how it is")->type_name("WORDS");
  command->add_option("-o,--output", options->output, "The model")->type_name("FILE");
  CLI::Option* seed = command->add_option("--seed", options->settings.seed, "Draws what the words leave open")
                          ->capture_default_str()
                          ->type_name("N");
  CLI::Option* resolution =
      command->add_option("--resolution", options->settings.resolution, "Fineness of the surface, 24 to 256")
          ->check(CLI::Range(24, 256))
          ->capture_default_str()
          ->type_name("N");
  CLI::Option* bare = command->add_flag("--no-rig", options->no_rig, "The bare mesh, without a skeleton");
  command->add_flag("--list", options->list, "Show the nouns and other words that are known");
  // What another program makes is its own.
  add_generator_option(*command, options->settings.command);
  for (CLI::Option* own : {seed, resolution, bare}) command->get_option("--text-to-3d")->excludes(own);
  command->parse_complete_callback([options] {
    if (options->list) return;
    if (options->words.empty()) throw CLI::RequiredError("WORDS");
    if (options->output.empty()) throw CLI::RequiredError("-o FILE");
  });
}

}  // namespace limber::cli
