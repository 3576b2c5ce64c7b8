// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/poses.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "bench/split.h"
#include "limber/anatomy/find_roles.h"
#include "limber/asset/read.h"
#include "limber/base/threads.h"
#include "limber/kinematics/clip.h"
#include "limber/pose_space/pose_motion.h"
#include "limber/training/character_file.h"
#include "limber/training/skeleton_family.h"
#include "limber/zoo/action.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kFps = 12;
constexpr std::size_t kMostPoses = 60;  // of a body
constexpr int kKnownPoses = 40;         // of a body that baselines know
// Creatures of training have seeds from 0 on, those of its validation from 2^30.
constexpr std::uint64_t kOtherSeeds = std::uint64_t{1} << 40, kKnownSeeds = std::uint64_t{1} << 41;

/// Some of them, evenly.
template <class T>
std::vector<T> thinned(const std::vector<T>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<T> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * all.size() / most]);
  return some;
}

void add_poses(const pose_space::PoseSkeleton& skeleton, const kinematics::Motion& motion,
               std::vector<pose_space::PoseState>& poses) {
  for (int f = 0; f < motion.frame_count(); ++f)
    poses.push_back(encode_pose(skeleton, pose_space::pose_at(motion, f)).state);
}

// --- bodies ----------------------------------------------------------------------------------------------------------

Result<PoseBody> read_body(const fs::path& path, const fs::path& model) {
  LIMBER_TRY(const asset::Asset asset, asset::read_asset(path));
  LIMBER_TRY(rig::Subject subject, rig::subject_from_asset(asset));
  subject = anatomy::with_roles(std::move(subject));
  LIMBER_TRY(pose_space::PoseSpace space, pose_space::open_pose_space(subject, model));
  PoseBody body{path.stem().string(), std::move(subject), std::move(space), {}};
  for (const asset::Clip& clip : asset.clips) {
    const auto motion = kinematics::motion_from_clip(asset, clip, body.subject, kFps);
    if (motion.ok()) add_poses(body.space.skeleton(), *motion, body.poses);
  }
  body.poses = thinned(body.poses, kMostPoses);
  if (body.poses.size() < 2) return Error{"has no clips", path.string()};
  return body;
}

Result<zoo::Creature> make_creature(std::uint64_t seed) {
  zoo::CreatureSettings settings;
  settings.plan = static_cast<zoo::Plan>(seed % zoo::kPlanCount);
  // Every other one of the whole grammar.
  if (seed % 2 == 1) settings.body = zoo::random_body(seed);
  settings.seed = seed, settings.resolution = 36;
  return zoo::make_creature(settings);
}

/// Frames of all that it can do.
std::vector<pose_space::PoseState> creature_poses(const zoo::Creature& creature,
                                                  const pose_space::PoseSkeleton& skeleton, std::size_t most) {
  std::vector<pose_space::PoseState> poses;
  for (const zoo::Action action : zoo::actions(creature)) {
    zoo::ActionSettings settings;
    settings.action = action, settings.seed = creature.seed, settings.fps = 8, settings.frames = 8;
    settings.style = 0.5, settings.in_place = true;
    const auto performance = zoo::perform(creature, settings);
    if (performance.ok()) add_poses(skeleton, performance->motion, poses);
  }
  return thinned(poses, most);
}

Result<PoseBodies> zoo_bodies(const PoseBenchSettings& settings, const fs::path& model) {
  PoseBodies set{"zoo", {}};
  for (int i = 0; i < settings.creatures; ++i) {
    const Result<zoo::Creature> creature = make_creature(kOtherSeeds + 1000 * settings.seed + at(i));
    if (!creature.ok()) continue;
    LIMBER_TRY(pose_space::PoseSpace space, pose_space::open_pose_space(creature->subject, model));
    PoseBody body{creature->name, creature->subject, std::move(space), {}};
    body.poses = creature_poses(*creature, body.space.skeleton(), kMostPoses);
    if (body.poses.size() > 1) set.bodies.push_back(std::move(body));
  }
  return set;
}

/// Rigs of the test list; those whose skeleton somebody taught stand by themselves.
struct TestRigs {
  PoseBodies unseen{"test rigs", {}}, seen{"test rigs of known skeletons", {}};
};

