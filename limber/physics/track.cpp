// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/track.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/physics/rollout.h"
#include "limber/physics/rotation.h"
#include "limber/physics/support.h"
#include "limber/physics/sweeps.h"

namespace limber::physics {
namespace {

constexpr double kGravity = 9.81;
constexpr double kKeyRate = 24;  ///< controls a second, at least

/// The reference between its frames: cubic, with the velocities of central differences.
class Spline {
 public:
  Spline(const Model& model, const Reference& reference)
      : model_(model), reference_(reference), nq_(model.position_count()), nv_(model.velocity_count()) {
    velocities_ = differentiate(model, reference.positions, reference.fps).velocities;
  }

  std::span<const double> frame(int f) const { return std::span(reference_.positions).subspan(at(f) * nq_, nq_); }
  std::span<const double> velocity(int f) const { return std::span(velocities_).subspan(at(f) * nv_, nv_); }

  /// The position at `time`, in frames.
  void position(double time, std::span<double> q) const {
    const int f = std::clamp(static_cast<int>(time), 0, std::max(reference_.frames - 2, 0));
    if (reference_.frames < 2) {
      std::copy(frame(0).begin(), frame(0).end(), q.begin());
      return;
    }
    const double t = std::clamp(time - f, 0.0, 1.0), s = t * t;
    std::vector<double> delta(nv_);
    position_difference<double>(model_, frame(f), frame(f + 1), delta);
    const double h10 = t * s - 2 * s + t, h01 = 3 * s - 2 * t * s, h11 = t * s - s, seconds = 1 / reference_.fps;
    for (std::size_t k = 0; k < nv_; ++k) {
      delta[k] = h10 * velocity(f)[k] * seconds + h01 * delta[k] + h11 * velocity(f + 1)[k] * seconds;
    }
    integrate_position<double>(model_, frame(f), delta, q);
  }

 private:
  const Model& model_;
  const Reference& reference_;
  std::size_t nq_, nv_;
  std::vector<double> velocities_;
};

/// Everything that is optimised.
struct Controls {
  std::vector<double> targets;   ///< keys x hinges
  std::vector<double> velocity;  ///< at the start
};

/// Adam (Kingma and Ba 2015).
class Adam {
 public:
  explicit Adam(std::size_t size) : mean_(size), square_(size) {}
  void step(std::span<double> x, std::span<const double> gradient, double rate) {
    ++count_;
    const double a = 1 - std::pow(0.9, count_), b = 1 - std::pow(0.99, count_);
    for (std::size_t k = 0; k < x.size(); ++k) {
      mean_[k] = 0.9 * mean_[k] + 0.1 * gradient[k];
      square_[k] = 0.99 * square_[k] + 0.01 * gradient[k] * gradient[k];
      x[k] -= rate * (mean_[k] / a) / (std::sqrt(square_[k] / b) + 1e-12);
    }
  }

 private:
  std::vector<double> mean_, square_;
  int count_ = 0;
};

class Tracker {
 public:
  Tracker(const Puppet& puppet, const Reference& reference, const TrackSettings& settings)
      : puppet_(puppet),
        model_(puppet.model),
        reference_(reference),
        settings_(settings),
        spline_(model_, reference),
        work_(model_),
        nq_(model_.position_count()),
        nv_(model_.velocity_count()),
        hinges_(model_.hinges.size()),
        height_(puppet.metres),
        weight_(model_.total_mass() * kGravity) {
    const bool free = reference.habitat == Habitat::kFree;
    if (free) model_.gravity = {};
    if (reference.habitat == Habitat::kCrawl) model_.contact.friction = std::min(model_.contact.friction, 0.1);
    step_.ground = !free;
    // A frame is a whole number of keys, a key a whole number of steps.
    const int keys = std::max(1, static_cast<int>(std::ceil(kKeyRate / reference.fps - 1e-9)));
    steps_per_key_ = std::max(1, static_cast<int>(std::ceil(1 / (reference.fps * keys * settings.max_step) - 1e-9)));
    steps_per_frame_ = keys * steps_per_key_;
    step_.dt = 1 / (reference.fps * steps_per_frame_);
    steps_ = (reference.frames - 1) * steps_per_frame_;
    key_count_ = (reference.frames - 1) * keys + 1;
  }

  Result<Tracked> run() {
    prepare();
    warm_start();
    LIMBER_CHECK_OK(optimise());
    return finish();
  }

