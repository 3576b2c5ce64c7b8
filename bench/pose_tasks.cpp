// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/poses.h"
#include "limber/base/threads.h"
#include "limber/pose_space/pose_complete.h"
#include "limber/pose_space/pose_solve.h"

/// Poses of which something is missing or wrong, mended.
namespace limber::bench {
namespace {

using pose_space::PoseSkeleton;
using pose_space::PoseState;

constexpr int kTries = 10;       // best and mean of so many
constexpr double kExact = 1e-4;  // heights: a handle that is met

/// Sums over cases, kept apart so that threads do not matter.
struct Errors {
  PoseGap best, mean;
  double count = 0;

  void add(const Errors& other) {
    best.place += other.best.place, best.angle += other.best.angle;
    mean.place += other.mean.place, mean.angle += other.mean.angle;
    count += other.count;
  }
  double of(double sum) const { return sum / std::max(count, 1.0); }
};

/// Calls `run(body, case number, rng)` for all cases of all bodies, each with numbers of its own.
template <class Case, class Run>
std::vector<Case> run_cases(const PoseBodies& set, const PoseBenchSettings& settings, const Run& run) {
  const auto each = at(settings.cases);
  std::vector<Case> cases(set.bodies.size() * each);
  parallel_for(cases.size(), 1, [&](std::size_t i, std::size_t) {
    Rng rng(settings.seed, 1000 + i);
    cases[i] = run(set.bodies[i / each], rng);
  });
  return cases;
}

const PoseState& pick(const PoseBody& body, Rng& rng) {
  return body.poses[rng.below(static_cast<std::uint32_t>(body.poses.size()))];
}

// --- completion ------------------------------------------------------------------------------------------------------

/// One limb, and what hangs on it; empty where the body has none.
std::vector<bool> hide_limb(const PoseSkeleton& skeleton, Rng& rng) {
  std::vector<int> limbs;
  for (const pose_space::PoseJoint& joint : skeleton.joints) {
    const int limb = skeleton.rig.joints()[at(joint.joint)].role.limb;
    if (limb > 0 && joint.parent >= 0 && std::find(limbs.begin(), limbs.end(), limb) == limbs.end())
      limbs.push_back(limb);
  }
  if (limbs.empty()) return {};
  const int chosen = limbs[rng.below(static_cast<std::uint32_t>(limbs.size()))];
  std::vector<bool> hidden(skeleton.joints.size(), false);
  for (std::size_t j = 1; j < hidden.size(); ++j) {
    const pose_space::PoseJoint& joint = skeleton.joints[j];
    hidden[j] = skeleton.rig.joints()[at(joint.joint)].role.limb == chosen || hidden[at(joint.parent)];
  }
  return hidden;
}

Errors errors_of(const PoseSkeleton& skeleton, const std::vector<PoseState>& tries, const PoseState& truth,
                 const std::vector<bool>& hidden) {
  Errors errors;
  if (tries.empty()) return errors;
  errors.best = {1e300, 1e300}, errors.count = 1;
  for (const PoseState& pose : tries) {
    const PoseGap gap = pose_gap(skeleton, pose, truth, hidden);
    errors.best = {std::min(errors.best.place, gap.place), std::min(errors.best.angle, gap.angle)};
    errors.mean.place += gap.place / static_cast<double>(tries.size());
    errors.mean.angle += gap.angle / static_cast<double>(tries.size());
  }
  return errors;
}

constexpr std::array kMenders{"pose space",      "rest pose",   "nearest known pose",
                              "normal per role", "autoencoder", "motion space, standing still"};
constexpr std::size_t kRival = 5;  // is no baseline: it may take the pose space's place
using Mended = std::array<Errors, kMenders.size()>;

/// What the network of motions makes of a limb where all others stand still as they are: the pose in the middle.
PoseState complete_by_motion(const PoseBody& body, const PoseState& truth, const std::vector<bool>& hidden,
                             std::uint64_t seed) {
  const motion_space::MotionSpace& space = *body.motions;
  const kinematics::Pose pose = decode_pose(space.skeleton(), truth, {});
  kinematics::Motion still;
  still.fps = motion_space::kFps, still.joint_count = static_cast<int>(pose.angles.size());
  for (int f = 0; f < motion_space::kFrames; ++f) {
    still.angles.insert(still.angles.end(), pose.angles.begin(), pose.angles.end());
    still.root_translations.push_back(pose.root_translation);
  }
  motion_space::DrawSettings settings;
  settings.seed = seed, settings.guidance = 1;
  settings.known.state = motion_space::encode_motion(space.skeleton(), still);
  for (int f = 0; f < motion_space::kFrames; ++f) {
    settings.known.slots.push_back(true);
    for (const bool h : hidden) settings.known.slots.push_back(!h);
  }
  const motion_space::MotionState drawn = space.draw(settings).value();
  const std::span<const double> frame = drawn.frame(motion_space::kFrames / 2);
  PoseState state;
  for (std::size_t j = 0; j < hidden.size(); ++j) {
    for (int k = 0; k < pose_space::kStateSize; ++k) state.push_back(frame[j * motion_space::kJointNumbers + at(k)]);
  }
  return state;
}

Mended complete(const PoseBody& body, const RolePoses& known, Rng& rng) {
  const PoseSkeleton& skeleton = body.space.skeleton();
  const PoseState& truth = pick(body, rng);
  const std::vector<bool> hidden = hide_limb(skeleton, rng);
  if (hidden.empty()) return {};
  std::vector<PoseState> drawn, normal, rebuilt, moved;
  for (std::uint64_t k = 0; k < kTries; ++k) {
    drawn.push_back(complete_pose(body.space, truth, hidden, 77 + k));
    normal.push_back(known.draw(skeleton, truth, hidden, rng));
    if (body.vae) rebuilt.push_back(body.vae->vae->complete(body.vae->body, truth, hidden, 77 + k));
    if (body.motions) moved.push_back(complete_by_motion(body, truth, hidden, 77 + k));
  }
  std::vector<Vec3d> turns = local_turns(skeleton, truth);
  for (std::size_t j = 0; j < turns.size(); ++j) {
    if (hidden[j]) turns[j] = {};
  }
  const std::vector<PoseState> still{pose_of_turns(skeleton, turns)};
  std::vector<PoseState> near = known.nearest(skeleton, truth, hidden, kTries);
  if (near.empty()) near = still;
  return {errors_of(skeleton, drawn, truth, hidden),   errors_of(skeleton, still, truth, hidden),
          errors_of(skeleton, near, truth, hidden),    errors_of(skeleton, normal, truth, hidden),
          errors_of(skeleton, rebuilt, truth, hidden), errors_of(skeleton, moved, truth, hidden)};
}

// --- denoising -------------------------------------------------------------------------------------------------------

/// Every joint turned about a random axis, by `degrees` on average (root mean square).
PoseState with_noise(const PoseSkeleton& skeleton, const PoseState& pose, double degrees, Rng& rng) {
  const double sigma = degrees * kPi / 180 / std::sqrt(3.0);
  std::vector<Vec3d> noise(skeleton.joints.size());
  for (std::size_t j = 1; j < noise.size(); ++j)
    noise[j] = {sigma * rng.normal(), sigma * rng.normal(), sigma * rng.normal()};
  const pose_space::PoseShape shape = shape_of(skeleton, pose),
                              turned = shape_of(skeleton, pose_of_turns(skeleton, noise));
  std::vector<Mat3d> world;
  for (std::size_t j = 0; j < noise.size(); ++j) {
    const int parent = skeleton.joints[j].parent;
    if (parent < 0) {
      world.push_back(shape.turns[j]);
      continue;
    }
    const Mat3d own = transposed(shape.turns[at(parent)]) * shape.turns[j];
    world.push_back(world[at(parent)] * own * (transposed(turned.turns[at(parent)]) * turned.turns[j]));
  }
  return state_of(skeleton, world);
}

/// How large such noise is in units of states: that of the rest pose.
double size_of_noise(const PoseSkeleton& skeleton, double degrees) {
  Rng rng(5, 5);
  double sum = 0, count = 0;
  for (int i = 0; i < 4; ++i) {
    for (const double v : with_noise(skeleton, rest_of(skeleton), degrees, rng)) sum += v * v, count += 1;
  }
  return std::sqrt(sum / std::max(count, 1.0));
}

constexpr std::array kCleaners{"as it is",           "pose space",      "rest pose",
                               "nearest known pose", "normal per role", "autoencoder"};
using Cleaned = std::array<Errors, kCleaners.size()>;

Cleaned clean(const PoseBody& body, const RolePoses& known, double degrees, Rng& rng) {
  const PoseSkeleton& skeleton = body.space.skeleton();
  const PoseState& truth = pick(body, rng);
  const PoseState noisy = with_noise(skeleton, truth, degrees, rng);
  const double time = pose_space::time_of_noise(size_of_noise(skeleton, degrees));
  const PoseState settled = body.space.settle(noisy, std::max(time, 0.01));
  const std::vector<bool> none(skeleton.joints.size(), false);
  std::vector<PoseState> near = known.nearest(skeleton, noisy, none, 1);
  if (near.empty()) near.push_back(rest_of(skeleton));
  const std::array<PoseState, kCleaners.size()> made{
      noisy,
      state_of(skeleton, shape_of(skeleton, settled).turns),
      rest_of(skeleton),
      near[0],
      known.denoise(skeleton, noisy, degrees * kPi / 180 / std::sqrt(3.0)),
      body.vae ? body.vae->vae->denoise(body.vae->body, noisy) : PoseState{}};
  Cleaned cleaned;
  for (std::size_t m = 0; m < made.size(); ++m) {
    if (made[m].empty()) continue;
    cleaned[m].mean = pose_gap(skeleton, made[m], truth), cleaned[m].count = 1;
  }
  return cleaned;
}

// --- handles ---------------------------------------------------------------------------------------------------------

struct Reached {
  double guided = 0, error = 0, met = 0, others = 0, plain_error = 0, plain_met = 0, plain_others = 0;
  double count = 0, handles = 0;

