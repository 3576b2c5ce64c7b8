// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "bench/poses.h"
#include "bench/timing.h"
#include "cli/builtin_models.h"
#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/autorig/auto_rig.h"
#include "limber/kinematics/forward.h"
#include "limber/pose_space/fit_scans.h"
#include "limber/pose_space/pose_motion.h"
#include "limber/pose_space/pose_solve.h"
#include "limber/zoo/action.h"

/// Poses from surfaces, and how long poses take.
namespace limber::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kScannedSeeds = std::uint64_t{1} << 42;
constexpr int kScannedFrames = 4;

// --- scans of the zoo ------------------------------------------------------------------------------------------------

/// Surfaces of a motion: clean, or with noise of half a per cent of the height and three balls cut out.
Result<std::vector<pose_space::Scan>> scan_motion(const rig::Subject& subject, const kinematics::Motion& motion,
                                                  bool damaged, Rng& rng) {
  const std::vector<Vec3> posed = pose_space::posed_points(subject, motion);
  std::vector<pose_space::Scan> scans;
  for (int f = 0; f < motion.frame_count(); ++f) {
    const auto first = posed.begin() + static_cast<std::ptrdiff_t>(at(f) * subject.points.size());
    std::vector<Vec3> points(first, first + static_cast<std::ptrdiff_t>(subject.points.size()));
    std::vector<Vec3> holes;
    for (int i = 0; damaged && i < 3; ++i)
      holes.push_back(points[rng.below(static_cast<std::uint32_t>(points.size()))]);
    std::vector<body::Triangle> triangles;
    for (const auto& t : subject.triangles) {
      const auto cut = [&](const Vec3& hole) { return norm(points[t[0]] - hole) < 0.08f; };
      if (std::none_of(holes.begin(), holes.end(), cut)) triangles.push_back(t);
    }
    for (Vec3& p : points) {
      for (int k = 0; damaged && k < 3; ++k) p[k] += static_cast<float>(0.005 * rng.normal());
    }
    LIMBER_TRY(pose_space::Scan scan, pose_space::Scan::make(points, triangles));
    scans.push_back(std::move(scan));
  }
  return scans;
}

/// Mean distance of joints, % of the height.
double joint_error(const rig::Rig& rig, const kinematics::Motion& a, const kinematics::Motion& b) {
  const std::vector<Affine> p = kinematics::joint_matrices(rig, a), q = kinematics::joint_matrices(rig, b);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += 100 * double{norm(p[i].translation - q[i].translation)};
  return sum / static_cast<double>(p.size());
}

/// A walk, a run or whatever the body can do first, facing elsewhere.
Result<kinematics::Motion> scanned_motion(const zoo::Creature& creature, const pose_space::PoseSkeleton& skeleton) {
  zoo::ActionSettings action;
  const std::vector<zoo::Action> can = zoo::actions(creature);
  if (std::find(can.begin(), can.end(), action.action) == can.end()) action.action = can.back();
  action.frames = 4 * kScannedFrames, action.fps = 16, action.in_place = true;
  LIMBER_TRY(const zoo::Performance performance, zoo::perform(creature, action));
  kinematics::Motion motion = kinematics::rest_motion(creature.subject.rig, kScannedFrames, 16);
  for (int f = 0; f < kScannedFrames; ++f) {
    pose_space::EncodedPose pose = encode_pose(skeleton, pose_space::pose_at(performance.motion, 2 * f));
    pose.place.heading += 1.9, pose.place.translation += Vec3{0.3f, 0, -0.6f};
    const kinematics::Pose turned = decode_pose(skeleton, pose.state, pose.place);
    std::copy(turned.angles.begin(), turned.angles.end(), motion.frame_angles(f).begin());
    motion.root_translations[at(f)] = turned.root_translation;
  }
  return motion;
}

