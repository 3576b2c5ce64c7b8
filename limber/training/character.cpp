// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/character.h"

#include <algorithm>
#include <cmath>

#include "limber/kinematics/clip.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/playing.h"
#include "limber/rig/changed_rig.h"
#include "limber/rig/subject.h"
#include "limber/scene/cameras.h"
#include "limber/scene/part_view.h"

namespace limber::training {
namespace {

/// Points nearer to the floor than this touch it, heights.
constexpr float kTouching = 0.025f;
/// Slower than this, a body stands, heights per second.
constexpr float kStanding = 0.05f;
/// A body that goes sideways at this speed is turned.
constexpr float kTurning = 0.2f;

/// Means of the Gaussians in every frame: frames x Gaussians.
std::vector<Vec3> posed_means(const rig::Rig& rig, const splat::Gaussians& surface, const kinematics::Motion& motion) {
  const std::vector<Affine> bones = kinematics::bone_matrices(rig, motion);
  const auto stride = static_cast<std::size_t>(surface.influences), each = static_cast<std::size_t>(rig.bone_count());
  std::vector<Vec3> means(static_cast<std::size_t>(motion.frame_count()) * surface.size());
  for (std::size_t f = 0; f < motion.root_translations.size(); ++f) {
    for (std::size_t i = 0; i < surface.size(); ++i) {
      Vec3 mean;
      for (std::size_t k = i * stride; k < (i + 1) * stride; ++k) {
        if (surface.weights[k] <= 0) continue;
        mean += surface.weights[k] * (bones[f * each + surface.bones[k]] * surface.means[i]);
      }
      means[f * surface.size() + i] = mean;
    }
  }
  return means;
}

/// Of all heights, that below which a few in a thousand lie.
float floor_of(const std::vector<Vec3>& means) {
  if (means.empty()) return 0;
  std::vector<float> heights(means.size());
  std::transform(means.begin(), means.end(), heights.begin(), [](const Vec3& mean) { return mean.y; });
  const auto at = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 400);
  std::nth_element(heights.begin(), at, heights.end());
  return *at;
}

/// Mean of the half of the values that lie closest together: where most agree, whatever the others say.
float agreed_value(std::vector<float>& values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = (values.size() + 1) / 2;
  std::size_t best = 0;
  for (std::size_t i = 0; i + half <= values.size(); ++i) {
    if (values[i + half - 1] - values[i] < values[best + half - 1] - values[best]) best = i;
  }
  double sum = 0;
  for (std::size_t i = best; i < best + half; ++i) sum += values[i];
  return half > 0 ? static_cast<float>(sum / static_cast<double>(half)) : 0.0f;
}

/// How far apart two frames are, radians: mean over the joints.
double turned_between(const kinematics::Motion& motion, int a, int b) {
  double sum = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(motion.joint_count); ++j) {
    const Mat3d p = kinematics::euler_matrix(motion.frame_angles(a)[j].cast<double>());
    const Mat3d q = kinematics::euler_matrix(motion.frame_angles(b)[j].cast<double>());
    sum += angle_between(to_quat(p), to_quat(q));
  }
  return sum / motion.joint_count;
}

/// Clips of what is done over and over go on from their end, even if it does not quite meet their beginning: some show
/// the first frame twice, some stop a frame before. Those that end elsewhere do not loop.
void close_loop(kinematics::Motion& motion) {
  const int last = motion.frame_count() - 1;
  if (motion.loops || last < 4) return;
  double largest = 0, mean = 0;
  for (int f = 0; f < last; ++f) {
    const double step = turned_between(motion, f, f + 1);
    largest = std::max(largest, step), mean += step / last;
  }
  const double gap = turned_between(motion, last, 0);
  const Vec3 way = motion.root_translations.back() - motion.root_translations.front();
  if (gap > 1.5 * largest || std::abs(way.y) > 0.15f) return;
  if (gap < 0.5 * mean) kinematics::cut_motion(motion, last);
  motion.loops = true;
}

