// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/kinematics/motion_energy.h"
#include "limber/pose_space/scan.h"
#include "limber/rig/subject.h"

/// What a motion costs whose body should lie on scans.
namespace limber::pose_space {

/// The points of a subject in all frames of a motion: frames x points.
std::vector<Vec3> posed_points(const rig::Subject& subject, const kinematics::Motion& motion);

/// A place of the body, and where the scan has it.
struct ScanMatch {
  BodyPoint body;
  FacingPoint scan;
  double weight = 1;
};

/// Mean over frames of the weighted sum of d^2 / (d^2 + scale^2) (Geman and McClure 1987): what is far away does not
/// pull. d^2 is the squared distance to the plane of the scan, and `slide` of that along it. Matches are held fixed, so
/// that this is an exact energy. A reference to `subject` is kept.
class ScanEnergy final : public kinematics::MotionEnergy {
 public:
  ScanEnergy(const rig::Subject& subject, double scale, double slide = 0.2)
      : subject_(subject), scale_(scale), slide_(slide) {}
  /// One list per frame.
  void set_matches(std::vector<std::vector<ScanMatch>> matches) { matches_ = std::move(matches); }
  double add(const kinematics::Motion& motion, double scale, kinematics::MotionGradient& gradient) const override;

 private:
  const rig::Subject& subject_;
  double scale_, slide_;
  std::vector<std::vector<ScanMatch>> matches_;
};

/// Skin is not stretched: mean squared change of the lengths of a surface's edges, of their mean length. A reference to
/// `subject` is kept.
class EdgeEnergy final : public kinematics::MotionEnergy {
 public:
  explicit EdgeEnergy(const rig::Subject& subject);
  double add(const kinematics::Motion& motion, double scale, kinematics::MotionGradient& gradient) const override;

 private:
  struct Edge {
    std::uint32_t a = 0, b = 0;
    double length = 0;  ///< at rest
  };
  const rig::Subject& subject_;
  std::vector<Edge> edges_;
  double mean_ = 1;
};

struct MatchSettings {
  double farthest = 1;       ///< heights: what is farther apart is not matched
  double body_weight = 0.5;  ///< of the way from the body to the scan, against that from the scan to the body
};

/// Matches for one frame's points: from every sample of the scan to the nearest place of the body, and from the body's
/// own `places` to the scan. Where surfaces face away from each other nothing is matched; nor where the body lies
/// beside the scan rather than before it, as over a hole. Weights sum to one plus `body_weight` where all agree.
std::vector<ScanMatch> match_scan(const rig::Subject& subject, std::span<const Vec3> posed, const Scan& scan,
                                  std::span<const BodyPoint> places, const MatchSettings& settings = {});

/// How far a body and a scan are apart, in heights.
struct ScanDistance {
  double scan_to_body = 0;  ///< mean over the scan of the distance to the body
  double body_to_scan = 0;  ///< ... and the other way
  double explained = 0;     ///< share of the scan within kExplained of the body
};
inline constexpr double kExplained = 0.03;
/// `every`: one of so many places is looked at, for a first idea.
ScanDistance scan_distance(const rig::Subject& subject, std::span<const Vec3> posed, const Scan& scan,
                           std::span<const BodyPoint> places, std::size_t every = 1);

}  // namespace limber::pose_space
