// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/resample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "limber/base/expect.h"

namespace limber::kinematics {
namespace {

void check_sizes(const Motion& motion) {
  const std::size_t frames = motion.root_translations.size();
  LIMBER_EXPECT(motion.fps > 0 && std::isfinite(motion.fps), std::to_string(motion.fps) + " frames per second");
  LIMBER_EXPECT(
      motion.joint_count >= 0 && motion.angles.size() == frames * static_cast<std::size_t>(motion.joint_count),
      std::to_string(motion.angles.size()) + " angles in " + std::to_string(frames) + " frames");
  for (const JointOverride& over : motion.overrides) {
    for (const auto* values : {&over.translations, &over.scales}) {
      LIMBER_EXPECT(values->empty() || values->size() == frames,
                    std::to_string(values->size()) + " overrides in " + std::to_string(frames) + " frames");
    }
  }
}

double unwind(double angle, double previous) { return angle + 2 * kPi * std::round((previous - angle) / (2 * kPi)); }

/// The same rotation with angles as near to `previous` as can be: whole turns, or the other family of solutions
/// (a + pi, pi - b, c + pi).
Vec3d nearest_angles(Vec3d angles, Vec3d previous) {
  const Vec3d first{unwind(angles.x, previous.x), unwind(angles.y, previous.y), unwind(angles.z, previous.z)};
  const Vec3d second{unwind(angles.x + kPi, previous.x), unwind(kPi - angles.y, previous.y),
                     unwind(angles.z + kPi, previous.z)};
  return squared_norm(second - previous) < squared_norm(first - previous) ? second : first;
}

/// Values of one unknown over time: every `stride`-th of a list.
struct Track {
  const Vec3* values = nullptr;
  std::size_t stride = 1;
  int count = 0;

  Vec3d operator[](int i) const { return values[static_cast<std::size_t>(i) * stride].cast<double>(); }
};

/// What a track does beyond its ends.
struct Ends {
  bool loops = false;
  bool angles = false;  ///< goes on with the angles nearest to those before
  Vec3d lap;            ///< added per round
};

/// Frames that a loop is followed beyond its ends: what is not known there fades by a factor of 0.27 from frame to
/// frame.
constexpr int kBeyond = 16;

/// A cubic spline through all frames of a track: its velocity and its acceleration have no jumps, so that a motion at a
/// higher rate is no rougher than it was. At open ends the first two pieces, and the last two, are one cubic ("not a
/// knot"), which leaves lines, parabolas and cubics as they are.
class Spline {
 public:
  Spline(const Track& track, const Ends& ends) : before_(ends.loops ? kBeyond : 0) {
    values_.resize(static_cast<std::size_t>(track.count + 2 * before_));
    const auto value = [&](int i) -> Vec3d& { return values_[static_cast<std::size_t>(i + before_)]; };
    for (int i = 0; i < track.count; ++i) value(i) = track[i];
    // From the ends outwards: angles go on from their neighbour.
    for (int i = 1; i <= before_; ++i) {
      value(-i) = beyond(track, ends, -i, value(1 - i));
      value(track.count - 1 + i) = beyond(track, ends, track.count - 1 + i, value(track.count - 2 + i));
    }
    find_bends();
  }

  /// Between frame `at` and the next one, `t` from 0 to 1.
  Vec3d operator()(int at, double t) const {
    const auto i = static_cast<std::size_t>(at + before_);
    const double s = 1 - t;
    return s * values_[i] + t * values_[i + 1] + (s * (s * s - 1) / 6) * bends_[i] +
           (t * (t * t - 1) / 6) * bends_[i + 1];
  }

 private:
  static Vec3d beyond(const Track& track, const Ends& ends, int i, Vec3d neighbour) {
    const int round = static_cast<int>(std::floor(static_cast<double>(i) / track.count));
    const Vec3d plain = track[i - round * track.count];
    return ends.angles ? nearest_angles(plain, neighbour) : plain + static_cast<double>(round) * ends.lap;
  }

  /// Second derivatives at the frames, by one pass forward and one back (Thomas).
  void find_bends() {
    const std::size_t count = values_.size();
    bends_.assign(count, {});
    if (count < 3) return;
    const auto difference = [&](std::size_t i) {
      const Vec3d second = values_[i + 1] - 2.0 * values_[i] + values_[i - 1];
      return is_finite(second) ? second : Vec3d{};  // a frame that is not finite spoils its neighbours alone
    };
    const std::size_t last = count - 2;
    bends_[1] = difference(1), bends_[last] = difference(last);
    std::vector<double> shares(count, 0.0);
    for (std::size_t i = 2; i < last; ++i) {
      const double pivot = 1 / (4 - shares[i - 1]);
      shares[i] = pivot;
      bends_[i] = pivot * (6.0 * difference(i) - bends_[i - 1]);
    }
    for (std::size_t i = last; i-- > 2;) bends_[i] = bends_[i] - shares[i] * bends_[i + 1];
    bends_[0] = count > 3 ? 2.0 * bends_[1] - bends_[2] : bends_[1];
    bends_[count - 1] = count > 3 ? 2.0 * bends_[last] - bends_[last - 1] : bends_[last];
  }

