// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/lift.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "bench/bench.h"
#include "limber/asset/video.h"
#include "limber/base/rng.h"
#include "limber/lift/leading_joints.h"
#include "limber/lift/surface_view.h"
#include "limber/metrics/pose_error.h"
#include "limber/scene/body.h"
#include "limber/scene/layers.h"

namespace limber::bench {
namespace {

constexpr std::array kDamages{Damage::kBlur, Damage::kNoise, Damage::kLight, Damage::kGround, Damage::kAll};

std::string name(Damage damage) {
  switch (damage) {
    case Damage::kBlur:
      return "blurred by 1 px";
    case Damage::kNoise:
      return "noise of 0.04";
    case Damage::kLight:
      return "light from 0.8 to 1.2";
    case Damage::kGround:
      return "checkerboard and shadow";
    case Damage::kAll:
      return "all of these";
    default:
      return "clean";
  }
}

void damage(Frames& video, Damage kind, std::uint64_t seed) {
  const bool all = kind == Damage::kAll;
  if (all || kind == Damage::kBlur) lift::blur_frames(video, 1);
  Rng rng(seed);
  const std::size_t picture = video.values.size() / static_cast<std::size_t>(video.frames);
  for (std::size_t i = 0; i < video.values.size(); ++i) {
    float& value = video.values[i];
    if (all || kind == Damage::kLight) {
      const double phase = static_cast<double>(i / picture) / video.frames;
      value *= static_cast<float>(1 + 0.2 * std::sin(2 * kPi * phase));
    }
    if (all || kind == Damage::kNoise) value += static_cast<float>(0.04 * rng.normal());
    value = std::clamp(value, 0.0f, 1.0f);
  }
}

/// Share of joints that are where they should be in the pictures.
double pck(const Film& film, const kinematics::Motion& motion, const scene::Camera& camera) {
  const std::vector<Affine> found = kinematics::joint_matrices(film.creature.subject.rig, motion);
  const std::vector<Affine> truth = kinematics::joint_matrices(film.creature.subject.rig, film.truth);
  const auto joints = static_cast<std::size_t>(motion.joint_count);
  double sum = 0;
  for (std::size_t t = 0; t < static_cast<std::size_t>(motion.frame_count()); ++t) {
    std::vector<Vec2> a, b;
    for (std::size_t j = t * joints; j < (t + 1) * joints; ++j) {
      const lift::ImagePoint p = lift::project(camera, found[j].translation);
      const lift::ImagePoint q = lift::project(film.camera, truth[j].translation);
      a.push_back({p.x, p.y}), b.push_back({q.x, q.y});
    }
    sum += metrics::correct_points(a, b);
  }
  return sum / motion.frame_count();
}

Row rung_row(const std::string& title, const LiftScore& score) {
  const double n = std::max(score.count, 1);
  return {title, score.angle / n, "deg", "",
          fmt::format("position {:.1f} % of radius, PCK {:.0f} %", score.position / n, score.pck / n)};
}

Row polished_row(const std::string& title, const LiftScore& score) {
  const double n = std::max(score.count, 1);
  Row row = rung_row(title + "/polished", score);
  row.note += fmt::format(", silhouettes {:.2f}, {} of {} trusted, {:.1f} s", score.overlap / n, score.trusted,
                          score.count, score.seconds / n);
  return row;
}

void add_rows(Report& report, const std::string& title, const FilmLift& sums) {
  report.rows.push_back(rung_row(title + "/rest pose", sums.rest));
  report.rows.push_back(rung_row(title + "/planar", sums.planar));
  report.rows.push_back(rung_row(title + "/tracks", sums.tracks));
  report.rows.push_back(polished_row(title, sums.polished));
}

/// A film whose pictures are all the first: how far any joint strays.
Row still_row(std::uint64_t seed) {
  Film film = make_film({zoo::Plan::kQuadruped, zoo::Action::kWalk}, seed);
  const std::size_t picture = film.video.values.size() / static_cast<std::size_t>(film.video.frames);
  for (std::size_t i = picture; i < film.video.values.size(); ++i)
    film.video.values[i] = film.video.values[i % picture];
  const lift::VideoLift lift = lift::lift_video(film.creature.subject, &film.asset, film.video, kFilmFps).value();
  double most = 0;
  for (int t = 0; t < lift.motion.frame_count(); ++t) {
    for (int j = 0; j < lift.motion.joint_count; ++j) {
      const auto at = static_cast<std::size_t>(j);
      most =
          std::max(most, static_cast<double>(norm(lift.motion.frame_angles(t)[at] - lift.motion.frame_angles(0)[at])));
    }
  }
  return {"still video/largest turn of a joint", most * 180 / kPi, "deg", "", ""};
}

/// Joints relative to the root, in every frame, of the skeleton's radius.
std::vector<Vec3> joint_places(const rig::Rig& rig, const kinematics::Motion& motion) {
  const std::span<const Affine> rest = rig.world_from_rest();
  float radius = 1e-6f;
  for (const Affine& joint : rest) radius = std::max(radius, norm(joint.translation - rest[0].translation));
  const std::vector<Affine> joints = kinematics::joint_matrices(rig, motion);
  std::vector<Vec3> places;
  const auto count = static_cast<std::size_t>(rig.joint_count());
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Affine& root = joints[i / count * count];
    // In the root's rest frame of the world, so that left and right are along x.
    const Affine turn = rest[0] * inverse(root);
    places.push_back((1 / radius) * (turn * joints[i].translation - rest[0].translation));
  }
  return places;
}

/// The same film, mirrored: left and right should change places, and nothing else.
Row mirror_row(std::uint64_t seed) {
  Film film = make_film({zoo::Plan::kQuadruped, zoo::Action::kWalk, 1.2f}, seed);
  const rig::Rig& rig = film.creature.subject.rig;
  const lift::VideoLift plain = lift::lift_video(film.creature.subject, &film.asset, film.video, kFilmFps).value();
  for (std::size_t row = 0; row < film.video.values.size(); row += kFilmSize) {
    std::reverse(film.video.values.begin() + static_cast<std::ptrdiff_t>(row),
                 film.video.values.begin() + static_cast<std::ptrdiff_t>(row + kFilmSize));
  }
  const lift::VideoLift mirrored = lift::lift_video(film.creature.subject, &film.asset, film.video, kFilmFps).value();
  const std::vector<Vec3> a = joint_places(rig, plain.motion), b = joint_places(rig, mirrored.motion);
  const auto count = static_cast<std::size_t>(rig.joint_count());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::string partner = rig.joints()[i % count].name;
    if (partner.ends_with(".L")) {
      partner.back() = 'R';
    } else if (partner.ends_with(".R")) {
      partner.back() = 'L';
    }
    const int other = rig.find(partner);
    const Vec3 place = b[i / count * count + (other >= 0 ? static_cast<std::size_t>(other) : i % count)];
    sum += static_cast<double>(norm(a[i] - Vec3{-place.x, place.y, place.z}));
  }
  return {"mirrored video/joints from the mirror image", 100 * sum / static_cast<double>(a.size()), "% of radius", "",
          ""};
}

