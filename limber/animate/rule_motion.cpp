// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/rule_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "limber/anatomy/find_roles.h"
#include "limber/animate/manners.h"
#include "limber/retarget/retarget_motion.h"
#include "limber/zoo/action.h"
#include "limber/zoo/body_like.h"

namespace limber::animate {
namespace {

constexpr int kCoarse = 24;     // only its bones and its height count
constexpr double kSeconds = 2;  // of what goes on and on, where nobody says
/// Of the zoo's strides: artists' bodies on four legs move so much less (twenty-nine that networks were taught with).
constexpr double kOnFour = 0.6;
constexpr double kManner = 0.4;  // of a whole personality: seeds differ, and none is odd

Result<zoo::Creature> make_model(const zoo::BodySpec& body, std::uint64_t seed) {
  zoo::CreatureSettings making;
  making.body = body, making.seed = seed, making.resolution = kCoarse;
  return zoo::make_creature(making);
}

}  // namespace

Result<kinematics::Motion> rule_motion(const rig::Subject& subject, const RuleSettings& settings) {
  const std::optional<zoo::Action> action = zoo::action_from_name(settings.action);
  if (!action) {
    return Error{fmt::format("no rule says how \"{}\" goes", settings.action), "action", ErrorKind::kUnsupported};
  }
  const zoo::BodySpec body = zoo::body_like(anatomy::with_roles(subject.rig));
  LIMBER_TRY(const zoo::Creature model, make_model(body, settings.seed));
  const std::vector<zoo::Action> able = zoo::actions(model);
  if (std::find(able.begin(), able.end(), *action) == able.end()) {
    return Error{fmt::format("\"{}\" takes other limbs than this body has ({})", settings.action, model.body), "action",
                 ErrorKind::kUnsupported};
  }
  zoo::ActionSettings acting;
  acting.action = *action, acting.fps = settings.fps, acting.seed = settings.seed, acting.style = kManner;
  if (body.leg_pairs == 2) acting.amplitude = kOnFour;
  follow_manners(settings.words, acting);
  const double seconds = settings.seconds.value_or(zoo::is_cyclic(*action) ? kSeconds : 0);
  acting.frames = static_cast<int>(std::lround(seconds * settings.fps));
  LIMBER_TRY(const zoo::Performance shown, zoo::perform(model, acting));
  retarget::MotionSettings following;
  following.name = settings.action;
  Result<retarget::RetargetedMotion> found = retarget::retarget_motion(model.subject, shown.motion, subject, following);
  if (found.ok()) return std::move(found->motion);
  return Error{fmt::format("the limbs of this body do not match those of one that shows how \"{}\" goes ({})",
                           settings.action, model.body),
               "action", ErrorKind::kUnsupported};
}

}  // namespace limber::animate
