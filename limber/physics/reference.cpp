// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/reference.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "limber/base/at.h"
#include "limber/physics/clear_ground.h"
#include "limber/physics/foot_lock.h"
#include "limber/physics/give_way.h"
#include "limber/physics/settle.h"
#include "limber/physics/trajectory.h"

namespace limber::physics {
namespace {

constexpr double kTouch = 0.012;    ///< of the height: a point this low touches the ground
constexpr double kClear = 0.03;     ///< of the height: a body this high has left it
constexpr double kSlow = 0.3;       ///< of a point's fast speed: a planted one is slower
constexpr int kAfter = 2;           ///< frames after a loop's end
constexpr double kSlip = 0.3;       ///< of the speed over the ground: how well that is known, where it is ...
constexpr double kLeastSlip = 0.1;  ///< ... and at least, in heights a second
constexpr double kMostSlip = 2;     ///< of that: beyond it no foot stands
constexpr double kMostRise = 0.05;  ///< of the height: how far pictures may be mistaken about how high a body is
constexpr double kEven = 0.4;       ///< seconds over which the removed slide is evened out: bodies have momentum
constexpr double kGravity = 9.81;
constexpr double kTold = 0.1;       ///< of the height: a foot that is told to stand is not put down from higher
constexpr double kFallen = 0.26;    ///< of the way up: a body whose back points no higher has fallen over
constexpr double kLeastFall = 0.3;  ///< of what gravity makes of a flight: a body that falls less hangs in the air

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

/// What every step needs and none changes.
struct Stage {
  const Model& model;
  const ReferenceSettings& settings;
  double height;  ///< of the body, metres
  double fps;
  bool loops;                ///< and is long enough to be repeated
  std::vector<bool> bears;   ///< per contact point: may stand on the ground; the others lie on it at most
  double slip;               ///< metres that a foot that stands may seem to move from frame to frame; 0: any
  bool travels;              ///< and the body is known to get on
  std::vector<double> rest;  ///< position at rest
  std::vector<const std::vector<bool>*> told;  ///< per contact point: when its foot stands; null: nobody knows

  /// Whether somebody knows that a point does not stand in a frame of the motion's own.
  bool told_free(std::size_t p, int frame) const { return told[p] != nullptr && !(*told[p])[at(frame)]; }
};

/// Of every contact point what is told of its foot.
std::vector<const std::vector<bool>*> told_points(const Puppet& puppet, const rig::Rig& rig, int frames,
                                                  const std::vector<ToldContact>& told) {
  std::vector<const std::vector<bool>*> result;
  for (int joint : puppet.point_joints) {
    const std::vector<bool>* found = nullptr;
    for (; joint >= 0 && found == nullptr; joint = rig.joints()[at(joint)].parent) {
      for (const ToldContact& contact : told) {
        if (contact.joint == joint && contact.stands.size() == at(frames)) found = &contact.stands;
      }
    }
    result.push_back(found);
  }
  return result;
}

/// Whether a body has fallen over: then it lies on whatever is lowest, if that does not give way.
bool has_fallen(const Stage& stage, std::span<const double> q) {
  const auto turn = [](std::span<const double> p) { return to_matrix(normalized(Quatd{p[3], p[4], p[5], p[6]})); };
  return (turn(q) * (transposed(turn(stage.rest)) * Vec3d{0, 1, 0})).y < kFallen;
}

/// Where the contact points of some positions are.
struct Seen {
  int frames = 0;
  std::size_t point_count = 0;
  std::vector<Vec3d> points;    ///< frames x point_count
  std::vector<double> lowest;   ///< per frame: of those that may stand on the ground
  std::vector<double> deepest;  ///< per frame: of all
  std::vector<double> roots;    ///< per frame: height of the root
  std::vector<bool> fallen;     ///< per frame

