// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/character.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "limber/actions/catalogue.h"
#include "limber/anatomy/find_facing.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/close_loop.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/playing.h"
#include "limber/rig/changed_rig.h"
#include "limber/rig/subject.h"
#include "limber/scene/cameras.h"
#include "limber/scene/sketch_view.h"

namespace limber::training {
namespace {

/// Points nearer to the floor than this touch it, heights.
constexpr float kTouching = 0.025f;
/// Slower than this, a body stands, heights per second.
constexpr float kStanding = 0.05f;
/// A body that goes sideways at this speed is turned.
constexpr float kTurning = 0.2f;
constexpr double kToldByNames = 0.6;  // confidence of a front from which on names of joints tell it
/// Seconds.
constexpr float kShortestClip = 0.15f;

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

Result<CharacterClip> make_clip(const asset::Asset& asset, const asset::Clip& clip, const rig::Subject& subject,
                                const ClipMeaning& meaning, const CharacterSettings& settings) {
  // A rate at which the clip is a whole number of frames: otherwise a loop would not be seen as one.
  const double seconds = clip.duration(), count = std::max(1.0, std::round(seconds * settings.fps));
  LIMBER_TRY(kinematics::Motion motion, kinematics::motion_from_clip(asset, clip, subject, count / seconds));
  if (!meaning.once) kinematics::close_loop(motion);
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

/// The way that feet walk, over all clips. Most files face +Z: a doubtful way is that.
Vec3 walking_way(const std::vector<CharacterClip>& clips) {
  Vec3 way;
  for (const CharacterClip& clip : clips) {
    if (clip.meaning.heading == Heading::kForward) way += clip.ground_velocity;
  }
  return std::max(std::abs(way.x), std::abs(way.z)) < kTurning ? Vec3{0, 0, 1} : way;
}

/// Which way it faces. Left and right joints tell better than clips, in which some creep backward.
Vec3 front_of(const asset::Asset& asset, std::string_view path, const std::vector<CharacterClip>& clips,
              const CharacterSettings& settings) {
  for (const auto& [name, front] : settings.fronts) {
    if (path.find(name) != std::string_view::npos) return front;
  }
  const anatomy::Directions found = anatomy::find_directions(asset);
  const bool told = found.up.axis.y > 0.5 && found.forward.confidence >= kToldByNames;
  return told ? found.forward.axis.cast<float>() : walking_way(clips);
}

/// Turns about +Y by quarters that take an axis to +Z.
int quarters_from(Vec3 front) {
  if (std::abs(front.z) >= std::abs(front.x)) return front.z > 0 ? 0 : 2;
  return front.x > 0 ? 3 : 1;
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
  const actions::Action* action =
      clip.meaning.actions.empty() ? nullptr : actions::built_in().find(clip.meaning.actions.front());
  const bool floats = action != nullptr && action->habitat == Habitat::kFree;
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

/// A point of a surface as it is stored.
struct Vertex {
  std::array<float, 3> place{};
  std::array<std::uint16_t, 4> bones{};
  std::array<std::uint8_t, 4> weights{};  ///< of 255
  bool operator<(const Vertex& other) const {
    return std::tie(place, bones, weights) < std::tie(other.place, other.bones, other.weights);
  }
};

/// The four heaviest bones, with weights that sum to 255.
Vertex rounded_vertex(const rig::Subject& subject, std::size_t point) {
  const Vec3 p = subject.points[point];
  Vertex vertex{{p.x, p.y, p.z}, {}, {}};
  const std::size_t first = point * static_cast<std::size_t>(subject.weights.stride);
  float sum = 0;
  for (std::size_t k = 0; k < 4; ++k) sum += subject.weights.weights[first + k];
  int left = 255;
  for (std::size_t k = 0; k < 4 && left > 0; ++k) {
    const long share = std::lround(255 * subject.weights.weights[first + k] / sum);
    const int taken = std::min(left, static_cast<int>(share));
    if (taken == 0) break;
    vertex.bones[k] = subject.weights.bones[first + k], vertex.weights[k] = static_cast<std::uint8_t>(taken);
    left -= taken;
  }
  if (vertex.weights[0] == 0) vertex.bones[0] = subject.weights.bones[first];
  vertex.weights[0] = static_cast<std::uint8_t>(vertex.weights[0] + left);
  return vertex;
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

CharacterMesh character_mesh(const rig::Subject& subject) {
  CharacterMesh mesh;
  mesh.weights.stride = 4;
  std::map<Vertex, std::uint32_t> known;
  std::vector<std::uint32_t> merged(subject.points.size(), 0);
  std::vector<bool> seen(subject.points.size(), false);
  for (const auto& triangle : subject.triangles) {
    std::array<std::uint32_t, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t point = triangle[k];
      if (!seen[point]) {
        const Vertex vertex = rounded_vertex(subject, point);
        const auto found = known.try_emplace(vertex, static_cast<std::uint32_t>(mesh.points.size()));
        if (found.second) {
          mesh.points.push_back(subject.points[point]);
          for (std::size_t i = 0; i < 4; ++i) {
            mesh.weights.bones.push_back(vertex.bones[i]);
            mesh.weights.weights.push_back(static_cast<float>(vertex.weights[i]) / 255);
          }
        }
        merged[point] = found.first->second, seen[point] = true;
      }
      corners[k] = merged[point];
    }
    const bool flat = corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0];
    if (!flat) mesh.triangles.push_back(corners);
  }
  return mesh;
}

std::vector<splat::Gaussians> sample_surfaces(const rig::Rig& rig, const CharacterMesh& mesh, int count) {
  const rig::Subject subject{rig, mesh.points, {}, mesh.triangles, mesh.weights, {}, 1, {}, {}, {}};
  std::vector<splat::Gaussians> surfaces;
  for (int i = 0; i < count; ++i) {
    surfaces.push_back(scene::part_gaussians(subject, 1000, static_cast<std::uint64_t>(i)));
    if (surfaces.back().size() == 0) return {};
  }
  return surfaces;
}

Result<Character> make_character(const asset::Asset& asset, std::string_view path, const CharacterSettings& settings) {
  LIMBER_TRY(rig::Subject subject, rig::subject_from_asset(asset));
  const BodyMeaning body = body_meaning(path);
  CharacterMesh mesh = character_mesh(subject);
  const std::vector<splat::Gaussians> probe = sample_surfaces(subject.rig, mesh, 1);
  if (probe.empty()) return Error{"nothing of it has a surface", asset.name};
  std::vector<CharacterClip> clips;
  for (const asset::Clip& source : asset.clips) {
    ClipMeaning meaning = clip_meaning(source.name, body.plan);
    // The only clip of a file is what the file is called after, if at all.
    if (meaning.actions.empty() && asset.clips.size() == 1) meaning = clip_meaning(path, body.plan);
    if (meaning.actions.empty() || !(source.duration() > kShortestClip)) continue;
    LIMBER_TRY(CharacterClip clip, make_clip(asset, source, subject, meaning, settings));
    if (leaves_picture(subject.rig, probe.front(), clip.motion)) continue;
    clip.cycles = count_cycles(clip.motion);
    // Feet that move the body along by themselves need no help.
    const Vec3 way = clip.motion.root_translations.back() - clip.motion.root_translations.front();
    if (meaning.travels && clip.motion.loops && std::hypot(way.x, way.z) < 0.3f) {
      clip.ground_velocity = treadmill_velocity(subject.rig, probe.front(), clip.motion);
    }
    clips.push_back(std::move(clip));
  }
  for (std::size_t i = 0; clips.empty() && i < asset.clips.size(); ++i) {
    if (!(asset.clips[i].duration() > kShortestClip)) continue;
    LIMBER_TRY(CharacterClip clip, make_clip(asset, asset.clips[i], subject, {}, settings));
    clips.push_back(std::move(clip));
  }
  if (clips.empty()) return Error{"no clip that shows anything", asset.name};

  const Mat3 turn = quarter_turn(quarters_from(front_of(asset, path, clips, settings)));
  LIMBER_TRY(subject.rig, rig::changed_rig(subject.rig, turn));
  Character character{std::string(path), body, subject.rig, sample_surfaces(subject.rig, mesh, settings.surfaces), {},
                      std::move(mesh)};
  for (CharacterClip& clip : clips) {
    for (Vec3& at : clip.motion.root_translations) at = turn * at;
    clip.ground_velocity = turn * clip.ground_velocity;
    stand_on_ground(subject.rig, character.surfaces.front(), clip);
    character.clips.push_back(std::move(clip));
  }
  return character;
}

}  // namespace limber::training