struct LiftSettings : CommonSettings {
  std::string groups;
  int subjects = 6;                                      ///< of those that are filmed from all sides
  std::string pose_prior = "off", motion_prior = "off";  ///< as of `limber animate`
  animate::JointPriorSettings prior;
};

Result<Report> bench_lift(const LiftSettings& settings) {
  const FilmPrior prior{settings.pose_prior == "on", settings.motion_prior == "on", settings.prior};
  if (prior.poses && prior.motions) return Error{"one network tells what pictures leave open", "--motion-prior"};
  Report report{
      fmt::format("lift: {} frames of {} x {}, cameras unknown, mean angle error", kFilmFrames, kFilmSize, kFilmSize),
      {}};
  const std::array<std::pair<zoo::Plan, zoo::Action>, 6> subjects{{{zoo::Plan::kQuadruped, zoo::Action::kWalk},
                                                                   {zoo::Plan::kBiped, zoo::Action::kWalk},
                                                                   {zoo::Plan::kTheropod, zoo::Action::kWalk},
                                                                   {zoo::Plan::kHexapod, zoo::Action::kWalk},
                                                                   {zoo::Plan::kBird, zoo::Action::kWalk},
                                                                   {zoo::Plan::kFish, zoo::Action::kSwim}}};
  const std::array<std::pair<const char*, float>, 3> views{
      {{"side", 1.57f}, {"three-quarter", 0.8f}, {"front", 0.15f}}};
  LiftScore seen;
  for (const auto& [title, azimuth] : views) {
    if (!holds_name(settings.groups, "views")) break;
    FilmLift sums;
    for (std::size_t k = 0; k < static_cast<std::size_t>(settings.subjects); ++k) {
      LIMBER_TRY(
          const FilmLift lifted,
          lift_film(make_film({subjects[k].first, subjects[k].second, azimuth, Damage::kNone}, settings.seed), prior));
      sums.add(lifted);
    }
    add_rows(report, title, sums);
    seen.add(sums.polished);
  }
  for (const Damage kind : kDamages) {
    if (!holds_name(settings.groups, "damage")) break;
    FilmLift sums;
    for (std::size_t k = 0; k < 3; ++k) {
      LIMBER_TRY(const FilmLift lifted,
                 lift_film(make_film({subjects[k].first, subjects[k].second, 1.2f, kind}, settings.seed), prior));
      sums.add(lifted);
    }
    report.rows.push_back(polished_row(name(kind), sums.polished));
  }
  for (const auto& [source, sums] : seen.by_source) {
    const double n = std::max(sums.count, 1.0);
    report.rows.push_back({fmt::format("joints {}", lift::name(source)), sums.error / n, "deg", "",
                           fmt::format("{:.0f} joint frames, {:.1f} deg at rest", sums.count, sums.rest_error / n)});
  }
  if (!holds_name(settings.groups, "controls")) return report;
  report.rows.push_back(still_row(settings.seed));
  report.rows.push_back(mirror_row(settings.seed));
  return report;
}

}  // namespace

