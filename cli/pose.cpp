// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "command.h"
#include "facing_options.h"
#include "limber/anatomy/find_roles.h"
#include "limber/base/at.h"
#include "limber/base/stopwatch.h"
#include "limber/base/threads.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/forward.h"
#include "limber/pose_space/pose_motion.h"
#include "limber/pose_space/pose_solve.h"
#include "limber/rig/changed_rig.h"
#include "picture_path.h"
#include "pose_command.h"
#include "pose_handles.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kExact = 1e-4;  // of the height: a handle that is met

Result<rig::Subject> subject_of(const asset::Asset& asset, const FacingOptions& asked) {
  LIMBER_TRY(rig::Subject subject, rig::subject_from_asset(asset));
  if (asked.up || asked.forward) {
    LIMBER_TRY(subject.facing,
               rig::make_facing(asked.up.value_or(subject.facing.up), asked.forward.value_or(subject.facing.forward)));
    subject.facing.confidence = 1;
  }
  return anatomy::with_roles(std::move(subject));
}

struct ChosenClip {
  std::string name;
  kinematics::Motion motion;
};

/// The clip that was asked for; the first where nobody said.
Result<ChosenClip> clip_of(const asset::Asset& asset, const rig::Subject& subject, const PoseOptions& options) {
  if (asset.clips.empty()) return Error{"there is no clip", options.input};
  int chosen = 0;
  if (options.clip) {
    LIMBER_TRY(chosen, find_clip(asset, *options.clip));
  }
  const asset::Clip& clip = asset.clips[at(chosen)];
  LIMBER_TRY(kinematics::Motion motion, kinematics::motion_from_clip(asset, clip, subject, options.fps));
  return ChosenClip{clip.name.empty() ? "#" + std::to_string(chosen) : clip.name, std::move(motion)};
}

// --- sample ----------------------------------------------------------------------------------------------------------

/// All poses in one picture.
Status write_sheet(const Terminal& terminal, const Opened& opened, std::vector<pose_space::PoseState> poses,
                   const PoseOptions& options) {
  const int count = static_cast<int>(poses.size());
  // A sheet spreads its frames over a clip and leaves out its end: which the first pose once more makes.
  poses.push_back(poses.front());
  asset::Asset asset = opened.asset;
  const kinematics::Motion motion = pose_space::motion_of_poses(opened.space.skeleton(), poses, 1);
  LIMBER_CHECK_OK(exporter::add_clip(asset, opened.subject, motion, {.name = "poses"}));
  const std::string clip = "#" + std::to_string(asset.clips.size() - 1);
  return render_sheet(terminal, std::move(asset), clip, count, options.output, options.facing);
}

Status run_sample(const Terminal& terminal, const PoseOptions& options) {
  LIMBER_TRY(Opened opened, open_file(terminal, options));
  std::vector<pose_space::PoseState> poses(at(options.count));
  const Stopwatch watch;
  parallel_for(poses.size(), 1, [&](std::size_t i, std::size_t) { poses[i] = opened.space.sample(options.seed + i); });
  const double seconds = watch.seconds();
  const kinematics::Motion motion = pose_space::motion_of_poses(opened.space.skeleton(), poses, 1);
  // Of the poses as the rig has them: what was drawn is not quite a pose.
  Json plausible = Json::array();
  for (const pose_space::Plausibility& score : pose_space::score_motion(opened.space, motion))
    plausible.push_back(score.whole);
  const bool picture = is_picture_path(options.output);
  if (!picture && !options.clip_output.empty())
    return Error{"--glb goes beside a sheet, and this is no picture", options.output, ErrorKind::kConflict};
  if (picture) {
    LIMBER_CHECK_OK(write_sheet(terminal, opened, poses, options));
  }
  const std::string clip_file = picture ? options.clip_output : options.output;
  if (!clip_file.empty()) {
    LIMBER_CHECK_OK(write_motion(terminal, opened, motion, "poses", clip_file));
  }
  if (terminal.json) {
    print_json(
        {{"command", "pose sample"}, {"output", options.output}, {"plausible", plausible}, {"seconds", seconds}});
  } else {
    fmt::print("{} poses in {:.2f} s{}\n", poses.size(), seconds,
               clip_file.empty() ? "" : ", one a second in the clip 'poses'");
  }
  return Done{};
}