  int before_ = 0;             ///< frames before the track's first one
  std::vector<Vec3d> values_;  ///< of the track, and of what a loop does before and after it
  std::vector<Vec3d> bends_;
};

/// Moments of the old motion, in its frames, at which the new one has its frames.
std::vector<double> sample_places(const Motion& motion, double fps) {
  const int frames = motion.frame_count();
  if (frames == 0) return {};
  // Of what does not loop a hair more, so that rounding does not lose a last frame that both rates share.
  const double count = motion.loops ? std::max(1.0, std::round(frames * fps / motion.fps))
                                    : std::floor((frames - 1) * fps / motion.fps + 1e-6) + 1;
  LIMBER_EXPECT(count < 1e8, std::to_string(count) + " frames");
  std::vector<double> places(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto index = static_cast<double>(i);
    places[i] = motion.loops ? index * frames / count : std::min(index * motion.fps / fps, frames - 1.0);
  }
  return places;
}

/// The track at all places, one after the other into every `stride`-th of `out`.
void sample_track(const Track& track, const Ends& ends, std::span<const double> places, Vec3* out, std::size_t stride) {
  const Spline spline(track, ends);
  for (const double place : places) {
    // Frames that both motions share stay to the bit.
    const double nearest = std::round(place), exact = std::abs(place - nearest) < 1e-9 ? nearest : place;
    const int at = std::min(static_cast<int>(exact), track.count - 1);
    const double t = exact - at;
    *out = t == 0 ? track[at].cast<float>() : spline(at, t).cast<float>();
    out += stride;
  }
}

std::vector<Vec3> sampled(const std::vector<Vec3>& values, const Ends& ends, std::span<const double> places) {
  std::vector<Vec3> result(values.empty() ? 0 : places.size());
  if (!values.empty())
    sample_track({values.data(), 1, static_cast<int>(values.size())}, ends, places, result.data(), 1);
  return result;
}

/// A cubic may swing below zero between two small scales; half of the smaller one is left of it at least.
void keep_scales_from_vanishing(const std::vector<Vec3>& from, std::span<const double> places, std::vector<Vec3>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto at = std::min(static_cast<std::size_t>(places[i] + 1e-9), from.size() - 1);
    const Vec3 a = from[at], b = from[(at + 1) % from.size()];
    for (int k = 0; k < 3; ++k) {
      if (!(a[k] * b[k] > 0)) continue;
      const float sign = a[k] > 0 ? 1.0f : -1.0f;
      to[i][k] = sign * std::max(sign * to[i][k], 0.5f * std::min(std::abs(a[k]), std::abs(b[k])));
    }
  }
}

// --- Loops ----------------------------------------------------------------------------------------------------------

/// Scores cuts of a motion: how badly they close against how much happens in them.
class CutScorer {
 public:
  CutScorer(const Motion& motion, double cycle) : motion_(motion), cycle_(cycle) {
    const auto joints = static_cast<std::size_t>(motion.joint_count);
    sums_.assign(joints, {});
    squares_.push_back(0), broken_.push_back(0);
    for (int f = 0; f < motion.frame_count(); ++f) {
      double square = 0;
      bool broken = !is_finite(motion.root_translations[static_cast<std::size_t>(f)]);
      for (std::size_t j = 0; j < joints; ++j) {
        const bool finite = is_finite(motion.frame_angles(f)[j]);
        const Vec3d now = finite ? angles(f, j) : Vec3d{};
        sums_.push_back(sums_[sums_.size() - joints] + now);
        square += squared_norm(now), broken = broken || !finite;
      }
      squares_.push_back(squares_.back() + square);
      broken_.push_back(broken_.back() + (broken ? 1 : 0));
    }
    if (motion.frame_count() > 0) small_ = 1e-4 * spread(0, motion.frame_count());
  }

  /// The smaller the better; infinite where frames are not finite.
  double score(int first, int length) const {
    const int last = motion_.frame_count() - 1;
    if (broken_[static_cast<std::size_t>(first + length + 1)] > broken_[static_cast<std::size_t>(first)]) {
      return std::numeric_limits<double>::infinity();
    }
    const double moves = spread(first, length);
    // Gaps below a hundredth of all movement are as good as none: then the shorter loop wins, but not one that is
    // still.
    const double least = small_ * (1 + 0.1 * length / last) + 1e-12;
    return (squared_gap(first, length) + least) / (moves + small_ + 1e-12);
  }

