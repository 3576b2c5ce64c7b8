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
constexpr double kFirm = 8;      ///< times the usual help, where nothing else helps
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

/// Adam (Kingma and Ba 2015) for rows of numbers that belong together: the mean square is that of a whole column, and
/// the gradient is smoothed along the column first, so that steps are as smooth as what they change.
class SmoothAdam {
 public:
  SmoothAdam(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), mean_(rows * columns), square_(columns), smooth_(rows * columns) {}

  void step(std::span<double> x, std::span<const double> gradient, double rate) {
    ++count_;
    smooth_.assign(gradient.begin(), gradient.end());
    for (int pass = 0; pass < 2 && rows_ >= 3; ++pass) blur();
    const double a = 1 - std::pow(0.9, count_), b = 1 - std::pow(0.95, count_);
    for (std::size_t c = 0; c < columns_; ++c) {
      double sum = 0;
      for (std::size_t r = 0; r < rows_; ++r) sum += smooth_[r * columns_ + c] * smooth_[r * columns_ + c];
      square_[c] = 0.95 * square_[c] + 0.05 * sum / static_cast<double>(rows_);
    }
    // Columns that hardly matter move less: half of each one's scale is that of all.
    double all = 0;
    for (const double s : square_) all += s / static_cast<double>(std::max<std::size_t>(columns_, 1));
    for (std::size_t k = 0; k < x.size(); ++k) {
      mean_[k] = 0.9 * mean_[k] + 0.1 * smooth_[k];
      const double scale = std::sqrt((0.5 * square_[k % columns_] + 0.5 * all) / b);
      x[k] -= rate * (mean_[k] / a) / (scale + 1e-12);
    }
  }

 private:
  void blur() {
    std::vector<double> last(smooth_.begin(), smooth_.begin() + static_cast<std::ptrdiff_t>(columns_)), now(columns_);
    for (std::size_t r = 0; r < rows_; ++r) {
      for (std::size_t c = 0; c < columns_; ++c) {
        now[c] = smooth_[r * columns_ + c];
        const double next = r + 1 < rows_ ? smooth_[(r + 1) * columns_ + c] : now[c];
        smooth_[r * columns_ + c] = 0.25 * last[c] + 0.5 * now[c] + 0.25 * next;
      }
      std::swap(last, now);
    }
  }

  std::size_t rows_, columns_;
  std::vector<double> mean_, square_, smooth_;
  int count_ = 0;
};

/// A contact point that should stay put in a frame.
struct Anchor {
  int body = 0;
  Vec3d point;  ///< in the body's frame
  Vec3d place;  ///< in the world
};

