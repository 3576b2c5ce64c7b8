// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/gait.h"

#include <algorithm>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/kinematics/forward.h"

namespace limber::metrics {
namespace {

using Complex = std::complex<double>;

/// Constant, time, and cosine and sine of every harmonic.
constexpr int kTerms = 2 + 2 * kGaitHarmonics;
using Terms = std::array<double, kTerms>;

Terms terms_at(double seconds, double frequency) {
  Terms terms{};
  terms[0] = 1, terms[1] = seconds;
  for (int h = 0; h < kGaitHarmonics; ++h) {
    const double angle = 2 * kPi * frequency * (h + 1) * seconds;
    terms[static_cast<std::size_t>(2 + 2 * h)] = std::cos(angle);
    terms[static_cast<std::size_t>(3 + 2 * h)] = std::sin(angle);
  }
  return terms;
}

/// Least squares on a few terms, with a trace of regularisation for clips shorter than a cycle.
class WaveFit {
 public:
  WaveFit(int frames, double fps, double frequency, int terms) : count_(terms) {
    for (int i = 0; i < frames; ++i) {
      rows_.push_back(terms_at((i - 0.5 * (frames - 1)) / fps, frequency));
      for (int a = 0; a < count_; ++a) {
        for (int b = 0; b < count_; ++b) normal_[a][b] += rows_.back()[a] * rows_.back()[b];
      }
    }
    for (int a = 0; a < count_; ++a) normal_[a][a] *= 1 + 1e-6, normal_[a][a] += 1e-9;
    // Cholesky, in place.
    for (int a = 0; a < count_; ++a) {
      for (int b = 0; b <= a; ++b) {
        double sum = normal_[a][b];
        for (int k = 0; k < b; ++k) sum -= normal_[a][k] * normal_[b][k];
        normal_[a][b] = a == b ? std::sqrt(std::max(sum, 1e-18)) : sum / normal_[b][b];
      }
    }
  }

  Terms solve(std::span<const double> values) const {
    Terms x{};
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (int a = 0; a < count_; ++a) x[a] += rows_[i][a] * values[i];
    }
    for (int a = 0; a < count_; ++a) {
      for (int k = 0; k < a; ++k) x[a] -= normal_[a][k] * x[k];
      x[a] /= normal_[a][a];
    }
    for (int a = count_ - 1; a >= 0; --a) {
      for (int k = a + 1; k < count_; ++k) x[a] -= normal_[k][a] * x[k];
      x[a] /= normal_[a][a];
    }
    return x;
  }

  double squared_error(std::span<const double> values, const Terms& x) const {
    double sum = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      double error = values[i];
      for (int a = 0; a < count_; ++a) error -= rows_[i][a] * x[a];
      sum += error * error;
    }
    return sum;
  }

 private:
  int count_;
  std::vector<Terms> rows_;
  double normal_[kTerms][kTerms] = {};
};

/// One coordinate of one limb over time.
using Track = std::vector<double>;

Complex correlation(const Swing& a, const Swing& b) {
  return a[0] * std::conj(b[0]) + a[1] * std::conj(b[1]) + a[2] * std::conj(b[2]);
}

double squared_size(const Swing& swing) { return std::norm(swing[0]) + std::norm(swing[1]) + std::norm(swing[2]); }

double squared_difference(const Swing& a, const Swing& b, Complex turn) {
  return std::norm(a[0] * turn - b[0]) + std::norm(a[1] * turn - b[1]) + std::norm(a[2] * turn - b[2]);
}

/// Of a skeleton alone: the places of joints that nothing hangs on.
std::vector<LimbEnd> last_joints(const rig::Rig& rig) {
  std::vector<bool> carries(static_cast<std::size_t>(rig.joint_count()), false);
  for (const rig::Joint& joint : rig.joints()) {
    if (joint.parent >= 0) carries[static_cast<std::size_t>(joint.parent)] = true;
  }
  std::vector<LimbEnd> ends;
  for (int j = 1; j < rig.joint_count(); ++j) {
    if (!carries[static_cast<std::size_t>(j)]) ends.push_back({j, {}});
  }
  return ends;
}

}  // namespace

double LimbSwing::amplitude() const { return std::sqrt(squared_size(swings[0])); }

