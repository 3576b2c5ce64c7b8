// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "limber/physics/dynamics.h"
#include "limber/physics/foot_lock.h"

namespace limber::physics {
namespace {

constexpr double kTouch = 0.012;  ///< of the height: a point this low touches the ground
constexpr double kClear = 0.03;   ///< of the height: a body this high has left it
constexpr double kSlow = 0.3;     ///< of a point's fast speed: a planted one is slower
constexpr int kAfter = 2;         ///< frames after a loop's end
constexpr double kEven = 0.4;     ///< seconds over which the removed slide is evened out: bodies have momentum
constexpr double kGravity = 9.81;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

/// The height that most of the lowest points share: the ground as the motion sees it.
double ground_level(const std::vector<double>& lowest, double width) {
  std::vector<double> sorted = lowest;
  std::sort(sorted.begin(), sorted.end());
  std::size_t best = 0, most = 0, end = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    while (end < sorted.size() && sorted[end] <= sorted[i] + width) ++end;
    if (end - i > most) most = end - i, best = i;
  }
  return percentile(
      {sorted.begin() + static_cast<std::ptrdiff_t>(best), sorted.begin() + static_cast<std::ptrdiff_t>(best + most)},
      0.5);
}

bool mentions(std::string text, std::initializer_list<const char*> words) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return text.find(w) != std::string::npos; });
}

class Grounder {
 public:
  Grounder(const Puppet& puppet, const rig::Subject& subject, const kinematics::Motion& motion,
           std::span<const double> positions, const ReferenceSettings& settings)
      : puppet_(puppet),
        model_(puppet.model),
        subject_(subject),
        settings_(settings),
        height_(puppet.metres),
        stride_(puppet.model.position_count()),
        loops_(motion.loops && motion.frame_count() >= 4) {
    result_.fps = motion.fps;
    result_.count = result_.frames = motion.frame_count();
    result_.positions.assign(positions.begin(), positions.end());
  }

  Reference run() {
    look();
    find_level();
    find_flight();
    choose_habitat();
    if (result_.habitat == Habitat::kFree) {
      result_.lift = 0;
      result_.flight.assign(at(result_.frames), true);
    } else {
      put_on_ground();
      if (result_.habitat == Habitat::kGround && settings_.remove_slide) remove_slide();
    }
    if (loops_) repeat();
    look();
    find_planted();
    if (result_.habitat == Habitat::kGround && settings_.lock_feet) {
      lock_feet(model_, height_, result_.planted, result_.positions);
    }
    trim();
    return std::move(result_);
  }

 private:
  double& q(int frame, int k) { return result_.positions[at(frame) * stride_ + at(k)]; }
  Vec3d point(int frame, std::size_t p) const { return points_[at(frame) * model_.points.size() + p]; }

  void look() {
    points_ = contact_points(model_, result_.positions);
    lowest_.assign(at(result_.frames), 1e9);
    for (int f = 0; f < result_.frames; ++f) {
      for (std::size_t p = 0; p < model_.points.size(); ++p) {
        lowest_[at(f)] = std::min(lowest_[at(f)], point(f, p).y);
      }
    }
  }

  void find_level() {
    level_ = ground_level(lowest_, 0.02 * height_);
    result_.lift = -level_;
  }

  /// Frames off the ground, where a ballistic flight could be as long; others float.
  void find_flight() {
    result_.flight.assign(at(result_.frames), false);
    for (int f = 0; f < result_.frames;) {
      if (lowest_[at(f)] - level_ < kClear * height_) {
        ++f;
        continue;
      }
      int end = f;
      double top = 0;
      while (end < result_.frames && lowest_[at(end)] - level_ >= kClear * height_) {
        top = std::max(top, lowest_[at(end++)] - level_);
      }
      const double seconds = (end - f) / result_.fps;
      // Legs are drawn in during a flight, so feet rise higher than the body falls; a clip may start or end in one.
      const bool open = f == 0 || end == result_.frames;
      const double possible = (open ? 2.0 : 1.6) * 2 * std::sqrt(2 * top / kGravity) + 2 / result_.fps;
      const bool flies = seconds <= possible && !(f == 0 && end == result_.frames);
      for (int k = f; k < end; ++k) result_.flight[at(k)] = flies;
      if (!flies) result_.floating += end - f;
      f = end;
    }
  }

