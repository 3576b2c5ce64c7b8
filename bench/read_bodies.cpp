// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <memory>

#include "bench/bench.h"
#include "cli/builtin_models.h"
#include "cli/leave_out_options.h"
#include "limber/anatomy/body_reading.h"
#include "limber/base/rng.h"
#include "limber/base/stopwatch.h"
#include "limber/body/body_shape.h"
#include "limber/training/character_file.h"
#include "limber/training/posed_bodies.h"
#include "limber/zoo/creature.h"

/// `limber-lab bench bodies`: what the reader says of static bodies that it was not taught, and whether it is as often
/// right as it says.
namespace limber::bench {
namespace {

struct BodySettings : CommonSettings {
  std::string reader = "auto";
  int bodies = 500;
  std::string characters;        ///< a file of `limber-lab train bake`; empty: creatures
  training::LeaveOut leave_out;  ///< what the reader was not taught of it
};

/// No training reaches these: see training::posed_bodies.
constexpr std::uint64_t kNeverTaught = std::uint64_t{1} << 40;
constexpr int kResolution = 44, kPoints = 2048;
constexpr int kFewestSeen = 8;     // points of a limb that counts
constexpr double kAnyBody = 0.75;  // share of bodies with any limbs; the others are of the named plans

Result<zoo::Creature> draw_creature(std::uint64_t seed, Rng& rng) {
  zoo::CreatureSettings settings;
  settings.plan = static_cast<zoo::Plan>(rng.below(zoo::kPlanCount));
  if (rng.chance(kAnyBody)) settings.body = zoo::random_body(seed);
  settings.seed = seed, settings.resolution = kResolution;
  return zoo::make_creature(settings);
}

using Counts = std::array<int, rig::kLimbKindCount>;

/// What is true of a body, turned any way.
struct Truth {
  std::string name;
  anatomy::BodyKind kind = anatomy::BodyKind::kOther;
  Vec3d up, forward;
  bool limbs_known = true, kind_known = true;
  Counts limbs{};
};

/// Of a body that stands along +Y and looks along +Z.
Truth truth_of(std::string name, const training::PosedBody& body, const Mat3d& turn) {
  Truth truth;
  truth.name = std::move(name), truth.kind = body.kind, truth.limbs_known = body.limbs_known;
  truth.kind_known = body.kind_known;
  truth.up = turn * Vec3d{0, 1, 0}, truth.forward = turn * Vec3d{0, 0, 1};
  for (std::size_t i = 0; i < body.limbs.size(); ++i) {
    const bool seen = std::count(body.limb.begin(), body.limb.end(), i) >= kFewestSeen;
    truth.limbs[static_cast<std::size_t>(body.limbs[i].kind)] += seen ? 1 : 0;
  }
  return truth;
}

body::BodyShape turned_body(std::vector<Vec3> points, std::span<const body::Triangle> triangles, const Mat3d& turn) {
  for (Vec3& p : points) p = (turn * p.cast<double>()).cast<float>();
  return body::study_body(points, triangles);
}

Mat3d draw_turn(Rng& rng) {
  return to_matrix(normalized(Quatd{rng.normal(), rng.normal(), rng.normal(), rng.normal()}));
}

/// How often something is right that was said with some probability.
class Reliability {
 public:
  void add(double said, bool right) {
    Bin& bin = bins_[said > 0 ? static_cast<std::size_t>(std::min(said * 10, 9.0)) : 0];
    ++bin.count, bin.said += said, bin.right += right ? 1 : 0;
  }

  void add_rows(const std::string& name, Report& report) const {
    double error = 0, count = 0, right = 0;
    for (const Bin& bin : bins_) count += bin.count, right += bin.right, error += std::abs(bin.said - bin.right);
    if (count == 0) return;
    report.rows.push_back({name + " right", 100 * right / count, "%", "97", fmt::format("of {} bodies", count)});
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      const Bin& bin = bins_[i];
      if (bin.count == 0) continue;
      const double low = 0.1 * static_cast<double>(i);
      report.rows.push_back({fmt::format("{}/said {:.1f} to {:.1f}", name, low, low + 0.1), 100 * bin.right / bin.count,
                             "%", "", fmt::format("{} bodies, {:.1f} % said", bin.count, 100 * bin.said / bin.count)});
    }
    report.rows.push_back({name + "/expected calibration error", 100 * error / count, "%", "", ""});
  }

 private:
  struct Bin {
    double count = 0, said = 0, right = 0;
  };
  std::array<Bin, 10> bins_;
};

struct Results {
  Reliability kind, front, limbs;
  std::array<int, rig::kLimbKindCount> counts_right{};
  int bodies = 0, judged = 0;  ///< judged: those whose limbs are known, and were read
  double seconds = 0;

  void read(const anatomy::ReadBody& reader, const body::BodyShape& body, const Truth& truth) {
    const Stopwatch watch;
    const anatomy::BodyReading reading = reader(body);
    seconds += watch.seconds();
    add(truth, reading);
  }