  void add(const Reached& o) {
    guided += o.guided, error += o.error, met += o.met, others += o.others;
    plain_error += o.plain_error, plain_met += o.plain_met, plain_others += o.plain_others;
    count += o.count, handles += o.handles;
  }
};

/// Two to four ends of limbs, where a real pose has them.
std::vector<pose_space::PoseHandle> draw_handles(const PoseSkeleton& skeleton, const PoseState& pose, Rng& rng) {
  std::vector<bool> is_end(skeleton.joints.size(), true);
  for (std::size_t j = 1; j < is_end.size(); ++j) is_end[at(skeleton.joints[j].parent)] = false;
  std::vector<int> ends;
  for (int j = 1; j < skeleton.size(); ++j) {
    if (is_end[at(j)]) ends.push_back(j);
  }
  const pose_space::PoseShape shape = shape_of(skeleton, pose);
  const std::size_t count = std::min<std::size_t>(2 + rng.below(3), ends.size());
  std::vector<pose_space::PoseHandle> handles;
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(ends[i], ends[i + rng.below(static_cast<std::uint32_t>(ends.size() - i))]);
    handles.push_back({ends[i], shape.places[at(ends[i])]});
  }
  return handles;
}

Reached reach(const PoseBody& body, const PoseBenchSettings& bench, Rng& rng) {
  const PoseSkeleton& skeleton = body.space.skeleton();
  const PoseState& truth = pick(body, rng);
  const std::vector<pose_space::PoseHandle> handles = draw_handles(skeleton, truth, rng);
  if (handles.empty()) return {};
  pose_space::SolveSettings settings;
  settings.energies = usual_energies(
      skeleton, sample_surface(skeleton, {body.subject.points, body.subject.triangles, body.subject.weights}));
  settings.variety = bench.variety;
  const pose_space::SolvedPose solved = solve_pose(body.space, handles, settings);
  const pose_space::MetHandles plain = meet_handles(skeleton, rest_of(skeleton), handles);
  std::vector<bool> others(skeleton.joints.size(), true);
  others[0] = false;
  Reached reached;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    others[at(handles[i].joint)] = false;
    reached.guided += 100 * solved.guided[i], reached.error += 100 * solved.errors[i];
    reached.plain_error += 100 * plain.errors[i];
    reached.met += solved.errors[i] * skeleton.radius <= kExact ? 1 : 0;
    reached.plain_met += plain.errors[i] * skeleton.radius <= kExact ? 1 : 0;
  }
  reached.handles = static_cast<double>(handles.size()), reached.count = 1;
  reached.others = pose_gap(skeleton, solved.state, truth, others).place;
  reached.plain_others = pose_gap(skeleton, plain.state, truth, others).place;
  return reached;
}

}  // namespace