std::vector<LimbEnd> limb_ends(const rig::Subject& subject, float min_area) {
  const rig::Rig& rig = subject.rig;
  if (subject.triangles.empty()) return last_joints(rig);
  const auto joints = static_cast<std::size_t>(rig.joint_count());
  // Surface that each joint leads, and that its whole subtree does.
  std::vector<double> own(joints), below(joints);
  std::vector<int> leader(subject.points.size());
  for (std::size_t i = 0; i < leader.size(); ++i) {
    const std::size_t bone = subject.weights.bones[i * static_cast<std::size_t>(subject.weights.stride)];
    leader[i] = rig.bones()[bone].joint;
  }
  double total = 0;
  for (const auto& triangle : subject.triangles) {
    const Vec3 a = subject.points[triangle[0]], b = subject.points[triangle[1]], c = subject.points[triangle[2]];
    const double area = 0.5 * norm(cross(b - a, c - a));
    own[static_cast<std::size_t>(leader[triangle[0]])] += area, total += area;
  }
  below = own;
  for (std::size_t j = joints; j-- > 1;) below[static_cast<std::size_t>(rig.joints()[j].parent)] += below[j];

  // A joint is an end where it is large enough with all below it, and nothing below it is on its own.
  std::vector<bool> large(joints), carries(joints);
  for (std::size_t j = joints; j-- > 0;) {
    large[j] = below[j] > min_area * total;
    if (j > 0 && large[j]) carries[static_cast<std::size_t>(rig.joints()[j].parent)] = true;
  }
  std::vector<LimbEnd> ends;
  for (std::size_t j = 1; j < joints; ++j) {
    if (!large[j] || carries[j]) continue;
    const Affine& rest = rig.world_from_rest()[j];
    LimbEnd end{static_cast<int>(j), {}};
    float farthest = -1;
    for (std::size_t i = 0; i < leader.size(); ++i) {
      int at = leader[i];
      while (at > static_cast<int>(j)) at = rig.joints()[static_cast<std::size_t>(at)].parent;
      if (at != static_cast<int>(j)) continue;
      // Points are in bind space: their bone brings them to the joint's frame, whatever the bind pose was.
      const std::size_t bone = subject.weights.bones[i * static_cast<std::size_t>(subject.weights.stride)];
      const Affine& to_leader = rig.bones()[bone].joint_from_bind;
      const Vec3 world = rig.world_from_rest()[static_cast<std::size_t>(leader[i])] * (to_leader * subject.points[i]);
      const float distance = squared_norm(world - rest.translation);
      if (distance > farthest) {
        farthest = distance;
        end.point = inverse(rest) * world;
      }
    }
    if (farthest >= 0) ends.push_back(end);
  }
  return ends;
}

Gait find_gait(const rig::Rig& rig, const kinematics::Motion& motion, std::span<const LimbEnd> ends, double lowest,
               double highest) {
  Gait gait;
  const int frames = motion.frame_count();
  if (frames < 4 || ends.empty()) {
    // Too short for a wave: still.
    gait.limbs.resize(ends.size());
    return gait;
  }
  const std::vector<Affine> joints = kinematics::joint_matrices(rig, motion);
  const auto joint_count = static_cast<std::size_t>(rig.joint_count());
  std::vector<Track> tracks(3 * ends.size(), Track(static_cast<std::size_t>(frames)));
  std::array<Track, 3> root;
  for (Track& track : root) track.resize(static_cast<std::size_t>(frames));
  for (std::size_t f = 0; f < static_cast<std::size_t>(frames); ++f) {
    for (std::size_t e = 0; e < ends.size(); ++e) {
      const Affine& matrix = joints[f * joint_count + static_cast<std::size_t>(ends[e].joint)];
      const Vec3 at = matrix * ends[e].point;
      for (int k = 0; k < 3; ++k) tracks[3 * e + static_cast<std::size_t>(k)][f] = at[k];
    }
    const Vec3 at = joints[f * joint_count].translation;
    for (int k = 0; k < 3; ++k) root[static_cast<std::size_t>(k)][f] = at[k];
  }

  // Movement about the straight way, without any wave.
  const WaveFit straight(frames, motion.fps, 0, 2);
  double moved = 0;
  for (const Track& track : tracks) moved += straight.squared_error(track, straight.solve(track));
  gait.movement = std::sqrt(moved / (static_cast<double>(frames) * static_cast<double>(ends.size())));

  // The frequency is that of the first harmonic alone: with the second, half of it would explain as much.
  double least = 1e300;
  lowest = std::max(lowest, 0.6 * motion.fps / frames), highest = std::min(highest, 0.4 * motion.fps);
  constexpr int kTries = 120;
  for (int i = 0; i < kTries; ++i) {
    const double frequency = lowest * std::pow(std::max(highest / lowest, 1.0), static_cast<double>(i) / (kTries - 1));
    const WaveFit fit(frames, motion.fps, frequency, 4);
    double error = 0;
    for (const Track& track : tracks) error += fit.squared_error(track, fit.solve(track));
    if (error < least) least = error, gait.frequency = frequency;
  }
  const WaveFit fit(frames, motion.fps, gait.frequency, kTerms);
  std::array<Terms, 3> way;
  for (std::size_t k = 0; k < 3; ++k) way[k] = fit.solve(root[k]);
  gait.velocity = {way[0][1], way[1][1], way[2][1]};
  double error = 0;
  for (std::size_t e = 0; e < ends.size(); ++e) {
    LimbSwing limb;
    for (std::size_t k = 0; k < 3; ++k) {
      const Terms x = fit.solve(tracks[3 * e + k]);
      error += fit.squared_error(tracks[3 * e + k], x);
      limb.mean[static_cast<int>(k)] = x[0] - (k == 1 ? 0 : way[k][0]);
      for (std::size_t h = 0; h < kGaitHarmonics; ++h) limb.swings[h][k] = Complex(x[2 + 2 * h], -x[3 + 2 * h]);
    }
    gait.limbs.push_back(limb);
  }
  gait.explained = moved > 0 ? std::max(0.0, 1 - error / moved) : 0;
  return gait;
}