Status add_creature_rows(const PoseBenchSettings& settings, Report& report) {
  struct Sums {
    double error = 0, apart = 0, doubts = 0, count = 0;
  };
  std::array<Sums, 4> sums;  // clean and damaged, with and without the network
  double still = 0;
  for (const zoo::Plan plan : {zoo::Plan::kBiped, zoo::Plan::kQuadruped, zoo::Plan::kBird}) {
    zoo::CreatureSettings body;
    body.plan = plan, body.seed = kScannedSeeds + settings.seed, body.resolution = 36;
    LIMBER_TRY(const zoo::Creature creature, zoo::make_creature(body));
    LIMBER_TRY(const pose_space::PoseSpace space, pose_space::open_pose_space(creature.subject, settings.model));
    LIMBER_TRY(const kinematics::Motion truth, scanned_motion(creature, space.skeleton()));
    for (std::size_t k = 0; k < sums.size(); ++k) {
      Rng rng(settings.seed, 5000 + k / 2);
      LIMBER_TRY(const std::vector<pose_space::Scan> scans, scan_motion(creature.subject, truth, k >= 2, rng));
      pose_space::ScanFitSettings fit;
      if (k % 2 == 1) fit.prior_weight = 0, fit.drawn = 0;
      LIMBER_TRY(const pose_space::FittedScans fitted, fit_scans(creature.subject, space, scans, fit));
      const double error = joint_error(creature.subject.rig, fitted.motion, truth);
      spdlog::info("{} {}{}: joints {:.2f} % of the height off", creature.name, k >= 2 ? "damaged" : "clean",
                   k % 2 == 1 ? " without the network" : "", error);
      sums[k].error += error, sums[k].count += 1;
      for (const pose_space::FrameFit& frame : fitted.frames) {
        sums[k].apart += 100 * frame.distance.scan_to_body / kScannedFrames;
        sums[k].doubts += frame.doubt.empty() ? 0 : 1;
      }
    }
    kinematics::Motion rest = truth;
    for (int f = 0; f < kScannedFrames; ++f) {
      for (std::size_t j = 1; j < at(rest.joint_count); ++j) rest.frame_angles(f)[j] = {};
    }
    still += joint_error(creature.subject.rig, rest, truth) / 3;
  }
  constexpr std::array kNames{"clean", "clean, without the network", "holes and noise",
                              "holes and noise, without the network"};
  for (std::size_t k = 0; k < sums.size(); ++k) {
    report.rows.push_back(
        {fmt::format("scans of the zoo/{}", kNames[k]), sums[k].error / sums[k].count, "% height", "",
         fmt::format("joints; at rest in the true place {:.1f} %; scan to body {:.2f} %; {:.0f} doubts", still,
                     sums[k].apart / sums[k].count, sums[k].doubts)});
  }
  return Done{};
}

// --- people ----------------------------------------------------------------------------------------------------------

/// The surfaces of an asset in a subject's world.
Result<pose_space::Scan> scan_asset(const asset::Asset& asset, const rig::Subject& subject) {
  std::vector<Vec3> points;
  std::vector<body::Triangle> triangles;
  for (const asset::PosedPrimitive& part : asset::posed_geometry(asset, asset::rest_state(asset))) {
    const auto first = static_cast<std::uint32_t>(points.size());
    for (const Vec3d& p : part.positions)
      points.push_back((1 / subject.asset_scale) * (p.cast<float>() - subject.asset_offset));
    for (const auto& [a, b, c] : asset::triangles(asset.meshes[at(part.mesh)].primitives[at(part.primitive)]))
      triangles.push_back({first + a, first + b, first + c});
  }
  return pose_space::Scan::make(points, triangles);
}