Film make_film(const Shot& shot, std::uint64_t seed) {
  zoo::CreatureSettings settings;
  settings.plan = shot.plan, settings.seed = seed, settings.resolution = 48;
  Film film{zoo::make_creature(settings).value(), {}, {}, {}, {}};
  film.asset = zoo::static_asset(film.creature);
  zoo::ActionSettings action;
  action.action = shot.action, action.frames = kFilmFrames, action.fps = kFilmFps, action.in_place = true;
  film.truth = zoo::perform(film.creature, action).value().motion;

  scene::Body body = scene::Body::from_subject(film.asset, film.creature.subject).value();
  scene::BodyPose pose;
  std::vector<scene::Box> boxes;
  for (int t = 0; t < film.truth.frame_count(); ++t) {
    body.pose(film.truth, t, pose);
    boxes.push_back(scene::pose_box(body.mesh(), pose));
  }
  scene::OrbitSettings orbit;
  orbit.azimuth = shot.azimuth, orbit.elevation = 0.2f;
  orbit.width = orbit.height = kFilmSize;
  orbit.follow = false;
  film.camera = scene::orbit_cameras(boxes, kFilmFps, orbit).front();

  scene::LayerSettings layers;
  layers.ground.visible = shot.damage == Damage::kGround || shot.damage == Damage::kAll;
  if (!layers.ground.visible) layers.ground.sky = {0.35f, 0.55f, 0.75f};
  scene::LayerRenderer renderer(body, layers);
  film.video = Frames(1, film.truth.frame_count(), kFilmSize, kFilmSize);
  std::vector<Bitmap> pictures;
  const scene::Layer layer = scene::Layer::kRgb;
  for (int t = 0; t < film.truth.frame_count(); ++t) {
    body.pose(film.truth, t, pose);
    renderer.set_pose(pose);
    renderer.draw(film.camera, std::span(&layer, 1), pictures);
    asset::set_frame(film.video, 0, t, pictures.front());
  }
  damage(film.video, shot.damage, seed);
  return film;
}

void LiftScore::add(const LiftScore& other) {
  angle += other.angle, position += other.position, pck += other.pck;
  overlap += other.overlap, seconds += other.seconds;
  count += other.count, trusted += other.trusted;
  for (const auto& [source, sums] : other.by_source) {
    SourceSums& mine = by_source[source];
    mine.error += sums.error, mine.rest_error += sums.rest_error, mine.count += sums.count;
  }
}