Result<CharacterClip> make_clip(const asset::Asset& asset, const asset::Clip& clip, const rig::Subject& subject,
                                const ClipMeaning& meaning, const CharacterSettings& settings) {
  // A rate at which the clip is a whole number of frames: otherwise a loop would not be seen as one.
  const double seconds = clip.duration(), count = std::max(1.0, std::round(seconds * settings.fps));
  LIMBER_TRY(kinematics::Motion motion, kinematics::motion_from_clip(asset, clip, subject, count / seconds));
  if (!meaning.once) close_loop(motion);
  const int longest = static_cast<int>(settings.max_seconds * motion.fps);
  if (motion.frame_count() > longest) {
    kinematics::cut_motion(motion, longest);
    motion.loops = false;
  }
  CharacterClip result;
  result.name = clip.name;
  result.meaning = meaning;
  result.motion = std::move(motion);
  return result;
}

/// Which axis the feet walk along, over all clips: turns about +Y by quarters that take it to +Z.
int walking_quarters(const std::vector<CharacterClip>& clips) {
  Vec3 way;
  for (const CharacterClip& clip : clips) {
    if (clip.meaning.heading == Heading::kForward) way += clip.ground_velocity;
  }
  // A doubtful way is none: most files face +Z.
  if (std::max(std::abs(way.x), std::abs(way.z)) < kTurning) return 0;
  if (std::abs(way.z) >= std::abs(way.x)) return way.z > 0 ? 0 : 2;
  return way.x > 0 ? 3 : 1;
}

Mat3 quarter_turn(int quarters) {
  Mat3 turn = Mat3::identity();
  const Mat3 once = Mat3::from_columns({0, 0, -1}, {0, 1, 0}, {1, 0, 0});
  for (int i = 0; i < quarters; ++i) turn = once * turn;
  return turn;
}

/// Whether a body leaps farther up and down than cameras that do not follow it can show.
bool leaves_picture(const rig::Rig& rig, const splat::Gaussians& surface, const kinematics::Motion& motion) {
  const std::vector<Vec3> means = posed_means(rig, surface, motion);
  float low = 1e30f, high = -1e30f, size = 0;
  for (std::size_t f = 0; f < motion.root_translations.size(); ++f) {
    scene::Box box;
    for (std::size_t i = 0; i < surface.size(); ++i) box.add(means[f * surface.size() + i]);
    low = std::min(low, box.center().y), high = std::max(high, box.center().y);
    size = std::max({size, box.size().x, box.size().y, box.size().z});
  }
  return high - low > 0.5f * size;
}

/// Shifts a motion so that the body touches the ground, or, where it need not, is not below it. What is done once
/// begins on the ground, and what dies may sink into it.
void stand_on_ground(const rig::Rig& rig, const splat::Gaussians& surface, CharacterClip& clip) {
  const std::string& action = clip.meaning.actions.front();
  const bool floats = action == "swim" || action == "fly" || action == "glide";
  float lowest = lowest_height(rig, surface, clip.motion);
  if (floats && lowest >= 0) return;
  if (clip.meaning.once && !floats) {
    kinematics::Motion first = clip.motion;
    kinematics::cut_motion(first, 1);
    const float start = lowest_height(rig, surface, first);
    if (start < 0.1f) lowest = start;
  }
  for (Vec3& at : clip.motion.root_translations) at.y -= lowest;
}

}  // namespace

float lowest_height(const rig::Rig& rig, const splat::Gaussians& surface, const kinematics::Motion& motion) {
  return floor_of(posed_means(rig, surface, motion));
}

