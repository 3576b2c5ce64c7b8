// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Fits a creature's pose to pictures by gradient descent through a Scene: fit_pose out.png
// The picture shows what is wanted, where the search starts and what it finds, from two views.
#include <cmath>
#include <cstdio>

#include "limber/asset/picture.h"
#include "limber/asset/video.h"
#include "limber/scene/body_splats.h"
#include "limber/scene/scene.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace {

using namespace limber;

/// Adam on a motion's angles and root.
class Descent {
 public:
  void step(std::span<Vec3> values, std::span<const Vec3> gradient, double rate) {
    mean_.resize(values.size()), square_.resize(values.size());
    const double warm_mean = 1 - std::pow(0.9, ++steps_), warm_square = 1 - std::pow(0.99, steps_);
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        const auto g = double(gradient[i][k]);
        mean_[i][k] += 0.1 * (g - mean_[i][k]);
        square_[i][k] += 0.01 * (g * g - square_[i][k]);
        const double length = std::sqrt(square_[i][k] / warm_square) + 1e-12;
        values[i][k] -= static_cast<float>(rate * mean_[i][k] / warm_mean / length);
      }
    }
  }

 private:
  int steps_ = 0;
  std::vector<Vec3d> mean_, square_;
};

/// Root mean square difference; fills in its gradient (of the mean square).
double compare(const Frames& frames, const Frames& wanted, Frames& gradient) {
  gradient = frames;
  double sum = 0;
  for (std::size_t i = 0; i < frames.values.size(); ++i) {
    const float error = frames.values[i] - wanted.values[i];
    gradient.values[i] = 2 * error / static_cast<float>(frames.values.size());
    sum += double(error) * double(error);
  }
  return std::sqrt(sum / static_cast<double>(frames.values.size()));
}

Status fit(const char* path) {
  LIMBER_TRY(const zoo::Creature creature, zoo::make_creature({.plan = zoo::Plan::kQuadruped, .seed = 7}));
  LIMBER_TRY(const zoo::Performance walk, zoo::perform(creature, {.action = zoo::Action::kWalk, .in_place = true}));
  splat::SampleSettings sampling;
  sampling.count = 3000;
  splat::Gaussians gaussians = scene::subject_gaussians(creature.subject, nullptr, sampling);
  // Every part in a colour of its own, so that a left leg is not taken for a right one.
  scene::paint_parts(gaussians, creature.subject.rig, scene::find_parts(creature.subject));
  scene::Scene scene(creature.subject.rig, gaussians);

  // One frame of the walk is what is wanted; the search starts at rest.
  kinematics::Motion target = kinematics::rest_motion(scene.rig(), 1, 24), motion = target;
  target.root_translations[0] = walk.motion.root_translations[9];
  std::copy(walk.motion.frame_angles(9).begin(), walk.motion.frame_angles(9).end(), target.angles.begin());
  scene::OrbitSettings orbit;
  orbit.views = 2, orbit.azimuth = 1.2f, orbit.width = orbit.height = 200;
  const std::vector<scene::Camera> cameras = scene::orbit_cameras(scene.frame_boxes(target), 24, orbit);
  Frames wanted, start, frames, gradient_frames;
  scene.forward(target, cameras, wanted);
  scene.forward(motion, cameras, start);

  Descent angles, roots;
  double first = 0, last = 0;
  for (int step = 0; step < 200; ++step) {
    scene.forward(motion, cameras, frames);
    last = compare(frames, wanted, gradient_frames);
    if (step == 0) first = last;
    kinematics::MotionGradient gradient;
    scene.backward(motion, cameras, gradient_frames, gradient);
    const double rate = 0.03 * std::pow(0.1, step / 200.0);
    angles.step(motion.angles, gradient.angles, rate);
    roots.step(motion.root_translations, gradient.root_translations, 0.2 * rate);
  }
  std::printf("difference %.4f at first, %.4f after 200 steps\n", first, last);
  if (!(last < 0.4 * first)) return Error{"the pose was not found", ""};

  Bitmap sheet(3 * orbit.width, 2 * orbit.height, 3);
  const Frames* panels[] = {&wanted, &start, &frames};
  for (int column = 0; column < 3; ++column) {
    for (int view = 0; view < 2; ++view) {
      const Bitmap picture = asset::frame_picture(*panels[column], view, 0);
      for (int y = 0; y < orbit.height; ++y) {
        std::copy_n(picture.at(0, y), 3 * orbit.width, sheet.at(column * orbit.width, view * orbit.height + y));
      }
    }
  }
  return asset::write_picture(sheet, path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: fit_pose out.png\n"), 2;
  const Status status = fit(argv[1]);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.error().message().c_str()), 1;
  return 0;
}