  Vec3d point(int frame, std::size_t p) const { return points[at(frame) * point_count + p]; }
};

Seen look(const Stage& stage, std::span<const double> positions) {
  Seen seen;
  seen.frames = static_cast<int>(positions.size() / stage.model.position_count());
  seen.point_count = stage.model.points.size();
  seen.points = contact_points(stage.model, positions);
  seen.lowest.assign(at(seen.frames), 1e9), seen.deepest.assign(at(seen.frames), 1e9);
  for (int f = 0; f < seen.frames; ++f) {
    const std::span<const double> q = row(positions, f, stage.model.position_count());
    seen.roots.push_back(q[1]), seen.fallen.push_back(has_fallen(stage, q));
    for (std::size_t p = 0; p < seen.point_count; ++p) {
      const double y = seen.point(f, p).y;
      if (stage.bears[p]) seen.lowest[at(f)] = std::min(seen.lowest[at(f)], y);
      seen.deepest[at(f)] = std::min(seen.deepest[at(f)], y);
    }
  }
  return seen;
}

struct Flights {
  std::vector<bool> flight;  ///< per frame: off the ground, for no longer than a leap takes
  int floating = 0;          ///< frames that are off the ground for longer
};

/// Whether gravity shows between two frames: the root rises above the middle of where it begins and ends. Heights that
/// nobody measured are taken as they are.
bool falls(const Stage& stage, const Seen& seen, int begin, int end) {
  const double seconds = (end - 1 - begin) / stage.fps;
  if (!stage.settings.ground_seen || end - begin < 4) return true;
  const double middle = seen.roots[at((begin + end - 1) / 2)];
  const double rise = middle - 0.5 * (seen.roots[at(begin)] + seen.roots[at(end - 1)]);
  return rise > kLeastFall * kGravity * seconds * seconds / 8;
}

/// Frames off the ground, where a ballistic flight could be as long; others float.
Flights find_flights(const Stage& stage, const Seen& seen, double level) {
  Flights flights{std::vector<bool>(at(seen.frames)), 0};
  const auto above = [&](int f) { return seen.lowest[at(f)] - level; };
  for (int f = 0; f < seen.frames;) {
    if (above(f) < kClear * stage.height) {
      ++f;
      continue;
    }
    int end = f;
    double top = 0;
    while (end < seen.frames && above(end) >= kClear * stage.height) top = std::max(top, above(end++));
    const double seconds = (end - f) / stage.fps;
    // Legs are drawn in during a flight, so feet rise higher than the body falls; a clip may start or end in one.
    const bool open = f == 0 || end == seen.frames;
    const double possible = (open ? 2.0 : 1.6) * 2 * std::sqrt(2 * top / kGravity) + 2 / stage.fps;
    const bool flies = seconds <= possible && !(f == 0 && end == seen.frames) && falls(stage, seen, f, end);
    for (int k = f; k < end; ++k) flights.flight[at(k)] = flies;
    if (!flies) flights.floating += end - f;
    f = end;
  }
  return flights;
}

/// Bodies that touch the ground hold so much of the mass, on average.
double lying_mass(const Stage& stage, const Seen& seen, double level) {
  double sum = 0;
  for (int f = 0; f < seen.frames; ++f) {
    for (const BodyT<double>& body : stage.model.bodies) {
      bool touches = false;
      for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
        touches = touches || seen.point(f, at(p)).y - level < 1.5 * kTouch * stage.height;
      }
      if (touches) sum += body.mass;
    }
  }
  return sum / (std::max(seen.frames, 1) * stage.model.total_mass());
}

Footing measure_footing(const Stage& stage, const Seen& seen, double level, const Flights& flights) {
  const double frames = std::max(seen.frames, 1);
  const auto off = std::count_if(seen.lowest.begin(), seen.lowest.end(),
                                 [&](double y) { return y - level >= kClear * stage.height; });
  Footing footing;
  footing.off_ground = static_cast<double>(off) / frames;
  footing.floating = flights.floating / frames;
  footing.lying = lying_mass(stage, seen, level);
  footing.raised = level > 0.25 * stage.height;
  footing.seen = stage.settings.ground_seen;
  return footing;
}

/// Where frame `f` is among sorted frames of which something is known: between `a` and `b`, at `t` from 0 to 1.
struct Between {
  int a = 0, b = 0;
  double t = 0;
};

Between between(const std::vector<int>& known, int f) {
  const auto after = std::lower_bound(known.begin(), known.end(), f);
  const int b = after == known.end() ? known.back() : *after;
  const int a = after == known.begin() ? known.front() : *(after - 1);
  return {a, b, a == b ? 0 : static_cast<double>(f - a) / (b - a)};
}

/// A Gaussian over time, around the corner for loops.
std::vector<double> smoothed(const Stage& stage, const std::vector<double>& values, double seconds) {
  const int count = static_cast<int>(values.size());
  const double sigma = seconds * stage.fps;
  const int reach = static_cast<int>(std::ceil(3 * sigma));
  std::vector<double> result(values.size());
  for (int f = 0; f < count; ++f) {
    double sum = 0, total = 0;
    for (int k = -reach; k <= reach; ++k) {
      int source = f + k;
      if (stage.loops) source = ((source % count) + count) % count;
      if (source < 0 || source >= count) continue;
      const double weight = std::exp(-0.5 * k * k / (sigma * sigma));
      sum += weight * values[at(source)], total += weight;
    }
    result[at(f)] = sum / total;
  }
  return result;
}

/// Moves every frame so that its lowest point touches the ground; over flights the shift goes on evenly. Where the
/// ground was seen, a body that seems deep below it is raised a little only: its legs are to be drawn up.
std::vector<double> put_on_ground(const Stage& stage, std::span<const double> positions, const Seen& seen, double level,
                                  const std::vector<bool>& flight) {
  std::vector<double> shift(at(seen.frames), 0);
  std::vector<int> standing;
  for (int f = 0; f < seen.frames; ++f) {
    if (flight[at(f)]) continue;
    standing.push_back(f), shift[at(f)] = -seen.lowest[at(f)];
    if (stage.settings.ground_seen && !seen.fallen[at(f)])
      shift[at(f)] = std::min(shift[at(f)], kMostRise * stage.height - level);
  }
  if (standing.empty()) std::fill(shift.begin(), shift.end(), -level);
  for (int f = 0; f < seen.frames && !standing.empty(); ++f) {
    if (!flight[at(f)]) continue;
    const Between place = between(standing, f);
    shift[at(f)] = (1 - place.t) * shift[at(place.a)] + place.t * shift[at(place.b)];
  }
  // Evenly: a shift that changes from frame to frame would shake the body.
  shift = smoothed(stage, shift, 0.12);
  std::vector<double> result(positions.begin(), positions.end());
  for (int f = 0; f < seen.frames; ++f) row(result, f, stage.model.position_count())[1] += shift[at(f)];
  return result;
}

/// How far the points that bear the weight move over the ground from one frame to another, the second shifted by
/// `step`; nothing where none bears any. Weights fall off quickly with height, and with speed where the course is
/// known; the most common movement counts, so that a low swing does not.
std::optional<Vec3d> ground_move(const Stage& stage, const Seen& seen, int from, int to, Vec3d step) {
  std::vector<Vec3d> moves;
  std::vector<double> weights;
  double total = 0;
  // Where how fast a foot moves tells that it stands, its height need not tell it as exactly.
  const double touch = stage.slip > 0 ? stage.settings.touch : kTouch;
  for (std::size_t p = 0; p < seen.point_count; ++p) {
    const Vec3d a = seen.point(from, p), b = seen.point(to, p);
    const double low = std::max(a.y, 0.0) + std::max(b.y, 0.0);
    if (!stage.bears[p] || low > 3 * touch * stage.height) continue;
    if (stage.told_free(p, from) || stage.told_free(p, to)) continue;
    Vec3d move = b + step - a;
    move.y = 0;
    moves.push_back(move);
    weights.push_back(std::exp(-low / (0.4 * touch * stage.height)));
    if (stage.slip > 0) weights.back() /= 1 + squared_norm(move) / (stage.slip * stage.slip);
    total += weights.back();
  }
  if (total < 0.05) return std::nullopt;
  Vec3d result;
  for (int round = 0; round < 8; ++round) {
    Vec3d sum;
    double share = 0;
    for (std::size_t k = 0; k < moves.size(); ++k) {
      const double far = round == 0 ? 1 : norm(moves[k] - result) + 0.002 * stage.height;
      sum += (weights[k] / far) * moves[k], share += weights[k] / far;
    }
    result = sum / share;
  }
  if (stage.travels && norm(result) > kMostSlip * stage.slip) return std::nullopt;
  return result;
}

/// How the ground moves under the feet from each frame to the next, evened out; empty where no foot is ever down.
std::vector<Vec3d> ground_moves(const Stage& stage, const Seen& seen, const std::vector<bool>& flight) {
  std::vector<Vec3d> moves(at(std::max(seen.frames - 1, 0)));
  std::vector<int> known;
  for (int f = 0; f + 1 < seen.frames; ++f) {
    if (flight[at(f)] || flight[at(f + 1)]) continue;
    if (const std::optional<Vec3d> move = ground_move(stage, seen, f, f + 1, {})) {
      moves[at(f)] = *move;
      known.push_back(f);
    }
  }
  if (known.empty()) return {};
  for (int f = 0; f + 1 < seen.frames; ++f) {
    if (std::binary_search(known.begin(), known.end(), f)) continue;
    const Between place = between(known, f);
    moves[at(f)] = lerp(moves[at(place.a)], moves[at(place.b)], place.t);
  }
  for (int axis = 0; axis < 3; axis += 2) {
    std::vector<double> values;
    for (const Vec3d& move : moves) values.push_back(move[axis]);
    values = smoothed(stage, values, kEven);
    for (std::size_t f = 0; f < moves.size(); ++f) moves[f][axis] = values[f];
  }
  return moves;
}

struct Travelled {
  std::vector<double> positions;
  double slide = 0;  ///< how far feet slid in all
};

/// Integrates the movement of the ground under the feet out of the root's path.
Travelled remove_slide(const Stage& stage, std::vector<double> positions, const std::vector<bool>& flight) {
  const std::vector<Vec3d> moves = ground_moves(stage, look(stage, positions), flight);
  Travelled result{std::move(positions), 0};
  Vec3d shift;
  for (std::size_t f = 0; f < moves.size(); ++f) {
    shift -= stage.settings.slide_share * moves[f];
    result.slide += norm(moves[f]);
    double* q = &result.positions[(f + 1) * stage.model.position_count()];
    q[0] += shift.x, q[2] += shift.z;
  }
  return result;
}

/// A motion as it goes on before its first frame and after its last.
struct Extended {
  int first = 0;  ///< the motion's own first frame
  std::vector<double> positions;
  std::vector<bool> flight;
};

/// From a loop's first frame to that of its next round: on from the last frame as from one frame to the next, but
/// without sliding.
Vec3d round_trip(const Stage& stage, Habitat habitat, std::span<const double> positions,
                 const std::vector<bool>& flight) {
  const std::size_t stride = stage.model.position_count();
  const int last = static_cast<int>(positions.size() / stride) - 1;
  const std::span<const double> begin = row(positions, 0, stride), end = row(positions, last, stride);
  const Vec3d step{end[0] - begin[0], 0, end[2] - begin[2]};
  const Vec3d round = step + step / static_cast<double>(last);
  if (habitat != Habitat::kGround || !stage.settings.remove_slide || flight[at(last)] || flight[0]) return round;
  const std::optional<Vec3d> slide = ground_move(stage, look(stage, positions), last, 0, round);
  return slide ? round - stage.settings.slide_share * *slide : round;
}

/// A loop as it goes on: its last second before it, its first frames after it.
Extended repeat(const Stage& stage, Habitat habitat, std::span<const double> positions,
                const std::vector<bool>& flight) {
  const std::size_t stride = stage.model.position_count();
  const int count = static_cast<int>(positions.size() / stride);
  const Vec3d round = round_trip(stage, habitat, positions, flight);
  const int before = std::min(count, static_cast<int>(std::lround(stage.settings.lead_seconds * stage.fps)));
  const int after = std::max(kAfter, static_cast<int>(std::lround(0.5 * stage.fps)));
  Extended result;
  result.first = before;
  for (int f = -before; f < count + after; ++f) {
    const int turn = f < 0 ? -1 : f / count;
    const int source = f - turn * count;
    const std::span<const double> pose = row(positions, source, stride);
    result.positions.insert(result.positions.end(), pose.begin(), pose.end());
    double* copy = result.positions.data() + result.positions.size() - stride;
    copy[0] += turn * round.x, copy[2] += turn * round.z;
    result.flight.push_back(flight[at(source)]);
  }
  return result;
}

/// Heights of the lowest points of what each body leads and of what leads to it, the root apart: of a shin those of its
/// foot. Per body, per frame.
std::vector<std::vector<double>> soles(const Model& model, const Seen& seen) {
  const auto bodies = model.bodies.size();
  std::vector<std::vector<double>> own(bodies, std::vector<double>(at(seen.frames), 1e9));
  for (std::size_t b = 0; b < bodies; ++b) {
    const BodyT<double>& body = model.bodies[b];
    for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
      for (int f = 0; f < seen.frames; ++f) own[b][at(f)] = std::min(own[b][at(f)], seen.point(f, at(p)).y);
    }
  }
  std::vector<std::vector<double>> result = own;
  for (std::size_t b = 0; b < bodies; ++b) {
    for (int above = model.bodies[b].parent; above > 0; above = model.bodies[at(above)].parent) {
      for (std::size_t f = 0; f < at(seen.frames); ++f) {
        result[b][f] = std::min(result[b][f], own[at(above)][f]);
        result[at(above)][f] = std::min(result[at(above)][f], own[b][f]);
      }
    }
  }
  return result;
}