// --- score -----------------------------------------------------------------------------------------------------------

Status run_score(const Terminal& terminal, const PoseOptions& options) {
  LIMBER_TRY(const Opened opened, open_file(terminal, options));
  LIMBER_TRY(const ChosenClip clip, clip_of(opened.asset, opened.subject, options));
  const std::vector<pose_space::Plausibility> scores = pose_space::score_motion(opened.space, clip.motion);
  const auto name = [&](std::size_t joint) {
    return opened.subject.rig.joints()[at(opened.space.skeleton().joints[joint].joint)].name;
  };
  Json frames = Json::array();
  double sum = 0;
  std::size_t worst = 0, culprit = 0;
  for (std::size_t f = 0; f < scores.size(); ++f) {
    Json joints;
    for (std::size_t j = 0; j < scores[f].joints.size(); ++j) joints[name(j)] = scores[f].joints[j];
    frames.push_back({{"plausible", scores[f].whole}, {"joints", joints}});
    sum += scores[f].whole;
    if (scores[f].whole < scores[worst].whole) worst = f;
  }
  const std::vector<double>& joints = scores[worst].joints;
  culprit = static_cast<std::size_t>(std::min_element(joints.begin(), joints.end()) - joints.begin());
  const double mean = sum / static_cast<double>(scores.size());
  if (terminal.json) {
    print_json({{"command", "pose score"},
                {"clip", clip.name},
                {"fps", options.fps},
                {"plausible", mean},
                {"worst_frame", worst},
                {"worst_joint", name(culprit)},
                {"frames", frames}});
  } else {
    fmt::print("'{}': plausible {:.3f} on average; least in frame {}: {:.3f}, where '{}' is {:.3f}\n",
               printable(clip.name), mean, worst, scores[worst].whole, printable(name(culprit)), joints[culprit]);
  }
  return Done{};
}

// --- project ---------------------------------------------------------------------------------------------------------

Status run_project(const Terminal& terminal, const PoseOptions& options) {
  LIMBER_TRY(Opened opened, open_file(terminal, options));
  LIMBER_TRY(const ChosenClip clip, clip_of(opened.asset, opened.subject, options));
  Result<kinematics::Motion> mended = [&] {
    Activity activity(terminal, "projecting '" + printable(clip.name) + "'");
    return pose_space::project_motion(opened.space, clip.motion, options.strength, options.seed,
                                      [&](std::string_view, double done) {
                                        activity.update(done);
                                        return true;
                                      });
  }();
  LIMBER_CHECK_OK(mended);
  const std::string name = clip.name + " mended";
  LIMBER_CHECK_OK(write_motion(terminal, opened, *mended, name, options.output));
  if (terminal.json) {
    print_json(
        {{"command", "pose project"}, {"output", options.output}, {"clip", name}, {"frames", mended->frame_count()}});
  }
  return Done{};
}

// --- between ---------------------------------------------------------------------------------------------------------

/// The pose of a file's chosen clip at a time; at rest where it has no clip.
Result<kinematics::Pose> pose_in(const asset::Asset& asset, const rig::Subject& subject, const PoseOptions& options,
                                 double seconds) {
  if (asset.clips.empty()) return kinematics::rest_pose(subject.rig);
  LIMBER_TRY(const ChosenClip clip, clip_of(asset, subject, options));
  const int frame = static_cast<int>(std::lround(seconds * options.fps));
  return pose_space::pose_at(clip.motion, std::clamp(frame, 0, clip.motion.frame_count() - 1));
}

/// Per joint of the one rig: which joint of the other it is. Files may have them in another order.
Result<std::vector<int>> match_joints(const rig::Rig& a, const rig::Rig& b, const std::string& where) {
  std::vector<int> matches;
  bool same = a.joint_count() == b.joint_count();
  for (int j = 0; same && j < a.joint_count(); ++j) {
    const rig::Joint& own = a.joints()[at(j)];
    const int other = b.find(own.name);
    same = other >= 0 && rig::turns_alike(own, b.joints()[at(other)]);
    if (!same) break;
    const int parent = b.joints()[at(other)].parent;
    same = own.parent < 0 ? parent < 0 : parent == matches[at(own.parent)];
    matches.push_back(other);
  }
  if (same) return matches;
  return Error{"has another skeleton than the first file", where, ErrorKind::kConflict};
}

