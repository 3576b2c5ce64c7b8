// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "facing_options.h"

#include <string>

#include "limber/rig/facing.h"

namespace limber::cli {
namespace {

Vec3 read_direction(const std::string& option, const std::string& text) {
  const std::optional<Vec3> direction = rig::parse_direction(text);
  if (!direction) throw CLI::ValidationError(option, "should be +x, -Z ... or X,Y,Z, not '" + text + "'");
  return *direction;
}

}  // namespace

void add_facing_options(CLI::App& command, FacingOptions& options, const std::string& of) {
  const std::string up = of.empty() ? "--up" : "--" + of + "-up",
                    forward = of.empty() ? "--forward" : "--" + of + "-forward";
  const std::string file = of.empty() ? "the file" : "the " + of, body = of.empty() ? "the body" : "the " + of;
  command
      .add_option_function<std::string>(
          up, [&options, up](const std::string& text) { options.up = read_direction(up, text); },
          "Which way of " + file + " is up: +z, -X or three numbers")
      ->type_name("DIR");
  // Options are handled in the order in which they are added here.
  command
      .add_option_function<std::string>(
          forward,
          [&options, up, forward](const std::string& text) {
            options.forward = read_direction(forward, text);
            if (!options.up) return;
            const Result<rig::Facing> facing = rig::make_facing(*options.up, *options.forward);
            if (!facing.ok()) throw CLI::ValidationError(up + " and " + forward, facing.error().what);
          },
          "The way " + body + " faces: +z, -X or three numbers")
      ->type_name("DIR");
}

}  // namespace limber::cli