  void add(const Truth& truth, const anatomy::BodyReading& reading) {
    constexpr double kWithin = 0.70710678;
    const auto likeliest = std::max_element(reading.kinds.begin(), reading.kinds.end()) - reading.kinds.begin();
    if (truth.kind_known) kind.add(reading.kind_right, likeliest == static_cast<std::ptrdiff_t>(truth.kind));
    const auto within = [&](Vec3d said, Vec3d known) { return dot(normalized(said, Vec3d{}), known) > kWithin; };
    // Snakes are round: nothing tells which side is up.
    const bool up = truth.kind == anatomy::BodyKind::kSnake || within(reading.up, truth.up);
    front.add(reading.front_right, up && within(reading.forward, truth.forward));
    ++bodies;
    spdlog::debug("{}: a {}, read as {} ({:.2f}); up {:.2f}, front {:.2f} ({:.2f})", truth.name,
                  anatomy::name(truth.kind), anatomy::name(static_cast<anatomy::BodyKind>(likeliest)),
                  reading.kind_right, dot(normalized(reading.up, Vec3d{}), truth.up),
                  dot(normalized(reading.forward, Vec3d{}), truth.forward), reading.front_right);
    if (reading.limbs.empty() || !truth.limbs_known) return;
    ++judged;
    Counts found{};
    for (const anatomy::ReadLimb& limb : reading.limbs) ++found[static_cast<std::size_t>(limb.kind)];
    double sure = 1;
    bool all = true;
    for (std::size_t k = 1; k + 1 < found.size(); ++k) {
      const bool right = found[k] == truth.limbs[k];
      counts_right[k] += right ? 1 : 0, all = all && right;
      sure *= reading.counts[k][static_cast<std::size_t>(std::min(found[k], 8))];
    }
    limbs.add(sure, all);
  }
};

Status read_creatures(const BodySettings& settings, const anatomy::ReadBody& reader, Results& results) {
  for (int k = 0; k < settings.bodies; ++k) {
    const std::uint64_t seed = kNeverTaught + 100000 * settings.seed + static_cast<std::uint64_t>(k);
    Rng rng(seed, 29);
    LIMBER_TRY(const zoo::Creature creature, draw_creature(seed, rng));
    const Mat3d turn = draw_turn(rng);
    const training::PosedBody body = training::body_at_rest(creature, kPoints);
    results.read(reader, turned_body(creature.subject.points, creature.subject.triangles, turn),
                 truth_of(fmt::format("creature {}", k), body, turn));
  }
  return Done{};
}

Status read_left_out(const BodySettings& settings, const anatomy::ReadBody& reader, Results& results) {
  LIMBER_TRY(const std::vector<training::Character> characters, training::read_characters(settings.characters, 0));
  const std::vector<bool> left_out = training::find_left_out(characters, settings.leave_out);
  for (std::size_t i = 0; i < characters.size() && results.bodies < settings.bodies; ++i) {
    if (!left_out[i]) continue;
    Rng rng(settings.seed + i, 30);
    const Mat3d turn = draw_turn(rng);
    results.read(reader, turned_body(training::mesh_at_rest(characters[i]), characters[i].mesh.triangles, turn),
                 truth_of(characters[i].name, training::body_at_rest(characters[i], kPoints), turn));
  }
  if (results.bodies == 0)
    return Error{"no character is left out: --leave-out or --fold tells which", settings.characters};
  return Done{};
}

Result<Report> bench_bodies(const BodySettings& settings) {
  LIMBER_TRY(const anatomy::ReadBody reader, cli::open_body_reader(settings.reader));
  if (!reader) return Error{"there is no reader to measure", settings.reader};
  Results results;
  if (settings.characters.empty()) {
    LIMBER_CHECK_OK(read_creatures(settings, reader, results));
  } else {
    LIMBER_CHECK_OK(read_left_out(settings, reader, results));
  }
  Report report{"bodies: what the reader says of static bodies in any turn", {}};
  results.kind.add_rows("kind", report);
  results.front.add_rows("front", report);
  results.limbs.add_rows("number of limbs of every kind", report);
  for (int k = 1; k + 1 < rig::kLimbKindCount && results.judged > 0; ++k) {
    const double share = 100.0 * results.counts_right[static_cast<std::size_t>(k)] / results.judged;
    report.rows.push_back(
        {fmt::format("number of limbs/{}", rig::name(static_cast<rig::LimbKind>(k))), share, "%", "", ""});
  }
  report.rows.push_back({"reading", 1000 * results.seconds / std::max(results.bodies, 1), "ms", "300", ""});
  return report;
}

}  // namespace

void add_bodies_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<BodySettings>();
  CLI::App& command =
      add_subject(bench, terminal,
                  {"bodies", "Kind, front and limbs of static bodies as the reader tells them, and how sure",
                   "  limber-lab bench bodies --bodies 20\n  limber-lab bench bodies --reader my_reader"},
                  *settings, [settings] { return bench_bodies(*settings); });
  command.add_option("--reader", settings->reader, "As `limber rig --reader`")->default_str("auto")->type_name("DIR");
  command
      .add_option("--characters", settings->characters,
                  "Read artists' characters of this file (`limber-lab train bake`) that the reader was not taught")
      ->type_name("FILE");
  cli::add_leave_out_options(command, settings->leave_out);
  command.add_option("--bodies", settings->bodies, "How many bodies to read")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->type_name("N");
}

}  // namespace limber::bench