/// A motion as it goes on before its first frame and after its last: which of the motion's own frames is one of those.
struct OwnFrames {
  int first = 0, count = 0;
  int operator()(int frame) const { return ((frame - first) % count + count) % count; }
};

/// Low points that are slow for what they do; per contact point, per frame. Low: near to the lowest of their foot,
/// which is near to the ground. Where it is told when a foot stands, its lowest points do, and nothing asks how fast
/// they are.
std::vector<std::vector<bool>> find_planted(const Stage& stage, const Seen& seen, const std::vector<bool>& flight,
                                            const OwnFrames& own) {
  std::vector<std::vector<bool>> planted(seen.point_count, std::vector<bool>(at(seen.frames)));
  const std::vector<std::vector<double>> lowest = soles(stage.model, seen);
  std::vector<std::size_t> owners(seen.point_count);
  for (std::size_t b = 0; b < stage.model.bodies.size(); ++b) {
    const BodyT<double>& body = stage.model.bodies[b];
    std::fill_n(owners.begin() + body.first_point, body.point_count, b);
  }
  for (std::size_t p = 0; p < seen.point_count; ++p) {
    if (!stage.bears[p]) continue;
    std::vector<double> speeds(at(seen.frames), 0);
    for (int f = 0; f < seen.frames; ++f) {
      const int a = std::max(f - 1, 0), b = std::min(f + 1, seen.frames - 1);
      Vec3d move = seen.point(b, p) - seen.point(a, p);
      move.y = 0;
      if (b > a) speeds[at(f)] = norm(move) * stage.fps / (b - a);
    }
    const double slow = std::max(kSlow * percentile(speeds, 0.95), 0.1 * stage.height);
    for (int f = 0; f < seen.frames; ++f) {
      const double sole =
          std::min(std::max(lowest[owners[p]][at(f)], 0.0), (stage.settings.touch - kTouch) * stage.height);
      planted[p][at(f)] = !flight[at(f)] && seen.point(f, p).y - sole < kTouch * stage.height && speeds[at(f)] < slow;
      if (stage.told[p] == nullptr) continue;
      const double low = std::clamp(lowest[owners[p]][at(f)], 0.0, kTold * stage.height);
      planted[p][at(f)] = !stage.told_free(p, own(f)) && seen.point(f, p).y - low < kTouch * stage.height;
    }
  }
  return planted;
}

