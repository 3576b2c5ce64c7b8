// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "bench/artist_body.h"
#include "limber/metrics/footfalls.h"
#include "limber/metrics/gait.h"
#include "limber/metrics/motion_windows.h"
#include "limber/motion_space/motion_judge.h"

namespace limber::bench {

/// How a number is to be read; of all of them less is better but for factors.
enum class Reading {
  kGap,     ///< how far off it is
  kFactor,  ///< how many times the artist's: 1 is right
  kShare    ///< of the motions that are wrong
};

struct Measure {
  const char* name;
  const char* unit;
  Reading reading;
};

/// Gaits first, then what the joints do, then whether it looks natural. Windows are those of the joints that the artist
/// moved, as they are and about their mean pose. A judge is a network that was taught what motions show, on bodies that
/// none of the networks that draw may be judged by.
enum MeasureIndex : std::size_t {
  kPhase,
  kFrequency,
  kDuty,
  kStride,
  kWindows,
  kAboutMean,
  kMistaken,
  kDoubted,
  kJitter,
  kActivity,
  kPeakSpeed,
  kArms,
  kSkate,
  kNearSkate,
  kNearSlide,
  kMeasureCount
};
inline constexpr std::array<Measure, kMeasureCount> kMeasures{{
    {"phase error", "cycle", Reading::kGap},
    {"frequency", "of theirs", Reading::kFactor},
    {"duty", "cycle", Reading::kGap},
    {"stride", "of theirs", Reading::kFactor},
    {"windows", "of a still body's", Reading::kGap},
    {"about its mean", "of a still body's", Reading::kGap},
    {"taken for another action", "of motions", Reading::kShare},
    {"not believed by the judge", "of its belief", Reading::kGap},
    {"jitter", "of theirs", Reading::kFactor},
    {"activity", "of theirs", Reading::kFactor},
    {"peak speed", "of theirs", Reading::kFactor},
    {"upper arms", "degrees", Reading::kGap},
    {"skate", "legs/s", Reading::kGap},
    {"skate (UniMate)", "of steps", Reading::kGap},
    {"slide (UniMate)", "leg heights", Reading::kGap},
}};
inline constexpr std::size_t kFirstNatural = kJitter;
/// Not a number: it cannot be told of this body. Factors are within kMostFactor, one way or the other.
using Measured = std::array<double, kMeasureCount>;
inline constexpr double kMostFactor = 10;

/// What is compared of a motion.
struct Described {
  metrics::Gait gait;
  metrics::Turns turns;
  metrics::MotionPace pace;
  std::optional<metrics::Footfalls> falls;
  std::optional<metrics::NearGroundSteps> near_ground;
  std::optional<double> arms;
  std::optional<double> doubted;  ///< how much the judge holds it for something else than the gait
};

/// Holds motions of one body against what its artist drew of one gait. `body`, `gait` and `judge` must live as long.
class GaitReference {
 public:
  /// `judge`: may be none, as for bodies that it was taught with.
  GaitReference(const ArtistBody& body, const AskedGait& gait, const motion_space::MotionJudge* judge);

  Described describe(const kinematics::Motion& motion) const;
  /// Against a take of the gait.
  Measured measure(const Described& motion, std::size_t take) const;
  /// How often somebody who knows nothing takes a motion for another action; not a number where there is no other.
  double chance() const;

 private:
  double taken_for_another(const Described& motion, std::size_t take) const;
  std::optional<double> doubt(const kinematics::Motion& motion) const;

  const ArtistBody& body_;
  const AskedGait& gait_;
  const motion_space::MotionJudge* judge_;
  std::optional<motion_space::MotionBody> judged_;  ///< the body as the judge sees it
  std::vector<metrics::Foot> feet_;
  std::vector<Described> takes_;
  std::vector<metrics::Turns> others_;  ///< of other actions
  metrics::Turns still_;
};

}  // namespace limber::bench
