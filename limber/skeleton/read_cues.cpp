// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/read_cues.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/anatomy/role_regions.h"
#include "limber/base/expect.h"
#include "limber/skeleton/limb_roles.h"
#include "limber/skeleton/limb_template.h"

namespace limber::skeleton {
namespace {

constexpr double kLeastShare = 0.03;    // no reading is surer than this
constexpr double kUnknownKind = 0.2;    // share of bodies that are of a kind that readings do not know
constexpr double kNearlyRight = 0.5;    // what another section of the right limb counts
constexpr double kUp = 2, kAhead = 3;   // cost of a right angle between a template and the reading
constexpr double kSureAttitude = 0.75;  // length of a direction that is believed
constexpr double kSureTrust = 0.95;     // ... and trust in the whole reading
constexpr double kMember = 0.5;         // share from which on a point tells of its part
constexpr double kAgree = 0.06;         // of the size: how far starts may scatter about their middle
constexpr std::size_t kFewest = 3;      // points that tell of a part

/// Of sections of a limb its upper one; the region itself for others.
anatomy::Region limb_of(int region) {
  const auto part = static_cast<anatomy::Region>(region);
  return anatomy::is_limb(part) ? anatomy::upper_section(part) : part;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

std::vector<anatomy::Region> template_regions(const SkeletonTemplate& skeleton) {
  const SkeletonTemplate* own = skeleton.name == kBuiltTemplate ? &skeleton : builtin_of(skeleton);
  if (own == nullptr) return {};
  const Result<rig::Rig> rig = rig_of(*own);
  return rig.ok() ? anatomy::role_regions(*rig) : std::vector<anatomy::Region>();
}

ReadCues::ReadCues(const body::BodyShape& body, const anatomy::BodyReading& reading)
    : kinds_(reading.kinds), up_(reading.up), forward_(reading.forward), size_(body.size), trust_(reading.trust()) {
  LIMBER_EXPECT(reading.regions.size() == reading.points.size() && reading.starts.size() == reading.points.size(),
                std::to_string(reading.points.size()));
  for (const body::MedialSphere& s : body.graph.spheres) {
    std::array<double, anatomy::kRegionCount> shares{};
    double total = 0;
    const double reach = s.radius + 0.04 * size_;
    for (std::size_t i = 0; i < reading.points.size(); ++i) {
      const double off = (norm(reading.points[i] - s.centre) - s.radius) / reach;
      const double weight = std::exp(-8 * off * off);
      total += weight;
      for (std::size_t r = 0; r < anatomy::kRegionCount; ++r) shares[r] += weight * reading.regions[i][r];
    }
    std::array<double, anatomy::kRegionCount> costs{};
    for (int r = 0; r < anatomy::kRegionCount; ++r) {
      double share = 0;
      for (int other = 0; other < anatomy::kRegionCount; ++other) {
        if (limb_of(other) == limb_of(r)) share += (other == r ? 1 : kNearlyRight) * shares[index(other)];
      }
      costs[index(r)] =
          total > 0 ? -trust_ * std::log(kLeastShare + (1 - kLeastShare) * std::min(1.0, share / total)) : 0;
    }
    costs_.push_back(costs), shares_.push_back(shares);
  }
  find_starts(reading);
}

void ReadCues::find_starts(const anatomy::BodyReading& reading) {
  for (std::size_t r = 0; r < anatomy::kRegionCount; ++r) {
    std::vector<double> along[3];
    for (std::size_t i = 0; i < reading.points.size(); ++i) {
      if (reading.regions[i][r] < kMember) continue;
      for (int a = 0; a < 3; ++a) along[a].push_back(reading.starts[i][a]);
    }
    if (along[0].size() < kFewest) continue;
    const Vec3d middle{median(along[0]), median(along[1]), median(along[2])};
    std::vector<double> off;
    for (std::size_t k = 0; k < along[0].size(); ++k)
      off.push_back(norm(Vec3d{along[0][k], along[1][k], along[2][k]} - middle));
    if (median(off) < kAgree * size_) starts_[r] = middle;
  }
}

anatomy::Region ReadCues::region(int sphere) const {
  const auto& shares = shares_[index(sphere)];
  return static_cast<anatomy::Region>(std::max_element(shares.begin(), shares.end()) - shares.begin());
}

double ReadCues::kind_cost(const std::string& name) const {
  const double best = *std::max_element(kinds_.begin(), kinds_.end());
  const auto kind = anatomy::kind_named(name);
  const double share =
      kind && *kind != anatomy::BodyKind::kOther ? kinds_[static_cast<std::size_t>(*kind)] : kUnknownKind;
  return trust_ * std::max(0.0, std::log((best + kLeastShare) / (share + kLeastShare)));
}

double ReadCues::turn_cost(const Mat3d& body_from_template) const {
  const double up = norm(up_) - dot(up_, body_from_template.column(1));
  const double ahead = norm(forward_) - dot(forward_, body_from_template.column(2));
  return trust_ * (kUp * up + kAhead * ahead);
}

std::optional<Mat3d> ReadCues::attitude() const {
  if (trust_ < kSureTrust || norm(up_) < kSureAttitude || norm(forward_) < kSureAttitude) return std::nullopt;
  const Vec3d up = normalized(up_);
  const Vec3d ahead = forward_ - dot(forward_, up) * up;
  if (norm(ahead) < 0.5) return std::nullopt;
  const Vec3d forward = normalized(ahead);
  return Mat3d::from_columns(cross(up, forward), up, forward);
}

}  // namespace limber::skeleton
