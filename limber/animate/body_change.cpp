// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/body_change.h"

#include <algorithm>
#include <cmath>

#include "limber/base/expect.h"

namespace limber::animate {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Two frames and how far it is from the first to the second.
struct Between {
  int a = 0, b = 0;
  float share = 0;
};

/// Where a time lies in a motion; `lap`: how often it has begun again.
Between find_frames(const kinematics::Motion& motion, double seconds, bool repeat, int& lap) {
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

double mean_joint_height(const rig::Rig& rig) {
  double sum = 0;
  for (const Affine& joint : rig.world_from_rest()) sum += joint.translation.y;
  return sum / rig.joint_count();
}

/// Joint of `b` by joint of `a`, -1 where there is none of that name.
std::vector<int> matching_joints(const rig::Rig& a, const rig::Rig& b) {
  std::vector<int> matches;
  for (const rig::Joint& joint : a.joints()) matches.push_back(b.find(joint.name));
  return matches;
}

}  // namespace

Result<rig::Rig> changed_rig(const rig::Rig& rig, const Mat3& change) {
  rig::RigDraft draft;
  draft.joints.assign(rig.joints().begin(), rig.joints().end());
  draft.bones.assign(rig.bones().begin(), rig.bones().end());
  draft.joints[0].parent_from_frame = Affine{change, {}} * draft.joints[0].parent_from_frame;
  return rig::build_rig(std::move(draft));
}

void mirror_part_colors(splat::Gaussians& surface) {
  LIMBER_EXPECT(surface.degree == 0, std::to_string(surface.degree));
  const std::vector<Vec3> colors = splat::base_colors(surface);
  for (std::size_t i = 0; i < colors.size(); ++i) {
    // Between 0.1 and 1, see scene::Parts.
    surface.harmonics[i] = splat::harmonic_from_color({1.1f - colors[i].x, colors[i].y, colors[i].z});
  }
}

void cut_motion(kinematics::Motion& motion, int frames) {
  LIMBER_EXPECT(frames >= 0 && frames <= motion.frame_count(), std::to_string(frames));
  motion.root_translations.resize(at(frames));
  motion.angles.resize(at(frames) * at(motion.joint_count));
  for (kinematics::JointOverride& change : motion.overrides) {
    if (!change.translations.empty()) change.translations.resize(at(frames));
    if (!change.scales.empty()) change.scales.resize(at(frames));
  }
}

kinematics::Motion play(const kinematics::Motion& motion, const Playing& playing) {
  const int count = motion.frame_count();
  LIMBER_EXPECT(count > 0 && playing.fps > 0, std::to_string(count) + " frames");
  const bool repeat = playing.repeat && motion.loops;
  Vec3 lap_way;
  if (repeat && count > 1) {
    // One frame beyond the last, the way goes on at its mean pace.
    const Vec3 way = motion.root_translations.back() - motion.root_translations.front();
    lap_way = static_cast<float>(count) / static_cast<float>(count - 1) * Vec3{way.x, 0, way.z};
    if (norm(lap_way) < 0.3f) lap_way = {};
  }
  kinematics::Motion result;
  result.fps = playing.fps;
  result.joint_count = motion.joint_count;
  for (const kinematics::JointOverride& change : motion.overrides) result.overrides.push_back({change.joint, {}, {}});
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
      const kinematics::JointOverride& from = motion.overrides[k];
      if (!from.translations.empty()) result.overrides[k].translations.push_back(mixed(from.translations));
      if (!from.scales.empty()) result.overrides[k].scales.push_back(mixed(from.scales));
    }
  }
  return result;
}

bool are_alike(const rig::Rig& a, const rig::Rig& b) {
  const std::vector<int> matches = matching_joints(a, b);
  int shared = 0;
  double turned = 0;
  for (int j = 0; j < a.joint_count(); ++j) {
    const int other = matches[at(j)];
    if (other < 0) continue;
    ++shared;
    const Quatd p = decompose(a.world_from_rest()[at(j)].cast<double>()).rotation;
    const Quatd q = decompose(b.world_from_rest()[at(other)].cast<double>()).rotation;
    turned += angle_between(p, q);
  }
  const int most = std::max(a.joint_count(), b.joint_count());
  return matches[0] == 0 && 20 * shared >= 17 * most && turned < 0.35 * shared;
}

kinematics::Motion retarget(const kinematics::Motion& motion, const rig::Rig& from, const rig::Rig& to) {
  LIMBER_EXPECT(motion.joint_count == from.joint_count(), std::to_string(motion.joint_count));
  const std::vector<int> matches = matching_joints(from, to);
  const auto ratio = static_cast<float>(mean_joint_height(to) / std::max(1e-3, mean_joint_height(from)));
  kinematics::Motion result = kinematics::rest_motion(to, motion.frame_count(), motion.fps);
  result.loops = motion.loops;
  for (int f = 0; f < motion.frame_count(); ++f) {
    result.root_translations[at(f)] = ratio * motion.root_translations[at(f)];
    for (int j = 0; j < motion.joint_count; ++j) {
      if (matches[at(j)] >= 0) result.frame_angles(f)[at(matches[at(j)])] = motion.frame_angles(f)[at(j)];
    }
  }
  for (const kinematics::JointOverride& change : motion.overrides) {
    const int joint = matches[at(change.joint)];
    if (joint < 0) continue;
    const rig::Joint &source = from.joints()[at(change.joint)], &target = to.joints()[at(joint)];
    // Joints' own units differ from rig to rig: in proportion to the bones, or else to the heights.
    const float a = norm(source.rest.translation), b = norm(target.rest.translation);
    const float scale = a > 0 && b > 0.5f * a && b < 2 * a ? b / a : ratio;
    kinematics::JointOverride moved{joint, {}, {}};
    for (const Vec3& t : change.translations) {
      moved.translations.push_back(target.rest.translation + scale * (t - source.rest.translation));
    }
    for (const Vec3& s : change.scales) {
      const Vec3 r = source.rest.scale;
      moved.scales.push_back(scaled(target.rest.scale, {s.x / r.x, s.y / r.y, s.z / r.z}));
    }
    result.overrides.push_back(std::move(moved));
  }
  return result;
}

}  // namespace limber::animate