Status add_people_rows(const PoseBenchSettings& settings, Report& report) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(settings.people, error)) {
    if (entry.path().extension() == ".obj") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    spdlog::warn("no people in '{}'", settings.people);
    return Done{};
  }
  // The one that stands with nothing else to do is rigged.
  std::size_t rigged = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].filename().string().find("man_standing_quaternius") == 0) rigged = i;
  }
  LIMBER_TRY(const asset::Asset standing, asset::read_asset(files[rigged]));
  autorig::AutoRigSettings rigging;
  LIMBER_TRY(rigging.reader, cli::open_body_reader());
  LIMBER_TRY(const autorig::AutoRig rig, autorig::auto_rig(standing, rigging));
  LIMBER_TRY(const pose_space::PoseSpace space, pose_space::open_pose_space(rig.subject, settings.model));
  std::vector<pose_space::Scan> scans;
  for (const fs::path& file : files) {
    LIMBER_TRY(const asset::Asset asset, asset::read_asset(file));
    LIMBER_TRY(pose_space::Scan scan, scan_asset(asset, rig.subject));
    scans.push_back(std::move(scan));
  }
  pose_space::ScanFitSettings fit;
  fit.smooth_weight = 0;  // they have nothing to do with each other
  const Stopwatch watch;
  LIMBER_TRY(const pose_space::FittedScans fitted, fit_scans(rig.subject, space, scans, fit));
  const double seconds = watch.seconds();
  double sum = 0, worst = 0;
  for (std::size_t f = 0; f < files.size(); ++f) {
    const pose_space::ScanDistance& d = fitted.frames[f].distance;
    const double both = 50 * (d.scan_to_body + d.body_to_scan);
    report.rows.push_back(
        {"people/" + files[f].stem().string(), both, "% height", "",
         fmt::format("scan to body {:.2f} %, back {:.2f} %{}", 100 * d.scan_to_body, 100 * d.body_to_scan,
                     fitted.frames[f].doubt.empty() ? "" : "; " + fitted.frames[f].doubt)});
    if (f != rigged) sum += both, worst = std::max(worst, both);
  }
  report.rows.push_back({"people/mean of those not rigged",
                         sum / static_cast<double>(std::max<std::size_t>(files.size() - 1, 1)), "% height", "",
                         fmt::format("worst {:.2f} %; {:.0f} s", worst, seconds)});
  return Done{};
}

}  // namespace

Status add_scan_rows(const PoseBenchSettings& settings, Report& report) {
  LIMBER_CHECK_OK(add_creature_rows(settings, report));
  return add_people_rows(settings, report);
}

Status add_pose_speed_rows(const PoseBenchSettings& settings, Report& report) {
  for (const bool person : {true, false}) {
    zoo::CreatureSettings creature;
    creature.plan = zoo::Plan::kBiped, creature.seed = settings.seed, creature.resolution = 36;
    // One with as many joints as the space looks at, and more.
    if (!person) {
      LIMBER_TRY(creature.body, zoo::parse_body("legs:9"));
    }
    LIMBER_TRY(const zoo::Creature made, zoo::make_creature(creature));
    LIMBER_TRY(const pose_space::PoseSpace space, pose_space::open_pose_space(made.subject, settings.model));
    const pose_space::PoseSkeleton& skeleton = space.skeleton();
    const std::string name = fmt::format("{} of {} joints/", person ? "person" : "centipede", skeleton.size());
    report.rows.push_back(make_row(name + "20 steps, one pose",
                                   time_runs(settings.repetitions, [&] { space.sample(settings.seed); }), "<= 200"));
    report.rows.push_back(
        make_row(name + "score", time_runs(settings.repetitions, [&] { space.score(space.noise(1)); })));
    // The last joint, where some pose has it, then dragged on.
    std::vector<pose_space::PoseHandle> handles{
        {skeleton.size() - 1, shape_of(skeleton, space.sample(settings.seed)).places.back()}};
    pose_space::SolveSettings solve;
    solve.energies = usual_energies(
        skeleton, sample_surface(skeleton, {made.subject.points, made.subject.triangles, made.subject.weights}));
    report.rows.push_back(make_row(name + "solve, the first",
                                   time_runs(settings.repetitions, [&] { solve_pose(space, handles, solve); })));
    const pose_space::SolvedPose first = solve_pose(space, handles, solve);
    handles[0].target *= 0.97;
    solve.from = &first.state;
    report.rows.push_back(make_row(
        name + "solve, dragged", time_runs(settings.repetitions, [&] { solve_pose(space, handles, solve); }), "<= 50"));
  }
  return Done{};
}

}  // namespace limber::bench
