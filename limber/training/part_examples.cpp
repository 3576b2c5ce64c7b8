// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/part_examples.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"
#include "limber/parts/moving_parts.h"
#include "limber/training/herd.h"
#include "limber/training/part_coat.h"
#include "limber/training/skeleton_family.h"
#include "limber/zoo/action.h"

namespace limber::training {
namespace {

/// Creatures of training and validation differ by this much in their seeds.
constexpr std::uint64_t kValidationSeeds = 1u << 30;
constexpr int kValidationCreatures = 256;
constexpr int kResolution = 36;
/// Actions per creature, and frames of each: playing one anew for every draw would cost more than all the rest.
constexpr int kActions = 5, kFrames = 16;
constexpr double kAtRest = 0.5;     // of bodies that keep still
constexpr double kFromFront = 0.5;  // of first cameras
constexpr double kUsualOrbit = 0.5;
constexpr double kOwnCoat = 0.6, kGrey = 0.15;
constexpr double kStretch = 0.08;

template <class T>
const T& pick(const std::vector<T>& list, Rng& rng) {
  return list[rng.below(static_cast<std::uint32_t>(list.size()))];
}

/// A skinned surface with its motions.
struct Performer {
  rig::Rig rig;
  std::vector<Vec3> points;  ///< bind space
  std::vector<parts::Triangle> triangles;
  rig::SkinWeights weights;
  std::vector<Vec3> colors;                        ///< its own, or empty
  std::vector<kinematics::Motion> own;             ///< kept here,
  std::vector<const kinematics::Motion*> motions;  ///< or by whoever made them
  kinematics::Motion rest;
  parts::MovingParts parts;
  std::vector<std::uint8_t> part_of_point;

  Performer(rig::Rig skeleton, std::vector<Vec3> surface, std::vector<parts::Triangle> faces, rig::SkinWeights skin)
      : rig(std::move(skeleton)),
        points(std::move(surface)),
        triangles(std::move(faces)),
        weights(std::move(skin)),
        rest(kinematics::rest_motion(rig, 1, 24)) {}

  void find_parts() {
    parts = parts::find_moving_parts(rig, points, triangles, weights, motions);
    part_of_point.assign(points.size(), 0);
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      for (const std::uint32_t corner : triangles[t]) part_of_point[corner] = parts.part_of_triangle[t];
    }
  }

  std::vector<Vec3> posed(const kinematics::Motion& motion, int frame, Vec3 stretch) const {
    kinematics::FrameBufferT<double> buffer;
    const kinematics::FrameT<double> pose = kinematics::motion_frame<double>(rig, motion, frame, buffer);
    std::vector<Affined> joints(rig.joints().size()), bones(rig.bones().size());
    kinematics::joints_forward<double>(rig, pose, joints);
    kinematics::bones_forward<double>(rig, joints, bones);
    std::vector<Affine> rounded;
    for (const Affined& bone : bones) rounded.push_back(bone.cast<float>());
    std::vector<Vec3> moved(points.size());
    kinematics::SkinInput input;
    input.weights = &weights, input.points = points, input.bones = rounded;
    input.bone_count = rig.bone_count(), input.frame_count = 1;
    kinematics::skin_forward(input, {moved, {}, {}});
    for (Vec3& p : moved) p = scaled(p, stretch);
    return moved;
  }
};

/// Poses of an example: `count` frames of a motion, or one of them again and again.
std::vector<std::vector<Vec3>> draw_frames(const Performer& body, int count, bool still, Rng& rng) {
  const auto factor = [&] { return static_cast<float>(std::exp(kStretch * rng.normal())); };
  const float x = factor(), y = factor(), z = factor();
  const Vec3 stretch{rng.chance(0.5) ? x : -x, y, z};  // also the other way round
  if (body.motions.empty() || (still && rng.chance(kAtRest))) return {body.posed(body.rest, 0, stretch)};
  const kinematics::Motion& motion = *pick(body.motions, rng);
  const int length = motion.frame_count();
  const int first = static_cast<int>(rng.below(static_cast<std::uint32_t>(length)));
  // All frames within a second: farther apart they would not look like a video.
  const int most = std::max(1, std::min(length, static_cast<int>(motion.fps)) / std::max(count, 1));
  const int step = 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(most)));
  std::vector<std::vector<Vec3>> frames;
  for (int i = 0; i < (still ? 1 : count); ++i) {
    const int frame = first + i * step;
    frames.push_back(body.posed(motion, motion.loops ? frame % length : std::min(frame, length - 1), stretch));
  }
  return frames;
}