/// The result of one level of help.
struct Level {
  double assist = 0, loss = 1e300;
  Controls controls;
  RolloutT<double> rollout;
  double joint_error = 0, root_error = 0, slip = 0;
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
    find_anchors();
  }

  static Vec3d root_of(std::span<const double> q) { return {q[0], q[1], q[2]}; }

  /// Where every planted point stood on average while it was planted, on the ground.
  void find_anchors() {
    anchors_.assign(at(reference_.frames), {});
    const std::vector<Vec3d> points = contact_points(model_, reference_.positions);
    for (int b = 0; b < model_.body_count(); ++b) {
      const BodyT<double>& body = model_.bodies[at(b)];
      for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
        const std::vector<bool>& planted = reference_.planted[at(p)];
        for (int f = 0; f < reference_.frames; ++f) {
          if (!planted[at(f)]) continue;
          int end = f;
          Vec3d sum;
          for (; end < reference_.frames && planted[at(end)]; ++end) {
            sum += points[at(end) * model_.points.size() + at(p)];
          }
          sum = sum / static_cast<double>(end - f);
          for (int k = f; k < end; ++k) {
            const double height = points[at(k) * model_.points.size() + at(p)].y;
            anchors_[at(k)].push_back({b, model_.points[at(p)], {sum.x, height, sum.z}});
          }
          f = end;
        }
      }
    }
    for (const auto& list : anchors_) anchor_count_ += list.size();
  }

  void set_assist(double share) {
    assist_ = share;
    guides_.assign(at(steps_), {});
    const double mass = model_.total_mass();
    const double pull = share * weight_ / (0.04 * height_), turn = share * weight_ * height_ * 0.5;
    const double inertia = mass * height_ * height_ * 0.08;
    const bool free = reference_.habitat == Habitat::kFree;
    const bool leaps = std::find(reference_.flight.begin(), reference_.flight.end(), true) != reference_.flight.end();
    for (int i = 0; i < steps_; ++i) {
      const std::span<const double> q = std::span<const double>(dense_).subspan(at(i) * nq_, nq_);
      const std::span<const double> next = std::span<const double>(dense_).subspan(at(i + 1) * nq_, nq_);
      std::vector<double>& change = work_.scratch;
      position_difference<double>(model_, q, next, change);
      Guide& guide = guides_[at(i)];
      guide.position = root_of(q), guide.rotation = root_rotation<double>(q);
      guide.velocity = Vec3d{change[3], change[4], change[5]} / step_.dt;
      guide.angular_velocity = Vec3d{change[0], change[1], change[2]} / step_.dt;
      // Less help against gravity: legs are there for that, unless it leaps.
      const double up = free || leaps ? 1 : 0.3;
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
        // Not too much pull: accelerations from differences are rough.
        const double pull = std::clamp(support.torque[h] / hinge.stiffness, -0.7, 0.7);
        const double lead = std::clamp(hinge.damping * v[6 + h] / hinge.stiffness, -2.0, 2.0);
        controls_.targets[at(k) * hinges_ + h] = q[7 + h] + pull + lead;
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
    for (const Anchor& anchor : anchors_[at(frame)]) {
      auto& body = work_.bodies[at(anchor.body)];
      const Vec3d x = body.position + body.rotation * anchor.point;
      const Vec3d apart = (x + root - anchor.place) / height_;
      const double weight = settings_.plant_weight / static_cast<double>(anchor_count_);
      loss += weight * squared_norm(apart);
      body.force += force_at(x, (2 * weight / height_) * apart);
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

  /// Whether a result is as good as one may ask; else why not.
  static std::string shortcoming(const Level& level) {
    if (level.loss >= 1e9) return "the simulation left the finite numbers";
    if (level.root_error > 0.06)
      return fmt::format("the root strays by {:.1f} % of the height", 100 * level.root_error);
    if (level.joint_error > 8) return fmt::format("joints miss the target by {:.1f} degrees", level.joint_error);
    return "";
  }

  /// Less and less help, as long as the result is good.
  Status optimise() {
    const double most = settings_.assist, least = std::min(settings_.least_assist, most);
    std::vector<double> shares{most};
    if (most > 0 && least < most) shares = {most, std::sqrt(most * std::max(least, 1e-4)), least};
    const int levels = static_cast<int>(shares.size());
    for (int l = 0; l < levels; ++l) {
      const int begin = settings_.iterations * l / levels, end = settings_.iterations * (l + 1) / levels;
      Level level;
      LIMBER_CHECK_OK(optimise_level(shares[at(l)], begin, std::max(end, begin + (l == 0 ? 1 : 0)), level));
      if (level.loss > 1e299) continue;  // no iterations were left for it
      judge(level);
      const std::string why = shortcoming(level);
      if (l == 0 || why.empty()) best_ = level;
      if (!why.empty()) {
        report_.notes.push_back(fmt::format("with {:.0f} % of the help: {}", 100 * shares[at(l)], why));
        break;
      }
      controls_ = level.controls;
    }
    // Even the first was not enough: then firmly, so that the result at least looks like the target.
    if (most > 0 && !shortcoming(best_).empty() && settings_.iterations >= 3) {
      Level firm;
      LIMBER_CHECK_OK(optimise_level(kFirm * most, settings_.iterations * 2 / 3, settings_.iterations, firm));
      judge(firm);
      report_.notes.push_back(fmt::format("led firmly, with {:.0f} % of the help", 100 * kFirm * most));
      if (firm.loss < best_.loss) best_ = firm;
      const std::string why = shortcoming(best_);
      if (!why.empty()) report_.notes.push_back("even so: " + why);
    }
    if (best_.loss >= 1e9) report_.stop = TrackStop::kNotFinite;
    return Done{};
  }

  Status optimise_level(double share, int begin, int end, Level& level) {
    set_assist(share);
    RolloutT<double> rollout;
    RolloutGradientT<double> gradient;
    SmoothAdam for_targets(at(key_count_), hinges_), for_velocity(1, nv_);
    const int corrections = std::min(5, (end - begin) / 3);
    double recent = 1e300;
    for (int i = begin; i < end; ++i) {
      if (settings_.progress && !settings_.progress("tracking", static_cast<double>(i) / settings_.iterations)) {
        return cancelled("tracking");
      }
      const bool correcting = i - begin < corrections;
      const double loss = evaluate(rollout, correcting ? nullptr : &gradient);
      if (report_.iterations++ == 0) report_.loss_before = loss;
      if (loss < level.loss)
        level.loss = loss, level.controls = controls_, level.rollout = rollout, level.assist = share;
      if (loss >= 1e9 || i + 1 == end) break;
      if (correcting) {
        correct_targets(rollout);
        continue;
      }
      const double done = static_cast<double>(i - begin) / (end - begin);
      const double rate = settings_.learning_rate * (1 - 0.8 * done);
      for_targets.step(controls_.targets, gradient.targets, rate);
      if (settings_.optimise_velocity && reference_.first == 0) {
        for_velocity.step(controls_.velocity, gradient.v, rate);
      }
      if ((i - begin) % 10 == 9) {
        if (recent - level.loss < 1e-3 * level.loss) {
          report_.stop = TrackStop::kConverged;
          break;
        }
        recent = level.loss;
      }
    }
    return Done{};
  }

  Tracked finish() {
    Tracked tracked;
    report_.steps = steps_, report_.dt = step_.dt, report_.loss_after = best_.loss;
    report_.clip_ratio = chunks_ > 0 ? static_cast<double>(clipped_) / static_cast<double>(chunks_) : 0;
    for (int f = 0; f < reference_.count; ++f) {
      const auto start =
          best_.rollout.q.begin() + static_cast<std::ptrdiff_t>(at((reference_.first + f) * steps_per_frame_) * nq_);
      tracked.positions.insert(tracked.positions.end(), start, start + static_cast<std::ptrdiff_t>(nq_));
    }
    if (reference_.frames > reference_.first + reference_.count) close_loop(tracked.positions);
    report_.joint_error = best_.joint_error, report_.root_error = best_.root_error, report_.slip = best_.slip;
    report_.assist = settings_.assist > 0 ? best_.assist / settings_.assist : 0;
    measure_forces();
    tracked.report = std::move(report_);
    return tracked;
  }

  /// Spreads what is missing between the last frame and the first over the loop.
  void close_loop(std::vector<double>& positions) const {
    const int next = reference_.first + reference_.count;
    std::vector<double> ends(
        best_.rollout.q.begin() + static_cast<std::ptrdiff_t>(at(next * steps_per_frame_) * nq_),
        best_.rollout.q.begin() + static_cast<std::ptrdiff_t>((at(next * steps_per_frame_) + 1) * nq_));
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

  /// Mean errors of the joints (degrees), the root and the planted points (heights) over the motion's own frames.
  void judge(Level& level) {
    double turn = 0, root = 0, slip = 0;
    std::size_t joints = 0, planted = 0;
    std::vector<double> still(nv_);
    for (int f = reference_.first; f < reference_.first + reference_.count; ++f) {
      const std::span<const double> q =
          std::span<const double>(level.rollout.q).subspan(at(f * steps_per_frame_) * nq_, nq_);
      root += norm(root_of(q) - root_of(spline_.frame(f))) / height_ / reference_.count;
      for (const PuppetJoint& joint : puppet_.joints) {
        if (joint.hinge < 0) continue;
        turn += angle_between(joint_rotation(q, joint.hinge), joint_rotation(spline_.frame(f), joint.hinge)), ++joints;
      }
      sweep_kinematics<double>(model_, work_, q, still);
      for (const Anchor& anchor : anchors_[at(f)]) {
        const auto& body = work_.bodies[at(anchor.body)];
        const Vec3d apart = body.position + body.rotation * anchor.point + root_of(q) - anchor.place;
        slip += std::hypot(apart.x, apart.z) / height_, ++planted;
      }
    }
    level.joint_error = joints > 0 ? turn / static_cast<double>(joints) * 180 / kPi : 0;
    level.root_error = root;
    level.slip = planted > 0 ? slip / static_cast<double>(planted) : 0;
  }

  static Quatd joint_rotation(std::span<const double> q, int hinge) {
    const std::size_t h = 7 + at(hinge);
    return to_quat(kinematics::euler_matrix(Vec3d{q[h], q[h + 1], q[h + 2]}));
  }

  /// Plays the result once more and adds up what drives and help gave.
  void measure_forces() {
    controls_ = best_.controls;
    set_assist(best_.assist);
    const int begin = reference_.first * steps_per_frame_;
    const int end = std::min(steps_, (reference_.first + reference_.count - 1) * steps_per_frame_);
    double torque = 0, force = 0, help = 0;
    for (int i = begin; i < end; ++i) {
      const std::span<const double> q = std::span<const double>(best_.rollout.q).subspan(at(i) * nq_, nq_);
      const std::span<const double> v = std::span<const double>(best_.rollout.v).subspan(at(i) * nv_, nv_);
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
  Controls controls_;
  Level best_;
  std::vector<std::vector<Anchor>> anchors_;  ///< per frame
  std::size_t anchor_count_ = 0;
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
