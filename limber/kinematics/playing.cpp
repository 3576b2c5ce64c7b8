// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/playing.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/base/at.h"
#include "limber/base/expect.h"

namespace limber::kinematics {
namespace {

/// Two frames and how far it is from the first to the second.
struct Between {
  int a = 0, b = 0;
  float share = 0;
};

/// Where a time lies in a motion; `lap`: how often it has begun again.
Between find_frames(const Motion& motion, double seconds, bool repeat, int& lap) {
  const int count = motion.frame_count();
  double frame = std::max(0.0, seconds * motion.fps);
  lap = 0;
  if (!repeat) {
    const double last = std::min<double>(frame, count - 1);
    const int a = static_cast<int>(last);
    return {a, std::min(a + 1, count - 1), static_cast<float>(last - a)};
  }
  lap = static_cast<int>(std::floor(frame / count));
  frame -= static_cast<double>(lap) * count;
  const int a = std::min(static_cast<int>(frame), count - 1);
  return {a, (a + 1) % count, static_cast<float>(frame - a)};
}

/// In between, unless angles took a turn by the other way round.
Vec3 mixed_angles(Vec3 a, Vec3 b, float share) {
  Vec3 mixed;
  for (int k = 0; k < 3; ++k) {
    mixed[k] = std::abs(a[k] - b[k]) > 1.5f ? (share < 0.5f ? a[k] : b[k]) : a[k] + share * (b[k] - a[k]);
  }
  return mixed;
}

}  // namespace

void cut_motion(Motion& motion, int frames) {
  LIMBER_EXPECT(frames >= 0 && frames <= motion.frame_count(), std::to_string(frames));
  motion.root_translations.resize(at(frames));
  motion.angles.resize(at(frames) * at(motion.joint_count));
  for (JointOverride& change : motion.overrides) {
    if (!change.translations.empty()) change.translations.resize(at(frames));
    if (!change.scales.empty()) change.scales.resize(at(frames));
  }
}

Motion play(const Motion& motion, const Playing& playing) {
  const int count = motion.frame_count();
  LIMBER_EXPECT(count > 0 && playing.fps > 0, std::to_string(count) + " frames");
  const bool repeat = playing.repeat && motion.loops;
  Vec3 lap_way;
  if (repeat && count > 1) {
    // One frame beyond the last, the path continues at its mean pace.
    const Vec3 way = motion.root_translations.back() - motion.root_translations.front();
    lap_way = static_cast<float>(count) / static_cast<float>(count - 1) * Vec3{way.x, 0, way.z};
    if (norm(lap_way) < 0.3f) lap_way = {};
  }
  Motion result;
  result.fps = playing.fps;
  result.joint_count = motion.joint_count;
  for (const JointOverride& change : motion.overrides) result.overrides.push_back({change.joint, {}, {}});
  for (int i = 0; i < playing.frames; ++i) {
    const double passed = i / playing.fps * playing.speed;
    int lap = 0;
    const Between where = find_frames(motion, playing.start + passed, repeat, lap);
    const auto mixed = [&](const std::vector<Vec3>& values) {
      return lerp(values[at(where.a)], values[at(where.b)], where.share);
    };
    const Vec3 wrap = where.b < where.a ? where.share * lap_way : Vec3{};
    result.root_translations.push_back(mixed(motion.root_translations) + wrap + static_cast<float>(lap) * lap_way +
                                       static_cast<float>(passed) * playing.velocity);
    for (int j = 0; j < motion.joint_count; ++j) {
      result.angles.push_back(
          mixed_angles(motion.frame_angles(where.a)[at(j)], motion.frame_angles(where.b)[at(j)], where.share));
    }
    for (std::size_t k = 0; k < motion.overrides.size(); ++k) {
      const JointOverride& from = motion.overrides[k];
      if (!from.translations.empty()) result.overrides[k].translations.push_back(mixed(from.translations));
      if (!from.scales.empty()) result.overrides[k].scales.push_back(mixed(from.scales));
    }
  }
  return result;
}

}  // namespace limber::kinematics