parts::PictureSettings draw_settings(const parts::PartsModel& model, Rng& rng) {
  parts::PictureSettings settings;
  settings.views = model.views, settings.size = model.size;
  const bool front = rng.chance(kFromFront);
  settings.azimuth = static_cast<float>(front ? 0.15 * rng.normal() : rng.uniform(0, 2 * kPi));
  settings.elevation = static_cast<float>(rng.chance(0.4) ? 0.25 : rng.uniform(0, 0.5));
  settings.fill = static_cast<float>(rng.uniform(0.82, 0.95));
  const double side = rng.normal(), up = std::abs(rng.normal()) + 0.3, towards = rng.normal() + 0.7;
  settings.light = Vec3d{side, up, towards}.cast<float>();
  settings.ambient = static_cast<float>(rng.uniform(0.3, 0.75));
  return settings;
}

std::vector<Vec3> draw_colors(const Performer& body, Rng& rng) {
  if (rng.chance(kGrey)) return {};
  if (body.colors.empty() || !rng.chance(kOwnCoat)) return draw_coat(body.points, body.part_of_point, rng);
  std::vector<Vec3> colors = body.colors;
  tint(colors, rng);
  return colors;
}

/// How high cameras stand that orbit: as they do for meshes, or anyhow.
std::vector<float> draw_orbit(const parts::PartsModel& model, float elevation, Rng& rng) {
  std::vector<float> orbit = parts::mesh_orbit(model.frames, elevation);
  if (rng.chance(kUsualOrbit)) return orbit;
  for (std::size_t i = 1; i < orbit.size(); ++i) orbit[i] = static_cast<float>(rng.uniform(-0.4, 0.9));
  return orbit;
}

parts::PartsExample draw_example(const Performer& body, const parts::PartsModel& model,
                                 const PartExampleSettings& asked, Rng& rng) {
  const bool orbits = rng.chance(asked.orbit), still = rng.chance(asked.still);
  const std::vector<std::vector<Vec3>> frames = draw_frames(body, model.frames, orbits || still, rng);
  const std::vector<Vec3> colors = draw_colors(body, rng);
  parts::PicturedBody pictured{{}, body.triangles, colors, body.parts.part_of_triangle};
  for (int i = 0; i < model.frames; ++i) pictured.frames.push_back(frames[std::min(at(i), frames.size() - 1)]);
  parts::PictureSettings settings = draw_settings(model, rng);
  if (orbits) settings.orbit = draw_orbit(model, settings.elevation, rng);
  parts::PartsExample example{parts::draw_pictures(pictured, settings), {}, orbits};
  // Nobody votes or looks at single triangles here.
  example.pictures.triangles = {}, example.pictures.facings = {};
  for (const Vec3& code : parts::part_codes(pictured, example.pictures.frame, body.parts.count))
    example.colors.push_back(parts::part_color(code));
  return example;
}

Result<zoo::Creature> draw_creature(std::uint64_t seed, double any_body, Rng& rng) {
  zoo::CreatureSettings settings;
  settings.plan = static_cast<zoo::Plan>(rng.below(zoo::kPlanCount));
  if (rng.chance(any_body)) settings.body = zoo::random_body(seed);
  settings.seed = seed, settings.resolution = kResolution;
  return zoo::make_creature(settings);
}

/// Some of what it can do, each in its own manner.
std::vector<kinematics::Motion> draw_motions(const zoo::Creature& creature, Rng& rng) {
  const std::vector<zoo::Action> actions = zoo::actions(creature);
  std::vector<kinematics::Motion> motions;
  for (int i = 0; i < kActions && !actions.empty(); ++i) {
    zoo::ActionSettings action;
    action.action = pick(actions, rng);
    action.seed = rng.next_u32();
    action.fps = 12, action.frames = kFrames;
    action.amplitude = rng.uniform(0.7, 1.4), action.style = rng.uniform(), action.noise = 0.5 * rng.uniform();
    action.in_place = true;
    // An action that this body cannot do after all is left out: the others show it.
    Result<zoo::Performance> performance = zoo::perform(creature, action);
    if (performance.ok()) motions.push_back(std::move(performance->motion));
  }
  return motions;
}

std::unique_ptr<Performer> make_performer(const zoo::Creature& creature, Rng& rng) {
  auto performer = std::make_unique<Performer>(creature.subject.rig, creature.subject.points,
                                               creature.subject.triangles, creature.subject.weights);
  if (!creature.surface.colors.empty()) performer->colors = display_colors(creature.surface.colors[0]);
  performer->own = draw_motions(creature, rng);
  for (const kinematics::Motion& motion : performer->own) performer->motions.push_back(&motion);
  performer->find_parts();
  return performer;
}