/// Joints of the rig that the space does not see.
std::vector<bool> find_riders(const pose_space::PoseSkeleton& skeleton) {
  std::vector<bool> rides(at(skeleton.rig.joint_count()), true);
  for (const pose_space::PoseJoint& joint : skeleton.joints) rides[at(joint.joint)] = false;
  return rides;
}

Status run_between(const Terminal& terminal, const PoseOptions& options) {
  LIMBER_TRY(Opened opened, open_file(terminal, options));
  LIMBER_TRY(const kinematics::Pose from, pose_in(opened.asset, opened.subject, options, options.seconds));
  LIMBER_TRY(const asset::Asset other, read_asset_file(terminal, options.other));
  LIMBER_TRY(const rig::Subject other_subject, rig::subject_from_asset(other));
  LIMBER_TRY(const std::vector<int> matches, match_joints(opened.subject.rig, other_subject.rig, options.other));
  LIMBER_TRY(const kinematics::Pose found, pose_in(other, other_subject, options, options.other_seconds));
  kinematics::Pose to = found;
  for (std::size_t j = 0; j < matches.size(); ++j) to.angles[j] = found.angles[at(matches[j])];

  const pose_space::PoseSkeleton& skeleton = opened.space.skeleton();
  const pose_space::EncodedPose first = encode_pose(skeleton, from), last = encode_pose(skeleton, to);
  const std::vector<pose_space::PoseState> states = opened.space.between(first.state, last.state, options.frames);
  kinematics::Motion motion = kinematics::rest_motion(opened.subject.rig, options.frames, options.fps);
  const double turn = std::remainder(last.place.heading - first.place.heading, 2 * kPi);
  const std::vector<bool> rides = find_riders(skeleton);
  std::vector<Vec3> before = from.angles;
  for (int f = 0; f < options.frames; ++f) {
    const double u = static_cast<double>(f) / (options.frames - 1);
    const pose_space::PosePlace place{lerp(first.place.translation, last.place.translation, static_cast<float>(u)),
                                      first.place.heading + u * turn};
    before = decode_pose(skeleton, states[at(f)], place, before).angles;
    for (std::size_t j = 0; j < before.size(); ++j)
      motion.frame_angles(f)[j] = rides[j] ? lerp(from.angles[j], to.angles[j], static_cast<float>(u)) : before[j];
    motion.root_translations[at(f)] = place.translation;
  }
  LIMBER_CHECK_OK(write_motion(terminal, opened, motion, "between", options.output));
  if (terminal.json) {
    print_json(
        {{"command", "pose between"}, {"output", options.output}, {"clip", "between"}, {"frames", options.frames}});
  }
  return Done{};
}

// --- solve -----------------------------------------------------------------------------------------------------------

struct Wishes {
  std::vector<pose_space::PoseHandle> handles;
  std::vector<NamedPlace> places;  ///< per handle
  std::vector<pose_space::WeightedPoseEnergy> energies;
};

Result<Wishes> wishes_of(const PoseOptions& options, const Opened& opened) {
  const pose_space::PoseSkeleton& skeleton = opened.space.skeleton();
  Wishes wishes;
  for (const std::string& text : options.handles) {
    LIMBER_TRY(const NamedPlace named, parse_place(text, opened.subject));
    LIMBER_TRY(const pose_space::PoseHandle handle, make_handle(skeleton, named.joint, named.place));
    wishes.handles.push_back(handle), wishes.places.push_back(named);
  }
  for (const std::string& text : options.looks) {
    LIMBER_TRY(const NamedPlace named, parse_place(text, opened.subject));
    LIMBER_TRY(const pose_space::PoseHandle handle, make_handle(skeleton, named.joint, named.place));
    // At rest, what looks looks ahead.
    wishes.energies.push_back(
        {1, std::make_shared<pose_space::LookEnergy>(handle.joint, Vec3d{0, 0, 1}, handle.target)});
  }
  for (pose_space::WeightedPoseEnergy& energy : pose_space::usual_energies(
           skeleton,
           sample_surface(skeleton, {opened.subject.points, opened.subject.triangles, opened.subject.weights})))
    wishes.energies.push_back(std::move(energy));
  return wishes;
}