Result<TestRigs> test_rigs(const PoseBenchSettings& settings, const fs::path& model,
                           const std::vector<training::Character>& taught) {
  std::set<std::string> families;
  for (const training::Character& character : taught) families.insert(training::skeleton_family(character.rig));
  TestRigs rigs;
  for (const std::string& name : split_list(settings.split, "test")) {
    if (name.find(settings.only) == std::string::npos) continue;
    Result<PoseBody> body = read_body(fs::path(settings.split).parent_path() / name, model);
    if (!body.ok()) {
      spdlog::warn("{}", body.error().message());
      continue;
    }
    const bool seen = families.count(training::skeleton_family(body->subject.rig)) > 0;
    if (seen) spdlog::warn("{}: characters of the bake have the same skeleton", body->name);
    (seen ? rigs.seen : rigs.unseen).bodies.push_back(std::move(body).value());
  }
  return rigs;
}

// --- what baselines know ---------------------------------------------------------------------------------------------

RolePoses known_poses(const PoseBenchSettings& settings, const std::vector<training::Character>& taught) {
  struct Body {
    std::optional<pose_space::PoseSkeleton> skeleton;
    std::vector<pose_space::PoseState> poses;
  };
  std::vector<Body> bodies(at(settings.known) + taught.size());
  parallel_for(bodies.size(), 1, [&](std::size_t i, std::size_t) {
    Body& body = bodies[i];
    if (i < taught.size()) {
      body.skeleton = pose_space::make_pose_skeleton(taught[i].rig);
      for (const training::CharacterClip& clip : taught[i].clips) add_poses(*body.skeleton, clip.motion, body.poses);
      body.poses = thinned(body.poses, kKnownPoses);
      return;
    }
    const Result<zoo::Creature> creature = make_creature(kKnownSeeds + i - taught.size());
    if (!creature.ok()) return;
    body.skeleton = pose_space::make_pose_skeleton(creature->subject.rig);
    body.poses = creature_poses(*creature, *body.skeleton, kKnownPoses);
  });
  RolePoses known;
  for (const Body& body : bodies) {
    for (const pose_space::PoseState& pose : body.poses) known.add(*body.skeleton, pose);
  }
  known.finish();
  return known;
}

// --- all of it -------------------------------------------------------------------------------------------------------

/// Shows the autoencoder all bodies.
Status compare_with(const std::string& folder, std::initializer_list<PoseBodies*> sets) {
  if (folder.empty()) return Done{};
  LIMBER_TRY(pose_space::PoseVae opened, pose_space::PoseVae::open(folder));
  const auto vae = std::make_shared<const pose_space::PoseVae>(std::move(opened));
  for (PoseBodies* set : sets) {
    for (PoseBody& body : set->bodies) {
      const rig::Subject& subject = body.subject;
      const pose_space::PoseConditions conditions =
          make_conditions(body.space.skeleton(), {subject.points, subject.triangles, subject.weights});
      body.vae = VaeBody{vae, vae->look_at(conditions)};
    }
  }
  return Done{};
}

/// Shows the network of motions all bodies.
Status compare_with_motions(const std::string& folder, std::initializer_list<PoseBodies*> sets) {
  if (folder == "none") return Done{};
  fs::path path = folder;
  if (path.empty()) {
    LIMBER_TRY(path, motion_space::find_motion_model());
  }
  LIMBER_TRY(const motion_space::MotionDenoiser network, motion_space::MotionDenoiser::open(path));
  for (PoseBodies* set : sets) {
    for (PoseBody& body : set->bodies) {
      motion_space::MotionSpace motions(network, motion_space::make_motion_body(body.subject, {}));
      const auto& own = motions.skeleton().joints;
      const auto& poses = body.space.skeleton().joints;
      const auto same = [](const pose_space::PoseJoint& a, const pose_space::PoseJoint& b) {
        return a.joint == b.joint;
      };
      if (std::equal(own.begin(), own.end(), poses.begin(), poses.end(), same)) body.motions = std::move(motions);
    }
  }
  return Done{};
}

void add_tables(const PoseBodies& set, const RolePoses& known, const PoseBenchSettings& settings, Report& report) {
  if (set.bodies.empty()) return;
  const auto wants = [&](const char* group) { return holds_name(settings.groups, group); };
  if (wants("completion")) add_completion_rows(set, known, settings, report);
  if (wants("denoising")) add_denoising_rows(set, known, settings, report);
  if (wants("handles")) add_handle_rows(set, settings, report);
  if (wants("samples")) add_sample_rows(set, known, settings, report);
  if (wants("inversion")) add_inversion_rows(set, settings, report);
  if (wants("interpolation")) add_interpolation_rows(set, settings, report);
  if (wants("score")) add_score_rows(set, settings, report);
}