/// Leaves two frames after the end: enough to close the loop.
void trim(Reference& reference, std::size_t stride) {
  const int frames = std::min(reference.frames, reference.first + reference.count + kAfter);
  reference.frames = frames;
  reference.positions.resize(at(frames) * stride);
  reference.flight.resize(at(frames));
  for (std::vector<bool>& planted : reference.planted) planted.resize(at(frames));
}

/// The motion continued where it loops, with its planted points and feet that stand.
Reference plant(const Stage& stage, Habitat habitat, Extended extended, int count) {
  Reference result;
  result.fps = stage.fps, result.habitat = habitat;
  result.first = extended.first, result.count = count;
  result.positions = std::move(extended.positions), result.flight = std::move(extended.flight);
  result.frames = static_cast<int>(result.flight.size());
  if (habitat == Habitat::kGround) {
    result.planted = find_planted(stage, look(stage, result.positions), result.flight, {result.first, result.count});
    // Where pictures leave open how high a foot is, they leave open how it is turned, too.
    if (stage.settings.touch > kTouch) hold_feet(stage.model, stage.height, result.planted, result.positions);
    lock_feet(stage.model, stage.height, result.planted, result.positions);
  } else {
    result.planted.assign(stage.model.points.size(), std::vector<bool>(at(result.frames)));
  }
  trim(result, stage.model.position_count());
  return result;
}

