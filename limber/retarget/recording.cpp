// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/recording.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "limber/asset/pose.h"
#include "limber/base/at.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/playing.h"
#include "limber/retarget/turns.h"

namespace limber::retarget {
namespace {

/// The first frame is a pose of its own where joints turn so many times as far to the next as they do from frame to
/// frame, and so far in all, radians.
constexpr double kTimes = 8, kLeast = 1;

/// A cycle has more frames than this, comes back as near as this (radians, and of the body's size), and turns by
/// this much in between, radians.
constexpr int kShortestCycle = 5;
constexpr double kSame = 2e-3, kMoves = 0.02;

/// How far all joints turn together from key to key; empty where channels have other keys.
std::vector<double> turns_between_keys(const asset::Clip& clip) {
  std::vector<double> turns;
  for (const asset::Channel& channel : clip.channels) {
    if (channel.path != asset::Path::kRotation || channel.interpolation == asset::Interpolation::kCubicSpline) continue;
    const std::size_t keys = channel.times.size();
    if (keys < 2 || (!turns.empty() && turns.size() != keys - 1) || channel.values.size() != 4 * keys) return {};
    turns.resize(keys - 1, 0.0);
    const auto key = [&](std::size_t k) {
      const float* q = &channel.values[4 * k];
      return normalized(Quatd{q[0], q[1], q[2], q[3]});
    };
    for (std::size_t k = 0; k + 1 < keys; ++k) turns[k] += angle_between(key(k), key(k + 1));
  }
  return turns;
}

void drop_first_key(asset::Clip& clip, float next) {
  for (asset::Channel& channel : clip.channels) {
    const std::size_t width = channel.times.empty() ? 0 : channel.values.size() / channel.times.size();
    if (channel.times.size() > 1) {
      channel.times.erase(channel.times.begin());
      channel.values.erase(channel.values.begin(), channel.values.begin() + static_cast<std::ptrdiff_t>(width));
    }
    for (float& time : channel.times) time = std::max(0.0f, time - next);
  }
}

}  // namespace

void start_at_origin(const rig::Rig& rig, kinematics::Motion& motion) {
  const std::vector<Affine> posed = kinematics::joint_matrices(rig, motion);
  const Quatd rest = normalized(rig.joints()[0].rest.rotation.cast<double>());
  const auto root_turn = [&](int frame) {
    return rest * to_quat(kinematics::euler_matrix(motion.frame_angles(frame)[0].cast<double>()));
  };
  const Vec3d facing = rotate(root_turn(0) * conjugate(rest), Vec3d{0, 0, 1});
  const Quatd turn = axis_angle(Vec3d{0, 1, 0}, -std::atan2(facing.x, facing.z));

  // The lowest joints of a few frames in a hundred may be off.
  std::vector<float> lows;
  float rest_low = 1e30f;
  for (const Affine& joint : rig.world_from_rest()) rest_low = std::min(rest_low, joint.translation.y);
  const std::size_t count = rig.joints().size();
  for (std::size_t f = 0; f < posed.size() / count; ++f) {
    float low = 1e30f;
    for (std::size_t j = 0; j < count; ++j) low = std::min(low, posed[f * count + j].translation.y);
    lows.push_back(low);
  }
  std::sort(lows.begin(), lows.end());
  const double drop = lows[lows.size() / 20] - rest_low;

  const Vec3d start = motion.root_translations.front().cast<double>();
  for (int f = 0; f < motion.frame_count(); ++f) {
    const Vec3d moved = motion.root_translations[at(f)].cast<double>() - Vec3d{start.x, drop, start.z};
    motion.root_translations[at(f)] = rotate(turn, moved).cast<float>();
    const Quatd local = conjugate(rest) * turn * root_turn(f);
    const Vec3d before = f > 0 ? motion.frame_angles(f - 1)[0].cast<double>() : Vec3d{};
    motion.frame_angles(f)[0] = kinematics::euler_angles(to_matrix(local), before).cast<float>();
  }
}

bool close_cycle(const rig::Rig& rig, kinematics::Motion& motion) {
  const int last = motion.frame_count() - 1;
  if (motion.loops || last < kShortestCycle) return false;
  const Played played = play(rig, motion);
  Vec3d low{1e30, 1e30, 1e30}, high{-1e30, -1e30, -1e30};
  for (int j = 0; j < rig.joint_count(); ++j) {
    low = min(low, played.place(0, j)), high = max(high, played.place(0, j));
  }
  const double size = norm(high - low);
  const Vec3d lap = played.place(last, 0) - played.place(0, 0);
  double moves = 0;
  for (int j = 0; j < rig.joint_count(); ++j) {
    const Vec3d off = played.place(last, j) - played.place(0, j) - lap;
    if (norm(off) > kSame * size || angle_between(played.turn(0, j), played.turn(last, j)) > kSame) return false;
    for (int f = 1; f < last; ++f) moves = std::max(moves, angle_between(played.turn(0, j), played.turn(f, j)));
  }
  if (std::abs(lap.y) > kSame * size || moves < kMoves) return false;
  kinematics::cut_motion(motion, last);
  motion.loops = true;
  return true;
}

bool take_first_pose(asset::Asset& asset, int index) {
  asset::Clip& clip = asset.clips[at(index)];
  const std::vector<double> turns = turns_between_keys(clip);
  if (turns.size() < 3) return false;
  std::vector<double> usual(turns.begin() + 1, turns.end());
  std::nth_element(usual.begin(), usual.begin() + static_cast<std::ptrdiff_t>(usual.size() / 2), usual.end());
  if (turns[0] < kLeast || turns[0] < kTimes * usual[usual.size() / 2]) return false;
  float next = 0;
  for (const asset::Channel& channel : clip.channels) {
    if (channel.node < 0 || channel.times.size() < 2) continue;
    const std::vector<double> value = asset::sample(channel, channel.times[0]);
    Transformd local = asset.nodes[at(channel.node)].local.cast<double>();
    if (channel.path == asset::Path::kTranslation) local.translation = {value[0], value[1], value[2]};
    if (channel.path == asset::Path::kRotation) local.rotation = {value[0], value[1], value[2], value[3]};
    asset.nodes[at(channel.node)].local = local.cast<float>();
    next = std::max(next, channel.times[1]);
  }
  drop_first_key(clip, next);
  return true;
}

}  // namespace limber::retarget