Status run_solve(const Terminal& terminal, const PoseOptions& options) {
  LIMBER_TRY(Opened opened, open_file(terminal, options));
  LIMBER_TRY(Wishes wishes, wishes_of(options, opened));
  pose_space::SolveSettings settings;
  settings.seed = options.seed, settings.variety = options.variety, settings.energies = std::move(wishes.energies);
  const Stopwatch watch;
  const pose_space::SolvedPose solved = pose_space::solve_pose(opened.space, wishes.handles, settings);
  const double seconds = watch.seconds(), heights = opened.space.skeleton().radius;
  const kinematics::Pose pose = decode_pose(opened.space.skeleton(), solved.state, {});
  // As the rig has it: one that is scaled unevenly differs from what the space believes.
  const std::vector<Affine> joints = kinematics::joint_matrices(opened.subject.rig, pose);
  Json report = Json::array();
  for (std::size_t i = 0; i < solved.errors.size(); ++i) {
    const double error = norm(joints[at(wishes.places[i].joint)].translation - wishes.places[i].place);
    report.push_back({{"handle", options.handles[i]},
                      {"guided_error", heights * solved.guided[i]},
                      {"error", error},
                      {"met", error <= kExact}});
    if (error > kExact)
      spdlog::warn("'{}' is out of reach: {:.2f} % of the height are missing", printable(options.handles[i]),
                   100 * error);
  }
  kinematics::Motion motion = kinematics::rest_motion(opened.subject.rig, 1, options.fps);
  std::copy(pose.angles.begin(), pose.angles.end(), motion.frame_angles(0).begin());
  LIMBER_CHECK_OK(write_motion(terminal, opened, motion, "pose", options.output));
  if (terminal.json) {
    print_json({{"command", "pose solve"},
                {"output", options.output},
                {"handles", report},
                {"seconds", seconds},
                {"plausible", opened.space.score(solved.state).whole}});
  } else {
    fmt::print("{} handles in {:.2f} s; the pose is {:.3f} plausible\n", solved.errors.size(), seconds,
               opened.space.score(solved.state).whole);
  }
  return Done{};
}

// --- commands --------------------------------------------------------------------------------------------------------

using Options = std::shared_ptr<PoseOptions>;
using Run = Status (*)(const Terminal&, const PoseOptions&);

CLI::App* add_subcommand(CLI::App& group, Terminal& terminal, const std::string& name, const std::string& help,
                         const std::string& example, Run run, Options& options) {
  options = std::make_shared<PoseOptions>();
  CLI::App* command = add_command(group, terminal, name, help, "  " + example,
                                  [&terminal, run, options] { return run(terminal, *options); });
  command->add_option("input", options->input, "A rigged asset")->required()->type_name("FILE");
  command->add_option("--model", options->model, "Folder of the network of poses; by default that which ships")
      ->type_name("DIR");
  add_facing_options(*command, options->facing);
  return command;
}

void add_output(CLI::App& command, PoseOptions& options) {
  command.add_option("-o,--output", options.output, "The asset with a new clip")->required()->type_name("FILE");
}
void add_clip_options(CLI::App& command, PoseOptions& options) {
  command.add_option("--clip", options.clip, "Which clip: its name or #N; the first by default")->type_name("CLIP");
  command.add_option("--fps", options.fps, "Frames a second")->check(CLI::Range(1.0, 240.0))->capture_default_str();
}
void add_seed(CLI::App& command, PoseOptions& options) {
  command.add_option("--seed", options.seed, "Another seed, another pose, where --variety asks for any")
      ->capture_default_str();
}

void add_fit(CLI::App& group, Terminal& terminal) {
  Options options;
  CLI::App* command = add_subcommand(group, terminal, "fit", "Poses from reconstructed surfaces, one per frame",
                                     "limber pose fit rigged.glb scan_0.obj scan_1.obj -o clip.glb", run_fit, options);
  command->add_option("scans", options->scans, "Surfaces in the rig's own place and units, in the order of frames")
      ->required()
      ->type_name("FILES");
  add_output(*command, *options), add_seed(*command, *options);
  command->add_option("--fps", options->fps, "Frames a second")->check(CLI::Range(1.0, 240.0))->capture_default_str();
  command->add_option("--smooth", options->smooth, "How much frames are like their neighbours; 0: not at all")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  command->add_option("--prior", options->prior, "How much the network of poses counts")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
}

}  // namespace