  /// What joint `j` has to be closed by.
  Vec3d apart(int first, int length, std::size_t j) const {
    const Vec3d start = angles(first, j);
    return nearest_angles(angles(first + length, j), start) - start;
  }

 private:
  /// Of pose and velocity.
  double squared_gap(int first, int length) const {
    const int last = motion_.frame_count() - 1;
    const int before = first > 0 ? -1 : 0, after = first + length < last ? 1 : 0;
    double pose = 0, velocity = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(motion_.joint_count); ++j) {
      pose += squared_norm(apart(first, length, j));
      // The whole motion has no frame on either side: what goes in at the start comes out at the end.
      const Vec3d change = before == after ? step(first + length - 1, j) - step(first, j)
                                           : (1.0 / (after - before)) *
                                                 (apart(first + after, length, j) - apart(first + before, length, j));
      velocity += squared_norm(change);
    }
    const double height = root(first + length).y - root(first).y;
    const Vec3d start = root(first + 1) - root(first), end = root(first + length) - root(first + length - 1);
    pose += height * height, velocity += squared_norm(end - start);
    // A wave of this length moves by its amplitude in so many frames.
    const double frames = (cycle_ > 0 ? cycle_ : length) / (2 * kPi);
    return pose + frames * frames * velocity;
  }

  Vec3d angles(int frame, std::size_t j) const { return motion_.frame_angles(frame)[j].cast<double>(); }
  Vec3d step(int frame, std::size_t j) const { return angles(frame + 1, j) - angles(frame, j); }
  Vec3d root(int frame) const { return motion_.root_translations[static_cast<std::size_t>(frame)].cast<double>(); }

  /// Mean squared distance from the mean pose.
  double spread(int first, int length) const {
    const auto joints = static_cast<std::size_t>(motion_.joint_count);
    const auto from = static_cast<std::size_t>(first), to = static_cast<std::size_t>(first + length);
    double result = (squares_[to] - squares_[from]) / length;
    for (std::size_t j = 0; j < joints; ++j) {
      result -= squared_norm((1.0 / length) * (sums_[to * joints + j] - sums_[from * joints + j]));
    }
    return std::max(result, 0.0);
  }

  const Motion& motion_;
  double cycle_;                 ///< frames, 0: unknown
  std::vector<Vec3d> sums_;      ///< of the angles before a frame: frames + 1 x joints
  std::vector<double> squares_;  ///< of all angles before a frame
  std::vector<int> broken_;      ///< how many frames before are not finite
  double small_ = 0;             ///< a ten thousandth of the whole motion's spread
};

/// Lengths in frames that a loop may have.
std::vector<int> loop_lengths(const Motion& motion, double period, const LoopSettings& settings) {
  std::vector<int> lengths;
  const double fps = motion.fps;
  // A known cycle is cut even if it is shorter or longer than loops usually are.
  const double shortest = period > 0 ? std::min(settings.shortest, 0.8 * period) : settings.shortest;
  const double longest = period > 0 ? std::max(settings.longest, 1.2 * period) : settings.longest;
  for (int length = 2; length < motion.frame_count() && length <= longest * fps + 1e-6; ++length) {
    if (length < shortest * fps - 1e-6) continue;
    if (period > 0) {
      const double cycles = std::max(1.0, std::round(length / (period * fps)));
      if (std::abs(length - cycles * period * fps) > std::max(0.2 * period * fps, 1.0)) continue;
    }
    lengths.push_back(length);
  }
  return lengths;
}

/// Frames `first` on, without what is left between the first and the one after the last.
std::vector<Vec3> closed(const std::vector<Vec3>& values, int first, int length, Vec3d gap) {
  std::vector<Vec3> result(values.empty() ? 0 : static_cast<std::size_t>(length));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double share = static_cast<double>(i) / length - 0.5;
    result[i] = (values[static_cast<std::size_t>(first) + i].cast<double>() - share * gap).cast<float>();
  }
  return result;
}

/// The same for a list that ought to return to where it was.
std::vector<Vec3> closed(const std::vector<Vec3>& values, int first, int length) {
  if (values.empty()) return {};
  const auto start = static_cast<std::size_t>(first), end = static_cast<std::size_t>(first + length);
  return closed(values, first, length, (values[end] - values[start]).cast<double>());
}