/// How far a foot that stands may seem to move from frame to frame, metres; 0 where nobody knows how the body travels.
double slip_of(const Puppet& puppet, const kinematics::Motion& motion, const ReferenceSettings& settings) {
  if (!settings.ground_seen || motion.frame_count() < 2) return 0;
  Vec3 way = motion.root_translations.back() - motion.root_translations.front();
  way.y = 0;
  const double each = double(norm(way)) / (motion.frame_count() - 1);
  return puppet.metres * std::max(kSlip * each, kLeastSlip / motion.fps);
}

/// What gives way lies on the ground, where it was below: tails do not carry bodies.
std::vector<double> laid_on_ground(const Puppet& puppet, const rig::Subject& subject, const kinematics::Motion& motion,
                                   const std::vector<bool>& slack, std::vector<double> positions) {
  kinematics::Motion placed = motion_from_positions(puppet, subject, motion, positions);
  return give_way(puppet, subject, slack, placed) ? positions_from_motion(puppet, subject, placed) : positions;
}

/// Raises a body that has fallen over by what of it is still below the ground: heads that cannot be bent away carry it.
void raise_fallen(const Stage& stage, std::vector<double>& positions) {
  const Seen seen = look(stage, positions);
  std::vector<float> needs;
  for (int f = 0; f < seen.frames; ++f) {
    needs.push_back(seen.fallen[at(f)] ? static_cast<float>(std::max(-seen.deepest[at(f)], 0.0)) : 0.0f);
  }
  const std::vector<float> lifts =
      even_cover(needs, std::max(1, static_cast<int>(std::lround(0.12 * stage.fps))), stage.loops);
  for (int f = 0; f < seen.frames; ++f) row(positions, f, stage.model.position_count())[1] += double(lifts[at(f)]);
}

}  // namespace