PoseGap pose_gap(const PoseSkeleton& skeleton, const PoseState& a, const PoseState& b,
                 const std::vector<bool>& counted) {
  const pose_space::PoseShape p = shape_of(skeleton, a), q = shape_of(skeleton, b);
  PoseGap gap;
  double count = 0;
  for (std::size_t j = 1; j < p.turns.size(); ++j) {
    if (!counted.empty() && !counted[j]) continue;
    const std::size_t parent = at(skeleton.joints[j].parent);
    gap.place += 100 * norm(p.places[j] - q.places[j]);
    gap.angle += 180 / kPi *
                 angle_between(to_quat(transposed(p.turns[parent]) * p.turns[j]),
                               to_quat(transposed(q.turns[parent]) * q.turns[j]));
    count += 1;
  }
  gap.place /= std::max(count, 1.0), gap.angle /= std::max(count, 1.0);
  return gap;
}

void add_completion_rows(const PoseBodies& set, const RolePoses& known, const PoseBenchSettings& settings,
                         Report& report) {
  Mended sums;
  const auto cases =
      run_cases<Mended>(set, settings, [&](const PoseBody& body, Rng& rng) { return complete(body, known, rng); });
  for (const Mended& mended : cases) {
    for (std::size_t m = 0; m < sums.size(); ++m) sums[m].add(mended[m]);
  }
  const std::string name = set.name + "/completion/";
  double baseline = 1e300;
  for (std::size_t m = 0; m < sums.size(); ++m) {
    const Errors& e = sums[m];
    if (e.count == 0) continue;
    report.rows.push_back({name + kMenders[m], e.of(e.best.place), "% radius", "",
                           fmt::format("best of {}; mean {:.1f} %; {:.1f} and {:.1f} deg; {:.0f} cases", kTries,
                                       e.of(e.mean.place), e.of(e.best.angle), e.of(e.mean.angle), e.count)});
    if (m > 0 && m != kRival) baseline = std::min(baseline, e.of(e.best.place));
  }
  report.rows.push_back({name + "better than the best of the others",
                         100 * (1 - sums[0].of(sums[0].best.place) / baseline), "%", ">= 40", ""});
}