void FilmLift::add(const FilmLift& other) {
  rest.add(other.rest), planar.add(other.planar), tracks.add(other.tracks), polished.add(other.polished);
}

LiftScore score_of(const Film& film, const kinematics::Motion& motion, const scene::Camera& camera) {
  const std::vector<bool> leads = lift::leading_joints(film.creature.subject);
  const metrics::PoseError error = metrics::pose_error(film.creature.subject.rig, motion, film.truth, leads);
  LiftScore score;
  score.angle = error.angle * 180 / kPi, score.position = 100 * error.position;
  score.pck = 100 * pck(film, motion, camera);
  score.count = 1;
  return score;
}

Result<FilmLift> lift_film(const Film& film, const FilmPrior& prior) {
  lift::VideoLiftSettings settings;
  animate::Request request;
  request.pose_prior = prior.poses, request.motion_prior = prior.motions;
  LIMBER_TRY(const std::optional<animate::JointPrior> joints,
             animate::JointPrior::open(animate::joints_plan(request), film.creature.subject, prior.settings));
  if (joints && prior.settings.weight > 0) settings.energies = {joints->energy(8)};
  LIMBER_TRY(lift::VideoLift lift,
             lift::lift_video(film.creature.subject, &film.asset, film.video, kFilmFps, settings));
  if (joints && prior.settings.lean > 0) lift.motion = joints->lean(lift.motion, lift.observability);
  FilmLift result;
  const scene::Camera camera = lift.cameras.empty() ? film.camera : lift.cameras.front();
  const kinematics::Motion rest =
      kinematics::rest_motion(film.creature.subject.rig, film.truth.frame_count(), kFilmFps);
  result.rest = score_of(film, rest, film.camera);
  result.polished = score_of(film, lift.motion, camera);
  // A video that nothing was found in counts with the rest pose on every rung.
  result.planar = lift.cameras.empty() ? result.polished : score_of(film, lift.rungs.planar, camera);
  result.tracks = lift.cameras.empty() ? result.polished : score_of(film, lift.rungs.tracks, camera);
  result.polished.overlap = lift.report.overlap, result.polished.seconds = lift.report.seconds;
  result.polished.trusted = lift.report.trusted;
  const std::vector<bool> leads = lift::leading_joints(film.creature.subject);
  for (int t = 0; t < lift.motion.frame_count(); ++t) {
    for (int j = 1; j < lift.motion.joint_count; ++j) {
      if (!leads[static_cast<std::size_t>(j)]) continue;
      LiftScore::SourceSums& sums =
          result.polished.by_source[lift.observability.sources[lift.observability.index(t, j)]];
      sums.error += metrics::joint_angle_error(lift.motion, film.truth, t, j) * 180 / kPi;
      sums.rest_error += metrics::joint_angle_error(rest, film.truth, t, j) * 180 / kPi;
      sums.count += 1;
    }
  }
  return result;
}

void add_lift_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<LiftSettings>();
  CLI::App& command =
      add_subject(bench, terminal,
                  {"lift", "Videos of known motions, lifted back",
                   "  limber-lab bench lift --seed 3\n  limber-lab bench lift --groups views --subjects 3 "
                   "--pose-prior on"},
                  *settings, [settings] { return bench_lift(*settings); });
  add_groups_option(command, settings->groups, {"views", "damage", "controls"});
  command.add_option("--subjects", settings->subjects, "How many of the six are filmed from all sides")
      ->check(CLI::Range(1, 6))
      ->capture_default_str();
  command.add_option("--pose-prior", settings->pose_prior, "What is not seen goes by the network of poses")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  command.add_option("--motion-prior", settings->motion_prior, "... or by the network of motions")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  command.add_option("--prior-weight", settings->prior.weight, "Of its energy, against the pictures")
      ->capture_default_str();
  command.add_option("--prior-lean", settings->prior.lean, "How far joints go its way that were not seen, 0 to 1")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--pose-time", settings->prior.pose_time, "How far off poses are thought to be, above 0 to 1")
      ->check(CLI::Range(0.001, 1.0))
      ->capture_default_str();
  command.add_option("--motion-time", settings->prior.motion_time, "... and motions, above 0 and below 1")
      ->check(CLI::Range(0.001, 0.999))
      ->capture_default_str();
}

}  // namespace limber::bench