Vec3 treadmill_velocity(const rig::Rig& rig, const splat::Gaussians& surface, const kinematics::Motion& motion) {
  const auto frames = static_cast<std::size_t>(motion.frame_count());
  if (frames < 3 || surface.size() == 0) return {};
  const std::vector<Vec3> means = posed_means(rig, surface, motion);
  const float floor = floor_of(means), fps = static_cast<float>(motion.fps);
  std::vector<float> along_x, along_z;
  for (std::size_t f = 0; f < (motion.loops ? frames : frames - 1); ++f) {
    const std::size_t next = (f + 1) % frames;
    for (std::size_t i = 0; i < surface.size(); ++i) {
      const Vec3 a = means[f * surface.size() + i], b = means[next * surface.size() + i];
      if (a.y > floor + kTouching || b.y > floor + kTouching) continue;
      // On a treadmill nothing that is down stays where it is, but for a tail or a belly.
      if (fps * std::hypot(a.x - b.x, a.z - b.z) < 2 * kStanding) continue;
      along_x.push_back(fps * (a.x - b.x)), along_z.push_back(fps * (a.z - b.z));
    }
  }
  if (along_x.size() < frames) return {};
  const Vec3 velocity{agreed_value(along_x), 0, agreed_value(along_z)};
  return norm(velocity) < kStanding ? Vec3{} : velocity;
}

int count_cycles(const kinematics::Motion& motion) {
  const int frames = motion.frame_count();
  if (!motion.loops || frames < 8) return 1;
  const auto change = [&](int a, int b) {
    double sum = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(motion.joint_count); ++j) {
      sum += squared_norm((motion.frame_angles(a)[j] - motion.frame_angles(b)[j]).cast<double>());
    }
    return sum;
  };
  double most = 0;
  for (int f = 0; f < frames; ++f) most = std::max(most, change(0, f));
  for (int cycles = 4; cycles > 1; --cycles) {
    double worst = 0;
    for (int f = 0; f < frames; ++f) worst = std::max(worst, change(f, (f + frames / cycles) % frames));
    if (frames / cycles >= 4 && worst < 0.05 * most) return cycles;
  }
  return 1;
}

Result<Character> make_character(const asset::Asset& asset, std::string_view path, const CharacterSettings& settings) {
  LIMBER_TRY(rig::Subject subject, rig::subject_from_asset(asset));
  const BodyMeaning body = body_meaning(path);
  const splat::Gaussians probe = scene::part_gaussians(subject);
  if (probe.size() == 0) return Error{"nothing of it has a surface", asset.name};
  std::vector<CharacterClip> clips;
  for (const asset::Clip& source : asset.clips) {
    const ClipMeaning meaning = clip_meaning(source.name, body.plan);
    if (meaning.actions.empty() || !(source.duration() > 0.15f)) continue;
    LIMBER_TRY(CharacterClip clip, make_clip(asset, source, subject, meaning, settings));
    if (leaves_picture(subject.rig, probe, clip.motion)) continue;
    clip.cycles = count_cycles(clip.motion);
    // Feet that move the body along by themselves need no help.
    const Vec3 way = clip.motion.root_translations.back() - clip.motion.root_translations.front();
    if (meaning.travels && clip.motion.loops && std::hypot(way.x, way.z) < 0.3f) {
      clip.ground_velocity = treadmill_velocity(subject.rig, probe, clip.motion);
    }
    clips.push_back(std::move(clip));
  }
  if (clips.empty()) return Error{"no clip whose name means an action", asset.name};

  const Mat3 turn = quarter_turn(walking_quarters(clips));
  LIMBER_TRY(subject.rig, rig::changed_rig(subject.rig, turn));
  Character character{std::string(path), body, subject.rig, {}, {}};
  for (int i = 0; i < settings.surfaces; ++i) {
    character.surfaces.push_back(
        scene::part_gaussians(subject, static_cast<int>(probe.size()), static_cast<std::uint64_t>(i)));
  }
  for (CharacterClip& clip : clips) {
    for (Vec3& at : clip.motion.root_translations) at = turn * at;
    clip.ground_velocity = turn * clip.ground_velocity;
    stand_on_ground(subject.rig, character.surfaces.front(), clip);
    character.clips.push_back(std::move(clip));
  }
  return character;
}

}  // namespace limber::training
