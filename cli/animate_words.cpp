// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "animate_words.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "field_options.h"

namespace limber::cli {
namespace {

constexpr double kStays = 0.03;  // heights a second: slower, nobody sees it go anywhere

/// "walk 0-2.7 s, sit 2.7-5.3 s", and what of it means nothing to the prior.
std::string understood(const animate::Animation& a) {
  std::string text, unknown;
  for (const animate::Segment& segment : a.segments) {
    text += fmt::format("{}{} {:.3g}-{:.3g} s", text.empty() ? "" : ", ", animate::short_name(segment.asked),
                        segment.from, segment.to);
    for (const std::string& word : segment.asked.unknown) unknown += (unknown.empty() ? "" : ", ") + word;
  }
  return unknown.empty() ? text : text + "; not known: " + unknown;
}

double seconds_of(const animate::Animation& a) { return a.motion.frame_count() / a.motion.fps; }

/// "2.1 s, goes 0.49 heights a second; feet hold; the loop closes".
std::string motion_words(const animate::Animation& a, const std::vector<mend::Checked>& finished, bool loop) {
  const double speed = norm(a.gait.velocity);
  std::string text = fmt::format("{:.1f} s, ", seconds_of(a));
  text += speed > kStays ? fmt::format("goes {:.2g} heights a second", speed) : "stays where it is";
  for (const animate::Answer& answer : a.answers) {
    if (answer.question != animate::Question::kStands || !answer.passed) continue;
    text += *answer.passed ? "; feet hold" : "; feet do not hold";
  }
  for (const mend::Checked& checked : finished) {
    if (!loop || checked.check != mend::Check::kLoop || !checked.passed) continue;
    text += *checked.passed ? "; the loop closes" : "; the loop is open";
  }
  return text;
}

void print_mended(const std::optional<mend::ClipChange>& change, const char* indent) {
  if (!change) return;
  std::string checks;
  for (const mend::Check check : change->repaired) {
    checks += fmt::format("{}{}", checks.empty() ? "" : ", ", mend::name(check));
  }
  fmt::print("{}mended: {}, joints turned by {:.2g} degrees on average\n", indent, checks, change->mean_turn);
}

}  // namespace

void print_result(const animate::AnimatedAsset& result, bool loop) {
  const animate::Animation& a = result.animation;
  if (!a.segments.empty()) fmt::print("  understood: {}\n", printable(understood(a)));
  if (a.taken) {
    fmt::print("  taken from \"{}\" in {}: {}\n", printable(a.taken->clip), printable(a.taken->file.string()),
               printable(a.taken->limbs));
  }
  fmt::print("  {}\n", motion_words(a, result.finished, loop));
  print_mended(result.mended, "  ");
}

void print_clip(const animate::AnimatedAsset& result, const animate::PackedClip& clip) {
  if (!clip.clip) return fmt::print("  {}: not made: {}\n", printable(clip.prompt), printable(clip.failed));
  const std::string& name = result.asset.clips[static_cast<std::size_t>(*clip.clip)].name;
  fmt::print("  {}: {}\n", printable(name), motion_words(clip.animation, clip.finished, clip.loops));
  print_mended(clip.mended, "    ");
}

void print_numbers(const animate::Animation& a) {
  fmt::print("  {:.1f} s of motion, {:.2f} heights/s, {:.2f} cycles/s\n", seconds_of(a), norm(a.gait.velocity),
             a.gait.frequency);
  fmt::print("  skate {:.2f} % of height/s, penetration {:.2f} %, float {:.2f} %\n", 100 * a.metrics.skate,
             100 * a.metrics.penetration, 100 * a.metrics.floating);
  fmt::print("  skin stretched {:.2f} times, joints move {:.2f} heights/s\n", a.skin.stretch, a.skin.movement);
  fmt::print("  sampled in {:.1f} s, lifted in {:.1f} s, distilled in {:.1f} s, grounded in {:.1f} s\n",
             a.seconds.sample, a.seconds.lift, a.seconds.distill, a.seconds.ground);
}

}  // namespace limber::cli