void add_denoising_rows(const PoseBodies& set, const RolePoses& known, const PoseBenchSettings& settings,
                        Report& report) {
  for (const double degrees : {5.0, 10.0, 20.0}) {
    Cleaned sums;
    const auto cases = run_cases<Cleaned>(
        set, settings, [&](const PoseBody& body, Rng& rng) { return clean(body, known, degrees, rng); });
    for (const Cleaned& cleaned : cases) {
      for (std::size_t m = 0; m < sums.size(); ++m) sums[m].add(cleaned[m]);
    }
    for (std::size_t m = 0; m < sums.size(); ++m) {
      const Errors& e = sums[m];
      if (e.count == 0) continue;
      report.rows.push_back({fmt::format("{}/noise of {:.0f} deg/{}", set.name, degrees, kCleaners[m]),
                             e.of(e.mean.angle), "deg", "", fmt::format("{:.1f} % of radius", e.of(e.mean.place))});
    }
  }
}

void add_handle_rows(const PoseBodies& set, const PoseBenchSettings& settings, Report& report) {
  Reached sum;
  for (const Reached& reached :
       run_cases<Reached>(set, settings, [&](const PoseBody&body, Rng&rng) { return reach(body, settings, rng); }))
    sum.add(reached);
  const double cases = std::max(sum.count, 1.0), handles = std::max(sum.handles, 1.0);
  const std::string name = set.name + "/2 to 4 handles/";
  report.rows.push_back(
      {name + "pose space: other joints", sum.others / cases, "% radius", "",
       fmt::format("{:.0f} cases; handles {:.2f} % off before the exact step, {:.4f} % after; {:.0f} % met", sum.count,
                   sum.guided / handles, sum.error / handles, 100 * sum.met / handles)});
  report.rows.push_back(
      {name + "plain damped IK: other joints", sum.plain_others / cases, "% radius", "",
       fmt::format("handles {:.4f} % off; {:.0f} % met", sum.plain_error / handles, 100 * sum.plain_met / handles)});
  report.rows.push_back(
      {name + "other joints, against plain IK", sum.others / std::max(sum.plain_others, 1e-9), "times", "<= 0.5", ""});
}

}  // namespace limber::bench