double phase_error(const Gait& gait, const Gait& reference) {
  LIMBER_EXPECT(gait.limbs.size() == reference.limbs.size(), "gaits of the same limbs");
  std::vector<Complex> turns(gait.limbs.size());
  std::vector<double> shares(gait.limbs.size());
  double total = 0;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const Complex c = correlation(gait.limbs[i].swings[0], reference.limbs[i].swings[0]);
    shares[i] = reference.limbs[i].amplitude();
    total += shares[i];
    // A limb that should swing and does not is as far off as chance.
    const bool still = gait.limbs[i].amplitude() < 0.1 * shares[i] || std::abs(c) == 0;
    turns[i] = still ? Complex(0) : c / std::abs(c);
  }
  // A reference that stands still has no order either: what is left of its waves is rounding.
  constexpr double kStill = 1e-4;
  if (!(total > kStill * static_cast<double>(turns.size()))) return 0.25;
  // The sum of distances on a circle is least where one of the limbs agrees.
  double least = 0.25;
  for (const Complex& shift : turns) {
    if (shift == Complex(0)) continue;
    double error = 0;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const double off = turns[i] == Complex(0) ? 0.25 : std::abs(std::arg(turns[i] * std::conj(shift))) / (2 * kPi);
      error += shares[i] * off;
    }
    least = std::min(least, error / total);
  }
  return least;
}

double gait_distance(const Gait& gait, const Gait& reference) {
  LIMBER_EXPECT(gait.limbs.size() == reference.limbs.size(), "gaits of the same limbs");
  const auto count = static_cast<double>(std::max<std::size_t>(gait.limbs.size(), 1));
  double means = 0;
  for (std::size_t i = 0; i < gait.limbs.size(); ++i) {
    means += squared_norm(gait.limbs[i].mean - reference.limbs[i].mean) / count;
  }
  double waves = 1e300;
  constexpr int kShifts = 64;
  for (int s = 0; s < kShifts; ++s) {
    double sum = 0;
    for (std::size_t h = 0; h < kGaitHarmonics; ++h) {
      const Complex turn = std::polar(1.0, 2 * kPi * static_cast<double>(h + 1) * s / kShifts);
      for (std::size_t i = 0; i < gait.limbs.size(); ++i) {
        sum += 0.5 * squared_difference(gait.limbs[i].swings[h], reference.limbs[i].swings[h], turn) / count;
      }
    }
    waves = std::min(waves, sum);
  }
  // A metre-high body's metre a second, and twice the frequency, count like a tenth of its height.
  const double speed = 0.1 * norm(gait.velocity - reference.velocity);
  double tempo = 0;
  if (gait.frequency > 0 && reference.frequency > 0) {
    // Where little moves the frequency means little.
    const double meaning = std::min(1.0, std::min(gait.movement, reference.movement) / 0.02);
    tempo = 0.1 * meaning * std::abs(std::log2(gait.frequency / reference.frequency));
  }
  return std::sqrt(means + waves + speed * speed + tempo * tempo);
}

}  // namespace limber::metrics