LoopCut cut_and_close(const Motion& motion, const CutScorer& scorer, int first, int length) {
  LoopCut cut;
  cut.first = first, cut.period = length / motion.fps;
  Motion& loop = cut.motion;
  loop.fps = motion.fps, loop.joint_count = motion.joint_count, loop.loops = true;
  const auto joints = static_cast<std::size_t>(motion.joint_count);
  const auto start = static_cast<std::size_t>(first), end = static_cast<std::size_t>(first + length);
  const Vec3d way = (motion.root_translations[end] - motion.root_translations[start]).cast<double>();
  loop.root_translations = closed(motion.root_translations, first, length, {0, way.y, 0});
  loop.angles.resize(static_cast<std::size_t>(length) * joints);
  for (std::size_t j = 0; j < joints; ++j) {
    const Vec3d gap = scorer.apart(first, length, j);
    cut.gap = std::max(cut.gap, norm(gap));
    for (int i = 0; i < length; ++i) {
      const double share = static_cast<double>(i) / length - 0.5;
      loop.frame_angles(i)[j] = (motion.frame_angles(first + i)[j].cast<double>() - share * gap).cast<float>();
    }
  }
  for (const JointOverride& over : motion.overrides) {
    loop.overrides.push_back(
        {over.joint, closed(over.translations, first, length), closed(over.scales, first, length)});
  }
  return cut;
}

}  // namespace

Vec3 loop_lap(const Motion& motion) {
  const std::size_t frames = motion.root_translations.size();
  if (!motion.loops || frames < 2) return {};
  const auto& root = motion.root_translations;
  // The third difference over the seam vanishes: x[n-2], x[n-1], x[0] + lap, x[1] + lap lie on a parabola.
  const Vec3d way = root[1].cast<double>() - 3.0 * root[0].cast<double>() + 3.0 * root[frames - 1].cast<double>() -
                    root[frames - 2].cast<double>();
  return Vec3d{0.5 * way.x, 0, 0.5 * way.z}.cast<float>();
}

Motion resampled(const Motion& motion, double fps) {
  LIMBER_EXPECT(fps > 0 && std::isfinite(fps), std::to_string(fps) + " frames per second");
  check_sizes(motion);
  const std::vector<double> places = sample_places(motion, fps);
  const auto joints = static_cast<std::size_t>(motion.joint_count);
  Motion result;
  result.fps = fps, result.loops = motion.loops, result.joint_count = motion.joint_count;
  result.root_translations =
      sampled(motion.root_translations, {motion.loops, false, loop_lap(motion).cast<double>()}, places);
  result.angles.resize(places.size() * joints);
  for (std::size_t j = 0; j < joints && !places.empty(); ++j) {
    sample_track({motion.angles.data() + j, joints, motion.frame_count()}, {motion.loops, true, {}}, places,
                 result.angles.data() + j, joints);
  }
  for (const JointOverride& over : motion.overrides) {
    const Ends ends{motion.loops, false, {}};
    JointOverride next{over.joint, sampled(over.translations, ends, places), sampled(over.scales, ends, places)};
    if (!over.scales.empty()) keep_scales_from_vanishing(over.scales, places, next.scales);
    result.overrides.push_back(std::move(next));
  }
  return result;
}

std::optional<LoopCut> cut_loop(const Motion& motion, double period, const LoopSettings& settings) {
  LIMBER_EXPECT(settings.shortest >= 0 && settings.longest >= settings.shortest,
                std::to_string(settings.shortest) + " to " + std::to_string(settings.longest) + " seconds");
  LIMBER_EXPECT(std::isfinite(period), std::to_string(period) + " seconds");
  check_sizes(motion);
  if (motion.loops && motion.frame_count() > 0) return LoopCut{motion, 0, motion.frame_count() / motion.fps, 0};
  const CutScorer scorer(motion, std::max(period, 0.0) * motion.fps);
  double least = 0;
  int best_first = -1, best_length = 0;
  for (const int length : loop_lengths(motion, period, settings)) {
    for (int first = 0; first + length < motion.frame_count(); ++first) {
      const double score = scorer.score(first, length);
      if (!std::isfinite(score) || (best_first >= 0 && score >= least)) continue;
      least = score, best_first = first, best_length = length;
    }
  }
  if (best_first < 0) return std::nullopt;
  return cut_and_close(motion, scorer, best_first, best_length);
}

Vec3 remove_travel(Motion& motion) {
  const int frames = motion.frame_count();
  if (frames < 2) return {};
  Vec3d pace;
  if (motion.loops) {
    pace = (1.0 / frames) * loop_lap(motion).cast<double>();
  } else {
    const double middle = 0.5 * (frames - 1);
    double squares = 0;
    for (int i = 0; i < frames; ++i) {
      pace += (i - middle) * motion.root_translations[static_cast<std::size_t>(i)].cast<double>();
      squares += (i - middle) * (i - middle);
    }
    pace = (1 / squares) * pace;
    pace.y = 0;
  }
  for (int i = 0; i < frames; ++i) {
    Vec3& root = motion.root_translations[static_cast<std::size_t>(i)];
    root = (root.cast<double>() - static_cast<double>(i) * pace).cast<float>();
  }
  return pace.cast<float>();
}

}  // namespace limber::kinematics