Herd<Performer> make_herd(int count, std::uint64_t seed, double any_body) {
  return {count, seed, 27, [any_body](std::uint64_t number, Rng& rng) -> Result<std::unique_ptr<const Performer>> {
            LIMBER_TRY(const zoo::Creature creature, draw_creature(number, any_body, rng));
            return std::unique_ptr<const Performer>(make_performer(creature, rng));
          }};
}

/// Characters, by the family of their skeletons.
class Cast {
 public:
  /// Those that are left out where `left_out`, else the others.
  Cast(std::shared_ptr<const std::vector<Character>> characters, const LeaveOut& leave_out, bool left_out)
      : characters_(std::move(characters)) {
    if (!characters_) return;
    std::vector<const Character*> chosen;
    const std::vector<bool> not_taught = find_left_out(*characters_, leave_out);
    for (std::size_t i = 0; i < characters_->size(); ++i) {
      const Character& character = (*characters_)[i];
      if (not_taught[i] == left_out && !character.mesh.triangles.empty()) chosen.push_back(&character);
    }
    performers_.resize(chosen.size());
    parallel_for(chosen.size(), 1, [&](std::size_t i, std::size_t) {
      const CharacterMesh& mesh = chosen[i]->mesh;
      auto performer = std::make_unique<Performer>(chosen[i]->rig, mesh.points, mesh.triangles, mesh.weights);
      for (const CharacterClip& clip : chosen[i]->clips) performer->motions.push_back(&clip.motion);
      performer->find_parts();
      performers_[i] = std::move(performer);
    });
    std::vector<std::string> families;
    for (const Character* character : chosen) families.push_back(skeleton_family(character->rig));
    families_ = group_by_family(families);
  }
  bool empty() const { return performers_.empty(); }
  const Performer& draw(Rng& rng) const { return *performers_[pick(pick(families_, rng), rng)]; }

 private:
  std::shared_ptr<const std::vector<Character>> characters_;  ///< whose motions are used
  std::vector<std::unique_ptr<const Performer>> performers_;
  std::vector<std::vector<std::size_t>> families_;
};

struct Stage {
  parts::PartsModel model;
  PartExampleSettings settings;
  Cast cast, left_out;
  Herd<Performer> training, validation;

  Stage(const std::shared_ptr<const std::vector<Character>>& characters, const parts::PartsModel& shape,
        const PartExampleSettings& asked)
      : model(shape),
        settings(asked),
        cast(characters, asked.leave_out, false),
        left_out(characters, asked.leave_out, true),
        training(make_herd(asked.creatures, asked.seed, asked.any_body)),
        validation(make_herd(kValidationCreatures, asked.seed + kValidationSeeds, asked.any_body)) {}
};

}  // namespace

parts::PartsSource part_examples(const std::shared_ptr<const std::vector<Character>>& characters,
                                 const parts::PartsModel& model, const PartExampleSettings& settings) {
  LIMBER_EXPECT(settings.creatures > 0, std::to_string(settings.creatures));
  const auto stage = std::make_shared<Stage>(characters, model, settings);
  return [stage](std::uint64_t index) -> Result<parts::PartsExample> {
    Rng rng(stage->settings.seed ^ 0x7061727473ull, index);
    const bool validates = index >= parts::kValidationPictures;
    const Cast& cast = validates ? stage->left_out : stage->cast;
    if (!cast.empty() && rng.chance(stage->settings.artists))
      return draw_example(cast.draw(rng), stage->model, stage->settings, rng);
    LIMBER_TRY(const Performer* creature, (validates ? stage->validation : stage->training).draw(rng));
    return draw_example(*creature, stage->model, stage->settings, rng);
  };
}

Result<zoo::Creature> creature_to_measure(std::uint64_t number, double any_body) {
  const std::uint64_t seed = 2 * kValidationSeeds + number;
  Rng rng(seed, 27);
  return draw_creature(seed, any_body, rng);
}

Result<KnownParts> creature_with_parts(std::uint64_t number, double any_body, int moments) {
  LIMBER_TRY(const zoo::Creature creature, creature_to_measure(number, any_body));
  Rng rng(number, 28);
  const std::unique_ptr<Performer> body = make_performer(creature, rng);
  KnownParts known{creature.name, body->posed(body->rest, 0, {1, 1, 1}), body->triangles, body->colors, {}, {}};
  known.labels.assign(body->parts.part_of_triangle.begin(), body->parts.part_of_triangle.end());
  if (body->motions.empty()) return known;
  const kinematics::Motion& motion = *body->motions.front();
  for (int i = 0; i < moments; ++i)
    known.moments.push_back(body->posed(motion, 2 * i % motion.frame_count(), {1, 1, 1}));
  return known;
}

}  // namespace limber::training