 private:
  /// Where the reference is at every step and its help there, for full assistance.
  void prepare() {
    dense_.resize((at(steps_) + 1) * nq_);
    for (int i = 0; i <= steps_; ++i) {
      spline_.position(static_cast<double>(i) / steps_per_frame_, std::span(dense_).subspan(at(i) * nq_, nq_));
    }
    poses_.resize(at(reference_.frames) * model_.bodies.size());
    std::vector<double> still(nv_);
    for (int f = 0; f < reference_.frames; ++f) {
      sweep_kinematics<double>(model_, work_, spline_.frame(f), still);
      const Vec3d root = root_of(spline_.frame(f));
      for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
        poses_[at(f) * model_.bodies.size() + b] = {work_.bodies[b].rotation, work_.bodies[b].position + root};
      }
    }
    set_assist(settings_.assist);
  }

  static Vec3d root_of(std::span<const double> q) { return {q[0], q[1], q[2]}; }

  void set_assist(double share) {
    assist_ = share;
    guides_.assign(at(steps_), {});
    const double mass = model_.total_mass();
    const double pull = share * weight_ / (0.04 * height_), turn = share * weight_ * height_ * 0.5;
    const double inertia = mass * height_ * height_ * 0.08;
    const bool free = reference_.habitat == Habitat::kFree;
    for (int i = 0; i < steps_; ++i) {
      const std::span<const double> q = std::span<const double>(dense_).subspan(at(i) * nq_, nq_);
      const std::span<const double> next = std::span<const double>(dense_).subspan(at(i + 1) * nq_, nq_);
      std::vector<double>& change = work_.scratch;
      position_difference<double>(model_, q, next, change);
      Guide& guide = guides_[at(i)];
      guide.position = root_of(q), guide.rotation = root_rotation<double>(q);
      guide.velocity = Vec3d{change[3], change[4], change[5]} / step_.dt;
      guide.angular_velocity = Vec3d{change[0], change[1], change[2]} / step_.dt;
      // Less help against gravity: legs are there for that.
      const double up = free ? 1 : 0.3;
      guide.pull = {pull, up * pull, pull};
      const double damping = 1.4 * std::sqrt(pull * mass);
      guide.pull_damping = {damping, std::sqrt(up) * damping, damping};
      guide.turn = {turn / 2, turn / 2, turn / 2};
      const double turn_damping = 1.4 * std::sqrt(turn * inertia);
      guide.turn_damping = {turn_damping, turn_damping, turn_damping};
    }
  }

  /// Targets by inverse dynamics: theta_hat = theta + (tau + k_d v) / k_e, with the ground's forces found first.
  void warm_start() {
    const double key_rate = reference_.fps * steps_per_frame_ / steps_per_key_;
    std::vector<double> keys(at(key_count_) * nq_);
    for (int k = 0; k < key_count_; ++k) {
      std::copy_n(dense_.begin() + static_cast<std::ptrdiff_t>(at(k * steps_per_key_) * nq_), nq_,
                  keys.begin() + static_cast<std::ptrdiff_t>(at(k) * nq_));
    }
    const Derivatives d = differentiate(model_, keys, key_rate);
    controls_.targets.resize(at(key_count_) * hinges_);
    double force = 0, torque = 0, worst = -1;
    for (int k = 0; k < key_count_; ++k) {
      const std::span<const double> q = std::span<const double>(keys).subspan(at(k) * nq_, nq_);
      const std::span<const double> v = std::span<const double>(d.velocities).subspan(at(k) * nv_, nv_);
      const std::span<const double> a = std::span<const double>(d.accelerations).subspan(at(k) * nv_, nv_);
      const Support support = find_support(model_, work_, q, v, a, step_.ground ? 0.02 * height_ : -1e9, 0.5 * height_);
      for (std::size_t h = 0; h < hinges_; ++h) {
        const HingeT<double>& hinge = model_.hinges[h];
        // No more than half a radian of pull: accelerations from differences are rough.
        const double lead = (support.torque[h] + hinge.damping * v[6 + h]) / hinge.stiffness;
        controls_.targets[at(k) * hinges_ + h] = q[7 + h] + std::clamp(lead, -0.5, 0.5);
      }
      const double push = norm(support.missing.linear) / weight_;
      force += push * push, torque += squared_norm(support.missing.angular) / std::pow(weight_ * height_, 2);
      if (push > worst) worst = push, report_.worst_frame = k * steps_per_key_ / steps_per_frame_ - reference_.first;
    }
    report_.missing_force = std::sqrt(force / key_count_), report_.missing_torque = std::sqrt(torque / key_count_);
    controls_.velocity.assign(spline_.velocity(0).begin(), spline_.velocity(0).end());
  }

