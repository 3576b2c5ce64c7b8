// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/motion_space/motion_denoiser.h"

/// Networks that tell what a motion shows, by joints alone. They were taught with what artists and people made, and
/// never saw a sample; each of the two with bodies that the other one did not see.
namespace limber::motion_space {

enum class JudgeSeat {
  kChoosing,  ///< may choose among samples
  kReporting  ///< for figures alone: who chooses by a judge must not be measured by it
};
/// The folder of the judge that ships; `kMissing` where it is not found.
Result<std::filesystem::path> find_motion_judge(JudgeSeat seat);

/// Const, so safe to use from several threads.
class MotionJudge {
 public:
  static Result<MotionJudge> open(const std::filesystem::path& folder);

  const std::vector<std::string>& actions() const { return network_.model().actions; }

  /// How likely it is that a motion of at least two frames shows each of the actions; all its seconds count alike.
  /// `way_known`: the body goes as far as it seems to, unlike on a treadmill.
  std::vector<float> look(const MotionBody& body, const kinematics::Motion& motion, bool way_known = true) const;

 private:
  explicit MotionJudge(MotionDenoiser network) : network_(std::move(network)) {}
  MotionDenoiser network_;
};

}  // namespace limber::motion_space