  /// Bodies that touch the ground hold so much of the mass, on average.
  double grounded_mass() const {
    double sum = 0;
    for (int f = 0; f < result_.frames; ++f) {
      for (const BodyT<double>& body : model_.bodies) {
        bool touches = false;
        for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
          touches = touches || point(f, at(p)).y - level_ < 1.5 * kTouch * height_;
        }
        if (touches) sum += body.mass;
      }
    }
    return sum / (std::max(result_.frames, 1) * model_.total_mass());
  }

  void choose_habitat() {
    result_.habitat = settings_.habitat;
    result_.habitat_reason = "as asked";
    if (!settings_.guess_habitat) return;
    const double share_off =
        static_cast<double>(
            std::count_if(lowest_.begin(), lowest_.end(), [&](double y) { return y - level_ >= kClear * height_; })) /
        std::max(result_.frames, 1);
    int fins = 0, legs = 0, wings = 0;
    for (const rig::Joint& joint : subject_.rig.joints()) {
      fins += mentions(joint.name, {"fin", "gill", "fluke", "dorsal"}) && !mentions(joint.name, {"finger"}) ? 1 : 0;
      legs += mentions(joint.name, {"leg", "foot", "thigh", "knee", "ankle", "shin", "calf", "paw", "hoof", "toe",
                                    "hip", "femur", "tarsus", "coxa", "tibia"})
                  ? 1
                  : 0;
      wings += mentions(joint.name, {"wing"}) ? 1 : 0;
    }
    const bool rises = ground_level(lowest_, 0.02 * height_) > 0.25 * height_;
    const auto choose = [&](Habitat habitat, std::string why) {
      result_.habitat = habitat;
      result_.habitat_reason = std::move(why);
    };
    if (mentions(settings_.clip, {"swim", "fly", "flap", "glid", "hover", "soar"})) {
      return choose(Habitat::kFree, fmt::format("the clip is called '{}'", settings_.clip));
    }
    if (fins > 0 && legs < 2) return choose(Habitat::kFree, fmt::format("{} fins and no legs", fins));
    if (rises && wings > 0 && share_off > 0.2) return choose(Habitat::kFree, "wings, and it stays in the air");
    if (share_off > 0.65 && result_.floating > result_.frames / 2) {
      return choose(Habitat::kFree,
                    fmt::format("off the ground in {:.0f} % of the frames, longer than a leap takes", 100 * share_off));
    }
    const double mass = grounded_mass();
    if (mass > 0.35 && legs < 2) {
      return choose(Habitat::kCrawl, fmt::format("{:.0f} % of the body lies on the ground", 100 * mass));
    }
    choose(Habitat::kGround, "something low bears the weight");
  }

  /// Moves every frame so that its lowest point touches the ground; over flights the shift goes on evenly.
  void put_on_ground() {
    const int frames = result_.frames;
    std::vector<double> shift(at(frames), 0);
    std::vector<int> standing;
    for (int f = 0; f < frames; ++f) {
      if (!result_.flight[at(f)]) standing.push_back(f), shift[at(f)] = -lowest_[at(f)];
    }
    if (standing.empty()) std::fill(shift.begin(), shift.end(), -level_);
    for (int f = 0; f < frames && !standing.empty(); ++f) {
      if (!result_.flight[at(f)]) continue;
      const auto after = std::lower_bound(standing.begin(), standing.end(), f);
      const int b = after == standing.end() ? standing.back() : *after;
      const int a = after == standing.begin() ? standing.front() : *(after - 1);
      const double t = a == b ? 0 : static_cast<double>(f - a) / (b - a);
      shift[at(f)] = (1 - t) * shift[at(a)] + t * shift[at(b)];
    }
    // Evenly: a shift that changes from frame to frame would shake the body.
    smooth(shift, 0.12);
    for (int f = 0; f < frames; ++f) q(f, 1) += shift[at(f)];
    look();
  }

  /// A Gaussian over time, around the corner for loops.
  void smooth(std::vector<double>& values, double seconds) const {
    const int count = static_cast<int>(values.size());
    const double sigma = seconds * result_.fps;
    const int reach = static_cast<int>(std::ceil(3 * sigma));
    std::vector<double> result(values.size());
    for (int f = 0; f < count; ++f) {
      double sum = 0, total = 0;
      for (int k = -reach; k <= reach; ++k) {
        int source = f + k;
        if (loops_) source = ((source % count) + count) % count;
        if (source < 0 || source >= count) continue;
        const double weight = std::exp(-0.5 * k * k / (sigma * sigma));
        sum += weight * values[at(source)], total += weight;
      }
      result[at(f)] = sum / total;
    }
    values = std::move(result);
  }

  /// How far the points that bear the weight move over the ground between two poses, the second shifted by `step`.
  /// Weights fall off quickly with height; the most common movement counts, so that a low swing does not.
  bool ground_step(int from, int to, Vec3d step, Vec3d& result) const {
    std::vector<Vec3d> moves;
    std::vector<double> weights;
    double total = 0;
    for (std::size_t p = 0; p < model_.points.size(); ++p) {
      const Vec3d a = point(from, p), b = point(to, p);
      const double low = std::max(a.y, 0.0) + std::max(b.y, 0.0);
      if (low > 3 * kTouch * height_) continue;
      Vec3d move = b + step - a;
      move.y = 0;
      moves.push_back(move);
      weights.push_back(std::exp(-low / (0.4 * kTouch * height_)));
      total += weights.back();
    }
    if (total < 0.05) return false;
    result = {};
    for (int round = 0; round < 8; ++round) {
      Vec3d sum;
      double share = 0;
      for (std::size_t k = 0; k < moves.size(); ++k) {
        const double far = round == 0 ? 1 : norm(moves[k] - result) + 0.002 * height_;
        sum += (weights[k] / far) * moves[k], share += weights[k] / far;
      }
      result = sum / share;
    }
    return true;
  }

  /// Integrates the movement of the ground under the feet out of the root's path.
  void remove_slide() {
    const int frames = result_.frames;
    std::vector<Vec3d> moves(at(std::max(frames - 1, 0)));
    std::vector<int> known;
    for (int f = 0; f + 1 < frames; ++f) {
      if (result_.flight[at(f)] || result_.flight[at(f + 1)]) continue;
      if (ground_step(f, f + 1, {}, moves[at(f)])) known.push_back(f);
    }
    if (known.empty()) return;
    for (int f = 0; f + 1 < frames; ++f) {
      const auto after = std::lower_bound(known.begin(), known.end(), f);
      if (after != known.end() && *after == f) continue;
      const int b = after == known.end() ? known.back() : *after;
      const int a = after == known.begin() ? known.front() : *(after - 1);
      const double t = a == b ? 0 : static_cast<double>(f - a) / (b - a);
      moves[at(f)] = lerp(moves[at(a)], moves[at(b)], t);
    }
    for (int axis = 0; axis < 3; axis += 2) {
      std::vector<double> values;
      for (const Vec3d& move : moves) values.push_back(move[axis]);
      smooth(values, kEven);
      for (std::size_t f = 0; f < moves.size(); ++f) moves[f][axis] = values[f];
    }
    Vec3d shift;
    for (int f = 1; f < frames; ++f) {
      shift -= moves[at(f - 1)];
      result_.slide += norm(moves[at(f - 1)]);
      q(f, 0) += shift.x, q(f, 2) += shift.z;
    }
    look();
  }

  /// A loop as it goes on: its last second before it, its first frames after it.
  void repeat() {
    const int count = result_.frames;
    // From the last frame to the first of the next round: as from one frame to the next, but without sliding.
    Vec3d step{q(count - 1, 0) - q(0, 0), 0, q(count - 1, 2) - q(0, 2)};
    const Vec3d usual = step / static_cast<double>(count - 1);
    Vec3d round = step + usual, slide;
    if (result_.habitat == Habitat::kGround && settings_.remove_slide && !result_.flight[at(count - 1)] &&
        !result_.flight[0] && ground_step(count - 1, 0, round, slide)) {
      round -= slide;
    }
    const int before = std::min(count, static_cast<int>(std::lround(settings_.lead_seconds * result_.fps)));
    const int after = std::max(kAfter, static_cast<int>(std::lround(0.5 * result_.fps)));
    std::vector<double> all;
    std::vector<bool> flight;
    for (int f = -before; f < count + after; ++f) {
      const int turn = f < 0 ? -1 : f / count;
      const int source = f - turn * count;
      const auto start = result_.positions.begin() + static_cast<std::ptrdiff_t>(at(source) * stride_);
      all.insert(all.end(), start, start + static_cast<std::ptrdiff_t>(stride_));
      double* pose = all.data() + all.size() - stride_;
      pose[0] += turn * round.x, pose[2] += turn * round.z;
      flight.push_back(result_.flight[at(source)]);
    }
    result_.first = before, result_.frames = before + count + after;
    result_.positions = std::move(all), result_.flight = std::move(flight);
  }

  /// Leaves two frames after the end: enough to close the loop.
  void trim() {
    const int frames = std::min(result_.frames, result_.first + result_.count + kAfter);
    result_.frames = frames;
    result_.positions.resize(at(frames) * stride_);
    result_.flight.resize(at(frames));
    for (std::vector<bool>& planted : result_.planted) planted.resize(at(frames));
  }

  /// Low points that are slow for what they do.
  void find_planted() {
    result_.planted.assign(model_.points.size(), std::vector<bool>(at(result_.frames), false));
    if (result_.habitat != Habitat::kGround) return;
    for (std::size_t p = 0; p < model_.points.size(); ++p) {
      std::vector<double> speeds(at(result_.frames), 0);
      for (int f = 0; f < result_.frames; ++f) {
        const int a = std::max(f - 1, 0), b = std::min(f + 1, result_.frames - 1);
        Vec3d move = point(b, p) - point(a, p);
        move.y = 0;
        if (b > a) speeds[at(f)] = norm(move) * result_.fps / (b - a);
      }
      const double slow = std::max(kSlow * percentile(speeds, 0.95), 0.1 * height_);
      for (int f = 0; f < result_.frames; ++f) {
        result_.planted[p][at(f)] = !result_.flight[at(f)] && point(f, p).y < kTouch * height_ && speeds[at(f)] < slow;
      }
    }
  }

  const Puppet& puppet_;
  const Model& model_;
  const rig::Subject& subject_;
  const ReferenceSettings& settings_;
  double height_;
  std::size_t stride_;
  bool loops_;
  double level_ = 0;
  std::vector<Vec3d> points_;
  std::vector<double> lowest_;
  Reference result_;
};

}  // namespace