Result<Opened> open_file(const Terminal& terminal, const PoseOptions& options) {
  LIMBER_TRY(asset::Asset asset, read_asset_file(terminal, options.input));
  LIMBER_TRY(rig::Subject subject, subject_of(asset, options.facing));
  std::filesystem::path model = options.model;
  if (model.empty()) {
    LIMBER_TRY(model, pose_space::find_pose_model());
  }
  LIMBER_TRY(pose_space::PoseSpace space, pose_space::open_pose_space(subject, model));
  if (space.skeleton().size() < 2)
    return Error{"has one joint alone: there are no poses to choose from", options.input, ErrorKind::kUnsupported};
  if (space.skeleton().riders() > 0)
    spdlog::info("{} of {} joints ride along with those above them", space.skeleton().riders(),
                 subject.rig.joint_count());
  return Opened{std::move(asset), std::move(subject), std::move(space)};
}

Status write_motion(const Terminal& terminal, Opened& opened, const kinematics::Motion& motion, const std::string& name,
                    const std::string& output) {
  LIMBER_CHECK_OK(exporter::add_clip(opened.asset, opened.subject, motion, {.name = name}));
  LIMBER_CHECK_OK(
      write_asset_file(terminal, opened.asset, output, static_cast<int>(opened.asset.clips.size()) - 1, motion.fps));
  announce_file(terminal, output, name);
  return Done{};
}

void add_pose(CLI::App& app, Terminal& terminal) {
  CLI::App* group = app.add_subcommand("pose", "Plausible poses of any rigged body: draw, judge, mend, solve");
  group->require_subcommand(1);
  Options options;
  CLI::App* command =
      add_subcommand(*group, terminal, "sample", "Draw poses: a sheet of them, or a clip of one a second",
                     "limber pose sample fox.glb --count 16 -o poses.webp", run_sample, options);
  add_output(*command, *options), add_seed(*command, *options);
  command->add_option("--glb", options->clip_output, "Beside a sheet: the asset with a clip of one pose a second")
      ->type_name("FILE");
  command->add_option("--count", options->count, "How many")->check(CLI::Range(1, 10000))->capture_default_str();

  command = add_subcommand(*group, terminal, "score", "How plausible a clip is, per frame and joint (--json)",
                           "limber pose score walk.glb", run_score, options);
  add_clip_options(*command, *options);

  command = add_subcommand(*group, terminal, "project", "Bring a clip to the nearest plausible poses",
                           "limber pose project walk.glb -o mended.glb", run_project, options);
  add_output(*command, *options), add_clip_options(*command, *options), add_seed(*command, *options);
  command->add_option("--strength", options->strength, "How much may change, above 0 to 1")
      ->check(CLI::Range(0.001, 1.0))
      ->capture_default_str();

  command = add_subcommand(*group, terminal, "between", "Go from one file's pose to another's along plausible ones",
                           "limber pose between a.glb b.glb --frames 24 -o clip.glb", run_between, options);
  command->add_option("other", options->other, "The same body in another pose")->required()->type_name("FILE");
  add_output(*command, *options), add_clip_options(*command, *options);
  command->add_option("--from-time", options->seconds, "Where in the first file's clip, in seconds")
      ->capture_default_str();
  command->add_option("--to-time", options->other_seconds, "Where in the second file's clip")->capture_default_str();
  command->add_option("--frames", options->frames, "Ends included")->check(CLI::Range(2, 10000))->capture_default_str();

  command = add_subcommand(*group, terminal, "solve", "A plausible pose that puts joints where they should be",
                           "limber pose solve fox.glb --handle paw.L=0.1,0.4,0.3 -o posed.glb", run_solve, options);
  add_output(*command, *options), add_seed(*command, *options);
  command->add_option("--handle", options->handles, "JOINT=X,Y,Z in the asset's own units; may be repeated")
      ->required()
      ->type_name("PLACE");
  command->add_option("--variety", options->variety, "0: the most usual pose; up to 1: others, by the seed")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--look-at", options->looks, "JOINT=X,Y,Z: what a joint that looks ahead at rest should look at")
      ->type_name("PLACE");
  add_fit(*group, terminal);
}

}  // namespace limber::cli
