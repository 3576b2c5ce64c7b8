// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/observability.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/lift/dense_solve.h"
#include "limber/lift/observe_cuda.h"
#include "limber/lift/pose_model.h"

namespace limber::lift {
namespace {

struct Splat {
  double x = 0, y = 0, depth = 0, radius = 0;
};

ObservedCloud make_cloud(const scene::Scene& scene) {
  const auto& gaussians = scene.gaussians();
  ObservedCloud cloud;
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    cloud.points.push_back(skin_point(gaussians, i));
    const Vec3 s = gaussians.scales[i];
    cloud.radii.push_back(1.5 * static_cast<double>(std::max({s.x, s.y, s.z})));
  }
  return cloud;
}

/// Which Gaussian is nearest in which pixel; -1 for none.
std::vector<std::int32_t> nearest_splats(const std::vector<Splat>& splats, int width, int height) {
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  std::vector<std::int32_t> nearest(pixels, -1);
  std::vector<double> depth(pixels, 1e30);
  for (std::size_t i = 0; i < splats.size(); ++i) {
    const Splat& s = splats[i];
    if (!(s.depth > 0)) continue;
    const double radius = std::clamp(s.radius, kLeastRadius, kMostRadius);
    const int x0 = static_cast<int>(std::max(0.0, std::floor(s.x - radius)));
    const int x1 = static_cast<int>(std::min(width - 1.0, std::floor(s.x + radius)));
    const int y0 = static_cast<int>(std::max(0.0, std::floor(s.y - radius)));
    const int y1 = static_cast<int>(std::min(height - 1.0, std::floor(s.y + radius)));
    for (int y = y0; y <= y1; ++y) {
      for (int x = x0; x <= x1; ++x) {
        const double dx = x + 0.5 - s.x, dy = y + 0.5 - s.y;
        const std::size_t at =
            static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
        if (dx * dx + dy * dy > radius * radius || s.depth >= depth[at]) continue;
        depth[at] = s.depth, nearest[at] = static_cast<std::int32_t>(i);
      }
    }
  }
  return nearest;
}

/// Adds the slopes of one image to the Gaussians that its pixels show.
void add_slopes(const float* image, int width, int height, const std::vector<std::int32_t>& nearest,
                std::vector<Slopes>& slopes) {
  const std::size_t plane = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  for (int y = 1; y + 1 < height; ++y) {
    for (int x = 1; x + 1 < width; ++x) {
      const std::size_t at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
      if (nearest[at] < 0) continue;
      Slopes& sum = slopes[static_cast<std::size_t>(nearest[at])];
      for (std::size_t c = 0; c < 3; ++c) sum.add(image + c * plane + at, width);
    }
  }
}

class Observer {
 public:
  Observer(const scene::Scene& scene, std::span<const scene::Camera> cameras, const kinematics::Motion& motion,
           const Frames& drawn, const std::vector<bool>& free, const ObservabilitySettings& settings)
      : scene_(scene),
        cameras_(cameras),
        motion_(motion),
        drawn_(drawn),
        free_(free),
        settings_(settings),
        cloud_(make_cloud(scene)) {}

  void observe_frame(int frame, Observability& result) const {
    PoseModel model(scene_.rig(), free_);
    pose(model, frame);
    DenseSymmetric information(model.unknown_count());
    for (int view = 0; view < drawn_.views; ++view) add_view(model, frame, view, information);
    confide(model, frame, information, result);
  }