std::string_view name(Habitat habitat) {
  switch (habitat) {
    case Habitat::kGround:
      return "ground";
    case Habitat::kCrawl:
      return "crawl";
    case Habitat::kFree:
      break;
  }
  return "free";
}

Reference make_reference(const Puppet& puppet, const rig::Subject& subject, const kinematics::Motion& motion,
                         std::span<const double> positions, const ReferenceSettings& settings) {
  return Grounder(puppet, subject, motion, positions, settings).run();
}

std::vector<Vec3d> contact_points(const Model& model, std::span<const double> positions) {
  const std::size_t stride = model.position_count(), frames = positions.size() / stride;
  std::vector<Vec3d> points;
  points.reserve(frames * model.points.size());
  Workspace work(model);
  std::vector<Affined> poses(model.bodies.size());
  for (std::size_t f = 0; f < frames; ++f) {
    body_poses<double>(model, work, positions.subspan(f * stride, stride), poses);
    std::vector<Vec3d> frame(model.points.size());
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      const BodyT<double>& body = model.bodies[b];
      for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
        frame[at(p)] = poses[b] * model.points[at(p)];
      }
    }
    points.insert(points.end(), frame.begin(), frame.end());
  }
  return points;
}

Derivatives differentiate(const Model& model, std::span<const double> positions, double fps) {
  const std::size_t nq = model.position_count(), nv = model.velocity_count();
  const int frames = static_cast<int>(positions.size() / nq);
  Derivatives d;
  d.velocities.resize(at(frames) * nv), d.accelerations.resize(at(frames) * nv);
  std::vector<double> steps(at(std::max(frames - 1, 0)) * nv);
  for (int f = 0; f + 1 < frames; ++f) {
    position_difference<double>(model, positions.subspan(at(f) * nq, nq), positions.subspan(at(f + 1) * nq, nq),
                                std::span(steps).subspan(at(f) * nv, nv));
  }
  for (int f = 0; f < frames && frames > 1; ++f) {
    const std::size_t last = at(std::max(f - 1, 0)), next = at(std::min(f, frames - 2));
    for (std::size_t k = 0; k < nv; ++k) {
      const double a = steps[last * nv + k] * fps, b = steps[next * nv + k] * fps;
      d.velocities[at(f) * nv + k] = (a + b) / 2;
      d.accelerations[at(f) * nv + k] = (b - a) * fps;
    }
  }
  return d;
}

}  // namespace limber::physics
