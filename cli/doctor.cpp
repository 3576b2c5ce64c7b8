// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "builtin_models.h"
#include "command.h"
#include "field_options.h"
#include "limber/asset/read.h"
#include "limber/doctor/examine.h"
#include "limber/report/reports.h"

namespace limber::cli {
namespace {

struct DoctorOptions {
  std::string input;
  std::string reader = "auto";
  bool strict = false;
};

std::string count_text(std::size_t count) { return fmt::format("{} finding{}", count, count == 1 ? "" : "s"); }

void print_findings(const std::string& input, const std::vector<doctor::Finding>& findings) {
  fmt::print("{}: {}\n", printable(input), findings.empty() ? "nothing odd" : count_text(findings.size()));
  for (const doctor::Finding& finding : findings) {
    fmt::print("  {:<8} {}: {}\n", name(finding.severity), finding.topic,
               printable(what_of(finding.warning, option_words)));
    if (!finding.where.empty()) fmt::print("           where  {}\n", printable(finding.where));
    const std::string help = help_of(finding.warning, option_words);
    if (!help.empty()) fmt::print("           help   {}\n", printable(help));
  }
}

Status examine(const Terminal& terminal, const DoctorOptions& options) {
  // Not by read_asset_file: the reader's warnings are among the findings.
  LIMBER_TRY(const asset::Asset asset, asset::read_asset(options.input));
  doctor::ExamineSettings settings;
  LIMBER_TRY(settings.reader, open_body_reader(options.reader));
  std::vector<doctor::Finding> findings;
  {
    Activity activity(terminal, "examining " + options.input);
    LIMBER_TRY(findings, doctor::examine(asset, settings, [&](std::string_view, double done) {
                 activity.update(done);
                 return true;
               }));
  }
  if (terminal.json) {
    print_json({{"input", options.input}, {"findings", report::to_json(findings, option_words)}});
  } else {
    print_findings(options.input, findings);
  }
  if (options.strict && !findings.empty()) return Error{count_text(findings.size()), options.input};
  return Done{};
}

}  // namespace

void add_doctor(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command =
      add_command(app, terminal, "doctor", "Tell what is odd about a model and which option helps",
                  "  limber doctor fox.glb\n"
                  "  limber doctor statue.obj --json\n"
                  "  limber doctor fox.glb --strict && limber animate fox.glb --prompt \"a fox trots\" -o trot.glb",
                  [&terminal, options] { return examine(terminal, *options); });
  command->add_option("input", options->input, "The model to examine")->required()->type_name("FILE");
  command->add_flag("--strict", options->strict, "Exit with 1 if there are findings");
  command
      ->add_option("--reader", options->reader,
                   "Network that reads bodies: a folder, auto for the one that ships, or none")
      ->capture_default_str()
      ->type_name("FOLDER");
}

}  // namespace limber::cli