  RolloutInputT<double> input() const {
    return {std::span<const double>(dense_).subspan(0, nq_),
            controls_.velocity,
            steps_,
            steps_per_key_,
            controls_.targets,
            {},
            guides_};
  }

  /// Loss of a frame's bones; adds its gradient to `grad_q` of that frame, laid out like a velocity.
  double bone_loss(int frame, std::span<const double> q, std::span<double> grad_q) {
    std::vector<double> still(nv_);
    sweep_kinematics<double>(model_, work_, q, still);
    const double share = 1.0 / (std::max(reference_.frames - 1, 1) * static_cast<double>(model_.bodies.size()));
    const bool akd = settings_.loss == TrackLoss::kAkd;
    const Vec3d root = root_of(q);
    double loss = 0;
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      auto& body = work_.bodies[b];
      const Affined& target = poses_[at(frame) * model_.bodies.size() + b];
      const Vec3d apart = (body.position + root - target.translation) / height_;
      const Vec3d turn = rotation_vector(to_quat(body.rotation * transposed(target.linear)));
      Vec3d force, torque;
      for (int k = 0; k < 3; ++k) {
        if (akd) {
          loss += share * (std::abs(apart[k]) + std::abs(turn[k]));
          force[k] = share * std::copysign(1.0, apart[k]);
        } else {
          loss += share * (apart[k] * apart[k] + settings_.rotation_weight * turn[k] * turn[k]);
          force[k] = 2 * share * apart[k];
        }
      }
      // |log R|^2 changes by 2 log R for a small turn; |log R|_1 nearly by its signs.
      for (int k = 0; k < 3; ++k) {
        torque[k] = akd ? share * std::copysign(1.0, turn[k]) : 2 * share * settings_.rotation_weight * turn[k];
      }
      body.force = force_at(body.position, force / height_);
      body.force.angular += torque;
    }
    sweep_project<double>(model_, work_, still);
    for (std::size_t k = 0; k < nv_; ++k) grad_q[k] += still[k];
    return loss;
  }

  /// lambda_3 times the mean absolute second difference of the controls (softened by default).
  double control_loss(std::vector<double>& gradient) const {
    if (key_count_ < 3 || hinges_ == 0) return 0;
    const double terms = static_cast<double>(at(key_count_ - 2) * hinges_);
    const bool akd = settings_.loss == TrackLoss::kAkd;
    double loss = 0;
    for (std::size_t k = hinges_; k + hinges_ < controls_.targets.size(); ++k) {
      const double second = controls_.targets[k - hinges_] - 2 * controls_.targets[k] + controls_.targets[k + hinges_];
      const double slope = (akd ? std::copysign(1.0, second) : 0.2 * second) * settings_.smoothness / terms;
      loss += (akd ? std::abs(second) : 0.1 * second * second) * settings_.smoothness / terms;
      gradient[k - hinges_] += slope, gradient[k] -= 2 * slope, gradient[k + hinges_] += slope;
    }
    return loss;
  }

  /// One rollout with its loss; and the gradient, where `gradient` is given.
  double evaluate(RolloutT<double>& rollout, RolloutGradientT<double>* gradient) {
    rollout_forward(model_, work_, step_, input(), rollout);
    std::vector<double> grad_q((at(steps_) + 1) * nv_), grad_v(grad_q.size()), grad_targets(controls_.targets.size());
    double loss = control_loss(grad_targets);
    for (int f = 1; f < reference_.frames; ++f) {
      const std::size_t i = at(f * steps_per_frame_);
      loss += bone_loss(f, std::span<const double>(rollout.q).subspan(i * nq_, nq_),
                        std::span(grad_q).subspan(i * nv_, nv_));
    }
    if (rollout.finite_steps < steps_) return 1e9;
    if (gradient) {
      rollout_backward<double>(model_, work_, step_, input(), rollout, grad_q, grad_v,
                               {std::max(steps_per_frame_, 16), settings_.clip_growth}, *gradient);
      chunks_ += gradient->chunks, clipped_ += gradient->clipped;
      for (std::size_t k = 0; k < grad_targets.size(); ++k) gradient->targets[k] += grad_targets[k];
    }
    return loss;
  }

  /// Moves the targets by what the joints miss: where gravity and inertia hardly change, this is Newton's step.
  void correct_targets(const RolloutT<double>& rollout) {
    for (int k = 0; k < key_count_; ++k) {
      const std::size_t i = at(k * steps_per_key_) * nq_;
      for (std::size_t h = 0; h < hinges_; ++h) {
        const double miss = dense_[i + 7 + h] - rollout.q[i + 7 + h];
        controls_.targets[at(k) * hinges_ + h] += std::clamp(0.5 * miss, -0.1, 0.1);
      }
    }
  }

