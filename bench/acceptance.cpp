// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "bench/bench.h"
#include "bench/creature_trial.h"
#include "bench/finished_clips.h"
#include "bench/lift.h"
#include "bench/physics.h"
#include "bench/rig.h"
#include "bench/splat_parity.h"
#include "cli/builtin_models.h"
#include "limber/animate/models.h"
#include "limber/animate/sample_lift.h"
#include "limber/exporter/exporter.h"
#include "limber/lift/leading_joints.h"
#include "limber/physics/ground.h"
#include "limber/scene/sketch_view.h"

/// `limber-lab bench acceptance`: how good every stage is on bodies that the zoo makes, and on what tests/data
/// holds, so that nothing but the checkout is needed. `tools/acceptance.py` compares the rows with those that were
/// recorded.
namespace limber::bench {
namespace {

struct AcceptanceSettings : CommonSettings {
  std::string groups;
  int turned = 24;  ///< creatures to find the kind and the front of
  std::string data = "tests/data";
};

constexpr std::array kWalkers{zoo::Plan::kQuadruped, zoo::Plan::kBiped, zoo::Plan::kHexapod};

std::string row_name(const char* group, zoo::Plan plan, const char* figure) {
  return fmt::format("{}/{}/{}", group, zoo::name(plan), figure);
}

// --- rig: skeletons, weights, kinds and fronts -----------------------------------------------------------------------

/// A creature as an artist would hand it over: mesh, skeleton and weights.
Result<asset::Asset> rigged_asset(const zoo::Creature& creature) {
  asset::Asset asset = zoo::static_asset(creature);
  rig::Subject subject = creature.subject;
  LIMBER_CHECK_OK(exporter::add_rig(asset, subject));
  return asset;
}

Status measure_rigs(const CommonSettings& settings, const anatomy::ReadBody& reader, Report& report) {
  metrics::DistanceSummary distances;
  double l1 = 0;
  int checks = 0, checks_right = 0;
  for (int k = 0; k < zoo::kPlanCount; ++k) {
    const auto plan = static_cast<zoo::Plan>(k);
    LIMBER_TRY(const zoo::Creature creature, zoo::make_creature({.plan = plan, .seed = settings.seed}));
    LIMBER_TRY(const asset::Asset asset, rigged_asset(creature));
    const std::optional<SkeletonCase> skeleton = rig_anew(asset, reader);
    const std::optional<SkinCase> skin = skin_anew(asset, 1);
    if (!skeleton || !skeleton->valid || !skeleton->distance)
      return Error{"could not be rigged" + (skeleton ? ": " + skeleton->error : ""), creature.name};
    if (!skin || !skin->error.empty())
      return Error{"could not be skinned" + (skin ? ": " + skin->error : ""), creature.name};
    distances.add(skeleton->distance, skeleton->diagonal);
    l1 += skin->published.l1 / zoo::kPlanCount;
    for (const auto& check : {skeleton->facing.head, skeleton->facing.sides}) {
      checks += check ? 1 : 0, checks_right += check && *check ? 1 : 0;
    }
    report.rows.push_back({row_name("rig", plan, "CD-J2J"), 100 * skeleton->distance->joint_to_joint, "x1e-2", "",
                           fmt::format("{} joints, {} true ones", skeleton->joints, skeleton->true_joints)});
    report.rows.push_back({row_name("rig", plan, "skin L1"), skin->published.l1, "", "", ""});
  }
  report.rows.push_back({"rig/mean/CD-J2J", 100 * distances.mean_with_failures.joint_to_joint, "x1e-2", "", ""});
  report.rows.push_back({"rig/mean/skin L1", l1, "", "", ""});
  report.rows.push_back({"rig/mean/head and sides right", checks > 0 ? 100.0 * checks_right / checks : 0, "%", "",
                         fmt::format("{} of {}", checks_right, checks)});
  return Done{};
}

Status measure_bodies(const AcceptanceSettings& settings, const anatomy::ReadBody& reader, Report& report) {
  Rng rng(settings.seed);
  int kinds = 0, fronts = 0;
  std::string wrong_kinds, wrong_fronts;
  for (int k = 0; k < settings.turned; ++k) {
    zoo::CreatureSettings making;
    making.plan = static_cast<zoo::Plan>(k % zoo::kPlanCount);
    making.seed = 1000 * settings.seed + static_cast<std::uint64_t>(k);
    LIMBER_TRY(const zoo::Creature creature, zoo::make_creature(making));
    KnownBody body = known_body(creature);
    turn_at_random(body, rng);
    const Recognition found = recognise(body, reader);
    kinds += found.kind_right ? 1 : 0, fronts += found.front_right ? 1 : 0;
    if (!found.kind_right) wrong_kinds += fmt::format(", {} taken for {}", creature.name, found.kind);
    if (!found.front_right) wrong_fronts += ", " + creature.name;
  }
  const double share = 100.0 / std::max(settings.turned, 1);
  report.rows.push_back({"rig/turned bodies/kinds right", share * kinds, "%", "",
                         fmt::format("{} of {}{}", kinds, settings.turned, wrong_kinds)});
  report.rows.push_back({"rig/turned bodies/fronts right", share * fronts, "%", "",
                         fmt::format("{} of {}{}", fronts, settings.turned, wrong_fronts)});
  return Done{};
}

Status measure_rig(const AcceptanceSettings& settings, Report& report) {
  LIMBER_TRY(const anatomy::ReadBody reader, cli::open_body_reader());
  if (!reader) return Error{"the shipped reader is not there", "models/body_reader", ErrorKind::kMissing};
  LIMBER_CHECK_OK(measure_rigs(settings, reader, report));
  return measure_bodies(settings, reader, report);
}

// --- lift: motions from pictures -------------------------------------------------------------------------------------

/// A video as people bring it, one view, the camera not known.
Status measure_videos(const CommonSettings& settings, Report& report) {
  LiftScore sums;
  for (const auto& [plan, azimuth] : {std::pair{zoo::Plan::kQuadruped, 1.57f}, std::pair{zoo::Plan::kBiped, 0.8f}}) {
    LIMBER_TRY(const FilmLift lifted, lift_film(make_film({plan, zoo::Action::kWalk, azimuth}, settings.seed)));
    const LiftScore& score = lifted.polished;
    sums.add(score);
    report.rows.push_back({row_name("lift", plan, "video overlap"), score.overlap, "", "", ""});
    report.rows.push_back({row_name("lift", plan, "video angle error"), score.angle, "deg", "",
                           fmt::format("{:.1f} at rest", lifted.rest.angle)});
  }
  report.rows.push_back({"lift/mean/videos trusted", 100.0 * sums.trusted / sums.count, "%", "", ""});
  return Done{};
}

/// The lifted motion with its feet locked, judged by the feet that are locked.
Result<metrics::MotionMetrics> on_the_ground(const rig::Subject& subject, const kinematics::Motion& motion) {
  physics::GroundSettings lock;
  lock.ground = physics::Ground::kLock;
  LIMBER_TRY(const physics::Grounded grounded, physics::ground_motion(subject, motion, lock));
  return metrics::motion_metrics(subject, grounded.motion, grounded.planted);
}

/// Pictures as the built-in prior draws them, of the zoo's own gait: what lifting a perfect sample gives.
Status measure_samples(const CommonSettings& settings, Report& report) {
  for (const zoo::Plan plan : kWalkers) {
    LIMBER_TRY(const zoo::Creature creature, zoo::make_creature({.plan = plan, .seed = settings.seed}));
    const rig::Subject& subject = creature.subject;
    LIMBER_TRY(const kinematics::Motion truth, true_motion(creature, zoo::Action::kWalk));
    scene::SketchView view(subject.rig, scene::part_gaussians(subject));
    animate::SampleLiftSettings lifting;
    lifting.fps = truth.fps;
    lifting.fit.free = lift::leading_joints(subject);
    LIMBER_TRY(const animate::LiftedSample lifted, animate::lift_sample(view, view.draw(truth), lifting));
    const std::vector<metrics::LimbEnd> ends = ends_of(creature, zoo::Action::kWalk);
    const double phase_error = metrics::phase_error(metrics::find_gait(subject.rig, lifted.motion, ends),
                                                    metrics::find_gait(subject.rig, truth, ends));
    LIMBER_TRY(const metrics::MotionMetrics ground, on_the_ground(subject, lifted.motion));
    report.rows.push_back({row_name("lift", plan, "phase error"), phase_error, "cycle", "",
                           fmt::format("residual {:.3f}", lifted.fit.residual)});
    report.rows.push_back(
        {row_name("lift", plan, "skate, feet locked"), 100 * double(ground.skate), "% height/s", "", ""});
  }
  return Done{};
}

Status measure_lift(const AcceptanceSettings& settings, Report& report) {
  LIMBER_CHECK_OK(measure_samples(settings, report));
  return measure_videos(settings, report);
}

// --- ground: motions that gravity allows -----------------------------------------------------------------------------

Status measure_ground(const AcceptanceSettings& settings, Report& report) {
  for (const zoo::Plan plan : kWalkers) {
    zoo::CreatureSettings making;
    making.plan = plan, making.seed = settings.seed, making.resolution = 32;
    LIMBER_TRY(const BrokenWalk broken, broken_walk(making, 24, 0));
    LIMBER_TRY(const physics::Grounded grounded, physics::ground_motion(broken.creature.subject, broken.motion));
    const metrics::MotionMetrics before = measure_walk(broken, broken.motion),
                                 after = measure_walk(broken, grounded.motion);
    report.rows.push_back({row_name("ground", plan, "skate"), 100 * double(after.skate), "% height/s", "",
                           fmt::format("before {:.2f}", 100 * before.skate)});
    report.rows.push_back(
        {row_name("ground", plan, "penetration"), 100 * double(after.penetration), "% height", "", ""});
    report.rows.push_back({row_name("ground", plan, "joint error"), grounded.track.joint_error, "deg", "", ""});
  }
  return Done{};
}

// --- splat: pictures, against a public rasterizer
// ---------------------------------------------------------------------

Status measure_splat(const AcceptanceSettings& settings, Report& report) {
  const std::filesystem::path folder = settings.data;
  LIMBER_TRY(const SplatParity parity, measure_splat_parity(folder / "parity/splats/splats_400_64x64.safetensors"));
  report.rows.push_back({"splat/parity scene/image error", 1e6 * parity.image_error, "x1e-6", "", ""});
  report.rows.push_back({"splat/parity scene/gradient error", 1e6 * parity.gradient_error, "x1e-6", "", ""});
  return Done{};
}

// --- animate: motions from prompts -----------------------------------------------------------------------------------

Status measure_animate(const AcceptanceSettings& settings, Report& report) {
  LIMBER_TRY(const std::filesystem::path folder, animate::find_builtin_prior());
  LIMBER_TRY(const std::unique_ptr<prior::VideoPrior> model, prior::load_prior(folder));
  animate::Request draft;
  draft.quality = animate::Quality::kDraft, draft.sampling.candidates = 1, draft.study.redraws = 0;
  int recognised = 0, count = 0;
  for (const auto& [plan, action] :
       {std::pair{zoo::Plan::kQuadruped, zoo::Action::kTrot}, std::pair{zoo::Plan::kBiped, zoo::Action::kWalk}}) {
    LIMBER_TRY(const Outcome outcome, try_creature(*model, {plan, kUnseen + settings.seed, action, action}, draft));
    ++count, recognised += outcome.recognised ? 1 : 0;
    report.rows.push_back({row_name("animate", plan, "phase error"), outcome.phase_error, "cycle", "",
                           fmt::format("taken for {}, {:.0f} s", outcome.taken_for, outcome.seconds)});
    report.rows.push_back({row_name("animate", plan, "skate"), 100 * outcome.skate, "% height/s", "", ""});
    report.rows.push_back({row_name("animate", plan, "penetration"), 100 * outcome.penetration, "% height", "", ""});
  }
  report.rows.push_back({"animate/mean/recognised", 100.0 * recognised / count, "%", "", ""});
  return Done{};
}

// --- finished: what is written, as anyone's clip ---------------------------------------------------------------------

Status measure_clips(const AcceptanceSettings& settings, Report& report) { return measure_finished(settings, report); }

struct Group {
  std::string name;
  Status (*measure)(const AcceptanceSettings&, Report&);
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all{{"rig", measure_rig},         {"lift", measure_lift},
                                      {"ground", measure_ground},   {"splat", measure_splat},
                                      {"animate", measure_animate}, {"finished", measure_clips}};
  return all;
}

Result<Report> bench_acceptance(const AcceptanceSettings& settings) {
  Report report{"acceptance: how good every stage is on bodies of the zoo and on tests/data", {}};
  for (const Group& group : groups()) {
    if (holds_name(settings.groups, group.name)) LIMBER_CHECK_OK(group.measure(settings, report));
  }
  return report;
}

}  // namespace

void add_acceptance_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<AcceptanceSettings>();
  std::vector<std::string> names;
  for (const Group& group : groups()) names.push_back(group.name);
  CLI::App& command =
      add_subject(bench, terminal,
                  {"acceptance", "How good every stage is on bodies of the zoo; see tools/acceptance.py",
                   "  limber-lab bench acceptance --groups rig,ground --json"},
                  *settings, [settings] { return bench_acceptance(*settings); });
  add_groups_option(command, settings->groups, names);
  command.add_option("--turned", settings->turned, "Creatures to find the kind and the front of")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--data", settings->data, "The folder tests/data of a checkout")
      ->capture_default_str()
      ->type_name("DIR");
}

}  // namespace limber::bench