  /// All frames, from pictures that the scene has just drawn on the GPU.
  void observe_there(scene::CudaScene& cuda, Observability& result) const {
    PoseModel model(scene_.rig(), free_);
    CudaObserver observer(cuda, cloud_, model, cameras_);
    for (int frame = 0; frame < result.frames; ++frame) {
      pose(model, frame);
      observer.add_pose(model);
    }
    const std::vector<DenseSymmetric> information = observer.information(per_fact());
    parallel_for(information.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t t = first; t < last; ++t) confide(model, static_cast<int>(t), information[t], result);
    });
  }

 private:
  void pose(PoseModel& model, int frame) const {
    const std::span<const Vec3> angles = motion_.frame_angles(frame);
    const kinematics::Pose pose{motion_.root_translations[static_cast<std::size_t>(frame)],
                                {angles.begin(), angles.end()}};
    model.set(model.unknowns(pose), pose);
  }
  double per_fact() const { return 1 / (settings_.color_sigma * settings_.color_sigma * settings_.pixels_per_fact); }

  void add_view(const PoseModel& model, int frame, int view, DenseSymmetric& information) const {
    const auto image =
        static_cast<std::size_t>(view) * static_cast<std::size_t>(drawn_.frames) + static_cast<std::size_t>(frame);
    const scene::Camera& camera = cameras_[image];
    std::vector<Splat> splats(cloud_.points.size());
    std::vector<Projection> places(cloud_.points.size());
    for (std::size_t i = 0; i < splats.size(); ++i) {
      places[i] = project_point(camera, model.place(cloud_.points[i]));
      const double scale = static_cast<double>(camera.fy) / std::max(places[i].depth, 1e-6);
      splats[i] = {places[i].x, places[i].y, places[i].depth, scale * cloud_.radii[i]};
    }
    std::vector<Slopes> slopes(splats.size());
    const std::size_t plane = static_cast<std::size_t>(drawn_.width) * static_cast<std::size_t>(drawn_.height);
    add_slopes(drawn_.values.data() + 3 * plane * image, drawn_.width, drawn_.height,
               nearest_splats(splats, drawn_.width, drawn_.height), slopes);

    const double fact = per_fact();
    std::vector<PointDerivative> moves;
    std::vector<double> dx, dy;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      const Slopes& s = slopes[i];
      if (s.xx + s.yy == 0) continue;
      model.derivatives(cloud_.points[i], moves);
      dx.clear(), dy.clear();
      for (const PointDerivative& move : moves) {
        dx.push_back(dot(places[i].dx, move.motion)), dy.push_back(dot(places[i].dy, move.motion));
      }
      for (std::size_t a = 0; a < moves.size(); ++a) {
        const double along_x = fact * (s.xx * dx[a] + s.xy * dy[a]);
        const double along_y = fact * (s.xy * dx[a] + s.yy * dy[a]);
        for (std::size_t b = 0; b < moves.size(); ++b) {
          information.at(moves[a].unknown, moves[b].unknown) += along_x * dx[b] + along_y * dy[b];
        }
      }
    }
  }

  /// What is left of the prior's variances when the pictures have been seen.
  void confide(const PoseModel& model, int frame, const DenseSymmetric& information, Observability& result) const {
    DenseSymmetric sum = information;
    const auto prior_variance = [&](int unknown) {
      const double sigma = unknown < 3 ? settings_.root_sigma : settings_.prior_sigma;
      return sigma * sigma;
    };
    for (int k = 0; k < sum.size; ++k) sum.at(k, k) += 1 / prior_variance(k);
    if (!factorize(sum)) return;
    const std::vector<double> variances = inverse_diagonal(sum);
    for (const int joint : model.free_joints()) {
      double mean = 0, worst = 0, most = 0;
      const int first = model.first_unknown(joint);
      for (int k = first; k < first + 3; ++k) most = std::max(most, information.at(k, k));
      const std::size_t at = result.index(frame, joint);
      if (!(most > 0)) continue;
      for (int k = first; k < first + 3; ++k) {
        const double left = std::sqrt(variances[static_cast<std::size_t>(k)] / prior_variance(k));
        mean += std::clamp(1 - left, 0.0, 1.0) / 3;
        worst = std::max(worst, variances[static_cast<std::size_t>(k)]);
      }
      result.confidence[at] = static_cast<float>(mean);
      result.sigma[at] = static_cast<float>(std::sqrt(worst));
    }
  }

  const scene::Scene& scene_;
  std::span<const scene::Camera> cameras_;
  const kinematics::Motion& motion_;
  const Frames& drawn_;
  const std::vector<bool>& free_;
  const ObservabilitySettings& settings_;
  ObservedCloud cloud_;
};

}  // namespace

std::string_view name(MotionSource source) {
  switch (source) {
    case MotionSource::kSeen:
      return "seen";
    case MotionSource::kInferred:
      return "inferred";
    case MotionSource::kPrior:
      return "prior";
  }
  return "?";
}

void name_sources(Observability& observability, double fps, const ObservabilitySettings& settings) {
  observability.sources.assign(observability.confidence.size(), MotionSource::kPrior);
  const double keep = std::exp(-1 / std::max(settings.memory * fps, 1e-3));
  for (int j = 0; j < observability.joints; ++j) {
    // The best that this frame or, less and less, others say.
    std::vector<double> reach(static_cast<std::size_t>(observability.frames));
    for (const bool forwards : {true, false}) {
      double best = 0;
      for (int i = 0; i < observability.frames; ++i) {
        const int t = forwards ? i : observability.frames - 1 - i;
        best = std::max(keep * best, static_cast<double>(observability.confidence[observability.index(t, j)]));
        reach[static_cast<std::size_t>(t)] = std::max(reach[static_cast<std::size_t>(t)], best);
      }
    }
    for (int t = 0; t < observability.frames; ++t) {
      const std::size_t at = observability.index(t, j);
      if (static_cast<double>(observability.confidence[at]) >= settings.seen) {
        observability.sources[at] = MotionSource::kSeen;
      } else if (reach[static_cast<std::size_t>(t)] >= settings.guessed) {
        observability.sources[at] = MotionSource::kInferred;
      }
    }
  }
}

Observability observe(scene::Scene& scene, std::span<const scene::Camera> cameras, const kinematics::Motion& motion,
                      const std::vector<bool>& free, const ObservabilitySettings& settings) {
  const auto frames = static_cast<std::size_t>(motion.frame_count());
  LIMBER_EXPECT(frames > 0 && cameras.size() % frames == 0, std::to_string(cameras.size()) + " cameras");
  Observability result;
  result.frames = motion.frame_count(), result.joints = motion.joint_count;
  result.confidence.assign(motion.angles.size(), 0.0f);
  result.sigma.assign(motion.angles.size(), static_cast<float>(settings.prior_sigma));
  Frames drawn;
  const Observer observer(scene, cameras, motion, drawn, free, settings);
  if (scene.device() == Device::kCuda) {
    if (scene.forward_on_device(motion, cameras).ok()) {
      observer.observe_there(*scene.cuda(), result);
      (void)scene.finish_on_device();  // whoever asks the scene is told
    }
  } else {
    scene.forward(motion, cameras, drawn);
    parallel_for(frames, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t t = first; t < last; ++t) observer.observe_frame(static_cast<int>(t), result);
    });
  }
  name_sources(result, motion.fps, settings);
  return result;
}

}  // namespace limber::lift