  Status optimise() {
    RolloutT<double> rollout;
    RolloutGradientT<double> gradient;
    const int corrections = std::min(8, settings_.iterations / 4);
    best_loss_ = 1e300;
    Adam for_targets(controls_.targets.size()), for_velocity(nv_);
    double recent = 1e300;
    for (int i = 0; i < settings_.iterations; ++i) {
      if (settings_.progress && !settings_.progress("tracking", static_cast<double>(i) / settings_.iterations)) {
        return Error{"cancelled", "tracking"};
      }
      // The help fades over the first two thirds.
      const double t = std::min(1.0, 1.5 * i / settings_.iterations);
      const double share =
          settings_.assist * std::pow(std::max(settings_.least_assist, 1e-3) / std::max(settings_.assist, 1e-3), t);
      if (settings_.assist > 0) set_assist(std::min(share, settings_.assist));
      const bool correcting = i < corrections;
      const double loss = evaluate(rollout, correcting ? nullptr : &gradient);
      ++report_.iterations;
      if (i == 0) report_.loss_before = loss;
      if (!std::isfinite(loss) || loss >= 1e9) {
        report_.stop = TrackStop::kNotFinite;
        report_.notes.push_back(fmt::format("iteration {}: the simulation left the finite numbers", i));
        break;
      }
      const bool settled = t >= 1;
      if (!settled || loss < best_loss_ || best_assist_ > assist_ * 1.0001) {
        best_loss_ = loss, best_controls_ = controls_, best_rollout_ = rollout, best_assist_ = assist_;
      }
      if (correcting) {
        correct_targets(rollout);
        continue;
      }
      const double rate = settings_.learning_rate * (1 - 0.9 * i / settings_.iterations);
      for_targets.step(controls_.targets, gradient.targets, rate);
      if (settings_.optimise_velocity && reference_.first == 0) {
        for_velocity.step(controls_.velocity, gradient.v, rate);
      }
      if (settled && i % 10 == 9) {
        if (recent - best_loss_ < 1e-3 * best_loss_) {
          report_.stop = TrackStop::kConverged;
          break;
        }
        recent = best_loss_;
      }
    }
    return Done{};
  }

  Tracked finish() {
    Tracked tracked;
    report_.steps = steps_, report_.dt = step_.dt, report_.loss_after = best_loss_;
    report_.clip_ratio = chunks_ > 0 ? static_cast<double>(clipped_) / static_cast<double>(chunks_) : 0;
    for (int f = 0; f < reference_.count; ++f) {
      const auto start =
          best_rollout_.q.begin() + static_cast<std::ptrdiff_t>(at((reference_.first + f) * steps_per_frame_) * nq_);
      tracked.positions.insert(tracked.positions.end(), start, start + static_cast<std::ptrdiff_t>(nq_));
    }
    if (reference_.frames > reference_.first + reference_.count) close_loop(tracked.positions);
    measure(tracked.positions);
    tracked.report = std::move(report_);
    return tracked;
  }

  /// Spreads what is missing between the last frame and the first over the loop.
  void close_loop(std::vector<double>& positions) const {
    const int next = reference_.first + reference_.count;
    std::vector<double> ends(
        best_rollout_.q.begin() + static_cast<std::ptrdiff_t>(at(next * steps_per_frame_) * nq_),
        best_rollout_.q.begin() + static_cast<std::ptrdiff_t>((at(next * steps_per_frame_) + 1) * nq_));
    // The reference's own way from one round to the next.
    const std::span<const double> a = spline_.frame(reference_.first), b = spline_.frame(next);
    ends[0] -= b[0] - a[0], ends[2] -= b[2] - a[2];
    std::vector<double> gap(nv_), part(nv_);
    position_difference<double>(model_, ends, std::span<const double>(positions).subspan(0, nq_), gap);
    for (int f = 0; f < reference_.count; ++f) {
      const std::span<double> q = std::span(positions).subspan(at(f) * nq_, nq_);
      const double share = static_cast<double>(f) / reference_.count;
      for (std::size_t k = 0; k < nv_; ++k) part[k] = share * gap[k];
      integrate_position<double>(model_, std::vector<double>(q.begin(), q.end()), part, q);
    }
  }

