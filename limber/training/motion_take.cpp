// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/motion_take.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/base/at.h"
#include "limber/motion_space/motion_contacts.h"
#include "limber/pose_space/pose_state.h"

namespace limber::training {
namespace {

using motion_space::kBodyNumbers;
using motion_space::kFps;
using motion_space::kFrames;

constexpr int kLeastFrames = 4;
constexpr double kLeastSeconds = 0.2, kLeastMoved = 0.01;  // radians or radii, at the end that moves most
constexpr double kLeastLeft = 0.6;                         // of a clip, without what bursts
constexpr double kBurst = 2.4, kBurstWay = 0.7;            // radians, radii from one frame to the next

double unwrapped(double angle, double near) { return angle + 2 * kPi * std::round((near - angle) / (2 * kPi)); }

/// Catmull-Rom's weights of four frames round a share of the second one's way to the third.
std::array<double, 4> cubic(double u) {
  return {0.5 * (-u + 2 * u * u - u * u * u), 0.5 * (2 - 5 * u * u + 3 * u * u * u),
          0.5 * (u + 4 * u * u - 3 * u * u * u), 0.5 * (-u * u + u * u * u)};
}

/// A frame of a take that may have begun again, or is over.
struct Place {
  int frame = 0, lap = 0;
};
Place place_of(const MotionTake& take, int frame, bool repeats) {
  if (!repeats) return {std::clamp(frame, 0, take.frames - 1), 0};
  const int lap = static_cast<int>(std::floor(frame / static_cast<double>(take.frames)));
  return {frame - lap * take.frames, lap};
}

/// How far one lap of a loop gets: its last frame is followed by the first.
std::array<double, kBodyNumbers> lap_way(const MotionTake& take) {
  std::array<double, kBodyNumbers> way{};
  const float* last = take.way.data() + at((take.frames - 1) * kBodyNumbers);
  const double more = take.frames / (take.frames - 1.0);
  for (int k = 0; k < kBodyNumbers; ++k) way[at(k)] = k == 3 ? 0 : more * (last[k] - take.way[at(k)]);
  return way;
}

/// All of a clip; none where a number is not finite.
std::optional<MotionTake> read_take(const pose_space::PoseSkeleton& skeleton, const kinematics::Motion& motion,
                                    Vec3 velocity) {
  MotionTake take;
  take.fps = motion.fps, take.frames = motion.frame_count(), take.joints = skeleton.size(), take.loops = motion.loops;
  take.turns.reserve(at(take.frames * take.joints * 6)), take.way.reserve(at(take.frames * kBodyNumbers));
  double before = 0;
  for (int f = 0; f < take.frames; ++f) {
    double heading = 0;
    const std::vector<Mat3d> turns = pose_space::turns_of(skeleton, motion.frame_angles(f), &heading);
    before = f == 0 ? heading : unwrapped(heading, before);
    const Vec3d place = (motion.root_translations[at(f)] + static_cast<float>(f / take.fps) * velocity).cast<double>();
    const Vec3d way = (1 / skeleton.radius) * (skeleton.from_world * place);
    for (const double number : {before, way.x, way.z, way.y}) take.way.push_back(static_cast<float>(number));
    for (const Mat3d& turn : turns) {
      for (int c = 0; c < 2; ++c) {
        for (int k = 0; k < 3; ++k) take.turns.push_back(static_cast<float>(turn(k, c)));
      }
    }
  }
  const auto finite = [](float v) { return std::isfinite(v); };
  if (!std::all_of(take.turns.begin(), take.turns.end(), finite)) return std::nullopt;
  if (!std::all_of(take.way.begin(), take.way.end(), finite)) return std::nullopt;
  return take;
}

/// By how much the joint that turned most did from frame `a` to frame `b`.
double turned_most(const MotionTake& take, int a, int b) {
  const auto turn = [&](int frame, int j) {
    const float* t = take.turns.data() + at((frame * take.joints + j) * 6);
    const Vec3d x{t[0], t[1], t[2]}, y{t[3], t[4], t[5]};
    return Mat3d::from_columns(x, y, cross(x, y));
  };
  double most = 0;
  for (int j = 0; j < take.joints; ++j) {
    const Mat3d change = transposed(turn(a, j)) * turn(b, j);
    most = std::max(most, std::acos(std::clamp((change(0, 0) + change(1, 1) + change(2, 2) - 1) / 2, -1.0, 1.0)));
  }
  return most;
}

/// By how much the place of the body changed most along an axis.
double went_most(const MotionTake& take, int a, int b) {
  double most = 0;
  for (int k = 1; k < kBodyNumbers; ++k) {
    const auto way = [&](int frame) -> double { return take.way[at(frame * kBodyNumbers + k)]; };
    most = std::max(most, std::abs(way(b) - way(a)));
  }
  return most;
}

/// Whether anything is suddenly elsewhere in a frame.
bool bursts(const MotionTake& take, int f) {
  return turned_most(take, f - 1, f) > kBurst || went_most(take, f - 1, f) > kBurstWay;
}

double moved_most(const MotionTake& take) {
  double most = 0;
  for (int f = 1; f < take.frames; ++f) most = std::max({most, turned_most(take, 0, f), went_most(take, 0, f)});
  return most;
}

/// A part of a loop is none.
void cut_take(int from, int to, MotionTake& take) {
  const auto cut = [&](std::vector<float>& values, int each) {
    values.erase(values.begin() + to * each, values.end());
    values.erase(values.begin(), values.begin() + from * each);
  };
  cut(take.turns, take.joints * 6), cut(take.way, kBodyNumbers);
  take.frames = to - from, take.loops = false;
}

}  // namespace

std::optional<MotionTake> make_take(const pose_space::PoseSkeleton& skeleton, const kinematics::Motion& motion,
                                    Vec3 velocity) {
  std::optional<MotionTake> take = read_take(skeleton, motion, velocity);
  if (!take) return take;
  // What bursts is cut off, where most of it is left.
  int from = 0, to = 0;
  for (int begin = 0, f = 1; f <= take->frames; ++f) {
    if (f < take->frames && !bursts(*take, f)) continue;
    if (f - begin > to - from) from = begin, to = f;
    begin = f;
  }
  if (to - from < kLeastLeft * take->frames) return std::nullopt;
  if (to - from < take->frames) cut_take(from, to, *take);
  if (take->frames < kLeastFrames || take->frames / take->fps < kLeastSeconds) return std::nullopt;
  if (moved_most(*take) < kLeastMoved) return std::nullopt;
  return take;
}

void play_take(const MotionTake& take, const TakePlaying& playing, const std::vector<int>& kept,
               motion_space::MotionExample& example) {
  const bool repeats = take.loops && !take.once;
  const std::array<double, kBodyNumbers> lap = lap_way(take);
  const std::size_t joints = kept.size();
  example.turns.assign(at(kFrames) * joints * 6, 0), example.way.assign(at(kFrames * kBodyNumbers), 0);
  std::array<double, kBodyNumbers> origin{};
  for (int f = 0; f < kFrames; ++f) {
    double where = (playing.start + f / kFps * playing.speed) * take.fps;
    if (!repeats) where = std::clamp(where, 0.0, take.frames - 1.0);
    const int frame = static_cast<int>(std::floor(where));
    const std::array<double, 4> weights = cubic(where - frame);
    std::array<double, kBodyNumbers> way{};
    for (int i = 0; i < 4; ++i) {
      const Place place = place_of(take, frame - 1 + i, repeats);
      const float* turns = take.turns.data() + at(place.frame * take.joints * 6);
      for (std::size_t j = 0; j < joints; ++j) {
        for (int k = 0; k < 6; ++k)
          example.turns[(at(f) * joints + j) * 6 + at(k)] +=
              static_cast<float>(weights[at(i)]) * turns[kept[j] * 6 + k];
      }
      for (int k = 0; k < kBodyNumbers; ++k)
        way[at(k)] += weights[at(i)] * (take.way[at(place.frame * kBodyNumbers + k)] + place.lap * lap[at(k)]);
    }
    if (f == 0) origin = way;
    // Against the first frame, and as seen from there.
    const double c = std::cos(origin[0]), s = std::sin(origin[0]), x = way[1] - origin[1], z = way[2] - origin[2];
    float* row = example.way.data() + at(f * kBodyNumbers);
    row[0] = static_cast<float>(way[0] - origin[0]), row[1] = static_cast<float>(c * x - s * z);
    row[2] = static_cast<float>(s * x + c * z), row[3] = static_cast<float>(way[3]);
  }
  example.way_known = take.way_known, example.periodic = playing.periodic;
}

void find_contacts(const pose_space::PoseSkeleton& skeleton, const std::vector<bool>& feet,
                   motion_space::MotionExample& example) {
  const std::size_t joints = skeleton.joints.size();
  example.contacts.assign(at(kFrames) * joints, 0);
  std::vector<Vec3d> places(at(kFrames) * joints);
  for (int f = 0; f < kFrames; ++f) {
    const float* way = example.way.data() + at(f * kBodyNumbers);
    const double c = std::cos(way[0]), s = std::sin(way[0]);
    std::vector<Vec3d> here(joints);
    for (std::size_t j = 0; j < joints; ++j) {
      const pose_space::PoseJoint& joint = skeleton.joints[j];
      if (joint.parent >= 0) {
        const float* t = example.turns.data() + (at(f) * joints + at(joint.parent)) * 6;
        const Vec3d x = normalized(Vec3d{t[0], t[1], t[2]}), y = normalized(Vec3d{t[3], t[4], t[5]});
        here[j] = here[at(joint.parent)] + Mat3d::from_columns(x, y, cross(x, y)) * joint.offset;
      }
      places[at(f) * joints + j] = {c * here[j].x + s * here[j].z + way[1], here[j].y + way[3],
                                    c * here[j].z - s * here[j].x + way[2]};
    }
  }
  const std::vector<bool> standing = motion_space::find_standing(skeleton, feet, places, example.way_known);
  std::copy(standing.begin(), standing.end(), example.contacts.begin());
}

}  // namespace limber::training