bool wants_bodies(const std::string& groups) {
  return holds_name(groups, "completion") || holds_name(groups, "denoising") || holds_name(groups, "handles") ||
         holds_name(groups, "samples") || holds_name(groups, "inversion") || holds_name(groups, "interpolation") ||
         holds_name(groups, "score");
}

Result<Report> bench_poses(PoseBenchSettings settings) {
  if (settings.model.empty()) {
    LIMBER_TRY(const fs::path shipped, pose_space::find_pose_model());
    settings.model = shipped.string();
  }
  Report report{"poses: what the pose space knows of bodies that it has not seen", {}};
  if (holds_name(settings.groups, "speed")) {
    LIMBER_CHECK_OK(add_pose_speed_rows(settings, report));
  }
  if (wants_bodies(settings.groups)) {
    std::vector<training::Character> taught;
    if (!settings.characters.empty()) {
      LIMBER_TRY(taught, training::read_characters(settings.characters));
    }
    LIMBER_TRY(TestRigs rigs, test_rigs(settings, settings.model, taught));
    LIMBER_TRY(PoseBodies creatures, zoo_bodies(settings, settings.model));
    LIMBER_CHECK_OK(compare_with(settings.vae, {&rigs.unseen, &rigs.seen, &creatures}));
    LIMBER_CHECK_OK(compare_with_motions(settings.motions, {&rigs.unseen, &rigs.seen, &creatures}));
    const RolePoses known = known_poses(settings, taught);
    report.title += fmt::format("; baselines know {} poses", known.size());
    if (!taught.empty())
      report.rows.push_back({"test rigs/of skeleton families that were not taught",
                             static_cast<double>(rigs.unseen.bodies.size()), "rigs", "",
                             fmt::format("of {}", rigs.unseen.bodies.size() + rigs.seen.bodies.size())});
    for (const PoseBodies* set : {&rigs.unseen, &rigs.seen, &creatures}) add_tables(*set, known, settings, report);
  }
  if (holds_name(settings.groups, "scans")) {
    LIMBER_CHECK_OK(add_scan_rows(settings, report));
  }
  return report;
}

}  // namespace

void add_poses_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<PoseBenchSettings>();
  settings->repetitions = 5;
  CLI::App& command =
      add_timed_subject(bench, terminal,
                        {"poses", "The pose space on bodies that it has not seen, and how long it takes",
                         "  limber-lab bench poses --groups speed\n  limber-lab bench poses --groups completion,score "
                         "--cases 8 --characters "
                         "characters.bin"},
                        *settings, [settings] { return bench_poses(*settings); });
  add_groups_option(
      command, settings->groups,
      {"speed", "completion", "denoising", "handles", "samples", "inversion", "interpolation", "score", "scans"});
  command.add_option("--split", settings->split, "JSON whose list `test` names rigs beside it")
      ->capture_default_str()
      ->type_name("FILE");
  command.add_option("--people", settings->people, "Folder of one person in several poses")
      ->capture_default_str()
      ->type_name("DIR");
  command
      .add_option("--characters", settings->characters,
                  "What the network was taught, from `limber-lab train bake`: for the nearest known pose, and to see "
                  "which skeletons it knows")
      ->type_name("FILE");
  command.add_option("--model", settings->model, "Folder of the network; by default that which ships")
      ->type_name("DIR");
  command
      .add_option("--vae", settings->vae,
                  "Folder of an autoencoder to compare with, from `limber-lab train poses --vae`; none ships")
      ->type_name("DIR");
  command
      .add_option(
          "--motions", settings->motions,
          "Folder of the network of motions, which completes poses as motions that stand still; by default that "
          "which ships, none: leave it out")
      ->type_name("DIR");
  command.add_option("--only", settings->only, "Only test rigs with this in their names")->type_name("TEXT");
  const auto add_count = [&](const char* name, int& value, int least, const char* help) {
    command.add_option(name, value, help)->check(CLI::Range(least, 100000))->capture_default_str()->type_name("N");
  };
  add_count("--creatures", settings->creatures, 0, "Creatures of the zoo, of seeds that no training has");
  add_count("--known", settings->known, 1, "Creatures whose poses the baselines know");
  add_count("--cases", settings->cases, 1, "Cases per body and task");
  command
      .add_option("--variety", settings->variety, "Of poses that meet handles: 0 the most usual, 1 any plausible one")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  add_count("--samples", settings->samples, 2, "Poses drawn per body");
}

}  // namespace limber::bench