  void measure(std::span<const double> positions) {
    double turn = 0, root = 0;
    int joints = 0;
    for (int f = 0; f < reference_.count; ++f) {
      const std::span<const double> q = positions.subspan(at(f) * nq_, nq_);
      const std::span<const double> goal = spline_.frame(reference_.first + f);
      root += norm(root_of(q) - root_of(goal)) / height_ / reference_.count;
      for (const PuppetJoint& joint : puppet_.joints) {
        if (joint.hinge < 0) continue;
        const auto rotation = [&](std::span<const double> from) {
          const std::size_t h = 7 + at(joint.hinge);
          return to_quat(kinematics::euler_matrix(Vec3d{from[h], from[h + 1], from[h + 2]}));
        };
        turn += angle_between(rotation(q), rotation(goal)), ++joints;
      }
    }
    report_.joint_error = joints > 0 ? turn / joints * 180 / kPi : 0;
    report_.root_error = root;
    report_.assist = settings_.assist > 0 ? best_assist_ / settings_.assist : 0;
    measure_forces();
  }

  /// Plays the result once more and adds up what drives and help gave.
  void measure_forces() {
    controls_ = best_controls_;
    if (settings_.assist > 0) set_assist(best_assist_);
    const int begin = reference_.first * steps_per_frame_;
    const int end = std::min(steps_, (reference_.first + reference_.count - 1) * steps_per_frame_);
    double torque = 0, force = 0, help = 0;
    for (int i = begin; i < end; ++i) {
      const std::span<const double> q = std::span<const double>(best_rollout_.q).subspan(at(i) * nq_, nq_);
      const std::span<const double> v = std::span<const double>(best_rollout_.v).subspan(at(i) * nv_, nv_);
      const int key = std::min(i / steps_per_key_, key_count_ - 2);
      const double share = static_cast<double>(i - key * steps_per_key_) / steps_per_key_;
      for (std::size_t h = 0; h < hinges_; ++h) {
        const HingeT<double>& hinge = model_.hinges[h];
        const double* target = &controls_.targets[at(key) * hinges_ + h];
        const double goal = (1 - share) * target[0] + share * target[hinges_];
        const double t = (hinge.stiffness * (goal - q[7 + h]) - hinge.damping * v[6 + h]) / (weight_ * height_);
        torque += t * t, report_.peak_torque = std::max(report_.peak_torque, std::abs(t));
      }
      const Guide& guide = guides_[at(i)];
      const Vec3d pull = scaled(guide.pull, guide.position - root_of(q)) +
                         scaled(guide.pull_damping, guide.velocity - Vec3d{v[3], v[4], v[5]});
      Vec3d twist = scaled(guide.turn_damping, guide.angular_velocity - Vec3d{v[0], v[1], v[2]});
      const Mat3d rotation = root_rotation<double>(q);
      for (int k = 0; k < 3; ++k) twist += guide.turn[k] * cross(rotation.column(k), guide.rotation.column(k));
      force += squared_norm(pull) / (weight_ * weight_);
      help += squared_norm(twist) / std::pow(weight_ * height_, 2);
      report_.peak_assist_force = std::max(report_.peak_assist_force, norm(pull) / weight_);
    }
    const double count = std::max(end - begin, 1);
    report_.torque = std::sqrt(torque / (count * static_cast<double>(std::max<std::size_t>(hinges_, 1))));
    report_.assist_force = std::sqrt(force / count), report_.assist_torque = std::sqrt(help / count);
  }

  const Puppet& puppet_;
  Model model_;
  const Reference& reference_;
  const TrackSettings& settings_;
  Spline spline_;
  Workspace work_;
  std::size_t nq_, nv_, hinges_;
  double height_, weight_;
  StepSettings step_;
  int steps_per_key_ = 1, steps_per_frame_ = 1, steps_ = 0, key_count_ = 0;
  std::vector<double> dense_;
  std::vector<Affined> poses_;  ///< of the reference: frames x bodies
  std::vector<Guide> guides_;
  double assist_ = 0;
  Controls controls_, best_controls_;
  RolloutT<double> best_rollout_;
  double best_loss_ = 0, best_assist_ = 0;
  long chunks_ = 0, clipped_ = 0;
  TrackReport report_;
};

}  // namespace

std::string_view name(TrackStop stop) {
  switch (stop) {
    case TrackStop::kConverged:
      return "converged";
    case TrackStop::kMaxIterations:
      return "max iterations";
    case TrackStop::kNotFinite:
      break;
  }
  return "not finite";
}

Result<Tracked> track(const Puppet& puppet, const Reference& reference, const TrackSettings& settings) {
  LIMBER_EXPECT(settings.iterations >= 1 && settings.iterations <= 200 && settings.max_step > 0,
                fmt::format("{} iterations, steps of {} s", settings.iterations, settings.max_step));
  LIMBER_EXPECT(reference.frames >= 1, "an empty reference");
  return Tracker(puppet, reference, settings).run();
}

}  // namespace limber::physics