Reference make_reference(const Puppet& puppet, const rig::Subject& subject, const kinematics::Motion& motion,
                         std::span<const double> positions, const ReferenceSettings& settings) {
  const std::vector<bool> slack = find_slack(puppet, subject);
  const double slip = slip_of(puppet, motion, settings);
  const Stage stage{puppet.model,
                    settings,
                    puppet.metres,
                    motion.fps,
                    motion.loops && motion.frame_count() >= 4,
                    bearing_points(puppet, slack),
                    slip,
                    slip * motion.fps > 1.01 * kLeastSlip * puppet.metres,
                    positions_from_motion(puppet, subject, kinematics::rest_motion(subject.rig, 1, motion.fps)),
                    told_points(puppet, subject.rig, motion.frame_count(), settings.told)};
  const Seen seen = look(stage, positions);
  // Legs that were not seen to fold do not tell where the ground is: no lower than it was seen.
  const double lowest_level = ground_level(seen.lowest, 0.02 * stage.height);
  const double level = settings.ground_seen ? std::max(lowest_level, 0.0) : lowest_level;
  const Flights flights = find_flights(stage, seen, level);
  const HabitatChoice choice =
      settings.habitat ? HabitatChoice{*settings.habitat, "as asked", false}
                       : choose_habitat(subject.rig, settings.hint, measure_footing(stage, seen, level, flights));
  const bool free = choice.habitat == Habitat::kFree;

  Travelled placed{{positions.begin(), positions.end()}, 0};
  if (!free) placed.positions = put_on_ground(stage, positions, seen, level, flights.flight);
  if (choice.habitat == Habitat::kGround) {
    if (settings.ground_seen) {
      draw_up_feet(stage.model, stage.height, stage.fps, stage.loops, stage.bears, placed.positions);
      const SettleInput input{stage.model,    stage.height, stage.fps,          stage.bears,
                              flights.flight, stage.rest,   settings.hint.goes, stage.loops};
      if (settings.settles && settle(input, placed.positions)) {
        placed.positions = put_on_ground(stage, placed.positions, look(stage, placed.positions), 0, flights.flight);
      }
    }
    placed.positions = laid_on_ground(puppet, subject, motion, slack, std::move(placed.positions));
    raise_fallen(stage, placed.positions);
  }
  if (choice.habitat == Habitat::kGround && settings.remove_slide) {
    placed = remove_slide(stage, std::move(placed.positions), flights.flight);
  }
  const std::vector<bool> flight = free ? std::vector<bool>(at(seen.frames), true) : flights.flight;
  Extended extended = stage.loops ? repeat(stage, choice.habitat, placed.positions, flight)
                                  : Extended{0, std::move(placed.positions), flight};
  Reference result = plant(stage, choice.habitat, std::move(extended), seen.frames);
  result.habitat_reason = choice.reason, result.hangs = choice.hangs;
  result.slack = slack;
  result.lift = free ? 0 : -level;
  result.slide = placed.slide, result.floating = flights.floating;
  return result;
}

}  // namespace limber::physics
