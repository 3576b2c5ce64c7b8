// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <optional>
#include <string>

#include "bench/parts.h"
#include "bench/parts_scenes.h"
#include "limber/base/rng.h"

namespace limber::bench {
namespace {

constexpr int kPictures = 50, kSize = 96;

/// How many of some pictures were refused.
struct Refused {
  int pictures = 0, refused = 0;
  std::array<int, kEmptyKinds> by_kind{}, of_kind{};

  void add(bool no, int kind = 0) {
    ++pictures, refused += no ? 1 : 0;
    ++of_kind[static_cast<std::size_t>(kind)], by_kind[static_cast<std::size_t>(kind)] += no ? 1 : 0;
  }
  void add_row(const std::string& name, const char* aim, const std::string& note, Report& report) const {
    if (pictures == 0) return;
    report.rows.push_back(
        {"refusal/" + name, 100.0 * refused / pictures, "%", aim, fmt::format("{} of {}{}", refused, pictures, note)});
  }
  std::string kinds() const {
    std::string note;
    for (std::size_t k = 0; k < by_kind.size(); ++k)
      note += fmt::format("{} {} {} of {}", k > 0 ? "," : ":", kEmptyNames[k], by_kind[k], of_kind[k]);
    return note;
  }
};

bool is_refused(const PartsBench& bench, const Bitmap& picture) {
  return !parts::find_picture_parts(bench.denoiser, std::vector<Bitmap>{picture}, bench.picture_settings()).ok();
}

/// Bodies before nothing, before backgrounds, small, and in pairs.
struct BodyPictures {
  Refused plain, before, small, two;
  std::optional<Bitmap> last;

  void add(const PartsBench& bench, const training::KnownParts& body, Rng& rng) {
    const Bitmap one = draw_body(body, kSize, 1, nullptr, rng);
    plain.add(is_refused(bench, one));
    // Behind a body, what is none by itself, but text: a page is no place.
    const int kind = plain.pictures % 3 == 0 ? 0 : (plain.pictures % 3 == 1 ? 2 : 3);
    const Bitmap behind = draw_empty(kind, kSize, rng);
    before.add(is_refused(bench, draw_body(body, kSize, 1, &behind, rng)), kind);
    small.add(is_refused(bench, draw_body(body, 3 * kSize, 1.0 / 3, nullptr, rng)));
    if (last) two.add(is_refused(bench, beside(*last, one)));
    last = one;
    spdlog::info("{}: {} of {} pictures of one body refused so far, {} before a background", body.name, plain.refused,
                 plain.pictures, before.refused);
  }
  void add_rows(const std::string& of, Report& report) const {
    plain.add_row("pictures of one body" + of, "<= 5", "", report);
    before.add_row("... before a background" + of, "", before.kinds(), report);
    small.add_row("... a third as large" + of, "<= 5", "", report);
    two.add_row("... and another beside it" + of, ">= 90", "", report);
  }
};

}  // namespace

Status add_refusal_rows(const PartsBench& bench, Report& report) {
  Rng rng(bench.settings.seed, 37);
  Refused empty;
  for (int i = 0; i < kPictures && !bench.late(); ++i) {
    const int kind = i % kEmptyKinds;
    empty.add(is_refused(bench, draw_empty(kind, kSize, rng)), kind);
  }
  empty.add_row("pictures without a subject", ">= 90", empty.kinds(), report);
  BodyPictures zoo, artists;
  LIMBER_CHECK_OK(for_creatures(bench, BodySet::kTest, 0, [&](const training::KnownParts& body) -> Status {
    zoo.add(bench, body, rng);
    return Done{};
  }));
  zoo.add_rows(" of the zoo", report);
  LIMBER_CHECK_OK(for_artists(bench, BodySet::kTest, 0, [&](const training::KnownParts& body) -> Status {
    artists.add(bench, body, rng);
    return Done{};
  }));
  artists.add_rows(" of artists", report);
  return Done{};
}

}  // namespace limber::bench
